"""A join that is safe only as one, on Spark: the batch answer, stopped and resumed, with a flat state."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
from pyspark.sql import SparkSession

from punctum.session import Session

KEYS, BATCHES = 6, 8
COLUMNS = {"s1": ("a", "b"), "s2": ("b", "c"), "s3": ("c", "a")}
CLOSED = {"s1": "b", "s2": "c", "s3": "a"}
WHERE = "s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a"
TRIANGLES = f"SELECT s1.a, s1.b, s2.c FROM s1, s2, s3 WHERE {WHERE}"
COUNTS = f"SELECT s1.a, COUNT(*) AS n FROM s1, s2, s3 WHERE {WHERE} GROUP BY s1.a"
SCRIPT = (
    "".join(
        f"CREATE STREAM {name} ({one} BIGINT, {other} BIGINT, PUNCTUATED ON ({CLOSED[name]})) USING json"
        f" OPTIONS (path '{name}', maxFilesPerTrigger 1);"
        for name, (one, other) in COLUMNS.items()
    )
    + "CREATE SINK triangles USING json OPTIONS (path 'triangles');"
    + f"INSERT INTO triangles {TRIANGLES};"
    + "CREATE SINK counts USING json OPTIONS (path 'counts');"
    + f"INSERT INTO counts {COUNTS};"
)


def rows(name: str, n: int) -> list[dict[str, int]]:
    """The rows of a file: new keys in each."""
    chance = random.Random(f"{name} {n}")
    keys = range(n * KEYS, (n + 1) * KEYS)
    return [{column: chance.choice(keys) for column in COLUMNS[name]} for _ in range(4 * KEYS)]


def write(directory: Path, files: range) -> None:
    for name in COLUMNS:
        (directory / name).mkdir(exist_ok=True)
        for n in files:
            elements: list[Any] = list(rows(name, n))
            elements += [{"$punct": {CLOSED[name]: k}} for k in range(n * KEYS, (n + 1) * KEYS)]
            (directory / name / f"{n}.json").write_text("".join(json.dumps(e) + "\n" for e in elements))


def test_a_join_that_is_safe_only_as_one(spark: SparkSession, tmp_path: Path) -> None:
    kept: list[int] = []
    for files in (range(3), range(3, BATCHES)):
        write(tmp_path, files)
        queries = Session(spark).sql(SCRIPT, tmp_path)
        assert isinstance(queries, list)
        for query in queries:
            query.start(tmp_path / "checkpoint" / query.name, available_now=True).wait()
    for line in (tmp_path / "checkpoint/triangles/punctum/metrics.jsonl").read_text().splitlines():
        kept.append(json.loads(line)["operators"]["s1o0"]["rows_kept"])
    assert len(kept) == BATCHES and max(kept) <= 4 * KEYS, "closed in the batch that brings them"
    with duckdb.connect() as connection:
        for name in COLUMNS:
            connection.register(name, pl.DataFrame([row for n in range(BATCHES) for row in rows(name, n)]).to_arrow())
        for name, sql in (("triangles", TRIANGLES), ("counts", COUNTS)):
            files_of = (tmp_path / name).glob("part-*")
            found = [tuple(json.loads(line).values()) for file in files_of for line in file.read_text().splitlines()]
            wanted = connection.execute(sql).fetchall()
            assert Counter(found) == Counter(wanted) and wanted, name
