"""Files as they arrive, for a query in this process: what is there of each stream, in slices of some megabytes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from punctum.engine.formats.compressed import codec_of
from punctum.engine.formats.progress import GROWING, READY
from punctum.engine.formats.splits import Split, digest, lines_within
from punctum.engine.in_process import check_readable
from punctum.engine.infer.named import Directories
from punctum.engine.sources.directories import check_directory
from punctum.engine.sources.listing import SETTLE, Listing
from punctum.ir.definitions import StreamDef
from punctum.storage.files import opened

SLICE = 16 << 20
"""About so many bytes has a slice; a longer file of lines is read in pieces."""


class News(Protocol):
    """Tells what is to be read next."""

    def news(self) -> list[Split]:
        """Splits that were not told before, in order."""


@dataclass(frozen=True)
class _ReadStream:
    stream: StreamDef
    directory: Path
    listing: News


class Arriving:
    """The files of some streams. Those that were named by patterns are found again by them."""

    def __init__(
        self, streams: Iterable[StreamDef], directory: Path, patterns: Mapping[str, Path], settle: float = SETTLE
    ) -> None:
        self._reads = [_read(stream, directory, patterns.get(stream.name), settle) for stream in streams]

    def slices(self, size: int = SLICE) -> Iterator[dict[str, list[Split]]]:
        """What is new: the files of all streams by the times of their last change, some of them at a time."""
        splits = [(read, split) for read in self._reads for split in read.listing.news()]
        splits.sort(key=lambda pair: pair[1].changed)
        taken: dict[str, list[Split]] = {}
        room = size
        for read, split in splits:
            for piece in _pieces(read, split, size):
                taken.setdefault(read.stream.name, []).append(piece)
                room -= piece.end - piece.start
                if room <= 0:
                    yield taken
                    taken, room = {}, size
        if taken:
            yield taken


def _read(stream: StreamDef, directory: Path, base: Path | None, settle: float) -> _ReadStream:
    """What tells of the files of a stream: those of its directory, or those that its name, a pattern, names."""
    check_readable(stream)
    assert stream.format is not None
    if base is not None:
        return _ReadStream(stream, base, Directories(stream.name, base, stream.format, stream.options, settle))
    path = directory / stream.options["path"]
    check_directory(stream, path)
    settle = min(settle, float(stream.options.get("settle", settle)))
    return _ReadStream(stream, path, Listing(path, stream.format, stream.options, settle))


def _pieces(read: _ReadStream, split: Split, size: int) -> Iterator[Split]:
    """A split, in pieces that end where a line does if it is long."""
    stream = read.stream
    if stream.format not in GROWING or codec_of(split.name) or split.end - split.start <= 2 * size or not split.digest:
        yield split
        return
    ready = READY[stream.format]
    with opened(str(read.directory / split.name)) as file:
        start, line, end = split.start, split.line, split.start
        while start < split.end:
            wanted = size
            while end == start:
                upto = min(start + wanted, split.end)
                end = split.end if upto == split.end else ready(file, start, upto, stream.options)
                wanted *= 2
            yield replace(split, start=start, end=end, line=line, digest=digest(file, end))
            line += lines_within(file, start, end)
            start = end
