"""Every error that a user can meet: what happened, the detail, the hint, the place.

::

    PunctumError
    ├── PatternError        a pattern that cannot be built or compared
    ├── SchemaError         an attribute, a row or a punctuation that does not fit its schema
    ├── CodecError          text, JSON or XML that cannot be read, or a value that it cannot carry
    └── GrammarError        a row that an earlier punctuation excludes

An ``assert`` in this code base marks a mistake of ours; whatever a user can cause is one of these.
"""

from collections.abc import Iterable


class PunctumError(Exception):
    """The root of all errors: one line that says what happened, a detail and a hint.

    >>> print(PatternError("empty range", "5 is above 3", "swap the two ends"))
    empty range
      detail: 5 is above 3
      hint: swap the two ends
    """

    def __init__(self, what: str, detail: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what, self.detail, self.hint = what, detail, hint

    def __str__(self) -> str:
        lines = [self.what]
        lines += [f"  detail: {self.detail}"] if self.detail else []
        lines += [f"  hint: {self.hint}"] if self.hint else []
        return "\n".join(lines)

    def __reduce__(self) -> tuple[type["PunctumError"], tuple[str, str, str]]:
        return type(self), (self.what, self.detail, self.hint)


class PatternError(PunctumError):
    """A pattern that cannot be built, or two that cannot be compared."""


class SchemaError(PunctumError):
    """An attribute, row or punctuation that does not fit its schema."""


class CodecError(PunctumError):
    """Text, JSON or XML that cannot be read, or a value that the format cannot carry."""


class GrammarError(PunctumError):
    """A row that matches a punctuation of an earlier slice."""


def choices(names: Iterable[str]) -> str:
    """What does exist, for hints.

    >>> choices(["sid", "hour"])
    'there are: sid, hour'
    """
    return "there are: " + (", ".join(names) or "none")
