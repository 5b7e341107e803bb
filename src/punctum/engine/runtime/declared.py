"""A stage as a stateful processor of Spark's, for queries whose checkpoint is not known: one bucket at a time.

Before the first batch, Spark starts a process for each stage that only asks which state there is. So this module
imports nothing but that, and the stage itself is pickled inside, and unpickled where rows come.
"""

from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from pyspark.cloudpickle import dumps, loads
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StringType, StructField, StructType

if TYPE_CHECKING:
    import pandas as pd

    from punctum.engine.runtime.processor import StageProcessor

_KEY = StructType([StructField("name", StringType()), StructField("id", LongType())])  # as text they cost a call each
_VALUE = StructType([StructField("stamp", LongType()), StructField("data", BinaryType())])
_STATE_NAME = "state"


class DeclaredStage(StatefulProcessor):
    """Declares the state of a stage, and hands all else over to it."""

    def __init__(self, stage: "StageProcessor") -> None:
        self._pickled: bytes = dumps(stage)  # type: ignore[no-untyped-call]

    @cached_property
    def _stage(self) -> "StageProcessor":
        from punctum.engine.exchange.worker import init_worker

        init_worker()
        stage: StageProcessor = loads(self._pickled)
        return stage

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state."""
        self._state = handle.getMapState(_STATE_NAME, _KEY, _VALUE)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> "Iterator[pd.DataFrame]":
        """Run a batch of one bucket; what is for the driver is passed on."""
        from punctum.engine.exchange.kinds import DRIVER
        from punctum.engine.exchange.messages import StageMessage, decode, to_pandas
        from punctum.engine.runtime.stores import SparkStore

        arrived: dict[int, list[StageMessage]] = {}
        for frame in rows:
            passed = frame["kind"].isin(DRIVER)
            if passed.any():
                yield frame[passed]
                frame = frame[~passed]
            for _, message, number in decode(frame):
                arrived.setdefault(number, []).append(message)  # type: ignore[arg-type]  # none is for the driver
        if arrived:
            yield to_pandas(self._stage.feed(int(key[0]), arrived, partial(SparkStore, self._state)))

    def close(self) -> None:
        """Nothing to close."""
