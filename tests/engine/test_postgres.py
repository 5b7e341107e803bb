"""A Postgres server of the test's own: rows of every type, hard names, keys that come again, batches done again."""

import json
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

import polars as pl
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

import strategies
from engine.postgres import ITEM, SECRET, Server, execute, read, sink, table, write, write_frames
from engine.values import HARD
from lanes import examples
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Row, Type
from punctum.engine.sinks import postgres
from punctum.errors import QueryError, SchemaError
from punctum.operators.columns import ColumnarSlice, frame
from punctum.query import Query
from punctum.session import Session

_EXACT = Context(prec=38)


def bag(rows: Sequence[Sequence[Any]]) -> list[str]:
    return sorted(repr([plain(value) for value in row]) for row in rows)


def plain(value: Any) -> Any:
    """One of the values that are equal."""
    if isinstance(value, datetime):
        return (value if value.tzinfo is None else value.astimezone(UTC)).replace(fold=0)
    return value.normalize(_EXACT) if isinstance(value, Decimal) else value


def nul(row: Row) -> bool:
    return any(isinstance(value, str) and "\0" in value for value in row)


@st.composite
def batches(draw: st.DrawFn) -> tuple[Schema, list[list[Row]]]:
    """Rows of any types, decimals of any digits among them, in batches."""
    kinds = draw(st.lists(strategies.types, min_size=1, max_size=4))
    digits = [draw(st.integers(1, 38).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))) for _ in kinds]
    names = draw(st.lists(st.text("aA\"'%,. é\\{}", min_size=1, max_size=4), min_size=len(kinds), max_size=len(kinds)))
    columns = [f"{name}{n}" for n, name in enumerate(names)]
    schema = Schema(tuple(Attribute(c, k, digits=d) for c, k, d in zip(columns, kinds, digits, strict=True)))

    def values(a: Attribute) -> st.SearchStrategy[Any]:
        if a.type is Type.DECIMAL:
            most = 10 ** a.digits[0] - 1
            return st.none() | st.integers(-most, most).map(lambda n: Decimal(n).scaleb(-a.digits[1], _EXACT))
        return st.none() | st.sampled_from(HARD[a.type]) | strategies.wide[a.type]

    rows = st.tuples(*(values(a) for a in schema.attributes)).map(lambda row: schema.row(*row))
    return schema, draw(st.lists(st.lists(rows, max_size=6), min_size=1, max_size=3))


_SOME = examples(25)  # an example costs the server several transactions


@_SOME
@given(batches())
def test_any_row_is_in_the_table_or_in_quarantine(server: Server, given_: tuple[Schema, list[list[Row]]]) -> None:
    schema, written = given_
    execute(server.url, 'DROP TABLE IF EXISTS "any"', "DROP SCHEMA IF EXISTS punctum CASCADE")
    made = table(server.url, "any", schema)
    to = sink(made, server.directory)
    refused = [record for n, rows in enumerate(written) for record in write(to, n, rows[:2], rows[2:])]
    rows = [row for rows in written for row in rows]
    assert bag(read(server.url, 'SELECT * FROM "any"')) == bag([row for row in rows if not nul(row)])
    assert len(refused) == sum(map(nul, rows))
    assert all("contains the character NUL" in record["reason"] for record in refused)


@_SOME
@given(st.data())
def test_keys_and_groups_have_their_last_row(server: Server, data: st.DataObject) -> None:
    """Against a dictionary, with batches that are done again, rows of several buckets, and NULLs."""
    schema = Schema.of(a="BIGINT", b="STRING", v="BIGINT")
    columns = data.draw(st.sampled_from([("a",), ("a", "b"), ("b",), ()]))
    grouped = not columns or data.draw(st.booleans())
    values = st.sampled_from([1, 2, None]), st.sampled_from(["x", "\\.", None]), st.integers(0, 9)
    execute(server.url, "DROP TABLE IF EXISTS arrived", "DROP SCHEMA IF EXISTS punctum CASCADE")
    made = table(server.url, "arrived", schema, "" if grouped else ",".join(columns), columns if grouped else None)
    known: dict[Row, Row] = {}
    for n, rows in enumerate(data.draw(st.lists(st.lists(st.tuples(*values), max_size=8), max_size=4))):
        to = sink(made, server.directory)
        wrong = write(to, n, rows[:3], rows[3:])
        if data.draw(st.booleans()):
            write(to, n, [(7, "again", 7)])
        for row in rows:
            key = tuple(row[i] for i in schema.indices(columns))
            if grouped or None not in key:
                known[key] = row
        keyless = 0 if grouped else sum(None in (row[i] for i in schema.indices(columns)) for row in rows)
        assert len(wrong) == keyless
        assert bag(read(server.url, "SELECT * FROM arrived")) == bag(list(known.values()))


FAR = [-2_440_588, -719_528 - 1, -1, 0, 2_932_897, 2_147_483_493 - 2_440_588]
"""Days from 1970 on: the first one of Postgres, the last one before our era, and the last one of Postgres."""


def test_times_as_far_as_postgres_has_them(url: str, tmp_path: Path) -> None:
    schema, day = Schema.of(d="DATE", t="TIMESTAMP", z="TIMESTAMP_NTZ"), 86_400_000_000
    moments = [max(d * day, -(2**63)) if d < 10**8 else 2**63 - 1 for d in FAR]
    rows = pl.DataFrame(
        {
            "d": pl.Series(FAR, dtype=pl.Int32).cast(pl.Date),
            "t": pl.Series(moments).cast(pl.Datetime("us", "UTC")),
            "z": pl.Series(moments).cast(pl.Datetime("us")),
        }
    )
    to = sink(table(url, "far", schema), tmp_path)
    assert write_frames(to, 0, rows) == []
    exact = "(EXTRACT(epoch FROM date_trunc('day', {0})) + EXTRACT(epoch FROM {0}::time)) * 1000000"
    found = read(url, f"SELECT d - DATE '1970-01-01', {exact.format('t')}, {exact.format('z')} FROM far")
    assert sorted(found) == sorted(zip(FAR, moments, moments, strict=True))
    assert read(url, "SELECT count(*) FROM far WHERE d::text LIKE '%BC'") == [(2,)]
    for wrong in (
        rows[:1].with_columns(pl.lit(-2_440_589).cast(pl.Date).alias("d")),
        rows[:1].with_columns(pl.lit(2**31 - 1).cast(pl.Date).alias("d")),
        rows[:1].with_columns(pl.lit(-2_440_588 * day - 1).cast(pl.Datetime("us")).alias("z")),
    ):
        (record,) = write_frames(to, 1, wrong)
        assert record["reason"].endswith("is outside the range of times in Postgres")
    assert read(url, "SELECT count(*) FROM far") == [(len(FAR),)]


def test_a_value_that_looks_like_the_end_of_a_copy(url: str, tmp_path: Path) -> None:
    rows = [("a",), ("\\.",), ("b",), ("\\N",), ("",), (None,), ("\n\\.\n",), ("long\\" * 2_000_000,)]
    to = sink(table(url, "dots", Schema.of(s="STRING")), tmp_path)
    assert write(to, 0, rows) == []
    assert bag(read(url, "SELECT * FROM dots")) == bag(rows)


def test_rows_that_no_table_can_take(url: str, tmp_path: Path) -> None:
    schema = Schema.of(k="STRING", s="STRING", n="BIGINT")
    execute(url, "CREATE TABLE strict (k TEXT PRIMARY KEY, s TEXT, n BIGINT NOT NULL, more TEXT DEFAULT 'x')")
    to = sink(table(url, "strict", schema, "k"), tmp_path)
    rows = [("a", "a\0b", 1), (None, "", 2), ("k" * 1901, "", 3), ("b", "é", None), ("k" * 1900, None, 5)]
    records = write(to, 0, rows)
    assert [record["reason"] for record in records] == [
        "s contains the character NUL, which Postgres does not support",
        "k is NULL, but the table's column is NOT NULL",
        "the strings of the key have more than 1,900 bytes",
        "n is NULL, but the table's column is NOT NULL",
    ]
    assert json.loads(records[0]["text"]) == {"k": "a", "s": "a\0b", "n": 1}
    assert {record["stream"] for record in records} == {"s"}
    assert read(url, "SELECT k, s, n, more FROM strict") == [(*rows[-1], "x")]
    with pytest.raises(QueryError, match="a row cannot be written to Postgres") as raised:
        replace(to.files, fails=True).write(ColumnarSlice(frame(schema, rows)))
    assert "s contains the character NUL" in raised.value.detail


NAMES = {
    "closing": "public.closing",
    "Public.Closing": "public.closing",
    '"a.b"': 'public."a.b"',
    '"My Schema"."t"': '"My Schema".t',
    '"odd ""name"" %s 100%"': 'public."odd ""name"" %s 100%"',
    "order": 'public."order"',
    "arrived": "public.arrived",
    "batches": "public.batches",
    "punctum.arrived": "punctum.arrived",
    "pg_class": "public.pg_class",
    "größe": 'public."größe"',
}


@pytest.mark.parametrize("name", NAMES)
def test_names_of_tables_and_of_columns(url: str, tmp_path: Path, name: str) -> None:
    execute(url, 'CREATE SCHEMA "My Schema"')
    columns = ['a"b', "select", "Total", "100%", "%s", "n0", "arrived", "it's, so", "old", "é" * 31]
    schema = Schema(tuple(Attribute(column, Type.BIGINT) for column in columns))
    row = tuple(range(len(columns)))
    for key, groups in (("", None), ('"a""b", select, "it\'s, so"', None), ("", ("100%", "Total"))):
        execute(url, "CREATE SCHEMA IF NOT EXISTS punctum", f"DROP TABLE IF EXISTS {NAMES[name]}")
        made = table(url, name, schema, key, groups)
        again = table(url, name, schema, key, groups)
        assert made == again, "a table that is there is the same as one that was made"
        to = sink(made, tmp_path, f"{name}{key}{groups}")
        for batch in range(2):
            write(to, batch, [row, row])
        assert read(url, f"SELECT * FROM {NAMES[name]}") == [row] * (1 if key or groups else 4)


def test_a_table_that_is_there_and_fits(url: str, tmp_path: Path) -> None:
    schema = Schema(
        (Attribute("n", Type.BIGINT), Attribute("s", Type.STRING), Attribute("m", Type.DECIMAL, digits=(5, 2)))
    )
    execute(
        url,
        "CREATE TABLE t (m NUMERIC(7, 3), id INT GENERATED ALWAYS AS IDENTITY, s VARCHAR, n NUMERIC)",
        "CREATE UNIQUE INDEX ON t (n) INCLUDE (s)",
    )
    write(sink(table(url, "t", schema, "n"), tmp_path), 0, [(2**62, "a", Decimal("-999.99")), (1, None, None)])
    assert sorted(read(url, "SELECT n, s, m FROM t")) == [(1, None, None), (2**62, "a", Decimal("-999.990"))]
    execute(url, "TRUNCATE t", "ALTER TABLE t ALTER m TYPE NUMERIC(5, 3)")
    with pytest.raises(SchemaError, match="does not fit"):
        table(url, "t", schema, "n")


def test_rights_that_are_enough(url: str, tmp_path: Path) -> None:
    """A role that may make nothing writes to tables that are there."""
    table(url, "given", ITEM)
    execute(
        url,
        "DROP ROLE IF EXISTS writer",
        "CREATE ROLE writer LOGIN",
        "GRANT USAGE ON SCHEMA public, punctum TO writer",
        "GRANT INSERT ON given TO writer",
        "GRANT SELECT, INSERT, UPDATE ON punctum.batches TO writer",
    )
    to = sink(table(url.replace("postgres:@", "writer@"), "given", ITEM), tmp_path)
    write(to, 0, [(1, 1.0)])
    assert read(url, "SELECT * FROM given") == [(1, 1.0)]
    with pytest.raises(QueryError, match="permission denied"):
        table(url.replace("postgres:@", "writer@"), "another", ITEM)
    execute(url, "DROP OWNED BY writer", "DROP ROLE writer")


def test_a_batch_is_written_once_by_each_query_to_each_table(url: str, tmp_path: Path) -> None:
    """A checkpoint that was copied has the same query, and another table."""
    for name, query in (("one", "a"), ("one", "b"), ("two", "a")):
        for _ in range(2):
            write(sink(table(url, name, ITEM), tmp_path, query), 5, [(1, 1.0)])
    assert [len(read(url, f"SELECT * FROM {name}")) for name in ("one", "two")] == [2, 1]


def test_a_batch_is_written_wholly_or_not_at_all(url: str, tmp_path: Path) -> None:
    to = sink(table(url, "wholly", ITEM), tmp_path)
    names = [str(to.files.write(ColumnarSlice(frame(ITEM, rows)))[0]) for rows in ([(1, 1.0)], [(2, 2.0)])]
    to.files.path(names[1]).write_text("not a row")
    with pytest.raises(QueryError, match="rejects batch 0"):
        to.commit(0, list(enumerate(names)), again=False)
    assert read(url, "SELECT * FROM wholly") == []
    write(to, 0, [(1, 1.0)])
    assert read(url, "SELECT * FROM wholly") == [(1, 1.0)]
    assert list(Path(to.files.directory).iterdir()) == [], "what was written is not kept"


def test_a_table_that_refuses_a_row_says_so(url: str, tmp_path: Path) -> None:
    execute(url, "CREATE TABLE checked (itemid BIGINT CHECK (itemid > 0), total FLOAT8)")
    with pytest.raises(QueryError, match="violates check constraint") as raised:
        write(sink(table(url, "checked", ITEM), tmp_path), 0, [(1, 1.0), (-1, 1.0)])
    assert "(-1, 1)" in raised.value.detail


def test_a_connection_that_is_lost_in_a_batch(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to = sink(replace(table(url, "lost", ITEM), pauses=(0.0, 0.0)), tmp_path)
    copy, left = postgres._copy, 2

    def cut(connection: Any, statement: str, file: Path) -> None:
        nonlocal left
        copy(connection, statement, file)
        if left:
            left -= 1
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            execute(url, f"{others} WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")

    monkeypatch.setattr(postgres, "_copy", cut)
    write(to, 0, [(1, 1.0)], [(2, 2.0)])
    assert (left, bag(read(url, "SELECT * FROM lost"))) == (0, bag([(1, 1.0), (2, 2.0)]))
    left = 9
    with pytest.raises(QueryError, match="the database does not respond"):
        write(to, 1, [(3, 3.0)])
    assert len(read(url, "SELECT * FROM lost")) == 2


def test_a_run_that_was_killed_may_still_be_committing(url: str, tmp_path: Path) -> None:
    """The server has not seen yet that its client is gone, when the next run does the batch again."""
    to = sink(table(url, "slow", ITEM), tmp_path)
    with psycopg.connect(url) as before:
        before.execute(postgres._NOTE, ["q", '"public"."slow"', 0])
        before.execute("INSERT INTO slow VALUES (1, 1)")
        after = threading.Thread(target=write, args=(to, 0, [(1, 1.0)]))
        after.start()
        waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        while after.is_alive() and not read(url, waiting):
            pass
    after.join()
    assert read(url, "SELECT * FROM slow") == [(1, 1.0)]


SCRIPT = """
CREATE STREAM bid (itemid BIGINT, name STRING, increase DOUBLE, PUNCTUATED ON (itemid)) {fail}
  USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
CREATE SINK total USING postgres OPTIONS (url '{url}', table '"My Totals"', key 'itemid');
INSERT INTO total SELECT itemid, MAX(name) AS name, SUM(increase) AS total FROM bid GROUP BY itemid;
"""


def test_on_spark_and_to_a_function(spark: SparkSession, url: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for n, name in enumerate(("\\\\.", "a\\u0000b", "\\ud800", "c")):
        bid = f'{{"itemid": {n}, "name": "{name}", "increase": 2}}'
        lines = [bid, f'{{"$punct": {{"itemid": {n}}}}}', "broken"]
        (tmp_path / "in" / f"{n}.json").write_text("\n".join(lines))
        os.utime(tmp_path / "in" / f"{n}.json", (0, 0))  # complete, though the last line has no end
    secret = url.replace("postgres:@", f"postgres:{SECRET}@")
    (query,) = Session(spark).script(SCRIPT.format(url=secret, fail=""), tmp_path)
    assert isinstance(query, Query)
    query.start(tmp_path / "checkpoint", available_now=True).wait()
    assert sorted(read(url, 'SELECT * FROM "My Totals"')) == [(0, "\\.", 2.0), (3, "c", 2.0)]
    assert [batch["quarantined"] for batch in query.metrics()] == [1, 2, 2, 1]
    records = [
        json.loads(line)
        for file in sorted((tmp_path / "checkpoint/quarantine").iterdir())
        for line in file.read_text().splitlines()
    ]
    (refused,) = (record for record in records if record["stream"] == "total")
    assert (refused["reason"], json.loads(refused["text"])["itemid"]) == (
        "name contains the character NUL, which Postgres does not support",
        1,
    )
    left = [path for path in (tmp_path / "checkpoint").rglob("*") if path.is_file()]
    assert not [path for path in left if SECRET.encode() in path.read_bytes()]
    given: dict[int, list[tuple[Any, ...]]] = {}

    def take(rows: DataFrame, batch: int) -> None:
        given[batch] = [tuple(row) for row in rows.collect()]

    query.start(tmp_path / "other", available_now=True, to=take).wait()
    assert given == {0: [(0, "\\.", 2.0)], 1: [(1, "a\0b", 2.0)], 2: [], 3: [(3, "c", 2.0)]}
    assert len(list((tmp_path / "other/quarantine").glob("part-*"))) == 4
    for file in (tmp_path / "in").iterdir():
        file.write_text(file.read_text().replace("broken", "").replace("\\ud800", ""))
    (exact,) = Session(spark).script(SCRIPT.format(url=url, fail="ON VIOLATION FAIL"), tmp_path)
    with pytest.raises(QueryError, match="a row cannot be written to Postgres"):
        exact.start(tmp_path / "exact", available_now=True, add_to_sink=True).wait()
