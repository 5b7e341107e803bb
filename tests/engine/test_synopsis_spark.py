"""Queries on synopses, on Spark: the batch answer, stopped and resumed, with a flat state and no punctuation."""

import json
import random
from collections import Counter
from pathlib import Path

import duckdb
import polars as pl
from pyspark.sql import SparkSession

from punctum.session import Session

BATCHES = 6
COLUMNS = {"s": ("a", "b"), "t": ("d", "e")}
PAIRS = "SELECT a FROM s JOIN t ON a = d WHERE a > 10 AND d < 20"
SUMS = "SELECT a, SUM(b) AS t, COUNT(*) AS n FROM s JOIN t ON a = d WHERE a > 10 AND d < 20 GROUP BY a"
BEST = "SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a > 10 AND d < 20"
SCRIPT = (
    "".join(
        f"CREATE STREAM {name} ({one} BIGINT, {other} BIGINT) USING json OPTIONS (path '{name}', maxFilesPerTrigger 1);"
        for name, (one, other) in COLUMNS.items()
    )
    + f"CREATE SINK pairs USING json OPTIONS (path 'pairs'); INSERT INTO pairs {PAIRS};"
    + f"CREATE SINK sums USING json OPTIONS (path 'sums'); INSERT INTO sums {SUMS};"
    + f"CREATE SINK best USING json OPTIONS (path 'best'); INSERT INTO best {BEST};"
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


def test_joins_without_punctuations(spark: SparkSession, tmp_path: Path) -> None:
    for files in (range(2), range(2, BATCHES)):
        write(tmp_path, files)
        queries = Session(spark).script(SCRIPT, tmp_path)
        for query in queries:
            query.start(tmp_path / "checkpoint" / query.name, available_now=True).wait()
    with duckdb.connect() as connection:
        for name in COLUMNS:
            connection.register(name, pl.DataFrame([row for n in range(BATCHES) for row in rows(name, n)]).to_arrow())
        for name, sql in (("pairs", PAIRS), ("best", BEST)):
            files_of = (tmp_path / name).glob("part-*")
            found = [tuple(json.loads(line).values()) for file in files_of for line in file.read_text().splitlines()]
            wanted = connection.execute(sql).fetchall()
            assert Counter(found) == Counter(wanted) and wanted, name
        groups: dict[int, tuple[int, ...]] = {}
        for file in sorted((tmp_path / "sums").glob("part-*")):
            groups |= {row["a"]: tuple(row.values()) for row in map(json.loads, file.read_text().splitlines())}
        assert Counter(groups.values()) == Counter(connection.execute(SUMS).fetchall()), "the last row of each group"
    for name, most in (("pairs", 18), ("best", 27), ("sums", 18)):
        lines = (tmp_path / f"checkpoint/{name}/punctum/metrics.jsonl").read_text().splitlines()
        kept = [json.loads(line)["operators"]["s1o0"]["rows_kept"] for line in lines]
        assert len(kept) == BATCHES and max(kept) <= most


WINDOW = "SELECT x.a, y.e FROM s [ROWS 40] AS x JOIN t [ROWS 7] AS y ON x.a = y.d WHERE x.b > 100"
LAST = "SELECT a, SUM(b) AS t, COUNT(*) AS n FROM s [ROWS 40] GROUP BY a"


def test_windows(spark: SparkSession, tmp_path: Path) -> None:
    """Two files a batch, stopped and resumed: batches are known, so what is in the windows is."""
    script = SCRIPT.split("CREATE SINK")[0].replace("Trigger 1", "Trigger 2")
    for name, sql in (("met", WINDOW), ("last", LAST)):
        script += f"CREATE SINK {name} USING json OPTIONS (path '{name}'); INSERT INTO {name} {sql};"
    for files in (range(2), range(2, BATCHES)):
        write(tmp_path, files)
        queries = Session(spark).script(script, tmp_path)
        for query in queries:
            query.start(tmp_path / "checkpoint" / query.name, available_now=True).wait()
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
    found = [tuple(json.loads(line).values()) for f in (tmp_path / "met").glob("part-*") for line in f.open()]
    assert Counter(found) == wanted and found
    groups: dict[int, dict[str, int]] = {}
    for file in sorted((tmp_path / "last").glob("part-*")):
        groups |= {row["a"]: row for row in map(json.loads, file.read_text().splitlines())}
    now = Counter(row["a"] for row in came["s"][-40:])
    assert {a: row["n"] for a, row in groups.items()} == {a: now[a] for a in groups} and now.keys() <= groups.keys()
    for name, most in (("met", 47), ("last", 40)):
        lines = (tmp_path / f"checkpoint/{name}/punctum/metrics.jsonl").read_text().splitlines()
        assert max(json.loads(line)["operators"]["s1o0"]["rows_kept"] for line in lines) <= most
