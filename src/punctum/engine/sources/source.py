"""A directory of files as a Spark stream of packed slices: read, piped and packed in one place, in Python.

Which bytes of which files belong to which batch must be the same after a restart. So the source keeps a log in the
checkpoint, a split a line, to which it appends before it offers new ones; an offset is a number of lines.
"""

import base64
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from pyspark.cloudpickle import dumps, loads
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxFiles, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from punctum.algebra.schema import Schema
from punctum.engine.exchange import quarantine
from punctum.engine.exchange.packing import CLOCK, SCHEMA, SIGNAL, STREAM, Exchange, numbered_origin, pack
from punctum.engine.exchange.worker import init_worker
from punctum.engine.formats.files import READERS, Read, check_options
from punctum.engine.formats.read import LONGEST, ROOM, clean
from punctum.engine.formats.splits import SplitLog, shown
from punctum.engine.recovery.durable import RESTORE
from punctum.engine.sources.listing import SETTLE, Listing
from punctum.engine.sources.pipe import Behind, Failures
from punctum.errors import QueryError, failing_in
from punctum.operators.columns import ColumnarSlice

FORMAT = "punctum"
WORTH_A_TASK = 4 << 20
"""So many bytes of files are worth a task of Spark's of their own."""
_PAUSE = 0.05


class Pipes(Protocol):
    """What a stream's rows go through before they are packed."""

    def apply(self, piece: ColumnarSlice) -> Behind:
        """A slice behind the pipe, what is to be told of rows that were skipped there, and what failed."""


@dataclass(frozen=True)
class FrameStream:
    """A stream, the pipe for its rows, where the rows go, and whether it fails when it is violated.

    When a query reads a stream twice, one of the two tells what is no element.
    """

    name: str
    schema: Schema
    pipe: Pipes
    to: Exchange
    fails: bool
    tells: bool


@dataclass(frozen=True)
class FileStream(FrameStream):
    """A directory of files to read as a stream."""

    path: str
    format: str
    log: str
    files_a_batch: int | None
    tasks: int
    options: Mapping[str, str] = field(default_factory=dict)
    settle: float = SETTLE

    def __post_init__(self) -> None:
        check_options(self.format, self.schema, self.options)

    def encoded(self) -> str:
        """Itself as a string, for an option of a data source."""
        return base64.b64encode(dumps(self)).decode()  # type: ignore[no-untyped-call]


class PackedFiles(DataSource):
    """The data source."""

    @classmethod
    def name(cls) -> str:
        """Its name in ``spark.readStream.format``."""
        return FORMAT

    def schema(self) -> str:
        """Packed slices."""
        return SCHEMA

    def streamReader(self, schema: StructType) -> "PackedFilesReader":
        """A reader for the directory in the option ``stream``."""
        return PackedFilesReader(loads(base64.b64decode(self.options["stream"])))


class PackedFilesReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offers new files in the order in which it found them, and reads them packed."""

    def __init__(self, stream: FileStream) -> None:
        self._stream = stream
        self._until: int | None = None

    def initialOffset(self) -> dict[str, int]:
        """No file read."""
        return {"files": 0}

    def getDefaultReadLimit(self) -> ReadLimit:
        """As many files a batch as asked for."""
        most = self._stream.files_a_batch
        return ReadAllAvailable() if most is None else ReadMaxFiles(most)

    def prepareForTriggerAvailableNow(self) -> None:
        """Offer nothing that comes later than now; what is not complete has as long as it takes to settle."""
        end = time.monotonic() + self._stream.settle
        self._found()
        while self._listing.waits and time.monotonic() < end + _PAUSE:
            time.sleep(_PAUSE)
            self._found()
        self._until = len(self._log.splits)

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """The splits to read by the end of the next batch."""
        end = self._found() if self._until is None else self._until
        if isinstance(limit, ReadMaxFiles):
            end = min(end, start["files"] + limit.max_files)
        return {"files": max(end, start["files"])}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        """The batch's splits, dealt out to a task for each core, or to fewer when there is little to read."""
        self.check(end["files"])
        splits = self._log.splits[start["files"] : end["files"]]
        size = sum(split.end - split.start for split in splits)
        tasks = min(self._stream.tasks, len(splits), 1 + size // WORTH_A_TASK)
        numbered = list(enumerate(splits))
        return [InputPartition((numbered[n::tasks], start["files"] == 0 and n == 0, tasks)) for n in range(tasks)]

    def check(self, read: int) -> None:
        """Refuse a list of fewer files than have been read, or begun to be."""
        if (known := len(self._log.splits)) < read:
            detail = f"{self._stream.log} has {known} lines, and a batch has begun to read {read}"
            raise QueryError(f"the list of the files of {self._stream.name} is lost", detail, RESTORE)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Some splits, packed."""
        init_worker()
        stream = self._stream
        splits, first, tasks = partition.value
        room = quarantine.Room(ROOM // tasks)
        if first:
            yield pack(stream.to.init_messages(), stream.to, STREAM)
        for number, split in splits:
            path, file = Path(stream.path) / split.name, shown(split.name)
            with failing_in(f"{stream.name}, the file {file}"):
                found = READERS[stream.format](path, stream.schema, stream.options, split)
                yield from packed(found, stream, room, file, numbered_origin(number, split.located(stream.path)))

    @cached_property
    def _log(self) -> SplitLog:
        return SplitLog(Path(self._stream.log))

    @cached_property
    def _listing(self) -> Listing:
        stream = self._stream
        return Listing(Path(stream.path), stream.format, stream.options, stream.settle, self._log.splits)

    def _found(self) -> int:
        """How many splits there are by now, with new ones written to the log first."""
        with failing_in(f"{self._stream.name}, listing its files"):
            self._log.append(self._listing.news())
            return len(self._log.splits)


def packed(
    found: Read,
    stream: FrameStream,
    room: quarantine.Room,
    file: str | None = None,
    origin: str | None = None,
) -> Iterator[pa.RecordBatch]:
    """What was read, packed: the elements through the pipe, and what is none of them for the quarantine.

    Of a file, its name is given, and its split with a number in the batch, for tasks of Spark's come in any order.
    """
    if found.rejected.height and stream.tells:
        records = quarantine.rejects(stream.name, file, found.rejected)
        if stream.fails:
            quarantine.fail(records[0])
        yield quarantine.packed(room.taken(records, found.more), stream.to.buckets[0])
    if stream.to.clock:
        yield pack(stream.to.init_messages(), stream.to, CLOCK)
    behind = stream.pipe.apply(found.piece)
    if behind.failed:
        records = failed(stream, found, file, behind.failed)
        if stream.fails:
            quarantine.fail(records[0])
        yield quarantine.packed(room.taken(records), stream.to.buckets[0])
    if behind.told is not None:
        yield pack(stream.to.init_messages(), stream.to, SIGNAL, behind.told)
    pieces = stream.to.split(behind.piece)
    if pieces:
        yield pack(pieces, stream.to, STREAM, origin)


def failed(stream: FrameStream, found: Read, file: str | None, rows: Failures) -> list[quarantine.Record]:
    """The records of rows that failed in the pipe, as they are in their file."""
    from punctum.engine.formats.write import json_lines  # here: it takes time to import, and is seldom needed

    plain = json_lines(found.piece.rows[[number for number, _ in rows]], stream.schema)
    records = []
    for (number, reason), line in zip(rows, plain, strict=True):
        position, text = (None, None) if file is None else found.place(number)
        told = line if text is None else clean(text, LONGEST)
        records.append(quarantine.Record(stream.name, reason, told, file, position))
    return records
