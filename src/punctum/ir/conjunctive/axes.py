"""Axes: the line on which values that are compared with each other lie, cut into places at the constants.

A *place* is a number. On a discrete type each value between the least and the greatest constant is a place of its own,
all below them are one, and all above. On a dense type each constant is a place, and so is each gap between two. A place
of many values is *endless*: chains of any length fit into it. So a bounded attribute has only places that are not.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any

from punctum.algebra.cuts import below
from punctum.algebra.pattern import Constant, Empty, List, Pattern, Range
from punctum.algebra.values import Type, Value
from punctum.errors import PatternError

At = tuple[int, int]
"""A column of an input: both by position."""
_EPOCH = datetime(1970, 1, 1)
_START = {Type.DATE: date(2000, 1, 1).toordinal()}
"""The numbers from which values are made where no constant is near; elsewhere it is 1."""


@dataclass(frozen=True)
class PlaceRange:
    """The places from one to another, or some of these only."""

    low: int
    high: int
    only: tuple[int, ...] | None = None

    def least(self, place: int) -> int | None:
        """The least of them that is not below a place."""
        if self.only is not None:
            at = bisect_left(self.only, max(place, self.low))
            next_place = self.only[at] if at < len(self.only) else self.high + 1
        else:
            next_place = max(place, self.low)
        return next_place if next_place <= self.high else None

    def greatest(self, place: int) -> int | None:
        """The greatest of them that is not above a place."""
        if self.only is not None:
            at = bisect_right(self.only, min(place, self.high))
            last_place = self.only[at - 1] if at else self.low - 1
        else:
            last_place = min(place, self.high)
        return last_place if last_place >= self.low else None

    def meet(self, other: "PlaceRange") -> "PlaceRange":
        """Those in both.

        >>> PlaceRange(1, 9).meet(PlaceRange(3, 12, (3, 5, 12)))
        PlaceRange(low=3, high=9, only=(3, 5))
        """
        low, high = max(self.low, other.low), min(self.high, other.high)
        lists = [set(places.only) for places in (self, other) if places.only is not None]
        listed = sorted(set.intersection(*lists)) if lists else []
        return PlaceRange(low, high, tuple(p for p in listed if low <= p <= high) if lists else None)

    @property
    def size(self) -> int:
        """How many there are."""
        return max(0, self.high - self.low + 1) if self.only is None else len(self.only)

    def __contains__(self, place: int) -> bool:
        return self.low <= place <= self.high and (self.only is None or place in self.only)


@dataclass(frozen=True)
class Axis:
    """The values of a type, cut at constants, which are in order."""

    kind: Type
    constants: tuple[Value, ...]

    @staticmethod
    def of(kind: Type, patterns: Iterable[Pattern]) -> "Axis":
        """The axis of attributes of which patterns are known."""
        values = {value for pattern in patterns for value in _ends(pattern)}
        values |= {False, True} if kind is Type.BOOLEAN else set()
        return Axis(kind, tuple(sorted(values, key=below)) if kind is not Type.BOOLEAN else (False, True))

    @cached_property
    def at(self) -> tuple[int, ...]:
        """The places of the constants."""
        if self.kind.discrete:
            return tuple(ordinal(value) for value in self.constants)
        return tuple(2 * i + 1 for i in range(len(self.constants)))

    @property
    def all(self) -> PlaceRange:
        """Every place."""
        if self.kind is Type.BOOLEAN:
            return PlaceRange(0, 1)
        if not self.at:
            return PlaceRange(0, 0)
        return PlaceRange(self.at[0] - 1, self.at[-1] + 1)

    def endless(self, place: int) -> bool:
        """Whether infinitely many values lie there."""
        if not self.kind.discrete:
            return place % 2 == 0
        return not self.at or not self.at[0] <= place <= self.at[-1]

    def place(self, value: Value) -> int:
        """Where a value lies.

        >>> whole, real = (Axis(kind, (kind.accept(10), kind.accept(20))) for kind in (Type.BIGINT, Type.DOUBLE))
        >>> [whole.place(v) for v in (-5, 9, 10, 14, 21, 99)], [real.place(v) for v in (9.0, 10.0, 14.5, 20.0, 99.0)]
        ([9, 9, 10, 14, 21, 21], [0, 1, 2, 3, 4])
        """
        if not self.at:
            return 0
        if self.kind.discrete:
            return min(max(ordinal(value), self.all.low), self.all.high)
        keys = [below(value) for value in self.constants]
        i = bisect_left(keys, below(value))
        return 2 * i + (i < len(keys) and keys[i] == below(value))

    def places(self, pattern: Pattern) -> PlaceRange:
        """Where the values of a pattern lie, whose ends are among the constants."""
        match pattern:
            case Constant(value) if value is not None:
                return PlaceRange(self.place(value), self.place(value))
            case List(values):
                places = tuple(self.place(value) for value in values)
                return PlaceRange(places[0], places[-1], places)
            case Range(lower, upper, ends):
                low = self.all.low if lower is None else self.place(lower) + (ends[0] == "(")
                return PlaceRange(low, self.all.high if upper is None else self.place(upper) - (ends[1] == ")"))
            case Empty():
                return PlaceRange(1, 0)
            case _:
                return self.all

    def ends(self, places: PlaceRange) -> tuple[tuple[str, Value] | None, tuple[str, Value] | None]:
        """The comparisons with constants that say of a value that it does not lie below or above some places.

        >>> Axis(Type.BIGINT, (10, 20)).ends(PlaceRange(11, 21)), Axis(Type.DOUBLE, (10.0,)).ends(PlaceRange(0, 0))
        ((('>=', 11), None), (None, ('<', 10.0)))
        """
        low, high, last = places.low, places.high, self.constants[-1]
        if self.kind.discrete:
            return (
                None if low <= self.all.low else (">", last) if low > self.at[-1] else (">=", self._only(low)),
                None
                if high >= self.all.high
                else ("<", self.constants[0])
                if high < self.at[0]
                else ("<=", self._only(high)),
            )
        return (
            None if not low else (">=", self._only(low)) if low % 2 else (">", self.constants[low // 2 - 1]),
            None if high >= self.all.high else ("<=" if high % 2 else "<", self.constants[high // 2]),
        )

    def slots(self) -> tuple[PlaceRange, ...]:
        """The constants and what lies between them, from low to high."""
        if not self.at:
            return (self.all,)
        cuts = [self.all.low - 1, *self.at, self.all.high + 1]
        gaps = [PlaceRange(a + 1, b - 1) for a, b in pairwise(cuts)]
        inner = [slot for gap, at in zip(gaps, self.at, strict=False) for slot in (gap, PlaceRange(at, at))]
        return tuple(slot for slot in (*inner, gaps[-1]) if slot.size)

    def values(self, place: int, count: int) -> list[Value] | None:
        """So many values of a place, from low to high, or nothing when none are found."""
        if not self.endless(place):
            return [self._only(place)] * count
        if self.kind.nested:
            return None
        if self.kind.discrete:
            start = (
                _START.get(self.kind, 1)
                if not self.at
                else self.at[-1] + 1
                if place > self.at[-1]
                else self.at[0] - count
            )
            return _run(self.kind, start, count)
        low = self.constants[place // 2 - 1] if place else None
        high = self.constants[place // 2] if place // 2 < len(self.constants) else None
        values = _strings(low, high, count) if self.kind is Type.STRING else _reals(self.kind, low, high, count)
        fits = len(values) == count and all(self.place(value) == place for value in values)
        return values if fits and sorted(set(values), key=below) == values else None

    def _only(self, place: int) -> Value:
        return _value(self.kind, place) if self.kind.discrete else self.constants[place // 2]


def ordinal(value: Any) -> int:
    """The number of a value of a discrete type: neighbours differ by one."""
    if isinstance(value, datetime):
        return (value.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    return value.toordinal() if isinstance(value, date) else int(value)


def value_at(kind: Type, number: Any) -> Value | None:
    """The value of a number of steps from zero, of a type that has steps; nothing when there is none."""
    if kind is Type.DECIMAL:
        return Decimal(number)
    try:
        return kind.accept(_value(kind, number))
    except (ValueError, OverflowError, PatternError):
        return None


def _value(kind: Type, number: int) -> Value:
    match kind:
        case Type.BOOLEAN:
            return bool(number)
        case Type.DATE:
            return date.fromordinal(number)
        case Type.TIMESTAMP | Type.TIMESTAMP_NTZ:
            return (_EPOCH + timedelta(microseconds=number)).replace(tzinfo=UTC if kind is Type.TIMESTAMP else None)
        case Type.INTERVAL:
            return timedelta(microseconds=number)
        case _:
            return number


def _run(kind: Type, start: int, count: int) -> list[Value] | None:
    try:
        return [_value(kind, start + i) for i in range(count)]
    except (ValueError, OverflowError):  # the calendar has ends
        return None


def _ends(pattern: Pattern) -> list[Value]:
    match pattern:
        case Constant(value):
            return [] if value is None else [value]
        case List(values):
            return list(values)
        case Range(lower, upper):
            return [end for end in (lower, upper) if end is not None]
        case _:
            return []


def _reals(kind: Type, low: Any, high: Any, count: int) -> list[Value]:
    """Numbers between two others, or beyond one."""
    start: Any = low if low is not None else high - 1 - count if high is not None else kind.accept(0)
    step: Any = (high - start) / (count + 1) if high is not None else kind.accept(1)
    made = (start + step * (Decimal(i) if kind is Type.DECIMAL else i) for i in range(1, count + 1))
    return [kind.accept(value) for value in made]


def _strings(low: Any, high: Any, count: int) -> list[Value]:
    """Strings between two others, or beyond one: some beginning and a number."""
    for start in ("v", low or "", f"{low or ''}!", f"{low or ''}\0", "!", "\0"):
        first, last = f"{start}{0:06}", f"{start}{count - 1:06}"
        if (low is None or low < first) and (high is None or last < high):
            return [f"{start}{i:06}" for i in range(count)]
    return []
