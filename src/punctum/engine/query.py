"""A query on Spark: its streams, stages and sink as one streaming DataFrame.

::

    streams, packed -> [union, grouped by bucket, stage] -> … -> unpacked -> sink
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, reduce
from typing import NamedTuple, TypeVar
from uuid import uuid4

import pyarrow as pa
from pyspark.cloudpickle import dumps
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from punctum.engine import scale
from punctum.engine.exchange.buckets import Buckets, Exchange
from punctum.engine.exchange.kinds import NOT_COUNTED, TIMED
from punctum.engine.exchange.local import exchange_of
from punctum.engine.exchange.messages import SCHEMA
from punctum.engine.exchange.told import ToldFiles
from punctum.engine.feedback.filter import FeedbackContext, Skipping, feedback_context
from punctum.engine.formats.files import PUNCT_COLUMN, READERS, reading
from punctum.engine.kafka.broker import FIRST, Brokers
from punctum.engine.kafka.topics import Topic, TopicListing
from punctum.engine.memory import MAX_FILES, state_memory
from punctum.engine.partitions import dealt
from punctum.engine.recovery.bucket_notes import state_directory
from punctum.engine.recovery.checkpoint import (
    files_read,
    load_or_init_plan,
    remove_partial_offsets,
    settled_buckets,
)
from punctum.engine.recovery.names import file_name
from punctum.engine.runtime import build
from punctum.engine.runtime.behind_read import StageBehindRead
from punctum.engine.runtime.declared import DeclaredStage
from punctum.engine.runtime.jumpstart import StoredState, begin_with, settled_state
from punctum.engine.runtime.processor import StageProcessor
from punctum.engine.runtime.rescale import go_on_with, remove_others
from punctum.engine.runtime.stage import StageRuntime
from punctum.engine.runtime.stored import Described, described, write_described
from punctum.engine.runtime.task import StageTask
from punctum.engine.runtime.telling import Telling
from punctum.engine.runtime.where_read import StageWhereRead
from punctum.engine.settings import Settings, claimed
from punctum.engine.sinks.copy import CopyFiles
from punctum.engine.sinks.files import ResultFiles
from punctum.engine.sinks.topic import MessageFiles
from punctum.engine.sources.directories import check_directory, selected
from punctum.engine.sources.frames import SOURCES
from punctum.engine.sources.known import FORGET
from punctum.engine.sources.listing import SETTLE
from punctum.engine.sources.memory import MEMORY
from punctum.engine.sources.reader import (
    FORMAT,
    SCHEMA_OPTION,
    STREAMS_OPTION,
    Directory,
    PackedFiles,
    PackedFilesReader,
    Running,
    encoded,
)
from punctum.engine.sources.refresh import RefreshedTable
from punctum.engine.sources.source import FileStream, FrameStream, Pipes, TopicStream, packed_rows
from punctum.engine.sources.tables import refreshed_table, store_tables, stored_tables
from punctum.engine.sources.timer import Timer
from punctum.engine.spark import active
from punctum.engine.unpacked import unpacked
from punctum.errors import SchemaError, choices
from punctum.ir.definitions import KAFKA, StreamDef, Violation, is_refreshed
from punctum.parse.binder.durations import seconds
from punctum.plan.physical.feedback import FeedbackMapping
from punctum.plan.physical.fingerprint import fingerprint
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Stage, all_stages, needs_clock, tables_of
from punctum.storage.location import Location, joined, location

Results = ResultFiles | CopyFiles | MessageFiles
"""The files of a query's results."""
Given = TypeVar("Given")
To = Exchange | Results | None
"""Where what a stage gives goes: to the next one, to files, or to the driver."""


def packed(
    last: Stage,
    settings: Settings,
    to: Results | None = None,
    where_read: bool = False,
    told: ToldFiles | None = None,
) -> DataFrame:
    """The result of a query in packed slices, or in files, with all else that its stages have to say.

    A query may run where its streams are read, with a checkpoint that has not begun in several buckets. When each batch
    of the DataFrame is asked for once, tasks of one machine need no exchange of Spark's behind what they read, and tell
    the driver in files what they have to say.
    """
    plan, checkpoint, copy = fingerprint(last), settings.checkpoint, None
    if checkpoint:
        copy = settled_state(checkpoint, settings.state, plan, StoredState.copy)
        load_or_init_plan(checkpoint, plan)
        remove_partial_offsets(checkpoint)
        if copy is not None:
            begin_with(copy, checkpoint)
    wanted = dealt(1) if where_read else settings.buckets
    more = scale.wanted(settings.spark, checkpoint, where_read)
    if more is not None and (scale.is_shown(checkpoint, to) or scale.begins_with(checkpoint, more, copy is not None)):
        more = None
    buckets = Buckets(settled_buckets(checkpoint, wanted) if checkpoint else wanted)
    with active(settings.spark):
        settings.spark.dataSource.register(PackedFiles)
        assembly = _Assembly(settings, buckets, uuid4().hex, feedback_context(last, settings.feedback), told)
        if more is not None:
            assembly.go_on_with(last, more)
        result = assembly.where_read(last, to) if where_read and len(buckets) == 1 else assembly.stage(last, to)
    if checkpoint:
        write_described(checkpoint, assembly.described)
        remove_others(location(checkpoint))
    return result


def dataframe(last: Stage, settings: Settings, punctuations: bool = False) -> DataFrame:
    """The result of a query as a streaming DataFrame, with its punctuations in the column ``_punct`` when asked for.

    For these to hold for the whole result, the stages are planned for the whole.
    """
    if punctuations and PUNCT_COLUMN in last.schema.names:
        raise SchemaError(
            f"the result has a column {PUNCT_COLUMN}", "the name is reserved for punctuations", "rename it"
        )
    with claimed(settings):
        slices = packed(last, settings).where(NOT_COUNTED)
        return unpacked(slices, last.schema, punctuations, settings.quarantine)


_LOG = logging.getLogger("punctum")


class _Assembly:
    """Puts the DataFrames of stages and streams together."""

    def __init__(
        self,
        settings: Settings,
        buckets: Buckets,
        run: str,
        feedback_context: FeedbackContext,
        told: ToldFiles | None = None,
    ) -> None:
        self._exchange = "" if told is None else str(exchange_of(location(settings.checkpoint)))
        self._told = told
        self._settings, self._buckets, self._run, self._feedback = settings, buckets, run, feedback_context
        self.described = list[Described]()
        self._read = set[str]()
        self._files_read = files_read(location(settings.checkpoint)) if settings.checkpoint else {}

    def stage(self, stage: Stage, to: To) -> DataFrame:
        """What a stage sends, which runs in buckets behind an exchange."""
        if self._reads_here(stage):
            return self._behind_read(stage, to)
        tables, refreshed = self._tables(stage)
        packed = reduce(DataFrame.union, self._inputs(stage, refreshed))
        packed = packed.withColumn("detail", F.expr(TIMED)) if needs_clock(stage) else packed
        processor = self._processor(stage, tables, to)
        if not self._settings.checkpoint:
            declared = DeclaredStage(processor)
            return packed.groupBy("bucket").transformWithStateInPandas(declared, SCHEMA, "Append", "None")
        task = self._telling(StageTask(processor, self._state(stage)), to)
        return packed.repartition(len(self._buckets), "bucket").mapInArrow(task, SCHEMA)

    def _telling(
        self, run: Callable[[Given], Iterator[pa.RecordBatch]], to: To
    ) -> Callable[[Given], Iterator[pa.RecordBatch]]:
        """What runs a stage in tasks, where the last one also tells the driver."""
        return run if self._told is None or isinstance(to, Exchange) else Telling(run, self._told)

    def _pickled(self, run: Callable[[Given], Iterator[pa.RecordBatch]], to: To) -> bytes:
        """The same for the tasks that read streams."""
        return dumps(self._telling(run, to))  # type: ignore[no-untyped-call,no-any-return]

    def go_on_with(self, last: Stage, more: Buckets) -> None:
        """Let the query go on with more buckets."""
        tables = {stage.number: self._tables(stage)[0] for stage in all_stages(last)}
        known = self._feedback.feedback_mappings

        def running(stage: Stage, buckets: Buckets, bucket: int) -> StageRuntime:
            return _running(stage, buckets, known, tables[stage.number], bucket)

        _LOG.info("going on with %d buckets instead of %d…", len(more), len(self._buckets))
        go_on_with(self._settings.checkpoint, last, self._buckets, more, running)
        self._buckets = more

    def where_read(self, stage: Stage, to: To) -> DataFrame:
        """What a stage sends that runs where its streams are read."""
        tables, _ = self._tables(stage)
        read = self._read_all(stage, stays=True)
        files = {key: stream for key, stream in read.streams.items() if isinstance(stream, FileStream)}
        running = StageWhereRead(self._processor(stage, tables, to), files, self._state(stage), self._buckets[0])
        return self._files(read, running=Running(self._pickled(running, to)))

    def _behind_read(self, stage: Stage, to: To) -> DataFrame:
        """What a stage sends that runs in the tasks that read its streams."""
        tables, refreshed = self._tables(stage)
        read, exchange = self._read_all(stage), f"{self._exchange}/{stage.number}"
        running = StageBehindRead(self._processor(stage, tables, to), read.streams, self._state(stage), self._buckets)
        pickled = self._pickled(running, to)
        return self._files(read, None, refreshed, Running(pickled, exchange, len(self._buckets)))

    def _reads_here(self, stage: Stage) -> bool:
        """Whether the tasks that read the streams of a stage can run it: nothing else has to reach them."""
        pipes = [source.origin for source in stage.inputs if isinstance(source.origin, Pipe)]
        files = all(pipe.stream.name not in self._settings.frames for pipe in pipes)
        return bool(self._exchange and pipes and files) and len(pipes) == len(stage.inputs) and not needs_clock(stage)

    def _tables(self, stage: Stage) -> tuple[dict[str, str], list[RefreshedTable]]:
        """Where the tables of a stage are stored, by their names, and those of them that are read again."""
        directory, known = location(self._settings.directory), tables_of(stage)
        tables = store_tables(known, self._settings.checkpoint, directory, stage.number)
        refreshed = [refreshed_table(table, directory, tables[table.name]) for table in known if is_refreshed(table)]
        return tables, refreshed

    def _processor(self, stage: Stage, tables: Mapping[str, str], to: To) -> StageProcessor:
        """What runs a stage in its buckets."""
        running = partial(_running, stage, self._buckets, self._feedback.feedback_mappings, tables)
        if self._settings.checkpoint:
            self.described.append(described(stage.number, running(self._buckets[0])))
        return StageProcessor(self._run, stage.number, running, to, state_memory(self._settings.spark))

    def _state(self, stage: Stage) -> Location:
        return state_directory(location(self._settings.checkpoint)) / str(stage.number)

    def _inputs(self, stage: Stage, refreshed: list[RefreshedTable]) -> Iterator[DataFrame]:
        """What a stage reads: stages before it, DataFrames, and all streams of files as one source."""
        clock = needs_clock(stage)
        read = self._read_all(stage)
        for source in stage.inputs:
            origin = source.origin
            if isinstance(origin, Stage):
                yield self.stage(origin, build.from_stage(origin, source, self._buckets, clock))
            elif (frame := read.frames.get(source.number)) is not None:
                yield self._settings.frames[frame.name].mapInArrow(partial(packed_rows, frame), SCHEMA)
        if read.streams:
            timer = Timer.of(self._settings.checkpoint, stage.number) if clock else None
            yield self._files(read, timer, refreshed)
        elif refreshed:
            detail = "it is looked up where no stream of files or of a topic is read"
            hint = "join it with such a stream before all else, or leave out refresh"
            raise SchemaError(f"the table {refreshed[0].name} cannot be refreshed", detail, hint)

    def _read_all(self, stage: Stage, stays: bool = False) -> "_Streams":
        """The streams that a stage reads."""
        read = _Streams([], [], {}, {})
        for source in stage.inputs:
            if isinstance(source.origin, Stage):
                continue
            stream = self._stream(stage, source, source.origin, stays)
            place = f"{stage.number}-{source.number}"
            if isinstance(stream, FileStream):
                read.directories.append(self._directory(stream, source.origin.stream, place))
                read.streams[read.directories[-1].key] = stream
            elif isinstance(stream, TopicStream):
                read.topics.append(self._topic(stream, place))
                read.streams[read.topics[-1].key] = stream
            else:
                read.frames[source.number] = stream
        return read

    def _piped(self, stage: Stage, number: int, pipe: Pipe, stays: bool) -> Pipes:
        """What a pipe does, with what it may skip."""
        piped, (signals, known) = build.piped(pipe, stays), self._feedback
        over = {column: mapping.streams.get((stage.number, number)) for column, mapping in known.items()}
        mapped = {column: expression for column, expression in over.items() if expression is not None}
        return Skipping(piped, pipe, signals, mapped) if known else piped

    def _stream(self, stage: Stage, source: Input, pipe: Pipe, stays: bool = False) -> FrameStream:
        stream, to = pipe.stream, build.from_pipe(pipe, source, self._buckets, needs_clock(stage))
        piped = self._piped(stage, source.number, pipe, stays)
        reports = stream.name not in self._read
        # what feedback skips is looked for in any column
        fold = () if self._feedback.feedback_mappings else build.folded_names(stage, source)
        self._read.add(stream.name)
        fails = stream.on_violation is Violation.FAIL
        if stream.name in self._settings.frames:
            return FrameStream(stream.name, stream.schema, piped, to, fails, reports)
        if stream.format == KAFKA:
            return TopicStream(stream.name, stream.schema, piped, to, fails, reports, stream.options, fold)
        if stream.format not in READERS:
            hint = choices([*READERS, *SOURCES, MEMORY, KAFKA])
            raise SchemaError(f"the format {stream.format} of {stream.name} is not supported", "", hint)
        if "path" not in stream.options:
            raise SchemaError(f"the stream {stream.name} has no path", "", "OPTIONS (path 'directory')")
        path = str(selected(stream, joined(self._settings.directory, stream.options["path"]))[0])
        at = stream.name, stream.schema, piped, to, fails, reports, path, stream.format, reading(stream)
        return FileStream(*at) if self._feedback.feedback_mappings else FileStream(*at, fold, pipe.reads)

    def _directory(self, files: FileStream, stream: StreamDef, place: str) -> Directory:
        """The directory of a stream, with the log of its files in the checkpoint."""
        if not self._settings.checkpoint:
            hint = "call dataframe(checkpoint) with the checkpointLocation of the writer"
            raise SchemaError(f"the stream {stream.name} is read from files", "a checkpoint is missing", hint)
        path = joined(self._settings.directory, stream.options["path"])
        check_directory(stream, path)
        key = f"{file_name(stream.name)}-{place}"
        most = stream.options.get("maxFilesPerTrigger") or self._settings.spark.conf.get(MAX_FILES, None)
        return Directory(
            key=key,
            stream=stream.name,
            path=files.path,
            format=files.format,
            log=str(location(self._settings.checkpoint) / "punctum" / f"{key}.files"),
            reading=files.pickled(),
            files_a_batch=None if most is None else int(most),
            options=files.options,
            settle=float(stream.options.get("settle", SETTLE)),
            chosen=selected(stream, path)[1],
            forget=seconds(stream.options.get("forget"), FORGET),
        )

    def _topic(self, read: TopicStream, place: str) -> Topic:
        """The topic of a stream; where the query began to read it is in the checkpoint."""
        if not self._settings.checkpoint:
            hint = "call dataframe(checkpoint) with the checkpointLocation of the writer"
            raise SchemaError(f"the stream {read.name} is read from a topic", "a checkpoint is missing", hint)
        key, idle = f"{file_name(read.name)}-{place}", read.options.get("idle")
        log = str(location(self._settings.checkpoint) / "punctum" / f"{key}.topic")
        topic = Topic(key, read.name, read.options, log, read.pickled(), seconds(idle, None))
        if not location(log).exists():  # what is wrong with it, a new query says at once
            TopicListing(topic, Brokers(read.name, read.options, FIRST)).write_initial()
        return topic

    def _files(
        self,
        read: "_Streams",
        timer: Timer | None = None,
        refreshed: Sequence[RefreshedTable] = (),
        running: Running | None = None,
    ) -> DataFrame:
        """The streams of files and topics of a stage: one source, so one process of Python's that lists them."""
        spark = self._settings.spark
        tasks = spark.sparkContext.defaultParallelism
        PackedFilesReader(read.directories, tasks).check(self._files_read)
        _LOG.info("reading %s…", ", ".join(dict.fromkeys(stream.name for stream in read.streams.values())))
        streams = encoded(read.directories, tasks, timer, refreshed, read.topics, running)
        source = spark.readStream.format(FORMAT).option(STREAMS_OPTION, streams)
        return source.option(SCHEMA_OPTION, SCHEMA).load()


class _Streams(NamedTuple):
    """The streams that a stage reads: those of files and topics by their keys, and DataFrames by inputs."""

    directories: list[Directory]
    topics: list[Topic]
    streams: dict[str, FrameStream]
    frames: dict[int, FrameStream]


def _running(
    stage: Stage, buckets: Buckets, known: Mapping[str, FeedbackMapping], tables: Mapping[str, str], bucket: int
) -> StageRuntime:
    with stored_tables(tables):
        return build.running(stage, buckets, bucket, known)
