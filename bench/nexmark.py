"""Queries of NEXMark: Punctum, Spark's own operators and Flink, same rows, same cores, alternating runs, one table.

Punctum and Spark read the same Parquet files, ten slices in a batch, as fast as they can; the later half of the batches
counts. Punctum runs the scripts of ``examples/nexmark`` and writes their results. Spark runs the same SELECT where it
can, with watermarks as its documentation advises for streams in order, and its results go nowhere. Flink reads the same
rows as CSV, and its results go nowhere; what it takes for all events less what it takes for their first tenth counts.
State is at its peak; CPU seconds are those of all processes of an engine, over the whole run. Before all that, each
engine runs a query once.

    python bench/nexmark.py [q0 q3 …] [--events 1500k] [--slice 30k] [--rounds 3] [--minutes 9] [--csv] [--json FILE]
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import polars as pl
from nexmark_engines import FILES, TO_FILES, Engine, Measured, engines  # type: ignore[import-not-found]  # beside this file
from nexmark_flink_client import BACKENDS, convert, servers  # type: ignore[import-not-found]

from punctum.commands.nexmark import number
from punctum.nexmark.files import generate
from punctum.nexmark.queries import NAMES
from punctum.nexmark.workload import TABLES, Workload

STATELESS = ("q0", "q1", "q2", "q10", "q13", "q14", "q21", "q22")
FIRST = ("q4", "q0", "q9", "q5", "q3", "q8", "q17", "q20", "q7", "q18")
ORDER = (*FIRST, *(q for q in NAMES if q not in (*FIRST, *STATELESS)), *STATELESS[1:])
"""All queries, in the order in which they have to be measured if there is no time for all."""
SOME = ("q4", "q9", "q5", "q3", "q17", "q0")
"""The queries of a short run."""
AS_CSV = ("q0", "q4", "q9", "q17")
"""The queries for which Punctum also reads what Flink reads."""
WARMING = "q2"
"""The query that each engine runs before anything counts, so that what is done once is not the first query's."""
ALIKE = "Flink, RocksDB"
"""It is Flink with its state on the heap where there is no state."""
Runs = dict[str, dict[str, list[Measured]]]
"""By query and engine."""


def measured(
    every: Mapping[str, Engine], queries: Sequence[str], directory: Path, rounds: int, minutes: float
) -> Iterator[Runs]:
    """The runs: all queries with all engines, round after round, as long as there is time; after each query."""
    runs: Runs = {query: {engine: [] for engine in every} for query in queries}
    for engine, run in every.items():
        _run(run, WARMING, engine, directory)
    started = time.monotonic()
    for _ in range(rounds):
        for query in queries:
            for engine, run in every.items():
                if not _is_asked(query, engine):
                    continue
                if time.monotonic() - started > 60 * minutes:
                    yield runs
                    return
                result = _run(run, query, engine, directory)
                if result is not None:
                    runs[query][engine].append(result)
            print(line(query, runs[query]), flush=True)
            yield runs


def _run(run: Engine, query: str, engine: str, directory: Path) -> Measured | None:
    """What was measured of a run, if it did not fail; what it has written is taken away."""
    checkpoint = directory / f"{query} {engine} {time.monotonic_ns()}"
    try:
        return run(query, directory, checkpoint)
    except Exception as error:
        print(f"{query}, {engine}: {str(error)[:300]}", flush=True)
        return None
    finally:
        shutil.rmtree(checkpoint, ignore_errors=True)
        shutil.rmtree(directory / "out", ignore_errors=True)


def _is_asked(query: str, engine: str) -> bool:
    """Whether an engine runs a query: some show something of a few queries alone."""
    if query in STATELESS:
        return engine != ALIKE and (query in AS_CSV or not engine.endswith("CSV"))
    return engine != TO_FILES and (query in AS_CSV or not engine.endswith("CSV"))


def line(query: str, runs: Mapping[str, Sequence[Measured]]) -> str:
    """Medians of events a second."""
    rates = (statistics.median(r.rate for r in some) if some else None for some in runs.values())
    return f"{query:5}" + "".join(f"{'-':>16}" if rate is None else f"{rate:>16,.0f}" for rate in rates)


def csv_copy(directory: Path) -> None:
    """The same elements as CSV, with punctuations: what Punctum reads when it is to read what Flink reads."""
    for table in (*TABLES, "side"):
        (directory / "in-csv" / table).mkdir(parents=True)
        for file in sorted((directory / "in" / table).iterdir()):
            times = pl.selectors.datetime().dt.strftime("%Y-%m-%d %H:%M:%S%.3fZ")
            pl.read_parquet(file).with_columns(times).write_csv(directory / "in-csv" / table / f"{file.stem}.csv")


def written(runs: Runs, given: argparse.Namespace, flink: str) -> dict[str, object]:
    """What was measured, with what and when, as data."""
    versions = {name: version(name) for name in ("punctum", "pyspark", "polars")} | {"apache-flink": flink}
    return {
        "when": datetime.now(UTC).isoformat(timespec="minutes"),
        "cores": os.cpu_count(),
        "note": given.note,
        "versions": versions,
        "events": given.events,
        "batch": FILES * given.slice,
        "runs": {q: {e: [asdict(r) for r in some] for e, some in by.items()} for q, by in runs.items()},
    }


def main() -> None:
    """Run the queries with all engines and print the table."""
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-memory 6g pyspark-shell")  # for the peer's state in memory
    parser = argparse.ArgumentParser()
    parser.add_argument("queries", nargs="*", default=SOME)
    parser.add_argument("--events", type=number, default=1_500_000)
    parser.add_argument("--slice", type=number, default=30_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--csv", action="store_true")
    parser.add_argument("--note", default="", help="what else the machine did")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    queries = ORDER if given.queries == ["all"] else given.queries
    directory = Path(tempfile.mkdtemp())
    try:
        for _ in generate(Workload(given.events), directory / "in", size=given.slice):
            pass
        convert(directory / "in", directory)
        if given.csv:
            csv_copy(directory)
        with servers(directory) as running:
            every = engines(running, given.events, given.slice, given.csv)
            print(f"{given.events:,} events, {FILES * given.slice:,} a batch; {os.cpu_count()} cores; events a second")
            print(" " * 5 + "".join(f"{engine:>16}" for engine in every), flush=True)
            flink = next((running[name].version for name in BACKENDS if name in running), "none")
            for runs in measured(every, queries, directory, given.rounds, given.minutes):
                if given.json:
                    given.json.write_text(json.dumps(written(runs, given, flink), indent=1) + "\n")
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
