"""A stage in a task of Spark's: packed messages for some buckets in, messages for the next stage or the driver out.

Spark shuffles messages by bucket, and each task has those of a batch for some buckets. The state of a bucket is in
files of the checkpoint; which batch it is, and so which state it goes on from, Spark tells each task.
"""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from socket import gethostname

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.cloudpickle import dumps, loads

from punctum.engine.exchange.kinds import DRIVER
from punctum.engine.exchange.messages import StageMessage, decode, to_arrow
from punctum.engine.exchange.worker import init_worker
from punctum.engine.runtime.processor import StageProcessor
from punctum.engine.runtime.stores import FileStore
from punctum.errors import QueryError, failing_in
from punctum.storage.location import Location

BATCH = "streaming.sql.batchId"
"""The property of a task in which Spark tells the number of its batch."""
_DRIVER = pa.array(DRIVER)
Arrived = dict[int, dict[int, list[StageMessage]]]
"""Messages by bucket and input."""


class StageTask:
    """Runs a batch of a stage for the buckets of a task, with their state in a directory of files."""

    def __init__(self, stage: StageProcessor, directory: Location, batch: Callable[[], int] | None = None) -> None:
        self._pickled: bytes = dumps(stage)  # type: ignore[no-untyped-call]
        self._directory, self._batch, self._checked = directory, batch or batch_of_task, batch is not None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The messages that the buckets send; what is for the driver is passed on."""
        init_worker()
        stage, batch, arrived = _loaded(self._pickled), self._batch(), Arrived()
        if not self._checked:
            check_shared(self._directory, stage.number)
        for messages in batches:
            passed = pc.is_in(messages.column("kind"), value_set=_DRIVER)
            if pc.any(passed).as_py():
                yield messages.filter(passed)
                messages = messages.filter(pc.invert(passed))
            for bucket, message, number in decode(messages.to_pydict()):
                arrived.setdefault(bucket, {}).setdefault(number, []).append(message)  # type: ignore[arg-type]
        for bucket, known in sorted(arrived.items()):
            yield to_arrow(stage.feed(bucket, known, partial(FileStore, self._directory / str(bucket), batch)))


@cache
def check_shared(states: Location, stage: int) -> None:
    """An error where a worker does not see the checkpoint: it would begin anew, and keep state that nobody finds."""
    plan = states.parent.parent / "plan"
    with failing_in(f"stage {stage}"):
        if not plan.exists():
            what = f"{gethostname()} does not see the checkpoint"
            hint = "put it in a store (s3://bucket/state), or in a directory that all machines of the cluster mount"
            raise QueryError(what, f"{plan} is not there", hint)


def batch_of_task() -> int:
    """The number of the batch that the task is of."""
    context = TaskContext.get()
    number = context and context.getLocalProperty(BATCH)
    assert number, "a stage runs in a batch of a streaming query"
    return int(number)


@lru_cache(maxsize=64)
def _loaded(pickled: bytes) -> StageProcessor:
    """The stage; a worker gets the same one in each batch."""
    stage: StageProcessor = loads(pickled)
    return stage
