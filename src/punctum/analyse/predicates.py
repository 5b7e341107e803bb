"""What a predicate promises: the rows that it lets through match a pattern on each attribute that it compares.

``WHERE hour = 8 AND price > 100`` lets through rows that match ``hour: 8`` and ``price: (100,)``, so the stream after
it has none with another hour or a lower price. Only conditions that are joined with AND and compare a column with
constants promise something; all others are passed over.
"""

from functools import reduce
from typing import Any

from punctum.algebra.finite import finite
from punctum.algebra.pattern import WILDCARD, Pattern, between, constant, one_of
from punctum.algebra.punctuation import Punctuation, end_of_stream, excluded
from punctum.algebra.schema import NOT_NULL, Schema
from punctum.algebra.values import Type
from punctum.ir.expressions import Call, Column, Expression, Literal, conjuncts

_FLIPPED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def promised(predicate: Expression, schema: Schema) -> tuple[Punctuation, ...]:
    """The punctuations that hold behind a selection: all of them behind one that is never true."""
    if any(isinstance(condition, Literal) and not condition.value for condition in conjuncts(predicate)):
        return (end_of_stream(schema),)
    patterns: dict[str, list[Pattern]] = {}
    for condition in conjuncts(predicate):
        compared = pattern_of(condition)
        if compared is not None:
            column, pattern = compared
            patterns.setdefault(schema.names[column.index], []).append(pattern)
    met = {name: reduce(lambda p, q: p.meet(q), several, WILDCARD) for name, several in patterns.items()}
    return excluded(Punctuation.of(schema, met)) if met else ()


def pattern_of(condition: Expression) -> tuple[Column, Pattern] | None:
    """The column that a condition compares, and the pattern of the values for which it is true."""
    if isinstance(condition, Column) and condition.type is Type.BOOLEAN:
        return condition, constant(True)
    if not isinstance(condition, Call):
        return None
    match condition.op, condition.args:
        case "not", (Call("is null", (Column() as column,)),) if not column.type.nested:
            return column, NOT_NULL
        case "not", (Column() as column,):
            return column, constant(False)
        case "is null", (Column() as column,) if not column.type.nested:
            return column, constant(None)
        case "in", (Column() as column, *literals) if all(_value(literal) is not None for literal in literals):
            return column, one_of([_value(literal) for literal in literals])
        case "or", branches:
            return _any(list(map(pattern_of, branches)))
        case op, (Column() as column, Literal() as literal) if op in _FLIPPED:
            return _compared(op, column, literal)
        case op, (Literal() as literal, Column() as column) if op in _FLIPPED:
            return _compared(_FLIPPED[op], column, literal)
        case _:
            return None


def _any(branches: list[tuple[Column, Pattern] | None]) -> tuple[Column, Pattern] | None:
    """The values of a column that branches list."""
    listed = [branch for branch in branches if branch is not None]
    values = [finite(pattern, column.type) for column, pattern in listed]
    if len({column.index for column, _ in listed}) != 1 or len(listed) < len(branches) or None in values:
        return None
    return listed[0][0], one_of([value for several in values if several is not None for value in several])


def _compared(op: str, column: Column, literal: Literal) -> tuple[Column, Pattern] | None:
    value = _value(literal)
    if value is None or literal.type is not column.type:
        return None
    match op:
        case "=":
            return column, constant(value)
        case "<" | "<=":
            return column, between(None, value, "()" if op == "<" else "(]")
        case _:
            return column, between(value, None, "()" if op == ">" else "[)")


def _value(expression: Expression) -> Any:
    """The value of a literal that is one; NULL promises nothing here."""
    return expression.value if isinstance(expression, Literal) else None
