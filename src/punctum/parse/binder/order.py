"""ORDER BY: each key is a column of the result, or one that is computed beside it and dropped after sorting."""

from dataclasses import dataclass, field

from sqlglot import exp

from punctum.errors import Place, SqlError, choices, nearest
from punctum.ir.expressions import Expression, text
from punctum.ir.names import fresh
from punctum.ir.types import is_null
from punctum.parse.binder.bind import Binder

Named = tuple[str, Expression]


@dataclass(frozen=True)
class SortTerm:
    """The keys, by position among the columns and those that are hidden after them."""

    keys: list[tuple[int, bool, bool | None]] = field(default_factory=list)
    hidden: list[Named] = field(default_factory=list)
    place: Place = field(default_factory=Place)


def sort_keys(node: exp.Expr | None, columns: list[Named], binder: Binder, closed: bool) -> SortTerm:
    """The keys of ORDER BY over the columns of a SELECT; a closed result takes no hidden ones."""
    if node is None:
        return SortTerm()
    term = SortTerm(place=binder.place(node))
    binder.clause = "ORDER BY"
    for key in node.expressions:
        ordered = key if isinstance(key, exp.Ordered) else exp.Ordered(this=key, nulls_first=True)
        if ordered.args.get("with_fill"):
            raise binder.refuse("ORDER BY … WITH FILL is", key)
        down = bool(ordered.args.get("desc"))
        first = bool(ordered.args.get("nulls_first"))
        at = _position(ordered.this, columns, term.hidden, binder, closed)
        term.keys.append((at, down, None if first is not down else first))
    return term


def ordinal(node: exp.Literal, count: int, place: Place) -> int:
    """The position among the columns of SELECT, from 0, that a number in GROUP BY or ORDER BY means."""
    written = str(node.this)
    if not written.isdecimal() or len(written) > 9 or not 1 <= int(written) <= count:
        raise SqlError(f"there is no column {written[:50]} in SELECT", f"columns in SELECT: {count}", "", place)
    return int(written) - 1


def _position(node: exp.Expr, columns: list[Named], hidden: list[Named], binder: Binder, closed: bool) -> int:
    names = [name.lower() for name, _ in columns]
    if isinstance(node, exp.Literal) and not node.is_string:
        return ordinal(node, len(columns), binder.place(node))
    if isinstance(node, exp.Column) and not node.table and node.name.lower() in names:
        return names.index(node.name.lower())
    if closed and not binder.scope.tables:
        shown = [name for name, _ in columns]
        what = f"ORDER BY takes columns of the result here, and {binder.shown(node)} is not one"
        raise SqlError(what, choices(shown), nearest(node.name, shown), binder.place(node))
    expression = binder.bind(node)
    if is_null(expression):
        raise SqlError("ORDER BY needs a value with a type", "", "", expression.place)
    everything = [column for _, column in columns + hidden]
    if expression in everything:
        return everything.index(expression)
    if closed:
        what = f"{text(expression, True)} is not among the columns of SELECT DISTINCT"
        raise SqlError(what, choices(name for name, _ in columns), "add it to SELECT", expression.place)
    hidden.append((fresh(text(expression, True), [name.lower() for name, _ in columns + hidden]), expression))
    return len(columns) + len(hidden) - 1
