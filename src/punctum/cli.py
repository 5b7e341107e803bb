"""The command line."""

import json
import sys
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from punctum.commands.check import REFUSED, check
from punctum.commands.explain import explain
from punctum.commands.infer import infer
from punctum.commands.logs import JSON, TEXT, configure, metrics_served, report, tell
from punctum.commands.new import new
from punctum.commands.nexmark import nexmark
from punctum.commands.package import package
from punctum.commands.page import opened_page, page, page_options
from punctum.commands.project import ProjectCommand
from punctum.commands.running import INTERRUPTED, PLACE, STARTING, LocalPath, interruption, readable
from punctum.commands.script import compiled, plan_options, planned, zone_option
from punctum.commands.spark import run_settings, spark_options
from punctum.commands.sql import sql
from punctum.commands.state import state
from punctum.demo.auction import AUCTION
from punctum.demo.outage import OUTAGE
from punctum.demo.warehouse import WAREHOUSE
from punctum.engine.memory import memory_size
from punctum.engine.recovery.names import file_name
from punctum.errors import PunctumError, QueryError, RefusedError
from punctum.storage.location import Location

if TYPE_CHECKING:
    from collections.abc import Callable

    from punctum.algebra.values import Value
    from punctum.compile import Compiled
    from punctum.ir.definitions import TableColumn
    from punctum.page.serve import LivePage
    from punctum.query import Query
    from punctum.session import Session

EXAMPLES = {example.name: example for example in (AUCTION, WAREHOUSE, OUTAGE)}
REPLICAS, KAFKA = "replicas", "kafka"
FAILED, WRONG = 1, 2  # exit codes


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="punctum")
def cli() -> None:
    """Continuous SQL over punctuated streams."""


cli.add_command(check)
cli.add_command(explain)
cli.add_command(infer)
cli.add_command(new)
cli.add_command(nexmark)
cli.add_command(package)
cli.add_command(page)
cli.add_command(sql)
cli.add_command(state)


@cli.command()
@click.argument("example", required=False, type=click.Choice([*EXAMPLES, REPLICAS, KAFKA]))
@click.option("--brokers", default="localhost:9092", show_default=True, help="The brokers of the example kafka.")
@click.option(
    "--directory",
    default="demo-run",
    show_default=True,
    type=LocalPath(file_okay=False, path_type=Path),
    help="Directory of the examples: input, output and checkpoints.",
)
@click.option("--page/--no-page", "with_page", default=True, help="Show the queries on a page of this machine.")
@page_options
def demo(example: str | None, brokers: str, directory: Path, with_page: bool, control: bool, port: int) -> None:
    """Run the papers' examples on Spark: auction, warehouse and outage, or the one that is named.

    After an interruption, the same command resumes them; after the end, it starts anew. The examples replicas
    and kafka always start anew; kafka needs a broker, which make kafka-up starts.
    """
    with opened_page(with_page, control, port, needed=False) as shown:
        _demo(example, brokers, directory, shown)


def _demo(example: str | None, brokers: str, directory: Path, shown: "LivePage | None") -> None:
    click.echo(STARTING, err=True)
    from punctum.demo import kafka, replicas  # here because pyspark takes a while to import
    from punctum.demo.directory import make
    from punctum.demo.play import play
    from punctum.demo.plot import check_plots
    from punctum.engine.spark import only_ours, spark_session, start_jvm
    from punctum.session import Session

    examples = [EXAMPLES[example]] if example in EXAMPLES else list(EXAMPLES.values())
    make(directory)
    if example == KAFKA:
        kafka.make_topics(brokers)  # no broker is an error before Spark starts
    else:
        check_plots()
    try:
        start_jvm(log=directory / "spark.log", short=True)
        session = Session(spark_session(log=directory / "spark.log"))
        only_ours(session.spark)
        interrupted = interruption("stopping after this step; press Ctrl-C again to stop at once")
    except KeyboardInterrupt:
        click.echo("stopped before the first step; run the same command again to resume", err=True)
        sys.exit(INTERRUPTED)
    if example == REPLICAS:
        finished = replicas.play(directory, session, interrupted, click.echo, show=shown)
    elif example == KAFKA:
        finished = kafka.play(directory, session, interrupted, click.echo, brokers, show=shown)
    else:
        finished = play(examples, directory, session, interrupted, click.echo, show=shown)
    if not finished:
        sys.exit(INTERRUPTED)


def _size(_: click.Context, __: click.Parameter, size: str | None) -> str | None:
    try:
        return None if size is None else str(memory_size(size))
    except QueryError as error:
        raise click.BadParameter(f"{size!r} is not a size such as 500m or 2g") from error


def _interval(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    from punctum.engine.trigger import interval  # here because the parser takes a while to import

    try:
        return None if text is None else interval(text)
    except QueryError as error:
        raise click.BadParameter(f"{text!r} is not a duration such as '10 seconds'") from error


@cli.command(cls=ProjectCommand)
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--checkpoint", required=True, type=PLACE, help="Checkpoint directory: offsets and state.")
@click.option("--state", type=PLACE, help="Start a new checkpoint with the state of this one.")
@click.option("--available-now", is_flag=True, help="Process the available input, then stop.")
@click.option(
    "--trigger",
    metavar="DURATION",
    callback=_interval,
    help="Begin a batch so long after the one before it began ('10 seconds'); at once, unless it is given.",
)
@click.option(
    "--max-files",
    type=click.IntRange(min=1),
    help="How many new files of a stream a batch reads at most, unless the stream says it (maxFilesPerTrigger).",
)
@spark_options
@click.option(
    "--buckets",
    type=click.IntRange(min=1),
    help="How many buckets the state has: the cores of the cluster, up to 32, unless it is given; "
    "a checkpoint that has begun goes on with a multiple of its own.",
)
@click.option(
    "--state-memory",
    metavar="SIZE",
    callback=_size,
    help="How much of its state a worker keeps in memory (500m, 2g), the rest in files; "
    "a quarter of the machine's memory divided by its cores, unless it is given.",
)
@click.option("--add-to-sink", is_flag=True, help="Start a new checkpoint on a sink with results of another query.")
@click.option("--metrics-port", type=click.IntRange(0, 65535), help="Serve metrics for Prometheus at this port.")
@click.option("--metrics-host", default="127.0.0.1", show_default=True, help="The address at which they are served.")
@click.option(
    "--log-format",
    type=click.Choice([TEXT, JSON]),
    default=TEXT,
    show_default=True,
    help="Print what happens as lines of text or of JSON.",
)
@click.option("--quiet", is_flag=True, help="Do not print a line for each batch.")
@click.option("--page", "with_page", is_flag=True, help="Show the queries on a page of this machine while they run.")
@page_options
@plan_options
@zone_option
def run(
    script: Path,
    checkpoint: Location,
    state: Location | None,
    available_now: bool,
    trigger: str | None,
    max_files: int | None,
    master: str | None,
    package: Path | None,
    conf: dict[str, str],
    name: str | None,
    ui: bool,
    buckets: int | None,
    state_memory: str | None,
    add_to_sink: bool,
    metrics_port: int | None,
    metrics_host: str,
    log_format: str,
    quiet: bool,
    with_page: bool,
    control: bool,
    port: int,
    zone: str,
    **plan: Any,
) -> None:
    """Run the queries of a script until interrupted. With the same checkpoint they resume where they stopped.

    When one query fails, its error is printed and the others are stopped: exit code 1. Ctrl-C and SIGTERM stop all
    queries after the commit that is in progress: exit code 0. What cannot start ends with exit code 2. Options can be
    in the file punctum.toml of a project.
    """
    configure(log_format, quiet)
    queries = _admitted(script, plan, zone, checkpoint)
    started: list[Query] = []
    with opened_page(with_page, control, port, err=True) as shown:
        if metrics_port is not None:  # a port that is taken is an error before Spark starts
            tell(f"metrics are at {metrics_served(started, metrics_port, metrics_host)}")
        if not quiet:
            tell(STARTING)
        from punctum.engine.spark import spark_alive  # here because pyspark takes a while to import

        with spark_alive():
            with_spark = partial(
                _session, master, run_settings(conf, name, ui, package), buckets, state_memory, max_files
            )
            _run(
                queries,
                script.parent,
                checkpoint,
                state,
                available_now,
                trigger,
                with_spark,
                add_to_sink,
                started,
                shown,
            )


def _admitted(script: Path, plan: dict[str, Any], zone: str, checkpoint: Location) -> "Compiled":
    """The queries of a script, when all of them can run: what can be known without Spark is known before it starts."""
    from punctum.compile import Options
    from punctum.engine.kafka.client import check_library
    from punctum.engine.sources.directories import check_directories, check_place
    from punctum.ir.definitions import KAFKA

    def members(column: "TableColumn") -> "tuple[Value, ...]":
        from punctum.engine.sources import tables  # here because Polars takes a while to import

        return tables.members(column, script.parent)

    queries = compiled(script, Options(planned(**plan), members=members, zone=zone))
    queries.admit()  # what is only allowed to run warns when it does
    for query in queries.queries:
        query.check_references()
    check_directories(queries.analyses, script.parent)
    check_place("the checkpoint", checkpoint)
    formats = {stream.format for known in queries.analyses for stream in known.streams}
    if KAFKA in formats | {known.query.sink.format for known in queries.queries if known.query.sink is not None}:
        check_library()
    if queries.script.tables:
        from punctum.engine.sources.tables import check_tables  # here because Polars takes a while to import

        check_tables((known.query.relation for known in queries.analyses), script.parent)
    return queries


def _run(
    queries: "Compiled",
    directory: Path,
    checkpoint: Location,
    state: Location | None,
    available_now: bool,
    trigger: str | None,
    with_spark: "Callable[[Path, bool], Session]",
    add_to_sink: bool,
    started: "list[Query]",
    shown: "LivePage | None" = None,
) -> None:
    from punctum.engine.recovery.checkpoint import check_notes
    from punctum.engine.recovery.lease import take_lease
    from punctum.engine.spark import spark_log

    for known in queries.analyses:
        take_lease(checkpoint / known.query.name)
        check_notes(checkpoint / known.query.name)
    session = with_spark(spark_log(checkpoint), available_now)
    from punctum.engine.trigger import AT_ONCE

    ready = session.queries(queries, directory)
    interrupted = interruption()
    tell(f"running {', '.join(query.name for query in ready)}; press Ctrl-C to stop")
    try:
        for query in ready:
            if interrupted.is_set() or any(running.failure for running in started):
                break
            name = file_name(query.name)
            beginning = state / name if state else ""
            begun = query.start(
                checkpoint / name, available_now, state=beginning, trigger=trigger or AT_ONCE, add_to_sink=add_to_sink
            )
            started.append(begun)
            if shown is not None:
                query.show_on(shown)
        failures = _watched(started, interrupted)
        for failure in failures:
            report(failure)
    except QueryError:
        if not interrupted.is_set():
            raise
        failures = []
    finally:
        for query in started:
            with suppress(QueryError):  # there may be no Spark any more
                query.stop()
    if failures:
        sys.exit(FAILED)
    if interrupted.is_set():
        tell("stopped; run the same command again to resume")


def _session(
    master: str | None,
    settings: dict[str, str],
    buckets: int | None,
    state_memory: str | None,
    max_files: int | None,
    log: Path,
    short: bool,
) -> "Session":
    """A session for a run, with the log of Spark's process."""
    from punctum.engine.spark import only_ours, spark_session, start_jvm

    start_jvm(master, log=log, short=short, settings=settings)
    from punctum.session import Session  # here because Spark starts while it is imported

    session = Session(spark_session(master, log=log, settings=settings), buckets, state_memory, max_files)
    only_ours(session.spark)
    if address := session.spark.sparkContext.uiWebUrl:
        click.echo(f"Spark's pages are at {address}", err=True)
    return session


def _watched(started: "list[Query]", interrupted: threading.Event) -> list[PunctumError]:
    """Wait until all queries have ended, or one has failed, or for a signal; the failures.

    What fails after a signal is no failure: when it goes to all processes, it ends Spark as well.
    """
    try:
        while not interrupted.wait(0.1):
            running = [query.running for query in started]
            failures = [failure for query in started if (failure := query.failure) is not None]
            if failures or not any(running):
                return failures
    except QueryError as error:
        return [] if interrupted.is_set() else [error]
    return []


@cli.command()
@click.argument("directory", type=PLACE)
@click.option("--json", "as_json", is_flag=True, help="Print every record, one JSON object a line.")
@click.option("--show", default=3, show_default=True, help="How many records to show for each reason.")
def quarantine(directory: Location, as_json: bool, show: int) -> None:
    """Show the rows that a query has rejected, grouped by reason.

    DIRECTORY is the sink's directory, the checkpoint, or the quarantine itself.
    """
    from punctum.engine.exchange.quarantine import (  # here because pyspark takes a second to import
        format_records,
        read_records,
    )

    with readable(directory):
        records = read_records(directory)
        for line in map(json.dumps, records) if as_json else format_records(records, show):
            click.echo(line)


def main() -> None:
    """Run the command; a user's mistake is an error message, not a traceback."""
    try:
        cli()
    except RefusedError as error:
        report(error, prefix="")
        sys.exit(REFUSED)
    except PunctumError as error:
        report(error)
        sys.exit(WRONG)
