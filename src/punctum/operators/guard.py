"""Guard: what stands between a source and the operators, which may rely on a grammatical stream.

A slice goes in; the rows that no punctuation before them excludes come out, with the punctuations that bring something
new, and beside them the rows that should not have come, each with the punctuation that excludes it. Punctuations of
earlier slices stand before all rows of this one; those of this one behind all its rows, unless they have places.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch, columns, punctuations_of
from punctum.operators.columns import ColumnarSlice
from punctum.operators.operator import PAST, Metadata, Operator
from punctum.operators.seen import SeenPunctuations
from punctum.operators.sequence import PlacedPunctuations, late, why
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
    >>> parts = guard.split(ColumnarSlice(pl.DataFrame({"hour": [3, 4]})))
    >>> to_rows(parts.good.rows), to_rows(parts.bad), parts.reasons.to_list()
    ([(4,)], [(3,)], ['{"$punct": {"hour": 3}}'])
    """

    def __init__(self, schema: Schema, seen: SeenPunctuations | None = None) -> None:
        self.inputs, self.output = (schema,), schema
        self._seen = SeenPunctuations(schema) if seen is None else seen

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """The grammatical part of the next slice."""
        return self.split(slices[0]).good

    def split(self, xs: ColumnarSlice, sequences: Sequence[tuple[pl.Series, PlacedPunctuations]] = ()) -> Guarded:
        """The grammatical part of the next slice, and its violations.

        Its rows may be those of some sequences, one after the other, in which they and punctuations have places.
        """
        if xs.rows.is_empty():
            passed = columns(xs.rows, self._seen.add_new(punctuations_of(self.output, xs)), xs)
            return Guarded(passed, xs.rows, pl.Series(dtype=pl.UInt32), pl.Series(dtype=pl.String))
        wrong = self._seen.matches(xs.rows)
        reasons = self._seen.why(xs.rows.filter(wrong))
        if sequences:
            wrong, reasons = _with_late(xs.rows, sequences, wrong, reasons)
        bad = xs.rows.filter(wrong)
        new = self._seen.add_new(punctuations_of(self.output, xs))
        good = xs.rows.filter(~wrong) if bad.height else xs.rows
        return Guarded(columns(good, new, xs), bad, wrong.arg_true(), reasons)

    def excludes(self, rows: pl.DataFrame) -> pl.Series:
        """Whether what has been seen excludes each of some rows."""
        return self._seen.matches(rows)

    def tables(self) -> dict[str, Table]:
        """What was seen and does not coalesce."""
        return {PAST: self._seen.past}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with what another one has seen."""
        self._seen.go_on(tables[PAST])

    def metadata(self) -> Metadata:
        """What has been seen."""
        return {"seen": self._seen.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._seen.restore(metadata["seen"])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired may be emitted again."""
        self._seen.forget(self.map_punctuations(number, expired))

    def restart(self) -> None:
        """What has been seen before binds no longer."""
        self._seen.clear()

    def puncts(self) -> int:
        """What has been seen."""
        return len(self._seen)


def _with_late(
    rows: pl.DataFrame, sequences: Sequence[tuple[pl.Series, PlacedPunctuations]], wrong: pl.Series, reasons: pl.Series
) -> tuple[pl.Series, pl.Series]:
    """Which rows earlier slices exclude, or punctuations before them in their sequence, and why."""
    start, texts = 0, pl.repeat(None, rows.height, dtype=pl.String, eager=True)
    texts = texts.scatter(wrong.arg_true(), reasons)
    behind = list[pl.Series]()
    for at, puncts in sequences:
        here = rows.slice(start, len(at))
        mask = late(here, at, puncts) & ~wrong.slice(start, len(at))
        behind.append(mask)
        if mask.any():
            texts = texts.scatter(mask.arg_true() + start, why(here.filter(mask), at.filter(mask), puncts))
        start += len(at)
    wrong = wrong | pl.concat(behind)
    return wrong, texts.filter(wrong)
