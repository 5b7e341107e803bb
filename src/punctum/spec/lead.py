"""LEAD: all rows, each with a value of the n-th row after it in its partition.

::

    cpass(ts, ps)  =  [(t, value(t, ts)) | t ∈ ts ∧ (setMatch(t, partPs(ps)) ∨ |follow(t, ts, ps)| ≥ n)]
    cprop(ts, ps)  =  [p | p ∈ ps ∧ [t | t ∈ ckeep(ts, ps) ∧ match(t, p)] = []]
    ckeep(ts, ps)  =  the rows that are not in cpass

``partPs`` gives the punctuations that speak of the partition's attributes alone. ``follow`` are the rows after one in
its partition when both match ``init(Sort, ps)`` (``sort.py``): nothing can come between them any more.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from punctum.algebra.functions import set_match
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Puncts, Rows
from punctum.spec.over import Over, OverState
from punctum.spec.sort import Sort
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class Lead(Over):
    """All rows with a value of a later one."""

    def pass_(self, ps: Puncts, st: OverState) -> Rows:
        waiting = self._waiting(st.rows, st.seen | self._of_use(ps))
        return self._out(st.rows, waiting)

    def keep(self, ps: Puncts, st: OverState) -> OverState:
        seen = st.seen | self._of_use(ps)
        left = self._waiting(st.rows, seen)
        return OverState(tuple(left), seen, tuple(p for p in (*st.waiting, *ps) if any(map(p.match, left))))

    def kept(self, st: OverState) -> Kept:
        return self._split(st.rows, st.seen)

    def _placed(self, t: Row, seen: PunctuationSet) -> bool:
        return set_match(t, Sort(self.schema, self.keys).init(self._on_keys(seen)))

    def _waiting(self, ts: Iterable[Row], seen: PunctuationSet) -> list[Row]:
        """The rows of open partitions that have no place yet, or too few behind them that have one."""
        partitions: dict[Row, list[Row]] = {}
        for t, _ in self._valued(ts):
            if not set_match(t, self._closing(seen)):
                partitions.setdefault(self._key(t), []).append(t)
        waiting = []
        for rows in partitions.values():
            placed = [t for t in rows if self._placed(t, seen)]
            waiting += [*placed[-(self.call.frame.preceding or 0) :], *(t for t in rows if not self._placed(t, seen))]
        return waiting

    def _out(self, ts: Iterable[Row], waiting: Iterable[Row]) -> list[Row]:
        """Rows with their values, without as many of the same as wait."""
        left = list(waiting)
        out = []
        for t, row in reversed(self._valued(ts)):  # of rows that are the same the last ones wait
            if t in left:
                left.remove(t)
            else:
                out.append(row)
        return out

    def _split(self, ts: Iterable[Row], seen: PunctuationSet) -> Kept:
        placed = [t for t in ts if self._placed(t, seen)]
        return {"input": [t for t in ts if not self._placed(t, seen)], "after": placed}

    def cpass(self, *inputs: Slice) -> list[Row]:
        return self._out(inputs[0].rows, self._waiting(inputs[0].rows, self._received(inputs[0])))

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        rows = self._waiting(inputs[0].rows, self._received(inputs[0]))
        return [self._over_output(p) for p in inputs[0].puncts if not any(map(p.match, rows))]

    def ckeep(self, *inputs: Slice) -> Kept:
        (xs,) = inputs
        return self._split(self._waiting(xs.rows, self._received(xs)), self._received(xs))
