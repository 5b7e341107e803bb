"""A join condition has the verdict of its plain form, however it is spelled, or it is said not to be decided.

A condition is tried where it may stand: in ON, in WHERE, over a subquery, and in a subquery of EXISTS.
"""

import pytest

from punctum.analyse.safety.register import QueryAnalysis, registered
from punctum.parse import parse_query, parse_script

COLUMNS = "k BIGINT, j BIGINT, d DATE, ts TIMESTAMP, tn TIMESTAMP_NTZ, x DOUBLE, e DECIMAL(10,2)"
PLACES = {
    "on": "SELECT a.k FROM a JOIN b ON {}",
    "where": "SELECT a.k FROM a, b WHERE {}",
    "subquery": "SELECT k FROM (SELECT a.k FROM a CROSS JOIN (SELECT * FROM b WHERE j > 0) b WHERE {}) s",
    "exists": "SELECT a.k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE {})",
    "left": "SELECT a.k FROM a LEFT JOIN b ON {}",
}
SAME = {
    ("ts ASC", "b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR"): [
        "a.ts + INTERVAL 1 HOUR >= b.ts AND a.ts <= b.ts",
        "b.ts - INTERVAL '1' HOUR <= a.ts AND NOT (b.ts < a.ts)",
        "NOT (b.ts < a.ts OR b.ts > a.ts + INTERVAL 60 MINUTES)",
        "b.ts - a.ts BETWEEN INTERVAL 0 HOUR AND INTERVAL 1 HOUR",
        "a.ts - b.ts >= INTERVAL '-1' HOUR AND a.ts <= b.ts",
        "b.ts <= a.ts + INTERVAL 30 MINUTES + INTERVAL 30 MINUTES AND b.ts >= a.ts",
        "b.ts <= a.ts + INTERVAL '1 hour' AND b.ts >= a.ts",
        "CASE WHEN b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR THEN 1 ELSE 0 END = 1",
        "IF(b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR, 'in', 'out') <> 'out'",
        "(b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR) IS TRUE",
        "b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR OR 0 = 1",
        "unix_timestamp(b.ts) - unix_timestamp(a.ts) BETWEEN 0 AND 3600",
        "unix_timestamp(b.ts) <= unix_timestamp(a.ts) + 60 * 60 AND b.ts >= a.ts",
        "ABS(unix_millis(a.ts) - unix_millis(b.ts)) <= 3600000.0",
        "CAST(b.ts AS BIGINT) - CAST(a.ts AS BIGINT) BETWEEN 0 AND 3600",
        "TIMESTAMPDIFF(SECOND, a.ts, b.ts) BETWEEN 0 AND 3600",
        "ABS(TIMESTAMPDIFF(MINUTE, a.ts, b.ts)) <= 60",
        "TIMESTAMPDIFF(HOUR, a.ts, b.ts) = 0",
        "datediff(b.ts, a.ts) BETWEEN 0 AND 3",
        "CAST(a.ts AS DATE) = CAST(b.ts AS DATE)",
        "to_date(a.ts) = to_date(b.ts)",
        "date_trunc('hour', a.ts) = date_trunc('hour', b.ts)",
        "b.ts >= date_trunc('hour', a.ts) AND b.ts < date_trunc('hour', a.ts) + INTERVAL 1 HOUR",
        "window(a.ts, '1 hour').start = window(b.ts, '1 hour').start",
        "unix_timestamp(a.ts) DIV 3600 = unix_timestamp(b.ts) DIV 3600",
        "b.ts IN (a.ts, a.ts + INTERVAL 1 HOUR)",
        "CAST(b.ts AS TIMESTAMP_NTZ) <= CAST(a.ts AS TIMESTAMP_NTZ) + INTERVAL 1 HOUR AND b.ts >= a.ts",
    ],
    ("tn ASC", "b.tn BETWEEN a.tn AND a.tn + INTERVAL 1 HOUR"): [
        "TIMESTAMPDIFF(SECOND, a.tn, b.tn) <= 3600 AND b.tn >= a.tn",
        "b.tn - a.tn < INTERVAL 1 HOUR AND a.tn <= b.tn",
        "datediff(b.tn, a.tn) = 0",
    ],
    ("d", "b.d BETWEEN a.d AND a.d + INTERVAL 3 DAYS"): [
        "datediff(b.d, a.d) BETWEEN 0 AND 3",
        "ABS(datediff(a.d, b.d)) <= 3",
        "b.d BETWEEN a.d AND date_add(a.d, 3)",
        "date_sub(b.d, 3) <= a.d AND b.d >= a.d",
        "b.d - a.d <= INTERVAL 3 DAY AND b.d >= a.d",
        "b.d - a.d BETWEEN INTERVAL '0' DAY AND INTERVAL '72' HOUR",
        "a.d - b.d > INTERVAL '-4' DAY AND NOT a.d - b.d > INTERVAL 0 HOURS",
        "b.d - a.d IN (INTERVAL 1 DAY, INTERVAL 3 DAYS)",
        "b.d - date_add(a.d, 1) < INTERVAL '50' HOUR AND b.d >= a.d",
        "TIMESTAMPDIFF(DAY, a.d, b.d) BETWEEN 0 AND 3",
        "CAST(b.d AS TIMESTAMP) BETWEEN CAST(a.d AS TIMESTAMP) AND CAST(a.d AS TIMESTAMP) + INTERVAL 3 DAYS",
        "b.d <= add_months(a.d, 1) AND b.d >= a.d",
    ],
    ("d ASC", "datediff(b.d, a.d) = 1"): [
        "b.d - a.d = INTERVAL 1 DAY",
        "b.d = date_add(a.d, 1)",
        "trunc(a.d, 'MM') = trunc(b.d, 'MM')",
        "year(a.d) = year(b.d)",
    ],
    ("k", "b.k BETWEEN a.k AND a.k + 5"): [
        "b.k - a.k BETWEEN 0 AND 5",
        "a.k BETWEEN b.k - 5 AND b.k",
        "b.k > a.k - 1 AND b.k < a.k + 6",
        "5 - b.k + a.k >= 0 AND b.k - a.k >= 0",
        "b.k - a.k IN (0, 3, 5)",
        "ABS(b.k - a.k) < 5.5",
        "b.k - a.k <= 5.0 AND a.k - b.k < 1e0",
        "NOT ((b.k BETWEEN a.k AND a.k + 5) = FALSE)",
        "(b.k BETWEEN a.k AND a.k + 5) <> FALSE",
        "b.k NOT IN (a.k, a.k + 5) IS FALSE",
    ],
    ("k", "a.k = b.k"): [
        "b.k - a.k = 0",
        "a.k - 1 = b.k - 1",
        "a.k >= b.k AND NOT a.k > b.k",
        "(a.k = b.k) IS NOT NULL AND (a.k = b.k) <> FALSE",
        "TRUE = (a.k = b.k)",
        "-a.k = -b.k",
        "a.k - b.k = 0.0",
    ],
    ("e ASC", "b.e BETWEEN a.e AND a.e + 5"): [
        "b.e - a.e BETWEEN 0 AND 5",
        "ABS(a.e - b.e) <= 0.5",
        "floor(a.e) = floor(b.e)",
    ],
    ("x ASC", "b.x BETWEEN a.x AND a.x + 5"): ["b.x - 5 <= a.x AND b.x >= a.x", "floor(a.x) = floor(b.x)"],
}
"""For each scheme and condition that is admitted with it, others that are."""
UNDECIDED = [
    ("k", "CAST(a.k AS STRING) = CAST(b.k AS STRING)"),
    ("k", "a.k DIV 10 = b.k DIV 10"),
    ("k", "2 * (b.k - a.k) BETWEEN 0 AND 10"),
    ("k", "greatest(a.k, b.k) - least(a.k, b.k) <= 5"),
    ("k", "b.k >= a.k AND b.k <= 5 + a.k * 1"),
    ("k", "b.k >= a.k AND -b.k >= -a.k - 5"),
    ("k", "b.k <= a.k + 5e0 AND b.k >= a.k"),
    ("k ASC", "(b.k - a.k) DIV 5 = 0"),
    ("ts ASC", "TIMESTAMPDIFF(MONTH, a.ts, b.ts) = 0"),
    ("ts ASC", "date_format(a.ts, 'yyyy-MM-dd') = date_format(b.ts, 'yyyy-MM-dd')"),
    ("ts ASC", "CASE WHEN b.ts < a.ts THEN FALSE ELSE b.ts <= a.ts + INTERVAL 1 HOUR END"),
    ("ts", "b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR"),
    ("ts", "unix_timestamp(a.ts) = unix_timestamp(b.ts)"),
    ("e", "a.e - b.e BETWEEN 0 AND 0.5"),
    ("e", "round(a.e, 1) = round(b.e, 1)"),
    ("d", "trunc(a.d, 'MM') = trunc(b.d, 'MM')"),
    ("d", "months_between(a.d, b.d) BETWEEN 0 AND 1"),
    ("x ASC", "b.x - a.x BETWEEN 0 AND 5"),
]
"""Conditions whose refusal may be too strict: it says so."""
REFUSED = [
    ("ts ASC", "b.ts <= a.ts + INTERVAL 1 HOUR"),
    ("ts ASC", "CAST(a.ts AS DATE) = b.d"),
    ("ts ASC", "b.ts >= a.ts AND b.d <= a.d"),
    ("k", "b.k >= a.k"),
    ("k", "b.j - a.j = 0"),
    ("x", "b.x BETWEEN a.x AND a.x + 5"),
    ("x", "floor(a.x) = floor(b.x)"),
]
"""Conditions under which rows do stay for ever."""


def checked(place: str, scheme: str, condition: str) -> QueryAnalysis:
    ddl = (f"CREATE STREAM {name} ({COLUMNS}, PUNCTUATED ON ({scheme})) USING json;" for name in "ab")
    return registered(parse_query(PLACES[place].format(condition), parse_script("".join(ddl)).streams))


def undecided(query: QueryAnalysis) -> bool:
    return any(state.undecided for state in query.unbounded)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("scheme", "plain"), SAME)
def test_a_spelling_has_the_verdict_of_the_plain_form(scheme: str, plain: str, place: str) -> None:
    refused = [c for c in [plain, *SAME[scheme, plain]] if not checked(place, scheme, c).admitted]
    assert refused == []


@pytest.mark.parametrize("place", PLACES)
def test_what_is_not_decided_is_not_called_endless(place: str) -> None:
    for scheme, condition in UNDECIDED:
        query = checked(place, scheme, condition)
        assert (query.admitted, undecided(query)) == (False, True), condition


@pytest.mark.parametrize("place", PLACES)
def test_what_is_endless_is_called_so(place: str) -> None:
    for scheme, condition in REFUSED:
        query = checked(place, scheme, condition)
        assert (query.admitted, undecided(query)) == (False, False), condition
