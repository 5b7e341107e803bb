"""Expect: what becomes of values whose punctuations are lost.

A scheme with EXPECT WITHIN promises that a value is closed at most so long after its first row. A value that is not is
*swept*: it counts as closed from then on, and is reported once. With ``key(t)`` the values of a row on the scheme's
attributes, ``first(k)`` the time of the first row with a key, and ``now`` the time that has passed, after slice n:

    open  = { key(t) : t in rows } less the keys that punctuations on these attributes alone match, less the swept
    swept = the open keys k for which first(k) + within <= now

A punctuation counts before time does, so one that comes in the slice that would be too late is in time. A row that
comes after its key was swept is late, and goes no further; it is reported, with the sweep as what excludes it.

By the clock a slice is a batch, which has one time. In stream time a slice is one element of the stream, with the
punctuations that are made of it (``origins.steps``), and ``now`` is the beginning of the *tick* that time has come to:
ticks are a quarter of ``within`` long, counted from 1970. So keys are swept with elements that begin a tick, and the
sequence is cut at ticks alone.

Time is an attribute of the rows (stream time), and has passed as far as punctuations on it alone reach; or it is given
with each slice (wall time). No clock is read here: who runs this twice on the same slices sweeps the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from punctum.algebra.cuts import HIGHEST, LOWEST, value_before
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.values import INSTANTS, Row
from punctum.errors import SchemaError
from punctum.spec.stream import Slice

EPOCH = datetime(1970, 1, 1)
INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True)
class Swept:
    """A value that should have been closed: the punctuation that has not come, since when it was open, its rows."""

    punctuation: Punctuation
    since: datetime
    rows: int


class Expected(NamedTuple):
    """The slice that goes on, what has to be swept behind it, and the rows that are late, with what excludes them."""

    slice: Slice
    swept: list[Swept]
    late: list[tuple[Row, Punctuation]]


class Expect:
    """A running one.

    >>> bid = Schema.of(itemid="BIGINT", ts="TIMESTAMP_NTZ")
    >>> expect = Expect(Scheme.of(bid, "itemid"), timedelta(days=1), time="ts")
    >>> noon = datetime(2026, 5, 1, 12)
    >>> _ = expect.feed(Slice.of((17, noon)))
    >>> passed = Scheme.of(bid, "ts ASC").instantiate((None, noon + timedelta(days=2)))
    >>> [str(swept.punctuation) for swept in expect.feed(Slice.of(passed)).swept]
    ['<17, *>']
    """

    def __init__(self, scheme: Scheme, within: timedelta, time: str | None = None) -> None:
        check_time(scheme.schema, time)
        self._scheme, self._within, self._time = scheme, within, time
        self._tick = INSTANT if time is None else tick_of(within)
        self._at = scheme.schema.indices(scheme.attributes)
        self._seen = PunctuationSet(scheme.schema)
        self._now: datetime | None = None
        self.open: dict[Row, tuple[datetime, int]] = {}

    def feed(self, xs: Slice, now: datetime | None = None) -> Expected:
        """The next slice, and in wall time, what the time is."""
        late = [(t, p) for t in xs.rows if (p := self._seen.find(t)) is not None]
        rows = tuple(t for t in xs.rows if not self._seen.matches(t))
        times = [now, *(passed(p, self._time) for p in xs.puncts)]
        self._now = max((t for t in (self._now, *times) if t is not None), default=None)
        for t in rows:
            self._count(t)
        for p in xs.puncts:
            if {i for i, _ in p.sides} <= set(self._at):
                self.open = {key: known for key, known in self.open.items() if not p.match(self._row(key))}
        news = tuple(q for p in xs.puncts for q in self._seen.add_new(p))
        return Expected(Slice(rows, news), self._sweep(), late)

    def forget(self, ps: Iterable[Punctuation]) -> None:
        """From now on rows are in time that only punctuations exclude which are over."""
        for p in ps:
            self._seen.forget(p)

    def _count(self, t: Row) -> None:
        key = tuple(t[i] for i in self._at)
        at = self._now if self._time is None else t[self._scheme.schema.index(self._time)]
        if isinstance(at, datetime):
            since, rows = self.open.get(key, (at, 0))
            self.open[key] = min(since, at), rows + 1

    def _sweep(self) -> list[Swept]:
        limit = overdue(self._now, self._within, self._tick)
        keys = [key for key, (since, _) in self.open.items() if limit is not None and since <= limit]
        swept = [Swept(closing(self._scheme, key), *self.open.pop(key)) for key in keys]
        for value in swept:
            self._seen.add_new(value.punctuation)
        return swept

    def _row(self, key: Row) -> Row:
        values = dict(zip(self._at, key, strict=True))
        return tuple(values.get(i) for i in range(len(self._scheme.schema)))


def closing(scheme: Scheme, key: Row) -> Punctuation:
    """The punctuation that closes one value, whatever the scheme's orders are."""
    return Punctuation.of(scheme.schema, dict(zip(scheme.attributes, key, strict=True)))


def passed(p: Punctuation, time: str | None) -> datetime | None:
    """Up to when time has passed, when a punctuation is on the attribute alone."""
    if time is None or len(p.sides) != 1:
        return None
    ((at, pattern),) = p.sides
    if p.schema.names[at] != time or not pattern.spans:
        return None
    low, high = pattern.spans[0]
    value = value_before(high, p.schema.attributes[at].type) if low is LOWEST else None
    return value if isinstance(value, datetime) and high is not HIGHEST else None


def tick_of(duration: timedelta) -> timedelta:
    """How long the ticks are of what lasts so long."""
    return max(duration // 4, INSTANT)


def into(at: datetime, tick: timedelta) -> timedelta:
    """How far a time is in its tick."""
    return (at.replace(tzinfo=None) - EPOCH) % tick


def overdue(now: datetime | None, within: timedelta, tick: timedelta) -> datetime | None:
    """What is open since then, or for longer, is overdue; nothing: nothing is."""
    try:
        return None if now is None else now - into(now, tick) - within
    except OverflowError:
        return None


def check_time(schema: Schema, time: str | None) -> None:
    """An error when an attribute is not a time."""
    if time is not None and (kind := schema.attributes[schema.index(time)].type) not in INSTANTS:
        raise SchemaError(f"{time} is not a time", f"it is {kind.value}", "use a TIMESTAMP column")
