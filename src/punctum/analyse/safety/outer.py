"""Joins that look at rows without a partner: what their operators purge by and promise, and why some cannot.

Punctuations pass from the left input, if its state can be purged; through SEMI also those of the right one on columns
that are equal. Right columns of LEFT and all columns of FULL have NULLs that nothing closes, so a FULL join promises
its end alone, when both inputs do.
"""

from collections.abc import Sequence
from dataclasses import replace

from punctum.algebra.outer import JoinKind
from punctum.analyse.conditions import Conditions, bounding
from punctum.analyse.graphs import Attr, Bound, JoinQuery, On, unreachable
from punctum.analyse.promises import Facts, Promise, distinct, named, ways
from punctum.ir.expressions import Column, conjuncts, rebased
from punctum.ir.flatten import leaf_column
from punctum.ir.functions import call
from punctum.ir.relations import Filter, OuterJoin, Projection
from punctum.ir.tree import Relation, titles


def pair(join: OuterJoin, facts: Sequence[Facts]) -> JoinQuery:
    """The join as its operator does it, given the facts of its inputs: it purges by the columns that it joins on."""
    closure, names = conditions(join).closure, [side.schema.names for side in join.inputs]
    schemes, bounds = list[On](), list[Bound]()
    for i in (0, 1):
        known = [promise for promise in named(facts[i]) if not promise.own]
        schemes += [on_scheme(i, promise, names[i]) for promise in known]
        for at, order in dict.fromkeys(term for promise in known for term in promise.terms):
            by = (end for end in bounding(closure, (i, at), order) if end is None or end[1] < len(names[end[0]]))
            bounds += [Bound(Attr(i, names[i][at]), order, end and Attr(end[0], names[end[0]][end[1]])) for end in by]
    equal = tuple((Attr(0, a.name), Attr(1, b.name)) for a, b in join.on)
    return JoinQuery(titles(join.inputs), equal, tuple(dict.fromkeys(schemes)), bounds=tuple(bounds))


def on_scheme(leaf: int, promise: Promise, names: tuple[str, ...]) -> On:
    """A promise of an input as a scheme of a join."""
    terms = sorted(promise.terms, key=lambda term: term[0])
    return On(leaf, tuple(names[i] for i, _ in terms), tuple(order for _, order in terms))


def conditions(join: OuterJoin) -> Conditions:
    """What a join demands of two rows that are partners. Columns that a condition computes come behind the others."""
    left, right = join.inputs
    width = len(left.schema)

    def of_side(column: Column) -> Column:
        at = column.index
        return leaf_column(0, left, at) if at < width else leaf_column(1, right, at - width)

    pairs = [(leaf_column(0, left, a.index), leaf_column(1, right, b.index)) for a, b in join.on]
    residual = [] if join.residual is None else conjuncts(rebased(join.residual, of_side))
    demanded = Conditions([left, right])
    demanded.read([*(call("=", pair, join.place) for pair in pairs), *residual])
    return demanded


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
