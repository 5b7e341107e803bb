"""Indexes: columns in, built once; the positions of rows that may have some values out, at a cost of those alone.

A *hash index* has the positions in buckets by the first bits of a hash of the values, about four in a bucket, and eight
more bits of the hash beside each. What it gives is a little more than asked for, never less: the values themselves are
compared by whoever asks. An *order index* has the places of a column in order. Both take a few bytes a row, which may
lie in a file.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from punctum.operators.places import places

Hashes = NDArray[np.uint64]
Positions = NDArray[np.uint32]
Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Mapped = Callable[[NDArray[Any]], NDArray[Any]]
"""What lays an array into a file."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: spreads neighbours
_HALF, _TAG = np.uint64(32), np.uint64(8)
_A_BUCKET = 4
_SEED = 17


def hashes(df: pl.DataFrame) -> Hashes:
    """A hash of each row; rows with the same values have the same one.

    >>> one, other, again = hashes(pl.DataFrame({"k": [1, 2, 1]})).tolist()
    >>> one == again, one == other
    (True, False)
    """
    if df.width == 1 and df.dtypes[0] == pl.Int64:
        return df.to_series().fill_null(0).to_numpy().view(np.uint64) * _FACTOR
    return df.hash_rows(_SEED).to_numpy()


class HashIndex:
    """The positions of rows by the hashes of some of their values.

    >>> index = HashIndex(hashes(pl.DataFrame({"k": [5, 6, 5]})))
    >>> index.find(hashes(pl.DataFrame({"k": [5]}))).tolist()
    [0, 2]
    """

    def __init__(self, hashed: Hashes) -> None:
        bits = max(1, (len(hashed) // _A_BUCKET).bit_length())
        self._shift = np.uint64(64 - bits)
        bucket = hashed >> self._shift
        ordered = np.sort((bucket << _HALF) | np.arange(len(hashed), dtype=np.uint64))
        self._positions = ordered.astype(np.uint32)  # the lower half
        counts = np.bincount(bucket.view(np.int64), minlength=1 << bits)
        self._starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
        self._tags = self._tag(hashed)[self._positions]

    @property
    def bytes(self) -> int:
        """How much memory it takes."""
        return sum(array.nbytes for array in (self._positions, self._starts, self._tags) if not is_mapped(array))

    def map_to_files(self, array: Mapped) -> None:
        """Have the arrays in files."""
        self._positions, self._starts, self._tags = array(self._positions), array(self._starts), array(self._tags)

    def find(self, hashed: Hashes) -> Positions:
        """The positions of rows that may have one of some hashes, in order."""
        bucket = (hashed >> self._shift).view(np.int64)
        start = self._starts[bucket].astype(np.int64)
        many = self._starts[bucket + 1] - start
        entries = np.repeat(start - (np.cumsum(many) - many), many) + np.arange(int(many.sum()))
        entries = entries[self._tags[entries] == np.repeat(self._tag(hashed), many)]
        return each_once(self._positions[entries])

    def _tag(self, hashed: Hashes) -> NDArray[np.uint8]:
        return (hashed >> (self._shift - _TAG)).astype(np.uint8)


class OrderIndex:
    """The positions of rows by the places of a column, which are 64-bit numbers.

    >>> index = OrderIndex(pl.Series([30, 10, None, 20]))
    >>> index.find(np.array([10]), np.array([20])).tolist()
    [1, 3]
    """

    def __init__(self, column: pl.Series) -> None:
        where = places(column)
        valid = where.is_not_null().to_numpy() if where.null_count() else None
        numbers = where.fill_null(0).to_numpy()
        self._positions: Positions | None = None  # where rows are in order there are none
        if valid is not None or (numbers[1:] < numbers[:-1]).any():
            rows = np.arange(len(numbers), dtype=np.uint32) if valid is None else np.flatnonzero(valid)
            self._positions = rows[np.argsort(numbers[rows], kind="stable")].astype(np.uint32)
            numbers = numbers[self._positions]
        self._places = numbers

    @property
    def bytes(self) -> int:
        """How much memory it takes."""
        there = [] if self._positions is None else [self._places, self._positions]
        return sum(array.nbytes for array in there if not is_mapped(array))

    def map_to_files(self, array: Mapped) -> None:
        """Have the arrays in files."""
        if self._positions is not None:
            self._places, self._positions = array(self._places), array(self._positions)

    @property
    def positions(self) -> Positions:
        """Where the rows are, in the order of their places."""
        return np.arange(len(self._places), dtype=np.uint32) if self._positions is None else self._positions

    def find(self, lows: Numbers, highs: Numbers) -> Positions:
        """The positions of rows whose places are from a low one to a high one, in order."""
        starts = np.searchsorted(self._places, lows)
        ends = np.searchsorted(self._places, highs, side="right")
        ranges = [
            np.arange(a, b, dtype=np.uint32) for a, b in zip(starts.tolist(), ends.tolist(), strict=True) if a < b
        ]
        if not ranges:
            return np.zeros(0, np.uint32)
        at = np.concatenate(ranges)
        return each_once(at if self._positions is None else self._positions[at])


Index = HashIndex | OrderIndex


def each_once(positions: Positions) -> Positions:
    """Positions in order, each once; ``np.unique`` hashes them, which takes several times longer."""
    ordered = np.sort(positions)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


def is_mapped(array: NDArray[Any]) -> bool:
    """Whether an array is in a file."""
    return isinstance(array, np.memmap)
