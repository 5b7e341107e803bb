"""Expressions that may have no value in some rows: a frame in, the rows that have one and those that have none out.

A frame is computed in one go (``strict``), and that is all as long as nothing raises. When it does, it is computed once
more with NULL where there is no value (``careful``), beside the reason for each row. So a row is at fault or not by
itself, whatever stands beside it: quarantine does not depend on how a stream is cut. ``strict`` may raise for more than
these rows, since Polars computes all branches of a CASE, but never for fewer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from punctum.algebra.schema import Schema

REASON = "\0reason"
"""The column with the reason why a row is not taken."""
_HOLDS = "\0holds"


@dataclass(frozen=True)
class Checked:
    """An expression: what raises where there is no value, what is NULL there, and the reason, NULL where there is one.

    Without a reason every row has a value.
    """

    strict: pl.Expr
    careful: pl.Expr | None = None
    reason: pl.Expr | None = None

    @cached_property
    def value(self) -> pl.Expr:
        """The value, or NULL where there is none."""
        return self.strict if self.careful is None else self.careful


Computed = pl.Expr | Checked
"""An expression that has a value in every row, or one that may have none."""


@dataclass(frozen=True)
class Failed:
    """Rows that have no value, each with its reason in the last column, REASON."""

    rows: pl.DataFrame
    schema: Schema


def checked(expression: Computed) -> Checked:
    """An expression that may have no value."""
    return expression if isinstance(expression, Checked) else Checked(expression)


def kept(df: pl.DataFrame, condition: Checked) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """The rows for which a condition is true, and, where it has no value, the rows with the reason.

    >>> wide = pl.col("x").cast(pl.Int128) * 4
    >>> why = pl.when(wide.cast(pl.Int64, strict=False).is_null()).then(pl.lit("too large"))
    >>> tall = Checked(wide.cast(pl.Int64) > 8, wide.cast(pl.Int64, strict=False) > 8, why)
    >>> good, bad = kept(pl.DataFrame({"x": [1, 3, 2**62]}), tall)
    >>> good["x"].to_list(), bad[REASON].to_list()
    ([3], ['too large'])
    """
    try:
        return df.filter(condition.strict), None
    except Exception:
        if condition.reason is None:
            raise
    with_reasons = df.with_columns(condition.value.alias(_HOLDS), condition.reason.alias(REASON))
    good, bad = _split(with_reasons)
    return good.filter(_HOLDS).drop(_HOLDS), None if bad is None else bad.drop(_HOLDS)


def computed(df: pl.DataFrame, columns: Sequence[tuple[str, Checked]]) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """The rows with columns more, or other ones, and those for which a column has no value, with the reason."""
    try:
        return df.with_columns(c.strict.alias(name) for name, c in columns), None
    except Exception:
        reasons = [c.reason for _, c in columns if c.reason is not None]
        if not reasons:
            raise
    good, bad = _split(df.with_columns(pl.coalesce(reasons).alias(REASON)))
    return good.with_columns(c.value.alias(name) for name, c in columns), bad


def _split(df: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Rows without a reason, and those with one, if there are any."""
    at_fault = df[REASON].is_not_null()
    good = df.filter(~at_fault).drop(REASON)
    return good, df.filter(at_fault) if at_fault.any() else None
