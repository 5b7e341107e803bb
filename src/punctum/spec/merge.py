"""Merge of two streams (UNION ALL).

::

    cpass(ts₁, ps₁, ts₂, ps₂)  =  ts₁ ++ ts₂
    cprop(ts₁, ps₁, ts₂, ps₂)  =  setCombine(ps₁, ps₂)
    ckeep(ts₁, ps₁, ts₂, ps₂)  =  [], []
"""

from dataclasses import dataclass

from punctum.algebra.functions import set_combine
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema, same_schema
from punctum.algebra.values import Row
from punctum.spec.framework import Binary, Kept, Puncts, Rows, Specified
from punctum.spec.stream import Slice

State = tuple[PunctuationSet, PunctuationSet]


def combined(ps: Puncts, others: PunctuationSet) -> Puncts:
    """The setCombine of new punctuations of one input with all of the other input.

    The paper's prop gives the old combinations as well, which minimality then takes away again.
    """
    return [both for p in ps for both in others.within(p)]


@dataclass(frozen=True)
class Merge(Binary[State], Specified):
    """All rows of both inputs. The state: the punctuations of both."""

    left: Schema
    right: Schema

    def __post_init__(self) -> None:
        same_schema(self.left, self.right)

    def initial(self) -> State:
        return PunctuationSet(self.left), PunctuationSet(self.right)

    def step_left(self, ts: Rows, st: State) -> tuple[Rows, State]:
        return ts, st

    def step_right(self, ts: Rows, st: State) -> tuple[Rows, State]:
        return ts, st

    def prop_left(self, ps: Puncts, st: State) -> Puncts:
        return combined(ps, st[1])

    def prop_right(self, ps: Puncts, st: State) -> Puncts:
        return combined(ps, st[0])

    def keep_left(self, ps: Puncts, st: State) -> State:
        lps, rps = st
        return lps | ps, rps

    def keep_right(self, ps: Puncts, st: State) -> State:
        lps, rps = st
        return lps, rps | ps

    def cpass(self, *inputs: Slice) -> list[Row]:
        return [*inputs[0].rows, *inputs[1].rows]

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        return set_combine(inputs[0].puncts, inputs[1].puncts)

    def ckeep(self, *inputs: Slice) -> Kept:
        return {}
