"""A Postgres server of the test's own: rows of every type, keys that come again, and batches that are done again."""

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import psycopg
import pytest
from pgserver import get_server  # type: ignore[attr-defined]
from pyspark.sql import DataFrame, SparkSession

from punctum.algebra.schema import Schema
from punctum.engine.packing import to_blob
from punctum.engine.sinks.postgres import PostgresTable
from punctum.errors import PunctumError, QueryError, SchemaError
from punctum.operators.columns import frame
from punctum.parse.definitions import SinkDef
from punctum.session import Query, Session

ITEM = Schema.of(itemid="BIGINT", total="DOUBLE")
SCRIPT = """
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid))
  USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
CREATE SINK total USING postgres OPTIONS (url '{url}', table 'total', key 'itemid');
INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server = get_server(tmp_path_factory.mktemp("postgres"))
    yield server.get_uri()
    server.cleanup()


def packed(rows: pl.DataFrame) -> list[Any]:
    return [{"rows": to_blob(rows)}, {"rows": None}]


def read(url: str, sql: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        connection.execute("SET TIME ZONE 'UTC'")
        return connection.execute(sql).fetchall()


def table(url: str, name: str, schema: Schema, key: str) -> PostgresTable:
    made = PostgresTable.of(SinkDef("s", "postgres", {"url": url, "table": name, "key": key}), schema)
    made.prepare()
    return made


def test_every_type_and_hard_text(url: str) -> None:
    schema = Schema.of(
        n="BIGINT", x="DOUBLE", s="STRING", b="BOOLEAN", d="DATE", t="TIMESTAMP", u="TIMESTAMP_NTZ", m="DECIMAL"
    )
    now = datetime(2026, 3, 29, 1, 30, 0, 7, UTC)
    rows: list[Any] = [
        (-(2**63), math.inf, 'é "quoted", \n\\N', True, date(1, 1, 1), now, now.replace(tzinfo=None), Decimal("0.5")),
        (0, 1e-300, "", False, date(2026, 2, 28), now, now.replace(tzinfo=None), Decimal(-7)),
        (None,) * 8,
    ]
    table(url, 'odd "name"', schema, "").writer("q")(packed(frame(schema, rows)), 0)
    assert sorted(read(url, 'SELECT * FROM "odd ""name"""'), key=str) == sorted(rows, key=str)


def test_a_key_that_comes_again_and_a_batch_that_is_done_again(url: str) -> None:
    write = table(url, "again", ITEM, "itemid").writer("one")
    write(packed(frame(ITEM, [(1, 1.0), (2, 2.0), (1, 3.0)])), 0)
    write(packed(frame(ITEM, [(2, 5.0), (3, None)])), 1)
    wanted = [(1, 3.0), (2, 5.0), (3, None)]
    assert sorted(read(url, "SELECT * FROM again")) == wanted
    write(packed(frame(ITEM, [(9, 9.0)])), 1)
    assert sorted(read(url, "SELECT * FROM again")) == wanted, "the batch has been written before"


def test_groups_that_come_again_take_the_place_of_their_rows(url: str) -> None:
    for name, groups, wanted in (
        ("by_item", ("itemid",), [(1, 3.0), (2, 2.0), (None, 5.0)]),
        ("one", (), [(None, 5.0)]),
    ):
        made = PostgresTable.of(SinkDef("s", "postgres", {"url": url, "table": name}), ITEM, groups)
        made.prepare()
        write = made.writer(f"groups {name}")
        write(packed(frame(ITEM, [(1, 1.0), (2, 2.0), (None, 4.0)] if groups else [(1, 1.0)])), 0)
        write(packed(frame(ITEM, [(1, 3.0), (None, 5.0)] if groups else [(None, 5.0)])), 1)
        write(packed(frame(ITEM, [])), 2)
        assert sorted(read(url, f"SELECT * FROM {name}"), key=str) == sorted(wanted, key=str)


def test_a_batch_is_written_wholly_or_not_at_all(url: str) -> None:
    write = table(url, "wholly", ITEM, "").writer("two")
    broken = [*packed(frame(ITEM, [(1, 1.0)])), {"rows": b"not Arrow"}]
    with pytest.raises(pl.exceptions.ComputeError):
        write(broken, 0)
    assert read(url, "SELECT * FROM wholly") == []
    write(packed(frame(ITEM, [(1, 1.0)])), 0)
    assert read(url, "SELECT * FROM wholly") == [(1, 1.0)]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"table": "t"}, SchemaError, "the sink s has no url"),
        ({"url": "x"}, SchemaError, "the sink s has no table"),
        ({"url": "x", "table": "t", "key": "item"}, SchemaError, "there is no attribute item"),
        ({"url": "postgresql:///none?host=/nowhere", "table": "t"}, QueryError, "the database does not answer"),
    ],
)
def test_wrong_options(options: dict[str, str], error: type[PunctumError], said: str) -> None:
    with pytest.raises(error, match=said):
        PostgresTable.of(SinkDef("s", "postgres", options), ITEM).prepare()


def test_on_spark_and_to_a_function(spark: SparkSession, url: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for n in range(3):
        lines = [f'{{"itemid": {n}, "increase": 2}}', f'{{"$punct": {{"itemid": {n}}}}}', "broken"]
        (tmp_path / "in" / f"{n}.json").write_text("\n".join(lines))
    (query,) = Session(spark).sql(SCRIPT.format(url=url), tmp_path)  # type: ignore[misc]
    assert isinstance(query, Query)
    query.start(tmp_path / "checkpoint", available_now=True).wait()
    assert sorted(read(url, "SELECT * FROM total")) == [(0, 2.0), (1, 2.0), (2, 2.0)]
    given: dict[int, list[tuple[Any, ...]]] = {}

    def take(rows: DataFrame, batch: int) -> None:
        given[batch] = [tuple(row) for row in rows.collect()]

    query.start(tmp_path / "other", available_now=True, to=take).wait()
    assert given == {0: [(0, 2.0)], 1: [(1, 2.0)], 2: [(2, 2.0)]}
    assert [batch["quarantined"] for batch in query.metrics()] == [1, 1, 1]
    assert len(list((tmp_path / "other/quarantine").glob("part-*"))) == 3
