"""Lifespan: punctuations that hold for a while, so that values may come again.

A scheme with LIFESPAN says that its punctuations are over so long after they came. With ``said`` the punctuations on
exactly the scheme's attributes, each with the time after its slice, before slice n:

    held      = the (at, p) in said for which at + lifespan > now
    forgotten = what those that are over say, less what those that are held say

Whoever remembers a punctuation forgets what is forgotten before the slice: a row of it is grammatical again, and a
punctuation that says it is news again. A punctuation that has been said and is held says nothing new when it comes
again, and is over with the first. What another punctuation covered is forgotten with it.

Time is as in ``expect.py``: punctuations on a TIMESTAMP tell it, with their slice, or it is given before a slice.
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
        self.said: list[tuple[datetime | None, Punctuation]] = []

    def feed(self, xs: Slice, now: datetime | None = None) -> list[Punctuation]:
        """What is forgotten before a slice that comes at a time."""
        self._pass(now)
        limit = overdue(self._now, self._lifespan)
        over = [p for at, p in self.said if at is not None and limit is not None and at <= limit]
        self.said = [(at, p) for at, p in self.said if at is None or limit is None or at > limit]
        forgotten = PunctuationSet(self._scheme.schema, over)
        for _, p in self.said:
            forgotten.remove(p)
        for p in xs.puncts:
            self._pass(passed(p, self._time))
        self.said += [(self._now, p) for p in xs.puncts if not p.empty and {i for i, _ in p.sides} == self._at]
        return list(forgotten)

    def _pass(self, now: datetime | None) -> None:
        if now is not None:
            self._now = now if self._now is None else max(now, self._now)
            self.said = [(self._now if at is None else at, p) for at, p in self.said]
