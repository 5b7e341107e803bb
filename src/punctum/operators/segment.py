"""Segments: rows that came together and stay where they are, with what has happened to each of them since.

A *mark* is something that has become true of a row: that it is dead, or what an operator wants to know of it. It moves
no row. Indexes are built when they are first asked for, and once.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl

from punctum.operators.ages import Ages
from punctum.operators.index import (
    Hashes,
    HashIndex,
    Index,
    Mapped,
    Mask,
    Numbers,
    OrderIndex,
    Positions,
    hashes,
    is_mapped,
)
from punctum.operators.limits import limits

DEAD = "dead"
"""The mark of rows that are not kept any more."""
_ROW = "\0row"
MARK = "\0mark "
"""Columns of a chunk that are marks begin so."""
_SMALL = 1 << 16
"""So many rows are no burden a second time."""
_Made = TypeVar("_Made", HashIndex, OrderIndex)


class Segment:
    """Rows, since when they are kept, and their marks.

    >>> segment = Segment(pl.DataFrame({"n": [1, 2, 3]}), Ages.new(3))
    >>> segment.mark(DEAD, np.array([1], np.uint32))
    >>> segment.live, segment.kept()["n"].to_list()
    (2, [1, 3])
    """

    def __init__(self, rows: pl.DataFrame, ages: Ages, marks: Mapping[str, Mask] | None = None) -> None:
        self.rows, self.ages, self.live = rows, ages, rows.height
        self.dirty = False
        """Whether rows have been marked since they were written."""
        self._marks, self._first_marks = dict(marks or {}), dict(marks or {})
        self._indexes: dict[str | tuple[str, ...], Index] = {}
        self._kept: pl.DataFrame | None = None
        self._in_file: Mapped | None = None  # where the rows are in a file, what is made of them goes there too

    @staticmethod
    def read(chunk: pl.DataFrame, known: "Segment | None" = None) -> "Segment":
        """The segment that a chunk was written for; one that is known for the same chunk has its indexes, and files."""
        names = [name for name in chunk.columns if name.startswith(MARK)]
        marks = {name.removeprefix(MARK): chunk[name].to_numpy() for name in names}
        segment = Segment(chunk.drop(names) if names else chunk, Ages.new(chunk.height), marks)
        segment.chunk = chunk
        if known is not None and known.chunk is chunk:
            segment._indexes = known._indexes
            if known._in_file is not None:
                segment.lies_in_files(known._in_file)
        return segment

    @cached_property
    def chunk(self) -> pl.DataFrame:
        """The rows with the marks that they had at first, as columns beside them."""
        return self._with_first_marks()

    def _with_first_marks(self) -> pl.DataFrame:
        marks = [pl.Series(MARK + name, mask) for name, mask in self._first_marks.items()]
        return self.rows.with_columns(marks) if marks else self.rows

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        marks = sum(mask.nbytes for mask in self._own_masks())
        return self._size + marks + sum(index.bytes for index in self._indexes.values())

    @cached_property
    def _size(self) -> int:
        return int(self.rows.estimated_size())

    def map_to_files(self, frame: Callable[[pl.DataFrame], pl.DataFrame], array: Mapped) -> int:
        """Have the rows, marks and indexes in files; given is how many bytes of memory that spares."""
        before = self.bytes
        if self._size:
            self.rows = frame(self.rows)
            self.lies_in_files(array)
            self.chunk = self._with_first_marks()
        laid = {id(mask): array(mask) for mask in self._own_masks()}
        for marks in (self._marks, self._first_marks):
            marks |= {name: laid.get(id(mask), mask) for name, mask in marks.items()}
        for index in self._indexes.values():
            index.map_to_files(array)
        return before - self.bytes

    def lies_in_files(self, array: Mapped) -> None:
        """The rows are in a file, and so is what is made of them from now on."""
        self._in_file, self._size = array, 0

    def _own_masks(self) -> list[Mask]:
        """The masks that are in memory, each once."""
        masks = (*self._marks.values(), *self._first_marks.values())
        return list({id(mask): mask for mask in masks if not is_mapped(mask)}.values())

    def _mask(self, mark: str) -> Mask:
        return np.asarray(self._marks[mark])  # what is taken from it is in memory, and is to say so

    def kept(self) -> pl.DataFrame:
        """The rows that are not dead; of a small segment they are at hand until others die."""
        if DEAD not in self._marks:
            return self.rows
        if self._kept is not None:
            return self._kept
        kept = self.rows.filter(~self._mask(DEAD))
        self._kept = kept if self.rows.height <= _SMALL else None
        return kept

    def positions(self) -> Positions:
        """Where the rows are that are not dead."""
        if DEAD not in self._marks:
            return np.arange(self.rows.height, dtype=np.uint32)
        return np.flatnonzero(~self._mask(DEAD)).astype(np.uint32)

    def at(self, positions: Positions) -> pl.DataFrame:
        """The rows at some positions."""
        return self.rows[positions]

    def marked(self, mark: str, positions: Positions | None) -> Mask:
        """Whether rows have a mark: those at some positions, or all that are not dead."""
        if mark not in self._marks:
            return np.zeros(self.live if positions is None else len(positions), np.bool_)
        return self._mask(mark)[self.positions() if positions is None else positions]

    def compacted(self, rows: pl.DataFrame | None = None) -> "Segment":
        """The rows that are not dead, or others in their places, with their other marks."""
        marks = {name: self.marked(name, None) for name in self._marks if name != DEAD}
        ages = self.ages.kept(pl.Series(~self._mask(DEAD))) if DEAD in self._marks else self.ages
        there = self.kept() if rows is None else rows
        return Segment(there, ages, {name: mask for name, mask in marks.items() if mask.any()})

    def without(self, mark: str, positions: Positions) -> "Segment":
        """The rows that are not dead, of which some have a mark no longer."""
        self.mark(mark, positions[:0])
        self._marks[mark][positions] = False
        return self.compacted()

    def mark(self, mark: str, positions: Positions) -> None:
        """Mark rows."""
        mask = self._marks.get(mark)
        if mask is None or mask is self._first_marks.get(mark):
            mask = self._marks[mark] = np.zeros(self.rows.height, np.bool_) if mask is None else np.array(mask)
        mask[positions] = True
        if mark == DEAD:
            self.live -= len(positions)
            self._kept = None
        self.dirty = True

    def oldest(self) -> tuple[float, int]:
        """Since when the oldest row is kept that is not dead, and where it is."""
        ends = np.cumsum(self.ages.rows)
        since = np.where(np.isnan(self.ages.since), np.inf, self.ages.since)
        for run in np.argsort(since, kind="stable").tolist():
            start = int(ends[run] - self.ages.rows[run])
            dead = self._marks.get(DEAD)
            alive = start if dead is None else start + int(np.argmin(dead[start : ends[run]]))
            if dead is None or not dead[alive]:
                return float(since[run]), alive
        raise AssertionError("a segment without rows is not kept")

    def having(self, columns: tuple[str, ...], hashed: Hashes) -> Positions | None:
        """Where rows are that may have hashes of some columns; nothing when it is best to look at all."""
        if self.rows.height <= limits().whole or limits().share * len(hashed) >= self.live:
            return None
        return self._alive(self._index(columns, lambda: HashIndex(hashes(self.rows.select(columns)))).find(hashed))

    def between(self, column: str, lows: Numbers, highs: Numbers) -> Positions | None:
        """Where rows are with places of a column in some ranges; nothing when it is best to look at all."""
        if self.rows.height <= limits().whole:
            return None
        return self._alive(self._index(column, lambda: OrderIndex(self.rows[column])).find(lows, highs))

    def least(self, column: str) -> Any:
        """The least value of a column, which has no NULLs, among the rows that are not dead."""
        if self.rows.height <= limits().whole:
            return self.kept()[column].min()
        positions = self._index(column, lambda: OrderIndex(self.rows[column])).positions
        dead = self._marks.get(DEAD)
        return self.rows[column][int(positions[0 if dead is None else np.argmin(dead[positions])])]

    def _alive(self, positions: Positions) -> Positions:
        return positions if DEAD not in self._marks else positions[~self._mask(DEAD)[positions]]

    def _index(self, of: str | tuple[str, ...], make: Callable[[], _Made]) -> _Made:
        if of not in self._indexes:
            self._indexes[of] = made = make()
            if self._in_file is not None:
                made.map_to_files(self._in_file)
        return self._indexes[of]  # type: ignore[return-value]  # a name has an order, names have hashes


def joined(parts: Sequence[Segment]) -> Segment:
    """Segments without dead rows, one behind the other, as one."""
    rows = pl.concat([part.rows for part in parts], rechunk=True)
    names = dict.fromkeys(mark for part in parts for mark in part._marks)
    marks = {mark: np.concatenate([part.marked(mark, None) for part in parts]) for mark in names}
    return Segment(rows, Ages.joined([part.ages for part in parts]), marks)


def firsts(df: pl.DataFrame, by: Sequence[str]) -> pl.Series:
    """Which rows are the first with their values in some columns."""
    if not by:
        return pl.int_range(df.height, eager=True) == 0
    numbered = df.select(*by, pl.int_range(pl.len()).alias(_ROW))
    firsts = numbered.group_by(by).agg(pl.col(_ROW).min())
    return numbered[_ROW].is_in(firsts[_ROW].implode())
