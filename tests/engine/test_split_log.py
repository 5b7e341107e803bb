"""The list of files that have been taken: whole whatever it is stopped at, small however long it goes on."""

import errno
import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

import pytest

from punctum.engine.formats.splits import Split
from punctum.engine.sources.known import KnownFiles
from punctum.engine.sources.split_log import MOST, SplitLog, check_list, segments
from punctum.errors import QueryError


def split(number: int, start: int = 0, inode: int | None = None) -> Split:
    return Split(f"{number}.json", start, start + 5, 0, number if inode is None else inode, start, f"{number:x}")


def append(log: SplitLog, *new: Split) -> None:
    """As a listing does: what it finds it remembers, then the log writes it down."""
    for each in new:
        log.known.remember(each)
    log.append(new)


def kept(known: KnownFiles) -> dict[str, Split | None]:
    return {name: known.get(name) for name in known}


def test_a_list_that_goes_on_and_on(tmp_path: Path) -> None:
    """Against all that was ever appended: known is the last of each name, and what is not done has its number."""
    chance = random.Random(4)
    log, every, model, done, gone = SplitLog(tmp_path / "list"), list[Split](), KnownFiles(), 0, 0
    for step in range(600):
        new = [split(len(every) + n) for n in range(chance.choice([0, 1, 1, 2, 40]))]
        if every and chance.random() < 0.3:
            old = chance.choice(every)
            last = model.get(old.name)
            new += [split(int(old.name.partition(".")[0]), last.end)] if last is not None else []
        append(log, *new)
        every += new
        for each in new:
            model.remember(each)
        for name in chance.sample(list(model), min(len(model), 3)):
            log.known.lost(name, 100.0 + step)
            model.lost(name, 100.0 + step)
        done = chance.randint(done, len(every)) if chance.random() < 0.5 else done
        if log.is_due(done, 40):
            later = {each.name for each in every[min(done, len(every) - 50) :]}
            over = [name for name, since in log.known.gone.items() if since < step and name not in later]
            log.known.forget(over)
            model.forget(over)
            log.renew(done)
            gone += 1
        log.merge(done)
        ready = [segment for segment in segments(tmp_path / "list") if segment.end <= done]
        assert len(ready) <= MOST
        if step % 50 == 0:
            log = SplitLog(tmp_path / "list")
            assert log.end == check_list(tmp_path / "list") == len(every)
            assert kept(log.known) == kept(model)
            assert log.known.gone.items() <= model.gone.items(), "what is not written is seen again"
            for name, since in model.gone.items():
                log.known.lost(name, since)
        assert log.between(done, len(every)) == every[done:]
    assert gone > 2, "the list was written anew"


def test_what_is_written_is_in_proportion_to_what_is_new(tmp_path: Path) -> None:
    """Files come and go for long: the list stays as large as the directory, and a split is written a few times."""
    written = 0
    log = SplitLog(tmp_path / "list")
    write = log._write

    def counted(segment: object, lines: Iterator[object]) -> None:
        nonlocal written
        several = list(lines)
        written += len(several)
        write(segment, several)  # type: ignore[arg-type]

    log._write = counted  # type: ignore[method-assign, assignment]
    append(log, *(split(n) for n in range(800)))
    for n in range(800, 3200):
        append(log, split(n))
        log.known.lost(f"{n - 800}.json", 0.0)
        if log.is_due(n, 100):
            log.known.forget(list(log.known.gone))
            log.renew(n)
        log.merge(n)
    assert written < 16 * 2400
    assert len(log.known) <= 800 + 101
    assert len(list((tmp_path / "list").iterdir())) <= MOST + 2
    size = sum(path.stat().st_size for path in (tmp_path / "list").iterdir())
    assert size < 2 * 900 * len(str(split(9999)))


@contextmanager
def stopped(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[None]:
    """The disk takes so many changes of names and no more: as when the process is killed there."""
    replace, unlink, left = Path.replace, Path.unlink, after

    def counted(change: Callable[..., object]) -> Callable[..., object]:
        def limited(*given: object, **more: object) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError(errno.EIO, "killed")
            return change(*given, **more)

        return limited

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", counted(replace))
        patched.setattr(Path, "unlink", counted(unlink))
        yield


def test_a_list_that_is_stopped_at_any_change_has_lost_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merged, renewed and gone on with; after each stop all that was appended is there, and it goes on."""

    def work(log: SplitLog, appended: list[Split]) -> None:
        for n in range(log.end, log.end + 40):
            new = [split(n % 20, n)]
            append(log, *new)
            appended += new
            log.merge(n - 2)
        log.known.forget(["3.json"])
        log.renew(log.end - 2)

    work(SplitLog(tmp_path / "whole"), [])
    stops = 0
    for after in range(200):
        directory = tmp_path / str(after)
        appended: list[Split] = []
        try:
            with stopped(monkeypatch, after):
                work(SplitLog(directory), appended)
            break
        except (QueryError, OSError):
            stops += 1
        log = SplitLog(directory)
        assert log.end in (len(appended), len(appended) + 1), "one that was not appended may be there"
        since = max(0, log.end - 2)
        assert log.between(since, log.end)[: len(appended) - since] == appended[since:]
        names = set(log.known)
        assert names >= {each.name for each in appended} - {"3.json"}
        assert all(log.known.get(each.name).end >= each.end for each in appended if each.name in names)  # type: ignore[union-attr]
        work(log, appended)
        shutil.rmtree(directory)
    assert stops > 70, "each append, merge and renewal"


@pytest.mark.parametrize("how", ["deleted", "cut off", "garbled", "emptied", "of another place"])
def test_a_file_of_a_list_that_is_damaged_is_named(tmp_path: Path, how: str) -> None:
    log = SplitLog(tmp_path / "list")
    for n in range(0, 100, 10):
        append(log, *(split(each) for each in range(n, n + 10)))
        log.merge(n)
    files = sorted((tmp_path / "list").iterdir())
    assert len(files) == 10
    for n, file in enumerate(files):
        directory = shutil.copytree(tmp_path / "list", tmp_path / file.name)
        path = directory / file.name
        match how:
            case "deleted":
                path.unlink()
            case "cut off":
                os.truncate(path, path.stat().st_size - 3)
            case "garbled":
                path.write_bytes(path.read_bytes().replace(b".json", b".JSON", 1))
            case "emptied":
                path.write_bytes(b"")
            case "of another place":
                path.write_bytes(files[n - 1].read_bytes())
        if how == "deleted" and n == len(files) - 1:
            assert check_list(directory) == SplitLog(directory).end == 90, "who reads on knows that there were more"
            continue
        for look in (check_list, SplitLog):
            with pytest.raises(QueryError) as caught:
                look(directory)
            named = file.name.rpartition("-")[0] if how == "deleted" else file.name
            assert str(directory / named) in f"{caught.value}"


def test_a_list_as_it_was_before_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    splits, text, checksum = [split(n) for n in range(30)], "", 0
    for each in splits:
        line = json.dumps(each.fields)
        checksum = crc32(line.encode(), checksum)
        text += f"{checksum:08x} {line}\n"
    for after in range(4):
        path = tmp_path / f"{after}.files"
        path.write_text(text + "0badbad0 [")
        with stopped(monkeypatch, after):
            try:
                SplitLog(path)
            except (QueryError, OSError):
                assert after < 3
        assert check_list(path) == 30
        assert SplitLog(path).between(0, 30) == splits
        assert not path.with_name(f"{path.name}.old").exists()
    path = tmp_path / "damaged.files"
    path.write_text(text.replace("7.json", "8.json", 1))
    with pytest.raises(QueryError, match=r"damaged\.files is damaged"):
        SplitLog(path)
