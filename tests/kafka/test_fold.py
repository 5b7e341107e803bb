"""Messages that are folded where they are read: results, quarantine and counts are those of messages that are not."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import pytest

from engine.test_fold import FOLDED, UNWEIGHED, bid
from lanes import one_of
from punctum.compile import compile, compile_relation
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import StageMessage, StreamSlice, decode, to_arrow
from punctum.engine.kafka import read
from punctum.engine.kafka.topics import KnownPartitions, OffsetRange, TopicShare
from punctum.engine.runtime import build
from punctum.engine.runtime.stage import StageRuntime
from punctum.engine.sources.source import TopicStream, known_partitions, read_topic
from punctum.operators.columns import to_rows
from punctum.operators.fold import WORTH
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Stage

STREAMS = """
CREATE STREAM a (k BIGINT, g BIGINT, PUNCTUATED ON (k){owned}) USING kafka OPTIONS (brokers 'none', topic 'a');
CREATE STREAM b (k BIGINT, v BIGINT, w DOUBLE, s STRING, PUNCTUATED ON (k){owned})
  USING kafka OPTIONS (brokers 'none', topic 'b');
CREATE SINK o USING json OPTIONS (path 'o');
INSERT INTO o
"""
KEYS = 12
Topics = dict[tuple[str, int], list[bytes]]
"""What is in each partition of each topic."""
Ends = dict[tuple[str, int], int]


class Message:
    """What a consumer gives, as far as it is looked at."""

    def __init__(self, offset: int, value: bytes) -> None:
        self._offset, self._value = offset, value

    def __len__(self) -> int:
        return len(self._value)

    def offset(self) -> int:
        return self._offset

    def value(self) -> bytes:
        return self._value


class Run:
    """A query over topics, batch by batch, in some buckets, folded or not, with restarts."""

    def __init__(self, last: Stage, buckets: int, fold: bool) -> None:
        self._last, self._fold, self._buckets = last, fold, Buckets(range(buckets))
        self._running: dict[int, StageRuntime] = {}
        self._at: Ends = {}
        self.folded = 0

    def batch(self, ends: Ends, idle: Sequence[int] = ()) -> tuple[list[Any], list[str], dict[str, int]]:
        """The rows of the result, the quarantine, and how many rows operators took."""
        arrived: dict[int, dict[int, list[StageMessage]]] = {}
        for bucket, message, number in self._read(ends, tuple(idle)):
            arrived.setdefault(bucket, {}).setdefault(number, []).append(message)
            if isinstance(message, StreamSlice) and message.origin is not None:
                self.folded += message.origin.folded
        self._at = ends
        rows, records, taken = list[Any](), list[str](), dict[str, int]()
        for bucket, known in sorted(arrived.items()):
            running = self._restarted(bucket)
            piece, counts = running.feed(known)
            rows += to_rows(piece.rows)
            records += [record.line() for record in running.records()]
            for name in ("rows_in", "rows_from:a", "rows_from:b"):
                taken[name] = taken.get(name, 0) + counts[0].get(name, 0)
        return sorted(rows, key=repr), sorted(records), taken

    def _read(self, ends: Ends, idle: tuple[int, ...]) -> Iterator[Any]:
        for source in self._last.inputs:
            pipe = source.origin
            assert isinstance(pipe, Pipe)
            to, stream = build.from_pipe(pipe, source, self._buckets), pipe.stream
            fold = build.folded_names(self._last, source) if self._fold else ()
            known = TopicStream(
                stream.name, stream.schema, build.piped(pipe), to, False, True, dict(stream.options), fold
            )
            at = {p: end for (topic, p), end in ends.items() if topic == stream.name}
            ranges = [OffsetRange(stream.name, p, self._at.get((stream.name, p), 0), end) for p, end in at.items()]
            share = TopicShare("", tuple(r for r in ranges if r.end > r.start), not self._at)
            told = known_partitions(known, KnownPartitions("", tuple(at), tuple(p for p in idle if p in at)))
            for some in (told, *read_topic(known, share, 1)):
                yield from decode(to_arrow(some).to_pydict())

    def _restarted(self, bucket: int) -> StageRuntime:
        fresh, known = build.running(self._last, self._buckets, bucket), self._running.get(bucket)
        if known is not None:
            fresh.restore(known.metadata(), {name: t.chunks() for name, t in known.flow.tables().items()})
        self._running[bucket] = fresh
        return fresh


def sent(chance: random.Random, partitions: int, owned: bool, speaks: bool) -> tuple[Topics, list[Ends]]:
    """Messages of both topics, and where batches end; rows come late now and then, in the batch or in a later one."""
    topics: Topics = {(topic, p): [] for topic in "ab" for p in range(partitions)}
    closed: dict[tuple[str, int], set[int]] = {place: set() for place in topics}
    batches = list[Ends]()
    for _ in range(4):
        for (topic, p), messages in topics.items():
            own = [k for k in range(KEYS) if not owned or k % partitions == p]
            keys = [k for k in own if k not in closed[topic, p] or chance.random() < 0.1] or own[:1]
            count = chance.choice([3, 3 * WORTH]) if topic == "b" else len(keys) // 2
            rows = [bid(chance, keys) if topic == "b" else item(chance, keys) for _ in range(count)]
            ends = [k for k in own if k not in closed[topic, p] and chance.random() < 0.15]
            closed[topic, p] |= set(ends)
            puncts: list[Mapping[str, Any]] = [{"$punct": {"k": k}} for k in ends]
            if topic == "b" and speaks and chance.random() < 0.3:
                puncts.append({"$punct": {"v": chance.randrange(5)}})
            where = chance.choice([count, count, chance.randrange(count + 1)])
            messages += [json.dumps(element).encode() for element in (*rows[:where], *puncts, *rows[where:])]
        batches.append({place: len(messages) for place, messages in topics.items()})
    for messages in topics.values():
        messages.append(b'{"$punct": {}}')
    return topics, [*batches, {place: len(messages) for place, messages in topics.items()}]


def item(chance: random.Random, keys: Sequence[int]) -> dict[str, Any]:
    return {"k": chance.choice(keys), "g": chance.choice([None, 1, 2])}


@pytest.mark.parametrize(("select", "owned", "speaks"), one_of(5, product(FOLDED, [False, True], [False, True])))
def test_folded_is_not_folded(select: str, owned: bool, speaks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(f"{select} {owned} {speaks}")
    partitions = chance.choice([1, 2, 3])
    topics, batches = sent(chance, partitions, owned, speaks)

    def messages(stream: str, options: object, wanted: OffsetRange, patience: float) -> Iterator[list[Message]]:
        there = topics[wanted.topic, wanted.partition][wanted.start : wanted.end]
        yield [Message(wanted.start + n, value) for n, value in enumerate(there)]

    monkeypatch.setattr(read, "_messages", messages)
    monkeypatch.setattr("punctum.engine.sources.source.fetch", lambda *_: None)
    script = STREAMS.format(owned=", PARTITIONED BY (k)" if owned else "") + select + ";"
    (query,) = compile(script).queries
    buckets, idle = chance.choice([1, 2, 3]), chance.randrange(1, len(batches))
    unweighed = compile_relation(query.query.relation, passes=UNWEIGHED).last
    runs = [Run(last, buckets, fold) for last, fold in ((query.last, True), (query.last, False), (unweighed, False))]
    for n, ends in enumerate(batches):
        some = [0] if n == idle and partitions > 1 else ()
        folded, plain, as_written = (run.batch(ends, some) for run in runs)
        assert folded == plain == as_written, n
    assert runs[0].folded > WORTH > runs[1].folded == 0
