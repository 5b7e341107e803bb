"""Updates: a query that groups may give each group again whenever it changes, as Spark's update mode does.

In: a relation. Out: the grouping whose groups are the rows of its result, whether punctuations can close these, and
which columns of the result tell groups apart.
"""

from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.rules import closing
from punctum.ir.expressions import Column
from punctum.ir.relations import Aggregate, Filter, Projection
from punctum.ir.tree import Relation


def grouping(relation: Relation) -> Aggregate | None:
    """The grouping whose every group is a row of a relation; behind HAVING a group may come and go."""
    match relation:
        case Aggregate() if relation.aggregates:
            return relation
        case Projection():
            return grouping(relation.input)
        case _:  # its rows are no groups, or not all of them
            return None


def having(relation: Relation) -> bool:
    """Whether a condition on groups stands above a grouping."""
    while isinstance(relation, Projection | Filter):
        if isinstance(relation, Filter) and grouping(relation.input) is not None:
            return True
        relation = relation.input
    return False


def closed(groups: Aggregate, known: Inference) -> bool:
    """Whether promised punctuations close the groups of a grouping, all but perhaps that of rows without a partner."""
    if groups in known.parts:
        return bool(known.facts(groups).promises)
    below, keys = known.facts(groups.input), [key.index for _, key in groups.keys]
    return any(closing(below, keys, promises) for promises in (below.promises, *(p.promises for p in below.padded)))


def key(relation: Relation) -> tuple[str, ...] | None:
    """The names of the columns that tell groups apart; nothing when the result does not show all of them."""
    places = _keys(relation)
    names = relation.schema.names
    return None if any(not at for at in places) else tuple(names[at[0]] for at in places)


def _keys(relation: Relation) -> list[list[int]]:
    """For each grouping column the columns of a relation that it is."""
    match relation:
        case Aggregate():
            return [[n] for n in range(len(relation.keys))]
        case Projection():
            shown = [(n, e.index) for n, (_, e) in enumerate(relation.columns) if isinstance(e, Column)]
            return [[n for n, below in shown if below in at] for at in _keys(relation.input)]
        case _:
            raise AssertionError(relation)
