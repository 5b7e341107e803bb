"""Hopping windows: each row comes once for each window of time in which it lies, with the start of that window.

Nothing is kept. No start is NULL, which is said before the first row. What closes all first windows up to one closes
all windows up to it, and what closes all last windows from one on closes all from it on; other patterns on these are
turned away.
"""

import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.pattern import NULL, WILDCARD, Pattern, span_pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch, batch, columns, punctuations_of
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.operator import Metadata, Operator


class Hop(Operator):
    """Each row with each of its windows; the last two columns say where the first and the last of them start.

    A slide is so many steps: of times, microseconds.
    """

    def __init__(self, schema: Schema, output: Schema, slide: int) -> None:
        self.inputs, self.output, self._slide = (schema,), output, slide
        self._first, self._last = schema.names[-2:]
        self._opened, self._emitted = False, EmittedPunctuations(output)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        new = self.map_punctuations(0, punctuations_of(self.inputs[0], xs))
        if not self._opened:
            never = Punctuation.of(self.output, {self.output.names[-1]: NULL})
            new, self._opened = batch(self.output, [never]) + new, True
        return columns(self._copies(xs.rows), self._emitted.add_new(new), xs)

    def _copies(self, rows: pl.DataFrame) -> pl.DataFrame:
        if not rows.height:
            return empty(self.output)
        first, last = (pl.col(name).to_physical() for name in (self._first, self._last))
        start = self.output.names[-1]
        windows = pl.int_ranges(first, last + 1, self._slide).alias(start)
        named = dict(zip(self.inputs[0].names[:-2], self.output.names[:-1], strict=True))
        copies = rows.rename(named).with_columns(windows).select(self.output.names).explode(start)
        return copies.drop_nulls(start).with_columns(pl.col(start).cast(empty(self.output).schema[start]))

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """The same on other columns, and on starts what is closed below or above all of a value."""
        width = len(self.output) - 1
        constants = {at: values for at, values in received.constants.items() if at < width}
        mapped = (self._over_starts(p, width) for p in received.others)
        return PunctuationBatch(self.output, constants, [p for p in mapped if p is not None])

    def _over_starts(self, p: Punctuation, width: int) -> Punctuation | None:
        patterns = {at: side for at, side in p.sides if at < width}
        for at, side in p.sides:
            if at >= width:
                part = self._endless(side, at - width)
                if part is None:
                    return None
                patterns[width] = patterns.get(width, WILDCARD).meet(part)
        return Punctuation(self.output, tuple(patterns.get(n, WILDCARD) for n in range(width + 1)))

    def _endless(self, side: Pattern, end: int) -> Pattern | None:
        """The part of a pattern that goes on below without end, or above."""
        part = next((span for span in side.spans if span[end] is (LOWEST, HIGHEST)[end]), None)
        return None if part is None else span_pattern(part, self.output.attributes[-1].type)

    def metadata(self) -> Metadata:
        """Whether it has begun, and what it has emitted."""
        return {"opened": self._opened, "emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._opened = metadata["opened"]
        self._emitted.restore(metadata["emitted"])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired may be emitted again."""
        self._emitted.forget(self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What has been emitted."""
        return len(self._emitted)
