"""Intersection of two streams as sets (INTERSECT).

Kept: each input's rows that the other has not closed, and the distinct rows that are out and may come again.
"""

import polars as pl

from punctum.operators.batch import PunctuationBatch
from punctum.operators.dupelim import among
from punctum.operators.near import purge
from punctum.operators.sets import SetOperator


class Intersect(SetOperator):
    """The distinct rows that both inputs have."""

    def released(
        self, left: pl.DataFrame, right: pl.DataFrame, lps: PunctuationBatch, rps: PunctuationBatch
    ) -> pl.DataFrame:
        """The new rows of each input that the other one has."""
        lefts, rights = self._tables["left"], self._tables["right"]
        here, there = among(left, rights.having(left).rows), among(right, lefts.having(right).rows)
        both = pl.concat([here, there, among(right, left)])
        purge(lefts, rps)
        purge(rights, lps)
        self.keep("left", left.filter(~self.received.right.matches(left)))
        self.keep("right", right.filter(~self.received.left.matches(right)))
        return both
