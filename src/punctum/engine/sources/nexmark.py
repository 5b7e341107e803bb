"""A stream of NEXMark as a source of Spark's: events by the clock, so many a second, and as many as there are.

An offset is a place in the order in which events come. Events are generated where they are read, in one task, which
keeps their order; a batch that is done again reads the same ones.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow

from punctum.nexmark.columns import TYPES
from punctum.nexmark.workload import Workload

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

FORMAT = "nexmark"
PUNCT = "_punct"
ENDLESS = 1 << 40
"""How many events there are when it is not said."""
MOST = 1_000_000
"""So many places are in a batch at most."""
_PIECE = 100_000

Offset = dict[str, int]


class NexmarkSource(DataSource):
    """The data source; its options are those of a stream."""

    @classmethod
    def name(cls) -> str:
        """Its name in ``spark.readStream.format``."""
        return FORMAT

    def schema(self) -> str:
        """The columns of the table, and that of punctuations."""
        columns = [f"`{name}` {kind}" for name, kind in TYPES[self.options["table"]].items()]
        return ", ".join([*columns, f"{PUNCT} STRING"])

    def streamReader(self, schema: "StructType") -> "NexmarkReader":
        """A reader of the table that the option names."""
        return NexmarkReader(self.options["table"], workload_of(self.options))


def workload_of(options: Mapping[str, str]) -> Workload:
    """The events that a stream's options ask for."""
    known = {name: int(options[name]) for name in ("events", "seed", "rate", "disorder", "every") if name in options}
    return Workload(**{"events": ENDLESS} | known)


class NexmarkReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offers as many places as the clock allows; when all that is available is asked for, all of them."""

    def __init__(self, table: str, workload: Workload) -> None:
        self._table, self._workload = table, workload
        self._begun: tuple[float, int] | None = None
        self._all = False

    def initialOffset(self) -> Offset:
        """Nothing has come."""
        return {"place": 0}

    def getDefaultReadLimit(self) -> ReadLimit:
        """All that there is: how much a batch reads is limited here."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        """Wait for no clock."""
        self._all = True

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        """The place up to which events have come by now."""
        place, now = start["place"], time.monotonic()
        if self._begun is None:
            self._begun = now, place
        since, first = self._begun
        come = self._workload.arrivals if self._all else first + int((now - since) * self._workload.rate)
        return {"place": max(place, min(come, place + MOST, self._workload.arrivals))}

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """One task for all of a batch."""
        return [InputPartition((start["place"], end["place"]))]

    def read(self, partition: InputPartition) -> "Iterator[pa.RecordBatch]":
        """The elements between two places."""
        from punctum.nexmark.files import piece  # here: who only counts places need not wait for it

        start, end = partition.value
        for at in range(start, end, _PIECE):
            elements = piece(self._workload, self._table, at, min(at + _PIECE, end))
            yield from elements.cast(_plain(elements.schema)).combine_chunks().to_batches()


def _plain(schema: "pa.Schema") -> "pa.Schema":
    """A schema with the types that Spark has."""
    import pyarrow as pa

    def kind(given: "pa.DataType") -> "pa.DataType":
        if pa.types.is_dictionary(given):
            return pa.string()
        return pa.timestamp("us", "UTC") if pa.types.is_timestamp(given) else given

    return pa.schema([(field.name, kind(field.type)) for field in schema])
