"""Times as whole numbers, of days or microseconds since 1970, between the years 1 and 9999."""

from datetime import date, datetime, timedelta

import polars as pl

from punctum.algebra.values import Type
from punctum.ir.expressions import Call, Expression, Literal
from punctum.ir.time_windows import lengths

WIDE = pl.Int128()
"""Where whole numbers are computed, before they have to fit."""
TOO_FAR = 2**100
"""What stands for a time beyond the years: no type of times holds it."""
_EPOCH = datetime(1970, 1, 1)
DAYS = ((date.min - _EPOCH.date()).days, (date.max - _EPOCH.date()).days)
INSTANTS = tuple((end - _EPOCH) // timedelta(microseconds=1) for end in (datetime.min, datetime.max))


def shifted(call: Call, args: list[pl.Expr]) -> pl.Expr:
    """Times and intervals, added or subtracted: a whole number of days or microseconds.

    A time beyond what times can be is none.
    """
    one, other = (_steps(arg, of, call.type) for arg, of in zip(args, call.args, strict=True))
    moved = one + other if call.op == "+" else one - other
    if call.type is Type.INTERVAL:
        return moved
    low, high = DAYS if call.type is Type.DATE else INSTANTS
    return pl.when((moved < low) | (moved > high)).then(pl.lit(TOO_FAR, WIDE)).otherwise(moved)


def _steps(arg: pl.Expr, of: Expression, result: Type) -> pl.Expr:
    """A time or an interval in the steps of a result."""
    if isinstance(of, Literal) and isinstance(of.value, timedelta):
        step = timedelta(days=1) if result is Type.DATE else timedelta(microseconds=1)
        return pl.lit(of.value // step, WIDE)
    return arg.cast(pl.Int32() if result is Type.DATE else pl.Int64()).cast(WIDE)


def tumbled(call: Call, args: list[pl.Expr]) -> pl.Expr:
    """The start of the window in which a time lies, in microseconds; one beyond what times can be is none."""
    size, *moved = (length // timedelta(microseconds=1) for length in lengths(call))
    at = args[0].cast(pl.Int64())
    start = at - (at - sum(moved)) % size
    return pl.when(start < INSTANTS[0]).then(pl.lit(TOO_FAR, WIDE)).otherwise(start.cast(WIDE))
