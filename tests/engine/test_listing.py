"""Which bytes of which files are read, and in which order: all of them once, whenever the directory is looked at."""

import json
import os
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from lanes import LONG
from punctum.algebra.schema import Schema
from punctum.engine.formats.files import CHANGED, READERS, UNFINISHED
from punctum.engine.formats.splits import ENDS, Split, shown
from punctum.engine.sources.known import KnownFiles
from punctum.engine.sources.listing import GROWN, OVERWRITTEN, SETTLE, Listing
from punctum.engine.sources.sink_log import SINK_LOG
from punctum.engine.sources.split_log import SplitLog
from punctum.errors import MissingError

N = Schema.of(n="BIGINT")
OLD, NEW = b'{"n": 1}\n' * 200, b'{"n": 2}\n' * 200


class Clock:
    """A clock that stands still, and files that are written by it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000_000.0
        monkeypatch.setattr(time, "time", lambda: self.now)
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def write(self, path: Path, data: bytes, mode: str = "wb") -> None:
        with path.open(mode) as file:
            file.write(data)
        os.utime(path, (self.now, self.now))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


class Stream:
    """A directory that is listed again and again, by processes that know no more than the log."""

    def __init__(self, directory: Path, form: str = "json", **options: str) -> None:
        self.directory, self.form, self.options = directory / "in", form, {"rowTag": "t", **options}
        self.directory.mkdir()
        self.log = directory / "state/in.files"
        self.rows: list[int] = []
        self.rejected: list[tuple[str, int, str, str]] = []
        self.waits = False

    def __truediv__(self, name: str) -> Path:
        return self.directory / name

    def look(self) -> list[Split]:
        """List, write down, and read what is new."""
        log = SplitLog(self.log)
        found = Listing(self.directory, self.form, self.options, SETTLE, log.known)
        new = found.news()
        log.append(new)
        self.waits = found.waits
        for split in new:
            read = READERS[self.form](self.directory / split.name, N, self.options, split)
            self.rows += read.piece.rows["n"].to_list()
            self.rejected += [(shown(split.name), *row) for row in read.rejected.iter_rows()]
        return new


def lines(*numbers: int) -> bytes:
    return b"".join(b'{"n": %d}\n' % n for n in numbers)


def test_files_come_in_the_order_of_their_last_change(tmp_path: Path) -> None:
    stream = Stream(tmp_path)
    names = ("b.json", "a.json", "c.json", ".hidden", "_SUCCESS", "d.json.tmp", "e._COPYING_", "f.json.CRC", "g~")
    for name, at in zip(names, (1, 2, 1, *(1,) * 6), strict=True):
        (stream / name).touch()
        os.utime(stream / name, (at, at))
    (stream / "directory").mkdir()
    assert [split.name for split in stream.look()] == ["b.json", "c.json", "a.json"]
    assert stream.look() == []


def test_a_temporary_file_that_gets_its_name(tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path)
    clock.write(stream / "x.json.tmp", lines(1, 2))
    assert stream.look() == []
    (stream / "x.json.tmp").rename(stream / "x.json")
    stream.look(), stream.look()
    assert (stream.rows, stream.rejected) == ([1, 2], [])


@pytest.mark.parametrize("name", ["a\nb.json", "a\rb", "\udcff.json", 'say "é" \\n', "\x1b[31m", " ", "a\u2028b"])
def test_any_name(name: str, tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path)
    clock.write(stream / name, lines(1) + b"bad\n")
    clock.write(stream / "z", lines(2))
    for _ in range(3):
        stream.look()
    assert sorted(stream.rows) == [1, 2]
    ((file, *_),) = stream.rejected
    assert file.isprintable() and file.encode()


def test_rows_that_come_while_a_file_is_written(tmp_path: Path, clock: Clock) -> None:
    """Whatever the pieces in which a file is written, and whenever it is looked at: each row once, in order."""
    chance = random.Random(7)
    for story in range(60 if LONG else 15):
        form = ("json", "csv", "headed")[story % 3]
        more = {"header": "true"} if form == "headed" else {}
        (tmp_path / str(story)).mkdir()
        stream = Stream(tmp_path / str(story), "json" if form == "json" else "csv", **more)
        number = [chance.randint(1, 10**6) for _ in range(40)]
        text = lines(*number) if form == "json" else b"n\n" * bool(more) + b"".join(b"%d\n" % n for n in number)
        text = text if chance.random() < 0.5 else text[:-1]
        at = 0
        while at < len(text):
            size = chance.choice([1, 3, 10, 100])
            clock.write(stream / "x", text[at : at + size], "ab")
            at += size
            clock.now += chance.choice([0, 0.1, SETTLE / 2])
            if chance.random() < 0.5:
                stream.look()
        stream.look()
        clock.now += SETTLE
        stream.look()
        assert (stream.rows, stream.rejected, stream.waits) == (number, [], False)


def test_half_a_number_waits_for_its_rest(tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path, "csv")
    clock.write(stream / "x", b"1\n12")
    stream.look()
    assert (stream.rows, stream.waits) == ([1], True)
    clock.now += SETTLE / 2
    clock.write(stream / "x", b"3\n", "ab")
    stream.look()
    assert (stream.rows, stream.waits) == ([1, 123], False)


def test_what_comes_behind_a_line_that_seemed_complete_is_told(tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path, "csv")
    clock.write(stream / "x", b"1\n12")
    clock.now += SETTLE
    stream.look()
    clock.write(stream / "x", b"3\n4\nbad\n", "ab")
    stream.look()
    assert stream.rows == [1, 12, 4]
    (file, position, reason, text), bad = stream.rejected
    assert (file, position, reason, text) == ("x", 2, UNFINISHED, "3")
    assert (bad[1], bad[3]) == (4, "bad")


def test_records_over_several_lines_wait_for_their_end(tmp_path: Path, clock: Clock) -> None:
    schema, stream = Schema.of(n="BIGINT", s="STRING"), Stream(tmp_path, "csv")
    clock.write(stream / "x", b'1,"a"\n2,"b\n')
    (first,) = stream.look()
    assert first.end == len(b'1,"a"\n')
    clock.write(stream / "x", b'c"\n3,d\n', "ab")
    (second,) = stream.look()
    read = READERS["csv"](stream / "x", schema, {}, second)
    assert read.piece.rows.rows() == [(2, "b\nc"), (3, "d")]


def test_positions_are_those_of_the_file(tmp_path: Path, clock: Clock) -> None:
    for form, more, text in (("json", {}, lines), ("csv", {"header": "true"}, lambda *n: b"%d\n" * len(n) % n)):
        (tmp_path / form).mkdir()
        stream = Stream(tmp_path / form, form, **more)
        clock.write(stream / "x", (b"n\n" if more else b"\n") + text(1, 2) + b"bad\n")
        stream.look()
        clock.write(stream / "x", text(3) + b"worse\n", "ab")
        (split,) = stream.look()
        assert stream.rows == [1, 2, 3]
        assert [(position, found) for _, position, _, found in stream.rejected] == [(4, "bad"), (6, "worse")]
        read = READERS[form](stream / "x", N, stream.options, split)
        assert read.place(0)[0] == 5


def test_a_file_that_waits_holds_back_those_behind_it(tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path, "csv")
    clock.write(stream / "a", b"1")
    clock.now += 0.1
    clock.write(stream / "b", b"2\n")
    assert (stream.look(), stream.waits) == ([], True)
    clock.now += SETTLE
    stream.look()
    assert (stream.rows, stream.waits) == ([1, 2], False)


def test_an_empty_file_of_lines_holds_nobody_back(tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path)
    clock.write(stream / "a", b"")
    clock.now += 0.1
    clock.write(stream / "b", b'{"n": 2}\n')
    stream.look()
    assert (stream.rows, stream.waits) == ([2], False)
    clock.write(stream / "a", b'{"n": 1}\n', "ab")
    stream.look()
    assert stream.rows == [2, 1]


def test_a_file_of_the_future_settles_by_our_own_clock(tmp_path: Path, clock: Clock) -> None:
    directory = tmp_path / "in"
    directory.mkdir()
    clock.write(directory / "x", b"1")
    os.utime(directory / "x", (clock.now + 3600, clock.now + 3600))
    found = Listing(directory, "csv", {}, SETTLE)
    assert found.news() == []
    clock.now += SETTLE
    assert [split.end for split in found.news()] == [1]


def changed(how: str, path: Path, clock: Clock) -> None:
    clock.now += 60
    match how:
        case "overwritten with as much":
            clock.write(path, NEW)
        case "overwritten with more":
            clock.write(path, NEW + OLD)
        case "cut":
            clock.write(path, OLD[:90])
        case "replaced":
            clock.write(path.with_name(".x"), NEW * 2)
            path.with_name(".x").rename(path)
        case "touched":
            os.utime(path, (clock.now, clock.now))
        case "replaced by the same":
            clock.write(path.with_name(".x"), OLD)
            path.with_name(".x").rename(path)


@pytest.mark.parametrize("how", ["overwritten with as much", "overwritten with more", "cut", "replaced"])
def test_a_file_that_was_overwritten_is_told_of_once(how: str, tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path)
    clock.write(stream / "x", OLD)
    stream.look()
    changed(how, stream / "x", clock)
    stream.look(), stream.look()
    clock.write(stream / "x", NEW, "ab")
    stream.look()
    assert stream.rows == [1] * 200
    assert stream.rejected == [("x", 0, OVERWRITTEN, "")]


@pytest.mark.parametrize("how", ["touched", "replaced by the same"])
def test_a_file_with_the_same_content_has_not_changed(how: str, tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path)
    clock.write(stream / "x", OLD)
    stream.look()
    changed(how, stream / "x", clock)
    assert stream.look() == []
    clock.write(stream / "x", lines(3), "ab")
    stream.look()
    assert (stream.rows, stream.rejected) == ([1] * 200 + [3], [])


def parquet(path: Path) -> bytes:
    pl.DataFrame({"n": [1, 2]}).write_parquet(path)
    data = path.read_bytes()
    path.unlink()
    return data


@pytest.mark.parametrize("form", ["parquet", "xml"])
def test_a_format_with_an_end_is_taken_as_a_whole(form: str, tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path, form)
    data = parquet(tmp_path / "p") if form == "parquet" else b"<r><t><n>1</n></t><t><n>2</n></t></r>"
    for cut in (0, 1, len(data) // 2, len(data) - 1):
        clock.write(stream / "x", data[:cut])
        assert (stream.look(), stream.waits) == ([], True)
    clock.write(stream / "x", data)
    stream.look()
    assert (stream.rows, stream.rejected) == ([1, 2], [])
    clock.write(stream / "x", b"<!-- -->", "ab")
    stream.look(), stream.look()
    assert stream.rejected == [("x", 0, GROWN, "")]


def test_elements_one_after_the_other_have_no_end_to_be_seen(tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path, "xml")
    clock.write(stream / "x", b"<t><n>1</n></t>")
    assert stream.look() == []
    clock.write(stream / "x", b"<t><n>2</n></t>", "ab")
    clock.now += SETTLE
    stream.look()
    assert stream.rows == [1, 2]


@pytest.mark.parametrize("how", [lambda d: d.write_bytes(NEW), lambda d: os.truncate(d, 9)])
def test_what_has_changed_before_it_was_read_is_rejected(how: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(OLD)
    (split,) = Listing(tmp_path, "json", {}, SETTLE).news()
    how(tmp_path / "x")
    read = READERS["json"](tmp_path / "x", N, {}, split)
    assert (len(read.piece.rows), read.rejected.rows()) == (0, [(0, CHANGED, "")])
    (tmp_path / "x").write_bytes(OLD + NEW)
    assert len(READERS["json"](tmp_path / "x", N, {}, split).piece.rows) == 200


def test_a_log_that_is_renamed_and_begun_again(tmp_path: Path, clock: Clock) -> None:
    """As logrotate does: the old file goes on a while under its new name."""
    stream = Stream(tmp_path)
    clock.write(stream / "log", OLD)
    stream.look()
    clock.now += 1
    clock.write(stream / "log", lines(3), "ab")
    (stream / "log").rename(stream / "log.1")
    clock.now += 1
    clock.write(stream / "log", lines(4))
    stream.look(), stream.look()
    clock.write(stream / "log.1", lines(5), "ab")
    stream.look(), stream.look()
    assert (stream.rows, stream.rejected) == ([1] * 200 + [3, 4, 5], [])
    (stream / "log").rename(stream / "log.2")
    assert [(s.name, s.start, s.end) for s in stream.look()] == [("log.2", 9, 9)]
    assert stream.rows[-1] == 5


def test_an_inode_that_is_used_again_is_another_file(tmp_path: Path, clock: Clock) -> None:
    stream = Stream(tmp_path)
    clock.write(stream / "a", lines(1))
    (split,) = stream.look()
    (stream / "a").unlink()
    clock.now += 1
    clock.write(stream / "b", lines(1, 2))
    log = SplitLog(stream.log)
    assert log.between(0, 1) == [split]
    known = KnownFiles([replace(split, inode=(stream / "b").stat().st_ino)])
    (new,) = Listing(stream.directory, "json", {}, SETTLE, known).news()
    assert (new.name, new.start) == ("b", 0)


def test_a_file_that_may_not_be_read_at_first(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Stream(tmp_path)
    clock.write(stream / "x", lines(1))
    with monkeypatch.context() as forbidden:

        def refused(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        forbidden.setattr(os, "open", refused)
        forbidden.setattr(Path, "open", refused)
        found = Listing(stream.directory, "json", {}, SETTLE)
        (split,) = found.news()
        assert found.news() == []
        read = READERS["json"](stream / "x", N, {}, split)
        assert read.rejected.rows() == [(0, "the file cannot be read: Permission denied", "")]
    assert [(s.start, s.end) for s in found.news()] == [(0, len(lines(1)))]


def test_digests_cover_both_ends(tmp_path: Path) -> None:
    text = bytearray(b'{"n": 1}\n' * ENDS)
    (tmp_path / "x").write_bytes(text)
    (split,) = Listing(tmp_path, "json", {}, 0).news()
    for at in (6, ENDS - 1, len(text) - ENDS, len(text) - 3):
        other = text.copy()
        other[at : at + 1] = b"?"
        (tmp_path / "x").write_bytes(other)
        assert READERS["json"](tmp_path / "x", N, {}, split).rejected["reason"].to_list() == [CHANGED]


def commit(directory: Path, batch: str, *names: str) -> None:
    (directory / SINK_LOG).mkdir(exist_ok=True)
    lines = [json.dumps({"path": f"file://{directory}/{name}", "action": "add"}) for name in names]
    (directory / SINK_LOG / batch).write_text("\n".join(["v1", *lines]))


def test_of_a_sinks_directory_only_what_is_committed(tmp_path: Path) -> None:
    def names(but: tuple[str, ...] = ()) -> list[str]:
        known = [split for split in Listing(tmp_path, "json", {}, SETTLE).news() if split.name in but]
        return [split.name for split in Listing(tmp_path, "json", {}, SETTLE, KnownFiles(known)).news()]

    for name in ("part-0", "part 1", "part-2", "part-4", "left over"):
        (tmp_path / name).write_text("half a l")
    commit(tmp_path, "0", "part-2", "part%201")
    commit(tmp_path, ".1.tmp", "left over")
    assert names() == ["part-2", "part 1"]
    commit(tmp_path, "9.compact", "part-2", "part%201", "part-0")
    commit(tmp_path, "10", "part-3")
    commit(tmp_path, "11", "part-4")
    commit(tmp_path, "2", "part-0")
    with pytest.raises(MissingError, match="the file part-3 no longer exists"):
        names()
    (tmp_path / "part-3").touch()
    assert names() == ["part-2", "part 1", "part-0", "part-3", "part-4"]
    assert names(but=("part-2", "part-3")) == ["part 1", "part-0", "part-4"]
