"""What tests with a Postgres server of their own share."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import psycopg

from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.engine.sinks.copy import CopyFiles
from punctum.engine.sinks.postgres import PostgresSink, PostgresTable
from punctum.ir.definitions import SinkDef
from punctum.operators.columns import ColumnarSlice, frame

ITEM = Schema.of(itemid="BIGINT", total="DOUBLE")
SECRET = "h0rse"


class Server(NamedTuple):
    """A server: where it is, and where it keeps its files."""

    url: str
    directory: Path


def execute(url: str, *statements: str) -> None:
    with psycopg.connect(url) as connection:
        for each in statements:
            connection.execute(each)


def read(url: str, sql: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        connection.execute("SET TIME ZONE 'UTC'")
        return connection.execute(sql).fetchall()


def table(url: str, name: str, schema: Schema, key: str = "", groups: tuple[str, ...] | None = None) -> PostgresTable:
    options = {"url": url, "table": name, "key": key}
    return PostgresTable.of(SinkDef("s", "postgres", options), schema, groups).prepared()


def sink(made: PostgresTable, directory: Path, query: str = "q") -> PostgresSink:
    files = CopyFiles(str(directory / "copy"), "s", made.schema, made.key, made.required)
    files.clear()
    return PostgresSink(made, files, query)


def write(to: PostgresSink, batch: int, *buckets: Sequence[Row]) -> list[dict[str, Any]]:
    """Write the rows that buckets give as a batch; what goes to the quarantine."""
    return write_frames(to, batch, *(frame(to.table.schema, rows) for rows in buckets))


def write_frames(to: PostgresSink, batch: int, *buckets: pl.DataFrame) -> list[dict[str, Any]]:
    said = [to.files.write(ColumnarSlice(rows)) for rows in buckets]
    to.commit(batch, [(bucket, name) for bucket, (name, _) in enumerate(said) if name is not None], again=False)
    return [json.loads(record.line()) for _, records in said for record in records]
