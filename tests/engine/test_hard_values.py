"""Hard values of every type through files, Spark, its workers and its sinks, in a session whose zone is not UTC.

Each stream has a file with rows of all kinds, one of punctuations alone, one without anything, one that was written by
Spark, and then it ends. Nine rows of ten have one key. The answers are those of batch Spark and of DuckDB.
"""

import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from pyarrow import parquet
from pyspark.sql import SparkSession

from engine.specified import Specified
from engine.test_types import bag, in_duckdb
from engine.values import HARD
from lanes import also_long
from punctum.algebra import Punctuation, Row, Schema, end_of_stream, from_json, to_json
from punctum.algebra.functions import Element
from punctum.algebra.schema import Attribute
from punctum.algebra.values import Value
from punctum.operators.columns import fitting, frame, to_rows
from punctum.parse import parse_script
from punctum.session import Session
from punctum.spec import Slice

COLUMNS = (
    "k STRING, n BIGINT, x DOUBLE, m DECIMAL(10, 2), g DECIMAL(38, 0), b BOOLEAN, d DATE, t TIMESTAMP, z TIMESTAMP_NTZ"
)
QUERIES = {
    "all": ("json", "SELECT * FROM j UNION ALL SELECT * FROM p"),
    "both": ("parquet", "SELECT k, x, m, g, b, d, t, z FROM j EXCEPT SELECT k, x, m, g, b, d, t, z FROM p"),
    "joined": (
        "json",
        "SELECT j.t, j.z, j.d, j.k, p.k AS l, j.m + p.m AS s, j.x < p.x AS c FROM j JOIN p ON j.t = p.t AND j.d = p.d",
    ),
    "grouped": (
        "parquet",
        "SELECT k, COUNT(*) AS c, SUM(m) AS m, SUM(g) AS g, MIN(t) AS t, MAX(z) AS z, MIN(d) AS d, MAX(x) AS x, "
        "MAX(b) AS b, MIN(n) AS n FROM j GROUP BY k",
    ),
    "regrouped": (
        "json",
        "SELECT m, COUNT(*) AS c, MAX(t) AS t FROM (SELECT k, t, SUM(m) AS m FROM p GROUP BY k, t) AS q GROUP BY m",
    ),
}
UNBOUNDED = ("joined", "regrouped")
"""Those that are complete only when their streams have ended, which they do here."""
DDL = (
    f"CREATE STREAM j ({COLUMNS}, PUNCTUATED ON (k)) USING json OPTIONS (path 'j', maxFilesPerTrigger 1);"
    f"CREATE STREAM p ({COLUMNS}, PUNCTUATED ON (t)) USING parquet OPTIONS (path 'p', maxFilesPerTrigger 1);"
)
SCHEMA = parse_script(DDL).streams["j"].schema
LARGE = [Decimal(n) for n in ("-" + "9" * 30, "0", "9" * 30, "1")]


def values(attribute: Attribute) -> list[Value | None]:
    return [*(LARGE if attribute.digits == (38, 0) else HARD[attribute.type]), None]


def elements(seed: int, name: str) -> list[list[Element]]:
    """Slices: rows of all values with punctuations that come twice or match nothing, then what the others hold."""
    chance = random.Random(seed)
    closed = values(SCHEMA.attributes[SCHEMA.index(name)])[3:6]

    def row() -> Row:
        t = [chance.choice(values(a)) for a in SCHEMA.attributes]
        t[0] = t[0] if chance.random() < 0.1 else "😀\u2028\0"
        return SCHEMA.row(*t)

    every = max(len(values(a)) for a in SCHEMA.attributes)
    hard = [SCHEMA.row(*(values(a)[i % len(values(a))] for a in SCHEMA.attributes)) for i in range(every)]
    said = [Punctuation.of(SCHEMA, {name: value}) for value in closed]
    late = [t for t in (row() for _ in range(60)) if not any(p.match(t) for p in said)]
    said.append(Punctuation.of(SCHEMA, k="nothing has this"))
    first = [*hard, *(row() for _ in range(60))]
    return [[*first, *said], [*said, *said], [], [*late], [end_of_stream(SCHEMA)]]


def in_frame(slices: list[Element]) -> pl.DataFrame:
    rows = frame(SCHEMA, [e for e in slices if isinstance(e, tuple)])
    said = [to_json(e, SCHEMA) for e in slices if isinstance(e, Punctuation)]
    none = pl.lit(None, pl.String).alias("_punct")
    return pl.concat([rows.with_columns(none), pl.DataFrame({"_punct": said}, {"_punct": pl.String})], how="diagonal")


@pytest.fixture
def berlin(spark: SparkSession) -> Iterator[SparkSession]:
    """A session with another zone, and with the timestamps in Parquet that Spark writes unless told."""
    own = {"spark.sql.session.timeZone": "Europe/Berlin", "spark.sql.parquet.outputTimestampType": "INT96"}
    before = {name: spark.conf.get(name) for name in own}
    for name, value in own.items():
        spark.conf.set(name, value)
    yield spark
    for name, old in before.items():
        spark.conf.set(name, str(old))


def written_by_spark(spark: SparkSession, piece: list[Element], to: Path) -> None:
    """A file of Spark's own, which has timestamps of another kind."""
    in_frame(piece).write_parquet(to.with_suffix(".polars"))
    spark.read.parquet(str(to.with_suffix(".polars"))).coalesce(1).write.parquet(str(to.with_suffix(".spark")))
    (file,) = to.with_suffix(".spark").glob("part-*")
    file.rename(to)


def released(directory: Path, kind: str, schema: Schema) -> list[list[Row]]:
    """The rows of each batch, by the names of files."""
    batches: list[list[Row]] = [[] for _ in range(5)]
    for file in directory.glob("part-*"):
        rows = batches[int(file.stem.split("-")[2])]
        if kind == "json":
            lines = [from_json(text, schema) for text in file.read_text().split("\n") if text]
            rows += [e for e in lines if isinstance(e, tuple)]
        else:
            table = pl.from_arrow(parquet.read_table(file))
            assert isinstance(table, pl.DataFrame)
            rows += to_rows(fitting(table, schema))
    return batches


def write(spark: SparkSession, directory: Path, name: str, pieces: list[list[Element]]) -> None:
    directory.mkdir()
    for n, piece in enumerate(pieces):
        if name == "j":
            (directory / f"{n}.json").write_text("".join(to_json(e, SCHEMA) + "\n" for e in piece))
        elif n == 3:
            written_by_spark(spark, piece, directory.parent / "3.parquet")
            (directory.parent / "3.parquet").rename(directory / "3.parquet")
        else:
            in_frame(piece).write_parquet(directory / f"{n}.parquet")


@pytest.mark.parametrize("name", also_long("joined", more=["grouped", "all", "both", "regrouped"]))
def test_hard_values(berlin: SparkSession, tmp_path: Path, name: str) -> None:
    slices = {"j": elements(1, "k"), "p": elements(2, "t")}
    tables: dict[str, tuple[Schema, list[Row]]] = {}
    for stream, pieces in slices.items():
        write(berlin, tmp_path / stream, stream, pieces)
        tables[stream] = (SCHEMA, [e for piece in pieces for e in piece if isinstance(e, tuple)])
        frame(*tables[stream]).write_parquet(tmp_path / f"{stream}.parquet")
        berlin.read.parquet(str(tmp_path / f"{stream}.parquet")).createOrReplaceTempView(stream)
    kind, sql = QUERIES[name]
    unbounded = " ALLOW UNBOUNDED" if name in UNBOUNDED else ""
    script = f"{DDL} CREATE SINK o USING {kind} OPTIONS (path 'out'); INSERT INTO o {sql}{unbounded};"
    (query,) = Session(berlin).script(script, tmp_path)
    query.start(tmp_path / "checkpoint", available_now=True).wait()
    batches = released(tmp_path / "out", kind, query.schema)
    rows = bag([t for batch in batches for t in batch])
    assert rows == bag(in_duckdb(sql, query.schema, tables))
    in_spark = pl.from_arrow(berlin.sql(sql).toArrow())
    assert isinstance(in_spark, pl.DataFrame)
    assert rows == bag(to_rows(fitting(in_spark, query.schema)))
    oracle = Specified(query._compiled.query.relation, dict.fromkeys(slices, SCHEMA))
    for n, batch in enumerate(batches):
        fed = {stream: Slice.of(*pieces[n]) for stream, pieces in slices.items()}
        assert bag(batch) == bag(list(oracle.feed(fed).rows)), n
