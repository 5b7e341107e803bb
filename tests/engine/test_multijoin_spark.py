"""The paper's joins that are safe as one operator, on Spark: the batch answer, stopped and resumed, and flat state."""

import json
import random
from collections import Counter
from itertools import product
from pathlib import Path

import duckdb
import polars as pl
import pytest
from pyspark.sql import SparkSession

from lanes import also_long
from punctum.session import Session

KEYS, BATCHES = 6, 8
COLUMNS = {"s1": ("a", "b"), "s2": ("b", "c"), "s3": ("c", "a")}
CYCLE = "s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a"
CLOSED = {  # the schemes of the paper's figures, and what they join
    "figure3": ({"s1": ["b"], "s2": ["b", "c"], "s3": ["c"]}, "s1.b = s2.b AND s2.c = s3.c"),
    "figure5": ({"s1": ["b"], "s2": ["c"], "s3": ["a"]}, CYCLE),
    "figure8": ({"s1": ["b"], "s2": ["b", "c"], "s3": ["c, a"]}, CYCLE),
}
QUERIES = {name: f"SELECT s1.a, s1.b, s3.c FROM s1, s2, s3 WHERE {where}" for name, (_, where) in CLOSED.items()}
CLOSED["counts"] = CLOSED["figure5"]
QUERIES["counts"] = f"SELECT s1.a, COUNT(*) AS n FROM s1, s2, s3 WHERE {CYCLE} GROUP BY s1.a"


def script(name: str) -> str:
    schemes, _ = CLOSED[name]
    ddl = "".join(
        f"CREATE STREAM {stream} ({', '.join(f'{column} BIGINT' for column in columns)},"
        f" {', '.join(f'PUNCTUATED ON ({scheme})' for scheme in schemes[stream])})"
        f" USING json OPTIONS (path '{stream}', maxFilesPerTrigger 1);"
        for stream, columns in COLUMNS.items()
    )
    return f"{ddl} CREATE SINK {name} USING json OPTIONS (path '{name}'); INSERT INTO {name} {QUERIES[name]};"


def rows(stream: str, n: int) -> list[dict[str, int]]:
    """The rows of a file: new keys in each."""
    chance = random.Random(f"{stream} {n}")
    keys = range(n * KEYS, (n + 1) * KEYS)
    return [{column: chance.choice(keys) for column in COLUMNS[stream]} for _ in range(4 * KEYS)]


def closings(scheme: str, n: int) -> list[dict[str, dict[str, int]]]:
    """A punctuation for each value, or combination of values, of a scheme in a file."""
    columns = scheme.split(", ")
    keys = product(range(n * KEYS, (n + 1) * KEYS), repeat=len(columns))
    return [{"$punct": dict(zip(columns, each, strict=True))} for each in keys]


def write(directory: Path, schemes: dict[str, list[str]], files: range) -> None:
    for stream in COLUMNS:
        (directory / stream).mkdir(parents=True, exist_ok=True)
        for n in files:
            elements = [*rows(stream, n), *(p for scheme in schemes[stream] for p in closings(scheme, n))]
            (directory / stream / f"{n}.json").write_text("".join(json.dumps(e) + "\n" for e in elements))


@pytest.mark.parametrize("name", also_long("figure8", more=["figure3", "figure5", "counts"]))
def test_joins_that_are_safe_only_as_one(spark: SparkSession, tmp_path: Path, name: str) -> None:
    for files in (range(3), range(3, BATCHES)):
        write(tmp_path, CLOSED[name][0], files)
        queries = Session(spark).script(script(name), tmp_path)
        (query,) = queries
        query.start(tmp_path / "checkpoint", available_now=True).wait()
    with duckdb.connect() as connection:
        for stream in COLUMNS:
            known = pl.DataFrame([row for n in range(BATCHES) for row in rows(stream, n)])
            connection.register(stream, known.to_arrow())
        wanted = connection.execute(QUERIES[name]).fetchall()
    files_of = (tmp_path / name).glob("part-*")
    rows_out = [tuple(json.loads(line).values()) for file in files_of for line in file.read_text().splitlines()]
    assert Counter(rows_out) == Counter(wanted) and wanted
    lines = (tmp_path / "checkpoint/punctum/metrics.jsonl").read_text().splitlines()
    kept = [sum(each["rows_kept"] for each in json.loads(line)["operators"].values()) for line in lines]
    assert len(kept) == BATCHES
    assert name == "counts" or max(kept) <= 4 * KEYS, "closed in the batch that brings them"
