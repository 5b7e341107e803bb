"""Reading the files of a stream: splits of them in, packed slices out, through the stream's pipe, in one place."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Protocol

import polars as pl
import pyarrow as pa
from pyspark import TaskContext
from pyspark.cloudpickle import dumps

from punctum.algebra.aggregates import Function
from punctum.algebra.schema import Schema
from punctum.engine.exchange import quarantine
from punctum.engine.exchange.buckets import Exchange
from punctum.engine.exchange.held import HeldSlice
from punctum.engine.exchange.kinds import SkippedMessage
from punctum.engine.exchange.messages import (
    Addressed,
    Clock,
    FeedbackMessage,
    PartitionsMessage,
    SplitPart,
    StreamSlice,
    TablesMessage,
    stream_slices,
    to_all,
    to_arrow,
)
from punctum.engine.exchange.worker import init_worker
from punctum.engine.formats.files import PUNCTUATION_READERS, READERS, Read, Reader, check_options, from_frame
from punctum.engine.formats.read import LONGEST, ROOM, clean
from punctum.engine.formats.splits import Split, shown
from punctum.engine.kafka.read import fetch, read_range
from punctum.engine.kafka.topics import KnownPartitions, TopicShare
from punctum.engine.kafka.values import check_values
from punctum.engine.sources.pipe import Behind, Failures
from punctum.engine.sources.reader import BatchPart, Share
from punctum.errors import failing_in
from punctum.operators.columns import ColumnarSlice
from punctum.operators.fold import FOLDED, folded
from punctum.operators.sequence import furthest
from punctum.storage.location import location


class Pipes(Protocol):
    """What a stream's rows go through before they are packed."""

    def apply(self, piece: ColumnarSlice) -> Behind:
        """A slice behind the pipe, what is to be told of rows that were skipped there, and what failed."""


@dataclass(frozen=True)
class FrameStream:
    """A stream, the pipe for its rows, where the rows go, and whether it fails when it is violated.

    When a query reads a stream twice, one of the two reports what is no element.
    """

    name: str
    schema: Schema
    pipe: Pipes
    to: Exchange
    fails: bool
    reports: bool


@dataclass(frozen=True)
class FileStream(FrameStream):
    """A stream that is read from the files of a directory."""

    path: str
    format: str
    options: Mapping[str, str] = field(default_factory=dict)
    fold: Sequence[tuple[str, Function | None]] = ()
    """The columns that are folded: what a row was can be read again."""
    wanted: Set[str] | None = None
    """The columns that are looked at, if not all."""

    def __post_init__(self) -> None:
        check_options(self.format, self.schema, self.options)

    def pickled(self) -> bytes:
        """Itself, for who reads its files; functions of the user's are in it."""
        return dumps(self)  # type: ignore[no-untyped-call,no-any-return]


@dataclass(frozen=True)
class TopicStream(FrameStream):
    """A stream that is read from a topic."""

    options: Mapping[str, str] = field(default_factory=dict)
    fold: Sequence[tuple[str, Function | None]] = ()
    """The columns that are folded: what a row was can be read again."""

    def __post_init__(self) -> None:
        check_values(self.schema, self.options)

    def pickled(self) -> bytes:
        """Itself, for who reads its messages."""
        return dumps(self)  # type: ignore[no-untyped-call,no-any-return]


Sent = Iterator[list[Addressed]]
"""What is sent to buckets, piece by piece."""
HERE = frozenset[int]()
"""The buckets of this process: slices for them are held here, and not packed."""


def read_part(stream: Callable[[str], FrameStream], part: BatchPart, here: Set[int] = HERE) -> Sent:
    """What a task sends to buckets, given streams by their keys; slices for buckets that are here are held."""
    init_worker()
    if part.tables or not (part.shares or part.topics or part.partitions):
        yield ticked(stream(part.ticks), part.tables)
    for known in part.partitions:
        yield known_partitions(stream(known.key), known)
    for share in part.shares:
        files = stream(share.key)
        assert isinstance(files, FileStream)
        yield from read_splits(files, share, part.tasks, here)
    for some in part.topics:
        topic = stream(some.key)
        assert isinstance(topic, TopicStream)
        yield from read_topic(topic, some, part.tasks, here)


def packed_rows(stream: FrameStream, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows of any Spark DataFrame, packed."""
    init_worker()
    room, context = quarantine.Room(), TaskContext.get()
    partition = 0 if context is None else context.partitionId()
    for number, batch in enumerate(batches):
        with failing_in(stream.name):
            rows = pl.from_arrow(batch)
            assert isinstance(rows, pl.DataFrame)
            origin = SplitPart(number, 0, partition=partition)
            yield from map(to_arrow, taken(from_frame(rows, stream.schema), stream, room, origin=origin))


def read_topic(stream: TopicStream, share: TopicShare, tasks: int, here: Set[int] = HERE) -> Sent:
    """Some ranges of a topic, by one of so many tasks."""
    room = quarantine.Room(ROOM // tasks)
    if share.first:
        yield stream_slices(stream.to.init_messages(), stream.to.input)
    for n, wanted in enumerate(share.ranges):
        with failing_in(f"{stream.name}, partition {wanted.partition} from {wanted.start}"):
            fetch(stream.name, stream.options, share.ranges[n:])
            pieces = read_range(stream.name, stream.options, stream.schema, wanted)
            for number, (place, content) in enumerate(pieces):
                origin = SplitPart(number, 0, str(place), wanted.partition)
                yield from taken(content, stream, room, None, origin, stream.fold, place[:2], here)


def known_partitions(stream: FrameStream, known: KnownPartitions) -> list[Addressed]:
    """Which partitions there are, and which are idle, to all buckets."""
    return to_all(stream.to.buckets, PartitionsMessage(known.known, known.idle), stream.to.input)


def read_splits(stream: FileStream, share: Share, tasks: int, here: Set[int] = HERE) -> Sent:
    """Some splits of a stream, by one of so many tasks."""
    room = quarantine.Room(ROOM // tasks)
    if share.first:
        yield stream_slices(stream.to.init_messages(), stream.to.input)
    for number, split in share.splits:
        content, file, origin = _read(READERS, stream, number, split)
        if content.nothing and not stream.to.clock:
            continue
        with failing_in(f"{stream.name}, the file {file}"):
            yield from taken(content, stream, room, file, origin, stream.fold, here=here)


def held(
    stream: FileStream, share: Share, room: quarantine.Room
) -> Iterator[tuple[StreamSlice, list[quarantine.Record]]]:
    """Some splits of a stream, which stay here: behind the pipe, each with the records of what was not taken."""
    for number, split in share.splits:
        content, file, origin = _read(READERS, stream, number, split)
        with failing_in(f"{stream.name}, the file {file}"):
            behind, records = _piped(content, stream, room, file)
            yield StreamSlice(HeldSlice(behind.piece), origin), records


def punctuations_only(stream: FileStream, share: Share, rows: pl.DataFrame) -> Iterator[StreamSlice]:
    """The punctuations of some splits, without the rows, which others read."""
    for number, split in share.splits:
        content, _, origin = _read(PUNCTUATION_READERS, stream, number, split)
        piece = content.piece
        if piece.puncts or piece.constants:
            yield StreamSlice(HeldSlice(ColumnarSlice(rows, piece.puncts, piece.constants)), origin)


def _read(readers: Mapping[str, Reader], stream: FileStream, number: int, split: Split) -> tuple[Read, str, SplitPart]:
    """What is read of a split, the name of its file, and where it comes from."""
    file = shown(split.name)
    with failing_in(f"{stream.name}, the file {file}"):
        path = location(stream.path) / split.name
        content = readers[stream.format](path, stream.schema, stream.options, split, stream.wanted)
    return content, file, SplitPart(number, 0, split.located(stream.path))


def ticked(stream: FrameStream, tables: Mapping[str, int]) -> list[Addressed]:
    """That there are other versions of tables, or that time has passed, and nothing else."""
    message = TablesMessage(dict(tables)) if tables else Clock()
    return to_all(stream.to.buckets, message, stream.to.input)


def taken(
    content: Read,
    stream: FrameStream,
    room: quarantine.Room,
    file: str | None = None,
    origin: SplitPart | None = None,
    fold: Sequence[tuple[str, Function | None]] = (),
    partition: tuple[str, int] | None = None,
    here: Set[int] = HERE,
) -> Sent:
    """What was read, for buckets: the elements through the pipe, and what is none of them for the quarantine.

    Of a file, its name is given, and its split with a number in the batch, for tasks of Spark's come in any order; and
    what may be folded. Rows whose places matter are not; those that may matter are had again when they do. Of messages,
    their topic and partition are given.
    """
    behind, records = _piped(content, stream, room, file, partition)
    if records:
        yield [quarantine.message_of(records, stream.to.buckets[0])]
    if stream.to.clock:
        yield to_all(stream.to.buckets, Clock(), stream.to.input)
    if behind.feedback is not None:
        yield to_all(stream.to.buckets, FeedbackMessage(behind.feedback), stream.to.input)
    if behind.skipped:
        yield [Addressed(stream.to.buckets[0], SkippedMessage(stream.name, behind.skipped))]
    counted, pieces = _split(behind.piece, stream.to, fold, file is not None)
    if pieces:
        yield stream_slices(pieces, stream.to.input, origin, counted, here)


def _piped(
    content: Read,
    stream: FrameStream,
    room: quarantine.Room,
    file: str | None,
    partition: tuple[str, int] | None = None,
) -> tuple[Behind, list[quarantine.Record]]:
    """What was read, behind the pipe, and records of what was not taken, as far as there is room for them."""
    records = list[quarantine.Record]()
    if content.rejected.height and stream.reports:
        records = room.taken(
            _failing(stream, quarantine.rejects(stream.name, file, content.rejected, partition)), content.more
        )
    behind = stream.pipe.apply(content.piece)
    if behind.failed:
        records += room.taken(_failing(stream, failed(stream, content, file, behind.failed, partition)))
    return behind, records


def _failing(stream: FrameStream, records: list[quarantine.Record]) -> list[quarantine.Record]:
    """Some records, unless the stream fails when there are any."""
    if stream.fails:
        quarantine.fail(records[0])
    return records


def _split(
    piece: ColumnarSlice, to: Exchange, fold: Sequence[tuple[str, Function | None]], of_file: bool
) -> tuple[dict[int, int], dict[int, ColumnarSlice]]:
    """A slice by bucket, with its rows folded if they may be, and how many of each bucket have been.

    Where places might matter, a bucket none of whose rows has been folded has them: it would not read these again. What
    partitions of a topic complete together is known only where they are merged, so there places are never dropped.
    """
    loose = of_file and piece.places is not None and piece.places.loose
    less = folded(piece.rows, fold) if fold and (piece.places is None or loose) else None
    if less is None:
        return {}, to.split(piece)
    puncts = furthest(piece.puncts) if loose else piece.puncts
    counted, pieces = unfolded_counts(to.split(replace(piece, rows=less, puncts=puncts, places=None)))
    whole = [bucket for bucket, few in pieces.items() if few.rows.height and not counted.get(bucket)]
    if loose and whole:
        placed = to.split(piece)
        pieces |= {bucket: placed[bucket] for bucket in whole}
    return counted, pieces


def unfolded_counts(pieces: Mapping[int, ColumnarSlice]) -> tuple[dict[int, int], dict[int, ColumnarSlice]]:
    """How many rows of each bucket have been folded into others, and its slice without the column that says so."""
    counted = {
        bucket: int(piece.rows[FOLDED].sum()) for bucket, piece in pieces.items() if FOLDED in piece.rows.columns
    }
    return counted, {b: replace(piece, rows=piece.rows.drop(FOLDED, strict=False)) for b, piece in pieces.items()}


def failed(
    stream: FrameStream, content: Read, file: str | None, rows: Failures, partition: tuple[str, int] | None = None
) -> list[quarantine.Record]:
    """The records of rows that failed in the pipe, as they are in their file, or in their partition."""
    from punctum.engine.formats.write import json_lines  # here: it takes time to import, and is seldom needed

    whole = content if content.whole is None else content.whole()
    content = (
        whole if whole.piece.rows.height == content.piece.rows.height else content
    )  # what nobody reads may be broken
    plain = json_lines(content.piece.rows[[number for number, _ in rows]], stream.schema)
    records = []
    for (number, reason), line in zip(rows, plain, strict=True):
        position, text = (None, None) if file is None and partition is None else content.place(number)
        shortened = line if text is None else clean(text, LONGEST)
        records.append(quarantine.record(stream.name, reason, shortened, file, position, partition))
    return records
