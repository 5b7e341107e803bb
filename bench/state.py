"""Much state: N items are open, and each batch concerns few of them. Punctum, Spark's aggregation and Spark's join.

Each batch brings 50,000 bids on random open items, closes 2,000 of them at random and opens 2,000 others; their numbers
are scattered. The first batches open the N items, a million at a time, and bring a bid on each. Spark's aggregation
sums the bids of each item, in update mode, and forgets none; its join keeps the items by a watermark that passes none
of them, and the bids of the last minutes. All run on the same files in one session, one after the other, Spark's with
RocksDB and its changelog; the later half of the batches counts. Punctum writes its results as Parquet, Spark's go
nowhere. Beside them:

- the bytes of state that a batch of Punctum's writes, and those of what it changes: new rows and changed groups in
  Arrow, and 8 bytes for each deletion;
- by how much a process grows that runs the stage without Spark, for each byte of the rows that it keeps in Arrow;
- how much longer the first batch takes after a restart, which reads the state.

    python bench/state.py [N …] [--batches 20] [--no-spark] [--no-alone] [--profile] [--state-memory 1g]
"""

import argparse
import math
import multiprocessing
import os
import shutil
import statistics
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from auction import SCRIPT  # type: ignore[import-not-found]  # beside this file
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from state_alone import FILES, Alone, Restarted, measured, restarted  # type: ignore[import-not-found]

from punctum.engine.recovery.state_files import STATE
from punctum.engine.spark import spark_session
from punctum.query import Query
from punctum.session import Session

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
BIDS, CLOSING, OPENING = 50_000, 2_000, 1_000_000
LARGE = 1_000_000
"""With fewer items, the memory of a process says nothing of its state."""
STORE = "spark.sql.streaming.stateStore"
FASTEST = {
    f"{STORE}.rocksdb.trackTotalNumberOfRows": "false",
    f"{STORE}.checkpointFormatVersion": "1",
    "spark.sql.streaming.join.stateFormatVersion": "4",
}
"""The settings with which Spark's own operators are fastest."""
_Measured = TypeVar("_Measured")
Numbers = np.ndarray[Any, np.dtype[Any]]


@dataclass
class Punctum:
    """What was measured of Punctum's query on Spark."""

    seconds: float
    written: float
    """Bytes of state that a batch writes."""
    kept: tuple[int, int, int]
    """Rows, punctuations that wait or close keys, and those by which late rows are found."""
    first: float
    """Seconds of the first batch after a restart."""
    workers: int
    """The most memory that a worker had for itself, in bytes: without the files that it maps."""


def write(directory: Path, n: int, batches: int) -> int:
    """Two files a batch and stream: batches that open all items, as many as said, and a last one for a restart.

    Gives how many batches open them.
    """
    chance = np.random.default_rng(7)
    drawn = np.unique(chance.integers(0, 2**62, n + (batches + 1) * CLOSING + 100))
    ids = chance.permutation(drawn)
    there, rest = ids[:n].copy(), ids[n:]
    openings = -(-n // OPENING)
    for name in ("item", "bid", "later/item", "later/bid"):
        (directory / name).mkdir(parents=True)
    for batch, items in enumerate(np.array_split(there, openings)):
        write_batch(directory, batch, items, items, items[:0], chance)
    for batch in range(openings, openings + batches + 1):
        opened, rest = rest[:CLOSING], rest[CLOSING:]
        bids = there[chance.integers(0, n, BIDS)]
        at = chance.choice(n, CLOSING, replace=False, shuffle=False)
        closed = there[at]
        there[at] = opened
        last = batch == openings + batches
        write_batch(directory / "later" if last else directory, batch, opened, bids, closed, chance)
    return openings


def write_batch(
    directory: Path, batch: int, opened: Numbers, bids: Numbers, closed: Numbers, chance: np.random.Generator
) -> None:
    """The files of a batch: items with the punctuations of their keys, bids, and behind all of these what is closed."""
    ts = np.datetime64("2026-01-01", "us") + np.timedelta64(batch, "m")
    halves = zip(np.array_split(opened, FILES), np.array_split(bids, FILES), (closed[:0], closed), strict=True)
    for n, (items, on, ends) in enumerate(halves):
        name = f"{FILES * batch + n:05}.parquet"
        write_file(directory / "item" / name, {"sellerid": items % 997, "itemid": items}, ts, items)
        bid = {"bidderid": on % 9973, "itemid": on, "increase": chance.random(len(on))}
        write_file(directory / "bid" / name, bid, ts, ends)


def write_file(path: Path, columns: dict[str, Numbers], ts: np.datetime64, closed: Numbers) -> None:
    """Rows of one time, and behind them a punctuation for each key that is closed."""
    rows = pl.DataFrame(columns).with_columns(pl.lit(ts).dt.replace_time_zone("UTC").alias("ts"))
    key = pl.Series("itemid", closed).to_frame().select(pl.col("itemid").cast(pl.String))
    puncts = key.select(_punct=pl.concat_str(pl.lit('{"$punct": {"itemid": '), "itemid", pl.lit("}}")))
    pl.concat([rows, puncts], how="diagonal").write_parquet(path)


def alone(measure: Callable[..., _Measured], *arguments: object) -> _Measured:
    """What a stage does by itself, measured in a new process, with as many threads as a worker of Spark's has."""
    before = os.environ.get("POLARS_MAX_THREADS")
    os.environ["POLARS_MAX_THREADS"] = "1"
    try:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            return pool.submit(measure, SCRIPT, *arguments).result()
    finally:
        os.environ.pop("POLARS_MAX_THREADS")
        os.environ |= {} if before is None else {"POLARS_MAX_THREADS": before}


def busy(progress: Sequence[Any]) -> list[float]:
    """Seconds of each batch that had input."""
    return [p["durationMs"]["triggerExecution"] / 1000 for p in progress if p["numInputRows"]]


def median(progress: Sequence[Any], batches: int) -> float:
    """Seconds a batch, in the later half of those that open nothing."""
    return statistics.median(busy(progress)[-(batches // 2) :])


def punctum(directory: Path, openings: int, batches: int, memory: str | None) -> Punctum:
    """Run Punctum's query, stop it, and start it again with one more batch."""
    checkpoint = directory / "checkpoint"
    with watched_workers() as workers:
        progress, query = started(directory, checkpoint, memory)
    assert not any(batch["quarantined"] for batch in query.metrics())
    counts = query.metrics()[-1]["operators"].values()
    rows, kept, received = (
        sum(counted[what] for counted in counts) for what in ("rows_kept", "puncts_kept", "puncts_received")
    )
    sizes = written(checkpoint / STATE, openings + batches // 2, openings + batches)
    for path in (directory / "later").glob("*/*.parquet"):
        path.rename(directory / path.parent.name / path.name)
    first = busy(started(directory, checkpoint, memory)[0])[0]
    return Punctum(median(progress, batches), sizes, (rows, kept, received), first, max(workers, default=0))


@contextmanager
def watched_workers() -> Iterator[list[int]]:
    """The memory that each of Spark's Python workers has for itself, looked at twice a second."""
    found, done = list[int](), threading.Event()

    def look() -> None:
        while not done.wait(0.5):
            for path in Path("/proc").glob("[0-9]*"):
                with suppress(OSError, StopIteration):
                    if b"pyspark.daemon\0pyspark.worker" in (path / "cmdline").read_bytes():
                        lines = (path / "status").read_text().splitlines()
                        found.append(1024 * int(next(n.split()[1] for n in lines if n.startswith("RssAnon"))))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield found
    finally:
        done.set()
        looking.join()


def started(directory: Path, checkpoint: Path, memory: str | None) -> tuple[list[Any], Query]:
    """The progress of Punctum's query, from where it stopped to the end of what is there."""
    (query,) = Session(state_memory=memory).script(SCRIPT, directory)
    assert isinstance(query, Query)
    query.start(checkpoint, available_now=True).wait()
    assert query._run is not None
    return list(query._run.query.recentProgress), query


def written(state: Path, since: int, end: int) -> float:
    """The bytes that each of some batches has written; files that are not needed any more are there for some more."""
    files = [path for batch in range(since, end) for path in state.glob(f"*/*/{batch}-*")]
    return sum(path.stat().st_size for path in files) / (end - since)


@contextmanager
def fastest(spark: SparkSession) -> Iterator[None]:
    """The settings that Spark's own operators want."""
    before = {name: spark.conf.get(name, None) for name in FASTEST}
    for name, value in FASTEST.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, known in before.items():
            spark.conf.unset(name) if known is None else spark.conf.set(name, known)


def read(directory: Path, name: str) -> DataFrame:
    """The rows of a stream, as Spark reads them."""
    spark, path = spark_session(), str(directory / name)
    found = spark.readStream.schema(spark.read.parquet(path).schema).option("maxFilesPerTrigger", FILES).parquet(path)
    return found.where("_punct IS NULL").drop("_punct")


def aggregation(directory: Path) -> DataFrame:
    """Spark's sum of the bids on each item."""
    return read(directory, "bid").groupBy("itemid").agg(F.sum("increase").alias("total"))


def join(directory: Path) -> DataFrame:
    """Spark's join of items with bids; an item is kept for a day, and a batch is a minute."""
    item, bid = (read(directory, name).withWatermark("ts", "1 minute").alias(name) for name in ("item", "bid"))
    near = F.expr("item.itemid = bid.itemid AND bid.ts BETWEEN item.ts AND item.ts + INTERVAL 1 DAY")
    return item.join(bid, near)


def theirs(result: DataFrame, checkpoint: Path, mode: str, batches: int) -> float:
    """Seconds a batch of a query of Spark's own, whose result goes nowhere."""
    with fastest(result.sparkSession):
        writer = result.writeStream.format("noop").outputMode(mode).option("checkpointLocation", str(checkpoint))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
    shutil.rmtree(checkpoint, ignore_errors=True)
    return median(query.recentProgress, batches)


def profile(n: int, by_itself: Alone, again: Restarted) -> None:
    """Print the seconds of a batch by part, without Spark, and what else can be known without it."""
    print(f"{n:>12,} open: {by_itself.seconds:.3f} s a batch of the stage by itself")
    for part, seconds in by_itself.parts.items():
        print(f"{'':>14}{seconds:>8.3f} s {part}")
    print(f"{'':>14}kept: {by_itself.rows:,} rows, {by_itself.puncts:,} punctuations")
    written, changed = by_itself.written, by_itself.changed
    print(f"{'':>14}written a batch: {written:,.0f} bytes, changed are {changed:,.0f}: {written / changed:.2f} times")
    memory(n, by_itself, again)
    print(f"{'':>14}restart: {again.seconds:.2f} s", flush=True)


def memory(n: int, by_itself: Alone, again: Restarted) -> None:
    """Print the memory of a kept row."""
    if n >= LARGE:
        sizes = by_itself.memory, again.memory, by_itself.counted, by_itself.arrow
        own, later, counted, arrow = (size / by_itself.rows for size in sizes)
        print(
            f"{'':>14}memory: {own:.1f} bytes a kept row, {later:.1f} after a restart, {counted:.1f} as tables count,"
            f" {arrow:.1f} in Arrow: {own / arrow:.2f}, {later / arrow:.2f}, {counted / arrow:.2f} times"
        )


def report(n: int, ours: Punctum, peers: dict[str, float]) -> None:
    """Print what was measured on Spark with so many open items."""
    print(f"{n:>12,} open: {ours.seconds:.3f} s a batch")
    for name, seconds in peers.items():
        print(f"{'':>14}{name}: {seconds:.3f} s a batch; Punctum is {seconds / ours.seconds:.2f} times as fast")
    rows, kept, received = ours.kept
    print(f"{'':>14}kept: {rows:,} rows, {kept:,} punctuations, and {received:,} by which late rows are found")
    print(f"{'':>14}written a batch: {ours.written:,.0f} bytes")
    print(
        f"{'':>14}restart: the first batch takes {ours.first:.2f} s, {ours.first - ours.seconds:.2f} s more;"
        f" a worker has had {ours.workers / 2**20:,.0f} MB for itself",
        flush=True,
    )


def run(n: int, directory: Path, given: argparse.Namespace) -> float:
    """Measure all that is asked for with so many open items, and print it; Punctum's seconds a batch."""
    batches, seconds = given.batches, math.nan
    try:
        openings = write(directory, n, batches)
        if not given.no_alone:
            by_itself = alone(measured, directory, openings, batches)
            profile(n, by_itself, alone(restarted, directory, openings + batches))
            seconds = by_itself.seconds
        if not given.profile:
            ours = punctum(directory, openings, batches, given.state_memory)
            peers = {}
            if not given.no_spark:
                spark_session()
                peers["Spark's aggregation"] = theirs(aggregation(directory), directory / "sums", "update", batches)
                peers["Spark's join"] = theirs(join(directory), directory / "join", "append", batches)
            report(n, ours, peers)
            seconds = ours.seconds
        return seconds
    finally:
        shutil.rmtree(directory, ignore_errors=True)  # Spark may still be writing a snapshot


def main(arguments: Iterable[str] | None = None) -> None:
    """Run each number of open items, and print how the seconds grow."""
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-memory 8g pyspark-shell")
    parser = argparse.ArgumentParser(description="Much state: Punctum beside Spark's aggregation and join.")
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES), metavar="N", help="how many items are open")
    parser.add_argument("--batches", type=int, default=20, help="how many batches follow those that open the items")
    parser.add_argument("--no-spark", action="store_true", help="leave out Spark's own operators")
    parser.add_argument("--no-alone", action="store_true", help="leave out the stage by itself, which has no limit")
    parser.add_argument("--profile", action="store_true", help="only the stage by itself, in seconds by part")
    parser.add_argument("--state-memory", help="how much state a worker of Punctum's keeps in memory, such as 1g")
    given = parser.parse_args(None if arguments is None else list(arguments))
    print(f"{BIDS:,} bids a batch, {CLOSING:,} items close and open, {given.batches} batches; {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as parent:
        directories = {n: Path(parent) / str(n) for n in given.sizes}
        seconds = {n: run(n, at, given) for n, at in directories.items()}
    least = min(seconds)
    for n in sorted(seconds)[1:]:
        print(f"a batch with {n:,} open takes {seconds[n] / seconds[least]:.2f} times as long as with {least:,}")


if __name__ == "__main__":
    main()
