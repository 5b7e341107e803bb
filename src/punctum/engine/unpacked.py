"""Results for any sink of Spark's: packed slices in, their rows and, when asked for, their punctuations out."""

from collections.abc import Iterator
from functools import partial

import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame

from punctum.algebra.json import to_json
from punctum.algebra.schema import Schema
from punctum.engine.exchange.messages import PackedSlice, QuarantineMessage, StageSlice, decode
from punctum.engine.exchange.quarantine import write_records
from punctum.engine.exchange.worker import init_worker
from punctum.engine.formats.files import PUNCT_COLUMN
from punctum.ir.expressions import type_text
from punctum.operators.batch import constant_punctuations
from punctum.operators.columns import dtype, fitting
from punctum.storage.location import Location


def unpacked(
    slices: DataFrame, schema: Schema, punctuations: bool = False, records: Location | None = None
) -> DataFrame:
    """The rows of slices; what comes with them for the quarantine is written there."""
    types = ", ".join(f"`{a.name}` {type_text(a)}" for a in schema.attributes)
    types += f", `{PUNCT_COLUMN}` STRING" if punctuations else ""
    return slices.mapInArrow(partial(rows_of_slices, schema, punctuations, records), types)


def rows_of_slices(
    schema: Schema, punctuations: bool, records: Location | None, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Results, unpacked into rows and, when asked for, punctuations."""
    init_worker()
    for batch in batches:
        for _, message, _ in decode(batch.to_pydict()):
            if isinstance(message, QuarantineMessage):
                write_records(message.lines, records)
            elif isinstance(message, StageSlice):
                if (rows := message.slice.frame()) is not None:
                    rows = fitting(rows, schema)
                    nothing = pl.lit(None, pl.String()).alias(PUNCT_COLUMN)
                    yield from _batches(rows.with_columns(nothing) if punctuations else rows)
                if punctuations:
                    yield from _punctuations(message.slice, schema)


def _punctuations(piece: PackedSlice, schema: Schema) -> Iterator[pa.RecordBatch]:
    puncts = list(piece.punctuations(schema))
    for name, values in piece.constant_values().items():
        puncts += constant_punctuations(schema, schema.index(name), values)
    if puncts:
        columns = {a.name: pl.Series([None] * len(puncts), dtype=dtype(a)) for a in schema.attributes}
        yield from _batches(pl.DataFrame({**columns, PUNCT_COLUMN: [to_json(p, schema) for p in puncts]}))


def _batches(rows: pl.DataFrame) -> list[pa.RecordBatch]:
    table = rows.to_arrow(compat_level=pl.CompatLevel.oldest())
    return table.cast(pa.schema([(field.name, _plain(field.type)) for field in table.schema])).to_batches()


def _plain(kind: pa.DataType) -> pa.DataType:
    """A type as Spark takes it, whose texts and lists are not large ones."""
    if pa.types.is_large_list(kind):
        return pa.list_(_plain(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, _plain(field.type)) for field in kind.fields])
    return pa.string() if pa.types.is_large_string(kind) else kind
