"""Aggregate functions over the rows of a group, as in SQL: NULLs do not count, and NULL is the result where all are.

A sum is exact, and must fit its type when it is asked for: what it was before, in whatever order, does not matter. One
that does not fit has no value, and its group goes to the quarantine.
"""

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import partial, reduce
from typing import Any

from punctum.algebra.aggregates import COLLECTED, OF_SPANS, AggregateFunction, Function
from punctum.algebra.cuts import below
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import MICROSECOND, NAN, Row, Type, Value

_EXACT = Context(prec=100)  # by default Python rounds sums to 28 digits


def value_of(aggregate: AggregateFunction, ts: Sequence[Row], schema: Schema) -> Value | None:
    """The result of an aggregate for the rows of a group."""
    if aggregate.of is None:
        return len(ts)
    at = schema.index(aggregate.of)
    if aggregate.by is not None:
        return _paired(aggregate.function, [(t[schema.index(aggregate.by)], t[at]) for t in ts])
    values: list[Any] = [t[at] for t in ts if t[at] is not None]
    if aggregate.function is Function.COUNT:
        return len(values)
    if aggregate.function is Function.COUNT_DISTINCT:
        return len(set(values))
    if aggregate.function in COLLECTED:
        chosen = values if aggregate.function is Function.COLLECT_LIST else set(values)
        return tuple(sorted(chosen, key=below))
    if not values:
        return None
    attribute = aggregate.attribute(schema)
    if aggregate.function is Function.PERCENTILE:
        return attribute.accept(_percentile(values, aggregate.share))
    if attribute.type is Type.INTERVAL and aggregate.function in OF_SPANS:
        result = _of_spans(aggregate.function, [value // MICROSECOND for value in values])
        if not fits(result, attribute):
            raise aggregate.no_value(attribute)
        return attribute.accept(result * MICROSECOND)
    result = _OVER[aggregate.function](values)
    if not fits(result, attribute):
        raise aggregate.no_value(attribute)
    return None if result is None else attribute.accept(result)


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


def _of_spans(function: Function, values: list[int]) -> int:
    """A sum of microseconds, or their mean, of which a half is rounded away from zero."""
    total, count = sum(values), len(values)
    if function is Function.SUM:
        return total
    rounded = (2 * abs(total) + count) // (2 * count)
    return rounded if total >= 0 else -rounded


def _median(values: list[Any]) -> float:
    ordered = sorted(values, key=below)
    low, high = float(ordered[(len(ordered) - 1) // 2]), float(ordered[len(ordered) // 2])
    return low if low == high else low / 2 + high / 2


def _percentile(values: list[Any], share: float) -> float:
    """The value below which a share of the others are, between two of them where it falls there."""
    ordered, place = sorted(values, key=below), (len(values) - 1) * share
    low, high = float(ordered[math.floor(place)]), float(ordered[math.ceil(place)])
    if low == high or math.floor(place) == math.ceil(place):
        return low
    return (math.ceil(place) - place) * low + (place - math.floor(place)) * high


def _spread(values: list[Any], sample: bool, root: bool) -> float | None:
    """The variance or its root, rounded once each; that of a sample of one value is NULL."""
    numbers = [float(value) for value in values]
    if sample and len(numbers) == 1:
        return None
    if not all(map(math.isfinite, numbers)):
        return NAN
    mean = sum(map(Fraction, numbers)) / len(numbers)
    squares = sum((Fraction(number) - mean) ** 2 for number in numbers)
    try:
        variance = float(squares / (len(numbers) - sample))
    except OverflowError:
        variance = math.inf
    return math.sqrt(variance) if root else variance


def _paired(function: Function, pairs: list[tuple[Any, Any]]) -> Value | None:
    """The value beside the greatest or least one that it goes by; of several, the greatest."""
    known = [pair for pair in pairs if pair[0] is not None]
    if not known:
        return None
    best = (max if function is Function.MAX_BY else min)((by for by, _ in known), key=below)
    values = [value for by, value in known if value is not None and below(by) == below(best)]
    greatest: Value | None = max(values, key=below) if values else None
    return greatest


_OVER: dict[Function, Callable[[list[Any]], Any]] = {
    Function.SUM: _sum,
    Function.MIN: lambda values: min(values, key=below),
    Function.MAX: lambda values: max(values, key=below),
    Function.AVG: _average,
    Function.MEDIAN: _median,
    Function.VAR_POP: partial(_spread, sample=False, root=False),
    Function.VAR_SAMP: partial(_spread, sample=True, root=False),
    Function.STDDEV_POP: partial(_spread, sample=False, root=True),
    Function.STDDEV_SAMP: partial(_spread, sample=True, root=True),
}
