"""The order of values: NaN equals itself and comes last, strings go by code point."""

from typing import Any


def equal(a: Any, b: Any) -> bool:
    """Whether two values that are not NULL are equal: NaN is equal to NaN."""
    return bool(a == b or (a != a and b != b))


def less(a: Any, b: Any) -> bool:
    """Whether a value comes before another one: NaN comes last."""
    return bool(a == a and (b != b or a < b))


def greatest(*values: Any) -> Any:
    """The greatest value, NULLs aside.

    >>> greatest(1.0, float("nan"), None)
    nan
    """
    made = None
    for value in values:
        if value is not None and (made is None or less(made, value)):
            made = value
    return made


def least(*values: Any) -> Any:
    """The least value, NULLs aside.

    >>> least(2, None, 1)
    1
    """
    made = None
    for value in values:
        if value is not None and (made is None or less(value, made)):
            made = value
    return made
