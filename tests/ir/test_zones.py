"""Local times: compiled expressions give what they mean, and order holds where it is said to, around all changes."""

from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from lanes import LONG, also_long
from punctum.algebra import Schema, Value
from punctum.algebra.trends import Trend
from punctum.cli import cli
from punctum.errors import ComputationError, SqlError
from punctum.ir import Projection, StreamDef, evaluate, shape
from punctum.ir.expressions import text
from punctum.ir.expressions.zones import CYCLE, changes, local, zone_name
from punctum.ir.shape import image
from punctum.operators.checked import REASON, computed
from punctum.operators.columns import frame, to_rows
from punctum.operators.expressions import careful
from punctum.parse import parse_query

SCHEMA = Schema.of(t="TIMESTAMP", v="TIMESTAMP_NTZ", d="DATE", s="STRING")
TABLE = {"r": StreamDef("r", SCHEMA)}
UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")
OF_INSTANTS = [
    *(f"DATE_TRUNC('{unit}', t)" for unit in UNITS),
    *(f"{name}(t)" for name in ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")),
    "CAST(t AS DATE)",
    "CAST(t AS TIMESTAMP_NTZ)",
    "CAST(t AS STRING)",
    "t + INTERVAL '1' DAY",
    "t - INTERVAL '36' HOUR",
    "t + INTERVAL '3' HOUR",
    "DATE_TRUNC('HOUR', CAST(t AS TIMESTAMP_NTZ))",
]
OTHERS = ["CAST(v AS TIMESTAMP)", "CAST(d AS TIMESTAMP)", "CAST(s AS TIMESTAMP)"]
NEAR = ("America/St_Johns", "Australia/Lord_Howe", "+05:30")
FAR = (
    *("Europe/Berlin", "Pacific/Apia"),
    *("Pacific/Chatham", "America/Toronto", "America/Sao_Paulo", "Africa/Casablanca", "Africa/Monrovia", "Asia/Manila"),
    *("America/Havana", "Asia/Kathmandu", "Europe/Amsterdam", "America/New_York", "Europe/Lisbon", "Antarctica/Troll"),
    *("-03:30", "+14:00", "Etc/GMT+5", "Europe/Dublin", "Asia/Tehran", "America/Juneau"),
)
NOW = SCHEMA.row(datetime(2026, 11, 17, tzinfo=UTC), datetime(2026, 11, 17), date(2026, 11, 17), "2026-11-17 00:00:00")
MICRO, EPOCH = timedelta(microseconds=1), datetime(1970, 1, 1, tzinfo=UTC)


def bound(sql: str, zone: str) -> Any:
    query = parse_query(f"SELECT {sql} AS computed, t AS other FROM r", TABLE, zone)
    assert isinstance(query, Projection)
    return query.columns[0][1]


def moments(zone: str) -> list[datetime]:
    """Instants around changes of a zone's clocks, and the first and last ones that there are."""
    near = [timedelta(seconds=s) for s in (-90000, -5400, -3600, -1800, -59, 0, 1, 59, 1800, 3599, 3600, 5400, 86400)]
    known = [EPOCH + timedelta(seconds=change.at) for change in changes(zone)]
    first = known[:6] + known[6 :: 1 + len(known) // (200 if LONG else 20)] or [EPOCH]
    cycle = timedelta(days=146097)
    far = [at + n * cycle for at in known if at > CYCLE[0] for n in (1, 18)][:: 40 if LONG else 400]
    ends = [(datetime.min + timedelta(hours=h)).replace(tzinfo=UTC) for h in (0, 10, 30)]
    ends += [(datetime.max - timedelta(hours=h)).replace(tzinfo=UTC) for h in (0, 10, 30)]
    return sorted({*ends, *(at + d - m for at in first + far for d in near for m in (MICRO, 0 * MICRO))})


@cache
def rows(zone: str) -> list[tuple[Value | None, ...]]:
    times = [_shown(moment, zone) for moment in moments(zone)]
    times = [v - timedelta(minutes=20) if n % 2 and v.year > 1 else v for n, v in enumerate(times)]  # skipped ones too
    texts = [str(v) if n % 3 else f"{v} +05:30" for n, v in enumerate(times)]
    columns = (moments(zone), times, [v.date() for v in times], texts)
    return [*zip(*columns, strict=True), (None,) * 4, (EPOCH, EPOCH.replace(tzinfo=None), EPOCH.date(), "never")]


def _shown(moment: datetime, zone: str) -> datetime:
    try:
        return local(moment, zone)
    except OverflowError:
        return moment.replace(tzinfo=None)


def value_or_reason(expression: Any, row: Any) -> Any:
    try:
        return evaluate(expression, row)
    except ComputationError as error:
        return [error.reason]


@pytest.mark.parametrize("zone", also_long(*NEAR, more=FAR))
def test_compiled_expressions_give_what_they_mean(zone: str) -> None:
    for sql in (*OF_INSTANTS, *OTHERS):
        expression, given_rows = bound(sql, zone), rows(zone)
        good, bad = computed(frame(SCHEMA, given_rows), [("computed", careful(expression, SCHEMA))])
        meant = [value_or_reason(expression, row) for row in given_rows]
        assert [t[-1] for t in to_rows(good)] == [value for value in meant if not isinstance(value, list)], sql
        assert ([] if bad is None else bad[REASON].to_list()) == [v[0] for v in meant if isinstance(v, list)], sql


@pytest.mark.parametrize("zone", also_long(*NEAR, more=FAR))
def test_order_holds_where_it_is_said_to(zone: str) -> None:
    """Around every change; and a function whose order is denied breaks it somewhere."""
    for sql in (*OF_INSTANTS, *OTHERS[:2]):
        expression = bound(sql, zone)
        source, injective, trend = shape(expression)
        at = source if source is not None else SCHEMA.index("t" if sql in OF_INSTANTS else "v")
        values: list[Any] = sorted(row[at] for row in rows(zone)[:-2] if row[at] is not None)
        images = [image_of(expression, at, value) for value in values]
        if trend is Trend.INCREASING:
            assert all(a <= b for a, b in pairwise([i for i in images if i is not None])), sql
            assert image_of(expression, at, NOW[at]) is not None, sql
        elif sql in OTHERS or "TRUNC" in sql or "CAST(t AS TIMESTAMP_NTZ)" in sql:
            wide = ([v if i == at else None for i in range(len(SCHEMA))] for v in values)
            plain = [v for row in wide if not isinstance(v := value_or_reason(expression, row), list)]
            assert any(a > b for a, b in pairwise(plain)), sql
        if injective:
            known = {v: i for v, i in zip(values, images, strict=True) if i is not None}
            assert len(set(known.values())) == len(known), sql


def image_of(expression: Any, source: int, value: Value | None) -> Any:
    try:
        return image(expression, tuple(value if i == source else None for i in range(len(SCHEMA))))
    except ComputationError:
        return None


SHAPES = {
    ("Europe/Berlin", "DATE_TRUNC('HOUR', t)"): Trend.INCREASING,
    ("Europe/Berlin", "DATE_TRUNC('MINUTE', t)"): Trend.INCREASING,  # but for 1893
    ("Europe/Berlin", "CAST(t AS DATE)"): Trend.INCREASING,
    ("Europe/Berlin", "YEAR(t)"): Trend.INCREASING,
    ("Europe/Berlin", "CAST(t AS TIMESTAMP_NTZ)"): Trend.NEITHER,
    ("Europe/Berlin", "t + INTERVAL '1' DAY"): Trend.NEITHER,
    ("Europe/Berlin", "t + INTERVAL '23' HOUR"): Trend.INCREASING,
    ("Asia/Tokyo", "CAST(t AS TIMESTAMP_NTZ)"): Trend.INCREASING,  # since 1951
    ("Pacific/Chatham", "DATE_TRUNC('HOUR', t)"): Trend.NEITHER,  # its clocks go back at a quarter to
    ("Pacific/Chatham", "DATE_TRUNC('DAY', t)"): Trend.INCREASING,
    ("+02:00", "CAST(t AS TIMESTAMP_NTZ)"): Trend.INCREASING,
}


@pytest.mark.parametrize(("zone", "sql"), SHAPES)
def test_known_orders(zone: str, sql: str) -> None:
    assert shape(bound(sql, zone)).trend is SHAPES[zone, sql]


def test_an_order_that_began_has_no_images_before() -> None:
    minute = bound("DATE_TRUNC('MINUTE', t)", "Europe/Berlin")
    assert image_of(minute, 0, datetime(1893, 3, 31, 23, 10, tzinfo=UTC)) is None
    assert image_of(minute, 0, datetime(2026, 3, 31, 23, 10, 7, tzinfo=UTC)) == datetime(
        2026, 3, 31, 23, 10, tzinfo=UTC
    )


@given(st.datetimes(timezones=st.just(UTC)), st.sampled_from(UNITS))
def test_zones_that_are_utc_need_no_calls_of_their_own(moment: datetime, unit: str) -> None:
    for sql in (f"DATE_TRUNC('{unit}', t)", "HOUR(t)", "CAST(t AS STRING)"):
        assert bound(sql, "Etc/UTC") == bound(sql, "UTC")
        row = (moment, None, None, None)
        assert value_or_reason(bound(sql, "+00:00"), row) == value_or_reason(bound(sql, "UTC"), row)


def test_literals_are_local_times() -> None:
    condition = bound("t > '2026-07-01 12:00:00' AND t < CAST(DATE '2026-12-01' AS TIMESTAMP)", "Europe/Berlin")
    low, high = (part.args[1].value for part in condition.args)
    assert (low, high) == (datetime(2026, 7, 1, 10, tzinfo=UTC), datetime(2026, 11, 30, 23, tzinfo=UTC))
    exact = bound("t > '2026-07-01 12:00:00Z'", "Europe/Berlin")
    assert exact.args[1].value == datetime(2026, 7, 1, 12, tzinfo=UTC)


NAMES = {
    "HOUR(t)": "hour(t)",
    "CAST(t AS DATE)": "CAST(t AS DATE)",
    "CAST(v AS TIMESTAMP)": "CAST(v AS TIMESTAMP)",
    "DATE_TRUNC('hour', t)": "date_trunc(HOUR, t)",
    "t - INTERVAL '2' DAY": "(t - INTERVAL '2' DAY)",
}


@pytest.mark.parametrize("sql", NAMES)
def test_columns_are_named_as_in_utc(sql: str) -> None:
    assert text(bound(sql, "Europe/Berlin"), True) == text(bound(sql, "UTC"), True) == NAMES[sql]
    assert "Europe/Berlin" in text(bound(sql, "Europe/Berlin"))


def test_names_of_zones() -> None:
    names = ["Z", "GMT", "UTC+1", "+1:30", "-0330", "+18:00", "GMT-00:00", "Europe/Berlin", "+01:02:03"]
    wanted = ["UTC", "UTC", "+01:00", "+01:30", "-03:30", "+18:00", "UTC", "Europe/Berlin", "+01:02:03"]
    assert [zone_name(name) for name in names] == wanted
    for name in ("Mars/Olympus", "+19:00", "", "../etc/passwd", "Europe", "+01:60"):
        with pytest.raises(SqlError, match="there is no time zone"):
            zone_name(name)


HOURS = """
CREATE STREAM s (t TIMESTAMP, PUNCTUATED ON (t ASC)) USING json OPTIONS (path 'in');
CREATE SINK o USING json OPTIONS (path 'out');
INSERT INTO o SELECT hour, COUNT(*) AS n FROM (SELECT {} AS hour FROM s) AS local GROUP BY hour;
"""


@pytest.mark.parametrize(
    ("hour", "zone", "admitted"),
    [
        ("DATE_TRUNC('hour', t)", "Europe/Berlin", True),
        ("DATE_TRUNC('hour', t)", "Pacific/Chatham", False),
        ("DATE_TRUNC('hour', CAST(t AS TIMESTAMP_NTZ))", "Europe/Berlin", True),  # both hours are one
        ("DATE_TRUNC('minute', CAST(t AS TIMESTAMP_NTZ))", "Europe/Berlin", False),
        ("DATE_TRUNC('minute', CAST(t AS TIMESTAMP_NTZ))", "+02:00", True),
    ],
)
def test_the_register_knows_when_clocks_go_back(tmp_path: Path, hour: str, zone: str, admitted: bool) -> None:
    (tmp_path / "hours.sql").write_text(HOURS.format(hour))
    checked = CliRunner().invoke(cli, ["check", str(tmp_path / "hours.sql"), "--time-zone", zone])
    assert checked.exit_code == (0 if admitted else 1), checked.output
    explained = CliRunner().invoke(cli, ["explain", str(tmp_path / "hours.sql"), "--time-zone", zone])
    assert zone in explained.output
