"""Files that grow for as long as a query runs, kept small: its quarantine and Spark's log.

The quarantine has a file for each batch with records. When there are many, they become one, up to a size; when there
are many of those, the oldest goes, which is logged. A log is copied when it is large, and begun anew in its place:
whoever writes to it goes on.
"""

import logging
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from punctum.engine.recovery.durable import replace_text, writing
from punctum.storage.location import Location

_LOG = logging.getLogger("punctum")
_PART = re.compile(r"part-(.+?)-(\d+)(?:-(\d+))?\.json")


@dataclass(frozen=True)
class QuarantineLimits:
    """How many files of batches become one, how large that gets, and how many of those are kept."""

    files: int = 100
    size: int = 16 << 20
    kept: int = 64


@dataclass
class QuarantineFiles:
    """The files of a query's quarantine."""

    directory: Location
    query: str
    limits: QuarantineLimits = QuarantineLimits()
    _single: "dict[int, Location] | None" = None

    def write(self, batch: int, lines: Sequence[str], again: bool) -> None:
        """Write the records of a batch, which may have been done before."""
        path = self.directory / f"part-{self.query}-{batch:06}.json"
        if lines:
            replace_text(path, "".join(f"{line}\n" for line in lines))
        elif again:
            with writing(path):
                path.unlink(missing_ok=True)
        if self._single is None:
            self._single = {first: file for first, last, file in self._files() if first == last}
        elif lines:
            self._single[batch] = path
        done = sorted(n for n in self._single if n < batch)
        if len(done) >= self.limits.files:
            self._merge([self._single.pop(n) for n in done], done[0], done[-1])

    def _merge(self, files: list[Location], first: int, last: int) -> None:
        """Make one file of several, with the last large one as long as it is small."""
        large = [(start, path) for start, end, path in self._files() if start != end]
        if large and large[-1][1].stat().st_size < self.limits.size:
            first, file = large.pop()
            files.insert(0, file)
        text = "".join(file.read_text(encoding="utf-8") for file in files)
        replace_text(self.directory / f"part-{self.query}-{first:06}-{last:06}.json", text)
        with writing(self.directory):
            for file in files:
                file.unlink()
            for _, old in large[: len(large) + 1 - self.limits.kept]:
                _LOG.warning("the quarantine %s is full: its oldest records are removed (%s)", self.directory, old.name)
                old.unlink()

    def _files(self) -> list[tuple[int, int, Location]]:
        """Those of this query, by the batches that they are of."""
        files = []
        for path in current(self.directory.glob(f"part-{self.query}-*.json")):
            if (match := _PART.fullmatch(path.name)) is not None:
                files.append((int(match[2]), int(match[3] or match[2]), path))
        return sorted(files)


def current(files: Iterable[Location]) -> Iterator[Location]:
    """The files of a quarantine in order, without those that a crash has left although others hold them."""
    known = [(path, _PART.fullmatch(path.name)) for path in sorted(files, key=lambda path: path.name)]
    ranges = [(m[1], int(m[2]), int(m[3])) for _, m in known if m is not None and m[3] is not None]
    for path, match in known:
        query, first, last = ("", 0, 0) if match is None else (match[1], int(match[2]), int(match[3] or match[2]))
        others = [r for r in ranges if r[0] == query and r[1] <= first and last <= r[2] and r[1:] != (first, last)]
        if not others:
            yield path


def rotate(log: Path, large: int = 16 << 20, kept: int = 4) -> None:
    """Put a log aside when it is large: as log.1, and the ones before as log.2 and so on."""
    try:
        if log.stat().st_size < large:
            return
        for n in range(kept - 1, 0, -1):
            if (older := log.with_name(f"{log.name}.{n}")).exists():
                older.replace(log.with_name(f"{log.name}.{n + 1}"))
        shutil.copyfile(log, log.with_name(f"{log.name}.1"))
        os.truncate(log, 0)
    except OSError as error:  # a log is no reason to stop
        _LOG.warning("cannot rotate %s: %s", log, error.strerror)
