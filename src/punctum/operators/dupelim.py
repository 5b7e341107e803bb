"""Duplicate elimination (DISTINCT): each row once. Kept: the distinct rows of which duplicates may still come."""

import polars as pl

from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch, columns, punctuations_of
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.matching import matches
from punctum.operators.near import purge
from punctum.operators.operator import Metadata, Operator, Waits
from punctum.operators.table import Table


def without(df: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """The rows that are not among others."""
    if not df.height or not others.height:
        return df
    return df.join(others, on=df.columns, how="anti", nulls_equal=True, maintain_order="left")


def among(df: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """The rows that are among others, as often as they are there."""
    if not df.height or not others.height:
        return df.clear()
    return df.join(others, on=df.columns, how="semi", nulls_equal=True, maintain_order="left")


def distinct(df: pl.DataFrame, table: Table, new: PunctuationBatch) -> pl.DataFrame:
    """The rows that are in no table yet, each once; the table then holds them, less what new punctuations close."""
    fresh = df.unique(maintain_order=True)
    fresh = without(fresh, table.having(fresh).rows)
    if len(new):
        purge(table, new)
        table.append(fresh.filter(~matches(fresh, new)))
    else:
        table.append(fresh)
    return fresh


class Dupelim(Operator):
    """Each row once."""

    def __init__(self, schema: Schema) -> None:
        self.inputs, self.output = (schema,), schema
        self._distinct, self._emitted = Table(empty(schema)), EmittedPunctuations(schema)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        new = punctuations_of(self.output, xs)
        return columns(distinct(xs.rows, self._distinct, new), self._emitted.add_new(new), xs)

    def keeps(self) -> dict[str, int]:
        """The distinct rows are rows of the input."""
        return {"distinct": 0}

    def waits(self) -> dict[str, Waits]:
        """A row waits until it cannot come again."""
        return {"distinct": Waits(0, tuple((name, name) for name in self.output.names))}

    def tables(self) -> dict[str, Table]:
        """The distinct rows."""
        return {"distinct": self._distinct}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._distinct = tables["distinct"]

    def metadata(self) -> Metadata:
        """What it has emitted."""
        return {"emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._emitted.restore(metadata["emitted"])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired may be emitted again."""
        self._emitted.forget(self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What it has emitted."""
        return len(self._emitted)
