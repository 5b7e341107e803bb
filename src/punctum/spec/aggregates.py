"""Aggregate functions over the rows of a group, as in SQL: NULLs do not count, and NULL is the result where all are.

A sum is exact, and must fit its type when it is asked for: what it was before, in whatever order, does not matter. One
that does not fit has no value, and its group goes to the quarantine.
"""

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from functools import reduce
from typing import Any

from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.cuts import below
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import NAN, Row, Type, Value

_EXACT = Context(prec=100)  # by default Python rounds sums to 28 digits


def value_of(aggregate: AggregateFunction, ts: Sequence[Row], schema: Schema) -> Value | None:
    """The result of an aggregate for the rows of a group."""
    if aggregate.of is None:
        return len(ts)
    at = schema.index(aggregate.of)
    values: list[Any] = [t[at] for t in ts if t[at] is not None]
    if aggregate.function is Function.COUNT:
        return len(values)
    if aggregate.function is Function.COUNT_DISTINCT:
        return len(set(values))
    if not values:
        return None
    attribute, result = aggregate.attribute(schema), _OVER[aggregate.function](values)
    if not fits(result, attribute):
        raise aggregate.no_value(attribute)
    return attribute.accept(result)


def fits(value: Value | None, attribute: Attribute) -> bool:
    """Whether a count or a sum is one of the numbers of its type, or NULL."""
    if attribute.type is Type.DECIMAL and isinstance(value, Decimal):
        return bool(abs(value) < 10 ** (attribute.digits[0] - attribute.digits[1]))
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def _sum(values: list[Any]) -> Any:
    if isinstance(values[0], Decimal):
        return reduce(_EXACT.add, values)
    return _fsum(values) if isinstance(values[0], float) else sum(values)


def _fsum(values: list[float]) -> float:
    """The sum rounded once, so that no order of the rows changes it."""
    try:
        return math.fsum(values)
    except OverflowError:
        return sum(values)
    except ValueError:  # infinities of both signs
        return NAN


def _average(values: list[Any]) -> float:
    total = _sum(values)
    return float(Decimal(total) / len(values)) if isinstance(total, int | Decimal) else total / len(values)


def _median(values: list[Any]) -> float:
    ordered = sorted(values, key=below)
    low, high = float(ordered[(len(ordered) - 1) // 2]), float(ordered[len(ordered) // 2])
    return low if low == high else low / 2 + high / 2


_OVER: dict[Function, Callable[[list[Any]], Any]] = {
    Function.SUM: _sum,
    Function.MIN: lambda values: min(values, key=below),
    Function.MAX: lambda values: max(values, key=below),
    Function.AVG: _average,
    Function.MEDIAN: _median,
}
