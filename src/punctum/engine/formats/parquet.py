"""Parquet files, and DataFrames: columns that have types already.

A punctuation is a row whose string column ``_punct`` holds its JSON. A value is taken when the attribute's type holds
it exactly: a whole number of any width as BIGINT, DOUBLE or DECIMAL; a DECIMAL that loses no digit; a time of any unit,
cut to microseconds. A row with another value is rejected. Arrow reads the file: broken ones do not break it, and it
takes times that Spark has written as INT96 for microseconds, since as nanoseconds they would end in the year 2262.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow import parquet

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.engine.formats.lines import Numbers
from punctum.engine.formats.options import may_be_left_out
from punctum.engine.formats.puncts import constants, from_punct
from punctum.engine.formats.read import PUNCT_COLUMN, Closed, FileContent, Read, differ
from punctum.errors import CodecError, PunctumError, choices
from punctum.operators.columns import dtype

_AS_THEY_ARE = frozenset([Type.BIGINT, Type.DOUBLE, Type.STRING, Type.BOOLEAN])
"""The types whose columns have no value but an attribute's."""
_EPOCH = datetime(1970, 1, 1)
_FIRST, _LAST = ((t - _EPOCH) // timedelta(microseconds=1) for t in (datetime.min, datetime.max))


def read_parquet(data: bytes, schema: Schema, options: Mapping[str, str], wanted: Set[str] | None = None) -> Read:
    """The elements of a Parquet file; of one whose rows cannot be read the punctuations, if these can be.

    Of columns that are not wanted those are NULL whose type alone shows that the stream can have each value.
    """
    try:
        with _broken():
            file = _opened(data, schema, may_be_left_out(options, schema))
            there = [a for a in schema.attributes if a.name in file.schema_arrow.names]
            left = [] if wanted is None else [a.name for a in there if a.name not in wanted and _surely(file, a)]
            left = left if len(left) < len(there) else []  # what has no column has no rows
            given = _table(file, schema, {a.name for a in there}.difference(left))
            given = given if given.width else pl.DataFrame({schema.names[0]: [None] * file.metadata.num_rows})
        return _of_columns(given, schema)
    except CodecError as error:
        return _read_puncts(data, schema, options, error)


def read_puncts_parquet(data: bytes, schema: Schema, options: Mapping[str, str]) -> Read:
    """The punctuations of a Parquet file: no column of its rows is read."""
    return _read_puncts(data, schema, options)


def _read_puncts(data: bytes, schema: Schema, options: Mapping[str, str], error: CodecError | None = None) -> Read:
    content = FileContent(schema)
    closed: Closed | None = None
    if error is not None:
        content.reject(0, error, "")
    with suppress(CodecError), _broken():
        texts = _table(_opened(data, schema, may_be_left_out(options, schema)), schema, ())
        if PUNCT_COLUMN in texts.columns:
            closed, _ = _special(texts, content)
    return content.read(None, closed)


@contextmanager
def _broken() -> Iterator[None]:
    """What Arrow and Polars say of a file that they cannot read becomes an error of ours."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, MemoryError, pl.exceptions.PolarsError) as error:
        raise CodecError("the file is not Parquet", str(error), "it may be truncated") from None


def _opened(data: bytes, schema: Schema, left_out: Set[str]) -> parquet.ParquetFile:
    file = parquet.ParquetFile(pa.BufferReader(data), coerce_int96_timestamp_unit="us")
    _check_names(file.schema_arrow.names, schema, left_out)
    return file


def _surely(file: parquet.ParquetFile, attribute: Attribute) -> bool:
    """Whether each value that a column may have is one of an attribute's."""
    given = file.schema_arrow.field(file.schema_arrow.names.index(attribute.name)).type
    match attribute.type:
        case Type.BIGINT:
            return pa.types.is_signed_integer(given)
        case Type.DOUBLE:
            return pa.types.is_float32(given) or pa.types.is_float64(given)
        case Type.STRING:
            return pa.types.is_string(given) or pa.types.is_large_string(given)
        case Type.BOOLEAN:
            return pa.types.is_boolean(given)
    return False


def _table(file: parquet.ParquetFile, schema: Schema, wanted: Collection[str]) -> pl.DataFrame:
    """Some columns of a file that has the schema's, and that of punctuations."""
    names = file.schema_arrow.names
    special = () if PUNCT_COLUMN in schema.names else (PUNCT_COLUMN,)
    table = file.read(columns=[name for name in (*wanted, *special) if name in names])
    table.validate(full=True)
    columns = [_without_zone(column) for column in table.columns]
    frame = pl.from_arrow(pa.table(columns, names=table.column_names))  # without metadata, which may be anything
    assert isinstance(frame, pl.DataFrame)
    return frame


def _without_zone(column: "pa.ChunkedArray[Any]") -> "pa.ChunkedArray[Any]":
    """A column of instants in UTC, since the name of a zone may be anything too."""
    zoned = pa.types.is_timestamp(column.type) and column.type.tz is not None
    return column.cast(pa.timestamp(column.type.unit, "UTC")) if zoned else column


def from_columns(given: pl.DataFrame, schema: Schema) -> Read:
    """The elements of a frame that has the schema's columns, and perhaps the column of punctuations.

    >>> from_columns(pl.DataFrame({"n": [1.0, None]}), Schema.of(n="BIGINT")).rejected.row(0)
    (1, 'the column n has a wrong value: expected BIGINT, found 1.0', '{"n": "1.0"}')
    """
    _check_names(given.columns, schema)
    return _of_columns(given, schema)


def _of_columns(given: pl.DataFrame, schema: Schema) -> Read:
    """The same; columns that are not there are NULL: nobody wants them, or they are left out."""
    content, positions = FileContent(schema), np.arange(len(given)) + 1
    closed: Closed | None = None
    columns = [given[name] if name in given.columns else None for name in schema.names]
    if PUNCT_COLUMN in given.columns and PUNCT_COLUMN not in schema.names:
        closed, special = _special(given, content)
        held = ~special.to_numpy()
        mask, positions = pl.Series(held), positions[held]  # column by column: a frame would plan it
        columns = [None if column is None else column.filter(mask) for column in columns]
    pairs = zip(columns, schema.attributes, strict=True)
    given = pl.DataFrame([_nothing(a, len(positions)) if column is None else column for column, a in pairs])
    rows = pl.DataFrame([fitted(given[a.name], a) for a in schema.attributes])
    doubt = differ(given, rows)
    if doubt.any():
        _reject(given.filter(doubt), rows.filter(doubt), positions[doubt.to_numpy()], content)
        rows, positions = rows.filter(~doubt), positions[~doubt.to_numpy()]
    return content.read(rows, closed, lambda row: (int(positions[row]), None), positions)


def _check_names(names: Sequence[str], schema: Schema, left_out: Set[str] = frozenset()) -> None:
    if missing := [name for name in schema.names if name not in names and name not in left_out]:
        raise CodecError(f"the data has no column {missing[0]}", choices(names), f"the stream has ({schema})")


def _special(given: pl.DataFrame, content: FileContent) -> tuple[Closed, pl.Series]:
    """Punctuations: the plain constants, and which rows they are; the others go to the content."""
    special = given[PUNCT_COLUMN].is_not_null()
    positions = np.flatnonzero(special.to_numpy()) + 1
    shown = _shown(given[PUNCT_COLUMN].filter(special))
    closed, plain = constants(shown, positions, content.schema)
    for at in np.flatnonzero(~plain).tolist():
        try:
            content.add(from_punct(shown[at], content.schema), int(positions[at]))
        except PunctumError as error:
            content.reject(int(positions[at]), error, shown[at])
    return closed, special


def _reject(given: pl.DataFrame, rows: pl.DataFrame, positions: Numbers, content: FileContent) -> None:
    wrong = {a: (given[a.name].is_not_null() & rows[a.name].is_null()).to_list() for a in content.schema.attributes}
    shown = pl.DataFrame([_shown(column) for column in given.iter_columns()]).to_dicts()
    for at, position in enumerate(positions.tolist()):
        attribute = next(a for a in wrong if wrong[a][at])
        detail = f"expected {attribute.type.value}, found {shown[at][attribute.name]}"
        error = CodecError(f"the column {attribute.name} has a wrong value", detail)
        content.reject(position, error, json.dumps(shown[at], ensure_ascii=False))


def _shown(column: pl.Series) -> pl.Series:
    """Values of any type as text; a time that no calendar has is shown as a number."""
    name, kind = column.name, column.dtype
    if isinstance(kind, pl.Date | pl.Datetime):
        known = _days(column) if isinstance(kind, pl.Date) else _times(column.to_physical(), kind)
        numbers = column.to_physical().cast(pl.String)
        return _where(known.is_not_null(), column).cast(pl.String).fill_null(numbers).alias(name)
    try:
        return column.cast(pl.String)
    except pl.exceptions.PolarsError:
        return pl.Series(name, [None if missing else f"a {kind}" for missing in column.is_null()], pl.String)


def fitted(column: pl.Series, attribute: Attribute) -> pl.Series:
    """A column as an attribute's type, NULL for every value that the type does not hold.

    >>> fitted(pl.Series([2**53, 2**53 + 1]), Attribute("x", Type.DOUBLE)).to_list()
    [9007199254740992.0, None]
    """
    kind, given, wanted = attribute.type, column.dtype, dtype(attribute)
    if given == wanted and kind in _AS_THEY_ARE:
        return column
    match kind:
        case Type.BIGINT if given.is_integer():
            return column.cast(wanted, strict=False)
        case Type.DOUBLE if given.is_float():
            return column.cast(wanted)
        case Type.DOUBLE if given.is_integer():
            there = column.cast(wanted)
            return _where(there.cast(pl.Int128, strict=False) == column.cast(pl.Int128), there)
        case Type.DECIMAL if given.is_integer() or given.is_decimal():
            there = column.cast(wanted, strict=False)
            return _where(there.cast(given, strict=False) == column, there)
        case Type.STRING if given in (pl.String, pl.Categorical, pl.Enum):
            return column.cast(wanted)
        case Type.BOOLEAN if given == pl.Boolean:
            return column
        case Type.DATE if given == pl.Date:
            return _days(column)
        case Type.TIMESTAMP if isinstance(given, pl.Datetime):
            return _times(column.to_physical(), given).cast(wanted)
        case Type.TIMESTAMP_NTZ if isinstance(given, pl.Datetime) and given.time_zone is None:
            return _times(column.to_physical(), given).cast(wanted)
        case Type.ARRAY | Type.STRUCT if _holds(given, attribute):
            return column.cast(wanted) if isinstance(given, pl.List) else _fields(column, attribute)
        case Type.INTERVAL if isinstance(given, pl.Duration):
            ticks = column.to_physical()
            return {"ns": ticks // 1_000, "us": ticks, "ms": ticks * 1_000}[given.time_unit].cast(wanted)
        case Type.INTERVAL if given == pl.Int64:  # as Spark writes it, in microseconds
            return column.cast(wanted)
        case _:
            return _nothing(attribute, len(column))


def _nothing(attribute: Attribute, height: int) -> pl.Series:
    return pl.Series(attribute.name, [None], dtype(attribute)).new_from_index(0, height)


def _days(column: pl.Series) -> pl.Series:
    """Days of the years that there are."""
    return _where(column.is_between(pl.lit(date.min), pl.lit(date.max)), column)


def _times(ticks: pl.Series, unit: pl.Datetime) -> pl.Series:
    """Microseconds, of the years that there are."""
    if unit.time_unit == "ns":
        return ticks // 1_000
    scale = 1_000 if unit.time_unit == "ms" else 1
    low, high = _FIRST // scale, _LAST // scale
    least, most = ticks.min(), ticks.max()
    known = least is None or (low <= least and most <= high)  # type: ignore[operator]
    whole = ticks * scale if scale > 1 else ticks
    return whole if known else _where(ticks.is_between(low, high), whole)


def _where(sure: pl.Series, values: pl.Series) -> pl.Series:
    return values if sure.all() else pl.select(pl.when(sure).then(values)).to_series()


def _holds(given: pl.DataType, attribute: Attribute) -> bool:
    """Whether all values of a type are values of an attribute with parts; parts keep their types."""
    match given:
        case pl.List(inner=inner) if attribute.type is Type.ARRAY:
            return _holds(inner, attribute.parts[0])  # type: ignore[arg-type]
        case pl.Struct(fields=fields) if attribute.type is Type.STRUCT:
            known = {field.name: field.dtype for field in fields}
            return all(_holds(known[a.name], a) for a in attribute.parts if a.name in known)  # type: ignore[arg-type]
    if isinstance(given, pl.Datetime):
        return attribute.type is (Type.TIMESTAMP_NTZ if given.time_zone is None else Type.TIMESTAMP)
    whole = attribute.type is Type.BIGINT and given.is_signed_integer()
    return whole or (attribute.type is Type.DOUBLE and given.is_float()) or given == dtype(attribute)


def _fields(column: pl.Series, attribute: Attribute) -> pl.Series:
    """A STRUCT with the fields of an attribute; one that is not there is NULL."""
    known = {field.name for field in column.dtype.fields}  # type: ignore[attr-defined]
    fields = [
        (pl.col(column.name).struct.field(a.name) if a.name in known else pl.lit(None)).cast(dtype(a)).alias(a.name)
        for a in attribute.parts
    ]
    made = pl.when(pl.col(column.name).is_not_null()).then(pl.struct(fields))
    return column.to_frame().select(made.alias(column.name)).to_series()
