"""Joins and groups on synopses: a part of a query that needs only bounded memory becomes one operator.

In: such a part. Out: a node over its streams, which are filtered and cut down before anything is exchanged. It can be
partitioned by columns that must be equal in all streams; a DISTINCT or a grouping only by those that it shows.
"""

from dataclasses import replace

from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.analyse.memory.condensed import SynopsisPart
from punctum.ir.definitions import NOWHERE
from punctum.ir.expressions import Column, Expression, Literal, rebased
from punctum.ir.planned import Synopsis
from punctum.ir.relations import Aggregate, Distinct, Filter, Projection, Source
from punctum.ir.tree import Relation, transform


def synopsis(part: SynopsisPart, updates: bool = False) -> Relation:
    """The relation of a part, on synopses; its groups may come again when they change."""
    query, relation = part.query, part.relation
    place = getattr(relation, "place", NOWHERE)
    if isinstance(relation, Aggregate) and relation.aggregates:
        return _groups(part, relation, updates)
    attributes = tuple(
        replace(query.attribute(at), name=f"{query.streams[at[0]].name}.{query.attribute(at).name}")
        for at in query.shown
    )
    result = Schema(attributes) if attributes else Schema.of(row="BIGINT")
    node = Synopsis(part.inputs, query, result, residual=part.residual, place=place)
    shown = Projection(node, tuple(zip(relation.schema.names, _over(part.shown, node), strict=True)), place)
    return shown if not query.distinct or part.written.direct else Distinct(shown, place)


def emptied(relation: Relation) -> Relation:
    """The relation with nothing read of its streams, for no row fulfils its conditions."""

    def of(node: Relation) -> Relation:
        return Filter(node, Literal(False, Type.BOOLEAN)) if isinstance(node, Source) else node

    return transform(relation, of)


def _groups(part: SynopsisPart, relation: Aggregate, updates: bool) -> Relation:
    """The groups, whose keys are shown once each."""
    query, keys = part.query, len(relation.keys)
    at = [expression.index for expression in part.shown if isinstance(expression, Column)]
    attributes = relation.schema.attributes
    shown = tuple(attributes[at.index(n)] for n in range(len(query.shown)))
    node = Synopsis(part.inputs, query, Schema(shown + attributes[keys:]), updates, part.residual, relation.place)
    if at == list(range(len(query.shown))):
        return node
    columns = [*at, *(len(query.shown) + n for n in range(len(attributes) - keys))]
    made = (Column(i, node.schema.names[i], node.schema.attributes[i]) for i in columns)
    return Projection(node, tuple(zip(relation.schema.names, made, strict=True)), relation.place)


def _over(expressions: tuple[Expression, ...], node: Synopsis) -> list[Expression]:
    names = node.schema.names
    return [rebased(shown, lambda column: replace(column, name=names[column.index])) for shown in expressions]
