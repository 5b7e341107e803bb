"""A query for weeks, in hours: many batches in a row over a directory of many files, and what grows meanwhile.

``python bench/soak.py run DIRECTORY --files 100000 --batches 20000`` fills the directory of a stream with files that
have no rows, starts a query and then sends it a file at a time: the next one when the batch of the one before is
committed. With each file that comes the oldest one goes, so the directory has always as many. A file has rows of two
keys and closes them; every tenth one has a line that is no element, for the quarantine. Every so many batches
``soak.jsonl`` gets a line: how long batches took, the memory of each process, the files and bytes of the checkpoint and
of what is rotated. When all batches are done it waits a minute, which shows how much processor time an idle query
takes, and starts the query again, which shows how long that takes.

``python bench/soak.py listing DIRECTORY --files 100000 --batches 20000`` does the same with what lists files alone,
in this process and without Spark.

``python bench/soak.py plot DIRECTORY IMAGE`` draws what there is by now, and prints it as a table.
"""

import json
import os
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import click
from pyspark.sql.streaming.datasource import ReadAllAvailable

from punctum.engine.sources.reader import Directory, Offset, PackedFilesReader
from punctum.engine.spark import spark_session
from punctum.query import Query
from punctum.session import Session

SCRIPT = """
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json
  OPTIONS (path 'bid', forget '{forget}');
CREATE SINK total USING json OPTIONS (path 'out');
INSERT INTO total SELECT itemid, SUM(increase) AS total, COUNT(*) AS n FROM bid GROUP BY itemid;
"""
PATIENT = {
    "spark.network.timeout": "3600s",
    "spark.executor.heartbeatInterval": "60s",
    "spark.storage.blockManagerHeartbeatTimeoutMs": "3600000",
    "spark.cleaner.referenceTracking.blocking": "false",
}
"""Settings with which Spark goes on when the machine has stood still for a while."""
ROWS = 20
EVERY = 50
IDLE = 60
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@click.group()
def soak() -> None:
    """Many batches in a row, and what grows."""


@soak.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--files", default=100_000)
@click.option("--batches", default=20_000)
@click.option("--minutes", default=0.0, help="Stop after so many minutes; never, unless it is given.")
@click.option("--forget", default="10 minutes")
def run(directory: Path, files: int, batches: int, minutes: float, forget: str) -> None:
    """Run the query and write down what it takes; a run that has ended too soon goes on with the same command."""
    sent = _filled(directory, files)
    script = directory / "query.sql"
    if not script.exists():
        script.write_text(SCRIPT.format(forget=forget))
    zero = script.stat().st_mtime
    session = Session(spark_session(log=directory / "checkpoint/spark.log", settings=PATIENT))
    (query,) = session.script(script)
    begun = time.monotonic()
    query.start(directory / "checkpoint/total")
    until = begun + (60 * minutes or 1e9)
    batch = -1 if sent else _done(query, -1)
    _note(directory, {"files": files, "first": round(time.monotonic() - begun, 1), "after": sent})
    times, before = list[float](), time.monotonic()
    for n in range(sent + 1, batches + 1):
        _write(directory, files + n - 1)
        (directory / "bid" / f"{n - 1:09}.json").unlink(missing_ok=True)
        batch = _done(query, batch)
        times.append((now := time.monotonic()) - before)
        before = now
        if n % EVERY == 0:
            _note(directory, {"batches": n, "at": round(time.time() - zero, 1), "seconds": times} | _taken(directory))
            times = []
        if now > until:
            break
    used, before = _processor(), time.monotonic()
    time.sleep(IDLE)
    share = (_processor() - used) / (time.monotonic() - before)
    _note(directory, {"idle": round(share, 4)})
    begun = time.monotonic()
    query.stop()
    query.start(directory / "checkpoint/total", available_now=True).wait()
    _note(directory, {"again": round(time.monotonic() - begun, 1)})
    session.spark.stop()


@soak.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--files", default=100_000)
@click.option("--batches", default=20_000)
@click.option("--forget", default=10.0, help="Seconds.")
def listing(directory: Path, files: int, batches: int, forget: float) -> None:
    """List a directory as a query does, and write down what that takes."""
    (directory / "bid").mkdir(parents=True)
    for number in range(files):
        (directory / "bid" / f"{number:09}.json").write_text("\n")
    log = directory / "list.files"
    made = Directory("bid", "bid", str(directory / "bid"), "json", str(log), b"", forget=forget)

    def begun() -> tuple[PackedFilesReader, Offset]:
        reader, before = PackedFilesReader([made], 2), time.process_time()
        offset = reader.latestOffset(reader.initialOffset(), ReadAllAvailable())
        _note(directory, {"files": files, "begun": round(time.process_time() - before, 2)})
        return reader, offset

    reader, offset = begun()
    reader, offset = begun()
    begin, times = time.monotonic(), list[float]()
    for n in range(1, batches + 1):
        _write(directory, files + n - 1)
        (directory / "bid" / f"{n - 1:09}.json").unlink()
        before, new = time.process_time(), offset
        while new == offset:  # what was written a moment ago may be told a moment later
            new = reader.latestOffset(offset, ReadAllAvailable())
        reader.partitions(offset, new)
        reader.commit(new)
        times.append(time.process_time() - before)
        offset = new
        if n % EVERY == 0:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            taken = {
                "memory": {"source": round(pages * _PAGE / 1e6, 1)},
                "places": {"list of files": _size(log)},
                "log": 0,
            }
            _note(directory, {"batches": n, "at": round(time.monotonic() - begin, 1), "seconds": times} | taken)
            times = []
    used, since = time.process_time(), time.monotonic()
    while time.monotonic() < since + IDLE:
        reader.latestOffset(offset, ReadAllAvailable())
        time.sleep(0.01)  # as often as Spark asks
    _note(directory, {"idle": round((time.process_time() - used) / (time.monotonic() - since), 5)})
    begun()


def _filled(directory: Path, files: int) -> int:
    """The directory of the stream with so many files, or as a run has left it: how many that one has sent."""
    stream = directory / "bid"
    if stream.exists():
        return max(int(path.stem) for path in stream.glob("[0-9]*.json")) - files + 1
    stream.mkdir(parents=True)
    for number in range(files):
        (stream / f"{number:09}.json").write_text("\n")
    return 0


def _write(directory: Path, number: int) -> None:
    """A file with rows of two keys, which it closes, and a line that is no element."""
    keys = (2 * number, 2 * number + 1)
    lines = [json.dumps({"itemid": keys[n % 2], "increase": float(n)}) for n in range(ROWS)]
    lines += [json.dumps({"$punct": {"itemid": key}}) for key in keys]
    lines += ['{"itemid": "none"}'] if number % 10 == 0 else []
    path = directory / "bid" / f"{number:09}.json"
    part = path.with_name(f".{path.name}")
    part.write_text("\n".join(lines) + "\n")
    part.replace(path)


def _done(query: Query, batch: int) -> int:
    """Wait for the next batch; its number."""
    while True:
        recent = query.metrics()
        if recent and recent[-1]["batch"] > batch:
            return int(recent[-1]["batch"])
        if not query.running:
            raise SystemExit(str(query.failure))
        time.sleep(0.01)


def _note(directory: Path, line: dict[str, Any]) -> None:
    with (directory / "soak.jsonl").open("a") as out:
        out.write(json.dumps(line) + "\n")


def _taken(directory: Path) -> dict[str, Any]:
    """The memory of processes by what they are, and files and bytes by where they are."""
    memory: dict[str, float] = defaultdict(float)
    for pid in _processes():
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            memory[_what(pid)] += pages * _PAGE / 1e6
        except (OSError, IndexError):
            continue
    places = {
        "checkpoint": directory / "checkpoint/total",
        "list of files": next((directory / "checkpoint/total/punctum").glob("*.files")),
        "quarantine": directory / "out.quarantine",
    }
    counted = {name: _size(path) for name, path in places.items()}
    log = sum(path.stat().st_size for path in (directory / "checkpoint").glob("spark.log*"))
    return {"memory": {what: round(size, 1) for what, size in memory.items()}, "log": log, "places": counted}


def _size(path: Path) -> tuple[int, int]:
    files = [os.path.join(at, name) for at, _, names in os.walk(path) for name in names]
    sizes = []
    for file in files:
        try:
            sizes.append(os.stat(file).st_size)
        except FileNotFoundError:
            continue
    return len(sizes), sum(sizes)


def _processes() -> list[int]:
    """The process that runs here and all below it."""
    parents: dict[int, list[int]] = defaultdict(list)
    for entry in os.listdir("/proc"):
        if entry.isdecimal():
            try:
                stat = Path(f"/proc/{entry}/stat").read_text()
            except OSError:
                continue
            parents[int(stat.rpartition(")")[2].split()[1])].append(int(entry))
    found = [os.getpid()]
    for pid in found:
        found += parents[pid]
    return found


def _what(pid: int) -> str:
    if pid == os.getpid():
        return "driver"
    command = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
    if "java" in command[0]:
        return "JVM"
    module = next((word for word in command if word.startswith("pyspark.")), command[0].rpartition("/")[2])
    return "source" if "source" in module else "workers" if "daemon" in module or "worker" in module else module


def _processor() -> float:
    """The processor time of all processes, in seconds."""
    total = 0
    for pid in _processes():
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        except OSError:
            continue
    return total / _TICKS


@soak.command()
@click.argument("directory", type=click.Path(path_type=Path, exists=True))
@click.argument("image", type=click.Path(path_type=Path))
def plot(directory: Path, image: Path) -> None:
    """Draw what was written down, and print it."""
    from matplotlib import pyplot

    lines = [json.loads(line) for line in (directory / "soak.jsonl").read_text().splitlines()]
    notes = [line for line in lines if "batches" in line]
    if not notes:
        raise click.ClickException(f"{EVERY} batches are not done yet")
    at = [line["batches"] for line in notes]
    figure, axes = pyplot.subplots(2, 2, figsize=(11, 7), sharex=True)
    axes[0, 0].plot(at, [median(line["seconds"]) * 1000 for line in notes], label="median of 50")
    axes[0, 0].plot(at, [max(line["seconds"]) * 1000 for line in notes], label="longest of 50", alpha=0.4)
    axes[0, 0].set_title("from batch to batch, ms")
    for what in sorted({what for line in notes for what in line["memory"]}):
        axes[0, 1].plot(at, [line["memory"].get(what, 0) for line in notes], label=what)
    axes[0, 1].set_title("memory (RSS), MB")
    for name in notes[0]["places"]:
        axes[1, 0].plot(at, [line["places"][name][0] for line in notes], label=name)
        axes[1, 1].plot(at, [line["places"][name][1] / 1e6 for line in notes], label=name)
    axes[1, 0].set_title("files")
    axes[1, 1].plot(at, [line["log"] / 1e6 for line in notes], label="spark.log")
    axes[1, 1].set_title("MB")
    for axis in axes.flat:
        axis.legend(fontsize=8)
        axis.set_ylim(bottom=0)
    figure.supxlabel("batches")
    figure.tight_layout()
    figure.savefig(image)
    for line in lines:
        if "batches" not in line:
            print(json.dumps(line))
    for line in notes[:: max(1, len(notes) // 10)] + notes[-1:]:
        memory = ", ".join(f"{what} {size:.0f}" for what, size in sorted(line["memory"].items()))
        places = ", ".join(f"{name} {n} files {size / 1e6:.2f} MB" for name, (n, size) in line["places"].items())
        print(f"{line['batches']:>6} batches, {line['at']:>7} s, {median(line['seconds']) * 1000:.0f} ms; MB: {memory}")
        print(f"       {places}, log {line['log'] / 1e6:.2f} MB")


if __name__ == "__main__":
    soak()
