"""Units of a column: all values around one for which an expression has the same value, and none beyond them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra import Schema
from punctum.algebra.cuts import HIGHEST, LOWEST, value_after, value_before
from punctum.algebra.pattern import EMPTY
from punctum.ir import Projection, StreamDef, evaluate
from punctum.ir.expressions import Expression
from punctum.ir.units import is_unit, unit
from punctum.parse import parse_query

SCHEMA = Schema.of(t="TIMESTAMP", v="TIMESTAMP_NTZ", d="DATE", n="BIGINT", x="DOUBLE", s="STRING")
TIMES = st.datetimes(datetime(1970, 1, 1), datetime(2060, 1, 1))
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "t": TIMES.map(lambda time: time.replace(tzinfo=UTC)),
    "v": TIMES,
    "d": st.dates(),
    "n": st.integers(-(2**63), 2**63 - 1) | st.integers(-50, 50),
}
UNITS = [
    *(f"DATE_TRUNC('{part}', {name})" for part in ("year", "week", "day", "hour", "millisecond") for name in "tv"),
    "CAST(t AS DATE)", "CAST(v AS DATE)", "YEAR(t)", "YEAR(d)", "n DIV 10", "n DIV 1",
]  # fmt: skip
A_DAY_CAME_TWICE = datetime(2010, 11, 7, 2, 31, tzinfo=UTC)
"""When clocks in St. John's last went back over midnight, from 0:01; the order of days holds from then on."""
NONE = [
    "HOUR(t)",
    "-n",
    "n DIV -3",
    "n % 5",
    "n * 2",
    "FLOOR(x)",
    "UPPER(s)",
    "n DIV n",
    "CAST(t AS STRING)",
    "7 DIV n",
]


def bound(sql: str, zone: str = "") -> Expression:
    query = parse_query(f"SELECT {sql} AS e FROM r", {"r": StreamDef("r", SCHEMA)}, *([zone] if zone else []))
    assert isinstance(query, Projection)
    return query.columns[0][1]


@pytest.mark.parametrize("zone", ["", "Europe/Berlin", "America/St_Johns", "Asia/Kolkata"])
@given(data=st.data(), sql=st.sampled_from(UNITS))
def test_a_unit_is_all_that_has_one_value(zone: str, data: st.DataObject, sql: str) -> None:
    expression = bound(sql, zone)
    name = next(each for each in VALUES if f"{each})" in sql or sql.startswith(f"{each} ") or f"({each} " in sql)
    at, value = SCHEMA.index(name), data.draw(VALUES[name])
    if not is_unit(expression):
        assert zone, "clocks that go back"
        return

    def of(each: Any) -> Any:
        return evaluate(expression, tuple(each if i == at else None for i in range(len(SCHEMA))))

    pattern, kind = unit(expression, value), SCHEMA.attributes[at].type
    if pattern is EMPTY:
        assert (zone, at) == ("America/St_Johns", 0)
        assert value < A_DAY_CAME_TWICE
        return
    assert pattern.match(value)
    ((low, high),) = pattern.spans
    if low is not LOWEST:
        assert of(value_after(low, kind)) == of(value) != of(value_before(low, kind))
    if high is not HIGHEST:
        assert of(value_before(high, kind)) == of(value) != of(value_after(high, kind))


@pytest.mark.parametrize("sql", NONE)
def test_what_has_no_units(sql: str) -> None:
    assert not is_unit(bound(sql))


def test_an_hour_is_an_hour() -> None:
    start = datetime(2026, 10, 25, 1, tzinfo=UTC)
    pattern = unit(bound("DATE_TRUNC('hour', t)", "Europe/Berlin"), start + timedelta(minutes=5))
    assert str(pattern) == "[2026-10-25T01:00:00Z,2026-10-25T02:00:00Z)"
    day = unit(bound("CAST(t AS DATE)"), start)
    assert str(day) == "[2026-10-25T00:00:00Z,2026-10-26T00:00:00Z)"
