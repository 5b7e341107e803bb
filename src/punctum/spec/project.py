"""Projection (the SELECT list), computed columns included.

::

    cpass(ts, ps)  =  [columns(t) | t ∈ ts]
    cprop(ts, ps)  =  projPs(ps)
    ckeep(ts, ps)  =  []

``projPs`` gives p over the columns when each of p's patterns can be mapped to a column (``columns.py``). What cannot be
mapped must be a wildcard: either it is one, or the patterns seen so far together cover the attribute's declared domain,
p's other patterns being as they are. The state is the punctuations seen, and those that wait for the rest of a domain.
A row for which a column has no value goes to the quarantine.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from punctum.algebra.pattern import WILDCARD, Pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.columns import ComputedColumn
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary, valued
from punctum.spec.stream import Slice

Waiting = frozenset[tuple[Punctuation, Punctuation]]  # what can be output, once the other has been received
State = tuple[PunctuationSet, Waiting]


@dataclass(frozen=True)
class Project(Unary[State], Specified):
    """Some columns of each row."""

    schema: Schema
    columns: tuple[ComputedColumn, ...]

    @staticmethod
    def to(schema: Schema, *names: str) -> "Project":
        """The attributes of these names, as they are."""
        return Project(schema, tuple(ComputedColumn.same(schema, name) for name in names))

    @property
    def output(self) -> Schema:
        """The columns' attributes."""
        return Schema(tuple(column.attribute for column in self.columns))

    def initial(self) -> State:
        return PunctuationSet(self.schema), frozenset()

    def step(self, ts: Rows, st: State) -> tuple[Rows, State]:
        return self._rows(ts), st

    def prop(self, ps: Puncts, st: State) -> Puncts:
        _, _, complete = self._received(ps, st)
        return [q for p in (*ps, *complete) for q in self.images(p)]

    def keep(self, ps: Puncts, st: State) -> State:
        seen, waiting, complete = self._received(ps, st)
        return seen | complete, waiting

    def _received(self, ps: Puncts, st: State) -> tuple[PunctuationSet, Waiting, list[Punctuation]]:
        """The new state, and the punctuations that have come to cover the domains they waited for, widened."""
        seen = st[0] | ps
        waiting = st[1] | {(self.widened(p), self.in_domain(p)) for p in ps if self.unmapped(p)}
        complete = {(wide, needed) for wide, needed in waiting if seen.covers(needed)}
        return seen, waiting - complete, sorted((wide for wide, _ in complete), key=str)

    def unmapped(self, p: Punctuation) -> list[int]:
        """The positions of p's patterns that can be mapped to no column."""
        return [i for i, pattern in p.sides if not any(self._mapped(i, pattern))]

    def _mapped(self, i: int, pattern: Pattern) -> Iterator[tuple[int, Pattern]]:
        """A pattern on an attribute over the columns: a column's position and a pattern on it."""
        attribute = self.schema.attributes[i]
        for n, column in enumerate(self.columns):
            if column.source == attribute.name:
                yield from ((n, image) for image in column.images(pattern, attribute.type))

    def in_domain(self, p: Punctuation) -> Punctuation:
        """What must have been received before p can be output widened."""
        return p.replacing({i: self.schema.attributes[i].domain for i in self.unmapped(p)})

    def widened(self, p: Punctuation) -> Punctuation:
        """P without the patterns that can be mapped to no column."""
        return p.replacing(dict.fromkeys(self.unmapped(p), WILDCARD))

    def images(self, p: Punctuation) -> list[Punctuation]:
        """P over the columns: a punctuation for each way to map its patterns, none when one cannot be mapped."""
        ways = product(*(list(self._mapped(i, pattern)) for i, pattern in p.sides))
        names = self.output.names
        return [Punctuation.of(self.output, {names[n]: pattern for n, pattern in way}) for way in ways]

    def cpass(self, *inputs: Slice) -> list[Row]:
        return self._rows(inputs[0].rows)

    def _rows(self, ts: Rows) -> list[Row]:
        rows = (valued(self._row, t) for t in ts)
        return [row for row in rows if row is not None]

    def _row(self, t: Row) -> Row:
        return tuple(column.value(t, self.schema) for column in self.columns)

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        ps = [p for p in inputs[0].puncts if not p.empty]
        whole = [self.widened(p) for p in ps if covered(self.in_domain(p), ps)]
        return [q for p in whole for q in self.images(p)]

    def ckeep(self, *inputs: Slice) -> Kept:
        return {}


def covered(p: Punctuation, ps: list[Punctuation]) -> bool:
    """Whether every row that matches p matches one of ps, by taking one away from p after the other."""
    if p.empty:
        return True
    if not ps:
        return False
    first, rest = ps[0], ps[1:]
    if p.combine(first) is None:
        return covered(p, rest)
    inner = p
    for i, pattern in first.sides:
        for part in inner.patterns[i].minus(pattern):
            if not covered(inner.replacing({i: part}), rest):
                return False
        inner = inner.replacing({i: inner.patterns[i].meet(pattern)})
    return True
