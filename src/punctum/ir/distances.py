"""Comparisons with a constant, as comparisons of the difference that they are about.

How far two values are apart is two comparisons: ``ABS(a.k - b.k) <= 5`` is ``a.k - b.k <= 5`` and ``a.k - b.k >= -5``.
Whole units are counted towards zero, so ``TIMESTAMPDIFF(HOUR, a.ts, b.ts) <= 1`` is ``b.ts - a.ts < 2 hours``. A whole
number that is at most 5.5 is at most 5.
"""

from datetime import timedelta
from decimal import Decimal
from math import ceil, floor, isfinite

from punctum.algebra.values import Type, Value
from punctum.ir.differences import LENGTHS
from punctum.ir.expressions import Call, Expression, Literal
from punctum.ir.functions import call
from punctum.ir.shape import EXACT, exact_step

SWAPPED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""Comparisons with their sides exchanged."""
_FIXED = ("WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")
"""Units that are as long each time."""
_WHOLE = range(-(2**63), 2**63)


def compared_apart(comparison: Expression) -> Expression | None:
    """A comparison with a constant, of which this module speaks, as others that are true for the same values."""
    match comparison:
        case Call(op, (value, Literal() as limit)) if op in SWAPPED:
            return _compared(op, value, limit)
        case Call(op, (Literal() as limit, value)) if op in SWAPPED:
            return _compared(SWAPPED[op], value, limit)
    return None


def _compared(op: str, value: Expression, limit: Literal) -> Expression | None:
    match value, limit.value:
        case Call("cast", (inside,)), Decimal() | float() if inside.type is Type.BIGINT and exact_step(value):
            return _whole(op, inside, limit)
        case Call("cast", (inside,)), float(most) if inside.type is Type.BIGINT and abs(most) < EXACT:
            return _whole(op, inside, limit)
        case Call("cast", (Call("abs") as inside,)), _:
            return _compared(op, inside, limit)
        case Call("abs", (apart,)), most if op in ("<", "<=") and _positive(most) and _is_difference(apart):
            least = call("negate", (limit,), limit.place)
            ends = (call(op, (apart, limit), value.place), call(SWAPPED[op], (apart, least), value.place))
            return call("and", ends, value.place)
        case Call("whole units", (Literal(str() as unit), begin, end)), int(units) if unit in _FIXED:
            return _in_units(op, call("-", (end, begin), value.place), unit, units)
    return None


def _is_difference(value: Expression) -> bool:
    return isinstance(value, Call) and value.op in ("-", "datediff", "whole units")


def _positive(value: Value | None) -> bool:
    return isinstance(value, int | float | Decimal) and value >= 0


def _whole(op: str, value: Expression, limit: Literal) -> Expression | None:
    """A whole number beside another limit, beside a whole one."""
    most = limit.value
    if not isinstance(most, Decimal | float) or not isfinite(most) or (op == "=" and most != floor(most)):
        return None
    nearest = floor(most) if op in ("<=", ">", "=") else ceil(most)
    return call(op, (value, Literal(nearest, Type.BIGINT)), value.place) if nearest in _WHOLE else None


def _in_units(op: str, apart: Expression, unit: str, units: int) -> Expression | None:
    """So many whole units between two times, as limits of the interval between them."""
    most = {"<": units - 1, "<=": units, "=": units}.get(op)
    least = {">": units + 1, ">=": units, "=": units}.get(op)
    ends = [
        *([] if most is None else [("<", most + 1) if most >= 0 else ("<=", most)]),
        *([] if least is None else [(">", least - 1) if least <= 0 else (">=", least)]),
    ]
    try:
        limits = [(by, timedelta(microseconds=LENGTHS[unit]) * count) for by, count in ends]
    except OverflowError:
        return None
    comparisons = [call(by, (apart, Literal(limit, Type.INTERVAL)), apart.place) for by, limit in limits]
    return comparisons[0] if len(comparisons) == 1 else call("and", comparisons, apart.place)
