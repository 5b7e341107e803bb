"""Messages: what streams, the stages of a query and its driver send each other, a class for each kind.

A message crosses the JVM as one Spark row: the bucket that it goes to, its kind, the number of the stage's input that
it arrives at, the bucket that sent it, the rows as one Arrow IPC stream, the punctuations as lines of JSON, those of
them that are a constant on one attribute as Arrow again, and a detail that each kind has a use of its own for. This
module alone knows how: messages go in and columns of such rows come out of ``to_arrow`` and ``to_pandas``, and
``decode`` is the way back.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
import pyarrow as pa

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.exchange.blobs import (
    constants_from_blob,
    constants_to_blob,
    from_blob,
    from_lines,
    to_blob,
    to_lines,
)
from punctum.engine.exchange.held import HeldSlice
from punctum.engine.exchange.kinds import Kind, SkippedMessage
from punctum.engine.exchange.parts import in_parts
from punctum.lmerge.feedback import Signal
from punctum.operators.columns import AT, NOW, ColumnarSlice, Places, empty

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = (
    "bucket BIGINT, kind STRING, input INT, sender BIGINT, rows BINARY, puncts STRING, constants BINARY, detail STRING"
)
"""The columns of a message as a row of Spark's."""
_FIELDS: dict[str, pa.DataType] = {
    "bucket": pa.int64(),
    "kind": pa.string(),
    "input": pa.int32(),
    "sender": pa.int64(),
    "rows": pa.binary(),
    "puncts": pa.string(),
    "constants": pa.binary(),
    "detail": pa.string(),
}
ARROW = pa.schema(_FIELDS)
"""The same for Arrow."""
_TIME, _IN_ORDER = AT + "\0", AT + "\1"  # no attribute's name begins so
_NONE = -1  # the sender of what no bucket has sent, and the input of what goes to the driver
Counts = dict[str, Any]
"""What is counted of an operator in a batch."""


class PackedSlice(NamedTuple):
    """A slice, or a part of one, as it travels: what is not read need not be unpacked.

    Places, where it has any, are a column of the rows and columns beside the constants.
    """

    rows: bytes | None = None
    puncts: str | None = None
    constants: bytes | None = None

    @staticmethod
    def of(piece: ColumnarSlice) -> "PackedSlice":
        """A slice, packed."""
        rows, constants, places = piece.rows, piece.constants, piece.places
        if places is not None:
            rows = rows.with_columns(places.rows.alias(AT))
            constants = {**constants, **{AT + name: at for name, at in places.constants.items()}}
            constants[AT] = pl.Series(places.puncts, dtype=pl.Int64)
            constants |= {_IN_ORDER: pl.Series([0])} if places.in_order else {}
            constants |= {_TIME + c + name: steps[c] for name, steps in places.times.items() for c in (AT, NOW)}
        return PackedSlice(
            None if rows.is_empty() else to_blob(rows), to_lines(piece.puncts), constants_to_blob(constants)
        )

    def unpacked(self, rows: Schema, puncts: Schema) -> ColumnarSlice:
        """The slice; its punctuations may be over another schema than its rows."""
        frame, columns = self.frame(), constants_from_blob(self.constants)
        constants = {name: values for name, values in columns.items() if not name.startswith(AT)}
        row_frame = empty(rows) if frame is None else frame.drop(AT, strict=False)
        piece = ColumnarSlice(row_frame, self.punctuations(puncts), constants)
        if AT in columns:
            at = pl.Series(AT, [], pl.Int64) if frame is None else frame[AT]
            closed = {name: columns[AT + name] for name in constants}
            known = tuple(columns[AT].drop_nulls())
            piece.places = Places(at, known, closed, _IN_ORDER in columns, _times(columns))
        return piece

    def frame(self) -> pl.DataFrame | None:
        """The rows, if there are any."""
        return None if self.rows is None else from_blob(bytes(self.rows))  # Spark may give a bytearray

    def punctuations(self, schema: Schema) -> tuple[Punctuation, ...]:
        """The punctuations that are not constants on one attribute."""
        return from_lines(self.puncts, schema)

    def constant_values(self) -> dict[str, pl.Series]:
        """The constants by attribute."""
        return constants_from_blob(self.constants)


def _times(columns: Mapping[str, pl.Series]) -> dict[str, pl.DataFrame]:
    """Where time moves, of the columns of a slice."""
    names = [name.removeprefix(_TIME + AT) for name in columns if name.startswith(_TIME + AT)]
    return {n: pl.DataFrame([columns[_TIME + c + n].alias(c) for c in (AT, NOW)]).drop_nulls() for n in names}


class SplitPart(NamedTuple):
    """Where a slice comes from: a split, its number in the batch, and which part of it. Parts come in any order.

    Of a DataFrame, the number is that of a piece of a partition, and there is no split. How the partitions of a batch
    follow each other is not known. Where rows have been folded, the first part says how many are not there.
    """

    number: int
    part: int
    split: str = ""
    partition: int = 0
    folded: int = 0


@dataclass(frozen=True, slots=True)
class StreamSlice:
    """A slice from a stream; of the first, which brings nothing, it is not known where it comes from."""

    slice: PackedSlice | HeldSlice
    origin: SplitPart | None = None

    @property
    def order(self) -> tuple[int, int, int]:
        """What puts the slices of a batch in the order of their files."""
        return (-1, -1, 0) if self.origin is None else (self.origin.partition, *self.origin[:2])


@dataclass(frozen=True, slots=True)
class StageSlice:
    """A slice from a bucket of the stage before, or from the last stage; it may be a part of the batch.

    Parts of one tick belong together, whoever sends them: when it began, by the time of the streams.
    """

    sender: int
    slice: PackedSlice
    tick: int | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of the batch, in milliseconds; who sends it does not know it yet."""

    time: int | None = None


@dataclass(frozen=True, slots=True)
class FeedbackMessage:
    """What nobody needs any more."""

    signal: Signal


@dataclass(frozen=True, slots=True)
class SweepMessage:
    """What is said behind a slice in the place of punctuations that are lost, and what is lost, as data for JSON."""

    sender: int
    slice: PackedSlice
    lost: list[list[str]]
    tick: int | None = None


@dataclass(frozen=True, slots=True)
class ExpiredMessage:
    """Punctuations of a bucket that are over: who remembers them forgets them."""

    sender: int
    slice: PackedSlice
    tick: int | None = None


@dataclass(frozen=True, slots=True)
class TablesMessage:
    """The versions of tables that the batch, and those behind it, are to meet."""

    versions: dict[str, int]


@dataclass(frozen=True, slots=True)
class PartitionsMessage:
    """The partitions that a topic has from the batch on, and those that are idle."""

    known: tuple[int, ...]
    idle: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricsMessage:
    """What a bucket has counted, by operator."""

    sender: int
    counts: dict[str, Counts]


@dataclass(frozen=True, slots=True)
class QuarantineMessage:
    """Records for the quarantine, each a line of JSON."""

    lines: list[str]


@dataclass(frozen=True, slots=True)
class WrittenMessage:
    """A file of results that a bucket has written."""

    sender: int
    file: str


StageMessage = (
    StreamSlice
    | StageSlice
    | Clock
    | FeedbackMessage
    | SweepMessage
    | ExpiredMessage
    | TablesMessage
    | PartitionsMessage
)
"""What a stage takes."""
DriverMessage = MetricsMessage | QuarantineMessage | WrittenMessage | SkippedMessage
"""What a stage passes on, for the driver."""
Message = StageMessage | DriverMessage


class Addressed(NamedTuple):
    """A message, and where it goes: to a bucket, and to an input of the stage there."""

    bucket: int
    message: Message
    input: int = _NONE


def to_all(buckets: Iterable[int], message: Message, number: int) -> list[Addressed]:
    """A message to an input of several buckets."""
    return [Addressed(bucket, message, number) for bucket in buckets]


def stream_slices(
    pieces: Mapping[int, ColumnarSlice],
    number: int,
    origin: SplitPart | None = None,
    folded: Mapping[int, int] | None = None,
    here: Collection[int] = (),
) -> list[Addressed]:
    """Slices of a stream by bucket, as messages; of some buckets' rows, so many have been folded.

    Those for buckets that are here stay as they are.
    """
    messages = []
    for bucket in pieces.keys() & here:
        place = None if origin is None else origin._replace(folded=(folded or {}).get(bucket, 0))
        messages.append(Addressed(bucket, StreamSlice(HeldSlice(pieces[bucket]), place), number))
    for bucket, part, piece in in_parts({b: piece for b, piece in pieces.items() if b not in here}):
        less = folded.get(bucket, 0) if folded and part == 0 else 0
        place = None if origin is None else origin._replace(part=part, folded=less)
        messages.append(Addressed(bucket, StreamSlice(PackedSlice.of(piece), place), number))
    return messages


def stage_slices(
    pieces: Mapping[int, ColumnarSlice], number: int, sender: int, tick: int | None = None
) -> list[Addressed]:
    """Slices of a stage by bucket, as messages."""
    parts = in_parts(pieces)
    return [Addressed(bucket, StageSlice(sender, PackedSlice.of(piece), tick), number) for bucket, _, piece in parts]


_Fields = tuple[Kind, int, PackedSlice, str | None]
_EMPTY = PackedSlice()


def _fields(message: Message) -> _Fields:
    """The kind, the sender, the slice and the detail of a message."""
    match message:
        case StreamSlice(piece, origin):
            assert isinstance(piece, PackedSlice), "what travels is packed"
            return Kind.STREAM, _NONE, piece, None if origin is None else _placed(origin)
        case StageSlice(sender, piece, tick):
            return Kind.STAGE, sender, piece, None if tick is None else str(tick)
        case Clock(time):
            return Kind.CLOCK, _NONE, _EMPTY, None if time is None else str(time)
        case FeedbackMessage(signal):
            return Kind.FEEDBACK, _NONE, _EMPTY, json.dumps([signal.column, signal.limit])
        case SweepMessage(sender, piece, lost, tick):
            return Kind.SWEEP, sender, piece, json.dumps([lost, tick])
        case ExpiredMessage(sender, piece, tick):
            return Kind.EXPIRED, sender, piece, None if tick is None else str(tick)
        case TablesMessage(versions):
            return Kind.TABLES, _NONE, _EMPTY, json.dumps(versions)
        case PartitionsMessage(known, idle):
            return Kind.PARTITIONS, _NONE, _EMPTY, json.dumps([known, idle])
        case MetricsMessage(sender, counts):
            return Kind.METRICS, sender, _EMPTY, json.dumps(counts)
        case QuarantineMessage(lines):
            return Kind.QUARANTINE, _NONE, _EMPTY, "\n".join(lines)
        case WrittenMessage(sender, file):
            return Kind.WRITTEN, sender, _EMPTY, file
        case SkippedMessage(stream, rows):
            return Kind.SKIPPED, _NONE, _EMPTY, json.dumps([stream, rows])


def _message(kind: str, sender: int, piece: PackedSlice, detail: str | None) -> Message:
    """The message that has these fields."""
    match kind:
        case Kind.STREAM:
            return StreamSlice(piece, None if detail is None else _split_part(detail))
        case Kind.STAGE:
            return StageSlice(sender, piece, None if detail is None else int(detail))
        case Kind.CLOCK:
            return Clock(None if detail is None else int(detail))
        case Kind.FEEDBACK:
            return FeedbackMessage(Signal(*json.loads(detail or "")))
        case Kind.SWEEP:
            return SweepMessage(sender, piece, *json.loads(detail or ""))
        case Kind.EXPIRED:
            return ExpiredMessage(sender, piece, None if detail is None else int(detail))
        case Kind.TABLES:
            return TablesMessage(json.loads(detail or ""))
        case Kind.PARTITIONS:
            return PartitionsMessage(*map(tuple, json.loads(detail or "")))
        case Kind.METRICS:
            return MetricsMessage(sender, json.loads(detail or ""))
        case Kind.QUARANTINE:
            return QuarantineMessage((detail or "").split("\n"))
        case Kind.WRITTEN:
            return WrittenMessage(sender, detail or "")
        case Kind.SKIPPED:
            return SkippedMessage(*json.loads(detail or ""))
        case _:
            raise AssertionError(kind)


def _placed(origin: SplitPart) -> str:
    return f"{origin.partition} {origin.number} {origin.part} {origin.folded} {origin.split}"


def _split_part(detail: str) -> SplitPart:
    partition, number, part, folded, split = detail.split(" ", 4)
    return SplitPart(int(number), int(part), split, int(partition), int(folded))


def _columns(sent: Iterable[Addressed]) -> dict[str, Any]:
    """Messages as the columns of their rows."""
    rows = []
    for bucket, message, number in sent:
        kind, sender, piece, detail = _fields(message)
        rows.append((bucket, kind.value, number, sender, *piece, detail))
    return {name: [row[i] for row in rows] for i, name in enumerate(_FIELDS)}


def to_arrow(sent: Iterable[Addressed]) -> pa.RecordBatch:
    """Messages as rows of Arrow.

    >>> batch = to_arrow([Addressed(5, Clock(), 0), Addressed(5, WrittenMessage(5, "a.json"))])
    >>> [(sent.bucket, sent.message) for sent in decode(batch.to_pydict())]
    [(5, Clock(time=None)), (5, WrittenMessage(sender=5, file='a.json'))]
    """
    columns = _columns(sent)
    return pa.RecordBatch.from_arrays([pa.array(columns[name], kind) for name, kind in _FIELDS.items()], schema=ARROW)


def to_pandas(sent: Iterable[Addressed]) -> "pd.DataFrame":
    """Messages as rows of pandas."""
    import pandas as pd  # here: the process that only declares a stage need not wait for it

    columns = _columns(sent)
    for name, numbers in (("bucket", "int64"), ("input", "int32"), ("sender", "int64")):
        columns[name] = pd.array(columns[name], dtype=numbers)
    return pd.DataFrame(columns)


def decode(columns: "Mapping[str, Iterable[Any]] | pd.DataFrame") -> Iterator[Addressed]:
    """The messages of some rows, given their columns."""
    for bucket, kind, number, sender, rows, puncts, constants, detail in zip(
        *(columns[name] for name in _FIELDS), strict=True
    ):
        piece = PackedSlice(rows, puncts, constants)
        yield Addressed(int(bucket), _message(kind, int(sender), piece, detail), int(number))


def decode_rows(rows: Sequence[Any]) -> list[Message]:
    """The messages of rows that Spark has collected."""
    columns = {name: [row[name] for row in rows] for name in _FIELDS}
    return [sent.message for sent in decode(columns)]
