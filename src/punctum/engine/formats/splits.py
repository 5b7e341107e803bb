"""Splits: the bytes of a file that a batch reads, written down before it begins, so that it can read the same again.

A digest of the first and of the last bytes up to a split's end tells whether they are still the same. A file that has
grown since has not changed so far, nor has one that was replaced by the same content.
"""

import json
import os
from dataclasses import dataclass
from hashlib import blake2b

from punctum.errors import MissingError, printable
from punctum.storage.files import File, opened, pread
from punctum.storage.location import Location, StorePath, StoreStat, location

ENDS = 4096
"""So many bytes at each end are in a digest."""
_BLOCK = 1 << 20
_SECOND = 10**9


class ChangedError(Exception):
    """The bytes of a split are no longer there."""


@dataclass(frozen=True, slots=True)
class Split:
    """A range of a file's bytes, behind so many lines of it; with a fault, why no more of the file is read.

    A name is what the system has for the file, which need not be UTF-8 (``os.fsdecode``). Without a digest, the file
    could not be opened when it was found: it is new when it can.
    """

    name: str
    start: int
    end: int
    line: int
    inode: int
    changed: int
    """The time of the file's last change, in nanoseconds."""
    digest: str
    fault: str = ""

    @property
    def fields(self) -> list[str | int]:
        """Its fields, as data for JSON."""
        return [getattr(self, name) for name in self.__slots__]

    def __str__(self) -> str:
        """Itself as a line of JSON, all ASCII, whatever is in the name."""
        return json.dumps(self.fields)

    @staticmethod
    def of(line: str) -> "Split":
        r"""The split of a line.

        >>> split = Split("a\n\udcff", 0, 7, 0, 12, 1, "")
        >>> Split.of(str(split)) == split
        True
        """
        return Split(*json.loads(line))

    def located(self, directory: str) -> str:
        """Itself with the directory of the file, as a line."""
        return json.dumps([directory, *self.fields])

    @staticmethod
    def at(line: str) -> "tuple[Location, Split]":
        """The path of a file and the split, of such a line."""
        directory, *fields = json.loads(line)
        split = Split(*fields)
        return location(directory) / split.name, split

    def read(self, path: Location) -> "Taken":
        """Its bytes; an error when the file has been cut or overwritten."""
        with opened(path) as file:
            data = pread_all(file, self.start, self.end - self.start)
            if isinstance(path, StorePath) and not self._is_same(path.stat()):
                raise ChangedError
            if len(data) < self.end - self.start or self.digest not in ("", digest(file, self.end)):
                raise ChangedError
            return Taken(data, pread(file, 0, min(self.start, _BLOCK)), pread(file, self.start - 1, 1) or b"\n")

    def _is_same(self, stat: StoreStat) -> bool:
        """Whether an object is that which was listed, by its size and its time, which may be known to the second."""
        return (stat.st_size, stat.st_mtime_ns // _SECOND) == (self.end, self.changed // _SECOND)


@dataclass(frozen=True)
class Taken:
    """The bytes of a split, how its file begins when the split does not begin it, and the byte before."""

    data: bytes
    beginning: bytes
    before: bytes


def digest(file: File, end: int) -> str:
    """What tells whether a file still begins with the same bytes, up to an end."""
    length = min(end, ENDS)
    return blake2b(pread(file, 0, length) + pread(file, end - length, length), digest_size=8).hexdigest()


def pread_all(file: File, start: int, length: int) -> bytes:
    """As many bytes of a file as there are, however few the system gives at once."""
    data = pread(file, start, length)
    while 0 < len(data) < length and (more := pread(file, start + len(data), length - len(data))):
        data += more
    return data


def lines_within(file: File, start: int, end: int) -> int:
    """How many lines end between two places."""
    places = range(start, end, _BLOCK)
    return sum(pread(file, at, min(_BLOCK, end - at)).count(b"\n") for at in places)


def gone(path: Location) -> MissingError:
    """The error when a file is not there that was there, or must be."""
    hint = "restore it, or start with a new checkpoint; do not move files while a query reads them"
    return MissingError(f"the file {shown(path.name)} no longer exists", f"{path.parent}/{shown(path.name)}", hint)


def shown(name: str) -> str:
    r"""The name of a file for people and for what takes text alone.

    >>> print(shown("a\n\udcff.json"))
    a\n\xff.json
    """
    return printable(os.fsencode(name).decode(errors="backslashreplace"))
