"""The source itself, without Spark: offsets, what a batch reads, and what it tells."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from punctum.engine.exchange.buckets import Buckets
from punctum.engine.exchange.messages import QuarantineMessage, StreamSlice, decode
from punctum.engine.runtime import build
from punctum.engine.sources.listing import OVERWRITTEN
from punctum.engine.sources.reader import WORTH_A_TASK, Directory, Offset, PackedFilesReader
from punctum.engine.sources.source import FileStream
from punctum.errors import QueryError
from punctum.parse.script import parse_script
from punctum.plan.physical.pipes import Pipe
from punctum.testing.simulate import planned

SCRIPT = """CREATE STREAM s (n BIGINT, PUNCTUATED ON (n)) USING json; CREATE SINK o USING console;
INSERT INTO o SELECT n FROM s;"""


def directory_of(directory: Path, name: str = "in", fails: bool = False, settle: float = 0.2) -> Directory:
    source = planned(parse_script(SCRIPT).queries[0].relation).inputs[0]
    assert isinstance(source.origin, Pipe)
    to, stream = build.from_pipe(source.origin, source, Buckets((5,))), source.origin.stream
    path, log = str(directory / name), str(directory / f"state/{name}.files")
    files = FileStream("s", stream.schema, build.piped(source.origin), to, fails, True, path, "json")
    return Directory(name, "s", path, "json", log, files.pickled(), settle=settle)


def reader(directory: Path, fails: bool = False, most: int | None = None) -> PackedFilesReader:
    return PackedFilesReader([replace(directory_of(directory, fails=fails), files_a_batch=most)], 2)


def files(n: int) -> Offset:
    return {"files": {"in": n}}


def batch(source: PackedFilesReader, start: int, end: int) -> tuple[list[int], list[str]]:
    """The rows of a batch, in order, and the reasons of what it could not take."""
    messages = [
        sent.message
        for partition in source.partitions(files(start), files(end))
        for read in source.read(partition)
        for sent in decode(read.to_pydict())
    ]
    slices = sorted((m for m in messages if isinstance(m, StreamSlice)), key=lambda m: m.order)
    frames = [rows for m in slices if (rows := m.slice.frame()) is not None]
    lines = [line for m in messages if isinstance(m, QuarantineMessage) for line in m.lines]
    return [n for rows in frames for n in rows["n"]], [json.loads(line)["reason"] for line in lines]


def write(path: Path, *numbers: int, mode: str = "w") -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open(mode) as file:
        file.write("".join(f'{{"n": {n}}}\n' for n in numbers))


def test_a_batch_reads_the_same_again_whatever_has_come_since(tmp_path: Path) -> None:
    write(tmp_path / "in/a", 1, 2)
    first = reader(tmp_path)
    one = first.latestOffset(files(0), ReadAllAvailable())
    assert one == files(1) and batch(first, 0, 1) == ([1, 2], [])
    write(tmp_path / "in/a", 3, mode="a")
    write(tmp_path / "in/b", 4)
    os.utime(tmp_path / "in/b", (3e9, 3e9))
    again = reader(tmp_path, most=1)
    assert batch(again, 0, 1) == ([1, 2], [])
    assert again.latestOffset(one, ReadAllAvailable()) == files(2)
    assert batch(again, 1, 3) == ([3, 4], [])
    write(tmp_path / "in/a", 9)
    assert again.latestOffset(files(3), ReadAllAvailable()) == files(4)
    assert batch(reader(tmp_path), 3, 4) == ([], [OVERWRITTEN])
    with pytest.raises(QueryError, match="ON VIOLATION FAIL"):
        batch(reader(tmp_path, fails=True), 3, 4)
    with pytest.raises(QueryError, match="the list of files of s is missing"):
        batch(again, 0, 5)


def test_available_now_waits_for_what_seems_unfinished_and_no_longer(tmp_path: Path) -> None:
    write(tmp_path / "in/a", 1)
    with (tmp_path / "in/a").open("a") as file:
        file.write('{"n": 2')
    source = reader(tmp_path)
    source.prepareForTriggerAvailableNow()
    end = source.latestOffset(files(0), ReadAllAvailable())
    rows, reasons = batch(source, 0, end["files"]["in"])
    assert rows == [1] and len(reasons) == 1
    write(tmp_path / "in/b", 3)
    assert source.latestOffset(end, ReadAllAvailable()) == end
    limited = reader(tmp_path, most=1)
    limited.prepareForTriggerAvailableNow()
    assert limited.latestOffset(files(0), ReadAllAvailable()) == files(1)


def test_files_without_anything_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for n, text in enumerate(["\n", " \r\n\t\n", '{"n": 7}\n', "\n\n"]):
        (tmp_path / "in" / f"{n}.json").write_text(text)
        os.utime(tmp_path / "in" / f"{n}.json", ns=(n, n))
    source = reader(tmp_path)
    assert source.latestOffset(files(0), ReadAllAvailable()) == files(4)
    assert batch(source, 0, 4) == ([7], [])
    assert batch(source, 0, 2) == ([], [])


def test_streams_of_a_stage_are_one_source(tmp_path: Path) -> None:
    """Each with its own place and its own limit; small files share a task, and large ones are dealt out by size."""
    for n in range(3):
        write(tmp_path / f"in/{n}", n)
        write(tmp_path / f"more/{n}", 10 + n)
        os.utime(tmp_path / f"more/{n}", (1e9 + n, 1e9 + n))
        os.utime(tmp_path / f"in/{n}", (1e9 + n, 1e9 + n))
    source = PackedFilesReader([directory_of(tmp_path), replace(directory_of(tmp_path, "more"), files_a_batch=2)], 2)
    source.prepareForTriggerAvailableNow()
    begin = source.initialOffset()
    first = source.latestOffset(begin, ReadAllAvailable())
    assert first == {"files": {"in": 3, "more": 2}}
    last = source.latestOffset(first, ReadAllAvailable())
    assert last == {"files": {"in": 3, "more": 3}} == source.latestOffset(last, ReadAllAvailable())
    (task,) = source.partitions(begin, first)
    messages = [sent.message for read in source.read(task) for sent in decode(read.to_pydict())]
    frames = [m.slice.frame() for m in messages if isinstance(m, StreamSlice)]
    assert sorted(n for rows in frames if rows is not None for n in rows["n"]) == [0, 1, 2, 10, 11]
    shares, tasks, *_ = task.value
    assert tasks == 1 and sorted((share.key, share.first) for share in shares) == [("in", True), ("more", True)]
    ((share,), *_) = source.partitions(first, last)[0].value
    assert (share.key, share.first, [number for number, _ in share.splits]) == ("more", False, [0])
    assert source.partitions(last, last) == []


def test_splits_are_dealt_out_by_size(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for n, size in enumerate((1, 2 * WORTH_A_TASK, WORTH_A_TASK, WORTH_A_TASK)):
        (tmp_path / f"in/{n}").write_bytes(b" " * size)
    source = reader(tmp_path)
    source.prepareForTriggerAvailableNow()
    end = source.latestOffset(files(0), ReadAllAvailable())
    shares = [share for task in source.partitions(files(0), end) for share in task.value[0]]
    assert sorted([sum(split.end for _, split in share.splits) for share in shares]) == [
        2 * WORTH_A_TASK,
        2 * WORTH_A_TASK + 1,
    ]
    assert sum(share.first for share in shares) == 1
