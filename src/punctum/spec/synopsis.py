"""Joins on synopses: bounded memory without punctuations (section 7 and example 8.7 of the memory paper).

A stream is remembered in buckets. With ``fulfils`` for the conditions, ``shown`` for the result and ``Syn`` for what
stands for the rows that came, after every prefix of the inputs::

    rows out   π_shown(σ_fulfils(ts₁ × … × tsₙ))            the query on all rows that came, each once when distinct
    kept       Syn(tsᵢ) for each input, and when distinct the rows that have come out
    answer     G_calls(σ_fulfils(Syn(ts₁) × … × Syn(tsₙ)))  for groups, with partial aggregates of each bucket

- preserving: the first row of a bucket stands for all, as often as rows came. Of aggregates a bucket has partial
  results; those of one input are multiplied by how often rows of the other inputs came.
- eliminating: the best rows of a bucket stand for all.

Which rows are alike and which are best is another's business: ``Remembering``. A result holds a row of every input, and
a new result a new row, so with ``carried(p)`` for a punctuation on columns that results show::

    prop       setCombine(carried(ps₁), …, carried(psₙ))    what all inputs have closed; one that has ended closes all
    pass       groups that such a punctuation covers, or with ``updates`` after each slice those that have changed,
               once there was a row or the end
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import Any, Protocol

from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.functions import set_match
from punctum.algebra.pattern import Pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row, Value
from punctum.spec.aggregates import fits, value_of
from punctum.spec.framework import Emitter, Kept, Operator, Receiver
from punctum.spec.partials import first, total, with_value
from punctum.spec.stream import Slice

At = tuple[int, int]
"""A column of an input: both by position."""


class Remembering(Protocol):
    """How a stream is remembered."""

    def bucket(self, row: Row) -> Hashable | None:
        """The bucket of a row, or nothing when it matters to nobody."""

    def chosen(self, bucket: Any, rows: list[Row]) -> list[Row]:
        """The rows of a bucket that stand for all of them."""


@dataclass(frozen=True)
class SynopsisCall:
    """An aggregate of a column of an input, over results whose filter is true; COUNT of nothing counts rows."""

    function: Function
    of: At | None
    name: str
    filter: At | None = None


_WHOLE = (Function.COUNT_DISTINCT, Function.MEDIAN)
"""Functions of values that are keys of a bucket, so that the rows that stand for it have them."""


@dataclass(frozen=True)
class Stored:
    """A bucket: the rows that stand for all, how many came, and the partial result of each aggregate of its input."""

    rows: tuple[Row, ...] = ()
    count: int = 0
    partials: tuple[Any, ...] = ()


@dataclass
class Memory:
    """The synopses of all inputs; ``calls`` are the aggregates of each input that have partial results."""

    inputs: tuple[Remembering, ...]
    eliminating: bool
    calls: tuple[tuple[SynopsisCall, ...], ...]
    buckets: list[dict[Any, Stored]] = field(default_factory=list)

    def add(self, i: int, row: Row) -> bool:
        """Remember a row of an input, and return whether it matters."""
        bucket = self.inputs[i].bucket(row)
        if bucket is None:
            return False
        stored = self.buckets[i].get(bucket, Stored(partials=tuple(first(c.function) for c in self.calls[i])))
        rows = tuple(self.inputs[i].chosen(bucket, [*stored.rows, row])) if self.eliminating else stored.rows or (row,)
        calls = zip(self.calls[i], stored.partials, strict=True)
        partials = tuple(with_value(call.function, partial, row[call.of[1]]) for call, partial in calls if call.of)
        self.buckets[i][bucket] = replace(stored, rows=rows, count=stored.count + 1, partials=partials)
        return True

    def standing(self, i: int) -> list[tuple[Row, Stored]]:
        """The rows that stand for an input, each with its bucket."""
        return [(row, stored) for stored in self.buckets[i].values() for row in stored.rows]


@dataclass(frozen=True)
class SynopsisJoin(Operator):
    """The join of inputs, and of each result some columns."""

    schemas: tuple[Schema, ...]
    remembered: tuple[Remembering, ...]
    fulfils: Callable[[Sequence[Row]], bool]
    shown: tuple[At, ...]
    result: Schema
    distinct: bool = False
    carried: tuple[Mapping[int, int], ...] = ()

    @property
    def inputs(self) -> tuple[Schema, ...]:
        """The inputs' schemas."""
        return self.schemas

    @property
    def output(self) -> Schema:
        """The shown columns."""
        return self.result

    def start(self) -> "JoinExecution":
        """Begin with no input read."""
        return JoinExecution(self)


class _Execution:
    """What both kinds do with their inputs: they emit what all of these have closed."""

    def __init__(self, operator: "SynopsisJoin | SynopsisGroupBy") -> None:
        self._receivers = [Receiver(schema) for schema in operator.inputs]
        self._schema, self._output = operator.output, Emitter(operator.output)
        self._carried = operator.carried or tuple({} for _ in operator.inputs)
        self._by = [PunctuationSet(operator.output) for _ in operator.inputs]
        self._agreed: list[Punctuation] = []

    def _received(self, slices: Sequence[Slice]) -> Iterator[tuple[int, Row]]:
        """The new rows, those of the first input first; then the punctuations on which all inputs agree."""
        carried = list[tuple[int, Punctuation]]()
        for i, (receiver, xs) in enumerate(zip(self._receivers, slices, strict=True)):
            ts, ps = receiver.receive(xs)
            yield from ((i, t) for t in ts)
            carried += [(i, q) for p in ps if (q := carry(p, self._carried[i], self._schema)) is not None]
        self._agreed = [q for i, p in carried for q in agree(self._by, i, p)]


def carry(p: Punctuation, to: Mapping[int, int], schema: Schema) -> Punctuation | None:
    """A punctuation over results that have some of its columns; nothing when it is on others too."""
    if any(at not in to for at, _ in p.sides):
        return None
    patterns: dict[str, Pattern] = {}
    for at, pattern in p.sides:
        name = schema.names[to[at]]
        patterns[name] = patterns[name].meet(pattern) if name in patterns else pattern
    carried = Punctuation.of(schema, patterns)
    return None if carried.empty else carried


def agree(received: Sequence[PunctuationSet], i: int, p: Punctuation) -> list[Punctuation]:
    """Take a punctuation of one of several inputs, and give the parts of it that the others have closed before."""
    received[i].add(p)
    agreed = [p]
    for j, other in enumerate(received):
        if j != i:
            agreed = [q for part in agreed for q in other.within(part)]
    return agreed


class JoinExecution(_Execution):
    """A join that is running."""

    def __init__(self, operator: SynopsisJoin) -> None:
        super().__init__(operator)
        n = len(operator.schemas)
        self._operator, self.shown = operator, dict[Row, None]()
        self.memory = Memory(operator.remembered, operator.distinct, ((),) * n, [{} for _ in range(n)])

    def feed(self, *slices: Slice) -> Slice:
        """Take the next slice of each input: each row meets what stands for the others."""
        rows = [result for i, row in self._received(slices) for result in self._results(i, row)]
        return self._output.emit(rows, self._agreed)

    def _results(self, i: int, row: Row) -> Iterator[Row]:
        operator = self._operator
        if not self.memory.add(i, row):
            return
        others = [[(row, Stored(count=1))] if j == i else self.memory.standing(j) for j in range(len(operator.schemas))]
        for pairs in product(*others):
            rows = [met for met, _ in pairs]
            if operator.fulfils(rows):
                result = tuple(rows[k][column] for k, column in operator.shown)
                if not operator.distinct:
                    yield from [result] * prod(stored.count for _, stored in pairs)
                elif result not in self.shown:
                    self.shown[result] = None
                    yield result

    def kept(self) -> Kept:
        """The rows that stand for each input, and those that have come out."""
        standing = {
            f"input {i}": [row for row, _ in self.memory.standing(i)] for i in range(len(self._operator.schemas))
        }
        return standing | ({"shown": list(self.shown)} if self._operator.distinct else {})


@dataclass(frozen=True)
class Part:
    """Synopses of all inputs and the aggregates that they answer, by position."""

    remembered: tuple[Remembering, ...]
    eliminating: bool
    calls: tuple[int, ...]


@dataclass(frozen=True)
class SynopsisGroupBy(Operator):
    """Groups of the results of a join, by some columns, with aggregates."""

    schemas: tuple[Schema, ...]
    parts: tuple[Part, ...]
    fulfils: Callable[[Sequence[Row]], bool]
    keys: tuple[At, ...]
    calls: tuple[SynopsisCall, ...]
    result: Schema
    carried: tuple[Mapping[int, int], ...] = ()
    updates: bool = False

    @property
    def inputs(self) -> tuple[Schema, ...]:
        """The inputs' schemas."""
        return self.schemas

    @property
    def output(self) -> Schema:
        """The keys, then the aggregates."""
        return self.result

    def start(self) -> "GroupExecution":
        """Begin with no input read."""
        return GroupExecution(self)

    def partial(self, part: Part) -> tuple[tuple[SynopsisCall, ...], ...]:
        """The aggregates of each input of which a part has partial results."""
        calls = [self.calls[k] for k in part.calls if not part.eliminating and self.calls[k].function not in _WHOLE]
        return tuple(tuple(c for c in calls if c.of and c.of[0] == i) for i in range(len(self.schemas)))


class GroupExecution(_Execution):
    """A grouping that is running."""

    def __init__(self, operator: SynopsisGroupBy) -> None:
        super().__init__(operator)
        self._operator = operator
        n = len(operator.schemas)
        parts = operator.parts
        self.memories = [
            Memory(p.remembered, p.eliminating, operator.partial(p), [{} for _ in range(n)]) for p in parts
        ]
        self._emitted: set[Row] = set()
        self._begun = False
        self._closed = PunctuationSet(operator.output)

    def feed(self, *slices: Slice) -> Slice:
        """Take the next slice of each input; the groups come out when they are closed, or whenever they change."""
        new = [memory.add(i, row) for i, row in self._received(slices) for memory in self.memories]
        self._begun |= any(new) or any(not p.sides for p in self._agreed)
        rows = self.answer() if self._begun else []
        if self._operator.updates:
            rows, self._emitted = [row for row in rows if row not in self._emitted], set(rows)
        else:
            rows = [t for t in rows if set_match(t, self._agreed) and self._closed.find(t) is None]
        for p in self._agreed:
            self._closed.add(p)
        return self._output.emit(rows, self._agreed)

    def answer(self) -> list[Row]:
        """The groups as they are now."""
        groups: dict[Row, dict[int, Value | None]] = {} if self._operator.keys else {(): {}}
        for part, memory in zip(self._operator.parts, self.memories, strict=True):
            for key, met in self._met(memory).items():
                values = groups.setdefault(key, {})
                values.update({k: self._value(self._operator.calls[k], memory, met) for k in part.calls})
        calls = range(len(self._operator.calls))
        empty = [self._value(call, self.memories[0], []) for call in self._operator.calls]
        answer = [(*key, *(values.get(k, empty[k]) for k in calls)) for key, values in groups.items()]
        return [row for row in answer if all(map(fits, row, self._operator.output.attributes))]

    def _met(self, memory: Memory) -> dict[Row, list[tuple[tuple[Row, Stored], ...]]]:
        """The combinations of standing rows that fulfil the conditions, by group."""
        groups: dict[Row, list[tuple[tuple[Row, Stored], ...]]] = {}
        for pairs in product(*(memory.standing(i) for i in range(len(self._operator.schemas)))):
            rows = [row for row, _ in pairs]
            if self._operator.fulfils(rows):
                groups.setdefault(tuple(rows[i][j] for i, j in self._operator.keys), []).append(pairs)
        return groups

    def _value(self, call: SynopsisCall, memory: Memory, met: list[tuple[tuple[Row, Stored], ...]]) -> Value | None:
        """An aggregate from what buckets know; a filter is a key of its bucket."""
        if call.filter is not None:
            stream, at = call.filter
            met = [pairs for pairs in met if pairs[stream][0][at] is True]
        if call.of is None:
            return sum(prod(stored.count for _, stored in pairs) for pairs in met)
        i, column = call.of
        if memory.eliminating or call.function in _WHOLE:
            weights = [1 if memory.eliminating else prod(stored.count for _, stored in pairs) for pairs in met]
            values = [(pairs[i][0][column],) for pairs, weight in zip(met, weights, strict=True) for _ in range(weight)]
            schema = Schema((self._operator.schemas[i].attributes[column],))
            return value_of(AggregateFunction(call.function, schema.names[0], call.name), values, schema)
        at = memory.calls[i].index(call)
        times = [prod(stored.count for j, (_, stored) in enumerate(pairs) if j != i) for pairs in met]
        partials = [pairs[i][1].partials[at] for pairs in met]
        return total(call.function, partials, times, self._operator.schemas[i].attributes[column].type)

    def kept(self) -> Kept:
        """The rows that stand for each input, for each of its synopses."""
        names = [(k, i) for k in range(len(self.memories)) for i in range(len(self._operator.schemas))]
        return {f"part {k} input {i}": [row for row, _ in self.memories[k].standing(i)] for k, i in names}
