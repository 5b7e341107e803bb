"""Where the state of a bucket is kept: in files of the checkpoint, or in Spark's state store.

A query that has a checkpoint keeps its state there, in files (``engine/recovery/state_files.py``). Of a DataFrame that
someone else writes, the checkpoint may not be known; then the state goes where Spark's own operators have theirs.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from secrets import randbits
from typing import Any, Protocol

from punctum.engine.recovery.state_files import StateFiles
from punctum.storage.location import Location

Version = int | str
"""What a state is known by: no two that have been written have the same."""
Chunks = dict[str, dict[int, Any]]
"""The chunks of each table, by number, and what each is known by: one that is written again is another one."""
Blobs = Mapping[str, Mapping[int, bytes]]
"""The bytes of chunks."""


class StateStore(Protocol):
    """The state of a bucket as a batch finds it."""

    @property
    def version(self) -> Version | None:
        """What the state is known by, if there is any."""

    def load(self) -> tuple[str, Chunks]:
        """All that is not in chunks, and which chunks there are."""

    def read(self, chunks: Chunks) -> Iterator[tuple[str, int, bytes]]:
        """The bytes of some chunks."""

    def save(self, text: str, kept: Chunks, new: Blobs, gone: Mapping[str, Iterable[int]]) -> tuple[Version, Chunks]:
        """Write the state behind the batch; what it is known by, and all its chunks."""


class FileStore:
    """State in a directory of files."""

    def __init__(self, directory: Location, batch: int) -> None:
        self._files = StateFiles(directory, batch)

    @property
    def version(self) -> str | None:
        """The name of the version."""
        return self._files.version

    def load(self) -> tuple[str, Chunks]:
        """The text, and where chunks are."""
        return self._files.load()

    def read(self, chunks: Chunks) -> Iterator[tuple[str, int, bytes]]:
        """Chunks by the places where they are."""
        return ((name, n, self._files.read(at)) for name, places in chunks.items() for n, at in places.items())

    def save(self, text: str, kept: Chunks, new: Blobs, gone: Mapping[str, Iterable[int]]) -> tuple[Version, Chunks]:
        """Write a version; what has gone is not in it."""
        return self._files.save(text, kept, new)


_TEXT = ("", 0)
"""Under this key are the stamp of a bucket's state and all of it that is not in chunks."""


class SparkStore:
    """State in a map of Spark's state store: chunks by table and number, with a stamp of when each was written."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self._stored = state.getValue(_TEXT)

    @property
    def version(self) -> int | None:
        """The stamp of all of it: a retry's state has another one, and so has that of another run."""
        return None if self._stored is None else int(self._stored[0])

    def load(self) -> tuple[str, Chunks]:
        """The text, and the stamps of chunks."""
        text, stamps = json.loads(bytes(self._stored[1]))
        return text, {name: {int(n): stamp for n, stamp in chunks.items()} for name, chunks in stamps.items()}

    def read(self, chunks: Chunks) -> Iterator[tuple[str, int, bytes]]:
        """Chunks by their names and numbers."""
        for name, numbers in chunks.items():
            for n in numbers:
                stored = self._state.getValue((name, n))
                assert stored is not None, f"the chunk {n} of {name} is missing in the state store"
                yield name, n, bytes(stored[1])

    def save(self, text: str, kept: Chunks, new: Blobs, gone: Mapping[str, Iterable[int]]) -> tuple[Version, Chunks]:
        """Put chunks in and take others out."""
        stamp = randbits(63)
        for name, numbers in gone.items():
            for n in numbers:
                self._state.removeKey((name, n))
        chunks = {name: dict(numbers) for name, numbers in kept.items()}
        for name, blobs in new.items():
            for n, blob in blobs.items():
                self._state.updateValue((name, n), (stamp, blob))
                chunks.setdefault(name, {})[n] = stamp
        self._state.updateValue(_TEXT, (stamp, json.dumps([text, chunks]).encode()))
        return stamp, chunks
