"""The time of the batch: the batch answer over rows with the times at which they came, also for a batch done again."""

import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql import SparkSession

from lanes import also_long, long
from punctum.algebra import Punctuation, Row, Schema, end_of_stream
from punctum.compile import compile_relation
from punctum.ir import StreamDef
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.operators.expect import instant
from punctum.operators.stamped import Stamped
from punctum.parse import parse_query, parse_script
from punctum.session import Session
from punctum.spec.stamped import Stamped as Specified
from punctum.spec.stream import Slice
from punctum.testing.simulate import Simulation

SCHEMA = Schema.of(k="BIGINT", v="BIGINT")
TIMED = Schema.of(k="BIGINT", v="BIGINT", p="TIMESTAMP")
START = 1_795_000_000_000
STREAMS = "".join(f"CREATE STREAM {x} (k BIGINT, v BIGINT, PUNCTUATED ON (k)) USING json;" for x in "ab")
STAMPED = "(SELECT *, now() AS p FROM a)"
WINDOW = "time_bucket(INTERVAL '5 seconds', p)"
LATE = "p > TIMESTAMP '2026-11-18 11:06:45'"
QUERIES = {
    "shown": ("SELECT v + 1 AS v, current_timestamp() AS p FROM a WHERE k > 0", "SELECT v + 1, p FROM a WHERE k > 0"),
    "its day": ("SELECT current_date() AS d, localtimestamp() AS p FROM a", "SELECT CAST(p AS DATE), p FROM a"),
    "windows": (
        f"SELECT window(p, '5 seconds').start AS w, k, SUM(v) AS s FROM {STAMPED} GROUP BY window(p, '5 seconds'), k",
        f"SELECT {WINDOW} AS w, k, SUM(v) FROM a GROUP BY ALL",
    ),
    "groups": (
        f"SELECT c, COUNT(*) AS n FROM (SELECT k, COUNT(*) AS c, MAX(p) AS m FROM {STAMPED} GROUP BY k) GROUP BY c "
        "HAVING c < 9",
        "SELECT c, COUNT(*) FROM (SELECT k, COUNT(*) AS c FROM a GROUP BY k) GROUP BY c HAVING c < 9",
    ),
    "joined": (
        f"SELECT a.v, b.v AS u, a.p FROM {STAMPED} a JOIN b ON a.k = b.k",
        "SELECT a.v, b.v, a.p FROM a JOIN b USING (k)",
    ),
    "distinct": ("SELECT DISTINCT k, PROCTIME() AS p FROM a", "SELECT DISTINCT k, p FROM a"),
    "sorted": ("SELECT k, now() AS p FROM a ORDER BY p", "SELECT k, p FROM a"),
    "filtered": (f"SELECT v FROM {STAMPED} WHERE {LATE}", f"SELECT v FROM a WHERE {LATE}"),
}
FLAT = ("windows", "distinct", "sorted")
"""Queries that need no punctuations but those of the time."""


def times(seed: int, most: int) -> Iterator[int]:
    """The times of batches, by clocks that are set back now and then."""
    chance, now = random.Random(seed), START
    for _ in range(most):
        now += chance.choice([0, 1, 700, 3000, -2000])
        yield now


def rows(chance: random.Random) -> list[Row]:
    return [(chance.choice([0, 1, 2, None]), chance.randrange(9)) for _ in range(chance.randrange(4))]


def batch(sql: str, came: list[Row], others: list[Row]) -> Counter[Row]:
    """DuckDB's answer, in which times are local ones in UTC."""
    base = duckdb.connect()
    base.execute("CREATE TABLE a (k BIGINT, v BIGINT, p TIMESTAMP); CREATE TABLE b (k BIGINT, v BIGINT)")
    plain = [(k, v, p.replace(tzinfo=None)) for k, v, p in came if isinstance(p, datetime)]
    base.executemany("INSERT INTO a VALUES (?, ?, ?)", [*plain])
    base.executemany("INSERT INTO b VALUES (?, ?)", others)
    return Counter(base.execute(sql).fetchall())


def local(row: Row) -> Row:
    return tuple(value.replace(tzinfo=None) if isinstance(value, datetime) else value for value in row)


@pytest.mark.parametrize("buckets", also_long(3, more=[1, 4]))
@pytest.mark.parametrize("name", QUERIES)
def test_the_batch_answer_over_the_times_of_batches(name: str, buckets: int) -> None:
    sql, in_batch = QUERIES[name]
    streams = parse_script(STREAMS).streams
    for seed in range(2):
        chance = random.Random(seed)
        engine, stamp = Simulation(parse_query(sql, streams), buckets, restart=seed == 1), Specified(TIMED)
        came, others, out, kept = list[Row](), list[Row](), Counter[Row](), list[int]()
        for now in [*times(seed, 60), START + 10**6]:
            last = now == START + 10**6
            mine, theirs = rows(chance), rows(chance)
            ended = (end_of_stream(SCHEMA),) if last else ()
            came += stamp.feed(Slice(tuple(mine), ()), instant(now)).rows
            others += theirs
            pieces = {n: ColumnarSlice(frame(SCHEMA, of), ended) for n, of in (("a", mine), ("b", theirs))}
            out += Counter(map(local, to_rows(engine.feed({n: pieces[n] for n in names(sql)}, now).rows)))
            kept.append(engine.kept())
        assert out == batch(in_batch, came, others)
        assert len(out) > 5 or name == "groups"
        if name in FLAT:
            assert max(kept) < 40 and len(came) > 60, "what is before the time of the batch is closed"


def names(sql: str) -> str:
    return "ab" if "JOIN" in sql else "a"


def test_vectorised_as_specified() -> None:
    chance, running, specified = random.Random(7), Stamped(SCHEMA, TIMED), Specified(TIMED)
    for now in map(instant, times(3, 40)):
        some = [Punctuation.of(SCHEMA, k=chance.randrange(9)) for _ in range(chance.randrange(2))]
        given = rows(chance)
        running.at(now)
        made = running.feed(ColumnarSlice(frame(SCHEMA, given), tuple(some)))
        meant = specified.feed(Slice(tuple(given), tuple(some)), now)
        assert (tuple(to_rows(made.rows)), made.puncts) == (meant.rows, meant.puncts)
        fresh = Stamped(SCHEMA, TIMED)
        fresh.restore_metadata(json.loads(json.dumps(running.metadata())))
        running = fresh


def test_what_waits_for_the_time_is_admitted_without_a_promise() -> None:
    bare = {"a": StreamDef("a", SCHEMA)}
    for name in (*FLAT, "groups"):
        compiled = compile_relation(parse_query(QUERIES[name][0], bare))
        assert compiled.analysis.admitted is (name in FLAT), name


@long
def test_a_batch_that_is_done_again_has_its_time(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "s.sql").write_text(
        "CREATE STREAM s (k BIGINT) USING json OPTIONS (path 'in', maxFilesPerTrigger 1);"
        "CREATE SINK o USING json OPTIONS (path 'out');"
        "INSERT INTO o SELECT w, n, now() AS at FROM (SELECT window(p, '1 second').start AS w, COUNT(*) AS n "
        "FROM (SELECT k, now() AS p FROM s) GROUP BY window(p, '1 second'));"
    )
    (tmp_path / "in").mkdir()
    (tmp_path / "in/1.json").write_text('{"k": 1}\n{"k": 2}\n')

    def run() -> list[Any]:
        (query,) = Session(spark).script((tmp_path / "s.sql").read_text(), tmp_path)
        query.start(tmp_path / "cp", available_now=True)
        query.wait()
        return sorted(line for file in tmp_path.glob("out/part-*") for line in file.read_text().splitlines())

    assert run() == []
    time.sleep(1.1)
    (tmp_path / "in/2.json").write_text('{"k": 3}\n')
    before = run()
    logs = [next(tmp_path.rglob("offsets")) / name for name in "01"]
    first, second = (instant(json.loads(log.read_text().splitlines()[1])["batchTimestampMs"]) for log in logs)
    (only,) = map(json.loads, before)
    assert only["n"] == 2 and datetime.fromisoformat(only["at"]) == second
    assert datetime.fromisoformat(only["w"]) == first.replace(microsecond=0)
    for file in next(tmp_path.rglob("commits")).glob("*1*"):
        file.unlink()
    shutil.rmtree(tmp_path / "out")
    time.sleep(0.1)
    assert run() == before and datetime.now(UTC) - second > timedelta(seconds=0.1)
