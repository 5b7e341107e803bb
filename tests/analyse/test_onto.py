"""Columns that do not have every value: punctuations on them close rows of their own stream, not those of others."""

import pytest

from punctum.analyse.safety.register import registered
from punctum.ir.relations import Projection
from punctum.ir.shape import onto
from punctum.parse import parse_query, parse_script

STREAMS = parse_script(
    "CREATE STREAM a (k BIGINT, PUNCTUATED ON (k)) USING json;"
    "CREATE STREAM b (k BIGINT, PUNCTUATED ON (k)) USING json;"
    "CREATE STREAM s (t STRING, PUNCTUATED ON (t)) USING json;"
).streams


@pytest.mark.parametrize(
    ("sql", "admitted"),
    [
        ("SELECT k * 2 AS d, COUNT(*) AS n FROM a GROUP BY k * 2", True),
        ("SELECT DISTINCT CAST(k AS STRING) AS t FROM a", True),
        ("SELECT a.k FROM a JOIN (SELECT 5 - k AS k FROM b) c ON a.k = c.k", True),
        ("SELECT k FROM a UNION SELECT k + 1 AS k FROM b", True),
        ("SELECT a.k FROM a JOIN (SELECT k * 2 AS k FROM b) c ON a.k = c.k", False),
        ("SELECT k FROM a EXCEPT SELECT k * 4 AS k FROM b", False),
        ("SELECT t FROM s UNION SELECT CAST(k AS STRING) AS t FROM b", False),
        ("SELECT k, COUNT(*) AS n FROM (SELECT k FROM a UNION ALL SELECT k * 2 AS k FROM b) u GROUP BY k", False),
    ],
)
def test_an_odd_number_is_never_closed_by_doubles(sql: str, admitted: bool) -> None:
    assert registered(parse_query(sql, STREAMS)).admitted is admitted


@pytest.mark.parametrize("operation", ["k * j", "k + j", "k - k", "k * k", "2 * (k * j)"])
def test_a_value_of_two_columns_is_not_every_value(operation: str) -> None:
    streams = parse_script("CREATE STREAM c (k BIGINT, j BIGINT, PUNCTUATED ON (k)) USING json;").streams
    relation = parse_query(f"SELECT {operation} AS n FROM c", streams)
    assert isinstance(relation, Projection)
    _, column = relation.columns[0]
    assert not onto(column)
    assert registered(parse_query(f"SELECT k, SUM({operation}) AS n FROM c GROUP BY k", streams)).admitted


def test_a_constant_is_not_every_value() -> None:
    """A difference of literals, which is computed when it runs."""
    sql = "SELECT k, TIMESTAMP '2026-05-01 10:00:00' - INTERVAL '1' HOUR AS t FROM a"
    relation = parse_query(sql, STREAMS)
    assert isinstance(relation, Projection)
    _, (_, column) = relation.columns
    assert not onto(column)
