"""The values of expressions: against DuckDB where the two languages agree, against Spark's documentation elsewhere."""

import math
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra import NAN, Attribute, Row, Schema, Type
from punctum.errors import ComputationError
from punctum.ir import Call, Expression, Projection, StreamDef, evaluate
from punctum.parse import parse_query

COLUMNS = {
    Type.BIGINT: ("a", "b"),
    Type.DOUBLE: ("x", "y"),
    Type.STRING: ("s", "u"),
    Type.BOOLEAN: ("f", "g"),
    Type.DATE: ("d", "e"),
    Type.TIMESTAMP_NTZ: ("t", "v"),
    Type.DECIMAL: ("n", "m"),
    Type.INTERVAL: ("i", "j"),
}
DIGITS = {"n": (8, 2), "m": (6, 3)}
NAMED = [(name, type_) for type_, names in COLUMNS.items() for name in names]
SCHEMA = Schema(tuple(Attribute(name, type_, digits=DIGITS.get(name, (38, 18))) for name, type_ in NAMED))
TABLE = {"t": StreamDef("t", SCHEMA)}
LITERALS = {
    Type.BIGINT: ("0", "1", "-7", "100"),
    Type.DOUBLE: ("0e0", "1.5e0", "-2e0"),
    Type.STRING: ("''", "'a'", "'ab'", "' b '"),
    Type.BOOLEAN: ("TRUE", "FALSE", "NULL"),
    Type.DATE: ("DATE '2026-11-15'",),
    Type.TIMESTAMP_NTZ: ("CAST('2026-11-15 12:34:56.789' AS TIMESTAMP_NTZ)",),
    Type.DECIMAL: ("1.5", "0.01", "-20.0"),
    Type.INTERVAL: ("INTERVAL '90' MINUTE", "INTERVAL '-3' SECOND"),
}
VALUES: dict[Type, list[Any]] = {
    Type.BIGINT: [0, 1, -1, 7, -7, 100, 2**31],
    Type.DOUBLE: [0.0, 1.5, -2.5, 1e300, math.inf, -math.inf, NAN],
    Type.STRING: ["", "a", "ab", "aB%", " b ", "b_"],
    Type.BOOLEAN: [True, False],
    Type.DATE: [date(2026, 11, 15), date(1969, 12, 31), date(2024, 2, 29)],
    Type.TIMESTAMP_NTZ: [datetime(2026, 11, 15, 12, 34, 56, 789000), datetime(1969, 12, 31, 23, 59, 59, 999999)],
    Type.DECIMAL: [Decimal("0.00"), Decimal("1.50"), Decimal("-20.25")],
    Type.INTERVAL: [timedelta(), timedelta(minutes=90), timedelta(days=-3, microseconds=5)],
}
OUR, THEIR = 0, 1
Pair = tuple[str, str]
"""An expression as Spark writes it, and as DuckDB does."""


def rows() -> list[Row]:
    chance = random.Random(20261115)
    return [tuple(chance.choice([None, *VALUES[type_]]) for _, type_ in NAMED) for _ in range(60)]


ROWS = rows()


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    sql = {Type.STRING: "VARCHAR", Type.TIMESTAMP_NTZ: "TIMESTAMP"}
    decimal = {name: f"DECIMAL{digits}" for name, digits in DIGITS.items()}
    columns = ", ".join(f"{name} {decimal.get(name) or sql.get(type_, type_.value)}" for name, type_ in NAMED)
    connection.execute(f"CREATE TABLE t ({columns})")
    connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(NAMED))})", ROWS)
    connection.execute("SET ieee_floating_point_ops = false; SET error_on_division_by_zero = false")
    yield connection
    connection.close()


def leaf(type_: Type) -> st.SearchStrategy[Pair]:
    theirs = {literal: literal.replace("TIMESTAMP_NTZ", "TIMESTAMP") for literal in LITERALS[type_]}
    return st.sampled_from([*((name, name) for name in COLUMNS[type_]), *theirs.items()])


def of(template: str, *args: st.SearchStrategy[Pair], theirs: str | None = None) -> st.SearchStrategy[Pair]:
    def filled(pairs: tuple[Pair, ...]) -> Pair:
        return (
            template.format(*(pair[OUR] for pair in pairs)),
            (theirs or template).format(*(pair[THEIR] for pair in pairs)),
        )

    return st.tuples(*args).map(filled)


def same_type(inner: dict[Type, st.SearchStrategy[Pair]], template: str, theirs: str | None = None) -> Any:
    count = template.count("{")
    return st.one_of([of(template, *[expressions] * count, theirs=theirs) for expressions in inner.values()])


def grown(depth: int) -> dict[Type, st.SearchStrategy[Pair]]:
    """Expressions of each type that both languages have, with the same meaning."""
    if not depth:
        return {type_: leaf(type_) for type_ in COLUMNS}
    inner = grown(depth - 1)
    whole, real, string, truth, day, time, decimal, span = inner.values()
    chosen = {
        type_: st.one_of(
            leaf(type_),
            of("CASE WHEN {} THEN {} ELSE {} END", truth, typed, typed),
            of("COALESCE({}, {})", typed, typed),
            of("NULLIF({}, {})", typed, typed),
            of("IF({}, {}, {})", truth, typed, typed, theirs="CASE WHEN {} THEN {} ELSE {} END"),
        )
        for type_, typed in inner.items()
    }
    operators = [same_type(inner, f"({{}} {op} {{}})") for op in ("=", "<>", "<", "<=", ">", ">=")]
    fields = [of(f"{name}({{}})", time) for name in ("year", "month", "day", "hour", "minute", "second")]
    units = ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond")
    both = [of(f"({{}} {op} {{}})", typed, typed) for op in "+-*" for typed in (whole, real, decimal)]
    more: dict[Type, list[st.SearchStrategy[Pair]]] = {
        Type.BIGINT: [
            *both[0::3],
            *fields,
            of("(- {})", whole),
            of("({} % {})", whole, whole),
            of("({} DIV {})", whole, whole, theirs="({} // {})"),
            of("ABS({})", whole),
            of("LENGTH({})", string),
            of("CAST({} AS BIGINT)", truth),
        ],
        Type.DOUBLE: [*both[1::3], of("({} / {})", whole, whole), of("({} / {})", real, real), of("ABS({})", real)],
        Type.STRING: [
            of("LOWER({})", string),
            of("UPPER({})", string),
            of("TRIM({})", string),
            of("({} || {})", string, string),
            of("SUBSTRING({}, 2, 1)", string),
            of("CAST({} AS STRING)", whole),
        ],
        Type.BOOLEAN: [
            *operators,
            same_type(inner, "({} <=> {})", "({} IS NOT DISTINCT FROM {})"),
            same_type(inner, "({} IS NULL)"),
            same_type(inner, "({} BETWEEN {} AND {})"),
            of("({} AND {})", truth, truth),
            of("({} OR {} OR {})", truth, truth, truth),
            of("(NOT {})", truth),
            of("({} IN (1, NULL, 7))", whole),
            of("({} NOT IN (1, 7))", whole),
            of("({} LIKE 'a_%')", string),
            of("({} < {})", whole, real),
            of("({} = {})", whole, decimal),
        ],
        Type.DATE: [of("CAST({} AS DATE)", time), of("({} + INTERVAL '3' DAY)", day, theirs="CAST({} + 3 AS DATE)")],
        Type.TIMESTAMP_NTZ: [
            of("CAST({} AS TIMESTAMP_NTZ)", day, theirs="CAST({} AS TIMESTAMP)"),
            of("({} - INTERVAL '90' MINUTE)", time),
            of("({} + {})", time, span),
            of("({} - {})", time, span),
            *(of(f"DATE_TRUNC('{unit}', {{}})", time) for unit in units),
        ],
        Type.DECIMAL: [of("({} + {})", decimal, decimal), of("({} - {})", decimal, decimal), of("ABS({})", decimal)],
        Type.INTERVAL: [
            of("({} - {})", time, time),
            of("({} - {})", day, time),
            of("({} + {})", span, span),
            of("({} - {})", span, span),
            of("(- {})", span),
        ],
    }
    return {type_: st.one_of(chosen[type_], *more[type_]) for type_ in inner}


def bound(sql: str) -> Expression:
    query = parse_query(f"SELECT a, ({sql}) <=> ({sql}) AS compared FROM t", TABLE)
    assert isinstance(query, Projection)
    compared = query.columns[1][1]
    assert isinstance(compared, Call)
    return compared.args[0]  # of NULL too, which alone is not a column


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-12) or (ours != ours and theirs != theirs)
    return bool(ours == theirs)


@given(st.one_of(list(grown(2).values())))
def test_as_duckdb(duck: duckdb.DuckDBPyConnection, pair: Pair) -> None:
    ours, theirs = pair
    expression = bound(ours)
    try:
        expected = [row[0] for row in duck.execute(f"SELECT {theirs} FROM t").fetchall()]
    except (duckdb.OutOfRangeException, duckdb.ConversionException):
        return  # DuckDB gives up the whole column
    for row, right in zip(ROWS, expected, strict=True):
        result = evaluate(expression, row)
        assert same(result, right), (ours, row, result, right)
        assert result is not None or expression.nullable, (ours, "says that it is never NULL")


def value(sql: str, **columns: Any) -> Any:
    return evaluate(bound(sql), tuple(columns.get(name) for name, _ in NAMED))


SPARK = {
    "7 / 2": 3.5,
    "-7 DIV 2": -3,
    "-7 % 3": -1,
    "1 / 0": None,
    "1 % 0": None,
    "1 DIV 0": None,
    "1.50 + 1": Decimal("2.50"),
    "1.5 * 1.5": Decimal("2.25"),
    "1.0 / 3": Decimal("0.333333"),
    "10.5 % 3": Decimal("1.5"),
    "ROUND(2.5)": Decimal("3"),
    "ROUND(-2.5)": Decimal("-3"),
    "ROUND(2.675e0, 2)": 2.68,
    "ROUND(125, -1)": 130,
    "FLOOR(-1.5)": Decimal("-2"),
    "CEIL(1.2e0)": 2,
    "CAST(-1.9e0 AS BIGINT)": -1,
    "CAST(y AS BIGINT)": None,
    "CAST(x AS DECIMAL(3, 1))": None,
    "CAST(1.25 AS DECIMAL(3, 1))": Decimal("1.3"),
    "CAST(1e7 AS STRING)": "1.0E7",
    "CAST(1.5e0 AS STRING)": "1.5",
    "CAST(TIMESTAMP '2026-11-15 12:00:00.5' AS STRING)": "2026-11-15 12:00:00.5",
    "CAST('2026-11-15T12:00:00+02:00' AS TIMESTAMP)": datetime(2026, 11, 15, 10, tzinfo=UTC),
    "CAST(TIMESTAMP '1970-01-01 00:00:01' AS BIGINT)": 1,
    "SUBSTRING('punctum', -3)": "tum",
    "SUBSTRING('punctum', 0, 2)": "pu",
    "x = x": True,
    "x > 1e308": True,
    "s LIKE 'a\\\\%'": True,
    "NULL <=> NULL": True,
    "s IN ('a%', NULL)": True,
    "s IN ('b', NULL)": None,
    "DATE '2026-11-15' + INTERVAL '1' WEEK": date(2026, 11, 22),
}


@pytest.mark.parametrize("sql", SPARK)
def test_as_spark_says(sql: str) -> None:
    result, expected = value(sql, x=NAN, y=1e30, s="a%"), SPARK[sql]
    assert result == expected and type(result) is type(expected)


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("a + 1", {"a": 2**63 - 1}),
        ("- a", {"a": -(2**63)}),
        ("a * 2", {"a": 2**62}),
        ("ABS(a)", {"a": -(2**63)}),
        ("FLOOR(x)", {"x": NAN}),
        ("t + INTERVAL '1' DAY", {"t": datetime.max}),
        ("t - INTERVAL '1' DAY", {"t": datetime.min + timedelta(hours=1)}),
    ],
)
def test_what_does_not_fit_is_an_error_of_the_row(sql: str, columns: dict[str, Any]) -> None:
    with pytest.raises(ComputationError, match="has no value"):
        value(sql, **columns)
    assert value(sql) is None
