"""The upper tier of an index: a row for each start and payload, found again by a hash of both.

A hash of 64 bits finds candidates, and the rows themselves are compared, so that what is found is exact. Should two
different rows have the same hash, all hashes are taken anew from another seed. Hashes are not stored, for they may be
others in another version of Polars; they are taken anew when a state is read.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from punctum.operators.table import Table

Positions = npt.NDArray[np.int64]
"""Rows' positions."""
Hashes = npt.NDArray[np.uint64]


def hashes(keys: pl.DataFrame, seed: int) -> Hashes:
    """A hash of each row."""
    return keys.hash_rows(seed=seed).to_numpy()


def _different(new: Hashes) -> tuple[Hashes, Positions, Positions]:
    """The different ones in the order in which they come, which of them each one is, and where each comes first."""
    sorted_, number = np.unique(new, return_inverse=True)
    first = np.empty(len(sorted_), dtype=np.int64)
    first[number[::-1]] = np.arange(len(new) - 1, -1, -1)
    heads = np.zeros(len(new), dtype=bool)
    heads[first] = True
    place = (np.cumsum(heads) - 1)[first]
    first = np.flatnonzero(heads)
    return new[first], place[number], first


class CollisionError(Exception):
    """Two different rows have one hash."""


@dataclass(frozen=True)
class Located:
    """Each row's number among the different ones, the first row of each of these, and its position, if it is kept."""

    number: Positions
    first: Positions
    at: Positions
    hashes: Hashes
    """Of the different ones; they hold until rows are looked for again."""


class Nodes:
    """Different rows, found by what they are."""

    def __init__(self, keys: pl.DataFrame) -> None:
        self.table = Table(keys)
        self._hashes: Hashes = np.empty(0, dtype=np.uint64)
        self._seed = 0

    def __len__(self) -> int:
        return len(self._hashes)

    def restore(self, table: Table) -> None:
        """Go on with other rows."""
        self.table = table
        self._rehash(self._seed)

    def _rehash(self, seed: int) -> None:
        self._seed, self._hashes = seed, hashes(self.table.frame(), seed)
        if len(np.unique(self._hashes)) < len(self._hashes):
            self._rehash(seed + 1)

    def find(self, keys: pl.DataFrame) -> Located:
        """Where rows are; -1 for those that are not kept."""
        while True:
            try:
                return self._find(keys)
            except CollisionError:
                self._rehash(self._seed + 1)

    def _find(self, keys: pl.DataFrame) -> Located:
        new = hashes(keys, self._seed)
        different, number, first = _different(new)
        again = np.flatnonzero(first[number] != np.arange(len(new)))
        self._same(keys[again], keys, first[number[again]])
        at = np.full(len(different), -1, dtype=np.int64)
        if len(self._hashes):
            wanted = pl.DataFrame({"h": different, "n": np.arange(len(different))})
            kept = pl.DataFrame({"h": self._hashes, "at": np.arange(len(self._hashes))})
            met = wanted.join(kept, on="h")
            n, known = met["n"].to_numpy(), met["at"].to_numpy()
            at[n] = known
            self._same(keys[first[n]], self.table.frame(), known)
        return Located(number, first, at, different)

    def _same(self, keys: pl.DataFrame, others: pl.DataFrame, at: Positions) -> None:
        """Hold rows against those at positions of others."""
        for name in keys.columns:
            if not keys[name].eq_missing(others[name].gather(at)).all():
                raise CollisionError

    def append(self, keys: pl.DataFrame, known: Hashes) -> None:
        """Keep new rows behind the others, with the hashes by which they were not found."""
        self.table.append(keys)
        self._hashes = np.concatenate([self._hashes, known])

    def retain(self, keep: npt.NDArray[np.bool_]) -> None:
        """Keep the rows where a mask is true."""
        self.table.retain(pl.Series(keep))
        self._hashes = self._hashes[keep]
