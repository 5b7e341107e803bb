"""Tables: a file, or a directory of files, read once when a query starts. Formats and options are those of streams.

Those that streams are joined with are stored in the checkpoint, so that a batch that is done again, and a query that is
started again, meet the same rows. With the option ``refresh`` a table is read again when the query starts again and no
batch is left half done, and stored as another version if it has changed. Workers read the stored rows, each once.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp

import polars as pl

from punctum.algebra.values import Value
from punctum.engine.formats.files import READERS
from punctum.engine.recovery.checkpoint import begun, pending
from punctum.engine.recovery.durable import lost, writing
from punctum.engine.recovery.names import file_name
from punctum.engine.sources.listing import is_input
from punctum.engine.sources.pipe import Piped
from punctum.errors import MissingError, SchemaError
from punctum.ir.definitions import StreamDef, TableColumn, TableDef
from punctum.ir.lookup import Lookup
from punctum.ir.tree import Relation, sources, walk
from punctum.operators.columns import empty, to_rows
from punctum.plan.physical.pipes import as_pipe


def members(column: TableColumn, directory: Path) -> tuple[Value, ...]:
    """The values of a table's column, each once and without NULL; relative paths start at a directory."""
    table = column.table
    frames = [_read(table, path) for path in _files(table, directory)]
    values = [value for frame in frames for (value,) in to_rows(frame[:, [column.index]]) if value is not None]
    if not values:
        name = table.schema.names[column.index]
        raise SchemaError(f"the table {table.name} is empty", f"it names no {name} to wait for", "add one or more rows")
    return tuple(dict.fromkeys(values))


_GIVEN: ContextVar[Mapping[str, str]] = ContextVar("tables")


@contextmanager
def stored_tables(paths: Mapping[str, str]) -> Iterator[None]:
    """What is built inside looks rows up in tables that are stored in these files, by their names."""
    before = _GIVEN.set(paths)
    try:
        yield
    finally:
        _GIVEN.reset(before)


def rows_of(table: Relation) -> pl.DataFrame:
    """The rows of a table, selected and computed as a relation says."""
    pipe = as_pipe(table)
    assert pipe is not None
    rows, failed = Piped(pipe.steps).behind(_stored(_GIVEN.get()[pipe.stream.name]))
    for _, reason in failed:
        raise SchemaError(f"the table {pipe.stream.name} cannot be used", reason, "correct the row, or the condition")
    return rows


@lru_cache(maxsize=64)
def _stored(path: str) -> pl.DataFrame:
    return pl.read_ipc(path)


def store_tables(tables: Iterable[StreamDef], checkpoint: str, directory: Path) -> dict[str, str]:
    """Where the rows of tables are stored, by their names: as they were when the query began, or as they are now."""
    return {table.name: str(_store(table, checkpoint, directory)) for table in tables}


def _store(table: StreamDef, checkpoint: str, directory: Path) -> Path:
    room = Path(checkpoint) / "punctum" / "tables" if checkpoint else Path(mkdtemp(prefix="punctum-tables-"))
    known = sorted(room.glob(f"{file_name(table.name)}.*.arrow"), key=lambda path: int(path.suffixes[-2][1:]))
    refreshed = table.options.get("refresh", "").lower() == "true"
    if known and not (refreshed and not pending(Path(checkpoint))):
        return known[-1]
    first = room / f"{file_name(table.name)}.0.arrow"
    if not known and checkpoint and begun(checkpoint):
        raise lost(first)
    rows = _whole(table, directory)
    if known and rows.equals(pl.read_ipc(known[-1])):
        return known[-1]
    path = room / f"{file_name(table.name)}.{len(known)}.arrow"
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        rows.write_ipc(half := path.with_suffix(".half"))
        half.rename(path)
    return path


def check_tables(relations: Iterable[Relation], directory: Path) -> None:
    """An error when a table in which rows are looked up is not there, or has rows that cannot be read."""
    lookups = (node for relation in relations for node in walk(relation) if isinstance(node, Lookup))
    for table in {source.stream.name: source.stream for node in lookups for source in sources(node.table)}.values():
        _whole(table, directory)


def _whole(table: StreamDef, directory: Path) -> pl.DataFrame:
    """All rows of a table, as its files are now."""
    assert table.format is not None
    of = TableDef(table.name, table.schema, table.format, table.options)
    return pl.concat([empty(table.schema), *(_read(of, path) for path in _files(of, directory))])


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
