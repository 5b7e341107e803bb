"""Joins that stand together as one: a relation in, its leaves and what stands over them out.

The joins go through selections and projections between them; what comes in at their ends is a *leaf*. An expression
over several leaves names a column by its leaf and its position there. How a block is read is written once, and what is
made of it is up to the reader: its conditions and columns as they are (``Flat``), a block of which each column belongs
to a leaf (``analyse/blocks.py``), or a query over base streams (``analyse/memory/conjunctions.py``).
"""

from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from punctum.algebra.values import Type
from punctum.ir.conjunctive.axes import At
from punctum.ir.expressions import Call, Column, Expression, columns, conjuncts, kind, rebased
from punctum.ir.relations import Filter, Join, Projection
from punctum.ir.tree import Relation

Columns = TypeVar("Columns")


@dataclass(frozen=True)
class LeafColumn(Column):
    """A column of a leaf."""

    leaf: int = 0

    @property
    def at(self) -> At:
        """The leaf, and the position in it."""
        return self.leaf, self.index


def leaf_column(leaf: int, relation: Relation, i: int) -> LeafColumn:
    """A column of a relation that is a leaf."""
    attribute = relation.schema.attributes[i]
    return LeafColumn(i, attribute.name, attribute, leaf=leaf)


def at_of(column: Column) -> At:
    """Which column of which leaf a column is, in an expression over several."""
    assert isinstance(column, LeafColumn), column
    return column.at


def placed(column: Column, i: int, name: str | None = None) -> Column:
    """The column of a leaf as the one of some position in a single row."""
    return Column(i, column.name if name is None else name, column.attribute, column.place)


class JoinReader(Protocol[Columns]):
    """What is made of a block: of each relation in it, what its columns are."""

    def leaf(self, relation: Relation) -> Columns:
        """The next leaf, from left to right."""

    def select(self, below: Columns, relation: Filter) -> Columns:
        """A selection over leaves."""

    def project(self, below: Columns, relation: Projection) -> Columns:
        """A projection over leaves."""

    def join(self, left: Columns, right: Columns, relation: Join) -> Columns:
        """A join of leaves."""


def flatten(relation: Relation, reader: JoinReader[Columns], to_streams: bool = False) -> Columns:
    """Read the block that ends with a relation; what is no join may be a leaf whatever it is, or not before a stream.

    The joins down the left side are read one after the other, for there may be hundreds.
    """
    match relation:
        case Join():
            joins: list[Join] = []
            first: Relation = relation
            while isinstance(first, Join):
                joins.append(first)
                first = first.left
            made = flatten(first, reader, to_streams)
            for join in reversed(joins):
                made = reader.join(made, flatten(join.right, reader, to_streams), join)
            return made
        case Filter() if to_streams or has_join(relation):
            return reader.select(flatten(relation.input, reader, to_streams), relation)
        case Projection() if to_streams or has_join(relation):
            return reader.project(flatten(relation.input, reader, to_streams), relation)
        case _:  # a leaf
            return reader.leaf(relation)


def has_join(relation: Relation) -> bool:
    """Whether a relation is a join under selections and projections."""
    while isinstance(relation, Filter | Projection):
        relation = relation.input
    return isinstance(relation, Join)


@dataclass
class Flat:
    """A block's leaves and its conditions, and the columns of its result, all over columns of leaves."""

    leaves: list[Relation] = field(default_factory=list)
    conditions: list[Expression] = field(default_factory=list)
    columns: tuple[Expression, ...] = ()

    def leaf(self, relation: Relation) -> tuple[Expression, ...]:
        """Its own columns."""
        self.leaves.append(relation)
        return tuple(leaf_column(len(self.leaves) - 1, relation, i) for i in range(len(relation.schema)))

    def select(self, below: tuple[Expression, ...], relation: Filter) -> tuple[Expression, ...]:
        """Further conditions."""
        self.conditions += conjuncts(_over(relation.predicate, below))
        return below

    def project(self, below: tuple[Expression, ...], relation: Projection) -> tuple[Expression, ...]:
        """Columns that are computed."""
        return tuple(_over(expression, below) for _, expression in relation.columns)

    def join(
        self, left: tuple[Expression, ...], right: tuple[Expression, ...], relation: Join
    ) -> tuple[Expression, ...]:
        """Equalities, and what else the join demands."""
        self.conditions += (_equality(left[a.index], right[b.index]) for a, b in relation.on)
        if relation.residual is not None:
            self.conditions += conjuncts(_over(relation.residual, left + right))
        return left + right

    @property
    def reads(self) -> set[At]:
        """The columns of leaves that conditions and the result read."""
        return {at_of(column) for expression in (*self.columns, *self.conditions) for column in columns(expression)}


def flat(relation: Relation) -> Flat:
    """The block that ends with a relation; a relation without a join is one leaf."""
    made = Flat()
    made.columns = flatten(relation, made)
    return made


def _over(expression: Expression, below: tuple[Expression, ...]) -> Expression:
    return rebased(expression, lambda column: below[column.index])


def _equality(one: Expression, other: Expression) -> Expression:
    return Call("=", (one, other), kind(Type.BOOLEAN, one.nullable or other.nullable))
