"""A query goes on with more buckets, and nobody can tell from its results: whatever is killed around that moment."""

import errno
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from engine.kills import FILES, SINKS, Left, begins, left, written
from engine.test_kill import started
from lanes import KILLS, PATIENCE, long
from punctum.engine.commit import Commit
from punctum.engine.partitions import BUCKETS
from punctum.engine.recovery import durable
from punctum.engine.recovery.state_files import StateFiles
from punctum.engine.runtime.stored import kept_state
from punctum.errors import QueryError
from punctum.query import Query
from punctum.session import Session

FEW, MANY = 2, 8


class KilledError(OSError):
    """What ends a process between two of its steps."""


def with_buckets(spark: SparkSession, directory: Path, sink: str, buckets: int | None) -> Query:
    """A query of the script in a session that says how many buckets, or does not."""
    session = spark.newSession()
    session.conf.unset(BUCKETS)
    (query,) = (q for q in Session(session, buckets=buckets).script(directory / "kill.sql") if q.name == sink)
    return query


def run(spark: SparkSession, directory: Path, sink: str, buckets: int | None) -> None:
    with_buckets(spark, directory, sink, buckets).start(directory / "state" / sink, available_now=True).wait()


def only(directory: Path, files: int) -> None:
    """Have the first files of each stream alone; all others are away."""
    for name in ("a", "b"):
        away = directory / "away" / name
        away.mkdir(parents=True, exist_ok=True)
        for n in range(FILES):
            for path, to in ((directory / "in" / name, away), (away, directory / "in" / name)):
                if (path / f"{n}.json").exists() and (to == away) == (n >= files):
                    shutil.move(path / f"{n}.json", to / f"{n}.json")
                    break


def by_batch(found: Left) -> dict[str, Any]:
    """The results of each batch, whatever buckets they come from, the quarantine, and sums of metrics."""
    batches: dict[str, list[Any]] = {}
    for name, rows in found["results"].items():
        batches.setdefault(name.partition("-")[0], []).extend(rows)
    counts = [
        {name: {n: c for n, c in counts.items() if n.startswith("rows")} for name, counts in batch["operators"].items()}
        for batch in found["metrics"]
    ]
    return {"rows": {n: sorted(rows, key=repr) for n, rows in batches.items()}, "counts": counts} | {
        "quarantine": found["quarantine"]
    }


def has(directory: Path, sink: str) -> int:
    """How many buckets a checkpoint has."""
    text = (directory / "state" / sink / "punctum/buckets.json").read_text().partition("\n")[2]
    return len(json.loads(text)["buckets"])


@pytest.fixture(scope="module")
def undisturbed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    directory = written(tmp_path_factory.mktemp("undisturbed"))
    for sink in SINKS:
        run(spark, directory, sink, FEW)
    return {sink: by_batch(left(directory, sink)) for sink in SINKS}


@pytest.fixture
def begun(spark: SparkSession, tmp_path: Path) -> Path:
    """A run that has done three batches in few buckets."""
    directory = written(tmp_path)
    only(directory, 3)
    for sink in SINKS:
        run(spark, directory, sink, FEW)
    only(directory, FILES)
    return directory


@long
def test_it_goes_on_with_more_buckets_whenever_it_is_killed(
    spark: SparkSession, undisturbed: dict[str, Any], begun: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fails at each third file, and before and behind the one that says which buckets there are."""
    save, replace_text, left_to_do = StateFiles.save, durable.replace_text, 0

    def step() -> None:
        nonlocal left_to_do
        left_to_do -= 1
        if left_to_do == 0:
            raise KilledError(errno.EIO, "killed")

    def saved(*args: Any) -> Any:
        step()
        return save(*args)

    def replaced(path: Path, text: str) -> None:
        if path.name == "buckets.json":
            step()
            replace_text(path, text)
            step()
        else:
            replace_text(path, text)

    (sink,) = ("grouped",)
    before = kept_state(begun / "state" / sink).frames()
    with monkeypatch.context() as patched:
        patched.setattr(StateFiles, "save", saved)
        patched.setattr(durable, "replace_text", replaced)
        for first in (*range(1, 100, 3), 0):
            left_to_do = first
            try:
                query = with_buckets(spark, begun, sink, MANY).start(begun / "state" / sink, available_now=True)
            except KilledError:
                if has(begun, sink) == FEW:
                    continue
                break
            query.wait()  # the last failure was before the last step
            break
    if not (begun / "state" / sink / "punctum/state-1").exists():
        raise AssertionError("the buckets have not become more")
    after = kept_state(begun / "state" / sink)
    if after.batch == 2:
        assert {name: sorted(rows.rows()) for name, rows in after.frames().items()} == {
            name: sorted(rows.rows()) for name, rows in before.items()
        }
    for number in (MANY, None):  # the second run has nothing to do
        run(spark, begun, sink, number)
    assert by_batch(left(begun, sink)) == undisturbed[sink]
    assert (has(begun, sink), len(list((begun / "state" / sink / "punctum").glob("state*")))) == (MANY, 1)


@long
def test_a_batch_that_readers_have_seen_keeps_its_files(
    spark: SparkSession, undisturbed: dict[str, Any], begun: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed behind the commit to the sink; then it goes on with more buckets."""
    commit, sink = Commit.__call__, "pairs"

    def killed(self: Commit, packed: Any, batch: int) -> None:
        commit(self, packed, batch)
        if batch == 4:
            raise KilledError(errno.EIO, "killed")

    with monkeypatch.context() as patched:
        patched.setattr(Commit, "__call__", killed)
        with pytest.raises(QueryError, match="killed"):
            run(spark, begun, sink, FEW)
    seen = {path.name for path in (begun / "out" / sink).glob("part-*-000004-*")}
    run(spark, begun, sink, MANY)
    assert by_batch(left(begun, sink)) == undisturbed[sink]
    assert {path.name for path in (begun / "out" / sink).glob("part-*-000004-*")} == seen
    assert has(begun, sink) == MANY
    with pytest.raises(QueryError) as caught:
        run(spark, begun, sink, 12)
    assert str(caught.value) == (
        "the query cannot go on with 12 buckets\n"
        "  detail: the checkpoint has 8, and a bucket becomes several, all of them as many\n"
        "  hint: take a multiple: 8, 16, 24, 32, …"
    )


@long
def test_drivers_killed_around_the_moment(undisturbed: dict[str, Any], tmp_path: Path) -> None:
    """Again and again, from 1 bucket to 2, 4, 8 and 16, each time killed at some moment around the start."""
    chance = random.Random(int(os.environ.get("PUNCTUM_SEED", "1")))
    directory, kills = written(tmp_path), 0
    while kills < max(4, KILLS // 3):
        number = str(2 ** min(4, kills // 2))
        with started(directory, "local[2]", "--buckets", number) as running:
            assert running.stderr is not None
            told = iter(running.stderr.readline, "")
            list(_until(told, "going on with" if kills else "reading"))
            time.sleep(chance.uniform(0, 2.0))
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait(PATIENCE)
        kills += 1
        begins(directory, SINKS[0], 0)
    with started(directory) as running:
        _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, errors
    for sink in SINKS:
        assert by_batch(left(directory, sink))["rows"] == undisturbed[sink]["rows"]
        assert by_batch(left(directory, sink))["quarantine"] == undisturbed[sink]["quarantine"]


def _until(lines: Iterator[str], text: str) -> Iterator[str]:
    for line in lines:
        yield line
        if text in line:
            return
