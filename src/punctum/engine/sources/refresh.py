"""Tables that are read again when their files change: which version of a table a batch meets.

A version is taken when a batch is planned that has new rows, and its number is in the batch's offset: a batch that is
done again meets the same rows. Files that have changed a moment ago may still be written, and are left for later. As in
``reader.py``, what reading a table takes is imported when one has changed.
"""

import pickle
import time
from dataclasses import dataclass, field

from punctum.engine.sources.listing import SETTLE, is_input
from punctum.storage.location import location

Stamp = tuple[tuple[str, int, int], ...]
"""The files of a table: their names, sizes and times of change."""


@dataclass
class RefreshedTable:
    """A table by its name, where its files are and where its versions are stored; ``reading`` is its definition."""

    name: str
    path: str
    base: str
    reading: bytes
    settle: float = SETTLE
    _known: tuple[Stamp, int] = field(default=((), -1), compare=False)

    def version(self, before: int) -> int:
        """The number of the version that there is by now, given that which the last batch has met."""
        stamp = self._stamp()
        settled = max((changed for *_, changed in stamp), default=0) / 1e9 + self.settle
        if not stamp or time.time() < settled:
            return before
        if stamp != self._known[0]:
            from punctum.engine.sources.tables import next_version

            self._known = stamp, next_version(pickle.loads(self.reading), location(self.path), self.base, before)
        return max(before, self._known[1])

    def _stamp(self) -> Stamp:
        path = location(self.path)
        try:
            files = sorted(f for f in path.iterdir() if is_input(f.name)) if path.is_dir() else [path]
            stats = [(file.name, file.stat()) for file in files]
        except FileNotFoundError:  # it is being replaced
            return ()
        return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)
