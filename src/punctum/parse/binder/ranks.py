"""Limits of rankings: conditions on the rows of a relation in, the relation of no more rows than they can take out.

``rank <= 10`` above a ranking makes it one of the best ten. Between them may be selections and projections, which look
at each row by itself, and nothing else.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from punctum.algebra.frames import Frame, FrameFunction, UpTo
from punctum.algebra.ranking import Ranking
from punctum.ir.expressions import Call, Column, Expression, Literal
from punctum.ir.over import Over
from punctum.ir.ranking import Ranked
from punctum.ir.relations import Filter, Projection
from punctum.ir.tree import Relation

_TURNED = {">=": "<=", ">": "<", "=": "="}


class RankBound(NamedTuple):
    """A column that is at most so much; whether a rank that is, fulfils the whole condition."""

    column: int
    most: int
    whole: bool


def limited(relation: Relation, conditions: Sequence[Expression]) -> tuple[Relation, list[Expression]]:
    """The relation with the limits that follow for its rankings, and the conditions that are still to be asked."""
    rest = []
    for condition in conditions:
        bound = _bound(condition)
        made = None if bound is None else _with_limit(relation, bound.column, max(bound.most, 1))
        relation = relation if made is None else made
        if made is None or bound is None or not bound.whole:
            rest.append(condition)
    return relation, rest


def _bound(condition: Expression) -> RankBound | None:
    match condition:
        case Call("<=" | "<" | "=" as op, (Column(index=at), Literal(value=int() as most))):
            return _of(at, op, most)
        case Call(">=" | ">" | "=" as op, (Literal(value=int() as most), Column(index=at))):
            return _of(at, _TURNED[op], most)
        case Call("in", (Column(index=at), *values)):
            known = [v.value for v in values if isinstance(v, Literal) and isinstance(v.value, int)]
            return RankBound(at, max(known), False) if known and len(known) == len(values) else None
        case _:
            return None


def _of(column: int, op: str, value: int) -> RankBound:
    most = value - 1 if op == "<" else value
    return RankBound(column, most, most == 1 if op == "=" else most >= 1)


def _with_limit(relation: Relation, column: int, most: int) -> Relation | None:
    """The relation, in which the ranking whose rank is a column has a limit; nothing when it is of no ranking."""
    match relation:
        case Projection(columns=computed):
            expression = computed[column][1]
            below = _with_limit(relation.input, expression.index, most) if isinstance(expression, Column) else None
        case Filter():
            below = _with_limit(relation.input, column, most)
        case Over(function=FrameFunction.COUNT, argument=None, frame=Frame(None, UpTo.ROW)) if column == len(
            relation.input.schema
        ):  # ROW_NUMBER
            window = relation.input, relation.partition, relation.keys
            return Ranked(*window, Ranking.ROW_NUMBER, relation.name, most, relation.place, alias=relation.alias)
        case Ranked(most=before) if column == len(relation.input.schema):
            return replace(relation, most=most if before is None else min(most, before))
        case _:
            return None
    return None if below is None else replace(relation, input=below)
