"""Selection (WHERE): the rows where an expression is true, and all punctuations, those that it implies first.

Rows for which it has no value go to the quarantine; there are fewer rows then, so punctuations hold all the same.
"""

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch, batch, columns, punctuations_of
from punctum.operators.checked import Computed, checked, kept
from punctum.operators.columns import ColumnarSlice
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.operator import Metadata, Operator


class Select(Operator):
    """The rows that satisfy a predicate."""

    def __init__(self, schema: Schema, predicate: Computed, implied: tuple[Punctuation, ...] = ()) -> None:
        self.inputs, self.output = (schema,), schema
        self._predicate, self._implied = checked(predicate), implied
        self._opened, self._emitted = False, EmittedPunctuations(schema)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        new = punctuations_of(self.output, xs)
        if not self._opened:
            new, self._opened = batch(self.output, self._implied) + new, True
        rows, failed = kept(xs.rows, self._predicate)
        self.fail(failed, self.output)
        return columns(rows, self._emitted.add_new(new), xs)

    def metadata(self) -> Metadata:
        """Whether it has begun, and what it has emitted."""
        return {"opened": self._opened, "emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._opened = metadata["opened"]
        self._emitted.restore(metadata["emitted"])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired may be emitted again."""
        self._emitted.forget(self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What it has emitted."""
        return len(self._emitted)
