"""Joins and groups of row windows: of a stream, only the last so many rows count (section 1.3 of the memory paper).

The rows of a slice arrive input by input, in the order of the inputs, and those of one input in their order. With
``last_n`` for the last n rows that came, ``through`` for what stands above a window and conditions that all results
fulfil::

    step       {t} × through(last_n(ts₂)) × …     for each row t of an input when it comes, and so for the others
    kept       last_n(tsᵢ) for each input; for one without a window those rows of tsᵢ that some input may still bring
               rows for: not all others have closed them on columns that are equal, and none of these is NULL
    prop       setCombine(carried(ps₁), …)        what all inputs have closed, for a new result has a new row
    groups     G_calls(through(last_n(ts)))       after each slice those that have changed; one that has no row any more
                                                  comes once more, with what aggregates are of no rows

Rows that ``through`` does not let pass count for the window all the same.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from punctum.algebra.aggregates import AggregateFunction
from punctum.algebra.functions import set_match
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.aggregates import value_of
from punctum.spec.framework import Emitter, Kept, Operator, Receiver
from punctum.spec.group_by import GroupBy
from punctum.spec.stream import Slice
from punctum.spec.synopsis import agree, carry


@dataclass(frozen=True)
class Window:
    """An input: its schema, how many rows count, if not all, and what becomes of a row before it is joined."""

    schema: Schema
    rows: int | None
    through: Callable[[Row], Row | None] = lambda row: row


@dataclass(frozen=True)
class WindowJoin(Operator):
    """The join of windows, and of inputs that have none; a result is the columns of all."""

    windows: tuple[Window, ...]
    fulfils: Callable[[Sequence[Row]], bool]
    result: Schema
    carried: tuple[Mapping[int, int], ...]
    shared: Mapping[tuple[int, int], Mapping[int, int]] = field(default_factory=dict)
    """For two inputs, which columns of the second one are equal to which of the first."""

    @property
    def inputs(self) -> tuple[Schema, ...]:
        """The inputs' schemas."""
        return tuple(window.schema for window in self.windows)

    @property
    def output(self) -> Schema:
        """The columns of all inputs."""
        return self.result

    def start(self) -> "WindowJoinExecution":
        """Begin with no input read."""
        return WindowJoinExecution(self)


class WindowJoinExecution:
    """A join that is running."""

    def __init__(self, operator: WindowJoin) -> None:
        self._operator, self._output = operator, Emitter(operator.output)
        self._receivers = [Receiver(schema) for schema in operator.inputs]
        self._closed = [PunctuationSet(operator.output) for _ in operator.inputs]
        self._came: list[list[Row]] = [[] for _ in operator.inputs]
        self._seen: list[list[Punctuation]] = [[] for _ in operator.inputs]

    def feed(self, *slices: Slice) -> Slice:
        """Take the next slice of each input."""
        results: list[Row] = []
        mapped: list[tuple[int, Punctuation]] = []
        for i, (receiver, xs) in enumerate(zip(self._receivers, slices, strict=True)):
            rows, puncts = receiver.receive(xs)
            for row in rows:
                results += self._results(i, row)
                self._came[i] = _last([*self._came[i], row], self._operator.windows[i].rows)
            carried = (carry(p, self._operator.carried[i], self._operator.output) for p in puncts)
            mapped += [(i, p) for p in carried if p is not None]
            self._seen[i] += puncts
        for i, window in enumerate(self._operator.windows):
            if window.rows is None:
                self._came[i] = [row for row in self._came[i] if self._may_meet(i, row)]
        return self._output.emit(results, [q for i, p in mapped for q in agree(self._closed, i, p)])

    def _results(self, i: int, row: Row) -> Iterator[Row]:
        """The results of a row that comes."""
        there = [
            self._there(j) if j != i else _through(self._operator.windows[i], [row]) for j in range(len(self._came))
        ]
        for met in product(*there):
            if self._operator.fulfils(met):
                yield tuple(value for t in met for value in t)

    def _may_meet(self, i: int, row: Row) -> bool:
        """Whether a row that comes later can join with a row."""
        shared = {j: self._operator.shared.get((i, j), {}) for j in range(len(self._came)) if j != i}
        if any(row[at] is None for equal in shared.values() for at in equal.values()):
            return False
        schema = self._operator.windows[i].schema
        carried = {j: [carry(p, equal, schema) for p in self._seen[j]] for j, equal in shared.items()}
        return not all(set_match(row, [p for p in closed if p is not None]) for closed in carried.values())

    def _there(self, i: int) -> list[Row]:
        return _through(self._operator.windows[i], self._came[i])

    def kept(self) -> Kept:
        """The rows of each input that count."""
        return {f"input {i}": self._there(i) for i in range(len(self._came))}


@dataclass(frozen=True)
class WindowGroupBy(Operator):
    """Groups of one window; ``schema`` is that of rows behind ``through``."""

    window: Window
    schema: Schema
    by: tuple[str, ...]
    aggregates: tuple[AggregateFunction, ...]

    @property
    def inputs(self) -> tuple[Schema, ...]:
        """The input's schema."""
        return (self.window.schema,)

    @property
    def output(self) -> Schema:
        """The grouping columns, then the aggregates."""
        return self.groups.output

    @property
    def groups(self) -> GroupBy:
        """The groups of some rows, were they all."""
        return GroupBy(self.schema, self.by, self.aggregates)

    def start(self) -> "WindowGroupExecution":
        """Begin with nothing read."""
        return WindowGroupExecution(self)


class WindowGroupExecution:
    """A grouping that is running."""

    def __init__(self, operator: WindowGroupBy) -> None:
        self._operator, self._output = operator, Emitter(operator.output)
        self._receiver, self._came = Receiver(operator.window.schema), list[Row]()
        self._emitted: list[Row] = []

    def feed(self, *slices: Slice) -> Slice:
        """Take the next slice; the groups that have changed come out."""
        rows, puncts = self._receiver.receive(*slices)
        self._came = _last([*self._came, *rows], self._operator.window.rows)
        ended = any(not p.sides for p in puncts)
        answer = self._answer() if self._came or ended else []
        width = len(self._operator.by)
        keys = {row[:width] for row in answer}
        nothing = tuple(value_of(aggregate, [], self._operator.schema) for aggregate in self._operator.aggregates)
        gone = [(*row[:width], *nothing) for row in self._emitted if row[:width] not in keys]
        changed = [row for row in answer if row not in self._emitted] + gone
        self._emitted = answer
        return self._output.emit(changed, [end_of_stream(self._operator.output)] if ended else [])

    def _answer(self) -> list[Row]:
        """The groups as they are now."""
        rows = _through(self._operator.window, self._came)
        return self._operator.groups.cpass(Slice(tuple(rows), (end_of_stream(self._operator.schema),)))

    def kept(self) -> Kept:
        """The rows that count."""
        return {"input": _through(self._operator.window, self._came)}


def _last(rows: list[Row], count: int | None) -> list[Row]:
    return rows if count is None else rows[-count:]


def _through(window: Window, rows: Sequence[Row]) -> list[Row]:
    passed = (window.through(row) for row in rows)
    return [row for row in passed if row is not None]
