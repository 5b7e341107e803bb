"""Small batches: the time of a batch of 100 rows, Punctum's group-by and Spark's own aggregation, same files, same run.

Punctum writes its results, Spark's go nowhere.

python bench/small.py [rows a batch] [batches]
"""

import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import polars as pl
from auction import durations, run, watched  # type: ignore[import-not-found]  # beside this file
from pyspark.sql import functions as F  # noqa: N812

from punctum.engine.spark import spark_session
from punctum.query import Query
from punctum.session import Session

SCRIPT = """
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid))
  USING parquet OPTIONS (path 'bid', maxFilesPerTrigger 1);
CREATE SINK total USING parquet OPTIONS (path 'out');
INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
"""


def write(directory: Path, rows: int, batches: int) -> None:
    """A file a batch; its items are closed in the next."""
    (directory / "bid").mkdir()
    for batch in range(batches):
        ids = [batch * 10 + n % 10 for n in range(rows)]
        bids = pl.DataFrame({"itemid": ids, "increase": [1.0] * rows}).with_columns(_punct=pl.lit(None, pl.String))
        closed = [f'{{"$punct": {{"itemid": {(batch - 1) * 10 + n}}}}}' for n in range(10)]
        both = pl.concat([bids, pl.DataFrame({"_punct": closed})], how="diagonal")
        both.write_parquet(directory / "bid" / f"{batch:05}.parquet")


def main() -> None:
    """Run both and print the ratio."""
    rows, batches = (int(a) for a in (*sys.argv[1:], *("100", "300")[len(sys.argv) - 1 :]))
    directory = Path(tempfile.mkdtemp())
    try:
        write(directory, rows, batches)
        spark = spark_session()
        (query,) = Session(spark).script(SCRIPT, directory)
        assert isinstance(query, Query)
        schema = spark.read.parquet(str(directory / "bid")).schema
        found = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(directory / "bid"))
        sums = found.where("_punct IS NULL").groupBy("itemid").agg(F.sum("increase").alias("total"))
        theirs = statistics.median(durations(run(sums, directory / "spark", "update")))
        query.start(directory / "ours", available_now=True)
        assert query._run is not None
        ours = statistics.median(durations(watched(query._run.query)))
        print(f"{rows} rows a batch, {batches} batches")
        print(f"Spark's aggregation {theirs:.3f} s a batch, Punctum {ours:.3f} s: {ours / theirs:.2f} times")
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
