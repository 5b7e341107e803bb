"""Where a query runs and keeps its place, and that no other query has the same place."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from punctum.engine.partitions import bucket_numbers
from punctum.engine.recovery.checkpoint import check_notes
from punctum.engine.recovery.lease import check_not_running, release_lease, take_lease
from punctum.engine.spark import check_storage
from punctum.engine.trigger import AT_ONCE
from punctum.storage.location import Location, location


@dataclass(frozen=True)
class Settings:
    """Where a query runs and keeps its place: the session, the checkpoint, the directory of relative paths."""

    spark: SparkSession
    checkpoint: str
    directory: str
    frames: Mapping[str, DataFrame]
    feedback: tuple[str, ...] = ()
    """The files that say what nobody needs of the result."""
    state: str = ""
    """The checkpoint whose state it starts with, if any."""
    trigger: str = AT_ONCE
    """How long after the begin of a batch the next one begins, at the earliest."""
    add_to_sink: bool = False
    """Whether a new checkpoint may write to a sink that has results of another query."""

    @property
    def quarantine(self) -> Location | None:
        """Where what a query cannot take goes when nothing better is known: into the checkpoint."""
        return location(self.checkpoint) / "quarantine" if self.checkpoint else None

    @property
    def buckets(self) -> tuple[int, ...]:
        """The numbers of a new query's buckets."""
        return bucket_numbers(self.spark)


@contextmanager
def claimed(settings: Settings) -> Iterator[None]:
    """Whatever starts inside has the checkpoint for itself, and nothing is lost of what Spark has noted there."""
    if not settings.checkpoint:
        yield
        return
    checkpoint = location(settings.checkpoint)
    check_storage(settings.spark, checkpoint)
    take_lease(checkpoint)
    check_not_running(checkpoint, settings.spark)
    try:
        check_notes(checkpoint)
        yield
    except BaseException:
        release_lease(checkpoint)
        raise
