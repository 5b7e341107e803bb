"""Projection (the SELECT list): for each column an expression for the rows, and a specified one for the punctuations.

What punctuations say of the columns, and which of them wait until an attribute's domain is covered, is the
specification's ``projPs``; patterns on attributes that are there as they are only move. Rows for which a column has no
value go to the quarantine.
"""

from collections.abc import Iterable, Sequence

import polars as pl

from punctum.algebra.pattern import WILDCARD
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import NOT_NULL, Schema
from punctum.iterators.columns import Column
from punctum.iterators.project import Project as Specification
from punctum.operators.batch import Batch, Names, add, batch, columns, heard
from punctum.operators.checked import Computed, checked, computed
from punctum.operators.columns import Columns, empty, fitting
from punctum.operators.operator import Notes, Operator
from punctum.operators.said import APART, Said, forget
from punctum.operators.written import read, written


class Project(Operator):
    """Some columns of each row."""

    def __init__(self, schema: Schema, columns: Sequence[tuple[Column, Computed]]) -> None:
        self._spec = Specification(schema, tuple(column for column, _ in columns))
        self.inputs, self.output = (schema,), self._spec.output
        self._exprs = [(column.attribute.name, checked(expr)) for column, expr in columns]
        found = [[n for n, (c, _) in enumerate(columns) if c.source == name] for name in schema.names]
        self._plain = [all(columns[n][0].function is None for n in at) and bool(at) for at in found]
        self._names = Names(self.output, found)
        self._seen, self._said = PunctuationSet(schema), Said(self.output)
        # punctuations that can be output widened once more has been said, by the two: one for each
        self._waiting: dict[tuple[Punctuation, Punctuation], Punctuation] = {}
        self._bound = APART

    def feed(self, *slices: Columns) -> Columns:
        """Take the next slice."""
        (xs,) = slices
        new = heard(self.inputs[0], xs)
        plain = new.on(at for at, plain in enumerate(self._plain) if plain)
        rest = Batch(new.schema, {at: v for at, v in new.points.items() if at not in plain.points})
        moved = {id(p) for p in plain.others}
        rest.others = [p for p in new.others if id(p) not in moved]
        said = self._names.over(plain) + batch(self.output, self._images(rest))
        if not all(self._plain):
            said += batch(self.output, self._images(self._completed(new, rest)))
        return columns(self._rows(xs.rows), self._said.news(said), xs)

    def _rows(self, df: pl.DataFrame) -> pl.DataFrame:
        if not df.height:
            return empty(self.output)
        found, failed = computed(df, self._exprs)
        self.fail(failed, self.inputs[0])
        return fitting(found, self.output)

    def notes(self) -> Notes:
        """What has been seen and said, and what waits."""
        schema = self.inputs[0]
        waiting = written(self._waiting.values(), schema)
        return {"seen": written(self._seen, schema), "waiting": waiting, "said": self._said.notes()}

    def restore_notes(self, notes: Notes) -> None:
        """Go on with the notes of another one."""
        schema = self.inputs[0]
        self._seen = PunctuationSet(schema, read(notes["seen"], schema))
        self._waiting = {self._pair(p): p for p in read(notes["waiting"], schema)}
        self._said.restore(notes["said"])

    def before(self, said: Batch) -> Batch:
        """Punctuations on columns that are attributes as they are, over the input."""
        schema, sources = self.inputs[0], [column.source for column in self._spec.columns]
        named = [{str(sources[i]): side for i, side in p.sides} for p in said.others]
        points = {schema.index(str(sources[at])): values for at, values in said.points.items()}
        return Batch(schema, points, [Punctuation.of(schema, sides) for sides in named])

    def forget(self, number: int, said: Batch) -> None:
        """What is over covers no domain, and may be said again."""
        forget(self._seen, said)
        self._said.forget(self.over(number, said))

    def puncts(self) -> int:
        """What it has seen, what waits and what it has said."""
        return len(self._seen) + len(self._waiting) + len(self._said)

    def over(self, number: int, said: Batch) -> Batch:
        """What can be said of the columns."""
        return batch(self.output, self._images(said))

    def _images(self, ps: Iterable[Punctuation]) -> list[Punctuation]:
        return [q for p in ps for q in self._spec.images(p)]

    def _completed(self, new: Batch, unsure: Batch) -> list[Punctuation]:
        """The punctuations that have come to cover the domains they waited for, widened."""
        add(self._seen, new)
        for p in unsure:
            if self._spec.unsaid(p):
                self._waiting.setdefault(self._pair(p), p)
        complete = [pair for pair in self._waiting if self._seen.covers(pair[1])]
        for pair in complete:
            del self._waiting[pair]
        for wide, _ in complete:
            self._seen.add(wide)
        if len(self._seen) + len(self._waiting) > self._bound:
            self._spare()
        return [wide for wide, _ in complete]

    def _pair(self, p: Punctuation) -> tuple[Punctuation, Punctuation]:
        """What can be output, once the other has been said."""
        return self._spec.widened(p), self._spec.in_domain(p)

    def _spare(self) -> None:
        """Forget what waits for no declared domain: no scheme promises that an endless one is covered."""
        self._seen = PunctuationSet(self.inputs[0], filter(self._hopes, self._seen))
        self._waiting = {pair: p for pair, p in self._waiting.items() if self._hopes(p)}
        self._bound = 2 * (len(self._seen) + len(self._waiting)) + APART

    def _hopes(self, p: Punctuation) -> bool:
        domains = [self.inputs[0].attributes[i].domain for i in self._spec.unsaid(p)]
        return bool(domains) and not any(domain in (WILDCARD, NOT_NULL) for domain in domains)
