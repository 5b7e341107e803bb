"""ORDER BY and LIMIT: each key is a column of the result, or one computed beside it and dropped after sorting."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from punctum.errors import Place, SqlError, choices, nearest
from punctum.ir.expressions import Expression, text
from punctum.ir.expressions.types import is_null
from punctum.ir.names import fresh
from punctum.parse.binder.bind import Binder

Named = tuple[str, Expression]


@dataclass(frozen=True)
class SortTerm:
    """The keys, by position among the columns and those that are hidden after them."""

    keys: list[tuple[int, bool, bool | None]] = field(default_factory=list)
    hidden: list[Named] = field(default_factory=list)
    place: Place = field(default_factory=Place)
    most: int | None = None


def sort_keys(query: exp.Expr, columns: list[Named], binder: Binder, closed: bool) -> SortTerm:
    """The keys of ORDER BY over the columns of a SELECT, and its LIMIT; a closed result takes no hidden ones."""
    node, limit = query.args.get("order"), query.args.get("limit")
    if node is None:
        if limit is not None:
            hint = "add ORDER BY: which rows come first does not depend on how a stream is cut into batches"
            raise SqlError("LIMIT needs an order", "", hint, _place_of_limit(limit, binder))
        return SortTerm()
    term = SortTerm(place=binder.place(node), most=None if limit is None else _most(limit, binder))
    binder.clause = "ORDER BY"
    aliases = {item.alias.lower(): item.this for item in query.args.get("expressions") or [] if item.alias}
    aliases = {name: aliased for name, aliased in aliases.items() if not binder.scope.has(name)}
    for key in node.expressions:
        ordered = key if isinstance(key, exp.Ordered) else exp.Ordered(this=key, nulls_first=True)
        if ordered.args.get("with_fill"):
            raise binder.refuse("ORDER BY … WITH FILL is", key)
        down = bool(ordered.args.get("desc"))
        first = bool(ordered.args.get("nulls_first"))
        key = ordered.this if isinstance(ordered.this, exp.Column) else unaliased(ordered.this, aliases)
        at = _position(key, columns, term.hidden, binder, closed)
        term.keys.append((at, down, None if first is not down else first))
    return term


def unaliased(node: exp.Expr, aliases: Mapping[str, exp.Expr]) -> exp.Expr:
    """An expression in which names that are aliases of SELECT are what they stand for."""

    def meant(part: exp.Expr) -> exp.Expr:
        known = isinstance(part, exp.Column) and not part.table and part.name.lower() in aliases
        return aliases[part.name.lower()].copy() if known else part

    return node.transform(meant)


def _most(node: exp.Expr, binder: Binder) -> int:
    count = node.args.get("expression") if isinstance(node, exp.Limit) else None
    written = str(count.this) if isinstance(count, exp.Literal) and not count.is_string else ""
    if not written.isdecimal() or len(written) > 9 or not int(written):
        hint = "write LIMIT and a whole number from 1 on"
        raise SqlError("this LIMIT is not supported", "", hint, _place_of_limit(node, binder))
    return int(written)


def _place_of_limit(node: exp.Expr, binder: Binder) -> Place:
    return binder.text.after("LIMIT", binder.place(node))


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
