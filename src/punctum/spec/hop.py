"""Hopping windows: each row comes once for each window of time in which it lies.

With first(t) and last(t) the starts of the first and of the last window of t, the last two attributes::

    cpass(ts, ps)  =  [t ⋅ s | t ∈ ts, s = first(t), first(t) + slide, … last(t)]
    cprop(ts, ps)  =  [s is NULL] ++ [hopP(p) | p ∈ ps]
    ckeep(ts, ps)  =  []

A row that has s lies in first(t) <= s <= last(t). So what closes all first(t) up to a value closes all s up to it, and
what closes all last(t) from a value on closes all s from it on: hopP gives p with these parts of its patterns on s, and
nothing for a p with any other pattern on first or last. A row without first or last has no window, so s is never NULL,
which is said before the first row.
"""

from dataclasses import dataclass
from typing import Any

from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.pattern import NULL, WILDCARD, Pattern, span_pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class Hop(Unary[None], Specified):
    """Each row with each of its windows."""

    schema: Schema
    output_: Schema
    slide: Any

    @property
    def output(self) -> Schema:
        """All attributes but the last two, and the start."""
        return self.output_

    def initial(self) -> None:
        return None

    def opening(self) -> Puncts:
        return [Punctuation.of(self.output, {self.output.names[-1]: NULL})]

    def step(self, ts: Rows, st: None) -> tuple[Rows, None]:
        return [row for t in ts for row in self._copies(t)], st

    def prop(self, ps: Puncts, st: None) -> Puncts:
        return [q for p in ps if (q := self._over_starts(p)) is not None]

    def keep(self, ps: Puncts, st: None) -> None:
        return st

    def _copies(self, t: Row) -> list[Row]:
        *others, start, last = t
        copies: list[Row] = []
        now: Any = start
        while start is not None and last is not None and now <= last:
            copies.append((*others, now))
            now += self.slide
        return copies

    def _over_starts(self, p: Punctuation) -> Punctuation | None:
        *others, first, last = p.patterns
        start: Pattern = WILDCARD
        for pattern, end in ((first, 0), (last, 1)):
            if pattern != WILDCARD:
                part = self._endless(pattern, end)
                if part is None:
                    return None
                start = start.meet(part)
        return Punctuation(self.output, (*others, start))

    def _endless(self, pattern: Pattern, end: int) -> Pattern | None:
        """The part of a pattern that goes on below without end, or above."""
        spans = [span for span in pattern.spans if span[end] is (LOWEST, HIGHEST)[end]]
        return span_pattern(spans[0], self.output.attributes[-1].type) if spans else None

    def cpass(self, *inputs: Slice) -> list[Row]:
        return [row for t in inputs[0].rows for row in self._copies(t)]

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        moved = (self._over_starts(p) for p in inputs[0].puncts if not p.empty)
        return [*self.opening(), *(q for q in moved if q is not None)]

    def ckeep(self, *inputs: Slice) -> Kept:
        return {}
