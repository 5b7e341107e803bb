"""Symmetric hash join of two streams on equal attributes, and within bands (inner JOIN).

::

    cpass(ts₁, ps₁, ts₂, ps₂)   =  [t ++ s | t ∈ ts₁, s ∈ ts₂, key(t) = key(s), each in the bands of the other]
    cprop(ts₁, ps₁, ts₂, ps₂)   =  modPs₁(setNomatchPs(ckeep₁, ps₁)) ++ modPs₂(setNomatchPs(ckeep₂, ps₂))
    ckeep₁(ts₁, ps₁, ts₂, ps₂)  =  [t | t ∈ ts₁ ∧ NULL ∉ key(t) ∧ setNomatch(t, joinPs(ps₂))]
    ckeep₂(ts₁, ps₁, ts₂, ps₂)  =  [t | t ∈ ts₂ ∧ NULL ∉ key(t) ∧ setNomatch(t, joinPs(ps₁))]

``joinPs`` gives the punctuations that speak of join attributes alone, as seen from the other side. A row whose key they
cover meets no later partner, and one whose key is NULL meets none ever. An attribute that lies in a band around one of
the other side, such as an hour after it, is a join attribute too: a pattern on it covers all rows around whose value it
covers the whole band; on one whose values are closed one by one, several patterns cover it together. A punctuation of
one side waits until no kept row of that side matches it, and then holds for the output: ``modPs`` gives it there, once
for each way to name equated columns, so that grouping by either of them is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from punctum.algebra.bands import Band
from punctum.algebra.functions import set_nomatch_ps
from punctum.algebra.pattern import WILDCARD, Pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row, Value
from punctum.errors import SchemaError
from punctum.spec.bands import Partners, around, covers, together
from punctum.spec.framework import Binary, Kept, Puncts, Rows, Specified
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class Side:
    """One input as the join knows it: rows kept, punctuations that purge the other side, punctuations that wait."""

    rows: tuple[Row, ...] = ()
    closed: tuple[Punctuation, ...] = ()
    waiting: tuple[Punctuation, ...] = ()


State = tuple[Side, Side]


@dataclass(frozen=True)
class Join(Binary[State], Specified):
    """All pairs of a left and a right row that agree on the join attributes."""

    left: Schema
    right: Schema
    on: tuple[tuple[str, str], ...]
    prefixes: tuple[str, str] = ("left.", "right.")  # for names that both inputs have
    bands: tuple[Band, ...] = ()

    def __post_init__(self) -> None:
        for names in self.on:
            one, other = (s.attributes[s.index(name)] for s, name in zip(self.inputs, names, strict=True))
            if one.type is not other.type:
                detail = f"{one.name} is a {one.type.value}, {other.name} a {other.type.value}"
                raise SchemaError("join columns have different types", detail, "cast one of them before the join")

    @property
    def output(self) -> Schema:
        """The left attributes, then the right ones."""
        both = set(self.left.names) & set(self.right.names)
        named = [
            replace(a, name=prefix + a.name if a.name in both else a.name)
            for schema, prefix in zip(self.inputs, self.prefixes, strict=True)
            for a in schema.attributes
        ]
        return Schema(tuple(named))

    def initial(self) -> State:
        return Side(), Side()

    def step_left(self, ts: Rows, st: State) -> tuple[Rows, State]:
        mine, theirs = st
        return [t + s for t in ts for s in theirs.rows if self.joins(t, s)], (
            replace(mine, rows=(*mine.rows, *ts)),
            theirs,
        )

    def step_right(self, ts: Rows, st: State) -> tuple[Rows, State]:
        theirs, mine = st
        return [t + s for s in ts for t in theirs.rows if self.joins(t, s)], (
            theirs,
            replace(mine, rows=(*mine.rows, *ts)),
        )

    def prop_left(self, ps: Puncts, st: State) -> Puncts:
        return self._released((self._received(0, ps, st[0]), st[1]))

    def prop_right(self, ps: Puncts, st: State) -> Puncts:
        return self._released((st[0], self._received(1, ps, st[1])))

    def keep_left(self, ps: Puncts, st: State) -> State:
        return self._purged((self._received(0, ps, st[0]), st[1]))

    def keep_right(self, ps: Puncts, st: State) -> State:
        return self._purged((st[0], self._received(1, ps, st[1])))

    def kept(self, st: State) -> Kept:
        return {"left": list(st[0].rows), "right": list(st[1].rows)}

    def _received(self, side: int, ps: Puncts, known: Side) -> Side:
        closed = (*known.closed, *(p for p in ps if self._on_key(side, p)))
        return replace(known, closed=closed, waiting=(*known.waiting, *ps))

    def _released(self, st: State) -> list[Punctuation]:
        """The output's punctuations for those that no kept row holds back."""
        rows = self._kept_rows(st)
        free = [set_nomatch_ps(rows[side], st[side].waiting) for side in (0, 1)]
        return [q for side in (0, 1) for p in free[side] for q in self.mod(side, p)]

    def _purged(self, st: State) -> State:
        rows = self._kept_rows(st)
        left, right = (
            replace(st[side], rows=tuple(rows[side]), waiting=_held_back(rows[side], st[side].waiting))
            for side in (0, 1)
        )
        return left, right

    def _kept_rows(self, st: State) -> tuple[list[Row], list[Row]]:
        return self._open(0, st[0].rows, st[1].closed), self._open(1, st[1].rows, st[0].closed)

    def _open(self, side: int, ts: Rows, others: Puncts) -> list[Row]:
        """The rows of a side whose key the other side's punctuations do not cover."""
        return [
            t
            for t in ts
            if None not in self._compared(side, t)
            and not any(self._closes(1 - side, p, t) for p in others)
            and not self._all_close(1 - side, others, t)
        ]

    def _compared(self, side: int, t: Row) -> Row:
        """A row's values on all attributes that are compared with the other side."""
        ends = (end for band in self.bands for end in (band.of, band.by) if end is not None and end[0] == side)
        return (*self.key(side, t), *(t[at] for _, at in ends))

    def key(self, side: int, t: Row) -> Row:
        """A row's values on the join attributes."""
        return tuple(t[i] for i in self._positions(side))

    def mod(self, side: int, p: Punctuation) -> list[Punctuation]:
        """A side's punctuation over the output, once for each way to name equated columns."""
        ways = product(*([(n, pattern) for n in self._columns(side, i)] for i, pattern in p.sides))
        return [self._over_output(way) for way in ways]

    def _over_output(self, way: Sequence[tuple[int, Pattern]]) -> Punctuation:
        patterns = [WILDCARD] * len(self.output)
        for n, pattern in way:
            patterns[n] = patterns[n].meet(pattern)
        return Punctuation(self.output, tuple(patterns))

    def _columns(self, side: int, i: int) -> list[int]:
        """The output columns that equal a side's attribute: its own, and its partners on the other side."""
        offsets = (0, len(self.left))
        pairs = zip(self._positions(side), self._positions(1 - side), strict=True)
        return [offsets[side] + i, *(offsets[1 - side] + theirs for mine, theirs in pairs if mine == i)]

    def _positions(self, side: int) -> tuple[int, ...]:
        return self.inputs[side].indices(pair[side] for pair in self.on)

    def joins(self, t: Row, s: Row) -> bool:
        """Whether two rows are a result."""
        equal = self.key(0, t) == self.key(1, s) and None not in self.key(0, t)
        return equal and all(self._within(band, (t, s)) for band in self.bands)

    def _within(self, band: Band, rows: tuple[Row, Row]) -> bool:
        """Whether a comparison is true of two rows."""
        of, by = (None if end is None else rows[end[0]][end[1]] for end in (band.of, band.by))
        return of is not None and (by is not None or band.by is None) and around(band, by).match(of)

    def _on_key(self, side: int, p: Punctuation) -> bool:
        return {i for i, _ in p.sides} <= {*self._positions(side), *(band.of[1] for band in self._bands(side))}

    def _bands(self, side: int) -> list[Band]:
        """The bands in which a side's attributes lie."""
        return [band for band in self.bands if band.of[0] == side]

    def _closes(self, side: int, p: Punctuation, t: Row) -> bool:
        """Whether a side's punctuation covers the key of a row of the other side."""
        pairs = list(zip(self._positions(side), self.key(1 - side, t), strict=True))
        return all(self._covers(side, i, pattern, t, [v for at, v in pairs if at == i]) for i, pattern in p.sides)

    def _covers(self, side: int, i: int, pattern: Pattern, t: Row, equal: Sequence[Value | None]) -> bool:
        """Whether a pattern on an attribute matches what equals it in a row, or covers a band around it."""
        bands = (band for band in self._bands(side) if band.of[1] == i)
        return (bool(equal) and all(map(pattern.match, equal))) or any(
            covers(pattern, band, None if band.by is None else t[band.by[1]]) for band in bands
        )

    def _all_close(self, side: int, ps: Puncts, t: Row) -> bool:
        """Whether a side's punctuations together leave no partner of a row of the other side."""
        bands, pairs = self._bands(side), list(zip(self._positions(side), self.key(1 - side, t), strict=True))
        if not any(band.counted for band in self.bands):
            return False
        partners = {}
        for i in {*(at for at, _ in pairs), *(band.of[1] for band in bands)}:
            near = [(band, None if band.by is None else t[band.by[1]]) for band in bands if band.of[1] == i]
            partners[i] = Partners(tuple(v for at, v in pairs if at == i and v is not None), tuple(near))
        return together(self.inputs[side], partners, ps)

    def cpass(self, *inputs: Slice) -> list[Row]:
        left, right = inputs
        return [t + s for t in left.rows for s in right.rows if self.joins(t, s)]

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        kept = self.ckeep(*inputs)
        free = set_nomatch_ps(kept["left"], inputs[0].puncts), set_nomatch_ps(kept["right"], inputs[1].puncts)
        return [q for side in (0, 1) for p in free[side] if not p.empty for q in self.mod(side, p)]

    def ckeep(self, *inputs: Slice) -> Kept:
        left, right = inputs
        by_left, by_right = ([p for p in xs.puncts if self._on_key(n, p)] for n, xs in enumerate(inputs))
        return {"left": self._open(0, left.rows, by_right), "right": self._open(1, right.rows, by_left)}


def _held_back(ts: Rows, ps: Puncts) -> tuple[Punctuation, ...]:
    free = set_nomatch_ps(ts, ps)
    return tuple(dict.fromkeys(p for p in ps if p not in free))
