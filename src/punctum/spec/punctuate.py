"""Punctuate: punctuations made from data and from what is known about it, the five kinds of section 6.2.

::

    cpass(ts, ps)  =  ts
    cprop(ts, ps)  =  ps ++ opening ++ made(ts)
    ckeep(ts, ps)  =  []

The kinds are in ``origins.py``. Punctuations of several origins, and the stream's own, add up.
"""

from dataclasses import dataclass
from typing import Any

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary
from punctum.spec.origins import Origin
from punctum.spec.stream import Slice

State = tuple[tuple[Any, ...], tuple[Punctuation, ...]]  # a state for each origin, and what they made of this slice


@dataclass(frozen=True)
class Punctuate(Unary[State], Specified):
    """The same rows, with punctuations of some origins."""

    schema: Schema
    origins: tuple[Origin[Any], ...]

    def initial(self) -> State:
        return tuple(origin.initial() for origin in self.origins), ()

    def opening(self) -> Puncts:
        return [p for origin in self.origins for p in origin.opening()]

    def step(self, ts: Rows, st: State) -> tuple[Rows, State]:
        stepped = [origin.step(ts, known) for origin, known in zip(self.origins, st[0], strict=True)]
        return ts, (tuple(known for _, known in stepped), tuple(p for made, _ in stepped for p in made))

    def prop(self, ps: Puncts, st: State) -> Puncts:
        return [*ps, *st[1]]

    def keep(self, ps: Puncts, st: State) -> State:
        return st[0], ()

    def cpass(self, *inputs: Slice) -> list[Row]:
        return list(inputs[0].rows)

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        made = [p for origin in self.origins for p in (*origin.opening(), *origin.made(inputs[0].rows))]
        return [*inputs[0].puncts, *made]

    def ckeep(self, *inputs: Slice) -> Kept:
        return {}
