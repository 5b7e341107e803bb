"""Lookup: rows meet those of a table, which stands still.

With T the table's rows and θ the condition::

    cpass(ts, ps)  =  [t ⋅ u | t ∈ ts, u ∈ T, θ(t, u)], and for LEFT those t ⋅ NULL… for which there is no such u
    cprop(ts, ps)  =  ps, over the columns of t and over those of u that equal them
    ckeep(ts, ps)  =  []

SEMI gives the rows with a partner, ANTI those without. A pair for which θ has no value goes to the quarantine, and is
no pair.
"""

from collections.abc import Callable
from dataclasses import dataclass

from punctum.algebra.outer import JoinKind
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.columns import ComputedColumn
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary, valued
from punctum.spec.project import Project
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class Lookup(Unary[None], Specified):
    """Each row with its partners in a table."""

    schema: Schema
    paired: Schema
    table: tuple[Row, ...]
    on: tuple[tuple[int, int], ...]
    kind: JoinKind | None = None
    residual: Callable[[Row], bool] = lambda row: True

    @property
    def output(self) -> Schema:
        """The columns of a pair, or those of the input."""
        return self.paired if self.kind is None or self.kind.pairs else self.schema

    def initial(self) -> None:
        return None

    def step(self, ts: Rows, st: None) -> tuple[Rows, None]:
        return [row for t in ts for row in self._partners(t)], st

    def prop(self, ps: Puncts, st: None) -> Puncts:
        return [q for p in ps for q in self._shown().images(p)]

    def keep(self, ps: Puncts, st: None) -> None:
        return st

    def _partners(self, t: Row) -> list[Row]:
        mine = tuple(t[i] for i, _ in self.on)  # as tuples, in which NaN equals itself
        equal = (u for u in self.table if None not in mine and mine == tuple(u[j] for _, j in self.on))
        pairs = [t + u for u in equal if valued(self.residual, t + u)]
        if self.kind is None or (self.kind is JoinKind.LEFT and pairs):
            return pairs
        if self.kind is JoinKind.LEFT:
            return [t + (None,) * (len(self.paired) - len(t))]
        return [t] if bool(pairs) == (self.kind is JoinKind.SEMI) else []

    def _shown(self) -> Project:
        """How punctuations go through: columns of the table that equal others show what these do."""
        width, own = len(self.schema), dict(enumerate(self.schema.names))
        if self.kind is None:
            own |= {width + j: self.schema.names[i] for i, j in self.on}
        columns = (
            ComputedColumn(a, own.get(n), None if n in own else _nothing) for n, a in enumerate(self.output.attributes)
        )
        return Project(self.schema, tuple(columns))

    def cpass(self, *inputs: Slice) -> list[Row]:
        return [row for t in inputs[0].rows for row in self._partners(t)]

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        return [q for p in inputs[0].puncts if not p.empty for q in self._shown().images(p)]

    def ckeep(self, *inputs: Slice) -> Kept:
        return {}


def _nothing(row: Row) -> None:
    return None
