"""``punctum page``: what queries of this or another process do, on a page; and the page of commands that run some."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from punctum.commands.running import PLACE, readable
from punctum.commands.state import checkpoints
from punctum.errors import MissingError
from punctum.page.extra import check_extra
from punctum.storage.location import Location

if TYPE_CHECKING:
    from punctum.page.serve import LivePage

OPENED = "page: {}"


def page_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command that runs queries the options of their page."""
    control = click.option("--control", is_flag=True, help="Let whoever has the page's address stop queries, too.")
    return control(_port(command))


def _port(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option(
        "--page-port", "port", type=click.IntRange(0, 65535), default=0, help="The page's port; any free one at first."
    )(command)


@click.command()
@click.argument("checkpoint", nargs=-1, type=PLACE)
@_port
def page(checkpoint: tuple[Location, ...], port: int) -> None:
    """Show a page: the queries of checkpoints, while they run elsewhere or when they have ended, and the register.

    CHECKPOINT is that of a run or of one query; without any, the page explains scripts. It is read-only, for this
    machine alone, and ends with Ctrl-C.
    """
    check_extra()
    from punctum.page.watched import watched  # here because Polars takes a while to import

    queries = []
    for run in checkpoint:
        with readable(run):
            queries += [watched(query.resolve()) for query in checkpoints(run)]
    with opened_page(True, False, port) as shown:
        assert shown is not None
        for query in queries:
            shown.show(query)
        with suppress(KeyboardInterrupt):
            shown.wait()


@contextmanager
def opened_page(
    wanted: bool, control: bool, port: int, needed: bool = True, err: bool = False
) -> "Iterator[LivePage | None]":
    """A page, whose address is printed, if one is wanted; where it is not needed, its extra may be missing."""
    try:
        if wanted:
            check_extra()
    except MissingError:
        if needed:
            raise
        wanted = False
    if not wanted and needed and (control or port):
        raise click.UsageError("--control and --page-port are of a page: add --page")
    if not wanted:
        yield None
        return
    from punctum.page.serve import LivePage  # here because it needs an extra

    with LivePage(control, port) as shown:
        click.echo(OPENED.format(shown.address), err=err)
        yield shown
