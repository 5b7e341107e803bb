"""Splits: the bytes of a file that a batch reads, written down before it begins, so that it can read the same again.

A digest of the first and of the last bytes up to a split's end tells whether they are still the same. A file that has
grown since has not changed so far, nor has one that was replaced by the same content.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from punctum.errors import MissingError, printable

ENDS = 4096
"""So many bytes at each end are in a digest."""
_BLOCK = 1 << 20


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
    def at(line: str) -> "tuple[Path, Split]":
        """The path of a file and the split, of such a line."""
        directory, *fields = json.loads(line)
        split = Split(*fields)
        return Path(directory) / split.name, split

    def read(self, path: Path) -> "Taken":
        """Its bytes; an error when the file has been cut or overwritten."""
        with path.open("rb") as stored:
            file = stored.fileno()
            stored.seek(self.start)
            data = stored.read(self.end - self.start)
            if len(data) < self.end - self.start or self.digest not in ("", digest(file, self.end)):
                raise ChangedError
            return Taken(data, pread(file, 0, min(self.start, _BLOCK)), pread(file, self.start - 1, 1) or b"\n")


@dataclass(frozen=True)
class Taken:
    """The bytes of a split, how its file begins when the split does not begin it, and the byte before."""

    data: bytes
    beginning: bytes
    before: bytes


@contextmanager
def opened(path: str) -> Iterator[int]:
    """A file to read, as the system numbers it."""
    file = os.open(path, os.O_RDONLY)
    try:
        yield file
    finally:
        os.close(file)


def digest(file: int, end: int) -> str:
    """What tells whether a file still begins with the same bytes, up to an end."""
    length = min(end, ENDS)
    return blake2b(pread(file, 0, length) + pread(file, end - length, length), digest_size=8).hexdigest()


def pread(file: int, start: int, length: int) -> bytes:
    """Some bytes of a file; none before its beginning."""
    return os.pread(file, length, start) if start >= 0 and length else b""


def lines_within(file: int, start: int, end: int) -> int:
    """How many lines end between two places."""
    places = range(start, end, _BLOCK)
    return sum(pread(file, at, min(_BLOCK, end - at)).count(b"\n") for at in places)


def gone(path: Path) -> MissingError:
    """The error when a file is not there that was there, or must be."""
    hint = "restore it, or start with a new checkpoint; do not move files while a query reads them"
    return MissingError(f"the file {shown(path.name)} no longer exists", f"{path.parent / shown(path.name)}", hint)


def shown(name: str) -> str:
    r"""The name of a file for people and for what takes text alone.

    >>> print(shown("a\n\udcff.json"))
    a\n\xff.json
    """
    return printable(os.fsencode(name).decode(errors="backslashreplace"))
