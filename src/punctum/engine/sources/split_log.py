"""The splits of a stream, numbered from 0, in a directory of small files: an offset of Spark's is a number of them.

A file holds the splits from one number up to another, and says so in its name. It is written whole and never changed.
Files whose batches are done become one, in which a name is there once, with its last split: so there are few files, and
all that is written costs in proportion to what is new. When much of the list is of no use, because files have been read
on or have been forgotten, the list is written anew without that. A file that others are in is written before these go,
and of two that begin with the same number the longer one counts: at any moment the list is whole.

A split needs no more than its number to be read again, as long as its batch is not done.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any, NamedTuple
from zlib import crc32

from punctum.engine.formats.splits import Split
from punctum.engine.recovery.durable import damaged, lost, read_sealed, write_sealed, writing
from punctum.engine.sources.known import KnownFiles
from punctum.storage.files import move
from punctum.storage.location import Location

MOST = 32
"""So many files of a list whose batches are done are left as they are."""
LEAST = 1_000
"""A list is not written anew for fewer files that have been read on or have gone."""
_PART = 8  # nor for fewer than this part of them
_NAME = re.compile(r"(\d{12})-(\d{12})(-known)?")
_FIELDS = 8
Line = list[Any]
"""The fields of a split, and since when its file has been gone, if it has."""


class ListFile(NamedTuple):
    """A file of a list: of which splits, and whether it has only the last ones of each name."""

    first: int
    end: int
    known: bool

    @property
    def name(self) -> str:
        """The name of the file."""
        return f"{self.first:012}-{self.end:012}{'-known' if self.known else ''}"


class SplitLog:
    """A list of splits, which goes on where it has ended."""

    def __init__(self, directory: Location) -> None:
        self._directory = directory
        self.known = KnownFiles()
        self._splits: dict[ListFile, list[Split]] = {}
        self._size: dict[ListFile, int] = {}
        _adopt(directory)
        chain = segments(directory)
        _clear(directory, {segment.name for segment in chain})
        for segment in chain:
            lines = _read(directory, segment)
            splits = [Split(*line[:_FIELDS]) for line in lines]
            self._size[segment] = len(splits)
            if not segment.known:
                self._splits[segment] = splits
            for split in splits:
                self.known.remember(split)
            for line in lines:
                if len(line) > _FIELDS:
                    self.known.gone[line[0]] = line[_FIELDS]

    @property
    def end(self) -> int:
        """How many splits there have been."""
        return max((segment.end for segment in self._size), default=0)

    def between(self, first: int, end: int) -> list[Split]:
        """The splits of a batch that is not done."""
        batch_splits: list[Split] = []
        for segment, splits in self._splits.items():
            if segment.first < end and first < segment.end:
                batch_splits += splits[max(first - segment.first, 0) : end - segment.first]
        if len(batch_splits) < end - first:
            raise lost(self._directory / f"{first:012}-*")
        return batch_splits

    def append(self, new: Sequence[Split]) -> None:
        """Write more of them down, of which ``known`` has heard already."""
        if new:
            segment = ListFile(self.end, self.end + len(new), False)
            self._write(segment, (split.fields for split in new))
            self._splits[segment] = list(new)

    def is_due(self, done: int, least: int = LEAST) -> bool:
        """Whether the list is to be written anew, given how many splits have been read by batches that are done."""
        return self.known.changes > max(least, len(self.known) // _PART) and bool(self._ready(done))

    def renew(self, done: int) -> None:
        """Write down anew what is known of files whose batches are done."""
        ready = self._ready(done)
        later = {split.name for segment, splits in self._splits.items() if segment not in ready for split in splits}
        names = (name for name in self.known if name not in later)
        self._replace(ready, self._kept(split for name in names if (split := self.known.get(name)) is not None))
        self.known.changes = 0

    def merge(self, done: int) -> None:
        """Make one file of small ones when there are many: after that each has more than all behind it."""
        ready = self._ready(done)
        if len(ready) <= MOST:
            return
        behind = start = 0
        for n in range(len(ready) - 1, -1, -1):
            start = n if self._size[ready[n]] <= behind else start
            behind += self._size[ready[n]]
        last: dict[str, Line] = {}
        for segment in ready[start:]:
            for line in _read(self._directory, segment):
                last.pop(line[0], None)
                last[line[0]] = line
        self._replace(ready[start:], last.values())

    def _ready(self, done: int) -> list[ListFile]:
        return [segment for segment in self._size if segment.end <= done]

    def _kept(self, splits: Iterable[Split]) -> Iterator[Line]:
        for split in splits:
            since = self.known.gone.get(split.name)
            yield split.fields if since is None else [*split.fields, since]

    def _replace(self, old: Sequence[ListFile], lines: Iterable[Line]) -> None:
        new = ListFile(old[0].first, old[-1].end, True)
        self._write(new, lines)
        for segment in old:
            self._splits.pop(segment, None)
            if segment != new:
                del self._size[segment]
                (self._directory / segment.name).unlink(missing_ok=True)
        self._size = dict(sorted(self._size.items()))

    def _write(self, segment: ListFile, lines: Iterable[Line]) -> None:
        written = [json.dumps(line) for line in lines]
        write_sealed(self._directory / segment.name, "[" + ",\n".join(written) + "]\n")
        self._size[segment] = len(written)


def segments(directory: Location) -> list[ListFile]:
    """The files of a list, in order; an error when one is missing between others.

    Those that are in others, which a crash may have left, are none of them.
    """
    try:
        names = [path.name for path in directory.iterdir()]
    except FileNotFoundError:
        return []
    files = [ListFile(int(m[1]), int(m[2]), m[3] is not None) for name in names if (m := _NAME.fullmatch(name))]
    longest = {segment.first: segment for segment in sorted(files)}  # and of two that are as long, the known one
    chain: list[ListFile] = []
    at = 0
    while at in longest:
        chain.append(longest[at])
        at = longest[at].end
    if any(segment.first > at for segment in files):
        raise lost(directory / f"{at:012}-*")
    return chain


def listed(directory: Location, file: ListFile) -> list[Split]:
    """The splits in a file of a list, for who looks at a query that runs."""
    return [Split(*line[:_FIELDS]) for line in _read(directory, file)]


def check_list(directory: Location) -> int:
    """How many splits there have been; an error when a file of the list is damaged."""
    _adopt(directory)
    known = segments(directory)
    for segment in known:
        read_sealed(directory / segment.name)
    return known[-1].end if known else 0


def _clear(directory: Location, names: Set[str]) -> None:
    """Remove what a crash has left: files that others are in, and what has not got its name."""
    with writing(directory):
        for path in directory.iterdir() if directory.exists() else ():
            if path.name not in names:
                path.unlink()


def _read(directory: Location, segment: ListFile) -> list[Line]:
    path = directory / segment.name
    try:
        return json.loads(read_sealed(path))  # type: ignore[no-any-return]
    except ValueError:
        raise damaged(path) from None


def _adopt(directory: Location) -> None:
    """Take over a list as it was before it was a directory: a file, a split a line, each behind a checksum."""
    old = directory.with_name(f"{directory.name}.old")
    with writing(directory):
        if directory.is_file():
            move(directory, old)
        if not old.exists():
            return
    *lines, _ = old.read_text("ascii", "replace").split("\n")  # the last one may have been cut off by a crash
    checksum, splits = 0, list[Split]()
    for line in lines:
        checksum = crc32(line[9:].encode(), checksum)
        if line[:9] != f"{checksum:08x} ":
            raise damaged(directory)
        splits.append(Split.of(line[9:]))
    if splits and not segments(directory):
        segment = ListFile(0, len(splits), False)
        write_sealed(directory / segment.name, json.dumps([split.fields for split in splits]))
    with writing(directory):
        old.unlink()
