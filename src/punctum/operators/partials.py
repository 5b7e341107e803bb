"""Partial aggregates: how the rows of a group become a few columns, how these combine, and what their result is.

COUNT, SUM, MIN, MAX and AVG keep one value or two, COUNT DISTINCT the distinct values, MEDIAN all values. A sum of
BIGINTs is kept with 38 digits, so that it is either right or refused.
"""

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.iterators.aggregates import Aggregate, Function
from punctum.operators.columns import dtype

_TOO_MANY = 10**38
_SUMS = (Function.SUM, Function.AVG)
_LISTS = (Function.COUNT_DISTINCT, Function.MEDIAN)


@dataclass(frozen=True)
class Partial:
    """An aggregate over the rows that a filter lets through, with the name under which its columns are kept."""

    aggregate: Aggregate
    schema: Schema
    filter: pl.Expr | None
    name: str

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """The columns that it keeps for each group."""
        function = self.aggregate.function
        if function is Function.COUNT:
            return {self._n: pl.Int64()}
        if function in _SUMS:
            return {self._n: pl.Int64(), self.name: self._sum_type}
        return {self.name: pl.List(dtype(self._of)) if function in _LISTS else dtype(self._of)}

    def of_rows(self, df: pl.DataFrame) -> list[pl.Expr]:
        """The columns for each group of rows of a frame."""
        function = self.aggregate.function
        if self.aggregate.of is None:
            counted = pl.len() if self.filter is None else self.filter.fill_null(False).sum()
            return [counted.cast(pl.Int64).alias(self._n)]
        column = df[self.aggregate.of]
        values = pl.col(self.aggregate.of)
        values = values if self.filter is None else values.filter(self.filter)
        whole = self.filter is None and not column.null_count()
        count = (pl.len() if whole else values.count()).cast(pl.Int64).alias(self._n)
        if function is Function.COUNT:
            return [count]
        if function in _SUMS:
            summed = values.sum() if _safe(column) else values.cast(self._sum_type).sum()
            return [count, summed.cast(self._sum_type).alias(self.name)]
        if function in _LISTS:
            return [
                (
                    values.drop_nulls().unique(maintain_order=True)
                    if function is not Function.MEDIAN
                    else values.drop_nulls()
                ).alias(self.name)
            ]
        return [self._least_or_most(values).alias(self.name)]

    def combined(self) -> list[pl.Expr]:
        """The columns for several of each group."""
        function, kept = self.aggregate.function, pl.col(self.name)
        if function is Function.COUNT:
            return [pl.col(self._n).sum()]
        if function in _SUMS:
            return [pl.col(self._n).sum(), kept.sum()]
        if function in _LISTS:
            values = kept.explode().drop_nulls()
            return [values.unique(maintain_order=True) if function is Function.COUNT_DISTINCT else values]
        return [self._least_or_most(kept)]

    def overflows(self, df: pl.DataFrame, grouped: pl.DataFrame, keys: list[pl.Expr]) -> bool:
        """Whether a sum of DECIMALs in a frame has more than 38 digits for some group; Polars does not look.

        Numbers of 128 bits hold sums that have a little more, so these are told from the sum itself, and all greater
        ones from a sum of DOUBLEs.
        """
        if self.aggregate.function not in _SUMS or self._of.type is not Type.DECIMAL:
            return False
        name = self.name if self.name in df.columns else self._of.name
        most = df[name].to_physical().abs().max()
        if not isinstance(most, int) or most * df.height < _TOO_MANY:
            return False
        values = pl.col(name) if self.filter is None or name == self.name else pl.col(name).filter(self.filter)
        rough = df.group_by(keys).agg(values.cast(pl.Float64).sum().abs().alias(self.name))[self.name].max()
        exact = grouped[self.name].to_physical().abs().max()
        return float(rough) > 1.2 * 10 ** (38 - self._of.digits[1]) or int(exact) >= _TOO_MANY  # type: ignore[arg-type]

    def result(self) -> pl.Expr:
        """The aggregate's value."""
        function, kept, count = self.aggregate.function, pl.col(self.name), pl.col(self._n)
        out = self.aggregate.attribute(self.schema)
        if function is Function.COUNT:
            found = count
        elif function is Function.SUM:
            found = pl.when(count > 0).then(kept)
        elif function is Function.AVG:
            found = pl.when(count > 0).then(kept.cast(pl.Float64) / count)
        elif function is Function.COUNT_DISTINCT:
            found = kept.list.len()
        elif function is Function.MEDIAN:
            found = self._median(kept.list.sort(), kept.list.len().cast(pl.Int64))
        else:
            found = kept
        return found.cast(dtype(out)).alias(out.name)

    @property
    def of_nothing(self) -> int | None:
        """The aggregate's value when there are no rows."""
        return 0 if self.aggregate.function in (Function.COUNT, Function.COUNT_DISTINCT) else None

    @property
    def _n(self) -> str:
        return self.name + ".n"

    @cached_property
    def _of(self) -> Attribute:
        assert self.aggregate.of is not None
        return self.schema.attributes[self.schema.index(self.aggregate.of)]

    @property
    def _sum_type(self) -> pl.DataType:
        if self._of.type is Type.DOUBLE:
            return pl.Float64()
        return pl.Decimal(38, self._of.digits[1] if self._of.type is Type.DECIMAL else 0)

    def _least_or_most(self, values: pl.Expr) -> pl.Expr:
        if self.aggregate.function is Function.MIN:
            return values.min()
        return values.nan_max() if self._of.type is Type.DOUBLE else values.max()

    def _median(self, ordered: pl.Expr, count: pl.Expr) -> pl.Expr:
        at = ((count - 1) // 2, count // 2)
        low, high = (ordered.list.get(i, null_on_oob=True).cast(pl.Float64) for i in at)
        return pl.when(low == high).then(low).otherwise(low / 2 + high / 2)


def _safe(column: pl.Series) -> bool:
    """Whether no sum of values of a column leaves its type."""
    if column.dtype != pl.Int64:
        return True
    low, high = column.min(), column.max()
    if not isinstance(low, int) or not isinstance(high, int):
        return True
    return max(-low, high) * len(column) < 2**63
