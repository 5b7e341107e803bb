"""Functions of frames (SUM, LAG … OVER): all rows, each with a value of rows of its partition before it and up to it.

::

    cpass(ts, ps)  =  [(t, value(t, ts)) | t ∈ ts ∧ setMatch(t, done(ps))]
    cprop(ts, ps)  =  [p | p ∈ ps ∧ [t | t ∈ ckeep(ts, ps) ∧ match(t, p)] = []]
    ckeep(ts, ps)  =  [t | t ∈ ts ∧ setNomatch(t, done(ps))]

``done`` are the punctuations that speak of the partition's attributes alone, and ``init(Sort, ps)`` of the order within
partitions (``sort.py``), unless frames go on to the end of their partition. Rows that have come out and are in frames
of later ones are kept besides, until their partition is complete: the last n of it, or one that stands for all; or,
where frames go back to a sort key, those within reach of the rows that may come.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from punctum.algebra.aggregates import AggregateFunction
from punctum.algebra.bands import shifted
from punctum.algebra.frames import FrameCall, FrameFunction, UpTo, out_of_reach
from punctum.algebra.functions import set_match, set_nomatch_ts
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Row, Value
from punctum.spec.aggregates import value_of
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary, valued
from punctum.spec.sort import Sort, in_full
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class OverState:
    """All rows of open partitions, the punctuations on sort attributes and of partitions, and those that wait."""

    rows: tuple[Row, ...]
    seen: PunctuationSet
    waiting: tuple[Punctuation, ...] = ()


@dataclass(frozen=True)
class Over(Unary[OverState], Specified):
    """All rows with a value of their frame."""

    schema: Schema
    by: tuple[str, ...]
    keys: tuple[SortKey, ...]
    call: FrameCall

    @property
    def output(self) -> Schema:
        """The input's attributes, then the value."""
        return Schema((*self.schema.attributes, self.call.attribute(self.schema)))

    def initial(self) -> OverState:
        return OverState((), PunctuationSet(self.schema))

    def step(self, ts: Rows, st: OverState) -> tuple[Rows, OverState]:
        return [], OverState((*st.rows, *ts), st.seen, st.waiting)

    def pass_(self, ps: Puncts, st: OverState) -> Rows:
        before, now = self._done(st.seen), self._done(st.seen | self._of_use(ps))
        return [row for t, row in self._valued(st.rows) if not set_match(t, before) and set_match(t, now)]

    def prop(self, ps: Puncts, st: OverState) -> Puncts:
        left = self.keep(ps, st)
        return [self._over_output(p) for p in (*st.waiting, *ps) if p not in left.waiting]

    def keep(self, ps: Puncts, st: OverState) -> OverState:
        seen = st.seen | self._of_use(ps)
        rows = tuple(set_nomatch_ts(st.rows, self._closing(seen)))
        left = set_nomatch_ts(rows, self._done(seen))
        return OverState(rows, seen, tuple(p for p in (*st.waiting, *ps) if any(map(p.match, left))))

    def kept(self, st: OverState) -> Kept:
        done = self._done(st.seen)
        out = [t for t in st.rows if set_match(t, done)]
        return {"input": set_nomatch_ts(st.rows, done), "before": self._before(out, st.seen)}

    def _before(self, out: Iterable[Row], seen: PunctuationSet) -> list[Row]:
        """The partitions of rows that are kept of those that have come out, each as often as there are such rows."""
        if self.call.frame.within is not None:
            return [self._key(t) for t in out if self._reached(t, seen)] if self.call.history else []
        counts: dict[Row, int] = {}
        for key in map(self._key, out):
            counts[key] = min(counts.get(key, 0) + 1, self.call.history)
        return [key for key, count in counts.items() for _ in range(count)]

    def _reached(self, t: Row, seen: PunctuationSet) -> bool:
        """Whether a row is near enough to some that may come."""
        (key,), within = self.keys, self.call.frame.within
        at = self.schema.index(key.name)
        assert within is not None
        init = [p.patterns[at] for p in Sort(self.schema, self.keys).init(self._on_keys(seen))]
        beyond = out_of_reach(init, within, key.descending, self.schema.attributes[at].type)
        return t[at] is not None and not beyond.match(t[at])

    def _of_use(self, ps: Iterable[Punctuation]) -> list[Punctuation]:
        at, keys = set(self.schema.indices(self.by)), set(self.schema.indices(key.name for key in self.keys))
        return [p for p in ps if (on := {i for i, _ in p.sides}) <= at or (self._ordered and on <= keys)]

    @property
    def _ordered(self) -> bool:
        return self.call.frame.upto is not UpTo.WHOLE

    def _closing(self, seen: Iterable[Punctuation]) -> list[Punctuation]:
        at = set(self.schema.indices(self.by))
        return [p for p in seen if {i for i, _ in p.sides} <= at]

    def _done(self, seen: PunctuationSet) -> list[Punctuation]:
        init = Sort(self.schema, self.keys).init(self._on_keys(seen)) if self._ordered else []
        return [*self._closing(seen), *init]

    def _on_keys(self, seen: PunctuationSet) -> PunctuationSet:
        keys = set(self.schema.indices(key.name for key in self.keys))
        return PunctuationSet(self.schema, [p for p in seen if {i for i, _ in p.sides} <= keys])

    def _key(self, t: Row) -> Row:
        return tuple(t[i] for i in self.schema.indices(self.by))

    def _valued(self, ts: Iterable[Row]) -> list[tuple[Row, Row]]:
        """Rows, each with itself and its value; those without a value go to the quarantine."""
        partitions: dict[Row, list[Row]] = {}
        for t in in_full(self.schema, self.keys).sorted(ts):
            partitions.setdefault(self._key(t), []).append(t)
        placed = [(rows, n) for rows in partitions.values() for n in range(len(rows))]
        valued_rows = [(rows[n], valued(self._value, (rows, n))) for rows, n in placed]
        return [(t, (*t, value[0])) for t, value in valued_rows if value is not None]

    def _value(self, place: tuple[list[Row], int]) -> tuple[Value | None]:
        rows, n = place
        call, preceding = self.call, self.call.frame.preceding
        frame = rows[self._start(rows, n) : self._end(rows, n)]
        if (function := call.function.aggregate) is not None:
            return (value_of(AggregateFunction(function, call.of, call.name), frame, self.schema),)
        assert call.of is not None
        at = self.schema.index(call.of)
        if call.function is FrameFunction.LAG:
            assert preceding is not None
            return (rows[n - preceding][at] if n >= preceding else None,)
        if call.function is FrameFunction.LEAD:
            assert preceding is not None
            return (rows[n + preceding][at] if n + preceding < len(rows) else None,)
        return (frame[0 if call.function is FrameFunction.FIRST_VALUE else -1][at],)

    def _start(self, rows: list[Row], n: int) -> int:
        within, preceding = self.call.frame.within, self.call.frame.preceding
        if within is None:
            return 0 if preceding is None else max(0, n - preceding)
        at, down = self.schema.index(self.keys[0].name), self.keys[0].descending
        keys: list[Any] = [row[at] for row in rows]
        if keys[n] is None:
            return next(m for m, key in enumerate(keys) if key is None)
        last = shifted(keys[n], within if down else -within)
        near = (m for m, key in enumerate(keys) if key is not None)
        return next(m for m in near if last is None or (keys[m] <= last if down else keys[m] >= last))

    def _end(self, rows: list[Row], n: int) -> int:
        at = self.schema.indices(key.name for key in self.keys)
        match self.call.frame.upto:
            case UpTo.ROW:
                return n + 1
            case UpTo.PEERS:
                key = tuple(rows[n][i] for i in at)
                return max(m for m, row in enumerate(rows, 1) if tuple(row[i] for i in at) == key)
            case UpTo.WHOLE:
                return len(rows)

    def _over_output(self, p: Punctuation) -> Punctuation:
        return Punctuation.of(self.output, {self.schema.names[i]: pattern for i, pattern in p.sides})

    def _received(self, xs: Slice) -> PunctuationSet:
        return PunctuationSet(self.schema, self._of_use(xs.puncts))

    def cpass(self, *inputs: Slice) -> list[Row]:
        done = self._done(self._received(inputs[0]))
        return [row for t, row in self._valued(inputs[0].rows) if set_match(t, done)]

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        rows = self.ckeep(*inputs)["input"]
        return [self._over_output(p) for p in inputs[0].puncts if not any(map(p.match, rows))]

    def ckeep(self, *inputs: Slice) -> Kept:
        (xs,) = inputs
        seen = self._received(xs)
        open_rows = set_nomatch_ts(xs.rows, self._closing(seen))
        done = self._done(seen)
        return {
            "input": set_nomatch_ts(open_rows, done),
            "before": self._before([t for t in open_rows if set_match(t, done)], seen),
        }
