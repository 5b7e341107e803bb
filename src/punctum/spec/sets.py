"""What the set operators UNION, INTERSECT and EXCEPT share.

Each is a binary iterator composed with duplicate elimination, as the paper's ``sdiff``, and with its invariants::

    cprop(ts₁, ps₁, ts₂, ps₂)  =  setCombine(ps₁, ps₂)
    ckeep of dupelim           =  [t | t ∈ cpass ∧ setNomatch(t, cprop)]
"""

from dataclasses import dataclass

from punctum.algebra.functions import set_combine, set_nomatch
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema, same_schema
from punctum.algebra.values import Row
from punctum.spec.dupelim import Dupelim
from punctum.spec.framework import Binary, Composed, Kept, Puncts, Rows
from punctum.spec.merge import combined
from punctum.spec.stream import Slice

State = tuple[list[Row], list[Row], PunctuationSet, PunctuationSet]
"""Rows of the left and of the right input, and the punctuations of each input: lts, rts, lps, rps."""


class SetOperator(Composed):
    """A binary iterator, and then each row once."""

    @property
    def second(self) -> Dupelim:
        """Each row once."""
        return Dupelim(self.first.output)

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        return set_combine(inputs[0].puncts, inputs[1].puncts)

    def ckeep(self, *inputs: Slice) -> Kept:
        propagated = self.cprop(*inputs)
        return {"distinct": [t for t in self.cpass(*inputs) if set_nomatch(t, propagated)]}


@dataclass(frozen=True)
class BothKept(Binary[State]):
    """A binary iterator that keeps rows of both inputs, each once, and punctuations."""

    left: Schema
    right: Schema

    def __post_init__(self) -> None:
        same_schema(self.left, self.right)

    def initial(self) -> State:
        return [], [], PunctuationSet(self.left), PunctuationSet(self.right)

    def step_left(self, ts: Rows, st: State) -> tuple[Rows, State]:
        lts, rts, lps, rps = st
        return [], (list(dict.fromkeys([*ts, *lts])), rts, lps, rps)

    def step_right(self, ts: Rows, st: State) -> tuple[Rows, State]:
        lts, rts, lps, rps = st
        return [], (lts, list(dict.fromkeys([*ts, *rts])), lps, rps)

    def prop_left(self, ps: Puncts, st: State) -> Puncts:
        return combined(ps, st[3])

    def prop_right(self, ps: Puncts, st: State) -> Puncts:
        return combined(ps, st[2])

    def keep_left(self, ps: Puncts, st: State) -> State:
        lts, rts, lps, rps = st
        return lts, rts, lps | ps, rps

    def kept(self, st: State) -> Kept:
        return {"left": st[0], "right": st[1]}
