"""Streams that wait for reports: PUNCTUATE … WHEN ALL … keeps state, so it is an operator of a stage.

All other clauses look at one row at a time and run where a stream is read, before anything is filtered or pruned.
"""

from collections.abc import Callable

from punctum.algebra.values import Value
from punctum.ir.definitions import AllReported, StreamDef, TableColumn
from punctum.ir.planned import Reported
from punctum.ir.relations import Source
from punctum.ir.tree import Relation, transform
from punctum.plan.passes.expect import expected

Members = Callable[[TableColumn], tuple[Value, ...]]
"""Who is in the column of a table."""


def nobody(column: TableColumn) -> tuple[Value, ...]:
    """For plans that do not run: tables are not read."""
    return ()


def reported(relation: Relation, members: Members) -> Relation:
    """The relation with an operator over a stream for each of its lists of reporters, and for each EXPECT WITHIN."""

    def over(node: Relation) -> Relation:
        if not isinstance(node, Source):
            return node
        reporting: Relation = node
        for clause in node.stream.punctuates:
            if isinstance(clause, AllReported):
                reporting = _waiting(reporting, node.stream, clause, members)
        return expected(reporting, node.stream)

    return transform(relation, over)


def _waiting(below: Relation, stream: StreamDef, clause: AllReported, members: Members) -> Reported:
    schema, given = stream.schema, clause.members
    values = members(given) if isinstance(given, TableColumn) else given
    by, member = schema.indices(clause.scheme.attributes), schema.index(clause.member)
    return Reported(below, stream, by, member, values)
