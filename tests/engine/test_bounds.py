"""Rows so near the end of their type that a bound around them has no value: their pairs go to the quarantine."""

from datetime import UTC, datetime
from decimal import Decimal
from itertools import product
from math import inf, nan

import polars as pl
import pytest

from lanes import long
from punctum.algebra import Pattern, Punctuation, Row, between, constant
from punctum.algebra.bands import Band, Limit, passed
from punctum.algebra.punctuation import end_of_stream
from punctum.algebra.values import Type, Value
from punctum.ir import StreamDef
from punctum.operators.columns import ColumnarSlice, frame
from punctum.parse import parse_query, parse_script
from punctum.spec.bands import covers
from punctum.testing.simulate import Simulation

LEAST, GREATEST = -(2**63), 2**63 - 1
BELOW, ABOVE = Band((1, 0), (0, 0), None, Limit(-5)), Band((1, 0), (0, 0), Limit(5), None)


def streams(order: str, null: str = "NOT NULL") -> dict[str, StreamDef]:
    ddl = (f"CREATE STREAM {x} (g BIGINT, k BIGINT {null}, PUNCTUATED ON (k {order})) USING json;" for x in "ab")
    return dict(parse_script("\n".join(ddl)).streams)


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN"])
@pytest.mark.parametrize(
    ("order", "condition", "row", "passing"),
    [
        ("ASC", "b.k <= a.k - 5", (1, LEAST + 2), between(None, 10)),
        ("DESC", "b.k >= a.k + 5", (1, GREATEST - 2), between(10, None)),
    ],
)
def test_an_order_does_not_pass_what_has_no_value(
    kind: str, order: str, condition: str, row: Row, passing: Pattern
) -> None:
    defined = streams(order)
    engine = Simulation(parse_query(f"SELECT a.k, b.k AS l FROM a {kind} b ON a.g = b.g AND {condition}", defined), 1)
    schema = defined["a"].schema
    nothing, late = frame(schema, []), (1, 20 if order == "ASC" else -20)
    engine.feed({"a": ColumnarSlice(frame(schema, [row])), "b": ColumnarSlice(nothing)})
    said = ColumnarSlice(nothing, (Punctuation.of(schema, {"k": passing}),))
    assert not engine.feed({"a": ColumnarSlice(nothing), "b": said}).rows.height
    engine.feed({"a": ColumnarSlice(nothing), "b": ColumnarSlice(frame(schema, [late]))})
    assert len(engine.records) == 1


@pytest.mark.parametrize(("band", "value"), [(BELOW, LEAST + 4), (ABOVE, GREATEST - 4)])
def test_what_covers_all_passes_all(band: Band, value: int) -> None:
    for pattern, all_of_it in ((between(None, 10), False), (between(10, None), False), (between(None, None), True)):
        by_span = any(part.match(value) for part in passed(pattern, band, Type.BIGINT))
        assert by_span == covers(pattern, band, value) == all_of_it


ENDS = [
    (Type.DOUBLE, (nan, inf, -inf, 0.0)),
    (Type.STRING, ("", "a")),
    (Type.BOOLEAN, (False, True)),
    (Type.DECIMAL, (Decimal("-1.5"), Decimal(0))),
]


@pytest.mark.parametrize(("kind", "values"), ENDS)
@pytest.mark.parametrize("ends", [(True, None), (None, True), (False, None), (None, False), (False, False)])
def test_a_strict_band_at_an_end_is_passed_by_any_pattern(
    kind: Type, values: tuple[Value, ...], ends: tuple[bool | None, bool | None]
) -> None:
    """Nothing is more than NaN, nor less than the empty string: the band around it is empty."""
    low, high = (None if strict is None else Limit(0, strict) for strict in ends)
    band = Band((1, 0), (0, 0), low, high)
    for value, bound in product(values, values):
        patterns = (constant(bound), between(None, bound), between(bound, None), constant(None), between(None, None))
        for pattern in patterns:
            by_span = any(part.match(value) for part in passed(pattern, band, kind))
            assert by_span == covers(pattern, band, value), (value, str(pattern))


def test_times_have_ends_too() -> None:
    first = datetime(1, 1, 1, tzinfo=UTC)
    later = between(None, datetime(2026, 1, 1, tzinfo=UTC))
    (closed,) = passed(later, Band((1, 0), (0, 0), None, Limit(-1_000_000)), Type.TIMESTAMP)
    assert not closed.match(first) and closed.match(datetime(1, 1, 1, 0, 0, 1, tzinfo=UTC))


@pytest.mark.parametrize("null", ["NOT NULL", ""])
def test_whole_numbers_near_their_ends(null: str) -> None:
    """A band that ends beyond all values is closed with the last of them; one that begins there, with all values.

    A column that may be NULL is asked whether it is: where ``k + 3`` has no value it is not NULL.
    """
    defined = streams("", null)
    sql = "SELECT a.k, b.k AS l FROM a LEFT JOIN b ON a.g = b.g AND b.k BETWEEN a.k + 1 AND a.k + 3"
    engine, schema = Simulation(parse_query(sql, defined), 1), defined["a"].schema
    nothing = ColumnarSlice(frame(schema, []))
    engine.feed({"a": ColumnarSlice(frame(schema, [(1, GREATEST - 2), (1, GREATEST), (1, 5)])), "b": nothing})

    def said(*patterns: Pattern) -> list[int]:
        closing = ColumnarSlice(frame(schema, []), tuple(Punctuation.of(schema, {"k": p}) for p in patterns))
        return sorted(engine.feed({"a": nothing, "b": closing}).rows["k"].to_list())

    assert said(constant(6), constant(8), constant(GREATEST)) == []
    assert said(constant(7), constant(GREATEST - 1)) == [5, GREATEST - 2]
    assert said(between(9, GREATEST - 2)) == []
    assert said(between(None, 5)) == [GREATEST]


@pytest.mark.parametrize("kind", ["LEFT JOIN", "FULL JOIN"])
@pytest.mark.parametrize("null", ["NOT NULL", ""])
def test_a_row_whose_pair_has_no_value_does_not_come_out_alone(kind: str, null: str) -> None:
    defined = streams("", null)
    sql = f"SELECT a.k, b.k AS l FROM a {kind} b ON a.g = b.g AND b.k BETWEEN a.k + 1 AND a.k + 3"
    engine, schema = Simulation(parse_query(sql, defined), 1), defined["a"].schema
    nothing, ended = ColumnarSlice(frame(schema, [])), ColumnarSlice(frame(schema, []), (end_of_stream(schema),))
    fed = [{"a": ColumnarSlice(frame(schema, [(1, GREATEST - 2)])), "b": nothing}]
    fed += [{"a": nothing, "b": ColumnarSlice(frame(schema, [(1, GREATEST - 1)]))}, {"a": ended, "b": ended}]
    rows, records = list[int](), list[str]()
    for each in fed:
        rows += engine.feed(each).rows["k"].to_list()
        records += [record.reason for record in engine.records]
    assert rows == [] and len(records) == 1 and "has no value" in records[0]


@long
def test_a_wide_band_costs_no_more_than_a_narrow_one() -> None:
    """A million values are closed by neighbours that became one range; the last one lets the row go."""
    defined, million = streams(""), 1_000_000
    sql = f"SELECT a.k, b.k AS l FROM a JOIN b ON b.k BETWEEN a.k AND a.k + {million}"
    engine, schema = Simulation(parse_query(sql, defined), 1), defined["a"].schema
    nothing, closed = ColumnarSlice(frame(schema, [])), pl.Series("k", range(1, million + 1)).shuffle(3)
    engine.feed({"a": ColumnarSlice(frame(schema, [(1, 0), (2, 1), (2, 2)])), "b": nothing})
    for part in (closed[:400_000], closed[400_000:]):
        engine.feed({"a": nothing, "b": ColumnarSlice(frame(schema, []), (), {"k": part})})
        assert engine.kept() == 3
    engine.feed({"a": nothing, "b": ColumnarSlice(frame(schema, []), (Punctuation.of(schema, k=0),))})
    assert engine.kept() == 2
