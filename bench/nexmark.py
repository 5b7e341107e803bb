"""Queries of NEXMark: Punctum and Spark's own operators, same files, alternating runs in one session, one table.

Each engine reads the files of ten slices in a batch, as fast as it can; the later half of the batches counts. Punctum
runs the scripts of ``examples/nexmark`` and writes their results. Spark runs the same SELECT where it can, with
watermarks as its documentation advises for streams in order, and its results go nowhere; where it can run a part only,
the table says so. State is counted in rows, at its peak; CPU seconds are those of all processes, over the whole run.

Another engine is another entry of ``ENGINES``: a function from a query and a directory of files to what it measured.

    python bench/nexmark.py [q0 q3 …] [--events 10m] [--slice 50k] [--rounds 3]
"""

import argparse
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from auction import PROVIDERS, durations, watched  # type: ignore[import-not-found]  # beside this file
from pyspark.sql import DataFrame, SparkSession

from punctum.commands.nexmark import number
from punctum.engine.spark import spark_session
from punctum.nexmark.files import SIDE, generate
from punctum.nexmark.queries import NAMES, script
from punctum.nexmark.workload import TABLES, Workload
from punctum.query import Query
from punctum.session import Session

FILES = 10
"""So many files of a stream are in a batch."""
SAME = ("q0", "q1", "q2", "q3", "q10", "q13", "q14", "q20", "q21", "q22")
"""The queries that Spark runs as they are; of those that join, it keeps all rows."""
DIFFERENT = {
    "q4": (
        "append",
        "the winning price of each auction",
        """SELECT a.id, a.category, MAX(b.price) AS final
        FROM auction a JOIN bid b ON a.id = b.auction AND b.dateTime >= a.dateTime
            AND b.dateTime <= a.dateTime + INTERVAL 1 SECOND AND b.dateTime <= a.expires
        GROUP BY a.id, a.category, a.dateTime""",
    ),
    "q11": (
        "append",
        "",
        "SELECT bidder, session_window, COUNT(*) FROM bid GROUP BY bidder, session_window(dateTime, '10 seconds')",
    ),
    "q17": (
        "update",
        "",
        """SELECT auction, window(dateTime, '1 day'), COUNT(*), COUNT(*) FILTER (WHERE price < 10000),
            COUNT(*) FILTER (WHERE price >= 10000 AND price < 1000000), COUNT(*) FILTER (WHERE price >= 1000000),
            MIN(price), MAX(price), AVG(price), SUM(price)
        FROM bid GROUP BY auction, window(dateTime, '1 day')""",
    ),
}
"""The queries that Spark runs differently: the output mode, which part it is if it is not all, and the SQL."""


@dataclass(frozen=True)
class Measured:
    """What was measured of a run: seconds of batches, rows in state, CPU seconds."""

    batches: Sequence[float]
    rows: int
    cpu: float


def punctum(query: str, directory: Path, checkpoint: Path) -> Measured:
    """A run of Punctum's."""
    (running,) = Session(spark_session()).script(script(query), directory)
    assert isinstance(running, Query)
    before = cpu_seconds()
    running.start(checkpoint, available_now=True)
    assert running._run is not None
    seconds = durations(watched(running._run.query))
    kept = [sum(int(counts["rows_kept"]) for counts in m["operators"].values()) for m in running.metrics()]
    return Measured(seconds, max(kept, default=0), cpu_seconds() - before)


def spark(provider: str, query: str, directory: Path, checkpoint: Path) -> Measured | None:
    """A run of Spark's own operators, when it can run the query."""
    if query not in (*SAME, *DIFFERENT):
        return None
    session = spark_session()
    store = "spark.sql.streaming.stateStore"
    theirs = {
        f"{store}.providerClass": f"org.apache.spark.sql.execution.streaming.state.{provider}",
        f"{store}.checkpointFormatVersion": "1",  # in memory there is no other
    }
    ours = {name: session.conf.get(name, None) for name in theirs}
    for name, value in theirs.items():
        session.conf.set(name, value)
    for table in TABLES:
        _stream(session, directory / "in" / table).createOrReplaceTempView(table)
    session.read.parquet(str(directory / "in" / SIDE)).createOrReplaceTempView(SIDE)
    mode, _, sql = DIFFERENT.get(query) or ("append", "", _select(query))
    before = cpu_seconds()
    writer = session.sql(sql).writeStream.format("noop").outputMode(mode)
    started = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    progress: list[Any] = watched(started)
    for name, before_ in ours.items():
        session.conf.unset(name) if before_ is None else session.conf.set(name, before_)
    rows = [sum(state["numRowsTotal"] for state in p["stateOperators"]) for p in progress]
    return Measured(durations(progress), max(rows, default=0), cpu_seconds() - before)


def _stream(session: SparkSession, path: Path) -> DataFrame:
    schema = session.read.parquet(str(path)).schema
    found = session.readStream.schema(schema).option("maxFilesPerTrigger", FILES).parquet(str(path))
    return found.where("_punct IS NULL").drop("_punct").withWatermark("dateTime", "0 seconds")


def _select(query: str) -> str:
    """The SELECT of a script."""
    return script(query).split(f"INSERT INTO {query}\n")[1].rstrip().rstrip(";")


def cpu_seconds() -> float:
    """What this process and all that it has started have used so far."""
    ticks: dict[int, tuple[int, int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        ticks[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    ours, found = {os.getpid()}, 0
    while len(ours) > found:
        found = len(ours)
        ours |= {process for process, (parent, _) in ticks.items() if parent in ours}
    return sum(ticks[process][1] for process in ours if process in ticks) / os.sysconf("SC_CLK_TCK")


Engine = Callable[[str, Path, Path], Measured | None]
ENGINES: dict[str, Engine] = {
    "Punctum": punctum,
    **{f"Spark, {name}": partial(spark, provider) for name, provider in PROVIDERS},
}


def line(query: str, engine: str, runs: Sequence[Measured], events: int) -> str:
    """A line of the table: medians over runs."""
    batches = sorted(seconds for run in runs for seconds in run.batches)
    p50, p99 = statistics.median(batches), batches[min(len(batches) - 1, len(batches) * 99 // 100)]
    rows, cpu = (statistics.median(each) for each in ([run.rows for run in runs], [run.cpu for run in runs]))
    part = DIFFERENT[query][1] if query in DIFFERENT and engine != "Punctum" else ""
    return (
        f"{query:5} {engine:18} {events / p50:12,.0f} {p50:8.2f} {p99:8.2f} {rows:12,.0f} {cpu:8.1f}  {part}".rstrip()
    )


def main() -> None:
    """Run all queries with all engines and print the table."""
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-memory 8g pyspark-shell")  # for the peer's state in memory
    parser = argparse.ArgumentParser()
    parser.add_argument("queries", nargs="*", default=["q0", "q2", "q3", "q17", "q20"], choices=NAMES)
    parser.add_argument("--events", type=number, default=10_000_000)
    parser.add_argument("--slice", type=number, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    directory = Path(tempfile.mkdtemp())
    try:
        for _ in generate(Workload(given.events), directory / "in", size=given.slice):
            pass
        print(
            f"{given.events:,} events, {FILES * given.slice:,} a batch; {os.cpu_count()} cores; {given.rounds} rounds"
        )
        print(f"{'query':5} {'engine':18} {'events/s':>12} {'p50 s':>8} {'p99 s':>8} {'peak rows':>12} {'CPU s':>8}")
        for query in given.queries:
            runs: dict[str, list[Measured]] = {engine: [] for engine in ENGINES}
            for number_ in range(given.rounds):
                for engine, run in ENGINES.items():
                    checkpoint = directory / f"{query} {engine} {number_}"
                    if (measured := run(query, directory, checkpoint)) is not None and measured.batches:
                        runs[engine].append(measured)
                    shutil.rmtree(checkpoint, ignore_errors=True)
                    shutil.rmtree(directory / "out", ignore_errors=True)
            for engine in ENGINES:
                if runs[engine]:
                    print(line(query, engine, runs[engine], FILES * given.slice), flush=True)
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
