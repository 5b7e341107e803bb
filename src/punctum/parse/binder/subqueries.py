"""Subqueries in WHERE: EXISTS and IN become SEMI joins, NOT EXISTS and NOT IN become ANTI joins.

A subquery may name columns of the query around it in the conditions of its own WHERE and of its inner joins: these are
conditions on pairs of a row outside and a row inside. ``x IN (SELECT y …)`` is one more, ``x = y``. ``x NOT IN (…)`` is
true when ``x = y`` is false for every y. So a row has a partner that forbids it when ``x = y`` is true *or NULL*; where
both are declared NOT NULL, that is the equality again.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from punctum.algebra.outer import JoinKind
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Column, Expression, columns, rebased
from punctum.ir.functions import call
from punctum.ir.names import fresh
from punctum.ir.relations import Projection
from punctum.ir.tree import Relation
from punctum.parse.binder.bind import Binder, aggregates
from punctum.parse.binder.joins import From
from punctum.parse.binder.outer import outer_join
from punctum.parse.binder.scope import Correlated, OuterColumn, Scope, outside
from punctum.parse.lexer.text import Text

_PLAIN = {"expressions", "from_", "joins", "where", "distinct"}
_ALONE = "EXISTS and IN (SELECT …) are conditions of their own, joined with AND to others: WHERE x > 5 AND EXISTS (…)"


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
        for node in nodes:
            relation = self._condition(relation, scope, node)
        return relation

    def _place(self, node: exp.Expr) -> Place:
        return self.text.place(node) or self.around

    def _condition(self, relation: Relation, scope: Scope, node: exp.Expr) -> Relation:
        negated, place = False, self._place(node)
        while isinstance(node, exp.Not | exp.Paren):
            negated, node = negated != isinstance(node, exp.Not), node.this
        kind = JoinKind.ANTI if negated else JoinKind.SEMI
        if isinstance(node, exp.Exists) and isinstance(node.this, exp.Query):
            inside, conditions, _ = self._read(node.this, scope, False)
            return self._joined(relation, inside, conditions, kind, place)
        if isinstance(node, exp.In) and node.args.get("query") is not None:
            negated = negated != bool(node.args.get("negate"))
            kind = JoinKind.ANTI if negated else JoinKind.SEMI
            return self._in(relation, scope, node, kind, place)
        found = next(part for part in node.walk() if isinstance(part, exp.Query))
        raise SqlError("a subquery in an expression is not supported", "", _ALONE, self.text.place(found) or place)

    def _in(self, relation: Relation, scope: Scope, node: exp.In, kind: JoinKind, place: Place) -> Relation:
        tuple_ = isinstance(node.this, exp.Tuple)
        binder = Binder(self.text, scope, "WHERE", self.around)
        given = [binder.bind(item) for item in (node.this.expressions if tuple_ else [node.this])]
        asked = node.args["query"]
        inside, conditions, shown = self._read(asked.this if isinstance(asked, exp.Subquery) else asked, scope, True)
        if len(shown) != len(given):
            detail = f"{len(given)} on the left, {len(shown)} in the subquery"
            raise SqlError("IN needs as many columns on both sides", detail, "", place)
        for mine, theirs in zip(given, shown, strict=True):
            equal = call("=", (outside(mine), theirs), place)
            conditions.append(equal if kind is JoinKind.SEMI else _not_false(equal, (outside(mine), theirs), place))
        return self._joined(relation, inside, conditions, kind, place)

    def _read(self, node: exp.Expr, scope: Scope, shows: bool) -> tuple[Relation, list[Expression], list[Expression]]:
        """The relation of a subquery, the conditions on pairs, and the columns that it shows, if these are wanted."""
        place = self._place(node)
        if not isinstance(node, exp.Select) or not _is_plain(node):
            inside = self.query(node)
            every: list[Expression] = [_column(inside, i) for i in range(len(inside.schema))]
            return inside, [], every
        tables = From(self.text, self.table, place, scope)
        inside, own = tables.read(node)
        inside = self.over(inside, own, tables.subqueries)
        binder = Binder(self.text, own if shows else Correlated(own.tables, scope), "SELECT", place)
        return inside, tables.correlated, self._shown(node, own, binder)

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

    def _joined(
        self, relation: Relation, inside: Relation, conditions: list[Expression], kind: JoinKind, place: Place
    ) -> Relation:
        """The rows of a relation that have a partner inside, or none; of what is inside, no more than is compared."""
        reads = {c.index for e in conditions for c in columns(e) if not isinstance(c, OuterColumn)}
        kept = sorted(reads) or [0]
        names, width = list(relation.schema.names), len(relation.schema)
        taken = [name.lower() for name in names]
        names += [fresh(inside.schema.names[i], taken) for i in kept]
        at = {old: width + new for new, old in enumerate(kept)}

        def paired(column: Column) -> Column:
            i = column.index if isinstance(column, OuterColumn) else at[column.index]
            return Column(i, names[i], column.attribute)

        if len(kept) < len(inside.schema):
            inside = Projection(inside, tuple((inside.schema.names[i], _column(inside, i)) for i in kept), place)
        over = [rebased(condition, paired) for condition in conditions]
        return outer_join(relation, inside, over, kind, tuple(names), place)


def _is_plain(node: exp.Select) -> bool:
    """Whether a subquery has tables and conditions alone, so that its rows are those that it reads."""
    used = {key for key, value in node.args.items() if value}
    return used <= _PLAIN and "from_" in used and not any(any(aggregates(item)) for item in node.expressions)


def _not_false(equal: Expression, sides: tuple[Expression, Expression], place: Place) -> Expression:
    """An equality that is true or NULL."""
    nulls = [call("is null", (side,), place) for side in sides if side.nullable]
    return call("or", (equal, *nulls), place) if nulls else equal


def _column(relation: Relation, i: int) -> Column:
    return Column(i, relation.schema.names[i], relation.schema.attributes[i])
