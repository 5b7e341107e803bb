"""Starting a query that writes to a sink: files of results, a table of Postgres, a topic, the console, a function."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from punctum.algebra.schema import Schema
from punctum.engine import scale
from punctum.engine.checkpoint_files import called_by_spark
from punctum.engine.commit import Commit
from punctum.engine.exchange.local import exchange_of
from punctum.engine.exchange.messages import StageSlice
from punctum.engine.exchange.told import ToldFiles
from punctum.engine.feedback.filter import feedback_context
from punctum.engine.feedback.publisher import OPTION, FeedbackPublisher, feedback_publisher
from punctum.engine.formats.csv import Dialect
from punctum.engine.formats.write import lines_of
from punctum.engine.kafka.client import check_library
from punctum.engine.observed import listened, observed
from punctum.engine.partitions import partitions
from punctum.engine.query import packed
from punctum.engine.recovery.checkpoint import begun, query_id, settled_buckets
from punctum.engine.settings import Settings, claimed
from punctum.engine.sinks.check import TABLES, check_sink
from punctum.engine.sinks.copy import CopyFiles
from punctum.engine.sinks.files import ResultFiles
from punctum.engine.sinks.lake import LakeTable
from punctum.engine.sinks.owned import check_directory_is_free, check_table_is_free
from punctum.engine.sinks.postgres import PostgresSink, PostgresTable
from punctum.engine.sinks.topic import MessageFiles
from punctum.engine.spark import for_spark, log_of, one_machine
from punctum.engine.trigger import AT_ONCE
from punctum.engine.unpacked import unpacked
from punctum.errors import QueryError, printable
from punctum.ir.definitions import KAFKA, SinkDef, Violation, takes_punctuations, writes_apart
from punctum.ir.temporal import LMerge
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Stage, all_stages, operators, says_alike
from punctum.plan.physical.where_read import runs_where_read
from punctum.storage.location import joined, location

if TYPE_CHECKING:
    from punctum.engine.sinks.kafka import KafkaSink


def write(
    last: Stage, settings: Settings, sink: SinkDef, available_now: bool, key: tuple[str, ...] | None = None
) -> tuple[StreamingQuery, Commit]:
    """Start a query that writes a result to a sink; of rows with the same key, if there is one, the last one counts."""
    with claimed(settings):
        return _write(last, settings, sink, available_now, key)


def _write(
    last: Stage, settings: Settings, sink: SinkDef, available_now: bool, key: tuple[str, ...] | None
) -> tuple[StreamingQuery, Commit]:
    check_sink(sink, last.schema)
    checkpoint = location(settings.checkpoint)
    named = [name.strip() for name in sink.options.get(OPTION, "").split(",") if name.strip()]
    settings = replace(settings, feedback=tuple(str(joined(settings.directory, name)) for name in named))
    if sink.format in ("console", "postgres", KAFKA):
        shown = _shown(last.schema) if sink.format == "console" else None
        table = _table(last, settings, sink, key) if sink.format == "postgres" else None
        to = _topic(last, settings, sink) if sink.format == KAFKA else table
        told = _told(settings)
        slices = packed(last, settings, None if to is None else to.files, told=told)
        commit = Commit(sink.name, query_id(checkpoint), checkpoint, checkpoint / "quarantine", to, shown, told=told)
        commit.publish = _publisher(last, settings)
        return start(_observed(slices, last), commit, available_now, settings.trigger), commit
    if sink.format in TABLES:
        place = sink.options.get("table") or for_spark(joined(settings.directory, sink.options["path"]).resolve())
        lake = LakeTable.of(sink, place, query_id(checkpoint), settings.spark, _wants_free_sink(settings))
        return _handed_over(last, settings, sink.name, lake.write, available_now)
    path = joined(settings.directory, sink.options["path"])
    if sink.format == "csv":
        Dialect.of(sink.options)  # an option that it does not take is an error now
    query = query_id(checkpoint)
    if _wants_free_sink(settings):
        check_directory_is_free(path, query)
    stables = _stables(last) if writes_apart(sink) else None
    says = takes_punctuations(sink)
    at = str(path.resolve()), sink.format, last.schema, says, query, sink.options
    files = ResultFiles(*at, stables, sink.partitioned)
    where_read = runs_where_read(last, sink)
    slices = packed(last, settings, files, where_read, told := _told(settings))
    files.prepare()
    commit = Commit(sink.name, query, checkpoint, path.with_name(path.name + ".quarantine"), files=files, told=told)
    commit.begins_again = scale.wanted(settings.spark, settings.checkpoint, where_read) is not None
    commit.publish = _publisher(last, settings)
    return start(_observed(slices, last), commit, available_now, settings.trigger), commit


def _told(settings: Settings) -> ToldFiles | None:
    """Where tasks tell the driver what they have to say, when all of them are on this machine."""
    return ToldFiles(exchange_of(location(settings.checkpoint)) / "told") if one_machine(settings.spark) else None


def _wants_free_sink(settings: Settings) -> bool:
    """Whether nobody else may have written to the sink."""
    return not (settings.add_to_sink or settings.state or begun(settings.checkpoint))


def _table(last: Stage, settings: Settings, sink: SinkDef, key: tuple[str, ...] | None) -> PostgresSink:
    """The table of a sink, and where its rows wait; what it cannot take stops a query that reads an exact stream."""
    table = PostgresTable.of(sink, last.schema, key).prepared()
    if _wants_free_sink(settings):
        check_table_is_free(table, query_id(location(settings.checkpoint)))
    waiting = (location(settings.checkpoint) / "punctum" / "copy").resolve()
    files = CopyFiles(str(waiting), sink.name, last.schema, table.key, table.required, _fails(last))
    files.clear()
    return PostgresSink(table, files, query_id(location(settings.checkpoint)))


def _topic(last: Stage, settings: Settings, sink: SinkDef) -> "KafkaSink":
    """The topic of a sink, and where its messages wait."""
    check_library()
    from punctum.engine.sinks.kafka import KafkaSink  # here because it needs an extra

    checkpoint = location(settings.checkpoint)
    waiting = (checkpoint / "punctum" / "messages").resolve()
    files = MessageFiles.of(sink, last.schema, str(waiting), _fails(last))
    files.clear()
    return KafkaSink(sink.options, files, query_id(checkpoint), checkpoint)


def _fails(last: Stage) -> bool:
    """Whether a row that a sink cannot take stops the query, as one that breaks a promise does."""
    streams = (i.origin.stream for stage in all_stages(last) for i in stage.inputs if isinstance(i.origin, Pipe))
    return any(stream.on_violation is Violation.FAIL for stream in streams)


def _stables(last: Stage) -> str | None:
    """The merge whose stables are those of the result, when no bucket can write them, by its name in metrics."""
    if not says_alike(last) or not any(source.key for source in last.inputs):
        return None
    *_, number = (n for n, op in enumerate(operators(last.root)) if isinstance(op.relation, LMerge))
    return f"s{last.number}o{number}"


def hand_over(
    last: Stage, settings: Settings, name: str, to: Callable[[DataFrame, int], None], available_now: bool
) -> tuple[StreamingQuery, Commit]:
    """Start a query that hands each batch of its result to a function, with the batch's number."""
    with claimed(settings):
        return _handed_over(last, settings, name, to, available_now)


def _handed_over(
    last: Stage, settings: Settings, name: str, to: Callable[[DataFrame, int], None], available_now: bool
) -> tuple[StreamingQuery, Commit]:
    checkpoint = location(settings.checkpoint)

    def given(slices: DataFrame, batch: int) -> None:
        to(unpacked(slices, last.schema), batch)

    commit = Commit(name, query_id(checkpoint), checkpoint, checkpoint / "quarantine", hand_over=given)
    commit.publish = _publisher(last, settings)
    slices = _observed(packed(last, settings), last)
    return start(slices, commit, available_now, settings.trigger), commit


def _observed(slices: DataFrame, last: Stage) -> DataFrame:
    """The messages of batches, observed if anybody listens: the last operator of the last stage gives the result."""
    if not listened(slices.sparkSession):
        return slices
    return observed(slices, f"s{last.number}o{len(list(operators(last.root))) - 1}")


def _publisher(last: Stage, settings: Settings) -> FeedbackPublisher | None:
    """What a query tells those that feed it; one that has not begun yet takes back what was told before."""
    return feedback_publisher(
        last, settings.directory, *feedback_context(last, settings.feedback), afresh=not begun(settings.checkpoint)
    )


def start(slices: DataFrame, commit: Commit, available_now: bool, trigger: str = AT_ONCE) -> StreamingQuery:
    """Start a query whose batches are committed in the driver, unless one of its name is running."""
    log = log_of(slices.sparkSession)
    commit.log = None if log is None else Path(log)
    if commit.name in {query.name for query in slices.sparkSession.streams.active}:
        what, hint = f"a query {commit.name} is running", "call its stop(), or rename one"
        raise QueryError(what, "names of queries are unique in a Spark session", hint)
    writer = slices.writeStream.foreachBatch(commit).queryName(commit.name).outputMode("append")
    writer = writer.option("checkpointLocation", called_by_spark(slices.sparkSession, commit.checkpoint))
    writer = writer.trigger(availableNow=True) if available_now else writer.trigger(processingTime=trigger)
    buckets = settled_buckets(str(commit.checkpoint), ())
    with partitions(slices.sparkSession, len(buckets), few_rows=commit.hand_over is None):
        return writer.start()


def _shown(schema: Schema) -> Callable[[list[StageSlice], int], None]:
    """Prints results as JSON lines."""

    def show(slices: list[StageSlice], batch: int) -> None:
        for result in slices:
            if (rows := result.slice.frame()) is not None:
                print("\n".join(map(printable, lines_of(rows, schema))), flush=True)

    return show
