"""Selection (WHERE): the rows where an expression is true, and all punctuations, those that it implies first.

Rows for which it has no value go to the quarantine; there are fewer rows then, so punctuations hold all the same.
"""

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch, batch, columns, heard
from punctum.operators.checked import Computed, checked, kept
from punctum.operators.columns import ColumnarSlice
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.operator import Metadata, Operator


class Select(Operator):
    """The rows that satisfy a predicate."""

    def __init__(self, schema: Schema, predicate: Computed, implied: tuple[Punctuation, ...] = ()) -> None:
        self.inputs, self.output = (schema,), schema
        self._predicate, self._implied = checked(predicate), implied
        self._opened, self._said = False, EmittedPunctuations(schema)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        new = heard(self.output, xs)
        if not self._opened:
            new, self._opened = batch(self.output, self._implied) + new, True
        rows, failed = kept(xs.rows, self._predicate)
        self.fail(failed, self.output)
        return columns(rows, self._said.add_new(new), xs)

    def metadata(self) -> Metadata:
        """Whether it has begun, and what it has said."""
        return {"opened": self._opened, "said": self._said.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._opened = metadata["opened"]
        self._said.restore(metadata["said"])

    def forget(self, number: int, said: PunctuationBatch) -> None:
        """What is over may be said again."""
        self._said.forget(self.map_punctuations(number, said))

    def puncts(self) -> int:
        """What it has said."""
        return len(self._said)
