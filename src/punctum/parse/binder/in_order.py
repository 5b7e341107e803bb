"""The column in whose order the rows of a relation come, if its stream promises one: what FIRST and LAST go by."""

from punctum.algebra.scheme import Order
from punctum.ir.expressions import Column
from punctum.ir.relations import Filter, Projection, Source
from punctum.ir.tree import Relation


def in_order(relation: Relation) -> tuple[int, bool] | None:
    """The position of the column, and whether it goes down."""
    match relation:
        case Source(stream=stream):
            terms = (scheme.terms[0] for scheme in stream.schemes if len(scheme.terms) == 1)
            ordered = [(stream.schema.index(name), order) for name, order in terms if order is not Order.EQUALITY]
            return (ordered[0][0], ordered[0][1] is Order.DESC) if ordered else None
        case Filter():
            return in_order(relation.input)
        case Projection():
            below = in_order(relation.input)
            columns = [e.index if isinstance(e, Column) else None for _, e in relation.columns]
            return None if below is None or below[0] not in columns else (columns.index(below[0]), below[1])
        case _:
            return None
