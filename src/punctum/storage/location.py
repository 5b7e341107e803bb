"""Places of files: a path of this machine, or an address of a store, such as ``s3://bucket/key``.

A place of this machine is a ``pathlib.Path``, and costs what it always did. An address is a ``StorePath``, which has
those methods of a path that the rest of the house calls. What is written there is there as a whole or not at all: a
store takes an object when all of it has come. A store has no directories: one is there while something is in it, making
one does nothing, and there is no renaming and no appending.

Names are taken as they are written: ``%20`` in an address is those three characters, as in Hadoop.
"""

import errno
import os
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from punctum.errors import SchemaError, choices, nearest

if TYPE_CHECKING:
    from punctum.storage.stores import ObjectStore

SCHEMES = ("s3", "s3a", "gs", "abfs", "abfss", "hdfs", "file")
"""What an address begins with; ``file`` is this machine."""
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(//?)(.*)", re.DOTALL)
_DRIVE = 1  # C:/ on Windows is no scheme


class StoreStat(NamedTuple):
    """What a store says of an object, under the names of ``os.stat``."""

    st_size: int
    st_mtime_ns: int
    st_ino: int = 0

    @property
    def st_mtime(self) -> float:
        """The time of its last change, in seconds."""
        return self.st_mtime_ns / 1e9


class StorePath:
    """An address in a store; with what a path of this machine has under these names."""

    __slots__ = ("authority", "key", "scheme")

    def __init__(self, scheme: str, authority: str, key: str) -> None:
        self.scheme, self.authority = scheme, authority
        self.key = "/".join(part for part in key.split("/") if part not in ("", "."))

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}" + (f"/{self.key}" if self.key else "")

    def __repr__(self) -> str:
        return f"StorePath({str(self)!r})"

    def __fspath__(self) -> str:
        raise TypeError(f"{self} is not a path of this machine")  # open() and Path() would make a directory s3:

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StorePath) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __lt__(self, other: "StorePath") -> bool:
        return str(self) < str(other)

    def __reduce__(self) -> tuple[object, ...]:
        return StorePath, (self.scheme, self.authority, self.key)

    def __truediv__(self, name: "str | Path") -> "StorePath":
        return self._at(f"{self.key}/{name}")

    def _at(self, key: str) -> "StorePath":
        return StorePath(self.scheme, self.authority, key)

    @property
    def _store(self) -> "ObjectStore":
        from punctum.storage.stores import store_of  # here: whoever has local paths only need not wait for it

        return store_of(self.scheme, self.authority)

    @property
    def name(self) -> str:
        """The last part."""
        return self.key.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The name without what is behind its last dot."""
        return Path(self.name).stem

    @property
    def suffix(self) -> str:
        """The last dot of the name and what is behind it."""
        return Path(self.name).suffix

    @property
    def parent(self) -> "StorePath":
        """The address without its last part."""
        return self._at(self.key.rpartition("/")[0])

    def with_name(self, name: str) -> "StorePath":
        """Another address beside this one."""
        return self.parent / name

    def relative_to(self, other: "StorePath") -> str:
        """The parts behind those of an address that this one is below."""
        return self.key[len(other.key) :].lstrip("/")

    def resolve(self) -> "StorePath":
        """Itself: an address is the same wherever a program runs."""
        return self

    def mkdir(self, parents: bool = False, exist_ok: bool = False) -> None:
        """Nothing: a directory is there while something is in it."""

    def exists(self) -> bool:
        """Whether there is an object at the address, or something below it."""
        return self._store.kind(self.key) is not None

    def is_dir(self) -> bool:
        """Whether something is below the address."""
        return self._store.kind(self.key) == "directory"

    def is_file(self) -> bool:
        """Whether there is an object at the address."""
        return self._store.kind(self.key) == "file"

    def stat(self) -> StoreStat:
        """Size and time of an object."""
        stat = self._store.stat(self.key)
        if stat is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self))
        return stat

    def objects(self) -> Iterator[tuple[str, StoreStat]]:
        """All objects below the address, at any depth: their names from here on, and how they are."""
        start = len(self.key) + 1 if self.key else 0
        return ((key[start:], stat) for key, stat in self._store.objects(self.key))

    def iterdir(self) -> "Iterator[StorePath]":
        """What is right below the address, in no order."""
        return (self._at(key) for key in self._store.children(self.key))

    def glob(self, pattern: str) -> "Iterator[StorePath]":
        """What is below the address and matches a pattern, part by part."""
        first, _, rest = pattern.partition("/")
        paths = (
            (path for path in self.iterdir() if fnmatchcase(path.name, first)) if _is_glob(first) else [self / first]
        )
        for path in paths:
            if rest:
                yield from path.glob(rest)
            elif _is_glob(first) or path.exists():
                yield path

    def rglob(self, pattern: str) -> "Iterator[StorePath]":
        """Objects at any depth whose names match a pattern."""
        return (self / name for name, _ in self.objects() if fnmatchcase(name.rpartition("/")[2], pattern))

    def read_bytes(self) -> bytes:
        """The whole object."""
        return self._store.read(self.key)

    def read_text(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The whole object as text."""
        return self.read_bytes().decode(encoding, errors)

    def write_bytes(self, data: bytes) -> int:
        """Put an object there, or in the place of the one that is there: all of it or nothing."""
        self._store.write(self.key, data)
        return len(data)

    def write_text(self, text: str, encoding: str = "utf-8") -> int:
        """The same with text."""
        return self.write_bytes(text.encode(encoding))

    def reader(self) -> "StoreFile":
        """The object, to read pieces of it."""
        return StoreFile(self)

    def copy(self, target: "StorePath") -> None:
        """Put the same object elsewhere in the same store, all of it or nothing."""
        self._store.copy(self.key, target.key)

    def unlink(self, missing_ok: bool = False) -> None:
        """Delete the object."""
        if not self._store.delete(self.key) and not missing_ok:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self))

    def remove_all(self) -> None:
        """Delete all that is below the address."""
        self._store.delete_below(self.key)


class StoreFile:
    """An object of which pieces are read."""

    def __init__(self, path: StorePath) -> None:
        self._opened = path._store.open(path.key)

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self._opened.size

    def read_at(self, start: int, length: int) -> bytes:
        """Some bytes, fewer at its end."""
        return self._opened.read_at(start, length)

    def close(self) -> None:
        """Let it go."""
        self._opened.close()


Location = Path | StorePath
"""Where a file or a directory is."""


def location(place: str | Path | StorePath) -> Location:
    """A path of this machine, or an address in a store; an address that a ``Path`` has spoilt is understood.

    >>> location("s3://bucket/out/"), location("file:///tmp/a b"), location("in/bid")
    (StorePath('s3://bucket/out'), PosixPath('/tmp/a b'), PosixPath('in/bid'))
    >>> location(Path("s3a://bucket/in")) / "1.json"
    StorePath('s3a://bucket/in/1.json')
    >>> location("s4://bucket/in")
    Traceback (most recent call last):
    ...
    punctum.errors.SchemaError: there is no storage s4://
      detail: s4://bucket/in; available: s3://, s3a://, gs://, abfs://, abfss://, hdfs://, file://
      hint: did you mean s3://?
    """
    if isinstance(place, StorePath):
        return place
    text = str(place)
    match = _ADDRESS.fullmatch(text)
    if match is None or len(match[1]) == _DRIVE:
        return Path(place)
    scheme, slashes, rest = match[1].lower(), match[2], match[3]
    if slashes == "/" and (isinstance(place, str) or scheme not in SCHEMES) and scheme != "file":
        return Path(place)  # a directory whose name ends with a colon
    if scheme not in SCHEMES:
        known = [f"{one}://" for one in SCHEMES]
        raise SchemaError(
            f"there is no storage {scheme}://", f"{text}; {choices(known)}", nearest(f"{scheme}://", known)
        )
    if scheme == "file":
        return _of_this_machine(text, slashes, rest)
    authority, _, key = rest.partition("/")
    if not authority and scheme != "hdfs":  # HDFS may have a default one
        raise SchemaError(f"{text} names no bucket", "", f"write {scheme}://bucket/path")
    return StorePath(scheme, authority, key)


def _of_this_machine(text: str, slashes: str, rest: str) -> Path:
    host, _, path = ("", "", rest) if slashes == "/" else rest.partition("/")
    if host not in ("", "localhost"):
        raise SchemaError(f"{text} is on another machine", f"its host is {host}", f"write file:///{rest}")
    return Path(f"/{path.lstrip('/')}")


def joined(directory: str | Path | StorePath, path: str) -> Location:
    """A path from a directory on, unless it begins at a root of its own.

    >>> str(joined("s3://bucket/jobs", "in/bid")), str(joined("jobs", "s3://bucket/in")), str(joined("jobs", "/in"))
    ('s3://bucket/jobs/in/bid', 's3://bucket/in', '/in')
    """
    end, base = location(path), location(directory)
    if isinstance(end, StorePath) or end.is_absolute():
        return end
    return base / path


def is_store(place: Location) -> bool:
    """Whether a place is not of this machine."""
    return isinstance(place, StorePath)


def _is_glob(text: str) -> bool:
    return any(c in "*?[" for c in text)
