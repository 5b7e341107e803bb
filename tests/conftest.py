"""How long Hypothesis searches: PUNCTUM_EXAMPLES=10000 make test looks a hundred times longer."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "punctum",
    deadline=None,
    max_examples=int(os.environ.get("PUNCTUM_EXAMPLES", "100")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("punctum")
