"""The kinds of messages, and which rows of Spark's they are, in SQL."""

from enum import StrEnum


class Kind(StrEnum):
    """What a row of Spark's is."""

    STREAM = "stream"
    STAGE = "stage"
    CLOCK = "clock"
    FEEDBACK = "feedback"
    SWEEP = "sweep"
    EXPIRED = "expired"
    TABLES = "tables"
    PARTITIONS = "partitions"
    METRICS = "metrics"
    QUARANTINE = "quarantine"
    WRITTEN = "written"
    SKIPPED = "skipped"


DRIVER = (Kind.METRICS.value, Kind.QUARANTINE.value, Kind.WRITTEN.value, Kind.SKIPPED.value)
"""The kinds of messages that are for the driver: stages pass them on."""
FOR_DRIVER = f"kind IN {DRIVER}"
"""Which rows these are, in SQL."""
NOT_COUNTED = f"kind NOT IN ('{Kind.METRICS}', '{Kind.SKIPPED}')"
"""Which rows do not only count something, in SQL."""
TIMED = f"if(kind = '{Kind.CLOCK}', string(unix_millis(current_timestamp())), detail)"
"""The detail with a batch's time where that belongs, in SQL: the time that Spark has written down for the batch."""
