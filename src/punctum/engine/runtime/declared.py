"""A stage as Spark's driver sees it: the state that it declares, and nothing of what it does.

Before the first batch, Spark starts a process for each stage that only asks which state there is. So this module
imports nothing but that, and the stage itself is pickled inside, and unpickled where rows come.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyspark.cloudpickle import dumps, loads
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StringType, StructField, StructType

if TYPE_CHECKING:
    import pandas as pd

    from punctum.engine.runtime.processor import StageProcessor

KEY = StructType([StructField("name", StringType()), StructField("id", LongType())])  # as text they cost a call each
VALUE = StructType([StructField("stamp", LongType()), StructField("data", BinaryType())])
STATE_NAME = "state"
"""The name that a bucket's state has in Spark's state store."""


class DeclaredStage(StatefulProcessor):
    """Declares the state of a stage, and hands all else over to it."""

    def __init__(self, stage: "StageProcessor") -> None:
        self._pickled: bytes = dumps(stage)  # type: ignore[no-untyped-call]

    @cached_property
    def _stage(self) -> "StageProcessor":
        stage: StageProcessor = loads(self._pickled)
        stage.begin(self._state)
        return stage

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state."""
        self._state = handle.getMapState(STATE_NAME, KEY, VALUE)

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:
        """Take a part of the state that a bucket starts with."""
        self._stage.handleInitialState(key, initialState, timerValues)

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> "Iterator[pd.DataFrame]":
        """Run a batch of one bucket."""
        return self._stage.handleInputRows(key, rows, timerValues)

    def close(self) -> None:
        """Nothing to close."""
