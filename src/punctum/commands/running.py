"""What commands that run queries share: what they say first, and what they do at Ctrl-C."""

import signal
import threading
from types import FrameType

import click

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
