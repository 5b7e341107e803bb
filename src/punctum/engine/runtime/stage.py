"""A stage on Spark: a stateful processor that sees one bucket at a time.

For each bucket it takes the packed slices of all inputs, runs the operators on them, and gives packed slices for the
next stage, or for the sink. The state of a bucket lives in Spark's state store, in chunks: a batch writes the chunks
that changed. A worker also keeps the bucket's operators in memory, and uses them when the state store's stamp is
exactly the one that they were left with. Spark deals buckets out to workers anew in each batch: a worker whose
operators are older reads the chunks that have changed since.
"""

import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from secrets import randbits
from typing import TYPE_CHECKING, Any

import polars as pl
from pyspark.cloudpickle import dumps, loads
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StringType, StructField, StructType

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.exchange.packing import (
    CLOCK,
    METRICS,
    PACKED,
    QUARANTINE,
    STREAM,
    WRITTEN,
    Exchange,
    Message,
    blob_of,
    from_blob,
    in_parts,
    points_of,
    to_blob,
    to_lines,
)
from punctum.engine.exchange.quarantine import BUCKET_ROOM, Record, Room
from punctum.engine.exchange.worker import init_worker
from punctum.engine.runtime.inputs import StageInput
from punctum.engine.runtime.lmerge import ATTACH, Merging, changes
from punctum.engine.sinks.copy import CopyFiles
from punctum.engine.sinks.files import ResultFiles
from punctum.errors import failing_in
from punctum.operators.columns import ColumnarSlice
from punctum.operators.operator import Operator
from punctum.operators.table import Table
from punctum.plan.joins.counts import ROWS_FROM

if TYPE_CHECKING:
    import pandas as pd

Counts = dict[str, Any]
"""What is counted of an operator in a batch."""

_KEY = StructType([StructField("name", StringType()), StructField("id", LongType())])  # as text they cost a call each
_VALUE = StructType([StructField("stamp", LongType()), StructField("data", BinaryType())])
STORED = (*_KEY.names, *_VALUE.names)
"""The columns of a state that a bucket starts with."""
STATE_NAME = "state"
"""The name that a bucket's state has in Spark's state store."""
_METADATA = ("", 0)
"""Under this key are the stamp of a bucket's state and all of it that is not in chunks."""


Control = tuple[int, tuple[tuple[int, ...], ...], tuple[str, ...]]
"""An input that says which others begin anew, the inputs and operators, as in reads, that do so then, and names."""


@dataclass(frozen=True)
class StageRuntime:
    """A stage's operators in one bucket: operators in the order in which they run, and what each of them reads.

    A reference below zero is an input (-1 is the first), others are positions of operators. Without operators the stage
    passes on its only input.
    """

    inputs: tuple[StageInput, ...]
    operators: tuple[Operator, ...]
    reads: tuple[tuple[int, ...], ...]
    schema: Schema
    names: tuple[str, ...] = ()
    late: tuple[Callable[[], list[Record]], ...] = ()
    """What says of operators which rows of the last slice they have kept out."""
    controls: tuple[Control, ...] = ()
    failed: tuple[Callable[[], list[Record]], ...] = ()
    """What says of operators what has no value in them since it was asked last."""
    labels: tuple[str, ...] = ()
    """What each operator does, and with which streams: for errors."""

    def feed(self, sent: dict[int, list[Message]]) -> tuple[ColumnarSlice, list[Counts]]:
        """Run a slice through, and say for each operator how many rows it took, gave and keeps."""
        self._restart(sent)
        taken = [self.take(number, slices_of(sent.get(number, []))) for number in range(len(self.inputs))]
        given: list[ColumnarSlice] = []
        metrics: list[Counts] = []
        for n, reads in enumerate(self.reads):
            with failing_in(self.labels[n]):
                piece, counts = self.run(n, [given[i] if i >= 0 else taken[-1 - i] for i in reads])
            given.append(piece)
            metrics.append(counts)
        return renamed(given[-1] if given else taken[0], self.schema), metrics

    def take(self, number: int, sent: list[Message]) -> ColumnarSlice:
        """The slice that has arrived at an input."""
        with failing_in(f"what comes from {self.names[number]}"):
            return self.inputs[number].take(sent)

    def run(self, number: int, read: list[ColumnarSlice]) -> tuple[ColumnarSlice, Counts]:
        """What an operator gives for the slices that it reads, and how many rows it took, gave and keeps."""
        operator, reads = self.operators[number], self.reads[number]
        slices = [renamed(piece, schema) for piece, schema in zip(read, operator.inputs, strict=True)]
        slices = self.needed(number, slices)
        given = operator.feed(*slices)
        counts = counted(operator, slices, given) | {"puncts_heard": self.heard(reads)}
        direct = ((i, piece) for i, piece in zip(reads, slices, strict=True) if i < 0)
        return given, counts | {ROWS_FROM + self._input_name(i): len(piece.rows) for i, piece in direct}

    def needed(self, number: int, slices: list[ColumnarSlice]) -> list[ColumnarSlice]:
        """What an operator is to take of the slices that have come for it."""
        return slices

    def _restart(self, sent: dict[int, list[Message]]) -> None:
        """Let inputs begin anew of which a control says so in this batch."""
        for number, inputs, names in self.controls:
            rows = [from_blob(s.rows) for s in sent.get(number, []) if s.rows is not None]
            for told in rows:
                for _, change, at, _ in changes(told, [name.lower() for name in names]):
                    for again in inputs[at] if at is not None and change == ATTACH else ():
                        (self.inputs[-1 - again] if again < 0 else self.operators[again]).restart()

    def heard(self, reads: tuple[int, ...]) -> int:
        """How many punctuations the inputs remember that an operator reads."""
        return sum(self.inputs[-1 - i].puncts() for i in reads if i < 0)

    def behind(self, to: Exchange, bucket: int) -> list[tuple[int, Message]]:
        """What goes to buckets of the next stage behind the last slice: that time has passed, where that matters."""
        return [(each, Message(CLOCK, None, None, None)) for each in to.buckets] if to.clock else []

    def violations(self) -> list[Record]:
        """What the inputs and the operators have not taken of the last slice."""
        tellers = [*(source.violations for source in self.inputs), *self.late, *self.failed]
        return [record for told in tellers for record in told()]

    def oldest(self, born: Mapping[str, Mapping[int, float]]) -> dict[int, tuple[float, str]]:
        """For each operator that keeps rows: since when the oldest one is kept, and what it waits for."""
        found: dict[int, tuple[float, str]] = {}
        for n, operator in enumerate(self.operators):
            for name, waits in operator.waits().items():
                first = operator.tables()[name].oldest()
                since = first and born.get(f"{n}.{name}", {}).get(first[0])
                if first and since and since < found.get(n, (math.inf,))[0]:
                    values = ", ".join(f"{theirs}={first[1][mine]}" for mine, theirs in waits.on)
                    found[n] = since, f"{self._name(n, waits.input)}({values})"
        return found

    def _name(self, operator: int, number: int) -> str:
        """The stream that an operator's input comes from; the first, when there are several."""
        read = self.reads[operator][number]
        return self._input_name(read) if read < 0 else self._name(read, 0)

    def _input_name(self, read: int) -> str:
        return self.names[-1 - read]

    def tables(self) -> dict[str, Table]:
        """All tables of all inputs and operators."""
        heard = {f"{-1 - n}.{name}": t for n, source in enumerate(self.inputs) for name, t in source.tables().items()}
        kept = {f"{n}.{name}": t for n, operator in enumerate(self.operators) for name, t in operator.tables().items()}
        return heard | kept

    def metadata(self) -> str:
        """All that is not in tables, as JSON."""
        return json.dumps(self.noted())

    def noted(self) -> list[object]:
        """All that is not in tables, as data for JSON."""
        return [[i.metadata() for i in self.inputs], [o.metadata() for o in self.operators]]

    def restore(self, metadata: str, chunks: Mapping[str, Mapping[int, pl.DataFrame]]) -> None:
        """Go on from a state."""
        inputs, operators, *_ = json.loads(metadata)

        def stored(of: int, tables: dict[str, Table]) -> dict[str, Table]:
            return {name: t.restored(chunks.get(f"{of}.{name}", {})) for name, t in tables.items()}

        for n, (source, known) in enumerate(zip(self.inputs, inputs, strict=True)):
            source.restore(known, stored(-1 - n, source.tables()))
        for n, (operator, known) in enumerate(zip(self.operators, operators, strict=True)):
            operator.restore_tables(stored(n, operator.tables()))
            operator.restore_metadata(known)


def renamed(piece: ColumnarSlice, schema: Schema) -> ColumnarSlice:
    """The slice over a schema that differs in names and domains alone."""
    if piece.rows.columns == list(schema.names) and all(p.schema is schema for p in piece.puncts):
        return piece
    names = dict(zip(piece.rows.columns, schema.names, strict=True))
    puncts = tuple(p if p.schema is schema else Punctuation(schema, p.patterns) for p in piece.puncts)
    return ColumnarSlice(
        piece.rows.rename(names), puncts, {names[name]: values for name, values in piece.constants.items()}
    )


def counted(operator: Operator, slices: list[ColumnarSlice], given: ColumnarSlice) -> Counts:
    """What an operator took, gave and keeps."""
    size = operator.size()
    tables = operator.tables().values()
    purged = sum(table.purged for table in tables)
    for table in tables:
        table.purged = 0
    merged = {"stable": operator.stable} if isinstance(operator, Merging) else {}
    return merged | {
        "rows_in": sum(len(piece.rows) for piece in slices),
        "rows_out": len(given.rows),
        "puncts_in": sum(map(said, slices)),
        "puncts_out": said(given),
        "rows_purged": purged,
        "rows_kept": size.rows,
        "bytes_kept": size.bytes,
        "puncts_kept": size.puncts,
        "puncts_waiting": operator.waiting(),
    }


def slices_of(sent: Iterable[Message]) -> list[Message]:
    """What was sent as a part of a slice, and not behind one."""
    return [s for s in sent if s.sender == STREAM or (s.sender >= 0 and s.origin is None)]


def said(piece: ColumnarSlice) -> int:
    """How many punctuations a slice has."""
    return len(piece.puncts) + sum(map(len, piece.constants.values()))


@dataclass
class Cached:
    """What a worker keeps of a bucket's state: the operators, and the stamps of all of it and of each chunk.

    And since when there is each chunk, by the clock: for metrics alone.
    """

    running: StageRuntime
    stamp: int | None = None
    stamps: dict[str, dict[int, int]] = field(default_factory=dict)
    born: dict[str, dict[int, float]] = field(default_factory=dict)


_CACHE: dict[tuple[str, int, int], Cached] = {}


class StageProcessor(StatefulProcessor):
    """Runs a stage's operators for each bucket, with their state in Spark's state store."""

    def __init__(
        self,
        run: str,
        number: int,
        build: Callable[[int], StageRuntime],
        to: Exchange | ResultFiles | CopyFiles | None,
    ) -> None:
        self._run, self._number, self._to = run, number, to
        self._build: Callable[[int], StageRuntime] | bytes = build

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled; the operators are read where they are needed, and not where the state is declared."""
        known = self._build if isinstance(self._build, bytes) else dumps(self._build)  # type: ignore[no-untyped-call]
        return self.__dict__ | {"_build": known}

    def _built(self, bucket: int) -> StageRuntime:
        if isinstance(self._build, bytes):
            self._build = loads(self._build)
        return self._build(bucket)  # type: ignore[operator]

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state."""
        init_worker()
        self._state = handle.getMapState(STATE_NAME, _KEY, _VALUE)

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        """Take a part of the state that a bucket starts with."""
        for name, number, stamp, data in zip(*(initialState[each] for each in STORED), strict=True):
            self._state.updateValue((name, int(number)), (int(stamp), bytes(data)))

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> "Iterator[pd.DataFrame]":
        """Run a batch of one bucket."""
        bucket = int(key[0])
        sent: dict[int, list[Message]] = {}
        for frame in rows:
            if (frame["input"] < 0).any():
                yield frame[frame["input"] < 0]
            for number, *arrived in zip(*(frame[name] for name in PACKED), strict=True):
                if number >= 0:
                    sent.setdefault(int(number), []).append(Message(*arrived))
        if sent:
            with failing_in(f"stage {self._number}"):
                yield from self._fed(bucket, sent)

    def _fed(self, bucket: int, sent: dict[int, list[Message]]) -> "Iterator[pd.DataFrame]":
        import pandas as pd  # here: the process that only declares the state need not wait for it

        with failing_in("reading its state"):
            known = self._load(bucket)
        first = known.stamp is None
        piece, metrics = known.running.feed(sent)
        with failing_in("writing its state"):
            self._save(bucket, known)
        for n, oldest in known.running.oldest(known.born).items():
            metrics[n]["oldest"] = oldest
        with failing_in("passing on what came out"):
            yield self._packed(bucket, piece, metrics, known.running.violations(), first)
            if isinstance(self._to, Exchange) and (behind := known.running.behind(self._to, bucket)):
                packed = [(to, self._to.input, *each) for to, each in behind]
                yield pd.DataFrame(packed, columns=["bucket", *PACKED]).astype({"input": "int32"})

    def close(self) -> None:
        """Nothing to close."""

    def _load(self, bucket: int) -> Cached:
        """The operators with the bucket's state; they leave the cache until they have been saved."""
        stored = self._state.getValue(_METADATA)
        known = _CACHE.pop((self._run, self._number, bucket), None)
        if stored is None:
            return Cached(self._built(bucket))
        stamp, written = int(stored[0]), bytes(stored[1])
        if known is None or known.stamp != stamp:
            metadata, *wanted = json.loads(written)
            stamps, born = (
                {name: {int(n): s for n, s in chunks.items()} for name, chunks in w.items()} for w in wanted
            )
            chunks = self._chunks(known, stamps)
            running = self._built(bucket) if known is None else known.running
            running.restore(metadata, chunks)
            known = Cached(running, stamp, stamps, born)
        return known

    def _chunks(self, known: Cached | None, stamps: dict[str, dict[int, int]]) -> dict[str, dict[int, pl.DataFrame]]:
        """The chunks of a state: all of them from the store, or, of a state that is older, those that have changed."""
        if known is None:
            stored = {(name, int(n)): data for (name, n), (_, data) in self._state.iterator()}
            return {t: {n: from_blob(bytes(stored[t, n])) for n in chunks} for t, chunks in stamps.items()}
        tables = known.running.tables()
        found: dict[str, dict[int, pl.DataFrame]] = {}
        for name, chunks in stamps.items():
            same = known.stamps.get(name, {})
            found[name] = {
                n: tables[name].chunk(n) if same.get(n) == s else self._read(name, n) for n, s in chunks.items()
            }
        return found

    def _read(self, name: str, number: int) -> pl.DataFrame:
        stored = self._state.getValue((name, number))
        assert stored is not None, f"the chunk {number} of {name} is not in the state store"
        return from_blob(bytes(stored[1]))

    def _save(self, bucket: int, known: Cached) -> None:
        stamp = known.stamp = randbits(63)  # a retry's state is another one, and so is that of another run
        now = round(time.time(), 3)
        for name, table in known.running.tables().items():
            written, deleted = table.changes()
            for number in deleted:
                self._state.removeKey((name, number))
                known.stamps[name].pop(number)
                known.born[name].pop(number)
            for number, frame in written.items():
                self._state.updateValue((name, number), (stamp, to_blob(frame)))
                known.stamps.setdefault(name, {})[number] = stamp
                known.born.setdefault(name, {}).setdefault(number, now)
        metadata = json.dumps([known.running.metadata(), known.stamps, known.born])
        self._state.updateValue(_METADATA, (stamp, metadata.encode()))
        _CACHE[self._run, self._number, bucket] = known

    def _packed(
        self, bucket: int, piece: ColumnarSlice, metrics: list[Counts], violations: list[Record], first: bool
    ) -> "pd.DataFrame":
        import pandas as pd

        told = json.dumps({f"s{self._number}o{n}": counts for n, counts in enumerate(metrics)})
        others = [(METRICS, told)]
        refused: Iterable[Record] = ()
        if isinstance(self._to, ResultFiles | CopyFiles):
            name, refused = self._to.write(piece)
            others += [] if name is None else [(WRITTEN, name)]
        if records := Room(BUCKET_ROOM).taken(chain(violations, refused)):
            others.append((QUARANTINE, "\n".join(record.line() for record in records)))
        pieces: dict[int, ColumnarSlice] = {}
        number = 0
        if isinstance(self._to, Exchange):
            pieces, number = self._to.split(piece), self._to.input
            pieces = self._to.init_messages() | pieces if first else pieces
        elif self._to is None:
            pieces = {bucket: piece} if len(piece.rows) or said(piece) else {}
        parts, nothing = in_parts(pieces), [None] * len(others)
        return pd.DataFrame(
            {
                "bucket": pd.array([*(to for to, _, _ in parts), *[bucket] * len(others)], dtype="int64"),
                "input": pd.array([number] * len(parts) + [kind for kind, _ in others], dtype="int32"),
                "sender": pd.array([bucket] * (len(parts) + len(others)), dtype="int64"),
                "rows": [*(blob_of(part) for _, _, part in parts), *nothing],
                "puncts": [*(to_lines(part.puncts) for _, _, part in parts), *(text for _, text in others)],
                "points": [*(points_of(part) for _, _, part in parts), *nothing],
                "origin": [None] * (len(parts) + len(others)),
            }
        )
