"""What has been emitted on a stream: punctuations in, rows that match them and what is new out. It stays small.

Whole numbers, ranges and prefixes coalesce. Strings that are closed one by one do not, and combinations of constants
often do not either. A *store* has strings as columns, so that thousands cost about as much as one, and all else in a
punctuation set. ``EmittedPunctuations`` remembers a thousand or so of what does not coalesce and then forgets it: an
operator that emits something twice does no harm.
"""

from collections.abc import Iterator
from math import prod

import polars as pl

from punctum.algebra.boxes import Box
from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.json import to_json
from punctum.algebra.pattern import NULL, Constant, Pattern, span_pattern
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row, Type
from punctum.operators.batch import Constants, PunctuationBatch, add, constant_punctuations, runs_of
from punctum.operators.columns import to_rows
from punctum.operators.keys import by_attributes, is_key, keys_of, on_exactly
from punctum.operators.limits import limits
from punctum.operators.matching import matches, matches_alone
from punctum.operators.operator import Metadata
from punctum.operators.written import read, read_batch, written

BULK = 1_000
"""So many in one slice are too many to be coalesced one by one."""


class EmittedPunctuations:
    """What has been emitted on a stream: finds what is new (the specification's ``Emitter``), forgets what is old.

    >>> session = Schema.of(id="STRING", hour="BIGINT")
    >>> emitted = EmittedPunctuations(session)
    >>> closing = PunctuationBatch(session, {0: pl.Series(["a", "b"]), 1: pl.Series([1, 2, 3])})
    >>> len(emitted.add_new(closing)), len(emitted), len(emitted.add_new(closing))
    (5, 3, 0)
    """

    def __init__(self, schema: Schema) -> None:
        self.schema, self.known = schema, PunctuationSet(schema)
        self.constants: Constants = {}  # strings, on attributes that no range has come for
        self._last = PunctuationBatch(schema)  # let go in the last slice: it still counts until the next

    def __len__(self) -> int:
        return len(self.known) + sum(map(len, self.constants.values()))

    def matches(self, df: pl.DataFrame) -> pl.Series:
        """Whether each row matches a punctuation."""
        mask = matches(df, self.known)
        if df.height and any(map(len, self.constants.values())):
            mask = mask | matches(df, PunctuationBatch(self.schema, self.constants))
        return mask

    def find(self, row: Row) -> Punctuation | None:
        """A punctuation that a row matches, if there is one."""
        at = next((at for at, values in self.constants.items() if row[at] is not None and row[at] in values), None)
        if at is not None:
            return Punctuation.of(self.schema, {self.schema.names[at]: row[at]})
        return self.known.find(row)

    def why(self, bad: pl.DataFrame) -> pl.Series:
        """For each row that some punctuations exclude, the JSON of one that does.

        Rows are looked up one by one, for violations are few; a row that comes many times is looked up once.
        """
        rows = to_rows(bad)
        punctuations = {row: self.find(row) for row in dict.fromkeys(rows)}
        reasons = {row: to_json(p, self.schema) for row, p in punctuations.items() if p is not None}
        return pl.Series("reason", [reasons[row] for row in rows], dtype=pl.String)

    def forget(self, expired: PunctuationBatch) -> None:
        """Punctuations on the same attributes hold no longer."""
        forget(self.known, expired)
        for at, values in self.constants.items():
            if len(over := on_exactly(expired, (at,))):
                self.constants[at] = values.filter(~matches(values.to_frame(self.schema.names[at]), over))

    def metadata(self) -> Metadata:
        """All of it, as data for JSON."""
        constants = written(PunctuationBatch(self.schema, self.constants), self.schema)
        return {"known": written(self.known, self.schema), "constants": constants}

    def restore(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self.known = PunctuationSet(self.schema, read(metadata["known"], self.schema))
        self.constants = read_batch(metadata["constants"], self.schema).constants

    def _is_apart(self, at: int) -> bool:
        """Whether strings of an attribute can coalesce with nothing that is here."""
        if self.schema.attributes[at].type is not Type.STRING:
            return False
        lines, boxes = self.known.lines()
        return boxes != [()] and (at not in lines or len(lines[at]) == lines[at].null)

    def _put(self, at: int, values: pl.Series) -> None:
        known = self.constants.get(at)
        self.constants[at] = values if known is None else pl.concat([known, values]).unique(maintain_order=True)

    def _unite(self, p: Punctuation) -> None:
        """A range of strings has come: from now on strings may coalesce."""
        if len(p.sides) == 1 and p.sides[0][0] in self.constants and p.sides[0][1] != NULL:
            for q in constant_punctuations(self.schema, p.sides[0][0], self.constants.pop(p.sides[0][0])):
                self.known.add(q)

    def add_new(self, puncts: PunctuationBatch) -> PunctuationBatch:
        """What no earlier punctuation covers, or earlier ones have made wider; from now on it counts as emitted."""
        new, self._last = PunctuationBatch(puncts.schema), PunctuationBatch(puncts.schema)
        for p in self._add_keys(puncts.others, new):
            self._unite(p)
            self._add_one(p, new)
        for at, values in puncts.constants.items():
            self._add_constants(at, values, new)
        self._spare()
        return new

    def covers(self, p: Punctuation) -> bool:
        """Whether the punctuations, all together, cover one."""
        if self._has_string(p) or self.known.covers(p):
            return True
        return len(self._last) > 0 and PunctuationSet(self.schema, self._last).covers(p)

    def _has_string(self, p: Punctuation) -> bool:
        """Whether a punctuation is one of the strings, or says a part of what one says."""
        sides = [
            (self.constants[at], side.value)
            for at, side in p.sides
            if at in self.constants and isinstance(side, Constant)
        ]
        return any(value is not None and value in strings for strings, value in sides)

    def _add_keys(self, puncts: list[Punctuation], new: PunctuationBatch) -> list[Punctuation]:
        """Add combinations of constants at once where they are very many, and return all others."""
        if len(puncts) <= BULK:
            return puncts
        few = []
        for at, ps in by_attributes(dict.fromkeys(puncts)).items():
            if len(ps) <= BULK:
                few += ps
                continue
            keys, rest = keys_of(PunctuationBatch(self.schema, {}, ps), at)
            known = self._are_known(keys)
            fresh = [p for p, there in zip(filter(is_key, ps), known, strict=True) if not there]
            new.others += fresh
            self._let_go_keys(keys.filter(~known), fresh)
            few += rest
        return few

    def _add_constants(self, at: int, values: pl.Series, new: PunctuationBatch) -> None:
        fresh = values.filter(~self._are_known(values.to_frame(self.schema.names[at])))
        if self._is_apart(at):
            self._put(at, fresh)
        elif far_apart(fresh) or (len(fresh) > BULK and self.known.lines()[1]):
            self._let_go(at, fresh)
        else:
            self._coalesce(at, fresh, new)
            return
        new.constants |= (new + PunctuationBatch(self.schema, {at: fresh})).constants

    def _coalesce(self, at: int, fresh: pl.Series, new: PunctuationBatch) -> None:
        """Add constants that may coalesce with others."""
        lines, boxes = self.known.lines()
        if boxes or (at in lines and len(lines[at]) > 20 * len(fresh)):
            for p in constant_punctuations(self.schema, at, fresh):
                self._add_one(p, new)
            return
        add(self.known, PunctuationBatch(self.schema, {at: fresh}))
        new.constants |= (new + PunctuationBatch(self.schema, {at: fresh})).constants
        if self.known.lines()[1]:  # all of the attribute is closed now
            new.others.append(end_of_stream(self.schema))

    def _are_known(self, keys: pl.DataFrame) -> pl.Series:
        """Which of some constants, or combinations of constants, have been emitted."""
        known = matches_alone(keys, self.known)
        for at, values in self.constants.items():
            if self.schema.names[at] in keys.columns and len(values):
                known = known | keys[self.schema.names[at]].is_in(values.implode()).fill_null(False)
        return known

    def _add_one(self, p: Punctuation, new: PunctuationBatch) -> None:
        added = [] if self._has_string(p) else self.known.add_new(p)
        new.others += added or ([p] if self._beyond(p) else [])

    def _beyond(self, p: Punctuation) -> bool:
        """Whether a punctuation speaks of values that never come here, so that other buckets wait for it."""
        attributes = self.schema.attributes
        return any(attributes[at].reach is not None and not isinstance(side, Constant) for at, side in p.sides)

    def _spare(self) -> None:
        """Hold less at hand, when it is much."""
        for at, values in self.constants.items():
            if len(values) > limits().apart:
                self._let_go(at, values)
                self.constants[at] = values.clear()
        for members in too_many(self.known):
            self._let_go_boxes(members)

    def _let_go(self, at: int, values: pl.Series) -> None:
        """Constants that are not held at hand any more are forgotten."""
        self._last += PunctuationBatch(self.schema, {at: values})

    def _let_go_keys(self, keys: pl.DataFrame, puncts: list[Punctuation]) -> None:
        """Combinations of constants are, too; they come as columns and as punctuations."""
        self._last.others += puncts

    def _let_go_boxes(self, members: list[Box]) -> None:
        """Forget members of the set, those that are few constants or, where these are the lesser part, all others."""
        taken(self.known, members)


def far_apart(values: pl.Series) -> bool:
    """Whether constants are too many to be held at hand, coalesced as they may be."""
    most = limits().scattered
    return len(values) > most and (values.dtype != pl.Int64 or len(runs_of(values)) > most)


def hold(known: PunctuationSet, at: int, values: pl.Series) -> None:
    """Add constants to a set that remembers those which coalesce, and forgets others when they are many."""
    if not far_apart(values):
        add(known, PunctuationBatch(known.schema, {at: values}))
        for members in too_many(known):
            taken(known, members)


def too_many(known: PunctuationSet) -> Iterator[list[Box]]:
    """The members of a set that are too many to be held at hand: of a line each, and the boxes."""
    lines, boxes = known.lines()
    attributes = known.schema.attributes
    for at, line in lines.items():
        if len(line) > limits().apart:
            yield [((at, span_pattern(span, attributes[at].type)),) for span in line]
    if len(boxes) > limits().apart:
        yield boxes


def taken(known: PunctuationSet, members: list[Box]) -> None:
    """Take what is a few constants out of a set, or, where this is the lesser part, ranges that are far too many."""
    old = [box for box in members if _spelled(box)]
    if 2 * len(old) <= limits().apart:
        old = [box for box in members if not _endless(box)] if len(members) > 10 * limits().apart else []
    for box in old:
        known.take(box)


def forget(known: PunctuationSet, expired: PunctuationBatch) -> None:
    """Forget punctuations, as far as members on the same attributes hold them."""
    for p in expired:
        known.forget(p)


def _spelled(box: Box) -> bool:
    """Whether a box stands for few constants, or combinations of them."""
    sizes = [1 if isinstance(side, Constant) else _numbers(side) or limits().spelled + 1 for _, side in box]
    return bool(box) and prod(sizes) <= limits().spelled


def _numbers(side: Pattern) -> int | None:
    """How many whole numbers a pattern stands for, if these are all."""
    whole = not side.null and all(type(cut) is int for span in side.spans for cut in span)
    return sum(high - low for low, high in side.spans) if whole else None


def _endless(box: Box) -> bool:
    return not box or any(low is LOWEST or high is HIGHEST for _, side in box for low, high in side.spans)
