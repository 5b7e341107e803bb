"""Whether a select-project-join query needs only bounded memory, whatever its streams bring and without punctuations.

In: a query. Out: nothing when bounded memory is enough; else the condition of theorems 5.6, 5.10 and 8.6 that fails and
on which attributes, with what an input needs that shows it (``growth.py``). As in figure 2, polynomial:

- C1: each shown attribute is bounded (grouping attributes, and arguments of holistic functions, are shown too);
- C2: attributes of two streams that must be equal are bounded;
- C3: memory for inequality joins. A join ``x < y`` needs memory where x and y can lie at the same endless place. A
  preserving query has no such join; an eliminating one has at most one for each stream, in effect.

The figure looks at all sets of four attributes and orders each in every way. Two joins of a stream, which are at most
four attributes, can be looked at directly. Both at once are too much when they can lie at different endless places;
when one goes into the stream and the other one out of it; or when one can lie wholly above the other: ``c < a`` and
``d < b`` are too much when ``c < a < d < b`` is possible, that is unless ``d <= a`` and ``c <= b`` follow.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations

from punctum.algebra.aggregates import HOLISTIC, Function
from punctum.ir.conjunctive.axes import At
from punctum.ir.conjunctive.orders import Edge, ImpliedOrder
from punctum.ir.conjunctive.spj import Aggregated, Spj


@dataclass(frozen=True)
class Failure:
    """A condition that fails: at which stream, on which attributes, and at which places of classes.

    ``rising`` and ``falling`` are the classes that grow and shrink, row by row, in an input that needs much memory.
    """

    query: Spj
    condition: str
    stream: int
    attributes: tuple[At, ...]
    pinned: Mapping[At, int]
    rising: frozenset[At] = frozenset()
    falling: frozenset[At] = frozenset()
    call: Aggregated | None = None

    @property
    def reason(self) -> str:
        """Why the condition fails, in a few words."""
        names = [self.query.name(at) for at in self.attributes]
        match self.condition:
            case "C1" if self.call is not None:
                return (
                    f"{self.call.function.value} needs every value of {names[0]}, and the column's domain is unbounded"
                )
            case "C1":
                role = "a grouping column" if self.query.aggregates is not None else "in the result"
                return f"{names[0]} is {role}, and the column's domain is unbounded"
            case "C2":
                return f"{names[0]} has to equal {names[1]}, and the domain of these columns is unbounded"
            case "C3" if self.call is not None:
                asking = len(self.query.streams) - 1
                pairs = [self.attributes[:2], self.attributes[2:]]
                low, high = next(pair for pair in pairs if asking not in (pair[0][0], pair[1][0]))
                both = f"{self.query.name(low)} has to be below {self.query.name(high)}"
                return f"{both}, {self.query.streams[asking].name} is wanted, and no single row decides both"
            case "C3" if len(names) == 2:
                return f"{names[0]} has to be below {names[1]}, and the number of such rows is unbounded"
            case "C3":
                both = f"{names[0]} has to be below {names[1]} and {names[2]} below {names[3]}"
                return f"{both}, and no single row decides both"
            case _:
                return f"a condition on {' and '.join(names)} is not a comparison of two columns"


def failure(query: Spj) -> Failure | None:
    """What makes a query need memory without bound, if anything does.

    A query with a stream twice that eliminates duplicates may be bounded although this gives a failure.
    """
    if not query.order.satisfiable or query.stateless:
        return None
    first = _first(_shown(query)) or _first(_equated(query)) or _first(_mixed(query))
    if first is not None or not query.eliminating:
        return first or _first(_single(query))
    if (first := _first(_pairs(query))) is not None:
        return first
    watched = ((call, _first(_pairs(query.watching(call)))) for call in open_extremes(query))
    return next((replace(first, call=call) for call, first in watched if first is not None), None)


def open_extremes(query: Spj) -> list[Aggregated]:
    """The MIN and MAX of attributes that are not bounded."""
    extremes = (Function.MIN, Function.MAX)
    calls = (call for call in query.aggregates or () if call.function in extremes and call.of is not None)
    return [call for call in calls if call.of is not None and not query.order.bounded(call.of)]


def _first(failures: Iterator[Failure]) -> Failure | None:
    return next(failures, None)


def _shown(query: Spj) -> Iterator[Failure]:
    for at in query.listed:
        if not query.order.bounded(at):
            calls = [
                c for c in query.aggregates or () if at not in query.shown and c.of == at and c.function in HOLISTIC
            ]
            yield _alone(query, "C1", at[0], (at,), query.order.of[at], calls[0] if calls else None)


def _equated(query: Spj) -> Iterator[Failure]:
    for its, members in query.order.members.items():
        if len(streams := query.order.streams(its)) > 1 and not query.order.bounded(its):
            two = tuple(next(at for at in members if at[0] == stream) for stream in streams[:2])
            yield _alone(query, "C2", streams[0], two, its)


def _alone(
    query: Spj, condition: str, stream: int, ats: tuple[At, ...], its: At, call: Aggregated | None = None
) -> Failure:
    """A class that is not bounded: all that lies where it lies moves with it."""
    place = next(query.order.regions(its))
    pinned = {its: place}
    return Failure(query, condition, stream, ats, pinned, _moving(query.order, pinned, its), call=call)


def _mixed(query: Spj) -> Iterator[Failure]:
    for ats in query.mixed:
        if unbounded := [at for at in sorted(ats) if not query.order.bounded(at)]:
            yield Failure(query, "mixed", unbounded[0][0], tuple(sorted(ats)), {})


def _moving(order: ImpliedOrder, pinned: Mapping[At, int], its: At) -> frozenset[At]:
    """The classes at the same endless place as one of them, when some are pinned."""
    least = order.least(pinned)
    assert least is not None
    return frozenset(c for c, place in least.items() if place == least[its] and order.axes[c] is order.axes[its])


def joins(query: Spj) -> Iterator[Edge]:
    """The inequality joins: comparisons of classes of different streams."""
    order = query.order
    for edge in order.edges:
        streams = {*order.streams(edge.low), *order.streams(edge.high)}
        if len(streams) > 1:
            yield edge


def _single(query: Spj) -> Iterator[Failure]:
    """Joins that need memory in a preserving query."""
    order = query.order
    for low, high, _ in joins(query):
        for place in order.regions(low, high):
            pinned = {low: place, high: place}
            if order.least(pinned) is not None:
                yield Failure(query, "C3", low[0], (low, high), pinned, _moving(order, pinned, low))


def _pairs(query: Spj) -> Iterator[Failure]:
    """Two joins of a stream that are too much together for an eliminating query."""
    places = {edge: regions for edge in joins(query) if (regions := list(query.order.regions(edge.low, edge.high)))}
    for stream in range(len(query.streams)):
        mine = [edge for edge in places if stream in (edge.low[0], edge.high[0])]
        for one, other in combinations(mine, 2):
            for here in places[one]:
                for there in places[other]:
                    yield from _pair(query, stream, (one, other), (here, there))


def _pair(query: Spj, stream: int, edges: tuple[Edge, Edge], places: tuple[int, int]) -> Iterator[Failure]:
    order, (one, other), (here, there) = query.order, edges, places
    same = here == there and order.axes[one.low] is order.axes[other.low]
    if not same and {one.low, one.high} & {other.low, other.high}:
        return
    out = [edge.low[0] == stream for edge in edges]
    parted = _parted(order, one, other) if same and out[0] == out[1] else None
    pinned = {one.low: here, one.high: here, other.low: there, other.high: there}
    if (same and out[0] == out[1] and parted is None) or order.least(pinned) is None:
        return
    first, second = _moving(order, pinned, one.low), _moving(order, pinned, other.low)
    ats = (one.low, one.high, other.low, other.high)
    if not same:
        both = (first | second, frozenset[At]()) if out[0] != out[1] else (first, second)
    else:
        upper = frozenset(its for its in first if parted is not None and order.reaches(parted, its))
        both = first - upper, upper
    yield Failure(query, "C3", stream, ats, pinned, *both)


def _parted(order: ImpliedOrder, one: Edge, other: Edge) -> At | None:
    """A class from which upwards one of two joins can lie wholly above the other."""
    for lower, upper in ((one, other), (other, one)):
        if not order.reaches(upper.low, lower.high):
            return upper.low
    return None
