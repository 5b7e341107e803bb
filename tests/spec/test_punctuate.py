"""The five kinds of punctuate, and the guard."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.pattern import between, one_of
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Row
from punctum.errors import SchemaError
from punctum.spec.framework import unary
from punctum.spec.guard import Guard, guard
from punctum.spec.origins import (
    AccessOrder,
    AllPassed,
    AllReported,
    DomainLimits,
    EndEvent,
    Origin,
    Selected,
    Sorted,
    Unique,
)
from punctum.spec.punctuate import Punctuate
from punctum.spec.sort import Sort
from punctum.spec.stream import Slice, prefix
from spec.laws import conform, minimal, proper
from spec.operators import Case, punctuate_cases, threes
from strategies import punctuations, rows, streams

plane = Schema.of(x="BIGINT", y="BIGINT").where(y=between(0, 4))
ORIGINS: dict[str, Origin[Any]] = {
    "end event": EndEvent(Scheme.of(plane, "x"), lambda t: t[1] == 0),
    "access order": AccessOrder(plane, "x"),
    "falling access order": AccessOrder(plane, "x", descending=True),
    "access order with a delay": AccessOrder(plane, "x", delay=2),
    "access order of each key": AccessOrder(plane, "x", keys=("y",)),
    "falling access order of each key with a delay": AccessOrder(plane, "x", True, 1, ("y",)),
    "domain limits": DomainLimits(plane),
    "all reported": AllReported(Scheme.of(plane, "x"), "y", frozenset({0, 1})),
    "all reported in units": AllReported(Scheme.of(plane, "x"), "y", frozenset({0, 1}), threes),
    "all passed": AllPassed(Scheme.of(plane, "x ASC"), "y", frozenset({0, 1})),
    "all passed falling, with a delay, in units": AllPassed(Scheme.of(plane, "x DESC"), "y", frozenset({0}), 1, threes),
    "unique": Unique(Scheme.of(plane, "x", "y")),
    "selected": Selected(Punctuation.of(plane, x=3)),
    "sorted": Sorted(Sort(plane, (SortKey("x", descending=True), SortKey("y")))),
}


def honest(operator: Punctuate, slices: Sequence[Slice]) -> list[Slice]:
    """The stream without the rows that break what punctuate relies on: its source keeps its word."""
    kept: list[Slice] = []
    for piece in slices:
        emitted = prefix(unary(operator, [*kept, Slice(puncts=piece.puncts)])).puncts if kept else operator.opening()
        good = tuple(t for t in piece.rows if not any(p.match(t) for p in emitted))
        kept.append(Slice(good, piece.puncts))
    return kept


@pytest.mark.parametrize("kind", ORIGINS)
@given(stream=streams(plane))
def test_punctuate_conforms_and_is_proper_when_its_source_keeps_its_word(kind: str, stream: list[Slice]) -> None:
    operator = Punctuate(plane, (ORIGINS[kind],))
    conform(operator, [stream])
    minimal(operator, [stream])
    proper(operator, [honest(operator, stream)])


@given(streams(plane), st.lists(st.sampled_from(list(ORIGINS.values())), max_size=3))
def test_origins_add_up(stream: list[Slice], origins: list[Origin[Any]]) -> None:
    conform(Punctuate(plane, tuple(origins)), [stream])


@given(punctuate_cases())
def test_origins_conform_on_all_types(case: Case) -> None:
    operator, inputs = case
    conform(operator, inputs)
    minimal(operator, inputs)


def made(schema: Schema, origin: Origin[Any], *pieces: Sequence[Row]) -> list[list[str]]:
    stream = [Slice(tuple(piece)) for piece in pieces]
    return [list(map(str, piece.puncts)) for piece in unary(Punctuate(schema, (origin,)), stream)]


def test_an_end_event_closes_its_item() -> None:
    bid = Schema.of(itemid="BIGINT", status="STRING")
    origin = EndEvent(Scheme.of(bid, "itemid"), lambda t: t[1] == "closed")
    assert made(bid, origin, [(1, "open"), (2, "open")], [(1, "closed")]) == [[], ["<1, *>"]]


def test_access_order_leaves_room_for_equal_values() -> None:
    noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
    event = Schema.of(ts="TIMESTAMP")
    assert made(event, AccessOrder(event, "ts"), [(noon,)], [], [(noon,)]) == [["<(,2026-11-15T12:00:00Z)>"], [], []]
    late = AccessOrder(event, "ts", delay=timedelta(seconds=10))
    assert made(event, late, [(noon,)]) == [["<(,2026-11-15T11:59:50Z)>"]]
    assert made(event, AccessOrder(event, "ts", delay=timedelta(days=999_999)), [(noon,)]) == [[]]


def test_access_order_of_each_key() -> None:
    reading = Schema.of(sensor="STRING", ts="BIGINT")
    slices: list[list[Row]] = [[("a", 7), ("b", 2), ("a", 5)], [("b", 2), (None, 4)], [("b", 3), ("c", None)]]
    by_sensor = AccessOrder(reading, "ts", keys=("sensor",))
    assert made(reading, by_sensor, *slices) == [["<a, (,6]>", "<b, (,1]>"], ["<NULL, (,3]>"], ["<b, (,2]>"]]


def test_a_delay_is_taken_off_exactly() -> None:
    exact = Schema.of(d="DECIMAL")
    late = AccessOrder(exact, "d", delay=Decimal("0.5"))
    assert made(exact, late, [(Decimal(10**30),)]) == [["<(,999999999999999999999999999999.5)>"]]


def test_an_event_with_an_order_closes_a_prefix() -> None:
    bid = Schema.of(itemid="BIGINT", ts="BIGINT")
    origin = EndEvent(Scheme.of(bid, "itemid", "ts ASC"), lambda t: t[0] == 17)
    assert made(bid, origin, [(17, 5), (18, 9)], [(17, None), (17, 6)]) == [["<17, (,5]>"], ["<17, (,6]>"]]


def test_the_warehouse_has_temperature_limits() -> None:
    report = Schema.of(sid="STRING", temp="BIGINT").where(temp=between(20, 95))
    assert made(report, DomainLimits(report), [("S1", 70)], []) == [["<*, NULL>", "<*, (,19]>", "<*, [96,)>"], []]


def test_an_hour_is_complete_when_all_sensors_have_reported() -> None:
    report = Schema.of(sid="STRING", hour="BIGINT")
    origin = AllReported(Scheme.of(report, "hour"), "sid", frozenset({"S1", "S2"}))
    assert made(report, origin, [("S1", 7), ("S1", 8)], [("S9", 7)], [("S2", 7)]) == [[], [], ["<*, 7>"]]


def test_time_is_complete_when_all_sensors_have_gone_past_it() -> None:
    report = Schema.of(sid="STRING", ts="BIGINT")
    slices: list[list[Row]] = [[("S1", 7), ("S2", 4), ("S9", 1)], [("S2", 9), ("S2", 8)], [("S1", 12)]]
    both = frozenset({"S1", "S2"})
    passed = AllPassed(Scheme.of(report, "ts ASC"), "sid", both)
    assert made(report, passed, *slices) == [["<*, (,3]>"], ["<*, (,6]>"], ["<*, (,8]>"]]
    by_threes = AllPassed(Scheme.of(report, "ts ASC"), "sid", both, 1, threes)
    assert made(report, by_threes, *slices) == [["<*, (,2]>"], ["<*, (,5]>"], []]


def test_a_sort_emits_where_it_has_come_to() -> None:
    report = Schema.of(sid="STRING", hour="BIGINT").where(hour=between(0, 23))
    origin = Sorted(Sort(report, (SortKey("hour", nulls_first=False), SortKey("sid"))))
    assert made(report, origin, [("S2", 7)]) == [["<*, (,6]>", "<NULL, 7>", "<(,S2), 7>"]]


def test_origins_that_cannot_be_give_the_reason() -> None:
    event = Schema.of(ts="TIMESTAMP", name="STRING")
    with pytest.raises(SchemaError, match="ts cannot have the delay 10"):
        AccessOrder(event, "ts", delay=10)
    with pytest.raises(SchemaError, match="name cannot have the delay"):
        AccessOrder(event, "name", delay=Decimal(1))
    with pytest.raises(SchemaError, match="the list of members is empty"):
        AllReported(Scheme.of(event, "ts"), "name", frozenset())


numbers = Schema.of(x="BIGINT", y="BIGINT")
anything = st.lists(
    st.builds(
        lambda ts, ps: Slice(tuple(ts), tuple(ps)),
        st.lists(rows(numbers), max_size=4),
        st.lists(punctuations(numbers), max_size=2),
    ),
    max_size=4,
)


@given(anything)
def test_the_guard_splits_a_stream(stream: list[Slice]) -> None:
    received: list[Punctuation] = []
    for piece, (good, violations) in zip(stream, guard(numbers, stream), strict=True):
        assert list(good.rows) == [t for t in piece.rows if not any(p.match(t) for p in received)]
        assert [v.row for v in violations] == [t for t in piece.rows if any(p.match(t) for p in received)]
        assert all(v.punctuation.match(v.row) for v in violations)
        received += piece.puncts
        assert all(map(PunctuationSet(numbers, received).covers, good.puncts))


def test_the_guard_drops_what_earlier_punctuations_exclude() -> None:
    running = Guard(numbers)
    p = Punctuation.of(numbers, x=one_of([1, 2]))
    assert running.feed(Slice.of(p))[0].puncts == (p,)
    good, violations = running.feed(Slice.of((1, 1), Punctuation.of(numbers, x=2)))
    assert good == Slice()
    assert [(v.row, v.slice, str(v.punctuation)) for v in violations] == [((1, 1), 2, "<[1,2], *>")]
