"""The files of a stream that are in a store, in the order in which they are to be read, and what is new of them.

An object is there as a whole, so nothing has to wait, and none grows: one that is put there again after it was read is
told of once, and never read again. What is known of an object is its size and its time; whoever reads it looks whether
they are still the same. In HDFS files may still be written, and are complete when they have not changed for a while.
"""

import time
from collections.abc import Mapping
from dataclasses import replace

from punctum.engine.formats.splits import Split, gone
from punctum.engine.sources.chosen import ChosenNames
from punctum.engine.sources.known import FORGET, KnownFiles
from punctum.engine.sources.listing import OVERWRITTEN
from punctum.engine.sources.sink_log import SINK_LOG, SinkLog
from punctum.storage.location import StorePath, StoreStat

_GROW = ("hdfs",)
"""The stores whose files may still be written when they are found."""


class ObjectListing:
    """Finds what is new below an address, given what is known of its files; it remembers there what it finds."""

    def __init__(
        self, directory: StorePath, chosen: ChosenNames, settle: float, known: KnownFiles, forget: float = FORGET
    ) -> None:
        self._chosen = chosen
        self._directory, self._settle, self._known, self._forget = directory, settle, known, forget
        self._over = list[str]()
        self.waits = False
        """Whether there is more that is not complete yet."""

    def news(self) -> list[Split]:
        """What is to be read next, in order, up to the first file that has to wait."""
        self.waits = False
        objects = dict(self._directory.objects())
        if any(name.startswith(f"{SINK_LOG}/") for name in objects):
            names = SinkLog(self._directory).news()
            changed = [name for name in names if self._is_new(name, objects.get(name))]
        else:
            self._miss(objects)
            new = ((name, stat) for name, stat in objects.items() if self._chosen(name) and self._is_new(name, stat))
            changed = [name for name, _ in sorted(new, key=lambda pair: (pair[1].st_mtime_ns, pair[0]))]
        news = list[Split]()
        for name in changed:
            if name not in objects:
                raise gone(self._directory / name)
            if self._is_open(objects[name]):
                self.waits = True
                break
            news.append(self._split(name, objects[name]))
        return news

    def _is_new(self, name: str, stat: StoreStat | None) -> bool:
        last = self._known.get(name)
        if last is None or stat is None:
            return last is None
        return not last.fault and (stat.st_size, stat.st_mtime_ns) != (last.end, last.changed)

    def _is_open(self, stat: StoreStat) -> bool:
        return self._directory.scheme in _GROW and time.time() - stat.st_mtime < self._settle

    def _split(self, name: str, stat: StoreStat) -> Split:
        last = self._known.get(name)
        split = Split(name, 0, stat.st_size, 0, 0, stat.st_mtime_ns, "")
        new = split if last is None else replace(last, changed=stat.st_mtime_ns, fault=OVERWRITTEN)
        self._known.remember(new)
        return new

    def over(self) -> list[str]:
        """The objects that have been gone for so long that they are to be forgotten."""
        return self._over

    def _miss(self, objects: Mapping[str, StoreStat]) -> None:
        """Look which objects have gone, and which are there again."""
        now = time.time()
        for name in self._known:
            if name not in objects:
                self._known.lost(name, now)
        for name in [name for name in self._known.gone if name in objects]:
            del self._known.gone[name]
        self._over = [name for name, since in self._known.gone.items() if since <= now - self._forget]
