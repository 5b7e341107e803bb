"""Inputs that lag: their elements below the stable are dropped, unless something is kept at its start."""

from collections.abc import Iterator
from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import also_long, examples
from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, to_columns
from punctum.lmerge.keyed import TakenEvents
from punctum.lmerge.merge import LMerge
from punctum.lmerge.nodes import Located, Nodes
from punctum.lmerge.policies import OutputPolicy
from punctum.lmerge.properties import Case
from punctum.lmerge.tdb import Tdb, tdb

from .running import SCHEMA, Specified, Vectorised, run
from .streams import Life, presentation, reference, sliced
from .test_merge import POLICIES

CASES = (Case.R3, Case.R3_MINUS, Case.R4)


def lagging(rng: Random, case: Case, size: int) -> tuple[Tdb, list[Life]]:
    """Replicas of which each but the first is some slices behind."""
    events, slices = reference(rng, case, size), 12
    lags = [0, *(rng.randint(1, 8) for _ in range(rng.randint(1, 3)))]
    pieces = [sliced(rng, presentation(rng, events, case), slices) for _ in lags]
    late = zip(lags, pieces, strict=True)
    return Tdb(events), [Life([*[[]] * lag, *stream, *[[]] * (max(lags) - lag)]) for lag, stream in late]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.value)
@pytest.mark.parametrize("kind", [Specified, Vectorised])
@given(st.integers(0, 2**32))
@examples(30)
def test_a_merge_is_compatible_with_inputs_that_lag(
    kind: type[Specified] | type[Vectorised], case: Case, seed: int
) -> None:
    events, replicas = lagging(rng := Random(seed), case, 20)
    policy = OutputPolicy() if case is Case.R3_MINUS else rng.choice(POLICIES)
    merge = kind(case, len(replicas), policy)
    assert tdb([element for piece in run(merge, replicas, case) for element in piece]) == events
    assert merge.bad == 0


def wrong(rng: Random, piece: list[Element]) -> list[Element]:
    """Elements, and among them adjusts of events that may never have been there."""
    stray: list[Element] = [Adjust((rng.choice("ABCDEF"),), n := rng.randrange(30), n + 3, n + rng.randrange(5))]
    return [*piece[: (at := rng.randint(0, len(piece)))], *stray * rng.randrange(3), *piece[at:]]


def states(merge: LMerge, pieces: Iterator[list[list[Element]]]) -> Iterator[object]:
    """Behind each slice all that came out, what was not taken, and all that is kept."""
    for piece in pieces:
        out = merge.feed(*(to_columns(elements, SCHEMA) for elements in piece))
        bad = [(refused.input, refused.rows.rows(), refused.reason) for refused in merge.bad]
        kept = {name: table.frame().rows() for name, table in merge.tables().items()}
        yield out.rows.rows(), out.puncts, bad, kept, merge.metadata()


@pytest.mark.parametrize("case", also_long(Case.R3, Case.R4, more=[Case.R3_MINUS]), ids=lambda case: case.value)
@given(st.integers(0, 2**32))
@examples(60)
def test_what_is_dropped_early_would_be_dropped_later(case: Case, seed: int) -> None:
    """The same merge that looks everything up emits and keeps the same."""
    _, replicas = lagging(rng := Random(seed), case, 20)
    policy = OutputPolicy() if case is Case.R3_MINUS else rng.choice(POLICIES)
    slices = [[wrong(rng, piece) for piece in pieces] for pieces in zip(*(r.pieces for r in replicas), strict=True)]
    schemas = [SCHEMA] * len(replicas)
    early = list(states(LMerge(schemas, case, policy), iter(slices)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TakenEvents, "above", lambda taken, *_: taken)
        assert early == list(states(LMerge(schemas, case, policy), iter(slices)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.value)
def test_what_is_over_is_not_looked_up(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    merge, looked_up = LMerge([SCHEMA] * 2, case), list[int]()
    starts: list[Element] = [Insert(("A",), n, n + 2) for n in range(10)]
    merge.feed(to_columns([*starts, Insert(("B",), 4, INF), Stable(12)], SCHEMA), to_columns([], SCHEMA))
    find = Nodes.find

    def counted(nodes: Nodes, keys: pl.DataFrame) -> Located:
        looked_up.extend(keys["_vs"])
        return find(nodes, keys)

    monkeypatch.setattr(Nodes, "find", counted)
    merge.feed(to_columns([], SCHEMA), to_columns([*starts, Insert(("C",), 12, 13)], SCHEMA))
    assert set(looked_up) == {4, 12}, "an event that starts at 4 is kept"
