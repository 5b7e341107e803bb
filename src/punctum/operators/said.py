"""What has been said on a stream: punctuations in, rows that match them and what is new out. It stays small.

Whole numbers, ranges and prefixes melt. Strings that are closed one by one do not, and combinations of constants often
do not either. A *store* has strings as columns, so that thousands cost about as much as one, and all else in a
punctuation set. *Said* remembers a thousand or so of what does not melt and then forgets it: an operator that says
something twice does no harm.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.json import to_json
from punctum.algebra.pattern import NULL, Constant, Pattern, span_pattern
from punctum.algebra.punctuation import Punctuation, Side, end_of_stream
from punctum.algebra.punctuation_set import Box, PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row, Type
from punctum.operators.batch import Batch, Points, add, constants
from punctum.operators.columns import to_rows
from punctum.operators.matching import inside, matches
from punctum.operators.operator import Notes
from punctum.operators.places import bounds
from punctum.operators.written import read, read_batch, written

APART = 1_000
"""So many constants that melt with nothing are remembered at hand."""
FEW = 100
"""So many constants may be spelled out for a range."""
LONG = 100_000
"""So many spans of whole numbers are: they may melt yet."""


class Store:
    """Punctuations that have been heard.

    >>> session = Schema.of(id="STRING", hour="BIGINT")
    >>> store = Store(session)
    >>> store.add(Batch(session, {0: pl.Series(["a", "b"]), 1: pl.Series([1, 2, 3])}))
    >>> len(store), store.matches(pl.DataFrame({"id": ["a", "c", "c"], "hour": [9, 3, 4]})).to_list()
    (3, [True, True, False])
    """

    def __init__(self, schema: Schema) -> None:
        self.schema, self.known = schema, PunctuationSet(schema)
        self.points: Points = {}  # strings, on attributes of which no range has been said

    def __len__(self) -> int:
        return len(self.known) + sum(map(len, self.points.values()))

    def __iter__(self) -> Iterator[Punctuation]:
        yield from self.known
        yield from Batch(self.schema, self.points)

    def add(self, said: Batch) -> None:
        """Hear punctuations."""
        for p in said.others:
            self._unite(p)
            self.known.add(p)
        for at, values in said.points.items():
            if self._is_apart(at):
                self._put(at, values)
            else:
                add(self.known, Batch(self.schema, {at: values}))

    def matches(self, df: pl.DataFrame) -> pl.Series:
        """Whether each row matches a punctuation."""
        found = matches(df, self.known)
        if df.height and any(map(len, self.points.values())):
            found = found | matches(df, Batch(self.schema, self.points))
        return found

    def covers(self, p: Punctuation) -> bool:
        """Whether all of a punctuation has been said."""
        if len(p.sides) == 1:
            ((at, pattern),) = p.sides
            if isinstance(pattern, Constant) and pattern.value is not None and at in self.points:
                return pattern.value in self.points[at] or self.known.covers(p)
        return self.known.covers(p)

    def find(self, row: Row) -> Punctuation | None:
        """A punctuation that a row matches, if there is one."""
        at = next((at for at, values in self.points.items() if row[at] is not None and row[at] in values), None)
        if at is not None:
            return Punctuation.of(self.schema, {self.schema.names[at]: row[at]})
        return self.known.find(row)

    def why(self, bad: pl.DataFrame) -> pl.Series:
        """For each row that some punctuations exclude, the JSON of one that does.

        Rows are looked up one by one, for violations are few; a row that comes many times is looked up once.
        """
        rows = to_rows(bad)
        found = {row: self.find(row) for row in dict.fromkeys(rows)}
        reasons = {row: to_json(p, self.schema) for row, p in found.items() if p is not None}
        return pl.Series("reason", [reasons[row] for row in rows], dtype=pl.String)

    def forget(self, said: Batch) -> None:
        """Punctuations on the same attributes are said no longer."""
        forget(self.known, said)
        for at, values in self.points.items():
            if len(over := on_exactly(said, (at,))):
                self.points[at] = values.filter(~matches(values.to_frame(self.schema.names[at]), over))

    def notes(self) -> Notes:
        """All of it, as data for JSON."""
        points = written(Batch(self.schema, self.points), self.schema)
        return {"known": written(self.known, self.schema), "points": points}

    def restore(self, notes: Notes) -> None:
        """Go on with the notes of another one."""
        self.known = PunctuationSet(self.schema, read(notes["known"], self.schema))
        self.points = read_batch(notes["points"], self.schema).points

    def _is_apart(self, at: int) -> bool:
        """Whether strings of an attribute can melt with nothing that has been said."""
        if self.schema.attributes[at].type is not Type.STRING:
            return False
        lines, boxes = self.known.lines()
        return boxes != [()] and (at not in lines or len(lines[at]) == lines[at].null)

    def _put(self, at: int, values: pl.Series) -> None:
        known = self.points.get(at)
        self.points[at] = values if known is None else pl.concat([known, values]).unique(maintain_order=True)

    def _unite(self, p: Punctuation) -> None:
        """A range of strings is said: from now on strings may melt."""
        if len(p.sides) == 1 and p.sides[0][0] in self.points and p.sides[0][1] != NULL:
            for q in constants(self.schema, p.sides[0][0], self.points.pop(p.sides[0][0])):
                self.known.add(q)


class Said(Store):
    """What has been said on a stream; it tells what is new (the specification's ``Sayer``), and forgets what is old."""

    def news(self, said: Batch) -> Batch:
        """What no earlier punctuation covers, or has become wider with earlier ones; from now on it counts as said."""
        new = Batch(said.schema)
        for p in said.others:
            self._unite(p)
            self._say(p, new)
        for at, values in said.points.items():
            if self._is_apart(at):
                known = self.points.get(at)
                fresh = values if known is None else values.filter(~values.is_in(known.implode()))
                self._put(at, fresh)
                new += Batch(said.schema, {at: fresh})
            else:
                self._say_points(at, values, new)
        self._spare()
        return new

    def _say_points(self, at: int, values: pl.Series, new: Batch) -> None:
        lines, boxes = self.known.lines()
        line = lines.get(at)
        if boxes or (line is not None and len(line) > 20 * len(values)):
            for p in constants(self.schema, at, values):
                self._say(p, new)
            return
        if line is not None and len(line) > line.null:  # no box, so only the constants' own line can cover them
            values = values.filter(~inside(values, bounds(line, self.schema.attributes[at])))
        if len(values):
            fresh = Batch(self.schema, {at: values})
            add(self.known, fresh)
            new.points |= (new + fresh).points
            if self.known.lines()[1]:  # all of the attribute is closed now
                new.others.append(end_of_stream(self.schema))

    def _say(self, p: Punctuation, new: Batch) -> None:
        told = self.known.tell(p)
        new.others += told or ([p] if self._beyond(p) else [])

    def _beyond(self, p: Punctuation) -> bool:
        """Whether a punctuation speaks of values that never come here, so that other buckets wait to hear it."""
        attributes = self.schema.attributes
        return any(attributes[at].reach is not None and not isinstance(side, Constant) for at, side in p.sides)

    def _spare(self) -> None:
        """Hold less at hand, when it is much."""
        for at, values in self.points.items():
            if len(values) > APART:
                self._let_go(Batch(self.schema, {at: values}))
                self.points[at] = values.clear()
        old = [box for at in range(len(self.schema)) for box in shorten(self.known, at)] + _fewer(self.known)
        if old:
            self._let_go(Batch(self.schema, {}, list(map(self.known.punctuation, old))))

    def _let_go(self, old: Batch) -> None:
        """What is not held at hand any more is forgotten."""


def shorten(known: PunctuationSet, at: int) -> list[Box]:
    """Take whole numbers that melt with nothing out of a set, when there are too many of one attribute."""
    line = known.lines()[0].get(at)
    if line is None or len(line) <= LONG or known.schema.attributes[at].type is not Type.BIGINT:
        return []
    return _taken(known, [((at, span_pattern(span, Type.BIGINT)),) for span in line], LONG)


def _fewer(known: PunctuationSet) -> list[Box]:
    """Take constants of other types, and combinations, out of a set when there are too many of them."""
    lines, boxes = known.lines()
    attributes = known.schema.attributes
    others = {at: line for at, line in lines.items() if attributes[at].type is not Type.BIGINT}
    if len(boxes) + sum(map(len, others.values())) <= APART:
        return []
    spans = [((at, span_pattern(span, attributes[at].type)),) for at, line in others.items() for span in line]
    return _taken(known, [*boxes, *spans], APART)


def _taken(known: PunctuationSet, members: list[Box], many: int) -> list[Box]:
    """Take what is a few constants out of a set, or, where this is the lesser part, ranges that are far too many."""
    old = [box for box in members if spelled(box)]
    if 2 * len(old) <= many:
        old = [box for box in members if not _endless(box)] if len(members) > 10 * many else []
    for box in old:
        known.take(box)
    return old


def settle(one: Store, other: Store, positions: Mapping[int, int], bound: int) -> int:
    """Forget the constants that two inputs have both closed: rows that have them come from neither.

    The positions are those of the other's attributes, by those of the one's that they are compared with. Strings are
    looked at each time, all else when it is more than the bound; given is the next bound.
    """
    for at, values in one.points.items():
        theirs = other.points.get(positions.get(at, -1))
        if theirs is not None and len(values) and len(theirs):
            one.points[at] = values.filter(~values.is_in(theirs.implode()))
            other.points[positions[at]] = theirs.filter(~theirs.is_in(values.implode()))
    if len(one.known) + len(other.known) <= bound:
        return bound
    for box in _constants(one.known):
        moved = tuple(sorted(((positions.get(at, -1), side) for at, side in box), key=lambda side: side[0]))
        if other.known.has(moved):
            one.known.take(box)
            other.known.take(moved)
    return 2 * (len(one.known) + len(other.known)) + APART


def _constants(known: PunctuationSet) -> list[Box]:
    return [p.sides for p in known if p.sides and all(isinstance(side, Constant) for _, side in p.sides)]


def forget(known: PunctuationSet, said: Batch) -> None:
    """Take back what punctuations say."""
    for p in said:
        known.forget(p)


def spelled(box: Box) -> list[Box]:
    """The constants that a box stands for, or combinations of them, if they are few; a range may be of whole numbers.

    >>> item = Schema.of(itemid="BIGINT", bidder="STRING")
    >>> (box,) = PunctuationSet(item, [Punctuation.of(item, itemid=i, bidder="b") for i in (1, 2)]).lines()[1]
    >>> [[side.value for _, side in each] for each in spelled(box)]
    [[1, 'b'], [2, 'b']]
    """
    ways: list[list[Side]] = []
    for at, side in box:
        if isinstance(side, Constant):
            ways.append([(at, side)])
        elif (size := _numbers(side)) is None or size > FEW:
            return []
        else:
            ways.append([(at, Constant(value)) for low, high in side.spans for value in range(low, high)])
    return list(product(*ways)) if box and prod(map(len, ways)) <= FEW else []


def _numbers(side: Pattern) -> int | None:
    """How many whole numbers a pattern stands for, if these are all."""
    whole = not side.null and all(type(cut) is int for span in side.spans for cut in span)
    return sum(high - low for low, high in side.spans) if whole else None


def _endless(box: Box) -> bool:
    return not box or any(low is LOWEST or high is HIGHEST for _, side in box for low, high in side.spans)


def on_exactly(said: Batch, positions: tuple[int, ...]) -> Batch:
    """Those punctuations that speak of some attributes, of all of them and of no other."""
    points = {at: values for at, values in said.points.items() if (at,) == positions}
    return Batch(said.schema, points, [p for p in said.others if tuple(at for at, _ in p.sides) == positions])
