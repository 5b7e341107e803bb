"""A query as a tree of the specification's iterators: the oracle of the engine, slice by slice."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from punctum.algebra.aggregates import AggregateFunction
from punctum.algebra.pattern import Constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Row, Value
from punctum.analyse.predicates import promised
from punctum.ir import expressions as e
from punctum.ir import relations as r
from punctum.ir.evaluate import evaluate
from punctum.ir.outer import able
from punctum.ir.shape import image, shape
from punctum.ir.tree import Relation
from punctum.spec import Slice
from punctum.spec.columns import ComputedColumn
from punctum.spec.difference import Difference
from punctum.spec.dupelim import Dupelim
from punctum.spec.framework import Operator
from punctum.spec.group_by import GroupBy
from punctum.spec.guard import Guard
from punctum.spec.intersect import Intersect
from punctum.spec.join import Join
from punctum.spec.merge import Merge
from punctum.spec.outer import OuterJoin
from punctum.spec.project import Project
from punctum.spec.select import Select
from punctum.spec.sort import Sort
from punctum.spec.union import Union


class Node:
    """A running operator over others and over streams, which are named."""

    def __init__(self, operator: Operator, inputs: "tuple[Node | str, ...]") -> None:
        self.output, self._running, self._inputs = operator.output, operator.start(), inputs

    def feed(self, streams: Mapping[str, Slice]) -> Slice:
        """What comes out for a slice of each stream."""
        below = (streams.get(i, Slice()) if isinstance(i, str) else i.feed(streams) for i in self._inputs)
        return self._running.feed(*below)


def tree(relation: Relation) -> Node:
    """The operators of a relation, as it is written: nothing pruned, nothing moved."""
    operator, below = _operator(relation)
    made = Node(operator, below)
    if isinstance(relation, r.Join):
        made = _renamed(made, relation.schema)
        if relation.residual is not None:
            made = Node(Select(relation.schema, _holds(relation.residual)), (made,))
    return _renamed(made, relation.schema)


def _operator(relation: Relation) -> tuple[Operator, tuple[Node | str, ...]]:
    schemas = [child.schema for child in relation.inputs]
    below = tuple(map(tree, relation.inputs))
    match relation:
        case r.Source(stream=stream):
            return Project.to(stream.schema, *stream.schema.names), (stream.name,)
        case r.Filter(predicate=predicate):
            return Select(schemas[0], _holds(predicate), promised(predicate, schemas[0])), below
        case r.Projection(columns=columns):
            return Project(schemas[0], tuple(_column(name, each, schemas[0]) for name, each in columns)), below
        case r.Join(on=on):
            pairs = tuple((schemas[0].names[a.index], schemas[1].names[b.index]) for a, b in on)
            return Join(schemas[0], schemas[1], pairs), below
        case r.OuterJoin(on=on, residual=residual):
            pairs = tuple((schemas[0].names[a.index], schemas[1].names[b.index]) for a, b in on)
            alone = [None if (e := able(relation, i)) is None else _holds(e) for i in (0, 1)]
            holds = None if residual is None else _holds(residual)
            left, right = schemas
            both = (alone[0], alone[1])
            return OuterJoin(left, right, pairs, kind=relation.kind, residual=holds, able=both), below
        case r.Aggregate(keys=keys, aggregates=calls):
            assert all(call.filter is None for call in calls), "the specification has no FILTER"
            names = schemas[0].names
            of = [[None if c is None else names[c.index] for c in (call.argument, call.by)] for call in calls]
            given = zip(calls, of, strict=True)
            made = tuple(AggregateFunction(c.function, a, c.name, b, c.share) for c, (a, b) in given)
            return GroupBy(schemas[0], tuple(names[column.index] for _, column in keys), made), below
        case r.OrderBy(keys=keys):
            sorted_by = tuple(SortKey(schemas[0].names[c.index], down, first) for c, down, first in keys)
            return Sort(schemas[0], sorted_by, relation.most), below
        case r.Distinct():
            return Dupelim(schemas[0]), below
        case r.UnionAll() | r.Union() | r.Intersect() | r.Except():
            kinds = {r.UnionAll: Merge, r.Union: Union, r.Intersect: Intersect, r.Except: Difference}
            made_of: type = kinds[type(relation)]
            schema = relation.schema
            sides = tuple(_renamed(side, schema) for side in below)
            return made_of(schema, schema), sides
    raise AssertionError(relation)


def _renamed(node: Node, schema: Schema) -> Node:
    """The node with the names, types and domains of a schema."""
    found = node.output
    if found == schema:
        return node
    columns = (ComputedColumn(a, name) for a, name in zip(schema.attributes, found.names, strict=True))
    return Node(Project(found, tuple(columns)), (node,))


def _holds(predicate: e.Expression) -> Callable[[Row], bool]:
    return lambda row: evaluate(predicate, row) is True


def _column(name: str, expression: e.Expression, schema: Schema) -> ComputedColumn:
    attribute = replace(expression.attribute, name=name)
    if isinstance(expression, e.Column):
        return ComputedColumn(attribute, schema.names[expression.index])
    source, injective, trend = shape(expression)
    if source is None:
        return ComputedColumn(attribute, None, lambda row: evaluate(expression, row))
    at = source

    def of_one(value: Value) -> Value | None:
        return image(expression, tuple(value if i == at else None for i in range(len(schema))))

    return ComputedColumn(attribute, schema.names[at], of_one, injective, trend)


class Specified:
    """A query that takes a slice of each stream at a time; constants of a slice are heard after what may cover them."""

    def __init__(self, relation: Relation, streams: Mapping[str, Schema]) -> None:
        self._tree = tree(relation)
        self._guards = {name: Guard(schema) for name, schema in streams.items()}

    def feed(self, streams: Mapping[str, Slice]) -> Slice:
        """What comes out for a slice of each stream."""
        ordered = {name: Slice(xs.rows, tuple(sorted(xs.puncts, key=_is_constant))) for name, xs in streams.items()}
        good = {name: self._guards[name].feed(xs)[0] for name, xs in ordered.items()}
        return self._tree.feed(good)


def _is_constant(p: Punctuation) -> bool:
    return len(p.sides) == 1 and isinstance(p.sides[0][1], Constant) and p.sides[0][1].value is not None
