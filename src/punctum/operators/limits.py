"""Where operators change the way in which they hold things: the numbers are one value, in force for a block of code.

Above a limit things are held in bulk, below it one by one; what comes out is the same. Tests put other limits in force
to reach both sides with small inputs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Limits:
    """The limits of all operators."""

    apart: int = 1_000
    """So many constants that coalesce with nothing are remembered at hand."""
    scattered: int = 100
    """So many constants of one slice that are no neighbours are remembered at hand: each costs Python's time."""
    spelled: int = 100
    """So many constants may be spelled out for a range."""
    closed: int = 64
    """So many closed values of a join are not worth looking at for those that nobody will ask for."""
    lazy: int = 1_000
    """A lazy join does not purge less than this."""
    compared: int = 8
    """So many spans or boxes are compared one by one; more are searched."""
    whole: int = 4_096
    """A segment of so many rows is looked at as a whole, without an index."""
    share: int = 4
    """An index is used for so many times fewer values than there are rows."""
    small: int = 1_024
    """Segments of so many rows are of one size."""
    largest: int = 1 << 20
    """No segment has more rows."""


_USUAL = Limits()
_IN_FORCE: ContextVar[Limits] = ContextVar("limits", default=_USUAL)


def limits() -> Limits:
    """The limits that are in force."""
    return _IN_FORCE.get()


@contextmanager
def limited(**changed: int) -> Iterator[None]:
    """Put other limits in force.

    >>> with limited(apart=10):
    ...     limits().apart
    10
    >>> limits().apart
    1000
    """
    token = _IN_FORCE.set(replace(limits(), **changed))
    try:
        yield
    finally:
        _IN_FORCE.reset(token)
