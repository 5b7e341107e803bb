"""What the system tells of a directory: the names of files that come, change or go, without looking at it (inotify).

Where there is no such thing nothing is told, and on a network's file system only what this machine does. So whoever
asks has to look at the directory as well, from time to time and whenever its own time of change says so.
"""

import ctypes
import os
import struct
from pathlib import Path
from weakref import finalize

_EVENTS = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200  # a file comes, goes, or changes in some way
_ENDED = 0x400 | 0x800 | 0x2000 | 0x8000  # the directory was deleted or moved, or unmounted
_MISSED = 0x4000  # more than the system keeps
_HEAD = struct.Struct("iIII")
_ROOM = 1 << 20


class Watch:
    """A directory that is watched from now on, if the system can."""

    def __init__(self, directory: Path) -> None:
        self._file = _watched(os.fsencode(directory))
        self._end = None if self._file is None else finalize(self, os.close, self._file)

    @property
    def works(self) -> bool:
        """Whether the system tells of changes."""
        return self._file is not None

    def changed(self) -> set[str] | None:
        """The names that have changed since the last time; nothing when some may be missing."""
        names, missed = set[str](), False
        while self._file is not None:
            try:
                events = os.read(self._file, _ROOM)
            except BlockingIOError:
                return None if missed else names
            at = 0
            while at < len(events):
                _, mask, _, length = _HEAD.unpack_from(events, at)
                name = events[at + _HEAD.size : at + _HEAD.size + length].rstrip(b"\0")
                at += _HEAD.size + length
                if mask & _ENDED:
                    self._close()
                    return None
                missed = missed or bool(mask & _MISSED)
                names.add(os.fsdecode(name))
        return None

    def _close(self) -> None:
        self._file = None
        if self._end is not None:
            self._end()


def _watched(directory: bytes) -> int | None:
    try:
        system = ctypes.CDLL(None, use_errno=True)
        file: int = system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    except (AttributeError, OSError):  # another system
        return None
    if file < 0:
        return None
    if system.inotify_add_watch(file, directory, _EVENTS) < 0:
        os.close(file)
        return None
    return file
