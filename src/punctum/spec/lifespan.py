"""Lifespan: punctuations that hold for a while, so that values may come again.

A scheme with LIFESPAN promises that its punctuations are over so long after they came. With ``received`` the
punctuations on exactly the scheme's attributes, each with the time after its slice, before slice n:

    held      = the (at, p) in received for which at + lifespan > now
    forgotten = the rows of those that are over, less the rows of those that are held

Whoever remembers a punctuation forgets what is forgotten before the slice: a row of it is grammatical again, and a
punctuation that covers it is new again. A punctuation that is held already is not new when it comes again, and is
over with the first. What another punctuation covered is forgotten with it. What domains exclude anyway, as NULL where
an order is promised, is never over.

Time is as in ``expect.py``: punctuations on a TIMESTAMP give it, with their slice, or it is given before a slice.
"""

from datetime import datetime, timedelta

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.scheme import Scheme
from punctum.spec.expect import check_time, overdue, passed
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
        self._scheme, self._lifespan, self._time = scheme, lifespan, time
        self._at = set(scheme.schema.indices(scheme.attributes))
        self._now: datetime | None = None
        self.received: list[tuple[datetime | None, Punctuation]] = []

    def feed(self, xs: Slice, now: datetime | None = None) -> list[Punctuation]:
        """What is forgotten before a slice that comes at a time."""
        self._pass(now)
        limit = overdue(self._now, self._lifespan)
        over = [p for at, p in self.received if at is not None and limit is not None and at <= limit]
        self.received = [(at, p) for at, p in self.received if at is None or limit is None or at > limit]
        forgotten = PunctuationSet(self._scheme.schema, over)
        for _, p in self.received:
            forgotten.remove(p)
        for p in xs.puncts:
            self._pass(passed(p, self._time))
        timed = (p for p in xs.puncts if not p.excluded and {i for i, _ in p.sides} == self._at)
        self.received += [(self._now, p) for p in timed]
        return list(forgotten)

    def _pass(self, now: datetime | None) -> None:
        if now is not None:
            self._now = now if self._now is None else max(now, self._now)
            self.received = [(self._now if at is None else at, p) for at, p in self.received]
