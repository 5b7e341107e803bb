"""Sessions: groups of the rows of a key between which there is no gap of time.

Times of one key are in a session when they are at most a gap apart, or others lie between them of which that is so. A
row that may still come can belong to a session, or bring it together with another one, only when its time lies between
the first one less the gap and the last one plus the gap. So a session is complete when all such rows are closed::

    cpass(ts, ps)  =  [result(s) | s ∈ sessions(ts) ∧ closed(s, ps)]
    cprop(ts, ps)  =  sessionPs(ps)
    ckeep(ts, ps)  =  [t | t ∈ s ∈ sessions(ts) ∧ ¬closed(s, ps)]

where ``closed(s, ps)``: one of the punctuations on keys and the time alone covers the key of s with all times from
``first(s) - gap`` to ``last(s) + gap``. Such a one closes s when it comes: a row that it does not match cannot make it
cover more. A session that comes out after ``time <= t`` ends after t: ``sessionPs`` gives those on keys alone, and
prefixes, which are then of ends. A session with an aggregate that has no value goes to the quarantine. Rows without a
time are in none.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from punctum.algebra.aggregates import AggregateFunction
from punctum.algebra.cuts import LOWEST
from punctum.algebra.pattern import WILDCARD, between, constant, span_pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Row
from punctum.spec.aggregates import value_of
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary, valued
from punctum.spec.stream import Slice

State = tuple[Row, ...]


@dataclass(frozen=True)
class Sessions(Unary[State], Specified):
    """A row for each session: its keys, its start, its end, its aggregates. The state: the rows of open ones."""

    schema: Schema
    by: tuple[str, ...]
    time: str
    gap: Any
    names: tuple[str, str]
    aggregates: tuple[AggregateFunction, ...]

    @property
    def output(self) -> Schema:
        """The keys, the start and the end, the aggregates."""
        keys = (self.schema.attributes[i] for i in self.schema.indices(self.by))
        kind = self.schema.attributes[self.schema.index(self.time)].type
        bounds = (Attribute(name, kind) for name in self.names)
        return Schema((*keys, *bounds, *(aggregate.attribute(self.schema) for aggregate in self.aggregates)))

    def initial(self) -> State:
        return ()

    def step(self, ts: Rows, st: State) -> tuple[Rows, State]:
        return [], (*st, *self._timed(ts))

    def pass_(self, ps: Puncts, st: State) -> Rows:
        return self._results(s for s in self._sessions(st) if self._closed(s, ps))

    def prop(self, ps: Puncts, st: State) -> Puncts:
        return [q for p in self.session_ps(ps) for q in self._over_output(p)]

    def keep(self, ps: Puncts, st: State) -> State:
        return tuple(t for s in self._sessions(st) if not self._closed(s, ps) for t in s)

    def kept(self, st: State) -> Kept:
        return {"input": list(st)}

    def session_ps(self, ps: Iterable[Punctuation]) -> list[Punctuation]:
        """The punctuations that speak of keys and the time alone."""
        spoken = {*self.schema.indices(self.by), self.schema.index(self.time)}
        return [p for p in ps if {i for i, _ in p.sides} <= spoken]

    def _at(self, t: Row) -> Any:
        return t[self.schema.index(self.time)]

    def _sessions(self, ts: Iterable[Row]) -> Iterator[list[Row]]:
        """The rows in order of each key, cut where there is a gap."""
        keyed: dict[Row, list[Row]] = {}
        for t in ts:
            keyed.setdefault(tuple(t[i] for i in self.schema.indices(self.by)), []).append(t)
        for rows in keyed.values():
            rows.sort(key=self._at)
            begun = [rows[0]]
            for t in rows[1:]:
                if self._at(t) - self._at(begun[-1]) > self.gap:
                    yield begun
                    begun = []
                begun.append(t)
            yield begun

    def open_sessions(self, ts: Iterable[Row]) -> list[Row]:
        """The keys of the sessions of some rows, and the times of their first and last ones."""
        by = self.schema.indices(self.by)
        return [(*(s[0][i] for i in by), self._at(s[0]), self._at(s[-1])) for s in self._sessions(ts)]

    def _closed(self, session: list[Row], ps: Iterable[Punctuation]) -> bool:
        """Whether no row may come any more that is near a session."""
        near = between(self._at(session[0]) - self.gap, self._at(session[-1]) + self.gap)
        sides = {self.schema.names[i]: constant(session[0][i]) for i in self.schema.indices(self.by)}
        region = Punctuation.of(self.schema, {**sides, self.time: near})
        return any(p.covers(region) for p in self.session_ps(ps))

    def _results(self, sessions: Iterable[list[Row]]) -> list[Row]:
        results = (valued(self._result, session) for session in sessions)
        return [result for result in results if result is not None]

    def _result(self, session: list[Row]) -> Row:
        key = tuple(session[0][i] for i in self.schema.indices(self.by))
        bounds = (self._at(session[0]), self._at(session[-1]) + self.gap)
        return (*key, *bounds, *(value_of(a, session, self.schema) for a in self.aggregates))

    def _over_output(self, p: Punctuation) -> Iterator[Punctuation]:
        time, end = p.patterns[self.schema.index(self.time)], self.names[1]
        keys: dict[str, Any] = {name: p.patterns[self.schema.index(name)] for name in self.by}
        if time == WILDCARD:
            yield Punctuation.of(self.output, keys)
        elif time.spans and time.spans[0][0] is LOWEST:
            kind = self.output.attributes[self.output.index(end)].type
            yield Punctuation.of(self.output, {**keys, end: span_pattern(time.spans[0], kind)})

    def cpass(self, *inputs: Slice) -> list[Row]:
        (xs,) = inputs
        return self._results(s for s in self._sessions(self._timed(xs.rows)) if self._closed(s, xs.puncts))

    def _timed(self, ts: Iterable[Row]) -> list[Row]:
        return [t for t in ts if self._at(t) is not None]

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        return [q for p in self.session_ps(inputs[0].puncts) if not p.empty for q in self._over_output(p)]

    def ckeep(self, *inputs: Slice) -> Kept:
        (xs,) = inputs
        sessions = self._sessions(self._timed(xs.rows))
        return {"input": [t for s in sessions if not self._closed(s, xs.puncts) for t in s]}
