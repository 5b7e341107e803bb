"""From the plan to operators: a relation in, its vectorised operator out."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import product
from typing import assert_never

from punctum.algebra.aggregates import AggregateFunction
from punctum.algebra.frames import FrameFunction
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Value
from punctum.analyse.predicates import promised
from punctum.engine.runtime.lmerge import Merging
from punctum.engine.sources.pipe import compiled_step
from punctum.engine.sources.tables import versions_of
from punctum.ir import relations as r
from punctum.ir import temporal
from punctum.ir.expressions import Column, Expression, conjunction
from punctum.ir.hop import Hop as HopNode
from punctum.ir.lifted import inserts_only
from punctum.ir.lookup import Lookup as LookupNode
from punctum.ir.outer import able, coalesced_columns
from punctum.ir.over import Over
from punctum.ir.planned import ExpectNode, LifespanNode, MultiJoin
from punctum.ir.planned import Synopsis as SynopsisNode
from punctum.ir.punctuated import Punctuated
from punctum.ir.ranking import Ranked
from punctum.ir.session import Sessions as SessionsNode
from punctum.ir.shape import image, shape
from punctum.ir.stamped import Stamped as StampedNode
from punctum.ir.tree import Relation
from punctum.ir.windows import steps, window
from punctum.lmerge.cleanse import Cleanse
from punctum.lmerge.final import Final
from punctum.lmerge.opened import Opened
from punctum.operators import orders, origins
from punctum.operators.checked import Checked
from punctum.operators.coalesced import Coalesced
from punctum.operators.difference import Difference
from punctum.operators.dupelim import Dupelim
from punctum.operators.expect import Expect
from punctum.operators.expressions import careful, compiled
from punctum.operators.group_by import GroupBy
from punctum.operators.hop import Hop
from punctum.operators.images import ComputedColumn
from punctum.operators.intersect import Intersect
from punctum.operators.join import Join, joined_schema
from punctum.operators.lead import Lead
from punctum.operators.lifespan import Lifespan
from punctum.operators.lookup import ComputedKeys, Lookup
from punctum.operators.merge import Merge
from punctum.operators.multijoin import MultiJoin as MultiJoinOperator
from punctum.operators.operator import Operator
from punctum.operators.outer import OuterJoin
from punctum.operators.over import Over as OverOperator
from punctum.operators.project import Project
from punctum.operators.punctuate import Punctuate
from punctum.operators.ranking import Ranks
from punctum.operators.select import Select
from punctum.operators.session import Sessions
from punctum.operators.sort import Sort
from punctum.operators.stamped import Stamped
from punctum.operators.synopsis import SynopsisJoin, met
from punctum.operators.synopsis_groups import SynopsisGroupBy
from punctum.operators.union import Union
from punctum.operators.units import unit_of
from punctum.operators.window import Window, WindowGroupBy, WindowJoin
from punctum.plan.passes.windows import windowed

_PREFIXES = ("$left.", "$right.")  # for names that both inputs of a join have, until the relation renames them


def operator(relation: Relation, below: Sequence[Schema] = ()) -> Operator:
    """The vectorised operator of a relation, over inputs whose attributes reach as far as those below."""
    if windowed(relation):
        return _windows(relation, below)
    schemas = [child.schema for child in relation.inputs]
    schemas = [_reaching(*pair) for pair in zip(schemas, below, strict=True)] if below else schemas
    match relation:
        case r.Filter(predicate=predicate):
            return Select(schemas[0], careful(predicate, schemas[0]), promised(predicate, schemas[0]))
        case r.Projection(columns=columns):
            shown = [_column(name, e, schemas[0]) for name, e in columns]
            return _projected(relation, schemas[0], shown)
        case HopNode(slide=slide):
            return Hop(schemas[0], relation.schema, slide // timedelta(microseconds=1))
        case StampedNode():
            return Stamped(schemas[0], relation.schema)
        case LookupNode():
            return _looking_up(relation, schemas[0])
        case r.Join(on=on, residual=residual, bands=bands):
            left, right = schemas
            pairs = [(left.names[mine.index], right.names[theirs.index]) for mine, theirs in on]
            names = joined_schema(left, right, _PREFIXES)
            return Join(left, right, pairs, _PREFIXES, None if residual is None else careful(residual, names), bands)
        case r.OuterJoin(on=on, residual=residual, kind=kind, bands=bands):
            left, right = schemas
            pairs = [(left.names[mine.index], right.names[theirs.index]) for mine, theirs in on]
            alone = [None if (e := able(relation, i)) is None else careful(e, schemas[i]) for i in (0, 1)]
            holds = None if residual is None else careful(residual, relation.paired)
            return OuterJoin(left, right, pairs, kind, relation.names, holds, (alone[0], alone[1]), bands)
        case MultiJoin(classes=classes, residual=residual, shown=shown, lazy=lazy, bands=bands):
            holds = None if residual is None else careful(residual, relation.schema)
            return MultiJoinOperator(schemas, classes, relation.names, holds, shown, lazy, bands)
        case SynopsisNode(query=query):
            more = None if relation.residual is None else met(query, relation.residual)
            if query.aggregates is None:
                return SynopsisJoin(query, relation.schema, schemas, more)
            return SynopsisGroupBy(query, relation.schema, schemas, relation.updates, more)
        case r.Aggregate(keys=keys, aggregates=calls):
            by = [schemas[0].names[column.index] for _, column in keys]
            functions = [_function(c, schemas[0]) for c in calls]
            filters = [None if c.filter is None else compiled(c.filter, schemas[0]) for c in calls]
            return GroupBy(schemas[0], by, functions, filters, relation.updates, relation.few)
        case SessionsNode(keys=keys, aggregates=calls, gap=gap):
            by = [schemas[0].names[column.index] for _, column in keys]
            functions = [AggregateFunction(c.function, _name(c.argument, schemas[0]), c.name) for c in calls]
            filters = [None if c.filter is None else compiled(c.filter, schemas[0]) for c in calls]
            time, steps_ = schemas[0].names[relation.time.index], gap // timedelta(microseconds=1)
            return Sessions(schemas[0], by, time, steps_, relation.names, functions, filters)
        case r.OrderBy(keys=keys):
            sorted_by = [SortKey(schemas[0].names[c.index], down, first) for c, down, first in keys]
            return Sort(schemas[0], sorted_by, relation.most)
        case Ranked(partition=partition, keys=keys):
            by = [schemas[0].names[column.index] for column in partition]
            ranked_by = [SortKey(schemas[0].names[c.index], down, first) for c, down, first in keys]
            how = relation.function, relation.name, relation.most, relation.updates
            return Ranks(schemas[0], by, ranked_by, *how)
        case Over(partition=partition, keys=keys):
            by = [schemas[0].names[column.index] for column in partition]
            framed_by = [SortKey(schemas[0].names[c.index], down, first) for c, down, first in keys]
            framing = Lead if relation.function is FrameFunction.LEAD else OverOperator
            return framing(schemas[0], by, framed_by, relation.call(schemas[0]))
        case r.Distinct():
            return Dupelim(schemas[0])
        case Punctuated():
            narrowed = zip(schemas[0].attributes, relation.schema.attributes, strict=True)
            never = [a.name for a, b in narrowed if a.domain.null and not b.domain.null]
            start = [Punctuation.of(schemas[0], {name: None}) for name in never]
            return Punctuate(schemas[0], [_origin(relation, schemas[0])], True, start)
        case ExpectNode(within=within, time=time):
            scheme = Scheme(schemas[0], relation.scheme.terms)
            return Expect(scheme, within, None if time is None else schemas[0].names[time])
        case LifespanNode(lifespan=lifespan, time=time):
            scheme = Scheme(schemas[0], relation.scheme.terms)
            return Lifespan(scheme, lifespan, None if time is None else schemas[0].names[time])
        case temporal.LMerge():
            return Merging(relation)
        case temporal.Cleansed():
            return Cleanse(schemas[0])
        case temporal.Opened():
            return Opened(schemas[0], relation.schema)
        case temporal.Final(input=elements):
            return Final(schemas[0], inserts_only(elements))
        case r.UnionAll():
            return Merge(*_alike(relation.schema, schemas))
        case r.Union():
            return Union(*_alike(relation.schema, schemas))
        case r.Intersect():
            return Intersect(*_alike(relation.schema, schemas))
        case r.Except():
            return Difference(*_alike(relation.schema, schemas))
        case r.Source() | r.Window():
            raise AssertionError(relation)  # they are read, and done by the operator above
        case _:
            assert_never(relation)


def _origin(relation: Punctuated, schema: Schema) -> origins.Origin:
    """How a clause makes punctuations."""
    scheme, unit = Scheme(schema, relation.scheme.terms), unit_of(relation.unit, schema)
    if relation.member is not None:
        assert isinstance(relation.members, tuple)
        member, delay = schema.names[relation.member], relation.delay
        if relation.ordered:
            return orders.AllPassed(scheme, member, relation.members, delay, unit)
        return origins.AllReported(scheme, member, relation.members, unit)
    if relation.when is not None:
        return origins.EndEvent(scheme, careful(relation.when, schema))
    return orders.AccessOrder(scheme, relation.delay, unit) if relation.ordered else origins.Unique(scheme)


def _function(call: r.AggregateCall, schema: Schema) -> AggregateFunction:
    """An aggregate over the columns of a schema."""
    of, by = (_name(column, schema) for column in (call.argument, call.by))
    return AggregateFunction(call.function, of, call.name, by, call.share)


def _windows(relation: Relation, below: Sequence[Schema]) -> Operator:
    """The operator of a join that has windows on its inputs, or of groups of one."""
    given = below or [getattr(window(child), "input", child).schema for child in relation.inputs]
    windows = [_window(child, schema) for child, schema in zip(relation.inputs, given, strict=True)]
    if isinstance(relation, MultiJoin):
        holds = None if relation.residual is None else careful(relation.residual, relation.schema)
        return WindowJoin(windows, relation.classes, relation.schema, holds, relation.shown)
    assert isinstance(relation, r.Aggregate)
    schema = windows[0].output
    by = [schema.names[column.index] for _, column in relation.keys]
    functions = [_function(c, schema) for c in relation.aggregates]
    filters = [None if c.filter is None else compiled(c.filter, schema) for c in relation.aggregates]
    return WindowGroupBy(windows[0], by, functions, filters)


def _window(relation: Relation, schema: Schema) -> Window:
    over, above = steps(relation)
    made: list[Operator] = []
    for step in above:
        made.append(operator(step, [made[-1].output if made else schema]))
    return Window(schema, None if over is None else over.rows, made, [compiled_step(step) for step in above])


def _reaching(schema: Schema, known: Schema) -> Schema:
    pairs = zip(schema.attributes, known.attributes, strict=True)
    return Schema(tuple(replace(mine, reach=below.reach) for mine, below in pairs))


def _alike(schema: Schema, sides: Sequence[Schema]) -> tuple[Schema, Schema]:
    """The schema of a set operator, for both sides; its whole numbers go as far as those of both sides do."""
    pairs = zip(*(side.attributes for side in sides), strict=True)
    key_ranges = [left.reach if left.reach == right.reach else None for left, right in pairs]
    both = Schema(
        tuple(replace(a, reach=key_range) for a, key_range in zip(schema.attributes, key_ranges, strict=True))
    )
    return both, both


def _name(argument: Column | None, schema: Schema) -> str | None:
    return None if argument is None else schema.names[argument.index]


def _column(name: str, expression: Expression, schema: Schema) -> tuple[ComputedColumn, Checked]:
    """A column for punctuations, and the expression for its rows."""
    source, injective, trend = shape(expression)
    attribute = replace(expression.attribute, name=name)
    rows = careful(expression, schema)
    if isinstance(expression, Column):
        attribute = replace(attribute, reach=schema.attributes[expression.index].reach)
        return ComputedColumn(attribute, schema.names[expression.index]), rows
    if source is None:
        return ComputedColumn(attribute, None), rows
    return ComputedColumn(
        attribute, schema.names[source], partial(_of_one, expression, source, len(schema)), injective, trend
    ), rows


def _looking_up(relation: LookupNode, schema: Schema) -> Lookup:
    at = [(mine.index, theirs.index) for mine, theirs in relation.on]
    demands = None if relation.residual is None else careful(relation.residual, relation.paired)
    keys = _computed_keys(relation)
    return Lookup(
        schema, relation.schema, versions_of(relation.table), at, relation.paired, relation.kind, demands, keys
    )


def _computed_keys(relation: LookupNode) -> ComputedKeys | None:
    """The equalities of what is computed of a row with what is computed of a row of the table, if there are any.

    There are none when something else may have no value in a pair: it would have to be computed of all pairs.
    """
    equal, more = relation.computed()
    rest = conjunction(more)
    theirs = [careful(b, relation.paired) for _, b in equal]
    others = theirs if rest is None else [*theirs, careful(rest, relation.paired)]
    if not equal or any(expression.reason is not None for expression in others):
        return None
    mine = tuple(careful(a, relation.paired) for a, _ in equal)
    return ComputedKeys(mine, tuple(key.strict for key in theirs), None if rest is None else others[-1].strict)


def _projected(relation: r.Projection, schema: Schema, shown: list[tuple[ComputedColumn, Checked]]) -> Operator:
    """A projection; where columns are the first of several that is not NULL, by all ways to choose one of them."""
    several = coalesced_columns(relation)
    if not several:
        return Project(schema, shown)
    ways = []
    for chosen in product(*several.values()):
        names = {n: schema.names[column.index] for n, column in zip(several, chosen, strict=True)}
        ways.append([(replace(c, source=names.get(n, c.source)), rows) for n, (c, rows) in enumerate(shown)])
    return Coalesced(schema, shown, ways)


def _of_one(expression: Expression, source: int, size: int, value: Value) -> Value | None:
    return image(expression, tuple(value if i == source else None for i in range(size)))
