"""Locally totally ordered queries: each stream's attributes and the constants are in one order, by added filters.

In: a query. Out: all such queries that are derived from it (definition 5.2), and whether each needs only bounded
memory by theorems 5.6 and 5.10. There are exponentially many; the register asks only for queries with a stream twice
that eliminate duplicates, for which no polynomial algorithm is known (section 8.1), and with a limit. There, streams
that are redundant (definition 8.2) are left out first; and a query that is not bounded in some order may still be, for
an added filter of one occurrence is none of the other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from punctum.algebra.pattern import Pattern
from punctum.algebra.schema import NOT_NULL
from punctum.ir.conjunctive.axes import At, PlaceRange
from punctum.ir.conjunctive.orders import Comparison, ImpliedOrder
from punctum.ir.conjunctive.spj import Spj

LIMIT = 200_000
"""So many steps are taken before the register gives up; an order of n attributes is n² steps."""


class TooManyOrdersError(Exception):
    """All orders take more steps than the limit allows."""


@dataclass
class _Budget:
    left: int

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise TooManyOrdersError


def derived(query: Spj, limit: int | None = None, whole: bool = False) -> Iterator[ImpliedOrder]:
    """The orders of all queries that are derived from a query; an error when it takes more steps than the limit.

    Attributes that no comparisons connect need no order among them, unless all of it is wanted.
    """
    if query.order.satisfiable:
        budget = _Budget(limit if limit is not None else 1 << 62)
        yield from _ordered(query.whole_order if whole else query.order, _by_stream(query), budget)


def _by_stream(query: Spj) -> list[list[At]]:
    """The attributes of each stream that conditions name."""
    named = {*query.within, *(at for c in query.compared for at in (c.left, c.right))}
    columns = {(query.streams[at[0]].stream, at[1]) for at in named}
    known = [at for at in query.attributes if (query.streams[at[0]].stream, at[1]) in columns]
    return [[at for at in known if at[0] == stream] for stream in range(len(query.streams))]


def _ordered(order: ImpliedOrder, streams: list[list[At]], budget: _Budget) -> Iterator[ImpliedOrder]:
    if not streams:
        yield order
        return
    for local in _local(order, streams[0], {}, budget):
        yield from _ordered(local, streams[1:], budget)


Lines = Mapping[tuple[int, int], tuple[tuple[At, ...], ...]]
"""For each axis and slot, the attributes there from low to high; those that are equal stand together."""


def _local(order: ImpliedOrder, attributes: list[At], lines: Lines, budget: _Budget) -> Iterator[ImpliedOrder]:
    """Each way to put the attributes of a stream, one after the other, among those before and the constants."""
    if not attributes:
        yield order
        return
    at, *rest = attributes
    axis = order.axes[at]
    for number, slot in enumerate(axis.slots()):
        key = id(axis), number
        for line, comparisons in _insertions(lines.get(key, ()), at):
            budget.spend(len(order.attributes) ** 2)
            more = order.adding({at: slot}, comparisons)
            if more.satisfiable:
                yield from _local(more, rest, {**lines, key: line}, budget)


def _insertions(
    line: tuple[tuple[At, ...], ...], at: At
) -> Iterator[tuple[tuple[tuple[At, ...], ...], list[Comparison]]]:
    """A line with one more attribute: equal to one of it, or between two."""
    for i, equal in enumerate(line):
        yield (*line[:i], (*equal, at), *line[i + 1 :]), [Comparison(equal[0], "=", at)]
    for i in range(len(line) + 1):
        lower = [Comparison(line[i - 1][0], "<", at)] if i else []
        upper = [Comparison(at, "<", line[i][0])] if i < len(line) else []
        yield (*line[:i], (at,), *line[i:]), lower + upper


def fails(order: ImpliedOrder, shown: Sequence[At], eliminating: bool) -> str | None:
    """The condition of theorem 5.6 (preserving) or 5.10 (eliminating) that fails for an ordered query."""
    streams = {at[0] for at in order.attributes}
    if any(not order.bounded(at) for at in shown):
        return "C1"
    if any(len(order.streams(its)) > 1 and not order.bounded(its) for its in order.members):
        return "C2"
    sizes = [sum(map(len, order.references(stream))) for stream in streams]
    return "C3" if any(size > eliminating for size in sizes) else None


def bounded_in_every_order(query: Spj, limit: int | None = None, whole: bool = False) -> bool:
    """Whether every derived query needs only bounded memory, and so the query (theorem 5.3)."""
    if query.stateless:
        return True
    for order in derived(query, limit, whole):
        shown = query.listed
        if query.eliminating and query.selfjoin:
            order, shown = without_redundant(query, order)
        if fails(order, shown, query.eliminating) is not None:
            return False
    return True


def without_redundant(query: Spj, order: ImpliedOrder) -> tuple[ImpliedOrder, tuple[At, ...]]:
    """An order and the shown attributes after all redundant occurrences of streams are taken out."""
    shown, left = query.listed, list(range(len(query.streams)))
    while (pair := _redundant(query, order, shown, left)) is not None:
        gone, by = pair
        left.remove(gone)
        shown = tuple(dict.fromkeys((by, column) if stream == gone else (stream, column) for stream, column in shown))
        order = order.induced(at for at in order.attributes if at[0] != gone)
    return order, shown


def reduced(query: Spj) -> Spj:
    """The same query without occurrences of streams that are redundant in it as it stands."""
    left, pair = query, redundant(query)
    while pair is not None:
        left = leaving_out(left, *pair)
        pair = redundant(left)
    return left


def redundant(query: Spj) -> tuple[int, int] | None:
    """An occurrence of a stream that adds nothing, and the one that stands in for it.

    A query with conditions of other forms is not looked at: these would have to hold for the other occurrence too.
    """
    steps = len(query.attributes) ** 2 * len(query.streams) ** 2
    if steps > LIMIT or query.loose or not query.order.satisfiable:
        return None
    return _redundant(query, query.order, query.listed, range(len(query.streams)))


def stood_in(at: At, gone: int, by: int) -> At:
    """Where an attribute is when one occurrence of a stream is in the place of another one."""
    stream = by if at[0] == gone else at[0]
    return stream - (stream > gone), at[1]


def leaving_out(query: Spj, gone: int, by: int) -> Spj:
    """A query with one occurrence of a stream in the place of another one."""

    def moved(at: At) -> At:
        return stood_in(at, gone, by)

    within: dict[At, Pattern] = {}
    for at, pattern in query.within.items():
        within[moved(at)] = within[moved(at)].meet(pattern) if moved(at) in within else pattern
    pairs = dict.fromkeys(Comparison(moved(a), op, moved(b)) for a, op, b in query.compared)
    for at in (pair.left for pair in pairs if pair.left == pair.right):  # a value equals itself, unless it is NULL
        within[at] = within.get(at, NOT_NULL).meet(NOT_NULL)
    calls = [replace(c, of=c.of and moved(c.of), filter=c.filter and moved(c.filter)) for c in query.aggregates or ()]
    return replace(
        query,
        streams=(*query.streams[:gone], *query.streams[gone + 1 :]),
        compared=tuple(pair for pair in pairs if pair.left != pair.right),
        within=within,
        shown=tuple(dict.fromkeys(map(moved, query.shown))),
        aggregates=None if query.aggregates is None else tuple(calls),
        mixed=tuple(frozenset(map(moved, ats)) for ats in query.mixed),
    )


def _redundant(query: Spj, order: ImpliedOrder, shown: Sequence[At], left: Sequence[int]) -> tuple[int, int] | None:
    same = ((j, k) for j, k in permutations(left, 2) if query.streams[j].stream == query.streams[k].stream)
    return next((pair for pair in same if _covers(order, shown, *pair)), None)


def _covers(order: ImpliedOrder, shown: Sequence[At], gone: int, by: int) -> bool:
    """Whether an occurrence stands in for another one: what must hold for that one holds for it (definition 8.2)."""

    def moved(at: At) -> At:
        return (by, at[1]) if at[0] == gone else at

    mine = [at for at in order.attributes if at[0] == gone]
    if any(order.implied(at, moved(at)) != "=" for at in shown if at[0] == gone):
        return False
    if any(not _inside(order.range(moved(at)), order.range(at)) for at in mine):
        return False
    pairs = [(at, other) for at in mine for other in order.attributes if other != at]
    return all(
        _at_least(order.implied(moved(a), moved(b)), order.implied(a, b))
        for pair in pairs
        for a, b in (pair, pair[::-1])
    )


def _inside(one: PlaceRange, other: PlaceRange) -> bool:
    return one.meet(other).size == one.size


def _at_least(implied: str | None, needed: str | None) -> bool:
    """Whether an implied comparison is as strict as a needed one."""
    return needed is None or implied == needed or (needed == "<=" and implied in ("<", "="))
