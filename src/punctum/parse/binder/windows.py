"""Where windows may stand: a relation in, an error out where one stands elsewhere.

A window is over rows of one stream. Above it are selections and projections; joins, of which each then is one join of
windows and other streams; UNION ALL; or one grouping whose groups are the rows of the result. DISTINCT and the like
would have to take rows back when others leave a window.
"""

from collections.abc import Sequence
from enum import Enum

from punctum.errors import Place, SqlError
from punctum.ir.relations import Aggregate, Filter, Join, Projection, Source, UnionAll, Window
from punctum.ir.tree import Relation, fold


class _Kind(Enum):
    """What a relation has of windows."""

    PLAIN = "no window"
    WINDOW = "a window"
    JOINED = "a join of windows"
    UNION = "a union of windows"
    GROUPS = "groups of a window"


def check_input(relation: Relation, place: Place) -> Relation:
    """A relation that a window may be over: a stream under selections and projections."""
    below = relation
    while isinstance(below, Filter | Projection):
        below = below.input
    if isinstance(below, Source):
        return relation
    what = "a window over a window" if isinstance(below, Window) else "a window over more than rows of one stream"
    hint = "a window follows a stream, or a query that only filters and computes columns of one stream"
    raise SqlError(f"{what} is not supported", "", hint, place)


def check_windows(relation: Relation) -> None:
    """Refuse a query whose windows stand where they cannot be run."""
    fold(relation, _kind)


def _kind(relation: Relation, below: Sequence[_Kind]) -> _Kind:
    """What a relation has of windows, given what its inputs have."""
    windows = [kind for kind in below if kind is not _Kind.PLAIN]
    if isinstance(relation, Window):
        return _Kind.WINDOW
    if not windows:
        return _Kind.PLAIN
    match relation, windows[0]:
        case (Projection(), kind):
            return kind
        case (Filter(), kind) if kind is not _Kind.GROUPS:
            return kind
        case (Aggregate(), _Kind.WINDOW) if relation.aggregates:
            return _Kind.GROUPS
        case (Join(), _) if not {_Kind.UNION, _Kind.GROUPS}.intersection(windows):
            return _Kind.JOINED
        case (UnionAll(), _) if _Kind.GROUPS not in windows:
            return _Kind.UNION
    raise _refused(relation, windows[-1])


def _refused(relation: Relation, kind: _Kind) -> SqlError:
    names = {
        "OrderBy": "ORDER BY",
        "Ranked": "a ranking function",
        "Over": "a window function",
        "Aggregate": "GROUP BY",
        "Filter": "HAVING",
        "Join": "JOIN",
        "OuterJoin": "an outer join, EXISTS or IN",
        "UnionAll": "UNION ALL",
    }
    what = names.get(type(relation).__name__, type(relation).__name__.upper())
    hint = "supported over windows: WHERE, joins, UNION ALL, and one GROUP BY over a single window at the end"
    detail = "rows that leave a window would have to be retracted"
    return SqlError(f"{what} over {kind.value} is not supported", detail, hint)
