"""How many buckets a query has is Punctum's choice: as many as there are cores, whatever Spark's default is."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lanes import long
from punctum.engine.partitions import BUCKETS, MOST, bucket_numbers, dealt, spark_hash
from punctum.session import Session


@pytest.mark.parametrize("partitions", [1, 2, 3, 7, 32, 200])
def test_each_partition_has_a_bucket(partitions: int) -> None:
    numbers = dealt(partitions)
    assert [spark_hash(number) % partitions for number in numbers] == list(range(partitions))


def test_as_many_as_cores_up_to_a_limit_unless_told() -> None:
    def cluster(cores: int, told: str | None = None) -> Any:
        conf = {BUCKETS: told, "spark.sql.shuffle.partitions": "200"}
        return SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=cores), conf=conf)

    assert [len(bucket_numbers(cluster(cores))) for cores in (1, 6, 32, 500)] == [1, 6, MOST, MOST]
    assert len(bucket_numbers(cluster(6, told="50"))) == 50


@long
def test_a_session_with_two_hundred_partitions(spark: SparkSession, auction: Path) -> None:
    """Its number stays its own; a query has its own, which its checkpoint keeps whatever is told later."""
    hashes = spark.range(-3, 1000, 17).select("id", F.hash("id").alias("hash")).collect()
    assert all(spark_hash(row["id"]) == row["hash"] for row in hashes)
    theirs = spark.newSession()
    theirs.conf.set("spark.sql.shuffle.partitions", "200")
    theirs.conf.unset(BUCKETS)
    closing: Any
    for told in (None, 3):
        (closing,) = Session(theirs, buckets=told).script(auction / "auction.sql")
        closing.start(auction / "state", available_now=True).wait()
        known = json.loads((auction / "state/punctum/buckets.json").read_text().partition("\n")[2])
        assert len(known["buckets"]) == spark.sparkContext.defaultParallelism
        stores = list((auction / "state/punctum/state/1").glob("[0-9]*"))
        assert len(stores) == spark.sparkContext.defaultParallelism
    assert theirs.conf.get("spark.sql.shuffle.partitions") == "200"
