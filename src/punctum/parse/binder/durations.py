"""Durations as text: ``'1 hour 30 minutes'``."""

import re
from datetime import timedelta
from typing import TypeVar

from punctum.errors import Place, SqlError
from punctum.parse.binder.syntax import LENGTHS

_PART = re.compile(r"\s*(\d{1,18})\s*([A-Za-z]+)\s*")
_Default = TypeVar("_Default", float, None)


def seconds(text: str | None, default: _Default) -> float | _Default:
    """The seconds of a duration that an option may give.

    >>> seconds("2 minutes", 7.0), seconds(None, 7.0)
    (120.0, 7.0)
    """
    return default if text is None else duration(text, Place()).total_seconds()


def duration(written: str, place: Place) -> timedelta:
    """The time that a text means.

    >>> print(duration("1 hour 30 minutes", Place()))
    1:30:00
    """
    parts = [(int(amount), unit.upper().removesuffix("S")) for amount, unit in _PART.findall(written)]
    if parts and not _PART.sub("", written) and all(unit in LENGTHS for _, unit in parts):
        try:
            return sum((amount * LENGTHS[unit] for amount, unit in parts), timedelta())
        except OverflowError:
            pass
    units = ", ".join(unit.lower() for unit in LENGTHS)
    raise SqlError(
        f"'{written}' is not a duration", f"units are {units}", "write a duration such as '10 seconds'", place
    )
