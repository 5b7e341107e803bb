"""Files of elements: the path of a file in, its rows in columns and its punctuations out, and what was neither.

No content is an error: what cannot be read is rejected, with its place, the reason and its text. A file that cannot be
opened because it is a directory or forbidden is rejected as a whole. A file that has gone, or a disk that fails, is an
error: later it may be there again.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.formats.csv import read_csv
from punctum.engine.formats.json import read_json
from punctum.engine.formats.opens import opens_of_columns, read_opens
from punctum.engine.formats.parquet import from_columns, read_parquet
from punctum.engine.formats.read import PUNCT_COLUMN, REJECTED, Found, Read, option
from punctum.engine.formats.temporal import Decoder, elements_of_columns, read_elements
from punctum.engine.formats.xml import read_xml
from punctum.errors import MissingError
from punctum.parse.definitions import StreamDef
from punctum.parse.elements import is_elements, is_opens

__all__ = ["LINE_COLUMN", "PUNCT_COLUMN", "READERS", "REJECTED", "Read", "check_options", "from_frame", "reading"]

LINE_COLUMN = "_line"
"""The one column of a DataFrame whose elements are lines of JSON."""

Reader = Callable[[Path, Schema, Mapping[str, str]], Read]
"""Reads a file of a stream that has this schema and these options."""

_DECODERS: dict[str, Decoder] = {"csv": read_csv, "json": read_json, "parquet": read_parquet, "xml": read_xml}


def from_frame(given: pl.DataFrame, schema: Schema) -> Read:
    """The elements of a piece of a DataFrame: of its columns, or of its lines.

    >>> from_frame(pl.DataFrame({"_line": ['{"n": 1}', "n: 2"]}), Schema.of(n="BIGINT")).rejected.rows()[0][::2]
    (2, 'n: 2')
    """
    if given.columns != [LINE_COLUMN] or LINE_COLUMN in schema.names:
        if is_opens(schema):
            return opens_of_columns(given, schema)
        return elements_of_columns(given, schema) if is_elements(schema) else from_columns(given, schema)
    return _decoded("json", "\n".join(given[LINE_COLUMN]).encode(), schema, {})


def check_options(format_: str, schema: Schema, options: Mapping[str, str]) -> None:
    """An error when a stream has an option that its format does not take; what a file holds is never one."""
    _decoded(format_, b"", schema, options)


def reading(stream: StreamDef) -> dict[str, str]:
    """The options with which the files of a stream are read."""
    return {**stream.options, "rowTag": option(stream.options, "rowTag", stream.name)}


def _decoded(format_: str, data: bytes, schema: Schema, options: Mapping[str, str]) -> Read:
    decode = _DECODERS[format_]
    if is_opens(schema):
        return read_opens(format_, decode, data, schema, options)
    if is_elements(schema):
        return read_elements(format_, decode, data, schema, options)
    return decode(data, schema, options)


def _read(format_: str, path: Path, schema: Schema, options: Mapping[str, str]) -> Read:
    try:
        data = path.read_bytes()
    except (IsADirectoryError, PermissionError) as error:
        found = Found(schema)
        found.reject(0, f"the file cannot be read: {error.strerror}", "")
        return found.read()
    except FileNotFoundError:
        hint = "put it back, or start again with a new checkpoint; files are not to be moved while a query reads them"
        raise MissingError(f"the file {path.name} is no longer there", str(path), hint) from None
    except OSError as error:
        raise MissingError(f"the file {path.name} cannot be read", f"{path}: {error.strerror}", "try again") from None
    return _decoded(format_, data, schema, options)


READERS: dict[str, Reader] = {name: partial(_read, name) for name in _DECODERS}
"""The reader of each format."""
