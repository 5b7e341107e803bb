"""Intersection of two streams as sets (INTERSECT).

Kept: each input's rows that the other has not closed, and the distinct rows that are out and may come again.
"""

import polars as pl

from punctum.operators.batch import PunctuationBatch
from punctum.operators.dupelim import among
from punctum.operators.sets import SetOperator, still_open


class Intersect(SetOperator):
    """The distinct rows that both inputs have."""

    def released(
        self, left: pl.DataFrame, right: pl.DataFrame, lps: PunctuationBatch, rps: PunctuationBatch
    ) -> pl.DataFrame:
        """The new rows of each input that the other one has."""
        lefts, rights = self._tables["left"].frame(), self._tables["right"].frame()
        both = pl.concat([among(left, rights), among(right, lefts), among(right, left)])
        self.purge("left", left.filter(~self.received.right.matches(left)), still_open(lefts, rps))
        self.purge("right", right.filter(~self.received.left.matches(right)), still_open(rights, lps))
        return both
