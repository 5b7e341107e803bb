"""The files of a stream that are in a store, in the order in which they are to be read, and what is new of them.

An object is there as a whole, so nothing has to wait, and none grows: one that is put there again after it was read is
told of once, and never read again. What is known of an object is its size and its time; whoever reads it looks whether
they are still the same. In HDFS files may still be written, and are complete when they have not changed for a while.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from punctum.engine.formats.splits import Split, gone
from punctum.engine.sources.listing import OVERWRITTEN, SINK_LOG, Listing, committed_files, is_input
from punctum.storage.location import Location, StorePath, StoreStat

_GROW = ("hdfs",)
"""The stores whose files may still be written when they are found."""


class ObjectListing:
    """Finds what is new below an address, given all splits that were found before."""

    def __init__(self, directory: StorePath, settle: float, splits: Iterable[Split]) -> None:
        self._directory, self._settle = directory, settle
        self._last = {split.name: split for split in splits}
        self.waits = False
        """Whether there is more that is not complete yet."""

    def news(self) -> list[Split]:
        """What is to be read next, in order, up to the first file that has to wait."""
        self.waits = False
        found = dict(self._directory.objects())
        if any(name.startswith(f"{SINK_LOG}/") for name in found):
            names = committed_files(self._directory / SINK_LOG)
            changed = [name for name in names if self._is_new(name, found.get(name))]
        else:
            new = ((name, stat) for name, stat in found.items() if self._is_read(name) and self._is_new(name, stat))
            changed = [name for name, _ in sorted(new, key=lambda each: (each[1].st_mtime_ns, each[0]))]
        news = list[Split]()
        for name in changed:
            if name not in found:
                raise gone(self._directory / name)
            if self._is_open(found[name]):
                self.waits = True
                break
            news.append(self._split(name, found[name]))
        return news

    def _is_read(self, name: str) -> bool:
        return "/" not in name and is_input(name)

    def _is_new(self, name: str, stat: StoreStat | None) -> bool:
        last = self._last.get(name)
        if last is None or stat is None:
            return last is None
        return not last.fault and (stat.st_size, stat.st_mtime_ns) != (last.end, last.changed)

    def _is_open(self, stat: StoreStat) -> bool:
        return self._directory.scheme in _GROW and time.time() - stat.st_mtime < self._settle

    def _split(self, name: str, stat: StoreStat) -> Split:
        last = self._last.get(name)
        split = Split(name, 0, stat.st_size, 0, 0, stat.st_mtime_ns, "")
        self._last[name] = split if last is None else replace(last, changed=stat.st_mtime_ns, fault=OVERWRITTEN)
        return self._last[name]


def listing(
    directory: Location, format_: str, options: Mapping[str, str], settle: float, splits: Iterable[Split]
) -> Listing | ObjectListing:
    """What lists a directory of this machine, or of a store."""
    if isinstance(directory, Path):
        return Listing(directory, format_, options, settle, splits)
    return ObjectListing(directory, settle, splits)
