"""Keys and values of every type, hard ones among them, through every operator: the batch answer, as DuckDB has it."""

import math
from collections import Counter
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.test_buckets import assert_grammatical, rows_of
from engine.values import HARD
from lanes import examples
from operators.vectorised import in_columns
from punctum.algebra import Punctuation, Schema, end_of_stream
from punctum.algebra.schema import Attribute
from punctum.algebra.values import SCALARS, Row, Type, Value
from punctum.ir import StreamDef
from punctum.operators.columns import ColumnarSlice, fitting, frame, to_rows
from punctum.parse import parse_query
from punctum.spec import Slice, prefix
from punctum.testing.simulate import run
from strategies import patterns_of, streams

DIGITS = (10, 2)
QUERIES = {
    "select": "SELECT k, v FROM a WHERE k >= v",
    "compare": "SELECT k, v, k = v AS e, k < v AS l, k <=> v AS n FROM a WHERE v IS NOT NULL OR n > 0",
    "distinct": "SELECT DISTINCT k, v FROM a",
    "join": "SELECT a.k, a.v, b.k AS l, b.w FROM a JOIN b ON a.k = b.k",
    "join twice": "SELECT a.k, a.n, b.v FROM a JOIN b ON a.k = b.k AND a.v = b.v",
    "union": "SELECT k, v FROM a UNION SELECT k, v FROM b",
    "intersect": "SELECT k FROM a INTERSECT SELECT v FROM b",
    "except": "SELECT k, v FROM a EXCEPT SELECT k, v FROM b",
    "group": "SELECT k, COUNT(*) AS c, COUNT(v) AS d, MIN(v) AS lo, MAX(v) AS hi, COUNT(DISTINCT v) AS u, SUM(n) AS t "
    "FROM a GROUP BY k",
    "global": "SELECT MIN(k) AS lo, MAX(k) AS hi, COUNT(DISTINCT k) AS u FROM a",
    "regroup": "SELECT a.v, MAX(b.w) AS m, COUNT(*) AS c FROM a JOIN b ON a.k = b.k GROUP BY a.v",
    "order": "SELECT k, v FROM a ORDER BY k DESC, v",
    "case": "SELECT k, COALESCE(v, k) AS c, NULLIF(k, v) AS i, CASE WHEN k > v THEN k ELSE v END AS g FROM a",
}
NUMBERS = {
    "sum": "SELECT n, SUM(k) AS s, AVG(k) AS m, COUNT(k) AS c FROM a GROUP BY n",
    "plus": "SELECT k, k + 1 AS p, k - v AS d, -k AS i, ABS(k) AS a FROM a",
    "of sums": "SELECT s, COUNT(*) AS c FROM (SELECT n, SUM(k) AS s FROM a GROUP BY n) AS g GROUP BY s",
    "join of sums": "SELECT g.n, c.w FROM (SELECT n, SUM(k) AS s FROM a GROUP BY n) AS g "
    "JOIN (SELECT CAST(k AS DECIMAL(20, 2)) AS k, w FROM b) AS c ON g.s = c.k",
}
DUCK = {kind: kind.value for kind in SCALARS}
DUCK |= {Type.STRING: "VARCHAR", Type.TIMESTAMP: "TIMESTAMPTZ", Type.TIMESTAMP_NTZ: "TIMESTAMP"}
DUCK[Type.INTERVAL] = "BIGINT"  # microseconds
Case = tuple[Schema, Schema, list[Slice], list[Slice]]


def schemas(kind: Type) -> tuple[Schema, Schema]:
    def one(*names: str) -> Schema:
        return Schema(
            tuple(Attribute(n, kind, digits=DIGITS) if n in "kv" else Attribute(n, Type.BIGINT) for n in names)
        )

    return one("k", "v", "n"), one("k", "v", "w")


@st.composite
def cases(draw: st.DrawFn, kinds: list[Type]) -> Case:
    """Two streams that end; keys come from a few values, or nearly all from one."""
    kind = draw(st.sampled_from(kinds))
    few = draw(st.lists(st.sampled_from(HARD[kind]), min_size=2, max_size=5, unique_by=str))
    skewed = st.sampled_from([few[0]] * 9 + [few[1]])
    a, b = schemas(kind)
    return a, b, draw(ended(a, few, skewed)), draw(ended(b, few, skewed))


@st.composite
def ended(draw: st.DrawFn, schema: Schema, few: list[Value], skewed: st.SearchStrategy[Value]) -> list[Slice]:
    """Rows of some values, punctuations that may say the same twice or match nothing, slices without either."""
    key = draw(st.sampled_from([st.none() | st.sampled_from(few), skewed]))
    rows = st.tuples(key, st.none() | st.sampled_from(few), st.integers(0, 2))
    one = st.tuples(st.sampled_from(schema.names[:2]), patterns_of(st.sampled_from(few)))
    some = draw(st.lists(one.map(lambda c: Punctuation.of(schema, {c[0]: c[1]})), min_size=1, max_size=3))
    found = draw(streams(schema, rows, st.sampled_from(some), 4))
    return [*found, Slice.of(end_of_stream(schema))]


def fed(case: Case, last_only: bool = False, constants: bool = False) -> list[dict[str, ColumnarSlice]]:
    a, b, left, right = case
    pieces: list[dict[str, ColumnarSlice]] = [{} for _ in range(max(len(left), len(right)))]
    for name, schema, stream in (("a", a, left), ("b", b, right)):
        for i, xs in enumerate(stream):
            said = xs.puncts if not last_only or i == len(stream) - 1 else ()
            pieces[i][name] = in_columns(schema, Slice(xs.rows, said), constants)
    return pieces


def in_duckdb(sql: str, result: Schema, tables: dict[str, tuple[Schema, list[Row]]]) -> list[Row]:
    """The SQL over all rows, in DuckDB, with the columns as of the types that they should have."""
    chosen = ", ".join(f'CAST("{a.name}" AS {duck(a)}) AS "{a.name}"' for a in result.attributes)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for name, (schema, rows) in tables.items():
            numbers = pl.selectors.duration().to_physical()
            connection.register(f"{name}_", frame(schema, rows).with_columns(numbers).to_arrow())
            typed = ", ".join(f'CAST("{a.name}" AS {duck(a)}) AS "{a.name}"' for a in schema.attributes)
            connection.execute(f"CREATE TABLE {name} AS SELECT {typed} FROM {name}_")
        sql = sql.replace("<=>", "IS NOT DISTINCT FROM")
        found = pl.from_arrow(connection.sql(f"SELECT {chosen} FROM ({sql})").to_arrow_table())
        assert isinstance(found, pl.DataFrame)
        return to_rows(fitting(found, result))


def duck(attribute: Attribute) -> str:
    if attribute.type is Type.DECIMAL:
        return "DECIMAL({}, {})".format(*attribute.digits)
    return DUCK[attribute.type]


def bag(rows: list[Row]) -> Counter[tuple[Any, ...]]:
    """The rows, with DOUBLEs up to rounding, and NaN as something that equals itself."""
    return Counter(tuple(_rounded(v) for v in row) for row in rows)


def _rounded(value: Value | None) -> Any:
    if not isinstance(value, float) or math.isinf(value):
        return value
    return "NaN" if math.isnan(value) else float(f"{value:.12g}")


def check(sql: str, case: Case, buckets: int, restart: bool, constants: bool) -> None:
    a, b, left, right = case
    relation = parse_query(sql, {"a": StreamDef("a", a), "b": StreamDef("b", b)})
    tables = {"a": (a, list(prefix(left).rows)), "b": (b, list(prefix(right).rows))}
    wanted = bag(in_duckdb(sql, relation.schema, tables))
    whole = run(relation, fed(case, constants=constants), buckets, restart, global_punctuations=True)
    assert bag(rows_of(whole)) == wanted
    assert_grammatical(whole)
    assert bag(rows_of(run(relation, fed(case, last_only=True), buckets))) == wanted


@pytest.mark.parametrize("name", QUERIES)
@examples(60)
@given(case=cases(list(SCALARS)), buckets=st.integers(1, 4), restart=st.booleans(), constants=st.booleans())
def test_every_type(name: str, case: Case, buckets: int, restart: bool, constants: bool) -> None:
    check(QUERIES[name], case, buckets, restart, constants)


@pytest.mark.parametrize("name", NUMBERS)
@examples(25)
@given(case=cases([Type.DECIMAL]), buckets=st.integers(1, 4), restart=st.booleans(), constants=st.booleans())
def test_decimals(name: str, case: Case, buckets: int, restart: bool, constants: bool) -> None:
    check(NUMBERS[name], case, buckets, restart, constants)
