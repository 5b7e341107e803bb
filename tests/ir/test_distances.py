"""Comparisons with a constant say the same as the comparisons of differences that they become."""

from datetime import date, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra import Schema
from punctum.analyse.conditions import known
from punctum.ir import Projection, StreamDef, evaluate
from punctum.ir.conjuncts import normalised
from punctum.ir.differences import Closure, compared
from punctum.ir.expressions import Column, Expression, rebased, text
from punctum.ir.flatten import LeafColumn
from punctum.parse import parse_query

SCHEMA = Schema.of(
    j="BIGINT", k="BIGINT", c="DATE", d="DATE", s="TIMESTAMP_NTZ", t="TIMESTAMP_NTZ", x="DOUBLE", y="DOUBLE"
)
TABLE = {"t": StreamDef("t", SCHEMA)}
OPS = ("<", "<=", ">", ">=", "=")
GREATEST = 2**63 - 1
NUMBERS = (None, -GREATEST - 1, -(2**53) - 1, 2**53, -3, -2, -1, 0, 1, 2, 3, 2**53 + 1, GREATEST)
DAYS = [date(2026, 2, 27) + timedelta(days=n) for n in range(5)]
TIMES = [datetime(2026, 5, 1, 12) + timedelta(seconds=n) for n in (0, 1, 59, 60, 61, 3_600, 86_400, 700_000)]
TIMES += [datetime(2026, 5, 1, 12, 0, 0, 1)]


def condition(sql: str) -> Expression:
    relation = parse_query(f"SELECT {sql} AS holds FROM t", TABLE)
    assert isinstance(relation, Projection)
    return relation.columns[0][1]


def same(sql: str, rows: list[tuple[Any, ...]]) -> list[str]:
    """What a condition becomes, which is true for the same rows."""
    before = condition(sql)
    after = normalised([before])
    for row in rows:
        assert all(evaluate(part, row) is True for part in after) == (evaluate(before, row) is True), (sql, row)
    return [text(part) for part in after]


def of_two(sql: str) -> Expression:
    """A condition in which ``c`` is of one leaf, and ``d`` of another one."""
    return rebased(condition(sql), lambda c: LeafColumn(c.index, c.name, c.attribute, leaf=int(c.name == "d")))


def row(**values: Any) -> tuple[Any, ...]:
    return tuple(values.get(name) for name in SCHEMA.names)


@pytest.mark.parametrize(
    "limit",
    ["2.5", "-2.5", "2.0", "1e0", "-0.5e0", "9007199254740991e0", "9007199254740992e0", "99999999999999999999.5"],
)
@pytest.mark.parametrize("op", OPS)
def test_a_whole_number_beside_a_fraction(op: str, limit: str) -> None:
    rows = [row(k=number, j=0) for number in NUMBERS]
    same(f"k {op} {limit}", rows)
    same(f"{limit} {op} k", rows)
    if "e" not in limit:
        same(f"CAST(k AS DECIMAL(5,1)) {op} {limit}", rows)


@pytest.mark.parametrize("unit", ["DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND", "WEEK", "MONTH"])
@pytest.mark.parametrize("op", OPS)
def test_whole_units(op: str, unit: str) -> None:
    rows = [row(s=one, t=other) for one, other in product([*TIMES, None], repeat=2)]
    for units in (-2, -1, 0, 1, 2, 10**18):
        same(f"TIMESTAMPDIFF({unit}, s, t) {op} {units}", rows)
    days = [row(c=one, d=other) for one, other in product(DAYS, repeat=2)]
    same(f"ABS(TIMESTAMPDIFF({unit}, c, d)) {op} 1", days)


def test_what_they_become() -> None:
    assert same("k - j < 5.5", []) == ["((k - j) < 6)"]
    assert same("TIMESTAMPDIFF(HOUR, s, t) = 0", []) == [
        "((t - s) < INTERVAL '1' HOUR)",
        "((t - s) > INTERVAL '-1' HOUR)",
    ]
    assert same("TIMESTAMPDIFF(MONTH, s, t) = 0", []) == ["(whole units('MONTH', s, t) = 0)"]
    assert same("IF(k < j, 1, 0) = 1 AND (CASE WHEN j > 1 THEN 'a' END) <> 'b'", []) == ["(k < j)", "(j > 1)"]
    assert same("k < j OR 1 = 0 OR FALSE OR NULL", []) == ["(k < j)"]


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("hours", [-48, -25, -24, -1, 0, 1, 24, 30, 72])
@pytest.mark.parametrize("moved", ["d", "date_add(d, 1)"])
def test_days_that_are_subtracted(op: str, hours: int, moved: str) -> None:
    whole = of_two(f"{moved} - c {op} INTERVAL '{hours}' HOUR")
    found = compared(whole)
    assert found is not None
    more, less, most, equal = found
    assert more is not None and less is not None
    for one, other in product(DAYS, repeat=2):
        values = row(c=one, d=other)
        apart = _steps(evaluate(more, values)) - _steps(evaluate(less, values))
        holds = apart == most.offset if equal else apart < most.offset if most.strict else apart <= most.offset
        assert holds is evaluate(whole, values), (found, values)


def _steps(value: Any) -> int:
    """The number of a day, or of a microsecond."""
    if isinstance(value, datetime):
        return (value - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    return int(value.toordinal())


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)), st.integers(-30, 30))
def test_months_are_so_many_days(day: date, months: int) -> None:
    relation = parse_query(f"SELECT d, add_months(d, {months}) AS m FROM t", TABLE)
    assert isinstance(relation, Projection)
    closure = Closure(*known(relation))
    least, most = closure.least(1, 0), closure.most(1, 0)
    assert least is not None and most is not None
    moved = evaluate(relation.columns[1][1], row(d=day))
    assert isinstance(moved, date)
    assert least.offset <= (moved - day).days <= most.offset


def test_an_equality_of_days_and_hours_is_none() -> None:
    """No two days are 25 hours apart: the columns stay what they are."""
    found = compared(of_two("d - c = INTERVAL '25' HOUR"))
    assert found is not None and not isinstance(found.more, Column)
