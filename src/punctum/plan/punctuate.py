"""Streams that wait for reports: PUNCTUATE … WHEN ALL … keeps state, so it is an operator of a stage.

All other clauses look at one row at a time and run where a stream is read, before anything is filtered or pruned.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Value
from punctum.parse.definitions import AllReported, StreamDef, TableColumn
from punctum.parse.relations import Relation, Source, Unary, over
from punctum.plan.expect import expected
from punctum.plan.multijoin import MultiJoin
from punctum.plan.synopsis import Synopsis

Members = Callable[[TableColumn], tuple[Value, ...]]
"""Who is in the column of a table."""


def nobody(column: TableColumn) -> tuple[Value, ...]:
    """For plans that do not run: tables are not read."""
    return ()


@dataclass(frozen=True)
class Reported(Unary):
    """The rows of a stream, with a punctuation when all members have reported the same values of some columns."""

    stream: StreamDef
    by: tuple[int, ...]
    member: int
    members: tuple[Value, ...]

    @property
    def scheme(self) -> Scheme:
        """The columns that are punctuated."""
        return Scheme(self.schema, tuple((self.schema.names[i], Order.EQUALITY) for i in self.by))

    @property
    def label(self) -> str:
        """The columns, and how many must report."""
        return f"Reported {self.scheme} by all {len(self.members)} {self.schema.names[self.member]}"


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
