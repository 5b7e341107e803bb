"""Union of two streams as sets (UNION): the distinct rows of both. Kept: those of which duplicates may still come."""

import polars as pl

from punctum.operators.batch import PunctuationBatch
from punctum.operators.sets import SetOperator


class Union(SetOperator):
    """The distinct rows of both inputs."""

    names = ("distinct",)

    def released(
        self, left: pl.DataFrame, right: pl.DataFrame, lps: PunctuationBatch, rps: PunctuationBatch
    ) -> pl.DataFrame:
        """All new rows."""
        return pl.concat([left, right], rechunk=False)
