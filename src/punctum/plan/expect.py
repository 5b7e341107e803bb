"""Streams whose punctuations may be lost, or hold for a while: EXPECT WITHIN and LIFESPAN are operators of a stage.

EXPECT WITHIN stands over the stream, behind its lists of reporters and before anything is filtered, since a punctuation
that closes a value speaks of all of the value's rows. Rows are partitioned by the columns of its scheme: those of one
value are in one bucket, and are swept at once. LIFESPAN stands over all of these, in the same stage.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from punctum.algebra.scheme import Order, Scheme
from punctum.iterators.expect import TIMES
from punctum.parse.definitions import StreamDef
from punctum.parse.relations import Relation, Unary

_UNITS = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000), ("millisecond", 1))


@dataclass(frozen=True)
class Limited(Unary):
    """The rows of a stream that has a time limit for the punctuations on some columns."""

    stream: StreamDef
    by: tuple[int, ...]
    time: int | None

    @property
    def scheme(self) -> Scheme:
        """The columns of the punctuations."""
        return Scheme(self.schema, tuple((self.schema.names[i], Order.EQUALITY) for i in self.by))

    @property
    def clock(self) -> str:
        """What tells the time: a column of the stream, or the batches' own times."""
        return "the clock" if self.time is None else self.schema.names[self.time]


@dataclass(frozen=True)
class Expected(Limited):
    """The rows of a stream, less those whose value was swept; a value is swept when it is open for too long."""

    within: timedelta

    @property
    def label(self) -> str:
        """The columns, how long their values may be open, and what tells the time."""
        return f"Expected {self.scheme} within {lasting(self.within)} by {self.clock}"


@dataclass(frozen=True)
class Lasting(Limited):
    """The rows of a stream, some of whose punctuations hold for a while."""

    lifespan: timedelta

    @property
    def label(self) -> str:
        """The columns, how long their punctuations hold, and what tells the time."""
        return f"Lasting {self.scheme} for {lasting(self.lifespan)} by {self.clock}"


def expected(below: Relation, stream: StreamDef) -> Relation:
    """A stream with an operator for each scheme that has EXPECT WITHIN, and then for each that has LIFESPAN."""
    schema = stream.schema
    for limits in stream.limits:
        if limits.expect is not None:
            by, at = schema.indices(limits.scheme.attributes), timeline(stream, limits.scheme)
            below = Expected(below, stream, by, None if at is None else schema.index(at), limits.expect)
    for limits in stream.limits:
        if limits.lifespan is not None:
            by, at = schema.indices(limits.scheme.attributes), timeline(stream, limits.scheme)
            below = Lasting(below, stream, by, None if at is None else schema.index(at), limits.lifespan)
    return below


def timeline(stream: StreamDef, scheme: Scheme) -> str | None:
    """The column whose punctuations say how much time has passed for a scheme: a TIMESTAMP that is promised in order.

    Nothing: the clock does. A scheme is not measured by its own punctuations, which may be what is lost.
    """
    for each in stream.schemes:
        ((name, order), *more) = each.terms
        kind = stream.schema.attributes[stream.schema.index(name)].type
        if order is Order.ASC and not more and kind in TIMES and name not in scheme.attributes:
            return name
    return None


def lasting(time: timedelta) -> str:
    """A time in words, as it is written in a script.

    >>> lasting(timedelta(hours=1, minutes=30)), lasting(timedelta(days=1))
    ('1 hour 30 minutes', '1 day')
    """
    return " ".join(_parts(time)) or f"{time / timedelta(microseconds=1):.0f} microseconds"


def _parts(time: timedelta) -> Iterator[str]:
    left = time // timedelta(milliseconds=1)
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count:
            yield f"{count} {unit}{'s' if count > 1 else ''}"
