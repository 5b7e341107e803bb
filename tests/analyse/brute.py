"""Queries answered by trying all combinations of rows: the oracle of what is said of their memory."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from statistics import median
from typing import Any

from punctum.algebra.aggregates import Function
from punctum.algebra.values import Row
from punctum.analyse.memory.growth import Arrival
from punctum.ir.conjunctive.spj import Aggregated, Spj

_COMPARE = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "=": lambda a, b: a == b}


def joined(query: Spj, rows: Sequence[Sequence[Row]]) -> Iterator[tuple[Row, ...]]:
    """The combinations of rows, one a stream, that fulfil all conditions."""
    for each in product(*rows):
        if all(pattern.match(each[i][j]) for (i, j), pattern in query.within.items()) and all(
            _COMPARE[op](each[a[0]][a[1]], each[b[0]][b[1]]) for a, op, b in query.compared
        ):
            yield each


def answer(query: Spj, rows: Sequence[Sequence[Row]]) -> Any:
    """The bag of shown rows, or their set, or the aggregates of each group."""
    shown = [(tuple(each[i][j] for i, j in query.shown), each) for each in joined(query, rows)]
    if query.aggregates is None:
        return {row for row, _ in shown} if query.distinct else Counter(row for row, _ in shown)
    groups: dict[Row, list[tuple[Row, ...]]] = {}
    for key, each in shown:
        groups.setdefault(key, []).append(each)
    return {key: [_aggregate(call, group) for call in query.aggregates] for key, group in groups.items()}


def _aggregate(call: Aggregated, group: list[tuple[Row, ...]]) -> Any:
    if call.of is None:
        return len(group)
    values: list[Any] = [each[call.of[0]][call.of[1]] for each in group]
    over: dict[Function, Callable[[list[Any]], Any]] = {
        Function.COUNT: len,
        Function.SUM: sum,
        Function.MIN: min,
        Function.MAX: max,
        Function.AVG: lambda them: sum(them) / len(them),
        Function.COUNT_DISTINCT: lambda them: len(set(them)),
        Function.MEDIAN: median,
    }
    return over[call.function](values)


def told_apart(query: Spj, found: Arrival) -> int:
    """How many pasts the answers tell apart: each subset of the rows that may come, then each of what comes after."""
    n, seen = len(found.before), set()
    for chosen in product((False, True), repeat=n):
        past: list[list[Row]] = [[] for _ in query.streams]
        past[found.stream] = [row for row, is_ in zip(found.before, chosen, strict=True) if is_]
        seen.add(str([_news(query, past, after) for after in found.after]))
    return len(seen)


def _news(query: Spj, past: list[list[Row]], after: Sequence[tuple[int, Row]]) -> Any:
    """What is to be said when further rows come: new rows of an answer, or all aggregates."""
    now = [[*rows, *(row for i, row in after if i == stream)] for stream, rows in enumerate(past)]
    if query.aggregates is not None:
        return sorted(answer(query, now).items())
    before, behind = answer(query, past), answer(query, now)
    return sorted(behind - before) if query.distinct else sorted((behind - before).items())
