"""A query in this process, without Spark: the same readers, pipes, exchanges, stages and operators, in one bucket.

Splits of files in, rows and records for the quarantine out. State is in memory and goes with the process: this is for
looking at files. What lasts runs on Spark.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from punctum.algebra.punctuation import end_of_stream
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import (
    Addressed,
    Clock,
    QuarantineMessage,
    SplitPart,
    StageMessage,
    stream_slices,
    to_all,
)
from punctum.engine.exchange.quarantine import Record
from punctum.engine.formats.files import READERS, reading
from punctum.engine.formats.splits import Split
from punctum.engine.runtime import build
from punctum.engine.runtime.processor import to_next_stage
from punctum.engine.runtime.stage import StageRuntime
from punctum.engine.sources.reader import Share
from punctum.engine.sources.source import FileStream, read_splits
from punctum.engine.sources.tables import store_tables, stored_tables
from punctum.errors import SchemaError, choices
from punctum.ir.definitions import StreamDef, Violation
from punctum.operators.columns import ColumnarSlice, empty
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Input, Stage, all_stages, needs_clock, tables_of

_BUCKET = 0
_HERE = frozenset([_BUCKET])


@dataclass(frozen=True)
class KeptHere:
    """What an operator keeps."""

    label: str
    rows: int
    punctuations: int


class InProcess:
    """A query that runs here; each slice is some splits of each stream, by its name."""

    def __init__(self, last: Stage, directory: Path) -> None:
        self._last, self._directory, self._buckets = last, directory, Buckets((_BUCKET,))
        self._rooms = list[Path]()
        self._running: dict[int, StageRuntime] = {}
        self._streams: dict[tuple[int, int], FileStream] = {}
        self._splits: Mapping[str, Sequence[Split]] = {}
        self._ends, self._now = False, 0
        self._opened = set[str]()
        self._greeted = set[tuple[int, int]]()
        self._records = list[Record]()
        for stage in all_stages(last):
            self._place(stage)

    def feed(self, splits: Mapping[str, Sequence[Split]], now: int = 0) -> tuple[ColumnarSlice, list[Record]]:
        """What a slice gives, and what was not taken of it; the time of the batch is in milliseconds."""
        self._splits, self._now, self._records = splits, now, []
        return self._stage(self._last), self._records

    def end(self, now: int = 0) -> tuple[ColumnarSlice, list[Record]]:
        """What comes when all streams end: nothing is open any more."""
        self._ends = True
        return self.feed({}, now)

    def kept(self) -> list[KeptHere]:
        """What all operators keep by now, those of the first stage first."""
        kept = []
        for number in sorted(self._running):
            flow = self._running[number].flow
            for label, operator in zip(flow.labels, flow.operators, strict=True):
                size = operator.size()
                kept.append(KeptHere(label, size.rows, size.puncts))
        return kept

    def close(self) -> None:
        """Forget what was stored on disk."""
        for room in self._rooms:
            shutil.rmtree(room, ignore_errors=True)

    def _place(self, stage: Stage) -> None:
        """Build a stage, and the streams that it reads."""
        tables = store_tables(tables_of(stage), "", self._directory, stage.number)
        self._rooms += {Path(base).parent for base in tables.values()}
        with stored_tables(tables):
            self._running[stage.number] = build.running(stage, self._buckets, _BUCKET)
        for source in stage.inputs:
            if isinstance(source.origin, Pipe):
                self._streams[stage.number, source.number] = self._stream(stage, source, source.origin)

    def _stream(self, stage: Stage, source: Input, pipe: Pipe) -> FileStream:
        stream, to = pipe.stream, build.from_pipe(pipe, source, self._buckets, needs_clock(stage))
        check_readable(stream)
        reports = stream.name not in self._opened
        self._opened.add(stream.name)
        fails = stream.on_violation is Violation.FAIL
        assert stream.format is not None
        return FileStream(
            stream.name,
            stream.schema,
            build.piped(pipe),
            to,
            fails,
            reports,
            str(self._directory / stream.options["path"]),
            stream.format,
            reading(stream),
            build.folded_names(stage, source),
            pipe.reads,
        )

    def _stage(self, stage: Stage) -> ColumnarSlice:
        """What a stage gives for the slice, and those before it."""
        arrived: dict[int, list[StageMessage]] = {}
        for source in stage.inputs:
            for message in self._messages(stage, source):
                timed = Clock(self._now) if isinstance(message, Clock) else message
                arrived.setdefault(source.number, []).append(timed)
        running = self._running[stage.number]
        given, _ = running.feed(arrived)
        self._records += running.records()
        return given

    def _messages(self, stage: Stage, source: Input) -> Iterator[StageMessage]:
        """What an input of a stage brings."""
        first = (stage.number, source.number) not in self._greeted
        self._greeted.add((stage.number, source.number))
        if isinstance(source.origin, Stage):
            to = build.from_stage(source.origin, source, self._buckets, needs_clock(stage))
            self._stage(source.origin)
            before = self._running[source.origin.number]
            yield from _addressed(to_next_stage(before, to, _BUCKET, first) + before.messages(to, _BUCKET))
            return
        stream = self._streams[stage.number, source.number]
        share = Share("", tuple(enumerate(self._splits.get(stream.name, ()))), first)
        for sent in read_splits(stream, share, tasks=1, here=_HERE):
            for _, message, _ in sent:
                if isinstance(message, QuarantineMessage):
                    self._records += [Record(**json.loads(line)) for line in message.lines]
                else:
                    yield message  # type: ignore[misc]
        if self._ends:
            yield from self._end(stream)

    def _end(self, stream: FileStream) -> Iterator[StageMessage]:
        """That a stream has ended."""
        whole = ColumnarSlice(empty(stream.schema), (end_of_stream(stream.schema),))
        pieces = stream.to.split(stream.pipe.apply(whole).piece)
        sent = stream_slices(pieces, stream.to.input, SplitPart(0, 0))
        yield from _addressed(sent + (to_all(self._buckets, Clock(), stream.to.input) if stream.to.clock else []))


def check_readable(stream: StreamDef) -> None:
    """An error when a stream is none of files, which alone are read here."""
    if stream.format not in READERS:
        hint = f"punctum run reads it; here streams are files: {choices(READERS)}"
        raise SchemaError(f"the stream {stream.name} is read from {stream.format}", "", hint)
    if "path" not in stream.options:
        raise SchemaError(f"the stream {stream.name} has no path", "it reads files", "OPTIONS (path '…')")


def _addressed(sent: Sequence[Addressed]) -> Iterator[StageMessage]:
    """What goes to the one bucket."""
    for addressed in sent:
        yield addressed.message  # type: ignore[misc]
