"""Aggregate functions by name: what each is computed of, and which attribute its result is (SQL's types)."""

from dataclasses import dataclass, replace
from enum import Enum

from punctum.algebra.pattern import WILDCARD
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
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
    PERCENTILE = "PERCENTILE"
    VAR_POP = "VAR_POP"
    VAR_SAMP = "VAR_SAMP"
    STDDEV_POP = "STDDEV_POP"
    STDDEV_SAMP = "STDDEV_SAMP"
    MAX_BY = "MAX_BY"
    MIN_BY = "MIN_BY"
    COLLECT_LIST = "COLLECT_LIST"
    COLLECT_SET = "COLLECT_SET"


SPREADS = (Function.VAR_POP, Function.VAR_SAMP, Function.STDDEV_POP, Function.STDDEV_SAMP)
"""How far values are from their mean."""
PAIRED = (Function.MAX_BY, Function.MIN_BY)
"""Functions of two attributes: a value, and what it goes by."""
COLLECTED = (Function.COLLECT_LIST, Function.COLLECT_SET)
"""Functions that give the values of a group as an ARRAY, in order."""
LISTS = (Function.COUNT_DISTINCT, Function.MEDIAN, Function.PERCENTILE, *COLLECTED)
"""Functions of which a group keeps values."""
HOLISTIC = (Function.COUNT_DISTINCT, Function.MEDIAN)
"""Functions of which synopses need to know every value."""
CONDENSED = (Function.COUNT, Function.SUM, Function.MIN, Function.MAX, Function.AVG, *HOLISTIC)
"""Functions that synopses can compute."""
NUMBERS = (Type.BIGINT, Type.DOUBLE, Type.DECIMAL)
DOUBLES = (Function.AVG, Function.MEDIAN, Function.PERCENTILE, *SPREADS)
"""Functions of numbers whose result is a DOUBLE."""
OF_NUMBERS = (Function.SUM, *DOUBLES)
OF_SPANS = (Function.SUM, Function.AVG)
"""Functions of numbers that also take INTERVALs, and give one."""


def suits(function: Function, type_: Type) -> bool:
    """Whether a function takes values of a type.

    >>> [suits(Function.AVG, of) for of in (Type.DOUBLE, Type.INTERVAL, Type.STRING)]
    [True, True, False]
    """
    return function not in OF_NUMBERS or type_ in NUMBERS or (type_ is Type.INTERVAL and function in OF_SPANS)


@dataclass(frozen=True)
class AggregateFunction:
    """A function of an attribute, and the name of the result; COUNT of nothing counts rows.

    MAX_BY and MIN_BY have the attribute that they go ``by``, PERCENTILE the ``share`` of the values below it. COUNT and
    AVG may have one that says for how many rows each of theirs stands.
    """

    function: Function
    of: str | None
    name: str
    by: str | None = None
    share: float = 0.5

    def attribute(self, schema: Schema) -> Attribute:
        """The result's name and type.

        >>> AggregateFunction(Function.AVG, "price", "mean").attribute(Schema.of(price="BIGINT")).type.value
        'DOUBLE'
        """
        if self.function in (Function.COUNT, Function.COUNT_DISTINCT):
            return Attribute(self.name, Type.BIGINT)
        if self.of is None:
            raise SchemaError(f"{self.function.value} needs a column", "", "only COUNT counts rows")
        of = schema.attributes[schema.index(self.of)]
        if not suits(self.function, of.type):
            detail = f"{self.of} is a {of.type.value}"
            raise SchemaError(f"{self.function.value} needs numbers", detail, "use it on BIGINT, DOUBLE or DECIMAL")
        if self.function in COLLECTED:
            element = replace(of, name="element", domain=WILDCARD, reach=None)
            return Attribute(self.name, Type.ARRAY, parts=(element,))
        if self.function in DOUBLES:
            return Attribute(self.name, Type.INTERVAL if of.type is Type.INTERVAL else Type.DOUBLE)
        more = 10 if self.function is Function.SUM and of.type is Type.DECIMAL else 0
        return Attribute(self.name, of.type, digits=(min(of.digits[0] + more, 38), of.digits[1]))

    def no_value(self, attribute: Attribute) -> ComputationError:
        """The error of a group whose result does not fit its type."""
        what = f"{self.name} has no value: the result of {self.function.value} does not fit {attribute.type.value}"
        return ComputationError(what, "", "cast its argument to DECIMAL or DOUBLE")
