"""How Hypothesis searches: each lane tries the same examples each time, so that what fails has just been broken.

PUNCTUM_EXAMPLES=10000 make test looks for new ones, and takes hundreds of times longer.
"""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from kafka.broker import Broker, NoBrokerError
from lanes import EXAMPLES

settings.register_profile(
    "punctum",
    deadline=None,
    derandomize="PUNCTUM_EXAMPLES" not in os.environ,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("punctum")


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """The Kafka broker of a test run; a test that needs one is skipped where none can be had."""
    try:
        started = Broker(tmp_path_factory.mktemp("kafka")).start()
    except NoBrokerError as error:
        pytest.skip(str(error))
    yield started
    started.stop()
