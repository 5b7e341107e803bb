"""What is wrong with a sink, as far as that is known without opening it: a sink and the columns of its rows in."""

from punctum.algebra.schema import Schema
from punctum.errors import SchemaError
from punctum.ir.definitions import KAFKA, SinkDef, takes_elements, takes_punctuations
from punctum.ir.expressions import type_text

TABLES = ("delta", "iceberg")
"""The formats of tables that Spark's own writers write."""


def _check_partitions(sink: SinkDef, schema: Schema) -> None:
    """An error when a sink cannot be partitioned by its columns."""
    for name in sink.partitioned:
        attribute = schema.attributes[schema.index(name)]
        if attribute.type.nested:
            detail = f"it is {type_text(attribute)}"
            raise SchemaError(f"{sink.name} cannot be partitioned by {name}", detail, "name another column")
    if sink.partitioned and len(sink.partitioned) == len(schema):
        detail = "a row has to have a column beside those in its directory"
        raise SchemaError(f"{sink.name} is partitioned by all its columns", detail, "leave one out")
    if sink.partitioned and takes_punctuations(sink):
        detail = "a punctuation holds for all directories, and a reader of one would not see it"
        raise SchemaError(f"{sink.name} is partitioned and cannot have punctuations", detail, "leave one out")


def check_sink(sink: SinkDef, schema: Schema) -> None:
    """An error when a sink cannot take rows with these columns."""
    nested = next((a for a in schema.attributes if a.type.nested), None)
    written = sink.options.get("format", "json") if sink.format == KAFKA else sink.format
    if nested is not None and written in ("csv", "postgres"):
        detail, hint = f"it is {type_text(nested)}", "name its elements or fields, or use json or parquet"
        raise SchemaError(f"a sink of {written} cannot store the column {nested.name}", detail, hint)
    if sink.format in TABLES and nested is None and takes_elements(sink):
        raise SchemaError(f"a sink of {sink.format} cannot store elements", "", "write rows")
    _check_partitions(sink, schema)
    if sink.format == KAFKA:
        from punctum.engine.sinks.topic import MessageFiles  # here because Polars takes a moment to import

        MessageFiles.of(sink, schema)
    if sink.format != "postgres":
        return
    from punctum.engine.sinks.postgres import PostgresTable  # here because its driver takes a moment to import

    if takes_elements(sink):
        raise SchemaError(
            f"the sink {sink.name} cannot store elements", "a table stores rows", "remove the option elements"
        )
    PostgresTable.of(sink, schema)
