"""What is kept of punctuations that close rows together: no more than somebody may ask for."""

import pytest

from punctum.algebra.bands import Band, Limit
from punctum.algebra.classes import Class
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators import Join, MultiJoin, Operator, frame
from punctum.operators.batch import batch
from punctum.operators.columns import ColumnarSlice
from punctum.operators.operator import CLOSED

ONE, OTHER = Schema.of(g="BIGINT", k="BIGINT"), Schema.of(h="BIGINT", l="BIGINT")
NEAR = (Band((1, 1), (0, 1), Limit(0), Limit(3), True), Band((0, 1), (1, 1), Limit(-3), Limit(0), True))
CLASSES = (Class(((0, 0), (1, 0))), Class(((0, 1),)), Class(((1, 1),)))


def joins() -> list[Operator]:
    several = MultiJoin((ONE, OTHER), CLASSES, ("g", "k", "h", "l"), bands=NEAR)
    return [Join(ONE, OTHER, [("g", "h")], bands=NEAR), several]


@pytest.mark.parametrize("join", joins())
def test_what_is_said_of_groups_that_are_over_is_forgotten(join: Operator) -> None:
    kept = list[int]()
    for first in range(0, 1000, 50):
        groups = [1000 * g for g in range(first, first + 50)]  # none is the neighbour of another one
        slices = []
        for schema in (ONE, OTHER):
            group, number = schema.names
            said = [Punctuation.of(schema, {group: g, number: k}) for g in groups for k in (0, 2)]
            said += [Punctuation.of(schema, {group: g}) for g in groups]
            slices.append(ColumnarSlice(frame(schema, [(g, k) for g in groups for k in (0, 1)]), tuple(said)))
        join.feed(*slices)
        assert join.size().rows == 0
        kept.append(sum(len(table) for name, table in join.tables().items() if name.startswith(CLOSED)))
    assert max(kept[10:]) <= max(kept[:10]), kept


@pytest.mark.parametrize("join", joins())
def test_what_is_over_closes_nothing(join: Operator) -> None:
    nothing = ColumnarSlice(frame(ONE, [])), ColumnarSlice(frame(OTHER, []))
    closing = [Punctuation.of(OTHER, l=k) for k in (5, 7, 8)]
    join.feed(ColumnarSlice(frame(ONE, [(1, 5)])), ColumnarSlice(frame(OTHER, []), tuple(closing)))
    assert join.size().rows == 1
    join.feed(nothing[0], ColumnarSlice(frame(OTHER, []), (Punctuation.of(OTHER, l=between(6, 6)),)))
    assert join.size().rows == 0
    join.forget(1, batch(OTHER, closing[:1]))
    join.feed(ColumnarSlice(frame(ONE, [(1, 5), (1, 9)])), nothing[1])
    assert join.size().rows == 2
    join.feed(nothing[0], ColumnarSlice(frame(OTHER, []), tuple(closing[:1])))
    assert join.size().rows == 1
