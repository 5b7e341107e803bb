"""Which columns a node needs of its inputs: the columns that are wanted of it in, those of each input out.

Set operators compare whole rows, as ROW_NUMBER and LIMIT do, and nodes of temporal streams whole elements: they need
all columns.
"""

from typing import assert_never

from punctum.algebra.ranking import Ranking
from punctum.ir.expressions import Expression, columns
from punctum.ir.hop import Hop
from punctum.ir.lookup import Lookup
from punctum.ir.over import Over
from punctum.ir.planned import ExpectNode, LifespanNode, MultiJoin, Synopsis
from punctum.ir.punctuated import Punctuated
from punctum.ir.ranking import Ranked
from punctum.ir.relations import (
    Aggregate,
    Distinct,
    Except,
    Filter,
    Intersect,
    Join,
    OrderBy,
    OuterJoin,
    Projection,
    Source,
    Union,
    UnionAll,
    Window,
)
from punctum.ir.session import Sessions
from punctum.ir.stamped import Stamped
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation


def needed(relation: Relation, wanted: set[int]) -> tuple[set[int], ...]:
    """The columns that a node needs of each of its inputs, when some of its own are wanted.

    >>> from punctum.algebra import Schema
    >>> from punctum.ir.definitions import StreamDef
    >>> bid = Source(StreamDef("bid", Schema.of(k="BIGINT", v="BIGINT")))
    >>> needed(UnionAll(bid, bid), {0}), needed(Union(bid, bid), {0})
    (({0}, {0}), ({0, 1}, {0, 1}))
    """
    match relation:
        case Source():
            return ()
        case Filter():
            return (wanted | _reads(relation.predicate),)
        case Window():
            return (wanted,)
        case Projection():
            return (_reads(*(relation.columns[i][1] for i in wanted or {0})),)
        case Join(residual=residual) | OuterJoin(residual=residual):
            width = len(relation.left.schema)
            compared = {i for left, right in relation.on for i in (left.index, width + right.index)}
            ends = (end for band in relation.bands for end in (band.of, band.by) if end is not None)
            compared |= {side * width + at for side, at in ends}
            return _by_input(relation, wanted | compared | (set() if residual is None else _reads(residual)))
        case Hop():
            return ({i for i in wanted if i < relation.width} | {relation.width, relation.width + 1},)
        case Stamped():
            return ({i for i in wanted if i < relation.width},)
        case Lookup(residual=residual):
            width = len(relation.input.schema)
            read = wanted | {a.index for a, _ in relation.on} | (set() if residual is None else _reads(residual))
            return ({i for i in read if i < width},)
        case MultiJoin(residual=residual):
            compared = {relation.offsets[i] + at for equated in relation.classes for i, at in equated.members}
            return _by_input(relation, wanted | compared | (set() if residual is None else _reads(residual)))
        case UnionAll():
            return wanted, wanted
        case Aggregate():
            calls = (c for call in relation.aggregates for c in call.reads)
            return (_reads(*(key for _, key in relation.keys), *calls),)
        case Sessions():
            return (_reads(*relation.reads_columns),)
        case OrderBy(most=None):
            return (wanted | {column.index for column, _, _ in relation.keys},)
        case OrderBy() | Over() | Ranked(function=Ranking.ROW_NUMBER):  # it tells peers apart by all of them
            return (all_columns(relation.input),)
        case Ranked():
            own = wanted & all_columns(relation.input)
            return (own.union(relation.by, relation.sorts),)
        case Punctuated():
            return (wanted | relation.reads_columns,)
        case ExpectNode() | LifespanNode():
            return (wanted | {*relation.by} | (set() if relation.time is None else {relation.time}),)
        case Distinct() | Union() | Intersect() | Except() | Final() | Opened() | Cleansed() | LMerge() | Synopsis():
            return tuple(all_columns(below) for below in relation.inputs)
        case _:
            assert_never(relation)


def all_columns(relation: Relation) -> set[int]:
    """All columns of a relation."""
    return set(range(len(relation.schema)))


def _by_input(relation: Relation, joined: set[int]) -> tuple[set[int], ...]:
    """Columns of a join as those of each input."""
    start, split = 0, []
    for below in relation.inputs:
        width = len(below.schema)
        split.append({column - start for column in joined if start <= column < start + width})
        start += width
    return tuple(split)


def _reads(*expressions: Expression) -> set[int]:
    return {column.index for expression in expressions for column in columns(expression)}
