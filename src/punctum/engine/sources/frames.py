"""Streams that Spark reads itself: a definition in, a streaming DataFrame out.

``rate`` counts rows by the clock, with the columns ``timestamp`` and ``value``. ``nexmark`` generates those of a table
of the benchmark. ``socket`` gives lines as they come, in the one column ``_line``; where rows are packed they are read
as JSON, and what cannot be read is rejected there. All are for trials. A socket keeps nothing: what has come over it
cannot be read again.
"""

from collections.abc import Callable, Iterable

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from punctum.algebra.values import Type
from punctum.engine.formats.files import LINE_COLUMN
from punctum.engine.recovery.checkpoint import begun
from punctum.engine.sources.nexmark import FORMAT, PUNCT, NexmarkSource
from punctum.errors import QueryError, SchemaError, choices
from punctum.ir.definitions import StreamDef
from punctum.nexmark.columns import TYPES
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import Stage, all_stages

_RATE = {"timestamp": Type.TIMESTAMP, "value": Type.BIGINT}


def frames(last: Stage, spark: SparkSession, checkpoint: str) -> dict[str, DataFrame]:
    """The streams of a query that Spark reads, by their names."""
    used = bool(checkpoint) and begun(checkpoint)
    by_name = {}
    for stream in _streams(last):
        if stream.format == "socket" and used:
            detail = f"{stream.name} is read from a socket, and its input cannot be read again"
            raise QueryError("the query cannot resume from its checkpoint", detail, "start with a new checkpoint")
        if stream.format in SOURCES:
            by_name[stream.name] = SOURCES[stream.format](spark, stream)
    return by_name


def _streams(last: Stage) -> Iterable[StreamDef]:
    origins = (source.origin for stage in all_stages(last) for source in stage.inputs)
    return [origin.stream for origin in origins if isinstance(origin, Pipe)]


def _rate(spark: SparkSession, stream: StreamDef) -> DataFrame:
    for attribute in stream.schema.attributes:
        if _RATE.get(attribute.name) is not attribute.type:
            what = f"{stream.name} has no column {attribute.name} {attribute.type.value}"
            raise SchemaError(what, "it is read from rate", "timestamp TIMESTAMP, value BIGINT")
    return _loaded(spark, stream).select(*stream.schema.names)


def _socket(spark: SparkSession, stream: StreamDef) -> DataFrame:
    return _loaded(spark, stream).select(F.col("value").alias(LINE_COLUMN))


def _nexmark(spark: SparkSession, stream: StreamDef) -> DataFrame:
    """A table of the benchmark; punctuations on columns that the stream does not have are left out."""
    table = stream.options["table"]
    if table not in TYPES:
        raise SchemaError(f"nexmark has no table {table}", f"{stream.name} is read from it", choices(TYPES))
    for attribute in stream.schema.attributes:
        if TYPES[table].get(attribute.name) != attribute.type.value:
            what = f"{stream.name} has no column {attribute.name} {attribute.type.value}"
            known = ", ".join(f"{name} {kind}" for name, kind in TYPES[table].items())
            raise SchemaError(what, f"it is read from {table} of nexmark", known)
    spark.dataSource.register(NexmarkSource)
    names = "|".join(stream.schema.names)
    spoken = F.col(PUNCT).rlike(rf'^\{{"\$punct": \{{("({names})"|\}})')
    return _loaded(spark, stream).where(F.col(PUNCT).isNull() | spoken).select(*stream.schema.names, PUNCT)


def _loaded(spark: SparkSession, stream: StreamDef) -> DataFrame:
    assert stream.format is not None
    try:
        return spark.readStream.format(stream.format).options(**stream.options).load()
    except PySparkException as error:
        detail = str(error).strip().splitlines()[0]
        raise SchemaError(f"the options of {stream.name} are wrong", detail, f"OPTIONS of {stream.format}") from None


SOURCES: dict[str, Callable[[SparkSession, StreamDef], DataFrame]] = {
    "rate": _rate,
    "socket": _socket,
    FORMAT: _nexmark,
}
"""The formats that are not files."""
