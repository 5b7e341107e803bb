"""What queries can name: streams and tables of a script, and files, whose columns are inferred when they are named."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from punctum.algebra.values import Value
from punctum.analyse.safety.updates import changing
from punctum.compile import CompiledQuery, Options, compile_query, read_script
from punctum.engine.infer.inferred import InferredStream, inferred
from punctum.engine.sources.directories import anchored
from punctum.engine.sources.tables import members
from punctum.errors import Place, PunctumError, SqlError, nearest
from punctum.ir.definitions import StreamDef, TableColumn, TableDef
from punctum.ir.expressions.zones import WITHOUT
from punctum.ir.windows import window
from punctum.parse.script import is_query, named_files, parse_script


@dataclass
class Known:
    """Streams, tables and files; relative names of files start where the program runs."""

    base: Path = field(default_factory=Path)
    zone: str = WITHOUT
    streams: dict[str, StreamDef] = field(default_factory=dict)
    tables: dict[str, TableDef] = field(default_factory=dict)
    files: dict[str, InferredStream] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    """Statements that were not in a script."""
    scripts: list[Path] = field(default_factory=list)

    def read(self, script: Path) -> None:
        """Take the streams and tables of a script; its paths are relative to it. Its queries are left aside."""
        self._define(read_script(script), script.parent)
        self.scripts.append(script)

    def define(self, sql: str) -> list[str]:
        """Take the streams and tables of some statements, and give their names."""
        names = self._define(sql, self.base)
        self.texts.append(sql.strip().rstrip(";") + ";")
        return names

    def _define(self, sql: str, directory: Path) -> list[str]:
        defined, base = parse_script(sql, self.streams, zone=self.zone), directory.resolve()
        self.streams |= {name: anchored(stream, base) for name, stream in defined.streams.items()}
        self.tables |= {name: _table(table, base) for name, table in defined.tables.items()}
        return [*defined.streams, *defined.tables]

    def ask(self, sql: str, follow: bool = False) -> CompiledQuery:
        """A query, compiled over files as they are now: one that ends with them gives its groups once, when final."""
        for name, _ in named_files(sql):
            self.files.pop(name, None)
        query = self.compiled(sql)
        groups = changing(query.query.relation) if query.analysis.updates and not follow else None
        if groups is None or window(groups.input) is not None:
            return query
        return query.again(replace(query.options, updates=False))

    def compiled(self, sql: str) -> CompiledQuery:
        """A query as the register sees it; files that were looked at before are not looked at again."""
        if not is_query(sql):
            raise _no_query(sql)
        files = dict(self._files(sql))
        streams = self.streams | {name: inferred_stream.stream() for name, inferred_stream in files.items()}
        try:
            options = Options(streams=streams, tables=self.tables, members=self._members, zone=self.zone)
            return compile_query(sql, "query", options)
        except SqlError as error:
            raise self._unquoted(_left_out(error, files)) from None

    def _unquoted(self, error: SqlError) -> SqlError:
        """An error on a stream that there is not says so when there are files of its name."""
        name = error.what.removeprefix("there is no stream ")
        if name != error.what and not name.startswith("'") and (self.base / name).exists():
            error.hint = f"files stand in quotes: FROM '{name}'"
        return error

    def look(self, name: str) -> InferredStream:
        """The stream of some files, as it was when they were first looked at."""
        if name not in self.files:
            self.files[name] = inferred(name, self.base)
        return self.files[name]

    def patterns(self) -> dict[str, Path]:
        """Where the names of files start, by these names."""
        return {name: inferred_stream.files.base for name, inferred_stream in self.files.items()}

    def _files(self, sql: str) -> Iterator[tuple[str, InferredStream]]:
        """The files that a query names, each once."""
        lower: dict[str, str] = {}
        for name, place in named_files(sql):
            if lower.setdefault(name.lower(), name) != name:
                detail = f"'{name}' and '{lower[name.lower()]}'"
                raise SqlError(
                    "two names of files differ in case alone", detail, "read them in two queries", place, sql
                )
            if name in self.streams:
                continue
            yield name, self._looked(name, place, sql)

    def _looked(self, name: str, place: Place, sql: str) -> InferredStream:
        try:
            return self.look(name)
        except PunctumError as error:
            raise SqlError(error.what, error.detail, error.hint, place, sql) from None

    def _members(self, column: TableColumn) -> tuple[Value, ...]:
        return members(column, self.base)


def _no_query(sql: str) -> SqlError:
    """The error for what is not a SELECT."""
    first = next(iter(sql.split()), "")
    hint = (
        nearest(first, ["SELECT", "WITH"]) or "write a SELECT; punctum run takes a script with CREATE and INSERT INTO"
    )
    return SqlError("this is not a query", f"it begins with {first}" if first else "it is empty", hint)


def _table(table: TableDef, base: Path) -> TableDef:
    """A table whose path does not depend on where a query runs."""
    return replace(table, options={**table.options, "path": str(base / table.options["path"])})


def _left_out(error: SqlError, files: Mapping[str, InferredStream]) -> SqlError:
    """An error on a column that is left out says why."""
    for inferred_stream in files.values():
        for name, why in inferred_stream.columns.left_out.items():
            if error.what.lower() == f"there is no column {name}".lower():
                hint = "write CREATE STREAM with the type that you want"
                return SqlError(error.what, why, hint, error.place, error.sql)
    return error
