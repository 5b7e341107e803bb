"""What a stream has said so far, compact.

A punctuation is a *box*: patterns on a few attributes, wildcards elsewhere. The set keeps boxes such that

- none is covered by another one;
- no two differ on one attribute alone by patterns that overlap, touch or are neighbours: those have melted into one
  (so a million ``itemid = n`` are one range), and a box whose pattern has grown to every value loses that pattern.

Each box stands on a *line* for each of its patterns: the sorted ``SpanSet`` of the boxes that agree with it on all
other attributes (the line's rest). Boxes with one pattern, the common case, are all on one line an attribute, and
adding and matching cost O(log n). What covers a row, or a box, is found by taking its own constants as the rest; boxes
with several patterns that are not constants (loose ones) cannot be found so and are tried one by one.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from punctum.algebra.pattern import EMPTY, NULL, WILDCARD, Constant, List, Pattern, Span, span_pattern
from punctum.algebra.punctuation import Punctuation, Side
from punctum.algebra.schema import Schema
from punctum.algebra.spanset import SpanSet
from punctum.algebra.values import Row

Box = tuple[Side, ...]
"""The patterns of a punctuation that are not wildcards, in the order of their attributes."""
_Shape = tuple[int, ...]
_Key = tuple[_Shape, int, Constant | None]
"""A shape, one of its axes, and a constant there; nothing stands for any other pattern."""


class PunctuationSet:
    """A set of punctuations over one schema that keeps itself minimal.

    >>> bid = Schema.of(itemid="BIGINT", bidder="BIGINT")
    >>> said = PunctuationSet(bid, [Punctuation.of(bid, itemid=i) for i in (1, 4, 2, 3)])
    >>> said.add(Punctuation.of(bid, itemid=2, bidder=9))
    >>> print(said)
    {<[1,4], *>}
    >>> said.matches(bid.row(3, 9)), said.matches(bid.row(5, 9))
    (True, False)
    """

    def __init__(self, schema: Schema, punctuations: Iterable[Punctuation] = ()) -> None:
        self.schema = schema
        self._clear()
        for punctuation in punctuations:
            self.add(punctuation)

    def _clear(self) -> None:
        self._ended = False  # whether the box without patterns is in the set: the end of the stream
        self._lines: dict[tuple[int, Box], SpanSet] = {}
        self._axes: list[int] = []  # attributes that have boxes with no other pattern
        self._boxes: dict[Box, None] = {}  # the boxes with two or more patterns, in the order they came
        self._loose: dict[Box, None] = {}  # those of them with two or more patterns that are not constants
        self._shapes: dict[_Shape, dict[Box, None]] = {}  # they by the attributes that their patterns are on
        self._by: dict[_Key, dict[Box, None]] = {}  # and by each of their patterns

    def add(self, punctuation: Punctuation) -> None:
        """Say one more punctuation."""
        if not punctuation.empty:
            self._add(punctuation.sides)

    def tell(self, punctuation: Punctuation) -> list[Punctuation]:
        """Say one more punctuation, unless a member covers it, and give what is new.

        That is the punctuation, or what it has become when with others it has closed all of an attribute: who hears
        NULL and then every other value hears the end, and need not put the two together.

        >>> from punctum.algebra.pattern import between
        >>> item = Schema.of(itemid="BIGINT", bidder="BIGINT")
        >>> said = PunctuationSet(item, [Punctuation.of(item, itemid=7, bidder=None)])
        >>> print(*said.tell(Punctuation.of(item, itemid=7, bidder=between(None, None))))
        <7, *>
        >>> said.tell(Punctuation.of(item, itemid=7))
        []
        """
        parts = [] if punctuation.empty else list(self._split(punctuation.sides))
        new = [part for part in parts if self._covering(part) is None and not self._cover_each(part)]
        if not new:
            return []
        self._add(punctuation.sides)
        grown = [(part, self._covering(part) or ()) for part in new]
        wider = [self.punctuation(member) for part, member in grown if len(member) < len(part)]
        return wider if len(wider) == len(new) else [punctuation, *wider]

    def remove(self, punctuation: Punctuation) -> None:
        """Say no longer what a punctuation says; of members that say more, the rest stays.

        >>> item = Schema.of(itemid="BIGINT")
        >>> said = PunctuationSet(item, [Punctuation.of(item, itemid=i) for i in (1, 2, 3)])
        >>> said.remove(Punctuation.of(item, itemid=2))
        >>> print(said)
        {<1>, <3>}
        """
        if not punctuation.empty:
            members = list(self._overlapping(punctuation.sides))
            for member in members:
                self.take(member)
            for member in members:
                for piece in _minus(member, punctuation.sides):
                    self._add(piece)

    def forget(self, punctuation: Punctuation) -> None:
        """Say no longer what a punctuation says, as far as members on the same attributes say it.

        >>> item = Schema.of(itemid="BIGINT", bidder="BIGINT")
        >>> said = PunctuationSet(item, [Punctuation.of(item, itemid=i) for i in (1, 2)])
        >>> said.add(Punctuation.of(item, bidder=9))
        >>> said.forget(Punctuation.of(item, itemid=2))
        >>> print(said)
        {<1, *>, <*, 9>}
        """
        if not punctuation.empty and punctuation.sides:
            axes = [axis for axis, _ in punctuation.sides]
            found = self._overlapping(punctuation.sides)
            members = [member for member in found if [axis for axis, _ in member] == axes]
            for member in members:
                self.take(member)
            for member in members:
                for piece in _minus(member, punctuation.sides):
                    self._add(piece)

    def matches(self, row: Row) -> bool:
        """Whether a row matches a punctuation of the set."""
        return self._covering(_point(row)) is not None

    def find(self, row: Row) -> Punctuation | None:
        """A punctuation of the set that a row matches, if there is one."""
        box = self._covering(_point(row))
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
            if self._covering(box) is None:
                member = next(self._overlapping(box), None)
                if member is None:
                    return False
                pending += _minus(box, member)
        return True

    def within(self, punctuation: Punctuation) -> Iterator[Punctuation]:
        """What the set says of rows that match a punctuation.

        >>> item = Schema.of(itemid="BIGINT", bidder="BIGINT")
        >>> said = PunctuationSet(item, [Punctuation.of(item, itemid=i) for i in (1, 2, 4)])
        >>> print(*said.within(Punctuation.of(item, bidder=9)))
        <[1,2], 9> <4, 9>
        """
        if punctuation.empty:
            return
        if all(self._covering(part) is not None for part in self._split(punctuation.sides)):
            yield punctuation  # all that other members say of it is less
            return
        members = map(self.punctuation, self._overlapping(punctuation.sides))
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
        lines = {axis: self._lines[axis, ()] for axis in self._axes}
        return lines, [()] if self._ended else list(self._boxes)

    def __iter__(self) -> Iterator[Punctuation]:
        return map(self.punctuation, self._overlapping(()))

    def __len__(self) -> int:
        return self._ended + len(self._boxes) + sum(len(self._lines[axis, ()]) for axis in self._axes)

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self)) + "}"

    def _cover_each(self, box: Box) -> bool:
        """Whether for each part of a box's first list there is a member that covers the box with it."""
        n = next((n for n, (_, side) in enumerate(box) if isinstance(side, List)), None)
        if n is None:
            return False
        return all(self._covering(part) is not None for part in self._unlisted(box, n))

    def _unlisted(self, box: Box, n: int) -> Iterator[Box]:
        axis, side = box[n]
        for span in side.spans:
            yield (*box[:n], (axis, self._pattern(axis, span)), *box[n + 1 :])

    def punctuation(self, box: Box) -> Punctuation:
        """The punctuation that a box is."""
        sides = dict(box)
        return Punctuation(self.schema, tuple(sides.get(i, WILDCARD) for i in range(len(self.schema))))

    def _line(self, axis: int, rest: Box) -> SpanSet:
        return SpanSet(None if rest else self.schema.attributes[axis].reach)

    def _pattern(self, axis: int, span: Span) -> Pattern:
        return span_pattern(span, self.schema.attributes[axis].type)

    def _split(self, box: Box) -> Iterator[Box]:
        """The box, or, when a list is its only pattern that is not a constant, a box for each part of the list."""
        loose = [n for n, (_, side) in enumerate(box) if not isinstance(side, Constant)]
        if len(loose) == 1 and isinstance(box[loose[0]][1], List):
            yield from self._unlisted(box, loose[0])
        else:
            yield box

    def _add(self, box: Box) -> None:
        if len(box) == 1 and not self._shapes and not self._ended:
            axis, side = box[0]
            line = self._lines.get((axis, ()))
            if line is not None and side != NULL and not line.null:  # the common case: only the line changes
                for span in side.spans:
                    line.add(span)
                return
        for part in self._split(box):
            if self._covering(part) is None:
                grown = self._melt(part)
                if len(grown) < len(part):  # it has lost a pattern, and may meet others in its new shape
                    self._add(grown)
                else:
                    self._put(grown, part)

    def _melt(self, box: Box) -> Box:
        """The box grown by all that melts into it and leaves the set, less a pattern that has come to be everything."""
        n = 0
        while n < len(box):
            axis, side = box[n]
            rest = box[:n] + box[n + 1 :]
            line = self._lines.get((axis, rest))
            if line is None or isinstance(side, List):
                n += 1
                continue
            near = [] if side == NULL else list(line.touching(side.spans[0]))
            for span in near:
                low, high = side.spans[0]
                side = self._pattern(axis, (min(low, span[0]), max(high, span[1])))
                self.take((*box[:n], (axis, self._pattern(axis, span)), *box[n + 1 :]))
            if line.complete_with(side):
                for member in self._on(line, axis, rest):
                    self.take(member)
                return rest
            if near:
                box, n = (*box[:n], (axis, side), *box[n + 1 :]), 0
            else:
                n += 1
        return box

    def _put(self, box: Box, new: Box) -> None:
        """Make a box a member; but for a new part of it, it has been said before."""
        for member in self._covered(box, new):
            self.take(member)
        if not box:
            self._clear()
            self._ended = True
        for n, (axis, side) in enumerate(box):
            if isinstance(side, List):
                continue
            rest = box[:n] + box[n + 1 :]
            line = self._lines.get((axis, rest)) or self._lines.setdefault((axis, rest), self._line(axis, rest))
            if side == NULL:
                line.null = True
            else:
                line.add(side.spans[0])
        if len(box) == 1 and box[0][0] not in self._axes:
            self._axes.append(box[0][0])
        if len(box) > 1:
            self._boxes[box] = None
            self._shapes.setdefault(_shape(box), {})[box] = None
            for key in _keys(box):
                self._by.setdefault(key, {})[box] = None
            if _is_loose(box):
                self._loose[box] = None

    def has(self, box: Box) -> bool:
        """Whether a box of constants is a member, as it is."""
        return self._covering(box) == box

    def take(self, box: Box) -> None:
        """Say a member no longer, all of it."""
        self._ended &= bool(box)
        for n, (axis, side) in enumerate(box):
            if isinstance(side, List):
                continue
            key = (axis, box[:n] + box[n + 1 :])
            line = self._lines[key]
            if side == NULL:
                line.null = False
            else:
                line.discard(side.spans[0])
            if not line and len(box) > 1:
                del self._lines[key]
        if len(box) > 1:
            del self._boxes[box]
            self._loose.pop(box, None)
            _drop(self._shapes, _shape(box), box)
            for by in _keys(box):
                _drop(self._by, by, box)

    def _covering(self, box: Box) -> Box | None:
        """A member that covers a box."""
        if self._ended:
            return ()
        sides = dict(box)
        for axis in self._axes:
            if axis in sides and (found := self._on_line(axis, (), sides[axis])):
                return found
        for shape in self._shapes:
            if all(axis in sides for axis in shape):
                for axis in shape:
                    rest = tuple((i, sides[i]) for i in shape if i != axis)
                    if found := self._on_line(axis, rest, sides[axis]):
                        return found
        for member in self._loose:
            if all(i in sides and pattern.covers(sides[i]) for i, pattern in member):
                return member
        return None

    def _on_line(self, axis: int, rest: Box, side: Pattern) -> Box | None:
        """A member on a line that covers a pattern there."""
        line = self._lines.get((axis, rest))
        if line is None:
            return None
        if side == NULL:
            return _insert(rest, axis, NULL) if line.null else None
        around = line.around((side.spans[0][0], side.spans[-1][1]))
        return None if around is None else _insert(rest, axis, self._pattern(axis, around))

    def _overlapping(self, box: Box) -> Iterator[Box]:
        """The members that overlap a box."""
        if self._ended:
            yield ()
        sides = dict(box)
        for axis in self._axes:
            side = sides.get(axis, WILDCARD)
            line = self._lines[axis, ()]
            if side.null and line.null:
                yield ((axis, NULL),)
            last = None
            for near in (near for span in side.spans for near in line.overlapping(span)):
                if near != last:  # one member may hold several values of a list
                    yield ((axis, self._pattern(axis, near)),)
                last = near
        for member in self._near(box, self._shapes):
            if all(pattern.meet(sides.get(i, WILDCARD)) != EMPTY for i, pattern in member):
                yield member

    def _near(self, box: Box, shapes: Iterable[_Shape]) -> Iterator[Box]:
        """The members of some shapes that have a constant of a box where they have one, if both do."""
        fixed = [(axis, side) for axis, side in box if isinstance(side, Constant)]
        for shape in list(shapes):
            keys = [((shape, axis, side), (shape, axis, None)) for axis, side in fixed if axis in shape]
            ways = [[self._by.get(key, {}) for key in each] for each in keys] or [[self._shapes[shape]]]
            for members in min(ways, key=lambda way: sum(map(len, way))):
                yield from list(members)

    def _covered(self, box: Box, new: Box) -> list[Box]:
        """The members with two or more patterns that a box covers, other than those that melt into it.

        What all of it but the new part covers is no member any more.
        """
        axes = {axis for axis, _ in box}
        wider = [s for s in self._shapes if axes < set(s) or (axes == set(s) and _is_loose(box))]
        members = (dict(member) for member in self._near(new, wider))
        inner = (m for m in members if all(i in m and pattern.covers(m[i]) for i, pattern in box))
        return [tuple(m.items()) for m in inner]

    def _on(self, line: SpanSet, axis: int, rest: Box) -> list[Box]:
        """All members on a line."""
        patterns = [self._pattern(axis, span) for span in line] + [NULL] * line.null
        return [_insert(rest, axis, pattern) for pattern in patterns]


def _shape(box: Box) -> _Shape:
    return tuple(axis for axis, _ in box)


def _keys(box: Box) -> list[_Key]:
    """What a box is found by: with its shape, each of its constants, or the axis of another pattern."""
    shape = _shape(box)
    return [(shape, axis, side if isinstance(side, Constant) else None) for axis, side in box]


def _drop(boxes: dict[Any, dict[Box, None]], key: _Shape | _Key, box: Box) -> None:
    boxes[key].pop(box)
    if not boxes[key]:
        del boxes[key]


def _point(row: Row) -> Box:
    return tuple((i, Constant(value)) for i, value in enumerate(row))


def _is_loose(box: Box) -> bool:
    return sum(not isinstance(side, Constant) for _, side in box) > 1


def _insert(rest: Box, axis: int, pattern: Pattern) -> Box:
    return tuple(sorted((*rest, (axis, pattern)), key=lambda side: side[0]))


def _minus(box: Box, other: Box) -> list[Box]:
    """What is in a box and not in another one, as boxes that do not overlap."""
    inner, pieces = dict(box), []
    for axis, pattern in other:
        side = inner.get(axis, WILDCARD)
        for part in side.minus(pattern):
            pieces.append(tuple(sorted({**inner, axis: part}.items(), key=lambda item: item[0])))
        inner[axis] = side.meet(pattern)
        if inner[axis] == EMPTY:
            break
    return pieces
