"""How fast the generator of NEXMark writes Parquet on one core: events a second, in order and out of order.

This process runs on one core. Of a few turns the fastest counts; processor seconds do not depend on what else the
machine does, as long as it does not take the caches away. Files are written and taken away again, all three tables.

    python bench/generator.py [--events 4m] [--turns 3] [--directory DIR]
"""

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from punctum.commands.nexmark import number
from punctum.nexmark.files import generate
from punctum.nexmark.workload import Workload

KINDS: Mapping[str, Mapping[str, int]] = {
    "no punctuations": {"every": 0},
    "punctuations": {},
    "punctuations, 200 ms of disorder": {"disorder": 200},
}


def seconds(workload: Workload, directory: Path | None) -> tuple[float, float]:
    """What it takes to write a workload: processor seconds, of the system's too, and seconds."""
    path = Path(tempfile.mkdtemp(dir=directory))
    try:
        used, started = time.process_time(), time.perf_counter()
        for _ in generate(workload, path):
            pass
        return time.process_time() - used, time.perf_counter() - started
    finally:
        shutil.rmtree(path)


def main() -> None:
    """Write each kind of workload, in turns, and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=number, default=4_000_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--directory", type=Path, help="where files are written; among those for a while if not said")
    given = parser.parse_args()
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    pa.set_cpu_count(1)
    seconds(Workload(100_000), given.directory)  # what is done once
    turns = [
        {k: seconds(Workload(given.events, **how), given.directory) for k, how in KINDS.items()}
        for _ in range(given.turns)
    ]
    print(f"{given.events:,} events, one core")
    print(f"{'':34}{'CPU seconds':>12}{'seconds':>9}{'events/CPU second':>19}{'events/s':>12}")
    for kind in KINDS:
        used, passed = (min(turn[kind][part] for turn in turns) for part in (0, 1))
        print(f"{kind:34}{used:12.2f}{passed:9.2f}{given.events / used:19,.0f}{given.events / passed:12,.0f}")


if __name__ == "__main__":
    main()
