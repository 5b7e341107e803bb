"""Synopses: what a query that needs only bounded memory remembers of each stream (section 7 of the memory paper).

In: a query that is bounded. Out: for each stream its synopsis: the *keys*, attributes that joins or the result depend
on; a bucket for each combination of their places; what a bucket stores; and how many values that is at most.

- preserving: the first row of the bucket, on the keys, and how many rows there were; with aggregates their partial
  results over the rows of the bucket (example 8.7).
- eliminating: one row of the bucket on the keys. Where attributes at an endless place take part in inequality joins,
  the best row: of attributes that have to be above others the one whose least is greatest, of those that have to be
  below others the one whose greatest is least. A bucket with several such places stores a row for each.

Then the query gives the same answer on the synopses as on the streams, whatever comes.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

from punctum.algebra.aggregates import HOLISTIC, Function
from punctum.algebra.cuts import Cut, below
from punctum.algebra.values import Row, Type, Value
from punctum.analyse.memory.bounded import joins, open_extremes
from punctum.ir.conjunctive.axes import At
from punctum.ir.conjunctive.orders import Edge
from punctum.ir.conjunctive.spj import Aggregated, Spj

Bucket = tuple[int | None, ...]
"""The place of each key, or nothing where it is NULL."""


@dataclass(frozen=True)
class SynopsisStructure:
    """What is remembered of a stream."""

    query: Spj
    stream: int

    @cached_property
    def keys(self) -> tuple[At, ...]:
        """The attributes that matter outside of the stream, one of each class."""
        query, order = self.query, self.query.order
        crossing = {its for edge in joins(query) for its in (edge.low, edge.high)}
        crossing |= {its for its in order.members if len(order.streams(its)) > 1}
        used = {*query.listed, *(at for ats in query.mixed for at in ats)}
        if query.eliminating:  # MIN and MAX of an attribute that is not bounded have synopses of their own
            used |= {call.of for call in query.aggregates or () if call.of is not None and order.bounded(call.of)}
        mine = [at for at in order.attributes if at[0] == self.stream and (at in used or order.of[at] in crossing)]
        return tuple(at for i, at in enumerate(mine) if order.of[at] not in {order.of[other] for other in mine[:i]})

    @property
    def buckets(self) -> int:
        """How many buckets there are at most."""
        return prod(self.query.count(at) for at in self.keys)

    @cached_property
    def partials(self) -> tuple[Aggregated, ...]:
        """The aggregates of which a bucket stores partial results."""
        calls = self.query.aggregates or ()
        return tuple(c for c in calls if c.of is not None and c.of[0] == self.stream and c.function not in HOLISTIC)

    @cached_property
    def best(self) -> tuple[tuple[int, bool, frozenset[At]], ...]:
        """The endless places of which a bucket may store the best row: the place, up or down, the attributes."""
        if not self.query.eliminating:
            return ()
        return tuple(self._best({}))

    @property
    def stored(self) -> int:
        """How many values a bucket stores at most."""
        if self.query.eliminating:
            return max(1, len(self.best)) * max(1, len(self.keys))
        return len(self.keys) + 1 + sum(self._parts(call) for call in self.partials)

    def _parts(self, call: Aggregated) -> int:
        """How many values a partial result has: a sum of whole numbers has two parts, and AVG counts as well."""
        assert call.of is not None
        sums = {Function.SUM: 0, Function.AVG: 1}
        whole = self.query.attribute(call.of).type is not Type.DOUBLE
        return sums[call.function] + 1 + whole if call.function in sums else 1

    @property
    def values(self) -> int:
        """How many values are stored at most."""
        return self.buckets * self.stored

    def bucket(self, row: Row) -> Bucket | None:
        """The bucket of a row, or nothing when conditions on the stream alone keep it out."""
        query, order = self.query, self.query.order
        if not order.satisfiable:
            return None
        places: dict[At, int | None] = {}
        for at in order.attributes:
            if at[0] == self.stream:
                value = row[at[1]]
                places[at] = None if value is None else order.axes[at].place(value)
        inside = (query.nullable(at) if p is None else p in order.range(at) for at, p in places.items())
        if not all(inside) or not all(self._holds(row)):
            return None
        return tuple(places[at] for at in self.keys)

    def _holds(self, row: Row) -> Iterator[bool]:
        """Whether each comparison within the stream that follows from the conditions is true for a row."""
        order = self.query.order
        mine = [at for at in order.attributes if at[0] == self.stream]
        for a in mine:
            for b in mine:
                left, right, op = row[a[1]], row[b[1]], order.implied(a, b) if a != b else None
                if op is not None and left is not None and right is not None:
                    yield _compare(left, op, right)

    def of(self, rows: Iterable[Row]) -> dict[Bucket, list[Row]]:
        """The rows that stand for all rows that came: for each bucket so many copies of one, or the best ones."""
        by_bucket: dict[Bucket, list[Row]] = {}
        for row in rows:
            if (bucket := self.bucket(row)) is not None:
                by_bucket.setdefault(bucket, []).append(row)
        if not self.query.eliminating:
            return {bucket: [came[0]] * len(came) for bucket, came in by_bucket.items()}
        return {bucket: self.chosen(bucket, came) for bucket, came in by_bucket.items()}

    def chosen(self, bucket: Bucket, rows: list[Row]) -> list[Row]:
        """The best rows of a bucket."""
        chosen = []
        for up, columns in self.rules(bucket):
            if up:
                chosen.append(max(rows, key=lambda row: min(_key(row[i]) for i in columns)))
            else:
                chosen.append(min(rows, key=lambda row: max(_key(row[i]) for i in columns)))
        return list(dict.fromkeys(chosen)) or rows[:1]

    def rules(self, bucket: Bucket) -> Iterator[tuple[bool, list[int]]]:
        """Which rows of a bucket are best: whose least of some columns is greatest, or whose greatest is least."""
        order = self.query.order
        pinned = {order.of[at]: place for at, place in zip(self.keys, bucket, strict=True) if place is not None}
        for _, up, classes in self._best(pinned):
            yield up, sorted({at[1] for at in self.keys if order.of[at] in classes})

    def _best(self, pinned: Mapping[At, int]) -> Iterator[tuple[int, bool, frozenset[At]]]:
        """For each endless place and direction the classes of inequality joins there, when some classes are pinned."""
        by_place: dict[tuple[int, int, bool], set[At]] = {}
        for edge in joins(self.query):
            for its, up in ((edge.high, True), (edge.low, False)):
                if its[0] == self.stream and not self.query.order.bounded(its):
                    for place in self._places(edge, pinned):
                        by_place.setdefault((id(self.query.order.axes[its]), place, up), set()).add(its)
        for (_, place, up), classes in by_place.items():
            yield place, up, frozenset(classes)

    def _places(self, edge: Edge, pinned: Mapping[At, int]) -> Iterator[int]:
        """The endless places at which both sides of a join can lie."""
        order = self.query.order
        for place in order.regions(edge.low, edge.high):
            both = {edge.low: place, edge.high: place}
            if all(pinned.get(its, place) == place for its in both) and order.least({**pinned, **both}) is not None:
                yield place


def synopses(query: Spj) -> tuple[SynopsisStructure, ...]:
    """The synopsis of each stream of a bounded query; of a single one nothing, or what MEDIAN and the like are made of.

    For each MIN and MAX of an attribute that is not bounded there are synopses of their own.
    """
    if not query.order.satisfiable:
        return ()
    if len(query.streams) == 1:
        whole = any(call.function in HOLISTIC for call in query.aggregates or ())
        return (SynopsisStructure(query, 0),) if whole else ()
    watched = [query.watching(call) for call in open_extremes(query)] if query.eliminating else []
    asked = [query] if not watched or len(watched) < len(query.aggregates or ()) else []
    return tuple(SynopsisStructure(asking, i) for asking in (*asked, *watched) for i in range(len(query.streams)))


def answers(query: Spj) -> int:
    """How many values of the answer are remembered: rows that were shown already, or groups with their aggregates."""
    if not query.order.satisfiable or not (query.distinct or query.aggregates is not None):
        return 0
    calls = query.aggregates or ()
    stored = [query.count(c.of) if c.function in HOLISTIC and c.of is not None else 1 for c in calls]
    pairs = (Function.AVG, Function.SUM) if len(query.streams) == 1 else (Function.AVG,)  # groups of rows count them
    doubled = sum(call.function in pairs for call in calls)
    if len(query.streams) == 1:
        doubled += sum(call.function in pairs and _in_parts(query, call) for call in calls)
    return answer_rows(query) * max(1, len(query.shown) + sum(stored) + doubled)


def _in_parts(query: Spj, call: Aggregated) -> bool:
    """Whether a group keeps the sum of a column in two parts, since it may have more digits than one can hold."""
    return call.of is not None and query.attribute(call.of).type is Type.DECIMAL


def answer_rows(query: Spj) -> int:
    """How many combinations of the shown attributes there are at most."""
    return prod(query.count(at) for at in _classes(query, query.shown))


def carried(query: Spj) -> tuple[dict[int, int], ...]:
    """For each stream its columns that a shown attribute must equal, with the first such one."""
    first: dict[At, int] = {}
    for n, at in enumerate(query.shown):
        first.setdefault(query.order.of[at], n)
    columns: tuple[dict[int, int], ...] = tuple({} for _ in query.streams)
    for (stream, column), its in query.order.of.items():
        if its in first:
            columns[stream][column] = first[its]
    return columns


def _classes(query: Spj, ats: Iterable[At]) -> tuple[At, ...]:
    return tuple({query.order.of[at]: at for at in ats}.values())


def _key(value: Value | None) -> Cut:
    assert value is not None, "an attribute that is compared is not NULL"
    return below(value)


def _compare(left: Value, op: str, right: Value) -> bool:
    a, b = below(left), below(right)
    return bool(a == b if op == "=" else a < b if op == "<" else a <= b)
