"""Operators over temporal elements: of their inputs' punctuations they take stables, and no others.

A punctuation on the payload does not limit events that are there already, and replicas may bring others yet. So none
goes on, and when it is lost (EXPECT WITHIN) or over (LIFESPAN), what comes out is as right as before.
"""

from punctum.algebra.punctuation import Punctuation
from punctum.lmerge.elements import stable, stable_of, time_type, time_value
from punctum.operators.batch import PunctuationBatch
from punctum.operators.operator import Operator


class TemporalOperator(Operator):
    """An operator over temporal elements."""

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """The output's punctuations at stables."""
        times = (t for p in received.others if (t := stable_of(p)) is not None)
        return PunctuationBatch(self.output, {}, [p for t in times for p in self.closed(t)])

    def closed(self, t: int) -> tuple[Punctuation, ...]:
        """The output's punctuations at a stable, given as a whole number."""
        return (stable(self.output, time_value(t, time_type(self.output))),)

    def forget(self, number: int, received: PunctuationBatch) -> None:
        """Stables are never over, and no other punctuation is remembered."""
