"""ARRAYs and STRUCTs: they pass queries as they are, in stages and buckets, and come and go in JSON and Parquet."""

import math
import random
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from pyspark.sql import SparkSession

from lanes import also_long
from punctum.algebra import NAN, Punctuation, Row, Schema, end_of_stream
from punctum.algebra.json import from_json, to_json
from punctum.engine.formats.json import read_json
from punctum.engine.formats.parquet import from_columns
from punctum.engine.formats.write import json_lines
from punctum.engine.sinks.check import check_sink
from punctum.errors import PunctumError, SchemaError
from punctum.ir.definitions import SinkDef
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.session import Session
from punctum.testing.simulate import Simulation

COLUMNS = "k BIGINT, tags ARRAY<STRING>, home STRUCT<city: STRING, zip: BIGINT, parts: ARRAY<DOUBLE>>"
STREAMS = parse_script(
    "".join(f"CREATE STREAM {name} ({COLUMNS}, PUNCTUATED ON (k)) USING json;" for name in "ab")
).streams
SCHEMA = STREAMS["a"].schema
TAGS: list[Any] = [None, (), ("x",), ("y", None, "é"), ("x", "x", '"\\')]
AT: list[Any] = [
    None,
    (None, None, None),
    ("Oslo", 7, ()),
    ("", -1, (1.5, None, math.inf)),
    ("Bonn", 2**63 - 1, (NAN,)),
]
QUERIES = {
    "as they are": ("SELECT * FROM a WHERE k > 0", "SELECT * FROM a WHERE k > 0"),
    "parts": (
        "SELECT k, tags[0] AS t, home.city AS c, a.home.parts[1] AS p, size(tags) AS n FROM a "
        "WHERE home.zip < 9 OR tags IS NULL",
        "SELECT k, tags[1], home.city, home.parts[2], len(tags) FROM a WHERE home.zip < 9 OR tags IS NULL",
    ),
    "joined": (
        "SELECT a.k, a.tags, b.home FROM a JOIN b ON a.k = b.k",
        "SELECT a.k, a.tags, b.home FROM a JOIN b USING (k)",
    ),
    "left": (
        "SELECT a.home, b.tags FROM a LEFT JOIN b ON a.k = b.k AND b.home.zip > 0",
        "SELECT a.home, b.tags FROM a LEFT JOIN b ON a.k = b.k AND b.home.zip > 0",
    ),
    "by a field": (
        "SELECT a.tags, b.tags AS u FROM a JOIN b ON a.k = b.k AND a.home.city = b.home.city",
        "SELECT a.tags, b.tags FROM a JOIN b ON a.k = b.k AND a.home.city = b.home.city",
    ),
    "semi": (
        "SELECT tags FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k)",
        "SELECT tags FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k)",
    ),
    "grouped": (
        "SELECT k, COUNT(tags) AS n, MAX(home.zip) AS z, COUNT(*) FILTER (WHERE array_contains(tags, 'x')) AS x "
        "FROM a GROUP BY k",
        "SELECT k, COUNT(tags), MAX(home.zip), COUNT(*) FILTER (WHERE list_contains(tags, 'x')) FROM a GROUP BY k",
    ),
    "union": ("SELECT tags FROM a UNION ALL SELECT tags FROM b", "SELECT tags FROM a UNION ALL SELECT tags FROM b"),
    "none and some": (
        "SELECT a.tags, b.home FROM a FULL JOIN b ON a.k = b.k WHERE b.home IS NOT NULL AND a.tags IS NULL",
        "SELECT a.tags, b.home FROM a FULL JOIN b ON a.k = b.k WHERE b.home IS NOT NULL AND a.tags IS NULL",
    ),
    "not in": (
        "SELECT tags FROM a WHERE tags IS NOT NULL AND NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND tags IS NULL)",
        "SELECT tags FROM a WHERE tags IS NOT NULL AND NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.tags IS NULL)",
    ),
    "collected": (
        "SELECT a.tags, x.l, x.s, l[0] AS z FROM a JOIN (SELECT k, collect_list(home.zip) AS l, "
        "collect_set(home.city) FILTER (WHERE home.zip > 0) AS s FROM b GROUP BY k) x ON a.k = x.k",
        "SELECT a.tags, x.l, x.s, l[1] FROM a JOIN (SELECT k, "
        "coalesce(list_sort(list(home.zip) FILTER (home.zip IS NOT NULL)), []) AS l, "
        "coalesce(list_sort(list(DISTINCT home.city) FILTER (home.zip > 0)), []) AS s FROM b GROUP BY k) x USING (k)",
    ),
    "all collected": (
        "SELECT collect_list(k) AS l, collect_set(home.city) AS s, array_agg(k) FILTER (WHERE k > 9) AS n FROM a",
        "SELECT list_sort(list(k) FILTER (k IS NOT NULL)), list_sort(list(DISTINCT home.city) "
        "FILTER (home.city IS NOT NULL)), [] FROM a",
    ),
    "ranked beside": (
        "SELECT k, home.city AS c, size(tags) AS n FROM a "
        "QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY home.city, size(tags)) = 1",
        "SELECT k, home.city, len(tags) FROM a QUALIFY ROW_NUMBER() OVER (PARTITION BY k "
        "ORDER BY home.city NULLS FIRST, len(tags) NULLS FIRST) = 1",
    ),
}


def rows(seed: int, most: int) -> list[Row]:
    chance = random.Random(seed)
    return [(chance.choice([0, 1, 2, 3, None]), chance.choice(TAGS), chance.choice(AT)) for _ in range(most)]


def plain(value: Any) -> Any:
    """A value of DuckDB's or Spark's as a canonical one."""
    if isinstance(value, dict):
        return tuple(map(plain, value.values()))
    if isinstance(value, list):
        return tuple(map(plain, value))
    return NAN if isinstance(value, float) and math.isnan(value) else value


def batch(sql: str, tables: dict[str, list[Row]]) -> Counter[Row]:
    base = duckdb.connect()
    for name, some in tables.items():
        base.register(f"{name}_", frame(SCHEMA, some).to_arrow())
        base.execute(f"CREATE TABLE {name} AS SELECT * FROM {name}_")
    return Counter(tuple(map(plain, row)) for row in base.execute(sql).fetchall())


@pytest.mark.parametrize("buckets", also_long(3, more=[1, 4]))
@pytest.mark.parametrize("name", QUERIES)
def test_they_pass_queries(name: str, buckets: int) -> None:
    ours, theirs = QUERIES[name]
    relation = parse_query(ours, STREAMS)
    for restart in (False, True):
        engine, out = Simulation(relation, buckets, restart), Counter[Row]()
        tables: dict[str, list[Row]] = {"a": [], "b": []}
        for n in range(6):
            given = {x: rows(2 * n + side, 5) for side, x in enumerate("ab")}
            said = (end_of_stream(SCHEMA),) if n == 5 else ()
            for x, some in given.items():
                tables[x] += some
            pieces = {x: ColumnarSlice(frame(SCHEMA, some), said) for x, some in given.items() if x in names(relation)}
            out += Counter(to_rows(engine.feed(pieces).rows))
        assert out == batch(theirs, tables)
        assert len(out) > (0 if name.startswith("all") else 3) and engine.kept() == 0


def names(relation: Any) -> set[str]:
    from punctum.ir.tree import sources

    return {source.stream.name for source in sources(relation)}


def test_a_closed_key_purges_rows_that_have_them() -> None:
    engine = Simulation(parse_query(QUERIES["joined"][0], STREAMS), 2)
    some = frame(SCHEMA, [(1, ("x",), AT[2]), (2, None, None)])
    engine.feed({"a": ColumnarSlice(some), "b": ColumnarSlice(some)})
    closed = ColumnarSlice(some[:0], (Punctuation.of(SCHEMA, k=1),))
    engine.feed({"a": closed, "b": closed})
    assert engine.kept() == 2


DEEP = (
    parse_script(
        'CREATE STREAM d (n BIGINT, l ARRAY<STRUCT<d: DATE, m: DECIMAL(5,2), `q"`: ARRAY<ARRAY<BOOLEAN>>>>, '
        "s ARRAY<STRING>) USING json;"
    )
    .streams["d"]
    .schema
)
HARD = [
    '{"n": 1, "l": [], "s": []}',
    '{"n": 1, "l": null, "s": ["a", null, "\\u00e9\\"]"]}',
    '{"s": ["a"], "n": 1, "l": [null, {"d": "2024-02-29", "m": 1.5, "q\\"": [[true, null], null, []]}]}',
    '{"n": 1, "l": [{"m": "9.99"}, {"x": {"y": 1}, "d": null}], "s": null}',
    '{"n": 1, "l": [{"d": "2023-02-29"}], "s": null}',
    '{"n": 1, "l": [{"m": 1000.5}], "s": null}',
    '{"n": 1, "l": {"d": null}, "s": null}',
    '{"n": 1, "l": [], "s": [1]}',
    '{"n": 1, "l": [], "s": "a"}',
    '{"n": 1, "l": [], "s": [["a"]]}',
    '{"n": 1, "l": [3], "s": []}',
    '{"n": 1, "s": []}',
    '{"$punct": {"n": 1}}',
    '{"$punct": {"s": ["a"]}}',
    '{"$punct": {"s": null}}',
]


def test_both_roads_read_the_same() -> None:
    """Lines of one shape are read at once, all others one by one; what the codec refuses is rejected."""
    flat = Schema(tuple(a for a in DEEP.attributes if a.name != "l"))
    for schema in (DEEP, flat, SCHEMA):
        given = rows(3, 40) if schema is SCHEMA else []
        lines = [to_json(row, SCHEMA) for row in given] or HARD * 3
        good, bad = Counter[Any](), []
        for n, line in enumerate(lines, 1):
            try:
                good[from_json(line, schema)] += 1
            except PunctumError:
                bad.append(n)
        for few in (1, 10**6):
            read = read_json("\n".join(lines).encode(), schema, {}, few)
            rejected = read.rejected["position"].to_list()
            assert Counter([*to_rows(read.piece.rows), *read.piece.puncts]) + constants(read.piece, schema) == +Counter(
                element for element in good.elements() if fits(element, schema)
            )
            late = [n for n, line in enumerate(lines, 1) if n not in bad and not fits(from_json(line, schema), schema)]
            assert rejected == sorted([*bad, *late])


def test_there_is_one_zero() -> None:
    """Whatever road a line takes, and wherever a stream is cut, the same is written."""
    line = '{"k": 1, "tags": [], "home": {"city": "", "zip": -0, "parts": [-0.0, 0.0, null, -1e-400]}}'
    for few in (1, 10**6):
        read = read_json("\n".join([line] * 3).encode(), SCHEMA, {}, few)
        assert '"parts":[0.0,0.0,null,0.0]' in json_lines(read.piece.rows, SCHEMA)[0]
    given = pl.DataFrame({"k": [1], "tags": [["a"]], "home": [{"city": "", "zip": 0, "parts": [-0.0]}]})
    assert '"parts":[0.0]' in json_lines(from_columns(given, SCHEMA).piece.rows, SCHEMA)[0]


def constants(piece: ColumnarSlice, schema: Schema) -> Counter[Any]:
    return Counter(Punctuation.of(schema, {name: v}) for name, values in piece.constants.items() for v in values)


def fits(element: Any, schema: Schema) -> bool:
    """Whether the DECIMALs of a row have the digits of their columns."""
    return isinstance(element, Punctuation) or "1000.5" not in repr(element)


def test_what_json_and_parquet_write_they_read(tmp_path: Path) -> None:
    some = [from_json(line, DEEP) for line in HARD[:4]]
    df = frame(DEEP, [row for row in some if isinstance(row, tuple)])
    read = read_json("\n".join(json_lines(df, DEEP)).encode(), DEEP, {})
    assert to_rows(read.piece.rows) == some == to_rows(df)
    df.write_parquet(tmp_path / "x.parquet")
    assert to_rows(from_columns(pl.read_parquet(tmp_path / "x.parquet"), DEEP).piece.rows) == some
    narrow = df.with_columns(pl.col("l").list.eval(pl.element().struct.field("m")))
    assert from_columns(narrow, DEEP).rejected.height == 3, "a column of another shape has no value but NULL"
    assert some[2] == (1, (None, (date(2024, 2, 29), Decimal("1.50"), ((True, None), None, ()))), ("a",))


def test_where_they_cannot_go() -> None:
    for format_ in ("csv", "postgres"):
        with pytest.raises(SchemaError, match=f"a sink of {format_} cannot store the column tags"):
            check_sink(SinkDef("o", format_, {}), SCHEMA)
    check_sink(SinkDef("o", "json", {}), SCHEMA)
    with pytest.raises(SchemaError, match="a pattern does not fit the column tags"):
        Punctuation.of(SCHEMA, {"tags": None})


def test_on_spark_as_spark_reads_them(spark: SparkSession, tmp_path: Path) -> None:
    """A stream of JSON into JSON, a DataFrame into Parquet and back; Spark reads the same values from both sinks."""
    (tmp_path / "in").mkdir()
    given = [row for row in rows(1, 30) if row[0] is not None]
    (tmp_path / "in/1.json").write_text("\n".join(to_json(row, SCHEMA) for row in given))
    session = Session(spark)
    script = (
        f"CREATE STREAM a ({COLUMNS}) USING json OPTIONS (path 'in');"
        "CREATE SINK j USING json OPTIONS (path 'j'); CREATE SINK p USING parquet OPTIONS (path 'p');"
        "INSERT INTO j SELECT k, tags, home, split(home.city, 'o') AS s FROM a;"
        "INSERT INTO p SELECT a.*, TIMESTAMP '2026-11-18 12:00:00' - TIMESTAMP '2026-11-17 11:00:00' AS i FROM a;"
    )
    for query in session.script(script, tmp_path):
        query.start(tmp_path / query.name / "checkpoint", available_now=True)
        query.wait()
    ddl = "k BIGINT, tags ARRAY<STRING>, home STRUCT<city: STRING, zip: BIGINT, parts: ARRAY<DOUBLE>>, s ARRAY<STRING>"
    in_json = spark.read.schema(ddl).json(str(tmp_path / "j/part-*"))
    expected = in_json.selectExpr("k", "tags", "home", "split(home.city, 'o') = s OR s IS NULL AS same").collect()
    assert all(row.same for row in expected)
    in_parquet = spark.read.parquet(*map(str, (tmp_path / "p").glob("part-*"))).collect()
    canonical = Counter(given)
    assert Counter(spark_row(row)[:3] for row in expected) == canonical
    assert Counter(spark_row(row)[:3] for row in in_parquet) == canonical
    assert {row.i for row in in_parquet} == {25 * 3600 * 10**6}, "an INTERVAL is its microseconds"

    session.stream("t", spark.readStream.schema(ddl.replace("BIGINT, parts", "INT, parts")).json(str(tmp_path / "in")))
    frame_ = session.query("SELECT k, tags, home, DATE '2026-11-18' - DATE '2026-11-17' AS i FROM t").dataframe()
    writer = frame_.writeStream.format("memory").queryName("nested").option("checkpointLocation", str(tmp_path / "m"))
    writer.trigger(availableNow=True).start().awaitTermination()
    fits = [row for row in given if not (isinstance(row[2], tuple) and row[2][1] == 2**63 - 1)]
    there = spark.table("nested").collect()
    assert Counter(spark_row(row)[:3] for row in there) >= Counter(fits)
    assert {row.i for row in there} == {timedelta(days=1)}


def spark_row(row: Any) -> tuple[Any, ...]:
    return tuple(plain(value) for value in row.asDict(recursive=True).values())
