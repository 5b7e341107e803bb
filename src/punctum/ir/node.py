"""The root of all nodes: what each of them has, whatever it means.

A node names the fields that hold its inputs, and from these follow what is below it and the same node over others
(``tree.py``). The domains in a schema are promises, so each node passes on only those that still hold.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from punctum.algebra.pattern import WILDCARD, Pattern
from punctum.algebra.schema import NOT_NULL, Schema
from punctum.errors import Place
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Expression, columns

if TYPE_CHECKING:
    from punctum.ir.tree import Relation


class Alias(NamedTuple):
    """The name of the stream that a script has made of a relation, and where the script reads it."""

    name: str
    place: Place = NOWHERE


@dataclass(frozen=True)
class Node:
    """The root of all nodes.

    ``OPERATOR`` is what its operator is called. ``BELOW`` are the fields that hold inputs: one, several or none.
    """

    OPERATOR: ClassVar[str]
    BELOW: ClassVar[tuple[str, ...]] = ()

    alias: Alias | None = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def inputs(self) -> "tuple[Relation, ...]":
        """The nodes below."""
        return tuple(node for name in self.BELOW for node in held(getattr(self, name)))

    @cached_property
    def schema(self) -> Schema:
        """The columns of the result."""
        raise NotImplementedError

    @cached_property
    def reads(self) -> int:
        """How often it reads a stream."""
        return sum(node.reads for node in self.inputs)

    @property
    def label(self) -> str:
        """What the node does, on one line."""
        return type(self).__name__


def held(value: "Relation | tuple[Relation, ...] | None") -> "tuple[Relation, ...]":
    """The nodes that a field holds."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


@dataclass(frozen=True)
class UnaryRelation(Node):
    """A node with one input, whose columns it keeps unless it says otherwise."""

    BELOW = ("input",)

    input: "Relation"

    @cached_property
    def schema(self) -> Schema:
        """The input's columns."""
        return self.input.schema


@dataclass(frozen=True)
class BinaryRelation(Node):
    """Two inputs with columns of the same names and types."""

    BELOW = ("left", "right")

    left: "Relation"
    right: "Relation"
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        left, right = ([(a.name, a.type, a.digits, a.parts) for a in side.schema.attributes] for side in self.inputs)
        assert left == right, (left, right)

    @cached_property
    def schema(self) -> Schema:
        """The columns, with the domains that hold for rows of either side."""
        pairs = zip(self.left.schema.attributes, self.right.schema.attributes, strict=True)
        return Schema(tuple(replace(a, domain=either(a.domain, b.domain)) for a, b in pairs))


@dataclass(frozen=True)
class PlannedNode(Node):
    """A node that plans alone have; what is found out about queries never meets one."""


def either(one: Pattern, other: Pattern) -> Pattern:
    """A domain that holds where one of two does."""
    if one == other:
        return one
    return WILDCARD if one.null or other.null else NOT_NULL


def fits(expression: Expression, schema: Schema) -> None:
    """Every column of an expression is the one of that position in the schema."""
    for column in columns(expression):
        attribute = schema.attributes[column.index]
        assert column.name == attribute.name, (column, attribute)
        given = column.attribute
        assert (attribute.type, attribute.digits, attribute.parts) == (given.type, given.digits, given.parts), column
