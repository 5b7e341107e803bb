"""Sorting (ORDER BY), by several keys, each ascending or descending, with NULL first or last.

::

    cpass(ts, ps)  =  Sort[t | t ∈ ts ∧ setMatch(t, init(Sort, ps))]
    cprop(ts, ps)  =  init(Sort, ps)
    ckeep(ts, ps)  =  [t | t ∈ ts ∧ setNomatch(t, init(Sort, ps))]

``init`` gives the longest prefix of the order of which nothing can come any more: it starts at the first value of the
leading key's domain, and at its end goes on by the next key among the rows that have the leading key's next value.
Rows that are equal on all keys come in the order of their arrival.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from punctum.algebra.cuts import HIGHEST, LOWEST, below, value_after, value_before
from punctum.algebra.functions import set_match_ts, set_nomatch_ts
from punctum.algebra.pattern import EMPTY, NULL, Constant, Pattern, between, constant, span_pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class SortState:
    """The rows that cannot be released yet, in the order of arrival, and the punctuations on sort attributes."""

    rows: tuple[Row, ...]
    seen: PunctuationSet


@dataclass(frozen=True)
class Sort(Unary[SortState], Specified):
    """All rows, in order."""

    schema: Schema
    keys: tuple[SortKey, ...]

    def initial(self) -> SortState:
        return SortState((), PunctuationSet(self.schema))

    def step(self, ts: Rows, st: SortState) -> tuple[Rows, SortState]:
        return [], SortState((*st.rows, *ts), st.seen)

    def pass_(self, ps: Puncts, st: SortState) -> Rows:
        return self.sorted(set_match_ts(st.rows, self.init(self._seen(ps, st))))

    def prop(self, ps: Puncts, st: SortState) -> Puncts:
        return self.init(self._seen(ps, st))

    def keep(self, ps: Puncts, st: SortState) -> SortState:
        seen = self._seen(ps, st)
        return SortState(tuple(set_nomatch_ts(st.rows, self.init(seen))), seen)

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
        return self.sorted(set_match_ts(inputs[0].rows, self.cprop(*inputs)))

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        return self.init(PunctuationSet(self.schema, self._on_keys(inputs[0].puncts)))

    def ckeep(self, *inputs: Slice) -> Kept:
        return {"input": set_nomatch_ts(inputs[0].rows, self.cprop(*inputs))}


def _rank(at: int, nulls_low: bool, t: Row) -> tuple[bool, object]:
    value = t[at]
    return (not nulls_low, 0) if value is None else (nulls_low, below(value))
