"""Patterns and punctuations as text, the papers' notation: ``*``, ``17``, ``[17,20)``, ``{1,5}``, ``<*, 17>``.

``str`` of a pattern or punctuation writes the text; this module reads it back, for an attribute or a schema that says
which types to expect. An end that is left out is infinite, ``{}`` is the empty pattern, ``NULL`` the constant NULL, and
a string is quoted as in JSON where it could be mistaken for something else.
"""

import re

from punctum.algebra.pattern import EMPTY, WILDCARD, Pattern, between, constant, one_of
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Value, value_from_text
from punctum.errors import CodecError, PatternError

_TOKEN = re.compile(r'\s*(INTERVAL \'[^\']*\' DAY TO SECOND|"(?:[^"\\]|\\.)*"|[\[\](){},<>*]|[^\s\[\](){},<>*"]+)\s*')
_EXPECTED = "a pattern: * or 17 or [17,20) or {1,5} or NULL"


def pattern_from_text(text: str, attribute: Attribute) -> Pattern:
    """The pattern that a text means for an attribute.

    >>> print(pattern_from_text("[17,20)", Schema.of(hour="BIGINT").attributes[0]))
    [17,19]
    """
    reader = _TextReader(text)
    pattern = reader.pattern(attribute)
    reader.end(f"the pattern of {attribute.name}")
    return pattern


def punctuation_from_text(text: str, schema: Schema) -> Punctuation:
    """The punctuation that a text means for a schema.

    >>> print(punctuation_from_text("<*, [17,20), *>", Schema.of(sid="STRING", hour="BIGINT", temp="DOUBLE")))
    <*, [17,19], *>
    """
    reader = _TextReader(text)
    reader.take("<", "a punctuation")
    patterns = []
    for n, attribute in enumerate(schema.attributes):
        if n:
            reader.take(",", f"the pattern of {attribute.name}")
        patterns.append(reader.pattern(attribute))
    reader.take(">", f"one pattern for each of {len(schema)} columns")
    reader.end("a punctuation")
    return Punctuation(schema, tuple(patterns))


class _TextReader:
    """Tokens of a text, from left to right."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def peek(self) -> str:
        """The next token, or nothing at the end."""
        token = _TOKEN.match(self._text, self._at)
        return token.group(1) if token else self._text[self._at :].strip()[:1]

    def next(self) -> str:
        """The next token, which is now behind us."""
        token, match = self.peek(), _TOKEN.match(self._text, self._at)
        self._at = match.end() if match else len(self._text)
        return token

    def take(self, token: str, what: str) -> None:
        """Pass a token that must be there."""
        if (actual := self.next()) != token:
            raise CodecError(f"{self._text!r} is not {what}", f"found {actual!r}, expected {token!r}")

    def end(self, what: str) -> None:
        """Pass the end of the text."""
        if rest := self.peek():
            raise CodecError(f"{self._text!r} is not {what}", f"{rest!r} follows its end")

    def pattern(self, attribute: Attribute) -> Pattern:
        """Pass a pattern."""
        match self.peek():
            case "*":
                self.next()
                return WILDCARD
            case "{":
                return self._list(attribute)
            case "[" | "(":
                return self._range(attribute)
            case _:
                return constant(self._value(attribute))

    def _list(self, attribute: Attribute) -> Pattern:
        what = f"a list for {attribute.name}"
        self.take("{", what)
        if self.peek() == "}":
            self.next()
            return EMPTY
        values = [self._value(attribute)]
        while self.peek() == ",":
            self.next()
            values.append(self._value(attribute))
        self.take("}", what)
        try:
            return one_of(values)  # type: ignore[arg-type]  # NULL among them is its error to raise
        except PatternError as error:
            raise CodecError(f"{self._text!r} is not {what}", error.what, error.hint) from None

    def _range(self, attribute: Attribute) -> Pattern:
        what = f"a range for {attribute.name}"
        left = self.next()
        lower = None if self.peek() == "," else self._end(attribute)
        self.take(",", what)
        upper = None if self.peek() in ("]", ")") else self._end(attribute)
        right = self.next()
        if right not in ("]", ")"):
            raise CodecError(f"{self._text!r} is not {what}", f"found {right!r}, expected ] or )")
        return between(lower, upper, left + right)

    def _end(self, attribute: Attribute) -> Value:
        value = self._value(attribute)
        if value is None:
            raise CodecError(f"{self._text!r} is not a range for {attribute.name}", "NULL is not the end of a range")
        return value

    def _value(self, attribute: Attribute) -> Value | None:
        token = self.peek()
        if token in ("", *"[](){},<>*"):
            detail = f"expected {_EXPECTED}, found {token!r}" if token else f"expected {_EXPECTED}, found nothing"
            raise CodecError(f"{self._text!r} is not a pattern for {attribute.name}", detail)
        self.next()
        try:
            return value_from_text(token, attribute.type)
        except PatternError as error:
            raise CodecError(f"{error.what}: the column {attribute.name}", error.detail, error.hint) from None
