"""The quarantine: what a query could not take, with the reason.

A record says of which stream and file it is, at which line or row (0: the file as a whole; nothing: not known), the
reason, the punctuation that it breaks, if any, and the text. Records are lines of JSON; they travel in messages.
There is room for some megabytes of them in a batch. A record with a count is for all that go beyond.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, NoReturn

import polars as pl
from pyspark import TaskContext

from punctum.engine.exchange.messages import Addressed, QuarantineMessage
from punctum.engine.formats.read import FRAME, ROOM
from punctum.engine.recovery.durable import writing
from punctum.engine.recovery.rotated import current
from punctum.errors import QueryError, printable
from punctum.storage.files import fetched, move
from punctum.storage.location import Location, StorePath

VIOLATION = "the row matches an earlier punctuation"
"""The reason of a row that is not grammatical."""
BEYOND = "the quarantine of a batch is full: these rows are counted but not stored"
"""The reason of a record that stands for many."""
BUCKET_ROOM = ROOM // 8
"""The room that a bucket of a stage has in a batch."""
MOST = 10_000
"""So many records are made of the rows of a slice, before it is seen which of them there is room for."""


@dataclass(frozen=True)
class Record:
    """Something that was not taken."""

    stream: str
    reason: str
    text: str
    file: str | None = None
    position: int | None = None
    punctuation: str | None = None
    count: int = 1
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None

    def line(self) -> str:
        """Itself as JSON; a count of one is left out, and so is where a message was that is none."""
        spared = {"count": 1, "topic": None, "partition": None, "offset": None}
        fields = {name: value for name, value in asdict(self).items() if spared.get(name, self) != value}
        return json.dumps(fields, ensure_ascii=False)

    def counted(self, count: int) -> "Record":
        """A record for so many others of the same stream and file, or partition."""
        return Record(self.stream, BEYOND, "", self.file, count=count, topic=self.topic, partition=self.partition)

    @property
    def place(self) -> str:
        """Where it was found."""
        if self.topic is not None:
            offset = "" if self.offset is None else f", offset {self.offset}"
            return f"{self.stream}, {self.topic}, partition {self.partition}{offset}"
        file = f"{self.stream}, {self.file}" if self.file else self.stream
        return f"{file}:{self.position}" if self.position else file


class Room:
    """The room for records that is left."""

    def __init__(self, size: int = ROOM) -> None:
        self._left = size

    def taken(self, records: Iterable[Record], more: int = 0) -> list[Record]:
        """Those records that there is room for, and counts of the others; there may be more, behind the last one."""
        kept, beyond = list[Record](), dict[_Source, Record]()
        for record in records:
            if self._left > 0 or record.count > 1:
                kept.append(record)
                self._left -= FRAME + len(record.text) + len(record.reason)
            else:
                _count(beyond, record, record.count)
        if more:
            _count(beyond, record, more)
        return [*kept, *beyond.values()]


_Source = tuple[str, str | None, int | None]
"""The stream and the file, or the partition, that records are of."""


def _count(beyond: dict[_Source, Record], record: Record, more: int) -> None:
    key = record.stream, record.file, record.partition
    beyond[key] = record.counted(more + (beyond[key].count if key in beyond else 0))


def how_many(lines: Iterable[str]) -> int:
    """How many things records are for."""
    return sum(json.loads(line).get("count", 1) for line in lines)


def rejects(
    stream: str, file: str | None, rejected: pl.DataFrame, partition: tuple[str, int] | None = None
) -> list[Record]:
    """The records of what a reader has rejected."""
    return [record(stream, reason, text, file, position, partition) for position, reason, text in rejected.iter_rows()]


def record(
    stream: str,
    reason: str,
    text: str,
    file: str | None,
    position: int | None,
    partition: tuple[str, int] | None = None,
    punctuation: str | None = None,
) -> Record:
    """The record of what stands at a position of a file, or at an offset of a topic's partition."""
    if partition is None:
        return Record(stream, reason, text, file, position, punctuation)
    topic, number = partition
    return Record(stream, reason, text, None, None, punctuation, topic=topic, partition=number, offset=position)


def fail(
    record: Record,
    what: str = "bad input in a stream with ON VIOLATION FAIL",
    hint: str = "fix the row and send it in a new file, or remove ON VIOLATION FAIL",
) -> NoReturn:
    """Stop the query with what would have been a record."""
    broken = f" ({record.punctuation})" if record.punctuation else ""
    raise QueryError(what, f"{record.place}: {record.reason}{broken}: {record.text}", hint)


def message_of(records: Iterable[Record], bucket: int) -> Addressed:
    """Records as a message by way of a bucket, which passes it on."""
    return Addressed(bucket, QuarantineMessage([record.line() for record in records]))


def in_order(lines: Iterable[str]) -> list[str]:
    """Records by stream, file and position: whichever worker told of them first."""

    def place(line: str) -> tuple[str, str, int, int, str]:
        record = json.loads(line)
        within = record["position"] or record.get("offset") or 0
        return record["stream"], record["file"] or "", record.get("partition") or 0, within, line

    return sorted(lines, key=place)


def write_records(lines: list[str], directory: Location | None) -> None:
    """Write records from a worker; a batch that is done again writes the same files."""
    if directory is None:
        hint = "call dataframe(checkpoint): rejected rows then go to a quarantine in it"
        fail(Record(**json.loads(lines[0])), "the query has no quarantine", hint)
    context = TaskContext.get()
    assert context is not None
    batch = int(context.getLocalProperty("streaming.sql.batchId") or 0)
    text = "\n".join(lines) + "\n"
    path = directory / f"part-{batch:06}-{sha256(text.encode()).hexdigest()[:16]}.json"
    part = path.with_name(f".{path.name}.{context.taskAttemptId()}")
    with writing(path):
        if isinstance(path, StorePath):
            path.write_text(text)
            return
        directory.mkdir(parents=True, exist_ok=True)
        part.write_text(text)
        move(part, path)


def read_records(directory: Location) -> Iterator[dict[str, Any]]:
    """The records of a quarantine, given its directory, that of the sink it lies beside, or the checkpoint."""
    if not directory.exists():
        raise QueryError(
            f"{directory} does not exist", "", "name the directory of a sink, a checkpoint or a quarantine"
        )
    beside = directory.with_name(directory.name + ".quarantine")
    places = [place for place in (directory, beside, directory / "quarantine") if place.name.endswith("quarantine")]
    for file in (file for place in places for file in current(place.glob("part-*.json"))):
        with fetched(file) as local, local.open(encoding="utf-8", newline="\n") as lines:
            yield from map(json.loads, lines)


def format_records(records: Iterable[dict[str, Any]], most: int) -> Iterator[str]:
    """Records grouped by stream and reason, the most frequent first, with some of each, fit for a terminal."""
    counts: dict[tuple[str, str], int] = {}
    some: dict[tuple[str, str], list[Record]] = {}
    for fields in records:
        record = Record(**fields)
        key = record.stream, record.reason.split(":")[0]
        counts[key] = counts.get(key, 0) + record.count
        if len(some.setdefault(key, [])) < most:
            some[key].append(record)
    if not counts:
        yield "the quarantine is empty"
    for (stream, reason), count in sorted(counts.items(), key=lambda group: -group[1]):
        yield printable(f"{count:,} of {stream}: {reason}")
        yield from (f"    {printable(_shown(record))}" for record in some[stream, reason])
        if count > (shown := sum(record.count for record in some[stream, reason])):
            yield f"    and {count - shown:,} more"


def _shown(record: Record) -> str:
    """A record without what its group says."""
    broken = f"  {record.punctuation}" if record.punctuation else ""
    detail = record.reason.partition(": ")[2]
    return "  ".join(part for part in (record.place.partition(", ")[2], detail, record.text + broken) if part)
