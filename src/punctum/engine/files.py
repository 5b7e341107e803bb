"""Files of elements: JSON lines and Parquet, read into rows in columns and punctuations.

JSON takes the fast road, Arrow's own reader, which is strict about types. A file that it refuses, or that has DECIMALs,
is read line by line with ``algebra.json``, which says which line is wrong and why. In Parquet a punctuation is a row
whose string column ``_punct`` holds its JSON.
"""

import io
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
from pyarrow import json as arrow_json
from pyarrow import parquet

from punctum.algebra.functions import puncts, tups
from punctum.algebra.json import PUNCT, from_json
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.errors import CodecError
from punctum.operators.columns import Columns, dtype, empty, frame

PUNCT_COLUMN = "_punct"
_POINT = (
    r'^\s*\{\s*"\$punct"\s*:\s*\{\s*"(?<name>[^"\\]+)"\s*:\s*'
    r'(?:(?<number>-?(?:0|[1-9][0-9]{0,17}))|"(?<string>[^"\\]*)")\s*\}\s*\}\s*$'
)
_ARROW: dict[Type, pa.DataType] = {
    Type.BIGINT: pa.int64(),
    Type.DOUBLE: pa.float64(),
    Type.STRING: pa.string(),
    Type.BOOLEAN: pa.bool_(),
    Type.DATE: pa.string(),
    Type.TIMESTAMP: pa.string(),
    Type.TIMESTAMP_NTZ: pa.string(),
}


def read_json(path: Path, schema: Schema) -> Columns:
    """The elements of a file of JSON lines."""
    lines = path.read_bytes()
    try:
        return _read_fast(lines, schema)
    except (pa.ArrowInvalid, pl.exceptions.PolarsError, KeyError):
        return _read_exactly(lines, schema, path)


def _read_fast(lines: bytes, schema: Schema) -> Columns:
    said = Columns(empty(schema))
    if PUNCT.encode() in lines:
        every = pl.Series(lines.decode().split("\n"))  # splitlines splits at U+2028 too
        special = every.str.contains(f'"{PUNCT}"', literal=True)
        said, lines = read_puncts(every.filter(special), schema), "\n".join(every.filter(~special)).encode()
    if not lines.strip():
        return said
    types = pa.schema([pa.field(a.name, _ARROW[a.type]) for a in schema.attributes])
    options = arrow_json.ParseOptions(explicit_schema=types, unexpected_field_behavior="ignore")
    table = arrow_json.read_json(io.BytesIO(lines), arrow_json.ReadOptions(block_size=64 << 20), options)
    found = pl.from_arrow(table)
    assert isinstance(found, pl.DataFrame)
    return Columns(found.select(_typed(a) for a in schema.attributes), said.puncts, said.points)


def read_puncts(lines: pl.Series, schema: Schema) -> Columns:
    """Punctuations in JSON; whole numbers and plain strings on one attribute come as constants in columns."""
    parts = lines.str.extract_groups(_POINT).struct.unnest()
    numbers = [a.name for a in schema.attributes if a.type is Type.BIGINT]
    strings = [a.name for a in schema.attributes if a.type is Type.STRING]
    points: dict[str, pl.Series] = {}
    plain = pl.Series([False]).new_from_index(0, len(lines))
    for names, group in ((numbers, "number"), (strings, "string")):
        for name in names:
            here = (parts["name"] == name).fill_null(False) & parts[group].is_not_null()
            if here.any():
                values = parts[group].filter(here)
                points[name] = (values.cast(pl.Int64) if group == "number" else values).alias(name)
                plain = plain | here
    elements = [from_json(line, schema) for line in lines.filter(~plain)]
    if tups(elements):  # a row that has the word in a string: for the slow road
        raise KeyError(PUNCT)
    return Columns(empty(schema), tuple(puncts(elements)), points)


def _typed(attribute: Attribute) -> pl.Expr:
    column = pl.col(attribute.name)
    match attribute.type:
        case Type.DATE:
            return column.str.to_date("%Y-%m-%d", strict=True)
        case Type.TIMESTAMP:
            return column.str.to_datetime(time_unit="us", time_zone="UTC", strict=True)
        case Type.TIMESTAMP_NTZ:
            return column.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=True)
        case Type.DOUBLE:
            return column + 0.0
        case _:
            return column


def _read_exactly(lines: bytes, schema: Schema, path: Path) -> Columns:
    elements = []
    for number, line in enumerate(lines.splitlines(), start=1):
        if line.strip():
            try:
                elements.append(from_json(line, schema))
            except CodecError as error:
                where = f"{path.name}, line {number}: {error.detail or error.hint}"
                raise CodecError(error.what, where, error.hint) from None
    return Columns(frame(schema, tups(elements)), tuple(puncts(elements)))


def read_parquet(path: Path, schema: Schema) -> Columns:
    """The elements of a Parquet file.

    Spark may write times as INT96, which Polars takes for nanoseconds, and these end in the year 2262.
    """
    found = pl.read_parquet(path)
    if any(isinstance(kind, pl.Datetime) and kind.time_unit == "ns" for kind in found.dtypes):
        exact = pl.from_arrow(parquet.read_table(path, coerce_int96_timestamp_unit="us"))
        assert isinstance(exact, pl.DataFrame)
        found = exact
    return from_frame(found, schema)


def from_frame(found: pl.DataFrame, schema: Schema) -> Columns:
    """The elements of a frame that has the schema's columns, and perhaps the column of punctuations."""
    missing = [name for name in schema.names if name not in found.columns]
    if missing:
        hint = f"it has: {', '.join(found.columns)}"
        raise CodecError(f"the data has no column {missing[0]}", f"the stream has ({schema})", hint)
    said = Columns(empty(schema))
    if PUNCT_COLUMN in found.columns:
        said = read_puncts(found.get_column(PUNCT_COLUMN).drop_nulls(), schema)
        found = found.filter(pl.col(PUNCT_COLUMN).is_null())
    return Columns(found.select(_cast(a, found.schema[a.name]) for a in schema.attributes), said.puncts, said.points)


def _cast(attribute: Attribute, found: pl.DataType) -> pl.Expr:
    column, wanted = pl.col(attribute.name), dtype(attribute)
    if attribute.type is Type.TIMESTAMP and isinstance(found, pl.Datetime) and found.time_zone is None:
        column = column.dt.replace_time_zone("UTC")
    if attribute.type is Type.DOUBLE:
        column = column.cast(wanted) + 0.0
    return column.cast(wanted)


READERS: dict[str, Callable[[Path, Schema], Columns]] = {"json": read_json, "parquet": read_parquet}
