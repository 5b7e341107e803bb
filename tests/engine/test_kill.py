"""Whatever is killed whenever: the next run gives what an undisturbed one gives, quarantine and metrics included.

The short lane kills one Python worker, the long one 20 processes, or as many as PUNCTUM_KILLS says. Most are workers,
which are cheap to start again; the others are the driver with all that it has started, and, from 20 kills on, the JVM
alone and executors of a cluster on this machine, which takes a minute to start.
"""

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from engine.kills import FILES, SINKS, Left, begins, begun, below, left, written
from lanes import KILLS, PATIENCE, long
from punctum.engine.commit import Commit
from punctum.errors import QueryError
from punctum.query import Query
from punctum.session import Session

OF_DRIVERS, OF_JVMS, OF_EXECUTORS = max(1, KILLS // 10), KILLS // 20, KILLS // 20
OF_WORKERS = KILLS - OF_DRIVERS - OF_JVMS - OF_EXECUTORS
CLUSTER = "local-cluster[2,1,1024]"
SEED = int(os.environ.get("PUNCTUM_SEED", "1"))


def queries(spark: SparkSession, directory: Path) -> dict[str, Query]:
    found = Session(spark).script(directory / "kill.sql")
    return {query.name: query for query in found}


def run(spark: SparkSession, directory: Path, sink: str) -> None:
    """Run one of the queries to its end, or to its error."""
    begin(spark, directory, sink).wait()


@pytest.fixture(scope="module")
def undisturbed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Left]]:
    """A run that nothing happens to."""
    directory = written(tmp_path_factory.mktemp("undisturbed"))
    for sink in SINKS:
        run(spark, directory, sink)
    found = {sink: left(directory, sink) for sink in SINKS}
    for sink in SINKS:
        assert len(found[sink]["metrics"]) == FILES
        assert sum(map(len, found[sink]["results"].values())) >= 20
        assert sum(batch["quarantined"] for batch in found[sink]["metrics"]) >= 4 * (FILES - 1)
        assert not [kept for kept in found[sink]["metrics"][-1]["operators"].values() if kept["rows_kept"]]
    return directory, found


def begin(spark: SparkSession, directory: Path, sink: str) -> Query:
    return queries(spark, directory)[sink].start(directory / "state" / sink, available_now=True)


def killed_worker(query: Query, jvm: int, directory: Path, chance: random.Random) -> bool:
    """Wait for a moment of some batch, and kill a worker; whether there was one."""
    wanted = begun(directory, query.name) + chance.choice([0, 1, 1, 2])
    begins(directory, query.name, wanted, lambda: not query.running)
    time.sleep(chance.uniform(0, 0.4))
    workers = below(jvm, "pyspark")
    killed = False
    if query.running and workers:
        with suppress(ProcessLookupError):
            os.kill(chance.choice(workers), signal.SIGKILL)
            killed = True
    with suppress(QueryError):
        query.wait()
    return killed


def test_random_kills_of_python_workers(
    spark: SparkSession, undisturbed: tuple[Path, dict[str, Left]], tmp_path: Path
) -> None:
    chance, killed = random.Random(SEED), 0
    jvm = spark.sparkContext._gateway.proc.pid  # type: ignore[union-attr]
    for story in range(KILLS + 1):
        if killed >= OF_WORKERS:
            return
        directory, sink = written(make(tmp_path / str(story))), SINKS[story % 3 % 2]
        while begun(directory, sink) < FILES and killed < OF_WORKERS:
            killed += killed_worker(begin(spark, directory, sink), jvm, directory, chance)
        run(spark, directory, sink)
        assert left(directory, sink) == undisturbed[1][sink], f"seed {SEED}, story {story}, {killed} kills"


@long
def test_random_kills_of_processes(undisturbed: tuple[Path, dict[str, Left]], tmp_path: Path) -> None:
    chance, story = random.Random(SEED), 0
    kills = ["driver"] * OF_DRIVERS + ["JVM"] * OF_JVMS + ["executor"] * OF_EXECUTORS
    chance.shuffle(kills)
    while kills:
        story += 1
        directory = written(make(tmp_path / str(story)))
        for sink in SINKS:  # with the buckets of the other run, whatever the number of cores
            buckets = f"state/{sink}/punctum/buckets.json"
            make((directory / buckets).parent)
            shutil.copy(undisturbed[0] / buckets, directory / buckets)
        while kills and min(begun(directory, sink) for sink in SINKS) < FILES:
            if killed_once(directory, kills[-1], chance):
                kills.pop()
        with started(directory) as running:
            _, errors = running.communicate(timeout=PATIENCE)
        assert running.returncode == 0, errors  # also when executors were killed and all was done before
        for sink in SINKS:
            assert left(directory, sink) == undisturbed[1][sink], f"seed {SEED}, story {story}, {len(kills)} to go"


def killed_once(directory: Path, what: str, chance: random.Random) -> bool:
    """Run the script until some batch has begun, and kill it; whether it had not ended before."""
    sink = chance.choice(SINKS)
    wanted = begun(directory, sink) + chance.randint(1, 4)
    with started(directory, CLUSTER if what == "executor" else "local[2]") as running:
        begins(directory, sink, wanted, lambda: running.poll() is not None)
        time.sleep(chance.uniform(0, 0.5))
        alive = running.poll() is None
        if what == "driver":
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.communicate(timeout=PATIENCE)
            return alive
        if what == "executor":
            return killed_executor(running, chance)
        for pid in below(running.pid, "java"):
            os.kill(pid, signal.SIGKILL)
        _, errors = running.communicate(timeout=PATIENCE)
    if running.returncode == 0:
        return False
    assert "Traceback" not in errors, errors
    assert "error: Spark stopped unexpectedly" in errors, errors
    assert "hint: run the same command again" in errors, errors
    return True


def killed_executor(running: "subprocess.Popen[str]", chance: random.Random) -> bool:
    """Kill one executor; Spark starts another one, and the run goes on to its end."""
    executors = below(running.pid, "CoarseGrainedExecutorBackend")
    if executors:
        with suppress(ProcessLookupError):
            os.kill(chance.choice(executors), signal.SIGKILL)
    _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, errors
    return bool(executors)


@contextmanager
def started(directory: Path, master: str = "local[2]", *more: str) -> Iterator[subprocess.Popen[str]]:
    """The script, run by the command in a process group of its own."""
    command = [sys.executable, "-m", "punctum", "run", "kill.sql", "--checkpoint", "state", "--available-now"]
    with subprocess.Popen(
        [*command, "--master", master, *more], cwd=directory, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        try:
            yield running
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


def test_killed_when_all_is_written_and_spark_does_not_know_it(
    spark: SparkSession, undisturbed: tuple[Path, dict[str, Left]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches 0, 3 and 4 are done again, over what a killed process may have left; one was killed before all."""
    directory, sink, once = written(tmp_path), "pairs", {0, 3, 4}
    offsets = make(directory / "state" / sink / "offsets")
    for half in (".0.a1b2.tmp", "..0.a1b2.tmp.crc"):
        (offsets / half).write_text("v")
    commit = Commit.__call__

    def killed(self: Commit, packed: Any, batch: int) -> None:
        commit(self, packed, batch)
        if batch in once:
            once.remove(batch)
            raise OSError(errno.EIO, "killed")

    monkeypatch.setattr(Commit, "__call__", killed)
    for _ in range(3):
        with pytest.raises(QueryError, match="killed"):
            run(spark, directory, sink)
        kept = directory / "state" / sink / "punctum"
        (hidden,) = (directory / "out" / sink / ".punctum").iterdir()
        (hidden / "left").write_text("half a ro")
        for name in (".metrics.jsonl.new", ".id.new", ".plan.new", ".a-1-0.files.new"):
            (kept / name).write_text("ha")
        with (kept / "metrics.jsonl").open("a") as metrics:
            metrics.write('{"batch": 7, "ti')
    run(spark, directory, sink)
    assert left(directory, sink) == undisturbed[1][sink]
    assert not (hidden / "left").exists()


@long
def test_state_that_cannot_be_written(
    spark: SparkSession, undisturbed: tuple[Path, dict[str, Left]], tmp_path: Path
) -> None:
    """The state of one bucket has no place while a batch runs."""
    directory, sink = written(tmp_path), "grouped"
    query = begin(spark, directory, sink)
    assert begins(directory, sink, 3)
    place = min((directory / "state" / sink / "punctum/state/1").iterdir())
    place.rename(place.with_name("aside"))
    place.write_text("in the way")
    with pytest.raises(QueryError, match=r"^the query .* failed"):
        query.wait()
    place.unlink()
    place.with_name("aside").rename(place)
    run(spark, directory, sink)
    assert left(directory, sink) == undisturbed[1][sink]


@long
def test_a_source_file_that_is_gone_when_its_turn_comes(
    spark: SparkSession, undisturbed: tuple[Path, dict[str, Left]], tmp_path: Path
) -> None:
    directory, sink = written(tmp_path), "grouped"
    query = begin(spark, directory, sink)
    assert begins(directory, sink, 2)
    file = directory / "in/b/7.json"
    file.rename(tmp_path / "7.json")
    for attempt in range(2):
        with pytest.raises(QueryError) as caught:
            query.wait() if attempt == 0 else run(spark, directory, sink)
        assert caught.value.what == "the query grouped failed"
        assert caught.value.detail == f"the file 7.json no longer exists: {file}"
        assert caught.value.hint.startswith("restore it, or start with a new checkpoint")
    (tmp_path / "7.json").rename(file)
    run(spark, directory, sink)
    assert left(directory, sink) == undisturbed[1][sink]


@long
def test_a_disk_that_is_full(spark: SparkSession, undisturbed: tuple[Path, dict[str, Left]], tmp_path: Path) -> None:
    """Where a small file system can be made: all that a query writes is on it, and it fills up in the middle."""
    directory, sink = written(tmp_path), "grouped"
    disk = make(tmp_path / "disk")
    if shutil.which("mount") is None or subprocess.run(mounting(disk), capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        for name in ("out", "state"):
            (disk / name).mkdir()
            (directory / name).symlink_to(disk / name)
        for room in (0, 20_000):
            query = begin(spark, directory, sink)
            assert begins(directory, sink, begun(directory, sink) + 2)
            fill(disk, room)
            with pytest.raises(QueryError):
                query.wait()
            (disk / "ballast").unlink()
        run(spark, directory, sink)
        assert left(directory, sink) == undisturbed[1][sink]
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def mounting(disk: Path) -> list[str]:
    return ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(disk)]


def fill(disk: Path, room: int) -> None:
    """Leave so many bytes."""
    with (disk / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
        while ballast.write(bytes(4096)):
            pass
    with (disk / "ballast").open("r+b") as ballast:
        ballast.truncate(max(0, (disk / "ballast").stat().st_size - room))


def make(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory
