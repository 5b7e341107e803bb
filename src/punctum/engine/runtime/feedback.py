"""What nobody needs any more, inside a stage: limits in, rows that are skipped and state that is purged out.

All buckets are told a limit in the batch in which rows were skipped by it, so that none of them gives a result of half
the rows: operators skip and purge what the limit covers, and nothing of it comes out. The state remembers the limit.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.exchange.buckets import Exchange
from punctum.engine.exchange.messages import Addressed, Counts, FeedbackMessage, to_all
from punctum.engine.runtime.dataflow import Dataflow
from punctum.engine.runtime.stage import Arrived, StagePart
from punctum.errors import PunctumError
from punctum.ir.expressions import Expression
from punctum.lmerge.feedback import Signal
from punctum.operators.columns import ColumnarSlice
from punctum.operators.expressions import compiled
from punctum.plan.physical.feedback import FeedbackMapping


class FeedbackFilter(StagePart):
    """Lets the operators of a stage, by its number, skip and purge what nobody needs."""

    name = "limits"

    def __init__(self, flow: Dataflow, stage: int, mappings: Mapping[str, FeedbackMapping]) -> None:
        self._skipped = Counter[int]()  # rows that operators did not take, since the slice began
        self._flow, self._stage, self._mappings = flow, stage, mappings
        self._limits: dict[str, int] = {}  # the limits so far; the column without a name is that of all rows
        self._fresh: set[str] = set()

    def before(self, arrived: Arrived) -> None:
        """Hear new limits, and purge what they cover."""
        self._fresh.clear()
        self._skipped.clear()
        for signal in (m.signal for sent in arrived.values() for m in sent if isinstance(m, FeedbackMessage)):
            if signal.limit > self._limits.get(signal.column, signal.limit - 1):
                self._limits[signal.column] = signal.limit
                self._fresh.add(signal.column)
        for column in self._fresh:
            self._purge(Signal(column, self._limits[column]))

    def _purge(self, signal: Signal) -> None:
        for n, operator in enumerate(self._flow.operators):
            over, tables = self._over(n, signal.column), operator.tables()
            for name, i in operator.keeps().items():
                if i in over or not signal.column:
                    view = tables[name].all()
                    operator.drop(name, view, unneeded(view.rows, operator.inputs[i], over.get(i), signal))

    def _signals(self) -> list[Signal]:
        return [Signal(column, limit) for column, limit in self._limits.items()]

    def _over(self, number: int, column: str) -> Mapping[int, Expression | None]:
        """What a column is over each input of an operator, where rows can be told apart by it."""
        if not column:
            return {}
        known = self._mappings[column].operators.get((self._stage, number), ())
        return {i: over for i, over in enumerate(known) if over is not None}

    def on_input(self, number: int, slices: list[ColumnarSlice]) -> list[ColumnarSlice]:
        """The slices without rows that nobody needs."""
        needed, came = list(slices), sum(piece.rows.height for piece in slices)
        for signal in self._signals():
            for i, over in self._over(number, signal.column).items():
                if needed[i].rows.height:
                    schema = self._flow.operators[number].inputs[i]
                    needed[i] = _without(needed[i], unneeded(needed[i].rows, schema, over, signal))
        self._skipped[number] += came - sum(piece.rows.height for piece in needed)
        return needed

    def on_output(
        self, number: int, slices: list[ColumnarSlice], given: ColumnarSlice, counts: Counts
    ) -> ColumnarSlice:
        """Count what was skipped; what is given goes on as it is."""
        counts["rows_skipped"] = self._skipped[number]
        return given

    def after(self, arrived: Arrived, given: ColumnarSlice, counts: list[Counts]) -> ColumnarSlice:
        """The result without rows that nobody needs."""
        for signal in self._signals():
            over = self._mappings[signal.column].results.get(self._stage) if signal.column else None
            if over is not None or not signal.column:
                needed = _without(given, unneeded(given.rows, self._flow.schema, over, signal))
                for counted in counts[-1:]:  # a stage may have no operators
                    counted["rows_out"] -= given.rows.height - needed.rows.height
                    counted["rows_skipped"] += given.rows.height - needed.rows.height
                given = needed
        return given

    def messages(self, to: Exchange, bucket: int) -> list[Addressed]:
        """The limits that are new."""
        fresh = [Signal(column, self._limits[column]) for column in sorted(self._fresh)]
        return [sent for signal in fresh for sent in to_all(to.buckets, FeedbackMessage(signal), to.input)]

    def metadata(self) -> dict[str, int]:
        """The limits."""
        return self._limits

    def restore(self, metadata: Any) -> None:
        """Go on from a state; one that no limits were known in has none."""
        self._limits = dict(metadata or {})


def unneeded(rows: pl.DataFrame, schema: Schema, over: Expression | None, signal: Signal) -> pl.Series:
    """Which rows nobody needs; none, when what decides on it cannot be computed in some of them."""
    try:
        return signal.over(rows, pl.lit(None) if over is None else compiled(over, schema))
    except (pl.exceptions.PolarsError, PunctumError):
        return pl.Series([False]).new_from_index(0, rows.height)


def _without(piece: ColumnarSlice, rows: pl.Series) -> ColumnarSlice:
    return ColumnarSlice(piece.rows.filter(~rows), piece.puncts, piece.constants)
