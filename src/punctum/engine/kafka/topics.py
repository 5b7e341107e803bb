"""The topics of a stage as its source lists them: which messages belong to which batch, and what brokers say of them.

An offset is the place behind the last message that has been read of each partition. Where a query began is written to
the checkpoint before its first batch, since Spark asks for it again when that batch has to be done again. Where idle
partitions hold nothing back, an offset has the time of each partition's last message, and says which are idle: so a
batch that is done again is the same.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from punctum.engine.kafka.broker import Brokers
from punctum.engine.recovery.durable import replace_text
from punctum.errors import MissingError, QueryError
from punctum.storage.location import location

TopicOffset = dict[str, Any]
"""How far a topic has been read: ``{"next": {"0": 15, "1": 7}}``.

With the time of each partition, in milliseconds, ``"times": {"0": 1763350000000, …}``, and ``"idle": [1]``. Earlier
versions wrote ``heard`` for ``times``.
"""
WORTH_A_TASK = 20_000
"""So many messages are worth a task of Spark's of their own."""
UNEVEN = 1.25
"""So many times as much as need be the largest task may have for partitions to stay where they are."""


@dataclass(frozen=True)
class Topic:
    """A stream's topic, as it is listed; who reads its messages unpickles ``reading``, a TopicStream."""

    key: str
    stream: str
    options: Mapping[str, str]
    log: str
    reading: bytes
    idle: float | None = None
    """So many seconds without a message make a partition idle."""

    @property
    def name(self) -> str:
        """The topic's name."""
        return self.options["topic"]


class OffsetRange(NamedTuple):
    """Messages of a partition, from one offset to before another."""

    topic: str
    partition: int
    start: int
    end: int

    def __str__(self) -> str:
        """Itself as a line of JSON."""
        return json.dumps(list(self))

    @staticmethod
    def of(line: str) -> "OffsetRange":
        """The range of a line.

        >>> OffsetRange.of(str(OffsetRange("bid", 3, 7, 9)))
        OffsetRange(topic='bid', partition=3, start=7, end=9)
        """
        return OffsetRange(*json.loads(line))


class TopicShare(NamedTuple):
    """What a task reads of a topic, and whether it says how its stream begins."""

    key: str
    ranges: tuple[OffsetRange, ...]
    first: bool


class KnownPartitions(NamedTuple):
    """The partitions of a topic, and those that are idle, from a batch on."""

    key: str
    known: tuple[int, ...]
    idle: tuple[int, ...]


class TopicListing:
    """Says how far a topic can be read by now. Its partitions may become more, and never less."""

    def __init__(self, topic: Topic, brokers: Brokers | None = None) -> None:
        self._topic = topic
        self._brokers = brokers or Brokers(topic.stream, topic.options)
        self._known: dict[int, tuple[int, int]] = {}
        self._identity = ""

    @property
    def stream(self) -> str:
        """The stream that it is listed for."""
        return self._topic.stream

    @cached_property
    def initial(self) -> TopicOffset:
        """Where the query began, or begins."""
        path = location(self._topic.log)
        if path.exists():
            known = json.loads(path.read_text())
            self._identity = known["topic"]
            return known["offset"]  # type: ignore[no-any-return]
        wanted = self._topic.options.get("startingOffsets", "earliest")
        ends = self._brokers.ends()
        given = {} if wanted.lower() in ("earliest", "latest") else json.loads(wanted)
        if unknown := sorted(set(map(int, given)) - set(ends)):
            what = f"startingOffsets of {self._topic.stream} names partition {unknown[0]}"
            raise QueryError(what, f"the topic {self._topic.name} has {len(ends)} partitions", "name those from 0")
        latest = wanted.lower() == "latest"
        begins = {p: given.get(str(p), high if latest else low) for p, (low, high) in ends.items()}
        if wrong := [p for p, (low, high) in ends.items() if not low <= begins[p] <= high]:
            p, (low, high) = wrong[0], ends[wrong[0]]
            what = f"startingOffsets of {self._topic.stream} names the offset {begins[p]} of partition {p}"
            detail = f"partition {p} of {self._topic.name} begins at {low} and ends before {high}"
            raise QueryError(what, detail, f"name one from {low} to {high}, or earliest or latest for all")
        offset: TopicOffset = {"next": _named(begins)}
        if self._topic.idle is not None:
            offset |= {"times": _named(dict.fromkeys(begins, _now())), "idle": []}
        self._identity = self._brokers.identity
        replace_text(path, json.dumps({"topic": self._identity, "offset": offset}))
        return offset

    def write_initial(self) -> None:
        """Write down where the query begins, or fail."""
        assert self.initial

    def ends(self) -> dict[int, int]:
        """The end of each partition by now."""
        self._known = self._brokers.ends()
        if self.initial and self._brokers.identity != self._identity:
            detail = f"{self._topic.name} was deleted and created again"
            raise MissingError(f"the topic of {self._topic.stream} is not what it was", detail, ANEW)
        return {p: high for p, (_, high) in self._known.items()}

    def latest(self, start: TopicOffset, ends: Mapping[int, int], now: int | None = None) -> TopicOffset:
        """How far the next batch reads, when partitions have these ends."""
        read = _numbered(start["next"])
        if gone := sorted(set(read) - set(ends)):
            detail = f"partition {gone[0]} of {self._topic.name} is gone: it was deleted and created again"
            raise QueryError(f"the topic of {self._topic.stream} has lost partitions", detail, ANEW)
        for p, at in read.items():
            low, high = self._known.get(p, (0, ends[p]))
            self._check(p, at, low, high)
        begins = {p: read[p] if p in read else self._known[p][0] for p in ends}
        ends = {p: ends[p] if p in read else begins[p] for p in ends}  # new ones are read in the batch behind this
        most = self._topic.options.get("maxOffsetsPerTrigger")
        upto = _limited(begins, ends, None if most is None else int(most))
        offset: TopicOffset = {"next": _named(upto)}
        if self._topic.idle is None:
            return offset
        return offset | self._silent(start, begins, ends, _now() if now is None else now)

    def _silent(
        self, start: TopicOffset, begins: Mapping[int, int], ends: Mapping[int, int], now: int
    ) -> dict[str, Any]:
        """When each partition had its last message, and which are idle: the one that had the last of all is not."""
        assert self._topic.idle is not None
        before: dict[str, int] = start["times"] if "times" in start else start.get("heard", {})
        known, new = _numbered(before), [p for p in ends if ends[p] > begins[p]]
        times = {p: now if p in new else known.get(p, now) for p in ends}
        last, limit = max(times.values(), default=now), now - 1000 * self._topic.idle
        idle = [p for p, at in times.items() if at < last and at < limit]
        same = set(ends) == set(known) and not new and set(idle) == set(start.get("idle", []))
        return {"times": before if same else _named(times), "idle": sorted(idle)}

    def _check(self, partition: int, at: int, low: int, high: int) -> None:
        """Refuse to pass over messages that have expired, and to read of another topic of the same name."""
        where = f"partition {partition} of {self._topic.name}"
        if at < low:
            detail = f"{where} begins at {low}, and {at} is the next to be read"
            raise MissingError(f"messages of {self._topic.stream} expired before they were read", detail, ANEW)
        if at > high:
            detail = f"{where} ends at {high}, and {at} is the next to be read: it was deleted and created again"
            raise MissingError(f"the topic of {self._topic.stream} is not what it was", detail, ANEW)

    def ranges(self, start: TopicOffset, end: TopicOffset) -> list[OffsetRange]:
        """What a batch reads."""
        begins, ends = _numbered(start["next"]), _numbered(end["next"])
        return [OffsetRange(self._topic.name, p, at, ends[p]) for p, at in sorted(begins.items()) if ends[p] > at]

    def new_partitions(self, start: TopicOffset, end: TopicOffset) -> KnownPartitions | None:
        """What buckets have to know of partitions before a batch, if it is anything new."""
        before, after = (tuple(sorted(map(int, offset["next"]))) for offset in (start, end))
        idle = tuple(end.get("idle", ()))
        if before == after and idle == tuple(start.get("idle", ())) and start != self.initial:
            return None
        return KnownPartitions(self._topic.key, after, idle)


ANEW = "start with a new checkpoint, and keep messages for longer than the query may stand still"


class Deal:
    """Deals ranges of topics out to tasks; a partition stays with those that it was with, unless one has too much.

    Who has read a partition has fetched more of it already.
    """

    def __init__(self) -> None:
        self._before: dict[tuple[str, int], int] = {}

    def __call__(
        self, topics: Mapping[str, Sequence[OffsetRange]], tasks: int, first: set[str]
    ) -> Iterator[list[TopicShare]]:
        """What each of as many tasks as they are worth reads; a partition is read by one of them."""
        ranges = [(key, offset_range) for key, several in topics.items() for offset_range in several]
        size = sum(map(_size, ranges))
        count = min(tasks, len(ranges), 1 + size // WORTH_A_TASK)
        best = _evenly(ranges, count)
        kept = [self._before.get((key, offset_range.partition), count) for key, offset_range in ranges]
        if count and {*kept} == {*range(count)} and _most(ranges, kept, count) <= UNEVEN * _most(ranges, best, count):
            best = kept
        self._before |= {(key, r.partition): task for (key, r), task in zip(ranges, best, strict=True)}
        for task in range(count):
            load: dict[str, list[OffsetRange]] = {}
            its = [pair for pair, at in zip(ranges, best, strict=True) if at == task]
            for key, offset_range in sorted(its, key=_size, reverse=True):
                load.setdefault(key, []).append(offset_range)
            yield [TopicShare(key, tuple(several), key in first) for key, several in load.items()]


_Range = tuple[str, OffsetRange]


def _size(pair: _Range) -> int:
    return pair[1].end - pair[1].start


def _evenly(ranges: Sequence[_Range], count: int) -> list[int]:
    """The task of each range: large ones first, each to the task that has the least."""
    sizes, dealt = [0] * count, [0] * len(ranges)
    for n in sorted(range(len(ranges)), key=lambda n: -_size(ranges[n])):
        dealt[n] = sizes.index(min(sizes))
        sizes[dealt[n]] += _size(ranges[n])
    return dealt


def _most(ranges: Sequence[_Range], dealt: Sequence[int], count: int) -> int:
    """How many messages the task has that has the most."""
    return max(sum(_size(pair) for pair, at in zip(ranges, dealt, strict=True) if at == task) for task in range(count))


def _limited(begins: Mapping[int, int], ends: Mapping[int, int], most: int | None) -> dict[int, int]:
    """How far each partition is read, when a batch takes so many messages: each in proportion to what it has.

    >>> _limited({0: 0, 1: 0}, {0: 300, 1: 100}, 40)
    {0: 30, 1: 10}
    """
    there = {p: ends[p] - begins[p] for p in ends}
    every = sum(there.values())
    if most is None or every <= most:
        return dict(ends)
    shares = {p: divmod(there[p] * most, every) for p in ends}
    more = sorted(shares, key=lambda p: -shares[p][1])[: most - sum(share for share, _ in shares.values())]
    return {p: begins[p] + share + (p in more) for p, (share, _) in shares.items()}


def _named(numbers: Mapping[int, int]) -> dict[str, int]:
    return {str(p): numbers[p] for p in sorted(numbers)}


def _numbered(named: Mapping[str, int]) -> dict[int, int]:
    return {int(p): at for p, at in named.items()}


def _now() -> int:
    return int(time.time() * 1000)
