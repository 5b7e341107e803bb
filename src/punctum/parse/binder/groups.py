"""GROUP BY: what stands above it reads keys and aggregates only.

Each expression of SELECT, HAVING and ORDER BY is bound over keys and aggregates: a part that is a key becomes its
column, an aggregate function becomes the column of its result, and any other column is an error. Keys, arguments and
filters that are not plain columns are computed in a projection below.
"""

from dataclasses import replace
from typing import Any

from sqlglot import exp

from punctum.algebra.aggregates import Function
from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Column, Expression, Literal, mismatch, named, rebased, text
from punctum.ir.names import fresh
from punctum.ir.relations import Aggregate, AggregateCall, Filter, Projection
from punctum.ir.tree import Relation
from punctum.ir.types import NUMBERS, is_interval, is_null
from punctum.parse.binder.bind import AGGREGATES, Binder, is_aggregate
from punctum.parse.binder.order import ordinal
from punctum.parse.binder.over import OverColumn
from punctum.parse.binder.scope import Scope
from punctum.parse.lexer.text import Text

_FUNCTIONS: dict[type, Function] = {
    exp.Count: Function.COUNT,
    exp.Sum: Function.SUM,
    exp.Min: Function.MIN,
    exp.Max: Function.MAX,
    exp.Avg: Function.AVG,
    exp.Median: Function.MEDIAN,
}
Wanted = tuple[Function, Expression | None, Expression | None]


class Groups(Binder):
    """Binds expressions above GROUP BY, and collects the aggregates that they need."""

    def __init__(self, text: Text, scope: Scope, around: Place, keys: list[Expression]) -> None:
        super().__init__(text, scope, "SELECT", around)
        self.keys = keys
        self.wanted: list[Wanted] = []
        self.places: list[Place] = []
        self.aliases: dict[str, exp.Expr] = {}

    def node(self, node: exp.Expr) -> Expression:
        """A key, an aggregate, or a call of expressions that are."""
        if isinstance(node, exp.Filter) or is_aggregate(node):
            return self._aggregate(node)
        if (key := self._key(node)) is not None:
            return key
        return super().node(node)

    def _key(self, node: exp.Expr) -> Column | None:
        if isinstance(node, exp.Literal | exp.Null | exp.Boolean | exp.Interval):
            return None
        below = Binder(self.text, self.scope, "SELECT", self.around)
        try:
            expression = below.bind(node)
        except SqlError:
            return None
        if expression not in self.keys:
            return None
        at = self.keys.index(expression)
        return Column(at, text(expression, True), named(expression, text(expression, True)), self.place(node))

    def column(self, node: exp.Column) -> Expression:
        """A column that is not a key is an error, unless it is the alias of what is one."""
        if not node.table and node.name.lower() in self.aliases:
            aliased, self.aliases = self.aliases, {}
            try:
                return self.bind(aliased[node.name.lower()])
            finally:
                self.aliases = aliased
        shown = text(super().column(node))
        keys = ", ".join(text(key, True) for key in self.keys)
        detail = f"it is grouped by {keys}" if keys else "there is no GROUP BY"
        hint = f"add {shown} to GROUP BY, or use MIN({shown})"
        raise SqlError(f"the column {shown} is neither grouped nor aggregated", detail, hint, self.place(node))

    def _aggregate(self, node: Any) -> Column:
        below = Binder(self.text, self.scope, "an aggregate function", self.place(node))
        call, condition = node, None
        if isinstance(node, exp.Filter):
            call = node.this
            below.clause = "FILTER"
            condition = below.bind(node.expression.this)
            if condition.type is not Type.BOOLEAN:
                raise mismatch("FILTER needs a condition", condition.place, "a condition is BOOLEAN", condition)
        wanted = (*self._function(call, below), condition)
        if wanted not in self.wanted:
            self.wanted.append(wanted)
            self.places.append(self.place(node))
        at = self.wanted.index(wanted)
        attribute = self._call(at, "", *wanted).attribute(bool(self.keys))
        return Column(len(self.keys) + at, self.name_of(at), attribute, self.place(node))

    def _function(self, node: Any, below: Binder) -> tuple[Function, Expression | None]:
        function = _FUNCTIONS.get(type(node), Function.AVG if isinstance(node, exp.Anonymous) else None)
        if function is None:
            raise self.refuse(f"the aggregate function {self.name(node)} is", node, f"supported: {AGGREGATES}")
        below.only(node, "this", "big_int", *(["expressions"] if isinstance(node, exp.Anonymous) else []))
        args = [node.this] if not isinstance(node, exp.Anonymous) else node.expressions
        if args and isinstance(args[0], exp.Distinct):
            if function is not Function.COUNT:
                what = f"DISTINCT in {function.value} is"
                raise self.refuse(what, node, "use it in COUNT, or use SELECT DISTINCT in a subquery")
            function, args = Function.COUNT_DISTINCT, args[0].expressions
        if len(args) != 1:
            hint = "concatenate them" if function is Function.COUNT_DISTINCT else ""
            raise self.refuse(f"{function.value} of more than one value is", node, hint)
        if isinstance(args[0], exp.Star):
            if function is Function.COUNT:
                return function, None
            raise SqlError(f"{function.value} does not take *", "", "only COUNT takes *", self.place(node))
        argument = below.bind(args[0])
        if isinstance(argument, Literal) and function is Function.COUNT and not is_null(argument):
            return function, None
        self._check(function, argument, node)
        return function, argument

    def _check(self, function: Function, argument: Expression, node: exp.Expr) -> None:
        numbers = function in (Function.SUM, Function.AVG, Function.MEDIAN)
        if is_null(argument) or is_interval(argument) or (numbers and argument.type not in NUMBERS):
            hint = "it takes numbers (BIGINT, DOUBLE, DECIMAL)" if numbers else "name a column"
            raise mismatch(f"{function.value} does not take this type", self.place(node), hint, argument)

    def name_of(self, at: int) -> str:
        """The name that Spark gives to the column of an aggregate."""
        function, argument, condition = self.wanted[at]
        shown = "1" if argument is None else text(argument, True)
        name = (
            f"count(DISTINCT {shown})" if function is Function.COUNT_DISTINCT else f"{function.value.lower()}({shown})"
        )
        return name if condition is None else f"{name} FILTER (WHERE {text(condition, True)})"

    def _call(self, at: int, name: str, function: Function, *parts: Expression | None) -> AggregateCall:
        """The aggregate over columns, which stand for what is computed below."""
        argument, condition = (None if part is None else _stand_in(0, part) for part in parts)
        return AggregateCall(name, function, argument, condition, self.places[at])

    def relation(self, below: Relation, names: dict[int, str], place: Place) -> Aggregate:
        """The aggregate over a relation, with the names that its columns have in the result."""
        used = [*self.keys, *(part for _, *parts in self.wanted for part in parts if part is not None)]
        plain = all(isinstance(expression, Column) for expression in used)
        columns: list[tuple[str, Expression]] = []
        taken: list[str] = []
        for expression in used:
            if expression not in (known for _, known in columns):
                columns.append((fresh(text(expression, True), taken), expression))
        known = [expression for _, expression in columns]

        def column(expression: Expression) -> Column:
            if plain:
                assert isinstance(expression, Column)
                return expression
            return _stand_in(known.index(expression), expression, columns[known.index(expression)][0])

        given: list[str] = []
        keys = tuple((fresh(names.get(i, text(key, True)), given), column(key)) for i, key in enumerate(self.keys))
        calls = []
        for i, (function, argument, condition) in enumerate(self.wanted):
            name = fresh(names.get(len(keys) + i, self.name_of(i)), given)
            of, where = (None if part is None else column(part) for part in (argument, condition))
            calls.append(AggregateCall(name, function, of, where, self.places[i]))
        source = below if plain else Projection(below, tuple(columns), place)
        return Aggregate(source, keys, tuple(calls), place)


def over_groups(
    node: exp.Select, below: Relation, groups: Groups, names: dict[int, str], place: Place
) -> tuple[Aggregate, Relation]:
    """The groups over a relation, with the names that their columns have in the result, and those that HAVING takes."""
    condition = None
    if (having := node.args.get("having")) is not None:
        condition = groups.bind(having.this)
        if condition.type is not Type.BOOLEAN:
            raise mismatch("HAVING needs a condition", condition.place, "a condition is BOOLEAN", condition)
    if not groups.keys and not groups.wanted:
        raise SqlError("HAVING needs GROUP BY or an aggregate", "", "WHERE filters rows", place)
    aggregate = groups.relation(below, names, place)
    if condition is None:
        return aggregate, aggregate
    predicate = renumbered(condition, aggregate)
    return aggregate, Filter(aggregate, predicate, predicate.place)


def renumbered(expression: Expression, aggregate: Aggregate) -> Expression:
    """An expression over keys and aggregates, with the names that they have got."""
    names = aggregate.schema.names
    return rebased(expression, lambda c: c if isinstance(c, OverColumn) else replace(c, name=names[c.index]))


def _stand_in(index: int, expression: Expression, name: str = "") -> Column:
    return Column(index, name, named(expression, name), expression.place)


def read_groups(source: Text, node: exp.Select, scope: Scope, place: Place) -> Groups:
    """The groups of a SELECT: its keys may be columns, expressions, positions and aliases of SELECT."""
    group = node.args.get("group")
    below = Binder(source, scope, "GROUP BY", place)
    aliases = {item.alias.lower(): item.this for item in node.expressions if isinstance(item, exp.Alias)}
    aliases = {name: aliased for name, aliased in aliases.items() if not scope.has(name)}
    keys: list[Expression] = []
    if group is not None:
        for key, value in group.args.items():
            if value and key != "expressions":
                raise _ungroupable(key.upper().replace("_", " "), source.clause("GROUP BY", place.start))
        keys = [_group_key(key, node, below, aliases) for key in group.expressions]
    groups = Groups(source, scope, place, list(dict.fromkeys(keys)))
    groups.aliases = aliases
    return groups


def _group_key(node: exp.Expr, select: exp.Select, below: Binder, aliases: dict[str, exp.Expr]) -> Expression:
    if type(node) in _UNGROUPABLE:
        name = _UNGROUPABLE[type(node)]
        raise _ungroupable(name, below.text.after(name.split(" ")[0], below.place(node)))
    if isinstance(node, exp.Literal) and not node.is_string:
        node = select.expressions[ordinal(node, len(select.expressions), below.place(node))].unalias()
    elif isinstance(node, exp.Column) and not node.table:
        node = aliases.get(node.name.lower(), node)
    key = below.bind(node)
    if is_null(key) or is_interval(key):
        raise SqlError("GROUP BY needs a value with a type", "", "", key.place)
    return key


_UNGROUPABLE: dict[type, str] = {
    exp.Rollup: "ROLLUP",
    exp.Cube: "CUBE",
    exp.GroupingSets: "GROUPING SETS",
    exp.Tuple: "of tuples",
}


def _ungroupable(name: str, place: Place) -> SqlError:
    return SqlError(f"GROUP BY {name} is not supported", "", "GROUP BY takes columns and expressions", place)
