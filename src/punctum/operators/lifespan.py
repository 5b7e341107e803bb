"""Lifespan, vectorised: punctuations that hold for a while, so that values may come again.

Slices pass as they are. Kept are the punctuations that hold, in a set for each time at which some came, so that those
of neighbouring values coalesce. ``expire`` gives, before a slice, what everybody is to forget.
"""

from datetime import datetime, timedelta

from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.scheme import Scheme
from punctum.operators.batch import PunctuationBatch, add, batch, punctuations_of
from punctum.operators.clock import StreamClock
from punctum.operators.columns import ColumnarSlice
from punctum.operators.operator import Metadata, Operator
from punctum.operators.written import read, written


class Lifespan(Operator):
    """The rows and punctuations of the input."""

    def __init__(self, scheme: Scheme, lifespan: timedelta, time: str | None = None) -> None:
        self.inputs, self.output = (scheme.schema,), scheme.schema
        self._lifespan, self._clock = lifespan, StreamClock(scheme.schema, time)
        self._at = set(scheme.schema.indices(scheme.attributes))
        self._held: list[tuple[datetime | None, PunctuationSet]] = []

    def at(self, now: datetime) -> None:
        """What the time is. It never goes back."""
        self._clock.advance(now)
        self._held = [(self._clock.now if at is None else at, puncts) for at, puncts in self._held]

    def expire(self) -> PunctuationBatch:
        """What is to be forgotten before the next slice."""
        limit = self._clock.ago(self._lifespan)
        over = [puncts for at, puncts in self._held if at is not None and limit is not None and at <= limit]
        if not over:
            return PunctuationBatch(self.output)
        self._held = [(at, puncts) for at, puncts in self._held if at is None or limit is None or at > limit]
        forgotten = PunctuationSet(self.output, (p for puncts in over for p in puncts))
        for _, puncts in self._held:
            for p in puncts:
                forgotten.remove(p)
        return batch(self.output, forgotten)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        received = punctuations_of(self.output, xs)
        for instant in self._clock.instants(received.others):
            self.at(instant)
        constants = {at: values for at, values in received.constants.items() if {at} == self._at and len(values)}
        others = [p for p in received.others if {i for i, _ in p.sides} == self._at and not p.excluded]
        if constants or others:
            if not self._held or self._held[-1][0] != self._clock.now:
                self._held.append((self._clock.now, PunctuationSet(self.output)))
            add(self._held[-1][1], PunctuationBatch(self.output, constants, others))
        return xs

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired has expired here already."""

    def metadata(self) -> Metadata:
        """The time, and what holds, by when it came."""
        held = [[at and at.isoformat(), written(puncts, self.output)] for at, puncts in self._held]
        now = self._clock.now
        return {"now": now and now.isoformat(), "held": held}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._clock.now = _time(metadata["now"])
        self._held = [
            (_time(at), PunctuationSet(self.output, read(puncts, self.output))) for at, puncts in metadata["held"]
        ]

    def puncts(self) -> int:
        """What holds."""
        return sum(len(puncts) for _, puncts in self._held)


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
