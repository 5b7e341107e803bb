"""A set of values of one attribute that grows span by span: the sorted backbone of a punctuation set.

Invariant: the spans are in order, do not overlap and do not touch.
"""

from collections.abc import Callable, Iterable, Iterator

from sortedcontainers import SortedDict

from punctum.algebra.cuts import HIGHEST, LOWEST, Cut
from punctum.algebra.pattern import EVERYTHING, NULL, Pattern, Span


class SpanSet:
    """Spans that coalesce where they touch, and whether NULL belongs to the set. Every step costs O(log n).

    >>> some = SpanSet()
    >>> for cut in (1, 3, 2):
    ...     _ = some.add((cut, cut + 1))
    >>> list(some)
    [(1, 4)]

    Spans of whole numbers also coalesce over numbers that never come, when it is told how far these go:

    >>> odd = SpanSet(lambda number: number | 1)
    >>> for cut in (1, 3, 5):
    ...     _ = odd.add((cut, cut + 1))
    >>> list(odd)
    [(1, 7)]
    """

    def __init__(self, reach: Callable[[int], int] | None = None) -> None:
        self.reach = reach
        self._ends: SortedDict[Cut, Cut] = SortedDict()  # where a span begins: where it ends
        self.null = False

    def __iter__(self) -> Iterator[Span]:
        return iter(self._ends.items())

    def __len__(self) -> int:
        return len(self._ends) + self.null

    def complete_with(self, pattern: Pattern) -> bool:
        """Whether every value belongs to it, NULL as well, once a constant or range does."""
        if pattern.spans == (EVERYTHING,):
            return self.null
        return pattern == NULL and self._ends.get(LOWEST) is HIGHEST

    def around(self, span: Span) -> Span | None:
        """The one of its spans that holds all of another."""
        at = self._ends.bisect_right(span[0]) - 1
        if at < 0:
            return None
        low, high = self._ends.peekitem(at)
        return (low, high) if span[1] <= high else None

    def touching(self, span: Span) -> Iterator[Span]:
        """The spans that overlap or touch one."""
        low, high = span
        for start in self._ends.islice(max(0, self._ends.bisect_left(low) - 1)):
            if start > high:
                return
            end = self._ends[start]
            if end >= low:
                yield start, end

    def overlapping(self, span: Span) -> Iterator[Span]:
        """The spans that share a value with one."""
        low, high = span
        return ((start, end) for start, end in self.touching(span) if start < high and low < end)

    def add(self, span: Span) -> Span:
        """Add a span and give the one that it has become part of."""
        if self.reach is not None and type(span[1]) is int:
            span = (span[0], self.reach(span[1]))
        near = list(self.touching(span))
        if not near:
            self._ends[span[0]] = span[1]
            return span
        low, high = min(span[0], near[0][0]), max(span[1], near[-1][1])
        for start, _ in near[1:] if near[0][0] == low else near:
            del self._ends[start]
        self._ends[low] = high
        return low, high

    def renew(self, spans: Iterable[Span]) -> None:
        """Have these spans in the place of all; they are in order, and none touches another."""
        self._ends = SortedDict(spans)

    def discard(self, span: Span) -> None:
        """Take back one of its spans, exactly."""
        del self._ends[span[0]]
