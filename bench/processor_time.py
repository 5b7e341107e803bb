"""Processor seconds of processes and of all that they have started, also of those that have ended.

What a process has used is in a file of the system's as long as it is there; when it ends, it is added to its parent's,
if the parent waits for it. Spark's parent of Python workers does not: it ignores that they end, and what they have used
is in no file any more. So two looks are compared process by process; a total would fall when such a worker ends, which
has idled for a minute and worked for another query before.
"""

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGCHLD

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """What is known of a process."""

    started: int
    """When it started; a number of a process is used again, but not at the same time."""
    parent: int
    used: float
    """Seconds of its own, and of those that it has waited for."""
    waits: bool
    """Whether those that it has started are added to it when they end."""


Look = Mapping[int, Process]
"""The processes at a time, by their numbers."""


def look(root: int | None = None, without: Collection[int] = ()) -> Look:
    """A process, this one unless it is said, and all that it has started, without some and what these have started."""
    every = dict[int, Process]()
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, StopIteration):  # it has just ended
            every[int(path.name)] = _process(path)
    ours, known = {os.getpid() if root is None else root}, 0
    while len(ours) > known:
        known = len(ours)
        ours |= {n for n, process in every.items() if process.parent in ours and n not in without}
    return {n: every[n] for n in ours if n in every}


def _process(path: Path) -> Process:
    fields = (path / "stat").read_text().rpartition(")")[2].split()
    lines = (path / "status").read_text().splitlines()
    ignored = int(next(line for line in lines if line.startswith("SigIgn:")).split()[1], 16)
    used = sum(map(int, fields[11:15])) / _TICKS
    return Process(int(fields[19]), int(fields[1]), used, not ignored >> (SIGCHLD - 1) & 1)


def between(before: Look, after: Look) -> float:
    """Seconds that were used from one look to another.

    Of a process that has ended, whose parent has not waited, it is not known what it has used since the first look.

    >>> jvm, daemon, worker = Process(1, 0, 10.0, True), Process(2, 1, 1.0, False), Process(3, 2, 5.0, True)
    >>> between({1: jvm, 2: daemon, 3: worker}, {1: Process(1, 0, 12.0, True), 2: daemon})  # the worker has ended
    2.0
    >>> between({1: jvm, 2: daemon}, {1: Process(1, 0, 14.0, True)})  # the daemon has, and its second is the JVM's now
    3.0
    >>> between({1: jvm}, {1: jvm, 2: daemon, 3: worker})  # both are new
    6.0
    """
    total = sum(process.used for process in after.values())
    for n, process in before.items():
        if _is_there(n, process, after) or _is_with_its_parent(process, before, after):
            total -= process.used
    return total


def _is_there(n: int, process: Process, after: Look) -> bool:
    return n in after and after[n].started == process.started


def _is_with_its_parent(process: Process, before: Look, after: Look) -> bool:
    """Whether what a process has used is counted with the next one above it that has not ended."""
    while (above := before.get(process.parent)) is not None and above.waits:
        if _is_there(process.parent, above, after):
            return True
        process = above
    return False
