"""The definitions of the safety paper once more, by brute force and without classes, graphs that merge or bit sets.

``Q`` is a query as it is written: equalities are not closed. Everything here is for a few streams only.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

from hypothesis import strategies as st

from punctum.analyse.graphs import Attr, JoinQuery, On

KNOWN, FRESH = 0, 1


def purgeable(query: JoinQuery, start: int) -> bool:
    """Definition 4 over the least domain: a value that has been seen, and one that comes after all punctuations.

    A finite set of punctuations names finitely many values, so there is always a fresh one; and the more punctuations
    the better, so the best finite set is every punctuation over values that have been seen. A kept row of ``start`` can
    be purged when no combination of rows that fulfils all equalities has the kept row, seen values only, and a new row
    somewhere that no punctuation excludes. More seen or fresh values would not make more combinations equal.
    """
    attributes = sorted({Attr(start, "kept"), *query.classes})
    for values in product((KNOWN, FRESH), repeat=len(attributes)):
        row = dict(zip(attributes, values, strict=True))
        if any(row[a] is FRESH for a in attributes if a.stream == start or a in query.fixed):
            continue
        if any(row[a] != row[b] for a, b in query.equal):
            continue
        others = [stream for stream in range(len(query.streams)) if stream != start]
        some_new = any(_new(query, stream, row) for stream in others)
        if some_new and all(_possible(query, stream, row) for stream in others):
            return False
    return True


def _closed(query: JoinQuery, stream: int, row: dict[Attr, int]) -> bool:
    """Whether a punctuation over seen values matches the stream's part of a combination."""
    mine = (on for on in query.schemes if on.stream == stream)
    return any(all(row[Attr(stream, name)] is KNOWN for name in on.attributes) for on in mine)


def _new(query: JoinQuery, stream: int, row: dict[Attr, int]) -> bool:
    """Whether the stream's part of a combination may come after all punctuations."""
    return not _closed(query, stream, row)


def _possible(query: JoinQuery, stream: int, row: dict[Attr, int]) -> bool:
    """Whether the stream's part may be there at all: kept already, of seen values, or new."""
    seen = all(value is KNOWN for a, value in row.items() if a.stream == stream)
    return seen or _new(query, stream, row)


def closed(query: JoinQuery) -> set[tuple[Attr, Attr]]:
    """All equalities that follow, in both directions."""
    equal = {pair for a, b in query.equal for pair in ((a, b), (b, a))}
    while more := {(a, d) for a, b in equal for c, d in equal if b == c} - equal:
        equal |= more
    return equal


def operator_purgeable(query: JoinQuery, inputs: list[frozenset[int]]) -> bool:
    """Corollary 2 for an operator whose inputs are joins of some streams: each input reaches every other one."""
    equal = closed(query)
    constant = set(query.fixed) | {b for a, b in equal if a in query.fixed}

    def known(attribute: Attr, streams: set[int]) -> bool:
        return attribute in constant or any((attribute, b) in equal and b.stream in streams for _, b in equal)

    for start in inputs:
        reached = set(start)
        while more := [
            node
            for node in inputs
            if not node <= reached
            and any(
                on.stream in node and all(known(Attr(on.stream, name), reached) for name in on.attributes)
                for on in query.schemes
            )
        ]:
            reached |= more[0]
        if reached != frozenset().union(*inputs):
            return False
    return True


def some_plan_is_safe(query: JoinQuery) -> bool:
    """Definition 5: among all trees of join operators of any arity there is one whose operators are all purgeable."""

    @cache
    def plan(streams: frozenset[int]) -> bool:
        if len(streams) == 1:
            return True
        return any(
            all(plan(part) for part in parts) and operator_purgeable(query, parts)
            for parts in partitions(sorted(streams))
            if len(parts) > 1
        )

    return plan(frozenset(range(len(query.streams))))


def binary_plan_is_safe(query: JoinQuery) -> bool:
    """The same for trees of binary joins."""

    @cache
    def plan(streams: frozenset[int]) -> bool:
        pairs = (parts for parts in partitions(sorted(streams)) if len(parts) == 2)
        return len(streams) == 1 or any(
            all(plan(part) for part in parts) and operator_purgeable(query, parts) for parts in pairs
        )

    return plan(frozenset(range(len(query.streams))))


def partitions(streams: list[int]) -> Iterator[list[frozenset[int]]]:
    """All ways to divide streams into sets."""
    if not streams:
        yield []
        return
    first, rest = streams[0], streams[1:]
    for parts in partitions(rest):
        yield [frozenset([first]), *parts]
        for i, part in enumerate(parts):
            yield [*parts[:i], part | {first}, *parts[i + 1 :]]


@st.composite
def queries(draw: st.DrawFn, most: int = 5) -> JoinQuery:
    """Random queries of 2 to 5 streams, of 2 attributes each, or 3 when they are few, with random schemes.

    A spanning tree of equalities joins all streams; more equalities, within a stream too, and constants may be added.
    """
    count = draw(st.integers(2, most))
    names = "ab" if count > 3 else "abc"
    name = st.sampled_from(names)
    attribute = st.builds(Attr, st.integers(0, count - 1), name)
    tree = [(Attr(draw(st.integers(0, i - 1)), draw(name)), Attr(i, draw(name))) for i in range(1, count)]
    more = draw(st.lists(st.tuples(attribute, attribute), max_size=3))
    on = st.lists(name, min_size=1, max_size=len(names), unique=True).map(tuple)
    schemes = draw(
        st.lists(st.builds(On, st.integers(0, count - 1), on, st.just(())), max_size=2 * count + 1, unique=True)
    )
    simple = [On(i, (draw(name),)) for i in range(count) if draw(st.booleans())]
    fixed = draw(st.frozensets(attribute, max_size=1))
    streams = tuple(f"s{i}" for i in range(count))
    return JoinQuery(streams, (*tree, *more), tuple(dict.fromkeys([*schemes, *simple])), fixed)
