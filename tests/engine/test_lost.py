"""A checkpoint that has lost a file or has a damaged one: the run is refused, or gives what it would have given."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from punctum.engine.recovery.checkpoint import check_notes, files_read, load_or_init_plan, query_id, settled_buckets
from punctum.engine.recovery.durable import read_sealed, write_sealed
from punctum.errors import QueryError
from punctum.query import Query
from punctum.session import Session

PLAN = ["stream a: k BIGINT", "stage 1"]
HINT = "restore it, or start with a new checkpoint and an empty sink"


def made(checkpoint: Path, batches: int = 3) -> Path:
    """What a run leaves in a checkpoint that has done so many batches."""
    query_id(checkpoint)
    settled_buckets(str(checkpoint), (2, 0))
    load_or_init_plan(str(checkpoint), PLAN)
    (checkpoint / "metadata").write_text('{"id": "x"}')
    for log in ("offsets", "commits"):
        (checkpoint / log).mkdir()
        for n in range(batches):
            (checkpoint / log / str(n)).write_text(
                "v1\n{}\n-\n" + f'{{"logOffset":{n}}}\n{{"files": {{"s-1-0": {n + 1}}}}}'
            )
    lines = [json.dumps({"batch": n, "kept": {}}) + "\n" for n in range(batches)]
    (checkpoint / "punctum/metrics.jsonl").write_text("".join(lines))
    return checkpoint


def opened(checkpoint: Path, wanted: tuple[int, ...] = (1, 2, 5, 6)) -> tuple[str, tuple[int, ...]]:
    """What a run does with a checkpoint before it starts: its id and its buckets."""
    check_notes(checkpoint)
    load_or_init_plan(str(checkpoint), PLAN)
    return query_id(checkpoint), settled_buckets(str(checkpoint), wanted)


def to_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "a bit": flip,
    "no text": lambda path: path.write_bytes(b"\xff\xfe\x00\x80\n"),
    "other JSON": lambda path: path.write_text("[]"),
    "another file": lambda path: shutil.copy(path.with_name("id" if path.name == "plan" else "plan"), path),
    "a directory": to_directory,
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", ["id", "plan", "buckets.json"])
def test_a_damaged_file_is_named(name: str, damage: str, tmp_path: Path) -> None:
    path = made(tmp_path) / "punctum" / name
    DAMAGES[damage](path)
    with pytest.raises(QueryError) as caught:
        opened(tmp_path)
    assert caught.value.what.startswith(f"{path} ") and caught.value.detail and caught.value.hint == HINT


NEEDED = ["punctum/id", "punctum/plan", "punctum/buckets.json", "offsets/2", "offsets/1", "commits/1", "metadata"]


@pytest.mark.parametrize("name", NEEDED)
def test_a_lost_file_is_named(name: str, tmp_path: Path) -> None:
    """Of commits, the one before the last batch that has begun: had the last one been done is not known then."""
    made(tmp_path)
    if name == "commits/1":
        (tmp_path / "commits/2").unlink()
    (tmp_path / name).unlink()
    with pytest.raises(QueryError) as caught:
        opened(tmp_path)
    assert caught.value.what == "a file of the checkpoint is missing"
    assert str(tmp_path / name) in caught.value.detail and caught.value.hint == HINT


def test_whatever_is_left_shows_that_a_query_has_begun(tmp_path: Path) -> None:
    for left in ("offsets", "commits", "punctum/metrics.jsonl", "state"):
        checkpoint = made(tmp_path / left.replace("/", "-"))
        (checkpoint / "state/0").mkdir(parents=True)
        for name in ("offsets", "commits", "state", "punctum"):
            if not left.startswith(name):
                shutil.rmtree(checkpoint / name)
        for path in (checkpoint / "punctum").glob("[!m]*"):
            path.unlink()
        with pytest.raises(QueryError, match="a file of the checkpoint is missing"):
            opened(checkpoint)
        assert not (checkpoint / "punctum/id").exists(), "nothing has begun again"


def test_before_the_first_batch_what_is_missing_is_made(tmp_path: Path) -> None:
    """A run that was killed between any two of the files that it writes first."""
    for names in (["id"], ["id", "buckets.json"], ["buckets.json", "plan"], []):
        checkpoint = made(tmp_path / "-".join(["c", *names]), 0)
        for path in (checkpoint / "punctum").iterdir():
            if path.name not in names:
                path.unlink()
        assert opened(checkpoint) == (query_id(checkpoint), (2, 0) if "buckets.json" in names else (1, 2, 5, 6))


def test_a_batch_that_was_killed_is_not_lost(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "commits/2").unlink()
    assert opened(tmp_path)[1] == (2, 0)
    for log in ("offsets", "commits"):  # Spark keeps the last ones
        (tmp_path / log / "0").unlink()
    assert opened(tmp_path)[1] == (2, 0)
    assert files_read(tmp_path) == {"s-1-0": 3}


def test_a_sealed_file_is_known_by_its_name(tmp_path: Path) -> None:
    for text in ("", "a\n", "é\r\n\n"):
        write_sealed(tmp_path / "a", text)
        assert read_sealed(tmp_path / "a") == text
    shutil.copy(tmp_path / "a", tmp_path / "b")
    with pytest.raises(QueryError, match="b is damaged"):
        read_sealed(tmp_path / "b")


def test_a_file_of_an_earlier_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "id").write_text("0a1b2c3d")
    with pytest.raises(QueryError, match="unless an earlier version of Punctum has written it"):
        read_sealed(tmp_path / "id")


SCRIPT = """
CREATE STREAM c (k BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'c');
CREATE STREAM a (k BIGINT, g BIGINT, PUNCTUATED ON (k), PUNCTUATED ON (g)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, v BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE SINK total USING json OPTIONS (path 'out');
INSERT INTO total SELECT x.g, COUNT(*) AS n, SUM(b.v) AS v FROM
  (SELECT a.k, a.g FROM a JOIN (SELECT DISTINCT k FROM c) AS c ON a.k = c.k) AS x JOIN b ON x.k = b.k GROUP BY x.g;
"""
ENDS = '{"$punct": {}}\n'


def the_query(spark: SparkSession, directory: Path) -> Query:
    (query,) = Session(spark).script(SCRIPT, directory)
    assert isinstance(query, Query)
    return query


def run(spark: SparkSession, directory: Path) -> list[str]:
    the_query(spark, directory).start(directory / "state", available_now=True).wait()
    return sorted(line for path in (directory / "out").glob("part-*") for line in path.open())


def test_a_run_on_a_checkpoint_that_has_lost_a_list(spark: SparkSession, tmp_path: Path) -> None:
    """Each stream has read another number of files: which list is whose is in the offsets."""
    keys = [64 * n for n in range(20)]
    lines = {
        "c": [json.dumps({"k": k}) for k in keys],
        "a": [json.dumps({"k": k, "g": k % 6}) for k in keys],
        "b": [json.dumps({"k": k, "v": k}) for k in keys],
    }
    base = tmp_path / "base"
    for name, files in (("a", 3), ("b", 4), ("c", 2)):
        (base / name).mkdir(parents=True)
        for n in range(files):
            (base / name / f"{n}.json").write_text("\n".join(lines[name][n::files]) + "\n")
    assert run(spark, base) == []
    for note in ("offsets/0", "commits/0", "metadata"):
        path = shutil.copytree(base, tmp_path / note) / "state" / note
        flip(path)
        with pytest.raises(QueryError, match=f"{path} is damaged"):
            run(spark, tmp_path / note)
    for n, state in enumerate(sorted((base / "state/punctum/state").rglob("0-*"))):
        path = shutil.copytree(base, tmp_path / f"state {n}") / state.relative_to(base)
        path.unlink()
        with pytest.raises(QueryError, match=re.escape(f"{path.parent / '0-*'} does not exist")):
            run(spark, tmp_path / f"state {n}")
    lists = sorted(path.name for path in (base / "state/punctum").glob("*.files"))
    assert [name[0] for name in lists] == ["a", "b", "c"]
    read = zip((name.removesuffix(".files") for name in lists), (3, 4, 2), strict=True)
    assert files_read(base / "state") == dict(read)
    for name in "abc":
        (base / name / "end.json").write_text(ENDS)
    for name, files in zip(lists, (3, 4, 2), strict=True):
        one = shutil.copytree(base, tmp_path / name)
        path = one / "state/punctum" / name
        (kept,) = path.iterdir()
        assert kept.name == f"{0:012}-{files:012}"
        kept.unlink()
        for _ in range(2):
            with pytest.raises(QueryError) as caught:
                run(spark, one)
            assert caught.value.what == f"the list of files of {name[0]} is missing" and caught.value.hint == HINT
            assert caught.value.detail.endswith(f" but a batch has started to read {files}")
        assert not list(path.iterdir()), "it has not been written anew"
    (base / "state/commits/.0.crc").unlink()  # the note that the last batch is done is lost: it is done again
    (base / "state/commits/0").unlink()
    wanted = [{"g": g, "n": len(ks), "v": sum(ks)} for g in range(6) if (ks := [k for k in keys if k % 6 == g])]
    assert [json.loads(line) for line in run(spark, base)] == wanted
    running = the_query(spark, base).start(base / "state")
    for start in (the_query(spark, base).start, the_query(spark, base).dataframe):
        with pytest.raises(QueryError, match="the checkpoint is in use"):
            start(base / "state")
    assert running.running
    running.stop()
    assert len(run(spark, base)) == len(wanted)
