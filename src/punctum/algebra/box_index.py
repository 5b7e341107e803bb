"""An index of boxes: which members cover a box, overlap it, or stand beside it.

Each box stands on a *line* for each of its patterns: the sorted ``SpanSet`` of the boxes that agree with it on all
other attributes (the line's rest). Boxes with one pattern, the common case, are all on one line an attribute, and are
put and found in O(log n). What covers a row, or a box, is found by taking its own constants as the rest; boxes with
several patterns that are not constants (loose ones) cannot be found so and are tried one by one.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from punctum.algebra.boxes import Box, Shape, insert, is_loose, shape
from punctum.algebra.pattern import EMPTY, NULL, WILDCARD, Constant, List, Pattern, Span, span_pattern
from punctum.algebra.schema import Schema
from punctum.algebra.spanset import SpanSet

_Key = tuple[Shape, int, Constant | None]
"""A shape, one of its axes, and a constant there; nothing stands for any other pattern."""


class BoxIndex:
    """Boxes over one schema, of which none covers another; who puts one takes care of that."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.clear()

    def clear(self) -> None:
        """Have no members."""
        self.ended = False  # whether the box without patterns is a member: the end of the stream
        self.lines: dict[tuple[int, Box], SpanSet] = {}
        self.axes: list[int] = []  # attributes that have boxes with no other pattern
        self.boxes: dict[Box, None] = {}  # the boxes with two or more patterns, in the order they came
        self._loose: dict[Box, None] = {}  # those of them with two or more patterns that are not constants
        self.shapes: dict[Shape, dict[Box, None]] = {}  # they by the attributes that their patterns are on
        self._by: dict[_Key, dict[Box, None]] = {}  # and by each of their patterns

    def __len__(self) -> int:
        return self.ended + len(self.boxes) + sum(len(self.lines[axis, ()]) for axis in self.axes)

    def put(self, box: Box) -> None:
        """Make a box a member; the box without patterns is the only one."""
        if not box:
            self.clear()
            self.ended = True
        for n, (axis, side) in enumerate(box):
            if isinstance(side, List):
                continue
            rest = box[:n] + box[n + 1 :]
            line = self.lines.get((axis, rest)) or self.lines.setdefault((axis, rest), self._line(axis, rest))
            if side == NULL:
                line.null = True
            else:
                line.add(side.spans[0])
        if len(box) == 1 and box[0][0] not in self.axes:
            self.axes.append(box[0][0])
        if len(box) > 1:
            self.boxes[box] = None
            self.shapes.setdefault(shape(box), {})[box] = None
            for key in _keys(box):
                self._by.setdefault(key, {})[box] = None
            if is_loose(box):
                self._loose[box] = None

    def take(self, box: Box) -> None:
        """Have a member no longer, all of it."""
        self.ended &= bool(box)
        for n, (axis, side) in enumerate(box):
            if isinstance(side, List):
                continue
            key = (axis, box[:n] + box[n + 1 :])
            line = self.lines[key]
            if side == NULL:
                line.null = False
            else:
                line.discard(side.spans[0])
            if not line and len(box) > 1:
                del self.lines[key]
        if len(box) > 1:
            del self.boxes[box]
            self._loose.pop(box, None)
            _drop(self.shapes, shape(box), box)
            for by in _keys(box):
                _drop(self._by, by, box)

    def covering(self, box: Box) -> Box | None:
        """A member that covers a box."""
        if self.ended:
            return ()
        sides = dict(box)
        for axis in self.axes:
            if axis in sides and (member := self._on_line(axis, (), sides[axis])):
                return member
        for axes in self.shapes:
            if all(axis in sides for axis in axes):
                for axis in axes:
                    rest = tuple((i, sides[i]) for i in axes if i != axis)
                    if member := self._on_line(axis, rest, sides[axis]):
                        return member
        for member in self._loose:
            if all(i in sides and pattern.covers(sides[i]) for i, pattern in member):
                return member
        return None

    def _on_line(self, axis: int, rest: Box, side: Pattern) -> Box | None:
        """A member on a line that covers a pattern there."""
        line = self.lines.get((axis, rest))
        if line is None:
            return None
        if side == NULL:
            return insert(rest, axis, NULL) if line.null else None
        around = line.around((side.spans[0][0], side.spans[-1][1]))
        return None if around is None else insert(rest, axis, self.pattern(axis, around))

    def overlapping(self, box: Box, alike: bool = False) -> Iterator[Box]:
        """The members that overlap a box; those that are alike have all of its axes, or no others."""
        if self.ended:
            yield ()
        sides = dict(box)
        for axis in self.axes:
            if alike and box and axis not in sides:
                continue
            side = sides.get(axis, WILDCARD)
            line = self.lines[axis, ()]
            if side.null and line.null:
                yield ((axis, NULL),)
            last = None
            for near in (near for span in side.spans for near in line.overlapping(span)):
                if near != last:  # one member may hold several values of a list
                    yield ((axis, self.pattern(axis, near)),)
                last = near
        axes = sides.keys()
        shapes = (s for s in self.shapes if not alike or axes <= set(s) or axes >= set(s))
        for member in self._near(box, shapes):
            if all(pattern.meet(sides.get(i, WILDCARD)) != EMPTY for i, pattern in member):
                yield member

    def _near(self, box: Box, shapes: Iterable[Shape]) -> Iterator[Box]:
        """The members of some shapes that have a constant of a box where they have one, if both do."""
        fixed = [(axis, side) for axis, side in box if isinstance(side, Constant)]
        for axes in list(shapes):
            keys = [((axes, axis, side), (axes, axis, None)) for axis, side in fixed if axis in axes]
            ways = [[self._by.get(key, {}) for key in pair] for pair in keys] or [[self.shapes[axes]]]
            for members in min(ways, key=lambda way: sum(map(len, way))):
                yield from list(members)

    def covered(self, box: Box, new: Box) -> list[Box]:
        """The members with two or more patterns that a box covers, other than those that coalesce with it.

        What all of it but the new part covers is no member any more.
        """
        axes = {axis for axis, _ in box}
        wider = [s for s in self.shapes if axes < set(s) or (axes == set(s) and is_loose(box))]
        members = (dict(member) for member in self._near(new, wider))
        inner = (m for m in members if all(i in m and pattern.covers(m[i]) for i, pattern in box))
        return [tuple(m.items()) for m in inner]

    def on(self, line: SpanSet, axis: int, rest: Box) -> list[Box]:
        """All members on a line."""
        patterns = [self.pattern(axis, span) for span in line] + [NULL] * line.null
        return [insert(rest, axis, pattern) for pattern in patterns]

    def pattern(self, axis: int, span: Span) -> Pattern:
        """The pattern of a span on an axis."""
        return span_pattern(span, self._schema.attributes[axis].type)

    def _line(self, axis: int, rest: Box) -> SpanSet:
        return SpanSet(None if rest else self._schema.attributes[axis].reach)


def _keys(box: Box) -> list[_Key]:
    """What a box is found by: with its shape, each of its constants, or the axis of another pattern."""
    axes = shape(box)
    return [(axes, axis, side if isinstance(side, Constant) else None) for axis, side in box]


def _drop(boxes: dict[Any, dict[Box, None]], key: Shape | _Key, box: Box) -> None:
    boxes[key].pop(box)
    if not boxes[key]:
        del boxes[key]
