"""What happens to a stream's rows where they are read: punctuations made of them, selections and projections.

A process that reads files is started for each stream, so this room asks for no other than it needs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import TypeVar

import polars as pl

from punctum.algebra.scheme import Order, Scheme
from punctum.ir import relations as r
from punctum.ir.definitions import AccessOrder, EndEvent, StreamDef
from punctum.ir.tree import Relation
from punctum.lmerge.feedback import Signal
from punctum.operators import orders, origins
from punctum.operators.batch import PunctuationBatch
from punctum.operators.checked import REASON, Checked, computed, kept
from punctum.operators.clock import steps, tick_of, turning
from punctum.operators.columns import AT, ColumnarSlice, fitting
from punctum.operators.expressions import careful
from punctum.operators.origins import Origin, coverable
from punctum.operators.punctuate import in_bulk
from punctum.operators.sequence import PlacedPunctuations, furthest, late, placed, together
from punctum.operators.units import unit_of
from punctum.plan.passes.expect import clocks, timeline
from punctum.plan.physical.pipes import Pipe

ROW = "\0row"
"""The column of rows' numbers."""
TICK = "\0tick"
"""The column of ticks' numbers."""
Step = tuple[Checked | None, list[tuple[str, Checked]]]
"""The condition of a selection, or the columns of a projection."""
F = TypeVar("F", pl.DataFrame, pl.LazyFrame)
Failures = tuple[tuple[int, str], ...]
"""Rows that go to the quarantine, by their numbers, and the reason of each."""


@dataclass(frozen=True)
class Behind:
    """What comes out of a pipe for a slice, what is to be told of rows that were skipped, and the rows that failed.

    These are numbers of rows in the slice, from 0, each with the reason; of those that were skipped it is how many.
    """

    piece: ColumnarSlice
    feedback: Signal | None = None
    failed: tuple[tuple[int, str], ...] = ()
    skipped: int = 0


@dataclass(frozen=True)
class Piped:
    """What a pipe does where a stream is read. Compiled where it runs.

    First punctuations are made of the rows; they are left as they are, over the stream's own columns, and so are those
    that came. Then the rows go through the selections and projections. A row for which a condition or a column has no
    value goes no further, and no punctuation is made of it when it is the condition of one. Places go on where they may
    matter: where a row stands behind a punctuation that matches it, or behind one that may complete others, and always
    when the stream tells the time by which its values are swept. Where rows *stay* places cost nothing, and go on.
    """

    steps: tuple[Relation, ...]
    stream: StreamDef | None = None  # nothing: no punctuations are made
    stays: bool = False

    def __call__(self, piece: ColumnarSlice) -> ColumnarSlice:
        """The slice behind the pipe."""
        return self.apply(piece).piece

    def apply(self, piece: ColumnarSlice) -> Behind:
        """The slice behind the pipe; no rows are skipped there."""
        piece, rejected = self.punctuated(piece)
        rows, failed = self.behind(piece.rows)
        return Behind(with_rows(piece, rows), None, rejected + failed)

    def behind(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, Failures]:
        """Rows behind the selections and projections, and those that failed there; rows may have numbers already.

        Where some may fail it is done step by step: at once, Polars spares a projection the rows that a selection
        behind it leaves out, and whether such a row fails would depend on the others.
        """
        if not self.steps:
            return rows.drop(ROW, strict=False), ()
        failed: Failures = ()
        try:
            behind = self._strict(rows) if self._may_fail else self._strict(rows.lazy()).collect()
        except Exception:
            if not self._may_fail:
                raise
            behind, failed = self.numbered(rows)
        fitted = fitting(behind[list(self.steps[-1].schema.names)], self.steps[-1].schema)
        return pl.DataFrame([*fitted.iter_columns(), behind[AT]]) if AT in behind.columns else fitted, failed

    def numbered(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, Failures]:
        """Rows behind the pipe, each with its number before it, and those that failed."""
        rows, failed = rows if ROW in rows.columns else rows.with_row_index(ROW), list[pl.DataFrame | None]()
        for condition, columns in self._compiled:
            if condition is not None:
                rows, bad = kept(rows, condition)
            else:
                rows, bad = computed(rows, columns)
                rows = rows.select(*(name for name, _ in columns), *_numbers(rows))
            failed.append(bad)
        return rows, failures(*failed)

    def _strict(self, rows: F) -> F:
        """Rows behind the pipe, if none fails; done step by step, unless the frame is lazy."""
        for condition, columns in self._compiled:
            if condition is not None:
                rows = rows.filter(condition.strict)
                continue
            made, numbers = [column.strict.alias(name) for name, column in columns], _numbers(rows)
            if numbers:
                rows = rows.select(*made, *numbers)
            else:  # a select of literals alone has one row
                rows = rows.with_columns(made).select(name for name, _ in columns)
        return rows

    def punctuated(self, piece: ColumnarSlice) -> tuple[ColumnarSlice, Failures]:
        """The slice with what is made of its rows, and those that failed; its rows may have numbers, and places."""
        if self.stream is None or (piece.rows.is_empty() and not self._clocks):
            return replace(piece, places=None), ()
        if not self._origins and not piece.puncts and not piece.constants and not self._clocks:
            return replace(piece, places=None), ()
        rows = pl.DataFrame([*piece.rows.iter_columns(), _places(piece)])
        if self.stays and piece.places is not None and not self._origins and not self._clocks:
            return replace(piece, rows=rows), ()
        given = placed(self.stream.schema, piece, piece.rows.height)
        puncts, failed = self._punctuations(rows), tuple[tuple[int, str], ...]()
        if any(origin.failed is not None for origin in self._origins):
            self._punctuations(numbered := rows.with_row_index(ROW))
            failed = failures(*(origin.failed for origin in self._origins))
            rows = numbered.filter(~pl.col(ROW).is_in([number for number, _ in failed]))
            puncts = self._punctuations(rows)
        on_time = self._on_time(given, rows)
        in_order = on_time and not self._hides(given, rows)
        if in_order and not self._clocks:
            made = in_bulk(rows.drop(AT), puncts)
            piece = piece if self.stream.limits else replace(piece, puncts=furthest(piece.puncts))
            both = {n: pl.concat([piece.constants[n], v]) for n, v in made.constants.items() if n in piece.constants}
            return ColumnarSlice(made.rows, piece.puncts + made.puncts, piece.constants | made.constants | both), failed
        every = together(given.schema, [given, *(origin.placed(rows) for origin in self._seen)])
        times = {name: self._times(name, every, rows) for name in self._clocks}
        if turned := self._turns(times):
            every = together(given.schema, [given, *self._placed_by_tick(rows, turned)])
        behind = every.slice(rows, rows[AT])
        if behind.places is not None and self._clocks:
            behind.places = replace(behind.places, in_order=in_order, times=times)
        elif behind.places is not None and on_time and not self.stream.limits:
            completing = any(origin.completes(self.stream.schema, self._hidden) for origin in self._seen)
            behind.places = replace(behind.places, loose=not completing)
        return behind, failed

    def _turns(self, times: dict[str, pl.DataFrame]) -> list[int]:
        """Where ticks begin by whose end punctuations are over."""
        several = ((times[name], tick_of(lifespan)) for lifespan, name in self._lifespans)
        return sorted({place for moved, tick in several for place in moved[AT].filter(turning(moved, tick))})

    def _placed_by_tick(self, rows: pl.DataFrame, turned: Sequence[int]) -> Iterator[PlacedPunctuations]:
        """What is made of rows, for each tick by itself: what was said in one may be over in the next."""
        number = pl.Series(turned).search_sorted(rows[AT], side="right").alias(TICK)
        for part in rows.with_columns(number).partition_by(TICK, maintain_order=True, include_key=False):
            for origin in self._seen:
                origin.receive(part)
                yield origin.placed(part)

    def _times(self, name: str, given: PlacedPunctuations, rows: pl.DataFrame) -> pl.DataFrame:
        """Where the time moves that a column tells."""
        ordered = [o for o in self._origins if isinstance(o, orders.AccessOrder) and o.orders(name)]
        return steps(name, given, [origin.times(rows) for origin in ordered])

    def _on_time(self, given: PlacedPunctuations, rows: pl.DataFrame) -> bool:
        """Whether no row stands behind a punctuation that matches it.

        Unless one hides something, it is the same then when all rows stand before all punctuations.
        """
        return not any(origin.breaks(rows) for origin in self._seen) and not late(rows, rows[AT], given).any()

    def _hides(self, given: PlacedPunctuations, rows: pl.DataFrame) -> bool:
        """Whether a row stands behind a punctuation on a column that does not come out as it is.

        Such a punctuation comes out when the others have come that cover the column's domain with it, and these may
        have come before.
        """
        assert self.stream is not None
        first = given.on(self._hidden).first()
        if first is not None and (rows[AT] > first).any():
            return True
        return any(origin.completes(self.stream.schema, self._hidden) for origin in self._seen)

    @cached_property
    def _hidden(self) -> set[int]:
        """The stream's columns that do not come out as they are."""
        assert self.stream is not None
        pipe = Pipe(self.stream, self.steps)
        shown = {pipe.origin(n) for n in range(len(pipe.schema))}
        return {at for at in range(len(self.stream.schema)) if at not in shown}

    def _punctuations(self, rows: pl.DataFrame) -> PunctuationBatch:
        assert self.stream is not None
        puncts = PunctuationBatch(self.stream.schema)
        for origin in self._origins:
            made = origin.receive(rows)
            puncts += made if origin in self._seen else PunctuationBatch(self.stream.schema)
        return puncts

    @cached_property
    def _origins(self) -> list[Origin]:
        return [origin for _, origin in self._made]

    @cached_property
    def _made(self) -> list[tuple[Scheme, Origin]]:
        made = [] if self.stream is None else stateless(self.stream)
        for _, origin in made:
            if isinstance(origin, orders.AccessOrder) and self._clocks:
                origin.every = not any(map(origin.orders, self._clocks))
        return made

    @cached_property
    def _seen(self) -> list[Origin]:
        """The origins whose punctuations can be seen behind the pipe.

        One on a column that nothing behind depends on, and that has many values, excludes no row there. Others that
        came before, on the rest of its values, would make it exclude some; from which row on, only they could say.
        """
        if self.stream is None or self._clocks or self.stream.limits:
            return self._origins
        schema, used = self.stream.schema, Pipe(self.stream, self.steps).used

        def seen(scheme: Scheme) -> bool:
            unused = {at for at in schema.indices(scheme.attributes) if at not in used}
            return all(coverable(schema, [schema.names[at]], unused) for at in unused)

        return [origin for scheme, origin in self._made if seen(scheme)]

    @cached_property
    def _lifespans(self) -> list[tuple[timedelta, str]]:
        """How long punctuations hold by the stream's own time, and the column that tells it."""
        lifespans = list[tuple[timedelta, str]]()
        for limits in () if self.stream is None else self.stream.limits:
            if self.stream is not None and limits.lifespan is not None:
                name = timeline(self.stream, limits.scheme)
                lifespans += [] if name is None else [(limits.lifespan, name)]
        return lifespans

    @cached_property
    def _clocks(self) -> tuple[str, ...]:
        """The columns by whose time values are swept: where they move it, relative to all elements, decides on it."""
        return () if self.stream is None else clocks(self.stream)

    @cached_property
    def _compiled(self) -> list[Step]:
        return [compiled_step(step) for step in self.steps]

    @cached_property
    def _may_fail(self) -> bool:
        columns = [column for _, several in self._compiled for _, column in several]
        conditions = [condition for condition, _ in self._compiled if condition is not None]
        return any(expression.reason is not None for expression in (*conditions, *columns))

    def __reduce__(self) -> tuple[type["Piped"], tuple[tuple[Relation, ...], StreamDef | None, bool]]:
        return Piped, (self.steps, self.stream, self.stays)


def _places(piece: ColumnarSlice) -> pl.Series:
    numbers = pl.int_range(piece.rows.height, eager=True) if piece.places is None else piece.places.rows
    return numbers.alias(AT)


def _numbers(rows: pl.DataFrame | pl.LazyFrame) -> list[str]:
    """The columns that a projection keeps beside its own."""
    names = rows.collect_schema().names() if isinstance(rows, pl.LazyFrame) else rows.columns
    return [name for name in (ROW, AT) if name in names]


def with_rows(piece: ColumnarSlice, rows: pl.DataFrame) -> ColumnarSlice:
    """A slice with its rows behind a pipe, and their places, if it has any."""
    if piece.places is None:
        return ColumnarSlice(rows, piece.puncts, piece.constants)
    own = rows[[name for name in rows.columns if name != AT]]  # what drop does takes longer
    return replace(piece, rows=own, places=replace(piece.places, rows=rows[AT]))


def failures(*failed: pl.DataFrame | None) -> Failures:
    """The numbers of rows that failed, each with its first reason, in their order."""
    reasons: dict[int, str] = {}
    for rows in failed:
        for number, reason in () if rows is None else rows.select(ROW, REASON).iter_rows():
            reasons.setdefault(number, reason)
    return tuple(sorted(reasons.items()))


def stateless(stream: StreamDef) -> list[tuple[Scheme, Origin]]:
    """The origins of a stream's punctuations that look at one row at a time, with the schemes of these."""
    schema, made = stream.schema, list[tuple[Scheme, Origin]]()
    for clause in stream.punctuates:
        match clause:
            case EndEvent():
                made.append((clause.scheme, origins.EndEvent(clause.scheme, careful(clause.when, schema))))
            case AccessOrder():
                order = orders.AccessOrder(clause.scheme, clause.delay, unit_of(clause.unit, schema))
                made.append((clause.scheme, order))
    schemes = (Scheme(schema, tuple((name, Order.EQUALITY) for name in names)) for names in stream.unique)
    return [*made, *((scheme, origins.Unique(scheme)) for scheme in schemes)]


def compiled_step(step: Relation) -> Step:
    """What a selection keeps, or the columns of a projection."""
    below = step.inputs[0].schema
    if isinstance(step, r.Filter):
        return careful(step.predicate, below), []
    assert isinstance(step, r.Projection)
    return None, [(name, careful(e, below)) for name, e in step.columns]
