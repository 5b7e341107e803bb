"""Punctuations as state (section 5.1 of the safety paper): which of them operators remember for ever.

A join remembers that an input has closed a key until no row with this key can come from the others: until these have
closed it too. So do set operators and UNION ALL. Where no scheme of another input promises that, the keys that are
closed accumulate: whole numbers that follow each other become ranges and prefixes replace each other, but of strings,
and of combinations, each is remembered. All else that operators remember is bounded, or goes with the rows that wait.
"""

from collections.abc import Iterator
from typing import NamedTuple

from punctum.algebra.scheme import Order
from punctum.algebra.values import Type
from punctum.analyse.blocks import Block
from punctum.analyse.graphs import Attr, JoinQuery, On
from punctum.analyse.promises import Promise
from punctum.analyse.safety.inference import Inference
from punctum.ir.node import BinaryRelation
from punctum.ir.relations import OuterJoin, SetOperator
from punctum.ir.tree import Relation, titles

_WHOLE = (Type.BIGINT, Type.DATE, Type.BOOLEAN)
"""The types whose values become ranges when all of them are closed, one by one."""


class Remembered(NamedTuple):
    """Keys that an operator remembers for ever: which input closes them, and which others do not close them too."""

    operator: str
    closed: str
    others: tuple[str, ...]

    def __str__(self) -> str:
        others = ", ".join(self.others)
        return f"{self.operator} stores each key that {self.closed} closes, because {others} never closes it"


def remembered(relation: Relation, known: Inference) -> Iterator[Remembered]:
    """What the operators of a relation remember for ever, each after those below it."""
    if relation in known.parts:
        return
    block = known.block(relation)
    for below in block.leaves if block is not None else relation.inputs:
        yield from remembered(below, known)
    if block is not None and not block.windowed:
        yield from _of_join(block, known.join(relation), known, known.written(relation))
        query = known.join(relation)
        yield from dict.fromkeys([*_of_bounds(query), *_of_whole(query, "join")])
    elif isinstance(relation, OuterJoin):
        yield from _of_outer(relation, known)
        yield from _of_whole(known.pair(relation), f"{relation.kind.value} join")
    elif isinstance(relation, BinaryRelation):
        yield from _of_sides(relation, known)


Closing = list[tuple[Promise, frozenset[int]]]
"""The promises of an input on columns that a join compares, with the classes of those columns that are no constants."""


def _of_join(block: Block, query: JoinQuery, known: Inference, binary: bool) -> Iterator[Remembered]:
    """Binary joins as they are written compare all classes at once; one of many inputs forgets by one at a time."""
    closing = [_closing(block, query, known, leaf) for leaf in range(len(block.leaves))]
    sides = [pair for one, other in block.tree for pair in ((one, other), (other, one))]
    whole = frozenset(range(len(block.leaves)))
    for some, others in sides if binary else ((frozenset([leaf]), whole - {leaf}) for leaf in whole):
        for leaf in sorted(some):
            for promise, mine in closing[leaf]:
                asked = mine and all(_binding(query, n) & others for n in mine)
                if asked and not _shrinks(block.leaves[leaf], promise):
                    yield from _kept(block, query, closing, (leaf, promise, mine), others, binary)


def _of_bounds(query: JoinQuery) -> Iterator[Remembered]:
    """How far an order has come for each value of the attributes beside it, where a comparison uses the order."""
    for on, asked in zip(query.schemes, query.asks, strict=True):
        orders = [
            query.bounded.get((query.classes[Attr(on.stream, name)], order)) for name, order in on.terms if order.value
        ]
        terms = zip(on.terms, asked, strict=True)
        keys = [numbers for (_, order), sets in terms if not order.value for numbers in sets]
        if any(orders) and keys and _answered(query, on, asked):
            yield _by_scheme("join", query, on, keys)


def _of_whole(query: JoinQuery, operator: str) -> Iterator[Remembered]:
    """Which whole numbers are closed for each value of the attributes beside them, where comparisons enclose them."""
    for on, asked in zip(query.schemes, query.asks, strict=True):
        few = any(Attr(on.stream, name) in query.whole for name, order in on.terms if not order.value)
        if few and len(on.terms) > 1 and _answered(query, on, asked):
            yield _by_scheme(operator, query, on, [numbers for sets in asked for numbers in sets])


def _answered(query: JoinQuery, on: On, asked: tuple[tuple[frozenset[int], ...], ...]) -> bool:
    return all(query.knowing(numbers, on.stream) for sets in asked for numbers in sets)


def _by_scheme(operator: str, query: JoinQuery, on: On, keys: list[frozenset[int]]) -> Remembered:
    others = sorted(frozenset[int]().union(*(query.knowing(numbers, on.stream) for numbers in keys)))
    scheme = f"{query.streams[on.stream]}({', '.join(on.texts)})"
    return Remembered(operator, scheme, tuple(query.streams[i] for i in others))


def _kept(
    block: Block,
    query: JoinQuery,
    closing: list[Closing],
    of: tuple[int, Promise, frozenset[int]],
    others: frozenset[int],
    binary: bool,
) -> Iterator[Remembered]:
    """Whether what a promise of a leaf closes is never closed by the others."""
    leaf, promise, mine = of
    lacking: list[set[int]]
    if binary:
        partners = {i for n in mine for i in _binding(query, n)} & others
        closed = any(theirs <= mine for i in others for _, theirs in closing[i])
        lacking = [set() if closed else partners]
    else:
        lacking = [_lacking(closing, _binding(query, n) & others, frozenset([n])) for n in sorted(mine)]
    if all(lacking):
        scheme = f"{query.streams[leaf]}({', '.join(block.leaves[leaf].schema.names[c] for c in promise.columns)})"
        least = min(lacking, key=len)
        yield Remembered("join", scheme, tuple(query.streams[i] for i in sorted(least)))


def _closing(block: Block, query: JoinQuery, known: Inference, leaf: int) -> Closing:
    names, promises = block.leaves[leaf].schema.names, known.facts(block.leaves[leaf]).purging
    numbered = ((p, [query.classes.get(Attr(leaf, names[c])) for c in p.columns]) for p in promises)
    return [(p, frozenset(n for n in ns if n is not None) - query.constant) for p, ns in numbered if None not in ns]


def _binding(query: JoinQuery, number: int) -> set[int]:
    return {a.stream for a in query.members[number]}


def _lacking(closing: list[Closing], inputs: set[int], way: frozenset[int]) -> set[int]:
    """The inputs that have no scheme on nothing but some classes."""
    return {i for i in inputs if not any(theirs <= way for _, theirs in closing[i])}


def _of_sides(relation: SetOperator, known: Inference) -> Iterator[Remembered]:
    names = titles(relation.inputs)
    facts = [known.facts(side) for side in relation.inputs]
    for side, below in enumerate(relation.inputs):
        for promise in facts[side].promises:
            closing = any(set(p.columns) <= set(promise.columns) for p in facts[1 - side].shared)
            if promise.terms and not closing and not _shrinks(below, promise):
                scheme = f"{names[side]}({', '.join(relation.schema.names[c] for c in promise.columns)})"
                yield Remembered(relation.OPERATOR, scheme, (names[1 - side],))


def _of_outer(join: OuterJoin, known: Inference) -> Iterator[Remembered]:
    names, promises = titles(join.inputs), [known.facts(side).purging for side in join.inputs]
    for i, below in enumerate(join.inputs):
        partners = {pair[i].index: pair[1 - i].index for pair in join.on}
        for promise in promises[i]:
            asked = {partners.get(c) for c in promise.columns}
            closing = any(set(p.columns) <= asked for p in promises[1 - i])
            if promise.terms and None not in asked and not closing and not _shrinks(below, promise):
                scheme = f"{names[i]}({', '.join(below.schema.names[c] for c in promise.columns)})"
                yield Remembered(f"{join.kind.value} join", scheme, (names[1 - i],))


def _shrinks(relation: Relation, promise: Promise) -> bool:
    """Whether punctuations become one: prefixes, whole numbers when all of them come, or the end."""
    if len(promise.terms) != 1:
        return not promise.terms
    ((column, order),) = promise.terms
    return order is not Order.EQUALITY or relation.schema.attributes[column].type in _WHOLE
