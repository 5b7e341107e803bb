"""Bands as expressions: whether the values of one column lie in the band around those of another."""

from decimal import Decimal

import polars as pl

from punctum.algebra.bands import STEPS, Band, Limit
from punctum.algebra.values import Type


def within(band: Band, kind: Type, of: str, by: str | None = None) -> list[pl.Expr]:
    """The comparisons that a band means, for columns of these names.

    >>> from punctum.algebra.bands import Limit
    >>> hour = within(Band((1, 0), (0, 0), Limit(0), Limit(60)), Type.BIGINT, "b", "a")
    >>> pl.DataFrame({"a": [10, 10, 10], "b": [9, 10, 71]}).select(pl.all_horizontal(hour)).to_series().to_list()
    [False, True, False]
    """
    value, both = pl.col(of), []
    if by is not None and kind in STEPS and kind is not Type.DECIMAL:  # so wide that nothing overflows
        value = value.to_physical().cast(pl.Int128)
    for limit, above in ((band.low, True), (band.high, False)):
        if limit is not None:
            end = pl.lit(limit.offset) if by is None else _end(limit, kind, by)
            if above:
                both.append(value > end if limit.strict else value >= end)
            else:
                both.append(value < end if limit.strict else value <= end)
    return both


def _end(limit: Limit, kind: Type, by: str) -> pl.Expr:
    if kind is Type.DECIMAL:
        return pl.col(by) + pl.lit(Decimal(limit.offset)) if limit.offset else pl.col(by)
    if kind not in STEPS:
        return pl.col(by)
    return pl.col(by).to_physical().cast(pl.Int128) + pl.lit(limit.offset, pl.Int128)
