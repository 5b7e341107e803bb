"""On Spark: the same answers as batch SQL in Spark and in DuckDB, in one run and in two."""

import json
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyspark.sql import SparkSession

from engine.queries import DDL, QUERIES, A, B
from engine.test_buckets import batch, rounded
from lanes import PATIENCE, also_long, long
from punctum.algebra import Punctuation, Row, Schema, end_of_stream, from_json, to_json
from punctum.engine.formats.files import READERS
from punctum.query import Query
from punctum.session import Session

FORMATS = {  # of the files that a query's rows go to
    "columns": "json",
    "comma": "parquet",
    "except": "json",
    "group": "parquet",
    "regroup": "json",
    "outer": "parquet",
    "left": "json",
    "full": "parquet",
    "not in": "json",
    "order": "parquet",
}


LONGER = ("columns", "comma", "regroup", "order", "left", "full", "not in")


def stream(schema: Schema, seed: int) -> list[list[Any]]:
    """Four slices of rows; keys close one after the other, some of them late, and then the stream ends."""
    chance = random.Random(seed)
    texts = [None, "", "a", "ab", "é\n\"'\\"]
    slices: list[list[Any]] = []
    for n in range(4):
        rows: list[Any] = [
            (
                chance.choice([None, *range(3 * n, 3 * n + 12)]),
                chance.choice([None, -1, 0, 1, 2, 3]),
                chance.choice(texts),
            )
            for _ in range(60)
        ]
        slices.append([*rows, *(Punctuation.of(schema, k=k) for k in range(3 * n, 3 * n + 3))])
    slices.append([end_of_stream(schema)])
    return slices


def rows_of(slices: list[list[Any]]) -> list[Row]:
    return [x for piece in slices for x in piece if isinstance(x, tuple)]


def write(directory: Path, schema: Schema, slices: list[list[Any]], start: int = 0) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for n, piece in enumerate(slices, start=start):
        text = "".join(to_json(x, schema) + "\n" for x in piece)
        (directory / f"{n}.json").write_text(text)


def output(directory: Path, query: Query, kind: str) -> list[Row]:
    files = sorted((directory / "out").glob("part-*"))
    if kind == "json":
        lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        return [tuple(line[name] for name in query.schema.names) for line in lines]
    return [row for file in files for row in pl.read_parquet(file).select(query.schema.names).rows()]


def run(session: Session, directory: Path, name: str) -> Query:
    script = f"CREATE SINK q USING {FORMATS[name]} OPTIONS (path 'out'); INSERT INTO q {QUERIES[name]}"
    if name == "order":  # no scheme has an order: it is sorted when its streams have ended
        script += " ALLOW UNBOUNDED"
    queries = session.script(f"{DDL}{script};", directory)
    queries[0].start(directory / "checkpoint", available_now=True).wait()
    return queries[0]


@pytest.mark.parametrize("name", also_long("group", "outer", more=["except", *LONGER]))
def test_answers_are_those_of_batch_sql(spark: SparkSession, tmp_path: Path, name: str) -> None:
    a, b = stream(A, 1), stream(B, 2)
    session = Session(spark)
    write(tmp_path / "a", A, a[:2])
    write(tmp_path / "b", B, b[:3])
    run(session, tmp_path, name)
    write(tmp_path / "a", A, a[2:], start=2)
    write(tmp_path / "b", B, b[3:], start=3)
    query = run(session, tmp_path, name)
    for table, schema, rows in (("a", A, rows_of(a)), ("b", B, rows_of(b))):
        types = ", ".join(f"{x.name} {x.type.value}" for x in schema.attributes)
        spark.createDataFrame(rows, types).createOrReplaceTempView(table)
    released = Counter(rounded(output(tmp_path, query, FORMATS[name])))
    assert released == Counter(rounded(batch(QUERIES[name], rows_of(a), rows_of(b))))
    assert released == Counter(rounded([tuple(row) for row in spark.sql(QUERIES[name]).collect()]))
    assert name != "group" or query.metrics()[-1]["operators"]["s1o0"]["rows_kept"] == 0


@pytest.mark.parametrize("name", also_long("json", more=["parquet", "csv"]))
def test_a_result_with_its_punctuations_is_a_stream(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """Written with punctuations and read again, by file and all at once, it gives what the composed query gives."""
    a, b = stream(A, 3), stream(B, 4)
    a.insert(2, [Punctuation.of(A, x=1)])
    a[3:] = [[e for e in piece if not isinstance(e, tuple) or e[1] != 1] for piece in a[3:]]
    write(tmp_path / "a", A, a)
    write(tmp_path / "b", B, b)
    inner, outer = (
        "SELECT a.x, b.y, a.s FROM a JOIN b ON a.k = b.k",
        "SELECT x, COUNT(*) AS n, SUM(y) AS t FROM r GROUP BY x",
    )
    script = DDL + (
        f"CREATE SINK s USING {name} OPTIONS (path 's', punctuations 'true'); INSERT INTO s {inner};"
        f"CREATE STREAM r (x BIGINT, y BIGINT, s STRING, PUNCTUATED ON (x)) USING {name}"
        f" OPTIONS (path 's'{', maxFilesPerTrigger 1' * (name == 'json')});"
        f"CREATE SINK o USING json OPTIONS (path 'o'); INSERT INTO o {outer};"
    )
    queries = Session(spark).script(script, tmp_path)
    for query in queries:
        query.start(tmp_path / "checkpoint" / query.name, available_now=True).wait()
    wanted = Counter(batch(f"WITH r AS ({inner}) {outer}", rows_of(a), rows_of(b)))
    lines = [json.loads(line) for file in (tmp_path / "o").glob("part-*") for line in file.open()]
    assert Counter((line["x"], line["n"], line["t"]) for line in lines) == wanted
    if name == "json":
        assert_punctuated(tmp_path / "s", Schema.of(x="BIGINT", y="BIGINT", s="STRING"))


def assert_punctuated(directory: Path, schema: Schema) -> None:
    """Files in which rows come before the punctuations of their slice, and none after one that matches it."""
    written = sorted(directory.glob("part-*"), key=lambda file: file.stat().st_mtime_ns)
    said = list[Punctuation]()
    for file in written:
        elements = [from_json(line, schema) for line in file.read_text().split("\n") if line]
        rows = [e for e in elements if isinstance(e, tuple)]
        assert elements[: len(rows)] == rows, "a punctuation before a row of its slice"
        assert not [(t, p) for t in rows for p in said if p.match(t)]
        said += elements[len(rows) :]  # type: ignore[arg-type]
    assert Punctuation.of(schema, x=1) in said
    assert not said[-1].sides


def test_files_of_every_format_are_streams(spark: SparkSession, tmp_path: Path) -> None:
    """The same elements four times over, joined: each key of n rows gives n to the fourth."""
    texts = {
        "json": ('{"k": 1, "s": "é"}\n{"s": "b", "k": 2}\n\n{"k": 1, "s": null}', '{"$punct": {}}'),
        "csv": ('s|k|_punct\r\né|1|\r\n"b"|2|\r\n|1|\r\n', 's|k|_punct\n||"{""$punct"": {}}"'),
        "xml": ('<?xml version="1.0"?><all><e><k>1</k><s>é</s></e><e><k>2</k><s>b</s></e>'
                '<e><k>1</k><s xsi:nil="true" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/></e></all>',
                "<punct:e/>"),
    }  # fmt: skip
    for name, files in texts.items():
        (tmp_path / name).mkdir()
        for n, text in enumerate(files):
            (tmp_path / name / f"{n}.{name}").write_bytes(text.encode())
        (tmp_path / name / f"{len(files)}.{name}").touch()
    said = pl.DataFrame({"_punct": ['{"$punct": {}}']})
    rows = pl.DataFrame({"s": ["é", "b", None], "k": [1, 2, 1]}, {"s": pl.Categorical, "k": pl.Int8})
    (tmp_path / "parquet").mkdir()
    rows.write_parquet(tmp_path / "parquet/0.parquet")
    rows.clear().join(said, how="cross").write_parquet(tmp_path / "parquet/1.parquet")
    pl.concat([rows.clear(), said], how="diagonal").write_parquet(tmp_path / "parquet/2.parquet")
    options = {"csv": ", header 'true', sep '|'", "xml": ", rowTag 'e'"}
    ddl = "".join(
        f"CREATE STREAM {name} (k BIGINT, s STRING, PUNCTUATED ON (k)) USING {name} "
        f"OPTIONS (path '{name}', maxFilesPerTrigger 1{options.get(name, '')});"
        for name in READERS
    )
    script = ddl + (
        "CREATE SINK o USING json OPTIONS (path 'o');"
        "INSERT INTO o SELECT csv.k, COUNT(*) AS n, MAX(xml.s) AS s FROM csv JOIN json ON csv.k = json.k "
        "JOIN parquet ON json.k = parquet.k JOIN xml ON parquet.k = xml.k GROUP BY csv.k;"
    )
    (query,) = Session(spark).script(script, tmp_path)
    query.start(tmp_path / "checkpoint", available_now=True).wait()
    lines = [line for file in (tmp_path / "o").glob("part-*") for line in file.read_text().splitlines()]
    assert sorted(lines) == ['{"k":1,"n":16,"s":"é"}', '{"k":2,"n":1,"s":"b"}']


@long
@pytest.mark.command
def test_a_run_that_is_interrupted_goes_on_where_it_stopped(tmp_path: Path) -> None:
    item = Schema.of(k="BIGINT")
    write(tmp_path / "in", item, [[(1,), (2,), Punctuation.of(item, k=1)]])
    script = tmp_path / "count.sql"
    script.write_text(
        "CREATE STREAM a (k BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'in');"
        "CREATE SINK counts USING json OPTIONS (path 'out');"
        "INSERT INTO counts SELECT k, COUNT(*) AS n FROM a GROUP BY k;"
    )
    command = [sys.executable, "-m", "punctum", "run", str(script), "--checkpoint", str(tmp_path / "state")]

    def counted() -> list[str]:
        return sorted(line for file in (tmp_path / "out").glob("part-*") for line in file.read_text().splitlines())

    with subprocess.Popen([*command, "--master", "local[1]"], stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        errors = []
        for line in running.stderr:
            errors.append(line.rstrip("\n"))
            if line.startswith("counts: batch 0"):
                running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE) == 0, errors
    *progress, batch, stopped = errors
    assert progress == [
        "starting Spark…",
        "running counts; press Ctrl-C to stop",
        "reading a…",
        "counts: the first batch…",
    ]
    assert batch.startswith("counts: batch 0, 1 rows out, 1 rows (0 kB) kept, a(k=2) has been open for ")
    assert stopped == "stopped; run the same command again to resume"
    assert counted() == ['{"k":1,"n":1}']
    write(tmp_path / "in", item, [[(2,), Punctuation.of(item, k=2)]], start=1)
    subprocess.run([*command, "--master", "local[1]", "--available-now"], check=True, timeout=PATIENCE)
    assert counted() == ['{"k":1,"n":1}', '{"k":2,"n":2}']
