"""Aggregate functions over the rows of a group, as in SQL: NULLs do not count, and NULL is the result where all are.

A sum is exact, and must fit its type when it is asked for: what it was before, in whatever order, does not matter. One
that does not fit has no value, and its group goes to the quarantine.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from enum import Enum
from functools import reduce
from typing import Any

from punctum.algebra.cuts import below
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import NAN, Row, Type, Value
from punctum.errors import ComputationError, SchemaError


class Function(Enum):
    """An aggregate function."""

    COUNT = "COUNT"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    AVG = "AVG"
    COUNT_DISTINCT = "COUNT DISTINCT"
    MEDIAN = "MEDIAN"


_NUMBERS = (Type.BIGINT, Type.DOUBLE, Type.DECIMAL)
_OF_NUMBERS = (Function.SUM, Function.AVG, Function.MEDIAN)
_EXACT = Context(prec=100)  # Python rounds sums to 28 digits unless told


@dataclass(frozen=True)
class AggregateFunction:
    """A function of an attribute, and the name of the result; COUNT of nothing counts rows."""

    function: Function
    of: str | None
    name: str

    def attribute(self, schema: Schema) -> Attribute:
        """The result's name and type."""
        if self.function in (Function.COUNT, Function.COUNT_DISTINCT):
            return Attribute(self.name, Type.BIGINT)
        if self.of is None:
            raise SchemaError(f"{self.function.value} needs an attribute", "", "only COUNT may count rows")
        of = schema.attributes[schema.index(self.of)]
        if self.function in _OF_NUMBERS and of.type not in _NUMBERS:
            detail = f"{self.of} is a {of.type.value}"
            raise SchemaError(f"{self.function.value} needs numbers", detail, "use it on BIGINT, DOUBLE or DECIMAL")
        if self.function in (Function.AVG, Function.MEDIAN):
            return Attribute(self.name, Type.DOUBLE)
        more = 10 if self.function is Function.SUM and of.type is Type.DECIMAL else 0
        return Attribute(self.name, of.type, digits=(min(of.digits[0] + more, 38), of.digits[1]))

    def value(self, ts: Sequence[Row], schema: Schema) -> Value | None:
        """The result for the rows of a group."""
        if self.of is None:
            return len(ts)
        at = schema.index(self.of)
        values: list[Any] = [t[at] for t in ts if t[at] is not None]
        if self.function is Function.COUNT:
            return len(values)
        if self.function is Function.COUNT_DISTINCT:
            return len(set(values))
        if not values:
            return None
        attribute, found = self.attribute(schema), _OVER[self.function](values)
        if not fits(found, attribute):
            raise self.no_value(attribute)
        return attribute.accept(found)

    def no_value(self, attribute: Attribute) -> ComputationError:
        """The error of a group whose result does not fit its type."""
        what = f"{self.name} has no value: the result of {self.function.value} does not fit {attribute.type.value}"
        return ComputationError(what, "", "cast its argument to DECIMAL or DOUBLE")


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
