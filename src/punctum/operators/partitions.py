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
        at = df.select(pl.arg_sort_by(names, descending=down, nulls_last=last)).to_series()
        ordered = df.select(list(dict.fromkeys(names))).select(pl.all().gather(at))
        starts = _changes(ordered, by)
        return Partitions(at.to_numpy().astype(np.int64), starts, starts | _changes(ordered, [k.name for k in keys]))

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
