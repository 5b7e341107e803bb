"""The files of a stream's directory, in the order in which they are to be read, and what is new of them.

The order is by the time of their last change and by name. A file may still be written when it is found. What is
complete of it is read, and the rest when it comes. One that is not complete and has changed a short while ago waits,
and so do those behind it, which keeps the order; when the while has passed without a change, it is complete as it is. A
file that has changed otherwise than by growing is told of once, and never read again: what it held has been read.

What is looked at is what the system tells of (``watch.py``). The directory is listed when its own time of change says
that there is more, and seldom otherwise; files that have been read have their turn a few at a time. So a directory of
many files that does not change costs next to nothing, and a new file costs the same in any.

A directory that a sink of Spark's writes has a log of its own (``sink_log.py``), which says what is new.
"""

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from punctum.engine.formats.progress import grows, ready_until
from punctum.engine.formats.splits import Split, digest, gone, lines_within
from punctum.engine.sources.known import FORGET, KnownFiles
from punctum.engine.sources.sink_log import SinkLog, settled
from punctum.engine.sources.watch import Watch
from punctum.storage.files import opened

SETTLE = 2.0
"""So many seconds without a change make a file complete that does not look so."""
OVERWRITTEN = "the file was overwritten after it was read: the new content is ignored (use a new file name)"
GROWN = "the file has grown after it was read, in a format without appends: the rest is ignored (use a new file name)"
_TEMPORARY = (".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".inprogress", "._copying_", ".crc")
_EDITED = (".swp", "~")
_ALIKE = 1024  # so many equal bytes, and the same inode, are the same file under another name
_SHARE, _WATCHED = 20, 500  # looking for what nobody tells takes no more than this part of the time
_BUSY = 5  # listing a directory that changes, no more than this part
_TURN = 2_000  # so many files that were read have their turn at a time
_SELDOM = 1.0  # seconds


def is_input(name: str) -> bool:
    """Whether a file is one of a stream: not hidden, and not one that gets another name when it is complete.

    >>> [is_input(name) for name in ("a.json", "_SUCCESS", ".a.json.crc", "a.json.tmp", "a.json._COPYING_")]
    [True, False, False, False, False]
    """
    return not name.startswith((".", "_")) and not name.lower().endswith(_TEMPORARY + _EDITED)


class Listing:
    """Finds what is new in a directory, given what is known of its files; it remembers there what it finds."""

    def __init__(
        self,
        directory: Path,
        format_: str,
        options: Mapping[str, str],
        settle: float,
        known: KnownFiles | None = None,
        forget: float = FORGET,
        takes: Callable[[str], bool] = is_input,
    ) -> None:
        self._takes = takes
        self._directory, self._format, self._options, self._settle = directory, format_, options, settle
        self._known, self._forget = KnownFiles() if known is None else known, forget
        self._open: dict[str, None] = {}
        """What is to be looked at: names that are new, have been told, or wait."""
        self._unsettled: dict[str, tuple[tuple[int, int], float]] = {}
        self._log, self._watch, self._place = SinkLog(directory), Watch(directory), _place(directory)
        self._stamp, self._listed, self._again = -1, False, (0.0, 0.0)
        self._turn: Iterator[str] = iter(())
        self._due, self._first = 0.0, True
        self.waits = False
        """Whether there is more that is not complete yet."""

    def news(self) -> list[Split]:
        """What is to be read next, in order, up to the first file that has to wait."""
        self.waits = False
        logged = self._log.there
        if logged:
            self._open |= dict.fromkeys(name for name in self._log.news() if name not in self._known)
        else:
            self._look()
        self._turn_over()
        new = []
        for name in self._changed(logged):
            split = self._next(name, logged)
            if split is not None:
                self._known.remember(split)
                new.append(split)
            if self.waits:
                break
            self._open.pop(name, None)
        return new

    def over(self) -> list[str]:
        """The files that have been gone for so long that they are to be forgotten; a log tells of them again."""
        if self._log.there:
            return []
        since = time.time() - self._forget
        names = [name for name, at in self._known.gone.items() if at <= since]
        return [name for name in names if not os.path.lexists(os.path.join(self._directory, name))]

    def _look(self) -> None:
        """What has been told; and what is there, when something may not have been told."""
        at = _place(self._directory)
        if at != self._place:  # another directory has its name now
            self._place, self._watch, self._listed = at, Watch(self._directory), False
        stamp, watched = os.stat(self._directory).st_mtime_ns, self._watch.works
        changed = self._watch.changed()
        self._open |= dict.fromkeys(filter(self._takes, changed or ()))
        if watched and changed is None:
            self._listed = False
        if changed and self._listed:
            self._stamp = stamp
        now, (soon, later) = time.monotonic(), self._again
        if not self._listed or (stamp != self._stamp and now >= soon) or now >= later:
            self._list(stamp)

    def _list(self, stamp: int) -> None:
        begun, known = time.monotonic(), self._known
        names = os.listdir(self._directory)
        self._open |= dict.fromkeys(name for name in names if name not in known and self._takes(name))
        for name in known.gone.keys() & set(names) if known.gone else ():
            del known.gone[name]
        self._listed, self._stamp = True, stamp if self._watch.works or settled(stamp) else -1
        took = time.monotonic() - begun
        self._again = begun + _BUSY * took, begun + max(_SELDOM, self._share * took)

    @property
    def _share(self) -> int:
        return _WATCHED if self._watch.works else _SHARE

    def _turn_over(self) -> None:
        """Some files that were read, and how they are: all of them at first, then a few at a time."""
        begun = time.monotonic()
        if begun < self._due:
            return
        known, now = self._known, time.time()
        for name in list(known) if self._first else self._in_turn():
            last = known.get(name)
            if last is not None:
                status = self._stat(name)
                if status is None:
                    known.lost(name, now)
                    continue
                known.gone.pop(name, None)
                if not last.fault and _stamp(status) != (last.end, last.changed):
                    self._open[name] = None
        self._first = False
        self._due = time.monotonic() + self._share * (time.monotonic() - begun)

    def _in_turn(self) -> list[str]:
        names = list(islice(self._turn, _TURN))
        if not names:
            self._turn = iter(list(self._known))
            names = list(islice(self._turn, _TURN))
        return names

    def _changed(self, logged: bool) -> list[str]:
        """Files that are new or not as they were, in order."""
        changed, now = [], time.time()
        for name in list(self._open):
            last, known = self._stat(name), self._known.get(name)
            if last is None and known is None and logged:
                changed.append((0, name))  # it must be there
            elif last is None:
                self._known.lost(name, now)
                del self._open[name]
            elif not stat.S_ISREG(last.st_mode) or (known is not None and self._is_done(known, last)):
                del self._open[name]
            else:
                changed.append((last.st_mtime_ns, name))
        return [name for _, name in (changed if logged else sorted(changed))]

    def _is_done(self, known: Split, last: os.stat_result) -> bool:
        """Whether there is nothing more to read of a file that is there."""
        self._known.gone.pop(known.name, None)
        return bool(known.fault) or _stamp(last) == (known.end, known.changed)

    def _stat(self, name: str) -> os.stat_result | None:
        """How a file is, if it is there."""
        try:
            return os.stat(os.path.join(self._directory, name))
        except FileNotFoundError:
            return None

    def _next(self, name: str, whole: bool) -> Split | None:
        """The next split of a file; nothing when it has to wait, has gone, or holds what it held."""
        try:
            with opened(os.path.join(self._directory, name)) as file:
                assert isinstance(file, int)
                return self._within(file, os.fstat(file), name, whole)
        except FileNotFoundError:
            if whole and name not in self._known:
                raise gone(self._directory / name) from None
            return None
        except OSError:  # who reads it says why
            return Split(name, 0, 0, 0, 0, 0, "") if name not in self._known else None

    def _within(self, file: int, stat: os.stat_result, name: str, whole: bool) -> Split | None:
        known = self._known.get(name)
        known = known if known and known.digest else None
        last = known or self._renamed(file, stat)
        if last is None:
            return self._from(file, stat, name, None, whole)
        now = replace(last, inode=stat.st_ino, changed=stat.st_mtime_ns)
        if not _begins_alike(file, stat, last):
            return replace(now, fault=OVERWRITTEN)
        if stat.st_size > last.end and not grows(self._format, name):
            return replace(now, fault=GROWN)
        if known and stat.st_size == last.end:
            self._known.seen(now)
            return None
        return self._from(file, stat, name, last, whole)

    def _from(self, file: int, stat: os.stat_result, name: str, last: Split | None, whole: bool) -> Split | None:
        """What can be read of a file by now, behind its last split."""
        size, start = stat.st_size, last.end if last else 0
        nothing = start == size and (size > 0 or grows(self._format, name))  # what comes later is read on
        quiet = whole or nothing or self._is_quiet(name, stat)
        end = size if quiet else ready_until(self._format, name)(file, start, size, self._options)
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
        old = self._known.of_inode(stat.st_ino)
        if old is None or old.fault or not old.end or self._is_there(old):
            return None
        same = _stamp(stat) == (old.end, old.changed)
        grown = grows(self._format, old.name) and old.end >= _ALIKE
        return old if (same or grown) and _begins_alike(file, stat, old) else None

    def _is_there(self, split: Split) -> bool:
        """Whether a file has still the name it had."""
        status = self._stat(split.name)
        return status is not None and status.st_ino == split.inode


def _place(directory: Path) -> tuple[int, int]:
    """Which directory it is that has a name now."""
    status = os.stat(directory)
    return status.st_dev, status.st_ino


def _stamp(stat: os.stat_result) -> tuple[int, int]:
    return stat.st_size, stat.st_mtime_ns


def _begins_alike(file: int, stat: os.stat_result, last: Split) -> bool:
    return stat.st_size >= last.end and digest(file, last.end) == last.digest
