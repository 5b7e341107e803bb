"""What can stand where the cursor is: short commands, files in quotes, streams, columns, functions and keywords."""

import os
import re
from collections.abc import Callable, Iterable, Iterator

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer

from punctum.engine.infer.ddl import named
from punctum.engine.sources.listing import is_input
from punctum.errors import PunctumError
from punctum.ir.functions import NAMES
from punctum.ir.functions.aggregates import AGGREGATES
from punctum.parse.script import named_files
from punctum.shell.known import Known
from punctum.shell.looks import COMMANDS

KEYWORDS = " ".join(
    (
        "SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT DISTINCT JOIN LEFT RIGHT FULL SEMI ANTI CROSS ON USING",
        "UNION ALL INTERSECT EXCEPT AS AND OR NOT IN BETWEEN LIKE IS NULL CASE WHEN THEN ELSE END WITH QUALIFY OVER",
        "PARTITION EXISTS INTERVAL CAST ASC DESC ALLOW UNBOUNDED TABLE TUMBLE HOP SESSION DESCRIPTOR CREATE STREAM",
        "UNIQUE DOMAIN PUNCTUATED PUNCTUATE OPTIONS",
    )
).split()
_PIECES = re.compile(r"""--.*|'[^']*'?|"[^"]*"?|\w+|\W""")
_WORD = re.compile(r"[\w.]*$")
_OPEN = re.compile(r"""\b(?:FROM|JOIN|,)\s*(['"])([^'"]*)$""", re.IGNORECASE)
_FROM = re.compile(r"\b(?:FROM|JOIN)\s+[\w`]*$", re.IGNORECASE)


class Highlighted(Lexer):
    """Shows keywords, strings, numbers and comments apart."""

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        """The pieces of each line, with their styles."""
        return lambda number: [(_style(piece), piece) for piece in _PIECES.findall(document.lines[number])]


def _style(piece: str) -> str:
    if piece.upper() in KEYWORDS:
        return "bold ansiblue"
    if piece[0] in "'\"":
        return "ansigreen"
    return "ansibrightblack" if piece.startswith("--") else "ansicyan" if piece[0].isdigit() else ""


class Completions(Completer):
    """Completes a query over what is known."""

    def __init__(self, known: Known) -> None:
        self._known = known

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What can stand at the cursor."""
        before = document.text_before_cursor
        if before.lstrip().startswith("\\"):
            return self._commands(before.lstrip())
        if (opened := _OPEN.search(before)) is not None:
            return self._files(opened[2])
        word = _WORD.search(before)
        start = word[0] if word else ""
        if _FROM.search(before):
            return self._some(start, self._streams(), "stream")
        return self._words(start, document.text)

    def _commands(self, before: str) -> Iterator[Completion]:
        word, space, rest = before.partition(" ")
        if space:
            yield from self._some(rest, self._streams(), "stream")
            return
        for command, meaning in COMMANDS.items():
            if command.startswith(word):
                yield Completion(command, -len(word), display_meta=meaning)

    def _files(self, begun: str) -> Iterator[Completion]:
        """Files and directories whose paths begin so."""
        directory, _, start = begun.rpartition("/")
        path = self._known.base / (directory + "/" if directory else "")
        try:
            entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in entries:
            if entry.name.startswith(start) and is_input(entry.name):
                yield Completion(entry.name + "/" * entry.is_dir(), -len(start), display_meta="file")

    def _words(self, start: str, text: str) -> Iterator[Completion]:
        yield from self._some(start.rpartition(".")[2], self._columns(text), "column")
        if start and "." not in start:
            yield from self._some(start, [*AGGREGATES, *NAMES], "function")
            yield from self._some(start, KEYWORDS, "")

    def _some(self, start: str, words: Iterable[str], meta: str) -> Iterator[Completion]:
        for word in dict.fromkeys(words):
            if word.lower().startswith(start.lower()):
                shown = (word.upper() if start.isupper() else word.lower()) if meta in ("function", "") else word
                yield Completion(shown, -len(start), display_meta=meta)

    def _streams(self) -> list[str]:
        return [*map(named, self._known.streams), *map(named, self._known.tables)]

    def _columns(self, text: str) -> Iterator[str]:
        """The columns of what the query names, and of all streams when it names nothing yet."""
        names = set(re.findall(r"\w+", text.lower()))
        streams = [stream for name, stream in self._known.streams.items() if name.lower() in names]
        try:
            files = [self._known.look(name).schema for name, _ in named_files(text)]
        except PunctumError:
            files = []
        for schema in [*(stream.schema for stream in streams), *files] or [
            stream.schema for stream in self._known.streams.values()
        ]:
            yield from map(named, schema.names)
