"""Queries on synopses, on Spark: the batch answer, stopped and resumed, with a flat state and no punctuation."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from pyspark.sql import SparkSession

from lanes import long
from punctum.session import Session

BATCHES = 6
COLUMNS = {"s": ("a", "b"), "t": ("d", "e")}
QUERIES = {  # and the most rows that each keeps
    "pairs": ("SELECT a FROM s JOIN t ON a = d WHERE a > 10 AND d < 20", 18),
    "sums": ("SELECT a, SUM(b) AS t, COUNT(*) AS n FROM s JOIN t ON a = d WHERE a > 10 AND d < 20 GROUP BY a", 18),
    "best": ("SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a > 10 AND d < 20", 27),
    "met": ("SELECT x.a, y.e FROM s [ROWS 40] AS x JOIN t [ROWS 7] AS y ON x.a = y.d WHERE x.b > 100", 47),
    "last": ("SELECT a, SUM(b) AS t, COUNT(*) AS n FROM s [ROWS 40] GROUP BY a", 40),
}
DDL = "".join(
    f"CREATE STREAM {name} ({one} BIGINT, {other} BIGINT) USING json OPTIONS (path '{name}', maxFilesPerTrigger 1);"
    for name, (one, other) in COLUMNS.items()
)


def rows(name: str, n: int) -> list[dict[str, int]]:
    """The rows of a file; b falls and e rises without end."""
    chance = random.Random(f"{name} {n}")
    free = 1_000 - 100 * n if name == "s" else 100 * n
    one, other = COLUMNS[name]
    return [{one: chance.randint(5, 25), other: free + chance.randint(0, 150)} for _ in range(30)]


def write(directory: Path, files: range) -> None:
    for name in COLUMNS:
        (directory / name).mkdir(exist_ok=True)
        for n in files:
            (directory / name / f"{n}.json").write_text("".join(json.dumps(row) + "\n" for row in rows(name, n)))


def run(spark: SparkSession, directory: Path, name: str, ddl: str = DDL) -> list[dict[str, int]]:
    """What a query gives, stopped and resumed, in the order of its batches; it keeps no more than is said above."""
    sql, most = QUERIES[name]
    script = f"{ddl} CREATE SINK {name} USING json OPTIONS (path 'out'); INSERT INTO {name} {sql};"
    for files in (range(2), range(2, BATCHES)):
        write(directory, files)
        queries = Session(spark).script(script, directory)
        queries[0].start(directory / "checkpoint", available_now=True).wait()
    lines = (directory / "checkpoint/punctum/metrics.jsonl").read_text().splitlines()
    kept = [json.loads(line)["operators"]["s1o0"]["rows_kept"] for line in lines]
    assert len(kept) == (BATCHES if ddl == DDL else BATCHES // 2) and max(kept) <= most
    return [json.loads(line) for file in sorted((directory / "out").glob("part-*")) for line in file.open()]


def batch(name: str) -> Counter[Any]:
    """The rows that a query gives over all files at once."""
    with duckdb.connect() as connection:
        for stream in COLUMNS:
            known = [row for n in range(BATCHES) for row in rows(stream, n)]
            connection.register(stream, pl.DataFrame(known).to_arrow())
        return Counter(connection.execute(QUERIES[name][0]).fetchall())


@long
@pytest.mark.parametrize("name", ["best", "pairs"])
def test_joins_without_punctuations(spark: SparkSession, tmp_path: Path, name: str) -> None:
    found = Counter(tuple(row.values()) for row in run(spark, tmp_path, name))
    assert found == batch(name) and found


def test_groups_without_punctuations(spark: SparkSession, tmp_path: Path) -> None:
    groups = {row["a"]: tuple(row.values()) for row in run(spark, tmp_path, "sums")}
    assert Counter(groups.values()) == batch("sums"), "the last row of each group"


TWO_FILES = DDL.replace("Trigger 1", "Trigger 2")
"""A batch: batches are known, so what is in the windows is."""


@long
def test_groups_of_a_window(spark: SparkSession, tmp_path: Path) -> None:
    groups = {row["a"]: row for row in run(spark, tmp_path, "last", TWO_FILES)}
    now = Counter(row["a"] for row in [row for n in range(BATCHES) for row in rows("s", n)][-40:])
    assert {a: row["n"] for a, row in groups.items()} == {a: now[a] for a in groups} and now.keys() <= groups.keys()


def test_a_join_of_windows(spark: SparkSession, tmp_path: Path) -> None:
    came: dict[str, list[dict[str, int]]] = {"s": [], "t": []}
    wanted = Counter[tuple[int, int]]()
    for n in range(0, BATCHES, 2):
        for row in rows("s", n) + rows("s", n + 1):
            met = [each["e"] for each in came["t"][-7:] if each["d"] == row["a"] and row["b"] > 100]
            wanted.update((row["a"], e) for e in met)
            came["s"].append(row)
        for row in rows("t", n) + rows("t", n + 1):
            wanted.update((row["d"], row["e"]) for x in came["s"][-40:] if x["a"] == row["d"] and x["b"] > 100)
            came["t"].append(row)
    found = Counter(tuple(row.values()) for row in run(spark, tmp_path, "met", TWO_FILES))
    assert found == wanted and found
