"""The types of expressions: which arguments an operator or function takes, and what it gives.

Spark's rules, with fewer casts that nobody wrote: a BIGINT becomes a DOUBLE or DECIMAL beside one, a literal takes the
type that stands beside it (``price < 1.5``, ``day = '2026-11-15'``), NULL takes any. All else needs a CAST.

The digits of DECIMAL results are Spark's: of (p,s) and (q,t), + and - give (max(p-s,q-t)+max(s,t)+1, max(s,t)), * gives
(p+q+1, s+t), / gives (p-s+t+m, m) with m = max(6,s+q+1), % gives (min(p-s,q-t)+max(s,t), max(s,t)). Where more than 38
digits would be needed, digits behind the point are given up, but not below six.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from punctum.algebra.schema import Attribute
from punctum.algebra.values import Type, Value
from punctum.errors import Place, SqlError
from punctum.ir.expressions.casts import cast, castable
from punctum.ir.expressions.nodes import Call, Expression, Literal, kind, mismatch, text, type_text
from punctum.ir.expressions.zones import SESSION, WITHOUT, instant, local

NUMBERS = (Type.BIGINT, Type.DOUBLE, Type.DECIMAL)
TIMES = (Type.DATE, Type.TIMESTAMP, Type.TIMESTAMP_NTZ)


def bounded(precision: int, scale: int) -> tuple[int, int]:
    """The digits that a DECIMAL gets when this many would be right.

    >>> bounded(21, 2), bounded(60, 30)
    ((21, 2), (38, 8))
    """
    if precision <= 38:
        return precision, scale
    return 38, max(38 - (precision - scale), min(scale, 6))


def converted(expression: Expression, target: Attribute, place: Place | None = None) -> Expression:
    """The expression cast to a type, at once when it is a literal."""
    place = place or expression.place
    if target.type.nested or expression.type.nested:
        return _same(expression, target, place)
    same = target.type is not Type.DECIMAL or expression.attribute.digits == target.digits
    if expression.type is target.type and same and not isinstance(expression, Literal):
        return expression
    if not (castable(expression.type, target.type) or is_null(expression)):
        what = f"{type_text(expression)} cannot be cast to {type_text(target)}"
        raise SqlError(what, f"{text(expression, True)} is {type_text(expression)}", "", place)
    if SESSION.get() != WITHOUT and Type.TIMESTAMP in (expression.type, target.type) and not is_null(expression):
        return _in_zone(expression, target, place)
    return _cast(expression, target, place)


def _same(expression: Expression, target: Attribute, place: Place) -> Expression:
    """An ARRAY or STRUCT that has its type; no other one becomes one."""
    if type_text(expression) == type_text(target):
        return expression
    what = f"{type_text(expression)} cannot be cast to {type_text(target)}"
    raise SqlError(
        what, f"{text(expression, True)} is {type_text(expression)}", "take an element or a field of it", place
    )


def local_time(expression: Expression) -> Expression:
    """A TIMESTAMP as the local time that it is in the session's zone; all else as it is."""
    if expression.type is not Type.TIMESTAMP or SESSION.get() == WITHOUT or is_null(expression):
        return expression
    return zoned("local", (expression,), kind(Type.TIMESTAMP_NTZ, expression.nullable), expression.place)


def zoned(op: str, args: tuple[Expression, ...], attribute: Attribute, place: Place) -> Call:
    """A call that depends on the session's zone."""
    return Call(op, (*args, Literal(SESSION.get(), Type.STRING)), attribute, place)


def _in_zone(expression: Expression, target: Attribute, place: Place) -> Expression:
    """A TIMESTAMP, or what becomes one, cast by way of the local time."""
    if expression.type is Type.TIMESTAMP and target.type in (Type.STRING, Type.DATE, Type.TIMESTAMP_NTZ):
        made = replace(local_time(expression), place=place if target.type is Type.TIMESTAMP_NTZ else expression.place)
        made = _folded(made, expression)
        return made if target.type is Type.TIMESTAMP_NTZ else _cast(made, target, place)
    if target.type is Type.TIMESTAMP and expression.type in (Type.STRING, Type.DATE, Type.TIMESTAMP_NTZ):
        nullable = expression.nullable or expression.type is Type.STRING
        return _folded(zoned("instant", (expression,), kind(Type.TIMESTAMP, nullable), place), expression)
    return _cast(expression, target, place)


def _folded(call: Expression, of: Expression) -> Expression:
    """A call of a literal as the literal that it gives."""
    if not isinstance(of, Literal):
        return call
    assert isinstance(call, Call)
    moment: datetime | None = None
    with suppress(ValueError, OverflowError):
        moment = (local if call.op == "local" else instant)(of.value, SESSION.get())  # type: ignore[arg-type]
    return _written(of, moment, call.attribute, call.place)


def _cast(expression: Expression, target: Attribute, place: Place) -> Expression:
    if isinstance(expression, Literal):
        value = cast(expression.value, expression.attribute, target)
        return _written(expression, value, target, place)
    nullable = expression.nullable or not _never_fails(expression.attribute, target)
    return Call("cast", (expression,), kind(target.type, nullable, target.digits), place)


def _written(expression: Literal, value: Value | None, target: Attribute, place: Place) -> Literal:
    """A literal as one of another type; an error when it is none."""
    if value is None and expression.value is not None:
        raise SqlError(f"{text(expression)} is not a {type_text(target)}", "", _HOW.get(target.type, ""), place)
    written = expression.written if expression.written is not None else text(expression, True)
    return Literal(value, target.type, target.digits, place, written)


_HOW = {
    Type.DATE: "a date is written '2026-11-15'",
    Type.TIMESTAMP: "a time is written '2026-11-15 12:00:00'",
    Type.TIMESTAMP_NTZ: "a time is written '2026-11-15 12:00:00'",
}


def _never_fails(source: Attribute, target: Attribute) -> bool:
    if target.type is Type.DECIMAL:
        whole = target.digits[0] - target.digits[1]
        if source.type is Type.DECIMAL:
            return source.digits[0] - source.digits[1] < whole or (
                source.digits[0] - source.digits[1] == whole and source.digits[1] <= target.digits[1]
            )
        return whole >= 19 if source.type is Type.BIGINT else source.type is Type.BOOLEAN and whole >= 1
    if target.type is Type.BIGINT:
        return source.type in (Type.BIGINT, Type.BOOLEAN, Type.TIMESTAMP)
    return source.type is not Type.STRING and (source.type, target.type) != (Type.BIGINT, Type.TIMESTAMP)


def is_null(expression: Expression) -> bool:
    """Whether it is NULL itself, which has any type."""
    return isinstance(expression, Literal) and expression.value is None


def as_decimal(expression: Expression) -> Attribute:
    """The DECIMAL that a whole number or DECIMAL is without loss."""
    if expression.type is Type.DECIMAL:
        return expression.attribute
    literal = isinstance(expression, Literal) and isinstance(expression.value, int)
    digits = len(str(abs(expression.value))) if literal else 20  # type: ignore[union-attr,arg-type]
    return kind(Type.DECIMAL, expression.nullable, (digits, 0))


def common(args: Sequence[Expression]) -> Attribute | None:
    """The type to which all can be taken without being asked, or nothing."""
    typed = [arg for arg in args if not is_null(arg)]
    if not typed:
        return args[0].attribute
    types = {arg.type for arg in typed}
    if types == {Type.DECIMAL} or types == {Type.BIGINT, Type.DECIMAL}:
        digits = [as_decimal(arg).digits for arg in typed]
        scale = max(s for _, s in digits)
        return kind(Type.DECIMAL, True, bounded(max(p - s for p, s in digits) + scale, scale))
    if len(types) == 1:
        return typed[0].attribute
    fixed = {arg.type for arg in typed if not _yields(arg)} or types
    if types <= set(NUMBERS) and (Type.DECIMAL not in fixed or len(fixed) == 1):
        return kind(Type.DOUBLE, True) if Type.DOUBLE in types else None
    if len(fixed) == 1 and fixed <= set(TIMES) and types <= fixed | {Type.STRING}:
        return next(arg.attribute for arg in typed if arg.type in fixed)
    return None


def _yields(arg: Expression) -> bool:
    """Whether it takes the type that stands beside it: a literal number with a point, a literal text."""
    return isinstance(arg, Literal) and arg.type in (Type.DECIMAL, Type.STRING)


def alike(what: str, args: Sequence[Expression], place: Place) -> tuple[Expression, ...]:
    """The arguments taken to one type, or an error that names their types."""
    if any(arg.type.nested for arg in args):
        raise mismatch(f"{what} does not take an ARRAY or STRUCT", place, "take an element or a field of it", *args)
    target = common(args)
    if target is None:
        raise mismatch(f"{what} needs values of the same type", place, "CAST one to the type of the other", *args)
    return tuple(converted(arg, target, arg.place) for arg in args)
