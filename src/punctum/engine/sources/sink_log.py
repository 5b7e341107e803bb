"""The log of a directory that a sink of Spark's writes: which files are of finished batches, batch by batch.

Only these count: others may be half written, or left from an attempt that failed. Every so often Spark writes all that
the log has so far into one compact file, and removes what is in it some time later.
"""

import json
import re
import time
from pathlib import Path
from urllib.parse import unquote

from punctum.storage.location import Location

SINK_LOG = "_spark_metadata"
_BATCH = re.compile(r"(\d+)(\.compact)?")
_TICK = 2.0  # seconds: times of change are no finer on some file systems


class SinkLog:
    """The log of a directory, read on from where it was."""

    def __init__(self, directory: Location) -> None:
        self._log, self._read = directory / SINK_LOG, -1
        self._stamp, self._names = -1, set[str]()

    @property
    def there(self) -> bool:
        """Whether the directory has one."""
        return self._log.is_dir()

    def news(self) -> list[str]:
        """The files of batches that were not there before, in order."""
        stamp = self._log.stat().st_mtime_ns if isinstance(self._log, Path) else -1
        if stamp == self._stamp != -1:
            return []
        files = [(int(m[1]), bool(m[2]), path) for path in self._log.iterdir() if (m := _BATCH.fullmatch(path.name))]
        new = [file for file in files if file[0] > self._read]
        compact = max((number for number, whole, _ in new if whole), default=-1)
        names: list[str] = []
        for number, whole, path in sorted(new):
            if number > compact or (number == compact and whole):
                lines = path.read_text().splitlines()[1:]  # the first one is the version
                names += [self._name(unquote(json.loads(line)["path"])) for line in lines]
                self._read = number
        fresh = [name for name in dict.fromkeys(names) if name not in self._names]
        self._names.update(fresh)
        self._stamp = stamp if settled(stamp) else -1
        return fresh

    def _name(self, path: str) -> str:
        """A file's name from the directory on; that may have been moved since it was written."""
        _, inside, name = path.rpartition(f"/{self._log.parent.name}/")
        return name if inside else path.rpartition("/")[2]


def settled(stamp: int) -> bool:
    """Whether a directory that has this time of change now would have another one after one more."""
    return time.time() - stamp / 1e9 > _TICK
