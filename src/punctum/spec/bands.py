"""Bands around a value, and when punctuations have passed them: no later partner of a row lies in its band.

One punctuation passes a band that it covers. Bands of columns that are *counted* are passed by many together: all that
speak of nothing but what is known of a row's partners, when these have no value left between them. On strings and
DECIMALs, which have no neighbours, each of them has to cover what is known by itself.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from punctum.algebra.bands import Band, shifted
from punctum.algebra.pattern import EMPTY, WILDCARD, Pattern, between, constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import NOT_NULL, Schema
from punctum.algebra.values import Type, Value


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
    return pattern.covers(between(None, None) if _beyond(band, value) else around(band, value))


def _beyond(band: Band, value: Value | None) -> bool:
    """Whether an end of a band around a value lies beyond all values, so that a comparison with it has none."""
    if value is None or band.by is None:
        return False
    further = (band.low is not None and band.low.offset > 0, band.high is not None and band.high.offset < 0)
    ends = (end for end, far in zip((band.low, band.high), further, strict=True) if end is not None and far)
    return any(shifted(value, end.offset) is None for end in ends)


class Partners(NamedTuple):
    """What is known of a column of a row's partners: the values that it equals, and bands, each around a value."""

    equal: tuple[Value, ...]
    bands: tuple[tuple[Band, Value | None], ...]

    @property
    def values(self) -> Pattern:
        """The values that partners have there."""
        values: Pattern = NOT_NULL
        for value in self.equal:
            values = values.meet(constant(value))
        if not any(_beyond(band, value) for band, value in self.bands):
            for band, by in self.bands:
                values = values.meet(around(band, by))
        return values

    def passed(self, pattern: Pattern) -> bool:
        """Whether a pattern by itself leaves no value there."""
        if self.equal:
            return pattern.covers(self.values)
        return any(covers(pattern, band, value) for band, value in self.bands)


def together(schema: Schema, partners: Mapping[int, Partners], ps: Sequence[Punctuation]) -> bool:
    """Whether punctuations leave no partner of a row, of which something is known on some columns."""
    unplaced = {at for at in partners if schema.attributes[at].type in (Type.STRING, Type.DECIMAL)}
    if any(known.values == EMPTY for at, known in partners.items() if at not in unplaced or known.equal):
        return True
    speaking = [p for p in ps if all(at in partners for at, _ in p.sides)]
    whole = [p for p in speaking if all(partners[at].passed(side) for at, side in p.sides if at in unplaced)]
    left = PunctuationSet(schema, (p.replacing(dict.fromkeys(unplaced, WILDCARD)) for p in whole))
    wanted = {schema.names[at]: known.values for at, known in partners.items() if at not in unplaced}
    return left.covers(Punctuation.of(schema, wanted))


def _end(band: Band, offset: object, value: Value | None) -> Value | None:
    return offset if band.by is None or value is None else shifted(value, offset)  # type: ignore[arg-type, return-value]
