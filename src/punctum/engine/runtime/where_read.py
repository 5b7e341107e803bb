"""A stage that runs where its streams are read: a part of a batch in, a file of results out, and word of it.

There is one bucket, and each task is it for the rows of some splits: it goes on from the bucket's state, hears what the
punctuations before its rows say, and writes results of its own. The task with the last splits hears all of the batch,
so what it knows then is the bucket's new state, which it saves.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import pyarrow as pa

from punctum.engine.exchange.messages import Addressed, QuarantineMessage, StageMessage, to_arrow
from punctum.engine.exchange.quarantine import Record, Room
from punctum.engine.exchange.worker import init_worker
from punctum.engine.formats.read import ROOM
from punctum.engine.runtime.processor import StageProcessor
from punctum.engine.runtime.stores import FileStore
from punctum.engine.runtime.task import batch_of_task, check_shared
from punctum.engine.sources.reader import BatchPart
from punctum.engine.sources.source import FileStream, held, punctuations_only
from punctum.operators.columns import empty
from punctum.storage.location import Location


class StageWhereRead:
    """Runs a part of a batch of a stage, whose state is in a directory of files; streams are known by their keys."""

    def __init__(
        self,
        stage: StageProcessor,
        streams: Mapping[str, FileStream],
        directory: Location,
        bucket: int,
        batch: Callable[[], int] = batch_of_task,
    ) -> None:
        self._stage, self._streams, self._bucket = stage, streams, bucket
        self._directory, self._batch = directory / str(bucket), batch

    def __call__(self, part: BatchPart) -> Iterator[pa.RecordBatch]:
        """What is for the driver."""
        init_worker()
        if self._batch is batch_of_task:
            check_shared(self._directory.parent, self._stage.number)
        arrived, records = dict[int, list[StageMessage]](), list[Record]()
        for share in part.before:
            stream = self._streams[share.key]
            rows = empty(stream.to.schema)
            arrived.setdefault(stream.to.input, []).extend(punctuations_only(stream, share, rows))
        room = Room(ROOM // part.tasks)
        for share in part.shares:
            stream = self._streams[share.key]
            for message, rejected in held(stream, share, room):
                arrived.setdefault(stream.to.input, []).append(message)
                records += rejected
        if records:
            lines = [record.line() for record in records]
            yield to_arrow([Addressed(self._bucket, QuarantineMessage(lines))])
        open_store = partial(FileStore, self._directory, self._batch())
        yield to_arrow(self._stage.feed(self._bucket, arrived, open_store, part.number, part.last))
