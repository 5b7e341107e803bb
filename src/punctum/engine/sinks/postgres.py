"""A table of Postgres as a sink: each batch in one transaction, which also notes the batch's number.

Workers write the rows of a batch as files of text (``copy.py``), and the end of the batch has COPY read them, file by
file, so that a batch may be of any size. With ``key`` columns a row takes the place of the one with the same key;
without, rows are added. Groups that come again when they change take the place of the row with the same grouping
columns, NULL or not; without any, of all. Of several such rows in a batch the last one counts. A batch that is done
again after a crash finds its number noted and changes nothing: every row counts once.
"""

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple

import psycopg

from punctum.algebra.schema import Schema
from punctum.engine.sinks.copy import CopyFiles
from punctum.engine.sinks.postgres_names import (
    TableName,
    address,
    check_lengths,
    check_url,
    column_list,
    quoted,
    table_name,
)
from punctum.engine.sinks.postgres_tables import NOTES, prepare
from punctum.errors import QueryError, SchemaError
from punctum.ir.definitions import SinkDef
from punctum.ir.references import resolved
from punctum.storage.files import fetched
from punctum.storage.location import Location

PAUSES = (1.0, 3.0, 9.0)
"""Seconds until a batch is tried again when the connection has been lost."""
_LOG = logging.getLogger("punctum")
_PIECE = 1 << 20
_ARRIVED = "pg_temp.arrived"
"""Where rows are before they take the places of others. No table of a user is in this schema."""


@dataclass(frozen=True)
class PostgresTable:
    """A table to write to, in a database, and the columns of its key, or those of groups that come again."""

    url: str = field(repr=False)
    name: TableName
    schema: Schema
    key: tuple[str, ...]
    groups: tuple[str, ...] | None = None
    required: tuple[str, ...] = ()
    """The columns that cannot be NULL."""
    password: str = field(default="", repr=False)
    pauses: tuple[float, ...] = PAUSES

    @staticmethod
    def of(sink: SinkDef, schema: Schema, groups: tuple[str, ...] | None = None) -> "PostgresTable":
        """The table of a sink's options; rows may be groups that come again, unless the options name a key."""
        for option in ("url", "table"):
            if option not in sink.options:
                hint = "OPTIONS (url 'postgresql://user@host/database', table 'closing', key 'itemid')"
                raise SchemaError(f"the sink {sink.name} has no {option}", "", hint)
        check_url(sink.options["url"], sink.name)
        name = table_name(sink.options["table"], sink.name)
        check_lengths(name, schema)
        key = column_list(sink.options.get("key", ""), sink.name, schema)
        url, password = sink.options["url"], sink.options.get("password", "")
        return PostgresTable(url, name, schema, key, None if key else groups, password=password)

    def prepared(self) -> "PostgresTable":
        """Make the tables that are not there, or say why they cannot be made; the same table, and where it is."""
        check_url(address(self.url), str(self.name))
        try:
            with self._connected() as connection:
                name, required = prepare(connection, self.name, self.schema, self.key)
        except psycopg.Error as error:
            raise _failure(f"the table {self.name} cannot be created", error) from None
        return replace(self, name=name, required=tuple(sorted(required)))

    def others(self, query: str) -> list[str]:
        """The ids of other queries that have written to it."""
        try:
            with self._connected() as connection:
                rows = connection.execute(_OTHERS, [query, str(self.name)]).fetchall()
        except psycopg.Error as error:
            raise _failure(f"the table {NOTES} cannot be read", error) from None
        return [str(other) for (other,) in rows]

    def write(self, query: str, batch: int, files: Sequence[Location]) -> None:
        """Write the files of a query's batch, unless it has been written before; when the connection is lost, again."""
        for pause in (*self.pauses, None):
            try:
                self._write(query, batch, files)
                return
            except psycopg.OperationalError as error:
                if pause is None:
                    raise _failure(f"batch {batch} was not written to {self.name}", error) from None
                _LOG.warning("%s: %s; retrying batch %d in %g s", self.name, _line(error), batch, pause)
                time.sleep(pause)
            except psycopg.Error as error:
                raise _failure(f"the table {self.name} rejects batch {batch}", error) from None

    def _write(self, query: str, batch: int, files: Sequence[Location]) -> None:
        with self._connected() as connection:
            noted = connection.execute(_NOTE, [query, str(self.name), batch])  # waits for a run that is being killed
            if noted.rowcount == 0:
                return
            names = _names(self.schema.names)
            staged = bool(self.key) or self.groups is not None
            if staged:
                connection.execute(
                    f"CREATE TEMP TABLE arrived ON COMMIT DROP AS SELECT {names} FROM {self.name} WITH NO DATA"
                )
                connection.execute(f"ALTER TABLE {_ARRIVED} ADD {self._order} BIGINT GENERATED ALWAYS AS IDENTITY")
            for file in files:
                _copy(connection, f"COPY {_ARRIVED if staged else self.name} ({names}) FROM STDIN", file)
            if self.groups is not None:
                connection.execute(f"DELETE FROM {self.name} AS old USING {_ARRIVED} AS new WHERE {_same(self.groups)}")
                connection.execute(f"INSERT INTO {self.name} ({names}) {self._last(self.groups)}")
            if self.key:
                others = [quoted(n) for n in self.schema.names if n not in self.key]
                update = ", ".join(f"{name} = EXCLUDED.{name}" for name in others)
                does = f"UPDATE SET {update}" if others else "NOTHING"
                conflict = f"ON CONFLICT ({_names(self.key)}) DO {does}"
                connection.execute(f"INSERT INTO {self.name} ({names}) {self._last(self.key)} {conflict}")

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """A connection whose block is a transaction."""
        password = resolved(self.password) if self.password else None  # as the url has it
        with psycopg.connect(address(self.url), client_encoding="UTF8", password=password) as connection:
            yield connection

    @property
    def _order(self) -> str:
        """A name that no column has, for the order in which rows have arrived."""
        return quoted(next(name for n in count() if (name := f"n{n}") not in self.schema.positions))

    def _last(self, columns: Sequence[str]) -> str:
        """The last one of the rows that have arrived with the same values."""
        names, of = _names(self.schema.names), _names(columns)
        if not columns:
            return f"SELECT {names} FROM {_ARRIVED} ORDER BY {self._order} DESC LIMIT 1"
        return f"SELECT DISTINCT ON ({of}) {names} FROM {_ARRIVED} ORDER BY {of}, {self._order} DESC"


class PostgresSink(NamedTuple):
    """A table that gets a query's results from files, batch by batch."""

    table: PostgresTable
    files: CopyFiles
    query: str
    stables: None = None

    def commit(self, batch: int, written: Iterable[tuple[int | str, str]], again: bool) -> None:
        """Write the files of a batch, by bucket, to the table; they are of no use after that."""
        self.table.write(self.query, batch, [self.files.path(name) for _, name in written])
        self.files.clear()


_OTHERS = f'SELECT query FROM {NOTES} WHERE query <> %s AND "table" = %s'
_NOTE = f"""INSERT INTO {NOTES} AS noted (query, "table", batch) VALUES (%s, %s, %s)
    ON CONFLICT (query, "table") DO UPDATE SET batch = EXCLUDED.batch WHERE noted.batch < EXCLUDED.batch"""


def _copy(connection: Any, statement: str, file: Location) -> None:
    with fetched(file) as local, connection.cursor().copy(statement) as copy, local.open("rb") as text:
        while piece := text.read(_PIECE):
            copy.write(piece)


def _same(names: Sequence[str]) -> str:
    """Whether two rows have the same values, NULL or not; the texts are compared for the sake of a hash join."""
    pairs = [(f"old.{quoted(name)}", f"new.{quoted(name)}") for name in names]
    texts = [f"coalesce({old}::text, '') = coalesce({new}::text, '')" for old, new in pairs]
    return " AND ".join([*texts, *(f"{old} IS NOT DISTINCT FROM {new}" for old, new in pairs)]) or "true"


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names))


def _line(error: psycopg.Error) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _failure(what: str, error: psycopg.Error) -> QueryError:
    detail = "; ".join(filter(None, (_line(error), error.diag.message_detail)))
    if isinstance(error, psycopg.OperationalError):
        hint = "check the server and the sink's url, then run the same command again to resume"
        return QueryError("the database does not respond", f"{what}: {detail}", hint)
    return QueryError(what, detail, "change the table or name another one, then run the same command again to resume")
