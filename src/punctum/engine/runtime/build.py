"""From the plan to what runs: a relation becomes a vectorised operator, a stage becomes the operators of a bucket."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from punctum.algebra.aggregates import AggregateFunction
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Value
from punctum.analyse.predicates import promised
from punctum.analyse.safety.inference import sources, title
from punctum.engine.exchange.cube import CubeExchange
from punctum.engine.exchange.packing import BucketKeyRange, Exchange
from punctum.engine.exchange.quarantine import VIOLATION, Record, fail
from punctum.engine.formats.files import READERS, reading
from punctum.engine.formats.read import LONGEST, clean
from punctum.engine.formats.splits import Split, shown
from punctum.engine.formats.write import json_lines
from punctum.engine.runtime.inputs import FromStage, FromStream, StageInput
from punctum.engine.runtime.lmerge import Merging, bad_elements, never_inserted, not_opened
from punctum.engine.runtime.stage import Control, StageRuntime
from punctum.engine.runtime.sweep import LATE, sweeping
from punctum.engine.sources.pipe import ROW, Piped, compiled_step
from punctum.errors import MissingError
from punctum.ir import relations as r
from punctum.ir.definitions import StreamDef, Violation
from punctum.ir.evaluate import evaluate
from punctum.ir.expressions import Column, Expression
from punctum.ir.lifted import inserts_only
from punctum.ir.planned import ExpectNode, LifespanNode, MultiJoin, Reported
from punctum.ir.planned import Synopsis as SynopsisNode
from punctum.ir.shape import shape
from punctum.ir.windows import steps, window
from punctum.lmerge.cleanse import Cleanse
from punctum.lmerge.final import Final
from punctum.lmerge.opened import Opened
from punctum.operators import origins
from punctum.operators.checked import REASON, Checked, Failed
from punctum.operators.difference import Difference
from punctum.operators.dupelim import Dupelim
from punctum.operators.expect import Expect
from punctum.operators.expressions import careful, compiled
from punctum.operators.group_by import GroupBy
from punctum.operators.intersect import Intersect
from punctum.operators.join import Join
from punctum.operators.lifespan import Lifespan
from punctum.operators.merge import Merge
from punctum.operators.multijoin import MultiJoin as MultiJoinOperator
from punctum.operators.operator import Operator
from punctum.operators.project import Project
from punctum.operators.punctuate import Punctuate
from punctum.operators.select import Select
from punctum.operators.sort import Sort
from punctum.operators.synopsis import SynopsisJoin, met
from punctum.operators.synopsis_groups import SynopsisGroupBy
from punctum.operators.union import Union
from punctum.operators.window import Window, WindowGroupBy, WindowJoin
from punctum.plan.passes.windows import windowed
from punctum.plan.physical.cube import shares
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Op, Stage, partition, sweeps
from punctum.spec.columns import ComputedColumn as SpecColumn
from punctum.spec.join import Join as JoinSpecification

_PREFIXES = ("$left.", "$right.")  # for names that both inputs of a join have, until the relation renames them


def operator(relation: r.Relation, below: Sequence[Schema] = ()) -> Operator:
    """The vectorised operator of a relation, over inputs whose attributes reach as far as those below."""
    if windowed(relation):
        return _windows(relation, below)
    schemas = [child.schema for child in relation.inputs]
    schemas = [_reaching(*pair) for pair in zip(schemas, below, strict=True)] if below else schemas
    match relation:
        case r.Filter(predicate=predicate):
            return Select(schemas[0], careful(predicate, schemas[0]), promised(predicate, schemas[0]))
        case r.Projection(columns=columns):
            return Project(schemas[0], [_column(name, e, schemas[0]) for name, e in columns])
        case r.Join(on=on, residual=residual):
            left, right = schemas
            pairs = [(left.names[mine.index], right.names[theirs.index]) for mine, theirs in on]
            names = JoinSpecification(left, right, tuple(pairs), _PREFIXES).output
            return Join(left, right, pairs, _PREFIXES, None if residual is None else careful(residual, names))
        case MultiJoin(classes=classes, residual=residual, shown=shown, lazy=lazy):
            holds = None if residual is None else careful(residual, relation.schema)
            return MultiJoinOperator(schemas, classes, relation.names, holds, shown, lazy)
        case SynopsisNode(query=query):
            more = None if relation.residual is None else met(query, relation.residual)
            if query.aggregates is None:
                return SynopsisJoin(query, relation.schema, schemas, more)
            return SynopsisGroupBy(query, relation.schema, schemas, relation.updates, more)
        case r.Aggregate(keys=keys, aggregates=calls):
            by = [schemas[0].names[column.index] for _, column in keys]
            functions = [AggregateFunction(c.function, _name(c.argument, schemas[0]), c.name) for c in calls]
            filters = [None if c.filter is None else compiled(c.filter, schemas[0]) for c in calls]
            return GroupBy(schemas[0], by, functions, filters, relation.updates, relation.few)
        case r.OrderBy(keys=keys):
            return Sort(schemas[0], [SortKey(schemas[0].names[c.index], down, first) for c, down, first in keys])
        case r.Distinct():
            return Dupelim(schemas[0])
        case Reported(member=member, members=members):
            scheme = Scheme(schemas[0], relation.scheme.terms)
            origin = origins.AllReported(scheme, schemas[0].names[member], members)
            return Punctuate(schemas[0], [origin], guard=True)
        case ExpectNode(within=within, time=time):
            scheme = Scheme(schemas[0], relation.scheme.terms)
            return Expect(scheme, within, None if time is None else schemas[0].names[time])
        case LifespanNode(lifespan=lifespan, time=time):
            scheme = Scheme(schemas[0], relation.scheme.terms)
            return Lifespan(scheme, lifespan, None if time is None else schemas[0].names[time])
        case r.LMerge():
            return Merging(relation)
        case r.Cleansed():
            return Cleanse(schemas[0])
        case r.Opened():
            return Opened(schemas[0], relation.schema)
        case r.Final(input=elements):
            return Final(schemas[0], inserts_only(elements))
        case r.UnionAll():
            return Merge(*_alike(relation.schema, schemas))
        case r.Union():
            return Union(*_alike(relation.schema, schemas))
        case r.Intersect():
            return Intersect(*_alike(relation.schema, schemas))
        case r.Except():
            return Difference(*_alike(relation.schema, schemas))
        case _:
            raise AssertionError(relation)


def _windows(relation: r.Relation, below: Sequence[Schema]) -> Operator:
    """The operator of a join that has windows on its inputs, or of groups of one."""
    given = below or [getattr(window(child), "input", child).schema for child in relation.inputs]
    windows = [_window(child, schema) for child, schema in zip(relation.inputs, given, strict=True)]
    if isinstance(relation, MultiJoin):
        holds = None if relation.residual is None else careful(relation.residual, relation.schema)
        return WindowJoin(windows, relation.classes, relation.schema, holds, relation.shown)
    assert isinstance(relation, r.Aggregate)
    schema = windows[0].output
    by = [schema.names[column.index] for _, column in relation.keys]
    functions = [AggregateFunction(c.function, _name(c.argument, schema), c.name) for c in relation.aggregates]
    filters = [None if c.filter is None else compiled(c.filter, schema) for c in relation.aggregates]
    return WindowGroupBy(windows[0], by, functions, filters)


def _window(relation: r.Relation, schema: Schema) -> Window:
    found, above = steps(relation)
    made: list[Operator] = []
    for step in above:
        made.append(operator(step, [made[-1].output if made else schema]))
    return Window(schema, None if found is None else found.rows, made, [compiled_step(step) for step in above])


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


def _column(name: str, expression: Expression, schema: Schema) -> tuple[SpecColumn, Checked]:
    """A column for punctuations, and the expression for its rows."""
    source, injective, trend = shape(expression)
    attribute = replace(expression.attribute, name=name)
    rows = careful(expression, schema)
    if isinstance(expression, Column):
        attribute = replace(attribute, reach=schema.attributes[expression.index].reach)
        return SpecColumn(attribute, schema.names[expression.index]), rows
    if source is None:
        return SpecColumn(attribute, None, lambda row: evaluate(expression, row)), rows
    return SpecColumn(
        attribute, schema.names[source], partial(_of_one, expression, source, len(schema)), injective, trend
    ), rows


def _of_one(expression: Expression, source: int, size: int, value: Value) -> Value | None:
    return evaluate(expression, tuple(value if i == source else None for i in range(size)))


def piped(pipe: Pipe) -> Piped:
    """What a pipe does."""
    return Piped(pipe.steps, pipe.stream)


def from_pipe(origin: Pipe, source: Input, buckets: tuple[int, ...], clock: bool = False) -> Exchange:
    """The exchange behind a pipe: rows have been through it, punctuations have not."""
    raw_key, raw = _decided(origin, source.key), origin.stream.schema
    at = origin.schema, source.key, buckets, source.number, raw, raw_key, source.broadcast, clock
    if source.cube is None:
        return Exchange(*at)
    columns = source.cube.columns
    return CubeExchange(*at, columns, _decided(origin, columns), shares(source.cube, len(buckets)))


def _decided(pipe: Pipe, columns: Sequence[int | None]) -> tuple[int | None, ...]:
    """The stream's column that alone is behind each of some, if there is one.

    Where two of them show one column of the stream, a punctuation on it is said of each by itself, so it concerns rows
    in which the other has any value.
    """
    found = [None if i is None else pipe.origin(i) for i in columns]
    return tuple(None if found.count(raw) > 1 else raw for raw in found)


def from_stage(origin: Stage, source: Input, buckets: tuple[int, ...], clock: bool = False) -> Exchange:
    """The exchange behind a stage."""
    at = origin.schema, source.key, buckets, source.number, None, (), source.broadcast, clock
    if source.cube is None:
        return Exchange(*at)
    return CubeExchange(*at, source.cube.columns, (), shares(source.cube, len(buckets)))


def exchange(source: Input, buckets: tuple[int, ...]) -> Exchange:
    """The exchange that an input of a stage comes through."""
    make = from_pipe if isinstance(source.origin, Pipe) else from_stage
    return make(source.origin, source, buckets)  # type: ignore[arg-type]


def running(stage: Stage, buckets: tuple[int, ...], bucket: int) -> StageRuntime:
    """The operators of a stage in one bucket, with nothing read yet."""
    schemas = [_in_bucket(source, buckets, bucket) for source in stage.inputs]
    operators: list[Operator] = []
    reads: list[tuple[int, ...]] = []
    labels: list[str] = []
    late: list[Callable[[], list[Record]]] = []
    failed: list[Callable[[], list[Record]]] = []
    controls: list[Control] = []
    expects: dict[int, ExpectNode] = {}
    lasts: dict[int, LifespanNode] = {}

    def anew(read: int) -> tuple[int, ...]:
        """What begins anew with an input of a merge: an input of the stage, and the operators that it goes through."""
        if read < 0:
            return (read,)
        alone = isinstance(operators[read], Opened | Select | Project | Expect | Lifespan)
        return (read, *anew(reads[read][0])) if alone else ()

    def place(node: Op | Input) -> int:
        if isinstance(node, Input):
            return -1 - node.number
        below = tuple(place(child) for child in node.inputs)
        outputs = [operators[i].output if i >= 0 else schemas[-1 - i] for i in below]
        made = operator(node.relation, outputs)
        made.punctuations_expire = sweeps(stage)
        if isinstance(made, Punctuate) and isinstance(node.relation, Reported):
            late.append(partial(_late, node.relation.stream, made, VIOLATION))
        if isinstance(made, Expect) and isinstance(node.relation, ExpectNode):
            late.append(partial(_late, node.relation.stream, made, LATE))
            expects[len(operators)] = node.relation
        if isinstance(node.relation, LifespanNode):
            lasts[len(operators)] = node.relation
        if isinstance(made, Merging):
            late.extend([partial(bad_elements, made, node.relation.inputs), *[made.unknown] * (bucket == buckets[0])])
        if isinstance(made, Merging) and isinstance(node.relation, r.LMerge) and node.relation.control is not None:
            controls.append((-1 - below[-1], tuple(map(anew, below[:-1])), node.relation.names))
        if isinstance(made, Opened):
            late.append(partial(not_opened, made, node.relation))
        if isinstance(made, Final | Cleanse):
            late.append(partial(never_inserted, made, node.relation))
        failed.append(partial(_failures, node.relation, made))
        operators.append(made)
        reads.append(below)
        labels.append(f"{node.relation.label} of {title(node.relation)}")
        return len(operators) - 1

    place(stage.root)
    inputs = tuple(
        _input(source, schema, buckets, bucket, sweeps(stage))
        for source, schema in zip(stage.inputs, schemas, strict=True)
    )
    names = tuple(
        s.origin.stream.name if isinstance(s.origin, Pipe) else f"stage {s.origin.number}" for s in stage.inputs
    )
    known = (
        tuple(operators),
        tuple(reads),
        stage.schema,
        names,
        tuple(late),
        tuple(controls),
        tuple(failed),
        tuple(labels),
    )
    made = StageRuntime(inputs, *known)
    return sweeping(made, expects, lasts, last=not stage.inputs[0].broadcast) if sweeps(stage) else made


def _in_bucket(source: Input, buckets: tuple[int, ...], bucket: int) -> Schema:
    """The schema of an input, with how far whole numbers go that never come to a bucket."""
    return _with(source.origin.schema, exchange(source, buckets).key_ranges(bucket))


def _with(schema: Schema, key_ranges: dict[int, BucketKeyRange]) -> Schema:
    return Schema(tuple(replace(a, reach=key_ranges.get(i)) for i, a in enumerate(schema.attributes)))


def _input(
    source: Input, schema: Schema, buckets: tuple[int, ...], bucket: int, punctuations_expire: bool
) -> StageInput:
    origin = source.origin
    if not isinstance(origin, Pipe):
        return FromStage(schema, Exchange(origin.schema, partition(origin.root), buckets, 0), punctuations_expire)
    to = from_pipe(origin, source, buckets)
    raw = _with(origin.stream.schema, to.key_ranges(bucket, raw=True))
    steps: list[Operator] = []
    for step in origin.steps:
        steps.append(operator(step, [steps[-1].output if steps else raw]))
    copy = isinstance(to, CubeExchange) and not to.primary(bucket)
    return FromStream(raw, schema, steps, _untold if copy else partial(_originals, origin), _idle(origin))


def _untold(split: str | None, bad: pl.DataFrame) -> list[Record]:
    """Nothing of rows that are copies: the bucket with the first copy tells of them."""
    return []


def _idle(pipe: Pipe) -> frozenset[frozenset[int]]:
    """The columns behind a pipe on which punctuations are of no use, when each of them stands there once, unchanged."""
    at = pipe.stream.schema.positions
    shown = [pipe.origin(i) for i in range(len(pipe.schema))]
    wanted = {frozenset(scheme.attributes) for scheme in pipe.stream.schemes if scheme not in pipe.stream.idle}
    columns = [{at[name] for name in s.attributes} for s in pipe.stream.idle if frozenset(s.attributes) not in wanted]
    seen = (raw for raw in columns if all(shown.count(i) == 1 for i in raw))
    return frozenset(frozenset(shown.index(i) for i in raw) for raw in seen)


def _originals(pipe: Pipe, split: str | None, bad: pl.DataFrame) -> list[Record]:
    """Records of rows that violate, as they are in their file; of a stream without files, as the query reads them."""
    stream = pipe.stream
    found = None if split is None or stream.format is None else _in_file(pipe, split, bad)
    if found is None or len(found) < bad.height:
        texts = zip(json_lines(bad, pipe.schema), bad[REASON], strict=True)
        found = [(None, text, why) for text, why in texts]
    return _violations(stream, None if split is None else shown(Split.at(split)[1].name), found)


def _late(stream: StreamDef, operator: Punctuate | Expect, reason: str) -> list[Record]:
    """Records of the rows that come after all have reported; which file they are from is not known any more."""
    if operator.late.is_empty():
        return []
    texts = zip(json_lines(operator.late, operator.output), operator.reasons, strict=True)
    return _violations(stream, None, [(None, text, why) for text, why in texts], reason)


def _failures(relation: r.Relation, operator: Operator) -> list[Record]:
    """Records of what has no value in an operator: rows that it reads, pairs of them, or groups."""
    streams = list(sources(relation, through=True))
    records = [
        Record(title(relation), why, text)
        for each in operator.failed()
        for text, why in zip(json_lines(*_as_written(each, relation, operator)), each.rows[REASON], strict=True)
    ]
    if records and any(source.stream.on_violation is Violation.FAIL for source in streams):
        fail(records[0])
    return records


def _as_written(failed: Failed, relation: r.Relation, operator: Operator) -> tuple[pl.DataFrame, Schema]:
    """What failed, under the names that the relation has for it when it is a row of its result."""
    if failed.schema is not operator.output or len(failed.schema) != len(relation.schema):
        return failed.rows, failed.schema
    return failed.rows.rename(dict(zip(failed.schema.names, relation.schema.names, strict=True))), relation.schema


Bad = list[tuple[int | None, str, str]]
"""Rows that violate: where they stand, their texts, and what they break."""


def _violations(stream: StreamDef, file: str | None, bad: Bad, reason: str = VIOLATION) -> list[Record]:
    records = [Record(stream.name, reason, text, file, position, why) for position, text, why in bad]
    if records and stream.on_violation is Violation.FAIL:
        fail(records[0])
    return records


def _in_file(pipe: Pipe, split: str, bad: pl.DataFrame) -> Bad | None:
    """The rows of a split that are some bad ones behind the pipe, as they are written there."""
    assert pipe.stream.format is not None
    path, within = Split.at(split)
    try:
        read = READERS[pipe.stream.format](path, pipe.stream.schema, reading(pipe.stream), within)
    except MissingError:
        return None
    raw = read.piece.rows
    behind, _ = Piped(pipe.steps).numbered(raw)
    known = bad.unique()
    rows = behind.join(known, on=[n for n in bad.columns if n != REASON], nulls_equal=True, maintain_order="left")
    rows = rows.head(bad.height)
    found: Bad = []
    for row, plain, why in zip(rows[ROW], json_lines(raw[rows[ROW]], pipe.stream.schema), rows[REASON], strict=True):
        position, text = read.place(row)
        found.append((position, plain if text is None else clean(text, LONGEST), why))
    return found
