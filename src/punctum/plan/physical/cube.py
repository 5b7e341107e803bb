"""Hypercubes: how the rows of a join whose inputs have no column in common are dealt out to buckets.

Each dimension is a class of equal columns and has a *share*; the shares' product is the number of buckets. A row goes
to the buckets that its columns decide on, and is copied along the dimensions that it lacks. Rows that join agree on all
dimensions that any of them has, so they meet in exactly one bucket.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

DIMENSIONS = 6
"""More dimensions are not worth looking at: they would have a share of one."""


@dataclass(frozen=True)
class Cube:
    """How one input is dealt out: for each dimension its column, or nothing where it is copied.

    For each input of the join, this one too, ``lacking`` are the dimensions along which it is copied.
    """

    columns: tuple[int | None, ...]
    lacking: tuple[tuple[int, ...], ...]


def shares(cube: Cube, buckets: int) -> tuple[int, ...]:
    """The share of each dimension for which the inputs, taken to be of one size, are copied least.

    >>> triangle = Cube((0, 1, None), ((2,), (0,), (1,)))
    >>> shares(triangle, 8), shares(triangle, 2)
    ((2, 2, 2), (1, 1, 2))
    """
    ways = _factored(buckets, len(cube.columns))
    return min(ways, key=lambda way: (sum(prod(way[d] for d in lacks) for lacks in cube.lacking), max(way), way))


def _factored(number: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a product of so many factors."""
    if parts == 1:
        yield (number,)
        return
    for factor in range(1, number + 1):
        if number % factor == 0:
            yield from ((factor, *rest) for rest in _factored(number // factor, parts - 1))
