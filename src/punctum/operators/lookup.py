"""Lookup, vectorised: rows meet those of a table, which stands still until there is another version of it.

Nothing is kept. Punctuations go on over the columns of the input, and over columns of the table that equal them. What
is computed of a row and equals what is computed of a row of the table is a key of theirs, like columns that are equal.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from punctum.algebra.outer import JoinKind
from punctum.algebra.schema import Schema
from punctum.operators.batch import Names, PunctuationBatch, columns, punctuations_of
from punctum.operators.checked import Checked, kept
from punctum.operators.columns import ColumnarSlice, empty, fitting
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.operator import Metadata, Operator

_ROW, _KEY = "\0row", "\0key "


@dataclass(frozen=True)
class ComputedKeys:
    """What is computed of rows, what equals it of rows of the table, and what else they have to fulfil.

    Rows may have no value, rows of the table have one, and so has the rest for each pair.
    """

    mine: tuple[Checked, ...]
    theirs: tuple[pl.Expr, ...]
    rest: pl.Expr | None

    def of_table(self, table: pl.DataFrame) -> pl.DataFrame:
        """The rows of a table, with their keys."""
        return table.with_columns(key.alias(f"{_KEY}{n}") for n, key in enumerate(self.theirs))

    def of_rows(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The rows with their keys, and those that have none."""
        reasons = [key.reason.is_not_null() for key in self.mine if key.reason is not None]
        without = rows.select(pl.any_horizontal(reasons)).to_series() if reasons else pl.repeat(False, 1, eager=True)
        good, bad = (rows.filter(~without), rows.filter(without)) if without.any() else (rows, rows.clear())
        return good.with_columns(key.value.alias(f"{_KEY}{n}") for n, key in enumerate(self.mine)), bad


class Lookup(Operator):
    """Each row with its partners in a table; with a kind, as other joins of that kind."""

    def __init__(
        self,
        schema: Schema,
        output: Schema,
        table: Callable[[int], pl.DataFrame],
        on: Sequence[tuple[int, int]],
        paired: Schema,
        kind: JoinKind | None = None,
        residual: Checked | None = None,
        computed: ComputedKeys | None = None,
    ) -> None:
        self.inputs, self.output, self._paired, self._kind, self._residual = (schema,), output, paired, kind, residual
        self._computed = computed
        width = len(schema)
        self._versions, self._own = table, paired.names[width:]
        self.go_on_with(0)
        self._on = [(paired.names[i], paired.names[width + j]) for i, j in on]
        also = {j: i for i, j in on} if kind is None else {}
        shown = [[i, *(width + j for j, of in also.items() if of == i)] for i in range(width)]
        self._names, self._emitted = Names(output, shown), EmittedPunctuations(output)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        rows = self._partners(xs.rows) if xs.rows.height else empty(self.output)
        return columns(
            rows, self._emitted.add_new(self._names.map_punctuations(punctuations_of(self.inputs[0], xs))), xs
        )

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """The same, over the columns of the result."""
        return self._names.map_punctuations(received)

    def go_on_with(self, version: int) -> None:
        """Meet the rows of a version of the table from now on."""
        rows = self._versions(version)
        self._version, self._table = version, rows.rename(dict(zip(rows.columns, self._own, strict=True)))
        self._keyed = self._table if self._computed is None else self._computed.of_table(self._table)

    def metadata(self) -> Metadata:
        """What has been emitted, and the version of the table."""
        return {"emitted": self._emitted.metadata(), "version": self._version}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._emitted.restore(metadata["emitted"])
        if metadata["version"] != self._version:
            self.go_on_with(metadata["version"])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired may be emitted again."""
        self._emitted.forget(self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What has been emitted."""
        return len(self._emitted)

    def _partners(self, rows: pl.DataFrame) -> pl.DataFrame:
        width = len(self.inputs[0])
        mine = rows.rename(dict(zip(rows.columns, self._paired.names[:width], strict=True))).with_row_index(_ROW)
        pairs = self._pairs(mine)
        if self._kind is None:
            return fitting(pairs.drop(_ROW), self.output)
        with_partner = mine[_ROW].is_in(pairs[_ROW].unique().implode())
        if self._kind is JoinKind.LEFT:
            alone = mine.filter(~with_partner)
            both = pl.concat([pairs, alone], how="diagonal").sort(_ROW, maintain_order=True)
            return fitting(both.select(self._paired.names), self.output)
        chosen = rows.filter(with_partner if self._kind is JoinKind.SEMI else ~with_partner)
        return fitting(chosen, self.output)

    def _pairs(self, mine: pl.DataFrame) -> pl.DataFrame:
        """The pairs that are equal and fulfil the residual, by the numbers of the rows."""
        if self._computed is None:
            return self._fulfilling(mine)
        good, bad = self._computed.of_rows(mine)
        keys = [(f"{_KEY}{n}", f"{_KEY}{n}") for n in range(len(self._computed.mine))]
        pairs = self._equal(good, self._keyed, [*self._on, *keys])
        pairs = pairs if self._computed.rest is None else pairs.filter(self._computed.rest)
        return pl.concat([pairs, self._fulfilling(bad)]).sort(_ROW, maintain_order=True) if bad.height else pairs

    def _fulfilling(self, mine: pl.DataFrame) -> pl.DataFrame:
        """The same, where the residual is computed of each pair."""
        pairs = self._equal(mine, self._table, self._on)
        if self._residual is not None:
            pairs, failed = kept(pairs, self._residual)
            self.fail(None if failed is None else failed.drop(_ROW), self._paired)
        return pairs

    def _equal(self, mine: pl.DataFrame, table: pl.DataFrame, on: Sequence[tuple[str, str]]) -> pl.DataFrame:
        """The pairs that are equal on some columns."""
        if on:
            left, right = zip(*on, strict=True)
            pairs = mine.join(table, left_on=left, right_on=right, how="inner", coalesce=False, maintain_order="left")
        else:
            pairs = mine.join(table, how="cross")
        return pairs.select(_ROW, *self._paired.names)
