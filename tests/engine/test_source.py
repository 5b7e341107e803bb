"""The source itself, without Spark: offsets, what a batch reads, and what it tells."""

import json
import os
from pathlib import Path

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles

from engine.simulate import planned
from punctum.engine.exchange.packing import QUARANTINE, from_blob
from punctum.engine.runtime import build
from punctum.engine.sources.listing import OVERWRITTEN
from punctum.engine.sources.source import FileStream, PackedFilesReader
from punctum.errors import QueryError
from punctum.parse.script import parse_script
from punctum.plan.physical.pipes import Pipe

SCRIPT = """CREATE STREAM s (n BIGINT, PUNCTUATED ON (n)) USING json; CREATE SINK o USING console;
INSERT INTO o SELECT n FROM s;"""


def reader(directory: Path, fails: bool = False, settle: float = 0.2) -> PackedFilesReader:
    source = planned(parse_script(SCRIPT).queries[0].relation).inputs[0]
    assert isinstance(source.origin, Pipe)
    to, stream = build.from_pipe(source.origin, source, (5,)), source.origin.stream
    piped, log = build.piped(source.origin), str(directory / "state/s.files")
    made = FileStream("s", stream.schema, piped, to, fails, True, str(directory / "in"), "json", log, None, 2)
    return PackedFilesReader(FileStream(**{**vars(made), "settle": settle}))


def batch(source: PackedFilesReader, start: int, end: int) -> tuple[list[int], list[str]]:
    """The rows of a batch, in order, and the reasons of what it could not take."""
    packed = [
        row
        for partition in source.partitions({"files": start}, {"files": end})
        for read in source.read(partition)
        for row in read.to_pylist()
    ]
    rows = sorted((each for each in packed if each["rows"]), key=lambda each: int(each["origin"].split(" ")[0]))
    told = [line for each in packed if each["input"] == QUARANTINE for line in each["puncts"].split("\n")]
    return [n for each in rows for n in from_blob(each["rows"])["n"]], [json.loads(line)["reason"] for line in told]


def write(path: Path, *numbers: int, mode: str = "w") -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open(mode) as file:
        file.write("".join(f'{{"n": {n}}}\n' for n in numbers))


def test_a_batch_reads_the_same_again_whatever_has_come_since(tmp_path: Path) -> None:
    write(tmp_path / "in/a", 1, 2)
    first = reader(tmp_path)
    one = first.latestOffset({"files": 0}, ReadAllAvailable())
    assert one == {"files": 1} and batch(first, 0, 1) == ([1, 2], [])
    write(tmp_path / "in/a", 3, mode="a")
    write(tmp_path / "in/b", 4)
    os.utime(tmp_path / "in/b", (3e9, 3e9))
    again = reader(tmp_path)
    assert batch(again, 0, 1) == ([1, 2], [])
    assert again.latestOffset(one, ReadMaxFiles(1)) == {"files": 2}
    assert batch(again, 1, 3) == ([3, 4], [])
    write(tmp_path / "in/a", 9)
    assert again.latestOffset({"files": 3}, ReadAllAvailable()) == {"files": 4}
    assert batch(reader(tmp_path), 3, 4) == ([], [OVERWRITTEN])
    with pytest.raises(QueryError, match="ON VIOLATION FAIL"):
        batch(reader(tmp_path, fails=True), 3, 4)
    with pytest.raises(QueryError, match="is lost"):
        batch(again, 0, 5)


def test_available_now_waits_for_what_seems_unfinished_and_no_longer(tmp_path: Path) -> None:
    write(tmp_path / "in/a", 1)
    with (tmp_path / "in/a").open("a") as file:
        file.write('{"n": 2')
    source = reader(tmp_path)
    source.prepareForTriggerAvailableNow()
    end = source.latestOffset({"files": 0}, ReadAllAvailable())
    rows, reasons = batch(source, 0, end["files"])
    assert rows == [1] and len(reasons) == 1
    write(tmp_path / "in/b", 3)
    assert source.latestOffset(end, ReadAllAvailable()) == end
    assert source.latestOffset({"files": 0}, ReadMaxFiles(1)) == {"files": 1}
