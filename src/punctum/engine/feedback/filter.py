"""What nobody needs any more, where streams are read: files that say so in, rows that are skipped out.

A query's sink names the files that its readers write (``feedback 'm.feedback'``, several with commas between them).
Where a stream is read, rows are skipped before anything else is done with them; while functions of the user's run, the
files are looked at again after each piece of the rows. What was skipped is told to all buckets in the same batch, and
how many rows that were to the driver.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.runtime.feedback import unneeded
from punctum.engine.sources.pipe import ROW, Behind, Piped, with_rows
from punctum.ir.applied import applied
from punctum.ir.expressions import Column, Expression
from punctum.ir.relations import Filter, Projection
from punctum.ir.tree import Relation
from punctum.lmerge.elements import VE
from punctum.lmerge.feedback import Signal, events_over, least
from punctum.operators.columns import ColumnarSlice
from punctum.plan.physical.feedback import FeedbackMapping, by_event, feedback_mappings
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Stage
from punctum.storage.location import location

FIRST, SECONDS = 64, 0.1
"""How many rows go to functions of the user's before another look at the files, and how long that should take."""


class Signals:
    """Files that say what their writers do not need of a schema's rows; each is read when it has changed."""

    def __init__(self, paths: tuple[str, ...], schema: Schema) -> None:
        self.paths, self.schema = paths, schema
        self._seen: dict[str, tuple[tuple[int, int], Signal | None]] = {}

    def now(self) -> Signal | None:
        """What none of them needs."""
        return least(self._read(path) for path in self.paths)

    def _read(self, path: str) -> Signal | None:
        try:
            status = location(path).stat()
            stamp = status.st_mtime_ns, status.st_ino
            if self._seen.get(path, (None,))[0] != stamp:
                self._seen[path] = stamp, Signal.read(location(path).read_text("utf-8"), self.schema)
        except (OSError, ValueError):
            return None
        return self._seen[path][1]


class FeedbackContext(NamedTuple):
    """What nobody needs of a result, and what that is in each part of the plan."""

    signals: Signals
    feedback_mappings: Mapping[str, FeedbackMapping]


def feedback_context(last: Stage, files: tuple[str, ...]) -> FeedbackContext:
    """What the query hears of others in some files, and where it matters."""
    return FeedbackContext(Signals(files, last.schema), feedback_mappings(last) if files else {})


@dataclass(frozen=True)
class Skipping:
    """A pipe that skips what nobody needs: for each column of the result what it is in the rows of the stream."""

    pipe: Piped
    origin: Pipe
    signals: Signals
    over: Mapping[str, Expression]

    def __call__(self, piece: ColumnarSlice) -> ColumnarSlice:
        """The slice behind the pipe."""
        return self.apply(piece).piece

    def apply(self, piece: ColumnarSlice) -> Behind:
        """The slice behind the pipe, and the limit up to which rows may be missing in it."""
        piece, failed = self.pipe.punctuated(piece)
        signal, rows, skipped = self.signals.now(), list[pl.DataFrame](), 0
        for part in self._parts(piece.rows if ROW in piece.rows.columns else piece.rows.with_row_index(ROW)):
            signal = further(signal, self.signals.now())
            needed = self._needed(ColumnarSlice(part, piece.puncts), signal)
            skipped += part.height - needed.height
            behind, bad = self.pipe.behind(needed)
            rows.append(behind)
            failed += bad
        return Behind(with_rows(piece, pl.concat(rows)), signal, failed, skipped)

    def _parts(self, rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """The rows, in pieces where they go to functions of the user's."""
        start, size = 0, FIRST if self._by_piece else rows.height
        while start < rows.height or start == 0:
            begun = time.perf_counter()
            yield rows[start : start + size]
            start, took = start + max(size, 1), time.perf_counter() - begun
            size = 2 * size if took < SECONDS / 2 else max(size // 2, 1) if took > 2 * SECONDS else size

    @cached_property
    def _by_piece(self) -> bool:
        return any(calls(step) for step in self.origin.steps) and not any(
            by_event(self.origin, over) for over in self.over.values()
        )

    def _needed(self, piece: ColumnarSlice, signal: Signal | None) -> pl.DataFrame:
        over = None if signal is None else self.over.get(signal.column)
        if signal is None or (signal.column and over is None):
            return piece.rows
        if over is not None and by_event(self.origin, over):
            whole = isinstance(over, Column) and over.name == VE
            return piece.rows.filter(~events_over(piece, signal.limit)) if whole else piece.rows
        return piece.rows.filter(~unneeded(piece.rows, self.origin.stream.schema, over, signal))


def further(known: Signal | None, new: Signal | None) -> Signal | None:
    """The signal that says more; within a batch none is taken back, since rows may have been skipped by it."""
    if known is None or new is None:
        return known or new
    same = new.column in (known.column, "")
    return new if same and new.limit > known.limit else known


def calls(step: Relation) -> bool:
    """Whether a step of a pipe calls a function of the user's."""
    assert isinstance(step, Filter | Projection)
    read = [column for _, column in step.columns] if isinstance(step, Projection) else [step.predicate]
    return any(True for expression in read for _ in applied(expression))
