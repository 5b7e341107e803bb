"""A listing that stays: what the system tells of a directory, what it does not, and what is forgotten."""

import ctypes
import os
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.test_listing import Clock, commit, lines
from punctum.algebra.schema import Schema
from punctum.engine.formats.files import READERS
from punctum.engine.formats.splits import Split
from punctum.engine.sources.known import KnownFiles
from punctum.engine.sources.listing import SETTLE, Listing
from punctum.engine.sources.sink_log import SinkLog
from punctum.engine.sources.split_log import SplitLog
from punctum.engine.sources.watch import Watch

N = Schema.of(n="BIGINT")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture(params=["watched", "another system"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With what the system tells, and without."""
    if request.param != "watched":

        def none(*_: object, **__: object) -> None:
            raise OSError("there is no such library")

        monkeypatch.setattr(ctypes, "CDLL", none)
    return str(request.param)


class Kept:
    """A directory that one process lists again and again; the rows that it reads."""

    def __init__(self, directory: Path, forget: float = 100.0) -> None:
        self.directory, self.log = directory / "in", SplitLog(directory / "in.files")
        self.directory.mkdir()
        self.listing = Listing(self.directory, "json", {}, SETTLE, self.log.known, forget)
        self.rows: list[int] = []

    def __truediv__(self, name: str) -> Path:
        return self.directory / name

    def look(self) -> list[Split]:
        new = self.listing.news()
        self.log.append(new)
        for split in new:
            read = READERS["json"](self.directory / split.name, N, {}, split)
            assert not read.rejected.height
            self.rows += read.piece.rows["n"].to_list()
        return new


def test_whatever_happens_in_a_directory_each_row_is_read_once(tmp_path: Path, clock: Clock, system: str) -> None:
    """Files that come, grow, get other names, and go: as one process sees it that stays, watched or not."""
    for story in range(15):
        chance, wanted = random.Random(story), list[int]()
        (tmp_path / str(story)).mkdir()
        stream = Kept(tmp_path / str(story))
        names: list[str] = []
        for step in range(40):
            clock.now += chance.choice([0, 0.3, 3])
            row = len(wanted)
            match chance.choice(["new", "new", "renamed into", "grows", "another name", "goes", "nothing"]):
                case "new":
                    clock.write(stream / f"{step}.json", lines(row))
                    names.append(f"{step}.json")
                    wanted.append(row)
                case "renamed into":
                    clock.write(stream / f".{step}", lines(row))
                    (stream / f".{step}").rename(stream / f"{step}.json")
                    names.append(f"{step}.json")
                    wanted.append(row)
                case "grows" if names:
                    clock.write(stream / chance.choice(names), lines(row), "ab")
                    wanted.append(row)
                case "another name" if names:
                    stream.look()
                    old = chance.choice(names)
                    (stream / old).rename(stream / f"x{step}.json")
                    names[names.index(old)] = f"x{step}.json"
                    stream.look()
                case "goes" if names:
                    stream.look()
                    clock.now += SETTLE
                    stream.look()
                    (stream / names.pop(chance.randrange(len(names)))).unlink()
            if chance.random() < 0.7:
                stream.look()
        stream.look()
        clock.now += SETTLE
        stream.look()
        assert sorted(stream.rows) == wanted, (system, story)
        assert stream.listing._watch.works == (system == "watched")


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[object]:
    calls, whole = list[object](), getattr(os, name)

    def call(*given: object, **more: object) -> object:
        calls.append(given)
        return whole(*given, **more)

    monkeypatch.setattr(os, name, call)
    return calls


def test_a_directory_that_is_watched_is_listed_once(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Kept(tmp_path)
    if not stream.listing._watch.works:
        pytest.skip("the system tells nothing of directories")
    for n in range(500):
        clock.write(stream / f"{n}.json", lines(n))
    assert len(stream.look()) == 500
    stream.listing._due = clock.now + 1  # those that were read have had their turn
    listed, looked = counted(monkeypatch, "listdir"), counted(monkeypatch, "stat")
    for n in range(500, 550):
        clock.write(stream / f"{n}.json", lines(n))
        looked.clear()
        (new,) = stream.look()
        assert new.name == f"{n}.json"
        assert len(looked) < 8, "the file and the directory"
        looked.clear()
        assert stream.look() == []
        assert len(looked) < 5
    assert listed == []
    clock.now += 2
    stream.look()
    assert len(listed) == 1, "now and then, should something not have been told"


def test_a_directory_that_nobody_tells_of_is_listed_when_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A watch that works and is silent, as on a network's file system: the directory's own time says it."""
    monkeypatch.setattr(Watch, "changed", lambda _: set())
    stream = Kept(tmp_path)
    (stream / "0.json").write_bytes(lines(0))
    os.utime(stream / "0.json", (1, 1))
    while not stream.look():
        pass
    listed = counted(monkeypatch, "listdir")
    for _ in range(50):
        stream.look()
    assert len(listed) <= 1
    (stream / "1.json").write_bytes(lines(1))
    os.utime(stream / "1.json", (1, 1))
    while not stream.look():
        pass
    assert stream.rows == [0, 1]


def test_more_than_the_system_keeps_of_what_it_tells(tmp_path: Path, clock: Clock) -> None:
    most = Path("/proc/sys/fs/inotify/max_queued_events")
    if not most.exists() or (events := int(most.read_text())) > 50_000:
        pytest.skip("the system tells nothing of directories, or keeps very much")
    stream = Kept(tmp_path)
    assert stream.look() == []
    for n in range(events + 10):
        (stream / f"x{n}.tmp").touch()
        (stream / f"x{n}.tmp").unlink()
    clock.write(stream / "0.json", lines(0))
    assert [split.name for split in stream.look()] == ["0.json"]
    clock.write(stream / "1.json", lines(1))
    assert [split.name for split in stream.look()] == ["1.json"]
    assert stream.listing._watch.works, "it tells again"


@pytest.mark.parametrize("how", ["moved", "a link"])
def test_another_directory_under_the_same_name(tmp_path: Path, clock: Clock, how: str) -> None:
    stream = Kept(tmp_path)
    if how == "a link":
        (tmp_path / "in").rmdir()
        (tmp_path / "one").mkdir()
        (tmp_path / "in").symlink_to("one")
        stream.listing = Listing(stream.directory, "json", {}, SETTLE, stream.log.known)
    clock.write(stream / "0.json", lines(0))
    stream.look()
    (tmp_path / "other").mkdir()
    clock.write(tmp_path / "other/1.json", lines(1))
    if how == "a link":
        (tmp_path / "new").symlink_to("other")
        (tmp_path / "new").rename(tmp_path / "in")
    else:
        (tmp_path / "in").rename(tmp_path / "before")
        (tmp_path / "other").rename(tmp_path / "in")
    stream.look()
    clock.write(stream / "2.json", lines(2))
    stream.look()
    assert stream.rows == [0, 1, 2]


def test_a_file_that_has_gone_for_long_is_forgotten(tmp_path: Path, clock: Clock, system: str) -> None:
    stream = Kept(tmp_path, forget=100)
    for n in range(3):
        clock.write(stream / f"{n}.json", lines(n))
    stream.look()
    (stream / "0.json").unlink()
    (stream / "1.json").rename(tmp_path / "1.json")
    stream.look()
    gone = clock.now
    assert stream.log.known.gone == {"0.json": gone, "1.json": gone}
    clock.now += 99
    assert stream.listing.over() == []
    (tmp_path / "1.json").rename(stream / "1.json")
    clock.now += 2
    assert stream.listing.over() == ["0.json"], "one that is there is not forgotten, also when nobody has looked"
    assert stream.look() == []
    assert list(stream.log.known.gone) == ["0.json"]
    stream.log.known.forget(stream.listing.over())
    stream.log.renew(stream.log.end)
    assert list(SplitLog(tmp_path / "in.files").known) == ["1.json", "2.json"]
    clock.write(stream / "0.json", lines(7))
    stream.look()
    assert stream.rows == [0, 1, 2, 7]


def test_since_when_a_file_has_gone_is_known_after_a_restart(tmp_path: Path, clock: Clock) -> None:
    stream = Kept(tmp_path)
    clock.write(stream / "0.json", lines(0))
    stream.look()
    (stream / "0.json").unlink()
    stream.look()
    stream.log.renew(1)
    again = SplitLog(tmp_path / "in.files")
    assert again.known.gone == {"0.json": clock.now}
    clock.write(stream / "0.json", lines(0))
    assert Listing(stream.directory, "json", {}, SETTLE, again.known).news() == []
    assert again.known.gone == {}


def test_a_sinks_log_is_read_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch of it once, whenever it is looked at; and nothing is forgotten that it would tell of again."""
    log = SinkLog(tmp_path)
    read = list[Path]()
    whole: Callable[..., str] = Path.read_text

    def text(path: Path, *given: str) -> str:
        read.append(path)
        return whole(path, *given)

    monkeypatch.setattr(Path, "read_text", text)
    names: list[str] = []
    for n in range(25):
        (tmp_path / f"part-{n}").write_text("")
        if n % 10 == 9:
            commit(tmp_path, f"{n}.compact", *(f"part-{m}" for m in range(n + 1)))
        else:
            commit(tmp_path, f"{n}", f"part-{n}")
        if n != 12:
            names += log.news()
    assert names == [f"part-{n}" for n in range(25)]
    assert len(read) == 25
    assert SinkLog(tmp_path).news() == names
    known = KnownFiles()
    listing = Listing(tmp_path, "json", {}, SETTLE, known, forget=0)
    assert [split.name for split in listing.news()] == names
    (tmp_path / "part-3").unlink()
    listing._due = 0
    time.sleep(0.01)
    listing.news()
    assert "part-3" in known.gone and listing.over() == []
