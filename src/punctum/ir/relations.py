"""Relations: what a query means. A node is its fields, its integrity check and the schema that follows from them.

Expressions speak of the columns of the node below by position; the residual of a join speaks of the columns of both
sides, the left ones first. The domains in a schema are promises, so each node passes on only those that still hold.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce

from punctum.algebra.aggregates import Function
from punctum.algebra.pattern import WILDCARD, Pattern
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.values import Type
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE, Policy, StreamDef, Temporal
from punctum.ir.elements import EVENT, HIDDEN, MARKED, VS, element_schema, is_elements, is_opens, payload_of
from punctum.ir.expressions import Column, Expression, columns, kind, named, text


@dataclass(frozen=True)
class Relation:
    """The root of all nodes."""

    @property
    def inputs(self) -> "tuple[Relation, ...]":
        """The nodes below."""
        return ()

    @cached_property
    def schema(self) -> Schema:
        """The columns of the result."""
        raise NotImplementedError

    @cached_property
    def reads(self) -> int:
        """How often it reads a stream, when all that it names is written out."""
        return sum(each.reads for each in self.inputs)

    @property
    def label(self) -> str:
        """What the node does, on one line."""
        return type(self).__name__


@dataclass(frozen=True)
class Source(Relation):
    """The rows of a stream."""

    stream: StreamDef
    place: Place = field(default=NOWHERE, compare=False)

    @cached_property
    def schema(self) -> Schema:
        """The stream's columns."""
        return self.stream.schema

    @cached_property
    def reads(self) -> int:
        """Once, or as often as what the stream stands for."""
        return 1 if self.stream.relation is None else self.stream.relation.reads

    @property
    def label(self) -> str:
        """The stream's name."""
        return f"Source {self.stream.name}"


@dataclass(frozen=True)
class UnaryRelation(Relation):
    """A node with one input, whose columns it keeps unless it says otherwise."""

    input: Relation

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The one node below."""
        return (self.input,)

    @cached_property
    def schema(self) -> Schema:
        """The input's columns."""
        return self.input.schema


@dataclass(frozen=True)
class Filter(UnaryRelation):
    """The rows for which the predicate is true."""

    predicate: Expression
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert self.predicate.type is Type.BOOLEAN
        _fits(self.predicate, self.input.schema)

    @property
    def label(self) -> str:
        """The predicate."""
        return f"Filter {text(self.predicate)}"


@dataclass(frozen=True)
class Window(UnaryRelation):
    """A stream of which, at any time, only the last so many rows count for joins and groups."""

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

    columns: tuple[tuple[str, Expression], ...]
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        for _, expression in self.columns:
            _fits(expression, self.input.schema)
        assert self.schema

    @cached_property
    def schema(self) -> Schema:
        """The computed columns."""
        return Schema(tuple(named(expression, name) for name, expression in self.columns))

    @property
    def label(self) -> str:
        """Each column, with its name where that is not the expression itself."""
        return "Projection " + ", ".join(_as(name, text(expression)) for name, expression in self.columns)


@dataclass(frozen=True)
class Join(Relation):
    """Pairs of rows that are equal on pairs of columns, if any, and fulfil the residual; names are of all columns."""

    left: Relation
    right: Relation
    on: tuple[tuple[Column, Column], ...]
    residual: Expression | None
    names: tuple[str, ...]
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        for a, b in self.on:
            _fits(a, self.left.schema)
            _fits(b, self.right.schema)
            assert a.type is b.type
        assert len(self.names) == len(self.left.schema) + len(self.right.schema)
        if self.residual is not None:
            assert self.residual.type is Type.BOOLEAN
            _fits(self.residual, self.schema)

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """Both sides."""
        return self.left, self.right

    @cached_property
    def schema(self) -> Schema:
        """The left columns, then the right ones."""
        attributes = self.left.schema.attributes + self.right.schema.attributes
        return Schema(tuple(replace(a, name=name) for a, name in zip(attributes, self.names, strict=True)))

    @property
    def label(self) -> str:
        """The equalities and the residual."""
        width = len(self.left.schema)
        pairs = ", ".join(f"{self.names[a.index]} = {self.names[width + b.index]}" for a, b in self.on)
        return f"Join {pairs or 'all'}" + (f" where {text(self.residual)}" if self.residual is not None else "")


@dataclass(frozen=True)
class Distinct(UnaryRelation):
    """Each row once."""

    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class BinaryRelation(Relation):
    """Two inputs with columns of the same names and types."""

    left: Relation
    right: Relation
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        left, right = ([(a.name, a.type, a.digits) for a in side.schema.attributes] for side in self.inputs)
        assert left == right, (left, right)

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """Both sides."""
        return self.left, self.right

    @cached_property
    def schema(self) -> Schema:
        """The columns, with the domains that hold for rows of either side."""
        pairs = zip(self.left.schema.attributes, self.right.schema.attributes, strict=True)
        return Schema(tuple(replace(a, domain=_either(a.domain, b.domain)) for a, b in pairs))


class UnionAll(BinaryRelation):
    """All rows of both inputs."""


class Union(BinaryRelation):
    """Each row of either input once."""


class Intersect(BinaryRelation):
    """Each row of both inputs once."""

    @cached_property
    def schema(self) -> Schema:
        """The left columns."""
        return self.left.schema


class Except(BinaryRelation):
    """Each row of the left input that is not in the right one, once."""

    @cached_property
    def schema(self) -> Schema:
        """The left columns."""
        return self.left.schema


@dataclass(frozen=True)
class AggregateCall:
    """A function of the rows of a group for which the filter is true; COUNT of no argument counts rows."""

    name: str
    function: Function
    argument: Column | None = None
    filter: Column | None = None
    place: Place = field(default=NOWHERE, compare=False)

    def attribute(self, grouped: bool) -> Attribute:
        """The result's name and type; a group has a row at least."""
        if self.function in (Function.COUNT, Function.COUNT_DISTINCT) or self.argument is None:
            return replace(kind(Type.BIGINT, False), name=self.name)
        whole = grouped and self.filter is None
        of = replace(self.argument.attribute, name=self.name)
        if self.function in (Function.MIN, Function.MAX):
            return of if whole else replace(of, domain=WILDCARD)
        if self.function is Function.SUM:
            p, s = of.digits
            digits = (min(p + 10, 38), s) if of.type is Type.DECIMAL else of.digits
            return Attribute(self.name, of.type, NOT_NULL if whole and not of.domain.null else WILDCARD, digits)
        return Attribute(self.name, Type.DOUBLE, NOT_NULL if whole and not of.domain.null else WILDCARD)

    def __str__(self) -> str:
        shown = "*" if self.argument is None else text(self.argument)
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

    keys: tuple[tuple[str, Column], ...]
    aggregates: tuple[AggregateCall, ...]
    place: Place = field(default=NOWHERE, compare=False)
    updates: bool = False
    few: bool = False

    def __post_init__(self) -> None:
        assert self.keys or self.aggregates
        used = [key for _, key in self.keys]
        used += [c for call in self.aggregates for c in (call.argument, call.filter) if c is not None]
        for column in used:
            _fits(column, self.input.schema)

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
    """All rows in order: by columns, descending or not, NULLs first or last or as Spark has it."""

    keys: tuple[tuple[Column, bool, bool | None], ...]
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert self.keys
        for column, _, _ in self.keys:
            _fits(column, self.input.schema)

    @property
    def label(self) -> str:
        """The keys."""
        nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}
        keys = (f"{text(column)}{' DESC' * down}{nulls[first]}" for column, down, first in self.keys)
        return f"OrderBy {', '.join(keys)}"


@dataclass(frozen=True)
class Final(UnaryRelation):
    """The events of a temporal stream as rows, each when it is final: payload, start and end."""

    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert self.input.schema.names[-len(HIDDEN) :] == HIDDEN

    @cached_property
    def schema(self) -> Schema:
        """The payload, the start and the end."""
        return Schema(self.input.schema.attributes[: len(EVENT) - len(HIDDEN)])


@dataclass(frozen=True)
class Opened(UnaryRelation):
    """The elements of a temporal stream of which the opens and closes are read, and what it declares of them."""

    properties: Temporal
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert is_opens(self.input.schema)

    @cached_property
    def schema(self) -> Schema:
        """The payload, and the columns of inserts and adjusts."""
        read = self.input.schema
        return element_schema(read.attributes[: -len(MARKED)], read.attributes[read.index(VS)].type)


@dataclass(frozen=True)
class Cleansed(UnaryRelation):
    """The events of a temporal stream as inserts, in the order of their starts, each when all before it are final."""

    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert is_elements(self.input.schema)

    @cached_property
    def schema(self) -> Schema:
        """The columns of inserts."""
        read = self.input.schema
        return element_schema(payload_of(read), read.attributes[read.index(VS)].type, inserts=True)


@dataclass(frozen=True)
class LMerge(Relation):
    """One temporal stream of replicas of it; a case that is forced, how it answers, and what controls its inputs.

    ``absent`` are inputs that are not there when the query starts; the control says when they come, and which go.
    ``feedback`` is the file where it tells what of its inputs nobody needs any more.
    """

    merged: tuple[Relation, ...]
    names: tuple[str, ...]
    policy: Policy = field(default_factory=Policy)
    case: str | None = None
    control: Source | None = None
    absent: tuple[str, ...] = ()
    feedback: str | None = None
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        kinds = {tuple((a.name, a.type, a.digits) for a in each.schema.attributes) for each in self.merged}
        assert len(self.merged) == len(self.names) and len(kinds) == 1, (self.names, kinds)

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The replicas, and what controls them."""
        return self.merged if self.control is None else (*self.merged, self.control)

    @cached_property
    def schema(self) -> Schema:
        """The columns of the elements, with the domains that hold for all inputs."""
        several = zip(*(each.schema.attributes for each in self.merged), strict=True)
        return Schema(tuple(replace(same[0], domain=_all_of([a.domain for a in same])) for same in several))

    @property
    def label(self) -> str:
        """The inputs, and what is asked for."""
        asked = [f"case {self.case}"] * (self.case is not None) + [str(self.policy)] * (self.policy != Policy())
        return f"LMerge {', '.join(self.names)}" + (f" ({', '.join(asked)})" if asked else "")


def children(relation: Relation) -> dict[str, Relation]:
    """The nodes below, by the names of their fields."""
    names = ((), ("input",), ("left", "right"))[len(relation.inputs)]
    return dict(zip(names, relation.inputs, strict=True))


def over(relation: Relation, change: Callable[[Relation], Relation]) -> Relation:
    """The node over other ones: those below it, each changed."""
    if isinstance(relation, LMerge):
        return replace(relation, merged=tuple(map(change, relation.merged)))
    return replace(relation, **{name: change(child) for name, child in children(relation).items()})


def show(relation: Relation) -> str:
    """The tree of a relation, indented, one node a line."""
    return "\n".join(_lines(relation, 0))


def _lines(relation: Relation, depth: int) -> Iterator[str]:
    yield "  " * depth + relation.label
    for below in relation.inputs:
        yield from _lines(below, depth + 1)


def _as(name: str, shown: str) -> str:
    return shown if shown == name else f"{shown} AS {name}"


def _all_of(domains: Sequence[Pattern]) -> Pattern:
    """A domain that holds for each of some."""
    return reduce(_either, domains)


def _either(one: Pattern, other: Pattern) -> Pattern:
    """A domain that holds where one of two does."""
    if one == other:
        return one
    return WILDCARD if one.null or other.null else NOT_NULL


def _fits(expression: Expression, schema: Schema) -> None:
    """Every column of an expression is the one of that position in the schema."""
    for column in columns(expression):
        found = schema.attributes[column.index]
        assert column.name == found.name, (column, found)
        assert (found.type, found.digits) == (column.type, column.attribute.digits), (column, found)
