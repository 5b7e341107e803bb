"""FROM: its tables and joins become one relation.

Inner joins have one list of conditions, from ON and WHERE (``conjuncts.py``). A condition on one table filters that
table; an equality between columns of two tables joins them; a condition on several tables is the residual of the join
that brings the last of them. The tables join in the order in which they are written, but one without an equality
to those before it waits for the table that brings one. When none does, the next table joins without.

A join of another kind (``outer.py``) is of all that stands before it, and its ON is its own; from then on, what it
makes is as one table. A condition of WHERE that has a subquery (``subqueries.py``) comes after all others.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from sqlglot import exp

from punctum.algebra.outer import JoinKind
from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.conjuncts import normalised
from punctum.ir.expressions import Call, Column, Expression, columns, conjunction, mismatch, rebased
from punctum.ir.functions import call
from punctum.ir.names import fresh
from punctum.ir.relations import Filter, Join
from punctum.ir.tree import Relation
from punctum.parse.binder.bind import Binder
from punctum.parse.binder.outer import JOINS, SUPPORTED, filtered, outer_join
from punctum.parse.binder.scope import Correlated, FromTable, OuterColumn, Scope
from punctum.parse.lexer.text import Text


class Unit(NamedTuple):
    """A relation that joins as one: a table, or several that are joined already, in the order of its columns."""

    relation: Relation
    tables: tuple[int, ...]
    place: Place


class From:
    """The tables of a FROM and the conditions among them.

    Conditions of a subquery may name columns of the query around it: these are ``correlated``, over the columns of the
    relation that is read and over outer ones.
    """

    def __init__(
        self,
        text: Text,
        relation: Callable[[exp.Expr], tuple[str, Relation]],
        around: Place,
        outer: Scope | None = None,
    ) -> None:
        self.text, self.relation, self.around, self.outer = text, relation, around, outer
        self.tables: list[FromTable] = []
        self.units: list[Unit] = []
        self.conditions: list[Expression] = []
        self.correlated: list[Expression] = []
        self.subqueries: list[exp.Expr] = []

    def read(self, node: exp.Select) -> tuple[Relation, Scope]:
        """The relation that FROM and WHERE mean, without subqueries, and the names in it."""
        self._table(node.args["from_"].this)
        for join in node.args.get("joins") or []:
            self._join(join)
        if (where := node.args.get("where")) is not None:
            for part in _parts(where.this):
                if _has_query(part):
                    self.subqueries.append(part)
                else:
                    self._condition(part, "WHERE")
        joined = self._joined()
        offsets, names = self._offsets(joined.tables), self._names(joined.tables)
        self.correlated = [self._moved(c, joined.tables) for c in self.correlated]
        shown = sorted(joined.tables)
        moved = [replace(self.tables[i], offset=offsets[i]) for i in shown]
        return joined.relation, Scope(
            tuple(replace(t, names=names[t.offset : t.offset + t.width]) if len(shown) > 1 else t for t in moved)
        )

    def _place(self, node: exp.Expr) -> Place:
        return self.text.place(node) or self.around

    def _table(self, node: exp.Expr) -> None:
        place = self._place(node)
        alias, relation = self.relation(node)
        alias = alias or fresh("subquery", [table.alias.lower() for table in self.tables])
        if any(table.alias.lower() == alias.lower() for table in self.tables):
            raise SqlError(f"{alias} occurs twice in FROM", "", "use different aliases: FROM a x, a y", place)
        offset = sum(table.width for table in self.tables)
        self.units.append(Unit(relation, (len(self.tables),), place))
        self.tables.append(FromTable(alias, relation, offset, place))
        for inner in node.args.get("joins") or []:
            if isinstance(node, exp.Table):
                self._join(inner)

    def _join(self, node: exp.Join) -> None:
        written = " ".join(str(node.args.get(key) or "") for key in ("method", "side", "kind")).upper().split()
        kind = " ".join(word for word in written if word not in ("INNER", "CROSS", "OUTER"))  # a comma reads as CROSS
        if kind not in JOINS:
            place = self.text.after(written[0], self._place(node.this))
            raise SqlError(f"{' '.join(written)} JOIN is not supported", "", SUPPORTED, place)
        extra = [
            key for key, value in node.args.items() if value and key not in ("this", "on", "using", "kind", "side")
        ]
        if extra:
            raise SqlError(f"JOIN with {extra[0].upper()} is not supported", "", SUPPORTED, self._place(node))
        if kind:
            self._outer(node, kind)
            return
        self._table(node.this)
        if (on := node.args.get("on")) is not None:
            self._condition(on, "JOIN … ON")
        for name in node.args.get("using") or []:
            self.conditions.append(self._using(name, "INNER"))

    def _using(self, name: exp.Expr, kind: str) -> Expression:
        """The equality that USING means; the columns are one by name, that of the side which always has a row.

        In a FULL JOIN neither has: the name means the first of both that is not NULL.
        """
        place = self._place(name)
        *others, last = self.tables
        left = Scope(tuple(others)).column(name.name, None, place)
        right = Scope((last,)).column(name.name, None, place)
        key, first = name.name.lower(), self._owner(next(columns(left)))
        if kind == "FULL":
            table = self.tables[first]
            more = {key: (*table.either.get(key, ()), last.alias)}
            self.tables[first] = replace(table, either={**table.either, **more})
        hidden = first if kind == "RIGHT" else len(others)
        table = self.tables[hidden]
        self.tables[hidden] = replace(table, merged=table.merged | {key})
        return call("=", (left, right), place)

    def _outer(self, node: exp.Join, written: str) -> None:
        """Join all that is there with one more table, in a way that looks at rows without a partner."""
        before = self._joined()
        self.units, self.conditions, width = [before], [], len(self.tables)
        self._table(node.this)
        if len(self.units) > 2:
            raise SqlError("a join in brackets is not supported", "", "use a subquery", self._place(node.this))
        on = [self._using(name, written) for name in node.args.get("using") or []]
        if (condition := node.args.get("on")) is not None:
            on.append(self._bound(condition, "JOIN … ON", Scope(tuple(self.tables))))
        kind, sides = JOINS[written], list(self.units)
        if written == "RIGHT":
            sides.reverse()
        order = sides[0].tables + sides[1].tables
        conditions = [self._moved(c, order) for c in normalised(on)]
        place = before.place.to(self.tables[-1].place)
        relation = outer_join(sides[0].relation, sides[1].relation, conditions, kind, self._names(order), place)
        if not kind.pairs:
            self.tables = self.tables[:width]
            order = sides[0].tables
        optional = range(len(self.tables)) if kind is JoinKind.FULL else sides[1].tables if kind.pairs else ()
        for i in optional:
            self.tables[i] = replace(self.tables[i], optional=True)
        self.units = [Unit(relation, order, place)]

    def _bound(self, node: exp.Expr, clause: str, scope: Scope) -> Expression:
        condition = Binder(self.text, scope, clause, self.around).bind(node)
        if condition.type is not Type.BOOLEAN:
            raise mismatch(f"{clause} needs a condition", condition.place, "a condition is BOOLEAN", condition)
        return condition

    def _condition(self, node: exp.Expr, clause: str) -> None:
        tables = tuple(self.tables)
        scope = Scope(tables) if self.outer is None else Correlated(tables, self.outer)
        bound = self._bound(node, clause, scope)
        for condition in [bound] if self.outer is None else normalised([bound]):
            outside = any(isinstance(column, OuterColumn) for column in columns(condition))
            (self.correlated if outside else self.conditions).append(condition)

    def _owner(self, column: Column) -> int:
        return next(i for i, t in enumerate(self.tables) if t.offset <= column.index < t.offset + t.width)

    def _tables_of(self, expression: Expression) -> set[int]:
        at = {column.index for column in columns(expression) if not isinstance(column, OuterColumn)}
        return {i for i, t in enumerate(self.tables) if any(t.offset <= c < t.offset + t.width for c in at)}

    def _joined(self) -> Unit:
        """All units as one."""
        self.conditions = normalised(self.conditions)
        first, *others = self.units
        if not others:
            return first._replace(relation=self._filtered(first, self.conditions))
        free = [c for c in self.conditions if not self._tables_of(c)]
        waiting = [c for c in self.conditions if c not in free and not any(self._within(c, u) for u in self.units)]
        made = first._replace(relation=self._filtered(first, self._of(first)))
        while others:
            following = self._following(made, others, waiting)
            ready = [c for c in waiting if self._tables_of(c) <= {*made.tables, *following.tables}]
            made = self._pair(made, following, ready)
            others.remove(following)
            waiting = [c for c in waiting if c not in ready]
        if (rest := conjunction([self._moved(c, made.tables) for c in free])) is not None:
            made = made._replace(relation=Filter(made.relation, rest, rest.place))
        return made

    def _within(self, condition: Expression, unit: Unit) -> bool:
        return bool(self._tables_of(condition)) and self._tables_of(condition) <= set(unit.tables)

    def _of(self, unit: Unit) -> list[Expression]:
        return [c for c in self.conditions if self._within(c, unit)]

    def _filtered(self, unit: Unit, conditions: list[Expression]) -> Relation:
        return filtered(unit.relation, [self._moved(c, unit.tables) for c in conditions])

    def _following(self, made: Unit, others: list[Unit], waiting: list[Expression]) -> Unit:
        equated = (unit for unit in others if any(self._equality(c, made, unit) for c in waiting))
        return next(equated, others[0])

    def _equality(self, condition: Expression, made: Unit, unit: Unit) -> tuple[Column, Column] | None:
        """The columns, before and in the new unit, that a condition equates."""
        match condition:
            case Call("=", (Column() as a, Column() as b)):
                owners = {self._owner(a): a, self._owner(b): b}
                mine = [column for i, column in owners.items() if i in made.tables]
                new = [column for i, column in owners.items() if i in unit.tables]
                if len(mine) == len(new) == 1:
                    return mine[0], new[0]
        return None

    def _pair(self, left: Unit, right: Unit, ready: list[Expression]) -> Unit:
        pairs = [(c, self._equality(c, left, right)) for c in ready]
        on = [(self._moved(p[0], left.tables), self._moved(p[1], right.tables)) for _, p in pairs if p is not None]
        order = left.tables + right.tables
        residual = conjunction([self._moved(c, order) for c, p in pairs if p is None])
        below = self._filtered(right, self._of(right))
        place = self.tables[left.tables[0]].place.to(right.place)
        keys = tuple((a, b) for a, b in on if isinstance(a, Column) and isinstance(b, Column))
        return Unit(Join(left.relation, below, keys, residual, self._names(order), place), order, place)

    def _names(self, order: tuple[int, ...]) -> tuple[str, ...]:
        """The names of all columns, with the table's where a name is there twice."""
        owned = [(self.tables[i].alias, a.name) for i in order for a in self.tables[i].relation.schema.attributes]
        names = [name.lower() for _, name in owned]
        taken: list[str] = []
        return tuple(fresh(f"{t}.{n}" if names.count(n.lower()) > 1 else n, taken) for t, n in owned)

    def _offsets(self, order: tuple[int, ...]) -> dict[int, int]:
        widths = [self.tables[i].width for i in order]
        return {i: sum(widths[:at]) for at, i in enumerate(order)}

    def _moved(self, expression: Expression, order: tuple[int, ...]) -> Expression:
        """A condition over all tables, as one over some of them in another order."""
        offsets, names = self._offsets(order), self._names(order)

        def to(column: Column) -> Column:
            if isinstance(column, OuterColumn):
                return column
            i = self._owner(column)
            at = column.index - self.tables[i].offset + offsets[i]
            return replace(column, index=at, name=names[at])

        return rebased(expression, to)


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that AND joins; all of them as one when none has a subquery."""
    if not _has_query(node):
        yield node
    elif isinstance(node, exp.Paren):
        yield from _parts(node.this)
    elif isinstance(node, exp.And):
        for part in node.flatten(unnest=False):
            yield from _parts(part)
    else:
        yield node


def _has_query(node: exp.Expr) -> bool:
    return any(isinstance(part, exp.Query) for part in node.walk())
