"""A stage that runs in the tasks that read its streams: they exchange what they read, and Spark has one stage, not two.

All tasks are on one machine. Each reads parts of the batch that nobody has claimed, and runs buckets that nobody has.
It prefers those whose state it has; what it reads for them it keeps, unpacked.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pyarrow as pa
from pyspark import TaskContext

from punctum.engine.exchange.local import LocalExchange
from punctum.engine.exchange.messages import Addressed, DriverMessage, StageMessage, decode, to_arrow
from punctum.engine.exchange.worker import init_worker
from punctum.engine.kafka.read import fetched
from punctum.engine.runtime.processor import StageProcessor
from punctum.engine.runtime.stores import FileStore
from punctum.engine.runtime.task import batch_of_task
from punctum.engine.sources.reader import BatchPart, BatchParts
from punctum.engine.sources.source import FrameStream, read_part
from punctum.errors import QueryError
from punctum.storage.location import Location

Arrived = dict[int, list[StageMessage]]
"""Messages by input."""


class StageBehindRead:
    """Runs a batch of a stage, whose state is in a directory of files; streams are known by their keys."""

    def __init__(
        self,
        stage: StageProcessor,
        streams: Mapping[str, FrameStream],
        directory: Location,
        buckets: tuple[int, ...],
        batch: Callable[[], int] = batch_of_task,
    ) -> None:
        self._stage, self._streams, self._buckets = stage, streams, buckets
        self._directory, self._batch = directory, batch

    def __call__(self, whole: BatchParts) -> Iterator[pa.RecordBatch]:
        """What is for the driver, or for the next stage."""
        init_worker()
        exchange = LocalExchange(Path(whole.directory + _attempt()), whole.tasks)
        with exchange.taking_part():
            yield from self._run(whole, exchange)

    def _run(self, whole: BatchParts, exchange: LocalExchange) -> Iterator[pa.RecordBatch]:
        here = dict[int, Arrived]((bucket, {}) for bucket in self._first(whole, exchange))
        parts = {f"read{n}": part for n, part in enumerate(whole.parts)}
        for unit, part in _own_first(list(parts.items()), whole.number):
            if exchange.claim(unit):
                with exchange.giving(unit) as give:
                    for sent in read_part(self._streams.__getitem__, part, here.keys()):
                        yield from _dealt(sent, here, give)
        exchange.wait(parts)
        for bucket in (*here, *(bucket for bucket in self._buckets if bucket not in here)):
            if bucket in here or exchange.claim(f"run{bucket}"):
                arrived = here.get(bucket, {})
                for batch in exchange.given(bucket, parts):
                    for addressed in decode(batch.to_pydict()):
                        arrived.setdefault(addressed.input, []).append(addressed.message)  # type: ignore[arg-type]
                if arrived:
                    open_store = partial(FileStore, self._directory / str(bucket), self._batch())
                    yield to_arrow(self._stage.feed(bucket, arrived, open_store))

    def _first(self, whole: BatchParts, exchange: LocalExchange) -> Iterator[int]:
        """The buckets that are this task's from the beginning: its share, those first whose state it has."""
        share = -(-len(self._buckets) // whole.tasks)
        turned = self._buckets[whole.number :] + self._buckets[: whole.number]
        for bucket in sorted(turned, key=self._stage.fed, reverse=True):
            if share and exchange.claim(f"run{bucket}"):
                share -= 1
                yield bucket


def _own_first(parts: list[tuple[str, BatchPart]], number: int) -> list[tuple[str, BatchPart]]:
    """The parts in the order in which a task goes through them: first what its process has fetched of topics."""
    turned = parts[number % max(1, len(parts)) :] + parts[: number % max(1, len(parts))]
    return sorted(turned, key=lambda pair: -fetched(r for share in pair[1].topics for r in share.ranges))


def _dealt(
    sent: list[Addressed], here: Mapping[int, Arrived], give: Callable[[list[Addressed]], None]
) -> Iterator[pa.RecordBatch]:
    """Messages go to where their buckets are; those for the driver are passed on."""
    for_driver, away = list[Addressed](), list[Addressed]()
    for addressed in sent:
        if isinstance(addressed.message, DriverMessage):
            for_driver.append(addressed)
        elif addressed.bucket in here:
            here[addressed.bucket].setdefault(addressed.input, []).append(addressed.message)
        else:
            away.append(addressed)
    give(away)
    if for_driver:
        yield to_arrow(for_driver)


def _attempt() -> str:
    """What tells a job of Spark's from others that read the same batch."""
    context = TaskContext.get()
    if context is None:
        return ""
    if context.attemptNumber():  # other tasks have what the first attempt has given them
        raise QueryError(
            "a task of a batch was started again", "it failed before", "run the same command again to resume"
        )
    return f"-{context.stageId()}"
