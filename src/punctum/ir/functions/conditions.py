"""Functions that choose among values. They stand for CASE, COALESCE and the like, which compute no more than needed."""

from __future__ import annotations  # Polars is not loaded where a script is only compiled

from collections.abc import Callable

from punctum.algebra.values import Type
from punctum.errors import Place
from punctum.ir.expressions import Expression, Literal
from punctum.ir.functions.define import Args, Scalar
from punctum.ir.functions.later import pl
from punctum.ir.functions.order import greatest, least
from punctum.ir.functions.rules import call


def _as(op: str) -> Callable[[Args, Place], Expression]:
    return lambda args, place: call(op, args, place)


def _is_not_null(args: Args, place: Place) -> Expression:
    return call("not", (call("is null", args[:1], place),), place)


def _nvl2(args: Args, place: Place) -> Expression:
    return call("case", (_is_not_null(args, place), *args[1:]), place)


def _decode(args: Args, place: Place) -> Expression:
    """CASE by values, of which NULL is one, and a last value when their number is odd."""
    value, *rest = args
    last: Expression = rest.pop() if len(rest) % 2 else Literal(None, Type.STRING, place=place)
    pairs = [call("<=>", (value, arg), place) if n % 2 == 0 else arg for n, arg in enumerate(rest)]
    return call("case", (*pairs, last), place)


def _zero(op: str) -> Callable[[Args, Place], Expression]:
    return lambda args, place: call(op, (args[0], Literal(0, Type.BIGINT, place=place)), place)


def _most(*values: pl.Expr) -> pl.Expr:
    return _chosen(values, lambda a, b: a > b)


def _least(*values: pl.Expr) -> pl.Expr:
    return _chosen(values, lambda a, b: a < b)


def _chosen(values: tuple[pl.Expr, ...], better: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> pl.Expr:
    made = values[0]
    for value in values[1:]:
        made = pl.when(made.is_null() | better(value, made)).then(value).otherwise(made)
    return made


def _tried(op: str) -> Callable[[Args, Place], Expression]:
    return lambda args, place: call("try", (call(op, args, place),), place)


CONDITIONS = (
    Scalar(
        "if(condition BOOLEAN, yes ANY, [no ANY]) -> ANY",
        "one value or the other; NULL when there is no other",
        rule=lambda args, place: call(
            "if", args if len(args) == 3 else (*args, Literal(None, Type.STRING, place=place)), place
        ),
        also=("iff",),
    ),
    Scalar("coalesce(value ANY, …) -> ANY", "the first that is not NULL", rule=_as("coalesce")),
    Scalar("nvl(value ANY, other ANY) -> ANY", "`coalesce` of two", rule=_as("coalesce"), also=("ifnull",)),
    Scalar(
        "nvl2(value ANY, yes ANY, no ANY) -> ANY", "`yes` where the value is not NULL, and `no` where it is", rule=_nvl2
    ),
    Scalar("nullif(value ANY, other ANY) -> ANY", "NULL where both are equal, else the first", rule=_as("nullif")),
    Scalar("nullifzero(x NUMBER) -> NUMBER", "NULL where it is 0", rule=_zero("nullif")),
    Scalar("zeroifnull(x NUMBER) -> NUMBER", "0 where it is NULL", rule=_zero("coalesce")),
    Scalar(
        "decode(value ANY, search ANY, result ANY, …) -> ANY",
        "the result behind the first search that it is",
        rule=_decode,
    ),
    Scalar("isnull(value ANY) -> BOOLEAN", "`value IS NULL`", rule=_as("is null")),
    Scalar("isnotnull(value ANY) -> BOOLEAN", "`value IS NOT NULL`", rule=_is_not_null),
    Scalar("equal_null(a ANY, b ANY) -> BOOLEAN", "`a <=> b`", rule=_as("<=>")),
    Scalar(
        "greatest(value T, value T, …) -> T",
        "the greatest that is not NULL; NaN is greater than any other number",
        greatest,
        _most,
        total=True,
        maybe=True,
    ),
    Scalar(
        "least(value T, value T, …) -> T",
        "the least that is not NULL",
        least,
        _least,
        total=True,
        maybe=True,
    ),
    Scalar("try_add(a ANY, b ANY) -> ANY", "`a + b`, NULL where it does not fit its type", rule=_tried("+")),
    Scalar("try_subtract(a ANY, b ANY) -> ANY", "`a - b`, NULL where it does not fit its type", rule=_tried("-")),
    Scalar("try_multiply(a ANY, b ANY) -> ANY", "`a * b`, NULL where it does not fit its type", rule=_tried("*")),
    Scalar("try_divide(a ANY, b ANY) -> ANY", "`a / b`, NULL where it does not fit its type", rule=_tried("/")),
    Scalar("try_mod(a ANY, b ANY) -> ANY", "`a % b`, NULL where it does not fit its type", rule=_tried("%")),
)
