"""Updates: a query that gives its groups, or ranks, again whenever they change, as Spark's update mode does.

In: a relation. Out: the grouping whose groups are the rows of its result, or the ranking whose ranks are; whether
punctuations can close these, and which columns of the result tell them apart. A group, and a rank of a partition, that
has been there is there for ever: so what was emitted last with each key is the answer so far.
"""

from typing import TypeAlias

from punctum.algebra.ranking import Ranking
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.rules import closing
from punctum.ir.expressions import Column, columns
from punctum.ir.ranking import Ranked
from punctum.ir.relations import Aggregate, Filter, Projection
from punctum.ir.session import Sessions
from punctum.ir.tree import Relation

Changing: TypeAlias = Aggregate | Ranked
"""What has rows that change: groups, or the ranks of a ROW_NUMBER with a limit."""


def changing(relation: Relation) -> Changing | None:
    """The grouping or ranking whose every group or rank is a row of a relation, now and later; ranks are shown."""
    match relation:
        case Aggregate() if relation.aggregates:
            return relation
        case Ranked(function=Ranking.ROW_NUMBER, most=int()):
            return relation
        case Projection():
            below = changing(relation.input)
            return None if isinstance(below, Ranked) and not all(_keys(relation)) else below
        case Filter() if isinstance(ranking := changing(relation.input), Ranked):
            keys = {at for places in _keys(relation.input) for at in places}
            return ranking if all(column.index in keys for column in columns(relation.predicate)) else None
        case _:  # its rows are neither, or not all of them
            return None


def unable(relation: Relation) -> str:
    """Why a relation cannot give its rows again when they change."""
    while isinstance(relation, Projection | Filter):
        if isinstance(relation, Filter) and isinstance(below := changing(relation.input), Aggregate | Ranked):
            clause = "HAVING may drop a group" if isinstance(below, Aggregate) else "a condition may drop a row"
            return f"{clause} that has been emitted"
        if isinstance(changing(relation.input), Ranked):
            return "it does not show the rank and all columns of PARTITION BY, which tell what a change replaces"
        relation = relation.input
    match relation:
        case Sessions():
            return "a session that grows has another window, so no key tells which row it replaces"
        case Ranked():
            return f"peers have the same {relation.function.value}, so no key tells which row a change replaces"
        case _:
            return "its rows are not groups, nor ranks of ROW_NUMBER with a limit"


def closed(groups: Changing, known: Inference) -> bool:
    """Whether promised punctuations close all groups or partitions, but perhaps the group of rows without a partner."""
    if groups in known.parts:
        return bool(known.facts(groups).promises)
    below = known.facts(groups.input)
    keys = groups.by if isinstance(groups, Ranked) else [key.index for _, key in groups.keys]
    return any(closing(below, keys, promises) for promises in (below.promises, *(p.promises for p in below.padded)))


def key(relation: Relation) -> tuple[str, ...] | None:
    """The names of the columns that tell groups or ranks apart; nothing when the result does not show all of them."""
    places = _keys(relation)
    names = relation.schema.names
    return None if any(not at for at in places) else tuple(names[at[0]] for at in places)


def _keys(relation: Relation) -> list[list[int]]:
    """For each grouping column, or of a ranking the partition's and the rank, the columns of a relation that it is."""
    match relation:
        case Aggregate():
            return [[n] for n in range(len(relation.keys))]
        case Ranked(most=most):
            rank = [len(relation.input.schema)]
            return [*([at] for at in dict.fromkeys(relation.by)), *([rank] if most != 1 else [])]
        case Projection():
            shown = [(n, e.index) for n, (_, e) in enumerate(relation.columns) if isinstance(e, Column)]
            return [[n for n, below in shown if below in at] for at in _keys(relation.input)]
        case Filter():
            return _keys(relation.input)
        case _:
            raise AssertionError(relation)
