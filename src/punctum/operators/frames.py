"""Values of frames: ordered rows of partitions in, for each of them a function of the rows before it and up to it out.

A row is first a *partial* (``partials.py``), and partials combine: those of the last 2, 4, 8 … rows each from two of
half as many, and a frame from the few of these that make it up. So a frame of n rows costs log n steps over whole
columns, nothing is ever subtracted, and a sum does not depend on what stood before its frame.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from punctum.algebra.aggregates import AggregateFunction
from punctum.algebra.frames import FrameCall, FrameFunction
from punctum.algebra.schema import Schema
from punctum.operators.columns import dtype
from punctum.operators.partials import Partial
from punctum.operators.partitions import Numbers, Partitions

Combine = Callable[[pl.Expr, pl.Expr], pl.Expr]


@dataclass(frozen=True)
class FrameValues:
    """A function of frames, and the columns under which its partials are kept."""

    call: FrameCall
    schema: Schema
    mark: str

    @property
    def partial(self) -> Partial | None:
        """The aggregate that it is, if it is one."""
        function = self.call.function.aggregate
        if function is None:
            return None
        return Partial(AggregateFunction(function, self.call.of, self.call.name), self.schema, None, self.mark)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """The columns of a partial."""
        if (of := self.partial) is not None:
            return of.columns
        assert self.call.of is not None
        return {self.mark: dtype(self.schema.attributes[self.schema.index(self.call.of)])}

    def lifted(self) -> list[pl.Expr]:
        """The partial of each row."""
        if (of := self.partial) is not None:
            return of.of_one()
        assert self.call.of is not None
        return [pl.col(self.call.of).alias(self.mark)]

    def over(self, partials: pl.DataFrame, partitions: Partitions, starts: Numbers | None = None) -> pl.DataFrame:
        """The partial of each row's frame, of rows that stand in order; some frames start where it is told."""
        preceding, function = self.call.frame.preceding, self.call.function
        if function is FrameFunction.LAG:
            assert preceding is not None
            back = np.arange(partials.height) - preceding
            there = partitions.numbers > preceding
            lagged = partials[np.where(there, back, 0)] if partials.height else partials
            return lagged.select(pl.when(pl.Series(there)).then(pl.all()).otherwise(None))
        if function is FrameFunction.FIRST_VALUE and starts is not None:
            return partials[starts]
        if function is FrameFunction.FIRST_VALUE:
            back = partitions.numbers - 1 if preceding is None else np.minimum(partitions.numbers - 1, preceding)
            return partials[np.arange(partials.height) - back]
        if function is FrameFunction.LAST_VALUE or not partials.height:
            return partials
        combine = {n: _combine(function, n) for n in partials.columns}
        if starts is not None:
            return _ranged(partials, partitions.numbers, np.arange(partials.height) + 1 - starts, combine)
        width = int(partitions.numbers.max()) if preceding is None else preceding + 1
        return _windowed(partials, partitions.numbers, width, combine)

    def result(self) -> pl.Expr:
        """The value of a frame's partial."""
        of = self.partial
        return pl.col(self.mark).alias(self.call.name) if of is None else of.result()

    def fails(self) -> pl.Expr | None:
        """Why there is no value, NULL where there is one; nothing for functions that always have one."""
        of = self.partial
        return None if of is None else of.fails()


def _windowed(df: pl.DataFrame, numbers: Numbers, width: int, combine: dict[str, Combine]) -> pl.DataFrame:
    """The partials of the last so many rows of a partition, as many as there are."""
    whole: pl.DataFrame | None = None
    done, size, last = 0, 1, int(numbers.max())
    width = min(width, last)
    while done < width:
        if width & size:
            whole = df if whole is None else _joined(whole, df, done, numbers, combine)
            done += size
        if done < width:
            df = _joined(df, df, size, numbers, combine)
            size *= 2
    assert whole is not None
    return whole


def _ranged(df: pl.DataFrame, numbers: Numbers, lengths: Numbers, combine: dict[str, Combine]) -> pl.DataFrame:
    """The partials of as many rows up to each one as is told, which are rows of its partition."""
    whole, size, ends = df, 1, np.arange(df.height)
    begun = np.zeros(df.height, np.bool_)
    while True:
        taken = (lengths & size) > 0
        piece = df[np.where(taken, ends, 0)].select(pl.all().name.prefix("\0"))
        first, more = pl.Series(taken & ~begun), pl.Series(taken & begun)
        made = {n: f(pl.col("\0" + n), pl.col(n)) for n, f in combine.items()}
        whole = whole.hstack(piece).select(
            pl.when(first).then(pl.col("\0" + n)).when(more).then(e).otherwise(pl.col(n)).alias(n)
            for n, e in made.items()
        )
        begun, ends, size = begun | taken, ends - size * taken, 2 * size
        if size > lengths.max():
            return whole
        df = _joined(df, df, size // 2, numbers, combine)


def starts(keys: pl.Series, partitions: Partitions, within: int, descending: bool) -> Numbers:
    """Of rows that stand in order the first one in the frame of each: its sort key is at most so many steps before.

    >>> from punctum.algebra.sorting import SortKey
    >>> rows = pl.DataFrame({"k": ["a", "a", "a", "b"], "t": [1, 5, 6, 6]})
    >>> starts(rows["t"], Partitions.of(rows, ["k"], [SortKey("t")]), 4, False).tolist()
    [0, 0, 1, 3]
    """
    null = keys.is_null().to_numpy()
    values = keys.to_physical().cast(pl.Int64).fill_null(0).to_numpy()
    values = ~values if descending else values
    groups = np.cumsum(partitions.starts | (null != np.roll(null, 1)))  # rows without a key are peers
    least = np.iinfo(np.int64).min
    targets = np.where(values < least + within, least, values - within)
    count = len(values)
    both = np.concatenate([targets, values]), np.concatenate([groups, groups])
    order = np.lexsort((np.arange(2 * count) >= count, *both))
    before = np.cumsum(order >= count)
    first: Numbers = np.empty(count, np.int64)
    first[order[order < count]] = before[order < count]
    return first


def _joined(
    near: pl.DataFrame, far: pl.DataFrame, back: int, numbers: Numbers, combine: dict[str, Combine]
) -> pl.DataFrame:
    """Partials of rows with those of rows so much further back, where their partition has such rows."""
    there = pl.Series(numbers > back)
    before = far.select(pl.all().shift(back).name.prefix("\0"))
    both = near.hstack(before)
    made = {n: f(pl.col("\0" + n), pl.col(n)) for n, f in combine.items()}
    return both.select(pl.when(there).then(e).otherwise(pl.col(n)).alias(n) for n, e in made.items())


def _combine(function: FrameFunction, name: str) -> Combine:
    if function in (FrameFunction.MIN, FrameFunction.MAX):
        return partial(_best, function is FrameFunction.MIN)
    return lambda a, b: a + b


def _best(least: bool, a: pl.Expr, b: pl.Expr) -> pl.Expr:
    """The lesser or the greater of two values that may be NULL; NaN is the greatest."""
    better = a < b if least else a > b
    return pl.when(b.is_null() | better.fill_null(False)).then(a).otherwise(b)
