"""Slices of a workload, in memory and in files: rows in the order in which they come, with punctuations."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from punctum.nexmark.arrival import arriving, promises
from punctum.nexmark.tables import COLUMNS
from punctum.nexmark.texts import Column, buffer
from punctum.nexmark.workload import TABLES, Workload

PUNCT = "_punct"
"""The column that holds a punctuation as JSON."""
SLICE = 100_000
"""So many events are in a file of each table, unless it is said otherwise."""
SIDE, SIDE_ROWS = "side", 10_000
"""The small table that bids are joined with, and how many rows it has."""


def piece(workload: Workload, table: str, start: int, end: int) -> pa.Table:
    """The elements of a table at some places of the order in which they come."""
    n, places = arriving(workload, table, start, end)
    cuts, texts = promises(workload, table, start, end)
    at = np.searchsorted(places, cuts)
    is_row = np.ones(len(n) + len(texts), np.bool_)
    is_row[at + np.arange(len(texts))] = False
    columns = COLUMNS[table](workload, np.insert(n, at, 0) if len(texts) else n)
    valid = buffer(np.packbits(is_row, bitorder="little"))
    rows = {name: _blanked(column, valid) for name, column in columns.items()} if len(texts) else dict(columns)
    return pa.table({**rows, PUNCT: _texts(texts, ~is_row)})


def _blanked(column: Column, valid: pa.Buffer) -> Column:
    """A column with NULLs where there is a punctuation."""
    if isinstance(column, pa.DictionaryArray):
        return pa.DictionaryArray.from_arrays(_blanked(column.indices, valid), column.dictionary)
    return pa.Array.from_buffers(column.type, len(column), [valid, *column.buffers()[1:]])


def _texts(texts: Column, where: NDArray[np.bool_]) -> pa.StringArray:
    """Strings where there is a punctuation, NULLs elsewhere."""
    _, offsets, data = texts.buffers()
    ends = np.zeros(len(where) + 1, np.int32)
    ends[1:][where] = np.diff(np.frombuffer(offsets, np.int32)[: len(texts) + 1]) if len(texts) else 0
    valid = buffer(np.packbits(where, bitorder="little"))
    return pa.StringArray.from_buffers(len(where), buffer(np.cumsum(ends, dtype=np.int32)), data, valid)


def slices(workload: Workload, size: int = SLICE) -> Iterator[tuple[int, int]]:
    """Where the slices of a workload begin and end; the last one is no larger than it needs to be.

    >>> list(slices(Workload(250_000)))
    [(0, 100000), (100000, 200000), (200000, 250000)]
    >>> next(slices(Workload(10**15)))
    (0, 100000)
    """
    return pairwise(chain(range(0, workload.arrivals, size), [workload.arrivals]))


def generate(
    workload: Workload, directory: Path, format_: str = "parquet", size: int = SLICE, tables: Sequence[str] = TABLES
) -> Iterator[int]:
    """Write a directory of files for each table, slice by slice; how many places have been written after each.

    Before them the small table is written, in a file.
    """
    for table in (*tables, SIDE):
        (directory / table).mkdir(parents=True, exist_ok=True)
    keys = list(range(SIDE_ROWS))
    side = pa.table({"key": keys, "value": [f"value {key}" for key in keys], PUNCT: [None] * SIDE_ROWS})
    WRITERS[format_](side, directory / SIDE / f"{SIDE}.{format_}")
    for number, (start, end) in enumerate(slices(workload, size)):
        for table in tables:
            path = directory / table / f"{number:06}.{format_}"
            part = path.with_name(f".{path.name}")
            WRITERS[format_](piece(workload, table, start, end), part)
            os.replace(part, path)
        yield end


def _parquet(elements: pa.Table, path: Path) -> None:
    known = [field.name for field in elements.schema if pa.types.is_dictionary(field.type)]
    parquet.write_table(
        elements,
        path,
        compression="none",  # most of it is letters by chance
        use_dictionary=known,  # type: ignore[arg-type]
        write_statistics=False,
        store_schema=False,
    )


def _json(elements: pa.Table, path: Path) -> None:
    frame = pl.DataFrame(elements).with_columns(
        pl.selectors.datetime().dt.strftime("%Y-%m-%dT%H:%M:%S%.3fZ"), pl.selectors.categorical().cast(pl.String)
    )
    row = pl.struct(pl.exclude(PUNCT)).struct.json_encode()
    lines = frame.select(line=pl.coalesce(PUNCT, row))
    lines.write_csv(path, include_header=False, quote_style="never")


WRITERS: Mapping[str, Callable[[pa.Table, Path], None]] = {"parquet": _parquet, "json": _json}
"""The formats of files."""
