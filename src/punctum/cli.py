"""The command line."""

import signal
import sys
import threading
from pathlib import Path

import click

from punctum.demo.auction import AUCTION
from punctum.demo.example import show
from punctum.demo.outage import OUTAGE
from punctum.demo.warehouse import WAREHOUSE
from punctum.errors import PunctumError

EXAMPLES = {example.name: example for example in (AUCTION, WAREHOUSE, OUTAGE)}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="punctum")
def cli() -> None:
    """Continuous SQL over punctuated streams."""


@cli.command()
@click.argument("example", required=False, type=click.Choice(list(EXAMPLES)))
def demo(example: str | None) -> None:
    """Run the papers' examples, slice by slice: all of them, or the one that is named."""
    for number, name in enumerate([example] if example else EXAMPLES):
        click.echo("\n" if number else "", nl=False)
        for line in show(EXAMPLES[name]):
            click.echo(line)


@cli.command()
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--checkpoint", required=True, type=click.Path(path_type=Path), help="Where queries keep their place.")
@click.option("--available-now", is_flag=True, help="Stop when all that is there is done.")
@click.option("--master", default="local[*]", show_default=True, help="The Spark cluster to run on.")
def run(script: Path, checkpoint: Path, available_now: bool, master: str) -> None:
    """Run the queries of a script until interrupted. With the same checkpoint they go on where they stopped."""
    from punctum.engine.spark import spark_session  # here because pyspark takes a second to import
    from punctum.session import Session

    queries = Session(spark_session(master, log=checkpoint / "spark.log")).sql(script.read_text(), script.parent)
    assert isinstance(queries, list)
    started = [query.start(checkpoint / query.name, available_now) for query in queries]
    click.echo(f"running {', '.join(query.name for query in started)}; stop with Ctrl-C", err=True)
    interrupted = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: interrupted.set())
    while any(query.running for query in started) and not interrupted.wait(0.3):
        pass
    for query in started:
        query.stop() if interrupted.is_set() else query.wait()
    if interrupted.is_set():
        click.echo("stopped; the same command goes on from here", err=True)


def main() -> None:
    """Run the command; a user's mistake is an error message, not a traceback."""
    try:
        cli()
    except PunctumError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
