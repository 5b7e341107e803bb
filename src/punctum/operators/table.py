"""Tables: the rows that an operator keeps for one purpose, in chunks, so that an engine writes only what has changed.

New rows come as a chunk behind the others, a purge rewrites the chunks that lose rows, and a chunk that is not much
larger than the one behind it coalesces with it, so n rows lie in O(log n) chunks and each is copied O(log n) times.
The rows' order is the order of the chunks' numbers.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

Changes = tuple[dict[int, pl.DataFrame], list[int]]
"""The chunks that were written, by number, and the numbers of those that are gone."""


class Table:
    """Rows in chunks.

    >>> table = Table(pl.DataFrame({"n": [1]}).clear())
    >>> table.append(pl.DataFrame({"n": [1, 2, 3]}))
    >>> table.retain(table.frame()["n"] > 1)
    >>> table.frame()["n"].to_list(), len(table)
    ([2, 3], 2)
    """

    def __init__(self, schema_frame: pl.DataFrame, chunks: Mapping[int, pl.DataFrame] | None = None) -> None:
        self._empty = schema_frame.clear()
        self._chunks = {n: chunk for n, chunk in sorted((chunks or {}).items()) if chunk.height}
        self._next = max(chunks or {}, default=-1) + 1
        self._stored = set(chunks or {})  # the chunks that the last changes left in the engine's hands
        self._written = set[int]()
        self._frame: pl.DataFrame | None = None
        self.purged = 0
        """How many rows have been dropped by ``retain``; for whoever counts and sets it back."""

    def __len__(self) -> int:
        return sum(chunk.height for chunk in self._chunks.values())

    @property
    def bytes(self) -> int:
        """About how much memory the rows take."""
        return int(sum(chunk.estimated_size() for chunk in self._chunks.values()))

    def chunk(self, number: int) -> pl.DataFrame:
        """The rows of one chunk."""
        return self._chunks[number]

    def chunks(self) -> dict[int, pl.DataFrame]:
        """All chunks, by their numbers."""
        return dict(self._chunks)

    def restored(self, chunks: Mapping[int, pl.DataFrame]) -> "Table":
        """A table of the same kind with the chunks that an engine has stored."""
        return Table(self._empty, chunks)

    def oldest(self) -> tuple[int, dict[str, Any]] | None:
        """The first chunk's number and its first row; chunks that coalesce have the number of the oldest."""
        return next(((n, chunk.row(0, named=True)) for n, chunk in self._chunks.items()), None)

    def frame(self) -> pl.DataFrame:
        """All rows."""
        if self._frame is None:
            self._frame = pl.concat([self._empty, *self._chunks.values()], rechunk=False)
        return self._frame

    def append(self, df: pl.DataFrame) -> None:
        """Add rows behind the others."""
        if df.height:
            self._write(self._next, df)
            self._next += 1
            self._coalesce()

    def retain(self, mask: pl.Series) -> None:
        """Keep the rows where a mask over all rows is true."""
        if mask.all():
            return
        self.purged += len(mask) - int(mask.sum())
        start = 0
        for n, chunk in list(self._chunks.items()):
            part = mask.slice(start, chunk.height)
            start += chunk.height
            if not part.all():
                self._write(n, chunk.filter(part))
        self._coalesce()

    def rewrite(self, mask: pl.Series, df: pl.DataFrame) -> None:
        """Change rows where they are: a frame of all rows, of which those differ where a mask is true.

        >>> table = Table(pl.DataFrame({"n": [1, 2, 3]}), {0: pl.DataFrame({"n": [1, 2]}), 1: pl.DataFrame({"n": [3]})})
        >>> table.rewrite(pl.Series([False, False, True]), pl.DataFrame({"n": [1, 2, 4]}))
        >>> table.frame()["n"].to_list(), table.changes()[0].keys()
        ([1, 2, 4], dict_keys([1]))
        """
        start = 0
        for n, chunk in list(self._chunks.items()):
            if mask.slice(start, chunk.height).any():
                self._write(n, df.slice(start, chunk.height))
            start += chunk.height

    def replace(self, df: pl.DataFrame) -> None:
        """Put other rows in the place of all."""
        self._chunks, self._frame = {}, None
        self.append(df)

    def clear(self) -> None:
        """Keep no row."""
        self.retain(pl.Series([False]).new_from_index(0, len(self)))

    def changes(self) -> Changes:
        """What was written and what has gone since this was last asked."""
        written = {n: self._chunks[n] for n in sorted(self._written) if n in self._chunks}
        gone = sorted(self._stored - self._chunks.keys())
        self._stored, self._written = set(self._chunks), set()
        return written, gone

    def _write(self, n: int, chunk: pl.DataFrame) -> None:
        self._frame = None
        if chunk.height:
            self._chunks[n] = chunk
            self._written.add(n)
        else:
            self._chunks.pop(n, None)

    def _coalesce(self) -> None:
        """Merge chunks from behind: each is left more than twice as large as all that follow it together."""
        runs: list[list[int]] = []
        height = 0
        for n in reversed(self._chunks):
            if runs and self._chunks[n].height <= 2 * height:
                runs[-1].append(n)
            else:
                runs.append([n])
            height += self._chunks[n].height
        for run in runs:
            if len(run) > 1:
                first, *rest = reversed(run)
                self._write(first, pl.concat([self._chunks[n] for n in (first, *rest)]))
                for n in rest:
                    del self._chunks[n]


def total(tables: Iterable[Table]) -> tuple[int, int]:
    """How many rows some tables have, and how many bytes."""
    known = list(tables)
    return sum(map(len, known)), sum(table.bytes for table in known)
