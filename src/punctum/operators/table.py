"""Tables: the rows that an operator keeps for one purpose, in segments, so that a batch costs what it changes.

    lookup of n values     n, and the rows that it finds, by an index of each segment
    append of n rows       n, and O(log rows) copies of each later on, when small segments are merged
    purge of n rows        n marks; a segment is rewritten when half of it is dead

New rows are a segment behind the others; eight neighbours of about one size become one, up to a limit. What an engine
has to store is new segments and *logs* of new marks, all of which never change. The order of the rows is the order of
the segments' numbers, and it is kept. Each segment knows since when its rows are kept (``ages.py``).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from punctum.operators.ages import Ages
from punctum.operators.index import Mask, Numbers, Positions, each_once, hashes
from punctum.operators.limits import limits
from punctum.operators.logs import Marks, is_log, log_of, marks_in, marks_of, merged_logs
from punctum.operators.segment import DEAD, Segment, firsts, joined
from punctum.operators.tiers import of_a_size

Changes = tuple[dict[int, pl.DataFrame], list[int]]
"""The chunks that were written, segments and logs, by number, and the numbers of those that are gone."""
Parts = Mapping[int, Positions | None]
"""Positions in segments, by their numbers; of those with none, of all rows."""
_STEP = 1 << 20
"""A new segment's number is a multiple; the numbers up to the next one are for its rewritten forms."""


class View:
    """Some rows of a table, and where they are: until the table is appended to."""

    def __init__(self, table: "Table", parts: Parts) -> None:
        self._table, self.parts = table, parts

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The rows."""
        return self._table.rows_at(self.parts)

    def drop(self, mask: pl.Series) -> None:
        """Keep those rows no longer where a mask over them is true."""
        self.mark(DEAD, mask)

    def mark(self, mark: str, mask: pl.Series) -> None:
        """Mark those rows where a mask over them is true."""
        if mask.any():
            self._table.mark(self.parts, mark, _bits(mask))

    def unmark(self, mark: str, mask: pl.Series) -> None:
        """Take a mark from those rows where a mask over them is true; the view is of no use then."""
        if mask.any():
            self._table.unmark(self.parts, mark, _bits(mask))

    def marked(self, mark: str) -> pl.Series:
        """Which rows have a mark."""
        return self._table.marked(self.parts, mark)

    def __len__(self) -> int:
        return self._table.count(self.parts)

    def where(self, mask: pl.Series) -> "View":
        """Those rows where a mask over them is true."""
        return View(self._table, self._table.chosen(self.parts, _bits(mask)))

    def __or__(self, other: "View") -> "View":
        """The rows of both."""
        parts = dict(self.parts)
        for n, theirs in other.parts.items():
            mine = parts.get(n, theirs)
            parts[n] = None if mine is None or theirs is None else each_once(np.concatenate([mine, theirs]))
        return View(self._table, dict(sorted(parts.items())))


class Table:
    """Rows in segments.

    With ``combined``, rows that have the same values in the columns ``by`` may become one whenever segments are merged.

    >>> table = Table(pl.DataFrame({"n": [1]}).clear())
    >>> table.append(pl.DataFrame({"n": [1, 2, 3]}))
    >>> table.retain(table.frame()["n"] > 1)
    >>> table.frame()["n"].to_list(), len(table)
    ([2, 3], 2)
    >>> view = table.having(pl.DataFrame({"n": [3]}))
    >>> view.drop(view.rows["n"] == 3)
    >>> table.frame()["n"].to_list(), table.purged
    ([2], 2)
    """

    def __init__(
        self,
        schema_frame: pl.DataFrame,
        chunks: Mapping[int, pl.DataFrame] | None = None,
        combined: Callable[[pl.DataFrame], pl.DataFrame] | None = None,
        by: Sequence[str] = (),
    ) -> None:
        self._empty, self._combined, self._by = schema_frame.clear(), combined, by
        self._segments: dict[int, Segment] = {}  # in the order of their numbers
        self._logs: dict[int, pl.DataFrame] = {}
        self._marks: list[Marks] = []  # those that no log has yet
        self._next = 0
        self._stored = set[int]()  # the chunks that the last changes left in the engine's hands
        self._written = set[int]()
        self._frame: pl.DataFrame | None = None
        self.purged = 0
        """How many rows have been dropped; for whoever counts and sets it back."""
        self.covered = 0
        """How many rows an operator has not put in, since punctuations had closed them already; counted likewise."""
        if chunks:
            self._restore(chunks, {})

    def __len__(self) -> int:
        return sum(segment.live for segment in self._segments.values())

    @property
    def bytes(self) -> int:
        """About how much memory the rows take, with their indexes."""
        return sum(segment.bytes for segment in self._segments.values() if segment.live)

    def segments(self) -> dict[int, Segment]:
        """All segments, by their numbers."""
        return dict(self._segments)

    def chunk(self, number: int) -> pl.DataFrame:
        """A segment as it was written, or a log."""
        return self._logs[number] if number in self._logs else self._segments[number].chunk

    def chunks(self) -> dict[int, pl.DataFrame]:
        """All segments and logs, by their numbers."""
        self._settle()
        return {n: self.chunk(n) for n in (*self._segments, *self._logs)}

    def restored(self, chunks: Mapping[int, pl.DataFrame]) -> "Table":
        """A table of the same kind with the chunks that an engine has stored."""
        table = Table(self._empty, None, self._combined, self._by)
        table._restore(chunks, self._segments)
        return table

    def oldest(self) -> tuple[float, dict[str, Any]] | None:
        """Since when the oldest row is kept, and the row.

        >>> table = Table(pl.DataFrame({"n": [1]}).clear())
        >>> for now in (5.0, 7.0):
        ...     table.append(pl.DataFrame({"n": [now, -now]}, {"n": pl.Int64}, strict=False))
        ...     table.date(now)
        ...     _ = table.changes()
        >>> table.retain(table.frame()["n"].abs() > 5)
        >>> table.oldest()
        (7.0, {'n': 7})
        """
        firsts = [(*segment.oldest(), n) for n, segment in self._segments.items() if segment.live]
        if not firsts:
            return None
        since, at, n = min(firsts)
        return since, self._segments[n].rows.row(at, named=True)

    def date(self, now: float) -> None:
        """The rows that are new are kept since now."""
        for n in self._written & self._segments.keys():
            self._segments[n].ages = self._segments[n].ages.dated(now)

    def ages(self, number: int) -> Ages:
        """Since when the rows of a chunk are kept; those of a log are none."""
        return self._segments[number].ages if number in self._segments else Ages.new(0)

    def restore_ages(self, ages: Mapping[int, Ages]) -> None:
        """Go on with the ages of the chunks that an engine has stored."""
        for n, known in ages.items():
            if n in self._segments:
                self._segments[n].ages = known

    def frame(self) -> pl.DataFrame:
        """All rows."""
        if self._frame is None:
            self._frame = pl.concat([self._empty, *(s.kept() for s in self._segments.values())], rechunk=False)
        return self._frame

    def all(self) -> View:
        """All rows, and where they are."""
        return View(self, dict.fromkeys(self._segments))

    def none(self) -> View:
        """No row."""
        return View(self, {})

    def having(self, values: pl.DataFrame) -> View:
        """Some rows, among them all that have one of some combinations of values, in the columns of these."""
        columns = tuple(values.columns)
        other = any(self._empty.schema[name] != dtype for name, dtype in values.schema.items())
        if other or not columns or limits().share * values.height >= len(self):
            return self.all()
        hashed = np.unique(hashes(values)) if self._segments else np.zeros(0, np.uint64)
        return self._view((n, segment.having(columns, hashed)) for n, segment in self._segments.items())

    def between(self, column: str, lows: Numbers, highs: Numbers) -> View:
        """Some rows, among them all whose 64-bit place in a column is in one of some ranges."""
        return self._view((n, segment.between(column, lows, highs)) for n, segment in self._segments.items())

    def least(self, column: str) -> Any:
        """The least value of a column with 64-bit places, which has no NULLs."""
        return min((s.least(column) for s in self._segments.values() if s.live), default=None)

    def append(self, df: pl.DataFrame, marks: Mapping[str, pl.Series] | None = None) -> None:
        """Add rows behind the others, some of which may have marks."""
        most = limits().largest
        for start in range(0, df.height, most):
            rows = df.slice(start, most)
            there = {mark: mask.slice(start, most).to_numpy() for mark, mask in (marks or {}).items()}
            self._put_behind(Segment(rows, Ages.new(rows.height), there))
        if df.height:
            self._tidy()

    def retain(self, mask: pl.Series) -> None:
        """Keep the rows where a mask over all rows is true."""
        self.all().drop(~mask)
        self._tidy()

    def rewrite(self, mask: pl.Series, df: pl.DataFrame) -> None:
        """Change rows where they are: a frame of all rows, of which those differ where a mask is true.

        >>> table = Table(pl.DataFrame({"n": [1, 2, 3]}), {0: pl.DataFrame({"n": [1, 2]}), 9: pl.DataFrame({"n": [3]})})
        >>> table.rewrite(pl.Series([False, False, True]), pl.DataFrame({"n": [1, 2, 4]}))
        >>> table.frame()["n"].to_list(), [n for n in table.changes()[0]]
        ([1, 2, 4], [10])
        """
        start = len(self)
        for n, segment in reversed(self._segments.copy().items()):
            start -= segment.live
            if mask.slice(start, segment.live).any():
                self._put(n, segment.compacted(df.slice(start, segment.live)))

    def replace(self, df: pl.DataFrame) -> None:
        """Put other rows in the place of all."""
        self._segments, self._frame = {}, None
        self.append(df)

    def combine(self, df: pl.DataFrame, by: Sequence[str]) -> None:
        """Put a row for each value of some columns in the place of all with it, in the order of their first ones."""
        if len(self):
            merged = self._joined(list(self._segments))
            ages = merged.ages.kept(firsts(merged.rows, by))
            self._segments = {}
            self._put_behind(Segment(df, ages))

    def clear(self) -> None:
        """Keep no row."""
        self.retain(pl.Series([False]).new_from_index(0, len(self)))

    def changes(self) -> Changes:
        """What was written and what has gone since this was last asked."""
        self._settle()
        there = self._segments.keys() | self._logs.keys()
        written = {n: self.chunk(n) for n in sorted(self._written & there)}
        gone = sorted(self._stored - there)
        self._stored, self._written = set(there), set()
        return written, gone

    def rows_at(self, parts: Parts) -> pl.DataFrame:
        """The rows at some positions of segments."""
        if len(parts) == len(self._segments) and all(positions is None for positions in parts.values()):
            return self.frame()
        pairs = ((self._segments[n], positions) for n, positions in parts.items())
        rows = [segment.kept() if positions is None else segment.at(positions) for segment, positions in pairs]
        return pl.concat([self._empty, *rows], rechunk=False)

    def count(self, parts: Parts) -> int:
        """How many rows there are at some positions of segments."""
        return sum(self._segments[n].live if at is None else len(at) for n, at in parts.items())

    def chosen(self, parts: Parts, mask: Mask) -> dict[int, Positions]:
        """Of rows at some positions of segments where those are that a mask over them is true for."""
        chosen, start = {}, 0
        for n, positions in parts.items():
            there = self._segments[n].positions() if positions is None else positions
            marked = there[mask[start : start + len(there)]]
            start += len(there)
            if len(marked):
                chosen[n] = marked
        return chosen

    def mark(self, parts: Parts, mark: str, mask: Mask) -> None:
        """Mark rows: of those at some positions of segments the ones that a mask over them is true for."""
        self._frame = None
        for n, positions in self.chosen(parts, mask).items():
            self._segments[n].mark(mark, positions)
            self.purged += len(positions) if mark == DEAD else 0
            if n not in self._written:
                self._marks.append((n, positions, mark))

    def unmark(self, parts: Parts, mark: str, mask: Mask) -> None:
        """Take a mark from rows, of those at some positions; their segments are written anew."""
        for n, positions in reversed(self.chosen(parts, mask).items()):
            self._put(n, self._segments[n].without(mark, positions))

    def marked(self, parts: Parts, mark: str) -> pl.Series:
        """Which rows at some positions of segments have a mark."""
        masks = [self._segments[n].marked(mark, positions) for n, positions in parts.items()]
        return pl.Series(np.concatenate([np.zeros(0, np.bool_), *masks]))

    def _view(self, parts: Iterable[tuple[int, Positions | None]]) -> View:
        return View(self, {n: positions for n, positions in parts if positions is None or len(positions)})

    def _put_behind(self, segment: Segment) -> None:
        n, self._next, self._frame = self._next, self._next + _STEP, None
        self._segments[n] = segment
        self._written.add(n)

    def _put(self, n: int, segment: Segment) -> None:
        """Put another segment in the place of one, under the same number as long as that is not stored.

        Those behind it may become one with it: who puts several begins with the last.
        """
        self._frame = None
        after = n if n in self._written else n + 1
        if after > n and (after in self._segments or after % _STEP == 0):  # no number is left: one with all behind it
            self._segments[n] = segment
            self._merge([m for m in self._segments if m >= n])
            return
        self._written.add(after)
        del self._segments[n]
        self._segments = dict(sorted((self._segments | {after: segment}).items()))

    def _tidy(self) -> None:
        """Let go of segments without rows, rewrite those that are half dead, and merge those of one size."""
        for n, segment in reversed(self._segments.copy().items()):
            if not segment.live:
                del self._segments[n]
            elif 2 * segment.live <= segment.rows.height:
                self._put(n, segment.compacted())
        while behind := self._mergeable():
            self._merge(behind)

    def _mergeable(self) -> list[int]:
        """The last segments that are to be one; a few rows that may be combined are so at once."""
        rows = {n: segment.live for n, segment in self._segments.items()}
        last = list(rows)[-2:]
        if self._combined is not None and len(last) == 2 and sum(rows[n] for n in last) <= limits().small:
            return last
        return of_a_size(rows)

    def _settle(self) -> None:
        """Leave no mark without a log: segments that are not stored yet are written as they are now."""
        self._tidy()
        for n in self._written & self._segments.keys():
            if self._segments[n].dirty:
                self._segments[n] = self._segments[n].compacted()
        marks = [known for known in self._marks if known[0] in self._segments]
        self._marks = []
        self._write_log(log_of(marks) if marks else None)
        while behind := of_a_size({n: marks_in(log) for n, log in self._logs.items()}):
            self._write_log(merged_logs([self._logs.pop(n) for n in behind], self._segments))

    def _write_log(self, log: pl.DataFrame | None) -> None:
        if log is not None:
            n, self._next = self._next, self._next + _STEP
            self._logs[n] = log
            self._written.add(n)

    def _merge(self, numbers: list[int]) -> None:
        """Make one of the last segments."""
        merged = self._joined(numbers)
        for n in numbers:
            del self._segments[n]
        if self._combined is not None:
            ages = merged.ages.kept(firsts(merged.rows, self._by))
            merged = Segment(self._combined(merged.rows), ages)
        self._put_behind(merged)

    def _joined(self, numbers: Sequence[int]) -> Segment:
        return joined([self._segments[n].compacted() for n in numbers])

    def _restore(self, chunks: Mapping[int, pl.DataFrame], known: Mapping[int, Segment]) -> None:
        """Go on with chunks; segments that are known may be among them."""
        for n, chunk in sorted(chunks.items()):
            if is_log(chunk):
                self._logs[n] = chunk
            elif chunk.height:
                self._segments[n] = Segment.read(chunk, known.get(n))
        for log in self._logs.values():
            for n, positions, mark in marks_of(log):
                if n in self._segments:
                    self._segments[n].mark(mark, positions)
        self._stored = set(chunks)
        self._next = max((n // _STEP + 1) * _STEP for n in (*chunks, -1))


def _bits(mask: pl.Series) -> Mask:
    """A mask in which NULL is not true."""
    return (mask.fill_null(False) if mask.null_count() else mask).to_numpy()


def total(tables: Iterable[Table]) -> tuple[int, int]:
    """How many rows some tables have, and how many bytes."""
    known = list(tables)
    return sum(map(len, known)), sum(table.bytes for table in known)
