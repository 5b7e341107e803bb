"""A checkpoint of which a file is deleted, cut off or garbled: a restart goes on rightly, or names the file.

Each file of a real checkpoint is tried, one by one. Whatever a restart says, what it has written then is right: each
group once, and none with other rows than its own.
"""

import json
import os
import random
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lanes import long
from punctum.errors import PunctumError
from punctum.session import Session

SCRIPT = """
CREATE STREAM item (itemid BIGINT, sellerid BIGINT, PUNCTUATED ON (itemid)) USING json
  OPTIONS (path 'item', maxFilesPerTrigger 1);
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json
  OPTIONS (path 'bid', maxFilesPerTrigger 1);
CREATE SINK total USING json OPTIONS (path 'out');
INSERT INTO total SELECT i.itemid, SUM(increase) AS total FROM item i JOIN bid b ON i.itemid = b.itemid
  GROUP BY i.itemid;
"""
HOW = ("deleted", "emptied", "cut off", "garbled")
ROUNDS = 4


def write(directory: Path, name: str, number: int, *elements: Mapping[str, object]) -> None:
    path = directory / name / f"{number}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(element) + "\n" for element in elements))
    os.utime(path, (number, number))


def send(directory: Path, n: int) -> None:
    """A round: items that are sold later, and bids on those of the round before, which close then."""
    ids = range(10 * n, 10 * n + 10)
    closed = [{"$punct": {"itemid": k}} for k in range(10 * n - 10, 10 * n) if k >= 0]
    write(directory, "item", n + 1, *({"itemid": k, "sellerid": k % 3} for k in ids), *closed)
    write(directory, "bid", n + 1, *({"itemid": k, "increase": 1.0} for k in ids), *closed)


def run(spark: SparkSession, directory: Path) -> None:
    (query,) = Session(spark, buckets=2).script(SCRIPT, directory)
    query.start(directory / "state", available_now=True).wait()


@pytest.fixture(scope="module")
def whole(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of some batches, and what comes next."""
    directory = tmp_path_factory.mktemp("whole")
    for n in range(ROUNDS):
        send(directory, n)
    run(spark, directory)
    send(directory, ROUNDS)
    return directory


def damaged(path: Path, how: str) -> None:
    content = path.read_bytes()
    match how:
        case "deleted":
            path.unlink()
        case "emptied":
            path.write_bytes(b"")
        case "cut off":
            path.write_bytes(content[: len(content) * 2 // 3])
        case "garbled":
            at = len(content) // 2
            path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])


def tried(spark: SparkSession, whole: Path, directory: Path, file: Path, how: str) -> str:
    """What a restart does: it says nothing and its results are right, or it says what is wrong."""
    shutil.copytree(whole, directory)
    damaged(directory / "state" / file, how)
    try:
        run(spark, directory)
        said = ""
    except PunctumError as error:
        said = str(error)
    rows = [json.loads(line) for path in (directory / "out").glob("part-*") for line in path.open()]
    ids = sorted(row["itemid"] for row in rows)
    assert ids == list(range(10 * (ROUNDS if not said else len(ids) // 10))), (file, how, said)
    assert all(row["total"] == 1.0 for row in rows), (file, how)
    assert not said or named(file, said, directory), (file, how, said)
    return said


def named(file: Path, said: str, directory: Path) -> bool:
    """Whether an error names a file of the checkpoint, or that which it is a checksum of, or its place among others."""
    note = re.fullmatch(r"\.(.+)\.crc", file.name)
    names = {str(file), str(file.with_name(note[1] if note else file.name))}
    batch, dash, _ = file.name.partition("-")
    names |= {str(file.with_name(f"{batch}-*"))} if dash else set()
    return any(str(directory / "state" / name) in said for name in names)


def cases(whole: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted((whole / "state").rglob("*")):
        if path.is_file() and path.stat().st_size:
            yield from ((path.relative_to(whole / "state"), how) for how in HOW)


def test_some_file_of_a_checkpoint_is_damaged(spark: SparkSession, whole: Path, tmp_path: Path) -> None:
    """Of each kind of file one; the long lane tries all."""
    several = list(cases(whole))
    random.Random(3).shuffle(several)
    kinds = {re.sub(r"\d+", "", str(file.parent) + file.suffix): (file, how) for file, how in several}
    said = [tried(spark, whole, tmp_path / f"{n}", *each) for n, each in enumerate(kinds.values())]
    assert len(said) > 5 and any(said) and not all(said)


@long
def test_each_file_of_a_checkpoint_is_damaged(spark: SparkSession, whole: Path, tmp_path: Path) -> None:
    said = {}
    for n, (file, how) in enumerate(cases(whole)):
        said[file, how] = tried(spark, whole, tmp_path / f"{n}", file, how)
        shutil.rmtree(tmp_path / f"{n}")
    assert sum(map(bool, said.values())) > len(said) // 4
    for name in ("id", "plan", "buckets.json"):
        for how in HOW:
            assert said[Path("punctum") / name, how]
