"""Items joined with bids and summed per item: Punctum and Spark's own stream–stream join, same files, same run.

Each batch brings some items and the bids on them; an item's auction closes in the batch after. Spark has no end of an
auction, so its join is an interval join on time (without the sum, which it could not release before its watermark).
Both run with the same settings, in one session, and have a minute and a half: the later half of the batches counts.
Punctum writes its results as Parquet, Spark's go nowhere. Beside them: the same operators over the same slices in one
process without Spark, the limit; and what Punctum keeps after a tenth of the batches and after all.

    python bench/auction.py [rows a batch] [batches]
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.query import StreamingQuery

from punctum.compile import compile
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import PackedSlice, SplitPart, StageMessage, StreamSlice
from punctum.engine.formats.files import READERS
from punctum.engine.runtime import build
from punctum.engine.spark import spark_session
from punctum.plan.physical.pipes import Pipe
from punctum.query import Query
from punctum.session import Session

SCRIPT = """
CREATE STREAM item (sellerid BIGINT, itemid BIGINT, ts TIMESTAMP, PUNCTUATED ON (itemid))
  USING parquet OPTIONS (path 'item', maxFilesPerTrigger 2);
CREATE STREAM bid (bidderid BIGINT, itemid BIGINT, increase DOUBLE, ts TIMESTAMP, PUNCTUATED ON (itemid))
  USING parquet OPTIONS (path 'bid', maxFilesPerTrigger 2);
CREATE SINK closing USING parquet OPTIONS (path 'out');
INSERT INTO closing
SELECT i.itemid, SUM(b.increase) AS total FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid;
"""
BIDS_AN_ITEM = 32
PROVIDERS = (("RocksDB", "RocksDBStateStoreProvider"), ("in memory", "HDFSBackedStateStoreProvider"))
"""Where Spark's join keeps its state."""


def write(directory: Path, rows: int, batches: int) -> None:
    """Two files a batch and stream; the punctuations of a batch's items come with the next batch."""
    chance = np.random.default_rng(7)
    items = rows // 2 // (BIDS_AN_ITEM + 1)
    for name in ("item", "bid"):
        (directory / name).mkdir(parents=True)
    for file in range(2 * batches):
        first = file * items
        ids = np.arange(first, first + items)
        ts = np.datetime64("2026-01-01", "us") + np.timedelta64(file // 2, "m")
        write_file(directory / "item" / f"{file:05}.parquet", {"sellerid": ids % 997, "itemid": ids}, ts, ids)
        bid = {
            "bidderid": chance.integers(0, 10_000, items * BIDS_AN_ITEM),
            "itemid": chance.integers(first, first + items, items * BIDS_AN_ITEM),
            "increase": chance.random(items * BIDS_AN_ITEM),
        }
        write_file(directory / "bid" / f"{file:05}.parquet", bid, ts, ids - 2 * items if file > 1 else ids[:0])


def write_file(path: Path, columns: dict[str, np.ndarray], ts: np.datetime64, closed: np.ndarray) -> None:
    """Rows of one time, and a punctuation for each key that is closed."""
    rows = pl.DataFrame(columns).with_columns(pl.lit(ts).dt.replace_time_zone("UTC").alias("ts"))
    puncts = pl.DataFrame(
        {"_punct": [json.dumps({"$punct": {"itemid": int(i)}}) for i in closed]}, schema={"_punct": pl.String}
    )
    pl.concat([rows.with_columns(pl.lit(None, pl.String).alias("_punct")), puncts], how="diagonal").write_parquet(path)


def durations(progress: Sequence[Any]) -> list[float]:
    """Seconds of each batch that had input, in the later half of them: the first ones warm up."""
    busy = [p for p in progress if p["numInputRows"]]
    return [p["durationMs"]["triggerExecution"] / 1000 for p in busy[len(busy) // 2 : -1]]


def punctum(directory: Path, script: str = SCRIPT) -> list[float]:
    """Seconds a batch of Punctum's query."""
    (query,) = Session().script(script, directory)
    assert isinstance(query, Query)
    query.start(directory / "checkpoint", available_now=True)
    assert query._run is not None
    progress = watched(query._run.query)
    busy = query.metrics()
    for n in (len(busy) // 10, len(busy) - 1):
        kept = busy[n]["operators"].values()
        totals = [sum(counts[f"{what}_kept"] for counts in kept) for what in ("rows", "bytes", "puncts")]
        print("after batch {:>4}: {:>9,} rows, {:>11,} bytes, {:>6,} punctuations kept".format(n + 1, *totals))
    return durations(progress)


def limit(directory: Path, batches: int) -> tuple[float, float]:
    """Seconds a batch of the same operators over the same slices, in one process: without reading them, and with it."""
    last = compile(SCRIPT).queries[0].last
    running = build.running(last, Buckets((0,)), 0)
    seconds, with_reading = [], []
    for batch in range(batches):
        begun = time.perf_counter()
        sent: dict[int, list[StageMessage]] = {}
        for source in last.inputs:
            origin = source.origin
            assert isinstance(origin, Pipe)
            for n in range(2):
                path = directory / origin.stream.name / f"{2 * batch + n:05}.parquet"
                piece = build.piped(origin)(READERS["parquet"](path, origin.stream.schema, {}).piece)
                sent.setdefault(source.number, []).append(StreamSlice(PackedSlice.of(piece), SplitPart(n, 0)))
        started = time.perf_counter()
        running.feed(sent)
        seconds.append(time.perf_counter() - started)
        with_reading.append(time.perf_counter() - begun)
    return statistics.median(seconds[batches // 2 :]), statistics.median(with_reading[batches // 2 :])


def run(result: DataFrame, checkpoint: Path, mode: str = "append") -> list[Any]:
    """The progress of a query whose result goes nowhere: all there is, or what it does in 90 s and 6 batches."""
    writer = result.writeStream.format("noop").outputMode(mode).option("checkpointLocation", str(checkpoint))
    return watched(writer.trigger(availableNow=True).start())


def watched(query: StreamingQuery) -> list[Any]:
    """The progress of a query that has been started."""
    started = time.perf_counter()
    while query.isActive and (time.perf_counter() - started < 90 or len(query.recentProgress) < 6):
        query.awaitTermination(1)
    progress = list(query.recentProgress)
    query.stop()
    return progress


def spark_join(directory: Path, provider: str) -> list[float]:
    """Seconds a batch of Spark's interval join on the same files."""
    spark = spark_session()
    store = "spark.sql.streaming.stateStore"
    spark.conf.set(f"{store}.providerClass", f"org.apache.spark.sql.execution.streaming.state.{provider}")
    spark.conf.set(f"{store}.checkpointFormatVersion", "1")  # in memory there is no other

    def read(name: str) -> DataFrame:
        schema = spark.read.parquet(str(directory / name)).schema
        found = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).parquet(str(directory / name))
        return found.where("_punct IS NULL").drop("_punct").withWatermark("ts", "1 minute").alias(name)

    item, bid = read("item"), read("bid")
    near = F.expr("item.itemid = bid.itemid AND bid.ts BETWEEN item.ts AND item.ts + INTERVAL 1 MINUTE")
    joined = item.join(bid, near)
    return durations(run(joined, directory / provider))


def main() -> None:
    """Run all three and print the ratios."""
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-memory 8g pyspark-shell")  # for the peer's state in memory
    rows, batches = (int(a) for a in (*sys.argv[1:], *("100000", "450")[len(sys.argv) - 1 :]))
    directory = Path(tempfile.mkdtemp())
    try:
        started = time.perf_counter()
        write(directory, rows, batches)
        seconds = time.perf_counter() - started
        print(f"{rows:,} rows a batch, {batches} batches, written in {seconds:.0f} s; {os.cpu_count()} cores")
        ours = rows / statistics.median(punctum(directory))
        print(f"{'Punctum':<42} {ours:>12,.0f} rows/s")
        for what, seconds in zip(
            ("the operators without Spark", "and reading the files"), limit(directory, batches), strict=True
        ):
            most = rows / seconds
            print(f"{what:<42} {most:>12,.0f} rows/s   Punctum has {ours / most:.2f} of it")
        for name, provider in PROVIDERS:
            theirs = rows / statistics.median(spark_join(directory, provider))
            ratio = f"Punctum is {ours / theirs:.1f} times as fast"
            print(f"{'Spark stream–stream join, ' + name:<42} {theirs:>12,.0f} rows/s   {ratio}")
    finally:
        shutil.rmtree(directory, ignore_errors=True)  # Spark may still be writing a snapshot


if __name__ == "__main__":
    main()
