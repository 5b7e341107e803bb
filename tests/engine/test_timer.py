"""EXPECT WITHIN by the clock without new data: a batch when something can expire, and none otherwise."""

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.datasource import ReadAllAvailable

from lanes import PATIENCE
from punctum.algebra import Schema
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.scheme import Scheme
from punctum.engine.exchange.quarantine import read_records
from punctum.engine.sources.reader import Directory, PackedFilesReader
from punctum.engine.sources.timer import Timer, write_due
from punctum.operators.columns import ColumnarSlice, frame
from punctum.operators.expect import Expect
from punctum.session import Session

BID = Schema.of(itemid="BIGINT", increase="BIGINT")
LIMIT = ReadAllAvailable()


def reader(tmp_path: Path) -> PackedFilesReader:
    (tmp_path / "in").mkdir(exist_ok=True)
    directory = Directory("bid-1-0", "bid", str(tmp_path / "in"), "json", str(tmp_path / "log"), b"")
    return PackedFilesReader([directory], 1, Timer.of(str(tmp_path), 1))


def test_an_offset_changes_when_something_is_due(tmp_path: Path) -> None:
    offers = reader(tmp_path)
    start = offers.initialOffset()
    assert offers.latestOffset(start, LIMIT) == start
    write_due(tmp_path, {"s1o0": {"due": time.time() + 1000}, "s2o0": {"due": 5.0}})
    assert offers.latestOffset(start, LIMIT) == start, "what is due is in another stage, or later"
    time.sleep(0.01)
    write_due(tmp_path, {"s1o0": {"due": 5.0}, "s1o1": {"due": time.time() + 1000}, "s1o2": {}})
    end = offers.latestOffset(start, LIMIT)
    assert end["files"] == start["files"] and start.get("clock", 0) < end["clock"] <= time.time() * 1000
    (task,) = offers.partitions(start, end)
    assert task.value[:3] == ([], 0, {})
    time.sleep(0.01)
    write_due(tmp_path, {"s1o0": {}})
    assert offers.latestOffset(end, LIMIT) == end
    assert offers.partitions(end, end) == []


def test_what_is_available_now_waits_for_no_timer(tmp_path: Path) -> None:
    write_due(tmp_path, {"s1o0": {"due": time.time() + 1000}})
    offers = reader(tmp_path)
    offers.prepareForTriggerAvailableNow()
    time.sleep(0.01)
    write_due(tmp_path, {"s1o0": {"due": 5.0}})
    assert offers.latestOffset(offers.initialOffset(), LIMIT) == offers.initialOffset()
    offers = reader(tmp_path)
    offers.prepareForTriggerAvailableNow()
    end = offers.latestOffset(offers.initialOffset(), LIMIT)
    assert "clock" in end, "it was due before"
    assert offers.latestOffset(end, LIMIT) == end, "once"


def test_nothing_is_written_for_queries_without_a_clock(tmp_path: Path) -> None:
    write_due(tmp_path, {"s1o0": {"rows_in": 3}})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"1": "soon"}'])
def test_a_file_that_is_no_more_what_it_was_is_no_timer(tmp_path: Path, damage: str) -> None:
    write_due(tmp_path, {"s1o0": {"due": 5.0}})
    (tmp_path / "punctum/due.json").write_text(damage)
    offers = reader(tmp_path)
    assert offers.latestOffset(offers.initialOffset(), LIMIT) == offers.initialOffset()


def test_a_value_is_due_when_its_first_row_is_too_old() -> None:
    expect, begun = Expect(Scheme.of(BID, "itemid"), timedelta(seconds=10)), datetime(2026, 11, 17, tzinfo=UTC)
    assert expect.due is None
    for seconds, rows in enumerate([[(1, 1)], [(2, 1)], [(1, 5)]]):
        expect.at(begun + timedelta(seconds=seconds))
        expect.feed(ColumnarSlice(frame(BID, rows)))
        assert expect.due == begun + timedelta(seconds=10)
    expect.feed(ColumnarSlice(frame(BID, []), (Punctuation.of(BID, itemid=1),)))
    assert expect.due == begun + timedelta(seconds=11)
    expect.at(begun + timedelta(seconds=11))
    expect.feed(ColumnarSlice(frame(BID, [])))
    assert [swept.rows for swept in expect.swept] == [1]
    assert expect.due is None


SCRIPT = """
CREATE STREAM bid (itemid BIGINT, increase BIGINT, PUNCTUATED ON (itemid) EXPECT WITHIN '2 seconds')
USING json OPTIONS (path 'bid');
CREATE SINK total USING json OPTIONS (path 'out');
INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
"""


def test_a_running_query_sweeps_without_new_data(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "bid").mkdir()
    lines = [{"itemid": 1, "increase": 2}, {"itemid": 2, "increase": 3}, {"$punct": {"itemid": 2}}]
    (tmp_path / "bid/1.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (query,) = Session(spark).script(SCRIPT, tmp_path)
    query.start(tmp_path / "checkpoint")
    until = time.monotonic() + PATIENCE
    while not (swept := list(read_records(tmp_path / "out"))) and time.monotonic() < until and query.running:
        time.sleep(0.1)
    time.sleep(2)
    query.stop()
    assert sorted(record["text"] for record in swept) == ["1 row", '{"itemid":1,"total":2}']
    metrics = [json.loads(line) for line in (tmp_path / "checkpoint/punctum/metrics.jsonl").read_text().splitlines()]
    assert [batch["quarantined"] for batch in metrics] == [0, 2], "a batch with data, one by the clock, and no other"
    first, second = (batch["operators"]["s1o0"] for batch in metrics)
    assert "due" in first and "due" not in second
    assert second["values_swept"] == 1
    for file in (tmp_path / "checkpoint/commits").glob("*1*"):
        file.unlink()
    query.start(tmp_path / "checkpoint", available_now=True).wait()
    assert list(read_records(tmp_path / "out")) == swept, "a batch by the clock that is done again is the same"
