"""Places: a column and the spans of patterns on it, as numbers or strings that compare as the values do.

Every type has an order-preserving map into the 64-bit integers (DATE, TIMESTAMP, BOOLEAN, and DOUBLE by its bits), the
128-bit integers (DECIMAL, in units of its last digit) or the strings. In each of these a cut is the least place above
it: just above 0.5 is the next DOUBLE, and just above a string comes that string with a NUL character behind it. So a
span is ``low <= place < high``, and ``high`` is NULL where it is infinite.
"""

import math
import struct
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST, Cut
from punctum.algebra.pattern import Span
from punctum.algebra.schema import Attribute
from punctum.algebra.values import NAN, Type

Bounds = tuple[pl.Series, pl.Series]
"""The low and the high places of some spans, in parallel."""

_EXACT = Context(prec=400)
_EPOCH = datetime(1970, 1, 1)
_LOWEST: dict[Type, Any] = {Type.STRING: "", Type.DECIMAL: -(10**38)}


def places(column: pl.Series) -> pl.Series:
    """The place of each value; NULL has none."""
    if column.dtype == pl.Float64:
        bits = (column.fill_null(0.0).fill_nan(NAN) + 0.0).to_numpy().view(np.int64)
        ordered = pl.Series(np.where(bits < 0, bits ^ (2**63 - 1), bits))
        return ordered.set(column.is_null(), None) if column.null_count() else ordered
    if column.dtype in (pl.Int64, pl.String):
        return column
    if isinstance(column.dtype, pl.Decimal):
        return column.to_physical().cast(pl.Int128)
    return column.cast(pl.Int8).cast(pl.Int64) if column.dtype == pl.Boolean else column.to_physical().cast(pl.Int64)


def values(where: pl.Series, kind: pl.DataType) -> pl.Series:
    """The values of a column at 64-bit places.

    >>> column = pl.Series([-1.5, 0.0, 2.5])
    >>> values(places(column), column.dtype).to_list()
    [-1.5, 0.0, 2.5]
    """
    if kind == pl.Float64:
        ordered = where.to_numpy()
        return pl.Series(where.name, np.where(ordered < 0, ordered ^ (2**63 - 1), ordered).view(np.float64))
    if kind == pl.Boolean:
        return where == 1
    return where.cast(pl.Int32).cast(kind) if kind == pl.Date else where.cast(kind)


def bounds(spans: Iterable[Span], attribute: Attribute) -> Bounds:
    """The places of spans of an attribute."""
    place, lowest = _place(attribute), _LOWEST.get(attribute.type, -(2**63))
    lows, highs = [], []
    for low, high in spans:
        lows.append(lowest if low is LOWEST else place(low))
        highs.append(None if high is HIGHEST else place(high))
    kind = {Type.STRING: pl.String, Type.DECIMAL: pl.Int128}.get(attribute.type, pl.Int64)
    return pl.Series("low", lows, dtype=kind), pl.Series("high", highs, dtype=kind)


def _place(attribute: Attribute) -> Callable[[Cut], Any]:
    if attribute.type is Type.DECIMAL:
        return lambda cut: _decimal(cut, attribute.digits[1])
    return _PLACE[attribute.type]


def _decimal(cut: Cut, scale: int) -> int:
    value, side = cut
    units = Decimal(value).scaleb(scale, _EXACT)
    least = units.to_integral_value(ROUND_FLOOR, _EXACT) + 1 if side else units.to_integral_value(ROUND_CEILING, _EXACT)
    return max(-(10**38), min(int(least), 10**38))  # no DECIMAL has more digits


def _double(cut: Cut) -> int:
    value, side = cut
    (bits,) = struct.unpack("<q", struct.pack("<d", value + 0.0))
    assert not math.isnan(value)
    return int(bits ^ (2**63 - 1) if bits < 0 else bits) + int(side)


def _instant(cut: Cut) -> int:
    return (cut.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)  # type: ignore[no-any-return]


_PLACE: dict[Type, Callable[[Cut], Any]] = {
    Type.BIGINT: int,
    Type.BOOLEAN: int,
    Type.DOUBLE: _double,
    Type.STRING: lambda cut: cut[0] + "\0" * cut[1],
    Type.DATE: lambda cut: cut.toordinal() - date(1970, 1, 1).toordinal(),
    Type.TIMESTAMP: _instant,
    Type.TIMESTAMP_NTZ: _instant,
    Type.INTERVAL: lambda cut: cut // timedelta(microseconds=1),
}
