"""A stream of NEXMark as a source: places by the clock, events however they are cut, columns as declared."""

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.streaming.datasource import ReadAllAvailable

from punctum.engine.sources.nexmark import ENDLESS, MOST, NexmarkReader, workload_of
from punctum.errors import SchemaError
from punctum.nexmark.columns import TYPES
from punctum.nexmark.files import PUNCT, piece
from punctum.nexmark.workload import TABLES, Workload
from punctum.session import Session

LIMIT = ReadAllAvailable()


def test_places_come_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [50.0]
    monkeypatch.setattr("punctum.engine.sources.nexmark.time.monotonic", lambda: now[0])
    reader = NexmarkReader("bid", Workload(5_000, rate=1_000))
    assert reader.latestOffset({"place": 700}, LIMIT) == {"place": 700}, "a query goes on where it was"
    now[0] += 1.5
    assert reader.latestOffset({"place": 700}, LIMIT) == {"place": 2_200}
    now[0] += 100
    assert reader.latestOffset({"place": 2_200}, LIMIT) == {"place": 5_000}
    assert reader.latestOffset({"place": 5_000}, LIMIT) == {"place": 5_000}


def test_all_that_there_is_does_not_wait() -> None:
    reader = NexmarkReader("bid", Workload(MOST + 7, disorder=1))
    reader.prepareForTriggerAvailableNow()
    assert reader.latestOffset(reader.initialOffset(), LIMIT) == {"place": MOST}
    assert reader.latestOffset({"place": MOST}, LIMIT) == {"place": MOST + 17}


@pytest.mark.parametrize("table", TABLES)
def test_a_batch_holds_the_elements_between_two_places(table: str) -> None:
    workload = Workload(3_000, every=200)
    reader = NexmarkReader(table, workload)
    (part,) = reader.partitions({"place": 500}, {"place": 3_000})
    found = pl.DataFrame(pa.Table.from_batches(list(reader.read(part))))
    wanted = pl.DataFrame(piece(workload, table, 500, 3_000))
    assert found.columns == [*TYPES[table], PUNCT]
    assert found.equals(wanted.cast(dict(found.schema)))  # type: ignore[arg-type]


def test_options_say_which_events_there_are() -> None:
    assert workload_of({"table": "bid"}) == Workload(ENDLESS)
    given = {"table": "bid", "events": "10", "rate": "7", "seed": "3", "disorder": "5", "every": "2"}
    assert workload_of(given) == Workload(10, 3, 7, 5, 2)


SCRIPT = """
CREATE STREAM bid (auction BIGINT, {column}, PUNCTUATED ON (auction))
USING nexmark OPTIONS (table '{table}', rate 1000, events 5000);
CREATE SINK o USING json OPTIONS (path 'out');
INSERT INTO o SELECT auction, COUNT(*) AS bids FROM bid GROUP BY auction;
"""


def test_a_query_on_spark_reads_it(spark: SparkSession, tmp_path: Path) -> None:
    for column, table, wrong in (
        ("price STRING", "bid", "has no column price STRING"),
        ("price BIGINT", "bids", "has no table bids"),
    ):
        (query,) = Session(spark).script(SCRIPT.format(column=column, table=table), tmp_path)
        with pytest.raises(SchemaError, match=wrong):
            query.start(tmp_path / "wrong")
    (query,) = Session(spark).script(SCRIPT.format(column="price BIGINT", table="bid"), tmp_path)
    query.start(tmp_path / "state", available_now=True).wait()
    lines = [line for file in (tmp_path / "out").glob("part-*") for line in file.read_text().splitlines()]
    bids = pl.DataFrame(piece(Workload(5_000), "bid", 0, 5_000)).filter(pl.col(PUNCT).is_null())
    assert {row["auction"]: row["bids"] for row in map(json.loads, lines)} == Counter(bids["auction"].to_list())
    assert query.metrics()[-1]["quarantined"] == 0
