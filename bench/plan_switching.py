"""Figure 10 of the paper on Logical Merge again, on Spark: two plans of one query, merged, with and without feedback.

Both plans select by a function of the user's. The first one's is expensive for small values of x, the second one's for
large values, and the stream has small and large values by turns, for so many rows each. Without feedback each plan does
all of its work, and the merge is as fast as the faster one of them is in the end. With feedback a plan skips what the
other one has brought to the merge.

    python bench/plan_switching.py [directory for the plot] [turns]
"""

import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import polars as pl

from punctum.engine.spark import spark_session
from punctum.query import Query
from punctum.session import Session

TURN, FILE, COST = 10_000, 1_000, 0.003
"""Rows of a turn and of a file, and the seconds that an expensive row takes."""
PLAN = """
CREATE STREAM s (x BIGINT, ts BIGINT, PUNCTUATED ON (ts ASC))
  USING parquet OPTIONS (path 'in', maxFilesPerTrigger 10);
CREATE TEMPORAL STREAM selected AS SELECT x, ts AS _vs FROM s WHERE {name}(x);
CREATE SINK {name} USING parquet OPTIONS (path '{name}', elements 'true'{feedback});
INSERT INTO {name} SELECT * FROM selected;
"""
PLANS = ("udf0", "udf1")
HEEDS = ", feedback 'm.feedback'"
MERGE = """
CREATE TEMPORAL STREAM udf0 (x BIGINT, KEY (x)) USING parquet OPTIONS (path 'udf0');
CREATE TEMPORAL STREAM udf1 (x BIGINT, KEY (x)) USING parquet OPTIONS (path 'udf1');
CREATE STREAM m AS LMERGE (udf0, udf1) OPTIONS (feedback 'm.feedback', case 'R3');
CREATE SINK merged USING json OPTIONS (path 'merged', elements 'true');
INSERT INTO merged SELECT * FROM m;
"""
Progress = list[tuple[float, int]]
"""Seconds, and how many elements are out by then."""


def write(directory: Path, turns: int, turn: int) -> None:
    """Values of x below 1000 and above by turns, a file for each thousand."""
    (directory / "in").mkdir(parents=True)
    whole = pl.DataFrame({"ts": pl.int_range(turns * turn, eager=True)})
    whole = whole.with_columns((pl.col("ts") % 1000 + 1000 * (pl.col("ts") // turn % 2)).alias("x"))
    for n, rows in enumerate(whole.iter_slices(FILE)):
        last = (n + 1) * FILE >= whole.height
        said = "{}" if last else f'{{"ts": {{"lt": {(n + 1) * FILE}}}}}'
        mark = pl.DataFrame({"_punct": [f'{{"$punct": {said}}}']})
        pl.concat([rows, mark], how="diagonal").write_parquet(directory / "in" / f"{n:04}.parquet")


def rounds() -> int:
    """How many rounds of hashing an expensive row is worth here."""
    begun = time.process_time()
    hashlib.pbkdf2_hmac("sha256", b"x", b"x", 1_000_000)
    return int(1_000_000 * COST / (time.process_time() - begun))


def session(work: int) -> Session:
    """A session with both functions; one slot more for each query than there are expensive ones."""
    made = Session(spark_session("local[4]", partitions=1))
    for n, name in enumerate(PLANS):

        def selected(x: pl.Series, large: bool = bool(n)) -> pl.Series:
            for value in x.filter((x >= 1000) == large):
                hashlib.pbkdf2_hmac("sha256", str(value).encode(), b"x", work)
            return x % 2 == 0

        made.function(name, selected, takes=["BIGINT"], gives="BOOLEAN")
    return made


def started(made: Session, sql: str, directory: Path, now: bool) -> Query:
    """A query that runs."""
    (query,) = made.script(sql, directory)
    return query.start(directory / "state" / query.name, available_now=now)


def alone(made: Session, directory: Path, name: str) -> Progress:
    """One plan by itself."""
    begun = time.time()
    query = started(made, PLAN.format(name=name, feedback=""), directory, True)
    query.wait()
    return _progress(directory / name, begun)


def merged(made: Session, directory: Path, feedback: bool) -> Progress:
    """Both plans and the merge, until the merge has said that all is stable."""
    for name in PLANS:
        (directory / name).mkdir()
    begun = time.time()
    queries = [
        started(made, PLAN.format(name=name, feedback=HEEDS if feedback else ""), directory, False) for name in PLANS
    ]
    queries.append(started(made, MERGE, directory, False))
    try:
        while not _ended(directory / "m.feedback"):
            assert all(query.running for query in queries)
            time.sleep(0.05)
    finally:
        for query in queries:
            query.stop()
    return _progress(directory / "merged", begun)


def _ended(path: Path) -> bool:
    return path.exists() and json.loads(path.read_text()) == {"$punct": {}}


def _progress(directory: Path, begun: float) -> Progress:
    found, rows = list[tuple[float, int]](), 0
    for path in sorted(directory.glob("part-*"), key=lambda path: path.stat().st_mtime):
        if path.suffix == ".json":
            rows += sum("$stable" not in line for line in path.open())
        else:
            rows += pl.read_parquet(path).filter(pl.col("_punct").is_null()).height
        found.append((path.stat().st_mtime - begun, rows))
    return found


def main() -> None:
    """Measure, print and draw."""
    to = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    made, runs = session(rounds()), dict[str, Progress]()
    with tempfile.TemporaryDirectory() as kept:
        write(Path(kept) / "warm", 2, FILE)
        merged(made, Path(kept) / "warm", True)
        ways: dict[str, Callable[[Path], Progress]] = {
            "merged with feedback": lambda path: merged(made, path, True),
            "merged": lambda path: merged(made, path, False),
            "udf0 alone": lambda path: alone(made, path, "udf0"),
            "udf1 alone": lambda path: alone(made, path, "udf1"),
        }
        for name, run in ways.items():  # those first that the ratio is of
            directory = Path(kept) / name.replace(" ", "-")
            write(directory, turns, TURN)
            runs[name] = run(directory)
            seconds, rows = runs[name][-1]
            print(f"{name:<21}{seconds:6.1f} s for {rows:,} elements of {turns * TURN:,}", flush=True)
            assert rows == turns * TURN // 2
            shutil.rmtree(directory)
    ratio = runs["merged"][-1][0] / runs["merged with feedback"][-1][0]
    print(f"with feedback it is {ratio:.1f} times as fast as without")
    if to is not None:
        draw(runs, to)


def draw(runs: dict[str, Progress], to: Path) -> None:
    """Elements over time, a line for each way."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    to.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for name, progress in runs.items():
        axes.plot(*zip((0, 0), *progress, strict=True), marker=".", label=name)
    axes.set(title="Plan switching", xlabel="seconds", ylabel="elements out", xlim=(0, None), ylim=(0, None))
    axes.legend()
    figure.savefig(to / "plan_switching.png", dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main()
