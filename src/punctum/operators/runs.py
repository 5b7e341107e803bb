"""Runs: keys in order, so that a binary search finds them.

    run = hash of the other values | these | the first of neighbouring places on the line | how many follow it

A run is a frame, and its columns show which attributes the keys have values for. Neighbouring places of the *line*, an
attribute with 64-bit places (whole numbers, times, DOUBLE), are one row. A hash brings equal values together and
decides nothing: the values are compared. Keys on a line alone need no hash, and keys without one have no places.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from punctum.algebra.schema import Schema
from punctum.operators.places import Bounds, places

HASH, FIRST, MORE = "hash", "first ", "more"
"""Columns of a run; those of the other values have the positions of their attributes as names."""
_SEED = 17
_HIGHEST = 2**63 - 1
_ROW = "row"

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class RunShape(NamedTuple):
    """Which attributes keys have values for: the line, if there is one, and the others, in the order of the schema."""

    others: tuple[int, ...]
    line: int | None

    @property
    def positions(self) -> tuple[int, ...]:
        """All of them, in the order of the schema."""
        return tuple(sorted(self.others if self.line is None else (*self.others, self.line)))

    @property
    def first(self) -> str:
        """The column of first places."""
        return f"{FIRST}{self.line}"

    @property
    def order(self) -> list[str]:
        """The columns by which a run is in order."""
        return [*([HASH] if self.others else []), *([self.first] if self.line is not None else [])]


def shape_of(run: pl.DataFrame) -> RunShape:
    """The shape of a run's keys."""
    lines = (int(name.removeprefix(FIRST)) for name in run.columns if name.startswith(FIRST))
    return RunShape(tuple(int(name) for name in run.columns if name.isdigit()), next(lines, None))


def hashed(others: list[pl.Series]) -> list[pl.Series]:
    """Other values, with their hash before them."""
    return [pl.DataFrame(others).hash_rows(_SEED).alias(HASH), *others] if others else []


def coalesced(run: pl.DataFrame) -> pl.DataFrame:
    """A run in order, with its neighbours as one row.

    >>> coalesced(pl.DataFrame({"first 0": [3, 7, 1, 2], "more": [0, 0, 0, 0]})).rows()
    [(1, 2), (7, 0)]
    """
    shape = shape_of(run)
    run = run.sort(shape.order, maintain_order=True).rechunk()
    same, clash = _same_others(run, shape)
    if shape.line is None:
        return run.filter(np.r_[True, ~same]) if same.any() else run
    first, last = ends(run)
    if clash or (same & (first[1:] <= last[:-1])).any():
        last = _furthest(run, last)
    gap = first[1:].view(np.uint64) - last[:-1].view(np.uint64)
    starts = np.r_[True, ~(same & ((first[1:] <= last[:-1]) | (gap == 1)))]
    until = np.r_[np.flatnonzero(starts)[1:] - 1, len(starts) - 1]
    more = pl.Series(MORE, (last[until] - first[starts]).view(np.uint64)).shrink_dtype()  # mostly nothing follows
    return (run if starts.all() else run.filter(starts)).with_columns(more)


def merged(runs: list[pl.DataFrame]) -> pl.DataFrame:
    """Several runs as one."""
    return coalesced(pl.concat([_wide(run) for run in runs]))


def ends(run: pl.DataFrame) -> tuple[Numbers, Numbers]:
    """The first and the last place of each row of a run."""
    first = run[shape_of(run).first].to_numpy()
    return first, (first.view(np.uint64) + run[MORE].cast(pl.UInt64).to_numpy()).view(np.int64)


def cut(run: pl.DataFrame, holes: pl.DataFrame) -> pl.DataFrame:
    """A run without some places: a frame of its row, the first place and how many follow, of each hole.

    >>> run, holes = pl.DataFrame({"first 0": [1, 7], "more": [4, 0]}), {"row": [0, 1], "low": [2, 7], "more": [0, 0]}
    >>> cut(run, pl.DataFrame(holes)).rows()
    [(1, 0), (3, 2)]
    """
    of_row = pl.col(_ROW)
    apart = coalesced(holes.select(of_row.alias(HASH), of_row.alias("0"), pl.col("low").alias(f"{FIRST}1"), MORE))
    first, last = ends(run)
    row, (low, high) = apart["0"].to_numpy(), ends(apart)
    low, high = np.maximum(low, first[row]), np.minimum(high, last[row])
    opens, closes = np.r_[True, row[1:] != row[:-1]], np.r_[row[1:] != row[:-1], True]
    start = np.where(opens, first[row], np.r_[0, high[:-1]] + 1)
    before, after = start < low, closes & (high < last[row])
    rows = np.r_[np.setdiff1d(np.arange(run.height), row), row[before], row[after]]
    kept = run.height - len(np.unique(row))
    new_first = np.r_[first[rows[:kept]], start[before], high[after] + 1]
    new_last = np.r_[last[rows[:kept]], low[before] - 1, last[row[after]]]
    changed = (pl.Series(shape_of(run).first, new_first), pl.Series(MORE, (new_last - new_first).view(np.uint64)))
    return coalesced(run[rows].with_columns(*changed)) if len(rows) else run.clear()


class Wanted:
    """Rows that are looked up in runs of one shape."""

    def __init__(self, df: pl.DataFrame, schema: Schema, shape: RunShape) -> None:
        self._shape, rows = shape, np.arange(df.height)
        self._others = pl.DataFrame([df[schema.names[at]].alias(str(at)) for at in shape.others])
        place = None if shape.line is None else places(df[schema.names[shape.line]]).cast(pl.Int64)
        if place is not None and place.null_count():  # NULL has no place
            rows = place.is_not_null().arg_true().to_numpy()
            place, self._others = place.gather(rows), self._others[rows] if shape.others else self._others
        by = hashed(self._others.get_columns())[0].to_numpy() if shape.others else np.zeros(0, np.uint64)
        line = np.zeros(0, np.int64) if place is None else place.to_numpy()
        order = np.argsort(by if shape.others else line)  # a search in order is several times faster
        self._rows, self._order = rows[order], order
        self._hash, self._place = by[order] if shape.others else by, line if place is None else line[order]

    def find(self, run: pl.DataFrame) -> tuple[Numbers, Numbers]:
        """The rows that have keys of a run, and where in it these are."""
        if not self._shape.others:
            return self._on_line(run)
        hashes = run[HASH].to_numpy()
        start = np.searchsorted(hashes, self._hash)
        matched = np.flatnonzero(hashes[np.minimum(start, run.height - 1)] == self._hash)
        wanted, start = self._hash[matched], start[matched]
        several = (hashes[np.minimum(start + 1, run.height - 1)] == wanted).any()
        end = np.searchsorted(hashes, wanted, "right") if several else start + 1
        if self._shape.line is None:
            matched, at = self._equal(run, matched, end - 1, start)
            return self._rows[matched], at
        at = _not_beyond(run[self._shape.first].to_numpy(), self._place[matched], start, end)
        there = at >= start
        matched, at = self._equal(run, matched[there], at[there], start[there])
        reached = self._reached(run, matched, at)
        return self._rows[matched[reached]], at[reached]

    def _on_line(self, run: pl.DataFrame) -> tuple[Numbers, Numbers]:
        """The same, for keys on a line alone: the few are searched for among the many."""
        if run.height < len(self._place):
            first, last = ends(run)
            low = np.searchsorted(self._place, first)
            at = np.flatnonzero(self._place[np.minimum(low, len(self._place) - 1)] <= last)
            at = at[low[at] < len(self._place)]
            many = np.searchsorted(self._place, last[at], "right") - low[at]
            rows = np.repeat(low[at] - (np.cumsum(many) - many), many) + np.arange(int(many.sum()))
            return self._rows[rows], np.repeat(at, many)
        at = np.searchsorted(run[self._shape.first].to_numpy(), self._place, "right") - 1
        rows = np.flatnonzero(at >= 0)
        rows = rows[self._reached(run, rows, at[rows])]
        return self._rows[rows], at[rows]

    def _reached(self, run: pl.DataFrame, rows: Numbers, at: Numbers) -> Mask:
        """Whether places are among the neighbours behind the first ones, which are not beyond them."""
        beyond = (self._place[rows] - run[self._shape.first].to_numpy()[at]).view(np.uint64)
        reached: Mask = beyond <= run[MORE].to_numpy()[at]
        return reached

    def _equal(self, run: pl.DataFrame, rows: Numbers, at: Numbers, start: Numbers) -> tuple[Numbers, Numbers]:
        """Where other values are equal, too; with values of the same hash before, where they are the last that are."""
        wanted = self._others[self._order[rows]]
        same, last = _equal(run[at], wanted, self._shape), at.copy()
        for n in np.flatnonzero(~same).tolist():
            earlier = run[int(start[n]) : int(at[n])]
            equal = np.flatnonzero(_equal(earlier, wanted[np.full(earlier.height, n)], self._shape))
            if len(equal):
                same[n], last[n] = True, start[n] + equal[-1]
        return rows[same], last[same]


def _equal(left: pl.DataFrame, right: pl.DataFrame, shape: RunShape) -> Mask:
    """Whether rows have the same other values."""
    same = np.ones(left.height, np.bool_)
    for at in shape.others:
        same &= left[str(at)].eq_missing(right[str(at)]).to_numpy()
    return same


def _same_others(run: pl.DataFrame, shape: RunShape) -> tuple[Mask, bool]:
    """Whether each row but the first has the other values of the one before it, and whether hashes have clashed."""
    if not shape.others:
        return np.ones(max(0, run.height - 1), np.bool_), False
    hashes = run[HASH].to_numpy()
    same = hashes[1:] == hashes[:-1]
    rows = np.flatnonzero(same)
    same[rows] = _equal(run[rows], run[rows + 1], shape)
    return same, bool(len(rows) > same.sum())


def _furthest(run: pl.DataFrame, last: Numbers) -> Numbers:
    """For each row the furthest of the ends of rows with the same other values, up to it."""
    by = [HASH, *map(str, shape_of(run).others)]
    last_so_far = pl.Series("last", last).to_frame()
    if HASH not in run.columns:
        return last_so_far.select(pl.col("last").cum_max()).to_series().to_numpy()
    return run.select(by).hstack(last_so_far).select(pl.col("last").cum_max().over(by)).to_series().to_numpy()


def _not_beyond(first: Numbers, wanted: Numbers, start: Numbers, end: Numbers) -> Numbers:
    """For each wanted place the last row, from start to end, whose first place is not beyond it, or the row before."""
    if len(start) and (start == 0).all() and (end == len(first)).all():
        return np.searchsorted(first, wanted, side="right") - 1
    low, high = start.copy(), end.copy()
    while (open_ := low < high).any():
        middle = (low + high) // 2
        below = open_ & (first[np.minimum(middle, len(first) - 1)] <= wanted)
        low = np.where(below, middle + 1, low)
        high = np.where(open_ & ~below, middle, high)
    return low - 1


def _wide(run: pl.DataFrame) -> pl.DataFrame:
    return run.with_columns(pl.col(MORE).cast(pl.UInt64)) if MORE in run.columns else run


def none_far_larger(sizes: Mapping[int, int]) -> list[int]:
    """The smallest runs, each of which is at most twice as large as those before it together."""
    alike: list[int] = []
    for n, live in sorted(sizes.items(), key=lambda known: known[1]):
        if alike and live > 2 * sum(sizes[m] for m in alike):
            break
        alike.append(n)
    return alike


def reached(first: Numbers, last: Numbers, reach: Callable[[int], int]) -> NDArray[np.uint64]:
    """How many places follow the first of each row, with those behind the last that never come."""
    until = last.copy()
    step = getattr(reach, "run", 1)  # within a run of numbers that come there is nothing to reach
    for at in np.flatnonzero(last % step == step - 1).tolist():
        until[at] = min(reach(int(last[at]) + 1) - 1, _HIGHEST)
    return (until - first).view(np.uint64)


def overlap(run: pl.DataFrame, lows: Numbers, highs: Numbers) -> Mask:
    """Which rows of a run have a place in some ranges."""
    first, last = ends(run)
    order = np.argsort(lows)
    before = np.searchsorted(lows[order], last, side="right")
    furthest = np.maximum.accumulate(highs[order])[before - 1]  # of all ranges that begin before its end
    return (before > 0) & (furthest >= first)


def holes(rows: Numbers, low: Numbers, high: Numbers) -> pl.DataFrame:
    """Holes from low to high places in some rows of a run."""
    return pl.DataFrame({"row": rows, "low": low, MORE: (high - low).view(np.uint64)})


def inclusive(spans: Bounds) -> tuple[Numbers, Numbers]:
    """The first and the last place of spans."""
    low, high = spans
    return low.to_numpy(), np.where(high.is_null(), np.int64(_HIGHEST), high.fill_null(0).to_numpy() - 1)
