"""Ranking (ROW_NUMBER, RANK, DENSE_RANK OVER): rows with their rank, when punctuations close their partition.

Kept: the rows of open partitions, and with a limit only those whose rank is within it. New rows meet the kept ones of
their partitions, which are found by an index, so a slice costs what it brings and what it changes: a row that is not
among the best is never stored. A punctuation waits until no kept row matches it, and then passes. With updates a rank
comes out after each slice that gives it another row, and not again when its partition is closed.
"""

from collections.abc import Sequence

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.ranking import Ranking
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Type
from punctum.operators.batch import Names, PunctuationBatch, columns, punctuations_of
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.matching import matches
from punctum.operators.near import near
from punctum.operators.operator import Metadata, Operator, Waits
from punctum.operators.partitions import Partitions
from punctum.operators.table import Table, View
from punctum.operators.waiting import Waiting


class Ranks(Operator):
    """The rows of closed partitions, with their ranks, as far as these are within a limit."""

    releasing_inputs = (0,)

    def __init__(
        self,
        schema: Schema,
        by: Sequence[str],
        keys: Sequence[SortKey],
        function: Ranking,
        name: str,
        most: int | None = None,
        updates: bool = False,
    ) -> None:
        self._by, self._at, self._most = list(dict.fromkeys(by)), schema.indices(by), most
        self._updates = updates
        self._order = PartitionOrder(schema, self._by, keys, function)
        self.inputs = (schema,)
        self.output = Schema((*schema.attributes, Attribute(name, Type.BIGINT)))
        self._input = Table(empty(schema))
        self._waiting = Waiting(schema)
        self._names = Names(self.output, [[i] for i in range(len(schema))])
        self._emitted = EmittedPunctuations(self.output)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        changed = self._take(xs.rows)
        received = punctuations_of(self.inputs[0], xs)
        done = release(self._input, self._waiting, received.on(self._at))
        passing = self._waiting.hold(self._input, received) + self._waiting.freed(self._input)
        rows = changed if self._updates else self._results(done)
        return columns(rows, self._emitted.add_new(self._names.map_punctuations(passing)), xs)

    def _take(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Keep those new rows that are among the best, and those kept ones no longer that are not any more.

        Given are the ranks that have another row now, if these come again.
        """
        if self._most is None or not rows.height:
            self._input.append(rows)
            return empty(self.output)
        new = rows.filter(self._order.best(rows, self._most))
        known = self._input.having(new.select(self._by).unique()) if self._by else self._input.all()
        before = known.rows
        if not before.height:  # then all of the new ones are among the best
            self._input.append(new)
            return self._changed(before, new, new) if self._updates else empty(self.output)
        both = pl.concat([before, new])
        best = self._order.best(both, self._most)
        self._waiting.drop(known, ~best.head(before.height))
        self._input.append(new.filter(best.tail(new.height)))
        return self._changed(before, both.filter(best), new) if self._updates else empty(self.output)

    def _changed(self, before: pl.DataFrame, after: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
        """The ranks whose row is another one, in partitions of new rows."""
        keys = new.select(self._by).unique()
        if self._by:
            before, after = (df.join(keys, on=self._by, how="semi", nulls_equal=True) for df in (before, after))
        same = self._results(before)
        return self._results(after).join(same, on=self.output.names, how="anti", nulls_equal=True)

    def _results(self, done: pl.DataFrame) -> pl.DataFrame:
        if not done.height:
            return empty(self.output)
        return done.with_columns(self._order.ranks(done).alias(self.output.names[-1]))

    def tables(self) -> dict[str, Table]:
        """The rows of open partitions."""
        return {"input": self._input}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._input = tables["input"]

    def metadata(self) -> Metadata:
        """What waits, and what has been emitted."""
        return {"waiting": self._waiting.metadata(), "emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._waiting.restore(metadata["waiting"])
        self._emitted.restore(metadata["emitted"])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired waits no longer, and may be emitted again."""
        self._waiting.forget(self._input, expired)
        self._emitted.forget(self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What waits and what has been emitted."""
        return len(self._waiting) + len(self._emitted)

    def waiting(self) -> int:
        """How many punctuations wait for rows to go."""
        return len(self._waiting)

    def drop(self, name: str, view: View, mask: pl.Series) -> None:
        """Drop rows, and with them what they hold back."""
        self._waiting.drop(view, mask)

    def keeps(self) -> dict[str, int]:
        """The input's own rows."""
        return {"input": 0}

    def waits(self) -> dict[str, Waits]:
        """A row waits for its partition to be closed."""
        return {"input": Waits(0, tuple((name, name) for name in self._by))}

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """The same, over the attributes of the input."""
        return self._names.map_punctuations(received)

    def has_emitted(self, p: Punctuation) -> bool:
        """Whether partitions are closed."""
        return self._emitted.covers(p)


def release(table: Table, waiting: Waiting, closing: PunctuationBatch) -> pl.DataFrame:
    """Drop the rows of a table that match punctuations, and with them what they hold back; given are these rows."""
    if not len(closing):
        return table.none().rows
    view = near(table, closing)
    mask = matches(view.rows, closing)
    gone = view.rows.filter(mask)
    waiting.drop(view, mask)
    return gone


class PartitionOrder:
    """The order of the rows of each partition, and what a function makes of it.

    >>> order = PartitionOrder(Schema.of(k="STRING", v="BIGINT"), ["k"], [SortKey("v")], Ranking.RANK)
    >>> order.ranks(pl.DataFrame({"k": ["a", "b", "a", "a"], "v": [5, 7, 3, 5]})).to_list()
    [2, 1, 1, 2]
    """

    def __init__(self, schema: Schema, by: list[str], keys: Sequence[SortKey], function: Ranking) -> None:
        self._by, self._function = by, function
        self._keys = [key for key in keys if key.name not in by]  # all rows of a partition have the same
        self._full = in_full(schema, self._by, self._keys)
        self._rest = self._full[len(self._keys) :]

    def best(self, df: pl.DataFrame, most: int) -> pl.Series:
        """Which rows have a rank of at most so much: of their peers, all or, as ROW_NUMBER has it, some."""
        if self._function is not Ranking.ROW_NUMBER:
            return self.ranks(df) <= most
        partitions = Partitions.of(df, self._by, self._keys)
        split = (partitions.ranks <= most) & (partitions.lasts > most)  # peers of which only some are within the limit
        best = partitions.in_frame(partitions.lasts <= most)
        if split.any():
            at, before = partitions.at[split], partitions.in_frame(partitions.ranks - 1)
            among = Partitions.of(df[at], self._by, self._rest)
            chosen = at[among.at]
            best[chosen[among.numbers + before[chosen] <= most]] = True
        return pl.Series(best)

    def ranks(self, df: pl.DataFrame) -> pl.Series:
        """The rank of each row."""
        numbered = self._function is Ranking.ROW_NUMBER
        partitions = Partitions.of(df, self._by, self._full if numbered else self._keys)
        ranks = {
            Ranking.ROW_NUMBER: partitions.numbers,
            Ranking.RANK: partitions.ranks,
            Ranking.DENSE_RANK: partitions.dense_ranks,
        }
        return pl.Series(partitions.in_frame(ranks[self._function]))


def in_full(schema: Schema, by: Sequence[str], keys: Sequence[SortKey]) -> list[SortKey]:
    """An order of the rows of a partition in which only rows are peers that are the same."""
    sorted_by = {*by, *(key.name for key in keys)}
    return [*keys, *(SortKey(name) for name in schema.names if name not in sorted_by)]
