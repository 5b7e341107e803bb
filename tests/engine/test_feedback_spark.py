"""Two plans of one query under a merge, on Spark: with the signal, with an old one, and after a restart of the merge.

The merged output is the same; what differs is how often the plans' function is called.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyspark.sql import SparkSession

from lanes import also_long
from punctum.query import Query
from punctum.session import Session

FILES, ROWS = 3, 20
PLAN = """
CREATE STREAM s (k BIGINT, ts BIGINT, PUNCTUATED ON (ts ASC))
  USING json OPTIONS (path 'in', feedback '{0}.s.feedback');
CREATE TEMPORAL STREAM wanted AS {1};
CREATE SINK {0} USING json OPTIONS (path '{0}', elements 'true', feedback 'm.feedback');
INSERT INTO {0} SELECT * FROM wanted;
"""
SELECTED = "SELECT k, odd(k) AS odd, ts - 5 AS _vs FROM s"
GROUPED = "SELECT MIN(k) AS k, odd(MIN(k)) AS odd, t AS _vs FROM (SELECT k, ts - 5 AS t FROM s) GROUP BY t"
MERGE = """
CREATE TEMPORAL STREAM a (k BIGINT, odd BOOLEAN, KEY (k)) USING json OPTIONS (path 'a');
CREATE TEMPORAL STREAM b (k BIGINT, odd BOOLEAN, KEY (k)) USING json OPTIONS (path 'b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (feedback 'm.feedback', case 'R3');
CREATE SINK merged USING json OPTIONS (path 'merged', elements 'true');
INSERT INTO merged SELECT * FROM m;
"""


def write(directory: Path, files: range) -> None:
    """A row for each time, and how far the file is."""
    (directory / "in").mkdir(exist_ok=True)
    for n in files:
        rows = [{"k": ts % 7, "ts": ts} for ts in range(n * ROWS, (n + 1) * ROWS)]
        end = {} if n == FILES - 1 else {"ts": {"lt": (n + 1) * ROWS}}
        lines = [json.dumps(each) for each in [*rows, {"$punct": end}]]
        (directory / "in" / f"{n:02}.json").write_text("\n".join(lines))


class Plans:
    """The plans and the merge, each to be run for as long as it has anything to do."""

    def __init__(self, spark: SparkSession, directory: Path, selects: dict[str, str]) -> None:
        self._spark, self._directory = spark, directory
        self._scripts = {name: PLAN.format(name, sql) for name, sql in selects.items()} | {"merged": MERGE}
        self._running: dict[str, Query] = {}
        for name in selects:
            (directory / name).mkdir()

    def run(self, name: str) -> int:
        """Let one do all that is there, and say for how many rows its function was called by now."""
        calls = self._directory / f"{name}.calls"

        def odd(k: pl.Series) -> pl.Series:
            with calls.open("a") as out:
                out.write(f"{len(k)}\n")
            return k % 2 == 1

        if name not in self._running:
            session = Session(self._spark)
            session.function("odd", odd, takes=["BIGINT"], gives="BOOLEAN")
            (query,) = session.script(self._scripts[name], self._directory)
            assert isinstance(query, Query)
            self._running[name] = query.start(self._directory / "state" / name)
        self._running[name].catch_up()
        return sum(map(int, calls.read_text().split())) if calls.exists() else 0

    def metrics(self, name: str) -> Sequence[Mapping[str, Any]]:
        """The metrics of the batches that one has done."""
        return self._running[name].metrics()

    def stop(self, *names: str) -> None:
        """Stop some, or all."""
        for name in names or list(self._running):
            self._running.pop(name).stop()

    def elements(self) -> list[str]:
        """What the merge has given, the order within a batch aside."""
        return [
            line
            for path in sorted((self._directory / "merged").glob("part-*"), key=lambda path: path.name.split("-")[2])
            for line in sorted(path.read_text().splitlines())
        ]


@pytest.mark.parametrize("signal", also_long("heard", more=["old"]))
def test_the_merge_gives_the_same(spark: SparkSession, tmp_path: Path, signal: str) -> None:
    plans = Plans(spark, tmp_path, {"a": SELECTED, "b": GROUPED if signal == "old" else SELECTED})
    try:
        tried(plans, tmp_path, signal)
    finally:
        plans.stop()


def tried(plans: Plans, tmp_path: Path, signal: str) -> None:
    feedback = tmp_path / "m.feedback"
    write(tmp_path, range(1))
    assert plans.run("a") == ROWS
    plans.run("merged")
    old = feedback.read_text()
    assert json.loads(old) == {"$punct": {"_ve": {"le": ROWS - 6}}}
    write(tmp_path, range(1, 2))
    plans.run("a")
    plans.run("merged")
    assert json.loads(feedback.read_text()) == {"$punct": {"_ve": {"le": 2 * ROWS - 6}}}
    plans.stop("merged")
    if signal == "old":
        feedback.write_text(old)
    write(tmp_path, range(2, FILES))
    called = plans.run("b")
    # the last event before the limit ends at it
    limit = ROWS * (2 if signal == "heard" else 1)
    assert called == FILES * ROWS - limit + 1
    assert sum(batch.get("skipped", {}).get("s", 0) for batch in plans.metrics("b")) == FILES * ROWS - called
    assert json.loads((tmp_path / "b.s.feedback").read_text()) == {"$punct": {"ts": {"le": limit - 2}}}
    plans.run("merged")
    assert json.loads(feedback.read_text()) == {"$punct": {}}
    inserts = [json.loads(line) for line in plans.elements() if "$stable" not in line]
    wanted = [{"k": ts % 7, "odd": ts % 7 % 2 == 1, "_vs": ts - 5, "_ve": ts - 4} for ts in range(FILES * ROWS)]
    assert sorted(inserts, key=lambda each: each["_vs"]) == wanted
    assert not list(tmp_path.glob("*.quarantine/*"))
