"""Two lanes of tests: `make test` is short; `make test-long` tries more of the same, and what takes long.

PUNCTUM_LANE=long chooses the long lane. PUNCTUM_EXAMPLES, PUNCTUM_KILLS and PUNCTUM_SEARCHED say how much to try
whatever the lane. A test marked `long` is in the long lane only; docs/testing.md lists what is where.
"""

import os
from collections.abc import Iterable

import pytest
from hypothesis import settings

LONG = os.environ.get("PUNCTUM_LANE") == "long"
EXAMPLES = int(os.environ.get("PUNCTUM_EXAMPLES", "100" if LONG else "8"))
"""How many examples Hypothesis tries for a test that does not say otherwise."""
KILLS = int(os.environ.get("PUNCTUM_KILLS", "20" if LONG else "2"))
"""How many processes are killed at random moments."""
SEARCHED = int(os.environ.get("PUNCTUM_SEARCHED", "300" if LONG else "30"))
"""How many scripts of the search are tried."""
LEAST = 5
PATIENCE = 1200
"""Seconds to wait for another process: a machine that others use is slow, not wrong."""
long = pytest.mark.long


def examples(percent: int) -> settings:
    """Another number of examples: so many of each hundred, and at least five."""
    return settings(max_examples=max(min(percent, LEAST), percent * EXAMPLES // 100))


def also_long(*short: object, more: Iterable[object]) -> list[object]:
    """Parameters of a test: some for both lanes, and more for the long one."""
    return [*short, *(pytest.param(each, marks=long) for each in more)]


def one_of(every: int, parameters: Iterable[object]) -> list[object]:
    """Parameters of a test: the first of each so many for both lanes, all of them for the long one.

    Where a test has several parameters, one of these is a tuple.
    """
    told = ((n % every, each if isinstance(each, tuple) else (each,)) for n, each in enumerate(parameters))
    return [pytest.param(*each, marks=long if later else ()) for later, each in told]
