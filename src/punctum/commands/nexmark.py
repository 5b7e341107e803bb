"""The benchmark: its streams as files, and its queries live."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from punctum.commands.running import INTERRUPTED, STARTING, LocalPath, interruption
from punctum.nexmark.queries import NAMES, about

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def number(text: str) -> int:
    """A number as people write it.

    >>> number("10m"), number("2.5k"), number("100_000")
    (10000000, 2500, 100000)
    """
    match = re.fullmatch(r"(\d[\d_]*(?:\.\d+)?)([kmg]?)", text.lower())
    if match is None:
        raise click.BadParameter(f"{text!r} is not a number such as 500k or 10m")
    return round(float(match[1].replace("_", "")) * _UNITS[match[2]])


def _number(_: click.Context, __: click.Parameter, text: str) -> int:
    return number(text)


def workload_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say which events there are."""
    for option in reversed(
        (
            click.option("--events", default="1m", show_default=True, callback=_number, help="How many: 500k, 10m."),
            click.option("--seed", default=1, show_default=True, help="Another seed gives other events."),
            click.option(
                "--rate",
                default=10_000,
                show_default=True,
                type=click.IntRange(1),
                help="Events in a second of their own time.",
            ),
            click.option(
                "--disorder",
                default=0,
                show_default=True,
                type=click.IntRange(0),
                metavar="MS",
                help="How many milliseconds late an event may come.",
            ),
        )
    ):
        command = option(command)
    return command


class _InOrder(click.Group):
    """Commands in the order in which they were added."""

    def list_commands(self, _: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_InOrder)
def nexmark() -> None:
    """Run the queries of the NEXMark benchmark, or generate its streams."""


@nexmark.command()
@click.argument("directory", type=LocalPath(file_okay=False, path_type=Path))
@workload_options
@click.option(
    "--format",
    "format_",
    default="parquet",
    show_default=True,
    type=click.Choice(["parquet", "json"]),
    help="The format of files.",
)
@click.option("--slice", "size", default="100k", show_default=True, callback=_number, help="Events in a file.")
@click.option(
    "--every", default="10k", show_default=True, callback=_number, help="Events between punctuations; 0 for none."
)
def generate(
    directory: Path, events: int, seed: int, rate: int, disorder: int, format_: str, size: int, every: int
) -> None:
    """Write the streams person, auction and bid to directories of files, and a small table side."""
    from punctum.demo.directory import make  # here because pyarrow takes a while to import
    from punctum.nexmark import files
    from punctum.nexmark.workload import Workload

    if size == 0:
        raise click.BadParameter("a file has at least one event", param_hint="--slice")
    make(directory)
    for _ in files.generate(Workload(events, seed, rate, disorder, every), directory, format_, size):
        pass
    click.echo(f"{events:,} events are in {directory}")


def _command(name: str) -> click.Command:
    @click.command(name, help=about(name))
    @workload_options
    @click.option(
        "--directory",
        default="nexmark-run",
        show_default=True,
        type=LocalPath(file_okay=False, path_type=Path),
        help="Directory of runs: script, input, output and checkpoint of each query.",
    )
    def command(directory: Path, events: int, seed: int, rate: int, disorder: int) -> None:
        _run(name, directory, events, seed, rate, disorder)

    return command


def _run(name: str, directory: Path, events: int, seed: int, rate: int, disorder: int) -> None:
    from punctum.compile import compile  # here because they take a while to import
    from punctum.nexmark.queries import script

    compile(script(name, disorder)).admit()
    click.echo(STARTING, err=True)
    from punctum.demo.bench import play
    from punctum.demo.directory import make
    from punctum.engine.spark import only_ours, spark_session, start_jvm
    from punctum.nexmark.workload import Workload
    from punctum.session import Session

    make(directory)
    start_jvm(log=directory / "spark.log", short=True)
    session = Session(spark_session(log=directory / "spark.log"))
    only_ours(session.spark)
    interrupted = interruption("stopping after this step; press Ctrl-C again to stop at once")
    if not play(name, Workload(events, seed, rate, disorder), directory, session, interrupted, click.echo):
        sys.exit(INTERRUPTED)


for _name in NAMES:
    nexmark.add_command(_command(_name))
