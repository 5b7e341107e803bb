"""Bands around a value, and when punctuations have passed them: no later partner of a row lies in its band."""

from punctum.algebra.bands import Band, shifted
from punctum.algebra.pattern import EMPTY, Pattern, between
from punctum.algebra.values import Value


def around(band: Band, value: Value | None) -> Pattern:
    """The values in a band around another one; for a band between constants there is no other."""
    ends, low, high = "", None, None
    if band.low is not None:
        low = _end(band, band.low.offset, value)
        if low is None and band.low.offset > 0:
            return EMPTY
    if band.high is not None:
        high = _end(band, band.high.offset, value)
        if high is None and band.high.offset < 0:
            return EMPTY
    ends += "(" if band.low is not None and band.low.strict else "["
    ends += ")" if band.high is not None and band.high.strict else "]"
    return between(low, high, ends)


def covers(pattern: Pattern, band: Band, value: Value | None) -> bool:
    """Whether a pattern covers the band around a value; where that lies beyond all values, whether it covers all."""
    if value is not None and band.by is not None:
        beyond = (band.low is not None and band.low.offset > 0, band.high is not None and band.high.offset < 0)
        ends = (end for end, further in zip((band.low, band.high), beyond, strict=True) if end is not None and further)
        if any(shifted(value, end.offset) is None for end in ends):
            return pattern.covers(between(None, None))
    return pattern.covers(around(band, value))


def _end(band: Band, offset: object, value: Value | None) -> Value | None:
    return offset if band.by is None or value is None else shifted(value, offset)  # type: ignore[arg-type, return-value]
