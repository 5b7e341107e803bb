"""The state of a bucket in files: a batch writes what it has changed, and nothing that is written is ever changed.

The state of a bucket is text and *chunks*: bytes by table and number. What it is behind a batch is a *version*, a file
that holds the chunks that are new, the text, and where all other chunks are, in files of earlier batches; a large
chunk has a file of its own. A version gets its name when all of it is on the disk. A batch goes on from the last
version of an earlier batch. So a batch that is done again, by whomever, goes on from the same one, and it does not
matter what an attempt before has left. A file in which nobody finds anything any more is removed some batches later:
whoever reads the state of the last batch meanwhile has time for it.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import NamedTuple
from zlib import crc32

from punctum.engine.recovery.durable import damaged, lost, writing
from punctum.storage.files import File, names_in, opened, pread, size_of, write_whole
from punctum.storage.location import Location

STATE = "punctum/state"
"""Where in a checkpoint the states of its first buckets are, by stage and bucket."""
LARGE = 1 << 20
"""A chunk of so many bytes has a file of its own: it goes when the chunk goes."""
RETAINED = 10
"""So many batches later a file is removed that is not needed any more."""
_NAME = re.compile(r"\.?(-?\d+)-[0-9a-f]+(\.\d+)?")
_NUMBER = 8


class ChunkPlace(NamedTuple):
    """Where a chunk is: in which file, from which byte on, how many, and their checksum."""

    file: str
    start: int
    length: int
    checksum: int


Places = dict[str, dict[int, ChunkPlace]]
"""Where the chunks of each table are."""
Blobs = Mapping[str, Mapping[int, bytes]]
"""The chunks of tables that are new."""


class StateFiles:
    """The state of a bucket as a batch finds it, in a directory of its own."""

    def __init__(self, directory: Location, batch: int) -> None:
        self._directory, self._batch = directory, batch
        names = names_in(directory)
        self._files = {name: int(match[1]) for name in names if (match := _NAME.fullmatch(name))}
        versions = [(n, name) for name, n in self._files.items() if n < batch and "." not in name]
        self.version = max(versions, default=(0, None))[1]
        """The version that the batch goes on from, if there is one."""

    def load(self) -> tuple[str, Places]:
        """The text of the version, and where its chunks are."""
        text, places, _ = self._version
        return text, places

    def read(self, place: ChunkPlace) -> bytes:
        """A chunk."""
        path = self._directory / place.file
        with _opened(path) as file:
            content = pread(file, place.start, place.length)
        if crc32(content) != place.checksum:
            raise damaged(path)
        return content

    def save(self, text: str, kept: Places, new: Blobs) -> tuple[str, Places]:
        """Write the version behind the batch, of chunks that are kept and new ones: its name, and where all are."""
        name = f"{self._batch}-{time.time_ns():016x}{token_hex(4)}"
        with writing(self._directory):
            self._directory.mkdir(parents=True, exist_ok=True)
            places, small = self._written(name, new)
            places = {table: {**kept.get(table, {}), **places.get(table, {})} for table in {**kept, **places}}
            dropped = self._dropped(places)
            index = json.dumps([text, places, dropped]).encode()
            seal = len(index).to_bytes(_NUMBER) + crc32(index).to_bytes(_NUMBER)
            self._write(name, [*small, index, seal])
            self._remove(dropped)
        self.version = name
        return name, places

    @property
    def _version(self) -> tuple[str, Places, dict[str, int]]:
        """The version's text, where its chunks are, and what it does not need any more, since which batch."""
        assert self.version is not None
        path = self._directory / self.version
        with _opened(path) as file:
            text, places, dropped = json.loads(_index(file, path))
        by_name = {name: {int(n): ChunkPlace(*place) for n, place in chunks.items()} for name, chunks in places.items()}
        return text, by_name, dropped

    def _written(self, name: str, new: Blobs) -> tuple[Places, list[bytes]]:
        """Where new chunks are, of which large ones have been written; the others stand in the version, in order."""
        places: Places = {}
        small: list[bytes] = []
        at = large = 0
        for table, chunks in new.items():
            for n, chunk in chunks.items():
                if len(chunk) >= LARGE:
                    large += 1
                    self._write(f"{name}.{large}", [chunk])
                    place = ChunkPlace(f"{name}.{large}", 0, len(chunk), crc32(chunk))
                else:
                    place = ChunkPlace(name, at, len(chunk), crc32(chunk))
                    small.append(chunk)
                    at += len(chunk)
                places.setdefault(table, {})[n] = place
        return places, small

    def _write(self, name: str, parts: list[bytes]) -> None:
        """Write a file, which gets its name when it is whole."""
        write_whole(self._directory / name, parts, hidden=f".{name}")

    def _dropped(self, places: Places) -> dict[str, int]:
        """Files of earlier batches that the new version does not need, and since when."""
        needed = {place.file for chunks in places.values() for place in chunks.values()}
        known = self._version[2] if self.version else {}
        return {
            name: known.get(name, self._batch)
            for name, batch in self._files.items()
            if batch < self._batch and name not in needed
        }

    def _remove(self, dropped: Mapping[str, int]) -> None:
        for name, since in dropped.items():
            if since <= self._batch - RETAINED:
                with suppress(FileNotFoundError):
                    (self._directory / name).unlink()


def buckets_behind(directory: Location, batch: int) -> Iterator[tuple[int, StateFiles]]:
    """The state of each bucket that has one behind a batch, in the directory of a stage."""
    for bucket in sorted(map(int, names_in(directory))):
        files = StateFiles(directory / str(bucket), batch + 1)
        if files.version is not None:
            yield bucket, files


def check_states(states: Location, batch: int, written: Mapping[str, Mapping[str, int]]) -> None:
    """Refuse a checkpoint that has lost one of its states: by stage and bucket, the last batch that has written one."""
    for stage, buckets in written.items():
        for bucket, last in buckets.items():
            directory = states / stage / bucket
            if (StateFiles(directory, batch + 1).version or "").rpartition("-")[0] != str(last):
                raise lost(directory / f"{last}-*")


@contextmanager
def _opened(path: Location) -> Iterator[File]:
    try:
        with opened(path) as file:
            yield file
    except FileNotFoundError:
        raise lost(path) from None


def _index(file: File, path: Location) -> bytes:
    """What a version says of itself, at its end."""
    end = size_of(file) - 2 * _NUMBER
    seal = pread(file, max(0, end), 2 * _NUMBER)
    length = int.from_bytes(seal[:_NUMBER])
    index = pread(file, end - length, length) if 0 < length <= end else b""
    if end < 0 or crc32(index) != int.from_bytes(seal[_NUMBER:]) or not index:
        raise damaged(path)
    return index
