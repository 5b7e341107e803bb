"""A LEFT JOIN beside the inner one, on the auction's data: the same files, the same run, the operators without Spark.

Beside them: FULL, and EXISTS and NOT EXISTS, which keep less. Each batch goes through all of the queries, one after the
other; counted are the median seconds of the later half of the batches, without reading.

    python bench/outer.py [rows a batch] [batches]
"""

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import auction  # type: ignore[import-not-found]  # beside this file

from punctum.compile import compile
from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import PackedSlice, StageMessage, StreamSlice
from punctum.engine.formats.files import READERS
from punctum.engine.runtime import build
from punctum.engine.sources.pipe import Piped
from punctum.plan.physical.pipes import Pipe

SUM = "SELECT i.itemid, SUM(b.increase) AS total FROM item i {} bid b ON i.itemid = b.itemid GROUP BY i.itemid"
ROWS = "SELECT i.itemid, b.itemid AS bid, b.increase FROM item i {} bid b ON i.itemid = b.itemid"
THERE = "SELECT i.itemid FROM item i WHERE {}EXISTS (SELECT 1 FROM bid b WHERE i.itemid = b.itemid)"
QUERIES = {
    "inner join, summed": SUM.format("JOIN"),
    "left join, summed": SUM.format("LEFT JOIN"),
    "inner join": ROWS.format("JOIN"),
    "left join": ROWS.format("LEFT JOIN"),
    "full join": ROWS.format("FULL JOIN"),
    "exists": THERE.format(""),
    "not exists": THERE.format("NOT "),
}


class Running:
    """The last stage of a query, and how long it took for each batch."""

    def __init__(self, directory: Path, sql: str) -> None:
        streams = auction.SCRIPT.partition("INSERT INTO")[0]
        self.last = compile(f"{streams} INSERT INTO closing {sql};").queries[0].last
        self.directory, self.running, self.taken = directory, build.running(self.last, Buckets((0,)), 0), list[float]()

    def feed(self, batch: int) -> None:
        """Take a batch."""
        sent: dict[int, list[StageMessage]] = {}
        for source in self.last.inputs:
            origin = source.origin
            assert isinstance(origin, Pipe)
            for name in (f"{2 * batch:05}.parquet", f"{2 * batch + 1:05}.parquet"):
                read = READERS["parquet"](self.directory / origin.stream.name / name, origin.stream.schema, {})
                piece = Piped(origin.steps)(read.piece)
                sent.setdefault(source.number, []).append(StreamSlice(PackedSlice.of(piece)))
        started = time.perf_counter()
        self.running.feed(sent)
        self.taken.append(time.perf_counter() - started)


def main() -> None:
    """Run all of them, and print how fast each is beside its inner join."""
    rows, batches = (int(a) for a in (*sys.argv[1:], *("1000000", "16")[len(sys.argv) - 1 :]))
    directory = Path(tempfile.mkdtemp())
    try:
        auction.write(directory, rows, batches)
        running = {name: Running(directory, sql) for name, sql in QUERIES.items()}
        for batch in range(batches):
            for each in running.values():
                each.feed(batch)
        measured = {name: rows / statistics.median(each.taken[batches // 2 :]) for name, each in running.items()}
        for name, speed in measured.items():
            inner = measured["inner join, summed" if "summed" in name else "inner join"]
            print(f"{name:<20} {speed:>12,.0f} rows/s   {speed / inner:.2f} of the inner join")
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
