"""What a stream has said so far, compact.

A punctuation is a *box*: patterns on a few attributes, wildcards elsewhere. The set keeps boxes such that

- none is covered by another one;
- no two differ on one attribute alone by patterns that overlap, touch or are neighbours: those are coalesced into one
  (so a million ``itemid = n`` are one range), and a box whose pattern has grown to every value loses that pattern.

Members are found by a ``BoxIndex``; adding and matching cost O(log n) for boxes with one pattern, the common case.
"""

from collections.abc import Iterable, Iterator

from punctum.algebra.box_index import BoxIndex
from punctum.algebra.boxes import Box, minus, point
from punctum.algebra.pattern import NULL, WILDCARD, Constant, List
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.spanset import SpanSet
from punctum.algebra.values import Row


class PunctuationSet:
    """A set of punctuations over one schema that keeps itself minimal.

    >>> bid = Schema.of(itemid="BIGINT", bidder="BIGINT")
    >>> closed = PunctuationSet(bid, [Punctuation.of(bid, itemid=i) for i in (1, 4, 2, 3)])
    >>> closed.add(Punctuation.of(bid, itemid=2, bidder=9))
    >>> print(closed)
    {<[1,4], *>}
    >>> closed.matches(bid.row(3, 9)), closed.matches(bid.row(5, 9))
    (True, False)
    """

    def __init__(self, schema: Schema, punctuations: Iterable[Punctuation] = ()) -> None:
        self.schema = schema
        self._index = BoxIndex(schema)
        for punctuation in punctuations:
            self.add(punctuation)

    def add(self, punctuation: Punctuation) -> None:
        """Say one more punctuation."""
        if not punctuation.empty:
            self._add(punctuation.sides)

    def add_new(self, punctuation: Punctuation) -> list[Punctuation]:
        """Say one more punctuation, unless a member covers it, and give what is new.

        That is the punctuation, or what it has become when with others it has closed all of an attribute: who hears
        NULL and then every other value hears the end, and need not put the two together.

        >>> from punctum.algebra.pattern import between
        >>> item = Schema.of(itemid="BIGINT", bidder="BIGINT")
        >>> closed = PunctuationSet(item, [Punctuation.of(item, itemid=7, bidder=None)])
        >>> print(*closed.add_new(Punctuation.of(item, itemid=7, bidder=between(None, None))))
        <7, *>
        >>> closed.add_new(Punctuation.of(item, itemid=7))
        []
        """
        parts = [] if punctuation.empty else list(self._split(punctuation.sides))
        new = [part for part in parts if self._index.covering(part) is None and not self._cover_each(part)]
        if not new:
            return []
        self._add(punctuation.sides)
        grown = [(part, self._index.covering(part) or ()) for part in new]
        wider = [self.punctuation(member) for part, member in grown if len(member) < len(part)]
        return wider if len(wider) == len(new) else [punctuation, *wider]

    def remove(self, punctuation: Punctuation) -> None:
        """Say no longer what a punctuation says; of members that say more, the rest stays.

        >>> item = Schema.of(itemid="BIGINT")
        >>> closed = PunctuationSet(item, [Punctuation.of(item, itemid=i) for i in (1, 2, 3)])
        >>> closed.remove(Punctuation.of(item, itemid=2))
        >>> print(closed)
        {<1>, <3>}
        """
        if not punctuation.empty:
            members = list(self._index.overlapping(punctuation.sides))
            for member in members:
                self._index.take(member)
            for member in members:
                for piece in minus(member, punctuation.sides):
                    self._add(piece)

    def forget(self, punctuation: Punctuation) -> None:
        """Say no longer what a punctuation says, as far as members on the same attributes say it.

        >>> item = Schema.of(itemid="BIGINT", bidder="BIGINT")
        >>> closed = PunctuationSet(item, [Punctuation.of(item, itemid=i) for i in (1, 2)])
        >>> closed.add(Punctuation.of(item, bidder=9))
        >>> closed.forget(Punctuation.of(item, itemid=2))
        >>> print(closed)
        {<1, *>, <*, 9>}
        """
        if not punctuation.empty and punctuation.sides:
            axes = [axis for axis, _ in punctuation.sides]
            overlapping = self._index.overlapping(punctuation.sides)
            members = [member for member in overlapping if [axis for axis, _ in member] == axes]
            for member in members:
                self._index.take(member)
            for member in members:
                for piece in minus(member, punctuation.sides):
                    self._add(piece)

    def matches(self, row: Row) -> bool:
        """Whether a row matches a punctuation of the set."""
        return self._index.covering(point(row)) is not None

    def find(self, row: Row) -> Punctuation | None:
        """A punctuation of the set that a row matches, if there is one."""
        box = self._index.covering(point(row))
        return None if box is None else self.punctuation(box)

    def covers(self, punctuation: Punctuation) -> bool:
        """Whether the set, all of it together, says what a punctuation says.

        >>> zone = Schema.of(zoneid="BIGINT", hour="BIGINT")
        >>> hours = PunctuationSet(zone, [Punctuation.of(zone, hour=h) for h in (1, 3)])
        >>> hours.covers(Punctuation.of(zone, zoneid=7, hour=3)), hours.covers(Punctuation.of(zone, zoneid=7))
        (True, False)
        """
        pending = [] if punctuation.empty else list(self._split(punctuation.sides))
        while pending:
            box = pending.pop()
            if self._index.covering(box) is None:
                member = next(self._index.overlapping(box), None)
                if member is None:
                    return False
                pending += minus(box, member)
        return True

    def within(self, punctuation: Punctuation) -> Iterator[Punctuation]:
        """What the set says of rows that match a punctuation.

        >>> item = Schema.of(itemid="BIGINT", bidder="BIGINT")
        >>> closed = PunctuationSet(item, [Punctuation.of(item, itemid=i) for i in (1, 2, 4)])
        >>> print(*closed.within(Punctuation.of(item, bidder=9)))
        <[1,2], 9> <4, 9>
        """
        return self._within(punctuation, self._index.overlapping(punctuation.sides))

    def alike(self, punctuation: Punctuation) -> Iterator[Punctuation]:
        """The same of members on its attributes, on some of these, or on more.

        All others combine with it to what nobody has promised, and there are as many of it as of both together.

        >>> item = Schema.of(itemid="BIGINT", bidder="BIGINT")
        >>> closed = PunctuationSet(item, [Punctuation.of(item, itemid=1), Punctuation.of(item, itemid=2, bidder=9)])
        >>> print(*closed.alike(Punctuation.of(item, bidder=9)))
        <2, 9>
        """
        return self._within(punctuation, self._index.overlapping(punctuation.sides, alike=True))

    def _within(self, punctuation: Punctuation, overlapping: Iterator[Box]) -> Iterator[Punctuation]:
        if punctuation.empty:
            return
        if all(self._index.covering(part) is not None for part in self._split(punctuation.sides)):
            yield punctuation  # all that other members say of it is less
            return
        members = map(self.punctuation, overlapping)
        yield from (both for member in members if (both := punctuation.combine(member)) is not None)

    def copy(self) -> "PunctuationSet":
        """An independent set that says the same."""
        return PunctuationSet(self.schema, self)

    def __or__(self, more: Iterable[Punctuation]) -> "PunctuationSet":
        """A set that says more."""
        both = self.copy()
        for punctuation in more:
            both.add(punctuation)
        return both

    def __and__(self, other: "PunctuationSet") -> "PunctuationSet":
        """What both sets say: the paper's *setCombine*, minimal.

        >>> item = Schema.of(itemid="BIGINT")
        >>> few, many = (PunctuationSet(item, [Punctuation.of(item, itemid=i) for i in range(n)]) for n in (5, 9))
        >>> print(few & many)
        {<[0,4]>}
        """
        return PunctuationSet(self.schema, (both for punctuation in self for both in other.within(punctuation)))

    def __eq__(self, other: object) -> bool:
        """Whether two sets say the same, however they came to it."""
        if not isinstance(other, PunctuationSet):
            return NotImplemented
        return self.schema == other.schema and all(map(other.covers, self)) and all(map(self.covers, other))

    __hash__ = None  # type: ignore[assignment]

    def lines(self) -> tuple[dict[int, SpanSet], list[Box]]:
        """The members with one pattern, as a line for each attribute, and the other members."""
        lines = {axis: self._index.lines[axis, ()] for axis in self._index.axes}
        return lines, [()] if self._index.ended else list(self._index.boxes)

    def __iter__(self) -> Iterator[Punctuation]:
        return map(self.punctuation, self._index.overlapping(()))

    def __len__(self) -> int:
        return len(self._index)

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self)) + "}"

    def _cover_each(self, box: Box) -> bool:
        """Whether for each part of a box's first list there is a member that covers the box with it."""
        n = next((n for n, (_, side) in enumerate(box) if isinstance(side, List)), None)
        if n is None:
            return False
        return all(self._index.covering(part) is not None for part in self._unlisted(box, n))

    def _unlisted(self, box: Box, n: int) -> Iterator[Box]:
        axis, side = box[n]
        for span in side.spans:
            yield (*box[:n], (axis, self._index.pattern(axis, span)), *box[n + 1 :])

    def punctuation(self, box: Box) -> Punctuation:
        """The punctuation that a box is."""
        sides = dict(box)
        return Punctuation(self.schema, tuple(sides.get(i, WILDCARD) for i in range(len(self.schema))))

    def _split(self, box: Box) -> Iterator[Box]:
        """The box, or, when a list is its only pattern that is not a constant, a box for each part of the list."""
        loose = [n for n, (_, side) in enumerate(box) if not isinstance(side, Constant)]
        if len(loose) == 1 and isinstance(box[loose[0]][1], List):
            yield from self._unlisted(box, loose[0])
        else:
            yield box

    def _add(self, box: Box) -> None:
        index = self._index
        if len(box) == 1 and not index.shapes and not index.ended:
            axis, side = box[0]
            line = index.lines.get((axis, ()))
            if line is not None and side != NULL and not line.null:  # the common case: only the line changes
                for span in side.spans:
                    line.add(span)
                return
        for part in self._split(box):
            if index.covering(part) is None:
                grown = self._coalesce(part)
                if len(grown) < len(part):  # it has lost a pattern, and may meet others in its new shape
                    self._add(grown)
                else:
                    for member in index.covered(grown, part):
                        index.take(member)
                    index.put(grown)

    def _coalesce(self, box: Box) -> Box:
        """The box grown by all that coalesces with it and leaves the set, less a pattern that is everything now."""
        index, n = self._index, 0
        while n < len(box):
            axis, side = box[n]
            rest = box[:n] + box[n + 1 :]
            line = index.lines.get((axis, rest))
            if line is None or isinstance(side, List):
                n += 1
                continue
            near = [] if side == NULL else list(line.touching(side.spans[0]))
            for span in near:
                low, high = side.spans[0]
                side = index.pattern(axis, (min(low, span[0]), max(high, span[1])))
                index.take((*box[:n], (axis, index.pattern(axis, span)), *box[n + 1 :]))
            if line.complete_with(side):
                for member in index.on(line, axis, rest):
                    index.take(member)
                return rest
            if near:
                box, n = (*box[:n], (axis, side), *box[n + 1 :]), 0
            else:
                n += 1
        return box

    def has(self, box: Box) -> bool:
        """Whether a box of constants is a member, as it is."""
        return self._index.covering(box) == box

    def take(self, box: Box) -> None:
        """Say a member no longer, all of it."""
        self._index.take(box)
