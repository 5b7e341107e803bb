"""What an expression means: its value in one row, as SQL has it. The oracle of the compiled expressions.

NULL in gives NULL out, but for AND and OR (three values), <=>, IS NULL, IN, CASE, IF, COALESCE and NULLIF. NaN equals
NaN and is greater than all other numbers; strings compare by code point; times are in UTC but
for the calls of ``zones.py``.

As in Spark, / of whole numbers is a DOUBLE, DIV cuts towards zero, and % has the sign of what is divided. Division by
zero is NULL, and so is a CAST that fails. A result that does not fit its type (a BIGINT of more than 64 bits, a DECIMAL
of more than its digits, a time after the year 9999, FLOOR of NaN) is an error of that row: NULL would let a promise
about the argument turn wrong. Such a row goes to the quarantine.

CASE, IF and COALESCE compute no more than they need. AND and OR compute all, in no order: a part that is false makes an
AND false even when another has no value, and so for OR.
"""

import math
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

from punctum.algebra.values import NAN, Row, Type, Value
from punctum.errors import ComputationError, PunctumError
from punctum.ir.applied import Applied
from punctum.ir.expressions import Call, Column, Expression, Literal, text, type_text
from punctum.ir.expressions.casts import WIDE, cast, fitted
from punctum.ir.expressions.zones import instant, local, local_plus, local_trunc
from punctum.ir.functions import FUNCTIONS
from punctum.ir.functions.from_json import read
from punctum.ir.functions.order import equal, less
from punctum.ir.time_windows import tumble


def evaluate(expression: Expression, row: Row) -> Value | None:
    """The value of an expression in a row of the relation below.

    >>> from punctum.ir.expressions import kind
    >>> x = Call("+", (Literal(1, Type.BIGINT), Literal(2, Type.BIGINT)), kind(Type.BIGINT, False))
    >>> evaluate(x, ())
    3
    """
    value: Value | None = _value(expression, row)
    return value


def computed(expression: Expression) -> Expression:
    """An expression, or the literal that it is: a whole number or an interval, computed of others (``60 * 60``)."""
    plain = expression.type in (Type.BIGINT, Type.INTERVAL) and all(isinstance(arg, Literal) for arg in expression.args)
    if isinstance(expression, Call) and plain:
        with suppress(ComputationError):
            if (value := evaluate(expression, ())) is not None:
                return Literal(value, expression.type, place=expression.place)
    return expression


def strict(call: Call) -> bool:
    """Whether a call is NULL where any of its arguments is, whatever the others are."""
    return not isinstance(call, Applied) and call.op not in _LAZY and call.op not in _TOTAL


def _value(expression: Expression, row: Row) -> Any:
    if isinstance(expression, Column):
        return row[expression.index]
    if isinstance(expression, Literal):
        return expression.value
    if isinstance(expression, Applied):
        raise ComputationError(f"{text(expression, True)} has no value here", "a function takes columns", "")
    if expression.op in _LAZY:
        return _fit(expression, _LAZY[expression.op](expression.args, row))
    args = [_value(arg, row) for arg in expression.args]
    if None in args and expression.op not in _TOTAL:
        return None
    if expression.op == "cast":
        return cast(args[0], expression.args[0].attribute, expression.attribute)
    if expression.op == "from json":
        return read(args[0], expression.attribute)
    try:
        return _fit(expression, _OPS[expression.op](*args))
    except (PunctumError, ArithmeticError, ValueError):
        raise no_value(expression) from None


def _fit(call: Call, value: Any) -> Any:
    """The value in its canonical form, if the type of the result can hold it."""
    if value is None:
        return None
    if call.type is Type.DECIMAL and isinstance(value, Decimal | int):
        value = fitted(Decimal(value), call.attribute.digits)
        if value is None:
            raise no_value(call)
    return value if call.type.nested else call.type.accept(value)


def no_value(call: Call, detail: str = "") -> ComputationError:
    """The error of a row in which a call has no value: the result does not fit, unless something else is said."""
    hint = "cast the arguments to a wider type, or filter such rows with WHERE"
    return ComputationError(
        f"{text(call, True)} has no value", detail or f"the result does not fit {type_text(call)}", hint
    )


def _decided(by: bool, args: tuple[Expression, ...], row: Row) -> bool | None:
    """AND, which a false part decides, and OR, which a true one does."""
    values: list[bool | None] = []
    errors: list[ComputationError] = []
    for arg in args:
        try:
            values.append(_value(arg, row))
        except ComputationError as error:
            errors.append(error)
    if by in values:
        return by
    if errors:
        raise errors[0]
    return None if None in values else not by


def _case(args: tuple[Expression, ...], row: Row) -> Any:
    for condition, value in zip(args[:-1:2], args[1::2], strict=True):
        if _value(condition, row) is True:
            return _value(value, row)
    return _value(args[-1], row)


def _coalesce(args: tuple[Expression, ...], row: Row) -> Any:
    return next((value for arg in args if (value := _value(arg, row)) is not None), None)


def _try(args: tuple[Expression, ...], row: Row) -> Any:
    try:
        return _value(args[0], row)
    except ComputationError:
        return None


def _in(value: Any, *others: Any) -> bool | None:
    if value is None:
        return None
    if any(other is not None and equal(value, other) for other in others):
        return True
    return None if None in others else False


def _divide(a: Any, b: Any) -> Any:
    if b == 0:
        return None
    if isinstance(a, Decimal):
        return WIDE.divide(a, b)
    try:
        return a / b
    except OverflowError:
        return math.inf if (a > 0) == (b > 0) else -math.inf


def _modulo(a: Any, b: Any) -> Any:
    if b == 0:
        return None
    if isinstance(a, float):
        return NAN if math.isinf(a) or a != a or b != b else math.fmod(a, b)
    if isinstance(a, Decimal):
        return WIDE.remainder(a, b)
    return a - b * _div(a, b)


def _div(a: int, b: int) -> int | None:
    if b == 0:
        return None
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _times(a: Any, b: Any) -> Any:
    return WIDE.multiply(a, b) if isinstance(a, Decimal) else a * b


def _plus(a: Any, b: Any) -> Any:
    return WIDE.add(a, b) if isinstance(a, Decimal) else a + b


def _minus(a: Any, b: Any) -> Any:
    return WIDE.subtract(a, b) if isinstance(a, Decimal) else a - b


def _instant(value: str | date, zone: str) -> Any:
    """The instant of a local time, a day or a text; NULL for a text that is none."""
    try:
        return instant(value, zone)
    except (ValueError, OverflowError):
        if isinstance(value, str):
            return None
        raise


_LAZY: dict[str, Callable[[tuple[Expression, ...], Row], Any]] = {
    "and": partial(_decided, False),
    "or": partial(_decided, True),
    "case": _case,
    "if": _case,
    "coalesce": _coalesce,
    "try": _try,
}
_TOTAL = {"<=>", "is null", "in", "nullif", *(name for name, entry in FUNCTIONS.items() if entry.total)}
_OPS: dict[str, Callable[..., Any]] = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "/": _divide,
    "%": _modulo,
    "div": _div,
    "negate": lambda a: -a,
    "=": equal,
    "<>": lambda a, b: not equal(a, b),
    "<": less,
    "<=": lambda a, b: not less(b, a),
    ">": lambda a, b: less(b, a),
    ">=": lambda a, b: not less(a, b),
    "<=>": lambda a, b: a is b if a is None or b is None else equal(a, b),
    "not": lambda a: not a,
    "is null": lambda a: a is None,
    "in": _in,
    "nullif": lambda a, b: None if a is not None and b is not None and equal(a, b) else a,
    "local": local,
    "instant": _instant,
    "local_trunc": local_trunc,
    "local_plus": local_plus,
    "tumble": tumble,
    "field": lambda struct, at, _: struct[at],
    **{name: entry.meaning for name, entry in FUNCTIONS.items() if entry.meaning is not None},
}
