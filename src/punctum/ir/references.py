"""What an option takes from outside of the script: ``${env:NAME}`` and ``${file:/path}`` in its value.

Definitions hold values as they are written. They are resolved where a connection is made and nowhere else, so what they
stand for is in no plan, checkpoint, log or metric. Before Spark starts, it is seen whether they can be resolved.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from punctum.errors import Place, QueryError, SqlError, sounds_secret
from punctum.ir.definitions import SinkDef, StreamDef

_REFERENCE = re.compile(r"\$\{(\w+):([^{}]*)\}")
_KINDS = {"env": re.compile(r"[A-Za-z_]\w*"), "file": re.compile(r"/.+", re.DOTALL)}
FORMS = "${env:NAME} or ${file:/path}"


def refers(value: str) -> bool:
    """Whether a value has a reference.

    >>> refers("${env:PASSWORD}"), refers("a${b"), refers("${vault:x}")
    (True, False, False)
    """
    return any(kind in _KINDS for kind, _ in _REFERENCE.findall(value))


def malformed(value: str) -> str:
    """What looks like a reference and is none, without what may be a secret; nothing when all is well.

    >>> malformed("${env:PASSWORD}"), malformed("${vault:x}"), malformed("${file:here}")
    ('', '${vault:…}', '${file:…}')
    """
    for kind, name in _REFERENCE.findall(value):
        if kind not in _KINDS or not _KINDS[kind].fullmatch(name):
            return f"${{{kind}:…}}"
    return ""


def resolved(value: str, quote: Callable[[str], str] = str) -> str:
    """A value with what it refers to, each piece as it is quoted there: for a connection, and for nothing else."""

    def quoted(reference: re.Match[str]) -> str:
        kind, name = reference.groups()
        if why := _missing(kind, name):
            raise QueryError(f"{reference[0]} cannot be resolved", why, _HINTS[kind])
        return quote(os.environ[name] if kind == "env" else _content(name))

    return _REFERENCE.sub(quoted, value) if refers(value) else value


def unresolved(value: str) -> str:
    """A value with a letter in the place of each reference, to see whether the rest of it is well formed."""
    return _REFERENCE.sub("x", value)


def hidden(text: str, options: Mapping[str, str]) -> str:
    """A text of somebody else's, without what options refer to and without values whose names sound secret.

    >>> hidden("login of me with hunter2 failed", {"user": "me", "password": "hunter2"})
    'login of me with *** failed'
    """
    for name, value in options.items():
        for reference in _REFERENCE.finditer(value):
            if not _missing(*reference.groups()) and (secret := resolved(reference[0])):
                text = text.replace(secret, reference[0])
        if value and sounds_secret(name) and not refers(value):
            text = text.replace(value, "***")
    return text


def check_references(definitions: Iterable[StreamDef | SinkDef], sql: str) -> None:
    """An error with its place when an option of some streams and sinks refers to what is not there."""
    for definition in definitions:
        for name, value in definition.options.items():
            for reference in _REFERENCE.finditer(value) if refers(value) else ():
                if why := _missing(*reference.groups()):
                    at = sql.find(reference[0], definition.place.start, definition.place.end)
                    place = Place(at, at + len(reference[0])) if at >= 0 else None
                    what = f"{name} of {definition.name} cannot be resolved"
                    raise SqlError(what, why, _HINTS[reference[1]], place, sql)


_HINTS = {"env": "export it before the command", "file": "create it, or give this user the right to read it"}


def _missing(kind: str, name: str) -> str:
    """Why a reference cannot be resolved, if it cannot."""
    if kind == "env":
        return "" if name in os.environ else f"the environment variable {name} is not set"
    try:
        _content(name)
    except OSError as error:
        return f"the file {name} cannot be read: {error.strerror or error}"
    except UnicodeDecodeError:
        return f"the file {name} is not UTF-8 text"
    return ""


def _content(path: str) -> str:
    """What a file holds, but for the line end behind it."""
    return Path(path).read_text("utf-8").removesuffix("\n").removesuffix("\r")
