"""NEXMark's queries for long: as many events as are asked for, or so many minutes at a steady rate.

Events are generated step by step while the query runs, and files that have been read are taken away, so there is no
limit but time. Of each step: events so far, seconds that the query took, events a second, CPU seconds of all processes
for a million events, rows and megabytes of state, and the memory of all processes (what they share is counted once).

    python bench/nexmark_long.py q4 --events 50m                     growth: time an event, from the first to the last
    python bench/nexmark_long.py q9 --minutes 30 --rate 100k         a soak: at this rate, by the clock
    … [--step 1m] [--json FILE] [--plot FILE]
"""

import argparse
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from processor_time import between, look  # type: ignore[import-not-found]  # beside this file

from punctum.commands.nexmark import number
from punctum.demo.bench import SLICES, prepare
from punctum.engine.spark import spark_session
from punctum.nexmark.files import generate
from punctum.nexmark.queries import NAMES, script
from punctum.nexmark.workload import TABLES, Workload
from punctum.query import Query
from punctum.session import Session

ENDLESS = 10**12
HEAD = "        events  seconds  events/s  CPU/million        kept  state MB  memory MB"


@dataclass(frozen=True)
class Step:
    """What was measured of a step."""

    events: int
    """So far."""
    seconds: float
    rate: float
    cpu: float
    """CPU seconds of all processes for a million events, without those that generate them."""
    kept: int
    state: float
    memory: float
    at: float
    """Seconds since the beginning."""

    def __str__(self) -> str:
        """As a line of the table."""
        return (
            f"{self.events:14,}{self.seconds:9.2f}{self.rate:10,.0f}{self.cpu:13.2f}{self.kept:12,}{self.state:10.1f}"
            f"{self.memory:11,.0f}"
        )


def steps(name: str, workload: Workload, path: Path, step: int, pause: float, until: float) -> Iterator[Step]:
    """Run a query in a directory: a step of events, as soon as the last is done or when it is due, until a time."""
    prepare(path, name, workload)
    (query,) = Session(spark_session()).script(script(name, workload.disorder, workload.longest), path)
    assert isinstance(query, Query)
    query.start(path / "checkpoint")
    begun, events = time.monotonic(), 0
    written = generate(workload, path / "made", size=step // SLICES)  # where the query does not look
    try:
        for turn in range(ENDLESS):
            before = sorted(file for table in TABLES for file in (path / "in" / table).iterdir())
            made = list(islice(written, SLICES))
            if not made or time.monotonic() - begun > until:
                return
            if (early := begun + turn * pause - time.monotonic()) > 0:
                time.sleep(early)
            started, looked = time.perf_counter(), look()
            for table in TABLES:
                for file in sorted((path / "made" / table).iterdir()):
                    file.replace(path / "in" / table / file.name)
            query.catch_up()
            seconds, used = time.perf_counter() - started, between(looked, look())
            counts = query.metrics()[-1]["operators"].values()
            rows, size = (sum(count[f"{what}_kept"] for count in counts) for what in ("rows", "bytes"))
            done, events = min(made[-1], workload.events) - events, min(made[-1], workload.events)
            memory, at = resident() / 1e6, time.monotonic() - begun
            yield Step(events, seconds, done / seconds, used / done * 1e6, int(rows), size / 1e6, memory, at)
            for file in before:  # read long ago, by all
                file.unlink()
            for part in (path / "out").glob("part-*"):
                part.unlink()
    finally:
        query.stop()


def resident() -> int:
    """The bytes of memory of this process and of all that it has started."""
    parents = dict[int, int]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it may have ended
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    ours, found = {os.getpid()}, 0
    while len(ours) > found:
        found = len(ours)
        ours |= {process for process, parent in parents.items() if parent in ours}
    total = 0
    for process in ours:
        with suppress(OSError):
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            total += sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total


def plot(known: dict[str, Any], path: Path) -> None:
    """Events a second, memory and state, over the events or over time."""
    import matplotlib as mpl  # here because it takes a second

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "punctum"  # the same numbers, the same file
    from matplotlib import pyplot as plt

    some, soak = known["steps"], bool(known["minutes"])
    over = [s["at"] / 60 if soak else s["events"] / 1e6 for s in some]
    figure, panels = plt.subplots(3, 1, figsize=(8, 6), sharex=True)
    lines = (("rate", 1e-3, "1,000 events/s"), ("memory", 1, "memory, MB"), ("kept", 1, "rows kept"))
    for axes, (what, scale, label) in zip(panels, lines, strict=True):
        axes.plot(over, [s[what] * scale for s in some])
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
    panels[-1].set_xlabel("minutes" if soak else "million events")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Run a query and print its steps."""
    parser = argparse.ArgumentParser()
    parser.add_argument("query", choices=NAMES)
    parser.add_argument("--events", type=number, default=ENDLESS, help="how many, at most")
    parser.add_argument("--minutes", type=float, default=0, help="for how long, at most")
    parser.add_argument("--rate", type=number, default=0, help="events a second by the clock; as fast as it can if 0")
    parser.add_argument("--step", type=number, default=1_000_000, help="events of a step")
    parser.add_argument("--note", default="", help="what else the machine did")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    if given.events == ENDLESS and not given.minutes:
        parser.error("say how many --events or --minutes")
    directory, done = Path(tempfile.mkdtemp()), list[Step]()
    pause, until = given.step / given.rate if given.rate else 0.0, 60 * given.minutes or float("inf")
    known: dict[str, Any] = {"query": given.query, "minutes": given.minutes, "rate": given.rate, "note": given.note}
    try:
        print(HEAD)
        for step in steps(given.query, Workload(given.events), directory / given.query, given.step, pause, until):
            print(step, flush=True)
            done.append(step)
            if given.json:
                written = known | {"cores": os.cpu_count(), "steps": [asdict(step) for step in done]}
                given.json.write_text(json.dumps(written, indent=1) + "\n")
        if given.plot:
            plot(known | {"steps": [asdict(step) for step in done]}, given.plot)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
