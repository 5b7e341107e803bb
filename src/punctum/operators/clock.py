"""Clocks: how far time has come, by punctuations on an attribute (stream time) or as it is set (wall time).

In a sequence time moves at places: ``steps`` has, in columns AT and NOW, where it does and what it is from there on, in
microseconds since 1970. Both rise.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST, value_before
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import INSTANTS, Type
from punctum.errors import SchemaError
from punctum.operators.columns import AT, NOW
from punctum.operators.sequence import PlacedPunctuations

_TICK = timedelta(microseconds=1)
_EPOCH = datetime(1970, 1, 1)
NEVER = pl.DataFrame(schema={AT: pl.Int64, NOW: pl.Int64})
"""No steps of time."""


class StreamClock:
    """The time, which never goes back; of stream time the attribute that carries it.

    >>> from punctum.algebra.pattern import between
    >>> bid = Schema.of(itemid="BIGINT", ts="TIMESTAMP_NTZ")
    >>> clock, noon = StreamClock(bid, "ts"), datetime(2026, 5, 1, 12)
    >>> for instant in clock.instants([Punctuation.of(bid, ts=between(None, noon)), Punctuation.of(bid, itemid=7)]):
    ...     clock.advance(instant)
    >>> print(clock.now)
    2026-05-01 12:00:00
    """

    def __init__(self, schema: Schema, attribute: str | None) -> None:
        self.now: datetime | None = None
        self._at = () if attribute is None else schema.indices([attribute])
        self._kinds = {schema.attributes[at].type for at in self._at}
        if not self._kinds.issubset(INSTANTS):
            kinds = ", ".join(kind.value for kind in self._kinds)
            raise SchemaError(f"{attribute} is not a time", f"it is {kinds}", "use a TIMESTAMP column")

    def advance(self, to: datetime) -> None:
        """It is this time, or later."""
        if self.now is None or self.now < to:
            self.now = to

    def instants(self, puncts: Iterable[Punctuation]) -> Iterator[datetime]:
        """The times that have come according to punctuations which close the attribute's past, and that alone."""
        for p in puncts:
            for at, pattern in p.sides:
                low, high = pattern.spans[0] if pattern.spans else (HIGHEST, HIGHEST)
                if (at,) == self._at and len(p.sides) == 1 and low is LOWEST and high is not HIGHEST:
                    instant = value_before(high, p.schema.attributes[at].type)
                    assert isinstance(instant, datetime)
                    yield instant


def steps(attribute: str, puncts: PlacedPunctuations, more: Sequence[pl.DataFrame] = ()) -> pl.DataFrame:
    """Where punctuations move the time, and where others do.

    >>> from punctum.algebra.pattern import between
    >>> bid = Schema.of(itemid="BIGINT", ts="TIMESTAMP_NTZ")
    >>> said = [(n, Punctuation.of(bid, ts=between(None, datetime(1970, 1, 1, hour)))) for n, hour in ((3, 1), (7, 0))]
    >>> steps("ts", PlacedPunctuations(bid, {}, said)).rows()
    [(3, 3600000000)]
    """
    clock = StreamClock(puncts.schema, attribute)
    spoken = [(place, ticks(instant)) for place, p in puncts.others for instant in clock.instants([p])]
    return rising([pl.DataFrame(spoken, schema=NEVER.schema, orient="row"), *more])


def rising(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Those steps of some that move the time."""
    known = pl.concat([NEVER, *parts]).sort(AT, maintain_order=True)
    return known.filter((pl.col(NOW) > pl.col(NOW).cum_max().shift(1)).fill_null(True))


def tick_of(limit: timedelta) -> int:
    """How long the ticks are by which values are swept, or punctuations over, in microseconds."""
    return max(limit // 4 // _TICK, 1)


def turning(steps: pl.DataFrame, tick: int) -> pl.Series:
    """With which steps of time ticks begin, given how long these are.

    >>> turning(pl.DataFrame({AT: [3, 5, 8], NOW: [0, 1_000_000, 60_000_000]}), 60_000_000).to_list()
    [True, False, True]
    """
    number = steps[NOW] // tick
    return (number != number.shift(1)).fill_null(True)


def began(tick: int, now: int | None, steps: pl.DataFrame, place: int) -> int | None:
    """When the tick began that it is before a place, if that is known, by what the time was before all steps.

    >>> steps = pl.DataFrame({AT: [3, 5, 8], NOW: [70, 190, 250]})
    >>> began(100, None, steps, 3), began(100, 60, steps, 3), began(100, 60, steps, 8)
    (None, 0, 100)
    """
    began_at = steps.filter(pl.col(AT) < place)[NOW].max()
    assert began_at is None or isinstance(began_at, int)
    times = [time for time in (now, began_at) if time is not None]
    return max(times) // tick * tick if times else None


def turn(tick: int, now: int | None, steps: pl.DataFrame, place: int) -> int | None:
    """Where the next tick begins, at a place or behind it, if one does.

    >>> steps = pl.DataFrame({AT: [3, 5, 8], NOW: [70, 190, 250]})
    >>> turn(100, None, steps, 3), turn(100, 60, steps, 3), turn(100, 60, steps, 6), turn(100, 60, steps, 9)
    (3, 5, 8, None)
    """
    since = pl.lit(began(tick, now, steps, place), pl.Int64)
    turned = steps.filter((pl.col(AT) >= place) & (pl.col(NOW) // tick * tick > since).fill_null(True))
    first = turned[AT].min()
    assert first is None or isinstance(first, int)
    return first


def ticks(instant: datetime) -> int:
    """A time in microseconds since 1970."""
    return (instant.replace(tzinfo=None) - _EPOCH) // _TICK


def time_of(microseconds: int, kind: Type) -> datetime:
    """The time that so many microseconds since 1970 are."""
    return (_EPOCH + microseconds * _TICK).replace(tzinfo=UTC if kind is Type.TIMESTAMP else None)
