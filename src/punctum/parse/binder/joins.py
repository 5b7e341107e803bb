"""FROM: its tables and joins become one relation.

All joins are inner, so ON and WHERE are one list of conditions (``conjuncts.py``). A condition on one table filters
that table; an equality between columns of two tables joins them; a condition on several tables is the residual of the
join that brings the last of them. The tables join in the order in which they are written, but one without an equality
to those before it waits for the table that brings one. When none does, the next table joins without.
"""

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.conjuncts import normalised
from punctum.ir.expressions import Call, Column, Expression, columns, conjunction, mismatch, rebased
from punctum.ir.functions import call
from punctum.ir.names import fresh
from punctum.ir.relations import Filter, Join
from punctum.ir.tree import Relation
from punctum.parse.binder.bind import Binder
from punctum.parse.binder.scope import FromTable, Scope
from punctum.parse.lexer.text import Text

_INNER = "supported: INNER JOIN with ON or USING, CROSS JOIN, and comma joins"


class From:
    """The tables of a FROM and the conditions among them."""

    def __init__(self, text: Text, relation: Callable[[exp.Expr], tuple[str, Relation]], around: Place) -> None:
        self.text, self.relation, self.around = text, relation, around
        self.tables: list[FromTable] = []
        self.conditions: list[Expression] = []

    def read(self, node: exp.Select) -> tuple[Relation, Scope]:
        """The relation that FROM and WHERE mean, and the names in it."""
        self._table(node.args["from_"].this)
        for join in node.args.get("joins") or []:
            self._join(join)
        if (where := node.args.get("where")) is not None:
            self._condition(where.this, "WHERE")
        return self._joined()

    def _place(self, node: exp.Expr) -> Place:
        return self.text.place(node) or self.around

    def _table(self, node: exp.Expr) -> None:
        place = self._place(node)
        alias, relation = self.relation(node)
        alias = alias or fresh("subquery", [table.alias.lower() for table in self.tables])
        if any(table.alias.lower() == alias.lower() for table in self.tables):
            raise SqlError(f"{alias} occurs twice in FROM", "", "use different aliases: FROM a x, a y", place)
        offset = sum(table.width for table in self.tables)
        self.tables.append(FromTable(alias, relation, offset, place))
        for inner in node.args.get("joins") or []:
            if isinstance(node, exp.Table):
                self._join(inner)

    def _join(self, node: exp.Join) -> None:
        written = " ".join(str(node.args.get(key) or "") for key in ("method", "side", "kind")).upper().split()
        if written not in ([], ["INNER"], ["CROSS"]):  # sqlglot reads a comma as CROSS
            place = self.text.after(written[0], self._place(node.this))
            raise SqlError(f"{' '.join(written)} JOIN is not supported", "", _INNER, place)
        extra = [key for key, value in node.args.items() if value and key not in ("this", "on", "using", "kind")]
        if extra:
            raise SqlError(f"JOIN with {extra[0].upper()} is not supported", "", _INNER, self._place(node))
        self._table(node.this)
        if (on := node.args.get("on")) is not None:
            self._condition(on, "JOIN … ON")
        for name in node.args.get("using") or []:
            self._using(name)

    def _using(self, name: exp.Expr) -> None:
        place = self._place(name)
        *others, last = self.tables
        left = Scope(tuple(others)).column(name.name, None, place)
        right = Scope((last,)).column(name.name, None, place)
        self.conditions.append(call("=", (left, right), place))
        self.tables[-1] = replace(last, merged=last.merged | {name.name.lower()})

    def _condition(self, node: exp.Expr, clause: str) -> None:
        binder = Binder(self.text, Scope(tuple(self.tables)), clause, self.around)
        condition = binder.bind(node)
        if condition.type is not Type.BOOLEAN:
            raise mismatch(f"{clause} needs a condition", condition.place, "a condition is BOOLEAN", condition)
        self.conditions.append(condition)

    def _tables_of(self, expression: Expression) -> set[int]:
        at = {column.index for column in columns(expression)}
        return {i for i, t in enumerate(self.tables) if any(t.offset <= c < t.offset + t.width for c in at)}

    def _joined(self) -> tuple[Relation, Scope]:
        self.conditions = normalised(self.conditions)
        if len(self.tables) == 1:
            return self._filtered(0, self.conditions), Scope(tuple(self.tables))
        waiting = [c for c in self.conditions if len(self._tables_of(c)) > 1]
        free = [c for c in self.conditions if not self._tables_of(c)]
        order, relation = [0], self._filtered(0, self._of(0))
        while len(order) < len(self.tables):
            following = self._following(order, waiting)
            ready = [c for c in waiting if self._tables_of(c) <= {*order, following}]
            relation = self._pair(order, relation, following, ready)
            order.append(following)
            waiting = [c for c in waiting if c not in ready]
        if (rest := conjunction([self._moved(c, order) for c in free])) is not None:
            relation = Filter(relation, rest, rest.place)
        offsets, names = self._offsets(order), self._names(order)
        moved = [replace(t, offset=offsets[i]) for i, t in enumerate(self.tables)]
        return relation, Scope(tuple(replace(t, names=names[t.offset : t.offset + t.width]) for t in moved))

    def _of(self, i: int) -> list[Expression]:
        return [c for c in self.conditions if self._tables_of(c) == {i}]

    def _filtered(self, i: int, conditions: list[Expression]) -> Relation:
        table = self.tables[i]
        condition = conjunction([self._moved(c, [i]) for c in conditions])
        return table.relation if condition is None else Filter(table.relation, condition, condition.place)

    def _following(self, order: list[int], waiting: list[Expression]) -> int:
        for i in range(len(self.tables)):
            if i not in order and any(self._equality(c, order, i) for c in waiting):
                return i
        return next(i for i in range(len(self.tables)) if i not in order)

    def _equality(self, condition: Expression, order: list[int], i: int) -> tuple[Column, Column] | None:
        """The columns, before and in the new table, that a condition equates."""
        match condition:
            case Call("=", (Column() as a, Column() as b)):
                sides = self._tables_of(a), self._tables_of(b)
                if sides[1] == {i} and sides[0] <= set(order):
                    return a, b
                if sides[0] == {i} and sides[1] <= set(order):
                    return b, a
        return None

    def _pair(self, order: list[int], left: Relation, i: int, ready: list[Expression]) -> Join:
        pairs = [(c, self._equality(c, order, i)) for c in ready]
        on = [(self._moved(p[0], order), self._moved(p[1], [i])) for _, p in pairs if p is not None]
        residual = conjunction([self._moved(c, [*order, i]) for c, p in pairs if p is None])
        right = self._filtered(i, self._of(i))
        place = self.tables[order[0]].place.to(self.tables[i].place)
        keys = tuple((a, b) for a, b in on if isinstance(a, Column) and isinstance(b, Column))
        return Join(left, right, keys, residual, self._names([*order, i]), place)

    def _names(self, order: list[int]) -> tuple[str, ...]:
        """The names of all columns, with the table's where a name is there twice."""
        owned = [(self.tables[i].alias, a.name) for i in order for a in self.tables[i].relation.schema.attributes]
        names = [name.lower() for _, name in owned]
        taken: list[str] = []
        return tuple(fresh(f"{t}.{n}" if names.count(n.lower()) > 1 else n, taken) for t, n in owned)

    def _offsets(self, order: list[int]) -> dict[int, int]:
        widths = [self.tables[i].width for i in order]
        return {i: sum(widths[:at]) for at, i in enumerate(order)}

    def _moved(self, expression: Expression, order: list[int]) -> Expression:
        """A condition over all tables, as one over some of them in another order."""
        offsets, names = self._offsets(order), self._names(order)

        def to(column: Column) -> Column:
            (i,) = self._tables_of(column)
            at = column.index - self.tables[i].offset + offsets[i]
            return replace(column, index=at, name=names[at])

        return rebased(expression, to)
