"""Time functions on Spark itself: the same values in every zone, around every kind of change of its clocks."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyspark.sql import SparkSession

from ir.test_zones import OF_INSTANTS, OTHERS, SCHEMA, TABLE
from lanes import also_long
from punctum.algebra import to_json
from punctum.algebra.values import Row
from punctum.engine.spark import TIME_ZONE
from punctum.errors import ComputationError, QueryError
from punctum.ir import Projection, evaluate
from punctum.ir.expressions.zones import changes
from punctum.operators.columns import frame
from punctum.parse import parse_query
from punctum.session import Session

EPOCH, MICRO = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
NEAR = (-90000, -3600, -1800, -59, 0, 59, 1800, 3600, 86400)
FAR = [datetime(year, month, 15, 12, tzinfo=UTC) for year in (2, 1500, 1700, 2300, 2700, 9998) for month in (1, 7)]


@pytest.fixture
def zoned(spark: SparkSession) -> Iterator[SparkSession]:
    before = str(spark.conf.get(TIME_ZONE))
    yield spark
    spark.conf.set(TIME_ZONE, before)


def rows(zone: str) -> list[Row]:
    known = [EPOCH + timedelta(seconds=change.at) for change in changes(zone) if change.at < 4e9]
    near = [at + timedelta(seconds=s) - m for at in known for s in NEAR for m in (MICRO, 0 * MICRO)]
    local = [moment.replace(tzinfo=None) for moment in (*near, *FAR)]
    return [(m, v, v.date(), str(v)) for m, v in zip((*near, *FAR), local, strict=True)]


def evaluated(expression: Any, row: Row) -> Any:
    try:
        return evaluate(expression, row)
    except ComputationError:
        return "no value"


@pytest.mark.parametrize(
    "zone",
    also_long(
        "America/St_Johns",
        "Australia/Lord_Howe",
        more=["Europe/Berlin", "Pacific/Chatham", "Asia/Kolkata", "America/Toronto", "-03:30", "Pacific/Apia"],
    ),
)
def test_values_are_those_of_spark(zoned: SparkSession, zone: str, tmp_path: Path) -> None:
    zoned.conf.set(TIME_ZONE, zone)
    given, sqls = rows(zone), [sql for sql in (*OF_INSTANTS, *OTHERS) if "TRUNC('HOUR', CAST" not in sql]
    frame(SCHEMA, given).with_row_index("n").write_parquet(tmp_path / "r.parquet")
    zoned.read.parquet(str(tmp_path / "r.parquet")).createOrReplaceTempView("r")
    chosen = ", ".join(f"{sql} AS c{n}" for n, sql in enumerate(sqls))
    theirs = pl.from_arrow(zoned.sql(f"SELECT n, {chosen} FROM r").toArrow())
    assert isinstance(theirs, pl.DataFrame)
    theirs = theirs.sort("n").with_columns(pl.selectors.datetime("us", "*").dt.convert_time_zone("UTC"))
    query = parse_query(f"SELECT {chosen} FROM r", TABLE, zone)
    assert isinstance(query, Projection)
    differ = []
    for n, sql in enumerate(sqls):
        ours = [evaluated(query.columns[n][1], row) for row in given]
        differ += [(sql, *t) for t in zip(given, ours, theirs[f"c{n}"].to_list(), strict=True) if t[1] != t[2]]
    assert not differ, "\n".join(map(str, differ[:20]))


SCRIPT = """
CREATE STREAM s (t TIMESTAMP, PUNCTUATED ON (t ASC)) USING json OPTIONS (path 'in');
CREATE SINK days USING json OPTIONS (path 'out');
INSERT INTO days SELECT day, COUNT(*) AS n, MIN(hour) AS first FROM (
    SELECT DATE_TRUNC('day', t) AS day, HOUR(t) AS hour FROM s WHERE t >= '2026-10-25'
) AS local GROUP BY day;
"""


def test_a_query_follows_the_zone_of_its_session(zoned: SparkSession, tmp_path: Path) -> None:
    zoned.conf.set(TIME_ZONE, "Europe/Berlin")
    (tmp_path / "in").mkdir()
    schema = parse_query("SELECT t FROM r", TABLE).schema
    first = datetime(2026, 10, 24, 21, tzinfo=UTC)
    lines = [to_json((first + timedelta(hours=n),), schema) for n in range(40)]
    (tmp_path / "in/1.json").write_text("\n".join([*lines, '{"$punct": {"t": {"le": "2026-10-26T08:00:00Z"}}}', ""]))
    (query,) = Session(zoned).script(SCRIPT, tmp_path)
    query.start(tmp_path / "checkpoint", available_now=True).wait()
    written = "".join(file.read_text() for file in (tmp_path / "out").glob("part-*"))
    assert written == '{"day":"2026-10-24T22:00:00.000000Z","n":25,"first":0}\n'
    zoned.conf.set(TIME_ZONE, "Europe/London")
    (other,) = Session(zoned).script(SCRIPT, tmp_path)
    with pytest.raises(QueryError, match="the query has changed since the checkpoint was written") as refused:
        other.start(tmp_path / "checkpoint", available_now=True).wait()
    assert "Europe/Berlin" in str(refused.value) and "Europe/London" in str(refused.value)
