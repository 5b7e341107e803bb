"""SELECT, set operations, subqueries in FROM and CTEs: the syntax of a query becomes a relation."""

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from punctum.errors import Place, SqlError, choices, nearest
from punctum.ir.definitions import StreamDef, TableDef
from punctum.ir.expressions import Column, Expression, mismatch, rebased, text
from punctum.ir.expressions.types import common, converted, is_null
from punctum.ir.functions.nested import field_of, fields
from punctum.ir.relations import (
    Distinct,
    Except,
    Intersect,
    OrderBy,
    Projection,
    Source,
    Union,
    UnionAll,
    Window,
)
from punctum.ir.temporal import Final
from punctum.ir.tree import Relation, named
from punctum.parse.binder.bind import Binder, aggregates
from punctum.parse.binder.groups import Groups, over_groups, read_groups, renumbered
from punctum.parse.binder.joins import From
from punctum.parse.binder.lookups import read_as_stream
from punctum.parse.binder.named_windows import write_out
from punctum.parse.binder.order import SortTerm, sort_keys
from punctum.parse.binder.over import OverColumn, Overs
from punctum.parse.binder.scope import Scope
from punctum.parse.binder.stamps import stamped
from punctum.parse.binder.subqueries import Subqueries
from punctum.parse.binder.time_windows import over, shown_as, spread
from punctum.parse.binder.windows import check_input
from punctum.parse.lexer.text import Text

Named = tuple[str, Expression]
MOST_READS = 100
"""How often a query reads streams at most."""
_ORDER = {"order", "limit"}
_SELECT = _ORDER | {
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "distinct",
    "with_",
    "qualify",
    "windows",
}
_REFUSED: dict[type, str] = {exp.Values: "VALUES", exp.Lateral: "LATERAL", exp.Subquery: "a join in brackets"}
_SETS: dict[type, str] = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}
_CLAUSES = {
    "offset": ("OFFSET", "OFFSET"),
    "laterals": ("LATERAL VIEW", "LATERAL"),
    "sort": ("SORT BY", "SORT"),
    "cluster": ("CLUSTER BY", "CLUSTER"),
    "distribute": ("DISTRIBUTE BY", "DISTRIBUTE"),
    "hint": ("a hint", "/*+"),
    "pivots": ("PIVOT", "PIVOT"),
    "sample": ("TABLESAMPLE", "TABLESAMPLE"),
    "version": ("a version AS OF", "VERSION"),
    "when": ("a version AS OF", "VERSION"),
}
_SUPPORTED = (
    "supported: SELECT [DISTINCT], FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY [LIMIT], UNION, INTERSECT, EXCEPT"
)


class Queries:
    """Binds the queries of one statement to the streams that are defined before it."""

    def __init__(
        self,
        source: Text,
        streams: Mapping[str, StreamDef],
        around: Place,
        tables: Mapping[str, TableDef] | None = None,
    ) -> None:
        self.text, self.around = source, around
        self.tables = {name.lower(): table for name, table in (tables or {}).items()}
        self.streams = {name.lower(): stream for name, stream in streams.items()}
        self.ctes: dict[str, Relation] = {}

    def place(self, node: exp.Expr) -> Place:
        """Where a node stands, or the statement around it."""
        return self.text.place(node) or self.around

    def relation(self, node: exp.Expr) -> Relation:
        """The relation that a query means."""
        outer = self.ctes
        self.ctes = dict(outer)
        try:
            if (with_ := node.args.get("with_")) is not None:
                self._with(with_)
            if isinstance(node, exp.Select):
                return self._select(node)
            if isinstance(node, exp.SetOperation):
                return self._set(node)
            if isinstance(node, exp.Subquery):
                self._only(node, _ORDER | {"this", "with_", "alias"})
                return self._ordered(node, self.relation(node.this))
        finally:
            self.ctes = outer
        what = "TABLE" if isinstance(node, exp.Table) else node.key.upper()
        raise SqlError(f"{what} is not supported", "", "a query is a SELECT from streams", self.place(node))

    def _only(self, node: exp.Expr, known: set[str]) -> None:
        for key, value in node.args.items():
            if value and key not in known:
                name, word = _CLAUSES.get(key, (key.strip("_").upper(), key.upper()))
                inner = next(iter(value)) if isinstance(value, list) else value
                place = self.place(inner) if isinstance(inner, exp.Expr) else self.place(node)
                raise SqlError(f"{name} is not supported", "", _SUPPORTED, self.text.after(word, place))

    def _with(self, node: exp.With) -> None:
        if node.args.get("recursive"):
            raise SqlError("WITH RECURSIVE is not supported", "", "use WITH without RECURSIVE", self.place(node))
        for cte in node.expressions:
            self._only(cte, {"this", "alias"})
            relation = self.ctes[cte.alias.lower()] = self._renamed(self.relation(cte.this), cte)
            check_reads(relation, self.place(cte))

    def _from(self, node: exp.Expr) -> tuple[str, Relation]:
        """The name and relation of an item of FROM."""
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Query):
            self._only(node, {"this", "alias", "joins", "with_"})
            return node.alias or "", self._renamed(self._windowed(node, self.relation(node.this)), node)
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            what = _REFUSED.get(type(node))
            hint = "FROM takes streams, subqueries and CTEs"
            raise SqlError(f"{what or 'a table function'} in FROM is not supported", "", hint, self.place(node))
        self._only(node, {"this", "alias", "joins"})
        return node.alias or node.name, self._renamed(self._windowed(node, self._named(node)), node)

    def _windowed(self, node: exp.Expr, relation: Relation) -> Relation:
        if (window := self.text.window(node)) is not None:
            relation = Window(check_input(relation, window.place), window.rows, window.place)
        clause = self.text.time_window(node)
        return relation if clause is None else over(relation, clause)

    def _named(self, node: exp.Table) -> Relation:
        name = node.name.lower()
        if name in self.ctes:
            return self.ctes[name]
        if name in self.streams:
            stream, place = self.streams[name], self.place(node.this)
            relation = named(stream, place)
            return relation if stream.temporal is None else Final(relation, place)
        if name in self.tables:
            return Source(read_as_stream(self.tables[name]), self.place(node.this))
        known = [*self.ctes, *(stream.name for stream in self.streams.values())]
        if node.name in dict(self.text.files):
            hint = "punctum sql reads files by their names; for a script, punctum infer writes their CREATE STREAM"
            raise SqlError(f"there is no stream '{node.name}'", choices(known), hint, self.place(node.this))
        raise SqlError(
            f"there is no stream {node.name}", choices(known), nearest(node.name, known), self.place(node.this)
        )

    def _renamed(self, relation: Relation, node: exp.Expr) -> Relation:
        """A relation with the column names that stand after its alias, if any do."""
        alias = node.args.get("alias")
        names = [column.name for column in alias.args.get("columns") or []] if alias else []
        if not names or alias is None:
            return relation
        if len(names) != len(relation.schema):
            detail = f"{len(names)} names for {len(relation.schema)} columns"
            raise SqlError("the names after the alias do not fit", detail, "", self.place(alias))
        columns: list[Named] = [(name, _column(relation, i)) for i, name in enumerate(names)]
        return self._merged(relation, columns, self.place(alias))

    def _select(self, node: exp.Select) -> Relation:
        self._only(node, _SELECT)
        write_out(node, self.text)
        place = self.place(node)
        if node.args.get("from_") is None:
            raise SqlError("SELECT without FROM is not supported", "", "a query reads streams", place)
        distinct = node.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            raise SqlError("DISTINCT ON is not supported", "", "use SELECT DISTINCT", self.place(distinct))
        tables = From(self.text, self._from, place)
        below, scope = tables.read(node)
        below = Subqueries(self.text, self._from, self.relation, place).over(below, scope, tables.subqueries)
        grouped = node.args.get("group") is not None or node.args.get("having") is not None
        grouped = grouped or any(any(aggregates(item)) for item in node.expressions)
        binder = read_groups(self.text, node, scope, place) if grouped else Binder(self.text, scope, "SELECT", place)
        overs = Overs()
        binder.over, binder.stamps = overs, not grouped and not any(node.find_all(exp.Window))
        columns = self._columns(node, binder)
        overs.qualify(node, binder)
        order = sort_keys(node, columns, binder, distinct is not None)
        if isinstance(binder, Groups):
            below, columns, order = self._grouped(node, below, binder, columns, order)
        made = overs.relation(below, columns, order.hidden, place)
        result = self._projection(*stamped(made.relation, made.shown + made.hidden, place), place)
        if distinct is not None:
            result = Distinct(result, place)
        return self._sorted(result, order, place)

    def _sorted(self, relation: Relation, order: SortTerm, place: Place) -> Relation:
        if not order.keys:
            return relation
        keys = tuple((_column(relation, at), down, nulls) for at, down, nulls in order.keys)
        ordered = OrderBy(relation, keys, order.place, order.most)
        if not order.hidden:
            return ordered
        shown = len(relation.schema) - len(order.hidden)
        names = relation.schema.names[:shown]
        return self._projection(ordered, [(name, _column(relation, i)) for i, name in enumerate(names)], place)

    def _columns(self, node: exp.Select, binder: Binder) -> list[Named]:
        """The columns of SELECT, by name."""
        columns: list[Named] = []
        for item in spread(node.expressions, binder.windows if isinstance(binder, Groups) else {}, binder.scope):
            star = item.this if isinstance(item, exp.Column) else item
            if isinstance(star, exp.Star):
                columns += self._star(item, star, binder)
                continue
            expression = binder.bind(item.this if isinstance(item, exp.Alias) else item)
            if is_null(expression) and not isinstance(item.unalias(), exp.Func | exp.Anonymous):
                raise SqlError("NULL alone is not a column", "", "write CAST(NULL AS type)", self.place(item))
            shown = shown_as(item, binder.scope) or field_of(expression) or text(expression, True)
            name = item.alias if isinstance(item, exp.Alias) else shown
            columns.append((name, expression))
        if not columns:
            raise SqlError("SELECT has no columns", "", "", self.place(node))
        self._once(columns)
        return columns

    def _star(self, item: exp.Expr, star: exp.Star, binder: Binder) -> list[Named]:
        if any(star.args.values()):
            raise SqlError("SELECT * EXCEPT is not supported", "", "list the columns", self.place(item))
        if isinstance(binder, Groups):
            raise SqlError("* cannot be used with GROUP BY", "", "list the grouped columns", self.place(item))
        table = item.table if isinstance(item, exp.Column) else None
        if table and not binder.scope.names(table) and binder.scope.has(table.lower()):
            return fields(binder.scope.column(table, None, self.place(item)), self.place(item))
        return list(binder.scope.star(table or None, self.place(item)))

    def _once(self, columns: list[Named]) -> None:
        """Each name once: a sink cannot hold two columns of one name."""
        seen: set[str] = set()
        for name, expression in columns:
            if name.lower() in seen:
                raise SqlError(f"the column {name} occurs twice", "", "name one of them with AS", expression.place)
            seen.add(name.lower())

    def _projection(self, below: Relation, columns: list[Named], place: Place) -> Relation:
        """The columns of a relation, or the relation itself when they are all of it."""
        self._once(columns)
        same = [(name, i) for i, name in enumerate(below.schema.names)]
        if same == [(name, c.index) for name, c in columns if isinstance(c, Column)] and len(same) == len(columns):
            return below
        return Projection(below, tuple(columns), place)

    def _merged(self, below: Relation, columns: list[Named], place: Place) -> Relation:
        """Columns that each read one column of a relation, as one projection with that below."""
        if not isinstance(below, Projection) or below.alias is not None:
            return self._projection(below, columns, place)
        inner = [expression for _, expression in below.columns]
        merged = [(name, rebased(outer, lambda column: inner[column.index])) for name, outer in columns]
        return self._projection(below.input, merged, place)

    def _grouped(
        self, node: exp.Select, below: Relation, groups: Groups, columns: list[Named], order: SortTerm
    ) -> tuple[Relation, list[Named], SortTerm]:
        """The relation of the groups, with HAVING, and the columns above it."""
        plain = [(name, c) for name, c in columns if not isinstance(c, OverColumn)]
        direct = {c.index: name for name, c in reversed(plain) if isinstance(c, Column)}
        aggregate, made = over_groups(node, below, groups, direct, self.place(node))
        assert isinstance(groups.over, Overs)
        groups.over.moved(lambda expression: renumbered(expression, aggregate))
        columns = [(name, renumbered(expression, aggregate)) for name, expression in columns]
        hidden = [(name, renumbered(expression, aggregate)) for name, expression in order.hidden]
        return made, columns, replace(order, hidden=hidden)

    def _set(self, node: exp.SetOperation) -> Relation:
        name = _SETS[type(node)]
        self._only(node, _ORDER | {"this", "expression", "distinct", "with_"})
        place = self.place(node)
        every = not node.args.get("distinct")
        if every and name != "UNION":
            hint = f"use {name} or UNION ALL"
            raise SqlError(f"{name} ALL is not supported", "", hint, self.text.after(name, self.place(node.expression)))
        left, right = self._aligned(name, self.relation(node.this), self.relation(node.expression), place)
        made = {"UNION": UnionAll if every else Union, "INTERSECT": Intersect, "EXCEPT": Except}[name]
        return self._ordered(node, made(left, right, place))

    def _aligned(self, name: str, left: Relation, right: Relation, place: Place) -> tuple[Relation, Relation]:
        """Both sides with the left names and the common types."""
        if len(left.schema) != len(right.schema):
            detail = f"the left one has {len(left.schema)}, the right one {len(right.schema)}"
            raise SqlError(f"{name} needs two queries with the same number of columns", detail, "", place)
        sides: tuple[list[Named], list[Named]] = ([], [])
        for i, shown in enumerate(left.schema.names):
            pair = [replace(_column(side, i), place=place) for side in (left, right)]
            target = common(pair)
            if target is None:
                hint = "CAST one to the type of the other"
                raise mismatch(f"{name} needs columns of the same types", place, hint, *pair)
            for side, column in zip(sides, pair, strict=True):
                side.append((shown, converted(column, target)))
        return self._merged(left, sides[0], place), self._merged(right, sides[1], place)

    def _ordered(self, node: exp.Expr, relation: Relation) -> Relation:
        """A set operation in order: by columns of its result."""
        if not any(node.args.get(clause) for clause in _ORDER):
            return relation
        from_result: list[Named] = [(name, _column(relation, i)) for i, name in enumerate(relation.schema.names)]
        binder = Binder(self.text, Scope(()), "ORDER BY", self.place(node))
        return self._sorted(relation, sort_keys(node, from_result, binder, True), self.place(node))


def check_reads(relation: Relation, place: Place) -> None:
    """Refuse a query that names others so often that it would read its streams many times over."""
    if relation.reads > MOST_READS:
        detail = f"the limit is {MOST_READS}: a stream that is read twice needs two processes"
        hint = "write the common part to a sink, and read from there"
        raise SqlError(f"the query reads its streams {relation.reads:,} times", detail, hint, place)


def _column(relation: Relation, i: int) -> Column:
    return Column(i, relation.schema.names[i], relation.schema.attributes[i])
