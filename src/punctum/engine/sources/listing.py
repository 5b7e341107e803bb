"""The files of a stream's directory, in the order in which they are to be read, and what is new of them.

The order is by the time of their last change and by name. A file may still be written when it is found. What is
complete of it is read, and the rest when it comes. One that is not complete and has changed a short while ago waits,
and so do those behind it, which keeps the order; when the while has passed without a change, it is complete as it is. A
file that has changed otherwise than by growing is told of once, and never read again: what it held has been read.

A directory that a sink of Spark's writes has a log of its own, ``_spark_metadata``: there, only files of finished
batches count, batch by batch, since others may be half written or left from an attempt that failed.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from punctum.engine.formats.progress import GROWING, READY
from punctum.engine.formats.splits import Split, digest, gone, lines_within, opened

SINK_LOG = "_spark_metadata"
SETTLE = 2.0
"""So many seconds without a change make a file complete that does not look so."""
OVERWRITTEN = "the file was overwritten after it was read: the new content is ignored (use a new file name)"
GROWN = "the file has grown after it was read, in a format without appends: the rest is ignored (use a new file name)"
_TEMPORARY = (".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".inprogress", "._copying_", ".crc")
_EDITED = (".swp", "~")
_BATCH = re.compile(r"(\d+)(\.compact)?")
_ALIKE = 1024  # so many equal bytes, and the same inode, are the same file under another name
_SHARE = 20  # looking for changes in files that were read takes no more than this part of the time


def is_input(name: str) -> bool:
    """Whether a file is one of a stream: not hidden, and not one that gets another name when it is complete.

    >>> [is_input(name) for name in ("a.json", "_SUCCESS", ".a.json.crc", "a.json.tmp", "a.json._COPYING_")]
    [True, False, False, False, False]
    """
    return not name.startswith((".", "_")) and not name.lower().endswith(_TEMPORARY + _EDITED)


class Listing:
    """Finds what is new in a directory, given all splits that were found before; of its files those that are wanted."""

    def __init__(
        self,
        directory: Path,
        format_: str,
        options: Mapping[str, str],
        settle: float,
        splits: Iterable[Split],
        wanted: Callable[[str], bool] = is_input,
    ) -> None:
        self._wanted = wanted
        self._directory, self._format, self._options, self._settle = directory, format_, options, settle
        self._last: dict[str, Split] = {}
        self._names: dict[int, str] = {}
        self._unsettled: dict[str, tuple[tuple[int, int], float]] = {}
        self._due = 0.0
        self.waits = False
        """Whether there is more that is not complete yet."""
        for split in splits:
            self._remember(split)

    def news(self) -> list[Split]:
        """What is to be read next, in order, up to the first file that has to wait."""
        log, self.waits = self._directory / SINK_LOG, False
        committed = committed_files(log) if log.is_dir() else None
        new = []
        for name in self._changed(committed):
            split = self._next(name, committed is not None)
            if split is not None:
                self._remember(split)
                new.append(split)
            if self.waits:
                break
        return new

    def _remember(self, split: Split) -> None:
        """The last split of a file; one that goes on under a new name has left its old one."""
        old = self._names.get(split.inode)
        if split.start and old is not None and old != split.name:
            self._last.pop(old, None)
        self._last[split.name] = split
        self._names[split.inode] = split.name

    def _changed(self, committed: Iterable[str] | None) -> list[str]:
        """Files that are new or not as they were, in order; in large directories the old ones have their turn later."""
        begun = time.monotonic()
        due = begun >= self._due
        names = []
        for name, stat in self._looked_at(due) if committed is None else self._logged(committed, due):
            last = self._last.get(name)
            if stat is not None and (last is None or _stamp(stat) != (last.end, last.changed)):
                names.append((stat.st_mtime_ns, name))
        if due:
            self._due = time.monotonic() + _SHARE * (time.monotonic() - begun)
        return [name for _, name in (sorted(names) if committed is None else names)]

    def _looked_at(self, due: bool) -> Iterator[tuple[str, os.stat_result | None]]:
        """Files of the directory whose turn it is, and how they are."""
        with os.scandir(self._directory) as entries:
            for entry in entries:
                if self._has_turn(entry.name, due) and self._wanted(entry.name) and entry.is_file():
                    yield entry.name, _if_there(entry.stat)

    def _logged(self, committed: Iterable[str], due: bool) -> Iterator[tuple[str, os.stat_result | None]]:
        """The same for files that a sink's log names, also when they have gone."""
        for name in committed:
            if self._has_turn(name, due):
                yield name, _if_there((self._directory / name).stat) or _GONE

    def _has_turn(self, name: str, due: bool) -> bool:
        last = self._last.get(name)
        return last is None or (not last.fault and (due or name in self._unsettled))

    def _next(self, name: str, whole: bool) -> Split | None:
        """The next split of a file; nothing when it has to wait, has gone, or holds what it held."""
        try:
            with opened(os.path.join(self._directory, name)) as file:
                return self._within(file, os.fstat(file), name, whole)
        except FileNotFoundError:
            if whole and name not in self._last:
                raise gone(self._directory / name) from None
            return None
        except OSError:  # who reads it says why
            return Split(name, 0, 0, 0, 0, 0, "") if name not in self._last else None

    def _within(self, file: int, stat: os.stat_result, name: str, whole: bool) -> Split | None:
        known = self._last.get(name)
        known = known if known and known.digest else None
        last = known or self._renamed(file, stat)
        if last is None:
            return self._from(file, stat, name, None, whole)
        now = replace(last, inode=stat.st_ino, changed=stat.st_mtime_ns)
        if not _begins_alike(file, stat, last):
            return replace(now, fault=OVERWRITTEN)
        if stat.st_size > last.end and self._format not in GROWING:
            return replace(now, fault=GROWN)
        if known and stat.st_size == last.end:
            self._remember(now)
            return None
        return self._from(file, stat, name, last, whole)

    def _from(self, file: int, stat: os.stat_result, name: str, last: Split | None, whole: bool) -> Split | None:
        """What can be read of a file by now, behind its last split."""
        size, start = stat.st_size, last.end if last else 0
        nothing = start == size and (size > 0 or self._format in GROWING)  # what comes later is read on
        quiet = whole or nothing or self._is_quiet(name, stat)
        end = size if quiet else READY[self._format](file, start, size, self._options)
        self.waits = not quiet and (end < size or end == start)
        if self.waits and end == start:
            return None
        if not self.waits:
            self._unsettled.pop(name, None)
        line = last.line + lines_within(file, last.start, last.end) if last else 0
        return Split(name, start, end, line, stat.st_ino, stat.st_mtime_ns, digest(file, end))

    def _is_quiet(self, name: str, stat: os.stat_result) -> bool:
        """Whether a file has not changed for a while: by the time it has, or, should clocks differ, by our own."""
        known, since = self._unsettled.get(name, (None, 0.0))
        if known != _stamp(stat):
            since = time.monotonic()
            self._unsettled[name] = _stamp(stat), since
        return max(time.time() - stat.st_mtime, time.monotonic() - since) >= self._settle

    def _renamed(self, file: int, stat: os.stat_result) -> Split | None:
        """The last split of a file that had another name before; an inode alone may be that of a file that has gone."""
        old = self._last.get(self._names.get(stat.st_ino, ""))
        if old is None or old.fault or not old.end or self._is_there(old):
            return None
        same = _stamp(stat) == (old.end, old.changed)
        grown = self._format in GROWING and old.end >= _ALIKE
        return old if (same or grown) and _begins_alike(file, stat, old) else None

    def _is_there(self, split: Split) -> bool:
        """Whether a file has still the name it had."""
        try:
            return (self._directory / split.name).stat().st_ino == split.inode
        except FileNotFoundError:
            return False


_GONE = os.stat_result((0,) * 10)


def _if_there(stat: Callable[[], os.stat_result]) -> os.stat_result | None:
    try:
        return stat()
    except FileNotFoundError:
        return None


def _stamp(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_size, stat.st_mtime_ns


def _begins_alike(file: int, stat: os.stat_result, last: Split) -> bool:
    return stat.st_size >= last.end and digest(file, last.end) == last.digest


def committed_files(log: Path) -> list[str]:
    """The files of all batches; every so often Spark writes all that the log has so far into one compact file."""
    batches = [
        (int(match[1]), bool(match[2]), path) for path in log.iterdir() if (match := _BATCH.fullmatch(path.name))
    ]
    start = max((number for number, compact, _ in batches if compact), default=-1)
    names: list[str] = []
    for number, compact, path in sorted(batches):
        if number > start or (number == start and compact):
            lines = path.read_text().splitlines()[1:]  # the first one is the version
            names += [unquote(json.loads(line)["path"].rsplit("/", 1)[-1]) for line in lines]
    return names
