"""Difference of two streams as sets (EXCEPT), the paper's ``sdiff``.

::

    cpass(ts₁, ps₁, ts₂, ps₂)   =  δ[t | t ∈ ts₁ ∧ t ∉ ts₂ ∧ setMatch(t, ps₂)]
    cprop(ts₁, ps₁, ts₂, ps₂)   =  setCombine(ps₁, ps₂)
    ckeep₁(ts₁, ps₁, ts₂, ps₂)  =  δ[t | t ∈ ts₁ ∧ t ∉ ts₂ ∧ setNomatch(t, ps₂)]
    ckeep₂(ts₁, ps₁, ts₂, ps₂)  =  δ[t | t ∈ ts₂ ∧ setNomatch(t, ps₁)]

The paper keeps duplicates, which change nothing. Dupelim, with which it is composed, keeps the rows that have been
output and may be asked for again.
"""

from dataclasses import dataclass

from punctum.algebra.functions import set_match, set_nomatch
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Puncts, Rows
from punctum.spec.sets import BothKept, SetOperator, State
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class Difference(SetOperator):
    """The distinct rows of the left input that the right input does not have."""

    left: Schema
    right: Schema

    @property
    def first(self) -> "DifferenceRows":
        """The left rows that are not on the right, duplicates included."""
        return DifferenceRows(self.left, self.right)

    def cpass(self, *inputs: Slice) -> list[Row]:
        left, right = inputs
        return [t for t in dict.fromkeys(left.rows) if t not in right.rows and set_match(t, right.puncts)]

    def ckeep(self, *inputs: Slice) -> Kept:
        left, right = inputs
        return super().ckeep(*inputs) | {
            "left": [t for t in dict.fromkeys(left.rows) if t not in right.rows and set_nomatch(t, right.puncts)],
            "right": [t for t in dict.fromkeys(right.rows) if set_nomatch(t, left.puncts)],
        }


class DifferenceRows(BothKept):
    """The ``binary`` inside ``sdiff``."""

    def pass_right(self, ps: Puncts, st: State) -> Rows:
        lts, rts, _, rps = st
        rps_new = rps | ps
        return [t for t in lts if t not in rts and rps_new.matches(t)]

    def keep_right(self, ps: Puncts, st: State) -> State:
        lts, rts, lps, rps = st
        rps_new = rps | ps
        lts_new = [t for t in lts if t not in rts and not rps_new.matches(t)]
        rts_new = [t for t in rts if not lps.matches(t)]
        return lts_new, rts_new, lps, rps_new
