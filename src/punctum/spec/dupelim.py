"""Duplicate elimination (DISTINCT).

::

    cpass(ts, ps)  =  δ(ts)
    cprop(ts, ps)  =  ps
    ckeep(ts, ps)  =  [t | t ∈ δ(ts) ∧ setNomatch(t, ps)]
"""

from dataclasses import dataclass

from punctum.algebra.functions import set_match_ts, set_nomatch
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class Dupelim(Unary[list[Row]], Specified):
    """Each row once. The state: the distinct rows of which duplicates may still come."""

    schema: Schema

    def initial(self) -> list[Row]:
        return []

    def step(self, ts: Rows, st: list[Row]) -> tuple[Rows, list[Row]]:
        new = [t for t in dict.fromkeys(ts) if t not in st]  # δ(ts - st)
        return new, st + new

    def prop(self, ps: Puncts, st: list[Row]) -> Puncts:
        return ps

    def keep(self, ps: Puncts, st: list[Row]) -> list[Row]:
        done = set_match_ts(st, ps)
        return [t for t in st if t not in done]

    def kept(self, st: list[Row]) -> Kept:
        return {"distinct": st}

    def cpass(self, *inputs: Slice) -> list[Row]:
        return list(dict.fromkeys(inputs[0].rows))

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        return list(inputs[0].puncts)

    def ckeep(self, *inputs: Slice) -> Kept:
        (xs,) = inputs
        return {"distinct": [t for t in dict.fromkeys(xs.rows) if set_nomatch(t, xs.puncts)]}
