"""A query of NEXMark, live: its streams are generated while it runs, and each step is printed in a line."""

import shutil
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from threading import Event

from pyarrow import parquet

from punctum.demo.directory import make
from punctum.errors import PunctumError
from punctum.nexmark.files import generate
from punctum.nexmark.queries import about, script
from punctum.nexmark.workload import Workload
from punctum.query import Query
from punctum.session import Session

Echo = Callable[[str], None]
HEAD = "        events  seconds  events/s      kept     results"
SLICES = 10
"""So many slices are a step: as many files as a query reads in a batch."""


def play(name: str, workload: Workload, directory: Path, session: Session, interrupted: Event, echo: Echo) -> bool:
    """Run a query of this name in a directory of its own, from nothing, and return whether it came to its end."""
    path = directory / name
    prepare(path, name, workload)
    echo(f"{name}: {about(name)}")
    echo(f"  {path / f'{name}.sql'} reads what is written to {path / 'in'} while it runs\n\n{HEAD}")
    (query,) = session.script(script(name, workload.disorder, workload.longest), path.resolve())
    query.start(path.resolve() / "checkpoint")
    try:
        done = _steps(query, workload, path, interrupted, echo)
    finally:
        query.stop()
    echo(f"  the results are in {path / 'out'}" if done else "  stopped before the end")
    return done


def prepare(path: Path, name: str, workload: Workload) -> None:
    """Make the directory of a run: it is empty, or was the directory of such a run."""
    file = path / f"{name}.sql"
    if path.exists() and any(path.iterdir()) and not file.exists():
        detail, hint = f"it has no {file.name}", "remove it, or choose another directory with --directory"
        raise PunctumError(f"the directory {path} does not hold a run of {name}", detail, hint)
    shutil.rmtree(path, ignore_errors=True)
    for table in ("person", "auction", "bid"):
        make(path / "in" / table)
    file.write_text(script(name, workload.disorder, workload.longest))
    next(generate(Workload(0), path / "in", tables=()), None)  # the small table has to be there before a query starts


def _steps(query: Query, workload: Workload, path: Path, interrupted: Event, echo: Echo) -> bool:
    """Generate and run step by step; the time that it takes to generate events is not that of the query."""
    written, events, rows = generate(workload, path / "in"), 0, _Rows(path / "out")
    while step := list(islice(written, SLICES)):
        if interrupted.is_set():
            return False
        begun = time.perf_counter()
        query.catch_up()
        seconds = time.perf_counter() - begun
        done, events = min(step[-1], workload.events) - events, min(step[-1], workload.events)
        kept = sum(int(count["rows_kept"]) for count in query.metrics()[-1]["operators"].values())
        echo(line(events, seconds, done, kept, rows.count()))
    return True


def line(events: int, seconds: float, done: int, kept: int, results: int) -> str:
    """A step as it is printed.

    >>> line(2_000_000, 2.5, 1_000_000, 1234, 56)
    '     2,000,000      2.5   400,000     1,234          56'
    """
    return f"{events:14,}{seconds:9.1f}{done / seconds:10,.0f}{kept:10,}{results:12,}"


class _Rows:
    """Counts the rows of results, each file once."""

    def __init__(self, path: Path) -> None:
        self._path, self._counts = path, dict[Path, int]()

    def count(self) -> int:
        for file in self._path.glob("part-*"):
            if file not in self._counts:
                lines = file.suffix == ".json"
                self._counts[file] = file.read_bytes().count(b"\n") if lines else parquet.read_metadata(file).num_rows
        return sum(self._counts.values())
