"""Every case and policy on random replicas: compatible behind every slice, and complete at the end."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.lmerge.elements import INF, Element, Stable
from punctum.lmerge.merge import INDEXES
from punctum.lmerge.policies import Adjusting, Inserting, OutputPolicy
from punctum.lmerge.properties import Case
from punctum.lmerge.tdb import Tdb, tdb

from .running import SPECIFIED, Specified, Vectorised, run
from .streams import lives, reference

POLICIES = [OutputPolicy(insert, adjust) for insert in Inserting for adjust in Adjusting]
KEYED = (Case.R3, Case.R4)


def tried(seed: int, case: Case, policy: OutputPolicy, kind: type[Specified] | type[Vectorised]) -> None:
    rng = Random(seed)
    events = reference(rng, case, rng.choice([3, 12, 30]))
    inputs, slices = rng.choice([2, 3, 10]), rng.choice([1, 4, 15])
    replicas = lives(rng, events, case, inputs, slices)
    merge = kind(case, inputs, policy)
    out: list[Element] = [element for piece in run(merge, replicas, case) for element in piece]
    assert out[-1] == Stable(INF)
    assert tdb(out) == Tdb(events)
    assert merge.bad == 0


@pytest.mark.parametrize("case", SPECIFIED, ids=lambda case: case.value)
@given(st.integers(0, 2**32))
@examples(60)
def test_the_specification_is_compatible(case: Case, seed: int) -> None:
    tried(seed, case, OutputPolicy(), Specified)


@pytest.mark.parametrize("case", INDEXES, ids=lambda case: case.value)
@given(st.integers(0, 2**32))
@examples(40)
def test_the_vectorised_merge_is_compatible(case: Case, seed: int) -> None:
    tried(seed, case, OutputPolicy(), Vectorised)


@pytest.mark.parametrize("case", KEYED, ids=lambda case: case.value)
@pytest.mark.parametrize("kind", [Specified, Vectorised])
@given(st.integers(0, 2**32), st.sampled_from(POLICIES))
@examples(60)
def test_every_policy_is_compatible(
    case: Case, kind: type[Specified] | type[Vectorised], seed: int, policy: OutputPolicy
) -> None:
    tried(seed, case, policy, kind)
