"""Whether a constant concerns one bucket: an operator, one of its inputs and that input's key in, the answer out.

An input's punctuation on a column holds for every column that carries the same constants: one that shows it again, is
computed of it, or is joined with it. ``SELECT k, k AS x`` turns ``k = 5`` into ``k = 5, x = *`` and ``k = *, x = 5``.
The rows of that input have 5 in both, but an operator that compares them with rows of another input meets ``7, 5``
there, and by the key ``k`` these are in another bucket.
"""

from collections.abc import Iterator
from itertools import count
from typing import assert_never

from punctum.algebra.pattern import WILDCARD
from punctum.algebra.schema import NOT_NULL
from punctum.algebra.values import Type
from punctum.ir.expressions import columns
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
from punctum.ir.shape import shape
from punctum.ir.stamped import Stamped
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation
from punctum.plan.physical.keys import Key

Carried = list[frozenset[int]]
"""For each column of a relation, numbers of the stream's columns whose constants it carries."""


def concerns_others(relation: Relation, number: int, key: Key) -> bool:
    """Whether a punctuation of an input on a key column also concerns rows in other buckets."""
    if isinstance(relation, MultiJoin) and any(b.of[0] == number and b.of[1] in key for b in relation.bands):
        return True  # rows in other buckets may lie in a band around it
    others = [i for i in _compared(relation, number) if i not in key]
    if not others:
        return False
    carried = _carried(relation.inputs[number], count())
    return any(carried[i] & carried[other] for i in key for other in others)


def _compared(relation: Relation, number: int) -> list[int]:
    """The columns of an input that an operator compares with those of other inputs."""
    match relation:
        case Join() | OuterJoin():
            return [pair[number].index for pair in relation.on]
        case MultiJoin():
            return [at for equated in relation.classes for at in equated.of(number)]
        case UnionAll() | Union() | Intersect() | Except():
            return list(range(len(relation.schema)))
        case LMerge():
            return []  # whole events, which have one key
        case Synopsis():
            return []  # no punctuation purges what it keeps
        case Source() | Filter() | Window() | Projection() | Distinct() | Aggregate() | OrderBy() | Final() | Opened():
            return []  # there is no other input
        case (
            Sessions()
            | Hop()
            | Stamped()
            | Lookup()
            | Ranked()
            | Over()
            | Cleansed()
            | Punctuated()
            | ExpectNode()
            | LifespanNode()
        ):
            return []  # nor here
        case _:
            assert_never(relation)


def _carried(relation: Relation, fresh: Iterator[int]) -> Carried:
    match relation:
        case Projection():
            below = _carried(relation.input, fresh)
            shapes = (shape(expression) for _, expression in relation.columns)
            return [below[s.source] if s.source is not None and s.injective else frozenset() for s in shapes]
        case Aggregate() | Sessions():
            below = _carried(relation.input, fresh)
            rest = len(relation.schema) - len(relation.keys)
            return [*(below[column.index] for _, column in relation.keys), *[frozenset[int]()] * rest]
        case Hop():
            return [*_carried(relation.input, fresh)[: relation.width], frozenset()]
        case Lookup():
            mine, width = _carried(relation.input, fresh), len(relation.input.schema)
            of_table = (relation.equated().get(i) for i in range(width, len(relation.schema)))
            return [*mine, *(frozenset[int]() if at is None else mine[at] for at in of_table)]
        case Join() | OuterJoin() | MultiJoin():
            both = _joined(relation, [numbers for below in relation.inputs for numbers in _carried(below, fresh)])
            return both[: len(relation.schema)]
        case UnionAll() | Union() | Intersect() | Except():
            sides = (_carried(side, fresh) for side in relation.inputs)
            return [left | right for left, right in zip(*sides, strict=True)]
        case Ranked() | Over() | Stamped():
            return [*_carried(relation.input, fresh), frozenset()]
        case Filter() | Window() | Distinct() | OrderBy() | Cleansed() | Punctuated() | ExpectNode() | LifespanNode():
            return _carried(relation.input, fresh)
        case Source():
            return [frozenset([next(fresh)]) for _ in relation.schema.names]
        case Final() | Opened() | LMerge() | Synopsis():  # any column may carry what another one does
            return [frozenset([next(fresh)])] * len(relation.schema)
        case _:
            assert_never(relation)


def _joined(relation: Join | OuterJoin | MultiJoin, below: Carried) -> Carried:
    """The columns of all inputs, of which those that are equal carry each other's."""
    if isinstance(relation, Join | OuterJoin):
        offset = len(relation.left.schema)
        classes = [[mine.index, offset + theirs.index] for mine, theirs in relation.on]
    else:
        classes = [[relation.offsets[i] + at for i, at in equated.members] for equated in relation.classes]
    carried = list(below)
    for members in classes:
        together = frozenset[int]().union(*(below[i] for i in members))
        for i in members:
            carried[i] = together
    return carried


def limited(relation: Relation) -> frozenset[int]:
    """The columns that may have few values: when all of these are closed, so is everything, and all buckets must know.

    They have a domain, or a condition reads them or what equals them.
    """
    match relation:
        case Projection():
            below, shapes = limited(relation.input), (shape(expression) for _, expression in relation.columns)
            return frozenset(n for n, s in enumerate(shapes) if s.source is None or s.source in below)
        case Aggregate():
            below = limited(relation.input)
            return frozenset(n for n, (_, column) in enumerate(relation.keys) if column.index in below)
        case Filter():
            return limited(relation.input) | {column.index for column in columns(relation.predicate)}
        case Source():
            attributes = enumerate(relation.schema.attributes)
            return frozenset(n for n, a in attributes if a.type is Type.BOOLEAN or a.domain not in (WILDCARD, NOT_NULL))
        case _:  # any may: a punctuation that goes to all buckets is never wrong
            return frozenset(range(len(relation.schema)))
