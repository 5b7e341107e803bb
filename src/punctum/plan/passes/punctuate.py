"""Streams that wait for reports: PUNCTUATE … WHEN ALL … keeps state, so it is an operator of a stage.

All other clauses look at one row at a time and run where a stream is read, before anything is filtered or pruned. Those
of a stream that is made of others are operators already; of all of them, who is in their lists is found here.
"""

from collections.abc import Callable
from dataclasses import replace

from punctum.algebra.values import Value
from punctum.ir.definitions import AllReported, TableColumn
from punctum.ir.punctuated import Punctuated, punctuated
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
        if isinstance(node, Punctuated):
            return _listed(node, members)
        if not isinstance(node, Source):
            return node
        reporting: Relation = node
        for clause in node.stream.punctuates:
            if isinstance(clause, AllReported):
                reporting = _listed(punctuated(reporting, node.stream, clause), members)
        return expected(reporting, node.stream)

    return transform(relation, over)


def _listed(node: Punctuated, members: Members) -> Punctuated:
    """The operator with the values of its list."""
    return replace(node, members=members(node.members)) if isinstance(node.members, TableColumn) else node
