"""Much state without Spark: a stage in one process, as a worker of Spark's has it; what it takes, writes and keeps.

In come the files that ``state.py`` has written; out go the seconds of a batch by part, the bytes that a batch
writes, those of what has changed, the memory of what is kept, and what another process takes to go on with it.
"""

import ctypes
import gc
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from punctum.compile import compile
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import PackedSlice, SplitPart, StageMessage, StreamSlice
from punctum.engine.formats.files import READERS
from punctum.engine.runtime import build
from punctum.engine.runtime.processor import StageProcessor
from punctum.engine.runtime.stage import StageRuntime
from punctum.engine.runtime.stores import FileStore
from punctum.operators.operator import of_rows
from punctum.plan.physical.pipes import Pipe

FILES = 2
"""How many files a batch has of each stream."""
DELETION = 8
"""The bytes that a deleted row is allowed."""


@dataclass
class Alone:
    """What was measured in one process."""

    seconds: float
    """Of a batch, without reading its files."""
    parts: dict[str, float]
    """Seconds of a batch by part."""
    written: float
    """Bytes of state that a batch writes."""
    changed: float
    """Bytes of what a batch changes: new rows and groups in Arrow, and a few for each deletion."""
    rows: int
    puncts: int
    arrow: int
    """Bytes of all rows in Arrow."""
    counted: int
    """Bytes of all tables as they count themselves, with indexes and punctuations."""
    memory: int
    """By how many bytes the process has grown."""


@dataclass
class Restarted:
    """What was measured in another process, which goes on with the state."""

    seconds: float
    """Until it has read the state."""
    memory: int
    """By how many bytes the process has grown, a batch later."""


class Worker:
    """A stage in one bucket, as a worker of Spark's has it, whose parts are timed."""

    def __init__(self, script: str, directory: Path, state: Path) -> None:
        self.last, self.directory, self.state = compile(script).queries[0].last, directory, state
        self.taken: defaultdict[str, float] = defaultdict(float)
        self.processor = StageProcessor("alone", self.last.number, self._built, None)
        for name, part in {"_load": "load", "_save": "save"}.items():
            setattr(self.processor, name, self._timed(part, getattr(self.processor, name)))

    def fed(self, batch: int) -> None:
        """Take a batch."""
        sent = self._timed("read", self._read)(batch)
        self._timed("all", self.processor.feed)(0, sent, partial(FileStore, self.state, batch))

    def running(self) -> StageRuntime:
        """The stage as it is now."""
        return StageProcessor.cache["alone", self.last.number, 0].running

    def _read(self, batch: int) -> dict[int, list[StageMessage]]:
        sent: dict[int, list[StageMessage]] = {}
        for source in self.last.inputs:
            origin = source.origin
            assert isinstance(origin, Pipe)
            for n in range(FILES):
                path = self.directory / origin.stream.name / f"{FILES * batch + n:05}.parquet"
                piece = build.piped(origin)(READERS["parquet"](path, origin.stream.schema, {}).piece)
                sent.setdefault(source.number, []).append(StreamSlice(PackedSlice.of(piece), SplitPart(n, 0)))
        return sent

    def _built(self, bucket: int) -> StageRuntime:
        running = build.running(self.last, Buckets((0,)), bucket)
        flow = running.flow
        for label, operator in zip(flow.labels, flow.operators, strict=True):
            operator.feed = self._timed(label, operator.feed)  # type: ignore[method-assign]
        flow.take = self._timed("guard", flow.take)  # type: ignore[method-assign]
        return running

    def _timed(self, part: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            started = time.perf_counter()
            try:
                return call(*args)
            finally:
                self.taken[part] += time.perf_counter() - started

        return timed


def measured(script: str, directory: Path, openings: int, batches: int) -> Alone:
    """Feed the batches of a directory; the later half of those behind the openings counts."""
    state = directory / "alone"
    worker, before = Worker(script, directory, state), resident()
    parts, sizes = list[dict[str, float]](), list[int]()
    for batch in range(openings + batches):
        worker.taken.clear()
        worker.fed(batch)
        parts.append(dict(worker.taken))
        sizes.append(sum(path.stat().st_size for path in state.glob(f"{batch}-*")))
    memory = resident() - before
    later = parts[openings + batches // 2 :]
    medians = {part: statistics.median(times[part] for times in later) for part in later[-1]}
    rows, puncts, arrow = kept(worker.running())
    changed = changes(worker.running(), directory, openings + batches - 1)
    return Alone(
        seconds=medians.pop("all"),
        parts=medians,
        written=statistics.mean(sizes[openings + batches // 2 :]),
        changed=changed,
        rows=rows,
        puncts=puncts,
        arrow=arrow,
        counted=sum(table.bytes for table in worker.running().flow.tables().values()),
        memory=memory,
    )


def restarted(script: str, directory: Path, batch: int) -> Restarted:
    """Go on with the state that another process has left, and take the batch that comes later."""
    worker, before = Worker(script, directory / "later", directory / "alone"), resident()
    worker.fed(batch)
    return Restarted(worker.taken["load"], resident() - before)


def kept(running: StageRuntime) -> tuple[int, int, int]:
    """Rows, punctuations, and the bytes of the rows in Arrow."""
    sizes = [operator.size() for operator in running.flow.operators]
    tables = [table for o in running.flow.operators for name, table in o.tables().items() if of_rows(name)]
    puncts = sum(size.puncts for size in sizes) + sum(source.puncts() for source in running.flow.inputs)
    return sum(size.rows for size in sizes), puncts, int(sum(table.frame().estimated_size() for table in tables))


def changes(running: StageRuntime, directory: Path, batch: int) -> float:
    """The bytes of what a batch changes: an item that opens, a group that has got a bid, both when they close."""
    items, bids = (
        pl.concat([pl.read_parquet(directory / name / f"{FILES * batch + n:05}.parquet") for n in range(FILES)])
        for name in ("item", "bid")
    )
    opened, groups = items["itemid"].drop_nulls().len(), bids["itemid"].drop_nulls().n_unique()
    closed = bids["_punct"].drop_nulls().len()
    item, group = (operator_width(running, n) for n in (0, len(running.flow.operators) - 1))
    return opened * item + groups * group + 2 * DELETION * closed


def operator_width(running: StageRuntime, number: int) -> float:
    """The bytes of a row that an operator keeps, in Arrow."""
    frames = [t.frame() for name, t in running.flow.operators[number].tables().items() if of_rows(name)]
    return sum(frame.estimated_size() for frame in frames) / max(1, sum(frame.height for frame in frames))


def resident() -> int:
    """The bytes of memory that the process has now; what it has freed is given back before."""
    gc.collect()
    time.sleep(1)  # Polars' allocator gives back what is free after a while
    trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
