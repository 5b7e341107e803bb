"""Guard: what stands between a source and the operators, which may rely on a grammatical stream.

A slice goes in; the rows that no punctuation of an earlier slice excludes come out, with the punctuations that say
something new, and beside them the rows that should not have come, each with the punctuation that excludes it.
"""

from dataclasses import dataclass

import polars as pl

from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch, columns, heard
from punctum.operators.columns import ColumnarSlice
from punctum.operators.operator import PAST, Metadata, Operator
from punctum.operators.seen import SeenPunctuations
from punctum.operators.table import Table


@dataclass
class Guarded:
    """A slice's grammatical part, its other rows, where in the slice these were, and the JSON of what excludes them."""

    good: ColumnarSlice
    bad: pl.DataFrame
    at: pl.Series
    reasons: pl.Series


class Guard(Operator):
    """The grammatical part of a stream.

    >>> from punctum.algebra.punctuation import Punctuation
    >>> from punctum.operators.columns import to_rows
    >>> hour = Schema.of(hour="BIGINT")
    >>> guard = Guard(hour)
    >>> _ = guard.split(ColumnarSlice(pl.DataFrame({"hour": [3]}), (Punctuation.of(hour, hour=3),)))
    >>> found = guard.split(ColumnarSlice(pl.DataFrame({"hour": [3, 4]})))
    >>> to_rows(found.good.rows), to_rows(found.bad), found.reasons.to_list()
    ([(4,)], [(3,)], ['{"$punct": {"hour": 3}}'])
    """

    def __init__(self, schema: Schema) -> None:
        self.inputs, self.output = (schema,), schema
        self._heard = SeenPunctuations(schema)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """The grammatical part of the next slice."""
        return self.split(slices[0]).good

    def split(self, xs: ColumnarSlice) -> Guarded:
        """The grammatical part of the next slice, and its violations."""
        if xs.rows.is_empty():
            said = columns(xs.rows, self._heard.add_new(heard(self.output, xs)), xs)
            return Guarded(said, xs.rows, pl.Series(dtype=pl.UInt32), pl.Series(dtype=pl.String))
        wrong = self._heard.matches(xs.rows)
        bad = xs.rows.filter(wrong)
        reasons = self._heard.why(bad)
        new = self._heard.add_new(heard(self.output, xs))
        good = xs.rows.filter(~wrong) if bad.height else xs.rows
        return Guarded(columns(good, new, xs), bad, wrong.arg_true(), reasons)

    def tables(self) -> dict[str, Table]:
        """What was heard and does not coalesce."""
        return {PAST: self._heard.past}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with what another one heard."""
        self._heard.go_on(tables[PAST])

    def metadata(self) -> Metadata:
        """What has been heard."""
        return {"heard": self._heard.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._heard.restore(metadata["heard"])

    def forget(self, number: int, said: PunctuationBatch) -> None:
        """What is over may be said again."""
        self._heard.forget(self.map_punctuations(number, said))

    def restart(self) -> None:
        """What has been said before binds no longer."""
        self._heard.clear()

    def puncts(self) -> int:
        """What has been heard."""
        return len(self._heard)
