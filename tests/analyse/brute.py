"""Queries answered by trying all combinations of rows: the oracle of the verdicts on their memory."""

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
    for combined in product(*rows):
        if all(pattern.match(combined[i][j]) for (i, j), pattern in query.within.items()) and all(
            _COMPARE[op](combined[a[0]][a[1]], combined[b[0]][b[1]]) for a, op, b in query.compared
        ):
            yield combined


def answer(query: Spj, rows: Sequence[Sequence[Row]]) -> Any:
    """The bag of shown rows, or their set, or the aggregates of each group."""
    shown = [(tuple(combined[i][j] for i, j in query.shown), combined) for combined in joined(query, rows)]
    if query.aggregates is None:
        return {row for row, _ in shown} if query.distinct else Counter(row for row, _ in shown)
    groups: dict[Row, list[tuple[Row, ...]]] = {}
    for key, combined in shown:
        groups.setdefault(key, []).append(combined)
    return {key: [_aggregate(call, group) for call in query.aggregates] for key, group in groups.items()}


def _aggregate(call: Aggregated, group: list[tuple[Row, ...]]) -> Any:
    if call.of is None:
        return len(group)
    values: list[Any] = [combined[call.of[0]][call.of[1]] for combined in group]
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


def distinguished(query: Spj, arrival: Arrival) -> int:
    """How many pasts the answers distinguish: each subset of the rows that may come, then each of what comes after."""
    n, seen = len(arrival.before), set()
    for chosen in product((False, True), repeat=n):
        past: list[list[Row]] = [[] for _ in query.streams]
        past[arrival.stream] = [row for row, is_ in zip(arrival.before, chosen, strict=True) if is_]
        seen.add(str([_news(query, past, after) for after in arrival.after]))
    return len(seen)


def _news(query: Spj, past: list[list[Row]], after: Sequence[tuple[int, Row]]) -> Any:
    """What is emitted when further rows come: new rows of an answer, or all aggregates."""
    now = [[*rows, *(row for i, row in after if i == stream)] for stream, rows in enumerate(past)]
    if query.aggregates is not None:
        return sorted(answer(query, now).items())
    before, behind = answer(query, past), answer(query, now)
    return sorted(behind - before) if query.distinct else sorted((behind - before).items())
