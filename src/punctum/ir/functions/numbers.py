"""Functions of numbers. Those of DOUBLEs give NaN where they are not defined, and infinity where it is too large."""

from __future__ import annotations  # Polars is not loaded where a script is only compiled

import math
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from punctum.algebra.values import NAN, Type
from punctum.ir.expressions import Literal
from punctum.ir.expressions.casts import WIDE
from punctum.ir.functions.define import FALLING, RISING, Scalar
from punctum.ir.functions.later import pl
from punctum.ir.functions.rules import call, rounded, whole

_EVEN = Context(prec=120, rounding=ROUND_HALF_EVEN)
_BITS = 64


def _defined(function: Callable[[float], float]) -> Callable[[float], float]:
    """A function of Python's that raises where there is no number, or no finite one."""

    def over(x: float) -> float:
        try:
            return function(x)
        except OverflowError:
            return math.copysign(math.inf, x) if function in (math.sinh, math.tan) else math.inf
        except (ValueError, ZeroDivisionError):
            return NAN

    return over


def _of_double(name: str, description: str, function: Callable[[float], float], kernel: Callable[[Any], Any]) -> Scalar:
    return Scalar(f"{name}(x DOUBLE) -> DOUBLE", description, _defined(function), kernel, close=True)


def _logarithm(
    name: str, description: str, function: Callable[[float], float], kernel: Any, least: float = 0.0
) -> Scalar:
    """A logarithm, which is NULL for numbers that have none."""

    def meaning(x: float) -> float | None:
        return None if x <= least else function(x)

    def column(x: pl.Expr) -> pl.Expr:
        return pl.when((x > least) | x.is_nan()).then(kernel(x))

    return Scalar(f"{name}(x DOUBLE) -> DOUBLE", description, meaning, column, maybe=True, close=True)


def _log(base: float, x: float | None = None) -> float | None:
    if x is None:
        return None if base <= 0 else math.log(base)
    if base <= 0 or x <= 0:
        return None
    over, under = math.log(x), math.log(base)
    if under == 0:
        return NAN if over == 0 or over != over else math.copysign(math.inf, over)
    return over / under


def _log_kernel(base: pl.Expr, x: pl.Expr | None = None) -> pl.Expr:
    if x is None:
        return pl.when((base > 0) | base.is_nan()).then(base.log())
    return pl.when((base > 0) & (x > 0)).then(x.log() / (base.log() + 0.0))


def _power(x: float, y: float) -> float:
    if y != y or (abs(x) == 1 and math.isinf(y)):
        return NAN
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:  # of 0 to a negative power, or of a negative number to a fraction
        return math.inf if x == 0 else NAN


def _power_kernel(x: pl.Expr, y: pl.Expr) -> pl.Expr:
    undefined = y.is_nan() | ((x.abs() == 1) & y.is_infinite())
    root = (x == -math.inf) & (y == 0.5)  # Polars takes the square root then
    chosen = pl.when(x.is_null() | y.is_null()).then(None).when(undefined).then(pl.lit(NAN))
    return chosen.when(root).then(pl.lit(math.inf)).otherwise(x.pow(y))


def _atanh(x: float) -> float:
    return math.copysign(math.inf, x) if abs(x) == 1 else math.atanh(x)


def _hypot_kernel(x: pl.Expr, y: pl.Expr) -> pl.Expr:
    a, b = x.abs(), y.abs()
    most = pl.when(a >= b).then(a).otherwise(b)
    least = pl.when(a >= b).then(b).otherwise(a)
    share = least / most
    finite = pl.when(most == 0).then(most).otherwise(most * (share * share + 1).sqrt())
    infinite = a.is_infinite() | b.is_infinite()
    return pl.when(a.is_null() | b.is_null()).then(None).when(infinite).then(pl.lit(math.inf)).otherwise(finite)


def _sign(x: float) -> float:
    return x if x != x else float((x > 0) - (x < 0))


def _wrapped(number: int) -> int:
    """A whole number in 64 bits, as Java has it."""
    return (number + 2**63) % 2**64 - 2**63


def _bround(value: Any, places: int = 0) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value) or abs(value) >= 1e60:
            return value
        return float(_EVEN.quantize(Decimal(repr(value)), Decimal(1).scaleb(-places)))
    made = _EVEN.quantize(Decimal(value), Decimal(1).scaleb(-places))
    return made if isinstance(value, Decimal) else int(made)


def _round(value: Any, places: int = 0) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value) or abs(value) >= 1e60:  # without digits behind the point
            return value
        return float(WIDE.quantize(Decimal(repr(value)), Decimal(1).scaleb(-places)))
    made = WIDE.quantize(Decimal(value), Decimal(1).scaleb(-places))
    return made if isinstance(value, Decimal) else int(made)


def _bit(number: int, at: int) -> int:
    if not 0 <= at < _BITS:
        raise ValueError(at)
    return number >> at & 1


def _width_bucket(x: float, low: float, high: float, count: int) -> int | None:
    if count <= 0 or count == 2**63 - 1 or x != x or low == high or not math.isfinite(low) or not math.isfinite(high):
        return None
    if low > high:
        return _width_bucket(-x, -low, -high, count)
    if x < low:
        return 0
    return count + 1 if x >= high else int(count * (x - low) / (high - low)) + 1


def _nanvl(args: Any, place: Any) -> Any:
    return call("case", (call("isnan", args[:1], place), args[1], args[0]), place)


def _pmod(args: Any, place: Any) -> Any:
    rest = call("%", args, place)
    negative = call("<", (rest, Literal(0, Type.BIGINT)), place)
    return call("case", (negative, call("%", (call("+", (rest, args[1]), place), args[1]), place), rest), place)


def _constant(value: float) -> Callable[[Any, Any], Any]:
    return lambda args, place: Literal(value, Type.DOUBLE, place=place)


NUMBERS = (
    Scalar("abs(x NUMBER) -> NUMBER", "without its sign", abs, lambda x: x.abs(), wide=True),
    Scalar(
        "ceil(x NUMBER) -> NUMBER",
        "the next whole number above",
        math.ceil,
        lambda x: x.ceil(),
        also=("ceiling",),
        rule=lambda args, place: whole("ceil", args, place),
        wide=True,
        step=RISING,
    ),
    Scalar(
        "floor(x NUMBER) -> NUMBER",
        "the next whole number below",
        math.floor,
        lambda x: x.floor(),
        rule=lambda args, place: whole("floor", args, place),
        wide=True,
        step=RISING,
    ),
    Scalar(
        "round(x NUMBER, [places BIGINT CONSTANT]) -> NUMBER",
        "rounded to places behind the point, halves away from zero",
        _round,
        rule=lambda args, place: rounded("round", args, place),
        fails=True,
        step=RISING,
    ),
    Scalar(
        "bround(x NUMBER, [places BIGINT CONSTANT]) -> NUMBER",
        "rounded to places behind the point, halves to the even digit",
        _bround,
        rule=lambda args, place: rounded("bround", args, place),
        fails=True,
        step=RISING,
    ),
    Scalar(
        "rint(x DOUBLE) -> DOUBLE",
        "the nearest whole number, of two the even one",
        lambda x: float(round(x)) if math.isfinite(x) else x,
        lambda x: x.round(0, mode="half_to_even"),
        step=RISING,
    ),
    Scalar(
        "sign(x DOUBLE) -> DOUBLE",
        "-1, 0 or 1",
        _sign,
        lambda x: x.sign(),
        also=("signum",),
        step=RISING,
    ),
    Scalar("negative(x NUMBER) -> NUMBER", "with the other sign", rule=lambda args, place: call("negate", args, place)),
    Scalar("positive(x NUMBER) -> NUMBER", "as it is", rule=lambda args, place: args[0]),
    Scalar("mod(a NUMBER, b NUMBER) -> NUMBER", "`a % b`", rule=lambda args, place: call("%", args, place)),
    Scalar("pmod(a NUMBER, b NUMBER) -> NUMBER", "the rest with the sign of `b`", rule=_pmod),
    _of_double("sqrt", "the square root", math.sqrt, lambda x: x.sqrt()),
    _of_double("cbrt", "the cube root", math.cbrt, lambda x: x.cbrt()),
    _of_double("exp", "e to a power", math.exp, lambda x: x.exp()),
    _of_double("expm1", "e to a power, less 1", math.expm1, lambda x: x.expm1() if hasattr(x, "expm1") else None),
    _logarithm("ln", "the natural logarithm", math.log, lambda x: x.log()),
    _logarithm("log2", "the logarithm to base 2", math.log2, lambda x: x.log(2)),
    _logarithm("log10", "the logarithm to base 10", math.log10, lambda x: x.log10()),
    _logarithm("log1p", "the natural logarithm of `1 + x`", math.log1p, lambda x: x.log1p(), -1.0),
    Scalar(
        "log(base DOUBLE, [x DOUBLE]) -> DOUBLE",
        "the logarithm to a base, or the natural one of the only argument",
        _log,
        _log_kernel,
        maybe=True,
        close=True,
    ),
    Scalar("power(x DOUBLE, y DOUBLE) -> DOUBLE", "x to a power", _power, _power_kernel, also=("pow",), close=True),
    Scalar("hypot(x DOUBLE, y DOUBLE) -> DOUBLE", "√(x² + y²)", math.hypot, _hypot_kernel, close=True),
    Scalar("pi() -> DOUBLE", "π", rule=_constant(math.pi)),
    Scalar("e() -> DOUBLE", "e", rule=_constant(math.e)),
    _of_double("sin", "the sine", math.sin, lambda x: x.sin()),
    _of_double("cos", "the cosine", math.cos, lambda x: x.cos()),
    _of_double("tan", "the tangent", math.tan, lambda x: x.tan()),
    _of_double("cot", "the cotangent", lambda x: 1 / math.tan(x) if x else math.inf, lambda x: 1 / (x.tan() + 0.0)),
    _of_double("sec", "1 by the cosine", lambda x: 1 / math.cos(x), lambda x: 1 / x.cos()),
    _of_double("csc", "1 by the sine", lambda x: 1 / math.sin(x) if x else math.inf, lambda x: 1 / (x.sin() + 0.0)),
    _of_double("asin", "the arc whose sine it is", math.asin, lambda x: x.arcsin()),
    _of_double("acos", "the arc whose cosine it is", math.acos, lambda x: x.arccos()),
    _of_double("atan", "the arc whose tangent it is", math.atan, lambda x: x.arctan()),
    Scalar(
        "atan2(y DOUBLE, x DOUBLE) -> DOUBLE",
        "the angle of the point (x, y)",
        math.atan2,
        lambda y, x: pl.arctan2(y, x),
        close=True,
    ),
    _of_double("sinh", "the hyperbolic sine", math.sinh, lambda x: x.sinh()),
    _of_double("cosh", "the hyperbolic cosine", math.cosh, lambda x: x.cosh()),
    _of_double("tanh", "the hyperbolic tangent", math.tanh, lambda x: x.tanh()),
    _of_double("asinh", "the inverse of `sinh`", math.asinh, lambda x: x.arcsinh()),
    _of_double("acosh", "the inverse of `cosh`", math.acosh, lambda x: x.arccosh()),
    _of_double("atanh", "the inverse of `tanh`", _atanh, lambda x: x.arctanh()),
    _of_double("degrees", "an angle in degrees", math.degrees, lambda x: x.degrees()),
    _of_double("radians", "an angle in radians", math.radians, lambda x: x.radians()),
    Scalar(
        "factorial(n BIGINT) -> BIGINT",
        "1 · 2 · … · n; NULL below 0 and above 20",
        lambda n: math.factorial(n) if 0 <= n <= 20 else None,
        maybe=True,
    ),
    Scalar(
        "width_bucket(x DOUBLE, low DOUBLE, high DOUBLE, count BIGINT) -> BIGINT",
        "in which of so many equal parts of a range it is; 0 below and `count + 1` above",
        _width_bucket,
        maybe=True,
    ),
    Scalar(
        "isnan(x DOUBLE) -> BOOLEAN",
        "whether it is NaN; NULL is not",
        lambda x: x is not None and x != x,
        lambda x: x.is_nan().fill_null(False),
        total=True,
    ),
    Scalar("nanvl(x DOUBLE, other DOUBLE) -> DOUBLE", "`x`, or the other one where it is NaN", rule=_nanvl),
    Scalar("&(a BIGINT, b BIGINT) -> BIGINT", "the bits that both have", lambda a, b: a & b, lambda a, b: a & b),
    Scalar("|(a BIGINT, b BIGINT) -> BIGINT", "the bits that one has", lambda a, b: a | b, lambda a, b: a | b),
    Scalar("^(a BIGINT, b BIGINT) -> BIGINT", "the bits that one has alone", lambda a, b: a ^ b, lambda a, b: a ^ b),
    Scalar("~(a BIGINT) -> BIGINT", "the bits that it has not", lambda a: ~a, lambda a: -1 - a, step=FALLING),
    Scalar(
        "bit_count(number BIGINT) -> BIGINT",
        "how many of its 64 bits are 1",
        lambda number: (number % 2**64).bit_count(),
        lambda number: number.bitwise_count_ones(),
    ),
    Scalar(
        "getbit(number BIGINT, at BIGINT) -> BIGINT",
        "the bit at a place from 0 to 63, the last one being 0; no value for others",
        _bit,
        also=("bit_get",),
        fails=True,
    ),
    Scalar(
        "shiftleft(number BIGINT, by BIGINT) -> BIGINT",
        "its bits moved to the left; also `a << b`",
        lambda number, by: _wrapped(number << by % _BITS),
        lambda number, by: number * _wrapped(1 << by % _BITS),
        plain=(1,),
    ),
    Scalar(
        "shiftright(number BIGINT, by BIGINT) -> BIGINT",
        "its bits moved to the right, the sign staying; also `a >> b`",
        lambda number, by: number >> by % _BITS,
        lambda number, by: number // (1 << by % _BITS) if by % _BITS < 63 else -(number < 0).cast(pl.Int64()),
        plain=(1,),
        step=RISING,
    ),
    Scalar(
        "shiftrightunsigned(number BIGINT, by BIGINT) -> BIGINT",
        "its bits moved to the right, zeros following",
        lambda number, by: _wrapped(number % 2**64 >> by % _BITS),
    ),
)
