"""A stage that runs in tasks, of which the driver is told in files."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

import pyarrow as pa

from punctum.engine.exchange.told import ToldFiles
from punctum.engine.runtime.task import batch_of_task

Given = TypeVar("Given")


class Telling(Generic[Given]):
    """Runs what it is given, a batch at a time, and tells the driver what that gives."""

    def __init__(self, run: Callable[[Given], Iterator[pa.RecordBatch]], files: ToldFiles) -> None:
        self._run, self._files = run, files

    def __call__(self, given: Given) -> Iterator[pa.RecordBatch]:
        """What a task gives to Spark."""
        return self._files.write(batch_of_task(), self._run(given))
