"""Blocks: joins that stand together are one join of many inputs, however they are written.

A block goes through selections, projections and named streams between its joins; what comes in at its end is a *leaf*:
a stream, or any relation that is not a join. A column that a projection computes of one leaf becomes a column of that
leaf; one that is computed of several has no leaf, and equalities with it are not used.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from punctum.algebra.pattern import Constant
from punctum.algebra.schema import Schema
from punctum.analyse.predicates import pattern_of
from punctum.errors import Place
from punctum.ir.conjunctive.axes import At
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Call, Column, Expression, columns, conjuncts, rebased, text
from punctum.ir.flatten import flatten, has_join
from punctum.ir.names import fresh
from punctum.ir.relations import Filter, Join, Projection
from punctum.ir.tree import Relation
from punctum.ir.windows import window


@dataclass(frozen=True)
class Block:
    """Leaves, the equalities and constants among their columns, and where each column of the result comes from.

    ``tree`` and ``on`` are how it is written: the leaves on both sides of each binary join, and the pairs they join on;
    ``end`` is the relation with which it ends.
    """

    leaves: tuple[Relation, ...]
    columns: tuple[At | None, ...]
    equal: tuple[tuple[At, At], ...] = ()
    fixed: frozenset[At] = frozenset()
    within: tuple[Relation, ...] = ()
    tree: tuple[tuple[frozenset[int], frozenset[int]], ...] = ()
    on: tuple[tuple[At, At], ...] = ()
    place: Place = NOWHERE
    end: Relation | None = None

    @cached_property
    def windowed(self) -> bool:
        """Whether an input is a window, so that all are joined at once."""
        return any(window(leaf) is not None for leaf in self.leaves)


def equalities(predicate: Expression) -> Iterator[tuple[int, int]]:
    """The pairs of columns that a predicate demands to be equal."""
    for condition in conjuncts(predicate):
        match condition:
            case Call("=", (Column() as a, Column() as b)):
                yield a.index, b.index


def constants(predicate: Expression) -> Iterator[int]:
    """The columns that a predicate fixes to a value."""
    for condition in conjuncts(predicate):
        compared = pattern_of(condition)
        if compared is not None and isinstance(compared[1], Constant) and not compared[1].null:
            yield compared[0].index


def block(relation: Relation) -> Block | None:
    """The block that ends with a relation, if there is a join in it."""
    if not has_join(relation):
        return None
    reader = _BlockReader()
    side = flatten(relation, reader)
    return Block(
        tuple(reader.leaves),
        side.columns,
        tuple(reader.equal),
        frozenset(reader.fixed),
        tuple(reader.within),
        tuple(reader.tree),
        tuple(reader.on),
        side.place if relation.alias is None else relation.alias.place,  # its definition may be in another text
        relation,
    )


class _Side(NamedTuple):
    """Some leaves of a block, where the columns over them come from, and where the last join of them stands."""

    columns: tuple[At | None, ...]
    leaves: frozenset[int]
    place: Place = NOWHERE


@dataclass
class _BlockReader:
    """What is read of a block so far."""

    leaves: list[Relation] = field(default_factory=list)
    equal: list[tuple[At, At]] = field(default_factory=list)
    fixed: set[At] = field(default_factory=set)
    within: list[Relation] = field(default_factory=list)
    tree: list[tuple[frozenset[int], frozenset[int]]] = field(default_factory=list)
    on: list[tuple[At, At]] = field(default_factory=list)

    def leaf(self, relation: Relation) -> _Side:
        """The next leaf."""
        self.leaves.append(relation)
        number = len(self.leaves) - 1
        return _Side(tuple((number, i) for i in range(len(relation.schema))), frozenset([number]))

    def select(self, below: _Side, relation: Filter) -> _Side:
        """What a predicate demands."""
        self._conditions(relation.predicate, below.columns)
        self.within.append(relation)
        return _named(below, relation)

    def project(self, below: _Side, relation: Projection) -> _Side:
        """The columns, of which each that is computed of one leaf becomes a column of that leaf."""
        shown = tuple(self._computed(expression, below.columns) for _, expression in relation.columns)
        self.within.append(relation)
        return _named(below._replace(columns=shown), relation)

    def join(self, left: _Side, right: _Side, relation: Join) -> _Side:
        """The pairs of columns that are joined on, and what else is demanded."""
        pairs = ((left.columns[a.index], right.columns[b.index]) for a, b in relation.on)
        new = [(a, b) for a, b in pairs if a is not None and b is not None]
        self.equal += new
        self.on += new
        self.tree.append((left.leaves, right.leaves))
        both = _Side(left.columns + right.columns, left.leaves | right.leaves, relation.place)
        if relation.residual is not None:
            self._conditions(relation.residual, both.columns)
        return both

    def _conditions(self, predicate: Expression, columns: tuple[At | None, ...]) -> None:
        equal = ((columns[a], columns[b]) for a, b in equalities(predicate))
        self.equal += [(a, b) for a, b in equal if a is not None and b is not None]
        self.fixed |= {at for i in constants(predicate) if (at := columns[i]) is not None}

    def _computed(self, expression: Expression, below: tuple[At | None, ...]) -> At | None:
        """Where a column of a projection comes from."""
        if isinstance(expression, Column):
            return below[expression.index]
        of = {None if (at := below[column.index]) is None else at[0] for column in columns(expression)}
        leaf = of.pop() if len(of) == 1 else None
        if leaf is None:
            return None
        wider = _widened(self.leaves[leaf], rebased(expression, lambda column: self._of_leaf(below[column.index])))
        self.leaves[leaf] = wider
        return leaf, len(wider.schema) - 1

    def _of_leaf(self, at: At | None) -> Column:
        assert at is not None
        return _column(self.leaves[at[0]].schema, at[1])


def _named(side: _Side, relation: Relation) -> _Side:
    return side if relation.alias is None else side._replace(place=relation.alias.place)


def _widened(leaf: Relation, expression: Expression) -> Relation:
    """A leaf with one more column, under a name of its own."""
    own = tuple((name, _column(leaf.schema, i)) for i, name in enumerate(leaf.schema.names))
    return Projection(leaf, (*own, (fresh(text(expression), [name.lower() for name in leaf.schema.names]), expression)))


def _column(schema: Schema, i: int) -> Column:
    return Column(i, schema.names[i], schema.attributes[i])
