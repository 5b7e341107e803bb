"""Three replicas merged by case R3: on Spark, in one process without Spark, and by the specification, same elements.

An event has a number up to 400 and a random text of 100 bytes; 20 % of the elements come late, and differently late in
each replica; an element of a hundred is a stable. Events last so long that about 10,000 of them are there at any time.
The later half of the batches counts. The sink takes the elements of the result, as Parquet.

    python bench/lmerge.py [elements a batch] [batches]
"""

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.formats.files import READERS
from punctum.lmerge.elements import INF, Insert, Stable, element_schema, from_columns
from punctum.lmerge.merge import LMerge
from punctum.lmerge.specification.keyed import R3
from punctum.operators.columns import ColumnarSlice
from punctum.query import Query
from punctum.session import Session

NAMES = ("a", "b", "c")
SCRIPT = "".join(
    f"CREATE TEMPORAL STREAM {name} (n BIGINT, text STRING, KEY (n, text)) "
    f"USING parquet OPTIONS (path '{name}', maxFilesPerTrigger 2);\n"
    for name in NAMES
)
SCRIPT += """
CREATE STREAM m AS LMERGE (a, b, c);
CREATE SINK merged USING parquet OPTIONS (path 'out', elements 'true');
INSERT INTO merged SELECT * FROM m;
"""
GAP, LASTS, LATE = 20, 100_000, 1_000
SCHEMA = element_schema(Schema.of(n="BIGINT", text="STRING"))


def write(directory: Path, elements: int, batches: int) -> None:
    """Two files a batch and replica."""
    count = elements // len(NAMES) * batches
    chance = np.random.default_rng(7)
    start = np.cumsum(chance.integers(0, GAP + 1, count))
    letters = chance.integers(97, 123, (count, 100), np.uint8)
    events = pl.DataFrame(
        {
            "n": chance.integers(0, 401, count),
            "text": letters.view("S100").ravel().astype(str),
            "_vs": start,
            "_ve": start + chance.integers(LASTS // 2, 3 * LASTS // 2, count),
        }
    )
    for name in NAMES:
        (directory / name).mkdir(parents=True)
        late = np.where(chance.random(count) < 0.2, chance.integers(1, LATE, count), 0)
        replica = events[np.argsort(np.arange(count) + late, kind="stable")]
        stable = np.minimum.accumulate(replica["_vs"].to_numpy()[::-1])[::-1]
        for file in range(2 * batches):
            first, last = (count * n // (2 * batches) for n in (file, file + 1))
            _write(directory / name / f"{file:05}.parquet", replica[first:last], stable[first:last])


def _write(path: Path, rows: pl.DataFrame, stable: np.ndarray) -> None:
    """Elements with a stable behind each hundred of them."""
    said = [f'{{"$stable": {t}}}' for t in stable[99::100]]
    marks = pl.DataFrame({"_punct": said, "at": np.arange(99, len(rows), 100) + 0.5})
    rows = rows.with_columns(pl.lit(None, pl.String).alias("_punct"), pl.Series("at", np.arange(len(rows)) * 1.0))
    pl.concat([rows, marks], how="diagonal").sort("at").drop("at").write_parquet(path)


def on_spark(directory: Path) -> list[float]:
    """Seconds of each batch."""
    (query,) = Session().script(SCRIPT, directory)
    assert isinstance(query, Query)
    query.start(directory / "checkpoint", available_now=True).wait()
    assert query._run is not None
    busy = [p for p in query._run.query.recentProgress if p["numInputRows"]]
    return [p["durationMs"]["triggerExecution"] / 1000 for p in busy]


def pieces(directory: Path, batch: int) -> list[ColumnarSlice]:
    """What each replica says in a batch."""
    found = []
    for name in NAMES:
        files = (directory / name / f"{2 * batch + n:05}.parquet" for n in (0, 1))
        read = [READERS["parquet"](path, SCHEMA, {}).piece for path in files]
        found.append(ColumnarSlice(pl.concat([each.rows for each in read]), read[-1].puncts))
    return found


def in_one_process(directory: Path, batches: int) -> list[float]:
    """Seconds of each slice through the operator alone."""
    merge, seconds = LMerge([SCHEMA] * len(NAMES)), []
    for batch in range(batches):
        given = pieces(directory, batch)
        begun = time.perf_counter()
        merge.feed(*given)
        for table in merge.tables().values():
            table.changes()
        seconds.append(time.perf_counter() - begun)
    return seconds


def specified(directory: Path, most: int = 20_000) -> float:
    """Elements a second of the specification, element by element, a stable after each hundred of a replica."""
    merge, replicas = R3(len(NAMES)), []
    for piece in pieces(directory, 0):
        inserts = [e for e in from_columns(ColumnarSlice(piece.rows.head(most)), SCHEMA) if isinstance(e, Insert)]
        least, limits = INF, []
        for element in reversed(inserts):
            least = min(least, element.vs)
            limits.append(least)
        replicas.append(list(zip(inserts, reversed(limits), strict=True)))
    begun, fed = time.perf_counter(), 0
    for n, row in enumerate(zip(*replicas, strict=True)):
        for s, (element, limit) in enumerate(row):
            merge.feed(element, s)
            fed += 1
            if n % 100 == 99:
                merge.feed(Stable(limit), s)
                fed += 1
    return fed / (time.perf_counter() - begun)


def main() -> None:
    """Print elements a second."""
    elements = int(sys.argv[1]) if len(sys.argv) > 1 else 1_800_000
    batches = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    directory = Path(tempfile.mkdtemp(prefix="lmerge-"))
    try:
        write(directory, elements, batches)
        alone = elements * 1.01 / statistics.median(in_one_process(directory, batches)[batches // 2 :])
        spark = on_spark(directory)
        print("seconds a batch:", *(f"{each:.2f}" for each in spark))
        rate = elements * 1.01 / statistics.median(spark[len(spark) // 2 :])
        slow = specified(directory)
        print(f"elements a batch: {elements:,}, replicas: {len(NAMES)}, case R3")
        print(f"Spark:         {rate:>10,.0f} elements/s")
        print(f"one process:   {alone:>10,.0f} elements/s")
        print(f"specification: {slow:>10,.0f} elements/s; Spark is {rate / slow:.0f} times as fast")
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
