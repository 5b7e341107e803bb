"""What commands that run queries share: what they say first, and what they do at Ctrl-C."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click

from punctum.errors import PunctumError, QueryError
from punctum.storage.location import Location, StorePath, location


class PlaceType(click.ParamType[Location]):
    """A path of this machine, or an address in a store."""

    name = "path"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Location:
        """The place."""
        try:
            return location(value)
        except PunctumError as error:
            raise click.BadParameter("; ".join(filter(None, (error.what, error.detail, error.hint)))) from error


PLACE = PlaceType()


class LocalPath(click.Path):
    """A path of this machine, where a command makes files: an address of a store never becomes a directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        place = PLACE.convert(str(value), param, ctx)
        if isinstance(place, StorePath):
            raise click.BadParameter(f"{place} is not on this machine")
        return super().convert(str(place), param, ctx)


@contextmanager
def readable(place: Location) -> Iterator[None]:
    """Whatever reads a place inside: an error that names it when it cannot be read, or the store not be reached."""
    try:
        yield
    except BrokenPipeError:  # nobody reads what is printed
        raise
    except OSError as error:
        hint = "check the address and the credentials (docs/files.md)" if isinstance(place, StorePath) else ""
        detail = f"{error.filename or place}: {error.strerror or error}"
        raise QueryError(f"{place} cannot be read", detail, hint or "check who may read it") from None


STARTING = "starting Spark…"
INTERRUPTED = 130
"""The exit code that a shell gives for Ctrl-C."""


def interruption(message: str = "") -> threading.Event:
    """What a first Ctrl-C sets; a second one ends the process at once. To be called when there is a Spark session."""
    interrupted = threading.Event()

    def interrupt(number: int, _: FrameType | None) -> None:
        interrupted.set()
        signal.signal(number, signal.SIG_DFL)
        click.echo(message, err=True, nl=bool(message))

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    return interrupted
