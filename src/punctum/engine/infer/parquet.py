"""The columns of Parquet files: they have types already, which are taken where a stream has the same."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from punctum.algebra.schema import Attribute
from punctum.algebra.values import Type
from punctum.engine.formats.read import PUNCT_COLUMN
from punctum.engine.formats.splits import Split
from punctum.engine.infer.columns import Columns, together
from punctum.engine.infer.sample import MOST_FILES, MOST_ROWS, Sample, evenly
from punctum.errors import SchemaError


def of_parquet(base: Path, splits: Sequence[Split]) -> tuple[Columns, Sample]:
    """The columns of some Parquet files, and what was looked at."""
    filled = [split for split in splits if split.end]
    chosen = evenly(filled, MOST_FILES)
    sample = Sample(len(filled), looked=len(chosen), whole=len(chosen) == len(filled))
    known, left_out = dict[str, list[Attribute]](), dict[str, str]()
    for split in chosen:
        try:
            file = parquet.ParquetFile(base / split.name)
            sample.rows += file.metadata.num_rows
        except (pa.ArrowException, OSError, ValueError):
            sample.broken.append(split.name)
            continue
        known[split.name], before = [], len(sample.puncts)
        for column in file.schema_arrow:
            if column.name == PUNCT_COLUMN:
                texts = file.read(columns=[PUNCT_COLUMN])[PUNCT_COLUMN].drop_null().slice(0, MOST_ROWS)
                sample.puncts += [text for text in texts.to_pylist() if text is not None]
            elif (attribute := _attribute(column.name, column.type)) is None:
                left_out[column.name] = f"the column {column.name} is left out: its type {column.type} is not supported"
            else:
                known[split.name].append(attribute)
        sample.nulls |= _nulls(file, len(sample.puncts) - before)
    if not known:
        raise SchemaError("no file can be read as Parquet", ", ".join(sample.broken[:3]), "they may be truncated")
    columns = together(known)
    columns.left_out |= left_out
    return columns, sample


def _nulls(file: parquet.ParquetFile, punctuations: int) -> set[str]:
    """The columns that are NULL in rows, or may be: in punctuations all of them are."""
    counts: dict[str, int] = {}
    for group in (file.metadata.row_group(n) for n in range(file.metadata.num_row_groups)):
        for column in (group.column(n) for n in range(group.num_columns)):
            known = None if column.statistics is None else column.statistics.null_count
            nulls = group.num_rows + 1 if known is None else known
            counts[column.path_in_schema] = counts.get(column.path_in_schema, 0) + nulls
    return {name for name, count in counts.items() if count > punctuations}


def _attribute(name: str, kind: pa.DataType) -> Attribute | None:
    """The attribute of a column, if there is one that takes its values."""
    types = pa.types
    if types.is_decimal(kind):
        return Attribute(name, Type.DECIMAL, digits=(kind.precision, kind.scale)) if kind.precision <= 38 else None
    if types.is_uint64(kind):
        return Attribute(name, Type.DECIMAL, digits=(20, 0))
    if types.is_timestamp(kind):
        return Attribute(name, Type.TIMESTAMP_NTZ if kind.tz is None else Type.TIMESTAMP)
    if types.is_list(kind) or types.is_large_list(kind):
        element = _attribute("element", kind.value_type)
        return element and Attribute(name, Type.ARRAY, parts=(element,))
    if types.is_struct(kind):
        fields = [_attribute(kind.field(n).name, kind.field(n).type) for n in range(kind.num_fields)]
        known = tuple(part for part in fields if part is not None)
        return Attribute(name, Type.STRUCT, parts=known) if known and len(known) == len(fields) else None
    scalar = next((ours for fits, ours in _SCALARS if fits(kind)), None)
    return None if scalar is None else Attribute(name, scalar)


_SCALARS = (
    (pa.types.is_integer, Type.BIGINT),
    (pa.types.is_floating, Type.DOUBLE),
    (pa.types.is_string, Type.STRING),
    (pa.types.is_large_string, Type.STRING),
    (pa.types.is_boolean, Type.BOOLEAN),
    (pa.types.is_date, Type.DATE),
    (pa.types.is_duration, Type.INTERVAL),
)
