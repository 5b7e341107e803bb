"""How far behind a query is, from its checkpoint: files that wait, and how long files took to become results.

Spark notes for each batch how many splits of files it has read of each stream, and the stream's log says which files
these are and when they were last changed. A punctuation releases its results in the batch that reads its file, so from
the first of the batch's files to the commit is how long that took, at most.
"""

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from punctum.engine.formats.splits import Split
from punctum.engine.recovery.checkpoint import files_read
from punctum.engine.recovery.names import file_name
from punctum.engine.sources.listing import is_input
from punctum.engine.sources.split_log import ListFile, listed, segments
from punctum.errors import PunctumError
from punctum.storage.location import Location, location

_LONGEST = 10_000
"""A directory of more files is not looked through: looking takes time from the query."""
_PAUSE = 2.0


class WaitingFiles:
    """What waits for the query of a checkpoint, looked at every other second at the most."""

    def __init__(self, checkpoint: Location) -> None:
        self._checkpoint = checkpoint
        self._logs: dict[Location, _Log] = {}
        self._seconds: dict[int, dict[str, float]] = {}
        self._known: dict[str, Any] = {}
        self._due = 0.0

    def of(self, streams: Mapping[str, str], batches: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """For each stream what waits; for each of the last batches how old its files were when it was done, at most."""
        if time.monotonic() >= self._due:
            self._known = self._looked(streams, batches)
            self._due = time.monotonic() + _PAUSE
        return self._known

    def _looked(self, streams: Mapping[str, str], batches: Sequence[dict[str, Any]]) -> dict[str, Any]:
        logs = {path: stream for path in self._files() for stream in streams if _is_of(path, stream)}
        lag = [self._lag(path, stream, location(streams[stream])) for path, stream in logs.items()]
        for batch in batches:
            if batch["batch"] not in self._seconds:
                read = self._read(batch["batch"], logs)
                self._seconds[batch["batch"]] = {name: round(batch["time"] - at, 3) for name, at in read.items()}
        known = {batch["batch"] for batch in batches}
        self._seconds = {n: read for n, read in self._seconds.items() if n in known}
        once = {entry["stream"]: entry for entry in lag}
        return {
            "streams": [once[name] for name in sorted(once)],
            "seconds": [{"batch": n, "streams": read} for n, read in sorted(self._seconds.items()) if read],
        }

    def _files(self) -> list[Location]:
        paths: Iterable[Location] = (self._checkpoint / "punctum").glob("*.files")
        return sorted(paths, key=str)

    def _lag(self, path: Location, stream: str, directory: Location) -> dict[str, Any]:
        """The files that no batch has read yet, and since when the oldest one is there; not of a store or a pattern."""
        if not isinstance(directory, Path) or not directory.is_dir():
            return {"stream": stream, "files": None, "since": None}
        log = self._log(path)
        offered = {split.name for split in log.between(files_read(self._checkpoint).get(path.stem, 0))}
        waits, oldest = 0, None
        with suppress(OSError), os.scandir(directory) as entries:
            for n, entry in enumerate(entries):
                if n >= _LONGEST:
                    return {"stream": stream, "files": None, "since": None}
                if is_input(entry.name) and (entry.name not in log.names or entry.name in offered):
                    with suppress(OSError):
                        changed = entry.stat().st_mtime
                        waits, oldest = waits + 1, min(changed, oldest or changed)
        return {"stream": stream, "files": waits, "since": oldest}

    def _read(self, batch: int, logs: Mapping[Location, str]) -> dict[str, float]:
        """When the first file of each stream was last changed that a batch has read."""
        before, after = self._offset(batch - 1), self._offset(batch)
        times: dict[str, float] = {}
        for path, stream in logs.items():
            new = self._log(path).between(before.get(path.stem, 0), after.get(path.stem, 0))
            if new:
                times[stream] = min(split.changed for split in new) / 1e9
        return times

    def _offset(self, batch: int) -> dict[str, int]:
        """How many splits of each log have been read behind a batch; Spark forgets those of old ones."""
        read: dict[str, int] = {}
        with suppress(OSError):
            for line in (self._checkpoint / "offsets" / str(batch)).read_text("utf-8", "replace").split("\n"):
                with suppress(ValueError, KeyError, TypeError):
                    read |= json.loads(line)["files"]
        return read

    def _log(self, path: Location) -> "_Log":
        log = self._logs.setdefault(path, _Log(path))
        log.read()
        return log


class _Log:
    """The splits of a list, of which what is new is read."""

    def __init__(self, path: Location) -> None:
        self._path, self._seen = path, set[ListFile]()
        self._splits: dict[ListFile, list[Split]] = {}
        self.names = set[str]()

    def read(self) -> None:
        """Read the files that have been added; those that have been put together are known."""
        with suppress(OSError, PunctumError):  # it is being written anew, or damaged: the query says so
            there = segments(self._path)
            for file in there:
                if file not in self._seen:
                    splits = listed(self._path, file)
                    self.names.update(split.name for split in splits)
                    self._splits |= {} if file.known else {file: splits}
                    self._seen.add(file)
            self._seen &= set(there)
            self._splits = {file: splits for file, splits in self._splits.items() if file in self._seen}

    def between(self, first: int, end: int | None = None) -> list[Split]:
        """The splits of some numbers, as far as these are not put together yet."""
        chosen: list[Split] = []
        for file, splits in self._splits.items():
            stop = file.end if end is None else min(end, file.end)
            chosen += splits[max(first - file.first, 0) : max(stop - file.first, 0)]
        return chosen


def _is_of(path: Location, stream: str) -> bool:
    """Whether a log is that of a stream: its name, the stage and the input.

    >>> _is_of(Path("bid-1-0.files"), "bid"), _is_of(Path("bid-1-0.files"), "b")
    (True, False)
    """
    name, _, place = path.stem.rpartition("-")
    name, _, stage = name.rpartition("-")
    return name == file_name(stream) and place.isdecimal() and stage.isdecimal()
