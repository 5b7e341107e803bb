"""GROUP BY: what stands above it reads keys and aggregates only.

Each expression of SELECT, HAVING and ORDER BY is bound over keys and aggregates: a part that is a key becomes its
column, an aggregate function becomes the column of its result, and any other column is an error. Keys, arguments and
filters that are not plain columns are computed in a projection below.
"""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

from sqlglot import exp

from punctum.algebra.aggregates import OF_NUMBERS, OF_SPANS, PAIRED, Function, suits
from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Call, Column, Expression, Literal, conjunction, mismatch, named, rebased, text
from punctum.ir.expressions.types import is_null
from punctum.ir.functions import call
from punctum.ir.functions.aggregates import AGGREGATES, BLIND, suggested_aggregate
from punctum.ir.names import fresh
from punctum.ir.relations import Aggregate, AggregateCall, Filter, Projection
from punctum.ir.tree import Relation
from punctum.parse.binder.bind import Binder, is_aggregate
from punctum.parse.binder.in_order import in_order
from punctum.parse.binder.order import ordinal
from punctum.parse.binder.over import OverColumn
from punctum.parse.binder.scope import Scope
from punctum.parse.binder.time_windows import bound, field, is_window
from punctum.parse.binder.time_windows import keys as window_keys
from punctum.parse.lexer.text import Text

_FUNCTIONS: dict[type, Function] = {
    exp.Count: Function.COUNT,
    exp.Sum: Function.SUM,
    exp.Min: Function.MIN,
    exp.Max: Function.MAX,
    exp.Avg: Function.AVG,
    exp.Median: Function.MEDIAN,
}


class WantedCall(NamedTuple):
    """An aggregate that an expression needs: of an argument, where a condition holds, by another one."""

    function: Function
    argument: Expression | None
    condition: Expression | None = None
    by: Expression | None = None
    share: float = 0.5

    @property
    def parts(self) -> list[Expression]:
        """What is computed for it of each row."""
        return [part for part in (self.argument, self.condition, self.by) if part is not None]


class Groups(Binder):
    """Binds expressions above GROUP BY, and collects the aggregates that they need."""

    def __init__(self, text: Text, scope: Scope, around: Place, keys: list[Expression]) -> None:
        super().__init__(text, scope, "SELECT", around)
        self.keys = keys
        self.wanted: list[WantedCall] = []
        self.places: list[Place] = []
        self.aliases: dict[str, exp.Expr] = {}
        self.windows: dict[str, exp.Expr] = {}

    def node(self, node: exp.Expr) -> Expression:
        """A key, an aggregate, or a call of expressions that are."""
        if isinstance(node, exp.Filter | exp.IgnoreNulls) or is_aggregate(node):
            return self._aggregate(node)
        if (key := self._key(node)) is not None:
            return key
        if (window := bound(Binder(self.text, self.scope, "SELECT", self.around), self._named(node))) is not None:
            return self._over_keys(window)
        return super().node(node)

    def _named(self, node: exp.Expr) -> exp.Expr:
        """What is said of a window by its name, as said of the window."""
        match node:
            case exp.Column() if node.table.lower() in self.windows and not self.scope.names(node.table):
                return field(self.windows[node.table.lower()], node.name)
            case exp.Anonymous(expressions=[exp.Column() as name]) if name.name.lower() in self.windows:
                return exp.Anonymous(this=node.this, expressions=[self.windows[name.name.lower()].copy()])
        return node

    def _over_keys(self, expression: Expression) -> Expression:
        """An expression over rows, all of whose columns are in keys, over these."""
        if expression in self.keys:
            return self._column_of(expression, expression.place)
        if isinstance(expression, Column):
            raise self._not_grouped(text(expression, True), expression.place)
        if not isinstance(expression, Call):
            return expression
        return replace(expression, args=tuple(map(self._over_keys, expression.args)))

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
        return self._column_of(expression, self.place(node))

    def _column_of(self, key: Expression, place: Place) -> Column:
        return Column(self.keys.index(key), text(key, True), named(key, text(key, True)), place)

    def column(self, node: exp.Column) -> Expression:
        """A column that is not a key is an error, unless it is the alias of what is one."""
        if not node.table and node.name.lower() in self.aliases:
            aliased, self.aliases = self.aliases, {}
            try:
                return self.bind(aliased[node.name.lower()])
            finally:
                self.aliases = aliased
        raise self._not_grouped(text(super().column(node)), self.place(node))

    def _not_grouped(self, shown: str, place: Place) -> SqlError:
        keys = ", ".join(text(key, True) for key in self.keys)
        detail = f"it is grouped by {keys}" if keys else "there is no GROUP BY"
        hint = f"add {shown} to GROUP BY, or use MIN({shown})"
        return SqlError(f"the column {shown} is neither grouped nor aggregated", detail, hint, place)

    def _aggregate(self, node: Any) -> Column:
        below = Binder(self.text, self.scope, "an aggregate function", self.place(node))
        call, condition = node, None
        if isinstance(node, exp.Filter):
            call = node.this
            below.clause = "FILTER"
            condition = below.bind(node.expression.this)
            if condition.type is not Type.BOOLEAN:
                raise mismatch("FILTER needs a condition", condition.place, "a condition is BOOLEAN", condition)
        if isinstance(call, exp.IgnoreNulls):
            skipping = _skipping(call.this)
            if skipping is None:
                raise self.refuse("IGNORE NULLS here is", node, "it follows FIRST and LAST; others leave NULLs out")
            call = skipping
        wanted = self._wanted(call, below)
        if condition is not None:
            both = [part for part in (wanted.condition, condition) if part is not None]
            wanted = wanted._replace(condition=conjunction(both))
        if wanted not in self.wanted:
            self.wanted.append(wanted)
            self.places.append(self.place(node))
        at = self.wanted.index(wanted)
        attribute = self._call(at, "", wanted).attribute(bool(self.keys))
        return Column(len(self.keys) + at, self.name_of(at), attribute, self.place(node))

    def _wanted(self, node: Any, below: Binder) -> WantedCall:
        """An aggregate function with its arguments, which stand in a list or are the only one."""
        if type(node) in _FUNCTIONS:
            below.only(node, "this", "big_int")
            return self._one(node, _FUNCTIONS[type(node)], [node.this], below)
        name = "any" if isinstance(node, exp.Any) else self.name(node).lower()
        if name not in AGGREGATES:
            hint = suggested_aggregate(self.name(node).lower())
            raise self.refuse(f"the aggregate function {self.name(node)} is", node, hint)
        entry = AGGREGATES[name]
        below.only(node, "this", "expressions")
        args = [node.this.unnest()] if name == "any" else node.expressions or [node.this]
        if entry.ordered:
            return self._by_order(node, entry.function, args, below)
        if entry.function in (Function.PERCENTILE, *PAIRED):
            return self._two(node, entry.function, args, below)
        if entry.condition:
            return self._counted(node, args, below)
        return self._one(node, entry.function, args, below, entry.takes)

    def _counted(self, node: Any, args: list[Any], below: Binder) -> WantedCall:
        """COUNT_IF: the rows for which a condition holds."""
        condition = below.bind(args[0]) if len(args) == 1 else None
        if condition is None or condition.type is not Type.BOOLEAN:
            raise mismatch("COUNT_IF takes a condition", self.place(node), "a condition is BOOLEAN", *below.all(*args))
        return WantedCall(Function.COUNT, None, condition)

    def _by_order(self, node: Any, function: Function, args: list[Any], below: Binder) -> WantedCall:
        """FIRST and LAST, as the value that goes by the column that its stream promises in order."""
        skips = len(args) == 2 and isinstance(args[1], exp.Boolean)
        wanted = self._one(node, function, args[:1] if skips else args, below)
        if skips and args[1].this and wanted.argument is not None:
            there = call("isnotnull", (wanted.argument,), wanted.argument.place)
            wanted = wanted._replace(condition=there)
        order = None if len(self.scope.tables) != 1 else in_order(self.scope.tables[0].relation)
        if order is None:
            hint = "a slice has no order; use MIN_BY(x, t) for the first and MAX_BY(x, t) for the last"
            what = f"{self.name(node)} needs one stream that promises an order"
            raise SqlError(what, "such as PUNCTUATE (ts ASC)", hint, self.place(node))
        at, down = order
        turned = {Function.MIN_BY: Function.MAX_BY, Function.MAX_BY: Function.MIN_BY} if down else {}
        return wanted._replace(function=turned.get(function, function), by=list(self.scope.tables[0].columns())[at])

    def _two(self, node: Any, function: Function, args: list[Any], below: Binder) -> WantedCall:
        """PERCENTILE of a column and a share, MAX_BY and MIN_BY of a column by another."""
        if len(args) != 2 or any(isinstance(arg, exp.Distinct | exp.Star) for arg in args):
            hint = f"it is {AGGREGATES[function.value.lower()].written}"
            raise SqlError(f"{function.value} takes two arguments", "", hint, self.place(node))
        argument, other = below.all(*args)
        self._check(function, argument, node)
        if function in PAIRED:
            self._check(function, other, node)
            return WantedCall(function, argument, by=other)
        share = other.value if isinstance(other, Literal) else None
        if not isinstance(share, int | float | Decimal) or not 0 <= share <= 1:
            raise mismatch("PERCENTILE takes a literal between 0 and 1 as its share", self.place(node), "", other)
        return WantedCall(function, argument, share=float(share))

    def _one(
        self, node: Any, function: Function, args: list[Any], below: Binder, takes: Type | None = None
    ) -> WantedCall:
        """An aggregate function of one argument, of distinct values, or of all rows."""
        if args and isinstance(args[0], exp.Distinct):
            if function not in (Function.COUNT, Function.COLLECT_LIST, *BLIND):
                what = f"DISTINCT in {function.value} is"
                raise self.refuse(what, node, "use it in COUNT, or use SELECT DISTINCT in a subquery")
            once = {Function.COUNT: Function.COUNT_DISTINCT, Function.COLLECT_LIST: Function.COLLECT_SET}
            function = once.get(function, function)
            args = args[0].expressions
        if len(args) != 1:
            hint = "concatenate them" if function is Function.COUNT_DISTINCT else ""
            raise self.refuse(f"{function.value} of more than one value is", node, hint)
        if isinstance(args[0], exp.Star):
            if function is Function.COUNT:
                return WantedCall(function, None)
            raise SqlError(f"{function.value} does not take *", "", "only COUNT takes *", self.place(node))
        argument = below.bind(args[0])
        if isinstance(argument, Literal) and function is Function.COUNT and not is_null(argument):
            return WantedCall(function, None)
        self._check(function, argument, node, takes)
        return WantedCall(function, argument)

    def _check(self, function: Function, argument: Expression, node: exp.Expr, takes: Type | None = None) -> None:
        if takes is not None and argument.type is not takes:
            what = f"{self.name(node)} does not take this type"
            raise mismatch(what, self.place(node), f"it takes {takes.value}", argument)
        if is_null(argument) or not suits(function, argument.type):
            numbers = f"it takes numbers (BIGINT, DOUBLE, DECIMAL){' and INTERVALs' * (function in OF_SPANS)}"
            hint = numbers if function in OF_NUMBERS else "name a column"
            raise mismatch(f"{function.value} does not take this type", self.place(node), hint, argument)

    def name_of(self, at: int) -> str:
        """The name that Spark gives to the column of an aggregate."""
        function, argument, condition, by, share = self.wanted[at]
        shown = "1" if argument is None else text(argument, True)
        shown += f", {text(by, True)}" if by is not None else f", {share}" if function is Function.PERCENTILE else ""
        name = (
            f"count(DISTINCT {shown})" if function is Function.COUNT_DISTINCT else f"{function.value.lower()}({shown})"
        )
        return name if condition is None else f"{name} FILTER (WHERE {text(condition, True)})"

    def _call(self, at: int, name: str, wanted: WantedCall) -> AggregateCall:
        """The aggregate over columns, which stand for what is computed below."""
        return self._over(at, name, wanted, lambda part: _stand_in(0, part))

    def _over(self, at: int, name: str, wanted: WantedCall, column: Callable[[Expression], Column]) -> AggregateCall:
        parts = (wanted.argument, wanted.condition, wanted.by)
        argument, condition, by = (None if part is None else column(part) for part in parts)
        return AggregateCall(name, wanted.function, argument, condition, self.places[at], by, wanted.share)

    def relation(self, below: Relation, names: dict[int, str], place: Place) -> Aggregate:
        """The aggregate over a relation, with the names that its columns have in the result."""
        used = [*self.keys, *(part for wanted in self.wanted for part in wanted.parts)]
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
        for i, wanted in enumerate(self.wanted):
            name = fresh(names.get(len(keys) + i, self.name_of(i)), given)
            calls.append(self._over(i, name, wanted, column))
        source = below if plain else Projection(below, tuple(columns), place)
        return Aggregate(source, keys, tuple(calls), place)


def over_groups(
    node: exp.Select, below: Relation, groups: Groups, names: dict[int, str], place: Place
) -> tuple[Aggregate, Relation]:
    """The groups over a relation, with the names that their columns have in the result, and those that HAVING takes."""
    condition = None
    if (having := node.args.get("having")) is not None:
        over, groups.over, groups.clause = groups.over, None, "HAVING"  # which is before window functions
        condition = groups.bind(having.this)
        groups.over = over
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


def _skipping(node: Any) -> exp.Anonymous | None:
    """FIRST or LAST without NULLs, written with an argument that says so."""
    name = node.name if isinstance(node, exp.Anonymous) else node.key
    if name.lower() not in ("first", "last", "firstvalue", "lastvalue"):
        return None
    args = node.expressions or [node.this]
    return exp.Anonymous(this=name.lower().removesuffix("value"), expressions=[*args, exp.true()])


def _stand_in(index: int, expression: Expression, name: str = "") -> Column:
    return Column(index, name, named(expression, name), expression.place)


def read_groups(source: Text, node: exp.Select, scope: Scope, place: Place) -> Groups:
    """The groups of a SELECT: its keys may be columns, expressions, positions and aliases of SELECT."""
    group = node.args.get("group")
    below = Binder(source, scope, "GROUP BY", place)
    aliases = {item.alias.lower(): item.this for item in node.expressions if isinstance(item, exp.Alias)}
    aliases = {name: aliased for name, aliased in aliases.items() if not scope.has(name)}
    keys: list[Expression] = []
    windows: dict[str, exp.Expr] = {}
    if group is not None:
        for key, value in group.args.items():
            if value and key != "expressions":
                raise _ungroupable(key.upper().replace("_", " "), source.clause("GROUP BY", place.start))
        grouped = [_grouped_by(key, node, below, aliases) for key in group.expressions]
        keys = [key for item in grouped for key in _group_keys(item, below)]
        windows = {key.name.lower(): key for key in grouped if isinstance(key, exp.Anonymous) and is_window(key)}
        windows |= {name: aliased for name, aliased in aliases.items() if aliased in windows.values()}
    groups = Groups(source, scope, place, list(dict.fromkeys(keys)))
    groups.aliases, groups.windows = aliases, windows
    return groups


def _grouped_by(node: exp.Expr, select: exp.Select, below: Binder, aliases: dict[str, exp.Expr]) -> exp.Expr:
    """What a key of GROUP BY means, where it is a position or an alias of SELECT."""
    if type(node) in _UNGROUPABLE:
        name = _UNGROUPABLE[type(node)]
        raise _ungroupable(name, below.text.after(name.split(" ")[0], below.place(node)))
    if isinstance(node, exp.Literal) and not node.is_string:
        node = select.expressions[ordinal(node, len(select.expressions), below.place(node))].unalias()
    elif isinstance(node, exp.Column) and not node.table:
        node = aliases.get(node.name.lower(), node)
    return node


def _group_keys(node: exp.Expr, below: Binder) -> list[Expression]:
    if is_window(node):
        return window_keys(below, node)
    key = below.bind(node)
    if is_null(key):
        raise SqlError("GROUP BY needs a value with a type", "", "", key.place)
    return [key]


_UNGROUPABLE: dict[type, str] = {
    exp.Rollup: "ROLLUP",
    exp.Cube: "CUBE",
    exp.GroupingSets: "GROUPING SETS",
    exp.Tuple: "of tuples",
}


def _ungroupable(name: str, place: Place) -> SqlError:
    return SqlError(f"GROUP BY {name} is not supported", "", "GROUP BY takes columns and expressions", place)
