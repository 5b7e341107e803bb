"""Files of elements: the path of a file in, its rows in columns and its punctuations out, and what was neither.

No content is an error: what cannot be read is rejected, with its place, the reason and its text. A file that cannot be
opened because it is a directory or forbidden is rejected as a whole, and so is a split whose bytes have changed. A file
that has gone, or a disk that fails, is an error: later it may be there again.
"""

from collections.abc import Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Protocol

import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.formats.compressed import decompressed
from punctum.engine.formats.csv import header, read_csv, read_puncts_csv
from punctum.engine.formats.json import read_json, read_puncts_json
from punctum.engine.formats.opens import opens_of_columns, read_opens
from punctum.engine.formats.options import IN_PATH, option
from punctum.engine.formats.parquet import from_columns, read_parquet, read_puncts_parquet
from punctum.engine.formats.path_columns import filled_in, in_path
from punctum.engine.formats.read import LONGEST, PUNCT_COLUMN, REJECTED, FileContent, Place, Read, clean, reason_of
from punctum.engine.formats.splits import ChangedError, Split, gone, shown
from punctum.engine.formats.temporal import Decoder, elements_of_columns, read_elements, with_stables
from punctum.engine.formats.xml import read_xml
from punctum.errors import CodecError, MissingError
from punctum.ir.definitions import StreamDef
from punctum.ir.elements import is_elements, is_opens
from punctum.storage.location import Location

__all__ = [
    "LINE_COLUMN",
    "PUNCTUATION_READERS",
    "PUNCT_COLUMN",
    "READERS",
    "Read",
    "check_options",
    "decode",
    "from_frame",
    "reading",
]

LINE_COLUMN = "_line"
"""The one column of a DataFrame whose elements are lines of JSON."""

CHANGED = "the file was changed after it was listed: its earlier content is lost"
"""The reason of a split that cannot be read."""
UNFINISHED = "the line was read before it was complete, and was continued later"
"""The reason of the rest of a line that the split before has ended with."""


class Reader(Protocol):
    """Reads a file of a stream that has this schema and these options, or a split of it.

    Columns that are not wanted may be NULL, in formats that have columns; not where something is rejected.
    """

    def __call__(
        self,
        path: Location,
        schema: Schema,
        options: Mapping[str, str],
        split: Split | None = None,
        wanted: Set[str] | None = None,
        /,
    ) -> Read: ...


_DECODERS: dict[str, Decoder] = {"csv": read_csv, "json": read_json, "parquet": read_parquet, "xml": read_xml}
_HEARERS: dict[str, Decoder] = {"csv": read_puncts_csv, "json": read_puncts_json, "parquet": read_puncts_parquet}


def from_frame(given: pl.DataFrame, schema: Schema) -> Read:
    """The elements of a piece of a DataFrame: of its columns, or of its lines.

    >>> from_frame(pl.DataFrame({"_line": ['{"n": 1}', "n: 2"]}), Schema.of(n="BIGINT")).rejected.rows()[0][::2]
    (2, 'n: 2')
    """
    if given.columns != [LINE_COLUMN] or LINE_COLUMN in schema.names:
        if is_opens(schema):
            return opens_of_columns(given, schema)
        if is_elements(schema):
            return elements_of_columns(given, schema)
        return with_stables(from_columns(given, schema), schema)
    return decode("json", "\n".join(given[LINE_COLUMN]).encode(), schema, {})


def check_options(format_: str, schema: Schema, options: Mapping[str, str]) -> None:
    """An error when a stream has an option that its format does not take; what a file holds is never one."""
    decode(format_, b"", schema, options)


def reading(stream: StreamDef) -> dict[str, str]:
    """The options with which the files of a stream are read."""
    return {**stream.options, "rowTag": option(stream.options, "rowTag", stream.name)}


def decode(
    format_: str, data: bytes, schema: Schema, options: Mapping[str, str], decoder: Decoder | None = None
) -> Read:
    """The elements of some bytes, whole lines where the format has lines."""
    decoder = decoder or _DECODERS[format_]
    if is_opens(schema):
        return read_opens(format_, decoder, data, schema, options)
    if is_elements(schema):
        return read_elements(format_, decoder, data, schema, options)
    return with_stables(decoder(data, schema, options), schema)


def _read(
    decoder: Decoder,
    format_: str,
    path: Location,
    schema: Schema,
    options: Mapping[str, str],
    split: Split | None = None,
    wanted: Set[str] | None = None,
    /,
) -> Read:
    if split is not None and (values := in_path(split.name, schema)):
        inside = {**options, IN_PATH: "\0".join(values)}
        plain = replace(split, name=path.name)
        read = _read(decoder, format_, path, schema, inside, plain, wanted)
        try:
            return filled_in(read, values, schema)
        except CodecError as error:
            return _rejected(schema, reason_of(error))
    if wanted is not None and decoder is read_parquet:
        whole = partial(_read, decoder, format_, path, schema, options, split)
        narrow = _read(partial(read_parquet, wanted=wanted), format_, path, schema, options, split)
        return whole() if narrow.rejected.height else replace(narrow, whole=whole)
    name = shown(path.name)
    try:
        if split is None:
            return decode(format_, decompressed(path.name, path.read_bytes()), schema, options, decoder)
        return _read_split(decoder, format_, path, schema, options, split)
    except ChangedError:
        return _rejected(schema, CHANGED)
    except CodecError as error:  # of the file as a whole
        return _rejected(schema, reason_of(error))
    except (IsADirectoryError, PermissionError) as error:
        return _rejected(schema, f"the file cannot be read: {error.strerror}")
    except FileNotFoundError:
        raise gone(path) from None
    except OSError as error:
        detail = f"{path.parent}/{name}: {error.strerror}"
        raise MissingError(f"the file {name} cannot be read", detail, "try again") from None


def _rejected(schema: Schema, reason: str) -> Read:
    content = FileContent(schema)
    content.reject(0, reason, "")
    return content.read()


def _read_split(
    decoder: Decoder, format_: str, path: Location, schema: Schema, options: Mapping[str, str], split: Split
) -> Read:
    if split.fault:
        return _rejected(schema, split.fault)
    taken = split.read(path)
    if not split.start:
        return decode(format_, decompressed(path.name, taken.data), schema, options, decoder)
    rest = b"" if taken.before == b"\n" else taken.data[: taken.data.find(b"\n") + 1] or taken.data
    head = header(taken.beginning, options) if format_ == "csv" else b""
    new = taken.data[len(rest) :]
    read = decode(format_, head + new, schema, options, decoder) if new else FileContent(schema).read()
    return _behind(read, split.line, split.line + rest.count(b"\n") - head.count(b"\n"), rest)


def _behind(read: Read, line: int, lines: int, rest: bytes) -> Read:
    """What was read behind so many lines of a file, and the rest of a line that was read before."""
    position = pl.col("position")
    rejected = read.rejected.with_columns(pl.when(position > 0).then(position + lines).otherwise(0))
    if rest.strip():
        unfinished = pl.DataFrame(
            [(line + 1, UNFINISHED, clean(rest.rstrip(b"\r\n"), LONGEST))], REJECTED, orient="row"
        )
        rejected = pl.concat([unfinished, rejected])

    def place(row: int) -> Place:
        at, text = read.place(row)
        return at + lines, text

    return Read(read.piece, rejected, place, read.more)


READERS: dict[str, Reader] = {name: partial(_read, decoder, name) for name, decoder in _DECODERS.items()}
"""The reader of each format."""
PUNCTUATION_READERS: dict[str, Reader] = {name: partial(_read, decoder, name) for name, decoder in _HEARERS.items()}
"""What reads the punctuations of a file, and as few of its rows as it can."""
