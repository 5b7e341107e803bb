"""How Hypothesis searches: `make test` tries the same examples each time, so that what fails has just been broken.

PUNCTUM_EXAMPLES=10000 make test looks for new ones, a hundred times longer.
"""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "punctum",
    deadline=None,
    derandomize="PUNCTUM_EXAMPLES" not in os.environ,
    max_examples=int(os.environ.get("PUNCTUM_EXAMPLES", "100")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("punctum")
