"""Files of this machine, or objects in a store: pieces of them that are read, and files that are written whole."""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from punctum.storage.location import Location, StoreFile, StorePath

File = int | StoreFile
"""An open file: of this machine as the system numbers it, or an object."""


@contextmanager
def opened(path: "str | Location") -> Iterator[File]:
    """A file to read."""
    if isinstance(path, StorePath):
        object_ = path.reader()
        try:
            yield object_
        finally:
            object_.close()
        return
    file = os.open(path, os.O_RDONLY)
    try:
        yield file
    finally:
        os.close(file)


def pread(file: File, start: int, length: int) -> bytes:
    """Some bytes of a file; none before its beginning."""
    if start < 0 or not length:
        return b""
    return os.pread(file, length, start) if isinstance(file, int) else file.read_at(start, length)


def size_of(file: File) -> int:
    """How many bytes a file has."""
    return os.fstat(file).st_size if isinstance(file, int) else file.size


def names_in(directory: Location) -> list[str]:
    """The names right below a directory, in no order; none, when it is not there."""
    if isinstance(directory, StorePath):
        return [path.name for path in directory.iterdir()]
    return os.listdir(directory) if directory.exists() else []


def write_whole(path: Location, parts: Iterable[bytes], hidden: str) -> None:
    """Write a file that gets its name when all of it is on the disk; until then it is hidden under another one."""
    if isinstance(path, StorePath):
        path.write_bytes(b"".join(parts))
        return
    part: Path = path.with_name(hidden)
    with part.open("wb") as out:
        out.writelines(parts)
        out.flush()
        os.fsync(out.fileno())
    part.rename(path)


@contextmanager
def filled(path: Location) -> Iterator[Path]:
    """A file of this machine to write to; a store gets what is in it at the end, unless something fails."""
    if not isinstance(path, StorePath):
        yield path
        return
    with TemporaryDirectory(prefix="punctum-") as directory:
        local = Path(directory) / "file"
        yield local
        path.write_bytes(local.read_bytes())


@contextmanager
def fetched(path: Location) -> Iterator[Path]:
    """A file of this machine to read from, with what is in a file, or in an object."""
    if not isinstance(path, StorePath):
        yield path
        return
    with TemporaryDirectory(prefix="punctum-") as directory:
        local = Path(directory) / "file"
        local.write_bytes(path.read_bytes())
        yield local


def move(path: Location, target: Location) -> None:
    """Give a file another name, or an object another address: what was there is replaced as a whole."""
    if isinstance(path, StorePath):
        assert isinstance(target, StorePath)
        path.copy(target)
        path.unlink(missing_ok=True)
        return
    assert isinstance(target, Path)
    path.replace(target)


def emptied(directory: Location) -> None:
    """Make a directory, or remove what is in it."""
    if isinstance(directory, StorePath):
        directory.remove_all()
        return
    directory.mkdir(parents=True, exist_ok=True)
    for left in directory.iterdir():
        shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)


def remove_all(directory: Location) -> None:
    """Remove a directory with all that is in it, if it is there."""
    if isinstance(directory, StorePath):
        directory.remove_all()
    else:
        shutil.rmtree(directory, ignore_errors=True)


def files_below(directory: Location) -> dict[str, int]:
    """The files in a directory at any depth, by their names from there on, with their sizes."""
    if isinstance(directory, StorePath):
        return {name: stat.st_size for name, stat in directory.objects()}
    paths = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.stat().st_size for path in paths}


def copy_all(directory: Location, target: Location, names: Iterable[str]) -> None:
    """Copy some files of a directory to another place."""
    for name in names:
        to = target / name
        to.parent.mkdir(parents=True, exist_ok=True)
        with fetched(directory / name) as file, filled(to) as copy:
            shutil.copyfile(file, copy)
