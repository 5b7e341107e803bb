"""Streams of topics on Spark, with a broker: what is read, and what becomes of a query whose broker or topic goes."""

import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from kafka.broker import Broker
from kafka.topics import create, delete, expire, new_topic, send, widen
from lanes import PATIENCE, long
from punctum import Session
from punctum.algebra.schema import Schema
from punctum.engine.kafka.broker import Brokers
from punctum.engine.kafka.read import fetch, fetched, read_range
from punctum.engine.kafka.topics import OffsetRange
from punctum.errors import MissingError, PunctumError
from punctum.operators.columns import to_rows
from punctum.query import Query

AUCTION = """
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, _partition BIGINT, PUNCTUATED ON (itemid){clauses})
  USING kafka OPTIONS (brokers '{brokers}', topic '{topic}'{options});
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE SINK closing USING json OPTIONS (path 'closing');
INSERT INTO closing
SELECT i.itemid, SUM(b.increase) AS total, COUNT(DISTINCT b._partition) AS partitions
FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid;
"""
ONE = Schema.of(n="BIGINT")


def auction(spark: SparkSession, path: Path, broker: Broker, topic: str, clauses: str = "", **options: str) -> Query:
    (path / "item").mkdir(exist_ok=True)
    given = "".join(f", {name} '{value}'" for name, value in options.items())
    text = AUCTION.format(brokers=broker.address, topic=topic, clauses=clauses, options=given)
    (path / "auction.sql").write_text(text)
    (query,) = Session(spark, buckets=2).script(path / "auction.sql")
    return query


def results(path: Path) -> list[tuple[int, float, int]]:
    files = sorted((path / "closing").glob("part-*.json"))
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return sorted((row["itemid"], row["total"], row["partitions"]) for row in rows)


def rejected(path: Path) -> list[dict[str, Any]]:
    files = sorted((path / "closing.quarantine").glob("part-*.json"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def items(path: Path) -> None:
    lines = [json.dumps({"itemid": n, "name": "vase"}) for n in range(10)]
    (path / "item" / "1.json").write_text("\n".join([*lines, '{"$punct": {}}', ""]))


def run(query: Query, path: Path) -> None:
    """All that is there now."""
    query.start(path / "state", available_now=True).wait()


def until(holds: Callable[[], bool]) -> None:
    """Wait for something."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def bid(itemid: int, increase: float) -> dict[str, Any]:
    return {"itemid": itemid, "increase": increase}


def over(itemid: int) -> dict[str, Any]:
    return {"$punct": {"itemid": itemid}}


def test_a_topic_is_read_partition_by_partition(spark: SparkSession, tmp_path: Path, broker: Broker) -> None:
    create(broker, "auction", 3)
    query = auction(spark, tmp_path, broker, "auction", maxOffsetsPerTrigger="4")
    items(tmp_path)
    send(broker, "auction", [bid(1, 5), bid(2, 1), over(1), b"oops", over(2)], 0)
    send(broker, "auction", [bid(1, 2), over(1), None], 1)
    run(query, tmp_path)
    assert results(tmp_path) == [], "partition 2 has said nothing"
    send(broker, "auction", [bid(1, 4), over(1), over(2), bid(1, 7)], 2)
    send(broker, "auction", [bid(3, 1)], 0, transaction="abort")
    send(broker, "auction", [bid(2, 3), over(3)], 1, transaction="commit")
    run(query, tmp_path)
    assert results(tmp_path) == [(1, 11.0, 3)]
    widen(broker, "auction", 4)
    send(broker, "auction", [over(2)], 1)
    run(query, tmp_path)
    assert results(tmp_path) == [(1, 11.0, 3)], "the new partition has said nothing"
    send(broker, "auction", [over(2), bid(1, 8)], 3)
    run(query, tmp_path)
    assert results(tmp_path) == [(1, 11.0, 3), (2, 4.0, 2)]
    places = {(r["topic"], r["partition"], r["offset"], r["text"]) for r in rejected(tmp_path)}
    late = json.dumps(bid(1, 7))
    assert places == {
        ("auction", 0, 3, "oops"),
        ("auction", 1, 2, ""),
        ("auction", 2, 3, late),
        ("auction", 3, 1, json.dumps(bid(1, 8))),
    }


@long
def test_who_has_a_key_alone_closes_it_alone(spark: SparkSession, tmp_path: Path, broker: Broker) -> None:
    create(broker, "keyed", 2)
    query = auction(spark, tmp_path, broker, "keyed", ", PARTITIONED BY (itemid)")
    items(tmp_path)
    send(broker, "keyed", [bid(1, 5), over(1), bid(1, 3)], 0)
    send(broker, "keyed", [bid(2, 4)], 1)
    run(query, tmp_path)
    assert results(tmp_path) == [(1, 5.0, 1)]
    assert [(r["partition"], r["offset"]) for r in rejected(tmp_path)] == [(0, 2)]


@long
def test_a_query_goes_on_when_its_broker_is_back(spark: SparkSession, tmp_path: Path) -> None:
    broker = Broker(tmp_path / "broker").start()
    try:
        create(broker, "away")
        query = auction(spark, tmp_path, broker, "away", idle="1 second")
        items(tmp_path)
        send(broker, "away", [bid(1, 5)])
        query.start(tmp_path / "state")
        until(lambda: bool(query.metrics()))
        broker.stop()
        broker.start()
        send(broker, "away", [bid(1, 6), over(1)])
        until(lambda: results(tmp_path) == [(1, 11.0, 1)] or query.failure is not None)
        assert query.failure is None
        query.stop()
    finally:
        broker.kill()


@long
def test_a_query_fails_when_its_topic_is_gone(spark: SparkSession, tmp_path: Path, broker: Broker) -> None:
    create(broker, "leaving")
    query = auction(spark, tmp_path, broker, "leaving")
    items(tmp_path)
    send(broker, "leaving", [bid(1, 5)])
    query.start(tmp_path / "state")
    until(lambda: bool(query.metrics()))
    delete(broker, "leaving")
    with pytest.raises(PunctumError, match="the topic leaving of bid does not exist"):
        query.wait()
    create(broker, "leaving")
    send(broker, "leaving", [bid(1, 5), over(1)])
    with pytest.raises(PunctumError, match="deleted and created again"):
        run(query, tmp_path)
    assert results(tmp_path) == []


@pytest.fixture
def numbers(broker: Broker, request: pytest.FixtureRequest) -> Iterator[str]:
    """A topic of its own with ten numbers."""
    name = request.node.name.replace("[", "-").rstrip("]")
    create(broker, name)
    send(broker, name, [{"n": n} for n in range(10)])
    yield name


def options(broker: Broker, topic: str) -> dict[str, str]:
    return {"brokers": broker.address, "topic": topic}


def read(broker: Broker, topic: str, start: int, end: int, patience: float = 60) -> list[tuple[int, Any]]:
    pieces = read_range("s", options(broker, topic), ONE, OffsetRange(topic, 0, start, end), patience)
    return [(got.place(n)[0], row[0]) for _, got in pieces for n, row in enumerate(to_rows(got.piece.rows))]


def test_a_range_is_what_is_committed_in_it(broker: Broker, numbers: str) -> None:
    send(broker, numbers, [{"n": 10}], transaction="abort")
    send(broker, numbers, [{"n": 12}], transaction="commit")
    ends = Brokers("s", options(broker, numbers)).ends()
    assert ends == {0: (0, 14)}
    wanted = [*((n, n) for n in range(10)), (12, 12)]
    assert read(broker, numbers, 0, 14) == wanted
    assert read(broker, numbers, 10, 12) == []
    assert read(broker, numbers, 3, 5) == [(3, 3), (4, 4)]
    assert read(broker, numbers, 12, 14) == [(12, 12)]


def test_many_partitions_are_read_by_few_consumers(broker: Broker) -> None:
    """One after the other, in another order each time, some of them again."""
    chance, topic = random.Random(3), new_topic(broker, 9)
    for p in range(9):
        send(broker, topic, [{"n": 100 * p + n} for n in range(60)], p)
    stream = options(broker, topic)
    for start in (0, 20, 10, 30, 45):
        ranges = [OffsetRange(topic, p, start, start + chance.randint(0, 15)) for p in chance.sample(range(9), 7)]
        ranges = [each for each in ranges if each.end > each.start]
        for number, wanted in enumerate(ranges):
            fetch("s", stream, ranges[number:])
            got = [row for _, read in read_range("s", stream, ONE, wanted) for row in to_rows(read.piece.rows)]
            assert got == [(100 * wanted.partition + n,) for n in range(wanted.start, wanted.end)]


def test_who_has_read_a_partition_goes_on_with_it(broker: Broker, numbers: str) -> None:
    """The other tasks of a batch, in other processes, would have to fetch it from the beginning."""
    read(broker, numbers, 0, 4)
    ahead, elsewhere = OffsetRange(numbers, 0, 4, 10), [OffsetRange(numbers, 0, 5, 10), OffsetRange(numbers, 1, 4, 10)]
    assert (fetched([ahead, *elsewhere]), fetched(elsewhere)) == (6, 0)


def test_what_has_expired_is_an_error(broker: Broker, numbers: str) -> None:
    expire(broker, numbers, 0, 5)
    assert Brokers("s", options(broker, numbers)).ends() == {0: (5, 10)}
    with pytest.raises(MissingError, match="expired before they were read"):
        read(broker, numbers, 3, 7)


def test_a_topic_that_is_gone_is_an_error(broker: Broker, numbers: str) -> None:
    brokers = Brokers("s", options(broker, numbers))
    assert brokers.ends()
    delete(broker, numbers)

    def gone() -> bool:
        try:
            brokers.ends()
        except MissingError as error:
            assert "does not exist" in str(error)
            return True
        return False

    until(gone)


@long
def test_a_broker_that_is_not_there_is_an_error(broker: Broker) -> None:
    with pytest.raises(PunctumError, match="cannot be read"):
        Brokers("s", {"brokers": "127.0.0.1:1", "topic": "t"}, patience=1).ends()
