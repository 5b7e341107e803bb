"""Tiers: which chunks are merged, so that n rows lie in O(log n) chunks and each row is copied O(log n) times."""

from collections.abc import Mapping
from itertools import takewhile

from punctum.operators.limits import limits

FAN = 8
"""So many chunks of one size are merged."""


def of_a_size(rows: Mapping[int, int]) -> list[int]:
    """The last chunks, by how many rows they have, that are to be merged: when many of them are of one size.

    >>> small = dict.fromkeys(range(1, 8), 500)
    >>> of_a_size({0: 9_000, **small}), of_a_size({0: 9_000, **small, 8: 600})
    ([], [1, 2, 3, 4, 5, 6, 7, 8])
    """
    least, most = 0, limits().small
    while most < limits().largest:
        behind = list(takewhile(lambda n: rows[n] <= most, reversed(rows)))  # noqa: B023  it is used here
        if sum(rows[n] > least for n in behind) >= FAN:
            return behind[::-1] if sum(rows[n] for n in behind) <= limits().largest else []
        least, most = most, most * FAN
    return []
