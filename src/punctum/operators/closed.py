"""Closed keys: which constants, or combinations of constants, have been closed, exactly and however many there are.

Each chunk of the table is a run (``runs.py``) of keys with values for the same attributes. Runs of about one size are
merged, so that n keys lie in O(log n) runs, a binary search in each; but a run of more than ``LARGEST`` rows is not
rewritten, so that what a batch writes does not grow with what is kept.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from itertools import product
from math import prod
from typing import cast

import numpy as np
import polars as pl

from punctum.algebra.boxes import Box
from punctum.algebra.finite import finite
from punctum.algebra.pattern import NULL, Constant, Pattern
from punctum.algebra.punctuation import Punctuation, Side
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.operators.batch import PunctuationBatch
from punctum.operators.columns import dtype
from punctum.operators.matching import matches
from punctum.operators.places import Bounds, bounds, places
from punctum.operators.runs import MORE, Mask, Numbers, RunShape, Wanted, coalesced, cut, ends, hashed, merged, shape_of
from punctum.operators.table import Table

LARGEST = 1 << 20
"""A run with more rows is not merged any more."""
WIDEST = 10_000
"""A box of several ranges is not written as more keys than this."""


class Closed(Table):
    """Keys that are closed.

    >>> session = Schema.of(id="STRING", hour="BIGINT")
    >>> closed = Closed(session)
    >>> closed.close(pl.DataFrame({"id": ["a", "b"]}))
    >>> closed.close(pl.DataFrame({"id": ["c", "c", "c"], "hour": [1, 2, 3]}))
    >>> len(closed)
    3
    >>> closed.contains(pl.DataFrame({"id": ["a", "c", "c"], "hour": [7, 3, 4]})).to_list()
    [True, True, False]
    """

    def __init__(self, schema: Schema, chunks: Mapping[int, pl.DataFrame] | None = None) -> None:
        super().__init__(pl.DataFrame(), chunks)
        self.schema = schema

    def restored(self, chunks: Mapping[int, pl.DataFrame]) -> "Closed":
        """The keys that an engine has stored."""
        return Closed(self.schema, chunks)

    def frame(self) -> pl.DataFrame:
        """All runs, one behind the other."""
        return pl.concat([self._empty, *self._chunks.values()], how="diagonal_relaxed")

    def shapes(self) -> list[RunShape]:
        """Which attributes there are keys on."""
        return list(dict.fromkeys(map(shape_of, self._chunks.values())))

    def close(self, keys: pl.DataFrame) -> None:
        """Close keys: a frame of the attributes that they have values for."""
        shape = self._shape(sorted(map(self.schema.index, keys.columns)))
        if shape.line is not None and keys[self.schema.names[shape.line]].null_count():  # NULL has no place
            null = pl.col(self.schema.names[shape.line]).is_null()
            self._add(RunShape(shape.positions, None), keys.filter(null))
            keys = keys.filter(~null)
        self._add(shape, keys)

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
                if shape is not None and all(_fits(self.schema.attributes[at], side) for at, side in part):
                    by_shape.setdefault(shape, []).append(dict(part))
        for shape, members in by_shape.items():
            self._add_boxes(shape, members)
        return left

    def _value_by_value(self, box: Box) -> list[Box]:
        """A box, or, where it has several ranges, one for each combination of values of all of them but the last."""
        ranges = [at for at, side in box if not isinstance(side, Constant)][:-1]
        ways: list[list[Side]] = []
        for at, side in box:
            values = finite(side, self.schema.attributes[at].type) if at in ranges else None
            ways.append([(at, side)] if values is None else [(at, Constant(value)) for value in values])
        return [box] if prod(map(len, ways)) > WIDEST else list(product(*ways))

    def contains(self, df: pl.DataFrame) -> pl.Series:
        """Whether each row has the values of a key; keys on attributes that are no columns of it do not count."""
        mask = np.zeros(df.height, np.bool_)
        for shape in self.shapes():
            if all(self.schema.names[at] in df.columns for at in shape.positions):
                mask |= self.has(df, shape)
        return pl.Series(mask)

    def has(self, df: pl.DataFrame, shape: RunShape) -> Mask:
        """Whether each row has the values of a key of one shape."""
        mask, wanted = np.zeros(df.height, np.bool_), Wanted(df, self.schema, shape)
        for run in self._runs(shape).values():
            mask[wanted.find(run)[0]] = True
        return mask

    def forget(self, expired: PunctuationBatch) -> None:
        """Open again what punctuations on the same attributes speak of."""
        for n, run in list(self._chunks.items()):
            shape = shape_of(run)
            if len(over := on_exactly(expired, shape.positions)):
                rest = self._without(run, shape, over)
                if rest is not run:
                    self._write(n, rest)

    def clear(self) -> None:
        """Open all again."""
        self._chunks = {}

    def _shape(self, positions: list[int]) -> RunShape:
        """The last attribute with 64-bit places is the line: of a sensor and an hour, hours are neighbours."""
        line = next((at for at in reversed(positions) if _placed(self.schema.attributes[at])), None)
        return RunShape(tuple(at for at in positions if at != line), line)

    def _shape_of(self, box: Box) -> RunShape | None:
        """The shape in which a box can be written: at most one of its patterns is no constant, and is on the line."""
        loose = [at for at, side in box if not isinstance(side, Constant)]
        positions = [at for at, _ in box]
        if not loose:
            shape = self._shape(positions)
            return (
                RunShape(shape.positions, None) if shape.line is not None and dict(box)[shape.line] == NULL else shape
            )
        if len(loose) > 1 or not _placed(self.schema.attributes[loose[0]]):
            return None
        return RunShape(tuple(at for at in positions if at not in loose), loose[0])

    def _add(self, shape: RunShape, keys: pl.DataFrame) -> None:
        columns = hashed([keys[self.schema.names[at]].alias(str(at)) for at in shape.others])
        if shape.line is not None:
            first = places(keys[self.schema.names[shape.line]]).cast(pl.Int64)
            columns += [first.alias(shape.first), pl.repeat(0, keys.height, dtype=pl.UInt64, eager=True).alias(MORE)]
        self._append(shape, pl.DataFrame(columns))

    def _add_boxes(self, shape: RunShape, boxes: list[dict[int, Pattern]]) -> None:
        many = np.ones(len(boxes), np.int64)
        line: list[pl.Series] = []
        if shape.line is not None:
            spans = [box[shape.line].spans for box in boxes]
            many = np.array(list(map(len, spans)))
            first, last = _inclusive(
                bounds((span for of_box in spans for span in of_box), self.schema.attributes[shape.line])
            )
            line = [pl.Series(shape.first, first), pl.Series(MORE, (last - first).view(np.uint64))]
        others = []
        for at in shape.others:
            values = [cast(Constant, box[at]).value for box in boxes]
            column = pl.Series(str(at), values, dtype=dtype(self.schema.attributes[at]))
            others.append(column.gather(np.repeat(np.arange(len(boxes)), many)))
        self._append(shape, pl.DataFrame([*hashed(others), *line]))

    def _append(self, shape: RunShape, run: pl.DataFrame) -> None:
        if run.height:
            self._write(self._next, coalesced(run))
            self._next += 1
            self._merge(shape)

    def _runs(self, shape: RunShape) -> dict[int, pl.DataFrame]:
        return {n: run for n, run in self._chunks.items() if shape_of(run) == shape}

    def _merge(self, shape: RunShape) -> None:
        """Merge runs from behind: each is left more than twice as large as all that follow it together."""
        behind: list[int] = []
        height = 0
        for n, run in reversed(self._runs(shape).items()):
            if run.height > LARGEST or (behind and run.height > 2 * height):
                break
            behind.append(n)
            height += run.height
        if len(behind) > 1:
            first, *rest = reversed(behind)
            self._write(first, merged([self._chunks[n] for n in (first, *rest)]))
            for n in rest:
                del self._chunks[n]

    def _without(self, run: pl.DataFrame, shape: RunShape, over: PunctuationBatch) -> pl.DataFrame:
        """A run without what punctuations on its attributes speak of."""
        keys, loose = keys_of(over, shape.positions)
        rows, at = Wanted(keys, self.schema, shape).find(run)
        if shape.line is None:
            gone = matches(self._named(run, shape), loose).to_numpy().copy()
            gone[at] = True
            return run.filter(~gone) if gone.any() else run
        low = places(keys[self.schema.names[shape.line]]).cast(pl.Int64).gather(rows)
        holes = [_holes(at, low.to_numpy(), low.to_numpy()), *(self._overlaps(run, shape, p) for p in loose)]
        return cut(run, pl.concat(holes)) if any(part.height for part in holes) else run

    def _overlaps(self, run: pl.DataFrame, shape: RunShape, p: Punctuation) -> pl.DataFrame:
        """Which places of which rows a punctuation speaks of."""
        sides = dict(p.sides)
        assert shape.line is not None
        first, last = ends(run)
        others = Punctuation.of(self.schema, {self.schema.names[at]: sides[at] for at in shape.others})
        spoken = matches(self._named(run, shape), [others]).to_numpy() if shape.others else None
        holes = [_holes(*(np.zeros(0, np.int64),) * 3)]
        spans = _inclusive(bounds(sides[shape.line].spans, self.schema.attributes[shape.line]))
        for low, high in zip(*spans, strict=True):
            if spoken is None:  # the run is in the order of its places
                rows = np.arange(np.searchsorted(last, low), np.searchsorted(first, high, side="right"))
            else:
                rows = np.flatnonzero(spoken & (first <= high) & (last >= low))
            holes.append(_holes(rows, np.full(len(rows), low), np.full(len(rows), high)))
        return pl.concat(holes)

    def _named(self, run: pl.DataFrame, shape: RunShape) -> pl.DataFrame:
        return run.select(pl.col(str(at)).alias(self.schema.names[at]) for at in shape.others)


def on_exactly(puncts: PunctuationBatch, positions: tuple[int, ...]) -> PunctuationBatch:
    """Those punctuations that speak of some attributes, of all of them and of no other."""
    constants = {at: values for at, values in puncts.constants.items() if (at,) == positions}
    return PunctuationBatch(
        puncts.schema, constants, [p for p in puncts.others if tuple(at for at, _ in p.sides) == positions]
    )


def keys_of(puncts: PunctuationBatch, positions: tuple[int, ...]) -> tuple[pl.DataFrame, list[Punctuation]]:
    """The keys that punctuations on some attributes are, and those punctuations that are not one key."""
    schema, boxes = puncts.schema, [p.sides for p in puncts.others if is_key(p)]
    columns = []
    for n, at in enumerate(positions):
        values = [cast(Constant, box[n][1]).value for box in boxes]
        columns.append(pl.Series(schema.names[at], values, dtype=dtype(schema.attributes[at])))
    frames = [pl.DataFrame(columns), *(values.to_frame(schema.names[at]) for at, values in puncts.constants.items())]
    return pl.concat(frames), [p for p in puncts.others if not is_key(p)]


def is_key(p: Punctuation) -> bool:
    """Whether a punctuation has constants alone, which rows can have."""
    attributes = p.schema.attributes
    return bool(p.sides) and all(isinstance(side, Constant) and _fits(attributes[at], side) for at, side in p.sides)


def _holes(rows: Numbers, low: Numbers, high: Numbers) -> pl.DataFrame:
    return pl.DataFrame({"row": rows, "low": low, MORE: (high - low).view(np.uint64)})


def _inclusive(spans: Bounds) -> tuple[Numbers, Numbers]:
    """The first and the last place of spans."""
    low, high = spans
    return low.to_numpy(), np.where(high.is_null(), np.int64(2**63 - 1), high.fill_null(0).to_numpy() - 1)


def _placed(attribute: Attribute) -> bool:
    """Whether the values of an attribute have 64-bit places."""
    return attribute.type not in (Type.STRING, Type.DECIMAL)


def _fits(attribute: Attribute, side: Pattern) -> bool:
    """Whether rows can have a constant: a DECIMAL may have more digits than its column."""
    if attribute.type is not Type.DECIMAL or not isinstance(side, Constant) or not isinstance(side.value, Decimal):
        return True
    precision, scale = attribute.digits
    _, digits, exponent = side.value.normalize().as_tuple()
    return isinstance(exponent, int) and -exponent <= scale and len(digits) + exponent <= precision - scale
