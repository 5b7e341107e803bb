"""What Postgres cannot take: options, tables, passwords; and passwords are in no error."""

import re
import socket
import struct
import threading

import pytest

from engine.postgres import ITEM, SECRET, execute, table
from punctum.engine.sinks.postgres import PostgresTable
from punctum.errors import PunctumError, QueryError, SchemaError
from punctum.ir.definitions import SinkDef


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"table": "t"}, SchemaError, "the sink s has no url"),
        ({"url": ""}, SchemaError, "the sink s has no table"),
        *(
            ({"url": "", "table": name}, SchemaError, "the sink s has no valid table name")
            for name in ("", "a.b.c", "a..b", '"a', 'a"b"', "a b", "my-table", "1a", '""', "a.", '"\0"')
        ),
        ({"url": "", "table": "pg_temp.t"}, SchemaError, "the schema pg_temp belongs to Postgres"),
        ({"url": "", "table": "t" * 64}, SchemaError, "it has more than 63 bytes"),
        ({"url": "", "table": "t", "key": "item"}, SchemaError, "there is no column item"),
        ({"url": "", "table": "t", "key": "itemid,,total"}, SchemaError, "the sink s has no valid key"),
        ({"url": "postgresql:///none?host=/nowhere", "table": "t"}, QueryError, "the database does not respond"),
    ],
)
def test_wrong_options(options: dict[str, str], error: type[PunctumError], said: str) -> None:
    with pytest.raises(error, match=re.escape(said)):
        PostgresTable.of(SinkDef("s", "postgres", options), ITEM).prepared()


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("CREATE TABLE t (itemid BIGINT)", 'the table "public"."t" has no column total'),
        ("CREATE TABLE t (itemid INT, total DOUBLE PRECISION)", "it is INTEGER, but the result has BIGINT"),
        ("CREATE TABLE t (itemid BIGINT, total REAL)", "it is REAL, but the result has DOUBLE PRECISION"),
        ("CREATE TABLE t (itemid BIGINT, total FLOAT8, x INT NOT NULL)", "the result has no x, which is NOT NULL"),
        (
            "CREATE TABLE t (itemid BIGINT, total FLOAT8 GENERATED ALWAYS AS (itemid * 2) STORED)",
            "it is computed by Postgres",
        ),
        ("CREATE TABLE t (itemid BIGINT, total FLOAT8)", '("itemid") has no unique index'),
        ("CREATE TABLE t (itemid BIGINT, total FLOAT8, UNIQUE (itemid, total))", "has no unique index"),
        ("CREATE TABLE t (itemid BIGINT UNIQUE DEFERRABLE, total FLOAT8)", "has no unique index"),
        ("CREATE VIEW t AS SELECT 1::BIGINT AS itemid, 1::FLOAT8 AS total", "is not a table"),
        ("CREATE SCHEMA punctum CREATE TABLE batches (x INT)", 'column "query" does not exist'),
        ("DROP SCHEMA public", "there is no schema for the table"),
    ],
)
def test_a_table_that_is_there_and_does_not_fit(url: str, there: str, said: str) -> None:
    execute(url, there)
    with pytest.raises(PunctumError, match=re.escape(said)):
        table(url, "t", ITEM, "itemid")


def test_what_is_punctums_own_is_no_sink(url: str) -> None:
    with pytest.raises(SchemaError, match="is reserved for Punctum"):
        table(url, "punctum.batches", ITEM)


@pytest.mark.parametrize(
    "wrong",
    [
        f"postgresql://u:{SECRET}@/none?host=/nowhere",
        f"postgresql://u:{SECRET}@x@/none?host=/nowhere",
        f"postgresql://u:a@{SECRET}@localhost:1/none",
        f"postgresql://u:a/{SECRET}@localhost:1/none",
        f"postgresql://u:%zz{SECRET}@localhost/none",
        f"postgresql://localhost/none?pasword={SECRET}",
        f"postgresql://localhost/none?{SECRET}",
        f"host=/nowhere password=a {SECRET}",
        f"host=/nowhere password={SECRET}",
        SECRET,
    ],
)
def test_a_password_is_in_no_error(wrong: str) -> None:
    made = SinkDef("s", "postgres", {"url": wrong, "table": "t"})
    with pytest.raises(PunctumError) as raised:
        PostgresTable.of(made, ITEM).prepared()
    assert SECRET not in str(raised.value)
    if isinstance(raised.value, QueryError):
        assert SECRET not in repr(PostgresTable.of(made, ITEM))


def test_a_wrong_password() -> None:
    """Of a server that says so to whoever comes."""
    fields = b'SFATAL\0C28P01\0Mpassword authentication failed for user "u"\0\0'
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            client, _ = server.accept()
            with client:
                client.recv(4096)
                client.sendall(b"E" + struct.pack("!I", len(fields) + 4) + fields)
                client.recv(4096)

        threading.Thread(target=refuse, daemon=True).start()
        options = "sslmode=disable&gssencmode=disable"
        with pytest.raises(QueryError, match="password authentication failed") as raised:
            table(f"postgresql://u:{SECRET}@127.0.0.1:{server.getsockname()[1]}/d?{options}", "t", ITEM)
    assert SECRET not in str(raised.value)
