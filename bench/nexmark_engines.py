"""How each engine runs a query of NEXMark, and what is measured of it."""

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from auction import durations, watched  # type: ignore[import-not-found]  # beside this file
from nexmark_flink_client import ALL, WARM, Server  # type: ignore[import-not-found]
from nexmark_sql import FLINK, SAME, SPARK  # type: ignore[import-not-found]
from processor_time import between, look  # type: ignore[import-not-found]
from pyspark.sql import DataFrame, SparkSession

from punctum.engine.spark import spark_session
from punctum.nexmark.files import SIDE
from punctum.nexmark.queries import script
from punctum.nexmark.workload import TABLES
from punctum.query import Query
from punctum.session import Session

STORE = "spark.sql.streaming.stateStore"
ROCKSDB = {
    f"{STORE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    f"{STORE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{STORE}.rocksdb.trackTotalNumberOfRows": "true",
    f"{STORE}.checkpointFormatVersion": "1",
    "spark.sql.streaming.join.stateFormatVersion": "4",
}
"""Spark's settings; shuffle partitions, off-heap memory and the rest are those that Punctum's own session has."""


@dataclass(frozen=True)
class Measured:
    """What was measured of a run."""

    rate: float
    """Events a second, after a warm-up."""
    batches: Sequence[float] = ()
    """Seconds of the later batches."""
    rows: int | None = None
    """The most rows in state."""
    bytes: int | None = None
    first: float | None = None
    """Seconds until the first batch is done, which has the first results."""
    cpu: float | None = None
    """CPU seconds of all processes, over the whole run."""
    latency: Sequence[float] = ()
    """Seconds that a mark needs from a source to the sink: the median and the 99th percentile."""


Engine = Callable[[str, Path, Path], Measured | None]
TO_FILES = "Spark, files"
"""Spark, when it writes its results to files as we do."""


Others = Collection[int]
"""Processes of other engines, whose time is not that of this one."""


def punctum(size: int, others: Others, format_: str, query: str, directory: Path, checkpoint: Path) -> Measured | None:
    """A run of Punctum's, with so many events in a batch."""
    sql = script(query)
    if format_ != "parquet":
        sql = re.sub(r"USING parquet OPTIONS \(path 'in/", f"USING {format_} OPTIONS (path 'in-{format_}/", sql)
    session = Session(spark_session())
    before, started = look(without=others), time.time()
    (running,) = session.script(sql, directory)
    assert isinstance(running, Query)
    running.start(checkpoint, available_now=True)
    assert running._run is not None
    progress = watched(running._run.query)
    operators = [list(batch["operators"].values()) for batch in running.metrics()]
    rows, kept = (
        max((sum(o[f"{what}_kept"] for o in os) for os in operators), default=0) for what in ("rows", "bytes")
    )
    return _of_batches(progress, size, started, int(rows), int(kept), between(before, look(without=others)))


def spark(
    size: int, others: Others, query: str, directory: Path, checkpoint: Path, files: bool = False
) -> Measured | None:
    """A run of Spark's own operators, when it can run the query; its results go nowhere, or to files as ours do."""
    if query not in SAME and query not in SPARK:
        return None
    session = spark_session()
    before = {name: session.conf.get(name, None) for name in ROCKSDB}
    for name, value in ROCKSDB.items():
        session.conf.set(name, value)
    try:
        return _spark(session, size, others, query, directory, checkpoint, files)
    finally:
        for name, known in before.items():
            session.conf.unset(name) if known is None else session.conf.set(name, known)


def _spark(
    session: SparkSession, size: int, others: Others, query: str, directory: Path, checkpoint: Path, files: bool
) -> Measured | None:
    mode, _, sql = SPARK.get(query) or ("append", "", script(query).split(f"INSERT INTO {query}\n")[1].rstrip(" ;\n"))
    before, started = look(without=others), time.time()
    for table in TABLES:
        _stream(session, directory / "in" / table).createOrReplaceTempView(table)
    session.read.parquet(str(directory / "in" / SIDE)).createOrReplaceTempView(SIDE)
    if files and mode != "append":
        return None
    writer = session.sql(sql).writeStream.format("noop").outputMode(mode)
    if files:
        form = re.findall(r"SINK \w+ USING (\w+)", script(query))[0]
        writer = writer.format(form).option("path", str(directory / "out"))
    progress = watched(writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start())
    rows, kept = (
        max((sum(state[what] for state in p["stateOperators"]) for p in progress), default=0)
        for what in ("numRowsTotal", "memoryUsedBytes")
    )
    return _of_batches(progress, size, started, rows, kept, between(before, look(without=others)))


FILES = 10
"""So many files of a stream are in a batch."""


def _stream(session: SparkSession, path: Path) -> DataFrame:
    schema = session.read.parquet(str(path)).schema
    found = session.readStream.schema(schema).option("maxFilesPerTrigger", FILES).parquet(str(path))
    return found.where("_punct IS NULL").drop("_punct").withWatermark("dateTime", "0 seconds")


def _of_batches(progress: list[Any], size: int, started: float, rows: int, kept: int, cpu: float) -> Measured:
    later = sorted(durations(progress))
    begun = min(_seconds(p["timestamp"]) for p in progress)
    first = next(p for p in progress if p["numInputRows"])["durationMs"]["triggerExecution"] / 1000
    return Measured(size * len(later) / sum(later), later, rows, kept, begun - started + first, cpu)


def _seconds(timestamp: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(timestamp).timestamp()


def flink(server: Server, events: int, query: str, directory: Path, checkpoint: Path) -> Measured | None:
    """A run of Flink's: what the events after the first tenth take."""
    if query not in FLINK:
        return None
    before = look(server.process.pid)
    _, warm, whole = (server.run(query, part) for part in (WARM, WARM, ALL))
    if "error" in whole or "error" in warm:
        print(f"{query}: {whole.get('error', warm.get('error'))}", flush=True)
        return None
    used = between(before, look(server.process.pid))
    less = whole["seconds"] > 2 * warm["seconds"]  # or they are too few to tell what starting takes
    rate = 0.9 * events / (whole["seconds"] - warm["seconds"]) if less else events / whole["seconds"]
    return Measured(rate, bytes=whole["bytes"] or None, first=warm["first"], cpu=used / 1.2, latency=whole["latency"])


def engines(servers: Mapping[str, Server], events: int, size: int, csv: bool) -> dict[str, Engine]:
    """All of them, in the order in which they take turns."""
    others = [server.process.pid for server in servers.values()]
    ours: dict[str, Engine] = {"Punctum": partial(punctum, FILES * size, others, "parquet")}
    if csv:
        ours["Punctum, CSV"] = partial(punctum, FILES * size, others, "csv")
    theirs = {name: partial(flink, server, events) for name, server in servers.items()}
    size *= FILES
    peer = {"Spark, RocksDB": partial(spark, size, others), TO_FILES: partial(spark, size, others, files=True)}
    return {**ours, **peer, **theirs}
