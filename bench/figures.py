"""Figure 2 of the punctuation paper again, on Spark: two sensors in a warehouse, sixty hours, a union and a group-by.

(a) the rows that the union keeps as rows arrive, with punctuations and without; (b) when the first result is out and
when the last one is, for 0 to 30 punctuations an hour. The sensors send as fast as they are read. Of an hour's
punctuations only the last closes it; the others say of some of its minutes that they are over, which the query has to
take and cannot use. The paper's sensors report once a minute, these once a second.

    python bench/figures.py [directory for the plots]
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import matplotlib as mpl

from punctum.engine.spark import spark_session
from punctum.query import Query
from punctum.session import Session

HOURS, RATES = 60, (0, 1, 2, 5, 10, 15, 20, 25, 30)
STREAM = """
CREATE STREAM {name} (sid STRING, hour BIGINT, minute BIGINT, currtmp DOUBLE, PUNCTUATED ON (hour))
  USING json OPTIONS (path '{name}', maxFilesPerTrigger 1);
"""
SCRIPT = (
    STREAM.format(name="sensor1")
    + STREAM.format(name="sensor2")
    + """
CREATE SINK warmest USING json OPTIONS (path 'out');
INSERT INTO warmest SELECT MAX(currtmp) AS maxtemp, hour
FROM (SELECT currtmp, hour FROM sensor1 UNION SELECT currtmp, hour FROM sensor2) GROUP BY hour;
"""
)
UNION, GROUPS = "s1o0", "s1o1"


def elements(name: str, rate: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """What a sensor sends, each with its minute, and so many punctuations an hour."""
    chance = Random(name)
    ends = {60 * n // rate for n in range(1, rate)}
    for minute in range(HOURS * 60):
        hour, past = divmod(minute, 60)
        usual = 75 - abs(hour % 24 - 12)
        for _ in range(60):
            yield minute, {"sid": name, "hour": hour, "minute": past, "currtmp": round(usual + 6 * chance.random(), 4)}
        if rate and past == 59:
            yield minute, {"$punct": {"hour": hour}}
        elif past + 1 in ends:
            yield minute, {"$punct": {"hour": hour, "minute": {"le": past}}}
    yield HOURS * 60 - 1, {"$punct": {}}


def run(session: Session, rate: int, minutes: int) -> tuple[list[dict[str, Any]], float]:
    """The metrics of a run over files of so many minutes, and when it was started."""
    directory = Path(tempfile.mkdtemp())
    try:
        for name in ("sensor1", "sensor2"):
            (directory / name).mkdir()
            files: dict[int, list[str]] = {}
            for minute, element in elements(name, rate):
                files.setdefault(minute // minutes, []).append(json.dumps(element))
            for n, lines in files.items():
                (directory / name / f"{n:04}.json").write_text("\n".join(lines))
        (query,) = session.script(SCRIPT, directory)
        assert isinstance(query, Query)
        started = time.time()
        query.start(directory / "checkpoint", available_now=True).wait()
        rows = [json.loads(line) for file in (directory / "out").glob("part-*") for line in file.open()]
        assert sorted(row["hour"] for row in rows) == list(range(HOURS))
        return query.metrics(), started
    finally:
        shutil.rmtree(directory)


def main() -> None:
    """Run all and draw both figures."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    to = Path(sys.argv[1] if len(sys.argv) > 1 else "figures")
    to.mkdir(exist_ok=True)
    session = Session(spark_session())
    run(session, 1, 300)  # warms up
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for rate, line, label in ((0, "-", "without punctuations"), (1, ":", "one punctuation an hour")):
        batches, _ = run(session, rate, 50)
        arrived = 0
        constants = []
        for batch in batches:
            arrived += batch["operators"][UNION]["rows_in"]
            constants.append((arrived, batch["operators"][UNION]["rows_kept"]))
        axes.plot(*zip(*constants, strict=True), line, label=label)
        print(f"{label}: the union keeps {max(kept for _, kept in constants):,} rows at most of {arrived:,}")
    axes.set(title="State of the union", xlabel="rows that have arrived", ylabel="rows kept")
    axes.legend()
    figure.savefig(to / "figure2a.png", dpi=150)
    times = []
    for rate in RATES:
        batches, started = run(session, rate, 150)
        first = next(batch["time"] for batch in batches if batch["operators"][GROUPS]["rows_out"])
        times.append((first - started, batches[-1]["time"] - started))
        print(
            f"{rate:>2} punctuations an hour: first result after {times[-1][0]:.1f} s, last after {times[-1][1]:.1f} s"
        )
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(RATES, [first for first, _ in times], "--", marker=".", label="first result")
    axes.plot(RATES, [last for _, last in times], "-", marker=".", label="last result")
    axes.set(title="Results", xlabel="punctuations an hour", ylabel="seconds", ylim=(0, None))
    axes.legend()
    figure.savefig(to / "figure2b.png", dpi=150)
    print(f"drawn in {to}")


if __name__ == "__main__":
    main()
