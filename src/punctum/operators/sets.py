"""What UNION, INTERSECT and EXCEPT share: two inputs of one schema, what they have said, and the rows that are out."""

from abc import abstractmethod

import polars as pl

from punctum.algebra.schema import Schema, same_schema
from punctum.operators.batch import PunctuationBatch, columns, heard
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.dupelim import distinct, without
from punctum.operators.matching import matches
from punctum.operators.merge import ReceivedPunctuations
from punctum.operators.operator import Metadata, Operator, Waits
from punctum.operators.table import Table


class SetOperator(Operator):
    """A binary operator, and then each row once."""

    def __init__(self, left: Schema, right: Schema) -> None:
        same_schema(left, right)
        self.inputs, self.output = (left, right), left
        self.heard = ReceivedPunctuations(left)
        self._tables = {name: Table(empty(left)) for name in self.names}

    names: tuple[str, ...] = ("left", "right", "distinct")

    @abstractmethod
    def released(
        self, left: pl.DataFrame, right: pl.DataFrame, lps: PunctuationBatch, rps: PunctuationBatch
    ) -> pl.DataFrame:
        """The rows to output for new rows and punctuations, which have been heard, duplicates included."""

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input."""
        left, right = slices
        lps, rps = heard(self.output, left), heard(self.output, right)
        said = self.heard.hear(lps, rps)
        rows = self.released(left.rows, right.rows, lps, rps)
        if not self.punctuations_expire:
            self.heard.settle()
        return columns(distinct(rows, self._tables["distinct"], said), said, left, right)

    def purge(self, name: str, new: pl.DataFrame, old: pl.Series | None = None) -> None:
        """Add rows to a table of which some rows are kept; each is there once."""
        table = self._tables[name]
        if old is not None:
            table.retain(old)
        table.append(without(new.unique(maintain_order=True), table.frame()))

    def keeps(self) -> dict[str, int]:
        """Each input's own rows, and those that are out, which have the same columns."""
        return {name: 1 if name == "right" else 0 for name in self.names}

    def waits(self) -> dict[str, Waits]:
        """A row of an input waits for the other input, one that is out for either."""
        same = tuple((name, name) for name in self.output.names)
        return {name: Waits(1 if name == "left" else 0, same) for name in self.names}

    def tables(self) -> dict[str, Table]:
        """The rows of each input that are kept, and the distinct rows that are out."""
        return self._tables

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._tables = {name: tables[name] for name in self.names}

    def metadata(self) -> Metadata:
        """What each input and the output has said."""
        return self.heard.metadata()

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self.heard.restore(metadata)

    def forget(self, number: int, said: PunctuationBatch) -> None:
        """What is over for an input is not said of both."""
        self.heard.forget(number, self.map_punctuations(number, said))

    def puncts(self) -> int:
        """What each input and the output has said."""
        return len(self.heard)


def still_open(df: pl.DataFrame, new: PunctuationBatch) -> pl.Series | None:
    """Which rows new punctuations leave open; nothing when they are none."""
    return ~matches(df, new) if len(new) and df.height else None
