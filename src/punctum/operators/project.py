"""Projection (the SELECT list): for each column an expression for the rows, and a computed column for punctuations.

Patterns on attributes that are there as they are only move; others become their images on the columns (``images.py``).
A punctuation with a pattern that no column can show waits until punctuations that differ from it there alone cover the
attribute's domain, and then goes without that pattern. Rows for which a column has no value go to the quarantine.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product

import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST, Cut
from punctum.algebra.finite import finite
from punctum.algebra.pattern import EMPTY, NULL, WILDCARD, Pattern, span_pattern
from punctum.algebra.punctuation import Punctuation, Side, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import NOT_NULL, Schema
from punctum.algebra.values import Type
from punctum.operators.batch import Names, PunctuationBatch, add, batch, columns, punctuations_of
from punctum.operators.checked import Computed, checked, computed
from punctum.operators.columns import ColumnarSlice, empty, fitting
from punctum.operators.emitted import EmittedPunctuations, forget
from punctum.operators.images import ComputedColumn
from punctum.operators.limits import limits
from punctum.operators.operator import Metadata, Operator
from punctum.operators.sequence import PlacedPunctuations
from punctum.operators.written import read, written


class Project(Operator):
    """Some columns of each row."""

    def __init__(self, schema: Schema, columns: Sequence[tuple[ComputedColumn, Computed]]) -> None:
        self._columns = [column for column, _ in columns]
        self.inputs, self.output = (schema,), Schema(tuple(column.attribute for column in self._columns))
        self._exprs = [(column.attribute.name, checked(expr)) for column, expr in columns]
        self._shown = [[n for n, c in enumerate(self._columns) if c.source == name] for name in schema.names]
        self._plain = [all(self._columns[n].function is None for n in at) and bool(at) for at in self._shown]
        self._names = Names(self.output, self._shown)
        self._seen, self._emitted = PunctuationSet(schema), EmittedPunctuations(self.output)
        # punctuations that can be output widened once more has come, by the two: one for each
        self._waiting: dict[tuple[Punctuation, Punctuation], Punctuation] = {}
        self._bound = limits().spelled
        self.widened = False
        """Whether punctuations of the last slice have covered a domain together."""

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        new = punctuations_of(self.inputs[0], xs)
        plain = new.on(at for at, plain in enumerate(self._plain) if plain)
        rest = PunctuationBatch(new.schema, {at: v for at, v in new.constants.items() if at not in plain.constants})
        rest.constants |= {at: values.head(1) for at, values in rest.constants.items() if not self._shown[at]}
        moved = {id(p) for p in plain.others}
        rest.others = [p for p in new.others if id(p) not in moved]
        images = self._names.map_punctuations(plain) + batch(self.output, self._images(rest))
        completed = [] if all(self._plain) else self._completed(new, rest)
        self.widened = not all(any(p.covers(wide) for p in new.others) for wide in completed)
        images += batch(self.output, self._images(completed))
        return columns(self._rows(xs.rows), self._emitted.add_new(images), xs)

    def plain(self, puncts: PlacedPunctuations) -> PlacedPunctuations:
        """Those of some punctuations that are on such attributes alone."""
        return puncts.alone(at for at, plain in enumerate(self._plain) if plain)

    def shown(self, puncts: PlacedPunctuations) -> PlacedPunctuations:
        """What each of some punctuations by itself says over the output, where it was."""
        plain = {n: column for at, column in puncts.constants.items() if self._plain[at] for n in self._shown[at]}
        computed = (at for at in puncts.constants if self._shown[at] and not self._plain[at])
        others = [*puncts.others, *(other for at in computed for other in puncts.constants_of(at))]
        return PlacedPunctuations(self.output, plain, [(place, q) for place, p in others for q in self._images([p])])

    def _rows(self, df: pl.DataFrame) -> pl.DataFrame:
        if not df.height:
            return empty(self.output)
        rows, failed = computed(df, self._exprs)
        self.fail(failed, self.inputs[0])
        return fitting(rows, self.output)

    def metadata(self) -> Metadata:
        """What has been seen and emitted, and what waits."""
        schema = self.inputs[0]
        waiting = written(self._waiting.values(), schema)
        return {"seen": written(self._seen, schema), "waiting": waiting, "emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        schema = self.inputs[0]
        self._seen = PunctuationSet(schema, read(metadata["seen"], schema))
        self._waiting = {self._pair(p): p for p in read(metadata["waiting"], schema)}
        self._emitted.restore(metadata["emitted"])

    def before(self, puncts: PunctuationBatch) -> PunctuationBatch:
        """Punctuations on columns that are attributes as they are, over the input."""
        schema, sources = self.inputs[0], [column.source for column in self._columns]
        named = [{str(sources[i]): side for i, side in p.sides} for p in puncts.others]
        constants = {schema.index(str(sources[at])): values for at, values in puncts.constants.items()}
        return PunctuationBatch(schema, constants, [Punctuation.of(schema, sides) for sides in named])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired covers no domain, and may be emitted again."""
        forget(self._seen, expired)
        self._emitted.forget(self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What it has seen, what waits and what it has emitted."""
        return len(self._seen) + len(self._waiting) + len(self._emitted)

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """Their images over the output columns."""
        return batch(self.output, self._images(received))

    def _images(self, ps: Iterable[Punctuation]) -> list[Punctuation]:
        """Images over the output columns: a punctuation for each way to show all of its patterns."""
        every = end_of_stream(self.output)
        ways = (way for p in ps for way in product(*(self._ways(*side) for side in p.sides)))
        return [every.replacing(dict(way)) for way in ways]

    def _ways(self, at: int, pattern: Pattern) -> list[Side]:
        """What a pattern on an attribute means for columns."""
        kind = self.inputs[0].attributes[at].type
        return [(n, image) for n in self._shown[at] for image in self._columns[n].images(pattern, kind)]

    def _hidden(self, p: Punctuation) -> list[int]:
        """The attributes on which a punctuation has a pattern that no column shows."""
        return [at for at, pattern in p.sides if not self._ways(at, pattern)]

    def _completed(self, new: PunctuationBatch, unsure: PunctuationBatch) -> list[Punctuation]:
        """The punctuations that have come to cover the domains they waited for, widened."""
        add(self._seen, self._worth_seeing(new))
        for p in unsure:
            if self._hidden(p):
                self._waiting.setdefault(self._pair(p), p)
        if len(self._seen) + len(self._waiting) > self._bound:  # first, for each that waits looks at all that is seen
            self._spare()
        complete = [pair for pair in self._waiting if self._seen.covers(pair[1])]
        for pair in complete:
            self._forget_parts(self._waiting.pop(pair))
        for wide, _ in complete:
            self._seen.add(wide)
        return [wide for wide, _ in complete]

    def _worth_seeing(self, new: PunctuationBatch) -> PunctuationBatch:
        """New punctuations without constants that go out as they are, where these are so many that they are spared."""
        plain = {at: len(values) for at, values in new.constants.items() if self._plain[at]}
        if sum(plain.values()) <= self._bound:
            return new
        constants = {at: values for at, values in new.constants.items() if at not in plain}
        return PunctuationBatch(new.schema, constants, new.others)

    def _pair(self, p: Punctuation) -> tuple[Punctuation, Punctuation]:
        """What can be emitted, once the other has come."""
        hidden = self._hidden(p)
        domains = {at: self.inputs[0].attributes[at].domain for at in hidden}
        return p.replacing(dict.fromkeys(hidden, WILDCARD)), p.replacing(domains)

    def _forget_parts(self, p: Punctuation) -> None:
        """What has come of a domain in parts is of no use any more once all of it has been."""
        for part in (NOT_NULL, NULL):
            self._seen.forget(p.replacing(dict.fromkeys(self._hidden(p), part)))

    def _spare(self) -> None:
        """Forget what waits for domains that no scheme promises to cover, and what has been emitted without waiting."""
        left = {at: self._left(at) for at, plain in enumerate(self._plain) if not plain}
        hopes = partial(self._hopes, left)
        self._seen = PunctuationSet(self.inputs[0], (p for p in self._seen if hopes(p) or self._bounds(p)))
        self._waiting = {pair: p for pair, p in self._waiting.items() if hopes(p)}
        self._bound = 2 * (len(self._seen) + len(self._waiting)) + limits().spelled

    def _left(self, at: int) -> list[Pattern]:
        """The part of a domain that nothing closes whatever other attributes are."""
        attribute, line = self.inputs[0].attributes[at], self._seen.lines()[0].get(at)
        if line is None:
            return [attribute.domain]
        ends: list[Cut] = [LOWEST, *(end for span in line for end in span), HIGHEST]
        gaps = [span for span in zip(ends[::2], ends[1::2], strict=True) if span[0] != span[1]]
        between = [span_pattern(gap, attribute.type) for gap in gaps]
        left = [attribute.domain.meet(pattern) for pattern in (*between, *([] if line.null else [NULL]))]
        return [part for part in left if part is not EMPTY]

    def _hopes(self, left: dict[int, list[Pattern]], p: Punctuation) -> bool:
        """Whether punctuations like one may close all that is left of the domains that it waits for."""
        hidden = self._hidden(p)
        return bool(hidden) and all(self._closable(at, p.patterns[at], left[at]) for at in hidden)

    def _closable(self, at: int, side: Pattern, left: list[Pattern]) -> bool:
        """Whether patterns like one close what is left: constants finitely many values, prefixes all below a bound."""
        kind = self.inputs[0].attributes[at].type
        if any(part.null for part in left) or not side.spans:
            return False
        if kind is Type.BOOLEAN:
            return True
        if side.spans[0][0] is LOWEST:
            return all(part.spans[-1][1] is not HIGHEST for part in left)
        if side.spans[-1][1] is HIGHEST:
            return all(part.spans[0][0] is not LOWEST for part in left)
        return all(finite(part, kind) is not None for part in left)

    def _bounds(self, p: Punctuation) -> bool:
        """Whether a punctuation bounds the values of an attribute: of these there are a few."""
        if len(p.sides) != 1 or not self._hidden(p):
            return False
        ((_, side),) = p.sides
        return side == NULL or side.spans[0][0] is LOWEST or side.spans[-1][1] is HIGHEST
