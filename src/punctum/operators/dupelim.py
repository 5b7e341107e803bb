"""Duplicate elimination (DISTINCT): each row once. Kept: the distinct rows of which duplicates may still come."""

import polars as pl

from punctum.algebra.schema import Schema
from punctum.operators.batch import Batch, columns, heard
from punctum.operators.columns import Columns, empty
from punctum.operators.matching import matches
from punctum.operators.operator import Notes, Operator, Waits
from punctum.operators.said import Said
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


def distinct(df: pl.DataFrame, table: Table, new: Batch) -> pl.DataFrame:
    """The rows that are in no table yet, each once; the table then holds them, less what new punctuations close."""
    fresh = without(df.unique(maintain_order=True), table.frame())
    if len(new):
        table.retain(~matches(table.frame(), new))
        table.append(fresh.filter(~matches(fresh, new)))
    else:
        table.append(fresh)
    return fresh


class Dupelim(Operator):
    """Each row once."""

    def __init__(self, schema: Schema) -> None:
        self.inputs, self.output = (schema,), schema
        self._distinct, self._said = Table(empty(schema)), Said(schema)

    def feed(self, *slices: Columns) -> Columns:
        """Take the next slice."""
        (xs,) = slices
        new = heard(self.output, xs)
        return columns(distinct(xs.rows, self._distinct, new), self._said.news(new), xs)

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

    def notes(self) -> Notes:
        """What it has said."""
        return {"said": self._said.notes()}

    def restore_notes(self, notes: Notes) -> None:
        """Go on with the notes of another one."""
        self._said.restore(notes["said"])

    def forget(self, number: int, said: Batch) -> None:
        """What is over may be said again."""
        self._said.forget(self.over(number, said))

    def puncts(self) -> int:
        """What it has said."""
        return len(self._said)
