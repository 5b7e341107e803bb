"""Joins of two sides within bands of whole numbers that are closed one by one.

Each side's punctuations are kept as they came (``cover.py``), for they close rows of the other side together: a row
goes when no value in its bands is left. New punctuations can concern the rows alone around which a band has one of
their values. What has been said of a key is forgotten when the other side keeps no row that asks for it and has said
that none comes.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import polars as pl

from punctum.algebra.bands import Band, touched
from punctum.algebra.pattern import EMPTY, Pattern, between
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch, runs_of
from punctum.operators.columns import to_rows
from punctum.operators.cover import PunctuationCover
from punctum.operators.limits import limits
from punctum.operators.matching import matches
from punctum.operators.near import near
from punctum.operators.partners import PartnerAxis, around
from punctum.operators.places import places, values
from punctum.operators.runs import MORE, Mask, RunShape, Wanted, coalesced, hashed
from punctum.operators.store import Store
from punctum.operators.table import Table, View


class Counted:
    """What both sides of a join have said, each in a store, and which rows of the other that closes."""

    def __init__(
        self, inputs: Sequence[Schema], on: Sequence[tuple[int, int]], bands: Sequence[Band], stores: Sequence[Store]
    ) -> None:
        self._inputs, self._received = tuple(inputs), [PunctuationCover(store) for store in stores]
        self._axes = [list(_axes(inputs, on, bands, side)) for side in (0, 1)]
        back = [turned(band) for band in bands if band.by is not None]
        self._asking = [list(_axes(inputs, on, back, side)) for side in (0, 1)]
        self._bound = limits().spelled

    def changed(self) -> None:
        """The stores are not what they were."""
        for received in self._received:
            received.changed()

    def closed(self, side: int, df: pl.DataFrame) -> pl.Series:
        """Which rows of a side have no later partner."""
        return self._received[1 - side].cover(df, self._axes[1 - side])

    def add(self, side: int, ps: PunctuationBatch, kept: Table) -> View:
        """Take what a side says, and give those kept rows of the other side that it may close."""
        mine = ps.on(axis.at for axis in self._axes[side])
        if not len(mine):
            return kept.none()
        self._received[side].add(mine)
        concerned = self._concerned(side, mine)
        view = near(kept, concerned)
        return view.where(matches(view.rows, concerned))

    def forget(self, side: int, expired: PunctuationBatch) -> None:
        """What a side has said holds no longer."""
        self._received[side].store.forget(expired.on(axis.at for axis in self._axes[side]))
        self.changed()

    def tidy(self, kept: Sequence[Table]) -> None:
        """Forget keys that nobody will ask for, when there are twice as many as were left the last time."""
        if sum(len(received.store.keys) for received in self._received) > self._bound:
            unasked = [
                received.store.keys.where(_Unasked(self, side, kept[1 - side]))
                for side, received in enumerate(self._received)
            ]
            for received, keys in zip(self._received, unasked, strict=True):
                received.store.keys.open(keys)
            self.changed()
            self._bound = 2 * sum(len(received.store.keys) for received in self._received) + limits().spelled

    def _concerned(self, side: int, mine: PunctuationBatch) -> PunctuationBatch:
        """Punctuations over the other side that all rows match which new ones of a side may close."""
        over, axes = PunctuationBatch(self._inputs[1 - side]), {axis.at: axis for axis in self._axes[side]}
        for at, column in mine.constants.items():
            if axes[at].equal:
                over += PunctuationBatch(over.schema, {over.schema.index(axes[at].equal[0]): column})
            else:
                spans = _spans(column)
                over.others += [q for span in spans for q in self._ways(side, [(axes[at], span)])]
                over.others += [] if spans else [end_of_stream(over.schema)]
        for p in mine.others:
            over.others += self._ways(side, [(axes[at], pattern) for at, pattern in p.sides])
        return over

    def _ways(self, side: int, sides: list[tuple[PartnerAxis, Pattern]]) -> Iterator[Punctuation]:
        schema = self._inputs[1 - side]
        for way in product(*(list(_touched(axis, pattern, self._inputs[side])) for axis, pattern in sides)):
            patterns = list(end_of_stream(schema).patterns)
            for name, pattern in (known for known in way if known is not None):
                patterns[schema.index(name)] = patterns[schema.index(name)].meet(pattern)
            if EMPTY not in patterns:
                yield Punctuation(schema, tuple(patterns))


class _Unasked:
    """Whether keys of a side are of no use: the other side keeps no row that asks for them, and none comes."""

    def __init__(self, join: Counted, side: int, kept: Table) -> None:
        self._other, self._asking = join._received[1 - side], join._asking[1 - side]
        self._schema = join._inputs[side]
        self._kept = around(kept.frame(), join._axes[side], self._schema)

    def __call__(self, keys: pl.DataFrame) -> pl.Series:
        """Which of some keys."""
        asking = [narrowed for axis in self._asking if (narrowed := _narrowed(axis, keys.columns)) is not None]
        there = keys.with_row_index("\0row").drop_nulls()
        over = self._other.cover(there, asking).to_numpy() & ~self._touches(there.select(keys.columns))
        unasked = np.ones(keys.height, np.bool_)  # NULLs are never asked for
        unasked[there["\0row"].to_numpy()] = over
        return pl.Series(unasked)

    def _touches(self, keys: pl.DataFrame) -> Mask:
        """Which keys lie in the box of a kept row, as far as values and one axis tell."""
        boxes, positions = self._kept, [self._schema.index(name) for name in keys.columns]
        line = next((at for at in positions if at in boxes.low), None)
        shape = RunShape(tuple(at for at in positions if at in boxes.points), line)
        touches = np.full(keys.height, len(boxes) > 0)
        if len(boxes) and shape.positions:
            columns = hashed([boxes.points[at].alias(str(at)) for at in shape.others])
            if line is not None:
                more = (boxes.last[line] - boxes.low[line]).view(np.uint64)
                columns += [pl.Series(shape.first, boxes.low[line]), pl.Series(MORE, more)]
            touches[:] = False
            touches[Wanted(keys, self._schema, shape).find(coalesced(pl.DataFrame(columns)))[0]] = True
        return touches


def turned(band: Band) -> Band:
    """The same band, of the other column.

    >>> from punctum.algebra.bands import Limit
    >>> turned(Band((1, 0), (0, 0), Limit(0), Limit(3)))
    Band(of=(0, 0), by=(1, 0), low=Limit(offset=-3, strict=False), high=Limit(offset=0, strict=False), counted=False)
    """
    assert band.by is not None
    low, high = (None if end is None else end._replace(offset=-end.offset) for end in (band.high, band.low))
    return Band(band.by, band.of, low, high)


def _axes(
    inputs: Sequence[Schema], on: Sequence[tuple[int, int]], bands: Sequence[Band], side: int
) -> Iterator[PartnerAxis]:
    """What rows of the other side say of their partners on a side."""
    names = inputs[1 - side].names
    for at in range(len(inputs[side])):
        equal = tuple(names[pair[1 - side]] for pair in on if pair[side] == at)
        within = tuple((b, None if b.by is None else names[b.by[1]]) for b in bands if b.of == (side, at))
        if equal or within:
            yield PartnerAxis(at, equal, None, within)


def _narrowed(axis: PartnerAxis, names: Sequence[str]) -> PartnerAxis | None:
    """What is left of an axis when some columns alone are known."""
    equal = tuple(name for name in axis.equal if name in names)
    bands = tuple((band, by) for band, by in axis.bands if by in names)
    return PartnerAxis(axis.at, equal, None, bands) if equal or bands else None


def _touched(axis: PartnerAxis, pattern: Pattern, schema: Schema) -> Iterator[tuple[str, Pattern] | None]:
    """Which values rows have, in some column, that say that a partner may have a value of a pattern."""
    kind, near_by = schema.attributes[axis.at].type, next(((b, by) for b, by in axis.bands if by is not None), None)
    if axis.equal:
        yield axis.equal[0], pattern
    elif near_by is None or near_by[1] is None or not kind.discrete:
        yield None
    else:
        yield from ((near_by[1], q) for q in touched(pattern, near_by[0], kind))


def _spans(column: pl.Series) -> list[Pattern]:
    """Constants as ranges of neighbours; none where these are very many."""
    runs = runs_of(places(column).cast(pl.Int64))
    if len(runs) > limits().apart:
        return []
    firsts, lasts = (to_rows(values(pl.Series(ends), column.dtype).to_frame()) for ends in (runs[:, 0], runs[:, 1]))
    return [between(first, last) for (first,), (last,) in zip(firsts, lasts, strict=True)]
