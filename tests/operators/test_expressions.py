"""Compiled expressions give the values that ``evaluate`` gives, or its reason in the rows where there is none."""

from datetime import UTC, date, datetime
from math import inf, nan
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra import Schema
from punctum.algebra.values import Row
from punctum.errors import ComputationError, Place, PunctumError
from punctum.ir import StreamDef, evaluate
from punctum.ir.applied import UserFunction, apply
from punctum.ir.expressions import Column, kind
from punctum.ir.relations import Projection
from punctum.operators.checked import REASON, computed, kept
from punctum.operators.columns import frame, to_rows
from punctum.operators.expressions import careful, compiled
from punctum.parse import parse_query
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
    "window(t, '7 days').start",
    "window(t, '11 seconds', '11 seconds', '4 seconds').end",
    "t + INTERVAL '10' SECOND",
    "CAST(n AS DECIMAL(10, 2)) / 3",
    "0.908 * n",
    "CAST(n AS DECIMAL(20, 0)) - 0.5 + 1.25 * m",
    "CAST(CAST(n AS DECIMAL(20, 2)) AS DECIMAL(22, 3)) * 1.5 > m",
    "t < TIMESTAMP '2026-03-29 12:00:00'",
    "d = DATE '2026-02-28'",
    "n + m > 3 AND s <> 'b'",
]


@pytest.mark.parametrize("sql", EXPRESSIONS)
@given(drawn=st.lists(rows(SCHEMA), max_size=6))
def test_compiled_is_evaluated(sql: str, drawn: list[Any]) -> None:
    query = parse_query(f"SELECT {sql} AS v, n AS other FROM r", CATALOG)
    assert isinstance(query, Projection)
    expression = query.columns[0][1]
    try:
        wanted = [evaluate(expression, row) for row in drawn]
    except PunctumError:
        with pytest.raises((pl.exceptions.PolarsError, PunctumError)):
            frame(SCHEMA, drawn).select(compiled(expression, SCHEMA).alias("v"))
        return
    given_ = frame(SCHEMA, drawn).select(compiled(expression, SCHEMA).alias("v"))
    assert to_rows(given_) == [(value,) for value in wanted]


POISONED = [
    *EXPRESSIONS,
    "n * 4",
    "n * m - n",
    "ABS(n) + ABS(m)",
    "CAST(n AS DECIMAL(19, 0)) * CAST(m AS DECIMAL(19, 0)) * 10",
    "CAST(n AS DECIMAL(38, 0)) * 10 * 10 * 10 * 10 * 10 * 10",
    "ROUND(n, -19)",
    "t - INTERVAL '10' DAY",
    "INTERVAL '10' DAY + t",
    "t + INTERVAL '99999999' DAY",
    "d + INTERVAL '10' DAY",
    "d - INTERVAL '99999999' DAY",
    "CASE WHEN n < 9 THEN n * 4 ELSE m END",
    "CASE WHEN n * 4 > 9 THEN 1 WHEN b THEN m * 4 ELSE 0 END",
    "IF(b, n * 4, m * 4)",
    "COALESCE(m, n * 4, n - 3)",
    "NULLIF(n * 4, m)",
    "n * 4 IS NULL",
    "n * 4 <=> m * 4",
    "n * 4 IN (12, 3)",
    "b AND n * 4 > 1",
    "n < 9 AND n * 4 > 1 AND m * 4 > 1",
    "b OR n * 4 > 1",
    "NOT (n * 4 > 1)",
    "CONCAT(CAST(n * 4 AS STRING), s)",
    "s LIKE 'a%' AND n * 4 > 1",
    "FLOOR(x) + n",
    "b AND n * 4 IS NOT NULL",
    "b OR n * 4 IS NULL",
    "COALESCE(n * 4 IS NULL, b)",
    "b AND COALESCE(n * 4, m) = 3",
    "b AND NOT (n * 4 <=> m)",
    "b OR n * 4 NOT IN (12, 3)",
    "b AND IF(n * 4 > 1, b, FALSE)",
    "b OR NULLIF(m, n * 4) = m",
    "COALESCE(CASE WHEN n * 4 > 1 THEN m ELSE 3 END, 7)",
    "9223372036854775807 + 1",
    "b AND 9223372036854775807 + 1 > 3",
]
HARD: dict[str, list[Any]] = {
    "n": [2**63 - 1, -(2**63), 2**62, 3, -1, 0, None],
    "m": [2**63 - 1, -(2**63), -1, 7, 0, None],
    "x": [1e300, nan, inf, -inf, 2.5, 9.3e18, None],
    "y": [0.0, 1e300, None],
    "s": ["a", "", None],
    "b": [True, False, None],
    "d": [date.min, date.max, date(2026, 11, 16), None],
    "t": [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC), datetime(2026, 11, 16, tzinfo=UTC), None],
}
HARD_ROWS = st.tuples(*(st.sampled_from(values) for values in HARD.values()))


def tried(expression: Any, row: Row) -> tuple[Any, str | None]:
    try:
        return evaluate(expression, row), None
    except ComputationError as error:
        return None, error.reason


@pytest.mark.parametrize("sql", POISONED)
@given(drawn=st.lists(HARD_ROWS, max_size=6))
def test_rows_without_a_value_are_told_apart(sql: str, drawn: list[Any]) -> None:
    query = parse_query(f"SELECT {sql} AS v, n AS other FROM r", CATALOG)
    assert isinstance(query, Projection)
    expression = query.columns[0][1]
    tried_ = [tried(expression, SCHEMA.row(*row)) for row in drawn]
    df = frame(SCHEMA, [SCHEMA.row(*row) for row in drawn]).with_row_index("#")
    good, bad = computed(df, [("v", careful(expression, SCHEMA))])
    assert to_rows(good.select("#", "v")) == [(n, value) for n, (value, why) in enumerate(tried_) if why is None]
    failed = [] if bad is None else to_rows(bad.select("#", REASON))
    assert failed == [(n, why) for n, (_, why) in enumerate(tried_) if why is not None]
    if expression.type.value == "BOOLEAN":
        good, bad = kept(df, careful(expression, SCHEMA))
        assert good["#"].to_list() == [n for n, (value, why) in enumerate(tried_) if why is None and value]
        assert ([] if bad is None else to_rows(bad.select("#", REASON))) == failed


def test_a_function_that_raises_for_some_rows() -> None:
    asked: list[int] = []

    def inverse(column: pl.Series) -> pl.Series:
        asked.append(len(column))
        if 0 in column:
            raise ZeroDivisionError("no inverse of 0\nat all")
        return 1 / column

    whole = kind(SCHEMA.attributes[0].type, True)
    function = UserFunction("inverse", (whole,), kind(SCHEMA.attributes[2].type, True), inverse)
    call = apply(function, [Column(0, "n", SCHEMA.attributes[0])], Place())
    df = pl.DataFrame({"n": [*range(1, 500), 0, *range(500, 900), 0]})
    good, bad = computed(df, [("v", careful(call, SCHEMA))])
    assert good["n"].to_list() == [n for n in df["n"] if n] and good["v"].to_list() == [1 / n for n in good["n"]]
    assert bad is not None and bad["n"].to_list() == [0, 0]
    assert set(bad[REASON]) == {"inverse(n) has no value: ZeroDivisionError: no inverse of 0"}
    assert len(asked) < 100
