"""The interval join on Spark, with a delay and sums by the hour: the batch answer, resumed, with flat state."""

import json
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
from pyspark.sql import SparkSession

from punctum.session import Session

FILES, START = 8, datetime(2026, 11, 17, tzinfo=UTC)
QUERY = """
SELECT DATE_TRUNC('hour', a.ts) AS hour, COUNT(*) AS n, SUM(b.v) AS total
FROM a JOIN b ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 20 MINUTES
GROUP BY DATE_TRUNC('hour', a.ts)
"""
SCRIPT = (
    "".join(
        f"CREATE STREAM {name} (id BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATE (ts ASC) DELAY '2 minutes') "
        f"USING json OPTIONS (path '{name}', maxFilesPerTrigger 1);"
        for name in "ab"
    )
    + f"CREATE SINK sums USING json OPTIONS (path 'sums'); INSERT INTO sums {QUERY};"
)


def rows(name: str, n: int) -> list[dict[str, object]]:
    """The rows of half an hour, up to two minutes late."""
    chance = random.Random(f"{name} {n}")
    times = (START + timedelta(minutes=30 * n + i - chance.randrange(2)) for i in range(30))
    return [{"id": chance.randrange(3), "ts": t.isoformat(), "v": chance.randrange(9)} for t in times]


def write(directory: Path, files: range) -> None:
    for name in "ab":
        (directory / name).mkdir(parents=True, exist_ok=True)
        for n in files:
            (directory / name / f"{n}.json").write_text("".join(json.dumps(row) + "\n" for row in rows(name, n)))


def batch() -> Counter[tuple[object, ...]]:
    """DuckDB's answer for the hours that are over."""
    base = duckdb.connect()
    for name in "ab":
        base.execute(f"CREATE TABLE {name} (id BIGINT, ts TIMESTAMP, v BIGINT)")
        given = [tuple(row.values()) for n in range(FILES) for row in rows(name, n)]
        base.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", [(i, str(t)[:19], v) for i, t, v in given])
    every = base.execute(QUERY).fetchall()
    last = START + timedelta(minutes=30 * FILES - 1)
    over = (last - timedelta(minutes=2 + 20)).replace(tzinfo=None)  # what both streams have passed, with an interval
    return Counter((hour, n, int(total)) for hour, n, total in every if hour + timedelta(hours=1) <= over)


def test_sums_of_intervals(spark: SparkSession, tmp_path: Path) -> None:
    for files in (range(FILES // 2), range(FILES // 2, FILES)):
        write(tmp_path, files)
        (query,) = Session(spark).script(SCRIPT, tmp_path)
        query.start(tmp_path / "checkpoint", available_now=True).wait()
    lines = [json.loads(line) for path in (tmp_path / "sums").glob("part-*") for line in path.read_text().splitlines()]
    found = Counter((datetime.fromisoformat(x["hour"]).replace(tzinfo=None), x["n"], x["total"]) for x in lines)
    wanted = batch()
    assert found == wanted and sum(wanted.values()) >= 2
    metrics = (tmp_path / "checkpoint/punctum/metrics.jsonl").read_text().splitlines()
    kept = [sum(each["rows_kept"] for each in json.loads(line)["operators"].values()) for line in metrics]
    assert len(kept) == FILES
    assert max(kept[FILES // 2 :]) <= max(kept[: FILES // 2]) + 30, "state grows"
