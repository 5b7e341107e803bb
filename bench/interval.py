"""Items joined with the bids of the next minute and summed: Punctum and Spark's interval join, same files, same run.

Both streams are in order of time and promise nothing else. Punctum purges by that order and releases the sum of an item
when both streams have passed its minute; Spark purges by watermarks. Its join runs without the sum, which is less work.
Both run with the same settings, in one session, as in ``auction.py``: the later half of the batches counts.

    python bench/interval.py [rows a batch] [batches]
"""

import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import auction  # type: ignore[import-not-found]  # beside this file
import numpy as np

SCRIPT = """
CREATE STREAM item (sellerid BIGINT, itemid BIGINT, ts TIMESTAMP, PUNCTUATE (ts ASC))
  USING parquet OPTIONS (path 'item', maxFilesPerTrigger 2);
CREATE STREAM bid (bidderid BIGINT, itemid BIGINT, increase DOUBLE, ts TIMESTAMP, PUNCTUATE (ts ASC))
  USING parquet OPTIONS (path 'bid', maxFilesPerTrigger 2);
CREATE SINK closing USING parquet OPTIONS (path 'out');
INSERT INTO closing
SELECT i.itemid, i.ts, SUM(b.increase) AS total
FROM item i JOIN bid b ON i.itemid = b.itemid AND b.ts BETWEEN i.ts AND i.ts + INTERVAL 1 MINUTE
GROUP BY i.itemid, i.ts;
"""


def write(directory: Path, rows: int, batches: int) -> None:
    """Two files a batch and stream, a minute each batch; no punctuations but the order."""
    chance = np.random.default_rng(7)
    items = rows // 2 // (auction.BIDS_AN_ITEM + 1)
    for name in ("item", "bid"):
        (directory / name).mkdir(parents=True)
    for file in range(2 * batches):
        ids = np.arange(file * items, (file + 1) * items)
        ts = np.datetime64("2026-01-01", "us") + np.timedelta64(file // 2, "m")
        auction.write_file(
            directory / "item" / f"{file:05}.parquet", {"sellerid": ids % 997, "itemid": ids}, ts, ids[:0]
        )
        bid = {
            "bidderid": chance.integers(0, 10_000, items * auction.BIDS_AN_ITEM),
            "itemid": chance.integers(ids[0], ids[-1] + 1, items * auction.BIDS_AN_ITEM),
            "increase": chance.random(items * auction.BIDS_AN_ITEM),
        }
        auction.write_file(directory / "bid" / f"{file:05}.parquet", bid, ts, ids[:0])


def main() -> None:
    """Run both and print the ratio."""
    os.environ.setdefault("PYSPARK_SUBMIT_ARGS", "--driver-memory 8g pyspark-shell")  # for the peer's state in memory
    rows, batches = (int(a) for a in (*sys.argv[1:], *("1000000", "40")[len(sys.argv) - 1 :]))
    directory = Path(tempfile.mkdtemp())
    try:
        write(directory, rows, batches)
        print(f"{rows:,} rows a batch, {batches} batches; {os.cpu_count()} cores")
        ours = rows / statistics.median(auction.punctum(directory, SCRIPT))
        print(f"{'Punctum, interval join and sum':<42} {ours:>12,.0f} rows/s")
        for name, provider in auction.PROVIDERS:
            theirs = rows / statistics.median(auction.spark_join(directory, provider))
            ratio = f"Punctum is {ours / theirs:.1f} times as fast"
            print(f"{'Spark interval join, ' + name:<42} {theirs:>12,.0f} rows/s   {ratio}")
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
