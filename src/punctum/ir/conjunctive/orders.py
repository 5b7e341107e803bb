"""Orders: what follows from comparisons of attributes with each other and with constants.

In: the comparisons ``<``, ``<=`` and ``=`` between attributes, and the places (``axes.py``) where each attribute may
lie. Out: whether all of it can be true at once, its transitive closure, which comparisons are redundant, and which
attributes are bounded (definitions 4.1 to 4.5 and 5.4 of the memory paper).

Attributes that must be equal are one *class*. The classes are ordered without cycles, so one pass from below finds the
least place of each class, and one from above the greatest. All classes at their least places together are a solution.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from punctum.ir.conjunctive.axes import At, Axis, PlaceRange


class Comparison(NamedTuple):
    """An attribute is ``<``, ``<=`` or ``=`` to another."""

    left: At
    op: str
    right: At


class Edge(NamedTuple):
    """A class lies below another one, strictly or not."""

    low: At
    high: At
    strict: bool


class ImpliedOrder:
    """The closure of comparisons; a class goes by its first attribute."""

    def __init__(
        self, axes: Mapping[At, Axis], places: Mapping[At, PlaceRange], comparisons: Iterable[Comparison]
    ) -> None:
        self.axes, self.given, self.comparisons = axes, places, tuple(comparisons)
        self.attributes = tuple(places)
        number = {at: i for i, at in enumerate(self.attributes)}
        above = _closed(number, self.comparisons)
        first = [
            next(j for j in range(len(above)) if above[i] >> j & 1 and above[j] >> i & 1) for i in range(len(above))
        ]
        self.of = {at: self.attributes[first[i]] for i, at in enumerate(self.attributes)}
        self.members: dict[At, list[At]] = {}
        for at, its in self.of.items():
            self.members.setdefault(its, []).append(at)
        self._number, self._above = number, above
        self.sorted = sorted(self.members, key=lambda its: -above[number[its]].bit_count())
        self.edges = _edges(self.of, self.comparisons)

    def adding(self, places: Mapping[At, PlaceRange], comparisons: Sequence[Comparison]) -> "ImpliedOrder":
        """The closure with more conditions."""
        met = {at: here.meet(places[at]) if at in places else here for at, here in self.given.items()}
        return ImpliedOrder(self.axes, met, (*self.comparisons, *comparisons))

    def reaches(self, low: At, high: At) -> bool:
        """Whether comparisons alone say that a class is not above another one."""
        return bool(self._above[self._number[low]] >> self._number[high] & 1)

    @cached_property
    def _strictly(self) -> dict[At, int]:
        """For each class, those above it on a way with a strict step."""
        steps = [(edge.low, self._above[self._number[edge.high]]) for edge in self.edges if edge.strict]
        above_strictly = dict.fromkeys(self.members, 0)
        for its in self.members:
            for low, above in steps:
                if self.reaches(its, low):
                    above_strictly[its] |= above
        return above_strictly

    @cached_property
    def domains(self) -> dict[At, PlaceRange]:
        """Where each class may lie by what is said of its own attributes."""
        places: dict[At, PlaceRange] = {}
        for at, its in self.of.items():
            places[its] = places[its].meet(self.given[at]) if its in places else self.given[at]
        return places

    def least(self, pinned: Mapping[At, int] | None = None) -> dict[At, int] | None:
        """The least places of all classes, with some classes pinned to a place; nothing when there is no solution."""
        if any(edge.strict and edge.low == edge.high for edge in self.edges):
            return None
        pinned = pinned or {}
        least: dict[At, int] = {}
        for its in self.sorted:
            here = max((self._next(edge, least[edge.low]) for edge in self._into[its]), default=self.domains[its].low)
            place = self.domains[its].least(max(here, pinned.get(its, here)))
            if place is None or place != pinned.get(its, place):
                return None
            least[its] = place
        return least

    def _next(self, edge: Edge, place: int) -> int:
        return place + (edge.strict and not self.axes[edge.low].endless(place))

    @cached_property
    def _into(self) -> dict[At, list[Edge]]:
        into: dict[At, list[Edge]] = {its: [] for its in self.members}
        for edge in self.edges:
            if edge.low != edge.high:
                into[edge.high].append(edge)
        return into

    @cached_property
    def satisfiable(self) -> bool:
        """Whether all comparisons can be true at once."""
        return self.least() is not None

    @cached_property
    def ranges(self) -> dict[At, PlaceRange]:
        """Where each class can lie when all comparisons are true; there must be a solution."""
        low = self.least()
        assert low is not None, "there is no solution"
        high: dict[At, int] = {}
        out: dict[At, list[Edge]] = {its: [] for its in self.members}
        for edge in self.edges:
            out[edge.low].append(edge)
        for its in reversed(self.sorted):
            before = (high[e.high] - (e.strict and not self.axes[its].endless(high[e.high])) for e in out[its])
            greatest = self.domains[its].greatest(min(before, default=self.domains[its].high))
            assert greatest is not None
            high[its] = greatest
        return {its: self.domains[its].meet(PlaceRange(low[its], high[its])) for its in self.members}

    def range(self, at: At) -> PlaceRange:
        """Where an attribute can lie."""
        return self.ranges[self.of[at]]

    def regions(self, *classes: At) -> Iterator[int]:
        """The endless places that classes on one axis have in common."""
        axis = self.axes[classes[0]]
        low, high = (end(getattr(self.ranges[c], side) for c in classes) for end, side in ((max, "low"), (min, "high")))
        if any(self.ranges[its].only is not None for its in classes):
            return
        discrete = axis.kind.discrete
        candidates = {axis.all.low, axis.all.high} if discrete else range(low + low % 2, high + 1, 2)
        yield from sorted(p for p in candidates if low <= p <= high and axis.endless(p))

    def bounded(self, at: At) -> bool:
        """Whether finitely many values of an attribute make all comparisons true."""
        return not any(True for _ in self.regions(self.of[at]))

    def implied(self, left: At, right: At) -> str | None:
        """The strongest of ``=``, ``<`` and ``<=`` that follows for two attributes."""
        a, b = self.of[left], self.of[right]
        if a == b:
            return "="
        if self.axes[a] is not self.axes[b]:
            return None
        high, low = self.ranges[a].high, self.ranges[b].low
        if high < low:
            return "<"
        if high == low and not self.axes[a].endless(low):
            fixed = self.ranges[a].low == high and self.ranges[b].high == low
            return "=" if fixed else "<" if self._strictly[a] >> self._number[b] & 1 else "<="
        if not self.reaches(a, b):
            return None
        return "<" if self._strictly[a] >> self._number[b] & 1 else "<="

    def apart(self, low: At, high: At) -> bool:
        """Whether a constant lies between two classes, so that each can be compared with that one alone."""
        below, above = self.ranges[low].high, self.ranges[high].low
        return below < above or (below == above and not self.axes[low].endless(below))

    def redundant(self, low: At, high: At) -> bool:
        """Whether that a class lies below another one follows from comparisons with others (definition 4.1)."""
        if self.apart(low, high):
            return True
        strict, goal = self._strictly, self._number[high]
        for its in self.members:
            if its not in (low, high) and self.reaches(low, its) and self.reaches(its, high):
                whole = strict[low] >> goal & 1
                if not whole or strict[low] >> self._number[its] & 1 or strict[its] >> goal & 1:
                    return True
        return False

    def references(self, stream: int) -> tuple[frozenset[At], frozenset[At]]:
        """*MaxRef* and *MinRef* of a stream, as classes (definition 5.4)."""
        most: set[At] = set()
        least: set[At] = set()
        for low, high, _ in self.edges:
            if low == high or self.redundant(low, high):
                continue
            if self._crosses(stream, high, low) and not self.bounded(high):
                most.add(high)
            if self._crosses(stream, low, high) and not self.bounded(low):
                least.add(low)
        return frozenset(most), frozenset(least)

    def _crosses(self, stream: int, here: At, there: At) -> bool:
        return any(at[0] == stream for at in self.members[here]) and any(at[0] != stream for at in self.members[there])

    def streams(self, its: At) -> list[int]:
        """The streams of a class's attributes."""
        return sorted({at[0] for at in self.members[its]})

    def induced(self, attributes: Iterable[At]) -> "ImpliedOrder":
        """What follows for some attributes alone (definition 4.2)."""
        kept = list(attributes)
        implied = ((a, self.implied(a, b), b) for a in kept for b in kept if a != b)
        follows = [Comparison(a, op, b) for a, op, b in implied if op is not None]
        return ImpliedOrder(self.axes, {at: self.range(at) for at in kept}, follows)


def _closed(number: Mapping[At, int], comparisons: Sequence[Comparison]) -> list[int]:
    """For each attribute the set, as bits, of those that are not below it, itself included."""
    above = [1 << i for i in range(len(number))]
    for left, op, right in comparisons:
        above[number[left]] |= 1 << number[right]
        if op == "=":
            above[number[right]] |= 1 << number[left]
    for k in range(len(above)):
        for i in range(len(above)):
            if above[i] >> k & 1:
                above[i] |= above[k]
    return above


def _edges(of: Mapping[At, At], comparisons: Sequence[Comparison]) -> tuple[Edge, ...]:
    """The comparisons of classes, each once; one of a class with itself is there only when it is strict."""
    strict: dict[tuple[At, At], bool] = {}
    for left, op, right in comparisons:
        pair = of[left], of[right]
        strict[pair] = strict.get(pair, False) or op == "<"
    return tuple(Edge(low, high, is_) for (low, high), is_ in strict.items() if low != high or is_)
