"""How many rows a relation gives at most, whatever its streams bring: DISTINCT and groups of finitely many values."""

from dataclasses import replace
from math import prod
from typing import assert_never

from punctum.algebra.aggregates import LISTS
from punctum.algebra.outer import JoinKind
from punctum.algebra.ranking import Ranking
from punctum.analyse.memory.conjunctions import conjunctive
from punctum.ir.conjunctive.axes import At
from punctum.ir.conjunctive.spj import Spj
from punctum.ir.hop import Hop
from punctum.ir.lookup import Lookup
from punctum.ir.node import PlannedNode
from punctum.ir.over import Over
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


def rows(relation: Relation) -> int | None:
    """The most rows that a relation ever gives, or nothing when they are without end."""
    match relation:
        case Filter() | Projection() | Stamped() | Over() | Punctuated():
            return rows(relation.inputs[0])
        case OrderBy():
            return min((most for most in (rows(relation.input), relation.most) if most is not None), default=None)
        case Aggregate() if not relation.keys:
            return 1
        case Distinct() | Aggregate():
            below, values = rows(relation.input), _values(relation)
            return min((most for most in (below, values) if most is not None), default=None)
        case Ranked():
            return best(relation, rows(relation.input))
        case Except():
            return rows(Distinct(relation.left))
        case Intersect():
            return min((n for side in relation.inputs if (n := rows(Distinct(side))) is not None), default=None)
        case Join() | Union() | UnionAll():
            both = [rows(Distinct(side) if isinstance(relation, Union) else side) for side in relation.inputs]
            if any(most is None for most in both):
                return None
            counts = [most for most in both if most is not None]
            return prod(counts) if isinstance(relation, Join) else sum(counts)
        case OuterJoin():
            return _outer(relation.kind, *map(rows, relation.inputs))
        case (
            Source()
            | Window()
            | Hop()
            | Sessions()
            | Lookup()
            | Final()
            | Opened()
            | Cleansed()
            | LMerge()
            | PlannedNode()
        ):
            return None
        case _:
            assert_never(relation)


def best(relation: Ranked, below: int | None) -> int | None:
    """The most rows that a ranking keeps and gives, of so many below; of RANK any number may be peers."""
    if relation.most is None or relation.function is not Ranking.ROW_NUMBER:
        return below
    keys = tuple((f"key {n}", column) for n, column in enumerate(relation.partition))
    partitions = rows(Aggregate(relation.input, keys, ())) if keys else 1
    few = None if partitions is None else partitions * relation.most
    return min((most for most in (below, few) if most is not None), default=None)


def _outer(kind: JoinKind, left: int | None, right: int | None) -> int | None:
    if left is None or (kind.pairs and right is None):
        return None
    if not kind.pairs or right is None:
        return left
    return left * max(right, 1) + (right if kind is JoinKind.FULL else 0)


def kept(relation: Distinct | Aggregate) -> int | None:
    """The most rows that the operator of a relation keeps, each of so many values as it has columns."""
    if isinstance(relation, Aggregate) and any(call.function in LISTS for call in relation.aggregates):
        return None
    return rows(relation)


def _values(relation: Distinct | Aggregate) -> int | None:
    """How many rows differ on the columns that count, by the conditions below."""
    if isinstance(relation, Aggregate) and not all(call.condensed for call in relation.aggregates):
        relation = replace(relation, aggregates=())
    query = conjunctive(relation)
    if query is None:
        return None
    if not query.order.satisfiable:
        return 0
    shown = tuple({query.order.of[at]: at for at in query.shown}.values())
    return prod(query.count(at) for at in shown) if _bounded(query, shown) else None


def _bounded(query: Spj, shown: tuple[At, ...]) -> bool:
    return all(query.order.bounded(at) for at in shown)
