"""What UNION, INTERSECT and EXCEPT share: two inputs of one schema, their punctuations, and the rows that are out."""

from abc import abstractmethod

import polars as pl

from punctum.algebra.schema import Schema, same_schema
from punctum.operators.batch import PunctuationBatch, columns, punctuations_of
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.dupelim import distinct, without
from punctum.operators.merge import ReceivedPunctuations
from punctum.operators.operator import Metadata, Operator, Waits
from punctum.operators.table import Table


class SetOperator(Operator):
    """A binary operator, and then each row once."""

    def __init__(self, left: Schema, right: Schema) -> None:
        same_schema(left, right)
        self.inputs, self.output = (left, right), left
        self.received = ReceivedPunctuations(left)
        self._tables = {name: Table(empty(left)) for name in self.names}

    names: tuple[str, ...] = ("left", "right", "distinct")

    @abstractmethod
    def released(
        self, left: pl.DataFrame, right: pl.DataFrame, lps: PunctuationBatch, rps: PunctuationBatch
    ) -> pl.DataFrame:
        """The rows to output for new rows and punctuations, which have been received, duplicates included."""

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input."""
        left, right = slices
        lps, rps = punctuations_of(self.output, left), punctuations_of(self.output, right)
        emitted = self.received.receive(lps, rps)
        rows = self.released(left.rows, right.rows, lps, rps)
        if not self.punctuations_expire:
            self.received.settle()
        return columns(distinct(rows, self._tables["distinct"], emitted), emitted, left, right)

    def keep(self, name: str, new: pl.DataFrame) -> None:
        """Add rows to a table, in which each is once."""
        table, fresh = self._tables[name], new.unique(maintain_order=True)
        table.append(without(fresh, table.having(fresh).rows))

    def keeps(self) -> dict[str, int]:
        """Each input's own rows, and those that are out, which have the same columns."""
        return {name: 1 if name == "right" else 0 for name in self.names}

    def waits(self) -> dict[str, Waits]:
        """A row of an input waits for the other input, one that is out for either."""
        same = tuple((name, name) for name in self.output.names)
        return {name: Waits(1 if name == "left" else 0, same) for name in self.names}

    def tables(self) -> dict[str, Table]:
        """The rows of each input that are kept, the distinct rows that are out, and the keys that are closed."""
        return self._tables | self.received.tables()

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._tables = {name: tables[name] for name in self.names}
        self.received.restore_tables(tables)

    def metadata(self) -> Metadata:
        """What has been received from each input, and emitted."""
        return self.received.metadata()

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self.received.restore(metadata)

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired for an input does not hold for both."""
        self.received.forget(number, self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What has been received from each input, and emitted."""
        return len(self.received)
