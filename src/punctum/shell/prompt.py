"""The prompt: statements and short commands, one after the other, with the verdict of a query while it is typed."""

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from punctum.errors import PunctumError, printable
from punctum.parse.script import is_query
from punctum.shell.answer import notes, once
from punctum.shell.completion import Completions, Highlighted
from punctum.shell.known import Known
from punctum.shell.looks import Looks
from punctum.shell.output import output

HISTORY = "PUNCTUM_HISTORY"
"""The environment variable that names the file of the prompt's history."""
_DEFINES = re.compile(r"\s*CREATE\s+(TEMPORAL\s+)?(STREAM|TABLE)\b", re.IGNORECASE)
_RUNS = re.compile(r"\s*(CREATE\s+SINK|INSERT\s+INTO)\b", re.IGNORECASE)


class TypedVerdict:
    """The verdict of what is typed, in a line; each text is looked at once."""

    def __init__(self, known: Known) -> None:
        self._known, self._text, self._shown = known, "\0", ""

    def __call__(self, text: str) -> str:
        r"""The line for a text; help while there is none, and the first line of an error while it cannot be read."""
        if text != self._text:
            self._text, self._shown = text, self._of(text.strip().rstrip(";"))
        return self._shown

    def _of(self, text: str) -> str:
        if not text or text.startswith("\\") or _DEFINES.match(text) or _RUNS.match(text):
            return r"\? help  \d streams  \q quit"
        try:
            if not is_query(text):
                return "SELECT …, CREATE STREAM …, or \\?"
            analysis = self._known.compiled(text).analysis
        except PunctumError as error:
            return printable(f"… {error.what}" + (f" ({error.hint})" if error.hint.startswith("did you") else ""))
        if analysis.safe:
            return "safe: its state stays bounded" if analysis.unbounded == () and analysis.states else "safe"
        ways = [" and ".join(f"{scheme.clause} to {scheme.stream}" for scheme in way) for way in analysis.advice[:2]]
        advice = f"; to follow files, add {' or '.join(ways)}" if ways else ""
        return printable(f"unbounded state, final when the files end{advice}")


class Prompt:
    """What is done with a statement."""

    def __init__(self, known: Known, format_: str, rows: int, out: Callable[[str], None] = click.echo) -> None:
        self.known, self.looks = known, Looks(known)
        self._format, self._rows, self._out = format_, rows, out

    def take(self, statement: str) -> bool:
        """Run a statement or a command; whether to go on."""
        text = statement.strip()
        if text in ("\\q", "exit", "quit", "exit;", "quit;"):
            return False
        try:
            if text.startswith("\\"):
                for line in self.looks.lines(text):
                    self._out(line)
            elif text.rstrip(";").strip():
                self._statement(text)
        except PunctumError as error:
            self._out(f"error: {error}")
        except KeyboardInterrupt:
            self._out("stopped")
        return True

    def _statement(self, text: str) -> None:
        if _DEFINES.match(text):
            self._out(f"defined {', '.join(self.known.define(text))}")
        elif _RUNS.match(text):
            self._out("sinks and INSERT INTO are for scripts: write a SELECT here, and \\w FILE for a script")
        else:
            self._query(text)

    def _query(self, text: str) -> None:
        query = self.known.ask(text)
        self.looks.sql, self.looks.answer = text, None
        out = output(self._format, query.query.relation.schema, self._out, self._rows)
        given = once(self.known, query, out)
        self.looks.answer = given
        for line in (*given.quarantine(), *notes(self.known, given)):
            self._out(line)


def complete(text: str) -> bool:
    r"""Whether a text can be run: it ends with a semicolon or an empty line, or is a short command.

    >>> complete("SELECT a"), complete("SELECT a;"), complete("SELECT a\n\n"), complete("\\d bid"), complete("")
    (False, True, True, True, True)
    """
    stripped = text.strip()
    return (
        not stripped
        or stripped.startswith("\\")
        or stripped.endswith(";")
        or text.endswith("\n\n")
        or (stripped.lower() in ("exit", "quit"))
    )


def session(known: Known, history: History | None = None) -> "PromptSession[str]":
    """What reads statements: lines go on until they are complete."""
    verdict = TypedVerdict(known)
    reading: PromptSession[str] = PromptSession(
        "punctum> ",
        history=history or _history(),
        completer=Completions(known),
        complete_while_typing=True,
        complete_in_thread=True,
        auto_suggest=AutoSuggestFromHistory(),
        lexer=Highlighted(),
        multiline=Condition(lambda: not complete(reading.default_buffer.text + "\n" * _at_end(reading))),
        prompt_continuation=lambda width, number, wrapped: ("." * (width - 1)) + " ",
        bottom_toolbar=lambda: verdict(reading.default_buffer.text),
    )
    return reading


def _at_end(reading: "PromptSession[str]") -> int:
    """Two when Enter is pressed on an empty last line, as if it ended with two."""
    return 2 if reading.default_buffer.document.text.endswith("\n") else 0


def _history() -> History:
    """Where statements are remembered: a file of the user's, or nothing when it cannot be written."""
    default = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "punctum" / "history"
    path = Path(os.environ.get(HISTORY) or default)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a").close()
    except OSError:
        return InMemoryHistory()
    return FileHistory(path)


def prompt(known: Known, format_: str, rows: int) -> None:
    """Read and run statements until the end."""
    reading, doing = session(known), Prompt(known, format_, rows)
    _warm()
    click.echo(r"SQL over files: SELECT … FROM 'in/*.json';  \? is help, \q ends")
    while True:
        try:
            if not doing.take(reading.prompt()):
                return
        except KeyboardInterrupt:
            continue  # the line is dropped, as in a shell
        except EOFError:
            return


def _warm() -> None:
    """Load what takes a moment while the user types."""
    threading.Thread(target=lambda: is_query("SELECT 1"), daemon=True).start()
