"""Tables: a file, or a directory of files, read once when a query starts. Formats and options are those of streams.

Those that streams are joined with are stored in the checkpoint, so that a batch that is done again, and a query that is
started again, meet the same rows. With the option ``refresh`` a table is read again when its files change, and stored
as another version (``refresh.py``). Workers read the stored rows, each once, and each holds all of them: a table that
is larger than it may be is an error before a worker dies of it.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from tempfile import mkdtemp

import polars as pl

from punctum.algebra.values import Value
from punctum.engine.formats.files import READERS
from punctum.engine.recovery.checkpoint import begun
from punctum.engine.recovery.durable import lost, writing
from punctum.engine.recovery.names import file_name
from punctum.engine.sources.listing import is_input
from punctum.engine.sources.pipe import Piped
from punctum.engine.sources.refresh import RefreshedTable
from punctum.errors import MissingError, SchemaError
from punctum.ir.definitions import StreamDef, TableColumn, TableDef
from punctum.ir.lookup import Lookup
from punctum.ir.tree import Relation, sources, walk
from punctum.operators.columns import empty, to_rows
from punctum.plan.physical.pipes import as_pipe
from punctum.storage.files import fetched, filled
from punctum.storage.location import Location, StorePath, joined, location


def members(column: TableColumn, directory: Location) -> tuple[Value, ...]:
    """The values of a table's column, each once and without NULL; relative paths start at a directory."""
    table = column.table
    frames = _frames(table, joined(directory, table.options["path"]))
    values = [value for frame in frames for (value,) in to_rows(frame[:, [column.index]]) if value is not None]
    if not values:
        name = table.schema.names[column.index]
        raise SchemaError(f"the table {table.name} is empty", f"it names no {name} to wait for", "add one or more rows")
    return tuple(dict.fromkeys(values))


MOST_MEGABYTES = 512
"""How large a table may be that does not say."""
_GIVEN: ContextVar[Mapping[str, str]] = ContextVar("tables")


@contextmanager
def stored_tables(bases: Mapping[str, str]) -> Iterator[None]:
    """What is built inside looks rows up in tables whose versions are stored in files that begin so, by their names."""
    before = _GIVEN.set(bases)
    try:
        yield
    finally:
        _GIVEN.reset(before)


def versions_of(table: Relation) -> Callable[[int], pl.DataFrame]:
    """Gives the rows of each version of a table, selected and computed as a relation says."""
    pipe = as_pipe(table)
    assert pipe is not None
    base, name, steps = _GIVEN.get()[pipe.stream.name], pipe.stream.name, Piped(pipe.steps)

    def rows_of(version: int) -> pl.DataFrame:
        path = _there(base, version)
        rows, failed = steps.behind(_stored(str(path), path.stat().st_mtime_ns))
        for _, reason in failed:
            raise SchemaError(f"the table {name} cannot be used", reason, "correct the row, or the condition")
        return rows

    return rows_of


@lru_cache(maxsize=64)
def _stored(path: str, changed: int) -> pl.DataFrame:
    with fetched(location(path)) as file:
        return pl.read_ipc(file)


def _there(base: str, version: int) -> Location:
    """The file of a version; the state of another checkpoint may name one of that, and goes on with the first here."""
    path, started = _path(base, version), location(base).parent.parent / "state.json"
    return _path(base, 0) if not path.exists() and started.exists() else path


def _path(base: str, version: int) -> Location:
    return location(f"{base}.{version}.arrow")


def store_tables(tables: Iterable[StreamDef], checkpoint: str, directory: Location, stage: int) -> dict[str, str]:
    """How the files begin in which a stage's tables are stored, by their names: as they were when the query began."""
    room = location(checkpoint) / "punctum" / "tables" if checkpoint else Path(mkdtemp(prefix="punctum-tables-"))
    bases = {table.name: str(room / f"{file_name(table.name)}-{stage}") for table in tables}
    for table in tables:
        path = _path(bases[table.name], 0)
        if not path.exists() and checkpoint and begun(checkpoint):
            raise lost(path)
        if not path.exists():
            _write(whole_table(table, joined(directory, table.options["path"])), path)
    return bases


def refreshed_table(table: StreamDef, directory: Location, base: str) -> RefreshedTable:
    """A table that is read again, for the source of the streams that meet it."""
    return RefreshedTable(table.name, str(joined(directory, table.options["path"])), base, pickle.dumps(table))


def next_version(table: StreamDef, files: Location, base: str, before: int) -> int:
    """The version of a table as its files are now: the one before, if nothing is different, or a new one."""
    rows, known = whole_table(table, files), _stored(str(path := _path(base, before)), path.stat().st_mtime_ns)
    if rows.equals(known):
        return before
    _write(rows, _path(base, before + 1))
    return before + 1


def _write(rows: pl.DataFrame, path: Location) -> None:
    with writing(path):
        if isinstance(path, StorePath):
            with filled(path) as file:
                rows.write_ipc(file)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        rows.write_ipc(half := path.with_suffix(".half"))
        half.replace(path)


def check_tables(relations: Iterable[Relation], directory: Location) -> None:
    """An error when a table in which rows are looked up is not there, or has rows that cannot be read."""
    lookups = (node for relation in relations for node in walk(relation) if isinstance(node, Lookup))
    for table in {source.stream.name: source.stream for node in lookups for source in sources(node.table)}.values():
        whole_table(table, joined(directory, table.options["path"]))


def whole_table(table: StreamDef, path: Location) -> pl.DataFrame:
    """All rows of a table, as its files are now."""
    assert table.format is not None
    of = TableDef(table.name, table.schema, table.format, table.options)
    return pl.concat([empty(table.schema), *_frames(of, path)])


def _frames(table: TableDef, path: Location) -> list[pl.DataFrame]:
    """The rows of each file, as long as there are not too many."""
    files, most = _files(table, path), int(table.options.get("maxMegabytes", MOST_MEGABYTES)) * 1_000_000
    _check_size(table, sum(file.stat().st_size for file in files), most)
    frames, size = list[pl.DataFrame](), 0
    for file in files:
        frames.append(_read(table, file))
        size += int(frames[-1].estimated_size())
        _check_size(table, size, most)
    return frames


def _check_size(table: TableDef, size: int, most: int) -> None:
    if size > most:
        limit = f"the limit is {most // 1_000_000:,} MB"
        detail = f"it has {-(-size // 1_000_000):,} MB or more, and each worker holds all of it; {limit}"
        hint = "raise maxMegabytes, or make it a stream that ends: PUNCTUATED ON its key"
        raise SchemaError(f"the table {table.name} is too large", detail, hint)


def _files(table: TableDef, path: Location) -> list[Location]:
    if path.is_dir():
        return sorted(file for file in path.iterdir() if file.is_file() and is_input(file.name))
    if not path.is_file():
        raise MissingError(f"the file of {table.name} does not exist", str(path), "create it, or fix the path")
    return [path]


def _read(table: TableDef, path: Location) -> pl.DataFrame:
    content = READERS[table.format](path, table.schema, {"rowTag": table.name, **table.options})
    if content.rejected.height:  # a list that is short of a name would close too early
        position, reason, _ = content.rejected.row(0)
        detail = f"{path.name}:{position}: {reason}"
        raise SchemaError(f"the table {table.name} cannot be read", detail, f"it has ({table.schema})")
    return content.piece.rows
