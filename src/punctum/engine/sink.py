"""Sinks: where the result of a query is written."""

from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from punctum.errors import SchemaError, choices
from punctum.parse.definitions import SinkDef

FORMATS = ("json", "parquet", "console")
_OURS = {"path", "punctuations"}


def write(result: DataFrame, sink: SinkDef, checkpoint: str, directory: str, available_now: bool) -> StreamingQuery:
    """Start a query that writes a result to a sink."""
    if sink.format not in FORMATS:
        hint = choices(FORMATS) + "; for any other sink of Spark's, use dataframe()"
        raise SchemaError(f"the format {sink.format} of {sink.name} is not supported", "", hint)
    writer = result.writeStream.format(sink.format).queryName(sink.name).outputMode("append")
    writer = writer.option("checkpointLocation", checkpoint)
    if sink.format == "json":
        writer = writer.option("ignoreNullFields", "false")
    for name, value in sink.options.items():
        writer = writer if name in _OURS else writer.option(name, value)
    if sink.format != "console":
        if "path" not in sink.options:
            raise SchemaError(f"the sink {sink.name} has no path", "", "OPTIONS (path 'directory')")
        writer = writer.option("path", str(Path(directory) / sink.options["path"]))
    return (writer.trigger(availableNow=True) if available_now else writer.trigger(processingTime="0 seconds")).start()
