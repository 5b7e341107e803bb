"""Difference of two streams as sets (EXCEPT): a left row is out when the right input has closed it and never had it.

Kept: left rows that the right has neither had nor closed, right rows that the left has not closed, and the distinct
rows that are out and may come again.
"""

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.operators.batch import PunctuationBatch
from punctum.operators.dupelim import without
from punctum.operators.near import purge
from punctum.operators.sets import SetOperator


class Difference(SetOperator):
    """The distinct rows of the left input that the right input does not have."""

    releasing_inputs = (1,)

    def released(
        self, left: pl.DataFrame, right: pl.DataFrame, lps: PunctuationBatch, rps: PunctuationBatch
    ) -> pl.DataFrame:
        """The left rows that the right input has closed."""
        lefts, rights = self._tables["left"], self._tables["right"]
        new = without(without(left, rights.having(left).rows), right)
        closed = self.received.right.matches(new)
        there = lefts.having(right)
        there.drop(_present(there.rows, right))
        out = pl.concat([purge(lefts, rps), new.filter(closed)])
        purge(rights, lps)
        self.keep("left", new.filter(~closed))
        self.keep("right", right.filter(~self.received.left.matches(right)))
        return out

    def has_emitted(self, p: Punctuation) -> bool:
        """Whether both inputs have closed it."""
        return self.received.emitted.covers(p)


def _present(df: pl.DataFrame, others: pl.DataFrame) -> pl.Series:
    """Whether each row is among others."""
    numbered = df.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias("\0row"), pl.all())
    present = numbered.join(others.unique(), on=df.columns, how="semi", nulls_equal=True)["\0row"]
    return numbered["\0row"].is_in(present.implode())
