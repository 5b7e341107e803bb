"""A query that starts with the state of another checkpoint gives what one over all that both have read gives."""

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import DataFrame, SparkSession

from engine.kills import FILES, SCRIPT, Left, begins, left, written
from engine.test_kill import started
from lanes import PATIENCE, long
from punctum.engine.recovery.checkpoint import load_or_init_plan
from punctum.engine.recovery.durable import read_sealed, write_sealed
from punctum.engine.runtime.jumpstart import StoredState, settled_state
from punctum.errors import QueryError
from punctum.query import Query
from punctum.session import Session
from punctum.storage.location import Location

BATCHES, FIRST = FILES // 2, 2
"""How many batches there are, of two files each, and how many of them the other query has done."""
TREE = """
INSERT INTO grouped SELECT p.k, q.k AS other, p.n FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) p
  JOIN (SELECT k, COUNT(*) AS n FROM b GROUP BY k) q ON p.n = q.n ALLOW UNBOUNDED;
"""


def made(directory: Path, batches: range) -> Path:
    """A script of three stages, two of which feed the last, and the input of some batches."""
    directory.mkdir()
    written(directory)
    (directory / "kill.sql").write_text(SCRIPT[: SCRIPT.index("INSERT INTO")].replace("Trigger 1", "Trigger 2") + TREE)
    for path in directory.glob("in/*/*.json"):
        if int(path.stem) // 2 not in batches:
            path.rename(path.with_name(f".{path.name}"))
    return directory


def the_query(spark: SparkSession, directory: Path) -> Query:
    (query,) = Session(spark).script(directory / "kill.sql")
    assert isinstance(query, Query)
    return query


@pytest.fixture(scope="module")
def halves(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Left]:
    """The checkpoint of a query that has read the first files, and what one over all leaves behind them."""
    directory = tmp_path_factory.mktemp("jumpstart")
    for name, batches in (("whole", range(BATCHES)), ("old", range(FIRST))):
        made(directory / name, batches)
        the_query(spark, directory / name).start(directory / name / "state/grouped", available_now=True).wait()
    found = left(directory / "whole", "grouped")
    metrics = [unnumbered(each) | {"batch": each["batch"] - FIRST} for each in found["metrics"][FIRST:]]
    assert len(metrics[0]["kept"]) > 1 and sum(map(len, found["results"].values())) > 10
    wanted: Left = {what: later(found[what]) for what in ("results", "quarantine")}
    return directory / "old/state", wanted | {"metrics": metrics}


def later(files: Left) -> Left:
    """Files of the later batches, by the number that these have when they are the first."""
    numbered = {(int(name[:6]) - FIRST, name[6:]): found for name, found in files.items()}
    return {f"{n:06}{rest}": found for (n, rest), found in numbered.items() if n >= 0}


def behind(directory: Path) -> Left:
    found = left(directory, "grouped")
    return found | {"metrics": list(map(unnumbered, found["metrics"][1:]))}  # the first one says what was kept before


def unnumbered(metrics: Left) -> Left:
    """Metrics without the numbers of earlier batches."""
    return {name: value for name, value in metrics.items() if name != "written"}


@long
def test_two_halves_are_the_whole(spark: SparkSession, halves: tuple[Path, Left], tmp_path: Path) -> None:
    """The first batch fails, and is done again when the other checkpoint has gone."""
    (old, wanted), new = halves, made(tmp_path / "new", range(FIRST, BATCHES))
    state, mine = shutil.copytree(old, tmp_path / "old") / "grouped", new / "state/grouped"
    query = the_query(spark, new)

    def failing(result: DataFrame, batch: int) -> None:
        raise ValueError(f"no place for batch {batch}")

    with pytest.raises(QueryError, match="no place for batch 0"):
        query.start(mine, available_now=True, to=failing, state=state).wait()
    shutil.rmtree(state)
    query.start(mine, available_now=True, state=state).wait()
    assert behind(new) == wanted


@long
def test_a_jumpstart_that_is_killed_is_done_again(halves: tuple[Path, Left], tmp_path: Path) -> None:
    (old, wanted), new, chance = halves, made(tmp_path / "new", range(FIRST, BATCHES)), Random(3)
    with started(new, "local[2]", "--state", str(old)) as running:
        assert begins(new, "grouped", 1, lambda: running.poll() is not None)
        time.sleep(chance.uniform(0, 0.8))
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate(timeout=PATIENCE)
    with started(new, "local[2]", "--state", str(old)) as running:
        _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, errors
    assert behind(new) == wanted


PLAN = ["stream a: k BIGINT", "  USING json", "stage 1", "  Distinct"]


def stored(directory: Path, done: int = 3) -> str:
    """A checkpoint with so many batches."""
    load_or_init_plan(str(directory), PLAN)
    write_sealed(directory / "punctum/buckets.json", '{"buckets": [3, 8]}')
    for what in ("offsets", "commits"):
        (directory / what).mkdir()
        for n in range(done):
            (directory / what / str(n)).touch()
    return str(directory)


def copied(stored: StoredState, to: Location) -> None:
    """As if there were a state: which one it is."""
    to.mkdir(parents=True)
    (to / "which").write_text(f"{Path(stored.checkpoint).name} {stored.batch}")


def settled(checkpoint: str, state: str, plan: Sequence[str] = PLAN) -> str | None:
    """The state that a query starts with."""
    found = settled_state(checkpoint, state, plan, copied)
    return None if found is None else (found / "which").read_text()


def test_a_state_is_settled_when_the_first_batch_begins(tmp_path: Path) -> None:
    old, other, new = stored(tmp_path / "old"), stored(tmp_path / "other", 11), str(tmp_path / "new")
    assert settled(new, "") is None
    assert settled(new, other) == "other 10"
    assert settled(new, old) == "old 2"
    (tmp_path / "old/commits/3").touch()
    assert settled(new, "") == "old 2"
    assert settled(new, old) == "old 3"
    assert json.loads(read_sealed(tmp_path / "new/punctum/buckets.json")) == {"buckets": [3, 8]}
    (tmp_path / "new/offsets").mkdir()
    (tmp_path / "new/offsets/0").touch()
    (tmp_path / "old/commits/4").touch()
    assert settled(new, old) == "old 3"
    with pytest.raises(QueryError, match=f"was started with the state of {old}"):
        settled(new, other)
    shutil.rmtree(old)
    assert settled(new, old) == settled(new, "") == "old 3"
    with pytest.raises(QueryError, match="belongs to another query"):
        settled(new, "", ["another"])
    (tmp_path / "new/commits").mkdir()
    (tmp_path / "new/commits/0").touch()
    assert settled(new, old) is settled(new, "") is None
    assert not (tmp_path / "new/punctum/start").exists(), "the copy goes when it is no longer needed"


def test_a_copy_that_was_broken_off_is_none(tmp_path: Path) -> None:
    old, new = stored(tmp_path / "old"), str(tmp_path / "new")

    def breaking(stored: StoredState, to: Location) -> None:
        copied(stored, to)
        raise KeyboardInterrupt

    assert settled(new, old) == "old 2"
    with pytest.raises(KeyboardInterrupt):
        settled_state(new, old, PLAN, breaking)
    assert settled(new, "") is None
    assert settled(new, old) == "old 2"


def test_a_state_of_no_use_is_refused(tmp_path: Path) -> None:
    new, old = str(tmp_path / "new"), stored(tmp_path / "old")
    assert settled(new, old, [*PLAN[:1], "  USING csv OPTIONS (header 'true')", *PLAN[2:]]) == "old 2"
    for state, plan, what, detail in [
        (str(tmp_path / "none"), PLAN, "the checkpoint to start from does not exist", "/none/punctum/plan"),
        (str(stored(tmp_path / "empty", 0)), PLAN, "the checkpoint to start from has no state", "/empty"),
        (old, ["stream a: k BIGINT", "stage 1", "  Sort"], "belongs to another query", "    - Distinct\n    + Sort"),
    ]:
        with pytest.raises(QueryError) as caught:
            settled(str(tmp_path / "other"), state, plan)
        assert what in caught.value.what and detail in caught.value.detail and caught.value.hint
    with pytest.raises(QueryError, match="was started with no state"):
        settled(stored(tmp_path / "begun", 1), old)


@pytest.mark.parametrize("left", ["state", "punctum/metrics.jsonl"])
def test_a_state_that_is_lost_before_the_first_batch_is_done_is_missed(left: str, tmp_path: Path) -> None:
    """The note of it, or a file of the copy; without either a query would begin with nothing."""
    old, new = stored(tmp_path / "old"), tmp_path / "new"
    assert settled(str(new), old) == "old 2"
    (new / "offsets").mkdir()
    (new / "offsets/0").touch()
    which = (new / "punctum/start/which").read_text()
    damages: list[Callable[[Path], object]] = [Path.unlink, lambda path: path.write_text("")]
    for damage in damages:
        damage(new / "punctum/start/which")
        with pytest.raises(QueryError, match=r"/new/punctum/start/which does not exist"):
            settled(str(new), "")
        (new / "punctum/start/which").write_text(which)
    assert settled(str(new), "") == "old 2"
    (new / "punctum/state.json").unlink()
    if left == "state":
        (new / "punctum/metrics.jsonl").unlink()
    else:
        shutil.rmtree(new / "punctum/start")
    for state in ("", old):
        with pytest.raises(QueryError, match=r"/new/punctum/state\.json does not exist"):
            settled(str(new), state)


@pytest.mark.parametrize("name", ["plan", "buckets.json"])
def test_a_damaged_checkpoint_is_nothing_to_start_from(name: str, tmp_path: Path) -> None:
    old = stored(tmp_path / "old")
    (tmp_path / "old/punctum" / name).write_bytes(b"\xff")
    with pytest.raises(QueryError, match=f"/old/punctum/{name} is damaged"):
        settled(str(tmp_path / "new"), old)
    assert not (tmp_path / "new/punctum/state.json").exists()
