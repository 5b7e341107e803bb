"""Ranking (ROW_NUMBER, RANK and DENSE_RANK OVER): all rows of a partition with their rank, or those up to a rank n.

::

    cpass(ts, ps)  =  [(t, rank(t, ts)) | t ∈ best(ts) ∧ setMatch(t, partPs(ps))]
    cprop(ts, ps)  =  [p | p ∈ ps ∧ [t | t ∈ ckeep(ts, ps) ∧ match(t, p)] = []]
    ckeep(ts, ps)  =  [t | t ∈ best(ts) ∧ setNomatch(t, partPs(ps))]

``partPs`` gives the punctuations that speak of the partition's attributes alone: the partitions that they match are
complete. ``best`` are the rows with a rank of at most n. A row that is not among the best of some rows is not among the
best of more, so those that are not may go at once: ``best(ts ++ us) = best(best(ts) ++ us)``.

With *updates* a rank comes out after each slice that gives it another row, and not again when its partition is
complete. What came out last for each rank of a partition is ``best`` so far.

Rows are in the order of the sort keys. ROW_NUMBER tells those apart that are equal on all keys by all attributes, one
after the other, ascending, NULL first; rows that are equal on all of these are the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from punctum.algebra.functions import set_match, set_nomatch_ts
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.ranking import Ranking
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Row, Type
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary
from punctum.spec.sort import in_full
from punctum.spec.stream import Slice

Placed = tuple[Row, int]
"""A row and its rank."""


@dataclass(frozen=True)
class RankState:
    """The rows of open partitions that may still come out, and the punctuations that they hold back."""

    rows: tuple[Row, ...] = ()
    waiting: tuple[Punctuation, ...] = ()


@dataclass(frozen=True)
class Ranks(Unary[RankState], Specified):
    """Rows and their ranks."""

    schema: Schema
    by: tuple[str, ...]
    keys: tuple[SortKey, ...]
    function: Ranking
    name: str
    most: int | None = None
    updates: bool = False

    @property
    def output(self) -> Schema:
        """The input's attributes, then the rank."""
        return Schema((*self.schema.attributes, Attribute(self.name, Type.BIGINT)))

    def initial(self) -> RankState:
        return RankState()

    def step(self, ts: Rows, st: RankState) -> tuple[Rows, RankState]:
        before, after = self.best(st.rows), self.best((*st.rows, *ts))
        changed = [(*t, rank) for t, rank in after if self.updates and (t, rank) not in before]
        return changed, RankState(tuple(t for t, _ in after), st.waiting)

    def pass_(self, ps: Puncts, st: RankState) -> Rows:
        return [] if self.updates else self._results(st.rows, self.part_ps(ps))

    def prop(self, ps: Puncts, st: RankState) -> Puncts:
        left = self.keep(ps, st)
        return [self._over_output(p) for p in (*st.waiting, *ps) if p not in left.waiting]

    def keep(self, ps: Puncts, st: RankState) -> RankState:
        rows = tuple(set_nomatch_ts(st.rows, self.part_ps(ps)))
        return RankState(rows, tuple(p for p in (*st.waiting, *ps) if any(map(p.match, rows))))

    def kept(self, st: RankState) -> Kept:
        return {"input": list(st.rows)}

    def part_ps(self, ps: Iterable[Punctuation]) -> list[Punctuation]:
        """The punctuations that speak of the partition's attributes alone."""
        at = set(self.schema.indices(self.by))
        return [p for p in ps if {i for i, _ in p.sides} <= at]

    def best(self, ts: Iterable[Row]) -> list[Placed]:
        """The rows with a rank of at most n, with it."""
        at = self.schema.indices(self.by)
        partitions: dict[Row, list[Row]] = {}
        for t in ts:
            partitions.setdefault(tuple(t[i] for i in at), []).append(t)
        ranked = [placed for rows in partitions.values() for placed in self._ranked(rows)]
        return [(t, rank) for t, rank in ranked if self.most is None or rank <= self.most]

    def _ranked(self, partition: list[Row]) -> list[Placed]:
        at, ranks = self.schema.indices(key.name for key in self.keys), list[Placed]()
        before: Row | None = None
        for number, t in enumerate(in_full(self.schema, self.keys).sorted(partition), 1):
            key = tuple(t[i] for i in at)
            same, last = key == before, ranks[-1][1] if ranks else 0
            match self.function:
                case Ranking.ROW_NUMBER:
                    rank = number
                case Ranking.RANK:
                    rank = last if same else number
                case Ranking.DENSE_RANK:
                    rank = last if same else last + 1
            ranks.append((t, rank))
            before = key
        return ranks

    def _results(self, ts: Iterable[Row], complete: Puncts) -> list[Row]:
        return [(*t, rank) for t, rank in self.best(ts) if set_match(t, complete)]

    def _over_output(self, p: Punctuation) -> Punctuation:
        return Punctuation.of(self.output, {self.schema.names[i]: pattern for i, pattern in p.sides})

    def cpass(self, *inputs: Slice) -> list[Row]:
        return self._results(inputs[0].rows, self.part_ps(inputs[0].puncts))

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        rows = self.ckeep(*inputs)["input"]
        return [self._over_output(p) for p in inputs[0].puncts if not any(map(p.match, rows))]

    def ckeep(self, *inputs: Slice) -> Kept:
        (xs,) = inputs
        return {"input": set_nomatch_ts([t for t, _ in self.best(xs.rows)], self.part_ps(xs.puncts))}
