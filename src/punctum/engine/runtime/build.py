"""From the plan to what runs: a stage becomes the operators of a bucket, with the parts that are composed with them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import polars as pl

from punctum.algebra.aggregates import Function
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order
from punctum.engine.exchange.buckets import BucketKeyRange, Buckets, Exchange
from punctum.engine.exchange.cube import CubeExchange
from punctum.engine.exchange.quarantine import VIOLATION, Record
from punctum.engine.runtime.dataflow import Dataflow
from punctum.engine.runtime.feedback import FeedbackFilter
from punctum.engine.runtime.inputs import FromStage, FromStream, StageInput
from punctum.engine.runtime.lifespan import Lifespans
from punctum.engine.runtime.lmerge import Merging, bad_elements, never_inserted, not_opened
from punctum.engine.runtime.metrics import OperatorMetrics
from punctum.engine.runtime.partitioned import FromPartitions, PartitionsHeard
from punctum.engine.runtime.parts import Clocks, Control, Controls, Tables, Violations
from punctum.engine.runtime.stage import StagePart, StageRuntime
from punctum.engine.runtime.sweep import LATE, Sweeps
from punctum.engine.runtime.timeline import Reports, SweptInTime, Ticks, Timeline
from punctum.engine.runtime.unfold import Folding
from punctum.engine.runtime.vectorised import operator
from punctum.engine.runtime.violations import failures, late, originals, slice_of_split
from punctum.engine.sources.pipe import Piped
from punctum.ir import temporal
from punctum.ir.by_node import ByNode
from punctum.ir.definitions import KAFKA, AllReported, StreamDef
from punctum.ir.lookup import Lookup as LookupNode
from punctum.ir.planned import ExpectNode, LifespanNode
from punctum.ir.punctuated import Punctuated
from punctum.ir.tree import Relation, title
from punctum.lmerge.cleanse import Cleanse
from punctum.lmerge.final import Final
from punctum.lmerge.opened import Opened
from punctum.operators.clock import tick_of
from punctum.operators.dupelim import Dupelim
from punctum.operators.expect import Expect
from punctum.operators.guard import Guard
from punctum.operators.hop import Hop
from punctum.operators.lifespan import Lifespan
from punctum.operators.lookup import Lookup
from punctum.operators.operator import Operator
from punctum.operators.project import Project
from punctum.operators.punctuate import Punctuate
from punctum.operators.select import Select
from punctum.operators.stamped import Stamped
from punctum.plan.passes.expect import clocks as timed
from punctum.plan.passes.expect import tells_time_alone, timeline
from punctum.plan.physical.cube import shares
from punctum.plan.physical.feedback import FeedbackMapping
from punctum.plan.physical.fold import Folds, folds
from punctum.plan.physical.fold import origins as sources_of
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Op, Stage, partition, sweeps

_IN_ORDER = ("json", "csv", "xml", "parquet", "memory", "nexmark")
"""The formats whose elements have one order."""
_ROW_BY_ROW = (Select, Project, Lookup, Hop, Stamped, Dupelim, Punctuate, Expect, Lifespan)
"""Operators that give nothing but what a row becomes, where it is."""


def piped(pipe: Pipe, stays: bool = False) -> Piped:
    """What a pipe does; rows may stay where they are read."""
    return Piped(pipe.steps, pipe.stream, stays)


def from_pipe(origin: Pipe, source: Input, buckets: Buckets, clock: bool = False) -> Exchange:
    """The exchange behind a pipe: rows have been through it, punctuations have not."""
    raw_key, raw = _decided(origin, source.key), origin.stream.schema
    ticks = _ticks(origin.stream)
    clocks = {c: [t.length for t in ticks if t.column == c] for c in timed(origin.stream)}
    clocks = {c: lengths for c, lengths in clocks.items() if tells_time_alone(origin.stream, c)}
    at = origin.schema, source.key, buckets, source.number, raw, raw_key, source.broadcast, clock, clocks
    if source.cube is None:
        return Exchange(*at)
    columns = source.cube.columns
    return CubeExchange(*at, columns, _decided(origin, columns), shares(source.cube, len(buckets)))


def _decided(pipe: Pipe, columns: Sequence[int | None]) -> tuple[int | None, ...]:
    """The stream's column that alone is behind each of some, if there is one.

    Where two of them show one column of the stream, a punctuation on it is said of each by itself, so it concerns rows
    in which the other has any value.
    """
    origins = [None if i is None else pipe.origin(i) for i in columns]
    return tuple(None if origins.count(raw) > 1 else raw for raw in origins)


def from_stage(origin: Stage, source: Input, buckets: Buckets, clock: bool = False) -> Exchange:
    """The exchange behind a stage."""
    at = origin.schema, source.key, buckets, source.number, None, (), source.broadcast, clock, dict[str, list[int]]()
    if source.cube is None:
        return Exchange(*at)
    return CubeExchange(*at, source.cube.columns, (), shares(source.cube, len(buckets)))


def exchange(source: Input, buckets: Buckets) -> Exchange:
    """The exchange that an input of a stage comes through."""
    make = from_pipe if isinstance(source.origin, Pipe) else from_stage
    return make(source.origin, source, buckets)  # type: ignore[arg-type]


def running(
    stage: Stage, buckets: Buckets, bucket: int, feedback: Mapping[str, FeedbackMapping] | None = None
) -> StageRuntime:
    """A stage in one bucket, with nothing read yet; what nobody needs of its rows follows from a feedback mapping."""
    wiring = _Wiring(stage, buckets, bucket)
    flow = wiring.dataflow()
    expire = sweeps(stage)
    parts: list[StagePart] = [Clocks(wiring.timed)]
    parts += [PartitionsHeard(flow)] if any(isinstance(source, FromPartitions) for source in flow.inputs) else []
    parts += [Lifespans(flow, {n: made for n, (_, made) in wiring.lifespans.items()})] if expire else []
    parts += [Controls(flow, wiring.controls)] if wiring.controls else []
    parts += [Tables(wiring.lookups)] if wiring.lookups else []
    parts += [Violations(flow, wiring.late, wiring.failed), OperatorMetrics(flow)]  # sweeps run behind what is counted
    if expire:  # nothing is skipped then: what is swept, and what is withheld, hangs on all rows
        parts.append(Sweeps(flow, wiring.expects, last=not stage.inputs[0].broadcast))
    elif feedback:
        parts.append(FeedbackFilter(flow, stage.number, feedback))
    return StageRuntime(flow, parts, wiring.timelines(flow))


class _Wiring:
    """The operators of a stage in one bucket, in the order in which they run, and what its parts know of them."""

    def __init__(self, stage: Stage, buckets: Buckets, bucket: int) -> None:
        self._stage, self._buckets, self._bucket = stage, buckets, bucket
        self._schemas = [_in_bucket(source, buckets, bucket) for source in stage.inputs]
        self._ordered = [isinstance(s.origin, Pipe) and s.origin.stream.format in _IN_ORDER for s in stage.inputs]
        self._operators: list[Operator] = []
        self._reads: list[tuple[int, ...]] = []
        self._labels: list[str] = []
        self._places = ByNode[int]()
        self.late: list[Callable[[], list[Record]]] = []
        self.failed: list[Callable[[], list[Record]]] = []
        self.controls: list[Control] = []
        self.expects: dict[int, tuple[ExpectNode, Expect]] = {}
        self.lifespans: dict[int, tuple[LifespanNode, Lifespan]] = {}
        self.timed: list[Expect | Lifespan | Stamped] = []
        self.lookups: list[tuple[str, Lookup]] = []
        self._place(stage.root)

    def dataflow(self) -> Dataflow:
        """The operators, wired to the inputs."""
        stage, expire, folded = self._stage, sweeps(self._stage), folds(self._stage)
        pairs = zip(stage.inputs, self._schemas, strict=True)
        inputs = tuple(
            _input(source, schema, self._buckets, self._bucket, expire, folded.get(source.number, ()))
            for source, schema in pairs
        )
        origins = [source.origin for source in stage.inputs]
        names = tuple(o.stream.name if isinstance(o, Pipe) else f"stage {o.number}" for o in origins)
        return Dataflow(inputs, tuple(self._operators), tuple(self._reads), stage.schema, names, tuple(self._labels))

    def timelines(self, flow: Dataflow) -> dict[int, Timeline]:
        """For each stream by whose time values are swept, what cuts its sequence."""
        swept, lifespans = dict[int, list[SweptInTime]](), dict[int, list[tuple[Lifespan, str]]]()
        for n, (relation, expect) in self.expects.items():
            if relation.time is not None and (known := self._pipe(n)) is not None:
                swept.setdefault(known[0], []).append(_swept_in_time(relation, expect, known[1]))
        for n, (node, lifespan) in self.lifespans.items():
            if node.time is not None and (known := self._pipe(n)) is not None:
                lifespans.setdefault(known[0], []).append((lifespan, _column(node.time, known[1])))
        timelines = dict[int, Timeline]()
        for n in range(len(self._stage.inputs)):
            reports = self._reports(n)
            alone = self._alone and not reports
            ticks = self._ticks(n, n in lifespans, alone)
            if n in swept or n in lifespans or ticks:
                source = _stream(flow.inputs[n])
                source.reported = frozenset(column for _, column in reports)
                timelines[n] = Timeline(source, swept.get(n, ()), lifespans.get(n, ()), ticks, reports, alone)
        return timelines

    def _reports(self, number: int) -> list[Reports]:
        """What makes the times of a stream, of reports that come in its order."""
        pipe = self._stage.inputs[number].origin
        made = [self._operators[n] for n, reads in enumerate(self._reads) if reads == (-1 - number,)]
        if not isinstance(pipe, Pipe) or not self._ordered[number]:
            return []
        reported = {c.scheme.terms for c in pipe.stream.punctuates if isinstance(c, AllReported)}
        columns = [column for column in timed(pipe.stream) if ((column, Order.ASC),) in reported]
        return [Reports(operator, c) for c in columns for operator in made if isinstance(operator, Punctuate)]

    @property
    def _alone(self) -> bool:
        """Whether what is swept here is swept nowhere else: no stage follows, and none before sweeps."""
        before = [source.origin for source in self._stage.inputs if isinstance(source.origin, Stage)]
        return not any(source.everywhere for source in self._stage.inputs) and not any(map(sweeps, before))

    def _ticks(self, number: int, lifespans: bool, alone: bool) -> list[Ticks]:
        """The ticks by which the sequence of an input is cut."""
        pipe = self._stage.inputs[number].origin
        if not isinstance(pipe, Pipe) or not self._ordered[number]:
            return []
        return [t for t in _ticks(pipe.stream) if (not alone if t.behind else lifespans)]

    def _pipe(self, n: int) -> tuple[int, Pipe] | None:
        """The input below an operator, when it is a stream whose rows come in order."""
        read = n
        while read >= 0:
            read = self._reads[read][0]
        pipe = self._stage.inputs[-1 - read].origin
        return (-1 - read, pipe) if isinstance(pipe, Pipe) and self._in_order(n) else None

    def _place(self, node: Op | Input) -> int:
        """Put an operator behind those that it reads, and give the reference to it."""
        if isinstance(node, Input):
            return -1 - node.number
        return self._places.find(node, lambda: self._place_operator(node))

    def _place_operator(self, node: Op) -> int:
        below = tuple(self._place(child) for child in node.inputs)
        outputs = [self._operators[i].output if i >= 0 else self._schemas[-1 - i] for i in below]
        made = operator(node.relation, outputs)
        made.punctuations_expire = sweeps(self._stage)
        if isinstance(made, Punctuate):
            made.in_order = self._in_order(below[0])
        self._note_time(node.relation, made)
        self._note_late(node.relation, made)
        if isinstance(node.relation, LookupNode) and isinstance(made, Lookup):
            self.lookups.append((title(node.relation.table), made))
        if isinstance(node.relation, temporal.LMerge) and node.relation.control is not None:
            restarted = tuple(map(self._anew, below[:-1]))
            self.controls.append(Control(-1 - below[-1], restarted, node.relation.names))
        self.failed.append(partial(failures, node.relation, made))
        self._operators.append(made)
        self._reads.append(below)
        self._labels.append(f"{node.relation.label} of {title(node.relation)}")
        return len(self._operators) - 1

    def _in_order(self, read: int) -> bool:
        """Whether rows come in the order of their stream, each from where one of it stands.

        Those of partitions, or of buckets of a stage, do not, nor do groups, pairs, and what is released.
        """
        if read < 0:
            return self._ordered[-1 - read]
        return isinstance(self._operators[read], _ROW_BY_ROW) and self._in_order(self._reads[read][0])

    def _note_time(self, relation: Relation, made: Operator) -> None:
        """Note an operator that expects punctuations, or lets them be over, and one that goes by the clock."""
        number = len(self._operators)
        if isinstance(relation, ExpectNode) and isinstance(made, Expect):
            self.expects[number] = relation, made
        if isinstance(relation, LifespanNode) and isinstance(made, Lifespan):
            self.lifespans[number] = relation, made
        if isinstance(relation, ExpectNode | LifespanNode) and relation.time is None:
            assert isinstance(made, Expect | Lifespan)
            self.timed.append(made)
        if isinstance(made, Stamped):
            self.timed.append(made)

    def _note_late(self, relation: Relation, made: Operator) -> None:
        """Note what says which rows of the last slice an operator has kept out."""
        if isinstance(made, Punctuate) and isinstance(relation, Punctuated):
            self.late.append(partial(late, relation.stream, made, VIOLATION))
        if isinstance(made, Expect) and isinstance(relation, ExpectNode):
            self.late.append(partial(late, relation.stream, made, LATE))
        if isinstance(made, Merging):
            self.late.append(partial(bad_elements, made, relation.inputs))
            self.late += [made.unknown] if self._bucket == self._buckets[0] else []
        if isinstance(made, Opened):
            self.late.append(partial(not_opened, made, relation))
        if isinstance(made, Final | Cleanse):
            self.late.append(partial(never_inserted, made, relation))

    def _anew(self, read: int) -> tuple[int, ...]:
        """What begins anew with an input of a merge: an input of the stage, and the operators that it goes through."""
        if read < 0:
            return (read,)
        alone = isinstance(self._operators[read], Opened | Select | Project | Expect | Lifespan)
        return (read, *self._anew(self._reads[read][0])) if alone else ()


def _swept_in_time(relation: ExpectNode, expect: Expect, pipe: Pipe) -> SweptInTime:
    assert relation.time is not None
    name, (key, *more) = _column(relation.time, pipe), (pipe.origin(at) for at in relation.by)
    return SweptInTime(expect, name, not tells_time_alone(pipe.stream, name), None if more else key)


def _ticks(stream: StreamDef) -> list[Ticks]:
    """The ticks by which values of a stream are swept, and punctuations over, in its own time."""
    ticks = list[Ticks]()
    for limits in stream.limits:
        if (column := timeline(stream, limits.scheme)) is not None:
            both = (limits.expect, True), (limits.lifespan, False)
            ticks += [Ticks(column, tick_of(limit), behind) for limit, behind in both if limit is not None]
    return ticks


def _column(at: int, pipe: Pipe) -> str:
    """The stream's column that stands behind its pipe."""
    origin = pipe.origin(at)
    assert origin is not None
    return pipe.stream.schema.names[origin]


def _stream(source: StageInput) -> FromStream:
    assert isinstance(source, FromStream)
    return source


def _in_bucket(source: Input, buckets: Buckets, bucket: int) -> Schema:
    """The schema of an input, with how far whole numbers go that never come to a bucket."""
    return _with(source.origin.schema, exchange(source, buckets).key_ranges(bucket))


def _with(schema: Schema, key_ranges: dict[int, BucketKeyRange]) -> Schema:
    return Schema(tuple(replace(a, reach=key_ranges.get(i)) for i, a in enumerate(schema.attributes)))


def folded_names(stage: Stage, source: Input) -> list[tuple[str, Function | None]]:
    """The columns of an input that are folded where it is read, by name."""
    names = source.origin.schema.names
    return [(names[at], function) for at, function in folds(stage).get(source.number, ())]


def _input(
    source: Input, schema: Schema, buckets: Buckets, bucket: int, punctuations_expire: bool, folded: Folds
) -> StageInput:
    origin = source.origin
    if not isinstance(origin, Pipe):
        return FromStage(schema, Exchange(origin.schema, partition(origin.root), buckets, 0), punctuations_expire)
    to = from_pipe(origin, source, buckets)
    raw = _with(origin.stream.schema, to.key_ranges(bucket, raw=True))
    copy = isinstance(to, CubeExchange) and not to.primary(bucket)
    original = _untold if copy else partial(originals, origin)

    def sequence(guard: Guard | None = None) -> FromStream:
        steps: list[Operator] = []
        for step in origin.steps:
            steps.append(operator(step, [steps[-1].output if steps else raw]))
        folding = _folding(origin, to, bucket, folded)
        return FromStream(raw, schema, steps, original, _idle(origin), folding, guard, bool(origin.stream.limits))

    return FromPartitions(schema, sequence, _owned(origin)) if origin.stream.format == KAFKA else sequence()


def _owned(pipe: Pipe) -> frozenset[frozenset[int]]:
    """The columns behind a pipe whose values stay in one partition: each choice of them that shows all that do."""
    shown = [pipe.origin(i) for i in range(len(pipe.schema))]
    columns = [pipe.stream.schema.index(name) for name in pipe.stream.partitioned]
    places = ([i for i, raw in enumerate(shown) if raw == column] for column in columns)
    return frozenset(map(frozenset, product(*places))) if columns else frozenset()


def _folding(pipe: Pipe, to: Exchange, bucket: int, folded: Folds) -> Folding | None:
    """What is folded behind a pipe, if anything."""
    if not folded or pipe.stream.format is None:
        return None
    raw = frozenset(i for at, _ in folded for i in sources_of(pipe)[0][at])
    names, own = pipe.schema.names, pipe.stream.schema.names
    columns = frozenset(names[at] for at, _ in folded)
    return Folding(columns, raw, frozenset(own[i] for i in raw), partial(slice_of_split, pipe, to, bucket))


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
