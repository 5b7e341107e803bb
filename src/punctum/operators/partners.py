"""What rows of a join say of their partners: attributes that equal a value, and others that lie in bands, as boxes.

An *axis* is an attribute of partners of which something is known. Of one that equals columns a box has the value; of
one in bands it has the first and the last 64-bit place. A row that says that there is no value on some axis has no
partner, and no box. Around a value so near the end of its type that an end of a band has no value, all values belong
to the box (``algebra/bands.py``). Strings and DECIMALs have no such places, and a box has the bands themselves.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from punctum.algebra.bands import Band, Limit, holds, passed
from punctum.algebra.cuts import HIGHEST, LOWEST, value_after, value_before
from punctum.algebra.pattern import Pattern
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type, Value
from punctum.operators.bands import within
from punctum.operators.columns import dtype
from punctum.operators.matching import inside
from punctum.operators.places import bounds, places, values
from punctum.operators.runs import Mask, Numbers

UNPLACED = (Type.STRING, Type.DECIMAL)
_VALUE, _CAST = "\0value", "\0cast"


@dataclass(frozen=True)
class PartnerAxis:
    """What is known of an attribute of partners: columns that equal it, or a constant, and bands by columns."""

    at: int
    equal: tuple[str, ...] = ()
    value: Value | None = None
    bands: tuple[tuple[Band, str | None], ...] = ()


@dataclass(frozen=True)
class Boxes:
    """Boxes over a schema, each of some row; what is known by the position of an attribute."""

    schema: Schema
    rows: Numbers
    points: dict[int, pl.Series]
    low: dict[int, Numbers]
    last: dict[int, Numbers]
    bands: dict[int, list[tuple[Band, pl.Series | None]]]

    def __len__(self) -> int:
        return len(self.rows)

    def knows(self, at: int) -> bool:
        """Whether something is known of an attribute."""
        return at in self.points or at in self.low or at in self.bands

    def corners(self, positions: Sequence[int]) -> pl.DataFrame:
        """The least values of boxes on some attributes."""
        attributes = self.schema.attributes
        least = {at: values(pl.Series(low), dtype(attributes[at])) for at, low in self.low.items() if at in positions}
        return pl.DataFrame([(self.points | least)[at].alias(attributes[at].name) for at in positions])

    def at(self, where: Mask) -> "Boxes":
        """Some of the boxes."""
        if where.all():
            return self
        chosen = np.flatnonzero(where)
        return Boxes(
            self.schema,
            self.rows[chosen],
            {at: column.gather(chosen) for at, column in self.points.items()},
            {at: low[chosen] for at, low in self.low.items()},
            {at: last[chosen] for at, last in self.last.items()},
            {at: [(b, c if c is None else c.gather(chosen)) for b, c in bands] for at, bands in self.bands.items()},
        )

    def without(self, until: dict[int, Numbers]) -> "list[Boxes]":
        """What is left of boxes without others that have the same corners and go so far; no part overlaps another."""
        left, inner = list[Boxes](), self
        for at, reached in until.items():
            beyond = reached < inner.last[at]
            if beyond.any():
                part = inner.at(beyond)
                left.append(replace(part, low=part.low | {at: reached[beyond] + 1}))
            inner = replace(inner, last=inner.last | {at: np.minimum(inner.last[at], reached)})
        return left

    def covered(self, at: int, pattern: Pattern) -> tuple[Mask, Numbers | None]:
        """Which boxes have an attribute's corner in a pattern, and how far that goes, where it has places."""
        spans = pattern.spans
        if at in self.points:
            return inside(
                self.points[at], bounds(spans, _of(self.schema.attributes[at], self.points[at]))
            ).to_numpy(), None
        if at in self.bands:
            return self._passed(at, pattern), None
        lows, highs = bounds(spans, self.schema.attributes[at])
        first, last = lows.to_numpy(), highs.fill_null(0).to_numpy() - 1
        last = np.where(highs.is_null().to_numpy(), np.iinfo(np.int64).max, last)
        if not len(first):
            return np.zeros(len(self), np.bool_), None
        span = np.searchsorted(first, self.low[at], "right") - 1
        return (span >= 0) & (self.low[at] <= last[np.maximum(span, 0)]), last[np.maximum(span, 0)]

    def _passed(self, at: int, pattern: Pattern) -> Mask:
        """Which boxes have a band that a pattern covers."""
        mask, kind = np.zeros(len(self), np.bool_), self.schema.attributes[at].type
        for band, by in self.bands[at]:
            if by is None:
                mask |= holds(pattern, band)
            else:
                spans = [span for part in passed(pattern, band, kind) for span in part.spans]
                mask |= inside(by, bounds(spans, _of(self.schema.attributes[at], by))).to_numpy()
        return mask


def together(parts: Sequence[Boxes]) -> Boxes:
    """Boxes of the same axes as one; there is at least one part."""
    first = parts[0]
    if len(parts) == 1:
        return first
    bands = {at: list(zip(*(part.bands[at] for part in parts), strict=True)) for at in first.bands}
    return Boxes(
        first.schema,
        np.concatenate([part.rows for part in parts]),
        {at: pl.concat([part.points[at] for part in parts]) for at in first.points},
        {at: np.concatenate([part.low[at] for part in parts]) for at in first.low},
        {at: np.concatenate([part.last[at] for part in parts]) for at in first.last},
        {
            at: [(same[0][0], _joined([column for _, column in same])) for same in zipped]
            for at, zipped in bands.items()
        },
    )


def _joined(columns: Sequence[pl.Series | None]) -> pl.Series | None:
    known = [column for column in columns if column is not None]
    return pl.concat(known) if known else None


def around(df: pl.DataFrame, axes: Sequence[PartnerAxis], schema: Schema) -> Boxes:
    """The boxes in which rows say that their partners are; none for a row that has no partner. No column has a NULL."""
    boxes, none = Boxes(schema, np.arange(df.height), {}, {}, {}, {}), np.zeros(df.height, np.bool_)
    for axis in axes:
        attribute = schema.attributes[axis.at]
        if axis.equal or axis.value is not None:
            boxes.points[axis.at], empty = _point(df, axis, attribute)
            none |= empty
        elif attribute.type in UNPLACED:
            boxes.bands[axis.at] = [(band, None if by is None else df[by]) for band, by in axis.bands]
        else:
            boxes.low[axis.at], boxes.last[axis.at] = _range(df, axis, attribute)
            none |= boxes.low[axis.at] > boxes.last[axis.at]
    return boxes.at(~none)


def _point(df: pl.DataFrame, axis: PartnerAxis, attribute: Attribute) -> tuple[pl.Series, Mask]:
    """The value on an axis, and which rows say that there is none."""
    kind, agree = dtype(attribute), list[pl.Expr]()
    if axis.value is not None:
        df = df.with_columns(pl.Series(_VALUE, [axis.value], dtype=kind).new_from_index(0, df.height))
    first, *others = [*axis.equal, *([_VALUE] if axis.value is not None else [])]
    agree += [pl.col(first) == pl.col(other) for other in others]
    for band, by in axis.bands:
        lies = pl.all_horizontal(pl.lit(value=True), *within(band, attribute.type, first, by))
        agree.append(pl.lit(pl.Series(_far(df, band, by, attribute))) | lies)
    column = df[first].cast(kind, strict=False)
    if column.dtype != df.schema[first]:  # DECIMALs: one with more digits than partners have equals none of them
        df = df.with_columns(column.alias(_CAST))
        agree.append((pl.col(_CAST) == pl.col(first)).fill_null(value=False))
    none = np.zeros(df.height, np.bool_)
    return column, ~df.select(pl.all_horizontal(agree)).to_series().to_numpy() if agree else none


def _range(df: pl.DataFrame, axis: PartnerAxis, attribute: Attribute) -> tuple[Numbers, Numbers]:
    """The first and the last place on an axis."""
    least, greatest = _ends(attribute)
    low, last, far = np.full(df.height, least), np.full(df.height, greatest), np.zeros(df.height, np.bool_)
    for band, by in axis.bands:
        if band.low is not None:
            low = np.maximum(low, _moved(df, band.low, by, attribute)[0] + int(band.low.strict))
        if band.high is not None:
            last = np.minimum(last, _moved(df, band.high, by, attribute)[0] - int(band.high.strict))
        far |= _far(df, band, by, attribute)
    low[far], last[far] = least, greatest
    return low, last


def _far(df: pl.DataFrame, band: Band, by: str | None, attribute: Attribute) -> Mask:
    """The rows around whose value an end of a band lies beyond all values, so that a comparison with it has none."""
    far = np.zeros(df.height, np.bool_)
    for limit, sign in ((band.low, 1), (band.high, -1)):
        if by is not None and limit is not None and attribute.type not in UNPLACED and sign * limit.offset > 0:
            far |= _moved(df, limit, by, attribute)[1]
    return far


def _moved(df: pl.DataFrame, limit: Limit, by: str | None, attribute: Attribute) -> tuple[Numbers, Mask]:
    """The places of an end of a band around values, and where it lies beyond all values: there it is the last one."""
    if by is None:
        constant = places(pl.Series([limit.offset], dtype=dtype(attribute))).cast(pl.Int64).item()
        return np.full(df.height, constant), np.zeros(df.height, np.bool_)
    (least, greatest), steps = _ends(attribute), int(limit.offset)
    place: Numbers = places(df[by]).cast(pl.Int64).to_numpy()
    beyond: Mask = place > greatest - steps if steps > 0 else place < least - steps
    moved = (place.view(np.uint64) + np.uint64(steps % 2**64)).view(np.int64)
    return np.where(beyond, greatest if steps > 0 else least, moved), beyond


def _ends(attribute: Attribute) -> tuple[int, int]:
    """The places of the least and of the greatest value."""
    known = [value_after(LOWEST, attribute.type), value_before(HIGHEST, attribute.type)]
    least, greatest = places(pl.Series(known, dtype=dtype(attribute))).cast(pl.Int64).to_list()
    return least, greatest


def _of(attribute: Attribute, column: pl.Series) -> Attribute:
    """An attribute with as many digits as a column has."""
    return replace(attribute, digits=(38, column.dtype.scale)) if isinstance(column.dtype, pl.Decimal) else attribute


def counted_line(bands: Sequence[Band], side: int) -> int | None:
    """The column of a side whose whole numbers are closed one by one, if there is one."""
    return next((band.of[1] for band in bands if band.counted and band.of[0] == side), None)
