"""Spilling: what is kept beyond a limit lies in files that the system maps into memory, and is read where it is needed.

The files have no name, so nothing is left of them when the process ends, however it ends.
"""

import os
from collections.abc import Iterable
from io import BufferedRandom
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from punctum.operators.table import Table

DIRECTORIES = ("LOCAL_DIRS", "SPARK_LOCAL_DIRS")
"""The variables of the environment in which Spark says where a worker may write."""


def default_memory() -> int:
    """How many bytes of rows a worker keeps in memory unless told: a quarter of the machine's, divided by its cores."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4 // (os.cpu_count() or 1)


def mapped_frame(df: pl.DataFrame) -> pl.DataFrame:
    r"""The same rows, in a file; Arrow takes no names with a zero character, as marks and logs have them.

    >>> mapped_frame(pl.DataFrame({"n": [1, 2], "\0s": ["a", None]})).to_dict(as_series=False)
    {'n': [1, 2], '\x00s': ['a', None]}
    """
    numbered = df.rechunk()
    numbered.columns = [str(n) for n in range(df.width)]
    table = numbered.to_arrow(compat_level=pl.CompatLevel.newest())
    with _file() as file:
        with pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        file.flush()
        mapped = pa.ipc.open_file(pa.memory_map(f"/dev/fd/{file.fileno()}")).read_all()  # stays when it is closed
    rows = pl.from_arrow(mapped, rechunk=False)
    assert isinstance(rows, pl.DataFrame)
    rows.columns = df.columns
    return rows


def mapped_array(array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers, in a file; those that are changed there stay changed.

    >>> mapped_array(np.array([1, 2, 3])).tolist()
    [1, 2, 3]
    """
    if not len(array):
        return array
    with _file() as file:
        array.tofile(file)
        file.flush()
        return np.memmap(file, array.dtype, "r+", shape=array.shape)


def spill(tables: Iterable[Table], most: int) -> int:
    """Have no more bytes of tables in memory than a limit, as far as it can be: the largest segments go first.

    Given is how many bytes of memory that spares.
    """
    known = list(tables)
    spared, over = 0, sum(table.bytes for table in known) - most
    if over > 0:
        segments = [segment for table in known for segment in table.segments().values()]
        for segment in sorted(segments, key=lambda segment: -segment.bytes):
            if spared >= over:
                break
            spared += segment.map_to_files(mapped_frame, mapped_array)
    return spared


def lie_in_files(table: Table, numbers: Iterable[int]) -> None:
    """Say of some chunks of a table that their rows were read into files."""
    segments = table.segments()
    for n in segments.keys() & numbers:
        segments[n].lies_in_files(mapped_array)


def _file() -> BufferedRandom:
    there = next((os.environ[name] for name in DIRECTORIES if os.environ.get(name)), None)
    return TemporaryFile(dir=there.split(",")[0] if there else None)
