"""When the buckets of a query that has begun become as many as its session says.

That is at a start, behind the last batch that is done. When a reader may have seen files of the next one, that batch is
done again as it was, with the same files, and the query begins once more behind it.
"""

from pyspark.sql import SparkSession

from punctum.engine.exchange.buckets import Buckets
from punctum.engine.partitions import dealt, told_buckets
from punctum.engine.recovery.bucket_notes import bucket_notes, write_buckets
from punctum.engine.recovery.checkpoint import begun, last_committed
from punctum.engine.sinks.files import ResultFiles
from punctum.errors import QueryError
from punctum.storage.location import location


def wanted(spark: SparkSession, checkpoint: str, where_read: bool) -> Buckets | None:
    """The buckets that a query is to go on with, when they are others than it has; one that is read as one stays so."""
    setting, known = (
        told_buckets(spark),
        len(bucket_notes(location(checkpoint)).get("buckets", ())) if checkpoint else 0,
    )
    return None if setting is None or known in (0, setting) or (where_read and known == 1) else Buckets(dealt(setting))


def is_shown(checkpoint: str, to: object) -> bool:
    """Whether a reader may have seen files of the batch that comes next."""
    last = last_committed(location(checkpoint))
    return isinstance(to, ResultFiles) and to.are_named(0 if last is None else last + 1)


def begins_with(checkpoint: str, new: Buckets, starts_with_state: bool) -> bool:
    """Let a query that has not begun have other buckets; whether that is all there is to do."""
    if starts_with_state:
        known = len(bucket_notes(location(checkpoint))["buckets"])
        detail = f"it begins with the state of another checkpoint, which has {known}"
        hint = f"run it with {known} buckets until a batch is done; then it can go on with more"
        raise QueryError(f"the query cannot begin with {len(new)} buckets", detail, hint)
    if begun(checkpoint):
        return False
    write_buckets(location(checkpoint), bucket_notes(location(checkpoint)) | {"buckets": new})
    return True
