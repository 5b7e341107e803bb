"""Inputs that force a query to remember ever more: the other side of *not bounded*.

In: a condition that fails. Out: for each n an input. Of n rows of one stream any subset may come; afterwards other
rows come, and the answers to these tell which of the n had come. So 2ⁿ pasts have to be told apart, which takes memory
linear in n. This is how examples 5.8, 5.9 and 5.12 of the memory paper are made.

All rows of one level together fulfil every condition. What moves from level to level lies at an endless place: *rising*
classes go up, *falling* ones down, so that a row joins with another level's rows in one direction only, or not at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from punctum.algebra.aggregates import HOLISTIC, Function
from punctum.algebra.values import Row, Value
from punctum.analyse.memory.bounded import Failure
from punctum.ir.conjunctive.axes import At, Axis

Arrivals = tuple[tuple[int, Row], ...]
"""Rows with the number of the stream on which they come."""


class Arrival(NamedTuple):
    """Rows of a stream of which any may come, and what may come next: the answers tell which of them did."""

    stream: int
    before: tuple[Row, ...]
    after: tuple[Arrivals, ...]


@dataclass(frozen=True)
class _Moving:
    """Where a class of attributes is: at the rank-th of so many values of its place; it moves with the level or not."""

    axis: Axis
    place: int
    start: int
    step: int

    def value(self, level: int, count: int) -> Value | None:
        values = self.axis.values(self.place, count)
        return None if values is None else values[self.start + self.step * level]


def growing(failure: Failure, n: int) -> Arrival | None:
    """An input that needs memory for n rows, or nothing where none is known.

    None is known for conditions that are no comparisons, for a stream that is there twice, and where no values are
    known between two strings.
    """
    if failure.condition == "mixed" or failure.query.selfjoin or failure.query.loose:
        return None
    median = failure.call is not None and failure.call.function is Function.MEDIAN
    count = 3 * n if median else n
    levels = [_level(failure, level, count) for level in range(count)]
    if any(rows is None for rows in levels):
        return None
    complete = [rows for rows in levels if rows is not None]
    if median:
        return _around(failure, complete, n)
    after = tuple(later for rows in complete for later in _after(failure, rows))
    return Arrival(failure.stream, tuple(rows[failure.stream] for rows in complete), after)


def _after(failure: Failure, rows: list[Row]) -> Iterator[Arrivals]:
    """What may come after the rows of a stream: rows of the others, or the same row again where that is news."""
    query, call = failure.query, failure.call
    real = [i for i, stream in enumerate(query.streams) if stream.stream]
    if len(real) > 1:
        yield tuple((i, rows[i]) for i in real if i != failure.stream)
    if len(real) == 1 or (call is not None and call.function in HOLISTIC):
        yield tuple((i, rows[i]) for i in real)


def _around(failure: Failure, levels: list[list[Row]], n: int) -> Arrival:
    """Rows in the middle of which any may come, and then so many below or above that each of them is the median."""
    real = [i for i, stream in enumerate(failure.query.streams) if stream.stream]
    middle, after = levels[n : 2 * n], list[Arrivals]()
    for below, above in sorted(product(range(n + 1), repeat=2), key=lambda counts: abs(sum(counts) - 1)):
        more = levels[:below] + levels[2 * n : 2 * n + above]
        partners = [(i, rows[i]) for rows in middle + more for i in real if i != failure.stream]
        after.append((*partners, *((failure.stream, rows[failure.stream]) for rows in more)))
    return Arrival(failure.stream, tuple(rows[failure.stream] for rows in middle), tuple(after))


def _level(failure: Failure, level: int, n: int) -> list[Row] | None:
    """A row of each stream, which fulfil the conditions together."""
    query, order = failure.query, failure.query.order
    least = order.least(failure.pinned)
    assert least is not None
    moving = {its: _moving(failure, its, least, n) for its in order.members}
    values = {its: place.value(level, count) for its, (place, count) in moving.items()}
    if any(value is None for value in values.values()):
        return None
    return [
        tuple(values[order.of[(i, j)]] if (i, j) in order.of else None for j in range(len(stream.schema)))
        for i, stream in enumerate(query.streams)
    ]


def _moving(failure: Failure, its: At, least: dict[At, int], n: int) -> tuple[_Moving, int]:
    """How a class moves, and how many values its place needs in all."""
    order, axis, place = failure.query.order, failure.query.order.axes[its], least[its]
    here = [c for c in order.sorted if least[c] == place and order.axes[c] is axis]
    up, down = [c for c in here if c in failure.rising], [c for c in here if c in failure.falling]
    if its in up:
        return _Moving(axis, place, up.index(its), len(up)), n * len(here)
    if its in down:
        top = n * len(up) + (n - 1) * len(down) + down.index(its)
        return _Moving(axis, place, top, -len(down)), n * len(here)
    return _Moving(axis, place, here.index(its) if axis.endless(place) else 0, 0), len(here)
