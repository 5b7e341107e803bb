r"""Regular expressions as Java has them, for Python and, where it has the same ones, for Polars.

In Java ``\d``, ``\w`` and ``\s`` are ASCII, ``.`` is no end of a line of several kinds, and ``$`` may stand before the
last of these. What Python does not have, or has otherwise, is refused when a script is read: classes in classes,
``\p{…}``, ``\Q…\E``, flags in the middle. What Polars does not have (it looks at no text around a match, and finds no
empty match behind another one) is left to Python.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from punctum.errors import Place, SqlError

_LINE = "\\n\\r\\u0085\\u2028\\u2029"
_END = rf"(?=(?:\r\n|[{_LINE}])?\Z)"
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": "\\t\\n\\x0B\\f\\r "}
_KNOWN = set("dDwWsSbBtnrfAzZ")
_ANY = ".*"  # what a % is


class Expressions(NamedTuple):
    """One regular expression, as Python has it and as Polars has it, if it does."""

    python: re.Pattern[str]
    polars: str | None


@lru_cache(maxsize=512)
def java(pattern: str) -> Expressions:
    r"""A regular expression of Java's.

    >>> java(r"\d+").python.pattern, java(r"(?=x)").polars
    ('\\d+', None)
    >>> java("[?&]").polars
    '[?\\&]'
    """
    reader = _Reader(pattern)
    reader.read()
    return Expressions(re.compile("".join(reader.python), re.ASCII), "".join(reader.polars) if reader.same else None)


def checked(pattern: str, place: Place) -> None:
    """Refuse a regular expression that cannot be read."""
    try:
        java(pattern)
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        hint = "Java's regular expressions, but for classes in classes, \\p{…}, \\Q…\\E and flags in the middle"
        raise SqlError(f"{pattern!r} is not a regular expression", str(error), hint, place) from None


class _Reader:
    """Reads a pattern from left to right, and writes it twice."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at, self.same = pattern, 0, True
        self.python: list[str] = []
        self.polars: list[str] = []

    def read(self) -> None:
        """All of it."""
        while self.at < len(self.pattern):
            character = self._next()
            if character == "\\":
                self._escape()
            elif character == "[":
                self._class()
            elif character == "(":
                self._group()
            elif character == ".":
                self._write(f"[^{_LINE}]", "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]")
            elif character == "$":
                self._write(_END, None)
            elif character in "*+?}":
                self._quantified(character)
            else:
                self._write(character, character if character in "|^){" else _literal(character))

    def _next(self) -> str:
        character = self.pattern[self.at : self.at + 1]
        self.at += 1
        return character

    def _write(self, python: str, polars: str | None) -> None:
        self.python.append(python)
        self.polars.append(polars or "")
        self.same = self.same and polars is not None

    def _quantified(self, character: str) -> None:
        self._write(character, character)
        if self.pattern[self.at : self.at + 1] == "+":  # possessive
            self.same = False

    def _escape(self) -> None:
        character = self._next()
        if character.lower() in _CLASSES:
            chosen = _CLASSES[character.lower()].replace("\\x0B", "\\x{0B}")
            self._write("\\" + character, f"[{'^' if character.isupper() else ''}{chosen}]")
        elif character in "tnrf" and character:
            self._write("\\" + character, "\\" + character)
        elif character == "Z":
            self._write(_END, None)
        elif character == "z":
            self._write("\\Z", "\\z")
        elif character in _KNOWN or (character.isdigit() and character != "0"):
            self._write("\\" + character, None)
        elif not character or character.isalnum():
            raise ValueError(f"\\{character}")
        else:
            self._write(re.escape(character), _literal(character))

    def _group(self) -> None:
        if self.pattern[self.at : self.at + 1] != "?":
            self._write("(", "(")
            return
        opening = re.compile(r"\?(?::|=|!|<=|<!|>|[a-zA-Z]+\)|<[A-Za-z]\w*>)").match(self.pattern, self.at)
        if opening is None or (opening[0].endswith(")") and self.at != 1):
            raise ValueError(self.pattern[self.at - 1 : self.at + 3])
        if opening[0].endswith(")") and set(opening[0][1:-1]) - set("ims"):
            raise ValueError("(" + opening[0])
        if opening[0].endswith(")") and "s" in opening[0]:
            raise ValueError("(?s), for which write (?:.|\\n)")
        self.at = opening.end()
        written = opening[0].replace("?<", "?P<") if opening[0].endswith(">") and len(opening[0]) > 2 else opening[0]
        self._write("(" + written, "(?:" if written == "?:" else None)

    def _class(self) -> None:
        end = self.at + (self.pattern[self.at : self.at + 1] == "^")
        if self.pattern[end : end + 1] == "]":
            raise ValueError("[]")
        while end < len(self.pattern) and self.pattern[end] != "]":
            end += 1 + (self.pattern[end] == "\\")
        inside = self.pattern[self.at : end]
        bare = re.sub(r"\\.", "", inside, flags=re.DOTALL)
        if end >= len(self.pattern) or "[" in bare or "&&" in bare:
            raise ValueError("[" + inside)
        for escaped in re.findall(r"\\(.)", inside, re.DOTALL):
            if escaped.isalnum() and escaped not in "dDwWsStnrf":
                raise ValueError("\\" + escaped)
        plain = not re.search(r"\\[DWS]", inside) and "--" not in bare
        shown = re.sub(r"\\.|[&~|]", _in_class, inside, flags=re.DOTALL)
        self.at = end + 1
        self._write(f"[{inside}]", f"[{shown}]" if plain else None)


def _in_class(part: re.Match[str]) -> str:
    """A part of a class, an escape or what Polars may take for more than a character, for Polars."""
    if part[0][1:] in _CLASSES:
        return _CLASSES[part[0][1:]].replace("\\x0B", "\\x{0B}")
    return part[0] if part[0][0] == "\\" else "\\" + part[0]


def _literal(character: str) -> str:
    return "\\" + character if character in "\\.+*?()|[]{}^$#&-~" else character


def never_empty(pattern: str) -> bool:
    """Whether an expression that Polars has matches nothing that is empty: it looks at no text around."""
    expressions = java(pattern)
    return expressions.polars is not None and "\\z" not in expressions.polars and not expressions.python.search("")


@lru_cache(maxsize=256)
def like(pattern: str, escape: str = "\\") -> re.Pattern[str]:
    r"""The regular expression of a LIKE pattern: % any text, _ one character, \\ before one that means itself.

    >>> bool(like("S_1%").fullmatch("S01 x"))
    True
    """
    return re.compile("".join(_liked(pattern, escape, re.escape)), re.DOTALL)


def like_for_polars(pattern: str, escape: str = "\\") -> str:
    r"""The same for Polars; a text that any other may stand before or behind is looked for by itself, which is faster.

    >>> like_for_polars("S%"), like_for_polars("%&id=_%")
    ('(?s)\\AS', '(?s)\\&id=.')
    """
    parts = _liked(pattern, escape, _literal)
    ends = len(parts) - next((n for n, part in enumerate(reversed(parts)) if part != _ANY), len(parts))
    begins = next((n for n, part in enumerate(parts) if part != _ANY), 0)
    before, behind = "" if begins else "\\A", "" if ends < len(parts) else "\\z"
    return f"(?s){before}{''.join(parts[begins:ends])}{behind}"


def _liked(pattern: str, escape: str, written: Callable[[str], str]) -> list[str]:
    parts = re.findall(f"{re.escape(escape)}.|.", pattern, re.DOTALL)
    joker = {"%": _ANY, "_": "."}
    return [joker.get(part) or written(part[-1]) for part in parts]
