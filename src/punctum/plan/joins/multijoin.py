"""Joins of many inputs: a block of joins becomes the operators of a plan, of any number of inputs each.

In: a relation whose joins are binary, as they are written. Out: the same rows, by other joins where a plan has them:
where the binary joins are not safe and others are, where equalities follow from others, stand twice or equate columns
of one input, or where the plan that is best in something is asked for. A binary join has one pair of columns for each
class of equal ones; a row that disagrees with itself is the business of the join of many. Conditions
on one input move down to it, so that they run before anything is exchanged; those on several stay with the join that
first has all of these.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from punctum.algebra.bands import Band
from punctum.algebra.classes import Class
from punctum.algebra.pattern import Constant
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type, Value
from punctum.analyse.blocks import Block
from punctum.analyse.conditions import Conditions
from punctum.analyse.graphs import safe
from punctum.analyse.predicates import pattern_of
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.outer import conditions
from punctum.analyse.safety.states import few_groups
from punctum.analyse.safety.temporal import chosen
from punctum.analyse.safety.updates import Changing
from punctum.ir.conjunctive.axes import At
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Column, Expression, Literal, columns, conjunction, conjuncts, rebased
from punctum.ir.flatten import Flat, at_of, flat, placed
from punctum.ir.names import fresh
from punctum.ir.over import Over
from punctum.ir.planned import MultiJoin
from punctum.ir.ranking import Ranked
from punctum.ir.relations import Aggregate, Distinct, Filter, Join, OrderBy, OuterJoin, Projection, Window
from punctum.ir.temporal import LMerge
from punctum.ir.tree import Relation, with_inputs
from punctum.ir.windows import window
from punctum.plan.joins.bands import bands_of, implied, with_bands
from punctum.plan.joins.choose import PlanOptions, to_run
from punctum.plan.joins.cost import Purge
from punctum.plan.joins.trees import Tree, written
from punctum.plan.passes.synopsis import emptied, synopsis


def plan_joins(relation: Relation, known: Inference, options: PlanOptions, again: Changing | None = None) -> Relation:
    """The relation with the joins that are to run: those that are written, or those of a tree over a block's inputs.

    Merges have their case then, and groups are marked of which there are few, and groups and ranks that come again.
    """
    inside = partial(plan_joins, known=known, options=options, again=again)
    if (part := known.parts.get(relation)) is not None:
        if not part.empty:
            return synopsis(part, relation is again)
        made = emptied(relation)
        return plan_joins(made, known, options, made if relation is again and isinstance(made, Aggregate) else None)
    block = known.block(relation)
    if block is not None and block.windowed:
        return lowered(block, Tree(tuple(range(len(block.leaves)))), inside)
    if block is not None:
        tree, lazy = written(block.tree), False
        if is_safe := safe(known.join(relation)):
            tree, lazy = to_run(relation, known, options), options.purge is Purge.LAZY
        as_written = tree == written(block.tree) and (known.written(relation) or not is_safe)
        as_written = as_written and not known.join(relation).bounds
        if lazy or not as_written or not known.plain(relation):
            return lowered(block, tree, inside, lazy)
    made = with_inputs(relation, [inside(below) for below in relation.inputs])
    if isinstance(made, Aggregate) and isinstance(relation, Aggregate):
        few = few_groups(relation, known.facts(relation.input))
        return replace(made, few=few, updates=relation is again)
    if isinstance(made, Ranked):
        return replace(made, updates=relation is again)
    if isinstance(made, LMerge) and isinstance(relation, LMerge):
        return replace(made, case=chosen(relation, known).case)
    if isinstance(made, OuterJoin) and isinstance(relation, OuterJoin):
        bands = bands_of(conditions(relation))
        return replace(made, bands=tuple(band for band in bands if _of_sides(relation, band)))
    return _crossed(made) if isinstance(made, Join) and not made.on else made


def _of_sides(join: OuterJoin, band: Band) -> bool:
    """Whether a band is of columns that the sides have, and not of ones that a condition computes."""
    widths = [len(side.schema) for side in join.inputs]
    return all(end is None or end[1] < widths[end[0]] for end in (band.of, band.by))


def _crossed(join: Join) -> Relation:
    """A join without an equality, as one on a constant that both sides get."""
    sides = [_widened_by_one(side) for side in join.inputs]
    left, right = sides
    width, names = len(join.left.schema), join.names
    taken = [name.lower() for name in names]
    ours = (*names[:width], fresh("one", taken), *names[width:], fresh("other", taken))
    on = (_column(left.schema, width), _column(right.schema, len(join.right.schema)))
    bare = Join(left, right, (on,), None, ours, join.place)
    shown = [*range(width), *range(width + 1, len(names) + 1)]
    columns_ = [_column(bare.schema, i) for i in shown]
    residual = join.residual and rebased(join.residual, lambda column: columns_[column.index])
    made = replace(bare, residual=residual)
    return Projection(made, tuple(zip(names, columns_, strict=True)), join.place)


def _widened_by_one(side: Relation) -> Relation:
    own = [(name, _column(side.schema, i)) for i, name in enumerate(side.schema.names)]
    name = fresh("1", [name.lower() for name in side.schema.names])
    return Projection(side, (*own, (name, Literal(1, Type.BIGINT))))


def lowered(
    block: Block, tree: Tree, below: Callable[[Relation], Relation] = lambda leaf: leaf, lazy: bool = False
) -> Relation:
    """The rows of a block, by the joins of a tree over its inputs, which are planned by themselves."""
    assert block.end is not None
    whole = flat(block.end)
    leaves = [_selected(whole, i) for i in range(len(whole.leaves))]
    conditions = Conditions(leaves)
    conditions.read([condition for condition in whole.conditions if len(_leaves(condition)) > 1])
    equal = [*conditions.equal, *conditions.closure.equal]
    bands = [] if block.windowed else bands_of(conditions)
    classes = with_bands(_classes(conditions.leaves, equal), bands)
    made = _Lowering(conditions.leaves, classes, conditions.others, block.end, below, lazy, bands).node(tree)
    shown = (_over(expression, made.at, made.relation.schema) for expression in whole.columns)
    names = block.end.schema.names
    return Projection(made.relation, tuple(zip(names, shown, strict=True)), getattr(block.end, "place", NOWHERE))


def _selected(block: Flat, i: int) -> Relation:
    """A leaf with the conditions that are on it alone."""
    leaf = block.leaves[i]
    at = {(i, n): n for n in range(len(leaf.schema))}
    own = conjunction([_over(c, at, leaf.schema) for c in block.conditions if _leaves(c) == {i}])
    return leaf if own is None else Filter(leaf, own, own.place)


def _leaves(expression: Expression) -> set[int]:
    """The leaves of which an expression reads columns; the first one when it reads none."""
    return {at_of(column)[0] for column in columns(expression)} or {0}


def _over(expression: Expression, to: dict[At, int], schema: Schema) -> Expression:
    """An expression over the columns of a relation that has those of leaves somewhere."""

    def moved(column: Column) -> Column:
        i = to[at_of(column)]
        return placed(column, i, schema.names[i])

    return rebased(expression, moved)


def _classes(leaves: list[Relation], equal: list[tuple[At, At]]) -> list[tuple[list[At], Value | None]]:
    """The columns that must be equal, with what a leaf's own columns equal, and those that its selections fix.

    Columns of one leaf that nothing else equals may all be NULL, which equals nothing.
    """
    known, root = Inference(), dict[At, At]()

    def find(at: At) -> At:
        while root.setdefault(at, at) != at:
            at = root[at]
        return at

    for i, leaf in enumerate(leaves):
        equal = [*equal, *(((i, a), (i, b)) for a, b in enumerate(known.facts(leaf).equal) if a != b)]
    for one, other in equal:
        first, second = sorted((find(one), find(other)))
        root[second] = first
    fixed = {(i, at): value for i, leaf in enumerate(leaves) for at, value in _constants(leaf).items()}
    classes: dict[At, list[At]] = {}
    for at in sorted({*root, *fixed}):
        classes.setdefault(find(at), []).append(at)
    valued = [(ats, next((fixed[at] for at in ats if at in fixed), None)) for ats in classes.values()]
    return [(ats, value) for ats, value in valued if value is not None or len({leaf for leaf, _ in ats}) > 1]


def _constants(relation: Relation) -> dict[int, Value]:
    """The columns that selections of a relation fix, and their values."""
    match relation:
        case Filter():
            patterns = filter(None, map(pattern_of, conjuncts(relation.predicate)))
            fixed = {column.index: p.value for column, p in patterns if isinstance(p, Constant)}
            return _constants(relation.input) | {i: value for i, value in fixed.items() if value is not None}
        case Projection():
            below, shown = _constants(relation.input), list(enumerate(e for _, e in relation.columns))
            return {n: below[e.index] for n, e in shown if isinstance(e, Column) and e.index in below}
        case Aggregate():
            below = _constants(relation.input)
            return {n: below[c.index] for n, (_, c) in enumerate(relation.keys) if c.index in below}
        case Distinct() | OrderBy() | Ranked() | Over() | Window():
            return _constants(relation.input)
        case _:  # none are known; a class without its constant only purges later
            return {}


@dataclass(frozen=True)
class _Node:
    """A join of some leaves, and where it has their columns."""

    relation: Relation
    at: dict[At, int]


def _within(band: Band, below: Sequence[_Node]) -> bool:
    """Whether the columns of a band are of different inputs of a join."""
    of = next((n for n, node in enumerate(below) if band.of in node.at), None)
    by = next((n for n, node in enumerate(below) if band.by in node.at), None)
    return of is not None and (by is not None or band.by is None) and of != by


def _placed(band: Band, below: Sequence[_Node]) -> Band:
    """A band of columns of leaves as one of columns of a join's inputs."""
    of, by = (
        next(((n, node.at[end]) for n, node in enumerate(below) if end is not None and end in node.at), None)
        for end in (band.of, band.by)
    )
    assert of is not None
    return replace(band, of=of, by=by)


class _Lowering:
    """Builds the joins of a tree."""

    def __init__(
        self,
        leaves: list[Relation],
        classes: list[tuple[list[At], Value | None]],
        residual: list[Expression],
        end: Relation,
        below: Callable[[Relation], Relation],
        lazy: bool,
        bands: list[Band],
    ) -> None:
        self._below, self._lazy, self._bands = below, lazy, bands
        self._leaves, self._classes, self._waiting = leaves, classes, residual
        self._place = getattr(end, "place", NOWHERE)

    def node(self, tree: Tree | int) -> _Node:
        """The relation of a tree; conditions go to the first join that has all their columns."""
        if isinstance(tree, int):
            leaf = self._below(self._leaves[tree])
            return _Node(leaf, {(tree, i): i for i in range(len(leaf.schema))})
        below = [self.node(subtree) for subtree in tree.inputs]
        at: dict[At, int] = {}
        names: list[str] = []
        taken: list[str] = []
        for node in below:
            at |= {leaf: len(names) + i for leaf, i in node.at.items()}
            names += [fresh(name, taken) for name in node.relation.schema.names]
        bare = self._join(below, tuple(names))
        ready = [c for c in self._waiting if all(at_of(column) in at for column in columns(c))]
        self._waiting = [c for c in self._waiting if c not in ready]
        if len(at) < sum(len(leaf.schema) for leaf in self._leaves):  # what implies a band may come further up
            ready += [c for band in self._bands for c in implied(band, self._leaves) if _within(band, below)]
        residual = conjunction([_over(c, at, bare.schema) for c in dict.fromkeys(ready)])
        return _Node(bare if residual is None else replace(bare, residual=residual), at)

    def _join(self, below: Sequence[_Node], names: tuple[str, ...]) -> "Join | MultiJoin":
        classes = [
            Class(tuple((n, node.at[at]) for n, node in enumerate(below) for at in members if at in node.at), value)
            for members, value in self._classes
        ]
        bands = tuple(_placed(band, below) for band in self._bands if _within(band, below))
        ends = {end for band in bands for end in (band.of, band.by)}
        used = tuple(
            c for c in classes if len(c.members) > 1 or (c.members and (c.value is not None or c.members[0] in ends))
        )
        relations = tuple(node.relation for node in below)
        windowed = any(window(relation) is not None for relation in relations)
        if (
            len(below) == 2
            and not windowed
            and not self._lazy
            and not any(self._beyond(members, value, below) for members, value in self._classes)
        ):
            pairs = [(c.of(0)[0], c.of(1)[0]) for c in used if c.of(0) and c.of(1)]
            if pairs:
                left, right = relations
                on = tuple((_column(left.schema, a), _column(right.schema, b)) for a, b in pairs)
                return Join(left, right, on, None, names, self._place, bands)
        return MultiJoin(relations, used, None, names, lazy=self._lazy, place=self._place, bands=bands)

    def _beyond(self, members: list[At], value: Value | None, below: Sequence[_Node]) -> bool:
        """Whether a class has what a binary join does not use: a constant, or several columns of one leaf."""
        there = [at for at in members if any(at in node.at for node in below)]
        return bool(there) and (value is not None or len({leaf for leaf, _ in there}) < len(there))


def _column(schema: Schema, i: int) -> Column:
    return Column(i, schema.names[i], schema.attributes[i])
