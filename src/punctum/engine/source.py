"""A directory of files as a Spark stream of packed slices: read, piped and packed in one place, in Python.

Which files belong to which batch must be the same after a restart. So the source keeps a log in the checkpoint, a file
name a line, to which it appends before it offers new files; an offset is a number of lines.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from pyspark.cloudpickle import dumps, loads
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxFiles, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from punctum.algebra.schema import Schema
from punctum.engine import quarantine
from punctum.engine.durable import replace_text
from punctum.engine.files import READERS, Read, check_options
from punctum.engine.formats.read import LONGEST, clean
from punctum.engine.listing import listed
from punctum.engine.packing import CLOCK, SCHEMA, SIGNAL, STREAM, Exchange, numbered_origin, pack
from punctum.engine.pipe import Behind, Failures
from punctum.engine.worker import settle
from punctum.errors import MissingError, failing_in
from punctum.operators.columns import Columns

FORMAT = "punctum"
WORTH_A_TASK = 4 << 20
"""So many bytes of files are worth a task of Spark's of their own."""


class Pipes(Protocol):
    """What a stream's rows go through before they are packed."""

    def skipped(self, piece: Columns) -> Behind:
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
        """Offer nothing that comes later than now."""
        self._until = len(self._found())

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """The files to read by the end of the next batch."""
        end = len(self._found()) if self._until is None else self._until
        if isinstance(limit, ReadMaxFiles):
            end = min(end, start["files"] + limit.max_files)
        return {"files": max(end, start["files"])}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        """The batch's files, dealt out to a task for each core, or to fewer when there is little to read."""
        files = self._logged()[start["files"] : end["files"]]
        if len(files) < end["files"] - start["files"]:
            detail = f"{self._stream.log} has fewer lines than {end['files']}, of which a batch has begun to read"
            hint = "put the log back as it was, or start with a new checkpoint"
            raise MissingError(f"the list of the files of {self._stream.name} is cut off", detail, hint)
        size = sum(_size(Path(self._stream.path) / name) for name in files)
        tasks = min(self._stream.tasks, len(files), 1 + size // WORTH_A_TASK)
        numbered = list(enumerate(files))
        return [InputPartition((numbered[n::tasks], start["files"] == 0 and n == 0)) for n in range(tasks)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Some files, packed."""
        settle()
        stream = self._stream
        files, first = partition.value
        if first:
            yield pack(stream.to.greeting(), stream.to, STREAM)
        for number, name in files:
            path = Path(stream.path) / name
            with failing_in(f"{stream.name}, the file {name}"):
                yield from packed(READERS[stream.format](path, stream.schema, stream.options), stream, path, number)

    def _logged(self) -> list[str]:
        log = Path(self._stream.log)
        text = log.read_text() if log.exists() else ""
        return text.split("\n")[:-1]  # a line without its end was cut off by a crash

    def _found(self) -> list[str]:
        """All files, with new ones written to the log first."""
        with failing_in(f"{self._stream.name}, listing its files"):
            known = self._logged()
            new = listed(Path(self._stream.path), but=set(known))
            if new:
                replace_text(Path(self._stream.log), "".join(f"{name}\n" for name in [*known, *new]))
            return [*known, *new]


def packed(found: Read, stream: FrameStream, path: Path | None, number: int = 0) -> Iterator[pa.RecordBatch]:
    """What was read, packed: the elements through the pipe, and what is none of them for the quarantine.

    A file has a number in its batch, for tasks of Spark's come in any order.
    """
    if found.rejected.height and stream.tells:
        records = quarantine.rejects(stream.name, None if path is None else path.name, found.rejected)
        if stream.fails:
            quarantine.fail(records[0])
        yield quarantine.packed(records, stream.to.buckets[0])
    if stream.to.clock:
        yield pack(stream.to.greeting(), stream.to, CLOCK)
    behind = stream.pipe.skipped(found.piece)
    if behind.failed:
        records = failed(stream, found, path, behind.failed)
        if stream.fails:
            quarantine.fail(records[0])
        yield quarantine.packed(records, stream.to.buckets[0])
    if behind.told is not None:
        yield pack(stream.to.greeting(), stream.to, SIGNAL, behind.told)
    pieces = stream.to.split(behind.piece)
    if pieces:
        yield pack(pieces, stream.to, STREAM, None if path is None else numbered_origin(number, path))


def failed(stream: FrameStream, found: Read, path: Path | None, rows: Failures) -> list[quarantine.Record]:
    """The records of rows that failed in the pipe, as they are in their file."""
    from punctum.engine.sinks.formats import json_lines  # here: it takes time to import, and is seldom needed

    plain = json_lines(found.piece.rows[[number for number, _ in rows]], stream.schema)
    records = []
    for (number, reason), line in zip(rows, plain, strict=True):
        position, text = (None, None) if path is None else found.place(number)
        shown = line if text is None else clean(text, LONGEST)
        records.append(quarantine.Record(stream.name, reason, shown, None if path is None else path.name, position))
    return records


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
