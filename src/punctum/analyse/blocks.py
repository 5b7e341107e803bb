"""Blocks: joins that stand together are one join of many inputs, however they are written.

A block goes through selections, projections and named streams between its joins; what comes in at its end is a *leaf*:
a stream, or any relation that is not a join. A column that a projection computes of one leaf becomes a column of that
leaf, and so does a side of a condition; a column that is computed of several has no leaf. What conditions say is read
by ``conditions.py``, wherever they stand: in ON, in WHERE or in a subquery.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from punctum.algebra.pattern import Constant
from punctum.analyse.conditions import Conditions
from punctum.analyse.predicates import pattern_of
from punctum.errors import Place
from punctum.ir.conjunctive.axes import At
from punctum.ir.definitions import NOWHERE
from punctum.ir.differences import Closure
from punctum.ir.expressions import Call, Column, Expression, conjuncts
from punctum.ir.flatten import Flat, flatten, has_join
from punctum.ir.relations import Filter, Join, Projection
from punctum.ir.tree import Relation
from punctum.ir.windows import window


@dataclass(frozen=True)
class Block:
    """Leaves, the equalities and constants among their columns, and where each column of the result comes from.

    ``closure`` is what follows from comparisons, and ``outside`` the conditions that are no equality and no difference.
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
    closure: Closure[At] = field(default_factory=lambda: Closure[At]([]), compare=False, repr=False)
    outside: tuple[Expression, ...] = ()

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
    conditions = Conditions(reader.leaves)
    shown = tuple(conditions.column(expression) for expression in side.columns)
    on = ((conditions.column(a), conditions.column(b)) for a, b in reader.on)
    conditions.read(reader.conditions)
    return Block(
        tuple(conditions.leaves),
        shown,
        tuple(conditions.equal),
        frozenset(conditions.fixed),
        tuple(reader.within),
        tuple(reader.tree),
        tuple((a, b) for a, b in on if a is not None and b is not None),
        side.place if relation.alias is None else relation.alias.place,  # its definition may be in another text
        relation,
        conditions.closure,
        tuple(conditions.outside),
    )


class _Side(NamedTuple):
    """Some leaves of a block, the columns over them, and where the last join of them stands."""

    columns: tuple[Expression, ...]
    leaves: frozenset[int]
    place: Place = NOWHERE


@dataclass
class _BlockReader:
    """What is read of a block so far."""

    flat: Flat = field(default_factory=Flat)
    within: list[Relation] = field(default_factory=list)
    tree: list[tuple[frozenset[int], frozenset[int]]] = field(default_factory=list)
    on: list[tuple[Expression, Expression]] = field(default_factory=list)

    @property
    def leaves(self) -> list[Relation]:
        """The leaves, from left to right."""
        return self.flat.leaves

    @property
    def conditions(self) -> list[Expression]:
        """All conditions, over columns of leaves."""
        return self.flat.conditions

    def leaf(self, relation: Relation) -> _Side:
        """The next leaf."""
        return _Side(self.flat.leaf(relation), frozenset([len(self.leaves) - 1]))

    def select(self, below: _Side, relation: Filter) -> _Side:
        """What a predicate demands."""
        self.within.append(relation)
        return _named(below._replace(columns=self.flat.select(below.columns, relation)), relation)

    def project(self, below: _Side, relation: Projection) -> _Side:
        """The columns, in terms of those of leaves."""
        self.within.append(relation)
        return _named(below._replace(columns=self.flat.project(below.columns, relation)), relation)

    def join(self, left: _Side, right: _Side, relation: Join) -> _Side:
        """The pairs of columns that are joined on, and what else is demanded."""
        self.on += [(left.columns[a.index], right.columns[b.index]) for a, b in relation.on]
        self.tree.append((left.leaves, right.leaves))
        return _Side(self.flat.join(left.columns, right.columns, relation), left.leaves | right.leaves, relation.place)


def _named(side: _Side, relation: Relation) -> _Side:
    return side if relation.alias is None else side._replace(place=relation.alias.place)
