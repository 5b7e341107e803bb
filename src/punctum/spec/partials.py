"""Partial aggregates: what a few values give for SUM, COUNT, MIN, MAX and AVG, to be put together later.

The partial result of an AVG is a sum and a count; those of SUM, MIN and MAX are None before the first value.
"""

from typing import Any

from punctum.algebra.aggregates import Function
from punctum.algebra.cuts import below
from punctum.algebra.values import Type, Value


def first(function: Function) -> Any:
    """The partial result of no values."""
    return {Function.COUNT: 0, Function.AVG: (0, 0)}.get(function)


def with_value(function: Function, partial: Any, value: Any) -> Any:
    """A partial result after one more value, of which NULL is none."""
    if value is None:
        return partial
    match function:
        case Function.COUNT:
            return partial + 1
        case Function.AVG:
            return partial[0] + value, partial[1] + 1
        case _ if partial is None:
            return value
        case Function.SUM:
            return partial + value
        case _:
            return (min if function is Function.MIN else max)(partial, value, key=below)


def total(function: Function, partials: list[Any], times: list[int], kind: Type) -> Value | None:
    """An aggregate of partial results, each so many times."""
    known = [(partial, n) for partial, n in zip(partials, times, strict=True) if partial is not None]
    match function:
        case Function.COUNT:
            return int(sum(count * n for count, n in known))
        case Function.AVG:
            whole, count = (sum(partial[i] * n for partial, n in known) for i in (0, 1))
            return float(whole) / count if count else None
        case Function.SUM:
            whole = sum(value * n for value, n in known)
            if not known:
                return None
            return whole if isinstance(whole, int) else kind.accept(whole)
        case _:
            ends: list[Value] = [partial for partial, _ in known]
            return (min if function is Function.MIN else max)(ends, key=below) if ends else None
