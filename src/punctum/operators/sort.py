"""Sorting (ORDER BY): rows come out in order as soon as nothing can come any more that precedes them.

Kept: the rows that cannot be released yet, in the order of arrival. ``prefix.py`` finds which prefix of the order is
closed. With a limit no more rows are kept than may still come out, and once it is reached nothing can come any more.
"""

from collections.abc import Sequence

import polars as pl

from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.ranking import Ranking
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.operators.batch import add, batch, columns, punctuations_of
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.near import purge
from punctum.operators.operator import Metadata, Operator, Waits
from punctum.operators.prefix import closed_prefix
from punctum.operators.ranking import PartitionOrder, in_full
from punctum.operators.table import Table
from punctum.operators.written import read, written


class Sort(Operator):
    """All rows, in order, or as many as a limit allows."""

    releasing_inputs = (0,)

    def __init__(self, schema: Schema, keys: Sequence[SortKey], most: int | None = None) -> None:
        self.inputs, self.output = (schema,), schema
        self._keys, self._most, self._out = list(keys), most, 0
        self._order = PartitionOrder(schema, [], keys, Ranking.ROW_NUMBER)
        self._input, self._received = Table(empty(schema)), PunctuationSet(schema)
        self._emitted = EmittedPunctuations(schema)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        self._take(xs.rows)
        new = punctuations_of(self.output, xs).on(self.output.indices(key.name for key in self._keys))
        if not len(new):
            return ColumnarSlice(empty(self.output))
        add(self._received, new)
        prefix = batch(self.output, closed_prefix(self.output, self._keys, self._received))
        released = purge(self._input, prefix)
        self._out += released.height
        end = end_of_stream(self.output)
        if self._out == self._most or self._received.covers(end):
            prefix = batch(self.output, (end,))
        return columns(self.sorted(released), self._emitted.add_new(prefix), xs)

    def _take(self, rows: pl.DataFrame) -> None:
        """Keep new rows; with a limit only those that may still come out, and no others of the kept ones."""
        if self._most is None or not rows.height:
            self._input.append(rows)
            return
        known = self._input.all()
        best = self._order.best(pl.concat([known.rows, rows]), self._most - self._out)
        held = len(known)
        known.drop(~best.head(held))
        self._input.append(rows.filter(best.tail(rows.height)))

    def sorted(self, df: pl.DataFrame) -> pl.DataFrame:
        """Rows in order; those that are equal on all keys as they are, or with a limit by all other attributes."""
        keys = self._keys if self._most is None else in_full(self.output, [], self._keys)
        return df.sort(
            [key.name for key in keys],
            descending=[key.descending for key in keys],
            nulls_last=[not key.null_leads for key in keys],
            maintain_order=True,
        )

    def keeps(self) -> dict[str, int]:
        """The input's own rows."""
        return {"input": 0}

    def waits(self) -> dict[str, Waits]:
        """A row waits for all that comes before it."""
        return {"input": Waits(0, tuple((key.name, key.name) for key in self._keys))}

    def tables(self) -> dict[str, Table]:
        """The rows that cannot be released yet."""
        return {"input": self._input}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._input = tables["input"]

    def metadata(self) -> Metadata:
        """What has been received on sort attributes, how many rows are out, and what has been emitted."""
        received = written(self._received, self.output)
        return {"received": received, "out": self._out, "emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._received = PunctuationSet(self.output, read(metadata["received"], self.output))
        self._out = metadata["out"]
        self._emitted.restore(metadata["emitted"])

    def has_emitted(self, p: Punctuation) -> bool:
        """Whether rows are out."""
        return self._emitted.covers(p)

    def puncts(self) -> int:
        """What has been received and emitted."""
        return len(self._received) + len(self._emitted)
