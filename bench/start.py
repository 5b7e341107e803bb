"""From nothing to a result: `punctum run` on the README's script, and Spark's own aggregation of the same bids.

Both are fresh processes, in turn, on the README's files, on ``local[*]``, with the same number of shuffle partitions,
state in RocksDB with a changelog, and no user interface, and stop when all that is there is done. Spark sums the bids
alone, as anyone would write it, and prints them; Punctum joins them with the items first, and writes files.

Not equal: Spark's JVM is as a plain user starts it, and Punctum's does without its best compiler in such a run (see
``engine/launch.py``), which is a large part of the ratio. SPARK_SUBMIT_OPTS=-XX:TieredStopAtLevel=1 gives it to both.

python bench/start.py [runs]
"""

import ctypes
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
SPARK = """
import sys
from pyspark.sql import SparkSession, functions as F
state = "spark.sql.streaming.stateStore"
spark = (
    SparkSession.builder.master("local[*]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", sys.argv[1])
    .config(f"{state}.providerClass", "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
    .config(f"{state}.rocksdb.changelogCheckpointing.enabled", "true")
    .getOrCreate()
)
bids = spark.readStream.schema("itemid BIGINT, increase DOUBLE").json("in/bid").where("itemid IS NOT NULL")
sums = bids.groupBy("itemid").agg(F.sum("increase").alias("total"))
writer = sums.writeStream.outputMode("update").format("console").option("checkpointLocation", "state")
writer.trigger(availableNow=True).start().awaitTermination()
"""
_ADOPT = 36  # Linux: a JVM that outlives its parent by a moment becomes ours, and its processor time is known
PUNCTUM = [str(Path(sys.executable).with_name("punctum")), "run", "auction.sql", "--checkpoint", "state"]


def write(directory: Path) -> None:
    """The README's script and its streams' files."""
    page = (ROOT / "README.md").read_text()
    (script,) = re.findall(r"^```sql\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    bids = re.findall(r"^```json\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)[0]
    items = "\n".join(re.findall(r"`(\{.*?\}+)`", page)[:2]) + "\n"
    (directory / "auction.sql").write_text(script)
    for name, lines in (("item", items), ("bid", bids)):
        (directory / "in" / name).mkdir(parents=True)
        (directory / "in" / name / "1.json").write_text(lines)


def timed(command: list[str], result: str) -> tuple[float, float]:
    """The seconds that a command takes, by the clock and of processors, when it gives a result."""
    directory = Path(tempfile.mkdtemp())
    try:
        write(directory)
        before, begun = _processors(), time.monotonic()
        ended = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True)
        seconds = time.monotonic() - begun
        written = "".join(path.read_text() for path in directory.glob("out/closing/*.json"))
        assert result in ended.stdout + written, ended.stderr
        return seconds, _processors() - before
    finally:
        shutil.rmtree(directory)


def _processors() -> float:
    """What all processes that were started have used, those that they have left behind too, once all have ended."""
    with suppress(ChildProcessError):
        while True:
            os.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Run both in turn and print the medians and their ratio."""
    ctypes.CDLL(None).prctl(_ADOPT, 1, 0, 0, 0)
    runs = int((*sys.argv[1:], "5")[0])
    partitions = str(os.cpu_count() or 2)
    ours, theirs = [], []
    for _ in range(runs):
        theirs.append(timed([sys.executable, "-c", SPARK, partitions], "|    17|  7.0|"))
        ours.append(timed([*PUNCTUM, "--available-now"], '{"itemid":17,"total":7.0}'))
        print(f"Spark's aggregation {theirs[-1][0]:.1f} s, Punctum {ours[-1][0]:.1f} s", flush=True)
    for name, times in (("Spark's aggregation", theirs), ("Punctum", ours)):
        clock, processors = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name}: median {clock:.1f} s, {processors:.1f} s of processors")
    ratio = statistics.median(t for t, _ in ours) / statistics.median(t for t, _ in theirs)
    print(f"from nothing to a result, Punctum takes {ratio:.2f} times as long")


if __name__ == "__main__":
    main()
