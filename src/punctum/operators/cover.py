"""The punctuations of an input, as they came: many punctuations that together leave no partner of a row of the others.

Rows say of their partners which box these are in (``partners.py``). It is *closed* when all punctuations that speak of
its axes alone cover it together, as ``k = 5``, ``k = 6`` and ``k = 7`` cover the whole numbers from 5 to 7. A box is
looked at from its least corner: what covers the corner is taken away, and what is left are smaller boxes, with corners
of their own. A box with a corner that nothing covers is open. Neighbouring keys are one row of a run (``runs.py``), so
that one search decides on most boxes, however wide they are.

On strings and DECIMALs each punctuation has to cover what is known by itself.
"""

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from punctum.algebra.boxes import Box
from punctum.operators.batch import PunctuationBatch
from punctum.operators.closed import Closed
from punctum.operators.partners import Boxes, PartnerAxis, around, together
from punctum.operators.runs import Mask, Numbers, RunShape, Wanted, ends, merged
from punctum.operators.store import Store

_FURTHEST = np.iinfo(np.int64).max
_Runs = tuple[dict[RunShape, pl.DataFrame], list[Box]]
"""Keys and ranges as runs, and what cannot be written so."""


class PunctuationCover:
    """The punctuations of an input, as they came, in a store.

    >>> from punctum.algebra.bands import Band, Limit
    >>> from punctum.algebra.schema import Schema
    >>> bid = Schema.of(itemid="BIGINT", k="BIGINT")
    >>> received = PunctuationCover(Store(bid))
    >>> received.add(PunctuationBatch(bid, {1: pl.Series([5, 6, 7, 9])}))
    >>> near = PartnerAxis(1, bands=((Band((1, 1), (0, 0), Limit(0), Limit(2)), "k"),))
    >>> received.cover(pl.DataFrame({"k": [4, 5, 7]}), [near]).to_list()
    [False, True, False]
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._runs: _Runs | None = None

    def add(self, received: PunctuationBatch) -> None:
        """Add more of them."""
        self.store.add(received)
        self.changed()

    def forget(self, unasked: Callable[[pl.DataFrame], pl.Series]) -> None:
        """Keys are of no use any more, as a condition on a frame of them tells."""
        keys = self.store.keys
        keys.open(keys.where(unasked))
        self.changed()

    def changed(self) -> None:
        """The store is not what it was."""
        self._runs = None

    def cover(self, df: pl.DataFrame, axes: Sequence[PartnerAxis]) -> pl.Series:
        """Whether each row has no partner any more, by what its columns say of partners."""
        boxes, open_ = around(df, axes, self.store.schema), np.zeros(df.height, np.bool_)
        while len(boxes):
            covered, until = self._until(boxes)
            open_[boxes.rows[~covered]] = True
            going_on = ~open_[boxes.rows]
            parts = boxes.at(going_on).without({at: reached[going_on] for at, reached in until.items()})
            boxes = together(parts) if parts else boxes.at(np.zeros(len(boxes), np.bool_))
        return pl.Series(~open_)

    def _until(self, boxes: Boxes) -> tuple[Mask, dict[int, Numbers]]:
        """Which corners of boxes are covered, and how far what covers them goes."""
        runs, others = self._all_runs()
        covered = np.full(len(boxes), self.store.ended)
        until = {at: np.full(len(boxes), _FURTHEST) for at in boxes.low}
        for shape, run in runs.items():
            if not covered.all() and all(at in boxes.points or at in boxes.low for at in shape.positions):
                left = np.flatnonzero(~covered)
                rows, keys = Wanted(boxes.at(~covered).corners(shape.positions), self.store.schema, shape).find(run)
                covered[left[rows]] = True
                for at in boxes.low.keys() & shape.positions:
                    until[at][left[rows]] = ends(run)[1][keys] if at == shape.line else boxes.low[at][left[rows]]
        for box in others:
            if not covered.all() and all(boxes.knows(at) for at, _ in box):
                _take(box, boxes, covered, until)
        return covered, until

    def _all_runs(self) -> _Runs:
        """All of them as runs, neighbouring keys together."""
        if self._runs is None:
            keys = self.store.keys
            ranges = Closed(keys.schema, keys.line)
            others = ranges.close_boxes(p.sides for p in self.store.known if p.sides)
            shapes = dict.fromkeys((*keys.shapes(), *ranges.shapes()))
            self._runs = {shape: merged([*keys.runs(shape), *ranges.runs(shape)]) for shape in shapes}, others
        return self._runs


def _take(box: Box, boxes: Boxes, already: Mask, until: dict[int, Numbers]) -> None:
    """Note of corners that nothing has covered yet which of them a box covers, and how far it goes."""
    sides = {at: boxes.covered(at, pattern) for at, pattern in box}
    covered = np.logical_and.reduce([~already, *(mask for mask, _ in sides.values())])
    for at, (_, reached) in sides.items():
        if reached is not None:
            until[at][covered] = reached[covered]
    already |= covered
