"""What is wrong with a sink, as far as that is known without opening it: a sink and the columns of its rows in."""

from punctum.algebra.schema import Schema
from punctum.errors import SchemaError
from punctum.ir.definitions import KAFKA, SinkDef, takes_elements
from punctum.ir.expressions import type_text


def check_sink(sink: SinkDef, schema: Schema) -> None:
    """An error when a sink cannot take rows with these columns."""
    nested = next((a for a in schema.attributes if a.type.nested), None)
    written = sink.options.get("format", "json") if sink.format == KAFKA else sink.format
    if nested is not None and written in ("csv", "postgres"):
        detail, hint = f"it is {type_text(nested)}", "name its elements or fields, or use json or parquet"
        raise SchemaError(f"a sink of {written} cannot store the column {nested.name}", detail, hint)
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
