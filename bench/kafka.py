"""Items joined with bids and summed per item, over topics: Punctum, Punctum over files, and Spark's own join.

A broker runs on this machine, with two topics of two partitions. Each batch brings some items and the bids on them; an
item's auction is closed in the batch after, by a punctuation in its partition. The same messages are in JSON files, two
of each stream a batch. Punctum reads the topics and writes a topic, in transactions; reads the files and writes JSON
files; and Spark joins what is in the files: it has no end of an auction, so its join is an interval join on time,
without the sum, which it could not release before its watermark, and its results go nowhere. They take turns, round
after round, in one session, after a run of each that does not count; of a run the later half of the batches counts, and
of the rounds the median. Beside them: what librdkafka alone reads of the topics in one process. Seconds of processors
are those of this process, of Spark, its Python workers and the broker, by the batches of a run.

    python bench/kafka.py [--rows 100000] [--batches 40] [--rounds 3]
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import polars as pl
from auction import BIDS_AN_ITEM, PROVIDERS, durations, run, watched  # type: ignore[import-not-found]  # beside this file
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from kafka_soak import descendants  # type: ignore[import-not-found]
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from punctum.engine.spark import spark_session
from punctum.query import Query
from punctum.session import Session

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # whose kafka is not this file
from kafka.broker import Broker

COLUMNS = {
    "item": "sellerid BIGINT, itemid BIGINT, ts TIMESTAMP",
    "bid": "bidderid BIGINT, itemid BIGINT, increase DOUBLE, ts TIMESTAMP",
}
QUERY = """
INSERT INTO closing
SELECT i.itemid, SUM(b.increase) AS total FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid;
"""
PARTITIONS = 2
Progress = list[Any]
"""What Spark says of each batch."""


@dataclass
class Measured:
    """What one run did: seconds a batch, and seconds of processors a batch, of all batches that it did."""

    batch: float
    processors: float


def write(directory: Path, brokers: str, rows: int, batches: int) -> dict[str, int]:
    """The messages, to topics and to files, in the same order; how many a batch has of each stream."""
    chance = np.random.default_rng(7)
    producer = Producer({"bootstrap.servers": brokers, "linger.ms": 20, "enable.idempotence": True})
    items, sent = rows // (BIDS_AN_ITEM + 1), dict[str, int]()
    for name in COLUMNS:
        (directory / name).mkdir(parents=True)
    for batch in range(batches):
        ids = np.arange(batch * items, (batch + 1) * items)
        at = (np.datetime64("2026-01-01", "s") + np.timedelta64(batch, "m")).item().isoformat() + "Z"
        on = chance.choice(ids, items * BIDS_AN_ITEM)
        told = {"item": pl.DataFrame({"sellerid": ids % 997, "itemid": ids})}
        told["bid"] = pl.DataFrame(
            {"bidderid": on % 9973, "itemid": on, "increase": chance.integers(0, 99, len(on)) / 2}
        )
        closed = {"item": ids, "bid": ids - items if batch else ids[:0]}
        for name, frame in told.items():
            texts = _lines(frame, at)
            sent[name] = len(texts) + len(ids)
            of = frame["itemid"].to_numpy() % PARTITIONS
            for partition in range(PARTITIONS):
                puncts = closed[name][closed[name] % PARTITIONS == partition]
                here = [*texts.filter(pl.Series(of == partition)).to_list(), *(_punctuation(n) for n in puncts)]
                (directory / name / f"{batch:05}-{partition}.json").write_text("\n".join(here) + "\n")
                producer.produce_batch(name, [{"value": line} for line in here], partition)
        producer.flush()
    return sent


def _lines(rows: pl.DataFrame, at: str) -> pl.Series:
    """Rows as JSON."""
    parts = [pl.concat_str(pl.lit(f'"{name}": '), name) for name in rows.columns]
    return rows.select(
        pl.concat_str(pl.lit("{"), pl.concat_str(parts, separator=", "), pl.lit(f', "ts": "{at}"}}'))
    ).to_series()


def _punctuation(item: int) -> str:
    return json.dumps({"$punct": {"itemid": int(item)}})


def script(source: Callable[[str], str], sink: str, promise: str = "") -> str:
    """The query over streams and a sink that are written as given."""
    streams = [
        f"CREATE STREAM {name} ({columns}, PUNCTUATED ON (itemid){promise}) {source(name)};"
        for name, columns in COLUMNS.items()
    ]
    return "\n".join([*streams, f"CREATE SINK closing {sink};", QUERY])


def punctum(directory: Path, text: str) -> Progress:
    """The batches of Punctum's query."""
    (query,) = Session().script(text, directory)
    assert isinstance(query, Query)
    query.start(directory / "state" / uuid4().hex, available_now=True)
    assert query._run is not None
    return list(watched(query._run.query))


def over_topics(directory: Path, broker: Broker, batch: dict[str, int]) -> Progress:
    """The batches when topics are read and written."""
    to, admin = f"closing-{uuid4().hex[:8]}", AdminClient({"bootstrap.servers": broker.address})
    admin.create_topics([NewTopic(to, PARTITIONS)])[to].result()
    beside = f"brokers '{broker.address}', topic"
    return punctum(
        directory,
        script(
            lambda name: f"USING kafka OPTIONS ({beside} '{name}', maxOffsetsPerTrigger {batch[name]})",
            f"USING kafka OPTIONS ({beside} '{to}', key 'itemid')",
            ", PARTITIONED BY (itemid)",
        ),
    )


def over_files(directory: Path) -> Progress:
    """The batches when files are read and written."""
    out = f"USING json OPTIONS (path 'out/{uuid4().hex}')"
    return punctum(
        directory, script(lambda name: f"USING json OPTIONS (path '{name}', maxFilesPerTrigger {PARTITIONS})", out)
    )


def spark_join(directory: Path, provider: str) -> Progress:
    """The batches of Spark's interval join on the same files."""
    spark = spark_session()
    store = "spark.sql.streaming.stateStore"
    before = {
        name: str(spark.conf.get(name)) for name in (f"{store}.providerClass", f"{store}.checkpointFormatVersion")
    }
    spark.conf.set(f"{store}.providerClass", f"org.apache.spark.sql.execution.streaming.state.{provider}")
    spark.conf.set(f"{store}.checkpointFormatVersion", "1")  # in memory there is no other

    def read(name: str) -> DataFrame:
        of = spark.readStream.schema(COLUMNS[name]).option("maxFilesPerTrigger", PARTITIONS).json(str(directory / name))
        return of.where("itemid IS NOT NULL").withWatermark("ts", "1 minute").alias(name)

    near = F.expr("item.itemid = bid.itemid AND bid.ts BETWEEN item.ts AND item.ts + INTERVAL 1 MINUTE")
    try:
        return list(run(read("item").join(read("bid"), near), directory / "state" / uuid4().hex))
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def consumed(broker: Broker) -> float:
    """Messages a second that librdkafka alone reads, all topics in one process: none of them is looked at."""
    given = {"bootstrap.servers": broker.address, "group.id": "bench", "auto.offset.reset": "earliest"}
    more = {"queued.min.messages": 100_000, "isolation.level": "read_committed", "enable.auto.commit": False}
    more["fetch.queue.backoff.ms"] = 5  # else it sleeps for a second whenever it has so many
    with Consumer({**given, **more}) as consumer:
        places = [TopicPartition(name, p, 0) for name in COLUMNS for p in range(PARTITIONS)]
        left = sum(consumer.get_watermark_offsets(place)[1] for place in places)
        every, begun = left, time.perf_counter()
        consumer.assign(places)
        while left:
            left -= len(consumer.consume(min(1_000, left), 1))
        return every / (time.perf_counter() - begun)


@contextmanager
def processors(broker: Broker) -> Iterator[list[float]]:
    """A list that will have the seconds of processors that this process, those below it and the broker have used."""
    used = list[float]()
    before = _seconds(broker)
    yield used
    after = _seconds(broker)
    used.append(sum(at - before.get(pid, 0.0) for pid, at in after.items()))


def _seconds(broker: Broker) -> dict[int, float]:
    found, tick = dict[int, float](), os.sysconf("SC_CLK_TCK")
    for pid in (broker.pid, *(pid for _, pid in descendants(os.getpid()))):
        with suppress(OSError):
            user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
            found[pid] = (int(user) + int(system)) / tick
    return found


def measured(call: Callable[[], Progress], broker: Broker) -> Measured:
    """Run something, once."""
    with processors(broker) as used:
        progress = call()
    done = sum(1 for batch in progress if batch["numInputRows"])
    return Measured(statistics.median(durations(progress)), used[0] / done)


def main() -> None:
    """Run all of them in turns, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000, help="a batch")
    parser.add_argument("--batches", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-memory 4g pyspark-shell")  # for the peer's state in memory
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        directory = Path(name)
        broker = Broker(directory / "broker").start()
        try:
            compare(directory, broker, given.rows, given.batches, given.rounds)
        finally:
            broker.stop()


def compare(directory: Path, broker: Broker, rows: int, batches: int, rounds: int) -> None:
    """All of them, round after round."""
    admin = AdminClient({"bootstrap.servers": broker.address})
    for made in admin.create_topics([NewTopic(name, PARTITIONS) for name in COLUMNS]).values():
        made.result()
    batch = write(directory, broker.address, rows, batches)
    messages = sum(batch.values())
    print(f"{rows:,} rows, {messages:,} messages a batch, {batches} batches; {os.cpu_count()} cores")
    sides: dict[str, Callable[[], Progress]] = {
        "Punctum, topics": lambda: over_topics(directory, broker, batch),
        "Punctum, JSON files": lambda: over_files(directory),
    }
    for what, provider in PROVIDERS:
        sides[f"Spark's join, JSON files, {what}"] = lambda p=provider: spark_join(directory, p)  # type: ignore[misc]
    found: dict[str, list[Measured]] = {side: [] for side in sides}
    alone = list[float]()
    for number in range(rounds + 1):
        for side, call in sides.items():
            once = measured(call, broker)
            print(f"  round {number}: {side:<36} {_text([once], rows)}", flush=True)
            found[side] += [once] if number else []
        alone.append(consumed(broker))
    ours, *others = found.values()
    print()
    for side, runs in found.items():
        print(f"{side:<36} {_text(runs, rows)}")
    for side, runs in zip(list(found)[1:], others, strict=True):
        ratio = statistics.median(b.batch / a.batch for a, b in zip(ours, runs, strict=True))
        of = statistics.median(b.processors / a.processors for a, b in zip(ours, runs, strict=True))
        print(f"over topics {ratio:.2f} times as fast as {side} (by seconds of processors {of:.2f})")
    rate, read = statistics.median(alone), messages / statistics.median(each.batch for each in ours)
    print(f"librdkafka alone {rate:,.0f} messages/s in one process; Punctum reads {read / rate:.2f} of it")


def _text(runs: Sequence[Measured], rows: int) -> str:
    seconds, used = (statistics.median(getattr(each, of) for each in runs) for of in ("batch", "processors"))
    return f"{rows / seconds:>11,.0f} rows/s, {seconds:6.2f} s a batch, {used:6.2f} s of processors"


if __name__ == "__main__":
    main()
