"""Ages: since when rows are kept, as runs of rows in their order that have come at the same time.

A table knows only which rows are new; when that is, whoever stores them says (``dated``). So no clock is read here.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

Numbers = np.ndarray[Any, np.dtype[Any]]


class Ages(NamedTuple):
    """Runs of rows: since when, in seconds, which is NaN for new ones, and how many.

    >>> ages = Ages.joined([Ages.new(2).dated(5.0), Ages.new(2).dated(7.0)])
    >>> ages.kept(pl.Series([False, False, True, True])).oldest
    (7.0, 0)
    """

    since: Numbers
    rows: Numbers

    @staticmethod
    def new(rows: int) -> "Ages":
        """Rows that have just come."""
        return Ages(np.array([np.nan]), np.array([rows], dtype=np.int64))

    @staticmethod
    def joined(parts: Sequence["Ages"]) -> "Ages":
        """Rows one behind the other."""
        return Ages(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def kept(self, mask: pl.Series) -> "Ages":
        """The rows where a mask is true."""
        counted = np.concatenate([[0], np.cumsum(mask.to_numpy().astype(np.int64))])
        ends = np.cumsum(self.rows)
        left = counted[ends] - counted[ends - self.rows]
        return Ages(self.since[left > 0], left[left > 0])

    def dated(self, now: float) -> "Ages":
        """The same rows, the new ones among them since now."""
        return Ages(np.where(np.isnan(self.since), now, self.since), self.rows)

    @property
    def oldest(self) -> tuple[float, int]:
        """Since when the oldest row is kept, and which one it is; one that is new is not old."""
        run = int(np.argmin(np.where(np.isnan(self.since), np.inf, self.since)))
        return float(self.since[run]), int(self.rows[:run].sum())

    def to_bytes(self) -> bytes:
        """The runs as bytes."""
        return self.since.astype("<f8").tobytes() + self.rows.astype("<i8").tobytes()

    @staticmethod
    def from_bytes(data: bytes) -> "Ages":
        """The runs of bytes."""
        half = len(data) // 2
        return Ages(np.frombuffer(data[:half], "<f8"), np.frombuffer(data[half:], "<i8"))
