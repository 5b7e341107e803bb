"""Operators: a slice of each input in, a slice of the output out, and the state in two parts that an engine can store.

The state is *tables*, the rows kept, in chunks, and *notes*, all else as plain data for JSON. A new operator that is
given the tables and notes of another one goes on as that one would. What comes out and what is kept is what the
operator of the same name in ``punctum.spec`` gives; the inputs are grammatical and canonical (see ``guard.py``).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch
from punctum.operators.checked import Failed
from punctum.operators.columns import ColumnarSlice
from punctum.operators.table import Table, View, total

PAST, CLOSED = "past", "closed "
"""A table of this name, or whose name begins so, holds punctuations: its rows are not rows that are kept."""
Metadata = dict[str, Any]
"""State other than rows, as data for JSON."""


@dataclass(frozen=True)
class Size:
    """How much an operator keeps: rows, about how many bytes they take, and punctuations."""

    rows: int
    bytes: int
    puncts: int


@dataclass(frozen=True)
class Waits:
    """What the rows of a table wait for: punctuations of an input, on these of its attributes.

    Each attribute comes with the table's column that has its value.
    """

    input: int
    on: tuple[tuple[str, str], ...]


def of_rows(name: str) -> bool:
    """Whether the table of a name holds rows, not punctuations.

    >>> [name for name in ("left", "closed left", "past") if of_rows(name)]
    ['left']
    """
    return name != PAST and not name.startswith(CLOSED)


class Operator(ABC):
    """A running operator."""

    inputs: tuple[Schema, ...]
    output: Schema
    releasing_inputs: tuple[int, ...] = ()
    """The inputs whose punctuations release rows: what comes out is as right as these are."""
    punctuations_expire: bool = False
    """Whether punctuations may be over one day: what all inputs have closed is remembered then, for one may open it."""

    _failed: tuple[Failed, ...] = ()

    @abstractmethod
    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input."""

    def failed(self) -> tuple[Failed, ...]:
        """What has no value and goes to the quarantine since this was asked last: rows, pairs of rows, groups."""
        failed, self._failed = self._failed, ()
        return failed

    def fail(self, rows: pl.DataFrame | None, schema: Schema) -> None:
        """Some rows, each with its reason, go to the quarantine."""
        if rows is not None:
            self._failed += (Failed(rows, schema),)

    def tables(self) -> dict[str, Table]:
        """The rows it keeps, by what it keeps them for."""
        return {}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        assert not tables, f"{type(self).__name__} keeps no rows"

    @abstractmethod
    def metadata(self) -> Metadata:
        """The state other than rows."""

    @abstractmethod
    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""

    def size(self) -> Size:
        """How much it keeps now."""
        return Size(*total(table for name, table in self.tables().items() if of_rows(name)), self.puncts())

    @abstractmethod
    def puncts(self) -> int:
        """How many punctuations it keeps now."""

    def waits(self) -> dict[str, Waits]:
        """What its tables wait for, where that can be put in a few words."""
        return {}

    def keeps(self) -> dict[str, int]:
        """The tables whose rows have the columns of an input, by its number, so that such a row is of one row there."""
        return {}

    def drop(self, name: str, view: View, mask: pl.Series) -> None:
        """Drop rows of a table: of those that a view has the ones that a mask over them is true for."""
        view.drop(mask)

    def waiting(self) -> int:
        """How many punctuations have come and not gone on yet."""
        return 0

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """The punctuations of the output that punctuations of an input become, once nothing holds them back."""
        assert len(received.schema) == len(self.output), f"{type(self).__name__} maps its own"
        return PunctuationBatch(
            self.output, received.constants, [Punctuation(self.output, p.patterns) for p in received.others]
        )

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """Remember no longer punctuations of an input that have expired, nor what followed for the output."""
        raise NotImplementedError(f"{type(self).__name__} does not forget")

    def restart(self) -> None:  # noqa: B027
        """The stream that it reads begins anew: what it has emitted before binds it no longer."""

    def has_emitted(self, p: Punctuation) -> bool:
        """Whether it has emitted a punctuation, all of it; asked of those that have releasing inputs."""
        return False
