"""Sinks: where the result of a query is written.

A result with punctuations has a column ``_punct``. JSON gets a line for each of its elements, other formats the column.
"""

from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.streaming.query import StreamingQuery

from punctum.engine.files import PUNCT_COLUMN
from punctum.errors import SchemaError, choices
from punctum.parse.definitions import SinkDef

FORMATS = ("json", "parquet", "console")
_OURS = {"path", "punctuations"}
_JSON = {
    "ignoreNullFields": "false",
    "timeZone": "UTC",  # offsets of long ago have seconds, which no format writes
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",  # Spark's own has milliseconds
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


def says(sink: SinkDef) -> bool:
    """Whether punctuations are to be written."""
    written = sink.options.get("punctuations", "false").lower()
    if written not in ("true", "false"):
        raise SchemaError(f"punctuations of {sink.name} is neither true nor false", written, "punctuations 'true'")
    return written == "true"


def write(result: DataFrame, sink: SinkDef, checkpoint: str, directory: str, available_now: bool) -> StreamingQuery:
    """Start a query that writes a result to a sink."""
    if sink.format not in FORMATS:
        hint = choices(FORMATS) + "; for any other sink of Spark's, use dataframe()"
        raise SchemaError(f"the format {sink.format} of {sink.name} is not supported", "", hint)
    if sink.format != "console" and "path" not in sink.options:
        raise SchemaError(f"the sink {sink.name} has no path", "", "OPTIONS (path 'directory')")
    options = {name: value for name, value in sink.options.items() if name not in _OURS}
    format_ = sink.format
    if format_ == "json":
        options = _JSON | options
        if says(sink):
            result, format_ = _lines(result, options), "text"
    writer = result.writeStream.format(format_).queryName(sink.name).outputMode("append").options(**options)
    writer = writer.option("checkpointLocation", checkpoint)
    if "path" in sink.options:
        writer = writer.option("path", str(Path(directory) / sink.options["path"]))
    return (writer.trigger(availableNow=True) if available_now else writer.trigger(processingTime="0 seconds")).start()


def _lines(result: DataFrame, options: dict[str, str]) -> DataFrame:
    """Rows and punctuations as lines of JSON; only text can hold both, since an object has the fields of its schema."""
    columns = [F.col("`" + name.replace("`", "``") + "`") for name in result.columns if name != PUNCT_COLUMN]
    return result.select(F.coalesce(F.col(PUNCT_COLUMN), F.to_json(F.struct(*columns), options)).alias("value"))
