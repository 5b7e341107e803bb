"""Windows of time in a query: in comes a relation whose expressions name them, out comes one that has them as columns.

Below a projection that names a hopping window, rows come once for each window in which they lie. A row without a time
is in no window: where a column is computed of one, such rows are left out, as Spark does it.
"""

from dataclasses import replace
from datetime import timedelta

from punctum.errors import SqlError
from punctum.ir.expressions import Call, Column, Expression, conjunction
from punctum.ir.functions import call
from punctum.ir.hop import Hop
from punctum.ir.names import fresh
from punctum.ir.relations import Filter, Projection
from punctum.ir.time_windows import HOP, lengths, marks, moved, tumbled, tumbling
from punctum.ir.tree import Relation, transform
from punctum.parse.binder.outer import replaced

MOST = 10_000
"""No row is in more windows."""


def timed(relation: Relation) -> Relation:
    """A relation with the windows that it names."""
    return transform(relation, _timed)


def _timed(node: Relation) -> Relation:
    if not isinstance(node, Projection):
        return node
    times = dict.fromkeys(time for _, expression in node.columns for time in tumbled(expression))
    return _hopped(replace(node, input=_with_times(node.input, list(times))))


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
