"""Units: a column in pieces that are closed as a whole, such as the hours of a time.

A unit is all values of one column for which an expression that keeps their order has one value: of DATE_TRUNC('hour',
ts) the hour in which ts lies. The clause names the expression; punctuations are on the column itself.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from punctum.algebra.pattern import EMPTY, Pattern, between
from punctum.algebra.scheme import Scheme
from punctum.algebra.trends import Trend
from punctum.algebra.values import Type, Value
from punctum.errors import ComputationError
from punctum.ir.expressions import Call, Column, Expression, columns, rebased, text
from punctum.ir.shape import image, shape

OPS = frozenset({"date_trunc", "local_trunc", "local", "cast", "div", "year"})
"""What computes units: functions that have a value for each of their column."""
_TICK = timedelta(microseconds=1)
_NUMBERS: dict[Type, tuple[Callable[[Any], int], Callable[[int], Any], int, int]] = {
    Type.BIGINT: (int, int, -(2**63), 2**63 - 1),
    Type.DATE: (date.toordinal, date.fromordinal, 1, date.max.toordinal()),
    Type.TIMESTAMP_NTZ: (
        lambda time: (time - datetime.min) // _TICK,
        lambda n: datetime.min + n * _TICK,
        0,
        (datetime.max - datetime.min) // _TICK,
    ),
    Type.TIMESTAMP: (
        lambda time: (time.astimezone(UTC).replace(tzinfo=None) - datetime.min) // _TICK,
        lambda n: (datetime.min + n * _TICK).replace(tzinfo=UTC),
        0,
        (datetime.max - datetime.min) // _TICK,
    ),
}


def is_unit(expression: Expression) -> bool:
    """Whether an expression has units: it keeps the order of a column of whole numbers, days or times."""
    known = shape(expression)
    return (
        known.source is not None
        and known.trend is Trend.INCREASING
        and _calls(expression) <= OPS
        and next(columns(expression)).type in _NUMBERS
    )


def _calls(expression: Expression) -> set[str]:
    own = {expression.op} if isinstance(expression, Call) else set()
    return own.union(*map(_calls, expression.args))


@lru_cache(maxsize=4096)
def unit(expression: Expression, value: Value) -> Pattern:
    """All values of the column that are in the unit of one of them; none where the order does not hold.

    >>> from punctum.parse.script import parse_query
    >>> from punctum.ir.definitions import StreamDef
    >>> from punctum.algebra import Schema
    >>> query = parse_query("SELECT n DIV 10 FROM a", {"a": StreamDef("a", Schema.of(n="BIGINT"))})
    >>> print(unit(query.columns[0][1], 34))
    [30,39]
    """
    column = next(columns(expression))
    number, back, least, most = _NUMBERS[column.type]
    wanted = _at(expression, column, value)
    if wanted is None:
        return EMPTY

    def within(n: int) -> bool:
        return _at(expression, column, back(n)) == wanted

    low, high = _last(within, number(value), least), _last(within, number(value), most)
    return between(None if low == least else back(low), None if high == most else back(high))


def _at(expression: Expression, column: Column, value: Any) -> Value | None:
    try:
        return image(expression, tuple(value if i == column.index else None for i in range(column.index + 1)))
    except ComputationError:
        return None


def _last(within: Callable[[int], bool], start: int, end: int) -> int:
    """The last number towards an end up to which all are within, in steps that double and then halve."""
    good, step = start, 1 if end >= start else -1
    while good != end:
        ahead = min(good + step, end) if step > 0 else max(good + step, end)
        if not within(ahead):
            break
        good, step = ahead, 2 * step
    while abs(step) > 1:
        step = step // 2 if step > 0 else -(-step // 2)
        ahead = min(good + step, end) if step > 0 else max(good + step, end)
        good = ahead if within(ahead) else good
    return good


def unit_key(expression: Expression) -> str:
    """What two expressions of a column have in common that have the same units."""
    return text(rebased(expression, lambda column: Column(0, "", column.attribute)))


def terms_text(scheme: Scheme, expression: Expression | None = None) -> str:
    """The terms of a scheme as a clause has them, the last one computed if it is.

    >>> from punctum.algebra import Schema
    >>> terms_text(Scheme.of(Schema.of(sid="STRING", ts="TIMESTAMP"), "sid", "ts ASC"))
    '(sid, ts ASC)'
    """
    *names, last = scheme.attributes
    shown = [*names, last if expression is None else text(expression)]
    orders = (order.value for _, order in scheme.terms)
    return "(" + ", ".join(f"{name} {order}".strip() for name, order in zip(shown, orders, strict=True)) + ")"
