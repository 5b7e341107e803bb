"""Merge of two streams (UNION ALL): all rows, and what both have closed."""

from collections.abc import Iterable
from itertools import chain

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema, same_schema
from punctum.operators.batch import PunctuationBatch, batch, columns, constant_punctuations, punctuations_of
from punctum.operators.columns import ColumnarSlice
from punctum.operators.emitted import EmittedPunctuations, Store, settle
from punctum.operators.limits import limits
from punctum.operators.operator import Metadata, Operator


class ReceivedPunctuations:
    """What each of two inputs has emitted, and what has been emitted of their union."""

    def __init__(self, schema: Schema) -> None:
        self.left, self.right, self.emitted = Store(schema), Store(schema), EmittedPunctuations(schema)
        self._across, self._bound = {at: at for at in range(len(schema))}, limits().spelled

    def receive(self, left: PunctuationBatch, right: PunctuationBatch) -> PunctuationBatch:
        """The punctuations of the output for new ones of the inputs."""
        both = combine(left, self.right)
        self.left.add(left)
        both += combine(right, self.left)
        self.right.add(right)
        return self.emitted.add_new(both)

    def settle(self) -> None:
        """Forget what both have emitted and coalesces with nothing."""
        self._bound = settle(self.left, self.right, self._across, self._bound)

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired for an input does not hold for both."""
        (self.right if number else self.left).forget(expired)
        self.emitted.forget(expired)

    def metadata(self) -> Metadata:
        """All three, as JSON."""
        return {"left": self.left.metadata(), "right": self.right.metadata(), "emitted": self.emitted.metadata()}

    def restore(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self.left.restore(metadata["left"])
        self.right.restore(metadata["right"])
        self.emitted.restore(metadata["emitted"])

    def __len__(self) -> int:
        return len(self.left) + len(self.right) + len(self.emitted)


def combine(new: PunctuationBatch, others: Store) -> PunctuationBatch:
    """What new punctuations of one input and all of the other's close together: setCombine.

    A constant that the other has closed too is closed for both; whatever else it closes together with others is less.
    """
    lines, boxes = others.known.lines()
    if boxes == [()]:
        return new
    both, rest = PunctuationBatch(new.schema), PunctuationBatch(new.schema, {}, new.others)
    for at, values in new.constants.items():
        closed = others.closes(at, values)
        both += PunctuationBatch(new.schema, {at: values.filter(closed)})
        rest.constants[at] = values.filter(~closed)
    single = [
        p
        for at, values in rest.constants.items()
        if boxes or lines.keys() - {at}
        for p in PunctuationBatch(new.schema, {at: values})
    ]
    return both + _common([*rest.others, *single], others.known) + _with_strings(rest, others)


def _with_strings(new: PunctuationBatch, others: Store) -> PunctuationBatch:
    """What new punctuations that are not among them close together with strings that the other input has closed."""
    both = PunctuationBatch(new.schema)
    for at, values in others.constants.items():
        rest = list(PunctuationBatch(new.schema, {i: v for i, v in new.constants.items() if i != at}, new.others))
        if rest and len(values):
            both += _common(rest, PunctuationSet(new.schema, constant_punctuations(new.schema, at, values)))
    return both


def _common(new: Iterable[Punctuation], known: PunctuationSet) -> PunctuationBatch:
    """What punctuations of one input have in common with what is known of the other."""
    return batch(known.schema, chain.from_iterable(map(known.within, new)))


class Merge(Operator):
    """All rows of both inputs."""

    def __init__(self, left: Schema, right: Schema) -> None:
        same_schema(left, right)
        self.inputs, self.output = (left, right), left
        self._received = ReceivedPunctuations(left)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input."""
        left, right = slices
        emitted = self._received.receive(punctuations_of(self.output, left), punctuations_of(self.output, right))
        if not self.punctuations_expire:
            self._received.settle()
        return columns(pl.concat([left.rows, right.rows], rechunk=False), emitted, left, right)

    def metadata(self) -> Metadata:
        """What has been received from each input, and emitted."""
        return self._received.metadata()

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._received.restore(metadata)

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired for an input does not hold for both."""
        self._received.forget(number, self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What has been received from each input, and emitted."""
        return len(self._received)
