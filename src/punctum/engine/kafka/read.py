"""Reading messages: a range of a partition in, the elements of its values out, some ten thousand at a time.

A consumer is assigned to one partition at a time and belongs to no group. It is kept for the next range, of which it
has fetched some already. Where partitions are many, those to be read next are fetched meanwhile, by consumers that have
done their part. What a range does not hold, since it was aborted or compacted, the broker passes over; a range ends
with its last offset, with one that lies behind it, or with the end of the partition.
"""

import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from punctum.algebra.schema import Schema
from punctum.engine.formats.read import Read
from punctum.engine.kafka.broker import PATIENCE, SURE, confluent, final, silent, unknown, unreachable
from punctum.engine.kafka.topics import ANEW, OffsetRange
from punctum.engine.kafka.values import Messages, joined, read_values
from punctum.errors import MissingError

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message

PIECE = 100_000
"""So many messages are read at once, and become one slice."""
PIECE_BYTES = 32 << 20
"""Fewer messages do when their values have so many bytes."""
_TAKEN = 1_000  # messages that become columns before others come lie in memory that is still at hand
_WAIT = 0.02
_DOUBT = 5.0  # so many seconds without a message, and a consumer that went on begins anew
_KEPT = 4  # so many consumers a process has at most
_CONSUMER = {
    "group.id": "punctum",
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "enable.partition.eof": "true",
    "auto.offset.reset": "error",
    "isolation.level": "read_committed",
    "queued.min.messages": "100000",
    "queued.max.messages.kbytes": "32768",
    "fetch.wait.max.ms": "50",
    "fetch.queue.backoff.ms": "5",  # else a full queue is looked at again after a second
    "log_level": "0",
}


def read_range(
    stream: str, options: Mapping[str, str], schema: Schema, wanted: OffsetRange, patience: float = PATIENCE
) -> Iterator[tuple[OffsetRange, Read]]:
    """The elements of a range, piece by piece, each with its own range."""
    names, start = set(schema.names), wanted.start
    came = (_columns(wanted.partition, some, names) for some in _messages(stream, options, wanted, patience) if some)
    for piece in pieces(came):
        end = int(piece.offsets[-1]) + 1
        yield wanted._replace(start=start, end=end), read_values(piece, schema, options)
        start = end


def pieces(came: Iterable[Messages], most: int = PIECE, most_bytes: int = PIECE_BYTES) -> Iterator[Messages]:
    """Messages in pieces; where one ends depends on the messages alone, and not on how they come."""
    parts, count, room = list[Messages](), 0, most_bytes
    for some in came:
        while some:
            here, size = _fitting(some, most - count, room)
            parts.append(some.part(0, here))
            some, count, room = some.part(here, len(some)), count + here, room - size
            if count == most or room <= 0:
                yield joined(parts)
                parts, count, room = [], 0, most_bytes
    if parts:
        yield joined(parts)


def _fitting(some: Messages, most: int, room: int) -> tuple[int, int]:
    """How many messages still belong to a piece, and how many bytes their values have; the one that fills it does."""
    sizes = np.fromiter((len(value or b"") for value in some.values), np.int64, len(some)).cumsum()
    here = min(most, int(sizes.searchsorted(room)) + 1, len(some))
    return here, int(sizes[here - 1])


def _messages(
    stream: str, options: Mapping[str, str], wanted: OffsetRange, patience: float
) -> Iterator[list["Message"]]:
    """The messages of a range, as they come."""
    key, reader = _taken(stream, options, wanted)
    yield from reader.messages(stream, options, wanted, patience)
    _CONSUMERS[key] = reader  # one that has failed, or was left, is forgotten


def fetch(stream: str, options: Mapping[str, str], ranges: Sequence[OffsetRange]) -> None:
    """Have the messages of the first of some ranges come, since these are read next."""
    for wanted in ranges[:_KEPT]:
        key, reader = _taken(stream, options, wanted)
        reader.begin(wanted)
        _CONSUMERS[key] = reader


def fetched(ranges: Iterable[OffsetRange]) -> int:
    """How many messages of some ranges this process need not begin to fetch: it has read what stands before them."""
    at = {key[1:]: reader.at for key, reader in _CONSUMERS.items()}
    return sum(r.end - r.start for r in ranges if at.get((r.topic, r.partition)) == r.start)


def _taken(stream: str, options: Mapping[str, str], wanted: OffsetRange) -> "tuple[_Key, _Consuming]":
    """A consumer for a range: that of its partition, or the one that was used the longest ago, or a new one."""
    from punctum.engine.kafka.client import configuration  # here: who reads no topic need not wait for it

    config = tuple(configuration(options).items())
    key = config, wanted.topic, wanted.partition
    reader = _CONSUMERS.pop(key, None)
    if reader is None and len(_CONSUMERS) >= _KEPT:
        of = next(iter(_CONSUMERS))
        reader = _CONSUMERS.pop(of)
        if of[0] != config:
            reader.close()
            reader = None
    try:
        return key, reader or _Consuming(dict(config))
    except confluent().KafkaException as error:  # of options that none but a consumer looks at
        raise unreachable(stream, options, error.args[0]) from None


class _Consuming:
    """A consumer of one partition at a time, which may go on where it was."""

    def __init__(self, config: Mapping[str, str]) -> None:
        self._consumer: Consumer = confluent().Consumer({**_CONSUMER, **config, "error_cb": silent})
        self._place = "", -1
        self.at: int | None = None
        """The next message that is wanted."""
        self._left, self._ended = list["Message"](), -1
        self._unknown: Any = None

    def close(self) -> None:
        """Have it no longer."""
        self._consumer.close()

    def begin(self, wanted: OffsetRange) -> bool:
        """Fetch from where a range begins, unless that is where it is; whether it was elsewhere."""
        place = wanted.topic, wanted.partition
        elsewhere = (self._place, self.at) != (place, wanted.start)
        if elsewhere:
            self._place = place
            self._begin(wanted.start)
        return elsewhere

    def _begin(self, at: int) -> None:
        self._consumer.assign([confluent().TopicPartition(*self._place, at)])
        self.at, self._left, self._ended, self._unknown = at, [], -1, None

    def messages(
        self, stream: str, options: Mapping[str, str], wanted: OffsetRange, patience: float
    ) -> Iterator[list["Message"]]:
        """The messages of a range, as they come; those beyond it that have come as well are kept for the next."""
        fresh = self.begin(wanted)
        last_time, good, at = time.monotonic(), self._left, wanted.start
        self._left = []
        while True:
            if good:
                at, last_time, self._unknown = _offset(good[-1]) + 1, time.monotonic(), None
                here = bisect_left(good, wanted.end, key=_offset)
                self._left = good[here:]
                yield good[:here]
            if at >= wanted.end or self._ended >= wanted.end:
                self.at = wanted.end
                return
            if not fresh and time.monotonic() > last_time + _DOUBT:
                self._begin(at)
                fresh = True
            if self._unknown is not None and time.monotonic() > last_time + SURE:
                raise unreachable(stream, options, self._unknown)
            if time.monotonic() > last_time + patience:
                what = f"the topic {wanted.topic} of {stream} cannot be read"
                detail = f"partition {wanted.partition} from {at}: nothing has come for {patience:g} seconds"
                raise MissingError(what, detail, "look whether its brokers run")
            got = self._consumer.consume(min(_TAKEN, wanted.end - at), _WAIT)  # as many as it waits for
            errors = [message for message in got if message.error() is not None]
            good = [message for message in got if message.error() is None] if errors else got
            for message in errors:
                self._tell(stream, options, wanted, message)

    def _tell(self, stream: str, options: Mapping[str, str], wanted: OffsetRange, message: "Message") -> None:
        """Note the end of the partition; what does not pass by itself is an error."""
        kafka, error = confluent(), cast(Any, message.error())
        known = kafka.KafkaError
        if error.code() == known._PARTITION_EOF:
            self._ended = _offset(message)
        elif error.code() in (known._AUTO_OFFSET_RESET, known.OFFSET_OUT_OF_RANGE):
            detail = f"partition {wanted.partition} of {wanted.topic}, from {wanted.start}: {error.str()}"
            raise MissingError(f"messages of {stream} expired before they were read", detail, ANEW)
        elif error.fatal() or error.code() in final():
            raise unreachable(stream, options, error)
        elif error.code() in unknown():
            self._unknown = error


_Key = tuple[tuple[tuple[str, str], ...], str, int]
_CONSUMERS: dict[_Key, _Consuming] = {}
"""The consumers of this process, by their configurations and partitions, the one used last at the end."""


def _offset(message: "Message") -> int:
    return cast(int, message.offset())


def _offsets(some: list["Message"]) -> np.typing.NDArray[np.int64]:
    """The offsets of messages, among which some may be missing."""
    first, last = _offset(some[0]), _offset(some[-1])
    if last - first + 1 == len(some):
        return np.arange(first, last + 1)
    return np.array([message.offset() for message in some], np.int64)


def _columns(partition: int, some: list["Message"], names: set[str]) -> Messages:
    """Messages as columns, those that are asked for; the messages themselves are of no use behind this."""
    return Messages(
        partition,
        offsets=_offsets(some),
        values=[message.value() for message in some],
        keys=[message.key() for message in some] if "_key" in names else (),
        timestamps=[message.timestamp()[1] for message in some] if "_timestamp" in names else (),
        headers=[message.headers() for message in some] if "_headers" in names else (),  # type: ignore[misc]
    )
