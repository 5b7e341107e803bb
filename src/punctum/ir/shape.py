"""How punctuations pass a computed column: the one attribute that it reads, whether it is injective, and its trend.

What ``spec/columns.py`` asks of a function: NULL for NULL and only for NULL, and order kept or reversed among all
values, NaN included, which is the greatest. Where that is not certain the answer is "neither": a DOUBLE times a
negative number would put NaN last again, and adding to a DOUBLE rounds, so that two sums may be equal.

Local time runs backwards when clocks go back. A function of it keeps order when it does so around every change of its
zone's clocks, or around all later ones: then ``image`` has no value before. Where clocks go on to break its order, as
those of Berlin do for local time itself, the answer is "neither".
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import lru_cache
from math import isfinite
from typing import Any, NamedTuple

from punctum.algebra.pattern import between
from punctum.algebra.trends import Trend
from punctum.algebra.values import Row, Type, Value
from punctum.errors import ComputationError
from punctum.ir.applied import Applied
from punctum.ir.evaluate import evaluate
from punctum.ir.expressions import Call, Column, Expression, Literal, text
from punctum.ir.expressions.zones import ALWAYS, NEVER, OPS, Change, fixed, ordered_since, trunc_in_order
from punctum.ir.functions import FUNCTIONS
from punctum.ir.functions.define import Step

UP, DOWN, NEITHER = Trend.INCREASING, Trend.DECREASING, Trend.NEITHER
EXACT = 2**53
"""Whole numbers up to this one are DOUBLEs without loss."""


class Shape(NamedTuple):
    """The position of the attribute that an expression reads, if it is one, and how its order passes."""

    source: int | None
    injective: bool = False
    trend: Trend = NEITHER


def shape(expression: Expression) -> Shape:
    """What is certain about an expression as a function of one attribute.

    >>> from punctum.parse.script import parse_query
    >>> from punctum.ir.relations import Projection
    >>> from punctum.ir.definitions import StreamDef
    >>> from punctum.algebra import Schema
    >>> bid = StreamDef("bid", Schema.of(itemid="BIGINT", ts="TIMESTAMP"))
    >>> query = parse_query("SELECT 5 - itemid, date_trunc('HOUR', ts) FROM bid", {"bid": bid})
    >>> [tuple(shape(column)) for _, column in query.columns]
    [(0, True, <Trend.DECREASING: 'decreasing'>), (1, False, <Trend.INCREASING: 'increasing'>)]
    """
    made = _shape(expression)
    broken = made.trend is not NEITHER and any(since is NEVER for _, since in _zoned(expression))
    return (Shape(made.source, True) if made.injective else Shape(None)) if broken else made


def image(expression: Expression, row: Row) -> Value | None:
    """The value of an expression at an end of a pattern; an error when its order holds only from a later time on."""
    for argument, since in _zoned(expression):
        value = evaluate(argument, row)
        if value is not None and _before(value, since):
            raise ComputationError(f"the order of {text(expression, True)} holds from {since.date()} on", "", "")
    return evaluate(expression, row)


def _shape(expression: Expression) -> Shape:
    """The shape, as if the clocks of all zones kept the order of time."""
    if isinstance(expression, Column):
        return Shape(expression.index, True, UP)
    if isinstance(expression, Literal | Applied):
        return Shape(None)
    at = [i for i, arg in enumerate(expression.args) if not isinstance(arg, Literal)]
    if len(at) != 1 or any(isinstance(arg, Literal) and arg.value is None for arg in expression.args):
        return Shape(None)
    below = _shape(expression.args[at[0]])
    injective, trend = _STEPS.get(expression.op, _neither)(expression, at[0])
    if below.source is None or (not injective and trend is NEITHER):
        return Shape(None)
    return Shape(below.source, injective and below.injective, _then(below.trend, trend))


def depends_on_zone(expression: Expression) -> bool:
    """Whether an expression computes with local times of a zone."""
    own = isinstance(expression, Call) and expression.op in OPS
    return own or any(map(depends_on_zone, expression.args))


def _zoned(expression: Expression) -> Iterator[tuple[Call | Column, datetime]]:
    """The arguments of calls that depend on a zone, and from which instant on these calls keep their order."""
    here = expression
    while isinstance(here, Call) and not isinstance(here, Applied):
        arguments = [arg for arg in here.args if isinstance(arg, Call | Column)]
        if len(arguments) != 1:
            return
        if here.op in OPS:
            yield arguments[0], _since(here, arguments[0], expression)
        here = arguments[0]


@lru_cache(maxsize=256)
def _since(call: Call, argument: Call | Column, whole: Expression) -> datetime:
    """From which instant on a call keeps order; for local time, the expression that it is part of."""
    zone, unit = str(_last(call)), call.args[0]

    def in_order(at: datetime, change: Change) -> bool:
        match call.op:
            case "local" if isinstance(argument, Column):
                moments = (at - timedelta(microseconds=1), at)
                before, after = (_of_column(whole, argument, moment) for moment in moments)
                return bool(before <= after if _shape(whole).trend is UP else before >= after)
            case "local":
                return change.after > change.before
            case "instant":
                return argument.type is Type.DATE or change.after < change.before
            case "local_trunc":
                assert isinstance(unit, Literal)
                return trunc_in_order(str(unit.value), zone, at)
        return False

    since = ordered_since(zone, in_order)
    moved = timedelta()
    if call.op == "local_plus" and since not in (ALWAYS, NEVER):
        moved = next(abs(a.value) for a in call.args if isinstance(a, Literal) and isinstance(a.value, timedelta))
    return since + moved if moved < NEVER - since else NEVER


def _last(call: Call) -> object:
    literal = call.args[-1]
    assert isinstance(literal, Literal)
    return literal.value


def _of_column(expression: Expression, column: Column, value: Value) -> Any:
    return evaluate(expression, tuple(value if i == column.index else None for i in range(column.index + 1)))


def _before(value: Any, since: datetime) -> bool:
    """Whether a time is before an instant, all that zones differ by aside."""
    if isinstance(value, datetime):
        return value < (since if value.tzinfo is not None else since.replace(tzinfo=None))
    return bool(value < since.date())


def onto(expression: Expression) -> bool:
    """Whether an expression of one attribute gives every value of its type, overflows aside.

    >>> from punctum.parse.script import parse_query
    >>> from punctum.ir.definitions import StreamDef
    >>> from punctum.algebra import Schema
    >>> bid = StreamDef("bid", Schema.of(itemid="BIGINT"))
    >>> query = parse_query("SELECT 5 - itemid, itemid * 2 FROM bid", {"bid": bid})
    >>> [onto(column) for _, column in query.columns]
    [True, False]
    """
    if isinstance(expression, Column):
        return True
    if not isinstance(expression, Call) or expression.op not in _ONTO:
        return False
    computed = [i for i, arg in enumerate(expression.args) if not isinstance(arg, Literal)]
    if len(computed) != 1:  # a constant, or a value that depends on others
        return False
    (at,) = computed
    if expression.args[at].type is not expression.type:
        return False
    return onto(expression.args[at]) and (expression.op != "*" or abs(_other(expression, at)) == 1)


def exact_step(call: Call) -> bool:
    """Whether a sum, a difference or a cast of an exact type loses nothing, so that it only moves or renames values."""
    if call.op == "cast":
        return _cast(call, 0) == (True, UP)
    return call.type is not Type.DOUBLE and _exact(call, 0)


_ONTO = ("+", "-", "*", "negate", "not", "date_add", "date_sub")


def _then(first: Trend, second: Trend) -> Trend:
    if NEITHER in (first, second):
        return NEITHER
    return UP if first is second else DOWN


def _neither(call: Call, at: int) -> Step:
    return False, NEITHER


def _other(call: Call, at: int) -> Any:
    """The literal beside the argument."""
    literal = call.args[1 - at]
    assert isinstance(literal, Literal)
    return literal.value


def _plus(call: Call, at: int) -> Step:
    if call.type is Type.DOUBLE:
        return False, UP if isfinite(_other(call, at)) else NEITHER
    return _exact(call, at), UP


def _minus(call: Call, at: int) -> Step:
    if at == 0:
        return _plus(call, at)
    if call.type is Type.DOUBLE:
        return False, NEITHER
    return _exact(call, at), DOWN


def _exact(call: Call, at: int) -> bool:
    """Whether a DECIMAL result has all digits that its arguments have behind the point."""
    if call.type is not Type.DECIMAL:
        return True
    scales = [arg.attribute.digits[1] for arg in call.args]
    needed = sum(scales) if call.op == "*" else max(scales)
    return call.attribute.digits[1] >= needed


def _times(call: Call, at: int) -> Step:
    factor = _other(call, at)
    if not factor or not isfinite(factor):
        return False, NEITHER
    if call.type is Type.DOUBLE:
        return False, UP if factor > 0 else NEITHER
    return _exact(call, at), UP if factor > 0 else DOWN


def _divide(call: Call, at: int) -> Step:
    divisor = _other(call, at)
    if at == 1 or not divisor or not isfinite(divisor):
        return False, NEITHER
    return False, UP if divisor > 0 else NEITHER if call.type is Type.DOUBLE else DOWN


def _negate(call: Call, at: int) -> Step:
    return True, NEITHER if call.type is Type.DOUBLE else DOWN


def _cast(call: Call, at: int) -> Step:
    source, target = call.args[0].attribute, call.attribute
    if target.domain.null and not source.domain.null:  # it may fail
        return False, NEITHER
    match source.type, target.type:
        case Type.BIGINT, Type.DOUBLE:
            return between(-EXACT, EXACT).covers(source.domain), UP
        case Type.BIGINT, Type.DECIMAL:
            return (True, UP) if target.digits[0] - target.digits[1] >= 19 else (False, NEITHER)
        case Type.DECIMAL, Type.DECIMAL:
            room = target.digits[0] - target.digits[1] - (source.digits[0] - source.digits[1])
            exact = target.digits[1] >= source.digits[1]
            return (exact, UP) if room > 0 or (room == 0 and exact) else (False, NEITHER)
        case Type.DECIMAL, Type.DOUBLE:
            return False, UP
        case (Type.DATE, Type.TIMESTAMP | Type.TIMESTAMP_NTZ) | (Type.TIMESTAMP, Type.TIMESTAMP_NTZ):
            return True, UP
        case (Type.TIMESTAMP_NTZ, Type.TIMESTAMP) | (Type.BOOLEAN, Type.BIGINT | Type.DOUBLE):
            return True, UP
        case Type.TIMESTAMP | Type.TIMESTAMP_NTZ, Type.DATE | Type.BIGINT:
            return False, UP
        case ((Type.BIGINT | Type.DATE | Type.TIMESTAMP | Type.TIMESTAMP_NTZ | Type.BOOLEAN), Type.STRING):
            return True, NEITHER
    return False, NEITHER


def _local(call: Call, at: int) -> Step:
    """Local times and instants: a text may be none, and two days may begin at one instant."""
    if call.args[at].type is Type.STRING:
        return False, NEITHER
    return fixed(str(_last(call))), UP


def _rising(call: Call, at: int) -> Step:
    return False, UP


_STEPS: dict[str, Callable[[Call, int], Step]] = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "/": _divide,
    "div": _divide,
    "negate": _negate,
    "not": lambda call, at: (True, DOWN),
    "cast": _cast,
    "local_trunc": lambda call, at: (False, UP if at == 1 else NEITHER),
    **dict.fromkeys(("local", "instant"), _local),
    **dict.fromkeys(("local_plus", "tumble"), _rising),
    **{name: entry.passing for name, entry in FUNCTIONS.items() if entry.step is not None},
}
