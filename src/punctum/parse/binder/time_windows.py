"""Windows of time: ``window(ts, '10 seconds')`` and ``session_window(ts, …)``, as Spark has them, and those in FROM.

A window has a start and an end, and both together are what it is: where it is grouped by, these are the keys. A window
of one size is known by its start, and its end is computed of it. ``window.start`` names the window of GROUP BY; so does
``w.start``, where SELECT calls it w. As a column of a result a window is two, ``w.start`` and ``w.end``.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from sqlglot import exp

from punctum.errors import Place, SqlError
from punctum.ir.expressions import Call, Column, Expression, Literal
from punctum.ir.functions import call
from punctum.ir.relations import Projection
from punctum.ir.time_windows import SESSION, hopping, lengths, moved, session
from punctum.ir.tree import Relation
from punctum.parse.binder.durations import duration
from punctum.parse.binder.scope import Scope
from punctum.parse.binder.syntax import Binds
from punctum.parse.lexer.timed import TimeClause

FUNCTIONS = ("window", "session_window")
FIELDS = ("start", "end")
_TICK, _NONE = timedelta(microseconds=1), timedelta()
_HINT = "group by it, or name its start or its end: window(ts, '10 seconds').start"
Bounds = tuple[Expression, Expression]
"""Where a window starts and where it ends."""


def is_window(node: exp.Expr) -> bool:
    """Whether a node is a call that gives a window."""
    return isinstance(node, exp.Anonymous) and node.name.lower() in FUNCTIONS


def keys(binder: Binds, node: exp.Expr) -> list[Expression]:
    """What rows are grouped by where they are by a window: the bounds, one of which may say all."""
    start, end = _bounds(binder, node)
    return [start, end] if isinstance(start, Call) and start.op in SESSION else [start]


def field(node: exp.Expr, name: str) -> exp.Expr:
    """The syntax for a bound of a window."""
    return exp.Dot(this=node.copy(), expression=exp.to_identifier(name))


def spread(items: list[exp.Expr], windows: Mapping[str, exp.Expr], scope: Scope) -> Iterator[exp.Expr]:
    """The items of SELECT, with two for each window: its bounds."""
    for item in items:
        inner, name = item.unalias(), item.alias_or_name
        if isinstance(inner, exp.Column) and not inner.table and not scope.has(inner.name.lower()):
            inner = windows.get(inner.name.lower(), inner)
        if is_window(inner):
            yield from (exp.alias_(field(inner, part), f"{name.lower()}.{part}", quoted=True) for part in FIELDS)
        else:
            yield item


def shown_as(item: exp.Expr, scope: Scope) -> str | None:
    """What a column is called that is a bound of a window."""
    named = isinstance(item, exp.Column) and item.table and not scope.names(item.table)
    return item.name.lower() if (named or isinstance(item, exp.Dot)) and item.name.lower() in FIELDS else None


def bound(binder: Binds, node: exp.Expr) -> Expression | None:
    """What a node says of windows: a bound, the last time in one, or that two are the same. Nothing for other nodes."""
    match node:
        case exp.Dot() if is_window(node.this):
            return _field(binder, node.this, node.expression.name.lower(), node)
        case exp.Anonymous() if node.name.lower() == "window_time":
            if len(node.expressions) != 1 or not is_window(node.expressions[0]):
                raise binder.refuse("WINDOW_TIME of anything but a window is", node, "write WINDOW_TIME(window)")
            return moved(_bounds(binder, node.expressions[0])[1], -_TICK)
        case exp.EQ() if is_window(node.this) and is_window(node.expression):
            pairs = zip(*(_bounds(binder, side) for side in (node.this, node.expression)), strict=True)
            starts, ends = (call("=", pair, binder.place(node)) for pair in pairs)
            return starts if _same_size(starts) else call("and", (starts, ends), binder.place(node))
    if is_window(node):
        raise SqlError("a window is no value by itself", "it has a start and an end", _HINT, binder.place(node))
    return None


def _same_size(starts: Expression) -> bool:
    """Whether windows whose starts are equal end together."""
    one, other = (arg for arg in starts.args)
    return isinstance(one, Call) and isinstance(other, Call) and lengths(one) == lengths(other)


def _field(binder: Binds, node: exp.Expr, name: str, whole: exp.Expr) -> Expression:
    if name not in FIELDS:
        raise SqlError(f"a window has no {name}", "it has a start and an end", _HINT, binder.place(whole))
    return _bounds(binder, node)[FIELDS.index(name)]


def _bounds(binder: Binds, node: Any) -> Bounds:
    """The bounds of the window that a call gives."""
    place, name = binder.place(node), node.name.lower()
    time, *others = node.expressions or [None]
    if time is None or not 1 <= len(others) <= (3 if name == "window" else 1):
        hint = "write window(ts, '10 seconds', '2 seconds'), or session_window(ts, '1 hour')"
        raise SqlError(f"{name.upper()} takes a time and durations", "", hint, place)
    size, *more = (_length(binder, other) for other in others)
    if name == "session_window":
        return session(binder.bind(time), _positive(size, place), None, place)
    return _of_size(binder.bind(time), size, more[0] if more else size, more[1] if more[1:] else _NONE, place)


def _of_size(time: Expression, size: timedelta, slide: timedelta, offset: timedelta, place: Place) -> Bounds:
    """The bounds of a window of one size."""
    if _positive(slide, place) > _positive(size, place) or abs(offset) >= slide:
        detail = f"size {size}, slide {slide}, offset {offset}"
        hint = "a slide is at most as long as the window, and an offset shorter than the slide"
        raise SqlError("there is no such window", detail, hint, place)
    start = hopping(time, size, slide, offset, place)
    return start, moved(start, size)


def _positive(length: timedelta, place: Place) -> timedelta:
    if length <= _NONE:
        raise SqlError("a window needs a duration greater than zero", "", "such as '10 seconds'", place)
    return length


def _length(binder: Binds, node: exp.Expr) -> timedelta:
    """A duration, as text or as an INTERVAL."""
    given = binder.bind(node)
    if isinstance(given, Literal) and isinstance(given.value, timedelta):
        return given.value
    if not isinstance(given, Literal) or not isinstance(given.value, str):
        raise SqlError("a window takes durations", "", "write a duration such as '10 seconds'", given.place)
    return duration(given.value.lower().strip().removeprefix("interval "), given.place)


def over(relation: Relation, clause: TimeClause) -> Relation:
    """The rows of a relation with their windows: columns window_start, window_end and window_time.

    In a session, that is a promise: only groups by these have them (``timed.py``).
    """
    own = [(a.name, Column(i, a.name, a, clause.place)) for i, a in enumerate(relation.schema.attributes)]
    by_name = {name.lower(): column for name, column in own}
    for name in (clause.time, *clause.by):
        if name.lower() not in by_name:
            detail = f"there are {', '.join(relation.schema.names)}"
            raise SqlError(f"there is no column {name}", detail, clause.hint, clause.place)
    time, place = by_name[clause.time.lower()], clause.place
    given = {key: duration(written, place) for key, written in clause.lengths.items()}
    if clause.function == "SESSION":
        by = tuple(by_name[name.lower()] for name in clause.by)
        start, end = session(time, _positive(given["GAP"], place), by, place)
        made: list[tuple[str, Expression]] = [("window_start", start), ("window_end", end)]
    else:
        size, offset = given["SIZE"], given.get("OFFSET", _NONE)
        first, last = _of_size(time, size, given.get("SLIDE", size), offset, place)
        made = [("window_start", first), ("window_end", last), ("window_time", moved(last, -1000 * _TICK))]
    for name, _ in made:
        if name in by_name:
            raise SqlError(f"the column {name} occurs twice", "", "rename the one of the table", place)
    return Projection(relation, (*own, *made), place)
