"""Closed keys: which constants, or combinations of constants, have been closed, exactly and however many there are.

Each segment of the table is a run (``runs.py``) of keys with values for the same attributes. Runs of about one size are
merged, so that n keys lie in O(log n) runs, a binary search in each. A key that is open again is marked as dead, and a
run is rewritten when half of it is. So a batch costs, and writes, what it closes and opens; what is kept costs memory.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from math import prod
from typing import cast

import numpy as np
import polars as pl

from punctum.algebra.boxes import Box
from punctum.algebra.finite import finite
from punctum.algebra.pattern import NULL, Constant, Pattern, between
from punctum.algebra.punctuation import Punctuation, Side, end_of_stream
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.operators.batch import PunctuationBatch
from punctum.operators.columns import dtype, to_rows, uniform
from punctum.operators.index import Positions
from punctum.operators.keys import fits, key_punctuations, keys_of, on_exactly
from punctum.operators.limits import limits
from punctum.operators.matching import matches
from punctum.operators.places import bounds, places, values
from punctum.operators.run_table import RunTable
from punctum.operators.runs import (
    MORE,
    Mask,
    Numbers,
    RunShape,
    Wanted,
    coalesced,
    cut,
    ends,
    hashed,
    holes,
    inclusive,
    overlap,
    reached,
    shape_of,
)
from punctum.operators.segment import DEAD, Segment

SPELLED = 1_000
"""So many neighbours are looked at one by one."""
WIDEST = 10_000
"""A box of several ranges is not written as more keys than this."""

Found = list[tuple[int, Positions]]
"""The numbers of runs, and where in them some keys are."""


class Closed(RunTable):
    """Keys that are closed.

    >>> session = Schema.of(id="STRING", hour="BIGINT")
    >>> closed = Closed(session)
    >>> closed.close(pl.DataFrame({"id": ["a", "b"]}))
    >>> closed.close(pl.DataFrame({"id": ["c", "c", "c"], "hour": [1, 2, 3]}))
    >>> len(closed)
    3
    >>> closed.contains(pl.DataFrame({"id": ["a", "c", "c"], "hour": [7, 3, 4]})).to_list()
    [True, True, False]
    >>> closed.drop(pl.DataFrame({"id": ["a"]}))
    >>> closed.contains(pl.DataFrame({"id": ["a", "b"]})).to_list()
    [False, True]
    """

    def __init__(self, schema: Schema, line: int | None = None) -> None:
        super().__init__(schema)
        self.line = line
        """The attribute whose neighbours are one row, where keys have a value of it."""

    def restored(self, chunks: Mapping[int, pl.DataFrame]) -> "Closed":
        """The keys that an engine has stored."""
        table = Closed(self.schema, self.line)
        table._restore(chunks, self._segments)
        return table

    def runs(self, shape: RunShape) -> list[pl.DataFrame]:
        """All runs of a shape."""
        return [segment.kept() for segment in self._of(shape).values()]

    def close(self, keys: pl.DataFrame) -> None:
        """Close keys: a frame of the attributes that they have values for."""
        shape = self._shape(sorted(map(self.schema.index, keys.columns)))
        if shape.line is not None and keys[self.schema.names[shape.line]].null_count():  # NULL has no place
            null = pl.col(self.schema.names[shape.line]).is_null()
            self._close(RunShape(shape.positions, None), keys.filter(null))
            keys = keys.filter(~null)
        self._close(shape, keys)

    def close_boxes(self, boxes: Iterable[Box]) -> list[Box]:
        """Close all keys of boxes; given are those boxes that are too wide to be written as keys."""
        by_shape: dict[RunShape, list[dict[int, Pattern]]] = {}
        left: list[Box] = []
        for box in boxes:
            parts = [(part, self._shape_of(part)) for part in self._value_by_value(box)]
            if any(shape is None for _, shape in parts):
                left.append(box)
                continue
            for part, shape in parts:
                if shape is not None and all(fits(self.schema.attributes[at], side) for at, side in part):
                    by_shape.setdefault(shape, []).append(dict(part))
        for shape, members in by_shape.items():
            self._close_boxes(shape, members)
        return left

    def contains(self, df: pl.DataFrame) -> pl.Series:
        """Whether each row has the values of a key; keys on attributes that are no columns of it do not count."""
        mask = np.zeros(df.height, np.bool_)
        for shape in self.shapes() if df.height else ():
            if all(self.schema.names[at] in df.columns for at in shape.positions):
                mask |= self.has(df, shape)
        return pl.Series(mask)

    def has(self, df: pl.DataFrame, shape: RunShape) -> Mask:
        """Whether each row has the values of a key of one shape; of many rows, whether each of their values is one."""
        name = self.schema.names[shape.positions[0]]
        if len(shape.positions) > 1 or df.height <= limits().whole or (values := df[name].unique()).len() == df.height:
            return self._has(df, shape)
        closed = self._has(values.to_frame(), shape)
        if closed.all() or not closed.any():
            return np.full(df.height, closed.all())
        return df[name].is_in(values.filter(pl.Series(closed)).implode(), nulls_equal=True).to_numpy()

    def _has(self, df: pl.DataFrame, shape: RunShape) -> Mask:
        mask, wanted = np.zeros(df.height, np.bool_), Wanted(df, self.schema, shape)
        for segment in self._of(shape).values():
            rows, at = wanted.find(segment.rows)
            mask[rows[_live(segment, at)]] = True
        return mask

    def drop(self, keys: pl.DataFrame) -> None:
        """Open keys again that are closed one by one, and not with their neighbours."""
        positions = tuple(sorted(map(self.schema.index, keys.columns)))
        opened: Found = []
        for shape in self.shapes():
            if shape.positions == positions:
                wanted = Wanted(keys, self.schema, shape)
                for n, segment in self._of(shape).items():
                    at = np.unique(wanted.find(segment.rows)[1])
                    at = at[_live(segment, at)]
                    opened.append((n, at[self._single(segment.rows, shape, at)].astype(np.uint32)))
        self.open(opened)

    def where(self, condition: Callable[[pl.DataFrame], pl.Series]) -> Found:
        """Where those keys are that meet a condition on a frame of them; of neighbours, where all of them do."""
        meeting: Found = []
        for n, segment in self._segments.items():
            shape, at = shape_of(segment.rows), segment.positions()
            single = self._single(segment.rows, shape, at)
            met = single.copy()
            met[single] = condition(self._keys(segment.rows[at[single]], shape)).to_numpy() if single.any() else False
            if not single.all():
                met[~single] = self._all_meet(segment.rows[at[~single]], shape, condition)
            meeting.append((n, at[met]))
        return meeting

    def _all_meet(self, run: pl.DataFrame, shape: RunShape, condition: Callable[[pl.DataFrame], pl.Series]) -> Mask:
        """Which rows of neighbours have keys that all meet a condition; of very many that is not known."""
        met = np.zeros(run.height, np.bool_)
        if shape.others:
            met |= condition(self._others(run, shape)).to_numpy()
        follow = run[MORE].cast(pl.UInt64).to_numpy()
        few = np.flatnonzero(~met & (follow < SPELLED))
        if len(few):
            many = follow[few].astype(np.int64) + 1
            starts = np.cumsum(many) - many
            place = run[shape.first].to_numpy()[few].repeat(many) + np.arange(int(many.sum())) - starts.repeat(many)
            keys = self._keys(run[few.repeat(many)].with_columns(pl.Series(shape.first, place)), shape)
            met[few] = np.logical_and.reduceat(condition(keys).to_numpy(), starts)
        return met

    def open(self, places: Found) -> None:
        """Open keys again."""
        for n, at in places:
            self._kill(n, at)
        self._tidy()

    def forget(self, expired: PunctuationBatch) -> None:
        """Open again what punctuations on the same attributes speak of."""
        for n, segment in list(self._segments.items()):
            shape = shape_of(segment.rows)
            if len(over := on_exactly(expired, shape.positions)):
                self._forget(n, segment, shape, over)
        self._tidy()

    def clear(self) -> None:
        """Open all again."""
        self._segments, self._logs, self._frame = {}, {}, None

    def overlapping(self, shape: RunShape, puncts: list[Punctuation]) -> PunctuationBatch:
        """The closed keys of a shape of which some punctuations may speak."""
        closed = PunctuationBatch(self.schema)
        for segment in self._of(shape).values():
            run = segment.kept()
            run = run.filter(self._near(run, shape, puncts)) if run.height else run
            single = self._single(run, shape, np.arange(run.height))
            closed += key_punctuations(self.schema, self._keys(run.filter(single), shape))
            closed.others += self._spans(run.filter(~single), shape)
        return closed

    def _near(self, run: pl.DataFrame, shape: RunShape, puncts: list[Punctuation]) -> pl.Series:
        """Which rows of a run one of some punctuations may speak of, by each attribute that all of them speak of."""
        near = uniform(True, run.height)
        sides = [dict(p.sides) for p in puncts]
        for at in shape.positions:
            if all(at in patterns for patterns in sides):
                name = self.schema.names[at]
                on = [Punctuation.of(self.schema, {name: patterns[at]}) for patterns in sides]
                if at != shape.line:
                    near &= matches(run.select(pl.col(str(at)).alias(name)), on)
                elif not any(patterns[at].null for patterns in sides):
                    spans = [span for patterns in sides for span in patterns[at].spans]
                    near &= pl.Series(overlap(run, *inclusive(bounds(spans, self.schema.attributes[at]))))
        return near

    def _spans(self, run: pl.DataFrame, shape: RunShape) -> list[Punctuation]:
        """The punctuations that rows of several neighbouring places are."""
        if shape.line is None or not run.height:
            return []
        kind = dtype(self.schema.attributes[shape.line])
        first, last = (to_rows(values(pl.Series(end), kind).to_frame()) for end in ends(run))
        others = (
            key_punctuations(self.schema, self._others(run, shape))
            if shape.others
            else [end_of_stream(self.schema)] * run.height
        )
        sides = zip(others, first, last, strict=True)
        return [p.replacing({shape.line: between(low, high)}) for p, (low,), (high,) in sides]

    def _value_by_value(self, box: Box) -> list[Box]:
        """A box, or, where it has several ranges, one for each combination of values of all of them but the last."""
        ranges = [at for at, side in box if not isinstance(side, Constant)][:-1]
        ways: list[list[Side]] = []
        for at, side in box:
            spelled = finite(side, self.schema.attributes[at].type) if at in ranges else None
            ways.append([(at, side)] if spelled is None else [(at, Constant(value)) for value in spelled])
        return [box] if prod(map(len, ways)) > WIDEST else list(product(*ways))

    def _shape(self, positions: list[int]) -> RunShape:
        """The last attribute with 64-bit places is the line: of a sensor and an hour, hours are neighbours."""
        placed = [at for at in positions if _placed(self.schema.attributes[at])]
        line = self.line if self.line in placed else next(reversed(placed), None)
        return RunShape(tuple(at for at in positions if at != line), line)

    def _shape_of(self, box: Box) -> RunShape | None:
        """The shape in which a box can be written: at most one of its patterns is no constant, and is on the line."""
        loose = [at for at, side in box if not isinstance(side, Constant)]
        positions = [at for at, _ in box]
        if not loose:
            shape = self._shape(positions)
            null = shape.line is not None and dict(box)[shape.line] == NULL
            return RunShape(shape.positions, None) if null else shape
        if len(loose) > 1 or not _placed(self.schema.attributes[loose[0]]):
            return None
        return RunShape(tuple(at for at in positions if at not in loose), loose[0])

    def _close(self, shape: RunShape, keys: pl.DataFrame) -> None:
        columns = hashed([keys[self.schema.names[at]].alias(str(at)) for at in shape.others])
        if shape.line is not None:
            first = places(keys[self.schema.names[shape.line]]).cast(pl.Int64)
            columns += [first.alias(shape.first), uniform(0, keys.height, pl.UInt64).alias(MORE)]
        self._put_run(shape, pl.DataFrame(columns))

    def _close_boxes(self, shape: RunShape, boxes: list[dict[int, Pattern]]) -> None:
        many = np.ones(len(boxes), np.int64)
        line: list[pl.Series] = []
        if shape.line is not None:
            spans = [box[shape.line].spans for box in boxes]
            many = np.array(list(map(len, spans)))
            first, last = inclusive(
                bounds((span for of_box in spans for span in of_box), self.schema.attributes[shape.line])
            )
            line = [pl.Series(shape.first, first), pl.Series(MORE, (last - first).view(np.uint64))]
        others = []
        for at in shape.others:
            constants = [cast(Constant, box[at]).value for box in boxes]
            column = pl.Series(str(at), constants, dtype=dtype(self.schema.attributes[at]))
            others.append(column.gather(np.repeat(np.arange(len(boxes)), many)))
        self._put_run(shape, pl.DataFrame([*hashed(others), *line]))

    def _put_run(self, shape: RunShape, keys: pl.DataFrame) -> None:
        """Add a run of keys in any order."""
        if keys.height:
            run = coalesced(keys)
            reach = self._reach(shape)
            if reach is not None:
                run = coalesced(run.with_columns(pl.Series(MORE, reached(*ends(run), reach))))
            self._put_segment(run)
            self._tidy()

    def _forget(self, n: int, segment: Segment, shape: RunShape, over: PunctuationBatch) -> None:
        """Mark what punctuations on its attributes speak of in a run; what is left of neighbours is a new one."""
        run, (keys, loose) = segment.rows, keys_of(over, shape.positions)
        rows, at = Wanted(keys, self.schema, shape).find(run)
        if shape.line is None:
            gone = matches(self._others(run, shape), loose).to_numpy().copy()
            gone[at] = True
        else:
            low = places(keys[self.schema.names[shape.line]]).cast(pl.Int64).gather(rows).to_numpy()
            cuts = pl.concat([holes(at, low, low), *(self._overlaps(run, shape, p) for p in loose)])
            gone = np.zeros(run.height, np.bool_)
            gone[cuts["row"].to_numpy()] = True
        dead = np.flatnonzero(gone)
        dead = dead[_live(segment, dead)]
        if not len(dead):
            return
        self._kill(n, dead.astype(np.uint32))
        if shape.line is not None:
            there = cuts.filter(pl.col("row").is_in(dead))
            self._put_segment(cut(run[dead], there.with_columns(row=np.searchsorted(dead, there["row"].to_numpy()))))

    def _overlaps(self, run: pl.DataFrame, shape: RunShape, p: Punctuation) -> pl.DataFrame:
        """Which places of which rows a punctuation speaks of."""
        sides = dict(p.sides)
        assert shape.line is not None
        first, last = ends(run)
        others = Punctuation.of(self.schema, {self.schema.names[at]: sides[at] for at in shape.others})
        spoken = matches(self._others(run, shape), [others]).to_numpy() if shape.others else None
        parts = [holes(*(np.zeros(0, np.int64),) * 3)]
        spans = inclusive(bounds(sides[shape.line].spans, self.schema.attributes[shape.line]))
        for low, high in zip(*spans, strict=True):
            if spoken is None:  # the run is in the order of its places
                rows = np.arange(np.searchsorted(last, low), np.searchsorted(first, high, side="right"))
            else:
                rows = np.flatnonzero(spoken & (first <= high) & (last >= low))
            parts.append(holes(rows, np.full(len(rows), low), np.full(len(rows), high)))
        return pl.concat(parts)


def _live(segment: Segment, at: Numbers) -> Mask:
    """Which of the keys of a run have not been opened again."""
    return ~segment.marked(DEAD, at.astype(np.uint32))


def _placed(attribute: Attribute) -> bool:
    """Whether the values of an attribute have 64-bit places."""
    return attribute.type not in (Type.STRING, Type.DECIMAL)
