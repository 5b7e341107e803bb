"""LEAD: rows come out with a value of the n-th row after them, once both have their place, or with their partition.

Kept: rows that wait for their place in the order, as in ``over.py``; and, *after* these, of each open partition the
last n that have their place and wait for others. What a punctuation waits for may be in either.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from punctum.algebra.frames import FrameCall
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.operators.batch import PunctuationBatch, columns, punctuations_of
from punctum.operators.columns import ColumnarSlice, canonical, empty
from punctum.operators.matching import matches
from punctum.operators.near import near
from punctum.operators.operator import Metadata, Waits
from punctum.operators.over import Over
from punctum.operators.partitions import Partitions
from punctum.operators.ranking import release
from punctum.operators.table import Table, View
from punctum.operators.waiting import Waiting


class Lead(Over):
    """All rows with a value of a later one."""

    def __init__(self, schema: Schema, by: Sequence[str], keys: Sequence[SortKey], call: FrameCall) -> None:
        super().__init__(schema, by, keys, call)
        self._after, self._held = Table(empty(schema)), Waiting(schema)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        self._input.append(xs.rows)
        received = punctuations_of(self.inputs[0], xs)
        prefix = self._prefix(received)
        closing = received.on(self._at) + prefix.on(self._at)  # of an order that is closed as a whole, all partitions
        rows = self._led(release(self._input, self._waiting, closing + prefix), closing)
        placed = self._waiting.hold(self._input, received) + self._waiting.freed(self._input)
        passing = self._held.hold(self._after, placed) + self._held.freed(self._after)
        return columns(rows, self._emitted.add_new(self._names.map_punctuations(passing)), xs)

    def _led(self, placed: pl.DataFrame, closing: PunctuationBatch) -> pl.DataFrame:
        """The rows that have enough behind them now, or no more to come; of newly placed ones the others wait."""
        known = self._touched(placed, closing)
        both = pl.concat([known.rows, placed])
        if not both.height:
            return empty(self.output)
        partitions, ahead = Partitions.of(both, self._by, self._full), self._call.frame.preceding or 0
        there = partitions.lengths - partitions.numbers >= ahead
        out = there | matches(both, closing).to_numpy()[partitions.at] if len(closing) else there
        mask = pl.Series(partitions.in_frame(out))
        self._held.drop(known, mask.head(known.rows.height))
        self._after.append(placed.filter(~mask.tail(placed.height)))
        ordered = both[partitions.at]
        assert self._call.of is not None
        led = ordered[self._call.of][np.where(there, np.arange(both.height) + ahead, 0)]
        values = pl.select(pl.when(pl.Series(there)).then(led).otherwise(None).alias(self._call.name)).to_series()
        return canonical(ordered.with_columns(values).filter(pl.Series(out)))

    def _touched(self, placed: pl.DataFrame, closing: PunctuationBatch) -> View:
        """The rows that wait for others, of partitions that have more now or are closed."""
        if not self._by:
            return self._after.all()
        return self._after.having(placed.select(self._by).unique()) | near(self._after, closing)

    def tables(self) -> dict[str, Table]:
        """The rows that wait for their place, and those that wait for others."""
        return {"input": self._input, "after": self._after}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._input, self._after = tables["input"], tables["after"]

    def metadata(self) -> Metadata:
        """What waits for rows that have their place, too."""
        return {**super().metadata(), "held": self._held.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        super().restore_metadata(metadata)
        self._held.restore(metadata["held"])

    def puncts(self) -> int:
        """What waits for rows that have their place, too."""
        return super().puncts() + len(self._held)

    def waiting(self) -> int:
        """How many punctuations wait for rows to go."""
        return super().waiting() + len(self._held)

    def drop(self, name: str, view: View, mask: pl.Series) -> None:
        """Drop rows, and with them what they hold back."""
        (self._waiting if name == "input" else self._held).drop(view, mask)

    def keeps(self) -> dict[str, int]:
        """The input's own rows."""
        return {"input": 0, "after": 0}

    def waits(self) -> dict[str, Waits]:
        """A row waits for its partition to be closed, if not for its place and for others."""
        return dict.fromkeys(self.keeps(), super().waits()["input"])
