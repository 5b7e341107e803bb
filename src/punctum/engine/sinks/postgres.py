"""A table of Postgres as a sink: each batch in one transaction, which also notes the batch's number.

With ``key`` columns a row takes the place of the one with the same key; without, rows are added. Groups that come again
when they change take the place of the row with the same grouping columns, NULL or not; without any, of all. A batch
that is done again after a crash finds its number noted and changes nothing: every row counts once.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import psycopg

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.engine.packing import from_blob
from punctum.engine.sinks.formats import in_text
from punctum.errors import QueryError, SchemaError
from punctum.parse.definitions import SinkDef

BATCHES = "punctum_batches"
"""The table where the last batch of each query is noted."""
_TYPES = {
    Type.BIGINT: "BIGINT",
    Type.DOUBLE: "DOUBLE PRECISION",
    Type.STRING: "TEXT",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMPTZ",
    Type.TIMESTAMP_NTZ: "TIMESTAMP",
}


@dataclass(frozen=True)
class PostgresTable:
    """A table to write to, in a database, and the columns of its key, or those of groups that come again."""

    url: str
    table: str
    schema: Schema
    key: tuple[str, ...]
    groups: tuple[str, ...] | None = None

    @staticmethod
    def of(sink: SinkDef, schema: Schema, groups: tuple[str, ...] | None = None) -> "PostgresTable":
        """The table of a sink's options; rows may be groups that come again, unless the options name a key."""
        for option in ("url", "table"):
            if option not in sink.options:
                hint = "OPTIONS (url 'postgresql://user@host/database', table 'closing', key 'itemid')"
                raise SchemaError(f"the sink {sink.name} has no {option}", "", hint)
        key = tuple(name.strip() for name in sink.options.get("key", "").split(",") if name.strip())
        for name in key:
            schema.index(name)
        return PostgresTable(sink.options["url"], sink.options["table"], schema, key, None if key else groups)

    def prepare(self) -> None:
        """Make the tables that are not there, or say why they cannot be made."""
        with _connected(self.url) as connection:
            connection.execute(f"CREATE TABLE IF NOT EXISTS {BATCHES} (query TEXT PRIMARY KEY, batch BIGINT NOT NULL)")
            columns = [f"{_quoted(a.name)} {_type(a)}" for a in self.schema.attributes]
            columns += [f"PRIMARY KEY ({_names(self.key)})"] if self.key else []
            connection.execute(f"CREATE TABLE IF NOT EXISTS {_quoted(self.table)} ({', '.join(columns)})")

    def writer(self, query: str) -> Callable[[list[Any], int], None]:
        """What writes a batch of a query's packed slices."""

        def write(slices: list[Any], batch: int) -> None:
            frames = [from_blob(bytes(each["rows"])) for each in slices if each["rows"] is not None]
            with _connected(self.url) as connection:
                noted = connection.execute(f"SELECT batch FROM {BATCHES} WHERE query = %s", [query]).fetchone()
                if noted is not None and noted[0] >= batch:
                    return
                for rows in frames:
                    self._write(connection, rows)
                note = f"INSERT INTO {BATCHES} VALUES (%s, %s) ON CONFLICT (query) DO UPDATE SET batch = EXCLUDED.batch"
                connection.execute(note, [query, batch])

        return write

    def _write(self, connection: Any, rows: pl.DataFrame) -> None:
        names = _names(self.schema.names)
        staged = bool(self.key) or self.groups is not None
        if self.key:  # the last row of a key is the one that stays
            rows = rows.unique(self.key, keep="last", maintain_order=True)
        if staged:
            connection.execute(
                f"CREATE TEMP TABLE arrived ON COMMIT DROP AS SELECT {names} FROM {_quoted(self.table)} WITH NO DATA"
            )
        target = "arrived" if staged else _quoted(self.table)
        text = io.BytesIO()
        in_text(rows, self.schema).write_csv(text, include_header=False)
        with connection.cursor().copy(f"COPY {target} ({names}) FROM STDIN WITH (FORMAT csv)") as copy:
            copy.write(text.getvalue())
        if self.groups is not None:
            same = [f"old.{_quoted(n)} IS NOT DISTINCT FROM arrived.{_quoted(n)}" for n in self.groups]
            where = " AND ".join(same) or "true"
            connection.execute(f"DELETE FROM {_quoted(self.table)} AS old USING arrived WHERE {where}")
            connection.execute(f"INSERT INTO {_quoted(self.table)} ({names}) SELECT {names} FROM arrived")
        if self.key:
            others = [n for n in self.schema.names if n not in self.key]
            update = ", ".join(f"{_quoted(n)} = EXCLUDED.{_quoted(n)}" for n in others)
            does = f"UPDATE SET {update}" if others else "NOTHING"
            connection.execute(
                f"INSERT INTO {_quoted(self.table)} ({names}) SELECT {names} FROM arrived "
                f"ON CONFLICT ({_names(self.key)}) DO {does}"
            )
        if staged:
            connection.execute("DROP TABLE arrived")


def _connected(url: str) -> Any:
    """A connection whose block is a transaction."""
    try:
        return psycopg.connect(url)
    except psycopg.Error as error:
        raise QueryError(
            "the database does not answer", str(error).strip().splitlines()[0], "see the sink's url"
        ) from None


def _type(attribute: Attribute) -> str:
    return "NUMERIC({}, {})".format(*attribute.digits) if attribute.type is Type.DECIMAL else _TYPES[attribute.type]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(_quoted, names))
