"""Selection (WHERE).

::

    cpass(ts, ps)  =  [t | t ∈ ts ∧ predicate(t)]
    cprop(ts, ps)  =  implied ++ ps
    ckeep(ts, ps)  =  []

``implied`` is what the predicate itself promises: ``WHERE hour = 8`` lets no hour below 8 and none above 8 through, so
select emits that before its first row. A row for which the predicate has no value goes to the quarantine, not through.
"""

from collections.abc import Callable
from dataclasses import dataclass

from punctum.algebra.punctuation import Punctuation, excluded
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.framework import Kept, Puncts, Rows, Specified, Unary, valued
from punctum.spec.stream import Slice


@dataclass(frozen=True)
class Select(Unary[None], Specified):
    """The rows that satisfy a predicate."""

    schema: Schema
    predicate: Callable[[Row], bool]
    implied: tuple[Punctuation, ...] = ()

    @staticmethod
    def matching(rows: Punctuation) -> "Select":
        """The rows that match a pattern for each attribute, with all that this implies."""
        return Select(rows.schema, rows.match, excluded(rows))

    def initial(self) -> None:
        return None

    def opening(self) -> Puncts:
        return self.implied

    def step(self, ts: Rows, st: None) -> tuple[Rows, None]:
        return [t for t in ts if valued(self.predicate, t)], st

    def prop(self, ps: Puncts, st: None) -> Puncts:
        return ps

    def cpass(self, *inputs: Slice) -> list[Row]:
        return [t for t in inputs[0].rows if valued(self.predicate, t)]

    def cprop(self, *inputs: Slice) -> list[Punctuation]:
        return [*self.implied, *inputs[0].puncts]

    def ckeep(self, *inputs: Slice) -> Kept:
        return {}
