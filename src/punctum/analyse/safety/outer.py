"""Joins that look at rows without a partner: what their operators purge by and promise, and why some cannot.

Punctuations pass from the left input, if its state can be purged; through SEMI also those of the right one on columns
that are equal. Right columns of LEFT and all columns of FULL have NULLs that nothing closes, so a FULL join promises
its end alone, when both inputs do.
"""

from collections.abc import Sequence
from dataclasses import replace

from punctum.algebra.outer import JoinKind
from punctum.analyse.graphs import Attr, JoinQuery, On, unreachable
from punctum.analyse.promises import Facts, Promise, distinct, named, ways
from punctum.ir.expressions import Column
from punctum.ir.relations import Filter, OuterJoin, Projection
from punctum.ir.tree import Relation, titles


def pair(join: OuterJoin, facts: Sequence[Facts]) -> JoinQuery:
    """The join as its operator does it, given the facts of its inputs: it purges by the columns that it joins on."""
    schemes = list[On]()
    for i, side in enumerate(join.inputs):
        known = (promise for promise in named(facts[i]) if not promise.own)
        schemes += [On(i, tuple(side.schema.names[c] for c in promise.columns)) for promise in known]
    equal = tuple((Attr(0, a.name), Attr(1, b.name)) for a, b in join.on)
    return JoinQuery(titles(join.inputs), equal, tuple(dict.fromkeys(schemes)))


def outer(join: OuterJoin, left: Facts, right: Facts, query: JoinQuery) -> Facts:
    """What holds behind a join that looks at rows without a partner."""
    mine, theirs = (facts if not unreachable(query, i) else None for i, facts in enumerate((left, right)))
    columns = tuple(range(len(join.schema)))
    if join.kind is JoinKind.FULL:
        ends = [[p for p in facts.promises if not p.terms] if facts else [] for facts in (mine, theirs)]
        promises = [Promise(frozenset(), p.origins | q.origins) for p in ends[0] for q in ends[1]]
        return Facts(distinct(promises), columns, columns)
    passed = list(mine.promises) if mine else []
    if join.kind is JoinKind.SEMI and theirs is not None:
        passed += _moved_left(join, left, theirs)
    more = columns[len(join.left.schema) :]
    met = {a.index for a, _ in join.on} if join.kind is JoinKind.SEMI else set[int]()
    return replace(
        left, promises=distinct(passed), same=left.same + more, equal=left.equal + more, filled=left.filled | met
    )


def _moved_left(join: OuterJoin, left: Facts, right: Facts) -> list[Promise]:
    """Promises of the right input on columns that the join equates, as those of the left one."""
    images: dict[int, list[int]] = {}
    for mine, theirs in join.on:
        images.setdefault(theirs.index, []).append(left.same[mine.index])
    moved: list[Promise] = []
    for promise in (p for p in named(right) if not p.own and all(c in images for c in p.columns)):
        moved += ways(promise, {(c, order): [(i, order) for i in images[c]] for c, order in promise.terms})
    return moved


def missing(other: str, keys: list[str]) -> str:
    """Why a row of a join may always meet one more row of the other input."""
    if not keys:
        return f"no equality joins it with {other}, which promises no end"
    return f"{other} promises no punctuations on its join columns alone ({', '.join(dict.fromkeys(keys))})"


def padded(relation: Relation, column: int) -> bool:
    """Whether a column is NULL in rows that a join gives out without a partner."""
    match relation:
        case Filter():
            return padded(relation.input, column)
        case Projection():
            shown = relation.columns[column][1]
            return isinstance(shown, Column) and padded(relation.input, shown.index)
        case OuterJoin(kind=JoinKind.LEFT):
            return column >= len(relation.left.schema) or padded(relation.left, column)
        case OuterJoin(kind=JoinKind.FULL):
            return True
        case _:
            return False
