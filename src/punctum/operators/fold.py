"""Rows that become one where they are read: they differ in nothing but columns that are added up, or the like."""

from collections.abc import Sequence

import polars as pl

from punctum.algebra.aggregates import Function

FOLDED = "\0folded"
"""The column that says how many rows a row stands for, beside itself."""
WORTH = 1_000
"""Fewer rows are not looked at."""
_LARGEST = 2**63 - 1


def folded(rows: pl.DataFrame, how: Sequence[tuple[str, Function | None]]) -> pl.DataFrame | None:
    """The rows that are left, with the column ``FOLDED``; nothing when that would be most of them.

    Of a column without a function any value will do.

    >>> bids = pl.DataFrame({"itemid": [17, 18, 17] * 400, "increase": [5, 9, 2] * 400})
    >>> folded(bids, [("increase", Function.SUM)]).sort("itemid").rows()
    [(17, 2800, 799), (18, 3600, 399)]
    """
    columns = dict(how)
    keys = [name for name in rows.columns if name not in columns]
    if rows.height < WORTH or not _alike(rows.select(keys)) or not all(map(_fits, _added(rows, columns))):
        return None
    made = [_one(rows[name], function) for name, function in how]
    return rows.group_by(keys).agg(*made, (pl.len() - 1).cast(pl.Int64).alias(FOLDED)).select(*rows.columns, FOLDED)


def _alike(keys: pl.DataFrame) -> bool:
    """Whether at most half of the rows would be left."""
    one = keys.to_series() if keys.width == 1 else keys.hash_rows()
    return int(one.to_frame().select(pl.first().approx_n_unique()).item()) <= keys.height // 2


def _added(rows: pl.DataFrame, columns: dict[str, Function | None]) -> list[pl.Series]:
    return [rows[name] for name, function in columns.items() if function is Function.SUM]


def _fits(values: pl.Series) -> bool:
    """Whether no sum of some of the values is beyond its type."""
    if values.dtype != pl.Int64:
        return True
    ends = [abs(int(end)) for end in (values.min(), values.max()) if isinstance(end, int)]
    return max(ends, default=0) * len(values) <= _LARGEST


def _one(values: pl.Series, function: Function | None) -> pl.Expr:
    """The value of several: NULL when all are, as SQL has it."""
    column = pl.col(values.name)
    match function:
        case None:
            return column.first()
        case Function.MIN:
            return column.min()
        case Function.MAX:
            return column.nan_max() if values.dtype.is_float() else column.max()
        case _:
            return pl.when(column.count() > 0).then(column.sum()) if values.null_count() else column.sum()
