"""Blocks: joins that stand together are one join of many inputs, however they are written.

A block goes through selections, projections and named streams between its joins; what comes in at its end is a *leaf*:
a stream, or any relation that is not a join. A column that a projection computes of one leaf becomes a column of that
leaf; one that is computed of several has no leaf, and equalities with it are not used.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from punctum.algebra.pattern import Constant
from punctum.algebra.schema import Schema
from punctum.analyse.predicates import pattern_of
from punctum.errors import Place
from punctum.ir.conjunctive.axes import At
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Call, Column, Expression, columns, conjuncts, rebased, text
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

    def conditions(self, predicate: Expression) -> "Block":
        """The block with what a predicate over its columns says."""
        equal = [(self.columns[a], self.columns[b]) for a, b in equalities(predicate)]
        pairs = tuple((a, b) for a, b in equal if a is not None and b is not None)
        fixed = {at for i in constants(predicate) if (at := self.columns[i]) is not None}
        return replace(self, equal=self.equal + pairs, fixed=self.fixed | fixed)


def equalities(predicate: Expression) -> Iterator[tuple[int, int]]:
    """The pairs of columns that a predicate demands to be equal."""
    for condition in conjuncts(predicate):
        match condition:
            case Call("=", (Column() as a, Column() as b)):
                yield a.index, b.index


def constants(predicate: Expression) -> Iterator[int]:
    """The columns that a predicate fixes to a value."""
    for condition in conjuncts(predicate):
        found = pattern_of(condition)
        if found is not None and isinstance(found[1], Constant) and not found[1].null:
            yield found[0].index


def block(relation: Relation) -> Block | None:
    """The block that ends with a relation, if there is a join in it."""
    found = _block(relation)
    return replace(found, end=relation) if len(found.leaves) > 1 else None


def _block(relation: Relation) -> Block:
    below = _unnamed(relation)
    if relation.alias is None or len(below.leaves) == 1:
        return below
    return replace(below, place=relation.alias.place)  # its definition may be in another text


def _unnamed(relation: Relation) -> Block:
    match relation:
        case Join():
            return _joined(relation)
        case Filter() if (below := block(relation.input)) is not None:
            return replace(below.conditions(relation.predicate), within=(*below.within, relation))
        case Projection() if (below := block(relation.input)) is not None:
            for _, expression in relation.columns:
                below = _computed(below, expression)
            shown = below.columns[len(relation.input.schema) :]
            return replace(below, columns=shown, within=(*below.within, relation))
        case _:
            return Block((relation,), tuple((0, i) for i in range(len(relation.schema))))


def _joined(relation: Relation) -> Block:
    """The joins down the left side one after the other, for there may be hundreds."""
    joins = []
    while isinstance(relation, Join):
        joins.append(relation)
        relation = relation.left
    found = _block(relation)
    for join in reversed(joins):
        found = _pair(found, _block(join.right), join)
    return found


def _pair(left: Block, right: Block, join: Join) -> Block:
    offset = len(left.leaves)
    theirs = tuple(None if at is None else _shifted(at, offset) for at in right.columns)
    pairs = ((left.columns[a.index], theirs[b.index]) for a, b in join.on)
    new = tuple((a, b) for a, b in pairs if a is not None and b is not None)
    equal = (*left.equal, *_all_shifted(right.equal, offset), *new)
    on = (*left.on, *_all_shifted(right.on, offset), *new)
    fixed = left.fixed | {_shifted(at, offset) for at in right.fixed}
    leaves, within = left.leaves + right.leaves, left.within + right.within
    sides = frozenset(range(offset)), frozenset(range(offset, len(leaves)))
    moved = (tuple(frozenset(leaf + offset for leaf in side) for side in pair) for pair in right.tree)
    tree = (*left.tree, *((one, other) for one, other in moved), sides)
    found = Block(leaves, left.columns + theirs, equal, fixed, within, tree, on, join.place)
    return found if join.residual is None else found.conditions(join.residual)


def _all_shifted(pairs: tuple[tuple[At, At], ...], offset: int) -> Iterator[tuple[At, At]]:
    return ((_shifted(a, offset), _shifted(b, offset)) for a, b in pairs)


def _shifted(at: At, offset: int) -> At:
    return at[0] + offset, at[1]


def _computed(below: Block, expression: Expression) -> Block:
    """The block with one more column, which may become one of a leaf."""
    if isinstance(expression, Column):
        return replace(below, columns=(*below.columns, below.columns[expression.index]))
    read = [below.columns[column.index] for column in columns(expression)]
    of = {None if at is None else at[0] for at in read}
    leaf = of.pop() if len(of) == 1 else None
    if leaf is None:
        return replace(below, columns=(*below.columns, None))
    wider = _widened(below.leaves[leaf], rebased(expression, lambda column: _of_leaf(below, column)))
    leaves = (*below.leaves[:leaf], wider, *below.leaves[leaf + 1 :])
    return replace(below, leaves=leaves, columns=(*below.columns, (leaf, len(wider.schema) - 1)))


def _of_leaf(below: Block, column: Column) -> Column:
    at = below.columns[column.index]
    assert at is not None
    return _column(below.leaves[at[0]].schema, at[1])


def _widened(leaf: Relation, expression: Expression) -> Relation:
    """A leaf with one more column, under a name of its own."""
    own = tuple((name, _column(leaf.schema, i)) for i, name in enumerate(leaf.schema.names))
    return Projection(leaf, (*own, (fresh(text(expression), [name.lower() for name in leaf.schema.names]), expression)))


def _column(schema: Schema, i: int) -> Column:
    return Column(i, schema.names[i], schema.attributes[i])
