"""Relations: what a query means. A node is its fields, its integrity check and the schema that follows from them.

Expressions speak of the columns of the node below by position; the residual of a join speaks of the columns of both
sides, the left ones first. Nodes of temporal streams are in ``temporal.py``, those of plans in ``planned.py``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from punctum.algebra.aggregates import COLLECTED, CONDENSED, OF_SPANS, PAIRED, SPREADS, Function
from punctum.algebra.bands import Band
from punctum.algebra.outer import JoinKind
from punctum.algebra.pattern import WILDCARD
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.values import Type
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE, StreamDef
from punctum.ir.expressions import Column, Expression, kind, named, text
from punctum.ir.node import BinaryRelation, Node, UnaryRelation, fits

if TYPE_CHECKING:
    from punctum.ir.tree import Relation


@dataclass(frozen=True)
class Source(Node):
    """The rows of a stream."""

    OPERATOR = "source"

    stream: StreamDef
    place: Place = field(default=NOWHERE, compare=False)

    @cached_property
    def schema(self) -> Schema:
        """The stream's columns."""
        return self.stream.schema

    @cached_property
    def reads(self) -> int:
        """Once."""
        return 1

    @property
    def label(self) -> str:
        """The stream's name."""
        return f"Source {self.stream.name}"


@dataclass(frozen=True)
class Filter(UnaryRelation):
    """The rows for which the predicate is true."""

    OPERATOR = "select"

    predicate: Expression
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert self.predicate.type is Type.BOOLEAN
        fits(self.predicate, self.input.schema)

    @property
    def label(self) -> str:
        """The predicate."""
        return f"Filter {text(self.predicate)}"


@dataclass(frozen=True)
class Window(UnaryRelation):
    """A stream of which, at any time, only the last so many rows count for joins and groups."""

    OPERATOR = "window"

    rows: int
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert self.rows > 0

    @property
    def label(self) -> str:
        """How many rows."""
        return f"Window {self.rows} rows"


@dataclass(frozen=True)
class Projection(UnaryRelation):
    """Columns by name, each computed from a row of the input."""

    OPERATOR = "project"

    columns: tuple[tuple[str, Expression], ...]
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        for _, expression in self.columns:
            fits(expression, self.input.schema)
        assert self.schema

    @cached_property
    def schema(self) -> Schema:
        """The computed columns."""
        return Schema(tuple(named(expression, name) for name, expression in self.columns))

    @property
    def label(self) -> str:
        """Each column, with its name where that is not the expression itself."""
        return "Projection " + ", ".join(_as(name, text(expression)) for name, expression in self.columns)


def _pair_schema(join: "Join | OuterJoin") -> Schema:
    """The left columns, then the right ones, under the names of a pair."""
    attributes = join.left.schema.attributes + join.right.schema.attributes
    return Schema(tuple(replace(a, name=name) for a, name in zip(attributes, join.names, strict=True)))


def _check_pairs(join: "Join | OuterJoin", pair: Schema) -> None:
    """That a join's columns are those of its sides, and its residual is a condition on a pair."""
    for a, b in join.on:
        fits(a, join.left.schema)
        fits(b, join.right.schema)
        assert a.type is b.type
    assert len(join.names) == len(join.left.schema) + len(join.right.schema)
    if join.residual is not None:
        assert join.residual.type is Type.BOOLEAN
        fits(join.residual, pair)


@dataclass(frozen=True)
class Join(Node):
    """Pairs of rows that are equal on pairs of columns, if any, and fulfil the residual; names are of all columns.

    A plan has the bands that the residual implies: punctuations that have passed them close rows of the other side.
    """

    OPERATOR = "join"
    BELOW = ("left", "right")

    left: "Relation"
    right: "Relation"
    on: tuple[tuple[Column, Column], ...]
    residual: Expression | None
    names: tuple[str, ...]
    place: Place = field(default=NOWHERE, compare=False)
    bands: tuple[Band, ...] = ()

    def __post_init__(self) -> None:
        _check_pairs(self, self.schema)

    @cached_property
    def schema(self) -> Schema:
        """The left columns, then the right ones."""
        return _pair_schema(self)

    @property
    def label(self) -> str:
        """The equalities and the residual."""
        width = len(self.left.schema)
        pairs = ", ".join(f"{self.names[a.index]} = {self.names[width + b.index]}" for a, b in self.on)
        return f"Join {pairs or 'all'}" + (f" where {text(self.residual)}" if self.residual is not None else "")


@dataclass(frozen=True)
class OuterJoin(Node):
    """A join that also looks at rows without a partner, for which no pair is equal on the columns and in the residual.

    LEFT: the pairs, and left rows without a partner, with NULLs for the right columns. FULL: right ones too. SEMI: the
    left rows with a partner, each once. ANTI: the left rows without. Names are of all columns of a pair; the rows of
    SEMI and ANTI have the left columns. A plan has the bands that the residual implies, as for other joins.
    """

    OPERATOR = "outer join"
    BELOW = ("left", "right")

    left: "Relation"
    right: "Relation"
    on: tuple[tuple[Column, Column], ...]
    residual: Expression | None
    names: tuple[str, ...]
    kind: JoinKind
    place: Place = field(default=NOWHERE, compare=False)
    bands: tuple[Band, ...] = ()

    def __post_init__(self) -> None:
        _check_pairs(self, self.paired)

    @cached_property
    def paired(self) -> Schema:
        """The columns of a pair: the left ones, then the right ones."""
        return _pair_schema(self)

    @cached_property
    def schema(self) -> Schema:
        """The columns of a pair, of which those are never NULL whose side always has a row; or the left ones."""
        if not self.kind.pairs:
            return self.left.schema
        width, attributes = len(self.left.schema), self.paired.attributes
        sure = range(width if self.kind is JoinKind.LEFT else 0)
        return Schema(tuple(a if i in sure else replace(a, domain=WILDCARD) for i, a in enumerate(attributes)))

    @property
    def label(self) -> str:
        """The kind, the equalities and the residual."""
        width = len(self.left.schema)
        pairs = ", ".join(f"{self.names[a.index]} = {self.names[width + b.index]}" for a, b in self.on)
        where = f" where {text(self.residual)}" if self.residual is not None else ""
        return f"{self.kind.value.title()}Join {pairs or 'all'}{where}"


@dataclass(frozen=True)
class Distinct(UnaryRelation):
    """Each row once."""

    OPERATOR = "dupelim"

    place: Place = field(default=NOWHERE, compare=False)


class UnionAll(BinaryRelation):
    """All rows of both inputs."""

    OPERATOR = "merge"


class Union(BinaryRelation):
    """Each row of either input once."""

    OPERATOR = "union"


class Intersect(BinaryRelation):
    """Each row of both inputs once."""

    OPERATOR = "intersect"

    @cached_property
    def schema(self) -> Schema:
        """The left columns."""
        return self.left.schema


class Except(BinaryRelation):
    """Each row of the left input that is not in the right one, once."""

    OPERATOR = "difference"

    @cached_property
    def schema(self) -> Schema:
        """The left columns."""
        return self.left.schema


SetOperator: TypeAlias = UnionAll | Union | Intersect | Except
"""What has two inputs with columns of the same names and types."""


@dataclass(frozen=True)
class AggregateCall:
    """A function of the rows of a group for which the filter is true; COUNT of no argument counts rows.

    MAX_BY and MIN_BY have the column that they go ``by``, PERCENTILE the ``share`` of the values below it. In a plan,
    COUNT and AVG may have one that says for how many rows each of theirs stands.
    """

    name: str
    function: Function
    argument: Column | None = None
    filter: Column | None = None
    place: Place = field(default=NOWHERE, compare=False)
    by: Column | None = None
    share: float = 0.5

    @property
    def reads(self) -> tuple[Column, ...]:
        """The columns that it reads."""
        return tuple(column for column in (self.argument, self.filter, self.by) if column is not None)

    def rebased(self, to: Callable[[Column], Column]) -> "AggregateCall":
        """The same of other columns."""
        argument, condition, by = (c and to(c) for c in (self.argument, self.filter, self.by))
        return replace(self, argument=argument, filter=condition, by=by)

    @property
    def condensed(self) -> bool:
        """Whether synopses can compute it."""
        spans = self.function in OF_SPANS and self.argument is not None and self.argument.type is Type.INTERVAL
        return self.function in CONDENSED and not spans

    def attribute(self, grouped: bool) -> Attribute:
        """The result's name and type; a group has a row at least."""
        if self.function in (Function.COUNT, Function.COUNT_DISTINCT) or self.argument is None:
            return replace(kind(Type.BIGINT, False), name=self.name)
        if self.function in COLLECTED:
            element = replace(self.argument.attribute, name="element", domain=WILDCARD, reach=None)
            return Attribute(self.name, Type.ARRAY, NOT_NULL, parts=(element,))
        whole = grouped and self.filter is None
        of = replace(self.argument.attribute, name=self.name)
        if self.function in (Function.MIN, Function.MAX):
            return of if whole else replace(of, domain=WILDCARD)
        if self.function in PAIRED:
            return replace(of, domain=WILDCARD)
        if self.function is Function.SUM:
            p, s = of.digits
            digits = (min(p + 10, 38), s) if of.type is Type.DECIMAL else of.digits
            return Attribute(self.name, of.type, NOT_NULL if whole and not of.domain.null else WILDCARD, digits)
        sure = whole and not of.domain.null and self.function not in SPREADS
        result = Type.INTERVAL if of.type is Type.INTERVAL and self.function is Function.AVG else Type.DOUBLE
        return Attribute(self.name, result, NOT_NULL if sure else WILDCARD)

    def __str__(self) -> str:
        shown = "*" if self.argument is None else text(self.argument)
        if self.by is not None:
            shown += f", {text(self.by)}" if self.function in PAIRED else f" WEIGHTED {text(self.by)}"
        if self.function is Function.PERCENTILE:
            shown += f", {self.share}"
        call = f"{self.function.value}({shown})"
        if self.function is Function.COUNT_DISTINCT:
            call = f"COUNT(DISTINCT {shown})"
        return call + (f" FILTER (WHERE {text(self.filter)})" if self.filter is not None else "")


@dataclass(frozen=True)
class Aggregate(UnaryRelation):
    """A row for each group: its keys, then its aggregates; without keys, one row for all.

    With ``updates`` a group comes again whenever it changes. When there are ``few`` groups, finitely many whatever
    comes, no more than a row is kept of each.
    """

    OPERATOR = "group-by"

    keys: tuple[tuple[str, Column], ...]
    aggregates: tuple[AggregateCall, ...]
    place: Place = field(default=NOWHERE, compare=False)
    updates: bool = False
    few: bool = False

    def __post_init__(self) -> None:
        assert self.keys or self.aggregates
        used = [key for _, key in self.keys]
        used += [c for call in self.aggregates for c in call.reads]
        for column in used:
            fits(column, self.input.schema)

    @cached_property
    def schema(self) -> Schema:
        """The keys, then the aggregates."""
        keys = tuple(named(key, name) for name, key in self.keys)
        return Schema(keys + tuple(call.attribute(bool(keys)) for call in self.aggregates))

    @property
    def label(self) -> str:
        """The aggregates and the keys."""
        calls = ", ".join(_as(call.name, str(call)) for call in self.aggregates)
        keys = ", ".join(_as(name, text(key)) for name, key in self.keys)
        return f"Aggregate {calls}" + (f" by {keys}" if keys else "") if calls else f"Aggregate by {keys}"


@dataclass(frozen=True)
class OrderBy(UnaryRelation):
    """All rows in order: by columns, descending or not, NULLs first or last or as Spark has it; or at most so many.

    Which rows are the first tells the order and then, of rows that are equal in it, all other columns, one after the
    other, ascending.
    """

    OPERATOR = "sort"

    keys: tuple[tuple[Column, bool, bool | None], ...]
    place: Place = field(default=NOWHERE, compare=False)
    most: int | None = None

    def __post_init__(self) -> None:
        assert self.keys
        assert self.most is None or self.most > 0
        for column, _, _ in self.keys:
            fits(column, self.input.schema)

    @property
    def label(self) -> str:
        """The keys and the limit."""
        nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}
        keys = (f"{text(column)}{' DESC' * down}{nulls[first]}" for column, down, first in self.keys)
        return f"OrderBy {', '.join(keys)}" + ("" if self.most is None else f" up to {self.most}")


def _as(name: str, shown: str) -> str:
    return shown if shown == name else f"{shown} AS {name}"
