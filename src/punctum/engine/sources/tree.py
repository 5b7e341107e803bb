"""The files of a stream in the directories below one, each listed for itself; in a store they are listed at once.

The order is by time and name. Within a directory a file that is not complete holds back those behind it; others go on.
A file that is moved from one directory to another is another file.
"""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from punctum.engine.formats.splits import Split
from punctum.engine.sources.chosen import Chosen
from punctum.engine.sources.listing import SINK_LOG, Listing, committed_lines
from punctum.engine.sources.objects import ObjectListing
from punctum.storage.location import Location, StorePath

_SHARE = 20  # looking for directories takes no more than this part of the time


class TreeListing:
    """Finds what is new below a directory, given all splits that were found before."""

    def __init__(
        self,
        directory: Path,
        chosen: Chosen,
        listing: Callable[[Path, Iterable[Split], Callable[[str], bool]], Listing],
        splits: Iterable[Split],
    ) -> None:
        self._directory, self._chosen, self._listing = directory, chosen, listing
        self._splits: dict[str, list[Split]] = {}
        for split in splits:
            within, _, name = split.name.rpartition("/")
            self._splits.setdefault(within, []).append(replace(split, name=name))
        self._children: dict[str, Listing] = {}
        self._known: list[str] = []
        self._committed: set[str] | None = None
        self._due = 0.0
        self.waits = False
        """Whether there is more that is not complete yet."""

    def news(self) -> list[Split]:
        """What is to be read next, in order."""
        self.waits = False
        log = self._directory / SINK_LOG
        self._committed = _committed(log) if log.is_dir() else None
        news = list[Split]()
        for within in self._directories():
            child = self._child(within)
            try:
                found = child.news()
            except FileNotFoundError:  # the directory has gone
                continue
            self.waits |= child.waits
            news += [replace(split, name=f"{within}/{split.name}") if within else split for split in found]
        return sorted(news, key=lambda split: (split.changed, split.name))

    def _directories(self) -> list[str]:
        """The directories that may have files of the stream, by their names from here on."""
        begun = time.monotonic()
        if begun >= self._due:
            self._known = list(self._walked(""))
            self._due = time.monotonic() + _SHARE * (time.monotonic() - begun)
        return self._known[1:] if self._committed is not None else self._known

    def _walked(self, within: str) -> Iterator[str]:
        yield within
        try:
            with os.scandir(self._directory / within) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except FileNotFoundError:
            return
        for name in names:
            below = f"{within}/{name}" if within else name
            if self._chosen.enters(below):
                yield from self._walked(below)

    def _child(self, within: str) -> Listing:
        if within not in self._children:

            def takes(name: str) -> bool:
                path = f"{within}/{name}" if within else name
                return self._chosen(path) and (self._committed is None or path in self._committed)

            made = self._listing(self._directory / within, self._splits.pop(within, []), takes)
            self._children[within] = made
        return self._children[within]


def _committed(log: Path) -> set[str]:
    """The files of finished batches that a sink of Spark's has written, by their names from the directory on."""
    paths = (unquote(json.loads(line)["path"]) for line in committed_lines(log))
    return {path.rpartition(f"/{log.parent.name}/")[2] for path in paths}


def listing(
    directory: Location,
    chosen: Chosen,
    format_: str,
    options: Mapping[str, str],
    settle: float,
    splits: Iterable[Split],
) -> Listing | TreeListing | ObjectListing:
    """What lists the files of a stream."""
    if isinstance(directory, StorePath):
        return ObjectListing(directory, chosen, settle, splits)
    splits = list(splits)
    if chosen.plain and not any("/" in split.name for split in splits) and not _has_columns(directory):
        return Listing(directory, format_, options, settle, splits)

    def below(place: Path, known: Iterable[Split], takes: Callable[[str], bool]) -> Listing:
        return Listing(place, format_, options, settle, known, takes)

    return TreeListing(directory, chosen, below, splits)


def _has_columns(directory: Path) -> bool:
    """Whether there are directories whose names hold the value of a column."""
    try:
        with os.scandir(directory) as entries:
            return any("=" in entry.name and entry.is_dir() for entry in entries)
    except FileNotFoundError:
        return False
