"""Windows of time as expressions: the bounds of those in which a time lies.

``tumble (time, size[, offset])`` is a function: the start of the one window of that size in which a time lies. Windows
begin at multiples of their size since 1970, moved by the offset. It keeps the order of time.

The others are not functions of a row. They stand in a projection until ``parse/binder/timed.py`` puts a relation below
that has them as columns: ``hop (time, size, slide[, offset])``, the start of one of the windows in which a time lies,
of which one begins with each slide; ``session_start`` and ``session_end (time, gap, key…)``, the bounds of the rows of
a key between which there is no gap.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from punctum.algebra.schema import Attribute
from punctum.algebra.values import Type
from punctum.errors import Place
from punctum.ir.expressions import Call, Expression, Literal, kind, mismatch

HOP = "hop"
SESSION = ("session_start", "session_end")
TIMES = (Type.TIMESTAMP, Type.TIMESTAMP_NTZ)
_EPOCH = datetime(1970, 1, 1)
_NONE = timedelta()
_OWN = Literal(True, Type.BOOLEAN)


def tumble(time: datetime, size: timedelta, offset: timedelta = _NONE) -> datetime:
    """The start of the window of a size in which a time lies.

    >>> tumble(datetime(2026, 11, 18, 12, 0, 17), timedelta(seconds=10), timedelta(seconds=2))
    datetime.datetime(2026, 11, 18, 12, 0, 12)
    """
    return time - (time - _EPOCH.replace(tzinfo=time.tzinfo) - offset) % size


def tumbling(time: Expression, size: timedelta, offset: timedelta, place: Place) -> Call:
    """The start of the window in which a time lies."""
    return _of_time("tumble", time, (size, *([offset] if offset else [])), place)


def hopping(time: Expression, size: timedelta, slide: timedelta, offset: timedelta, place: Place) -> Call:
    """The start of one of the windows in which a time lies; where they do not overlap, of the only one."""
    if size == slide:
        return tumbling(time, size, offset, place)
    return _of_time(HOP, time, (size, slide, *([offset] if offset else [])), place)


def session(time: Expression, gap: timedelta, keys: tuple[Expression, ...] | None, place: Place) -> tuple[Call, Call]:
    """The start and the end of the session in which a time lies, by keys, or by those of the groups that it is in."""
    given = () if keys is None else (*keys, _OWN)
    start, end = (_of_time(op, time, (gap,), place) for op in SESSION)
    return replace(start, args=start.args + given), replace(end, args=end.args + given)


def own_keys(mark: Call) -> tuple[Expression, ...] | None:
    """The keys of a session; nothing where these are those of the groups that it is in."""
    return tuple(arg for arg in mark.args[1:] if not isinstance(arg, Literal)) if _OWN in mark.args else None


def moved(time: Expression, length: timedelta) -> Call:
    """A time so much later, or earlier, whatever the clocks of a zone do meanwhile."""
    by = Literal(abs(length), Type.INTERVAL, place=time.place)
    return Call("+" if length > _NONE else "-", (time, by), kind(time.type, time.nullable), time.place)


def lengths(call: Call) -> tuple[timedelta, ...]:
    """The lengths that a window is given by: its size, slide and offset, or its gap."""
    values = (arg.value for arg in call.args if isinstance(arg, Literal))
    return tuple(value for value in values if isinstance(value, timedelta))


def marks(expression: Expression) -> Iterator[Call]:
    """The parts of an expression that are no functions of a row."""
    if isinstance(expression, Call) and (expression.op == HOP or expression.op in SESSION):
        yield expression
    else:
        for arg in expression.args:
            yield from marks(arg)


def tumbled(expression: Expression) -> Iterator[Expression]:
    """The times of which an expression has the window."""
    if isinstance(expression, Call) and expression.op == "tumble":
        yield expression.args[0]
    for arg in expression.args:
        yield from tumbled(arg)


def _of_time(op: str, time: Expression, over: tuple[timedelta, ...], place: Place) -> Call:
    if time.type not in TIMES or (isinstance(time, Literal) and time.value is None):
        raise mismatch("a window is of times", place, "it takes TIMESTAMP and TIMESTAMP_NTZ; CAST other types", time)
    of: Attribute = kind(time.type, time.nullable)
    return Call(op, (time, *(Literal(length, Type.INTERVAL) for length in over)), of, place)
