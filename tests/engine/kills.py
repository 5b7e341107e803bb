"""A script that needs all there is to recover, input for it, and what a run of it has left, to be compared.

Two streams of eight files each, a file of each a batch, with lines that are no elements and rows that break a promise.
Files are as large as it takes to be read by several tasks.
One query joins and then groups by another key, so it has two stages; the other one writes parquet.
"""

import json
import os
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from lanes import PATIENCE
from punctum.engine.sources.reader import WORTH_A_PART

SCRIPT = """
CREATE STREAM a (k BIGINT, g BIGINT, s STRING, PUNCTUATED ON (k), PUNCTUATED ON (g))
  USING json OPTIONS (path 'in/a', maxFilesPerTrigger 1);
CREATE STREAM b (k BIGINT, v BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'in/b', maxFilesPerTrigger 1);
CREATE SINK grouped USING json OPTIONS (path 'out/grouped');
CREATE SINK pairs USING parquet OPTIONS (path 'out/pairs');
INSERT INTO grouped SELECT a.g, COUNT(*) AS n, SUM(b.v) AS t, MAX(a.s) AS s FROM a JOIN b ON a.k = b.k GROUP BY a.g;
INSERT INTO pairs SELECT a.k, a.g, b.v FROM a JOIN b ON a.k = b.k;
"""
SINKS = ("grouped", "pairs")
FILES = 8
APART = 64  # keys that are in different runs, so that they go to all buckets
Left = dict[str, Any]


def element(**values: object) -> str:
    return json.dumps(values)


def closed(**values: object) -> str:
    return json.dumps({"$punct": values})


def written(directory: Path, seed: int = 7) -> Path:
    """The script and its input."""
    chance = random.Random(seed)
    (directory / "kill.sql").write_text(SCRIPT)
    for name in ("a", "b"):
        (directory / "in" / name).mkdir(parents=True)
    for n in range(FILES):
        keys, groups = range(3 * n, 3 * n + 12), range(2 * n, 2 * n + 6)
        a = [element(k=APART * chance.choice(keys), g=APART * chance.choice(groups), s=f"é{n}") for _ in range(40)]
        b = [element(k=APART * chance.choice(keys), v=chance.randint(-99, 99)) for _ in range(40)]
        gone = [closed(k=APART * k) for k in range(3 * n, 3 * n + 3)]
        if n:
            a += [element(k=APART * (3 * n - 1), g=APART * 99, s="late"), '{"k": 1, "g"', element(k="x", g=1, s="")]
            b += [element(k=APART * (3 * n - 2), v=1), closed(j=1)]
        a += [*gone, closed(g=APART * 2 * n), closed(g=APART * (2 * n + 1))]
        b += gone
        if n == FILES - 1:
            a, b = [*a, closed()], [*b, closed()]
        for name, lines in (("a", a), ("b", b)):
            lines[0] += " " * WORTH_A_PART
            path = directory / "in" / name / f"{n}.json"
            path.write_text("\n".join(lines))
            os.utime(path, (n + 1, n + 1))
    return directory


def left(directory: Path, sink: str) -> Left:
    """All that a run has left: results by batch and bucket, the quarantine by batch, and what the metrics count."""
    found: Left = {"results": {}, "quarantine": {}}
    for path in (directory / "out" / sink).glob("[!.]*"):
        rows = (
            [json.loads(line) for line in path.open()] if path.suffix == ".json" else pl.read_parquet(path).to_dicts()
        )
        found["results"][_without_id(path)] = sorted(rows, key=repr)
    for path in (directory / f"out/{sink}.quarantine").glob("[!.]*"):
        found["quarantine"][_without_id(path)] = path.read_text().split("\n")
    lines = (directory / "state" / sink / "punctum/metrics.jsonl").read_text().split("\n")
    found["metrics"] = [_counted(json.loads(line)) for line in lines[:-1]]
    assert not lines[-1]
    return found


def _without_id(path: Path) -> str:
    """The batch and the bucket of a file's name."""
    return path.name.split("-", 2)[2]


def _counted(metrics: dict[str, Any]) -> dict[str, Any]:
    """What does not hang on the clock, nor on how memory happens to be laid out."""
    return {name: _plain(value) for name, value in metrics.items() if name not in ("time", "seconds")}


def _plain(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _plain(inner) for name, inner in value.items() if name not in ("bytes_kept", "oldest")}


def begun(directory: Path, sink: str) -> int:
    """How many batches a query has begun."""
    return len(list((directory / "state" / sink / "offsets").glob("[0-9]*")))


def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Wait for a condition, and say whether it has come true."""
    end = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < end:
        time.sleep(0.01)
    return met


def begins(
    directory: Path, sink: str, count: int, ended: Callable[[], bool] = lambda: False, seconds: float = PATIENCE
) -> bool:
    """Wait until a query has begun so many batches, or has ended; say whether it has not."""
    until(lambda: begun(directory, sink) >= count or ended(), seconds)
    return begun(directory, sink) >= count and not ended()


def below(process: int, named: str) -> list[int]:
    """The processes that a process has started, they themselves or others for it, by what is in their commands."""
    listed = subprocess.run(["ps", "-wweo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    lines = [line.split(None, 2) for line in listed.splitlines()]
    children: dict[int, list[tuple[int, str]]] = {}
    for pid, parent, command in (line for line in lines if len(line) == 3):
        children.setdefault(int(parent), []).append((int(pid), command))
    found, todo = list[int](), [process]
    while todo:
        for child, its in children.get(todo.pop(), []):
            todo.append(child)
            if named in its:
                found.append(child)
    return found
