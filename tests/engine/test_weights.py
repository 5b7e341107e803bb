"""Counts, averages and filtered aggregates of rows that were folded where they are read: what DuckDB gives for all."""

import json
import random
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from engine.test_fold import UNWEIGHED, Run
from engine.test_time_windows import hopped
from lanes import LONG, one_of
from punctum.algebra.values import Row
from punctum.compile import CompiledQuery, compile, compile_relation
from punctum.operators.fold import WORTH

STREAMS = """
CREATE STREAM a (k BIGINT, ts TIMESTAMP_NTZ NOT NULL, v BIGINT, x DOUBLE, s STRING, n BIGINT NOT NULL,
  PUNCTUATED ON (k), PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, g BIGINT, UNIQUE (k)) USING json OPTIONS (path 'b');
CREATE SINK o USING json OPTIONS (path 'o');
INSERT INTO o
"""
START = datetime(2026, 11, 18, 11, 59, 30)
HOP = "window(ts, '5 seconds', '2 seconds')"
SAME = [
    "SELECT k, COUNT(*) AS n FROM a GROUP BY k",
    "SELECT k, COUNT(v) AS c, COUNT(*) AS n, SUM(v) AS t FROM a GROUP BY k",
    "SELECT k, COUNT(n) AS c, AVG(v) AS m, AVG(x) AS y, MIN(v) AS l, MAX(v) AS h, SUM(v) AS t FROM a GROUP BY k",
    "SELECT k, COUNT(*) FILTER (WHERE v > 2) AS c, COUNT(v) FILTER (WHERE v < 3) AS d FROM a GROUP BY k",
    "SELECT k, SUM(v) FILTER (WHERE x > 0) AS c, AVG(v) FILTER (WHERE x > 0) AS d, MIN(s) FILTER (WHERE v = 1) AS e, "
    "MAX(n) FILTER (WHERE x > 7) AS f, COUNT(x) FILTER (WHERE s > 'b') AS h FROM a GROUP BY k",
    "SELECT k, v, COUNT(*) AS n, SUM(v) AS t FROM a GROUP BY k, v",
    "SELECT k, SUM(y) AS t, COUNT(y) AS c FROM (SELECT k, v * 2 AS y FROM a WHERE n > 1) GROUP BY k",
    "SELECT k, COUNT(*) AS n FROM a GROUP BY k HAVING COUNT(*) > 100 AND AVG(v) > 1",
    "SELECT a.k, COUNT(*) AS n FROM a JOIN b ON a.k = b.k GROUP BY a.k",
    "SELECT a.k, COUNT(*) AS n, AVG(v) AS m, MAX(g) AS g FROM b JOIN a ON a.k = b.k AND b.g < a.n GROUP BY a.k",
]
HOPPED = {
    f"SELECT k, {HOP}.start AS w, COUNT(*) AS n FROM a GROUP BY k, {HOP}": (
        f"SELECT k, w, COUNT(*) AS n FROM {hopped()} GROUP BY ALL"
    ),
    f"SELECT k, {HOP}.end AS e, COUNT(v) AS c, AVG(x) AS m FROM a WHERE n > 1 GROUP BY k, {HOP}": (
        f"SELECT k, w + INTERVAL 5 SECOND AS e, COUNT(v) AS c, AVG(x) AS m FROM {hopped()} WHERE n > 1 GROUP BY k, w"
    ),
}
QUERIES = {sql: sql for sql in SAME} | HOPPED


def compiled(select: str) -> CompiledQuery:
    return compile(STREAMS + select + ";").queries[0]


def written(directory: Path, chance: random.Random) -> dict[str, list[dict[str, Any]]]:
    """Files of both streams, which say that they are at their end, and their rows."""
    rows = {
        "a": [row(chance) for _ in range(6 * WORTH)],
        "b": [{"k": k, "g": chance.choice([None, 1, 2])} for k in range(9)],
    }
    for name, several in rows.items():
        (directory / name).mkdir()
        for n in range(2):
            lines = [json.dumps(each, default=str) for each in several[n::2]] + ['{"$punct": {}}'] * n
            (directory / name / f"{n}.json").write_text("\n".join(lines) + "\n")
    return rows


def row(chance: random.Random) -> dict[str, Any]:
    return {
        "k": chance.choice([0, 1, 2, 100, None]),
        "ts": (START + timedelta(seconds=chance.randrange(9))).isoformat(sep=" "),
        "v": chance.choice([None, 0, 1, 2, 3, -7]),
        "x": chance.choice([None, 0.5, 2.25]),
        "s": chance.choice([None, "a", "c", "é"]),
        "n": chance.choice([1, 2]),
    }


def batch(sql: str, rows: dict[str, list[dict[str, Any]]]) -> Counter[Row]:
    base = duckdb.connect()
    base.execute("CREATE TABLE a (k BIGINT, ts TIMESTAMP, v BIGINT, x DOUBLE, s VARCHAR, n BIGINT)")
    base.execute("CREATE TABLE b (k BIGINT, g BIGINT)")
    for name, several in rows.items():
        marks = ", ".join("?" * len(several[0]))
        base.executemany(f"INSERT INTO {name} VALUES ({marks})", [tuple(each.values()) for each in several])
    return Counter(rounded(row) for row in base.execute(sql).fetchall())


def rounded(row: Row) -> Row:
    return tuple(round(v, 9) if isinstance(v, float) else v for v in row)


@pytest.mark.parametrize("select", one_of(3, QUERIES))
def test_what_is_counted_may_be_folded(select: str, tmp_path: Path) -> None:
    for seed in range(5 if LONG else 1):
        chance, directory = random.Random(f"{select} {seed}"), tmp_path / str(seed)
        directory.mkdir()
        rows, wanted = written(directory, chance), Counter[Row]()
        run = Run(compiled(select).last, directory, chance.choice([1, 2, 3]), True)
        for files in (["0.json"], ["1.json"]):
            given, records, _ = run.batch(files)
            wanted += Counter(rounded(row) for row in given)
            assert not records
        assert wanted == batch(QUERIES[select], rows)
        assert run.folded > WORTH


@pytest.mark.parametrize("select", QUERIES)
def test_columns_and_their_domains_are_the_same(select: str) -> None:
    query = compiled(select)
    plain = compile_relation(query.query.relation, passes=UNWEIGHED)
    assert query.last.schema == plain.last.schema
    assert str(query.last) != str(plain.last)


@pytest.mark.parametrize(
    "select",
    [
        "SELECT k, COUNT(DISTINCT v) AS n, COUNT(*) AS c FROM a GROUP BY k",
        "SELECT k, STDDEV(x) AS n, COUNT(*) AS c FROM a GROUP BY k",
        "SELECT a.k, COUNT(v) AS n, COUNT(g) AS c FROM a JOIN b ON a.k = b.k GROUP BY a.k",
        "SELECT k, COUNT(*) AS n FROM (SELECT DISTINCT k, v FROM a) GROUP BY k",
        "SELECT k, SUM(v) AS t, MAX(n) AS n FROM a GROUP BY k",
    ],
)
def test_what_could_not_be_folded_is_left_alone(select: str) -> None:
    query = compiled(select)
    plain = compile_relation(query.query.relation, passes=UNWEIGHED)
    assert str(query.last) == str(plain.last)
