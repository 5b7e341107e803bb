"""Flink beside us: its files, and processes in an environment of its own that are asked query by query."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from punctum.nexmark.files import PUNCT, SIDE
from punctum.nexmark.workload import TABLES

PYTHON = Path(__file__).parent.parent / "build/flink-venv/bin/python"
BACKENDS = {"Flink, heap": "heap", "Flink, RocksDB": "rocksdb"}
TASKS = 2
"""So many tasks read a table, a file each."""
WARM, ALL = "warm", "all"
"""The parts of the events: the first tenth, and all."""


def convert(source: Path, target: Path) -> None:
    """The rows of Parquet files as CSV, without punctuations: of each table as many files as there are tasks."""
    for table in (*TABLES, SIDE):
        files = sorted((source / table).iterdir())
        for part, some in ((WARM, files[: max(1, len(files) // 10)]), (ALL, files)):
            (target / part / table).mkdir(parents=True)
            for task in range(TASKS):
                with (target / part / table / f"{task}.csv").open("wb") as out:
                    for file in some[task::TASKS]:
                        rows = pl.read_parquet(file).filter(pl.col(PUNCT).is_null()).drop(PUNCT)
                        times = pl.selectors.datetime().dt.strftime("%Y-%m-%d %H:%M:%S%.3f")
                        rows.with_columns(times).write_csv(out, include_header=False)


@dataclass
class Server:
    """A process of Flink's."""

    process: subprocess.Popen[str]
    version: str

    def run(self, query: str, part: str) -> dict[str, Any]:
        """What it has measured of a query."""
        assert self.process.stdin is not None
        print(query, part, file=self.process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            if line.startswith("{"):
                answer: dict[str, Any] = json.loads(line)
                return answer
        raise RuntimeError("Flink has ended")


@contextmanager
def servers(directory: Path) -> Iterator[dict[str, Server]]:
    """A process for each backend of state, if Flink is installed."""
    running = dict[str, Server]()
    try:
        for name, backend in BACKENDS.items() if PYTHON.exists() else ():
            command = [PYTHON, Path(__file__).parent / "nexmark_flink.py", directory, backend]
            log = (directory / f"{backend}.log").open("w")
            pipe = subprocess.PIPE
            process = subprocess.Popen(list(map(str, command)), stdin=pipe, stdout=pipe, stderr=log, text=True)
            running[name] = Server(process, "")
            running[name].version = running[name]._answer()["version"]
        yield running
    finally:
        for server in running.values():
            assert server.process.stdin is not None
            server.process.stdin.close()
            _ended(server.process)


def _ended(process: "subprocess.Popen[str]") -> None:
    started = time.monotonic()
    while process.poll() is None and time.monotonic() - started < 20:
        time.sleep(0.2)
    process.kill()
