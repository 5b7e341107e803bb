"""Streams that wait for reports: PUNCTUATE … WHEN ALL … keeps state, so it is an operator of a stage.

All other clauses look at one row at a time and run where a stream is read, before anything is filtered or pruned.
"""

from collections.abc import Callable
from dataclasses import replace

from punctum.algebra.values import Value
from punctum.ir.definitions import AllReported, StreamDef, TableColumn
from punctum.ir.planned import MultiJoin, Reported, Synopsis
from punctum.ir.relations import Relation, Source, over
from punctum.plan.passes.expect import expected

Members = Callable[[TableColumn], tuple[Value, ...]]
"""Who is in the column of a table."""


def nobody(column: TableColumn) -> tuple[Value, ...]:
    """For plans that do not run: tables are not read."""
    return ()


def reported(relation: Relation, members: Members) -> Relation:
    """The relation with an operator over a stream for each of its lists of reporters, and for each EXPECT WITHIN."""
    if isinstance(relation, Source) and relation.stream.relation is not None:
        return reported(relation.stream.relation, members)
    if isinstance(relation, Source):
        found: Relation = relation
        for clause in relation.stream.punctuates:
            if isinstance(clause, AllReported):
                found = _waiting(found, relation.stream, clause, members)
        return expected(found, relation.stream)
    if isinstance(relation, MultiJoin | Synopsis):
        return replace(relation, joined=tuple(reported(each, members) for each in relation.joined))
    return over(relation, lambda below: reported(below, members))


def _waiting(below: Relation, stream: StreamDef, clause: AllReported, members: Members) -> Reported:
    schema, given = stream.schema, clause.members
    values = members(given) if isinstance(given, TableColumn) else given
    by, member = schema.indices(clause.scheme.attributes), schema.index(clause.member)
    return Reported(below, stream, by, member, values)
