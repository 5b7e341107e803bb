"""Stamped, vectorised: each row gets the time of the batch in which it comes, which never goes back.

Kept is that time alone. When it moves, all that is before it is closed.
"""

from datetime import datetime

import polars as pl

from punctum.algebra.pattern import WILDCARD, between
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch
from punctum.operators.columns import ColumnarSlice, dtype
from punctum.operators.operator import Metadata, Operator


class Stamped(Operator):
    """The rows of the input, with the time behind them."""

    def __init__(self, schema: Schema, output: Schema) -> None:
        self.inputs, self.output = (schema,), output
        self._now: datetime | None = None
        self._moved = False

    def at(self, now: datetime) -> None:
        """What the time is."""
        if self._now is None or self._now < now:
            self._now, self._moved = now, True

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        time = self.output.attributes[-1]
        named = dict(zip(self.inputs[0].names, self.output.names, strict=False))
        rows = xs.rows.rename(named).with_columns(pl.lit(self._now, dtype(time)).alias(time.name))
        puncts = tuple(self._wider(p) for p in xs.puncts)
        if self._moved:
            puncts += (Punctuation.of(self.output, {time.name: between(None, self._now, "()")}),)
        self._moved = False
        return ColumnarSlice(rows, puncts, {named[name]: values for name, values in xs.constants.items()})

    def _wider(self, p: Punctuation) -> Punctuation:
        return Punctuation(self.output, (*p.patterns, WILDCARD))

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """The same, of any time."""
        return PunctuationBatch(self.output, received.constants, [self._wider(p) for p in received.others])

    def metadata(self) -> Metadata:
        """The time."""
        return {"now": self._now and self._now.isoformat()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        now = metadata["now"]
        self._now = None if now is None else datetime.fromisoformat(now)

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """Nothing is remembered of the input's."""

    def puncts(self) -> int:
        """None are kept."""
        return 0
