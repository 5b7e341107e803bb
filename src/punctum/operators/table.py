"""Tables: the rows that an operator keeps for one purpose, in chunks, so that an engine writes only what has changed.

New rows come as a chunk behind the others, a purge rewrites the chunks that lose rows, and a chunk that is not much
larger than the one behind it coalesces with it, so n rows lie in O(log n) chunks and each is copied O(log n) times.
The rows' order is the order of the chunks' numbers. Each chunk knows since when its rows are kept (``ages.py``).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from punctum.operators.ages import Ages

Changes = tuple[dict[int, pl.DataFrame], list[int]]
"""The chunks that were written, by number, and the numbers of those that are gone."""
_ROW = "\0row"


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
        self._ages = {n: Ages.new(chunk.height) for n, chunk in self._chunks.items()}
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

    def oldest(self) -> tuple[float, dict[str, Any]] | None:
        """Since when the oldest row is kept, and the row.

        >>> table = Table(pl.DataFrame({"n": [1]}).clear())
        >>> for now in (5.0, 7.0):
        ...     table.append(pl.DataFrame({"n": [now, -now]}, {"n": pl.Int64}, strict=False))
        ...     table.date(now)
        >>> table.retain(table.frame()["n"].abs() > 5)
        >>> table.oldest()
        (7.0, {'n': 7})
        """
        firsts = [(*ages.oldest, n) for n, ages in self._ages.items()]
        if not firsts:
            return None
        since, at, n = min(firsts)
        return since, self._chunks[n].row(at, named=True)

    def date(self, now: float) -> None:
        """The rows that are new are kept since now."""
        for n in self._written & self._chunks.keys():
            self._ages[n] = self._ages[n].dated(now)

    def ages(self, number: int) -> Ages:
        """Since when the rows of a chunk are kept."""
        return self._ages[number]

    def restore_ages(self, ages: Mapping[int, Ages]) -> None:
        """Go on with the ages of the chunks that an engine has stored."""
        self._ages |= {n: known for n, known in ages.items() if n in self._chunks}

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
                self._write(n, chunk.filter(part), self._ages[n].kept(part))
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
                self._write(n, df.slice(start, chunk.height), self._ages[n])
            start += chunk.height

    def replace(self, df: pl.DataFrame) -> None:
        """Put other rows in the place of all."""
        self._chunks, self._ages, self._frame = {}, {}, None
        self.append(df)

    def combine(self, df: pl.DataFrame, by: Sequence[str]) -> None:
        """Put a row for each value of some columns in the place of all with it, in the order of their first ones."""
        if not len(self):
            return
        numbered = self.frame().select(*by, pl.int_range(pl.len()).alias(_ROW))
        firsts = numbered.group_by(by, maintain_order=True).agg(pl.col(_ROW).first()) if by else numbered.head(1)
        ages = Ages.joined([*self._ages.values()]).kept(numbered[_ROW].is_in(firsts[_ROW].implode()))
        self._chunks, self._ages, self._frame = {}, {}, None
        self._write(self._next, df, ages)
        self._next += 1

    def clear(self) -> None:
        """Keep no row."""
        self.retain(pl.Series([False]).new_from_index(0, len(self)))

    def changes(self) -> Changes:
        """What was written and what has gone since this was last asked."""
        written = {n: self._chunks[n] for n in sorted(self._written) if n in self._chunks}
        gone = sorted(self._stored - self._chunks.keys())
        self._stored, self._written = set(self._chunks), set()
        return written, gone

    def _write(self, n: int, chunk: pl.DataFrame, ages: Ages | None = None) -> None:
        self._frame = None
        if chunk.height:
            self._chunks[n] = chunk
            self._ages[n] = ages or Ages.new(chunk.height)
            self._written.add(n)
        else:
            self._chunks.pop(n, None)
            self._ages.pop(n, None)

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
                together = Ages.joined([self._ages[n] for n in (first, *rest)])
                self._write(first, pl.concat([self._chunks[n] for n in (first, *rest)]), together)
                for n in rest:
                    del self._chunks[n], self._ages[n]


def total(tables: Iterable[Table]) -> tuple[int, int]:
    """How many rows some tables have, and how many bytes."""
    known = list(tables)
    return sum(map(len, known)), sum(table.bytes for table in known)
