"""Results in directories by the values of columns, as Hive and Spark lay them out, and files of a batch made one.

A reader finds ``dt=2026-01-01/part-….parquet``, without the column in the file. NULL has a name of its own, and so has,
as in Spark, the empty string: it is read as NULL.
"""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.formats.csv import header
from punctum.engine.formats.path_columns import directory_of
from punctum.engine.formats.write import in_text
from punctum.storage.files import fetched, filled
from punctum.storage.location import Location


def divided(rows: pl.DataFrame, schema: Schema, columns: Sequence[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """The rows of each directory, with its path, and without the columns that are in it.

    >>> rows = pl.DataFrame({"n": [1, 2, 3], "s": ["a", "b/c", "a"]})
    >>> [(path, rows.rows()) for path, rows in divided(rows, Schema.of(n="BIGINT", s="STRING"), ["s"])]
    [('s=a', [(1,), (3,)]), ('s=b%2Fc', [(2,)])]
    """
    of = Schema(tuple(schema.attributes[schema.index(name)] for name in columns))
    texts = in_text(rows.select(columns), of).select(pl.all().cast(pl.String))
    numbered = texts.with_columns(pl.Series("\0row", range(len(rows)), pl.UInt32))
    for values, some in numbered.group_by(columns, maintain_order=True):
        named = dict(zip(columns, map(_text, values), strict=True))
        yield directory_of(named), rows[some["\0row"]].drop(columns)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def merge(files: Sequence[Location], target: Location, format_: str, options: Mapping[str, str]) -> None:
    """Make one file of several."""
    with filled(target) as whole:
        if format_ == "parquet":
            pl.concat([_parquet(file) for file in files]).write_parquet(whole)
            return
        with whole.open("wb") as out:
            for n, file in enumerate(files):
                data = file.read_bytes()
                out.write(data[len(header(data, options)) :] if n and format_ == "csv" else data)


def _parquet(file: Location) -> pl.DataFrame:
    with fetched(file) as local:
        return pl.read_parquet(local)
