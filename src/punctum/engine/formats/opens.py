"""Opens and closes of temporal streams, in any format: the bytes of a file in, opens, closes and stables out.

In JSON an object with the key ``_vs`` is an open, one with ``_ve`` a close. Other formats have columns of which one is
NULL; a file of opens alone needs no ``_ve``. Stables are those of other temporal streams (``temporal.py``).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow import parquet

from punctum.algebra.json import PUNCT, STABLE
from punctum.algebra.schema import Schema
from punctum.engine.formats.csv import Dialect
from punctum.engine.formats.lines import Lines
from punctum.engine.formats.parquet import from_columns
from punctum.engine.formats.read import Read
from punctum.engine.formats.temporal import Decoder, checked, first_of, numbered, settled, together
from punctum.ir.elements import EVENT, FROM, MARKED, VE, VS
from punctum.operators.columns import dtype, empty

BOTH = f"the row is both an open and a close: it has {VS} and {VE}"
NEITHER = f"the row is neither an open nor a close: it has no {VS} and no {VE}"


def read_opens(format_: str, decode: Decoder, data: bytes, schema: Schema, options: Mapping[str, str]) -> Read:
    """The opens and closes of a file in some format."""
    if format_ == "json":
        return settled(_from_lines(decode, Lines.of(data), schema, options), schema)
    return settled(_opens(decode(data, _in_file(format_, data, schema, options), options), schema), schema)


def opens_of_columns(given: pl.DataFrame, schema: Schema) -> Read:
    """The opens and closes of a piece of a DataFrame."""
    return settled(_opens(from_columns(given, _having(schema, given.columns)), schema), schema)


def _from_lines(decode: Decoder, lines: Lines, schema: Schema, options: Mapping[str, str]) -> Read:
    """Lines that differ in their keys are read apart; stables, which have neither, with the opens."""
    texts = lines.texts
    start, end = (texts.str.contains(rf'(?:^|[^\\])"{name}"[ \t\r\n]*:').to_numpy() for name in EVENT)
    special = texts.str.contains_any([f'"{STABLE}"', f'"{PUNCT}"']).to_numpy()
    start = start | (special & ~end)
    parts = []
    for names in ((VS,), (VE,), (VS, VE), ()):
        chosen = (start == (VS in names)) & (end == (VE in names))
        if chosen.any() or names == (VS,):
            read = decode(lines.only(chosen).read() if chosen.any() else b"", _with(schema, names), options)
            parts.append(_opens(numbered(read, np.flatnonzero(chosen) + 1), schema))
    return together(parts)


def _in_file(format_: str, data: bytes, schema: Schema, options: Mapping[str, str]) -> Schema:
    """The columns that a file has."""
    if format_ == "parquet":
        try:
            return _having(schema, parquet.ParquetFile(pa.BufferReader(data)).schema_arrow.names)
        except (pa.ArrowException, OSError, ValueError):
            return _with(schema, EVENT)
    if format_ == "csv" and Dialect.of(options).header:
        head = data.lstrip(b"\r\n").split(b"\n", 1)[0].decode(errors="replace")
        return _having(schema, [VE] if VE in head else [])
    return _having(schema, [VE] if format_ != "xml" or VE.encode() in data else [])


def _having(schema: Schema, names: Sequence[str]) -> Schema:
    return _with(schema, EVENT if VE in names else (VS,))


def _with(schema: Schema, times: Sequence[str]) -> Schema:
    """The payload, and which of the two times a row has."""
    return Schema(tuple(a for a in schema.attributes if a.name in times or a.name not in MARKED))


def _opens(read: Read, schema: Schema) -> Read:
    """Rows of a file as opens and closes, in its order."""
    rows = read.piece.rows
    missing = [a for a in schema.attributes if a.name in EVENT and a.name not in rows.columns]
    rows = rows.with_columns(pl.lit(None, dtype(a)).alias(a.name) for a in missing) if rows.height else empty(schema)
    rows = rows.with_columns(pl.coalesce(VS, VE).alias(FROM)).select(schema.names)
    start, end = (pl.col(name).is_null() for name in EVENT)
    return checked(read, rows, first_of([(~start & ~end, BOTH), (start & end, NEITHER)]), schema)
