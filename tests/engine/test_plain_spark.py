"""On Spark: the papers' examples from rows alone, in two runs, and clauses for a streaming DataFrame."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from engine.examples import EXAMPLES, Example
from lanes import also_long
from punctum.engine.exchange.quarantine import read_records as quarantined
from punctum.errors import SqlError
from punctum.query import Query
from punctum.session import Session


def run(spark: SparkSession, example: Example, directory: Path) -> Query:
    (query,) = Session(spark).script(example.sql, directory)
    query.start(directory / "checkpoint", available_now=True).wait()
    return query


@pytest.mark.parametrize("example", also_long(EXAMPLES[0], more=EXAMPLES[1:]), ids=lambda example: example.name)
def test_the_papers_examples_from_rows_alone(spark: SparkSession, tmp_path: Path, example: Example) -> None:
    half = len(example.slices) // 2
    replace(example, slices=example.slices[:half]).write(tmp_path)
    run(spark, example, tmp_path)
    replace(example, slices=example.slices[half:]).write(tmp_path, start=half)
    query = run(spark, example, tmp_path)
    out = tmp_path / "out" / query.name
    read_records = [json.loads(line) for file in out.glob("part-*") for line in file.read_text().splitlines()]
    assert sorted(read_records, key=str) == sorted(example.released, key=str)
    late = [(record["stream"], json.loads(record["text"])) for record in quarantined(out)]
    assert sorted(late, key=str) == sorted(example.late, key=str)


def test_clauses_for_a_dataframe(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows = [(17, 5.0), (18, 9.0), (17, 2.0), (17, -1.0), (500, 1.0)]
    (tmp_path / "in/1.json").write_text("".join(json.dumps({"itemid": i, "increase": x}) + "\n" for i, x in rows))
    bids: DataFrame = spark.readStream.schema("itemid INT, increase DOUBLE").json(str(tmp_path / "in"))
    session = Session(spark)
    session.stream("bid", bids, clauses="PUNCTUATE (itemid) WHEN increase < 0, DOMAIN itemid BETWEEN 1 AND 99")
    query = session.query("SELECT itemid, SUM(increase) AS total FROM bid WHERE increase > 0 GROUP BY itemid")
    writer = query.dataframe(tmp_path / "c", punctuations=True).writeStream.format("memory").queryName("sums")
    writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start().awaitTermination()
    read_records = {tuple(row) for row in spark.table("sums").collect()}
    assert {row for row in read_records if row[2] is None} == {(17, 7.0, None)}
    assert (None, None, '{"$punct": {"itemid": 17}}') in read_records
    with pytest.raises(SqlError, match="there is no column item"):
        session.stream("bid", bids, clauses="UNIQUE (item)")
