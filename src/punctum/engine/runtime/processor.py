"""A stage on Spark: a stateful processor that sees one bucket at a time.

For each bucket it takes the messages of all inputs, feeds them to the stage, and gives messages for the next stage, or
for the driver. The state of a bucket lives in Spark's state store, in chunks: a batch writes the chunks
that changed. A worker also keeps the bucket's operators in memory, and uses them when the state store's stamp is
exactly the one that they were left with. Spark deals buckets out to workers anew in each batch: a worker whose
operators are older reads the chunks that have changed since.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from secrets import randbits
from typing import TYPE_CHECKING, Any

from pyspark.cloudpickle import dumps, loads
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from punctum.engine.exchange.blobs import Chunk, chunk_from_blob, chunk_to_blob
from punctum.engine.exchange.buckets import Exchange
from punctum.engine.exchange.messages import (
    DRIVER,
    Addressed,
    Counts,
    MetricsMessage,
    QuarantineMessage,
    StageMessage,
    WrittenMessage,
    decode,
    stage_slices,
    to_pandas,
)
from punctum.engine.exchange.quarantine import BUCKET_ROOM, Record, Room
from punctum.engine.exchange.worker import init_worker
from punctum.engine.runtime.declared import KEY, STATE_NAME, VALUE
from punctum.engine.runtime.metrics import oldest, punctuations_in
from punctum.engine.runtime.stage import StageRuntime
from punctum.engine.sinks.copy import CopyFiles
from punctum.engine.sinks.files import ResultFiles
from punctum.errors import failing_in
from punctum.operators.columns import ColumnarSlice
from punctum.operators.spill import default_memory, mapped_frame, spill

if TYPE_CHECKING:
    import pandas as pd

STORED = (*KEY.names, *VALUE.names)
"""The columns of a state that a bucket starts with."""
_METADATA = ("", 0)
"""Under this key are the stamp of a bucket's state and all of it that is not in chunks."""


@dataclass
class Cached:
    """What a worker keeps of a bucket's state: the operators, and the stamps of all of it and of each chunk."""

    running: StageRuntime
    stamp: int | None = None
    stamps: dict[str, dict[int, int]] = field(default_factory=dict)


class StageProcessor(StatefulProcessor):
    """Runs a stage's operators for each bucket, with their state in Spark's state store."""

    cache: dict[tuple[str, int, int], Cached] = {}  # noqa: RUF012  one for all of a process
    """What a worker process keeps of the buckets that it has run: by query, stage and bucket."""

    def __init__(
        self,
        run: str,
        number: int,
        build: Callable[[int], StageRuntime],
        to: Exchange | ResultFiles | CopyFiles | None,
        memory: int | None = None,
    ) -> None:
        self._run, self._number, self._to, self._memory = run, number, to, memory
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
        self.begin(handle.getMapState(STATE_NAME, KEY, VALUE))

    def begin(self, state: Any) -> None:
        """Begin with the state that has been named."""
        init_worker()
        self._state = state

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        """Take a part of the state that a bucket starts with."""
        for name, number, stamp, data in zip(*(initialState[column] for column in STORED), strict=True):
            self._state.updateValue((name, int(number)), (int(stamp), bytes(data)))

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> "Iterator[pd.DataFrame]":
        """Run a batch of one bucket; what is for the driver is passed on."""
        bucket = int(key[0])
        arrived: dict[int, list[StageMessage]] = {}
        for frame in rows:
            passed = frame["kind"].isin(DRIVER)
            if passed.any():
                yield frame[passed]
                frame = frame[~passed]
            for _, message, number in decode(frame):
                arrived.setdefault(number, []).append(message)  # type: ignore[arg-type]  # none is for the driver
        if arrived:
            with failing_in(f"stage {self._number}"):
                yield to_pandas(self._fed(bucket, arrived))

    def _fed(self, bucket: int, arrived: dict[int, list[StageMessage]]) -> list[Addressed]:
        """What a bucket sends for what has arrived."""
        with failing_in("reading its state"):
            known = self._load(bucket)
        first = known.stamp is None
        piece, counts = known.running.feed(arrived)
        with failing_in("writing its state"):
            self._save(bucket, known)
        for n, since in oldest(known.running.flow).items():
            counts[n]["oldest"] = since
        with failing_in("sending its output"):
            sent = [*self._results(bucket, piece, first), *self._to_driver(bucket, piece, counts, known.running)]
            return [*sent, *known.running.messages(self._to, bucket)] if isinstance(self._to, Exchange) else sent

    def _results(self, bucket: int, piece: ColumnarSlice, first: bool) -> list[Addressed]:
        """The slice, to the next stage or to the driver; sinks write it to files instead."""
        if isinstance(self._to, Exchange):
            pieces = self._to.split(piece)
            return stage_slices(self._to.init_messages() | pieces if first else pieces, self._to.input, bucket)
        if self._to is None and (len(piece.rows) or punctuations_in(piece)):
            return stage_slices({bucket: piece}, 0, bucket)
        return []

    def _to_driver(
        self, bucket: int, piece: ColumnarSlice, counts: list[Counts], running: StageRuntime
    ) -> list[Addressed]:
        """Metrics, the file that the slice was written to, and records for the quarantine."""
        named = {f"s{self._number}o{n}": counted for n, counted in enumerate(counts)}
        sent = [Addressed(bucket, MetricsMessage(bucket, named))]
        refused: Iterable[Record] = ()
        if isinstance(self._to, ResultFiles | CopyFiles):
            file, refused = self._to.write(piece)
            sent += [] if file is None else [Addressed(bucket, WrittenMessage(bucket, file))]
        if records := Room(BUCKET_ROOM).taken(chain(running.records(), refused)):
            sent.append(Addressed(bucket, QuarantineMessage([record.line() for record in records])))
        return sent

    def close(self) -> None:
        """Nothing to close."""

    def _load(self, bucket: int) -> Cached:
        """The operators with the bucket's state; they leave the cache until they have been saved."""
        stored = self._state.getValue(_METADATA)
        known = self.cache.pop((self._run, self._number, bucket), None)
        if stored is None:
            return Cached(self._built(bucket))
        stamp, written = int(stored[0]), bytes(stored[1])
        if known is None or known.stamp != stamp:
            metadata, wanted = json.loads(written)
            stamps = {name: {int(n): s for n, s in chunks.items()} for name, chunks in wanted.items()}
            chunks = self._chunks(known, stamps)
            running = self._built(bucket) if known is None else known.running
            running.restore(metadata, {t: {n: rows for n, (rows, _) in read.items()} for t, read in chunks.items()})
            for name, table in running.flow.tables().items():
                table.restore_ages({n: ages for n, (_, ages) in chunks.get(name, {}).items()})
            known = Cached(running, stamp, stamps)
        return known

    def _chunks(self, known: Cached | None, stamps: dict[str, dict[int, int]]) -> dict[str, dict[int, Chunk]]:
        """The chunks of a state: all of them from the store, or, of a state that is older, those that have changed."""
        if known is None:
            return self._all_chunks(stamps)
        tables = known.running.flow.tables()
        read: dict[str, dict[int, Chunk]] = {}
        for name, chunks in stamps.items():
            same, table = known.stamps.get(name, {}), tables[name]
            read[name] = {
                n: (table.chunk(n), table.ages(n)) if same.get(n) == s else self._read(name, n)
                for n, s in chunks.items()
            }
        return read

    def _all_chunks(self, stamps: dict[str, dict[int, int]]) -> dict[str, dict[int, Chunk]]:
        """The chunks of a state that this worker has nothing of; those beyond its memory lie in files at once."""
        read: dict[str, dict[int, Chunk]] = {name: {} for name in stamps}
        left = default_memory() if self._memory is None else self._memory
        for (name, n), (_, data) in self._state.iterator():
            if int(n) in stamps.get(name, ()):
                rows, ages = chunk_from_blob(bytes(data))
                left -= len(data)
                read[name][int(n)] = (rows if left >= 0 else mapped_frame(rows), ages)
        missing = [(name, n) for name, chunks in stamps.items() for n in chunks if n not in read[name]]
        assert not missing, f"chunks are missing in the state store: {missing}"
        return read

    def _spill(self) -> None:
        """Have no more rows in memory than this worker may, of all buckets that it has run."""
        running = [known.running for known in self.cache.values()]
        tables = [table for stage in running for table in stage.flow.tables().values()]
        spill(tables, default_memory() if self._memory is None else self._memory)

    def _read(self, name: str, number: int) -> Chunk:
        stored = self._state.getValue((name, number))
        assert stored is not None, f"the chunk {number} of {name} is missing in the state store"
        return chunk_from_blob(bytes(stored[1]))

    def _save(self, bucket: int, known: Cached) -> None:
        stamp = known.stamp = randbits(63)  # a retry's state is another one, and so is that of another run
        now = round(time.time(), 3)
        for name, table in known.running.flow.tables().items():
            table.date(now)
            written, deleted = table.changes()
            for number in deleted:
                self._state.removeKey((name, number))
                known.stamps[name].pop(number)
            for number, frame in written.items():
                self._state.updateValue((name, number), (stamp, chunk_to_blob(frame, table.ages(number))))
                known.stamps.setdefault(name, {})[number] = stamp
        metadata = json.dumps([known.running.metadata(), known.stamps])
        self._state.updateValue(_METADATA, (stamp, metadata.encode()))
        self.cache[self._run, self._number, bucket] = known
        self._spill()
