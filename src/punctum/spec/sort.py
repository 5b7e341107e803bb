"""Sorting (ORDER BY), by several keys, each ascending or descending, with NULL first or last.

::

    cpass(ts, ps)  =  Sort[t | t ∈ ts ∧ setMatch(t, init(Sort, ps))]
    cprop(ts, ps)  =  init(Sort, ps), or the end when ps has it
    ckeep(ts, ps)  =  [t | t ∈ ts ∧ setNomatch(t, init(Sort, ps))]

``init`` gives the longest prefix of the order of which nothing can come any more: it starts at the first value of the
leading key's domain, and at its end goes on by the next key among the rows that have the leading key's next value.
Rows that are equal on all keys come in the order of their arrival.

With a limit n (ORDER BY … LIMIT n)::

    cpass(ts, ps)  =  first(n, [t | t ∈ ts ∧ setMatch(t, init(Sort, ps))])
    cprop(ts, ps)  =  init(Sort, ps), or the end when ps has it or #cpass(ts, ps) = n
    ckeep(ts, ps)  =  first(n - #cpass(ts, ps), [t | t ∈ ts ∧ setNomatch(t, init(Sort, ps))])

``first`` tells rows that are equal on all keys apart by all other attributes, one after the other, ascending, NULL
first. What has come out is final: a row that comes later stands behind all that matched ``init``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from punctum.algebra.cuts import HIGHEST, LOWEST, below, value_after, value_before
from punctum.algebra.functions import set_match_ts, set_nomatch_ts
from punctum.algebra.pattern import EMPTY, NULL, Constant, Pattern, between, constant, span_pattern
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class SortState:
    """The rows that cannot be released yet, in the order of arrival, and the punctuations on sort attributes.

    With a limit they are the first ones, and ``out`` says how many have come out.
    """

    rows: tuple[Row, ...]
    seen: PunctuationSet
    out: int = 0


@dataclass(frozen=True)
class Sort(Unary[SortState], Specified):
    """All rows, in order, or as many as a limit allows."""

    schema: Schema
    keys: tuple[SortKey, ...]
    most: int | None = None

    def initial(self) -> SortState:
        return SortState((), PunctuationSet(self.schema))

    def step(self, ts: Rows, st: SortState) -> tuple[Rows, SortState]:
        return [], SortState(tuple(self.first((*st.rows, *ts), st.out)), st.seen, st.out)

    def pass_(self, ps: Puncts, st: SortState) -> Rows:
        return self.first(self.sorted(set_match_ts(st.rows, self.init(self._seen(ps, st)))), st.out)

    def prop(self, ps: Puncts, st: SortState) -> Puncts:
        return self._closed(self._seen(ps, st), st.out + len(self.pass_(ps, st)))

    def keep(self, ps: Puncts, st: SortState) -> SortState:
        seen, out = self._seen(ps, st), st.out + len(self.pass_(ps, st))
        return SortState(tuple(self.first(set_nomatch_ts(st.rows, self.init(seen)), out)), seen, out)

    def kept(self, st: SortState) -> Kept:
        return {"input": list(st.rows)}

    def _seen(self, ps: Puncts, st: SortState) -> PunctuationSet:
        return st.seen | self._on_keys(ps)

    def _on_keys(self, ps: Iterable[Punctuation]) -> list[Punctuation]:
        """The punctuations that speak of sort attributes alone."""
        at = set(self.schema.indices(key.name for key in self.keys))
        return [p for p in ps if {i for i, _ in p.sides} <= at]

    def sorted(self, ts: Iterable[Row]) -> list[Row]:
        """Rows in order."""
        ordered = list(ts)
        for key in reversed(self.keys):  # sorting is stable, so the leading key goes last
            rank = partial(_rank, self.schema.index(key.name), key.null_leads is not key.descending)
            ordered.sort(key=rank, reverse=key.descending)
        return ordered

    def first(self, ts: Rows, out: int) -> list[Row]:
        """The rows that may still come out behind so many: with a limit the first ones, in order."""
        if self.most is None:
            return list(ts)
        return in_full(self.schema, self.keys).sorted(ts)[: self.most - out]

    def _closed(self, seen: PunctuationSet, out: int) -> list[Punctuation]:
        end = end_of_stream(self.schema)
        return [end] if out == self.most or seen.covers(end) else self.init(seen)

    def init(self, seen: PunctuationSet) -> list[Punctuation]:
        """The longest prefix of the order that is covered, as punctuations.

        >>> report = Schema.of(sid="BIGINT", hour="BIGINT").where(hour=between(0, 23))
        >>> by_hour, seen = Sort(report, (SortKey("hour"),)), PunctuationSet(report)
        >>> seen.add(Punctuation.of(report, hour=between(2, 4)))
        >>> by_hour.init(seen)
        []
        >>> seen.add(Punctuation.of(report, hour=between(0, 3)))
        >>> print(*by_hour.init(seen))
        <*, [0,4]>
        """
        return list(PunctuationSet(self.schema, self._prefix(seen, {})))

    def _prefix(self, seen: PunctuationSet, fixed: dict[str, Pattern]) -> Iterator[Punctuation]:
        """The covered prefix among the rows that have fixed values for the leading keys."""
        if len(fixed) == len(self.keys):
            return
        key = self.keys[len(fixed)]
        for part in self._parts(key, seen):
            p = Punctuation.of(self.schema, {**fixed, key.name: part})
            if seen.covers(p):
                yield p
            else:
                first = self._first(key, part)
                if first is not None:
                    yield from self._prefix(seen, {**fixed, key.name: first})
                return

    def _parts(self, key: SortKey, seen: PunctuationSet) -> Iterator[Pattern]:
        """The key's domain in parts within which no punctuation distinguishes values, in order."""
        at = self.schema.index(key.name)
        attribute = self.schema.attributes[at]
        cuts = {cut for p in seen for span in p.patterns[at].spans for cut in span}
        cuts |= {LOWEST, HIGHEST} | {cut for span in attribute.domain.spans for cut in span}
        bounds = sorted(cuts, reverse=key.descending)
        spans = [(b, a) if key.descending else (a, b) for a, b in pairwise(bounds)]
        parts = [span_pattern(span, attribute.type) for span in spans]
        for part in [NULL, *parts] if key.null_leads else [*parts, NULL]:
            if attribute.domain.covers(part):
                yield part

    def _first(self, key: SortKey, part: Pattern) -> Constant | None:
        """The value of a part that comes first in the order, if there is one."""
        if part == NULL:
            return NULL
        kind = self.schema.attributes[self.schema.index(key.name)].type
        ((low, high),) = part.spans
        value = value_before(high, kind) if key.descending else value_after(low, kind)
        return None if value is None else constant(value)

    def before(self, t: Row) -> Iterator[Punctuation]:
        """What has passed when a sorted stream has come to a row: all rows that precede it.

        >>> hour = Schema.of(hour="BIGINT")
        >>> print(*Sort(hour, (SortKey("hour"),)).before((17,)))
        <NULL> <(,16]>
        """
        fixed: dict[str, Pattern] = {}
        for key in self.keys:
            value = t[self.schema.index(key.name)]
            earlier: list[Pattern] = [NULL] if key.null_leads and value is not None else []
            if value is not None:
                earlier.append(between(value, None, "(]") if key.descending else between(None, value, "[)"))
            elif not key.null_leads:
                earlier.append(between(None, None))
            yield from (Punctuation.of(self.schema, {**fixed, key.name: part}) for part in earlier if part != EMPTY)
            fixed[key.name] = constant(value)

    def cpass(self, *inputs: Slice) -> list[Row]:
        return self.first(self.sorted(set_match_ts(inputs[0].rows, self.init(self._received(*inputs)))), 0)

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        return self._closed(self._received(*inputs), len(self.cpass(*inputs)))

    def ckeep(self, *inputs: Slice) -> Kept:
        left = set_nomatch_ts(inputs[0].rows, self.init(self._received(*inputs)))
        return {"input": self.first(left, len(self.cpass(*inputs)))}

    def _received(self, *inputs: Slice) -> PunctuationSet:
        return PunctuationSet(self.schema, self._on_keys(inputs[0].puncts))


def in_full(schema: Schema, keys: tuple[SortKey, ...]) -> Sort:
    """An order in which only rows are peers that are the same: by the keys, then by all other attributes."""
    sorted_by = {key.name for key in keys}
    return Sort(schema, (*keys, *(SortKey(name) for name in schema.names if name not in sorted_by)))


def _rank(at: int, nulls_low: bool, t: Row) -> tuple[bool, object]:
    value = t[at]
    return (not nulls_low, 0) if value is None else (nulls_low, below(value))
