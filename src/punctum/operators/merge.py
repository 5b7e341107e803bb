"""Merge of two streams (UNION ALL): all rows, and what both have said."""

import polars as pl

from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.iterators.merge import combined, same_schema
from punctum.operators.batch import Batch, add, batch, columns, heard
from punctum.operators.columns import Columns
from punctum.operators.matching import inside
from punctum.operators.operator import Notes, Operator, Said, forget, read, written
from punctum.operators.places import bounds


class Heard:
    """What each of two inputs has said, and what has been said of their union."""

    def __init__(self, schema: Schema) -> None:
        self.left, self.right = PunctuationSet(schema), PunctuationSet(schema)
        self.said = Said(schema)

    def hear(self, left: Batch, right: Batch) -> Batch:
        """The punctuations of the output for new ones of the inputs."""
        both = combine(left, self.right)
        add(self.left, left)
        both += combine(right, self.left)
        add(self.right, right)
        return self.said.news(both)

    def forget(self, number: int, said: Batch) -> None:
        """What is over for an input is not said of both."""
        forget(self.right if number else self.left, said)
        self.said.forget(said)

    def notes(self) -> Notes:
        """All three, as JSON."""
        schema = self.left.schema
        sides = {"left": written(self.left, schema), "right": written(self.right, schema)}
        return {**sides, "said": self.said.notes()}

    def restore(self, notes: Notes) -> None:
        """Go on with the notes of another one."""
        schema = self.left.schema
        self.left, self.right = (PunctuationSet(schema, read(notes[side], schema)) for side in ("left", "right"))
        self.said.restore(notes["said"])

    def __len__(self) -> int:
        return len(self.left) + len(self.right) + len(self.said.known)


def combine(new: Batch, others: PunctuationSet) -> Batch:
    """What new punctuations of one input and all that the other has said say together: setCombine."""
    lines, boxes = others.lines()
    if boxes == [()]:
        return new
    both = batch(new.schema, combined(new.others, others))
    for at, values in new.points.items():
        if boxes or lines.keys() - {at}:
            both += batch(new.schema, combined(list(Batch(new.schema, {at: values})), others))
        elif at in lines:
            known = values.filter(inside(values, bounds(lines[at], new.schema.attributes[at])))
            both += Batch(new.schema, {at: known})
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
