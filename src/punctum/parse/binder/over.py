"""Window functions: ``f(…) OVER (PARTITION BY … ORDER BY …)`` in SELECT, QUALIFY and ORDER BY becomes a column.

They are computed after WHERE and GROUP BY, of rows that have the columns which the rest of the SELECT reads, and what
partitions and orders are computed of. So these are the columns by which peers are told apart. QUALIFY filters rows
after them. A condition that bounds a rank, there or in WHERE of a query around this one, becomes the ranking's limit
(``limited``).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from punctum.algebra.aggregates import suits
from punctum.algebra.frames import Frame, FrameFunction
from punctum.algebra.pattern import WILDCARD, between
from punctum.algebra.ranking import Ranking
from punctum.algebra.schema import Attribute
from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.conjuncts import normalised
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Call, Column, Expression, Literal, columns, conjunction, mismatch, named, text
from punctum.ir.expressions.types import common, is_null
from punctum.ir.names import fresh
from punctum.ir.over import Over
from punctum.ir.ranking import Ranked
from punctum.ir.relations import AggregateCall, Filter, Projection
from punctum.ir.tree import Relation
from punctum.parse.binder.bind import Binder
from punctum.parse.binder.frames import Key, unordered, whole_number
from punctum.parse.binder.frames import frame as read_frame
from punctum.parse.binder.order import unaliased
from punctum.parse.binder.ranks import limited

Named = tuple[str, Expression]
_RANKINGS: dict[type, Ranking] = {
    exp.RowNumber: Ranking.ROW_NUMBER,
    exp.Rank: Ranking.RANK,
    exp.DenseRank: Ranking.DENSE_RANK,
}
_FUNCTIONS: dict[type, FrameFunction] = {
    exp.Count: FrameFunction.COUNT,
    exp.Sum: FrameFunction.SUM,
    exp.Min: FrameFunction.MIN,
    exp.Max: FrameFunction.MAX,
    exp.Avg: FrameFunction.AVG,
    exp.Lag: FrameFunction.LAG,
    exp.Lead: FrameFunction.LEAD,
    exp.FirstValue: FrameFunction.FIRST_VALUE,
    exp.LastValue: FrameFunction.LAST_VALUE,
}
_SUPPORTED = f"supported with OVER: {', '.join(f.value for f in (*_RANKINGS.values(), *_FUNCTIONS.values()))}"


@dataclass(frozen=True)
class OverColumn(Column):
    """The result of a window function, by its number among those of a SELECT."""


@dataclass(frozen=True)
class WantedColumn:
    """A window function: what it is of, and the partitions and the order of its rows."""

    function: Ranking | FrameFunction
    partition: tuple[Expression, ...]
    keys: tuple[Key, ...]
    attribute: Attribute
    place: Place = field(default=NOWHERE, compare=False)
    argument: Expression | None = None
    frame: Frame = Frame(None)  # noqa: RUF009  a value

    @property
    def reads(self) -> list[Expression]:
        """What has to be computed below."""
        of = [] if self.argument is None else [self.argument]
        return [*self.partition, *(key for key, _, _ in self.keys), *of]

    def over(self, change: Callable[[Expression], Expression]) -> "WantedColumn":
        """The same of other expressions."""
        keys = tuple((change(key), down, first) for key, down, first in self.keys)
        of = None if self.argument is None else change(self.argument)
        return replace(self, partition=tuple(map(change, self.partition)), keys=keys, argument=of)


class Overs:
    """Collects the window functions of a SELECT, and puts them over the relation that it reads."""

    def __init__(self) -> None:
        self.wanted: list[WantedColumn] = []
        self.condition: Expression | None = None

    def column(self, node: exp.Window, binder: Binder) -> Expression:
        """The column that a window function means; LAG and LEAD may have another value where there is no row."""
        if isinstance(node.this, exp.Lag | exp.Lead) and node.this.args.get("default") is not None:
            return self._or_default(node, binder)
        binder.over = None  # there is none within another one
        try:
            wanted = self._read(node, binder)
        finally:
            binder.over = self
        if wanted not in self.wanted:
            self.wanted.append(wanted)
        name, at = binder.shown(node), self.wanted.index(wanted)
        return OverColumn(at, name, replace(wanted.attribute, name=name), binder.place(node))

    def _or_default(self, node: exp.Window, binder: Binder) -> Expression:
        """LAG and LEAD with a default, which has the type of their value."""
        chosen = _with_default(node)
        _, default, value = (binder.bind(chosen.args[part]) for part in ("this", "true", "false"))
        if common([default, value]) is None:
            hint = "CAST one to the type of the other"
            what = f"{binder.name(node.this)} needs a default of the type of its value"
            raise mismatch(what, binder.place(node), hint, default, value)
        return binder.bind(chosen)

    def _read(self, node: exp.Window, binder: Binder) -> WantedColumn:
        if isinstance(node.this, exp.Filter):
            hint = "write a CASE in the function: SUM(CASE WHEN … THEN x END) OVER (…)"
            raise binder.refuse("FILTER with OVER is", node, hint)
        if isinstance(node.this, exp.IgnoreNulls):
            raise binder.refuse("IGNORE NULLS with OVER is", node, "take them out in a subquery: WHERE x IS NOT NULL")
        if node.args.get("over") != "OVER" or node.args.get("first") is not None:
            raise binder.refuse("this window is", node, _SUPPORTED)
        keys = self._keys(node.args.get("order"), binder)
        partition = tuple(dict.fromkeys(self._value(key, "PARTITION BY", binder) for key in _parts(node)))
        if (framed := _FUNCTIONS.get(type(node.this))) is not None:
            return self._framed(node, framed, partition, keys, binder)
        function = _RANKINGS.get(type(node.this))
        if function is None:
            raise binder.refuse(f"{binder.name(node.this)} with OVER is", node, _SUPPORTED)
        if any(node.this.args.values()):
            raise SqlError(f"{function.value} takes no argument", "", f"write {function.value}()", binder.place(node))
        if node.args.get("spec"):
            raise binder.refuse(f"a frame of {function.value} is", node, "leave it out: ranks are of all rows before")
        if not keys:
            raise unordered(function.value, binder.place(node))
        if function is Ranking.ROW_NUMBER:
            return self._numbered(partition, keys, binder.place(node))
        return WantedColumn(function, partition, keys, Attribute("", Type.BIGINT, between(1, None)), binder.place(node))

    def _numbered(self, partition: tuple[Expression, ...], keys: tuple[Key, ...], place: Place) -> WantedColumn:
        """ROW_NUMBER: a count of rows, until a limit makes it a ranking."""
        attribute = Attribute("", Type.BIGINT, between(1, None))
        return WantedColumn(Ranking.ROW_NUMBER, partition, keys, attribute, place)

    def _framed(
        self,
        node: exp.Window,
        function: FrameFunction,
        partition: tuple[Expression, ...],
        keys: tuple[Key, ...],
        binder: Binder,
    ) -> WantedColumn:
        place, call = binder.place(node), node.this
        binder.only(call, "this", "big_int", *(["offset"] if function.of_another else []))
        frame = read_frame(node, keys, binder)
        if function.of_another:
            if node.args.get("spec"):
                raise binder.refuse(f"a frame of {function.value} is", node, "leave it out")
            frame = Frame(whole_number(call.args.get("offset"), 1, binder, node))
        if not keys and (function.of_another or function in (FrameFunction.FIRST_VALUE, FrameFunction.LAST_VALUE)):
            raise unordered(function.value, place)
        argument = None if isinstance(call.this, exp.Star) else self._value(call.this, function.value, binder)
        if argument is None and function is not FrameFunction.COUNT:
            raise SqlError(f"{function.value} does not take *", "", "only COUNT takes *", place)
        if isinstance(argument, Literal) and function is FrameFunction.COUNT:
            argument = None
        aggregate = function.aggregate
        if argument is not None and aggregate is not None and not suits(aggregate, argument.type):
            hint = "it takes numbers and INTERVALs"
            raise mismatch(f"{function.value} does not take this type", place, hint, argument)
        return WantedColumn(function, partition, keys, _result(function, argument), place, argument, frame)

    def _keys(self, node: exp.Expr | None, binder: Binder) -> tuple[Key, ...]:
        keys: list[Key] = []
        for key in node.expressions if node is not None else []:
            ordered = key if isinstance(key, exp.Ordered) else exp.Ordered(this=key, nulls_first=True)
            if ordered.args.get("with_fill"):
                raise binder.refuse("ORDER BY … WITH FILL is", key)
            down, first = bool(ordered.args.get("desc")), bool(ordered.args.get("nulls_first"))
            value = self._value(ordered.this, "ORDER BY", binder)
            keys.append((value, down, None if first is not down else first))
        return tuple(keys)

    def _value(self, node: exp.Expr, clause: str, binder: Binder) -> Expression:
        value = binder.bind(node)
        if is_null(value):
            raise SqlError(f"{clause} needs a value with a type", "", "", value.place)
        return value

    def qualify(self, node: exp.Select, binder: Binder) -> None:
        """Read QUALIFY, in which names may be aliases of SELECT."""
        clause = node.args.get("qualify")
        if clause is None:
            return
        aliases = {item.alias.lower(): item.this for item in node.expressions if isinstance(item, exp.Alias)}
        aliases = {name: aliased for name, aliased in aliases.items() if not binder.scope.has(name)}
        binder.clause = "QUALIFY"
        self.condition = binder.bind(unaliased(clause.this, aliases))
        if self.condition.type is not Type.BOOLEAN:
            hint = "a condition is BOOLEAN"
            raise mismatch("QUALIFY needs a condition", self.condition.place, hint, self.condition)
        if not self.wanted:
            raise SqlError("QUALIFY needs a window function", "", "WHERE filters rows", self.condition.place)

    def moved(self, change: Callable[[Expression], Expression]) -> None:
        """Read other columns, such as those of groups."""
        self.wanted = [wanted.over(change) for wanted in self.wanted]
        self.condition = self.condition and change(self.condition)

    def relation(self, below: Relation, shown: list[Named], hidden: list[Named], place: Place) -> "_Over":
        """The window functions over a relation, and the columns of a SELECT over their results."""
        if not self.wanted:
            return _Over(below, shown, hidden)
        every = [*(e for _, e in (*shown, *hidden)), *([self.condition] if self.condition is not None else [])]
        wanted_reads = [e for wanted in self.wanted for e in wanted.reads]
        read = [part for e in every for part in _read(e)]
        plain = {c.index: c for c in (*wanted_reads, *read) if isinstance(c, Column)}
        base = _Base(below, [plain[i] for i in sorted(plain)])
        for expression in (*wanted_reads, *read):
            base.add(expression)
        direct = {c.index: name for name, c in reversed(shown) if isinstance(c, OverColumn)}
        made, results = base.relation(place), list[Column]()
        taken = [name.lower() for name in made.schema.names]
        for n, wanted in enumerate(self.wanted):
            name = fresh(direct.get(n, wanted.function.value.lower()), taken)
            made = _made(made, wanted.over(base.column), name)
            results.append(Column(len(made.schema) - 1, name, made.schema.attributes[-1]))

        def above(expression: Expression) -> Expression:
            if isinstance(expression, OverColumn):
                return replace(results[expression.index], place=expression.place)
            if isinstance(expression, Column) or _part(expression):
                return replace(base.column(expression), place=expression.place)
            if isinstance(expression, Literal):
                return expression
            return replace(expression, args=tuple(map(above, expression.args)))

        if self.condition is not None:
            made, rest = limited(made, normalised([above(self.condition)]))
            condition = conjunction(rest)
            made = made if condition is None else Filter(made, condition, condition.place)
        return _Over(made, [(name, above(e)) for name, e in shown], [(name, above(e)) for name, e in hidden])


def _part(expression: Expression) -> bool:
    """Whether it is what is taken of an ARRAY or STRUCT, which is read in its place: these tell no peers apart."""
    own = isinstance(expression, Call) and not expression.type.nested and any(a.type.nested for a in expression.args)
    return own and not any(isinstance(column, OverColumn) for column in columns(expression))


def _read(expression: Expression) -> Iterator[Expression]:
    """What an expression reads of the rows: columns, and parts of them."""
    if isinstance(expression, Column) or _part(expression):
        if not isinstance(expression, OverColumn):
            yield expression
    else:
        for arg in expression.args:
            yield from _read(arg)


@dataclass(frozen=True)
class _Over:
    """A relation, and the shown and hidden columns of a SELECT over it."""

    relation: Relation
    shown: list[Named]
    hidden: list[Named]


class _Base:
    """What window functions read: columns of a relation, in its order, and then what is computed of them."""

    def __init__(self, below: Relation, plain: Sequence[Column]) -> None:
        self._below, self._taken = below, list[str]()
        self._columns: list[Named] = [(fresh(below.schema.names[c.index], self._taken), c) for c in plain]
        self._at: dict[Expression, int] = {c: n for n, (_, c) in enumerate(self._columns)}

    def add(self, expression: Expression) -> None:
        """One more to be computed."""
        if expression not in self._at:
            self._at[expression] = len(self._columns)
            self._columns.append((fresh(text(expression, True), self._taken), expression))

    def column(self, expression: Expression) -> Column:
        """The column that has the value of an expression."""
        at = self._at[expression]
        return Column(at, self._columns[at][0], named(expression, self._columns[at][0]), expression.place)

    def relation(self, place: Place) -> Relation:
        """The relation of these columns."""
        same = [c.index for _, c in self._columns if isinstance(c, Column)]
        if same == list(range(len(self._below.schema))) and len(same) == len(self._columns):
            return self._below
        return Projection(self._below, tuple(self._columns), place)


def _made(below: Relation, wanted: WantedColumn, name: str) -> Relation:
    partition = tuple(c for c in wanted.partition if isinstance(c, Column))
    keys = tuple((c, down, first) for c, down, first in wanted.keys if isinstance(c, Column))
    if isinstance(wanted.function, Ranking):
        if wanted.function is Ranking.ROW_NUMBER:  # a count of rows, until a limit makes it a ranking
            return Over(below, partition, keys, FrameFunction.COUNT, None, Frame(None), name, wanted.place)
        return Ranked(below, partition, keys, wanted.function, name, place=wanted.place)
    argument = wanted.argument if isinstance(wanted.argument, Column) else None
    return Over(below, partition, keys, wanted.function, argument, wanted.frame, name, wanted.place)


def _result(function: FrameFunction, argument: Expression | None) -> Attribute:
    """The type of a function's value."""
    of = None if argument is None else Column(0, "", named(argument, ""))
    if (aggregate := function.aggregate) is not None:
        return AggregateCall("", aggregate, of).attribute(True)
    assert of is not None
    return replace(of.attribute, domain=WILDCARD) if function.of_another else of.attribute


def _with_default(node: exp.Window) -> exp.If:
    """LAG and LEAD with a default: where one of a constant gives nothing, there is no such row."""
    plain = node.copy()
    default = plain.this.args["default"]
    plain.this.set("default", None)
    there = plain.copy()
    there.this.set("this", exp.Literal.number(1))
    return exp.If(this=exp.Is(this=there, expression=exp.Null()), true=default, false=plain)


def _parts(node: exp.Window) -> list[exp.Expr]:
    return list(node.args.get("partition_by") or [])
