"""Times as whole numbers, of days or microseconds since 1970, between the years 1 and 9999."""

from datetime import date, datetime, timedelta
from typing import Any

import polars as pl

from punctum.algebra.values import Type
from punctum.ir.expressions import Call, Literal
from punctum.ir.time_windows import lengths

WIDE = pl.Int128()
"""Where whole numbers are computed, before they have to fit."""
TOO_FAR = 2**100
"""What stands for a time beyond the years: no type of times holds it."""
_EPOCH = datetime(1970, 1, 1)
DAYS = ((date.min - _EPOCH.date()).days, (date.max - _EPOCH.date()).days)
INSTANTS = tuple((end - _EPOCH) // timedelta(microseconds=1) for end in (datetime.min, datetime.max))


def shifted(call: Call, args: list[pl.Expr]) -> pl.Expr:
    """A time moved by an interval, as a whole number of days or microseconds; one beyond what times can be is none."""
    (at,) = (n for n, arg in enumerate(call.args) if isinstance(arg, Literal) and isinstance(arg.value, timedelta))
    interval: Any = call.args[at].value  # type: ignore[union-attr]
    unit = timedelta(days=1) if call.type is Type.DATE else timedelta(microseconds=1)
    steps = interval // unit if call.op == "+" else -(interval // unit)
    moved = args[1 - at].cast(pl.Int32() if call.type is Type.DATE else pl.Int64()).cast(WIDE) + pl.lit(steps, WIDE)
    low, high = DAYS if call.type is Type.DATE else INSTANTS
    return pl.when((moved < low) | (moved > high)).then(pl.lit(TOO_FAR, WIDE)).otherwise(moved)


def tumbled(call: Call, args: list[pl.Expr]) -> pl.Expr:
    """The start of the window in which a time lies, in microseconds; one beyond what times can be is none."""
    size, *moved = (length // timedelta(microseconds=1) for length in lengths(call))
    at = args[0].cast(pl.Int64())
    start = at - (at - sum(moved)) % size
    return pl.when(start < INSTANTS[0]).then(pl.lit(TOO_FAR, WIDE)).otherwise(start.cast(WIDE))
