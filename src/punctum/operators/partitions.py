"""Partitions: a frame in, the order of its rows in each partition out, as arrays.

One sort brings the rows of a partition together and into order; all else follows from where partitions and peers, rows
that are equal on all sort keys, begin in it. NULL equals itself here, and so does NaN.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from punctum.algebra.sorting import SortKey

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
_MOST = 2**62
_RUN = "\0run"


@dataclass(frozen=True)
class Partitions:
    """The rows of a frame, one partition behind the other, each in its order: where they are in the frame.

    ``starts`` are the first rows of partitions, and ``leads`` the first ones of peers.

    >>> rows = pl.DataFrame({"k": ["a", "b", "a", "a"], "v": [5, 7, 3, 5]})
    >>> found = Partitions.of(rows, ["k"], [SortKey("v")])
    >>> found.at.tolist(), found.numbers.tolist(), found.ranks.tolist()
    ([2, 0, 3, 1], [1, 2, 3, 1], [1, 2, 2, 1])
    """

    at: Numbers
    starts: Mask
    leads: Mask

    @staticmethod
    def of(df: pl.DataFrame, by: Sequence[str], keys: Sequence[SortKey]) -> "Partitions":
        """The partitions by some columns, with their rows by some keys, peers in any order."""
        names = [*by, *(key.name for key in keys)]
        if not df.height or not names:
            whole = np.arange(df.height) == 0
            return Partitions(np.arange(df.height), whole, whole)
        down = [*(False for _ in by), *(key.descending for key in keys)]
        last = [*(False for _ in by), *(not key.null_leads for key in keys)]
        words = _Words(df.height)
        while len(words) < len(names) and words.add(df[names[len(words)]], down[len(words)], last[len(words)]):
            pass
        at, fresh = words.sorted()
        starts, leads = fresh[min(len(by), len(words))], fresh[len(words)]
        if len(words) == len(names) or leads.all():
            return Partitions(at, starts, leads)
        tied = ~leads | np.append(~leads[1:], False)  # rows that only the other columns tell apart
        rest = [pl.Series(_RUN, np.cumsum(leads)[tied]), *(df[name].gather(at[tied]) for name in names[len(words) :])]
        some = pl.DataFrame([column.alias(f"{n}") for n, column in enumerate(rest)])
        order = some.select(
            pl.arg_sort_by(
                some.columns, descending=[False, *down[len(words) :]], nulls_last=[False, *last[len(words) :]]
            )
        ).to_series()
        at[tied] = at[tied][order.to_numpy()]
        some = some.select(pl.all().gather(order))
        more = max(0, len(by) - len(words))  # of the other columns so many are of the partition
        starts, leads = starts.copy(), leads.copy()
        starts[tied] |= _changes(some, some.columns[: 1 + more]) & (more > 0)
        leads[tied] |= _changes(some, some.columns)
        return Partitions(at, starts, leads)

    @cached_property
    def firsts(self) -> Numbers:
        """For each row where the first one of its partition stands."""
        return _latest(self.starts)

    @property
    def lengths(self) -> Numbers:
        """For each row how many its partition has."""
        return _last(self.starts) - self.firsts + 1

    @cached_property
    def numbers(self) -> Numbers:
        """The places of rows in their partition, from 1."""
        return np.arange(len(self.at)) - self.firsts + 1

    @cached_property
    def ranks(self) -> Numbers:
        """The places of the first peers of rows."""
        return _latest(self.leads) - self.firsts + 1

    @property
    def lasts(self) -> Numbers:
        """The places of the last peers of rows."""
        return _last(self.leads) - self.firsts + 1

    @property
    def dense_ranks(self) -> Numbers:
        """How many different keys there are in a partition up to a row."""
        different: Numbers = np.cumsum(self.leads)
        return different - different[self.firsts] + 1

    def in_frame(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the ordered rows, in the order of the frame."""
        placed = np.empty_like(values)
        placed[self.at] = values
        return placed


class _Words:
    """The leading sort keys of rows, packed into as few numbers as hold them: these are sorted several times as fast.

    Whole numbers, times and truth values can be packed, in the order of their values; NULL is a value before or behind.
    """

    def __init__(self, height: int) -> None:
        self._columns = list[tuple[Numbers, int]]()
        self._height = height

    def __len__(self) -> int:
        return len(self._columns)

    def add(self, column: pl.Series, descending: bool, nulls_last: bool) -> bool:
        """Pack another column, if it can be packed."""
        if not (column.dtype.is_integer() or column.dtype.is_temporal() or column.dtype == pl.Boolean):
            return False
        numbers = column.cast(pl.Int64) if column.dtype == pl.Boolean else column.to_physical().cast(pl.Int64)
        least, most = numbers.min(), numbers.max()
        low, high = (least, most) if isinstance(least, int) and isinstance(most, int) else (0, 0)
        span = high - low + 1
        if span >= _MOST:
            return False
        values = numbers.fill_null(low).to_numpy()
        codes = high - values if descending else values - low
        if numbers.null_count():
            null, span = numbers.is_null().to_numpy(), span + 1
            codes = np.where(null, span - 1 if nulls_last else 0, codes if nulls_last else codes + 1)
        self._columns.append((codes, span))
        return True

    def sorted(self) -> tuple[Numbers, list[Mask]]:
        """The order of the rows, and for each number of columns which rows differ in these from the one before."""
        words, room = list[Numbers](), 0
        for codes, span in self._columns:
            if room >= span:
                words[-1] = words[-1] * span + codes
                room //= span
            else:
                words.append(codes)
                room = _MOST // span
        if not words:
            at = np.arange(self._height)
        else:
            at = np.lexsort(words[::-1]) if len(words) > 1 else np.argsort(words[0], kind="stable")
        changed = np.zeros(self._height, np.bool_)
        changed[:1] = True
        fresh = [changed]
        for codes, _ in self._columns:
            ordered = codes[at]
            changed = changed.copy()
            changed[1:] |= ordered[1:] != ordered[:-1]
            fresh.append(changed)
        return at, fresh


def _changes(ordered: pl.DataFrame, names: Sequence[str]) -> Mask:
    """Which rows differ from the one before in some columns; the first one does."""
    changed = np.zeros(ordered.height, np.bool_)
    changed[:1] = True
    for column in (ordered[name] for name in dict.fromkeys(names)):
        changed[1:] |= column.slice(1).ne_missing(column.head(len(column) - 1)).to_numpy()
    return changed


def _last(mask: Mask) -> Numbers:
    """For each place the last one before the next where a mask is true."""
    ends = np.roll(mask, -1)
    last: Numbers = len(ends) - 1 - _latest(ends[::-1])[::-1]
    return last


def _latest(mask: Mask) -> Numbers:
    """For each place the last one up to it where a mask is true."""
    return np.maximum.accumulate(np.where(mask, np.arange(len(mask)), 0))
