"""Difference of two streams as sets (EXCEPT): a left row is out when the right input has closed it and never had it.

Kept: left rows that the right has neither had nor closed, right rows that the left has not closed, and the distinct
rows that are out and may come again.
"""

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.operators.batch import PunctuationBatch
from punctum.operators.dupelim import without
from punctum.operators.sets import SetOperator, still_open


class Difference(SetOperator):
    """The distinct rows of the left input that the right input does not have."""

    releasing_inputs = (1,)

    def released(
        self, left: pl.DataFrame, right: pl.DataFrame, lps: PunctuationBatch, rps: PunctuationBatch
    ) -> pl.DataFrame:
        """The left rows that the right input has closed."""
        lefts, rights = self._tables["left"], self._tables["right"]
        new = without(without(left, rights.frame()), right)
        closed = self.received.right.matches(new)
        if right.height and len(lefts):
            lefts.retain(_absent(lefts.frame(), right))
        old = lefts.frame()
        kept = still_open(old, rps)
        out = new.filter(closed) if kept is None else pl.concat([old.filter(~kept), new.filter(closed)])
        self.purge("left", new.filter(~closed), kept)
        self.purge("right", right.filter(~self.received.left.matches(right)), still_open(rights.frame(), lps))
        return out

    def has_emitted(self, p: Punctuation) -> bool:
        """Whether both inputs have closed it."""
        return self.received.emitted.covers(p)


def _absent(df: pl.DataFrame, others: pl.DataFrame) -> pl.Series:
    """Whether each row is not among others."""
    numbered = df.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias("\0row"), pl.all())
    present = numbered.join(others.unique(), on=df.columns, how="semi", nulls_equal=True)["\0row"]
    return ~numbered["\0row"].is_in(present.implode())
