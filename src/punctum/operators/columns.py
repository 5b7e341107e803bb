"""Slices in columns: a schema in, the Polars types and frames of its rows out.

The columns of a frame are named as the schema's attributes and stand in their order. Values are canonical: NaN equals
itself and is the greatest DOUBLE, as Polars has it, and -0.0 has become 0.0 (``canonical``).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC
from functools import lru_cache
from itertools import islice
from typing import Any

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import NAN, Row, Type

AT = "\0at"
"""The column of rows' places, while they travel with the rows."""
NOW = "\0now"
"""The column of times, in microseconds since 1970, beside the places where they have come."""
_DTYPES: dict[Type, pl.DataType] = {
    Type.BIGINT: pl.Int64(),
    Type.DOUBLE: pl.Float64(),
    Type.STRING: pl.String(),
    Type.BOOLEAN: pl.Boolean(),
    Type.DATE: pl.Date(),
    Type.TIMESTAMP: pl.Datetime("us", "UTC"),
    Type.TIMESTAMP_NTZ: pl.Datetime("us"),
    Type.INTERVAL: pl.Duration("us"),
}


@dataclass(frozen=True)
class Places:
    """Where the elements of a slice stand in their sequence; a row stands before a punctuation of the same place."""

    rows: pl.Series
    puncts: tuple[int, ...] = ()
    constants: dict[str, pl.Series] = field(default_factory=dict)
    in_order: bool = False
    """Whether no row is late because of these punctuations, or could be: then places matter for the time alone."""
    times: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Where time moves in the sequence, for each column that tells it: places (AT), and what it is then (NOW)."""
    loose: bool = False
    """Whether no row is late but where several of these punctuations say more together than each by itself."""


@dataclass
class ColumnarSlice:
    """A slice in columns: some rows and some punctuations.

    Many punctuations that are a single constant each may come as ``constants``, a column for an attribute's name. An
    operator answers in constants only when it was given some, so who gives none meets none; only punctuate, which makes
    them, always does. Rows stand in the order of their sequence. All of them stand before all punctuations, unless a
    source says otherwise (``places``); an operator is given no places.
    """

    rows: pl.DataFrame
    puncts: tuple[Punctuation, ...] = ()
    constants: dict[str, pl.Series] = field(default_factory=dict)
    places: Places | None = None


def dtype(attribute: Attribute) -> pl.DataType:
    """The Polars type of an attribute.

    >>> dtype(Attribute("price", Type.DECIMAL, digits=(10, 2)))
    Decimal(precision=10, scale=2)
    """
    match attribute.type:
        case Type.DECIMAL:
            return pl.Decimal(*attribute.digits)
        case Type.ARRAY:
            return pl.List(dtype(attribute.parts[0]))
        case Type.STRUCT:
            return pl.Struct({part.name: dtype(part) for part in attribute.parts})
    return _DTYPES[attribute.type]


@lru_cache(1024)
def empty(schema: Schema) -> pl.DataFrame:
    """No rows of a schema."""
    return pl.DataFrame(schema={a.name: dtype(a) for a in schema.attributes})


def uniform(value: object, many: int, kind: "type[pl.DataType] | pl.DataType | None" = None) -> pl.Series:
    """One value so many times; ``pl.repeat`` builds a query for it, which takes longer than most columns.

    >>> uniform(False, 2).to_list(), uniform(None, 0, pl.String).dtype
    ([False, False], String)
    """
    return pl.Series([value], dtype=kind).new_from_index(0, many)


def frame(schema: Schema, rows: Iterable[Row]) -> pl.DataFrame:
    """Rows of canonical values in columns."""
    kept = list(rows)
    return pl.DataFrame([column(a.name, a, [t[i] for t in kept]) for i, a in enumerate(schema.attributes)])


def column(name: str, attribute: Attribute, values: list[Any]) -> pl.Series:
    """Canonical values as a column."""
    if attribute.type.nested:
        values = [_given(value, attribute) for value in values]
    return pl.Series(name, values, dtype=dtype(attribute), strict=True)


def _given(value: Any, attribute: Attribute) -> Any:
    """A value as Polars takes it: elements in a list, fields by their names."""
    if value is None or not attribute.type.nested:
        return value
    if attribute.type is Type.ARRAY:
        return [_given(element, attribute.parts[0]) for element in value]
    return {part.name: _given(field, part) for part, field in zip(attribute.parts, value, strict=True)}


def to_rows(df: pl.DataFrame) -> list[Row]:
    """The rows of a frame as canonical values.

    >>> to_rows(frame(Schema.of(n="BIGINT"), [(17,), (None,)]))
    [(17,), (None,)]
    """
    return list(zip(*(_values(column) for column in df.iter_columns()), strict=True))


def canonical(df: pl.DataFrame) -> pl.DataFrame:
    """The same rows with one zero and one NaN, as equality in keys and punctuations needs them."""
    deep = [_one_zero(pl.col(name), kind) for name, kind in df.schema.items() if _has_floats(kind)]
    if pl.Float64 not in df.dtypes and not deep:
        return df
    return df.with_columns(_one_zero(pl.col(pl.Float64), pl.Float64()).name.keep(), *deep)


def _has_floats(kind: pl.DataType) -> bool:
    """Whether values of a type have DOUBLEs in them."""
    if isinstance(kind, pl.List):
        return kind.inner == pl.Float64 or _has_floats(kind.inner)  # type: ignore[arg-type]
    if isinstance(kind, pl.Struct):
        return any(field.dtype == pl.Float64 or _has_floats(field.dtype) for field in kind.fields)  # type: ignore[arg-type]
    return False


def _one_zero(values: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """Values whose DOUBLEs have one zero and one NaN."""
    if kind == pl.Float64:
        return pl.when(values == 0).then(0.0).otherwise(values.fill_nan(NAN))
    if isinstance(kind, pl.List) and _has_floats(kind):
        return values.list.eval(_one_zero(pl.element(), kind.inner))  # type: ignore[arg-type]
    if isinstance(kind, pl.Struct) and _has_floats(kind):
        fields = (_one_zero(values.struct.field(f.name), f.dtype).alias(f.name) for f in kind.fields)  # type: ignore[arg-type]
        return pl.when(values.is_not_null()).then(pl.struct(*fields)).name.keep()
    return values


def fitting(df: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """The columns of a schema, in its order and types, canonical."""
    wanted = {a.name: dtype(a) for a in schema.attributes}
    return canonical(df if df.schema == wanted else df.select(pl.col(n).cast(kind) for n, kind in wanted.items()))


def _values(column: pl.Series) -> list[Any]:
    if isinstance(column.dtype, pl.Struct):
        fields = zip(*(_values(field) for field in column.struct.unnest().iter_columns()), strict=True)
        return [None if none else field for none, field in zip(column.is_null(), fields, strict=True)]
    if isinstance(column.dtype, pl.List):
        elements = iter(_values(column.explode(empty_as_null=False, keep_nulls=False)))
        return [None if n is None else tuple(islice(elements, n)) for n in column.list.len()]
    values: list[Any] = column.to_list()
    if column.dtype == pl.Float64:
        return [v if v is None else NAN if math.isnan(v) else v + 0.0 for v in values]
    if column.dtype == pl.Datetime("us", "UTC"):
        return [None if v is None else v.astimezone(UTC) for v in values]
    return values
