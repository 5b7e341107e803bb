"""Boxes: what punctuations say, without their schema, and set algebra on that."""

from punctum.algebra.pattern import EMPTY, WILDCARD, Constant, Pattern
from punctum.algebra.punctuation import Side
from punctum.algebra.values import Row

Box = tuple[Side, ...]
"""The patterns of a punctuation that are not wildcards, in the order of their attributes."""
Shape = tuple[int, ...]
"""The attributes that a box has patterns on: its axes."""


def shape(box: Box) -> Shape:
    """The axes of a box."""
    return tuple(axis for axis, _ in box)


def point(row: Row) -> Box:
    """The box of one row."""
    return tuple((i, Constant(value)) for i, value in enumerate(row))


def is_loose(box: Box) -> bool:
    """Whether two or more of its patterns are not constants."""
    return sum(not isinstance(side, Constant) for _, side in box) > 1


def insert(rest: Box, axis: int, pattern: Pattern) -> Box:
    """A box with one more pattern."""
    return tuple(sorted((*rest, (axis, pattern)), key=lambda side: side[0]))


def minus(box: Box, other: Box) -> list[Box]:
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
