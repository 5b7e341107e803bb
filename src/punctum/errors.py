"""Every error that a user can meet: what happened, the detail, the hint, the place.

::

    PunctumError
    ├── PatternError        a pattern that cannot be built or compared
    ├── SchemaError         an attribute, a row or a punctuation that does not fit its schema
    ├── CodecError          text, JSON or XML that cannot be read, or a value that it cannot carry
    ├── GrammarError        a row that an earlier punctuation excludes
    ├── SqlError            a script that cannot be read or is not supported, with its SQL underlined
    ├── RefusedError        queries whose state may grow without bound
    ├── ComputationError    a row for which an expression has no value
    ├── QueryError          a query that has failed while it ran
    ├── WorkerError         what failed inside a worker, when it is none of the others
    └── MissingError        something that the machine does not have

An ``assert`` in this code base marks a mistake of ours; whatever a user can cause is one of these.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from traceback import format_exception_only


class PunctumError(Exception):
    """The root of all errors: one line on what happened, a detail and a hint.

    >>> print(PatternError("empty range", "5 is above 3", "swap the two ends"))
    empty range
      detail: 5 is above 3
      hint: swap the two ends
    """

    def __init__(self, what: str, detail: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what, self.detail, self.hint, self.where = what, detail, hint, ""

    def __str__(self) -> str:
        parts = {"detail": self.detail, "where": self.where, "hint": self.hint}
        lines = "\n".join([self.what, *(f"  {name}: {text}" for name, text in parts.items() if text)])
        return "\n".join(map(printable, lines.split("\n")))

    def inside(self, place: str) -> "PunctumError":
        """The same error, and in which part of a running query it happened, in lines that Spark can pass on."""
        self.where = f"{place}, {self.where}" if self.where else place
        parts = self.what, self.detail, self.hint, self.where
        self.what, self.detail, self.hint, self.where = (" ".join(part.splitlines()) for part in parts)
        self.__notes__ = [_NOTE + json.dumps([type(self).__name__, self.what, self.detail, self.hint, self.where])]
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.what, self.detail, self.hint), {"where": self.where}


_NOTE = "punctum error: "
"""Before an error of ours as JSON, in the traceback of a worker: tracebacks are all that Spark passes on."""


def noted(traceback: str) -> PunctumError | None:
    r"""The last error of ours in the text of tracebacks that workers have left.

    >>> from traceback import format_exception
    >>> try:
    ...     with failing_in("stage 1"):
    ...         raise SchemaError("no such column", "itmid")
    ... except SchemaError as error:
    ...     print(repr(noted("".join(format_exception(error)))))
    SchemaError('no such column')
    """
    notes = [line.removeprefix(_NOTE) for line in traceback.splitlines() if line.startswith(_NOTE)]
    if not notes:
        return None
    kind, what, detail, hint, where = json.loads(notes[-1])
    kinds = {known.__name__: known for known in PunctumError.__subclasses__()}
    error = kinds.get(kind, QueryError)(what, detail, hint)
    error.where = where
    return error


def printable(text: str) -> str:
    r"""A text in one line that does nothing to a terminal: what cannot be seen is escaped.

    >>> print(printable("a\x1b[31m \u202e\n\ud800é"))
    a\u001b[31m \u202e\n\ud800é
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    """As JSON writes it."""
    short, units = {"\n": "\\n", "\t": "\\t"}, character.encode("utf-16-be", "surrogatepass").hex()
    return short.get(character) or "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


class PatternError(PunctumError):
    """A pattern that cannot be built, or two that cannot be compared."""


class SchemaError(PunctumError):
    """An attribute, row or punctuation that does not fit its schema."""


class CodecError(PunctumError):
    """Text, JSON or XML that cannot be read, or a value that the format cannot carry."""


class GrammarError(PunctumError):
    """A row that matches a punctuation of an earlier slice."""


class QueryError(PunctumError):
    """A query that has failed while it ran."""


class WorkerError(PunctumError):
    """What failed inside a worker that nobody has thought of: the last line of its traceback."""


class RefusedError(PunctumError):
    """Queries that must not run, because a state of theirs may grow without bound."""


class MissingError(PunctumError):
    """Something that Punctum needs and the machine does not have."""


class ComputationError(PunctumError, ArithmeticError):
    """A row for which an expression has no value: the result does not fit its type."""

    @property
    def reason(self) -> str:
        """What happened and the detail, in a line."""
        return f"{self.what}: {self.detail}" if self.detail else self.what


@contextmanager
def failing_in(place: str) -> Iterator[None]:
    """A part of a running query: whatever fails inside is an error of ours that has its place.

    >>> try:
    ...     with failing_in("stage 1"), failing_in("join of item, bid"):
    ...         {}["itemid"]
    ... except WorkerError as error:
    ...     print(error)
    KeyError: 'itemid'
      where: stage 1, join of item, bid
    """
    try:
        yield
    except PunctumError as error:
        error.inside(place)
        raise
    except Exception as error:
        if type(error).__module__.split(".")[0] in ("pyspark", "py4j"):
            raise  # a failure elsewhere, which has its place in its text
        text = " ".join("".join(format_exception_only(error)).split())
        raise WorkerError(text).inside(place) from error


@dataclass(frozen=True, order=True)
class Place:
    """A piece of a text: from the character at start up to the one before end."""

    start: int = 0
    end: int = 0

    def to(self, other: "Place") -> "Place":
        """The piece that spans both."""
        return Place(min(self.start, other.start), max(self.end, other.end))


class SqlError(PunctumError):
    """A script that cannot be read, or that asks for what is not supported, and where.

    >>> print(SqlError("there is no column itmid", hint="did you mean itemid?").at(Place(7, 12)).within("SELECT itmid"))
    there is no column itmid
      hint: did you mean itemid?
      1 | SELECT itmid
        |        ^^^^^
    """

    def __init__(
        self, what: str, detail: str = "", hint: str = "", place: Place | None = None, sql: str | None = None
    ) -> None:
        super().__init__(what, detail, hint)
        self.place, self.sql = place, sql

    def at(self, place: Place) -> "SqlError":
        """The same error, with its place unless it has one."""
        self.place = self.place or place
        return self

    def within(self, sql: str) -> "SqlError":
        """The same error, with the text of which it speaks unless it has one."""
        self.sql = sql if self.sql is None else self.sql
        return self

    def __str__(self) -> str:
        if self.sql is None or self.place is None:
            return super().__str__()
        return "\n".join([super().__str__(), *underlined(self.sql, self.place)])

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.what, self.detail, self.hint, self.place, self.sql), {"where": self.where}


_WORDS = r"(?:passw|pwd|secret|token|credential|sasl|(?:access|account|api|private|ssl)[._-]?key)"
_REFERENCE = r"\$\{(?:env|file):[^{}]*\}"
"""What stands for a secret is none."""
_NAMED = rf"[\w.-]*{_WORDS}[\w.-]*"
_OPTION = (
    rf"""(?P<before>(?:(?<!['"\w.-]){_NAMED}|(?P<around>['"`]){_NAMED}(?P=around))\s*=?\s*(?P<quote>['"]))"""
    rf"""(?!{_REFERENCE}(?P=quote))"""
    r"""(?P<secret>(?:\\.|(?P=quote){2}|(?!(?P=quote)).)+)"""  # a string to its end, or to that of the text
)
_SECRETS = (
    rf"""{_OPTION}|--[^\n]*|/\*.*?\*/|'(?:''|[^'])*'|"(?:""|[^"])*\"""",  # what is within a string is no option
    _OPTION,  # wherever it is: quotes of a script that is wrong may be anywhere
    rf"(?P<before>{_WORDS}\w*=)(?!{_REFERENCE})(?P<secret>[^\s&;,)'\"]+)",
    rf"(?P<before>://[^\s:/@'\"]*:)(?!{_REFERENCE}@)(?P<secret>[^\s'\"]+)(?=@)",
)


def _starred(match: re.Match[str]) -> str:
    """What was found, with stars for the secret, if there is one."""
    return match[0] if match["secret"] is None else match["before"] + re.sub(".", "*", match["secret"])


def sounds_secret(name: str) -> bool:
    """Whether the value of an option is not shown, by its name.

    >>> sounds_secret("kafka.sasl.jaas.config"), sounds_secret("key")
    (True, False)
    """
    return re.search(_WORDS, name, re.I) is not None


def masked(sql: str) -> str:
    """A script with stars for what is secret in it: values of options that sound so, and passwords in addresses.

    >>> masked("OPTIONS (url 'postgresql://me:hunter2@db/a', password 'x', key 'itemid')")
    "OPTIONS (url 'postgresql://me:*******@db/a', password '*', key 'itemid')"
    >>> masked("kafka.security.protocol 'SASL_PLAINTEXT', `ssl.key.password` 'x', 'password' = 'y'")
    "kafka.security.protocol 'SASL_PLAINTEXT', `ssl.key.password` '*', 'password' = '*'"
    """
    for secret in _SECRETS:
        sql = re.sub(secret, _starred, sql, flags=re.I | re.S)
    return sql


def underlined(sql: str, place: Place) -> list[str]:
    r"""The lines of a place, numbered, with carets under it; of a long place the first lines. Secrets are not shown.

    >>> print(*underlined("SELECT a,\n  b + c", Place(7, 13)), sep="\n")
      1 | SELECT a,
        |        ^^
      2 |   b + c
        |   ^
    """
    start = min(place.start, max(len(sql) - 1, 0))
    end, offset = max(place.end, start + 1), 0
    shown: list[tuple[int, str, str]] = []
    for number, line in enumerate(masked(sql).split("\n"), 1):
        indent = len(line) - len(line.lstrip()) if shown else 0
        low, high = max(start - offset, indent), min(end - offset, len(line.rstrip()))
        if low < high or (not shown and start <= offset + len(line)):
            shown.append((number, line.rstrip().replace("\t", " "), " " * low + "^" * max(high - low, 1)))
        offset += len(line) + 1
        if offset >= end:
            break
    width = len(str(shown[-1][0]))
    lines = [f"  {n:>{width}} | {line}\n  {'':>{width}} | {carets}" for n, line, carets in shown[:_LINES]]
    return lines + ([f"  {'':>{width}} | …"] if len(shown) > _LINES else [])


_LINES = 3


def nearest(name: str, names: Iterable[str]) -> str:
    """The hint for a name that does not exist: the one that looks like it, if there is one.

    >>> nearest("itmid", ["itemid", "name"]), nearest("x", ["itemid", "name"])
    ('did you mean itemid?', '')
    """
    known = {other.lower(): other for other in names}
    close = get_close_matches(name.lower(), known, n=1)
    return f"did you mean {known[close[0]]}?" if close else ""


def choices(names: Iterable[str]) -> str:
    """What does exist, for hints.

    >>> choices(["sid", "hour"])
    'available: sid, hour'
    """
    return "available: " + (", ".join(names) or "none")
