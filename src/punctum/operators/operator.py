"""Operators: a slice of each input in, a slice of the output out, and the state in two parts that an engine can store.

The state is *tables*, the rows kept, in chunks, and *notes*, all else as plain data for JSON. A new operator that is
given the tables and notes of another one goes on as that one would. What comes out and what is kept is what the
operator of the same name in ``punctum.iterators`` says; the inputs are grammatical and canonical (see ``guard.py``).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.json import from_json, to_json
from punctum.algebra.pattern import Constant, Span, span_pattern
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.operators.batch import Batch, add, batch, constants
from punctum.operators.columns import Columns, dtype
from punctum.operators.matching import inside
from punctum.operators.places import bounds
from punctum.operators.table import Table, total

Notes = dict[str, Any]
"""State other than rows, as data for JSON."""


@dataclass(frozen=True)
class Size:
    """How much an operator keeps: rows, about how many bytes they take, and punctuations."""

    rows: int
    bytes: int
    puncts: int


@dataclass(frozen=True)
class Waits:
    """What the rows of a table wait for: punctuations of an input, on these of its attributes.

    Each attribute comes with the table's column that has its value.
    """

    input: int
    on: tuple[tuple[str, str], ...]


class Operator(ABC):
    """A running operator."""

    inputs: tuple[Schema, ...]
    output: Schema
    trusts: tuple[int, ...] = ()
    """The inputs whose punctuations release rows: what comes out is as right as these are."""

    @abstractmethod
    def feed(self, *slices: Columns) -> Columns:
        """Take the next slice of each input."""

    def tables(self) -> dict[str, Table]:
        """The rows it keeps, by what it keeps them for."""
        return {}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        assert not tables, f"{type(self).__name__} keeps no rows"

    @abstractmethod
    def notes(self) -> Notes:
        """The state other than rows."""

    @abstractmethod
    def restore_notes(self, notes: Notes) -> None:
        """Go on with the notes of another one."""

    def size(self) -> Size:
        """How much it keeps now."""
        return Size(*total(self.tables().values()), self.puncts())

    @abstractmethod
    def puncts(self) -> int:
        """How many punctuations it keeps now."""

    def waits(self) -> dict[str, Waits]:
        """What its tables wait for, where that can be told in a few words."""
        return {}

    def waiting(self) -> int:
        """How many punctuations have come and not gone on yet."""
        return 0

    def over(self, number: int, said: Batch) -> Batch:
        """What punctuations of an input say of the output, once nothing holds them back."""
        assert len(said.schema) == len(self.output), f"{type(self).__name__} says its own"
        return Batch(self.output, said.points, [Punctuation(self.output, p.patterns) for p in said.others])

    def forget(self, number: int, said: Batch) -> None:
        """Remember no longer that an input has said what is over, nor what followed for the output."""
        raise NotImplementedError(f"{type(self).__name__} does not forget")

    def says(self, p: Punctuation) -> bool:
        """Whether it has said of its output what a punctuation says; asked of those that trust an input."""
        return False


class Said:
    """What has been said on a stream; it tells what is new (the specification's ``Sayer``)."""

    def __init__(self, schema: Schema) -> None:
        self.known = PunctuationSet(schema)

    def news(self, said: Batch) -> Batch:
        """What no earlier punctuation covers, or has become wider with earlier ones; from now on it counts as said."""
        new = Batch(said.schema)
        for p in said.others:
            self._say(p, new)
        for at, values in said.points.items():
            lines, boxes = self.known.lines()
            line = lines.get(at)
            if boxes or (line is not None and len(line) > 20 * len(values)):
                for p in Batch(said.schema, {at: values}):
                    self._say(p, new)
                continue
            if line is not None and len(line) > line.null:  # no box, so only the constants' own line can cover them
                values = values.filter(~inside(values, bounds(line, said.schema.attributes[at])))
            if len(values):
                fresh = Batch(said.schema, {at: values})
                add(self.known, fresh)
                new += fresh
                if self.known.lines()[1]:  # all of the attribute is closed now
                    new.others.append(end_of_stream(said.schema))
        return new

    def forget(self, said: Batch) -> None:
        """What is over is not said any more, and is news when it is said again."""
        forget(self.known, said)

    def notes(self) -> "Written":
        """What has been said, as data for JSON."""
        return written(self.known, self.known.schema)

    def restore(self, notes: "Written") -> None:
        """Say what was said."""
        self.known = PunctuationSet(self.known.schema, read(notes, self.known.schema))

    def _say(self, p: Punctuation, new: Batch) -> None:
        told = self.known.tell(p)
        new.others += told or ([p] if self._beyond(p) else [])

    def _beyond(self, p: Punctuation) -> bool:
        """Whether a punctuation speaks of values that never come here, so that other buckets wait to hear it."""
        attributes = self.known.schema.attributes
        return any(attributes[at].reach is not None and not isinstance(side, Constant) for at, side in p.sides)


def forget(known: PunctuationSet, said: Batch) -> None:
    """Take back what punctuations say."""
    for p in said:
        known.forget(p)


Written = dict[str, Any]
"""Punctuations as data for JSON: whole numbers in bulk, all others as their JSON."""


def written(puncts: Iterable[Punctuation], schema: Schema) -> Written:
    """Punctuations as data for JSON."""
    if isinstance(puncts, PunctuationSet):
        lines, boxes = puncts.lines()
        if not boxes and all(schema.attributes[at].type is Type.BIGINT and not line.null for at, line in lines.items()):
            return {"spans": {str(at): [_ends(span) for span in line] for at, line in lines.items()}, "others": []}
    if isinstance(puncts, Batch):
        plain = {at: v for at, v in puncts.points.items() if v.dtype in (pl.Int64, pl.String)}
        rest = Batch(schema, {at: v for at, v in puncts.points.items() if at not in plain}, puncts.others)
        points = {str(at): values.to_list() for at, values in plain.items()}
        return {"points": points, "others": [to_json(p, schema) for p in rest]}
    return {"others": [to_json(p, schema) for p in puncts]}


def read(notes: Written, schema: Schema) -> list[Punctuation]:
    """The punctuations that were written."""
    found = [p for p in (from_json(text, schema) for text in notes["others"]) if isinstance(p, Punctuation)]
    for at, spans in notes.get("spans", {}).items():
        name = schema.names[int(at)]
        found += [Punctuation.of(schema, {name: span_pattern(_span(*ends), Type.BIGINT)}) for ends in spans]
    for at, values in notes.get("points", {}).items():
        found += constants(schema, int(at), pl.Series(values, dtype=dtype(schema.attributes[int(at)])))
    return found


def read_batch(notes: Written, schema: Schema) -> Batch:
    """The batch that was written; its constants stay columns."""
    found = batch(schema, read({"others": notes["others"]}, schema))
    for at, values in notes["points"].items():
        found += Batch(schema, {int(at): pl.Series(values, dtype=dtype(schema.attributes[int(at)]))})
    return found


def _ends(span: Span) -> tuple[int | None, int | None]:
    low, high = span
    return (None if low is LOWEST else low, None if high is HIGHEST else high)


def _span(low: int | None, high: int | None) -> Span:
    return (LOWEST if low is None else low, HIGHEST if high is None else high)
