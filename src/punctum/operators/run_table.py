"""Tables whose segments are runs of keys (``runs.py``): when runs are merged, and what their rows are as keys."""

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from punctum.algebra.schema import Schema
from punctum.operators.ages import Ages
from punctum.operators.columns import dtype
from punctum.operators.index import Positions
from punctum.operators.limits import limits
from punctum.operators.places import values
from punctum.operators.runs import MORE, Mask, Numbers, RunShape, ends, merged, none_far_larger, reached, shape_of
from punctum.operators.segment import DEAD, Segment
from punctum.operators.table import Table
from punctum.operators.tiers import FAN

FEW = 256
"""Runs with fewer rows are merged at once."""
NEAR = 64
"""Numbers that are so far from each other on average are merged as soon as that is cheap: they become ranges."""


class RunTable(Table):
    """Runs of keys over a schema."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(pl.DataFrame())
        self.schema = schema

    def frame(self) -> pl.DataFrame:
        """All runs, one behind the other."""
        return pl.concat([self._empty, *(s.kept() for s in self._segments.values())], how="diagonal_relaxed")

    def shapes(self) -> list[RunShape]:
        """Which attributes there are keys on."""
        return list(dict.fromkeys(shape_of(segment.rows) for segment in self._segments.values()))

    def _put_segment(self, run: pl.DataFrame) -> None:
        if run.height:
            self._put_behind(Segment(run, Ages.new(run.height)))

    def _of(self, shape: RunShape) -> dict[int, Segment]:
        return {n: segment for n, segment in self._segments.items() if shape_of(segment.rows) == shape}

    def _kill(self, n: int, positions: Positions) -> None:
        """Have the keys at some positions of a run no longer; these are no rows that are purged."""
        if len(positions):
            self.mark({n: positions}, DEAD, np.ones(len(positions), np.bool_))
            self.purged = 0

    def _tidy(self) -> None:
        """Let go of runs without keys, rewrite those that are half dead, and merge those of one size."""
        for n, segment in list(self._segments.items()):
            if 2 * segment.live <= segment.rows.height:
                del self._segments[n]
                self._put_segment(segment.kept())
        while alike := self._of_a_size():
            self._put_segment(merged([self._segments.pop(n).kept() for n in alike]))

    def _of_a_size(self) -> list[int]:
        """Runs that are to be merged: two that are small or dense, or as many as make the next size."""
        for shape in self.shapes():
            segments = self._of(shape)
            sizes, largest = {n: segment.live for n, segment in segments.items()}, limits().largest
            if self._dense(shape, segments):
                alike = none_far_larger(sizes)
                if len(alike) > 1 and sum(sizes[n] for n in alike) <= largest:
                    return alike
            least, most, many = 0, FEW, 2
            while most < largest:
                alike = [n for n, live in sizes.items() if live <= most]
                if sum(sizes[n] > least for n in alike) >= many and sum(sizes[n] for n in alike) <= largest:
                    return alike
                least, most, many = most, most * FAN, FAN
        return []

    def _dense(self, shape: RunShape, segments: Mapping[int, Segment]) -> bool:
        """Whether keys are so near to each other that they may soon be neighbours."""
        if shape.others or shape.line is None:
            return False
        lows, highs = zip(*((ends(s.rows[:1])[0][0], ends(s.rows[-1:])[1][0]) for s in segments.values()), strict=True)
        return int(max(highs)) - int(min(lows)) <= NEAR * sum(segment.live for segment in segments.values())

    def _single(self, run: pl.DataFrame, shape: RunShape, at: Positions | Numbers) -> Mask:
        """Which rows of a run, of those at some positions, are one key, with the numbers behind it that never come."""
        if shape.line is None:
            return np.ones(len(at), np.bool_)
        follow = run[MORE].to_numpy()[at]
        single: Mask = follow == 0
        reach = self._reach(shape)
        more = np.flatnonzero(~single) if reach is not None else ()
        if reach is not None and len(more):
            first = run[shape.first].to_numpy()[at[more]]
            single[more] = follow[more] == reached(first, first, reach)
        return single

    def _reach(self, shape: RunShape) -> Callable[[int], int] | None:
        """How far numbers go that never come, for keys of one attribute."""
        return None if shape.line is None or shape.others else self.schema.attributes[shape.line].reach

    def _others(self, run: pl.DataFrame, shape: RunShape) -> pl.DataFrame:
        return run.select(pl.col(str(at)).alias(self.schema.names[at]) for at in shape.others)

    def _keys(self, run: pl.DataFrame, shape: RunShape) -> pl.DataFrame:
        """The keys of a run whose rows are one key each."""
        if shape.line is None:
            return self._others(run, shape)
        first = values(run[shape.first], dtype(self.schema.attributes[shape.line]))
        columns = [run[str(at)] if at != shape.line else first for at in shape.positions]
        return pl.DataFrame([c.alias(self.schema.names[at]) for c, at in zip(columns, shape.positions, strict=True)])
