"""When the next batch of a query begins: at once, or a while after the one before it began."""

from datetime import timedelta

from punctum.errors import Place, QueryError, SqlError
from punctum.parse.binder.durations import duration

AT_ONCE = "0 milliseconds"
"""A batch begins when the one before it has ended."""


def interval(text: str) -> str:
    """A trigger as Spark takes it.

    >>> interval("1 minute"), interval(AT_ONCE)
    ('60000 milliseconds', '0 milliseconds')
    """
    if text == AT_ONCE:
        return text
    try:
        length = duration(text, Place())
    except SqlError as error:
        raise QueryError(f"the trigger {text!r} is not a duration", error.detail, "write '10 seconds'") from None
    return f"{length // timedelta(milliseconds=1)} milliseconds"
