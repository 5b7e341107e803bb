"""Compiled expressions give the values that ``evaluate`` gives, or an error where it gives one."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra import Schema
from punctum.errors import PunctumError
from punctum.operators.columns import frame, to_rows
from punctum.operators.expressions import compiled
from punctum.parse import StreamDef, evaluate, parse_query
from punctum.parse.relations import Projection
from strategies import rows

SCHEMA = Schema.of(n="BIGINT", m="BIGINT", x="DOUBLE", y="DOUBLE", s="STRING", b="BOOLEAN", d="DATE", t="TIMESTAMP")
CATALOG = {"r": StreamDef("r", SCHEMA)}
EXPRESSIONS = [
    "n + m",
    "n - 3",
    "n * m",
    "-n",
    "n / m",
    "n % m",
    "n DIV m",
    "x + y",
    "x * 2",
    "x / y",
    "-x",
    "ABS(n)",
    "ABS(x)",
    "n = m",
    "x < y",
    "x = y",
    "s >= 'a'",
    "n <=> m",
    "x <=> y",
    "n IN (1, 2, 3)",
    "n NOT IN (1, 2)",
    "s IS NULL",
    "n BETWEEN 0 AND 2",
    "b AND n > 1",
    "b OR n > 1",
    "NOT b",
    "CASE WHEN n > 1 THEN 'big' WHEN n < 0 THEN s ELSE NULL END",
    "IF(b, n, m)",
    "COALESCE(n, m, 7)",
    "NULLIF(n, m)",
    "CAST(n AS DOUBLE)",
    "CAST(n AS STRING)",
    "CAST(x AS BIGINT)",
    "CAST(x AS STRING)",
    "CAST(s AS BIGINT)",
    "CAST(b AS BIGINT)",
    "CAST(t AS DATE)",
    "CAST(d AS TIMESTAMP)",
    "LOWER(s)",
    "UPPER(s)",
    "LENGTH(s)",
    "TRIM(s)",
    "SUBSTRING(s, 1, 1)",
    "CONCAT(s, 'x')",
    "s || s",
    "s LIKE 'a%'",
    "ROUND(x, 1)",
    "FLOOR(x)",
    "CEIL(x)",
    "YEAR(d)",
    "MONTH(t)",
    "HOUR(t)",
    "DATE_TRUNC('HOUR', t)",
    "DATE_TRUNC('WEEK', t)",
    "t + INTERVAL '10' SECOND",
    "CAST(n AS DECIMAL(10, 2)) / 3",
    "t < TIMESTAMP '2026-03-29 12:00:00'",
    "d = DATE '2026-02-28'",
    "n + m > 3 AND s <> 'b'",
]


@pytest.mark.parametrize("sql", EXPRESSIONS)
@given(found=st.lists(rows(SCHEMA), max_size=6))
def test_compiled_is_evaluated(sql: str, found: list[Any]) -> None:
    query = parse_query(f"SELECT {sql} AS v, n AS other FROM r", CATALOG)
    assert isinstance(query, Projection)
    expression = query.columns[0][1]
    try:
        wanted = [evaluate(expression, row) for row in found]
    except PunctumError:
        with pytest.raises((pl.exceptions.PolarsError, PunctumError)):
            frame(SCHEMA, found).select(compiled(expression, SCHEMA).alias("v"))
        return
    given_ = frame(SCHEMA, found).select(compiled(expression, SCHEMA).alias("v"))
    assert to_rows(given_) == [(value,) for value in wanted]
