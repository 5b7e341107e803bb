"""The shapes of computed columns hold for all pairs of values, the extreme ones among them."""

import math
from datetime import UTC, datetime
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra import NAN, Attribute, Schema, Type, Value, between
from punctum.algebra.cuts import above, below
from punctum.algebra.trends import Trend
from punctum.errors import ComputationError
from punctum.ir import Projection, StreamDef, evaluate, shape
from punctum.parse import parse_query

SCHEMA = Schema.of(a="BIGINT", x="DOUBLE", s="STRING", f="BOOLEAN", d="DATE", t="TIMESTAMP", v="TIMESTAMP_NTZ").where()
SCHEMA = Schema(
    (
        *SCHEMA.attributes,
        Attribute("n", Type.DECIMAL, digits=(10, 2)),
        Attribute("hour", Type.BIGINT, between(0, 23)),
    )
)
TABLE = {"t": StreamDef("t", SCHEMA)}
UP, DOWN, NEITHER = Trend.INCREASING, Trend.DECREASING, Trend.NEITHER

SHAPES: dict[str, tuple[str | None, bool, Trend]] = {
    "a": ("a", True, UP),
    "a + 5": ("a", True, UP),
    "5 + a": ("a", True, UP),
    "a - 5": ("a", True, UP),
    "5 - a": ("a", True, DOWN),
    "- a": ("a", True, DOWN),
    "a * 3": ("a", True, UP),
    "a * -3": ("a", True, DOWN),
    "a * 0": (None, False, NEITHER),
    "a DIV 10": ("a", False, UP),
    "a DIV -10": ("a", False, DOWN),
    "10 DIV a": (None, False, NEITHER),
    "a / 2": ("a", False, UP),
    "a % 2": (None, False, NEITHER),
    "a + a": (None, False, NEITHER),
    "- (a + 5)": ("a", True, DOWN),
    "5 - (5 - a)": ("a", True, UP),
    "(a DIV 10) * -2": ("a", False, DOWN),
    "x + 1": ("x", False, UP),
    "x * 2": ("x", False, UP),
    "x * -2": (None, False, NEITHER),
    "1 - x": (None, False, NEITHER),
    "- x": ("x", True, NEITHER),
    "FLOOR(x)": ("x", False, UP),
    "CEIL(x)": ("x", False, UP),
    "ROUND(x, 2)": ("x", False, UP),
    "ABS(a)": (None, False, NEITHER),
    "n + 1.5": ("n", True, UP),
    "n * 2.5": ("n", True, UP),
    "2 - n": ("n", True, DOWN),
    "CAST(n AS DECIMAL(12, 2))": ("n", True, UP),
    "CAST(n AS DECIMAL(12, 1))": ("n", False, UP),
    "CAST(n AS DECIMAL(9, 2))": (None, False, NEITHER),
    "CAST(a AS DOUBLE)": ("a", False, UP),
    "CAST(hour AS DOUBLE)": ("hour", True, UP),
    "CAST(a AS STRING)": ("a", True, NEITHER),
    "CAST(s AS BIGINT)": (None, False, NEITHER),
    "CAST(t AS DATE)": ("t", False, UP),
    "CAST(d AS TIMESTAMP)": ("d", True, UP),
    "CAST(f AS BIGINT)": ("f", True, UP),
    "NOT f": ("f", True, DOWN),
    "DATE_TRUNC('HOUR', t)": ("t", False, UP),
    "window(t, '7 seconds').start": ("t", False, UP),
    "window(v, '3 hours', '3 hours', '5 minutes').end": ("v", False, UP),
    "DATE_TRUNC('HOUR', v) + INTERVAL '1' HOUR": ("v", False, UP),
    "t + INTERVAL '10' SECOND": ("t", True, UP),
    "YEAR(d)": ("d", False, UP),
    "HOUR(t)": (None, False, NEITHER),
    "'x' || s": ("s", True, UP),
    "s || 'x'": ("s", True, NEITHER),
    "LOWER(s)": (None, False, NEITHER),
    "LEFT(s, 2)": ("s", False, UP),
    "SUBSTRING(s, 1, 2)": ("s", False, UP),
    "SUBSTRING(s, 2)": (None, False, NEITHER),
    "SUBSTRING('abc', a)": (None, False, NEITHER),
    "REVERSE(s)": ("s", True, NEITHER),
    "HEX(s)": ("s", True, NEITHER),
    "HEX(a)": ("a", True, NEITHER),
    "BASE64(s)": ("s", True, NEITHER),
    "~a": ("a", True, DOWN),
    "a >> 3": ("a", False, UP),
    "SIGN(x)": ("x", False, UP),
    "RINT(x)": ("x", False, UP),
    "SQRT(x)": (None, False, NEITHER),
    "EXP(x)": (None, False, NEITHER),
    "BROUND(x, 1)": ("x", False, UP),
    "DATE_ADD(d, 3)": ("d", True, UP),
    "DATEDIFF(d, '2026-11-18')": ("d", True, UP),
    "DATEDIFF('2026-11-18', d)": ("d", True, DOWN),
    "ADD_MONTHS(d, 1)": ("d", False, UP),
    "LAST_DAY(d)": ("d", False, UP),
    "NEXT_DAY(d, 'MON')": ("d", False, UP),
    "TRUNC(d, 'MONTH')": ("d", False, UP),
    "UNIX_DATE(d)": ("d", True, UP),
    "UNIX_SECONDS(t)": ("t", False, UP),
    "UNIX_MICROS(t)": ("t", True, UP),
    "UNIX_TIMESTAMP(t)": ("t", False, UP),
    "TIMESTAMP_SECONDS(a)": ("a", True, UP),
    "GREATEST(a, 3)": (None, False, NEITHER),
    "NVL(a, 0)": (None, False, NEITHER),
    "COALESCE(a, 0)": (None, False, NEITHER),
    "NULLIF(a, 0)": (None, False, NEITHER),
    "a + NULL": (None, False, NEITHER),
}
VALUES: dict[Type, st.SearchStrategy[Any]] = {
    Type.BIGINT: st.integers(-(2**63), 2**63 - 1) | st.integers(-50, 50),
    Type.DOUBLE: st.floats().map(lambda x: NAN if math.isnan(x) else x + 0.0),
    Type.STRING: st.text(st.sampled_from("abx1")),
    Type.BOOLEAN: st.booleans(),
    Type.DATE: st.dates(),
    Type.TIMESTAMP: st.datetimes().map(lambda t: t.replace(tzinfo=UTC))
    | st.datetimes(datetime(2026, 11, 15), datetime(2026, 11, 16)).map(lambda t: t.replace(tzinfo=UTC)),
    Type.TIMESTAMP_NTZ: st.datetimes(),
    Type.DECIMAL: st.decimals(Decimal("-99999999.99"), Decimal("99999999.99"), places=2),
}


def bound(sql: str) -> Any:
    query = parse_query(f"SELECT {sql} AS computed, a AS other FROM t", TABLE)
    assert isinstance(query, Projection)
    return query.columns[0][1]


@pytest.mark.parametrize("sql", SHAPES)
def test_shape(sql: str) -> None:
    source, injective, trend = shape(bound(sql))
    assert (source if source is None else SCHEMA.names[source], injective, trend) == SHAPES[sql]


@given(st.data(), st.sampled_from([sql for sql, (source, *_) in SHAPES.items() if source is not None]))
def test_shapes_hold(data: st.DataObject, sql: str) -> None:
    expression = bound(sql)
    source, injective, trend = shape(expression)
    assert source is not None
    kind = SCHEMA.attributes[source].type
    values = st.integers(0, 23) if SCHEMA.names[source] == "hour" else VALUES[kind]
    images = {value: image for value in data.draw(st.lists(values)) if (image := image_of(expression, source, value))}
    for one, other in combinations(images, 2):
        low, high = sorted((one, other), key=lambda value: (value != value, value))
        if low != high:
            first, second = images[low], images[high]
            assert not injective or not same(first, second)
            assert trend is not UP or same(first, second) or before(first, second)
            assert trend is not DOWN or same(first, second) or before(second, first)
    assert image_of(expression, source, None) is None


def image_of(expression: Any, source: int, value: Value | None) -> tuple[Value] | None:
    row: list[Value | None] = [None] * len(SCHEMA)
    row[source] = value
    try:
        image = evaluate(expression, tuple(row))
    except ComputationError:
        return None
    assert (image is None) == (value is None), "NULL for NULL and only for NULL"
    return None if image is None else (image,)


def same(one: tuple[Value], other: tuple[Value]) -> bool:
    return one == other or (one[0] != one[0] and other[0] != other[0])


def before(one: tuple[Value], other: tuple[Value]) -> bool:
    return bool(below(one[0]) < below(other[0]) or above(one[0]) < above(other[0]))
