"""A stage in a worker of Spark's: it sees the messages of one bucket at a time.

For each bucket it takes the messages of all inputs, feeds them to the stage, and gives messages for the next stage, or
for the driver. The state of a bucket lives in a store, in chunks: a batch writes the chunks that changed. A worker
also keeps the bucket's operators in memory, and uses them when the store has exactly the version that they were left
with. Spark deals buckets out to workers anew in each batch: a worker whose operators are older reads the chunks that
have changed since.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from pyspark.cloudpickle import dumps, loads

from punctum.engine.exchange.blobs import Chunk, chunk_from_blob, chunk_to_blob
from punctum.engine.exchange.buckets import Exchange
from punctum.engine.exchange.messages import (
    Addressed,
    Counts,
    MetricsMessage,
    QuarantineMessage,
    StageMessage,
    WrittenMessage,
    stage_slices,
)
from punctum.engine.exchange.quarantine import BUCKET_ROOM, Record, Room
from punctum.engine.exchange.worker import give_back
from punctum.engine.runtime.metrics import of_rows, oldest, punctuations_in
from punctum.engine.runtime.stage import StageRuntime
from punctum.engine.runtime.stores import Chunks, StateStore, Version
from punctum.engine.sinks.copy import CopyFiles
from punctum.engine.sinks.files import ResultFiles
from punctum.engine.sinks.topic import MessageFiles
from punctum.errors import failing_in
from punctum.operators.columns import ColumnarSlice
from punctum.operators.spill import default_memory, lie_in_files, mapped_frame, spill


@dataclass
class Cached:
    """What a worker keeps of a bucket's state: the operators, and what all of it and each chunk is known by."""

    running: StageRuntime
    version: Version | None = None
    chunks: Chunks = field(default_factory=dict)
    at: float = 0.0
    """When it was saved here."""


def to_next_stage(running: StageRuntime, to: Exchange, bucket: int, first: bool) -> list[Addressed]:
    """The last batch of a bucket, part by part; with the first one all buckets hear of it."""
    sent = list[Addressed]()
    for n, (tick, piece) in enumerate(running.given):
        pieces = to.init_messages() | to.split(piece) if first and n == 0 else to.split(piece)
        sent += stage_slices(pieces, to.input, bucket, tick)
    return sent


class StageProcessor:
    """Runs a stage's operators for each bucket, with their state in a store."""

    cache: dict[tuple[str, int, int], Cached] = {}  # noqa: RUF012  one for all of a process
    """What a worker process keeps of the buckets that it has run: by query, stage and bucket."""

    def __init__(
        self,
        run: str,
        number: int,
        build: Callable[[int], StageRuntime],
        to: Exchange | ResultFiles | CopyFiles | MessageFiles | None,
        memory: int | None = None,
    ) -> None:
        self.number = number
        self._run, self._to, self._memory = run, to, memory
        self._build: Callable[[int], StageRuntime] | bytes = build

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled; the operators are read where they are needed, and not where the state is declared."""
        known = self._build if isinstance(self._build, bytes) else dumps(self._build)  # type: ignore[no-untyped-call]
        return self.__dict__ | {"_build": known}

    def _built(self, bucket: int) -> StageRuntime:
        if isinstance(self._build, bytes):
            self._build = loads(self._build)
        return self._build(bucket)  # type: ignore[operator]

    def fed(self, bucket: int) -> float:
        """When this process has run a bucket last, of those whose state it has; never is 0."""
        known = self.cache.get((self._run, self.number, bucket))
        return 0.0 if known is None else known.at

    def feed(
        self,
        bucket: int,
        arrived: dict[int, list[StageMessage]],
        open_store: Callable[[], StateStore],
        part: int | None = None,
        saves: bool = True,
    ) -> list[Addressed]:
        """What a bucket sends for what has arrived in a batch, by input; its store then has its new state.

        Of a bucket in several tasks each has a part of the rows, and writes results of its own; one saves the state.
        """
        with failing_in(f"stage {self.number}"):
            with failing_in("reading its state"):
                store = open_store()
                known = self._load(bucket, store)
            first = known.version is None
            piece, counts = known.running.feed(arrived)
            with failing_in("writing its state"):
                if saves:
                    self._save(bucket, store, known)
                else:
                    self._leave(bucket, known)
            for n, since in oldest(known.running.flow).items():
                counts[n]["oldest"] = since
            counts = counts if saves else [of_rows(counted) for counted in counts]
            with failing_in("sending its output"):
                sent = [
                    *self._results(bucket, piece, first, known.running),
                    *self._to_driver(bucket, piece, counts, known.running, bucket if part is None else part),
                ]
                return [*sent, *known.running.messages(self._to, bucket)] if isinstance(self._to, Exchange) else sent

    def _results(self, bucket: int, piece: ColumnarSlice, first: bool, running: StageRuntime) -> list[Addressed]:
        """The slice, part by part to the next stage, or to the driver; sinks write it to files instead."""
        if isinstance(self._to, Exchange):
            return to_next_stage(running, self._to, bucket, first)
        if self._to is None and (len(piece.rows) or punctuations_in(piece)):
            return stage_slices({bucket: piece}, 0, bucket)
        return []

    def _to_driver(
        self, bucket: int, piece: ColumnarSlice, counts: list[Counts], running: StageRuntime, writer: int
    ) -> list[Addressed]:
        """Metrics, the file that the slice was written to, and records for the quarantine."""
        named = {f"s{self.number}o{n}": counted for n, counted in enumerate(counts)}
        sent = [Addressed(bucket, MetricsMessage(bucket, named))]
        refused: Iterable[Record] = ()
        if isinstance(self._to, ResultFiles | CopyFiles | MessageFiles):
            file, refused = self._to.write(piece)
            sent += [] if file is None else [Addressed(bucket, WrittenMessage(writer, file))]
        if records := Room(BUCKET_ROOM).taken(chain(running.records(), refused)):
            sent.append(Addressed(bucket, QuarantineMessage([record.line() for record in records])))
        return sent

    def _load(self, bucket: int, store: StateStore) -> Cached:
        """The operators with the bucket's state; they leave the cache until they have been saved."""
        known = self.cache.pop((self._run, self.number, bucket), None)
        if store.version is None:
            return Cached(self._built(bucket))
        if known is None or known.version != store.version:
            text, wanted = store.load()
            chunks, laid = self._chunks(known, store, wanted)
            running = self._built(bucket) if known is None else known.running
            running.restore(text, {t: {n: rows for n, (rows, _) in read.items()} for t, read in chunks.items()})
            for name, table in running.flow.tables().items():
                table.restore_ages({n: ages for n, (_, ages) in chunks.get(name, {}).items()})
                lie_in_files(table, laid.get(name, ()))
            known = Cached(running, store.version, wanted)
        return known

    def _chunks(
        self, known: Cached | None, store: StateStore, wanted: Chunks
    ) -> tuple[dict[str, dict[int, Chunk]], dict[str, list[int]]]:
        """The chunks of a state: those that this worker has, and all others from the store; and which lie in files.

        Of a state that it has nothing of, those beyond its memory do at once.
        """
        tables = {} if known is None else known.running.flow.tables()
        have = {} if known is None else known.chunks
        read: dict[str, dict[int, Chunk]] = {name: {} for name in wanted}
        missing: Chunks = {}
        laid: dict[str, list[int]] = {}
        for name, chunks in wanted.items():
            for n, by in chunks.items():
                if have.get(name, {}).get(n) == by:
                    read[name][n] = tables[name].chunk(n), tables[name].ages(n)
                else:
                    missing.setdefault(name, {})[n] = by
        left = default_memory() if self._memory is None else self._memory
        for name, n, data in store.read(missing):
            rows, ages = chunk_from_blob(data)
            left -= len(data)
            if left < 0 and known is None:
                rows = mapped_frame(rows)
                laid.setdefault(name, []).append(n)
            read[name][n] = rows, ages
        return read, laid

    def _spill(self) -> None:
        """Have no more rows in memory than this worker may, of all buckets that it has run."""
        running = [known.running for known in self.cache.values()]
        tables = [table for stage in running for table in stage.flow.tables().values()]
        if spill(tables, default_memory() if self._memory is None else self._memory):
            give_back()

    def _save(self, bucket: int, store: StateStore, known: Cached) -> None:
        now = round(time.time(), 3)
        new: dict[str, dict[int, bytes]] = {}
        gone: dict[str, list[int]] = {}
        for name, table in known.running.flow.tables().items():
            table.date(now)
            written, gone[name] = table.changes()
            for number in gone[name]:
                known.chunks[name].pop(number)
            new[name] = {n: chunk_to_blob(rows, table.ages(n)) for n, rows in written.items()}
        known.version, known.chunks = store.save(known.running.metadata(), known.chunks, new, gone)
        known.at = time.monotonic()
        self.cache[self._run, self.number, bucket] = known
        self._spill()

    def _leave(self, bucket: int, known: Cached) -> None:
        """Remember no more of a state that another task saves than the chunks that have stayed as they were."""
        for name, table in known.running.flow.tables().items():
            written, gone = table.changes()
            for number in (*written, *gone):
                known.chunks.get(name, {}).pop(number, None)
        known.version = None
        self.cache[self._run, self.number, bucket] = known
        self._spill()
