"""Stamped: each row gets the time of the batch in which it comes.

With now(n) the time given with slice n, and at(n) = max { now(i) : i <= n }, since clocks may be set back::

    rows of slice n         =  [t ⋅ at(n) | t ∈ rows]
    punctuations of it      =  [p ⋅ * | p ∈ puncts] and, when at(n) > at(n - 1), < *, …, time < at(n) >
    kept                    =  at(n)

Later rows have at(n) or more, so the last one is grammatical. No clock is read here: who runs this twice on the same
slices and times gets the same.
"""

from datetime import datetime

from punctum.algebra.pattern import WILDCARD, between
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.spec.stream import Slice


class Stamped:
    """A running one; the last attribute of its output is the time.

    >>> from datetime import UTC
    >>> stamped = Stamped(Schema.of(k="BIGINT", at="TIMESTAMP"))
    >>> made = stamped.feed(Slice.of((17,)), datetime(2026, 11, 18, 12, tzinfo=UTC))
    >>> print(made.rows[0][1], *made.puncts)
    2026-11-18 12:00:00+00:00 <*, (,2026-11-18T12:00:00Z)>
    """

    def __init__(self, output: Schema) -> None:
        self.output = output
        self.now: datetime | None = None

    def feed(self, xs: Slice, now: datetime) -> Slice:
        """The next slice, and the time of its batch."""
        wider = [Punctuation(self.output, (*p.patterns, WILDCARD)) for p in xs.puncts]
        if self.now is None or self.now < now:
            self.now = now
            wider.append(Punctuation.of(self.output, {self.output.names[-1]: between(None, now, "()")}))
        return Slice(tuple((*t, self.now) for t in xs.rows), tuple(wider))
