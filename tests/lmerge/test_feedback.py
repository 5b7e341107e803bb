"""What a merge needs no longer may be missing, from now on or from later on: its output is the same, slice by slice."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import also_long, examples
from punctum.algebra.schema import Schema
from punctum.lmerge.elements import FOREVER, INF, VE, Element, Insert, Stable, element_schema, from_columns, to_columns
from punctum.lmerge.feedback import Signal, events_over, least
from punctum.lmerge.merge import INDEXES
from punctum.lmerge.policies import OutputPolicy
from punctum.lmerge.properties import Case
from punctum.lmerge.tdb import Tdb, tdb
from punctum.operators.columns import ColumnarSlice

from .running import SCHEMA, SPECIFIED, Specified, Vectorised
from .streams import ORDERED, Life, lives, reference

TIMES = element_schema(Schema.of(p="STRING"))


def filtered(piece: list[Element], limit: float, case: Case) -> list[Element]:
    """A piece without the elements that nobody needs."""
    if case in ORDERED:
        return [e for e in piece if not isinstance(e, Insert) or e.vs >= limit]
    columns = to_columns(piece, SCHEMA)
    mask = events_over(columns, FOREVER if limit == INF else int(limit))
    return from_columns(ColumnarSlice(columns.rows.filter(~mask), columns.puncts), SCHEMA)


def fed(merge: Specified | Vectorised, inputs: list[Life], case: Case, delays: list[int] | None) -> list[list[Element]]:
    """What comes out, when each input learns how far the merge was some slices ago, or never."""
    stables, out = [-INF], list[list[Element]]()
    for n in range(len(inputs[0].pieces)):
        pieces = []
        for number, life in enumerate(inputs):
            if n in life.detach:
                merge.detach(number)
            if n in life.attach:
                merge.attach(number, life.attach[n])
            limit = -INF if delays is None or delays[number] >= len(stables) else stables[-1 - delays[number]]
            pieces.append(life.pieces[n] if limit == -INF else filtered(life.pieces[n], limit, case))
        out.append(merge.feed(pieces))
        stables.append(merge.stable)
    return out


@pytest.mark.parametrize(
    "case",
    also_long(*[c for c in SPECIFIED if c is not Case.R3_MINUS], more=[Case.R3_MINUS]),
    ids=lambda case: case.value,
)
@given(st.integers(0, 2**32))
@examples(15)
def test_the_output_is_the_same_with_the_signal(case: Case, seed: int) -> None:
    rng = Random(seed)
    events = reference(rng, case, rng.choice([12, 30]))
    inputs, slices = rng.choice([2, 3, 5]), rng.choice([4, 15])
    replicas = lives(rng, events, case, inputs, slices)
    delays = [rng.choice([0, 0, 1, 3, slices]) for _ in range(inputs)]
    kinds: list[type[Specified] | type[Vectorised]] = [Specified, *[Vectorised] * (case in INDEXES)]
    for kind in kinds:
        merges = kind(case, inputs, OutputPolicy()), kind(case, inputs, OutputPolicy())
        plain, skipped = fed(merges[0], replicas, case, None), fed(merges[1], replicas, case, delays)
        assert [sorted(map(str, piece)) for piece in skipped] == [sorted(map(str, piece)) for piece in plain]
        assert tdb([element for piece in skipped for element in piece]) == Tdb(events)
        assert merges[1].bad == 0


def test_something_is_skipped() -> None:
    rng, skipped, whole = Random(3), 0, 0
    for _ in range(20):
        events = reference(rng, Case.R3, 30)
        for life in lives(rng, events, Case.R3, 3, 6):
            for piece in life.pieces:
                whole += len(piece)
                skipped += len(piece) - len(filtered(piece, 20, Case.R3))
    assert 50 < skipped < whole


def test_signals_are_punctuations() -> None:
    signal = Signal.read('{"$punct": {"_ve": {"lt": 11}}}', TIMES)
    assert signal == Signal(VE, 11) == Signal.read(Signal(VE, 11).text(TIMES), TIMES)
    assert Signal.read('{"$punct": {}}', TIMES) == Signal("", FOREVER)
    assert Signal.read(Signal(VE, FOREVER).text(TIMES), TIMES) == Signal("", FOREVER)
    for wrong in ("", "{", '{"$punct": {"_ve": {"ge": 11}}}', '{"$punct": {"_ve": 3, "p": "A"}}', '{"p": "A"}'):
        assert Signal.read(wrong, TIMES) is None, wrong
    assert Signal.read('{"$punct": {"p": {"lt": "B"}}}', TIMES) is None


def test_several_readers_need_what_one_of_them_needs() -> None:
    assert least([Signal(VE, 4), Signal("", FOREVER)]) == Signal(VE, 4)
    assert least([Signal(VE, 4), Signal("_vs", 3)]) is None
    assert least([]) is None
    assert least([Signal("", FOREVER)]) == Signal("", FOREVER)


def test_an_event_that_may_still_change_is_needed() -> None:
    early: list[Element] = [Insert(("A",), 1, 3), Stable(2)]
    assert filtered(early, 10, Case.R3) == early
    assert filtered([Insert(("A",), 1, 3), Stable(4)], 10, Case.R3) == [Stable(4)]
    assert filtered([Insert(("A",), 1, 10), Stable(12)], 10, Case.R3) == [Insert(("A",), 1, 10), Stable(12)]
