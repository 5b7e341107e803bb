"""Subqueries in WHERE: EXISTS and IN become SEMI joins, NOT EXISTS and NOT IN become ANTI joins.

A subquery may name columns of the query around it in the conditions of its own WHERE and of its inner joins: these are
conditions on pairs of a row outside and a row inside. ``x IN (SELECT y …)`` is one more, ``x = y``. ``x NOT IN (…)`` is
true when ``x = y`` is false for every y. So a row has a partner that forbids it when ``x = y`` is true *or NULL*; where
both are declared NOT NULL, that is the equality again.

A subquery in a subquery may name columns two levels up. Where the query between has an equality for such a column, its
own column is as good. Otherwise a condition goes one level up: of a partner that has to exist, its columns are joined
to the row between (``lifted``). Whether there is *no* partner cannot be asked before the row outside is known.

Groups (``grouped.py``) are read by themselves.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sqlglot import exp

from punctum.algebra.outer import JoinKind
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Call, Column, Expression, columns, conjunction, rebased, text
from punctum.ir.functions import call
from punctum.ir.names import fresh
from punctum.ir.relations import Join, Projection
from punctum.ir.tree import Relation
from punctum.parse.binder.bind import Binder, aggregates
from punctum.parse.binder.grouped import Inside, grouped
from punctum.parse.binder.joins import From
from punctum.parse.binder.outer import outer_join
from punctum.parse.binder.scope import Correlated, OuterColumn, Scope, levels, outside
from punctum.parse.lexer.text import Text

_PLAIN = {"expressions", "from_", "joins", "where", "distinct"}
_GROUPED = {*_PLAIN, "group", "having"}
_ALONE = "EXISTS and IN (SELECT …) are conditions of their own, joined with AND to others: WHERE x > 5 AND EXISTS (…)"
Same = Mapping[int, Column]
"""Columns of a query that equal some of the query around it, by the positions of these."""


class _Joined(NamedTuple):
    """A relation with partners, and conditions on them that the query around it has to ask."""

    relation: Relation
    lifted: list[Expression]


class Subqueries:
    """Puts the subqueries of a WHERE over the relation that it filters."""

    def __init__(
        self,
        text: Text,
        table: Callable[[exp.Expr], tuple[str, Relation]],
        query: Callable[[exp.Expr], Relation],
        around: Place,
    ) -> None:
        self.text, self.table, self.query, self.around = text, table, query, around

    def over(self, relation: Relation, scope: Scope, nodes: Sequence[exp.Expr]) -> Relation:
        """The rows of a relation for which conditions with subqueries hold."""
        return self._over(relation, scope, nodes, {}).relation

    def _over(self, relation: Relation, scope: Scope, nodes: Sequence[exp.Expr], same: Same) -> _Joined:
        lifted: list[Expression] = []
        for node in nodes:
            relation, more = self._condition(relation, scope, node, same)
            lifted += more
        return _Joined(relation, lifted)

    def _place(self, node: exp.Expr) -> Place:
        return self.text.place(node) or self.around

    def _condition(self, relation: Relation, scope: Scope, node: exp.Expr, same: Same) -> _Joined:
        negated, place = False, self._place(node)
        while isinstance(node, exp.Not | exp.Paren):
            negated, node = negated != isinstance(node, exp.Not), node.this
        if isinstance(node, exp.Exists) and isinstance(node.this, exp.Query):
            kind = JoinKind.ANTI if negated else JoinKind.SEMI
            return self._partners(relation, self._read(node.this, scope, kind, False), kind, place, same)
        if isinstance(node, exp.In) and node.args.get("query") is not None:
            negated = negated != bool(node.args.get("negate"))
            kind = JoinKind.ANTI if negated else JoinKind.SEMI
            return self._partners(relation, self._in(scope, node, kind, place), kind, place, same)
        query = next(part for part in node.walk() if isinstance(part, exp.Query))
        raise SqlError("a subquery in an expression is not supported", "", _ALONE, self.text.place(query) or place)

    def _in(self, scope: Scope, node: exp.In, kind: JoinKind, place: Place) -> Inside:
        tuple_ = isinstance(node.this, exp.Tuple)
        binder = Binder(self.text, scope, "WHERE", self.around)
        given = [binder.bind(item) for item in (node.this.expressions if tuple_ else [node.this])]
        asked = node.args["query"]
        inside = self._read(asked.this if isinstance(asked, exp.Subquery) else asked, scope, kind, True)
        if len(inside.shown) != len(given):
            detail = f"{len(given)} on the left, {len(inside.shown)} in the subquery"
            raise SqlError("IN needs as many columns on both sides", detail, "", place)
        for mine, theirs in zip(given, inside.shown, strict=True):
            equal = call("=", (outside(mine), theirs), place)
            held = equal if kind is JoinKind.SEMI else _not_false(equal, (outside(mine), theirs), place)
            inside.conditions.append(held)
        return inside

    def _read(self, node: exp.Expr, scope: Scope, kind: JoinKind, shows: bool) -> Inside:
        """The relation of a subquery, the conditions on pairs, and the columns that it shows, if these are wanted."""
        place = self._place(node)
        used = {key for key, value in node.args.items() if value}
        if not isinstance(node, exp.Select) or not used <= _GROUPED or "from_" not in used:
            return self._alone(node, scope)
        tables = From(self.text, self.table, place, scope)
        below, own = tables.read(node)
        below, lifted = self._over(below, Correlated(own.tables, scope), tables.subqueries, _same(tables.correlated))
        if not used <= _PLAIN or any(any(aggregates(item)) for item in node.expressions):
            if lifted:
                raise _too_far("below GROUP BY", lifted[0])
            inside = Inside(below, tables.correlated, [])
            return grouped(self.text, node, inside, own, shows and kind is JoinKind.SEMI, place)
        binder = Binder(self.text, Correlated(own.tables, scope), "SELECT", place)
        return Inside(below, [*tables.correlated, *lifted], self._shown(node, own, binder))

    def _alone(self, node: exp.Expr, scope: Scope) -> Inside:
        """A subquery that names nothing outside."""
        try:
            inside = self.query(node)
        except SqlError:
            for column in node.find_all(exp.Column):
                if column.table and scope.names(column.table) and not _names(node, column.table):
                    hint = "name it in WHERE of a subquery that is a SELECT, or write a JOIN"
                    shown = f"{column.table}.{column.name}"
                    place = self._place(column)
                    raise SqlError(f"{shown} cannot be named here", _WHERE, hint, place) from None
            raise
        return Inside(inside, [], [_column(inside, i) for i in range(len(inside.schema))])

    def _shown(self, node: exp.Expr, own: Scope, binder: Binder) -> list[Expression]:
        shown: list[Expression] = []
        for item in node.expressions:
            star = item.this if isinstance(item, exp.Column) else item
            if isinstance(star, exp.Star):
                table = item.table if isinstance(item, exp.Column) else None
                shown += [column for _, column in own.star(table or None, self._place(item))]
            else:
                shown.append(binder.bind(item.this if isinstance(item, exp.Alias) else item))
        return shown

    def _partners(self, relation: Relation, inside: Inside, kind: JoinKind, place: Place, same: Same) -> _Joined:
        """The rows of a relation that have a partner inside, or none; of what is inside, no more than is compared."""
        conditions = [rebased(c, lambda column: _nearer(column, same)) for c in inside.conditions]
        far = [c for c in conditions if any(levels(column) > 1 for column in columns(c))]
        if far and kind is JoinKind.ANTI:
            raise _too_far("in NOT EXISTS or NOT IN", far[0])
        kept = sorted({c.index for e in conditions for c in columns(e) if not levels(c)}) or [0]
        names, width, below = list(relation.schema.names), len(relation.schema), inside.relation
        taken = [name.lower() for name in names]
        names += [fresh(below.schema.names[i], taken) for i in kept]
        at = {old: width + new for new, old in enumerate(kept)}

        def paired(column: Column) -> Column:
            if levels(column) > 1:
                return OuterColumn(column.index, column.name, column.attribute, up=levels(column) - 1)
            i = column.index if levels(column) else at[column.index]
            return Column(i, names[i], column.attribute)

        if len(kept) < len(below.schema):
            below = Projection(below, tuple((below.schema.names[i], _column(below, i)) for i in kept), place)
        over = [rebased(condition, paired) for condition in conditions if condition not in far]
        if not far:
            return _Joined(outer_join(relation, below, over, kind, tuple(names), place), [])
        return _Joined(_pairs(relation, below, over, tuple(names), place), [rebased(c, paired) for c in far])


_WHERE = "a subquery names columns of the query around it in WHERE, and in ON of inner joins"


def _too_far(where: str, condition: Expression) -> SqlError:
    """The error for a condition that only a query further out can ask."""
    hint = "let the query between have an equality with that column, and name its own one"
    what = f"a column two levels up cannot be named {where}"
    return SqlError(what, f"{text(condition, True)} hangs on a row that is not known there", hint, condition.place)


def _same(conditions: Sequence[Expression]) -> dict[int, Column]:
    """The columns that conditions of a subquery equate with those of the query around it."""
    equated: dict[int, Column] = {}
    for condition in conditions:
        match condition:
            case Call("=", (Column() as a, Column() as b)) if a.type is b.type and {levels(a), levels(b)} == {0, 1}:
                own, other = (a, b) if levels(b) else (b, a)
                equated.setdefault(other.index, own)
    return equated


def _nearer(column: Column, same: Same) -> Column:
    """A column two levels up, as one of the query between that equals it, if there is one."""
    if levels(column) != 2 or column.index not in same:
        return column
    near = same[column.index]
    return OuterColumn(near.index, near.name, near.attribute)


def _pairs(
    left: Relation, right: Relation, conditions: list[Expression], names: tuple[str, ...], place: Place
) -> Relation:
    """The pairs of rows for which conditions hold."""
    width, on, rest = len(left.schema), list[tuple[Column, Column]](), list[Expression]()
    for condition in conditions:
        match condition:
            case Call("=", (Column() as a, Column() as b)) if (a.index < width) != (b.index < width):
                mine, theirs = (a, b) if a.index < width else (b, a)
                on.append((_column(left, mine.index), _column(right, theirs.index - width)))
            case _:
                rest.append(condition)
    return Join(left, right, tuple(on), conjunction(rest), names, place)


def _names(node: exp.Expr, table: str) -> bool:
    """Whether a subquery has a table of that name."""
    return any(source.alias_or_name.lower() == table.lower() for source in node.find_all(exp.Table, exp.Subquery))


def _not_false(equal: Expression, sides: tuple[Expression, Expression], place: Place) -> Expression:
    """An equality that is true or NULL."""
    nulls = [call("is null", (side,), place) for side in sides if side.nullable]
    return call("or", (equal, *nulls), place) if nulls else equal


def _column(relation: Relation, i: int) -> Column:
    return Column(i, relation.schema.names[i], relation.schema.attributes[i])
