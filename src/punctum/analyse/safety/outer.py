"""Joins that look at rows without a partner: what their operators purge by and promise, and why some cannot.

Punctuations pass from the left input, if its state can be purged; through SEMI also those of the right one on columns
that are equal. Right columns of LEFT and all columns of FULL have NULLs that nothing closes: what is promised on them
leaves out rows without a partner (``padded``). A FULL join promises its end, when both inputs do.
"""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from punctum.algebra.outer import JoinKind
from punctum.algebra.scheme import Order
from punctum.analyse.conditions import Conditions
from punctum.analyse.graphs import Attr, Bound, JoinQuery, On, unreachable
from punctum.analyse.promises import Facts, Padded, Promise, distinct, named, ways
from punctum.ir.conjunctive.axes import At
from punctum.ir.expressions import Column, conjuncts, rebased
from punctum.ir.flatten import leaf_column
from punctum.ir.functions import call
from punctum.ir.relations import OuterJoin
from punctum.ir.tree import titles


def conditions(join: OuterJoin) -> Conditions:
    """What a join demands of pairs, over its sides as leaves."""
    width, made = len(join.left.schema), Conditions(list(join.inputs))

    def of_side(column: Column) -> Column:
        side = int(column.index >= width)
        return leaf_column(side, join.inputs[side], column.index - side * width)

    sides = ((leaf_column(0, join.left, a.index), leaf_column(1, join.right, b.index)) for a, b in join.on)
    equal = [call("=", pair, join.place) for pair in sides]
    rest = [] if join.residual is None else conjuncts(rebased(join.residual, of_side))
    made.read([*equal, *rest])
    return made


def pair(join: OuterJoin, facts: Sequence[Facts], bounds: tuple[Bound, ...]) -> JoinQuery:
    """The join as its operator does it, given the facts of its inputs: it purges by what it joins on, and in bands."""
    schemes = list[On]()
    for i, side in enumerate(join.inputs):
        for promise in _purging(facts[i]):
            terms = sorted(promise.terms, key=lambda term: term[0])
            names = tuple(side.schema.names[c] for c, _ in terms)
            schemes.append(On(i, names, tuple(order for _, order in terms)))
    equal = tuple((Attr(0, a.name), Attr(1, b.name)) for a, b in join.on)
    return JoinQuery(titles(join.inputs), equal, tuple(dict.fromkeys(schemes)), bounds=bounds)


def _purging(facts: Facts) -> list[Promise]:
    """The promises of a side that purge the other one, by every name."""
    return [p for p in dict.fromkeys((*named(facts), *facts.purging)) if not p.own]


def outer(join: OuterJoin, left: Facts, right: Facts, query: JoinQuery) -> Facts:
    """What holds behind a join that looks at rows without a partner."""
    mine, theirs = (facts if not unreachable(query, i) else None for i, facts in enumerate((left, right)))
    columns = tuple(range(len(join.schema)))
    if join.kind is JoinKind.FULL:
        ends = [[p for p in facts.promises if not p.terms] if facts else [] for facts in (mine, theirs)]
        promises = [Promise(frozenset(), p.origins | q.origins) for p in ends[0] for q in ends[1]]
        width = len(join.left.schema)
        padded = (*_padded(0, columns[:width], mine), *_padded(width, columns[width:], theirs))
        return Facts(distinct(promises), columns, columns, padded=padded)
    passed = list(mine.promises) if mine else []
    if join.kind is JoinKind.SEMI and theirs is not None:
        passed += _moved_left(join, left, theirs)
    more = columns[len(join.left.schema) :]
    met = {a.index for a, _ in join.on} if join.kind is JoinKind.SEMI else set[int]()
    on = {b.index for _, b in join.on}
    padded = _padded(len(join.left.schema), more, theirs, on) if join.kind is JoinKind.LEFT else ()
    return replace(
        left,
        promises=distinct(passed),
        same=left.same + more,
        equal=left.equal + more,
        filled=left.filled | met,
        padded=(*(left.padded if mine else ()), *padded),
    )


def _padded(
    start: int, columns: tuple[int, ...], facts: Facts | None, met: Set[int] = frozenset()
) -> tuple[Padded, ...]:
    """What a side promises of its columns, which begin somewhere; some are not NULL where there is a partner."""
    if facts is None:
        return ()
    moved = (p._replace(terms=frozenset((start + at, order) for at, order in p.terms)) for p in named(facts) if p.terms)
    filled = frozenset(start + at for at in facts.filled | met)
    return (Padded(frozenset(columns), filled, distinct(moved)),)


def _moved_left(join: OuterJoin, left: Facts, right: Facts) -> list[Promise]:
    """Promises of the right input on columns that the join equates, as those of the left one."""
    images: dict[int, list[int]] = {}
    for mine, theirs in join.on:
        images.setdefault(theirs.index, []).append(left.same[mine.index])
    moved: list[Promise] = []
    for promise in (p for p in named(right) if not p.own and all(c in images for c in p.columns)):
        moved += ways(promise, {(c, order): [(i, order) for i in images[c]] for c, order in promise.terms})
    return moved


class Closers(NamedTuple):
    """The punctuations of one side of a join that purge the other: their terms, promises of them, what is missing."""

    terms: tuple[tuple[int, Order], ...]
    promises: tuple[Promise, ...]
    missing: str


def closers(join: OuterJoin, side: int, facts: Facts, bounds: list[tuple[int, Order, At | None]], name: str) -> Closers:
    """Which punctuations of a side, of which the facts and the bounds are known, purge rows of the other one."""
    keys, names = [pair[side].index for pair in join.on], join.inputs[side].schema.names
    ordered = [(column, order) for column, order, _ in bounds if column not in keys]
    terms = tuple(dict.fromkeys([*((column, Order.EQUALITY) for column in keys), *ordered]))
    known = _purging(facts)
    usable = tuple(p for p in known if all(term[0] in keys or term in terms for term in p.terms))
    shown = ", ".join(f"{names[column]} {order.value}".strip() for column, order in terms)
    missing = f"{name} promises no punctuations on its join columns alone ({shown})"
    return Closers(terms, usable, missing if terms else f"no equality joins it with {name}, which promises no end")
