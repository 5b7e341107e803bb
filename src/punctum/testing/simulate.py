"""A query's stages without Spark: the same pipes, exchanges, inputs and operators, bucket by bucket, in one process."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.compile import PASSES, Options, Pass, compile_relation
from punctum.engine.exchange.blobs import from_blob, to_blob
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import (
    Addressed,
    Clock,
    Counts,
    FeedbackMessage,
    Message,
    PartitionsMessage,
    SplitPart,
    StageMessage,
    decode,
    stream_slices,
    to_all,
    to_arrow,
)
from punctum.engine.exchange.quarantine import Record, fail
from punctum.engine.feedback.filter import Signals, Skipping
from punctum.engine.formats.read import Read
from punctum.engine.runtime import build
from punctum.engine.runtime.processor import to_next_stage
from punctum.engine.runtime.rescale import BucketState, SplitStage
from punctum.engine.runtime.stage import StageRuntime
from punctum.engine.runtime.stored import plain_names
from punctum.engine.sources.source import FrameStream, Pipes, failed
from punctum.ir.definitions import Violation
from punctum.ir.tree import Relation
from punctum.lmerge.feedback import Signal
from punctum.operators.batch import punctuations_of
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.operator import of_rows
from punctum.plan.joins.choose import PlanOptions
from punctum.plan.passes.punctuate import Members, nobody
from punctum.plan.physical.feedback import feedback_mappings
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Stage, all_stages, needs_clock

Feed = Mapping[str, "ColumnarSlice | Sequence[ColumnarSlice] | PartitionSplits"]
"""A slice of each stream, whole, in parts that tasks read in any order, in splits, or in partitions of a topic."""


class PartitionSplits(dict[int, list[ColumnarSlice]]):
    """The splits of each partition of a topic; those that are idle, and all that there are."""

    def __init__(
        self, splits: Mapping[int, list[ColumnarSlice]], known: Sequence[int], idle: Sequence[int] = ()
    ) -> None:
        super().__init__(splits)
        self.partitions = PartitionsMessage(tuple(known), tuple(idle))

    @property
    def pieces(self) -> list[tuple[SplitPart, ColumnarSlice]]:
        """All splits, and where each of them stands."""
        return [(SplitPart(n, 0, partition=p), piece) for p, splits in self.items() for n, piece in enumerate(splits)]


class Splits(list[ColumnarSlice]):
    """Parts of a slice that follow each other, and the splits of files that they are; elements may have places."""

    def __init__(self, pieces: Iterable[ColumnarSlice] = (), files: Sequence[str] = ()) -> None:
        super().__init__(pieces)
        self._files = tuple(files)

    def place(self, number: int) -> SplitPart:
        """Where one of them stands."""
        return SplitPart(number, 0, self._files[number] if self._files else "")


ALL_PUNCTUATIONS = tuple((name, run) for name, run in PASSES if name != "mark unused schemes")
"""The passes of a compiler that takes all punctuations everywhere: what each bucket says can be looked at then."""


def planned(
    relation: Relation,
    members: Members = nobody,
    *,
    global_punctuations: bool = False,
    options: PlanOptions | None = None,
    updates: bool = False,
    passes: tuple[Pass, ...] = ALL_PUNCTUATIONS,
) -> Stage:
    """The last stage of a relation, compiled as a query is."""
    how = Options(options or PlanOptions(), members=members, punctuations=global_punctuations, updates=updates)
    return compile_relation(relation, how, passes).last


class ScatteredBuckets(Buckets):
    """Buckets that neighbouring keys go to in no order: the few keys of a test would all be in one of them."""

    run = 1


class Simulation:
    """A query that takes a slice of each stream at a time; its punctuations are for the whole result, or by bucket."""

    def __init__(
        self,
        relation: Relation,
        buckets: int,
        restart: bool = False,
        global_punctuations: bool = False,
        members: Members = nobody,
        options: PlanOptions | None = None,
        updates: bool = False,
        signals: Signals | None = None,
        passes: tuple[Pass, ...] = ALL_PUNCTUATIONS,
    ) -> None:
        self.last = planned(
            relation,
            members,
            global_punctuations=global_punctuations,
            options=options,
            updates=updates,
            passes=passes,
        )
        self._signals, self._heeds = signals, {} if signals is None else feedback_mappings(self.last)
        self._buckets = ScatteredBuckets(range(100, 100 + buckets))
        self._running: dict[tuple[int, int], StageRuntime] = {}
        self._restart = restart
        self._greeted: set[tuple[int, int]] = set()
        self._now = 0
        self.records: list[Record] = []
        self.counts: list[Counts] = []
        self.skipped = 0
        """How many rows of all streams were skipped where they are read."""

    def feed(self, streams: Feed, now: int = 0) -> ColumnarSlice:
        """The rows of the result for a slice of each stream, and what its buckets have said.

        Beside them are the records for the quarantine and the counts of each operator in each bucket. The time of the
        batch is in milliseconds.
        """
        self._now, self.records, self.counts = now, [], []
        given = list(self._stage(self.last, streams).values())
        rows = [piece.rows for piece in given]
        puncts: tuple[Punctuation, ...] = tuple(p for piece in given for p in punctuations_of(self.last.schema, piece))
        return ColumnarSlice(pl.concat(rows) if rows else empty(self.last.schema), puncts)

    def rescale(self, buckets: int) -> None:
        """Go on with so many buckets."""
        old, new = self._buckets, type(self._buckets)(range(500, 500 + buckets))
        stages = {stage.number: stage for stage in all_stages(self.last)}
        splits = {number: SplitStage(stage, old, new) for number, stage in stages.items()}
        before, self._running, self._buckets = self._running, {}, new
        for (number, bucket), known in before.items():
            chunks = {
                name: {n: (from_blob(to_blob(chunk)), table.ages(n)) for n, chunk in table.chunks().items()}
                for name, table in known.flow.tables().items()
            }
            for part in splits[number].parts(bucket):
                made, fresh = (build.running(stages[number], new, part, self._heeds) for _ in range(2))
                state = splits[number].of(BucketState(known.metadata(), chunks), bucket, part, made, splits)
                fresh.restore(state.text, {t: {n: c for n, (c, _) in of.items()} for t, of in state.chunks.items()})
                self._running[number, part] = fresh
        origins = {
            (s.number, i.origin.number) for s in stages.values() for i in s.inputs if isinstance(i.origin, Stage)
        }
        for number, origin in origins:
            parents = {part: splits[origin].parent(part) for part in new if (origin, part) in self._running}
            self._greeted |= {(number, part) for part, one in parents.items() if (number, one) in self._greeted}

    def kept(self) -> int:
        """How many rows all operators keep."""
        return sum(operator.size().rows for running in self._running.values() for operator in running.flow.operators)

    def state(self) -> dict[str, pl.DataFrame]:
        """The rows that all operators keep, by operator and table."""
        kept = dict[str, list[pl.DataFrame]]()
        for _, running in sorted(self._running.items()):
            for operator, label in zip(running.flow.operators, running.flow.labels, strict=True):
                for name, table in operator.tables().items():
                    if of_rows(name):
                        kept.setdefault(f"{label}: {name}", []).append(table.frame())
        frames = {name: pl.concat(parts) for name, parts in kept.items()}
        return {name: rows.rename(plain_names(rows)) for name, rows in frames.items()}

    def bytes(self) -> int:
        """How much memory the rows take."""
        return sum(operator.size().bytes for running in self._running.values() for operator in running.flow.operators)

    def puncts(self) -> int:
        """How many punctuations all operators keep."""
        return sum(operator.size().puncts for running in self._running.values() for operator in running.flow.operators)

    def remembered(self) -> int:
        """How many punctuations all inputs remember."""
        return sum(source.puncts() for running in self._running.values() for source in running.flow.inputs)

    def metadata(self) -> int:
        """How long the notes of all buckets are."""
        return sum(len(running.metadata()) for running in self._running.values())

    def _stage(self, stage: Stage, streams: Feed) -> dict[int, ColumnarSlice]:
        sent = list[Addressed]()
        for source in stage.inputs:
            origin, clock = source.origin, needs_clock(stage)
            if isinstance(origin, Pipe):
                to = build.from_pipe(origin, source, self._buckets, clock)
            else:
                to = build.from_stage(origin, source, self._buckets, clock)
            given = streams.get(origin.stream.name) if isinstance(origin, Pipe) else None
            places = dict(enumerate(place for place, _ in given.pieces)) if isinstance(given, PartitionSplits) else {}
            sent += to_all(self._buckets, given.partitions, to.input) if isinstance(given, PartitionSplits) else []
            for number, (sender, piece, feedback) in enumerate(self._pieces(stage, source, streams)):
                first = (stage.number, sender) not in self._greeted
                self._greeted.add((stage.number, sender))
                if isinstance(origin, Pipe):
                    pieces = to.init_messages() | to.split(piece) if first else to.split(piece)
                    place = places.get(number, given.place(number) if isinstance(given, Splits) else None)
                    sent += stream_slices(pieces, to.input, place)
                    sent += to_all(self._buckets, Clock(), to.input) if clock else []
                    sent += to_all(self._buckets, FeedbackMessage(feedback), to.input) if feedback is not None else []
                else:
                    running = self._running[origin.number, sender]
                    sent += to_next_stage(running, to, sender, first) + running.messages(to, sender)
        arrived: dict[int, dict[int, list[StageMessage]]] = {}
        for bucket, message, number in decode(to_arrow(sent).to_pydict()):
            arrived.setdefault(bucket, {}).setdefault(number, []).append(self._timed(message))
        return {bucket: self._feed(stage, bucket, messages) for bucket, messages in sorted(arrived.items())}

    def _timed(self, message: Message) -> StageMessage:
        """A message as Spark passes it on: it says what the time is."""
        assert isinstance(message, StageMessage)
        return Clock(self._now) if isinstance(message, Clock) else message

    def _feed(self, stage: Stage, bucket: int, arrived: dict[int, list[StageMessage]]) -> ColumnarSlice:
        running = self._run(stage, bucket)
        given, counts = running.feed(arrived)
        self.records += running.records()
        self.counts += counts
        return given

    def _pieces(self, stage: Stage, source: Input, streams: Feed) -> Iterator[tuple[int, ColumnarSlice, Signal | None]]:
        origin = source.origin
        if isinstance(origin, Stage):
            yield from ((bucket, piece, None) for bucket, piece in self._stage(origin, streams).items())
        elif origin.stream.name in streams:
            pieces = streams[origin.stream.name]
            several = [piece for _, piece in pieces.pieces] if isinstance(pieces, PartitionSplits) else pieces
            for piece in [several] if isinstance(several, ColumnarSlice) else several:
                pipe: Pipes = build.piped(origin)
                if self._signals is not None:
                    over = {c: e.streams.get((stage.number, source.number)) for c, e in self._heeds.items()}
                    known = {c: e for c, e in over.items() if e is not None}
                    pipe = Skipping(build.piped(origin), origin, self._signals, known)
                piped = pipe.apply(piece)
                stream, fails = origin.stream, origin.stream.on_violation is Violation.FAIL
                named = FrameStream(stream.name, stream.schema, pipe, None, fails, True)  # type: ignore[arg-type]
                records = failed(named, Read(piece, pl.DataFrame(), lambda _: (0, None)), None, piped.failed)
                if fails and records:
                    fail(records[0])
                self.records += records
                self.skipped += piped.skipped
                yield -1, piped.piece, piped.feedback

    def _run(self, stage: Stage, bucket: int) -> StageRuntime:
        known = self._running.get((stage.number, bucket))
        if known is None or self._restart:
            fresh = build.running(stage, self._buckets, bucket, self._heeds)
            if known is not None:
                chunks = {
                    name: {n: from_blob(to_blob(chunk)) for n, chunk in table.chunks().items()}
                    for name, table in known.flow.tables().items()
                }
                fresh.restore(known.metadata(), chunks)
            self._running[stage.number, bucket] = fresh
        return self._running[stage.number, bucket]


def run(
    relation: Relation,
    slices: Sequence[Feed],
    buckets: int,
    restart: bool = False,
    global_punctuations: bool = False,
    options: PlanOptions | None = None,
) -> list[ColumnarSlice]:
    """All slices of a query's result."""
    simulation = Simulation(relation, buckets, restart, global_punctuations, options=options)
    return [simulation.feed(piece) for piece in slices]
