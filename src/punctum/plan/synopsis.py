"""Joins and groups on synopses: a part of a query that needs only bounded memory becomes one operator.

In: such a part. Out: a node over its streams, which are filtered and cut down before anything is exchanged. It can be
partitioned by columns that must be equal in all streams; a DISTINCT or a grouping only by those that it shows.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.analyse.condensed import Condensed
from punctum.analyse.spj import Spj
from punctum.errors import Place
from punctum.parse.definitions import NOWHERE
from punctum.parse.expressions import Column, Expression, Literal, rebased, text
from punctum.parse.relations import Aggregate, Distinct, Filter, Projection, Relation, Source, over


@dataclass(frozen=True)
class Synopsis(Relation):
    """The result of a query over its inputs: the shown attributes, and the aggregates if it groups.

    The residual is a further condition; its columns are marks of attributes.
    """

    joined: tuple[Relation, ...]
    query: Spj
    result: Schema
    updates: bool = False
    residual: Expression | None = None
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert [len(each.schema) for each in self.joined] == [len(each.schema) for each in self.query.streams]
        assert len(self.result) == max(1, len(self.query.shown) + len(self.query.aggregates or ()))

    @property
    def inputs(self) -> tuple[Relation, ...]:
        """The streams."""
        return self.joined

    @cached_property
    def schema(self) -> Schema:
        """The shown attributes, then the aggregates."""
        return self.result

    @property
    def label(self) -> str:
        """What is compared, and what is shown."""
        compared = (f"{self.query.name(c.left)} {c.op} {self.query.name(c.right)}" for c in self.query.compared)
        each = "distinct " if self.query.distinct else ""
        shown = ", ".join(map(self.query.name, self.query.shown)) or "nothing"
        calls = "".join(f", {c.function.value}" for c in self.query.aggregates or ())
        more = [] if self.residual is None else [text(self.residual)]
        return f"Synopsis of {each}{shown}{calls} where {', '.join([*compared, *more]) or 'anything meets'}"

    @cached_property
    def parting(self) -> tuple[tuple[tuple[int, ...], int | None], ...]:
        """The classes by which it can be partitioned: a column of each input, and the one of the output, if any."""
        order, everyone = self.query.order, range(len(self.joined))
        plain = not self.query.distinct and self.query.aggregates is None
        found = []
        for its, members in order.members.items():
            at = [next((column for i, column in members if i == stream), None) for stream in everyone]
            shown = next((n for n, each in enumerate(self.query.shown) if order.of[each] == its), None)
            if None not in at and self.query.count(its) > 1 and (plain or shown is not None):
                found.append((tuple(column for column in at if column is not None), shown))
        return tuple(found)


def synopsis(part: Condensed) -> Relation:
    """The relation of a part, on synopses."""
    query, relation = part.query, part.relation
    place = getattr(relation, "place", NOWHERE)
    if isinstance(relation, Aggregate) and relation.aggregates:
        return _groups(part, relation)
    attributes = tuple(
        replace(query.attribute(at), name=f"{query.streams[at[0]].name}.{query.attribute(at).name}")
        for at in query.shown
    )
    result = Schema(attributes) if attributes else Schema.of(row="BIGINT")
    node = Synopsis(part.inputs, query, result, residual=part.residual, place=place)
    found = Projection(node, tuple(zip(relation.schema.names, _over(part.shown, node), strict=True)), place)
    return found if not query.distinct or part.written.direct else Distinct(found, place)


def emptied(relation: Relation) -> Relation:
    """The relation with nothing read of its streams, for no row fulfils its conditions."""
    if isinstance(relation, Source) and relation.stream.relation is not None:
        return emptied(relation.stream.relation)
    if isinstance(relation, Source):
        return Filter(relation, Literal(False, Type.BOOLEAN))
    return over(relation, emptied)


def _groups(part: Condensed, relation: Aggregate) -> Relation:
    """The groups, whose keys are shown once each."""
    query, keys = part.query, len(relation.keys)
    at = [expression.index for expression in part.shown if isinstance(expression, Column)]
    attributes = relation.schema.attributes
    shown = tuple(attributes[at.index(n)] for n in range(len(query.shown)))
    node = Synopsis(
        part.inputs, query, Schema(shown + attributes[keys:]), relation.updates, part.residual, relation.place
    )
    if at == list(range(len(query.shown))):
        return node
    columns = [*at, *(len(query.shown) + n for n in range(len(attributes) - keys))]
    made = (Column(i, node.schema.names[i], node.schema.attributes[i]) for i in columns)
    return Projection(node, tuple(zip(relation.schema.names, made, strict=True)), relation.place)


def _over(expressions: tuple[Expression, ...], node: Synopsis) -> list[Expression]:
    names = node.schema.names
    return [rebased(each, lambda column: replace(column, name=names[column.index])) for each in expressions]
