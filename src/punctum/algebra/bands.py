"""Bands: where the values of a column lie beside those of another one, as comparisons say.

``b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR`` is a band of ``b.ts`` by ``a.ts``: from 0 steps above it to as many as
an hour has. A step is 1, a day or a microsecond; columns of other types are compared as they are, 0 steps apart. A band
by no column lies between constants.

A row is *passed* by an input when a pattern of that input covers the whole band around the row: no later partner lies
in it. ``passed`` turns the pattern on the one column into patterns on the other one, so no row is looked at. A column
of whole numbers that are closed one by one is *counted*: its bands are passed by many patterns together. Around a
value so near the end of its type that an end of its band has no value, a comparison has none either, and pairs go to
the quarantine: only a pattern of all values passes it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Context, Decimal
from typing import Any, Final, NamedTuple

from punctum.algebra.cuts import HIGHEST, LOWEST, Cut, above, below, value_after, value_before
from punctum.algebra.pattern import Constant, Pattern, between, constant, span_pattern
from punctum.algebra.values import INSTANTS, MICROSECOND, NAN, Type, Value
from punctum.errors import PatternError

Offset = int | Decimal
"""A number of steps."""
WIDE: Final = Context(prec=120)
STEPS: Final[dict[Type, Any]] = {
    Type.BIGINT: 1,
    Type.DECIMAL: Decimal(1),
    Type.DATE: timedelta(days=1),
    **dict.fromkeys((*INSTANTS, Type.INTERVAL), MICROSECOND),
}
"""The types whose values can be so many steps apart, and what a step is."""
_LEAST, _GREATEST = -(2**63), 2**63 - 1


class Limit(NamedTuple):
    """An end of a band: so many steps from the other value, or a constant; a strict one does not belong to it."""

    offset: Any
    strict: bool = False


@dataclass(frozen=True)
class Band:
    """The values ``of`` a column, each an input and a position in it, lie between limits around those ``by`` another.

    >>> hour = Band((1, 0), (0, 0), Limit(0), Limit(60))
    >>> [str(p) for p in passed(between(None, 100), hour, Type.BIGINT)], hour.exact
    (['(,40]'], False)
    """

    of: tuple[int, int]
    by: tuple[int, int] | None
    low: Limit | None = None
    high: Limit | None = None
    counted: bool = False
    """Whether the column has whole numbers that are closed one by one: several punctuations pass a band together."""

    @property
    def exact(self) -> bool:
        """Whether there is one value in it."""
        if self.by is None:
            return isinstance(self.constants, Constant)
        return self.low is not None and self.low == self.high and not self.low.strict

    @property
    def constants(self) -> Pattern:
        """The values in a band between constants."""
        low, high = self.low, self.high
        ends = ("(" if low and low.strict else "[") + (")" if high and high.strict else "]")
        return between(low and low.offset, high and high.offset, ends)

    def moved(self, places: Sequence[Mapping[int, int]]) -> "Band":
        """The same, for columns of inputs that have moved to other places."""
        (i, at), by = self.of, self.by
        return replace(self, of=(i, places[i][at]), by=None if by is None else (by[0], places[by[0]][by[1]]))


def shifted(value: Value, offset: Offset) -> Value | None:
    """A value so many steps further; nothing when there is none.

    >>> shifted(17, -3), shifted(2**63 - 1, 1), shifted("S01", 0)
    (14, None, 'S01')
    """
    if not offset:
        return value
    if isinstance(value, Decimal):
        return WIDE.add(value, Decimal(offset))
    if type(value) is int:
        return moved if _LEAST <= (moved := value + int(offset)) <= _GREATEST else None
    try:
        if isinstance(value, timedelta):
            return Type.INTERVAL.accept(value + int(offset) * MICROSECOND)
        return value + int(offset) * (MICROSECOND if hasattr(value, "hour") else timedelta(days=1))  # type: ignore[operator]
    except (OverflowError, PatternError):
        return None


def passed(pattern: Pattern, band: Band, kind: Type) -> list[Pattern]:
    """The values of the other column around which a pattern covers the band; none is NULL."""
    assert band.by is not None
    if kind is Type.BOOLEAN:  # its values are no steps apart
        return [constant(v) for v in (False, True) if holds(pattern, _at(band, v))]
    first, last = _valued(band, kind) if pattern.spans != ((LOWEST, HIGHEST),) else (LOWEST, HIGHEST)
    patterns = [
        span_pattern((low, high), kind)
        for span in pattern.spans
        if (begin := _from(span[0], band.low)) is not None and (end := _until(span[1], band.high)) is not None
        if (low := max(begin, first)) < (high := min(end, last)) and _has_value(low, high, kind)
    ]
    return patterns + [constant(v) for v in _empty(band, kind) if not any(side.match(v) for side in patterns)]


def _at(band: Band, value: Value) -> Band:
    """A band around a value, of a type that has no steps, as one between constants."""
    low, high = (None if end is None else Limit(value, end.strict) for end in (band.low, band.high))
    return replace(band, by=None, low=low, high=high)


def _empty(band: Band, kind: Type) -> list[Value]:
    """The values around which a band has none, whatever else is known: nothing is more than NaN, or less than ""."""
    strict = [(band.low, value_before(HIGHEST, kind)), (band.high, value_after(LOWEST, kind))]
    return [v for end, v in strict if v is not None and end is not None and end.strict and not end.offset]


def _has_value(low: Cut, high: Cut, kind: Type) -> bool:
    """Whether there is a value between two cuts: none is before the first one of its type."""
    least = value_after(low, kind) if low is LOWEST and kind.discrete else None
    return least is None or high is HIGHEST or least < high


def touched(pattern: Pattern, band: Band, kind: Type) -> list[Pattern]:
    """The values of the other column around which a band of whole numbers may have a value of a pattern.

    >>> [str(p) for p in touched(between(7, 8), Band((1, 0), (0, 0), Limit(0), Limit(3)), Type.BIGINT)]
    ['[4,8]']
    """
    assert band.by is not None
    first, last = _valued(band, kind)
    spans = [(LOWEST, first), (last, HIGHEST)]  # around these it has all values
    for low, high in pattern.spans:
        least = _back(value_after(low, kind), band.high, below) if low is not LOWEST else None
        most = _back(value_before(high, kind), band.low, above) if high is not HIGHEST else None
        spans.append((LOWEST if least is None else least, HIGHEST if most is None else most))
    return [span_pattern(span, kind) for span in spans if span[0] < span[1]]


def _back(value: Value | None, limit: Limit | None, cut: Callable[[Value], Cut]) -> Cut | None:
    """The cut beside the value around which the end of a band is another one, if there is one."""
    moved = None if value is None or limit is None else shifted(value, -limit.offset)
    return None if moved is None else cut(moved)


def _valued(band: Band, kind: Type) -> tuple[Cut, Cut]:
    """The cuts between which values lie around which a band has values for those of its ends that are beyond them."""
    first, last = LOWEST, HIGHEST
    if band.high is not None and band.high.offset < 0 and (least := value_after(LOWEST, kind)) is not None:
        first = HIGHEST if (value := shifted(least, -band.high.offset)) is None else below(value)
    if band.low is not None and band.low.offset > 0 and (greatest := value_before(HIGHEST, kind)) is not None:
        last = LOWEST if (value := shifted(greatest, -band.low.offset)) is None else above(value)
    return first, last


def holds(pattern: Pattern, band: Band) -> bool:
    """Whether a pattern covers a band between constants.

    >>> until = Band((0, 0), None, None, Limit(9))
    >>> holds(between(None, 9), until), holds(between(None, 8), until)
    (True, False)
    """
    return pattern.covers(band.constants)


def _from(cut: Cut, low: Limit | None) -> Cut | None:
    """The cut above which the lower end of a band around a value lies above another cut."""
    if cut is LOWEST:
        return LOWEST
    if low is None or cut is HIGHEST:
        return None
    if not isinstance(cut, tuple):
        moved = shifted(cut, -low.offset)
        return moved if moved is not None else LOWEST if low.offset > 0 else None
    value, side = cut
    return shifted(value, -low.offset), 0 if low.strict else side


def _until(cut: Cut, high: Limit | None) -> Cut | None:
    """The cut below which the upper end of a band around a value lies below another cut."""
    if cut is HIGHEST:
        return HIGHEST
    if high is None or cut is LOWEST:
        return None
    if not isinstance(cut, tuple):
        moved = shifted(cut, -high.offset)
        return moved if moved is not None else HIGHEST if high.offset < 0 else None
    if high.strict and cut == below(NAN):  # what is less than NaN ends where infinity does
        return HIGHEST
    value, side = cut
    return shifted(value, -high.offset), 1 if high.strict else side
