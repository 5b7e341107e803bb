"""Lifespan: punctuations that hold for a while, so that values may come again.

A scheme with LIFESPAN promises that its punctuations are over so long after they came. With ``received`` the
punctuations on exactly the scheme's attributes, each with the time at which it came, before slice n:

    held      = the (at, p) in received that are not over
    forgotten = the rows of those that are over, less the rows of those that are held

Whoever remembers a punctuation forgets what is forgotten before the slice: a row of it is grammatical again, and a
punctuation that covers it is new again. A punctuation that is held already is not new when it comes again, and is
over with the first. What another punctuation covered is forgotten with it. What domains exclude anyway, as NULL where
an order is promised, is never over.

By the clock a slice is a batch, its punctuations came at its time, and are over when ``at + lifespan <= now``. In
stream time a slice is one element of the stream, with the punctuations that are made of it (``origins.steps``). Those
on a TIMESTAMP move the time, before anything else happens. It goes by *ticks*, a quarter of the lifespan long, counted
from 1970: a punctuation is over with the first tick by which all of the one that it came in is a lifespan old,

    ⌊at⌋ + tick + lifespan <= ⌊now⌋        ⌊t⌋ = the beginning of the tick that t is in

so all punctuations of a tick are over at once, and the sequence is cut at ticks alone.
"""

from datetime import datetime, timedelta

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.scheme import Scheme
from punctum.spec.expect import EPOCH, check_time, into, passed, tick_of
from punctum.spec.stream import Slice


class Lifespan:
    """A running one.

    >>> from punctum.algebra.schema import Schema
    >>> packet = Schema.of(seq="BIGINT", size="BIGINT")
    >>> lifespan, noon = Lifespan(Scheme.of(packet, "seq"), timedelta(hours=4)), datetime(2026, 5, 1, 12)
    >>> lifespan.feed(Slice.of(Punctuation.of(packet, seq=17)), noon)
    []
    >>> print(*lifespan.feed(Slice.of((17, 40)), noon + timedelta(hours=4)))
    <17, *>
    """

    def __init__(self, scheme: Scheme, lifespan: timedelta, time: str | None = None) -> None:
        check_time(scheme.schema, time)
        self._scheme, self._time = scheme, time
        self._tick = tick_of(lifespan) if time is not None else timedelta()
        self._lasts = lifespan + self._tick
        self._at = set(scheme.schema.indices(scheme.attributes))
        self._now: datetime | None = None
        self.received: list[tuple[datetime | None, Punctuation]] = []

    def feed(self, xs: Slice, now: datetime | None = None) -> list[Punctuation]:
        """What is forgotten before a slice; by the clock it comes at a time."""
        for time in (now, *(passed(p, self._time) for p in xs.puncts)):
            self._pass(time)
        over = [p for at, p in self.received if self._over(at)]
        self.received = [(at, p) for at, p in self.received if not self._over(at)]
        forgotten = PunctuationSet(self._scheme.schema, over)
        for _, p in self.received:
            forgotten.remove(p)
        timed = (p for p in xs.puncts if not p.excluded and {i for i, _ in p.sides} == self._at)
        self.received += [(self._now, p) for p in timed]
        return list(forgotten)

    def _over(self, at: datetime | None) -> bool:
        return at is not None and self._now is not None and self._began(at) + self._lasts <= self._began(self._now)

    def _began(self, at: datetime) -> timedelta:
        """The beginning of the tick that a time is in, since 1970; by the clock there are none."""
        since = at.replace(tzinfo=None) - EPOCH
        return since - into(at, self._tick) if self._tick else since

    def _pass(self, now: datetime | None) -> None:
        if now is not None:
            self._now = now if self._now is None else max(now, self._now)
            self.received = [(self._now if at is None else at, p) for at, p in self.received]
