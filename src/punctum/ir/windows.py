"""How the window of a relation is found: it may stand under selections and projections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from punctum.ir.relations import Filter, Projection, Window

if TYPE_CHECKING:
    from punctum.ir.tree import Relation


def window(relation: Relation) -> Window | None:
    """The window of a relation that is one under selections and projections."""
    return steps(relation)[0]


def steps(relation: Relation) -> tuple[Window | None, tuple[Relation, ...]]:
    """The window of a relation, and the selections and projections above it, the lowest first."""
    above: list[Relation] = []
    while True:
        match relation:
            case Window():
                return relation, tuple(reversed(above))
            case Filter() | Projection():
                above.append(relation)
                relation = relation.input
            case _:
                return None, ()
