"""What nobody needs any more: files that say so in, rows that are skipped and state that is purged out.

A query's sink names the files that its readers write (``feedback 'm.feedback'``, several with commas between them).
Where a stream is read, rows are skipped before anything else is done with them; while functions of the user's run, the
files are looked at again after each piece of the rows. What was skipped is told to all buckets in the same batch, so
that none of them gives a result of half the rows: operators skip and purge what the limit covers, and nothing of it
comes out. The state remembers the limit.
"""

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path

import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.exchange.packing import SIGNAL, Exchange, Message
from punctum.engine.runtime.stage import Counts, StageRuntime
from punctum.engine.sources.pipe import ROW, Behind, Piped
from punctum.errors import PunctumError
from punctum.ir.applied import applied
from punctum.ir.expressions import Column, Expression
from punctum.ir.relations import Projection, Relation
from punctum.lmerge.elements import VE
from punctum.lmerge.feedback import Signal, events_over, least
from punctum.operators.columns import ColumnarSlice
from punctum.operators.expressions import compiled
from punctum.plan.physical.feedback import FeedbackMapping, by_event
from punctum.plan.physical.pipes import Pipe

FIRST, SECONDS = 64, 0.1
"""How many rows go to functions of the user's before another look at the files, and how long that should take."""


@dataclass(frozen=True)
class Signals:
    """Files that say what their writers do not need of a schema's rows; each is read when it has changed."""

    paths: tuple[str, ...]
    schema: Schema
    _seen: dict[str, tuple[tuple[int, int], Signal | None]] = field(default_factory=dict, compare=False, repr=False)

    def now(self) -> Signal | None:
        """What none of them needs."""
        return least(self._read(path) for path in self.paths)

    def _read(self, path: str) -> Signal | None:
        try:
            found = Path(path).stat()
            stamp = found.st_mtime_ns, found.st_ino
            if self._seen.get(path, (None,))[0] != stamp:
                self._seen[path] = stamp, Signal.read(Path(path).read_text("utf-8"), self.schema)
        except (OSError, ValueError):
            return None
        return self._seen[path][1]


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
        signal, rows = self.signals.now(), list[pl.DataFrame]()
        for part in self._parts(piece.rows if ROW in piece.rows.columns else piece.rows.with_row_index(ROW)):
            signal = further(signal, self.signals.now())
            behind, bad = self.pipe.behind(self._needed(ColumnarSlice(part, piece.puncts), signal))
            rows.append(behind)
            failed += bad
        written = None if signal is None else json.dumps([signal.column, signal.limit])
        return Behind(ColumnarSlice(pl.concat(rows), piece.puncts, piece.constants), written, failed)

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
    read = [each for _, each in step.columns] if isinstance(step, Projection) else [step.predicate]  # type: ignore[attr-defined]
    return any(True for each in read for _ in applied(each))


def unneeded(rows: pl.DataFrame, schema: Schema, over: Expression | None, signal: Signal) -> pl.Series:
    """Which rows nobody needs; none, when what decides on it cannot be computed in some of them."""
    try:
        return signal.over(rows, pl.lit(None) if over is None else compiled(over, schema))
    except (pl.exceptions.PolarsError, PunctumError):
        return pl.Series([False]).new_from_index(0, rows.height)


@dataclass(frozen=True)
class FeedbackFilter(StageRuntime):
    """A stage's operators in one bucket, which skip and purge what nobody needs."""

    number: int = 0
    feedback_mappings: Mapping[str, FeedbackMapping] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    """The limits so far, by column; the column without a name is that of all rows."""
    fresh: set[str] = field(default_factory=set)

    def feed(self, sent: dict[int, list[Message]]) -> tuple[ColumnarSlice, list[Counts]]:
        """Run a slice through, once what nobody needs has gone."""
        self.fresh.clear()
        for each in (s for several in sent.values() for s in several if s.sender == SIGNAL):
            column, limit = json.loads(each.origin or "")
            if limit > self.limits.get(column, limit - 1):
                self.limits[column] = limit
                self.fresh.add(column)
        for column in self.fresh:
            self._purge(Signal(column, self.limits[column]))
        piece, metrics = super().feed(sent)
        for signal in self._signals():
            over = self.feedback_mappings[signal.column].results.get(self.number) if signal.column else None
            if over is not None or not signal.column:
                piece.rows = piece.rows.filter(~unneeded(piece.rows, self.schema, over, signal))
        return piece, metrics

    def _signals(self) -> list[Signal]:
        return [Signal(column, limit) for column, limit in self.limits.items()]

    def _over(self, number: int, column: str) -> Mapping[int, Expression | None]:
        """What a column is over each input of an operator, where rows can be told apart by it."""
        if not column:
            return {}
        known = self.feedback_mappings[column].operators.get((self.number, number), ())
        return {i: over for i, over in enumerate(known) if over is not None}

    def _purge(self, signal: Signal) -> None:
        for n, operator in enumerate(self.operators):
            over, tables = self._over(n, signal.column), operator.tables()
            for name, i in operator.keeps().items():
                if i in over or not signal.column:
                    tables[name].retain(~unneeded(tables[name].frame(), operator.inputs[i], over.get(i), signal))
                    operator.purged(name)

    def needed(self, number: int, slices: list[ColumnarSlice]) -> list[ColumnarSlice]:
        """The slices without rows that nobody needs."""
        found = list(slices)
        for signal in self._signals():
            for i, over in self._over(number, signal.column).items():
                if found[i].rows.height:
                    mask = unneeded(found[i].rows, self.operators[number].inputs[i], over, signal)
                    found[i] = ColumnarSlice(found[i].rows.filter(~mask), found[i].puncts, found[i].constants)
        return found

    def behind(self, to: Exchange, bucket: int) -> list[tuple[int, Message]]:
        """What goes to buckets of the next stage behind the last slice: limits that are new."""
        told = [json.dumps([column, self.limits[column]]) for column in sorted(self.fresh)]
        signals = [(each, Message(SIGNAL, None, None, None, text)) for text in told for each in to.buckets]
        return super().behind(to, bucket) + signals

    def noted(self) -> list[object]:
        """The state, with the limits behind it."""
        return [*super().noted(), self.limits]

    def restore(self, metadata: str, chunks: Mapping[str, Mapping[int, pl.DataFrame]]) -> None:
        """Go on from a state; one that no limits were known in has none."""
        super().restore(metadata, chunks)
        self.limits.clear()
        self.limits.update(*json.loads(metadata)[2:])


def skipping(made: StageRuntime, number: int, feedback_mappings: Mapping[str, FeedbackMapping]) -> StageRuntime:
    """A stage that skips what nobody needs; one whose operators sweep has to see all rows."""
    if type(made) is not StageRuntime:
        return made
    same = {each.name: getattr(made, each.name) for each in fields(StageRuntime)}
    return FeedbackFilter(**same, number=number, feedback_mappings=feedback_mappings)
