"""Tables: a file, or a directory of files, read once when a query starts. Formats and options are those of streams."""

from pathlib import Path

import polars as pl

from punctum.algebra.values import Value
from punctum.engine.formats.files import READERS
from punctum.engine.sources.listing import is_input
from punctum.errors import MissingError, SchemaError
from punctum.ir.definitions import TableColumn, TableDef
from punctum.operators.columns import to_rows


def members(column: TableColumn, directory: Path) -> tuple[Value, ...]:
    """The values of a table's column, each once and without NULL; relative paths start at a directory."""
    table = column.table
    frames = [_read(table, path) for path in _files(table, directory)]
    values = [value for frame in frames for (value,) in to_rows(frame[:, [column.index]]) if value is not None]
    if not values:
        name = table.schema.names[column.index]
        raise SchemaError(f"the table {table.name} is empty", f"it names no {name} to wait for", "add one or more rows")
    return tuple(dict.fromkeys(values))


def _files(table: TableDef, directory: Path) -> list[Path]:
    path = directory / table.options["path"]
    if path.is_dir():
        return sorted(file for file in path.iterdir() if file.is_file() and is_input(file.name))
    if not path.is_file():
        raise MissingError(f"the file of {table.name} does not exist", str(path), "create it, or fix the path")
    return [path]


def _read(table: TableDef, path: Path) -> pl.DataFrame:
    content = READERS[table.format](path, table.schema, {"rowTag": table.name, **table.options})
    if content.rejected.height:  # a list that is short of a name would close too early
        position, reason, _ = content.rejected.row(0)
        detail = f"{path.name}:{position}: {reason}"
        raise SchemaError(f"the table {table.name} cannot be read", detail, f"it has ({table.schema})")
    return content.piece.rows
