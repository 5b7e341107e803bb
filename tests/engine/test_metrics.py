"""What can be seen of a running query: counts of each operator and batch, and what the oldest kept row waits for."""

import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from engine.queries import QUERIES
from engine.test_buckets import STREAMS
from punctum.engine.runtime.metrics import oldest
from punctum.operators.columns import ColumnarSlice, frame
from punctum.parse import parse_query
from punctum.session import Session
from punctum.testing.simulate import Simulation

SCRIPT = """
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE SINK total USING json OPTIONS (path 'out');
INSERT INTO total SELECT i.itemid, SUM(increase) AS total FROM item i JOIN bid b
  ON i.itemid = b.itemid GROUP BY i.itemid;
"""


def write(path: Path, *elements: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(element) + "\n" for element in elements))


def closed(itemid: int) -> dict[str, Any]:
    return {"$punct": {"itemid": itemid}}


def test_what_is_counted_and_what_is_oldest(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    started = time.time()
    write(tmp_path / "item/1.json", *({"itemid": n, "name": "a"} for n in (1, 2)), closed(1), closed(2))
    write(tmp_path / "bid/1.json", *({"itemid": n, "increase": 2.0} for n in (1, 2, 1)))
    with caplog.at_level(logging.INFO, "punctum"):
        for _ in range(2):  # the second time with another session's memory: all has to come from the checkpoint
            (query,) = Session(spark).script(SCRIPT, tmp_path)
            query.start(tmp_path / "checkpoint", available_now=True).wait()
            write(tmp_path / "bid/2.json", closed(1), {"itemid": 2, "increase": 1.0})
    first, second = map(json.loads, (tmp_path / "checkpoint/punctum/metrics.jsonl").read_text().splitlines())
    join, groups = (first["operators"][name] for name in ("s1o0", "s1o1"))
    assert (join["rows_in"], join["rows_out"], join["rows_purged"], join["rows_kept"]) == (5, 3, 0, 2)
    assert (join["puncts_in"], join["puncts_out"], join["puncts_waiting"]) == (2, 0, 2)
    assert join["puncts_received"] == 1, "neighbours coalesce"
    assert (groups["rows_in"], groups["rows_out"], groups["rows_kept"]) == (3, 0, 2)
    since, what = join["oldest"]
    assert started < since < time.time()
    assert what in ("bid(itemid=1)", "bid(itemid=2)")
    join, groups = (second["operators"][name] for name in ("s1o0", "s1o1"))
    assert (join["rows_in"], join["rows_out"], join["rows_purged"], join["rows_kept"]) == (1, 1, 1, 1)
    assert (join["puncts_in"], join["puncts_out"], join["puncts_waiting"]) == (1, 2, 1), "the bids' and the item's own"
    assert (groups["rows_out"], groups["rows_purged"]) == (1, 1)
    assert join["oldest"] == [since, "bid(itemid=2)"], "as old as it was before the restart"
    (shown,) = [record.message for record in caplog.records if "batch 1" in record.message]
    assert shown.startswith("total: batch 1, 1 rows out, ")
    assert "bid(itemid=2) has been open for" in shown or "item(itemid=2) has been open for" in shown


@pytest.mark.parametrize("name", QUERIES)
def test_what_tables_wait_for_are_their_columns(name: str) -> None:
    simulation = Simulation(parse_query(QUERIES[name], STREAMS), buckets=1)
    streams = {each: STREAMS[each].schema for each in ("a", "b")}
    simulation.feed(
        {each: ColumnarSlice(frame(schema, [(1, 2, "x"), (None, 0, None)])) for each, schema in streams.items()}
    )
    for running in simulation._running.values():
        for table in running.flow.tables().values():
            table.date(5.0)
        kept = {n for n, operator in enumerate(running.flow.operators) if operator.size().rows}
        found = oldest(running.flow)
        assert kept == found.keys()
        assert {since for since, _ in found.values()} <= {5.0}
        assert {what.partition("(")[0] for _, what in found.values()} <= {"a", "b", "stage 1", "stage 2"}
