"""The files of a stream in the directories below one, each listed for itself; in a store they are listed at once.

The order is by time and name. Within a directory a file that is not complete holds back those behind it; others go on.
A file that is moved from one directory to another is another file.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from punctum.engine.formats.splits import Split
from punctum.engine.sources.chosen import ChosenNames
from punctum.engine.sources.known import FORGET, KnownFiles
from punctum.engine.sources.listing import Listing
from punctum.engine.sources.objects import ObjectListing
from punctum.engine.sources.sink_log import SINK_LOG
from punctum.storage.location import Location, StorePath

_SHARE = 20  # looking for directories takes no more than this part of the time


class TreeListing:
    """Finds what is new below a directory, given what is known of its files; it remembers there what it finds."""

    def __init__(
        self,
        directory: Path,
        chosen: ChosenNames,
        listing: Callable[[Path, KnownFiles, Callable[[str], bool]], Listing],
        known: KnownFiles,
        forget: float = FORGET,
    ) -> None:
        self._directory, self._chosen, self._listing = directory, chosen, listing
        self._known, self._forget = known, forget
        self._inside: dict[str, KnownFiles] = {}
        for full in known:
            within, _, name = full.rpartition("/")
            split = known.get(full)
            assert split is not None
            self._of(within).remember(replace(split, name=name))
            if full in known.gone:
                self._of(within).gone[name] = known.gone[full]
        self._children: dict[str, Listing] = {}
        self._walk: list[str] = []
        self._due = 0.0
        self.waits = False
        """Whether there is more that is not complete yet."""

    def news(self) -> list[Split]:
        """What is to be read next, in order."""
        self.waits = False
        news = list[Split]()
        for within in self._directories():
            try:
                child = self._child(within)
                splits = child.news()
            except FileNotFoundError:
                self._leave(within)
                continue
            self.waits |= child.waits
            news += [replace(split, name=_below(within, split.name)) for split in splits]
        news.sort(key=lambda split: (split.changed, split.name))
        for split in news:
            self._known.remember(split)
        self._miss()
        return news

    @property
    def watched(self) -> list[str]:
        """The directories that are listed, by their names from here on."""
        return list(self._children)

    def over(self) -> list[str]:
        """The files that have been gone for so long that they are to be forgotten."""
        since = time.time() - self._forget
        names = [name for name, at in self._known.gone.items() if at <= since]
        names = [name for name in names if not os.path.lexists(self._directory / name)]
        for name in names:
            within, _, own = name.rpartition("/")
            self._of(within).forget([own])
        return names

    def _miss(self) -> None:
        """Know of the whole what is known of each directory: which files have gone, and which are there again."""
        gone = {_below(within, name): at for within, of in self._inside.items() for name, at in of.gone.items()}
        for name, at in gone.items():
            self._known.lost(name, at)
        for name in [name for name in self._known.gone if name not in gone]:
            del self._known.gone[name]

    def _leave(self, within: str) -> None:
        """A directory has gone, with all its files; when these are forgotten, it is too."""
        self._children.pop(within, None)
        now, known = time.time(), self._of(within)
        for name in known:
            known.lost(name, now)
        if not len(known):
            del self._inside[within]

    def _of(self, within: str) -> KnownFiles:
        return self._inside.setdefault(within, KnownFiles())

    def _directories(self) -> list[str]:
        """The directories that may have files of the stream, by their names from here on."""
        begun = time.monotonic()
        if begun >= self._due:
            self._walk = list(self._walked(""))
            for within in (self._inside.keys() | self._children.keys()).difference(self._walk):
                self._leave(within)
            self._due = time.monotonic() + _SHARE * (time.monotonic() - begun)
        return self._walk

    def _walked(self, within: str) -> Iterator[str]:
        yield within
        try:
            with os.scandir(self._directory / within) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except FileNotFoundError:
            return
        for name in names:
            below = _below(within, name)
            if self._chosen.enters(below):
                yield from self._walked(below)

    def _child(self, within: str) -> Listing:
        if within not in self._children:
            self._children[within] = self._listing(
                self._directory / within, self._of(within), lambda name: self._chosen(_below(within, name))
            )
        return self._children[within]


def _below(within: str, name: str) -> str:
    return f"{within}/{name}" if within else name


def listing(
    directory: Location,
    chosen: ChosenNames,
    format_: str,
    options: Mapping[str, str],
    settle: float,
    known: KnownFiles,
    forget: float = FORGET,
) -> Listing | TreeListing | ObjectListing:
    """What lists the files of a stream; of a directory that a sink of Spark's writes, its log says where they are."""
    if isinstance(directory, StorePath):
        return ObjectListing(directory, chosen, settle, known, forget)
    nested = any("/" in name for name in known) or _has_columns(directory)
    if (directory / SINK_LOG).is_dir() or (chosen.plain and not nested):
        return Listing(directory, format_, options, settle, known, forget)

    def below(place: Path, inside: KnownFiles, takes: Callable[[str], bool]) -> Listing:
        return Listing(place, format_, options, settle, inside, forget, takes)

    return TreeListing(directory, chosen, below, known, forget)


def _has_columns(directory: Path) -> bool:
    """Whether there are directories whose names hold the value of a column."""
    try:
        with os.scandir(directory) as entries:
            return any("=" in entry.name and entry.is_dir() for entry in entries)
    except FileNotFoundError:
        return False
