"""Joins that look at rows without a partner: LEFT and FULL OUTER JOIN, SEMI (EXISTS, IN) and ANTI (NOT EXISTS, NOT IN).

::

    partners₁(t)  =  [s | s ∈ ts₂ ∧ key(t) = key(s) ∧ residual(t ++ s)]                             partners₂ likewise
    open₁         =  [t | t ∈ ts₁ ∧ NULL ∉ key(t) ∧ able₁(t) ∧ setNomatch(t, joinPs(ps₂))]              open₂ likewise
    alone₁        =  [t | t ∈ ts₁ ∧ t ∉ open₁ ∧ partners₁(t) = []]                                     alone₂ likewise

    cpass   =  LEFT  [t ++ s | t ∈ ts₁, s ∈ partners₁(t)] ++ [t ++ NULLs | t ∈ alone₁]
               FULL  the same                             ++ [NULLs ++ s | s ∈ alone₂]
               SEMI  [t | t ∈ ts₁ ∧ partners₁(t) ≠ []]
               ANTI  alone₁
    ckeep₁  =  LEFT, FULL  open₁, each row with whether it has a partner
               SEMI, ANTI  [t | t ∈ open₁ ∧ partners₁(t) = []]
    ckeep₂  =  open₂, for FULL each with whether it has a partner
    cprop   =  [q | q ∈ modPs₁(setNomatchPs(ckeep₁, ps₁)) ++ modPs₂(setNomatchPs(ckeep₂, ps₂)) ∧ sound(q)]
               ++ FULL  [p ++ q | p ∈ setNomatchPs(ckeep₁, ps₁), q ∈ setNomatchPs(ckeep₂, ps₂), NULLs match p and q]

``joinPs`` and ``modPs`` are those of the join. A row that is not open meets no later partner: if it has none by then,
it comes out at once. ``able`` is what the residual demands of a row by itself. A punctuation of a side speaks of pairs,
and of that side's own rows that come out alone. It is *sound* when it also speaks of all other rows that come out
alone: of those of side i it does when a pattern on the other side's columns does not match NULL, or when it is one of
side i's and all its patterns stand on that side's columns. What a FULL join's sides say of NULLs they say together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from punctum.algebra.functions import set_nomatch_ps
from punctum.algebra.outer import JoinKind
from punctum.algebra.pattern import WILDCARD, Pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Puncts, Rows
from punctum.spec.join import Join, Side, State
from punctum.spec.stream import Slice

Condition = Callable[[Row], bool]


@dataclass(frozen=True)
class OuterSide(Side):
    """One input: what a join knows of it, which rows have a partner, and punctuations that match NULLs."""

    met: tuple[bool, ...] = ()
    halves: tuple[Punctuation, ...] = ()


@dataclass(frozen=True)
class OuterJoin(Join):
    """The rows of a kind of join; the residual is over pairs, what it demands of one side is over that side's rows."""

    kind: JoinKind = JoinKind.LEFT
    residual: Condition | None = None
    able: tuple[Condition | None, Condition | None] = (None, None)

    @property
    def output(self) -> Schema:
        """The attributes of a pair, which may be NULL where a side may have no row; or the left ones."""
        if not self.kind.pairs:
            return self.left
        sure = len(self.left) if self.kind is JoinKind.LEFT else 0
        attributes = super().output.attributes
        return Schema(attributes[:sure] + tuple(replace(a, domain=WILDCARD) for a in attributes[sure:]))

    def initial(self) -> State:
        return OuterSide(), OuterSide()

    def step_left(self, ts: Rows, st: State) -> tuple[Rows, State]:
        return self._step(0, ts, st)

    def step_right(self, ts: Rows, st: State) -> tuple[Rows, State]:
        return self._step(1, ts, st)

    def _step(self, side: int, ts: Rows, st: State) -> tuple[Rows, State]:
        """New rows of a side meet the kept rows of the other one."""
        mine, theirs = _outer(st[side]), _outer(st[1 - side])
        met = tuple(any(self._meet(side, t, s) for s in theirs.rows) for t in ts)
        now = tuple(any(self._meet(side, t, s) for t in ts) for s in theirs.rows)
        mine = replace(mine, rows=(*mine.rows, *ts), met=(*mine.met, *met))
        new = replace(theirs, met=tuple(a or b for a, b in zip(theirs.met, now, strict=True)))
        if self.kind.pairs:
            pairs = [(t, s) for t in ts for s in theirs.rows if self._meet(side, t, s)]
            return [t + s if side == 0 else s + t for t, s in pairs], _state(side, mine, new)
        left = mine if side == 0 else new
        matched = [t for t, partner in zip(left.rows, left.met, strict=True) if partner]
        left = replace(left, rows=tuple(t for t, partner in zip(left.rows, left.met, strict=True) if not partner))
        left = replace(left, met=(False,) * len(left.rows))
        return matched if self.kind is JoinKind.SEMI else [], (left, new if side == 0 else mine)

    def pass_left(self, ps: Puncts, st: State) -> Rows:
        return self._alone((self._received(0, ps, st[0]), st[1]))

    def pass_right(self, ps: Puncts, st: State) -> Rows:
        return self._alone((st[0], self._received(1, ps, st[1])))

    def keep_left(self, ps: Puncts, st: State) -> State:
        return self._purged((self._received(0, ps, st[0]), st[1]))

    def keep_right(self, ps: Puncts, st: State) -> State:
        return self._purged((st[0], self._received(1, ps, st[1])))

    def kept(self, st: State) -> Kept:
        return {
            name: self._shown(side, st[side].rows, _outer(st[side]).met) for side, name in enumerate(("left", "right"))
        }

    def _alone(self, st: State) -> list[Row]:
        """The rows of preserved sides that meet no later partner and have none."""
        return [
            self._padded(side, t)
            for side in self.kind.preserved
            for t, partner in zip(st[side].rows, _outer(st[side]).met, strict=True)
            if not partner and not self._open(side, [t], st[1 - side].closed)
        ]

    def _padded(self, side: int, t: Row) -> Row:
        nulls = (None,) * len(self.inputs[1 - side]) if self.kind.pairs else ()
        return t + nulls if side == 0 else nulls + t

    def _purged(self, st: State) -> State:
        open_rows = [self._still_open(side, st) for side in (0, 1)]
        free = [set_nomatch_ps([t for t, _ in rows], st[side].waiting) for side, rows in enumerate(open_rows)]
        left, right = (
            replace(
                _outer(st[side]),
                rows=tuple(t for t, _ in open_rows[side]),
                met=tuple(partner for _, partner in open_rows[side]),
                waiting=tuple(dict.fromkeys(p for p in st[side].waiting if p not in free[side])),
                halves=(*_outer(st[side]).halves, *filter(_of_nulls, free[side])),
            )
            for side in (0, 1)
        )
        return left, right

    def _still_open(self, side: int, st: State) -> list[tuple[Row, bool]]:
        flagged = zip(st[side].rows, _outer(st[side]).met, strict=True)
        return [(t, partner) for t, partner in flagged if self._open(side, [t], st[1 - side].closed)]

    def _released(self, st: State) -> list[Punctuation]:
        free = [set_nomatch_ps(self._open(i, st[i].rows, st[1 - i].closed), st[i].waiting) for i in (0, 1)]
        halves = [[*_outer(st[i]).halves, *filter(_of_nulls, free[i])] for i in (0, 1)]
        return [q for i in (0, 1) for p in free[i] for q in self.mod(i, p)] + self._together(*halves)

    def _together(self, left: Puncts, right: Puncts) -> list[Punctuation]:
        """What both sides of a FULL join say of NULLs."""
        if self.kind is not JoinKind.FULL:
            return []
        return [Punctuation(self.output, p.patterns + q.patterns) for p in left for q in right]

    def _open(self, side: int, ts: Rows, others: Puncts) -> list[Row]:
        able = self.able[side]
        return [t for t in super()._open(side, ts, others) if able is None or able(t)]

    def mod(self, side: int, p: Punctuation) -> list[Punctuation]:
        """A side's punctuation over the output, once for each sound way to name equated columns."""
        ways = product(*([(n, pattern) for n in self._columns(side, i)] for i, pattern in p.sides))
        return [self._over_output(way) for way in ways if self._sound(side, way)]

    def _sound(self, side: int, way: Sequence[tuple[int, Pattern]]) -> bool:
        on = [[pattern for n, pattern in way if (n >= len(self.left)) == bool(i)] for i in (0, 1)]
        if on[1] and not self.kind.pairs:
            return False
        return all(
            any(not pattern.match(None) for pattern in on[1 - i]) or (side == i and not on[1 - i])
            for i in self.kind.preserved
        )

    def _meet(self, side: int, mine: Row, theirs: Row) -> bool:
        t, s = (mine, theirs) if side == 0 else (theirs, mine)
        return self.joins(t, s) and (self.residual is None or self.residual(t + s))

    def _shown(self, side: int, ts: Rows, met: Sequence[bool]) -> list[Row]:
        flagged = self.kind.pairs and side in self.kind.preserved
        return [(*t, partner) for t, partner in zip(ts, met, strict=True)] if flagged else list(ts)

    def _partners(self, side: int, inputs: Sequence[Slice]) -> list[bool]:
        others = inputs[1 - side].rows
        return [any(self._meet(side, t, s) for s in others) for t in inputs[side].rows]

    def cpass(self, *inputs: Slice) -> list[Row]:
        left, right = inputs
        if self.kind is JoinKind.SEMI:
            return [t for t, partner in zip(left.rows, self._partners(0, inputs), strict=True) if partner]
        pairs = [t + s for t in left.rows for s in right.rows if self.kind.pairs and self._meet(0, t, s)]
        closing = self._by_key(inputs)
        return pairs + [
            self._padded(side, t)
            for side in self.kind.preserved
            for t, partner in zip(inputs[side].rows, self._partners(side, inputs), strict=True)
            if not partner and not self._open(side, [t], closing[1 - side])
        ]

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        rows, all_rows = self.ckeep(*inputs), []
        for side, name in enumerate(("left", "right")):
            all_rows.append([t[: len(self.inputs[side])] for t in rows[name]])
        free = [[p for p in set_nomatch_ps(all_rows[i], inputs[i].puncts) if not p.empty] for i in (0, 1)]
        halves = [[*filter(_of_nulls, ps)] for ps in free]
        return [q for i in (0, 1) for p in free[i] for q in self.mod(i, p)] + self._together(*halves)

    def ckeep(self, *inputs: Slice) -> Kept:
        kept, closing = {}, self._by_key(inputs)
        for side, name in enumerate(("left", "right")):
            flagged = list(zip(inputs[side].rows, self._partners(side, inputs), strict=True))
            still = [(t, partner) for t, partner in flagged if self._open(side, [t], closing[1 - side])]
            if side == 0 and not self.kind.pairs:
                still = [(t, partner) for t, partner in still if not partner]
            kept[name] = self._shown(side, [t for t, _ in still], [partner for _, partner in still])
        return kept

    def _by_key(self, inputs: Sequence[Slice]) -> list[list[Punctuation]]:
        return [[p for p in xs.puncts if self._on_key(i, p)] for i, xs in enumerate(inputs)]


def _of_nulls(p: Punctuation) -> bool:
    """Whether a row of nothing but NULLs matches."""
    return all(pattern.match(None) for pattern in p.patterns)


def _outer(side: Side) -> OuterSide:
    assert isinstance(side, OuterSide)
    return side


def _state(side: int, mine: Side, theirs: Side) -> State:
    return (mine, theirs) if side == 0 else (theirs, mine)
