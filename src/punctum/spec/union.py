"""Union of two streams as sets (UNION): merge, then duplicate elimination.

::

    cpass(ts₁, ps₁, ts₂, ps₂)  =  δ(ts₁ ++ ts₂)
    cprop(ts₁, ps₁, ts₂, ps₂)  =  setCombine(ps₁, ps₂)
    ckeep(ts₁, ps₁, ts₂, ps₂)  =  [t | t ∈ δ(ts₁ ++ ts₂) ∧ setNomatch(t, setCombine(ps₁, ps₂))]
"""

from dataclasses import dataclass

from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.merge import Merge
from punctum.spec.sets import SetOperator
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class Union(SetOperator):
    """The distinct rows of both inputs."""

    left: Schema
    right: Schema

    @property
    def first(self) -> Merge:
        """Both inputs' rows."""
        return Merge(self.left, self.right)

    def cpass(self, *inputs: Slice) -> list[Row]:
        return list(dict.fromkeys((*inputs[0].rows, *inputs[1].rows)))
