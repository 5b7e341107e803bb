"""Merge of two streams (UNION ALL): all rows, and what both have said."""

import polars as pl

from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.operators.batch import Batch, batch, columns, constants, heard
from punctum.operators.columns import Columns
from punctum.operators.operator import Notes, Operator
from punctum.operators.said import FEW, Said, Store, settle
from punctum.spec.merge import combined, same_schema


class Heard:
    """What each of two inputs has said, and what has been said of their union."""

    def __init__(self, schema: Schema) -> None:
        self.left, self.right, self.said = Store(schema), Store(schema), Said(schema)
        self._across, self._bound = {at: at for at in range(len(schema))}, FEW

    def hear(self, left: Batch, right: Batch) -> Batch:
        """The punctuations of the output for new ones of the inputs."""
        both = combine(left, self.right)
        self.left.add(left)
        both += combine(right, self.left)
        self.right.add(right)
        return self.said.news(both)

    def settle(self) -> None:
        """Forget what both have said and melts with nothing."""
        self._bound = settle(self.left, self.right, self._across, self._bound)

    def forget(self, number: int, said: Batch) -> None:
        """What is over for an input is not said of both."""
        (self.right if number else self.left).forget(said)
        self.said.forget(said)

    def notes(self) -> Notes:
        """All three, as JSON."""
        return {"left": self.left.notes(), "right": self.right.notes(), "said": self.said.notes()}

    def restore(self, notes: Notes) -> None:
        """Go on with the notes of another one."""
        self.left.restore(notes["left"])
        self.right.restore(notes["right"])
        self.said.restore(notes["said"])

    def __len__(self) -> int:
        return len(self.left) + len(self.right) + len(self.said)


def combine(new: Batch, others: Store) -> Batch:
    """What new punctuations of one input and all that the other has said say together: setCombine.

    A constant that the other has said too is said of both, and whatever else it says together with others is less.
    """
    lines, boxes = others.known.lines()
    if boxes == [()]:
        return new
    both, rest = Batch(new.schema), Batch(new.schema, {}, new.others)
    for at, values in new.points.items():
        said = others.closes(at, values)
        both += Batch(new.schema, {at: values.filter(said)})
        rest.points[at] = values.filter(~said)
    single = [
        p for at, values in rest.points.items() if boxes or lines.keys() - {at} for p in Batch(new.schema, {at: values})
    ]
    return both + batch(new.schema, combined([*rest.others, *single], others.known)) + _with_strings(rest, others)


def _with_strings(new: Batch, others: Store) -> Batch:
    """What new punctuations that are not among them say together with strings that the other input has said."""
    both = Batch(new.schema)
    for at, values in others.points.items():
        rest = list(Batch(new.schema, {i: v for i, v in new.points.items() if i != at}, new.others))
        if rest and len(values):
            both += batch(new.schema, combined(rest, PunctuationSet(new.schema, constants(new.schema, at, values))))
    return both


class Merge(Operator):
    """All rows of both inputs."""

    def __init__(self, left: Schema, right: Schema) -> None:
        same_schema(left, right)
        self.inputs, self.output = (left, right), left
        self._heard = Heard(left)

    def feed(self, *slices: Columns) -> Columns:
        """Take the next slice of each input."""
        left, right = slices
        said = self._heard.hear(heard(self.output, left), heard(self.output, right))
        if not self.lasting:
            self._heard.settle()
        return columns(pl.concat([left.rows, right.rows], rechunk=False), said, left, right)

    def notes(self) -> Notes:
        """What each input and the output has said."""
        return self._heard.notes()

    def restore_notes(self, notes: Notes) -> None:
        """Go on with the notes of another one."""
        self._heard.restore(notes)

    def forget(self, number: int, said: Batch) -> None:
        """What is over for an input is not said of both."""
        self._heard.forget(number, self.over(number, said))

    def puncts(self) -> int:
        """What each input and the output has said."""
        return len(self._heard)
