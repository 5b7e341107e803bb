"""Cuts: the places between values.

A cut lies between two neighbouring values, or before all of them, or after all. An interval of values is then always
``[cut, cut)``: open, closed and infinite ends need no cases, two intervals touch when they share a cut, and on a
discrete type, where nothing lies between 4 and 5, ``(3,5)`` and ``[4,4]`` are the same pair of cuts.

NaN follows every other DOUBLE. NULL has no place in the order.
"""

import math
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from punctum.algebra.values import MICROSECOND, NAN, Type, Value, type_of


class _End:
    """A cut before or after every value, of whatever type."""

    def __init__(self, after: bool) -> None:
        self._after = after

    def __lt__(self, other: object) -> bool:
        return not self._after and other is not self

    def __gt__(self, other: object) -> bool:
        return self._after and other is not self

    def __le__(self, other: object) -> bool:
        return not self._after or other is self

    def __ge__(self, other: object) -> bool:
        return self._after or other is self

    def __repr__(self) -> str:
        return "HIGHEST" if self._after else "LOWEST"

    def __reduce__(self) -> str:
        return repr(self)


LOWEST: Final = _End(after=False)
HIGHEST: Final = _End(after=True)

Cut = Any
"""On a discrete type the value that follows the cut, else ``(value, 0)`` just below it or ``(value, 1)`` just above."""

_MIN, _MAX = -(2**63), 2**63 - 1
_LEAST: dict[Type, Value] = {
    Type.BIGINT: _MIN,
    Type.DOUBLE: -math.inf,
    Type.STRING: "",
    Type.BOOLEAN: False,
    Type.DATE: date.min,
    Type.TIMESTAMP: datetime.min.replace(tzinfo=UTC),
    Type.TIMESTAMP_NTZ: datetime.min,
    Type.INTERVAL: _MIN * MICROSECOND,
}
_GREATEST: dict[Type, Value] = {
    Type.BIGINT: _MAX,
    Type.DOUBLE: NAN,
    Type.BOOLEAN: True,
    Type.DATE: date.max,
    Type.TIMESTAMP: datetime.max.replace(tzinfo=UTC),
    Type.TIMESTAMP_NTZ: datetime.max,
    Type.INTERVAL: _MAX * MICROSECOND,
}
_STEP: dict[Type, Any] = {
    Type.BIGINT: 1,
    Type.BOOLEAN: 1,
    Type.DATE: timedelta(days=1),
    **dict.fromkeys((Type.TIMESTAMP, Type.TIMESTAMP_NTZ, Type.INTERVAL), MICROSECOND),
}


def below(value: Value) -> Cut:
    """The cut just below a value.

    >>> below(4), below(4.0), below(False), below(NAN)
    (4, (4.0, 0), LOWEST, (inf, 1))
    """
    if type(value) is int:  # the common case, ten times faster
        return value if value != _MIN else LOWEST
    kind = type_of(value)
    if value == _LEAST.get(kind):
        return LOWEST
    if kind.discrete:
        return value
    return (value, 0) if value == value else (math.inf, 1)


def above(value: Value) -> Cut:
    """The cut just above a value.

    >>> above(4), above(4.0), above(False), above(True)
    (5, (4.0, 1), True, HIGHEST)
    """
    if type(value) is int:
        return value + 1 if value != _MAX else HIGHEST
    kind = type_of(value)
    if value != value or value == _GREATEST.get(kind):
        return HIGHEST
    if kind is Type.BOOLEAN:
        return True
    return value + _STEP[kind] if kind.discrete else (value, 1)


def value_after(cut: Cut, kind: Type) -> Value | None:
    """The value that follows a cut directly, if there is one.

    >>> value_after(4, Type.BIGINT), value_after((4.0, 0), Type.DOUBLE), value_after((4.0, 1), Type.DOUBLE)
    (4, 4.0, None)
    """
    if cut is LOWEST:
        return _LEAST.get(kind)
    if cut is HIGHEST:
        return None
    if kind.discrete:
        return cut  # type: ignore[no-any-return]
    value, side = cut
    return value if side == 0 else NAN if value == math.inf else None


def value_before(cut: Cut, kind: Type) -> Value | None:
    """The value that precedes a cut directly, if there is one.

    >>> value_before(4, Type.BIGINT), value_before((4.0, 0), Type.DOUBLE), value_before((4.0, 1), Type.DOUBLE)
    (3, None, 4.0)
    """
    if cut is HIGHEST:
        return _GREATEST.get(kind)
    if cut is LOWEST:
        return None
    if kind is Type.BOOLEAN:
        return False
    if kind.discrete:
        return cut - _STEP[kind]  # type: ignore[no-any-return]
    value, side = cut
    return value if side == 1 else None
