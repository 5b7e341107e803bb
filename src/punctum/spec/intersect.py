"""Intersection of two streams as sets (INTERSECT).

::

    cpass(ts₁, ps₁, ts₂, ps₂)   =  δ[t | t ∈ ts₁ ∧ t ∈ ts₂]
    cprop(ts₁, ps₁, ts₂, ps₂)   =  setCombine(ps₁, ps₂)
    ckeep₁(ts₁, ps₁, ts₂, ps₂)  =  δ[t | t ∈ ts₁ ∧ setNomatch(t, ps₂)]
    ckeep₂(ts₁, ps₁, ts₂, ps₂)  =  δ[t | t ∈ ts₂ ∧ setNomatch(t, ps₁)]

The paper keeps duplicates, which change nothing: a set has a row or not.
"""

from dataclasses import dataclass

from punctum.algebra.functions import set_nomatch
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Puncts, Rows
from punctum.spec.sets import BothKept, SetOperator, State
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class Intersect(SetOperator):
    """The distinct rows that both inputs have."""

    left: Schema
    right: Schema

    @property
    def first(self) -> "IntersectRows":
        """The rows that both have, duplicates included."""
        return IntersectRows(self.left, self.right)

    def cpass(self, *inputs: Slice) -> list[Row]:
        left, right = inputs
        return [t for t in dict.fromkeys(left.rows) if t in right.rows]

    def ckeep(self, *inputs: Slice) -> Kept:
        left, right = inputs
        return super().ckeep(*inputs) | {
            "left": [t for t in dict.fromkeys(left.rows) if set_nomatch(t, right.puncts)],
            "right": [t for t in dict.fromkeys(right.rows) if set_nomatch(t, left.puncts)],
        }


class IntersectRows(BothKept):
    """The rows of each input that the other one has, as they arrive."""

    def step_left(self, ts: Rows, st: State) -> tuple[Rows, State]:
        return [t for t in ts if t in st[1]], super().step_left(ts, st)[1]

    def step_right(self, ts: Rows, st: State) -> tuple[Rows, State]:
        return [t for t in ts if t in st[0]], super().step_right(ts, st)[1]

    def keep_right(self, ps: Puncts, st: State) -> State:
        lts, rts, lps, rps = st
        rps_new = rps | ps
        lts_new = [t for t in lts if not rps_new.matches(t)]
        rts_new = [t for t in rts if not lps.matches(t)]
        return lts_new, rts_new, lps, rps_new
