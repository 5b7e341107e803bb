"""Guard: what stands between a source and the operators, which may rely on a grammatical stream.

A slice goes in; the rows that no punctuation of an earlier slice excludes come out, with the punctuations that say
something new, and beside them the rows that should not have come, each with the punctuation that excludes it.
"""

from dataclasses import dataclass

import polars as pl

from punctum.algebra.json import to_json
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.operators.batch import Batch, columns, heard
from punctum.operators.columns import Columns, to_rows
from punctum.operators.matching import matches
from punctum.operators.operator import Notes, Operator, Said


@dataclass
class Guarded:
    """A slice's grammatical part, its other rows, where in the slice these were, and the JSON of what excludes them."""

    good: Columns
    bad: pl.DataFrame
    at: pl.Series
    reasons: pl.Series


class Guard(Operator):
    """The grammatical part of a stream.

    >>> from punctum.algebra.punctuation import Punctuation
    >>> hour = Schema.of(hour="BIGINT")
    >>> guard = Guard(hour)
    >>> _ = guard.split(Columns(pl.DataFrame({"hour": [3]}), (Punctuation.of(hour, hour=3),)))
    >>> found = guard.split(Columns(pl.DataFrame({"hour": [3, 4]})))
    >>> to_rows(found.good.rows), to_rows(found.bad), found.reasons.to_list()
    ([(4,)], [(3,)], ['{"$punct": {"hour": 3}}'])
    """

    def __init__(self, schema: Schema) -> None:
        self.inputs, self.output = (schema,), schema
        self._heard = Said(schema)

    def feed(self, *slices: Columns) -> Columns:
        """The grammatical part of the next slice."""
        return self.split(slices[0]).good

    def split(self, xs: Columns) -> Guarded:
        """The grammatical part of the next slice, and its violations."""
        wrong = matches(xs.rows, self._heard.known)
        bad = xs.rows.filter(wrong)
        reasons = why(bad, self._heard.known)
        new = self._heard.news(heard(self.output, xs))
        good = xs.rows.filter(~wrong) if bad.height else xs.rows
        return Guarded(columns(good, new, xs), bad, wrong.arg_true(), reasons)

    def notes(self) -> Notes:
        """What has been heard."""
        return {"heard": self._heard.notes()}

    def restore_notes(self, notes: Notes) -> None:
        """Go on with the notes of another one."""
        self._heard.restore(notes["heard"])

    def forget(self, number: int, said: Batch) -> None:
        """What is over may be said again."""
        self._heard.forget(self.over(number, said))

    def puncts(self) -> int:
        """What has been heard."""
        return len(self._heard.known)


def why(bad: pl.DataFrame, known: PunctuationSet) -> pl.Series:
    """For each row that some punctuations exclude, the JSON of one that does.

    Rows are looked up one by one, for violations are few; a row that comes many times is looked up once.
    """

    def found(row: Row) -> str:
        offending = known.find(row)
        assert offending is not None
        return to_json(offending, known.schema)

    rows = to_rows(bad)
    reasons = {row: found(row) for row in dict.fromkeys(rows)}
    return pl.Series("reason", [reasons[row] for row in rows], dtype=pl.String)
