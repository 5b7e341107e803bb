"""What streams are given in a test: slices of elements, as they are written in a test or lie in files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.compile import Compiled
from punctum.engine.exchange.quarantine import Record, fail, rejects
from punctum.engine.formats.files import READERS, decode, reading
from punctum.engine.formats.read import Read
from punctum.engine.formats.splits import Split
from punctum.engine.sources.directories import check_directory, directory_of, selected
from punctum.engine.sources.memory import line_of
from punctum.errors import QueryError, SchemaError, choices, nearest
from punctum.ir.definitions import KAFKA, StreamDef, TableDef, Violation
from punctum.operators.columns import ColumnarSlice, empty
from punctum.parse.ddl.temporal import read_of
from punctum.storage.files import files_below
from punctum.storage.location import StorePath
from punctum.testing.simulate import Feed, PartitionSplits, Splits

Slices = Sequence[Any]
"""The slices of a stream: lists of elements, or files in the stream's format; elements alone are one slice."""
Data = Mapping[str, Slices]
"""What streams and tables are given, by their names."""
Cut = int | Random | None
"""How sequences are cut anew: after so many elements, at random, or as they were given."""

_PIECES = 4
_END = b'{"$punct": {}}'


def files_of(compiled: Compiled, directory: Path) -> dict[str, list[Path]]:
    """What the streams of a script find in their directories: a slice a file, in the order of their names."""
    files = dict[str, list[Path]]()
    for stream in streams_of(compiled).values():
        path = directory_of(stream, directory)
        if path is not None:
            check_directory(stream, path)
            root, chosen = selected(stream, path)
            if isinstance(root, StorePath):
                raise SchemaError(f"{stream.name} is read from a store", str(root), "give its elements in the test")
            files[stream.name] = [root / name for name in sorted(files_below(root)) if chosen(name)]
    return files


def streams_of(compiled: Compiled) -> dict[str, StreamDef]:
    """The streams of a script that are read somewhere, by their names in small letters."""
    defined = [read_of(stream) for stream in compiled.script.streams.values() if stream.relation is None]
    read = [stream for query in compiled.queries for stream in query.analysis.streams]
    return {stream.name.lower(): stream for stream in (*defined, *read)}


_NAMED = 'give a dict of streams, each with a list of slices: {"bid": [[(17, 5.0)]]}'


class Fed:
    """Slices for the streams of a script, each read as a file of the stream would be."""

    def __init__(self, streams: Mapping[str, StreamDef], data: Data, cut: Cut = None) -> None:
        self._streams = streams
        named = list(self._named(data))
        self._reads = {stream.name: _reads(stream, slices, cut) for stream, slices in named}
        self._files = {} if cut is not None else {stream.name: _files(slices) for stream, slices in named}

    def _named(self, data: Data) -> Iterator[tuple[StreamDef, Slices]]:
        for name, slices in data.items():
            if not isinstance(slices, Iterable):
                raise SchemaError(f"{name} has no slices", f"it is a {type(slices).__name__}", _NAMED)
            if name.lower() not in self._streams:
                known = [stream.name for stream in self._streams.values()]
                raise QueryError(f"the script has no stream {name}", choices(known), nearest(name, known))
            yield self._streams[name.lower()], slices

    def __len__(self) -> int:
        return max(map(len, self._reads.values()), default=0)

    @property
    def streams(self) -> list[StreamDef]:
        """All streams that may be given something."""
        return list(self._streams.values())

    def rows(self, stream: StreamDef) -> pl.DataFrame:
        """All rows of a stream."""
        reads = self._reads.get(stream.name, [])
        return pl.concat([empty(stream.schema), *(read.piece.rows for read in reads)])

    def slice(self, number: int, names: Set[str]) -> tuple[Feed, list[Record]]:
        """What some streams are given in a slice, and records of what is no element; behind the last one, nothing."""
        feed, records = dict[str, Sequence[ColumnarSlice] | PartitionSplits](), list[Record]()
        for stream in self._of(names):
            reads, files = self._reads.get(stream.name, []), self._files.get(stream.name, [])
            read = reads[number] if number < len(reads) else decode("json", b"", stream.schema, {})
            file = files[number] if number < len(files) else None
            feed[stream.name] = _placed(stream, [read.piece], file)
            rejected = rejects(stream.name, None if file is None else file.name, read.rejected)
            if rejected and stream.on_violation is Violation.FAIL:
                fail(rejected[0])
            records += rejected
        return feed, records

    def end(self, names: Set[str]) -> Feed:
        """The end of some streams."""
        return {s.name: _placed(s, [decode("json", _END, s.schema, {}).piece]) for s in self._of(names)}

    def _of(self, names: Set[str]) -> list[StreamDef]:
        return [stream for stream in self._streams.values() if stream.name in names]


def table_of(table: TableDef, rows: Slices) -> pl.DataFrame:
    """The rows of a table, which are given as elements."""
    stream = StreamDef(table.name, table.schema, format="json")
    reads = _reads(stream, rows, None)
    for position, reason, _ in (row for read in reads for row in read.rejected.iter_rows()):
        raise SchemaError(
            f"the table {table.name} cannot be read", f"row {position}: {reason}", f"it has ({table.schema})"
        )
    return pl.concat([empty(table.schema), *(read.piece.rows for read in reads)])


def _placed(
    stream: StreamDef, pieces: list[ColumnarSlice], file: Path | None = None
) -> Sequence[ColumnarSlice] | PartitionSplits:
    """Pieces as they come of a stream, or of its file; of a topic, in its one partition."""
    if stream.format == KAFKA:
        return PartitionSplits({0: pieces}, (0,))
    return Splits(pieces) if file is None else Splits(pieces, [_split(file)])


def _split(file: Path) -> str:
    """A whole file as a split."""
    return Split(file.name, 0, file.stat().st_size, 0, 0, 0, "").located(str(file.parent))


def _files(slices: Slices) -> list[Path | None]:
    """Which slices are files."""
    return [part if isinstance(part, Path) else None for part in slices]


def _reads(stream: StreamDef, slices: Slices, cut: Cut) -> list[Read]:
    parts = [slices] if slices and all(_is_element(part) for part in slices) else slices
    if cut is None:
        return [_read(stream, part) for part in parts]
    lines = [line for part in parts for line in _lines(stream, part)]
    return [_read(stream, lines[a:b]) for a, b in pairwise(_ends(len(lines), cut))]


def _ends(size: int, cut: int | Random) -> list[int]:
    """Where a sequence is cut, from its begin to its end."""
    if isinstance(cut, Random):
        return [0, *sorted(cut.randint(0, size) for _ in range(cut.randint(0, _PIECES))), size]
    if cut < 1:
        raise QueryError(f"a slice cannot have {cut} elements", "", "cut=1, or more")
    return [*range(0, size, cut), size]


def _read(stream: StreamDef, part: Any) -> Read:
    if isinstance(part, Path):
        if stream.format not in READERS:
            hint = f"give elements, or files of one of: {', '.join(READERS)}"
            raise QueryError(f"{stream.name} is not read from files", f"its format is {stream.format}", hint)
        return READERS[stream.format](part, stream.schema, reading(stream))
    return decode("json", "\n".join(_lines(stream, part)).encode(), stream.schema, {})


def _lines(stream: StreamDef, part: Any) -> Iterable[str]:
    """The elements of a slice, as lines of JSON."""
    if isinstance(part, Path):
        if stream.format != "json":
            raise QueryError(f"{part.name} cannot be cut anew", f"it is a file of {stream.format}", "give its elements")
        return part.read_text("utf-8").splitlines()
    if not isinstance(part, Sequence) or _is_element(part):
        what = f"the slices of {stream.name} are mixed up"
        raise SchemaError(what, f"found {part!r} beside a slice", "a slice is a list of elements, or a Path")
    return [line_of(element, stream.schema) for element in part]


def _is_element(part: Any) -> bool:
    """A row as a tuple, an object as in JSON, a punctuation, or a line as it stands, readable or not."""
    return isinstance(part, tuple | Mapping | Punctuation | str)
