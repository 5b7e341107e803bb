"""Projection with a column that is the first of several attributes which is not NULL, as FULL JOIN … USING has it.

Rows are those of the projection. A row with 5 in ``COALESCE(x, y)`` has 5 in x, or NULL in x and 5 in y. So a
punctuation on it holds when one on x and one on y have come that it is a part of: punctuations go through a projection
for each of the attributes, in which the column is that attribute, and what all of these emit is emitted (setCombine, as
for a merge).
"""

from collections.abc import Sequence

from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch, columns, punctuations_of
from punctum.operators.checked import Computed
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.images import ComputedColumn
from punctum.operators.merge import ReceivedPunctuations
from punctum.operators.operator import Metadata, Operator
from punctum.operators.project import Project

Columns = Sequence[tuple[ComputedColumn, Computed]]


class Coalesced(Operator):
    """Some columns of each row; of those that are the first of several attributes, a list for each choice of one."""

    def __init__(self, schema: Schema, shown: Columns, ways: Sequence[Columns]) -> None:
        self._rows, self._ways = Project(schema, shown), [Project(schema, way) for way in ways]
        self.inputs, self.output = (schema,), self._rows.output
        self._both = [ReceivedPunctuations(self.output) for _ in self._ways[1:]]

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        rows = self._rows.feed(ColumnarSlice(xs.rows)).rows
        self._failed += self._rows.failed()
        puncts = ColumnarSlice(empty(self.inputs[0]), xs.puncts, xs.constants)
        made, *others = (punctuations_of(self.output, way.feed(puncts)) for way in self._ways)
        for received, other in zip(self._both, others, strict=True):
            made = received.receive(made, other)
            if not self.punctuations_expire:
                received.settle()
        return columns(rows, made, xs)

    def metadata(self) -> Metadata:
        """What each choice has seen and emitted, and what they have together."""
        ways, both = [way.metadata() for way in self._ways], [received.metadata() for received in self._both]
        return {"ways": ways, "both": both}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        for way, known in zip(self._ways, metadata["ways"], strict=True):
            way.restore_metadata(known)
        for received, known in zip(self._both, metadata["both"], strict=True):
            received.restore(known)

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired holds for no choice, and not for all of them together."""
        for way in self._ways:
            way.forget(number, expired)
        images = [way.map_punctuations(number, expired) for way in self._ways]
        for n, received in enumerate(self._both):
            received.forget(0, images[0] if n == 0 else PunctuationBatch(self.output))
            received.forget(1, images[n + 1])

    def puncts(self) -> int:
        """What all of them keep."""
        return sum(way.puncts() for way in self._ways) + sum(map(len, self._both))

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """Their images by every choice."""
        made = PunctuationBatch(self.output)
        for way in self._ways:
            made += way.map_punctuations(number, received)
        return made
