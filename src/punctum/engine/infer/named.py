"""The files that a pattern names: a file, a directory or a glob in; files of one format in the order of streams out."""

import fnmatch
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from glob import glob, has_magic
from pathlib import Path

from punctum.engine.formats.compressed import CODECS
from punctum.engine.formats.splits import Split
from punctum.engine.sources.listing import SETTLE, Listing, is_input
from punctum.errors import MissingError, SchemaError, nearest
from punctum.storage.location import StorePath, location

FORMATS = {
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""The formats that the names of files tell."""
_PACKED = (*CODECS, ".xz", ".zip", ".lz4", ".snappy")
_LINES = ("json", "csv")
"""The formats whose files may be compressed as a whole."""
_BEGINS = {b"{": "json", b"PAR1": "parquet"}


@dataclass(frozen=True)
class NamedFiles:
    """The files of one format that a pattern names: below a base, by their names there, in the order of a stream."""

    pattern: str
    base: Path
    format: str
    splits: tuple[Split, ...]

    @property
    def size(self) -> int:
        """How many bytes they have."""
        return sum(split.end for split in self.splits)

    @property
    def directory(self) -> tuple[str, bool]:
        """The directory that a stream of these files reads, and whether it has no others."""
        directories = sorted({os.path.dirname(split.name) for split in self.splits})
        directory = directories[0] or "."
        there = sum(is_input(entry.name) and entry.is_file() for entry in os.scandir(self.base / directory))
        return directory, len(directories) == 1 and there == len(self.splits)


class Directories:
    """What is new of the files that a pattern names, which may stand in several directories."""

    def __init__(
        self, pattern: str, base: Path, format_: str, options: Mapping[str, str], settle: float = SETTLE
    ) -> None:
        self._pattern, self._base, self._format = pattern, base, format_
        self._options, self._settle = options, settle
        self._listings: dict[str, Listing] = {}

    def news(self) -> list[Split]:
        """What is to be read next: by the times of the files, and by their names below the base."""
        new = []
        for directory in sorted({os.path.dirname(name) for name in _names(self._pattern, self._base)}):
            if directory not in self._listings:
                self._listings[directory] = self._listing(directory)
            for split in self._listings[directory].news():
                named = os.path.join(directory, split.name)
                new.append(replace(split, name=named))
        return sorted(new, key=lambda split: (split.changed, split.name, split.start))

    def _listing(self, directory: str) -> Listing:
        last = os.path.basename(self._pattern.rstrip("/"))
        if (self._base / self._pattern).is_dir():
            last = "*"

        def wanted(name: str) -> bool:
            named = name == last or fnmatch.fnmatchcase(name, last)
            return named and is_input(name) and format_of(self._base / directory / name) == self._format

        return Listing(self._base / directory, self._format, self._options, self._settle, takes=wanted)


def named_files(pattern: str, base: Path) -> NamedFiles:
    """The files that a pattern names, as they are now; an error when there are none, or none that can be read.

    Relative patterns start at the base. A directory stands for the files in it.
    """
    if not pattern:
        raise MissingError("FROM '' names no files", "", "name some: FROM 'in/bid/*.json'")
    pattern = _of_this_machine(pattern)
    names = _names(pattern, base)
    if not names:
        raise _nothing(pattern, base)
    formats = {name: format_of(base / name) for name in names}
    unknown = [name for name, format_ in formats.items() if format_ is None]
    if len(set(formats.values())) > 1 or unknown:
        raise _unclear(pattern, base, formats, unknown)
    format_ = next(iter(formats.values()))
    assert format_ is not None
    splits = Directories(pattern, base, format_, {}, settle=0).news()
    if not any(split.end for split in splits):
        what = "is empty" if len(names) == 1 else "are all empty"
        raise SchemaError(
            f"the files of '{pattern}' have no rows", f"{_some(names)} {what}", "columns are inferred from rows"
        )
    return NamedFiles(pattern, base, format_, tuple(splits))


def _of_this_machine(pattern: str) -> str:
    """A pattern as a path; an error for one of a store."""
    if "://" not in pattern:
        return pattern
    place = location(pattern)
    if isinstance(place, StorePath):
        hint = f"write CREATE STREAM … OPTIONS (path '{place.parent}'), and FROM its name"
        raise SchemaError(f"'{place}' is not on this machine", "columns are inferred from files that are", hint)
    return str(place)


def format_of(path: Path) -> str | None:
    """The format of a file by its name, or by how it begins; of ``bid.json.gz`` by the name without ``.gz``."""
    if path.suffix.lower() in CODECS:
        within = FORMATS.get(Path(path.stem).suffix.lower())
        return within if within in _LINES else None
    known = FORMATS.get(path.suffix.lower())
    if known is not None or path.suffix.lower() in (*_PACKED, ".xml"):
        return known
    try:
        with path.open("rb") as file:
            begins = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError:
        return None
    return next((format_ for mark, format_ in _BEGINS.items() if begins.startswith(mark)), None)


def _names(pattern: str, base: Path) -> list[str]:
    """The files that a pattern names, by their names below the base; hidden ones are none."""
    if (base / pattern).is_dir():
        listed: Iterable[str] = (os.path.join(pattern, name) for name in sorted(os.listdir(base / pattern)))
    elif (base / pattern).is_file() or not has_magic(pattern):
        listed = [pattern]
    else:
        listed = sorted(glob(pattern, root_dir=base, recursive=True))
    return [name for name in listed if is_input(os.path.basename(name)) and (base / name).is_file()]


def _nothing(pattern: str, base: Path) -> MissingError:
    """Why a pattern names no files."""
    path = base / pattern
    if path.is_dir():
        inside = sorted(entry.name for entry in path.iterdir() if entry.is_dir())
        if inside:
            detail = f"it has directories: {_some(inside)}"
            return MissingError(f"the directory '{pattern}' has no files", detail, f"write '{pattern.rstrip('/')}/**'")
        return MissingError(f"the directory '{pattern}' has no files", str(path.resolve()), "fix the path")
    if has_magic(pattern) and any(glob(pattern, root_dir=base, recursive=True)):
        hint = f"write '{pattern.rstrip('/*')}/**'"
        return MissingError(f"'{pattern}' names directories, or hidden files", "", hint)
    parent = path.parent
    while not parent.is_dir() and parent != parent.parent:
        parent = parent.parent
    if has_magic(str(parent)):
        parent = base
    there = sorted(name for name in os.listdir(parent) if is_input(name)) if parent.is_dir() else []
    wanted = path.relative_to(parent).parts[0] if path != parent else path.name
    detail = f"{parent.resolve()} has: {_some(there)}" if there else f"{parent.resolve()} is empty"
    return MissingError(f"there are no files '{pattern}'", detail, nearest(wanted, there))


def _unclear(pattern: str, base: Path, formats: Mapping[str, str | None], unknown: list[str]) -> SchemaError:
    """Why files are not read together, or not at all."""
    packed = [name for name in unknown if name.lower().endswith(_PACKED)]
    if packed:
        hint = f"uncompress them first; .json and .csv are read with {', '.join(CODECS)} behind them"
        return SchemaError(f"'{pattern}' names compressed files that are not read", _some(packed), hint)
    if len(unknown) == len(formats):
        hint = f"name files {', '.join(FORMATS)}; of another format, write CREATE STREAM … USING"
        empty = all((base / name).stat().st_size == 0 for name in unknown)
        what = f"the files of '{pattern}' are empty" if empty else f"the format of '{pattern}' is not known"
        return SchemaError(what, _some(unknown), hint)
    counts = Counter(format_ or "other" for format_ in formats.values())
    shown = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    first = Path(next(name for name, format_ in formats.items() if format_ == counts.most_common(1)[0][0]))
    suffix = "".join(first.suffixes[-2:]) if first.suffix.lower() in CODECS else first.suffix
    directory = pattern.rstrip("/") if (base / pattern).is_dir() else os.path.dirname(pattern) or "."
    return SchemaError(f"'{pattern}' names files of several formats", shown, f"name one: '{directory}/*{suffix}'")


def _some(names: Iterable[str], most: int = 8) -> str:
    """Some names for a message."""
    listed = list(names)
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")
