"""A sample of files: the first and the last lines of some of them, evenly chosen, as values with their places.

What is not a row counts as broken: the query puts it into its quarantine. Of Parquet files the schemas are read.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, Literal

from punctum.algebra.json import PUNCT, STABLE, unique_keys
from punctum.engine.formats.compressed import codec_of, decompressed
from punctum.engine.formats.read import PUNCT_COLUMN
from punctum.engine.formats.splits import Split
from punctum.errors import CodecError, SchemaError

MOST_FILES, MOST_ROWS, MOST_BYTES = 32, 20_000, 8 << 20
"""How much a sample has at most."""
_LEAST = 64 << 10
_SEPARATORS = (",", "\t", ";", "|")
_NAME = re.compile(r"[^\W\d][\w .:/()#%-]*")
_CELLS = 50  # so many records show how a file is written


@dataclass
class Sample:
    """Values by column, each with its place; the texts of punctuations; what was looked at, and what was no row."""

    files: int
    rows: int = 0
    looked: int = 0
    whole: bool = True
    """Whether it has all that the files have."""
    values: dict[str, list[Any]] = field(default_factory=dict)
    """Values of a column, None where a row has NULL."""
    places: dict[str, list[str]] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    """How many rows lack a column."""
    puncts: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    """Places of lines that are no rows."""
    options: dict[str, str] = field(default_factory=dict)
    nulls: set[str] = field(default_factory=set)
    """Columns of Parquet in which NULL was seen."""

    def has_null(self, name: str) -> bool:
        """Whether a column was NULL somewhere."""
        return name in self.nulls or bool(self.missing.get(name)) or None in self.values.get(name, ())

    @property
    def described(self) -> str:
        """What was looked at, in words."""
        if self.whole:
            return f"all {_many(self.rows, 'row')} of {_many(self.files, 'file')}"
        return f"a sample: {_many(self.rows, 'row')} of {self.looked:,} of {_many(self.files, 'file')}"

    def add(self, row: Mapping[str, Any], place: str) -> None:
        """A row."""
        for name in (name for name in row if name not in self.values):
            self.values[name], self.places[name], self.missing[name] = [], [], self.rows
        for name in self.values:
            if name in row:
                self.values[name].append(row[name])
                self.places[name].append(place)
            else:
                self.missing[name] += 1
        self.rows += 1


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" + "s" * (count != 1)


def sampled(format_: Literal["json", "csv"], base: Path, splits: Sequence[Split]) -> Sample:
    """A sample of some files of lines."""
    filled = [split for split in splits if split.end]
    chosen = evenly(filled, MOST_FILES)
    sample = Sample(len(filled), looked=len(chosen), whole=len(chosen) == len(filled))
    room = max(MOST_BYTES // len(chosen), _LEAST)
    if format_ == "csv":
        _dialect(sample, base / chosen[0].name)
    for split in chosen:
        rows = MOST_ROWS // len(chosen) + 1
        read = _json_rows if format_ == "json" else _csv_rows
        read(sample, base / split.name, split.name, room, rows)
    return sample


def evenly(splits: Sequence[Split], most: int) -> list[Split]:
    """At most so many of some files: the first, the last, and others between them."""
    if len(splits) <= most:
        return list(splits)
    return [splits[round(n * (len(splits) - 1) / (most - 1))] for n in range(most)]


def _lines(sample: Sample, path: Path, room: int, rows: int) -> Iterator[tuple[int | None, bytes]]:
    """The first lines of a file, numbered, and its last ones when it has more than there is room for."""
    with _opened(sample, path) as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        if size <= room:
            lines = file.read().split(b"\n")
            numbered = list(enumerate(lines, 1))
        else:
            head = file.read(room // 2).split(b"\n")[:-1]
            file.seek(size - room // 2)
            tail = file.read().split(b"\n")[1:]
            numbered = [*enumerate(head, 1), *((0, line) for line in tail)]
            sample.whole = False
    if len(numbered) > rows:
        sample.whole &= len(numbered) == rows + 1 and not numbered[-1][1]
        numbered = numbered[: rows - rows // 2] + numbered[len(numbered) - rows // 2 :]
    for number, line in numbered:
        if line.strip():
            yield number or None, line


def _opened(sample: Sample, path: Path) -> IO[bytes]:
    """A file, decompressed; an empty one where that fails: the query says why."""
    if codec_of(path.name) is None:
        return path.open("rb")
    try:
        return io.BytesIO(decompressed(path.name, path.read_bytes()))
    except CodecError:
        sample.broken.append(f"{path.name}, which cannot be decompressed")
        return io.BytesIO()


def _json_rows(sample: Sample, path: Path, name: str, room: int, rows: int) -> None:
    for number, line in _lines(sample, path, room, rows):
        place = f"{name}:{number}" if number else f"{name}, near its end"
        try:
            data = json.loads(line.decode("utf-8-sig"), parse_float=Decimal, object_pairs_hook=unique_keys)
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            if number == 1 and line.lstrip(b"\xef\xbb\xbf \t").startswith(b"["):
                hint = "write each object on a line of its own: jq -c '.[]' old.json > new.json"
                raise SchemaError(f"{name} is a JSON array", "Punctum reads JSON lines, one object a line", hint)
            sample.broken.append(place)
        elif PUNCT in data or (STABLE in data and len(data) == 1):
            sample.puncts.append(line.decode())
        else:
            sample.add(data, place)


def _csv_rows(sample: Sample, path: Path, name: str, room: int, rows: int) -> None:
    sep, header = sample.options["sep"].replace("\\t", "\t"), sample.options["header"] == "true"
    lines = list(_lines(sample, path, room, rows))
    if not lines:
        return
    records = list(_records([line for _, line in lines], sep))
    first = [n for n, _ in lines]
    names = records[0][1] if header else _numbered(len(records[0][1]))
    for at, record in records[1:] if header else records:
        number = first[at] if at < len(first) else None
        place = f"{name}:{number}" if number else f"{name}, near its end"
        if len(record) != len(names):
            if not header and len(record) == len(names) + 1 and record[-1].startswith("{"):
                sample.puncts.append(record[-1])
            else:
                sample.broken.append(place)
            continue
        row: dict[str, str | None] = {n: text or None for n, text in zip(names, record, strict=True)}
        punct = row.pop(PUNCT_COLUMN, None)
        if punct is not None:
            sample.puncts.append(punct)
        else:
            sample.add(row, place)


def _records(lines: Sequence[bytes], sep: str) -> Iterator[tuple[int, list[str]]]:
    """Records, each with the number of the line that it begins with."""
    texts = [line.decode(errors="replace").rstrip("\r").removeprefix("\ufeff") + "\n" for line in lines]
    reader, at = csv.reader(texts, delimiter=sep, strict=False), 0
    for record in reader:
        yield at, record
        at = reader.line_num


def _dialect(sample: Sample, path: Path) -> None:
    """The separator of a file, and whether its first line has names."""
    with _opened(sample, path) as file:
        lines = file.read(_LEAST).split(b"\n")[: _CELLS * 2]
    lines = [line for line in lines if line.strip()]

    def fit(sep: str) -> tuple[float, int]:
        counts = [len(record) for _, record in _records(lines, sep)][:_CELLS]
        width = counts[0] if counts else 1
        return (sum(n == width for n in counts) / max(len(counts), 1) if width > 1 else 0.0), width

    sep = max(_SEPARATORS, key=fit)
    sep = sep if fit(sep)[1] > 1 else ","
    first = next((record for _, record in _records(lines, sep)), [])
    named = [cell.strip() for cell in first]
    header = bool(first) and len(set(named)) == len(named) and all(map(_NAME.fullmatch, named))
    sample.options = {"header": "true" if header else "false", "sep": sep.replace("\t", "\\t")}


def _numbered(count: int) -> list[str]:
    """The columns of a file without names."""
    return [f"c{n + 1}" for n in range(count)]
