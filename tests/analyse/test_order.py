"""Comparisons in the safety check = brute force: a state is purgeable just when no allowed later rows can meet it.

Queries have two or three streams of two attributes, differences and equalities between these, and schemes that mix
equality and order. Values are dense, or whole numbers. The oracle knows no closure and no graphs: it looks for values.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

from lanes import examples
from punctum.algebra.bands import Limit
from punctum.algebra.scheme import Order
from punctum.analyse.conditions import bounding, enclosing
from punctum.analyse.graphs import Attr, Bound, JoinQuery, On, safe, unreachable
from punctum.ir.conjunctive.axes import At
from punctum.ir.differences import Closure

NEAR, FAR = range(6), 1_000
NAMES = "ab"


class Compared(NamedTuple):
    """``more - less <= most``, or ``<``; a side that is missing is 0."""

    more: At | None
    less: At | None
    most: int
    strict: bool


class Query(NamedTuple):
    """Streams, comparisons of their attributes, schemes in one direction, and whether values are whole numbers."""

    streams: int
    compared: tuple[Compared, ...]
    schemes: tuple[tuple[int, tuple[tuple[int, Order], ...]], ...]
    whole: bool


def joined(query: Query) -> JoinQuery:
    """The query as the register sees it."""
    differences = [(c.more, c.less, Limit(c.most, c.strict)) for c in query.compared if c.more and c.less]
    ends = [(c.more, True, Limit(c.most, c.strict)) for c in query.compared if c.more and not c.less]
    ends += [(c.less, False, Limit(-c.most, c.strict)) for c in query.compared if c.less and not c.more]
    closure = Closure[At](differences, ends)
    assume(closure.satisfiable)
    terms = {((stream, at), order) for stream, each in query.schemes for at, order in each}
    found = [(at, order, by) for at, order in terms for by in bounding(closure, at, order)]
    few = {at: enclosing(closure, at) for at, order in terms if order is Order.EQUALITY and query.whole}
    found += [(at, order, by) for at, ends in few.items() for order, by in ends]
    bounds = [Bound(attr(at), order, by and attr(by)) for at, order, by in found]
    whole = frozenset(attr(at) for at, ends in few.items() if ends)
    schemes = [
        On(s, tuple(NAMES[at] for at, _ in each), tuple(order for _, order in each)) for s, each in query.schemes
    ]
    equal = tuple((attr(a), attr(b)) for a, b in closure.equal)
    streams = tuple(f"s{i}" for i in range(query.streams))
    return JoinQuery(streams, equal, tuple(schemes), bounds=tuple(bounds), whole=whole)


def attr(at: At) -> Attr:
    return Attr(at[0], NAMES[at[1]])


def purgeable(query: Query, start: int) -> bool:
    """Whether no combination has a kept row of the stream and a new row somewhere.

    Seen values are whole; punctuations are over all of them. A fresh value lies between two whole numbers, where values
    are dense, or far above, where no prefix has come, or far below; a row is new when no scheme closes it, and else it
    must have been seen.
    """
    attributes = [(stream, at) for stream in range(query.streams) for at in range(2)]
    others = [stream for stream in range(query.streams) if stream != start]
    found = False
    for row in _solutions(query, start, attributes):
        found = True
        new = {stream: not _closed(query, stream, row) for stream in others}
        if any(new.values()) and all(new[s] or all(_seen(row[s, at]) for at in range(2)) for s in others):
            return False
    assume(found)  # else no row of whole numbers is kept
    return True


def _seen(value: Fraction) -> bool:
    return value.denominator == 1 and abs(value) < FAR // 2


def _closed(query: Query, stream: int, row: dict[At, Fraction]) -> bool:
    mine = (terms for of, terms in query.schemes if of == stream)
    return any(all(_matches(row[stream, at], order) for at, order in terms) for terms in mine)


def _matches(value: Fraction, order: Order) -> bool:
    return _seen(value) if order is Order.EQUALITY else value < FAR // 2


def _solutions(query: Query, start: int, attributes: list[At]) -> Iterator[dict[At, Fraction]]:
    """Values of all attributes that fulfil all comparisons: those of the kept row near the middle and seen."""
    whole = [Fraction(n) for n in NEAR]
    parts = [Fraction(0)] if query.whole else [Fraction(part, 3) for part in range(3)]
    every = [n + part + far for far in ((0, FAR, -FAR) if query.whole else (0, FAR)) for n in whole for part in parts]
    order = sorted(attributes, key=lambda at: at[0] != start)
    middle = whole[1:-1]

    compared = {end for c in query.compared for end in (c.more, c.less)}

    def extended(row: dict[At, Fraction], left: list[At]) -> Iterator[dict[At, Fraction]]:
        if not left:
            yield row
            return
        first, *rest = left
        few = [Fraction(3), Fraction(FAR), *([] if query.whole else [Fraction(10, 3)])]
        for value in middle if first[0] == start else every if first in compared else few:
            wider = {**row, first: value}
            if all(_holds(c, wider) for c in query.compared if first in (c.more, c.less)):
                yield from extended(wider, rest)

    relevant = {(s, at) for s, terms in query.schemes for at, _ in terms} | compared
    free = {at: Fraction(3) for at in order if at not in relevant}
    yield from (free | row for row in extended({}, [at for at in order if at in relevant]))


def _holds(c: Compared, row: dict[At, Fraction]) -> bool:
    if any(end is not None and end not in row for end in (c.more, c.less)):
        return True
    apart = (row[c.more] if c.more else 0) - (row[c.less] if c.less else 0)
    return apart < c.most if c.strict else apart <= c.most


@st.composite
def queries(draw: st.DrawFn) -> Query:
    count, whole = draw(st.integers(2, 3)), draw(st.booleans())
    attribute = st.tuples(st.integers(0, count - 1), st.integers(0, 1))
    compared = list[Compared]()
    for _ in range(draw(st.integers(1, 3))):
        more, less = draw(st.tuples(attribute, attribute).filter(lambda pair: pair[0] != pair[1]))
        most, strict = draw(st.integers(-1, 1)), not whole and draw(st.integers(0, 3)) == 0
        kind = draw(st.sampled_from(["band", "band", "equal", "one", "constant"]))
        if kind == "equal":
            compared += [Compared(more, less, most, False), Compared(less, more, -most, False)]
        elif kind == "band":
            compared += [Compared(more, less, most + 1, strict), Compared(less, more, draw(st.integers(0, 1)), False)]
        else:
            compared.append(
                Compared(more, None if kind == "constant" else less, most + 4 * (kind == "constant"), strict)
            )
    terms = st.lists(st.integers(0, 1), min_size=1, max_size=2, unique=True).flatmap(
        lambda ats: st.tuples(*(st.tuples(st.just(at), st.sampled_from([Order.EQUALITY, Order.ASC])) for at in ats))
    )
    schemes = draw(st.lists(st.tuples(st.integers(0, count - 1), terms), min_size=1, max_size=4, unique=True))
    assume(len({end for c in compared for end in (c.more, c.less)} - {None}) <= 4)
    return Query(count, tuple(compared), tuple(schemes), whole)


@examples(300)
@given(queries())
def test_purgeable_is_that_no_later_rows_can_meet(query: Query) -> None:
    as_graph = joined(query)
    for start in range(query.streams):
        assert (unreachable(as_graph, start) == ()) == purgeable(query, start)


@given(queries())
def test_safe_is_that_every_state_is_purgeable(query: Query) -> None:
    as_graph = joined(query)
    assert safe(as_graph) == (not any(unreachable(as_graph, start) for start in range(query.streams)))


def test_both_directions_are_outside() -> None:
    """What b, ascending, and c, descending, have still to send cannot meet; the check says that it does not know."""
    differences = [((1, 0), (2, 0), Limit(0))]
    closure = Closure[At](differences)
    assert not list(bounding(closure, (0, 0), Order.ASC))
    assert [list(bounding(closure, (1, 0), order)) for order in (Order.ASC, Order.DESC)] == [[(2, 0)], []]
    assert [list(bounding(closure, (2, 0), order)) for order in (Order.ASC, Order.DESC)] == [[], [(1, 0)]]


def test_paths_are_the_least_sums() -> None:
    """Floyd and Warshall's algorithm, on all small graphs of three nodes."""
    for weights in product([None, -1, 0, 2], repeat=6):
        pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
        least: dict[tuple[int, int], int] = {(n, n): 0 for n in range(3)}
        least |= {pair: w for pair, w in zip(pairs, weights, strict=True) if w is not None}
        given_ = [(a, b, Limit(w)) for (a, b), w in least.items() if a != b]
        for k, i, j in product(range(3), repeat=3):
            if (i, k) in least and (k, j) in least:
                least[i, j] = min(least.get((i, j), 9), least[i, k] + least[k, j])
        closure = Closure(given_)
        assert closure.satisfiable == all(least[n, n] >= 0 for n in range(3))
        if closure.satisfiable and len(closure.nodes) == 3:
            found = {(a, b): closure.most(a, b) for a, b in product(range(3), repeat=2)}
            assert {pair: limit.offset for pair, limit in found.items() if limit is not None} == least
