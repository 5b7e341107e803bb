"""Finite patterns: the values of those that have few."""

from collections.abc import Iterator
from itertools import islice

from punctum.algebra.cuts import HIGHEST, LOWEST, above, value_after
from punctum.algebra.pattern import Constant, List, Pattern, Range
from punctum.algebra.values import Type, Value

ENUMERABLE = 1_000
"""So many values a discrete range has at most that is taken value by value."""


def finite(pattern: Pattern, kind: Type) -> list[Value] | None:
    """The values of a pattern, when they are few.

    >>> from punctum.algebra.pattern import between
    >>> finite(between(3, 5), Type.BIGINT), finite(between(3, None), Type.BIGINT)
    ([3, 4, 5], None)
    """
    match pattern:
        case Constant(value) if value is not None:
            return [value]
        case List(values):
            return list(values)
        case Range() if kind.discrete:
            few = list(islice(_walk(pattern, kind), ENUMERABLE + 1))
            return few if 0 < len(few) <= ENUMERABLE else None
        case _:
            return None


def _walk(pattern: Range, kind: Type) -> Iterator[Value]:
    ((low, high),) = pattern.spans
    value = value_after(low, kind) if low is not LOWEST and high is not HIGHEST else None
    while value is not None and pattern.match(value):
        yield value
        value = value_after(above(value), kind)
