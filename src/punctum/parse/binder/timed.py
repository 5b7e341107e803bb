"""Windows of time in a query: in comes a relation whose expressions name them, out comes one that has them as columns.

Below a projection that names a hopping window, rows come once for each window in which they lie. Groups by a session
are sessions, whose other keys are those of the groups; in FROM, these have to be the keys that it names. A row without
a time is in no window: where a column is computed of one, such rows are left out, as Spark does it.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from punctum.errors import SqlError
from punctum.ir.expressions import Call, Column, Expression, conjunction, rebased, text
from punctum.ir.functions import call
from punctum.ir.hop import Hop
from punctum.ir.names import fresh
from punctum.ir.relations import Aggregate, Filter, Projection
from punctum.ir.session import Sessions
from punctum.ir.time_windows import HOP, SESSION, lengths, marks, moved, own_keys, tumbled, tumbling
from punctum.ir.tree import Relation, transform, walk
from punctum.parse.binder.outer import replaced

MOST = 10_000
"""No row is in more windows."""


def timed(relation: Relation) -> Relation:
    """A relation with the windows that it names."""
    made = transform(relation, _timed)
    for node in walk(made):
        for mark in (mark for _, e in (node.columns if isinstance(node, Projection) else ()) for mark in marks(e)):
            raise SqlError("a session is of groups", "its rows are not known before it is over", _GROUPS, mark.place)
    return made


_GROUPS = (
    "write GROUP BY session_window(ts, '10 seconds'), k; of SESSION, GROUP BY window_start, window_end and its keys"
)


def _timed(node: Relation) -> Relation:
    match node:
        case Projection():
            if isinstance(node.input, Projection) and any(_sessions(node.input)):
                return replace(node, input=node.input.input, columns=_through(node, node.input))
            times = dict.fromkeys(time for _, expression in node.columns for time in tumbled(expression))
            return _hopped(replace(node, input=_with_times(node.input, list(times))))
        case Aggregate(input=Projection() as below) if any(_sessions(below)):
            return _grouped(node, below)
    return node


def _sessions(node: Projection) -> Iterator[Call]:
    return (mark for _, expression in node.columns for mark in marks(expression) if mark.op in SESSION)


def _through(node: Projection, below: Projection) -> tuple[tuple[str, Expression], ...]:
    """The columns of a projection over another one, over what is below both."""
    return tuple((name, rebased(e, lambda column: below.columns[column.index][1])) for name, e in node.columns)


def _grouped(node: Aggregate, below: Projection) -> Relation:
    """Groups by a session, as sessions: their columns in the order of the groups."""
    by = [(name, column, below.columns[column.index][1]) for name, column in node.keys]
    named = {key: name for name, _, key in by if isinstance(key, Call) and key.op in SESSION}
    keys = tuple((name, column) for name, column, key in by if key not in named)
    read = [below.columns[column.index][1] for column in (*(column for _, column in keys), *_arguments(node))]
    if len({mark.args for mark in named}) != 1 or any(True for e in read for _ in marks(e)):
        raise SqlError("a session is of groups by it", "", _GROUPS, node.place)
    mark = next(iter(named))
    time, own = mark.args[0], own_keys(mark)
    if own is not None and set(own) != {key for _, _, key in by if key not in named}:
        detail = f"its keys are {', '.join(text(key, True) for key in own)}" if own else "it has none: PARTITION BY"
        raise SqlError("a session is grouped by other columns than its keys", detail, _GROUPS, mark.place)
    names, taken = {key.op: name for key, name in named.items()}, [name.lower() for name in node.schema.names]
    start, end = (names.get(op) or fresh(op, taken) for op in SESSION)
    rows, (first, last) = _with_bounds(below, mark, time)
    made = Sessions(rows, keys, first, last, lengths(mark)[0], (start, end), node.aggregates, node.place)
    if made.schema.names == node.schema.names:
        return replace(made, alias=node.alias)
    at = made.schema.index
    shown = tuple((name, _column(made, at(name))) for name in node.schema.names)
    return Projection(made, shown, node.place, alias=node.alias)


def _arguments(node: Aggregate) -> list[Column]:
    return [column for call in node.aggregates for column in (call.argument, call.filter) if column is not None]


def _with_bounds(below: Projection, mark: Call, time: Expression) -> tuple[Relation, list[Column]]:
    """Rows with times in the place of their sessions: a column of the time, and one that is a gap after it."""
    columns = list(below.columns)
    taken, positions = [name.lower() for name, _ in columns], list[int]()
    for op, bound in zip(SESSION, (time, moved(time, lengths(mark)[0])), strict=True):
        session = replace(mark, op=op)
        if session not in (expression for _, expression in columns):
            columns.append((fresh(op, taken), session))
        positions.append([expression for _, expression in columns].index(session))
        columns = [(name, replaced(expression, session, bound)) for name, expression in columns]
    rows = Projection(_with_times(below.input, [time]), tuple(columns), below.place)
    return rows, [_column(rows, at) for at in positions]


def _column(relation: Relation, at: int) -> Column:
    return Column(at, relation.schema.names[at], relation.schema.attributes[at])


def _with_times(relation: Relation, times: list[Expression]) -> Relation:
    """The rows of a relation that have times."""
    tests = [call("is null", (time,), time.place) for time in times if time.nullable]
    condition = conjunction([call("not", (test,), test.place) for test in tests])
    return relation if condition is None else Filter(relation, condition, condition.place)


def _hopped(node: Projection) -> Projection:
    """A projection over rows in each of their windows, where it names these."""
    named = dict.fromkeys(mark for _, e in node.columns for mark in marks(e) if mark.op == HOP)
    if not named:
        return node
    window, *others = named
    if others:
        raise SqlError("two hopping windows cannot be used together", "", "use a subquery for one", others[0].place)
    below = _in_windows(node.input, window)
    start = Column(len(below.schema) - 1, below.schema.names[-1], below.schema.attributes[-1], window.place)
    columns = tuple((name, replaced(expression, window, start)) for name, expression in node.columns)
    return replace(node, input=below, columns=columns)


def _in_windows(relation: Relation, window: Call) -> Hop:
    """The rows of a relation, in each window: these start after the time less the size, and not after the time."""
    time, (size, slide, *offset) = window.args[0], lengths(window)
    if size // slide > MOST:
        hint = f"a row is in at most {MOST:,} windows"
        raise SqlError("a window slides too often", f"{size // slide:,} times in its size", hint, window.place)
    last = tumbling(time, slide, sum(offset, timedelta()), window.place)
    first = moved(tumbling(moved(time, -size), slide, sum(offset, timedelta()), window.place), slide)
    relation = _with_times(relation, [time])
    taken = list(relation.schema.names)
    own = tuple((name, Column(i, name, relation.schema.attributes[i])) for i, name in enumerate(taken))
    lower = [name.lower() for name in taken]
    bounds = tuple((fresh(name, lower), bound) for name, bound in (("first window", first), ("last window", last)))
    return Hop(Projection(relation, (*own, *bounds), window.place), slide, fresh("window start", lower), window.place)
