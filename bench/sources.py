"""The same query over the same files, read by Spark and read by Punctum's own source.

Bids are summed per item, and an item is closed in the batch after its own. By Spark's reader: ``session.stream`` over
``spark.readStream``, rows then go to Python workers and are packed there. By ours: CREATE STREAM … USING, which reads
and packs in the same place.

    python bench/sources.py [rows a batch] [batches]
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from pyspark.sql import DataFrame, SparkSession

from punctum.engine.spark import spark_session
from punctum.session import Session

COLUMNS = "bidderid BIGINT, itemid BIGINT, increase DOUBLE"
QUERY = "SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid"
FILES, BIDS_AN_ITEM, WARM = 2, 32, 4


def write(directory: Path, rows: int, batches: int) -> None:
    """Some files a batch in each format; the punctuations of a batch's items come with the next batch."""
    chance = np.random.default_rng(7)
    size = rows // FILES
    items = size // BIDS_AN_ITEM
    for format_ in ("json", "parquet"):
        (directory / format_).mkdir(parents=True)
    for file in range(FILES * batches):
        first = file * items
        bids = pl.DataFrame(
            {
                "bidderid": chance.integers(0, 10_000, size),
                "itemid": chance.integers(first, first + items, size),
                "increase": chance.random(size),
            }
        )
        closed = range(first - FILES * items, first - (FILES - 1) * items) if file >= FILES else ()
        said = [json.dumps({"$punct": {"itemid": item}}) for item in closed]
        with (directory / "json" / f"{file:05}.json").open("wb") as out:
            bids.write_ndjson(out)
            out.write("".join(f"{line}\n" for line in said).encode())
        puncts = pl.DataFrame({"_punct": said}, schema={"_punct": pl.String})
        pl.concat([bids, puncts], how="diagonal").write_parquet(directory / "parquet" / f"{file:05}.parquet")


def by_spark(spark: SparkSession, directory: Path, format_: str) -> DataFrame:
    """The files as a user of Spark reads them, with the punctuations in their column."""
    reader = spark.readStream.option("maxFilesPerTrigger", FILES)
    if format_ == "parquet":
        return reader.schema(f"{COLUMNS}, _punct STRING").parquet(str(directory / format_))
    found = reader.schema(f"{COLUMNS}, `$punct` STRING").json(str(directory / format_))
    return found.selectExpr("bidderid", "itemid", "increase", """'{"$punct": ' || `$punct` || '}' AS _punct""")


def seconds(directory: Path, format_: str, ours: bool) -> float:
    """The median of a batch, when the first ones are over."""
    session = Session(spark_session())
    stream = f"""CREATE STREAM bid ({COLUMNS}, PUNCTUATED ON (itemid))
        USING {format_} OPTIONS (path '{format_}', maxFilesPerTrigger {FILES});"""
    name = f"{format_}_{'ours' if ours else 'spark'}"
    sink = f"CREATE SINK total USING parquet OPTIONS (path 'out/{name}'); INSERT INTO total {QUERY};"
    if not ours:
        session.stream("bid", by_spark(session.spark, directory, format_), punctuated=["itemid"])
    (query,) = session.script((stream if ours else "") + sink, directory)
    query.start(directory / "checkpoint" / name, available_now=True).wait()
    assert query._run is not None
    busy = [p["durationMs"]["triggerExecution"] for p in query._run.query.recentProgress if p["numInputRows"]]
    return float(statistics.median(busy[WARM:-1])) / 1000


def main() -> None:
    """Read each format both ways and print the ratio."""
    rows, batches = (int(a) for a in (*sys.argv[1:], *("200000", "14")[len(sys.argv) - 1 :]))
    directory = Path(tempfile.mkdtemp())
    try:
        write(directory, rows, batches)
        print(f"{rows:,} rows a batch, {batches} batches; {os.cpu_count()} cores")
        for format_ in ("json", "parquet"):
            theirs, ours = (rows / seconds(directory, format_, mine) for mine in (False, True))
            print(
                f"{format_:<8} by Spark's reader {theirs:>10,.0f} rows/s, by Punctum's own {ours:>10,.0f} rows/s: "
                f"{ours / theirs:.1f} times as fast"
            )
        same = [
            pl.read_parquet(f"{directory}/out/{name}/part-*").sort("itemid") for name in os.listdir(directory / "out")
        ]
        assert all(found["itemid"].equals(same[0]["itemid"]) for found in same), "the answers differ"
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
