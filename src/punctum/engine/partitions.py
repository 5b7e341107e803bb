"""How many buckets a query has, and which numbers they have, so that Spark deals them out evenly.

A bucket is a group of Spark's, and Spark puts groups into partitions by a hash of their numbers. So numbers are chosen
that fall into partitions of their own: as many of these as buckets, whatever the session's own number is.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count

from pyspark.sql import SparkSession

MOST = 32
"""So many buckets at most, unless told: more would mean more files and tasks a batch than they are worth."""
BUCKETS = "spark.punctum.buckets"
"""The setting of a Spark session that tells their number."""
_PARTITIONS, _ADAPTIVE = "spark.sql.shuffle.partitions", "spark.sql.adaptive.enabled"
_FEW_ROWS = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
_SEED, _WORD = 42, 0xFFFFFFFF


def bucket_numbers(spark: SparkSession) -> tuple[int, ...]:
    """A number for each bucket that a new query of a session has: as many as told, or as the cluster has cores."""
    return dealt(told_buckets(spark) or max(1, min(spark.sparkContext.defaultParallelism, MOST)))


def told_buckets(spark: SparkSession) -> int | None:
    """How many buckets a session says."""
    setting = spark.conf.get(BUCKETS, None)
    return int(setting) if setting else None


@contextmanager
def partitions(spark: SparkSession, number: int, few_rows: bool) -> Iterator[None]:
    """A query that is started inside has so many partitions; the session's own settings stay.

    Spark does not look for a better plan while a batch runs: it would do each of its shuffles as a job of its own.
    Where all that it sees of a batch are a few rows, it generates no code for them, which takes longer than they do.
    """
    settings = {_PARTITIONS: str(number), _ADAPTIVE: "false"} | (_FEW_ROWS if few_rows else {})
    before = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, known in before.items():
            assert known is not None, "Spark has a default"
            spark.conf.set(name, known)


@cache
def dealt(partitions: int) -> tuple[int, ...]:
    """The first number that falls into each of so many partitions.

    >>> dealt(2)
    (2, 0)
    """
    first: dict[int, int] = {}
    for number in count():
        first.setdefault(spark_hash(number) % partitions, number)
        if len(first) == partitions:
            return tuple(first[at] for at in range(partitions))
    raise AssertionError("there are always more numbers")


def spark_hash(number: int) -> int:
    """Spark's hash of a BIGINT: Murmur3, 32 bits, with the seed that it has for partitions.

    >>> [spark_hash(n) for n in (0, 1, 17)]
    [-1670924195, -1712319331, 1546268258]
    """
    state = _mixed(_mixed(_SEED, number & _WORD), (number >> 32) & _WORD) ^ 8  # bytes
    state = (state ^ (state >> 16)) * 0x85EBCA6B & _WORD
    state = (state ^ (state >> 13)) * 0xC2B2AE35 & _WORD
    state ^= state >> 16
    return state - (1 << 32) if state >> 31 else state


def _mixed(state: int, word: int) -> int:
    word = _rotated(word * 0xCC9E2D51 & _WORD, 15) * 0x1B873593 & _WORD
    return (_rotated(state ^ word, 13) * 5 + 0xE6546B64) & _WORD


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & _WORD
