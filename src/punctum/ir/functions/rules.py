"""What operators take and give, and the functions whose types have rules of their own."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from punctum.algebra.pattern import WILDCARD
from punctum.algebra.values import Type
from punctum.errors import Place
from punctum.ir.expressions import Call, Expression, Literal, kind, mismatch
from punctum.ir.expressions.types import (
    NUMBERS,
    TIMES,
    alike,
    as_decimal,
    bounded,
    common,
    converted,
    is_null,
    zoned,
)
from punctum.ir.expressions.zones import SESSION, fixed
from punctum.ir.functions.define import FUNCTIONS, Args

Rule = Callable[[str, Args, Place], Expression]


def call(op: str, args: Sequence[Expression], place: Place) -> Expression:
    """A call whose arguments are checked and cast, with the type of its result.

    >>> call("+", (Literal(1, Type.BIGINT), Literal(0.5, Type.DOUBLE)), Place()).type
    <Type.DOUBLE: 'DOUBLE'>
    """
    return _RULES[op](op, tuple(args), place) if op in _RULES else FUNCTIONS[op].bound(tuple(args), place)


def _result(op: str, args: Args, place: Place, type_: Type, digits: tuple[int, int] = (38, 18)) -> Call:
    """A call that is NULL where an argument is."""
    return Call(op, args, kind(type_, any(arg.nullable for arg in args), digits), place)


_DAYS = [Type.BIGINT.value, Type.DATE.value]
"""The types of a date and of a number of days."""


def _maybe(expression: Call) -> Call:
    """A call that may be NULL where no argument is."""
    return replace(expression, attribute=kind(expression.type, True, expression.attribute.digits))


def _arithmetic(op: str, args: Args, place: Place) -> Expression:
    if op in "+-" and (any(arg.type is Type.INTERVAL for arg in args) or all(arg.type in TIMES for arg in args)):
        return _of_times(op, args, place)
    if op in "+-" and sorted(arg.type.value for arg in args) == _DAYS and (op == "+" or args[0].type is Type.DATE):
        day, days = args if args[0].type is Type.DATE else reversed(args)
        return call("date_add" if op == "+" else "date_sub", (day, days), place)
    target = common(args)
    if target is None or not all(arg.type in NUMBERS or is_null(arg) for arg in args):
        hint = "it takes numbers (BIGINT, DOUBLE, DECIMAL)" + (
            ", and + and - also a time and an INTERVAL, or a DATE and days" if op in "+-" else ""
        )
        raise mismatch(f"{op.upper()} does not take these types", place, hint, *args)
    if all(is_null(arg) for arg in args):
        target = kind(Type.BIGINT, True)
    if target.type is Type.DECIMAL:
        result_call = _decimals(op, args, place)
    else:
        result = kind(Type.DOUBLE, True) if op == "/" else target
        result_call = _result(op, tuple(converted(arg, result) for arg in args), place, result.type)
    if op == "div" and result_call.type is not Type.BIGINT:
        raise mismatch("DIV does not take these types", place, "it takes BIGINT", *args)
    return _maybe(result_call) if op in ("/", "%", "div") and not _never_zero(result_call.args[1]) else result_call


def _never_zero(divisor: Expression) -> bool:
    return isinstance(divisor, Literal) and divisor.value not in (None, 0)


def _decimals(op: str, args: Args, place: Place) -> Call:
    left, right = (as_decimal(arg) for arg in args)
    (p, s), (q, t) = left.digits, right.digits
    whole, scale = max(p - s, q - t), max(s, t)
    behind = max(6, s + q + 1)
    digits = {
        "+": (whole + scale + 1, scale),
        "-": (whole + scale + 1, scale),
        "*": (p + q + 1, s + t),
        "/": (p - s + t + behind, behind),
        "%": (min(p - s, q - t) + scale, scale),
        "div": (38, 0),
    }[op]
    cast = (converted(args[0], left), converted(args[1], right))
    return _result(op, cast, place, Type.DECIMAL, bounded(*digits))


def _of_times(op: str, args: Args, place: Place) -> Expression:
    """A time moved by an interval, the interval between two times, and two intervals together."""
    one, other = args if op == "-" or args[1].type is Type.INTERVAL else reversed(args)
    match one.type in TIMES, other.type in TIMES:
        case True, True if op == "-":
            clocks = tuple(map(_clock, (one, other))) if _by_clock(one, other) else (one, other)
            return _result(op, clocks, place, _SPAN)
        case True, False if other.type is _SPAN:
            return _shift(op, one, other, place)
        case False, False if all(arg.type is _SPAN or is_null(arg) for arg in args):
            return _result(op, tuple(_typed(arg, _SPAN) for arg in args), place, _SPAN)
    hint = "an INTERVAL is added to a time or subtracted from it, and a time from another one"
    raise mismatch(f"{op} does not take these types", place, hint, *args)


_SPAN = Type.INTERVAL


def _by_clock(one: Expression, other: Expression) -> bool:
    """Whether times are subtracted as local ones: they are no instants, or clocks are moved between them."""
    return {one.type, other.type} != {Type.TIMESTAMP} or not fixed(SESSION.get())


def _clock(time: Expression) -> Expression:
    return converted(time, kind(Type.TIMESTAMP_NTZ, True))


def _shift(op: str, time: Expression, interval: Expression, place: Place) -> Expression:
    """A time moved by an interval."""
    length = interval.value if isinstance(interval, Literal) else None
    if time.type is Type.DATE and not (isinstance(length, timedelta) and not length % timedelta(days=1)):
        hint = "CAST the date to TIMESTAMP"
        raise mismatch("a DATE moves by whole days", place, hint, time)
    if time.type is not Type.TIMESTAMP or fixed(SESSION.get()):
        return _result(op, (time, interval), place, time.type)
    if not isinstance(interval, Literal) or not isinstance(length, timedelta):
        hint = "CAST the time to TIMESTAMP_NTZ, or give the interval in the script"
        raise mismatch(
            "a TIMESTAMP is not moved by a computed INTERVAL where clocks change", place, hint, time, interval
        )
    if abs(length) < timedelta(days=1):
        return _result(op, (time, interval), place, time.type)
    moved = interval if op == "+" else replace(interval, value=-length)
    return zoned("local_plus", (time, moved), kind(time.type, time.nullable), place)


def _negate(op: str, args: Args, place: Place) -> Expression:
    match args[0]:
        case Literal(value=Decimal() as value) if value == 2**63 and args[0].attribute.digits[1] == 0:
            return Literal(-(2**63), Type.BIGINT, place=place)
        case Literal(value=int() | float() | Decimal() | timedelta() as value) if not isinstance(value, bool):
            negative = -value if isinstance(value, timedelta) else args[0].type.accept(-value)
            return Literal(negative, args[0].type, args[0].attribute.digits, place)
    _check(op, args, place, (*NUMBERS, _SPAN))
    return _result(op, args, place, args[0].type, args[0].attribute.digits)


def _check(op: str, args: Args, place: Place, types: tuple[Type, ...]) -> None:
    for arg in args:
        if arg.type not in types and not is_null(arg):
            takes = ", ".join(kind.value for kind in types)
            raise mismatch(f"{_NAMED.get(op, op.upper())} does not take this type", place, f"it takes {takes}", arg)


_NAMED = {"negate": "-"}


def whole(op: str, args: Args, place: Place) -> Expression:
    """FLOOR and CEIL, which give whole numbers."""
    _check(op, args, place, NUMBERS)
    p, s = args[0].attribute.digits
    if args[0].type is Type.DECIMAL:
        return _result(op, args, place, Type.DECIMAL, bounded(p - s + 1, 0))
    return _result(op, args, place, Type.BIGINT) if args[0].type is Type.DOUBLE else args[0]


def rounded(op: str, args: Args, place: Place) -> Expression:
    """ROUND and BROUND, which keep the type, with as many digits behind the point as asked for."""
    _check(op, args[:1], place, NUMBERS)
    places = args[1].value if len(args) > 1 and isinstance(args[1], Literal) else None if len(args) > 1 else 0
    if not isinstance(places, int) or not -38 <= places <= 38:
        what = f"{op.upper()} takes an integer as the number of places"
        raise mismatch(what, place, f"such as {op.upper()}(x, 2)", *args[1:])
    p, s = args[0].attribute.digits
    scale = min(s, max(places, 0))
    digits = bounded(p - s + 1 + scale, scale)
    return _result(op, args, place, args[0].type, digits if args[0].type is Type.DECIMAL else (38, 18))


def _try(op: str, args: Args, place: Place) -> Expression:
    """What its argument is, or NULL where that has no value."""
    return Call(op, args, replace(args[0].attribute, domain=WILDCARD), place)


def _compare(op: str, args: Args, place: Place) -> Expression:
    args = alike(op, args, place)
    nullable = any(arg.nullable for arg in args) and op != "<=>"
    return Call(op, args, kind(Type.BOOLEAN, nullable), place)


def _logic(op: str, args: Args, place: Place) -> Expression:
    _check(op, args, place, (Type.BOOLEAN,))
    return _result(op, tuple(_typed(arg, Type.BOOLEAN) for arg in args), place, Type.BOOLEAN)


def _typed(arg: Expression, type_: Type) -> Expression:
    return converted(arg, kind(type_, True)) if is_null(arg) else arg


def _is_null(op: str, args: Args, place: Place) -> Expression:
    return Call(op, args, kind(Type.BOOLEAN, False), place)


def _values(op: str, values: Args, place: Place) -> Args:
    """The values that a CASE may give, taken to one type."""
    return alike(op.upper(), values, place)


def _case(op: str, args: Args, place: Place) -> Expression:
    """CASE and IF: conditions and values by turns, and a last value."""
    conditions, values = args[:-1:2], (*args[1::2], args[-1])
    _check(op, conditions, place, (Type.BOOLEAN,))
    if all(is_null(value) for value in values):
        return Literal(None, Type.STRING, place=place)
    values = _values(op, values, place)
    conditions = tuple(_typed(condition, Type.BOOLEAN) for condition in conditions)
    pairs = (arg for pair in zip(conditions, values, strict=False) for arg in pair)
    attribute = kind(values[0].type, any(value.nullable for value in values), values[0].attribute.digits)
    return Call(op, (*pairs, values[-1]), attribute, place)


def _coalesce(op: str, args: Args, place: Place) -> Expression:
    if all(is_null(arg) for arg in args):
        return Literal(None, Type.STRING, place=place)
    args = _values(op, args, place)
    nullable = all(arg.nullable for arg in args)
    return Call(op, args, kind(args[0].type, nullable, args[0].attribute.digits), place)


def _nullif(op: str, args: Args, place: Place) -> Expression:
    if is_null(args[0]):
        return Literal(None, Type.STRING, place=place)
    args = _values(op, args, place)
    return _maybe(_result(op, args, place, args[0].type, args[0].attribute.digits))


_RULES: dict[str, Rule] = {
    **dict.fromkeys(("+", "-", "*", "/", "%", "div"), _arithmetic),
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "<=>", "in"), _compare),
    **dict.fromkeys(("and", "or", "not"), _logic),
    **dict.fromkeys(("case", "if"), _case),
    "negate": _negate,
    "is null": _is_null,
    "coalesce": _coalesce,
    "nullif": _nullif,
    "try": _try,
}
