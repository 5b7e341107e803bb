"""Slices that stay in the process that has read them: as a message brings them, but not packed."""

from dataclasses import dataclass, replace

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators.columns import ColumnarSlice


@dataclass(frozen=True, slots=True)
class HeldSlice:
    """A slice that stays where it is: nothing has to be packed."""

    piece: ColumnarSlice

    def unpacked(self, rows: Schema, puncts: Schema) -> ColumnarSlice:
        """The slice; its punctuations are over the other schema from now on."""
        given = self.piece.puncts
        return replace(
            self.piece, puncts=tuple(p if p.schema is puncts else Punctuation(puncts, p.patterns) for p in given)
        )

    def frame(self) -> pl.DataFrame:
        """The rows."""
        return self.piece.rows
