"""Partial aggregates: how the rows of a group become a few columns, how these combine, and what their result is.

COUNT, SUM, MIN, MAX and AVG keep one value or a few (of INTERVALs microseconds), COUNT DISTINCT the distinct values,
MEDIAN and PERCENTILE all values. VAR and STDDEV keep the mean and the sum of the squared distances from it, for sums of
squares would lose what they differ in; MAX_BY and MIN_BY keep a value and what it went by. Sums are exact: those of
BIGINTs are kept with 38 digits, and those of DECIMALs of more than 19 digits in two columns, ones and multiples of
10^19, so that neither grows out of its 38 digits however many rows there are. Whether a sum fits its type is asked
once, of the result. Where rows stand for several, COUNT and AVG go by a column that says for how many.
"""

from dataclasses import dataclass
from functools import cached_property, partial

import polars as pl
import pyarrow as pa

from punctum.algebra.aggregates import COLLECTED, LISTS, OF_SPANS, PAIRED, SPREADS, AggregateFunction, Function
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.operators.columns import dtype

TOO_MANY, PART = 10**38, 10**19
WIDE = pl.Int128()
WHOLE = pl.Decimal(38, 0)
_SUMS = (Function.SUM, Function.AVG)
_ONCE = (Function.COUNT_DISTINCT, Function.COLLECT_SET)


@dataclass(frozen=True)
class Partial:
    """An aggregate over the rows that a filter lets through, with the name under which its columns are kept."""

    aggregate: AggregateFunction
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
            parts = {self.name: WHOLE, self._high: WHOLE} if self._in_parts else {self.name: self._sum_type}
            return {self._n: pl.Int64(), **parts}
        if function in SPREADS:
            return {self._n: pl.Int64(), self.name: pl.Float64(), self._high: pl.Float64()}
        if function in PAIRED:
            return {self.name: dtype(self._of), self._high: dtype(self._by)}
        return {self.name: pl.List(dtype(self._of)) if function in LISTS else dtype(self._of)}

    def of_rows(self, df: pl.DataFrame) -> list[pl.Expr]:
        """The columns for each group of rows of a frame."""
        function = self.aggregate.function
        weighed = None if self.aggregate.by is None else pl.col(self.aggregate.by).sum()
        if self.aggregate.of is None:
            counted = pl.len() if self.filter is None else self.filter.fill_null(False).sum()
            return [(counted if weighed is None else weighed).cast(pl.Int64).alias(self._n)]
        column = df[self.aggregate.of]
        values = pl.col(self.aggregate.of)
        if self._spans:
            column, values = column.to_physical(), values.to_physical()
        values = values if self.filter is None else values.filter(self.filter)
        whole = self.filter is None and not column.null_count()
        count = pl.len() if whole else values.count()
        count = (weighed if function is Function.AVG and weighed is not None else count).cast(pl.Int64).alias(self._n)
        if function is Function.COUNT:
            return [count]
        if function in _SUMS:
            if self._in_parts:
                return [count, *self._parts_of(values, column)]
            summed = values.sum() if _safe(column) else values.cast(self._sum_type).sum()
            return [count, summed.cast(self._sum_type).alias(self.name)]
        if function in SPREADS:
            far = values.cast(pl.Float64)
            return [count, far.mean().alias(self.name), (far - far.mean()).pow(2).sum().alias(self._high)]
        if function in PAIRED:
            assert self.aggregate.by is not None
            by = pl.col(self.aggregate.by)
            return self._best(values, by if self.filter is None else by.filter(self.filter))
        if function in LISTS:
            known = values.drop_nulls()
            once = function in _ONCE
            return [(known.unique(maintain_order=True) if once else known).alias(self.name)]
        return [self._least_or_most(values).alias(self.name)]

    def of_one(self) -> list[pl.Expr]:
        """The columns for each row by itself, whatever the filter; of aggregates that keep no lists."""
        assert self.aggregate.function not in LISTS
        if self.aggregate.of is None:
            return [pl.repeat(1, pl.len(), dtype=pl.Int64).alias(self._n)]
        values = pl.col(self.aggregate.of)
        count = values.is_not_null().cast(pl.Int64).alias(self._n)
        if self.aggregate.function is Function.COUNT:
            return [count]
        if self.aggregate.function not in _SUMS:
            return [values.alias(self.name)]
        if not self._in_parts:
            number = values.to_physical() if self._spans else values
            return [count, number.fill_null(0).cast(self._sum_type).alias(self.name)]
        low, high = in_parts(values.fill_null(0).to_physical())
        return [count, low.cast(WHOLE).alias(self.name), high.cast(WHOLE).alias(self._high)]

    def combined(self) -> list[pl.Expr]:
        """The columns for several of each group."""
        function, kept = self.aggregate.function, pl.col(self.name)
        if function is Function.COUNT:
            return [pl.col(self._n).sum()]
        if function in _SUMS:
            return [pl.col(self._n).sum(), kept.sum(), *[pl.col(self._high).sum()] * self._in_parts]
        if function in SPREADS:
            count, squares = pl.col(self._n), pl.col(self._high)
            mean = (kept * count).sum() / count.sum()
            return [count.sum(), mean, squares.sum() + (count * (kept - mean).pow(2)).sum()]
        if function in PAIRED:
            return self._best(kept, pl.col(self._high))
        if function in LISTS:
            values = kept.explode().drop_nulls()
            return [values.unique(maintain_order=True) if function in _ONCE else values]
        return [self._least_or_most(kept)]

    def result(self) -> pl.Expr:
        """The aggregate's value; NULL where it has none (see ``fails``)."""
        function, kept, count = self.aggregate.function, pl.col(self.name), pl.col(self._n)
        out = self.aggregate.attribute(self.schema)
        if function is Function.COUNT:
            value = count
        elif function is Function.SUM:
            value = pl.when(count > 0).then(self._total)
        elif function is Function.AVG:
            value = pl.when(count > 0).then(self._mean_span(count) if self._spans else self._rough_total / count)
        elif function is Function.COUNT_DISTINCT:
            value = kept.list.len().fill_null(0)
        elif function in COLLECTED:
            value = pl.coalesce(kept.list.sort(), pl.lit(pl.Series([[]], dtype=dtype(out))).first())
        elif function is Function.MEDIAN:
            value = self._median(kept.list.sort(), kept.list.len().cast(pl.Int64))
        elif function is Function.PERCENTILE:
            value = self._percentile(kept.list.sort(), kept.list.len().cast(pl.Float64))
        elif function in SPREADS:
            value = self._spread(count)
        else:
            value = kept
        if self._spans:
            value = value.cast(pl.Int64, strict=False)  # microseconds
        return value.cast(dtype(out), strict=False).alias(out.name)

    def fails(self) -> pl.Expr | None:
        """Why there is no result, NULL where there is one; nothing for aggregates that always have one."""
        out = self.aggregate.attribute(self.schema)
        if self.aggregate.function is not Function.SUM or out.type is Type.DOUBLE:
            return None
        return pl.when((pl.col(self._n) > 0) & self.result().is_null()).then(
            pl.lit(self.aggregate.no_value(out).reason)
        )

    @property
    def of_nothing(self) -> list[pl.Expr]:
        """The columns, where there are no rows, that are not NULL then."""
        return [pl.lit(0, pl.Int64).alias(self._n)] if self._n in self.columns else []

    @property
    def _n(self) -> str:
        return self.name + ".n"

    @cached_property
    def _of(self) -> Attribute:
        assert self.aggregate.of is not None
        return self.schema.attributes[self.schema.index(self.aggregate.of)]

    @property
    def _high(self) -> str:
        return self.name + ".h"

    @property
    def _sum_type(self) -> pl.DataType:
        if self._of.type is Type.DOUBLE:
            return pl.Float64()
        return pl.Decimal(38, self._of.digits[1] if self._of.type is Type.DECIMAL else 0)

    @cached_property
    def _spans(self) -> bool:
        """Whether it adds up INTERVALs, as microseconds."""
        return self.aggregate.function in OF_SPANS and self._of.type is Type.INTERVAL

    def _mean_span(self, count: pl.Expr) -> pl.Expr:
        """The mean of INTERVALs, of which half a microsecond is rounded away from zero."""
        total, count = pl.col(self.name).cast(WIDE), count.cast(WIDE)
        rounded = (total.abs() * 2 + count) // (count * 2)
        return rounded * pl.when(total < 0).then(-1).otherwise(1).cast(WIDE)

    @property
    def _in_parts(self) -> bool:
        return self._of.type is Type.DECIMAL and 10 ** self._of.digits[0] > PART

    def _parts_of(self, values: pl.Expr, column: pl.Series) -> list[pl.Expr]:
        """The two columns of a sum of DECIMALs, which are added up first where no sum can be too large."""
        most = column.to_physical().abs().max()
        at_once = not isinstance(most, int) or most * len(column) < TOO_MANY
        number = (values.sum() if at_once else values).to_physical()
        low, high = in_parts(number)
        parts = {self.name: low, self._high: high}
        return [(p if at_once else p.cast(WHOLE).sum()).cast(WHOLE).alias(name) for name, p in parts.items()]

    @property
    def _total(self) -> pl.Expr:
        """The sum, NULL where it has more than 38 digits."""
        if not self._in_parts:
            return pl.col(self.name)
        low, high = (pl.col(name).cast(WIDE) for name in (self.name, self._high))
        return scaled(joined_parts(low, high), self._of.digits[1])

    @property
    def _rough_total(self) -> pl.Expr:
        """The sum as a DOUBLE."""
        if not self._in_parts:
            return pl.col(self.name).cast(pl.Float64)
        low, high = (pl.col(name).cast(pl.Float64) for name in (self.name, self._high))
        rough = (high * float(PART) + low) / 10.0 ** self._of.digits[1]
        return pl.coalesce(self._total.cast(pl.Float64), rough)

    @cached_property
    def _by(self) -> Attribute:
        assert self.aggregate.by is not None
        return self.schema.attributes[self.schema.index(self.aggregate.by)]

    def _best(self, values: pl.Expr, by: pl.Expr) -> list[pl.Expr]:
        """The greatest of the values that go by the greatest or least, and that."""
        best = by.min() if self.aggregate.function is Function.MIN_BY else _greatest(by, self._by)
        return [_greatest(values.filter(by == best), self._of).alias(self.name), best.alias(self._high)]

    def _spread(self, count: pl.Expr) -> pl.Expr:
        """The variance, or its root; that of a sample of one value is NULL."""
        function = self.aggregate.function
        less = int(function in (Function.VAR_SAMP, Function.STDDEV_SAMP))
        variance = pl.when(count > less).then(pl.col(self._high) / (count - less))
        return variance if function in (Function.VAR_POP, Function.VAR_SAMP) else variance.sqrt()

    def _least_or_most(self, values: pl.Expr) -> pl.Expr:
        return values.min() if self.aggregate.function is Function.MIN else _greatest(values, self._of)

    def _median(self, ordered: pl.Expr, count: pl.Expr) -> pl.Expr:
        at = ((count - 1) // 2, count // 2)
        low, high = (ordered.list.get(i, null_on_oob=True).cast(pl.Float64) for i in at)
        return pl.when(low == high).then(low).otherwise(low / 2 + high / 2)

    def _percentile(self, ordered: pl.Expr, count: pl.Expr) -> pl.Expr:
        """The value at a place among the others, between two of them where it falls there."""
        place = (count - 1) * self.aggregate.share
        low, high = (ordered.list.get(p.cast(pl.Int64), null_on_oob=True) for p in (place.floor(), place.ceil()))
        low, high = low.cast(pl.Float64), high.cast(pl.Float64)
        between = (place.ceil() - place) * low + (place - place.floor()) * high
        return pl.when((low == high) | (place.floor() == place.ceil())).then(low).otherwise(between)


def _greatest(values: pl.Expr, attribute: Attribute) -> pl.Expr:
    """The greatest value, of which NaN is greater than any other."""
    return values.nan_max() if attribute.type is Type.DOUBLE else values.max()


def _safe(column: pl.Series) -> bool:
    """Whether no sum of values of a column leaves its type."""
    if column.dtype != pl.Int64:
        return True
    low, high = column.min(), column.max()
    if not isinstance(low, int) or not isinstance(high, int):
        return True
    return max(-low, high) * len(column) < 2**63


def scaled(number: pl.Expr, scale: int) -> pl.Expr:
    """DECIMALs whose digits are those of whole numbers, NULL where these have more than 38."""
    return number.cast(WHOLE, strict=False).map_batches(partial(_pointed, scale=scale), pl.Decimal(38, scale))


def _pointed(numbers: pl.Series, scale: int) -> pl.Series:
    """The same digits with the point elsewhere: Polars has no function for it."""
    array = numbers.rechunk().to_arrow()
    moved = pa.Array.from_buffers(pa.decimal128(38, scale), len(array), array.buffers(), offset=array.offset)
    return pl.Series(numbers.name, pl.from_arrow(moved))


def in_parts(number: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """A whole number as ones and multiples of PART."""
    return number % pl.lit(PART, WIDE), number // pl.lit(PART, WIDE)


def joined_parts(low: pl.Expr, high: pl.Expr) -> pl.Expr:
    """The whole number of ones and multiples of PART, or 10^38, which fits no type, where it has more digits."""
    low, more = in_parts(low)
    high, part = high + more, pl.lit(PART, WIDE)
    return pl.when((high < -part) | (high >= part)).then(pl.lit(TOO_MANY, WIDE)).otherwise(high * part + low)
