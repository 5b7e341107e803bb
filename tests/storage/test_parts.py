"""The parts of a query on a store as on a directory: sources, results, quarantine, state, lists of files, leases."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from punctum.algebra.schema import Schema
from punctum.engine.exchange.quarantine import read_records
from punctum.engine.formats.files import CHANGED, READERS
from punctum.engine.formats.splits import Split
from punctum.engine.recovery.checkpoint import begun, query_id
from punctum.engine.recovery.durable import read_sealed, replace_text, write_sealed
from punctum.engine.recovery.lease import check_lease, release_lease, take_lease
from punctum.engine.recovery.state_files import StateFiles, buckets_behind
from punctum.engine.recovery.store_lease import StoreLease
from punctum.engine.sinks.files import ResultFiles
from punctum.engine.sinks.owned import check_directory_is_free
from punctum.engine.sources.chosen import ChosenNames
from punctum.engine.sources.known import KnownFiles
from punctum.engine.sources.listing import OVERWRITTEN
from punctum.engine.sources.tree import listing
from punctum.errors import QueryError
from punctum.operators.columns import ColumnarSlice
from punctum.storage.location import Location, StorePath
from storage.server import NO_SERVER, has_server, s3_server

K = Schema.of(k="BIGINT")


@pytest.fixture(scope="module")
def bucket() -> Iterator[StorePath]:
    if not has_server():
        pytest.skip(NO_SERVER)
    with s3_server("parts"):
        yield StorePath("s3", "parts", "")


@pytest.fixture(params=["local", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    if request.param == "local":
        return tmp_path
    return StorePath("s3", request.getfixturevalue("bucket").authority, str(request.node.name))


def rows(*keys: int) -> ColumnarSlice:
    return ColumnarSlice(pl.DataFrame({"k": keys}, {"k": pl.Int64}))


@pytest.mark.parametrize("format_", ["json", "csv", "parquet"])
def test_what_is_written_is_read(place: Location, format_: str) -> None:
    """Results get their names when their batch is done, and are a stream then."""
    out = place / "out dir=1"
    sink = ResultFiles(str(out), format_, K, True, "id", {})
    sink.prepare()
    names = [sink.write(rows(n, n + 1))[0] for n in (1, 5)]
    assert not [path for path in out.glob("*") if not path.name.startswith(".")]
    written = [(n, name) for n, name in enumerate(names) if name is not None]
    sink.commit(0, written, True)
    left, _ = sink.write(rows(99))
    assert left is not None
    sink.prepare()
    found = listing(out, ChosenNames(), format_, {}, 0, KnownFiles())
    news = found.news()
    assert [split.name for split in news] == [f"part-id-000000-{n}.{format_}" for n in (0, 1)]
    assert found.news() == []
    assert listing(out, ChosenNames(), format_, {}, 0, KnownFiles(news)).news() == []
    read = [READERS[format_](out / split.name, K, {}, split).piece.rows["k"].to_list() for split in news]
    assert read == [[1, 2], [5, 6]]
    name, _ = sink.write(rows(7))
    assert name is not None
    sink.commit(0, [(1, name)], True)
    assert sorted(p.name for p in out.glob("part-*")) == [f"part-id-000000-1.{format_}"], "a batch that is done again"


def test_an_object_that_is_put_again(bucket: StorePath) -> None:
    file, found = bucket / "again/1.json", listing(bucket / "again", ChosenNames(), "json", {}, 0, KnownFiles())
    file.write_text('{"k": 1}\n')
    (split,) = found.news()
    assert READERS["json"](file, K, {}, split).piece.rows["k"].to_list() == [1]
    file.write_text('{"k": 1}\n{"k": 2}\n')
    assert READERS["json"](file, K, {}, split).rejected["reason"].to_list() == [CHANGED]
    (again,) = found.news()
    assert (again.fault, again.end) == (OVERWRITTEN, split.end)
    assert READERS["json"](file, K, {}, again).rejected["reason"].to_list() == [OVERWRITTEN]
    assert found.news() == []
    assert Split.at(split.located("s3://parts/again"))[0] == file
    for hidden in (".a.json", "_b.json", "c.json.tmp", "d.json._COPYING_"):
        (bucket / "again" / hidden).write_text("")
    assert found.news() == []


def test_state(place: Location) -> None:
    state = place / "punctum/state/1/3"
    first = StateFiles(state, 0)
    assert first.version is None
    large = os.urandom(2 << 20)
    _, kept = first.save("text 0", {}, {"t": {0: b"a" * 10, 1: large}})
    text, places = StateFiles(state, 1).load()
    assert text == "text 0"
    second = StateFiles(state, 1)
    assert [second.read(places["t"][n]) for n in (0, 1)] == [b"a" * 10, large]
    second.save("text 1", {"t": {1: kept["t"][1]}}, {"t": {2: b"c"}})
    ((number, behind),) = buckets_behind(place / "punctum/state/1", 1)
    assert (number, behind.load()[0]) == (3, "text 1")
    for batch in range(2, 14):  # what nobody needs goes
        files = StateFiles(state, batch)
        _, places = files.load()
        files.save(f"text {batch}", {"t": {1: places["t"][1]}}, {})
    assert StateFiles(state, 14).read(places["t"][1]) == large
    assert len([name for name in state.iterdir() if "." not in name.name]) <= 13


def test_notes_of_a_checkpoint(place: Location) -> None:
    checkpoint = place / "state"
    assert not begun(checkpoint)
    id_ = query_id(checkpoint)
    assert query_id(checkpoint) == id_
    write_sealed(checkpoint / "punctum/note", "x")
    replace_text(checkpoint / "punctum/note", read_sealed_text(checkpoint).replace("x", "y"))
    with pytest.raises(QueryError, match="is damaged"):
        read_sealed(checkpoint / "punctum/note")
    with pytest.raises(QueryError, match="a file of the checkpoint is missing"):
        read_sealed(checkpoint / "punctum/other")
    replace_text(checkpoint / "offsets/0", "")
    assert begun(checkpoint)


def read_sealed_text(checkpoint: Location) -> str:
    return (checkpoint / "punctum/note").read_text("utf-8")


def test_a_quarantine(place: Location) -> None:
    record = {"stream": "s", "reason": "r", "text": "t", "file": None, "position": None, "punctuation": None}
    replace_text(place / "out.quarantine/part-id-000000.json", json.dumps(record) + "\n")
    replace_text(place / "out/part-id-0.json", "")
    assert list(read_records(place / "out")) == [record]


def test_a_bucket_that_is_not_there(bucket: StorePath) -> None:
    sink = ResultFiles("s3://nosuchbucket/out", "json", K, False, "id")
    for act in (
        sink.prepare,
        lambda: check_directory_is_free(StorePath("s3", "nosuchbucket", "out"), "id"),
        lambda: sink.write(rows(1)),
        lambda: replace_text(StorePath("s3", "nosuchbucket", "x"), ""),
    ):
        with pytest.raises(QueryError) as caught:
            act()
        assert "the bucket does not exist" in caught.value.detail
        assert caught.value.what.endswith("cannot be written")


def test_one_process_a_checkpoint(bucket: StorePath) -> None:
    path = bucket / "lease/punctum/lease"
    first = StoreLease(path, renewed=0.05)
    other = json.loads(path.read_text()) | {"host": "elsewhere", "who": "process 7 on elsewhere"}
    assert first.kept
    first.release()
    assert not path.exists()
    path.write_text(json.dumps(other))
    late = StoreLease(path, renewed=0.05, lasts=0.5)  # nobody renews it
    assert late.kept
    while not late._lost:
        path.write_text(json.dumps(other))
        time.sleep(0.02)
    with pytest.raises(QueryError, match="another process has taken the checkpoint"):
        late.check()


def test_a_lease_of_a_process_that_lives_or_is_gone(bucket: StorePath) -> None:
    checkpoint = bucket / "live"
    code = (
        "import sys; from punctum.storage.location import location\n"
        "from punctum.engine.recovery.store_lease import StoreLease\n"
        f"StoreLease(location('{checkpoint}/punctum/lease'), renewed=0.2)\n"
        "print('has it', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "has it\n"
    with pytest.raises(QueryError) as caught:
        take_lease(checkpoint)
    assert caught.value.detail.startswith(f"process {holder.pid} on ")
    holder.kill()
    holder.wait()
    take_lease(checkpoint)
    take_lease(checkpoint)
    check_lease(checkpoint)
    release_lease(checkpoint)
    assert not list((checkpoint / "punctum").iterdir())
