"""Jumpstart: a replica starts with the state that another one has stored, and need not read again what is over.

Processes report how busy they are, and the query sums it by process and week. In the middle of a week a second replica
comes. With nothing it would have to read all reports of the week again, if they are still there. With the checkpoint of
the first it has the week so far. It is attached to the merge as right from the start of this week on, and takes over.
A third one reads everything again, to see how long that takes.

    python examples/jumpstart.py [directory]
"""

import time
from pathlib import Path

import polars as pl
from running import elements, main, queries, running

from punctum.session import Query, Session

REPLICA = """
CREATE STREAM report (process BIGINT, hour BIGINT, busy BIGINT, PUNCTUATED ON (hour ASC))
  USING parquet OPTIONS (path 'in/{0}');
CREATE TEMPORAL STREAM week AS SELECT process, SUM(busy) AS busy, hour DIV 168 * 168 AS _vs
  FROM report GROUP BY process, hour DIV 168 * 168;
CREATE SINK {0} USING json OPTIONS (path '{0}', elements 'true');
INSERT INTO {0} SELECT * FROM week;
"""
MERGE = """
CREATE TEMPORAL STREAM first (process BIGINT, busy BIGINT, KEY (process)) USING json OPTIONS (path 'first');
CREATE TEMPORAL STREAM second (process BIGINT, busy BIGINT, KEY (process)) USING json OPTIONS (path 'second');
CREATE STREAM m AS LMERGE (first, second) OPTIONS (control 'control', absent 'second');
CREATE SINK merged USING json OPTIONS (path 'merged', elements 'true');
INSERT INTO merged SELECT * FROM m;
"""
NAMES = ("first", "second", "third")
WEEK, NOW, LATER, END = 168, 300, 301, 2 * 168
"""Hours: a week's length, when the second replica comes, a little later, and when that week is over."""


def reports(low: int, high: int, each: int) -> pl.DataFrame:
    """What processes report in some hours, so many of them in each."""
    rows = pl.DataFrame({"n": range(low * each, high * each)}, schema={"n": pl.Int64})
    return rows.select(process=pl.col("n") * 7919 % 5000, hour=pl.col("n") // each, busy=pl.col("n") % 60)


def told(directory: Path, name: str, low: int, high: int, each: int) -> None:
    """Write the reports of some hours, and that these are over."""
    rows, over = reports(low, high, each), f'{{"$punct": {{"hour": {{"lt": {high}}}}}}}'
    path = directory / "in" / name / f".{low:03}.parquet"
    pl.concat([rows, pl.DataFrame({"_punct": [over]})], how="diagonal").write_parquet(path)
    path.rename(path.with_name(path.name[1:]))


def timed(query: Query, checkpoint: Path, state: str | Path = "") -> float:
    """Start a replica; how long it takes to have read what there is."""
    begun = time.perf_counter()
    query.start(checkpoint, state=state).catch_up()
    return time.perf_counter() - begun


def example(session: Session, directory: Path, each: int = 100_000) -> dict[tuple[int, int], int]:
    """Run it; how busy each process was in each week, by the merge."""
    for name in NAMES:
        (directory / "in" / name).mkdir(parents=True)
        (directory / name).mkdir()
    first, second, third = (queries(session, REPLICA.format(name), directory)[name] for name in NAMES)
    merge = queries(session, MERGE, directory)["merged"]
    for low in range(0, NOW, 50):
        for name in ("first", "third"):
            told(directory, name, low, low + 50, each)
    with running(directory, merge):
        try:
            first.start(directory / "state/first").catch_up()
            for name in ("second", "third"):
                told(directory, name, NOW, LATER, each)
            jumped = timed(second, directory / "state/second", state=directory / "state/first")
            first.stop()
            replayed = timed(third, directory / "state/third")
            print(f"the second replica is there in {jumped:.1f} s, from the state of the first")
            print(f"the third one is there in {replayed:.1f} s, from {LATER * each:,} reports")
            merge.attach("second", since=WEEK)
            merge.catch_up()
            print(f"while there was the first: {len(elements(directory / 'merged')):,} sums")
            merge.detach("first")
            told(directory, "second", LATER, END, each)
            second.catch_up()
            merge.catch_up()
            print(f"with the second alone: {len(elements(directory / 'merged')):,} sums")
        finally:
            for query in (first, second, third):
                query.stop()
    return {(found["_vs"], found["process"]): found["busy"] for found in elements(directory / "merged")}


if __name__ == "__main__":
    main(example)
