"""The relational operators on finite inputs, written without a thought of streams: the oracle of faithfulness."""

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from punctum.algebra.values import Row

Table = list[Row]


def distinct(rows: Table) -> Table:
    return list(dict.fromkeys(rows))


def union(left: Table, right: Table) -> Table:
    return distinct(left + right)


def intersect(left: Table, right: Table) -> Table:
    return list(set(left) & set(right))


def difference(left: Table, right: Table) -> Table:
    return list(set(left) - set(right))


def join(pairs: Sequence[tuple[int, int]]) -> Callable[[Table, Table], Table]:
    def joined(left: Table, right: Table) -> Table:
        return [t + s for t in left for s in right if all(t[i] is not None and t[i] == s[j] for i, j in pairs)]

    return joined


def outer(
    pairs: Sequence[tuple[int, int]], kind: str, holds: Callable[[Row], bool] = lambda _: True
) -> Callable[[Table, Table], Table]:
    """LEFT, FULL, SEMI and ANTI joins of rows with two columns each."""

    def meet(t: Row, s: Row) -> bool:
        return all(t[i] is not None and t[i] == s[j] for i, j in pairs) and holds(t + s)

    def joined(left: Table, right: Table) -> Table:
        alone = [t for t in left if not any(meet(t, s) for s in right)]
        if kind in ("semi", "anti"):
            return alone if kind == "anti" else [t for t in left if any(meet(t, s) for s in right)]
        both = [t + s for t in left for s in right if meet(t, s)] + [(*t, None, None) for t in alone]
        more = [s for s in right if kind == "full" and not any(meet(t, s) for t in left)]
        return both + [(None, None, *s) for s in more]

    return joined


def summary(by: Sequence[int], of: int) -> Callable[[Table], Table]:
    """COUNT(*) and all aggregates of an integer column, by some columns; MAX_BY and MIN_BY go by the first one."""

    def grouped(rows: Table) -> Table:
        keys = {tuple(row[i] for i in by) for row in rows} if by else {()}
        return [key + _summary([row for row in rows if tuple(row[i] for i in by) == key], of) for key in keys]

    return grouped


def _summary(rows: Table, of: int) -> Row:
    values = [row[of] for row in rows if isinstance(row[of], int)]
    numbers = [int(value) for value in values if isinstance(value, int)]
    if not numbers:
        return len(rows), 0, None, None, None, None, 0, *[None] * 8, (), ()
    average, median = statistics.mean(map(float, numbers)), float(statistics.median(numbers))
    ends = sum(numbers), min(numbers), max(numbers), average, len(set(numbers)), median, median
    variance = statistics.pvariance(numbers), statistics.variance(numbers) if len(numbers) > 1 else None
    spreads = [None if v is None else float(v) for v in variance]
    roots = [None if v is None else math.sqrt(v) for v in spreads]
    by_first = (_paired(rows, of, choose) for choose in (max, min))
    lists = tuple(sorted(numbers)), tuple(sorted(set(numbers)))
    return len(rows), len(numbers), *ends, *spreads, *roots, *by_first, *lists


def _paired(rows: Table, of: int, choose: Any) -> Any:
    """The greatest value beside the greatest or least of the first column."""
    known = [row[0] for row in rows if row[0] is not None]
    values = [row[of] for row in rows if known and row[0] == choose(known) and row[of] is not None]
    return max(values) if values else None  # type: ignore[type-var]


def order(keys: Sequence[tuple[int, bool, bool]]) -> Callable[[Row, Row], int]:
    """Compares rows by (column, descending, NULLs first) keys."""

    def compare(one: Row, other: Row) -> int:
        for column, descending, nulls_first in keys:
            a, b = one[column], other[column]
            if a == b:
                continue
            if a is None or b is None:
                return -1 if (a is None) == nulls_first else 1
            return -1 if (a < b) != descending else 1  # type: ignore[operator]
        return 0

    return compare
