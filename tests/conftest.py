"""How Hypothesis searches: each lane tries the same examples each time, so that what fails has just been broken.

PUNCTUM_EXAMPLES=10000 make test looks for new ones, and takes hundreds of times longer.
"""

import os

from hypothesis import HealthCheck, settings

from lanes import EXAMPLES

settings.register_profile(
    "punctum",
    deadline=None,
    derandomize="PUNCTUM_EXAMPLES" not in os.environ,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("punctum")
