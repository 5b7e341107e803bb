r"""Files of results in the text format of Postgres's COPY: workers write them, and the end of a batch reads them.

A line is a row, a tab stands between two values, ``\N`` is NULL, and a backslash stands before each backslash, tab and
line break of a string, so that no value looks like something else, ``\.`` included. Days are Julian day numbers
(``J2440588`` is 1970-01-01), which Postgres reads whatever the year. A row that no table of Postgres can take goes to
the quarantine.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import uuid4

import polars as pl

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.engine.exchange.quarantine import Record, fail
from punctum.engine.formats.read import LONGEST, clean
from punctum.engine.formats.write import json_lines
from punctum.operators.columns import ColumnarSlice
from punctum.storage.files import emptied, filled
from punctum.storage.location import Location, location

_DAY = 86_400_000_000  # microseconds
_EPOCH = 2_440_588  # the Julian day number of 1970-01-01
_LAST = 2_147_483_493  # that of 5874897-12-31, the last day that Postgres has
_LONGEST_ROW = 1 << 29
"""Bytes of the strings of a row: with a backslash before each, the line has less than the gigabyte of Postgres."""
_LONGEST_KEY = 1_900
"""Bytes of the strings of a key: beside other columns, they fit in the third of a page that an index has for a key."""
_AT_ONCE = 100_000
_TIMES = (Type.TIMESTAMP, Type.TIMESTAMP_NTZ)


@dataclass(frozen=True)
class CopyFiles:
    """A directory where the results of a batch wait for COPY, and what its table asks of a row.

    The columns of the key are those of an index; those that are required are not NULL.
    """

    directory: str
    sink: str
    schema: Schema
    key: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    fails: bool = False
    """Whether a row that cannot be taken stops the query."""

    def write(self, piece: ColumnarSlice) -> tuple[str | None, Iterable[Record]]:
        """Write a slice for later: the name for it, if there is any, and records of the rows that cannot be taken."""
        reasons = self._reasons(piece.rows)
        rows, refused = piece.rows.filter(reasons.is_null()), piece.rows.filter(reasons.is_not_null())
        records = self._records(refused, reasons.drop_nulls())
        if self.fails and refused.height:
            fail(next(records), "a row cannot be written to Postgres")
        name = uuid4().hex if rows.height else None
        if name is not None:
            write_copy(self.path(name), rows, self.schema)
        return name, records

    def _reasons(self, rows: pl.DataFrame) -> pl.Series:
        """What keeps each row out of the table, if anything does."""
        cases = [pl.when(wrong).then(pl.lit(reason)) for wrong, reason in self._cannot()]
        return rows.select(pl.coalesce(*cases, pl.repeat(None, pl.len(), dtype=pl.String()))).to_series()

    def _records(self, refused: pl.DataFrame, reasons: pl.Series) -> Iterator[Record]:
        times = [a for a in self.schema.attributes if a.type in (Type.DATE, *_TIMES)]
        shown = refused.with_columns(pl.when(~_outside(a)).then(pl.col(a.name)) for a in times)
        for text, why in zip(json_lines(shown, self.schema), reasons, strict=True):
            yield Record(self.sink, why, clean(text, LONGEST))

    def _cannot(self) -> list[tuple[pl.Expr, str]]:
        """What keeps a row out of a table, with the reason."""
        wrong = [
            (pl.col(name).is_null(), f"{name} is NULL, but the table's column is NOT NULL") for name in self.required
        ]
        strings = [a.name for a in self.schema.attributes if a.type is Type.STRING]
        nul = "contains the character NUL, which Postgres does not support"
        wrong += [(pl.col(name).str.contains("\0", literal=True), f"{name} {nul}") for name in strings]
        for attribute in self.schema.attributes:
            if attribute.type in (Type.DATE, *_TIMES):
                wrong.append((_outside(attribute), f"{attribute.name} is outside the range of times in Postgres"))
        keys = [name for name in strings if name in self.key]
        for names, most, what in ((strings, _LONGEST_ROW, "row"), (keys, _LONGEST_KEY, "key")):
            if names:
                wrong.append((_bytes(names) > most, f"the strings of the {what} have more than {most:,} bytes"))
        return wrong

    def path(self, name: str) -> Location:
        """The file that has a name."""
        return location(self.directory) / name

    def clear(self) -> None:
        """Make the directory, and drop what is there."""
        emptied(location(self.directory))


def write_copy(path: Location, rows: pl.DataFrame, schema: Schema) -> None:
    """Rows as COPY reads them."""
    with filled(path) as file, file.open("wb") as out:
        for piece in rows.iter_slices(_AT_ONCE):
            text = piece.select(_text(a).alias(a.name) for a in schema.attributes)
            text.write_csv(out, include_header=False, separator="\t", null_value="\\N", quote_style="never")


def _text(attribute: Attribute) -> pl.Expr:
    column = pl.col(attribute.name)
    match attribute.type:
        case Type.STRING:
            for plain, escaped in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
                column = column.str.replace_all(plain, escaped, literal=True)
            return column
        case Type.DATE:
            return _julian(column.to_physical().cast(pl.Int64))
        case Type.TIMESTAMP | Type.TIMESTAMP_NTZ:
            moment = column.to_physical()
            clock = (moment % _DAY * 1000).cast(pl.Time).dt.strftime(" %H:%M:%S%.6f")
            return _julian(moment // _DAY) + clock + ("Z" if attribute.type is Type.TIMESTAMP else "")
        case Type.INTERVAL:
            return column.to_physical().cast(pl.String) + " microseconds"
        case _:
            return column


def _julian(days: pl.Expr) -> pl.Expr:
    return pl.lit("J") + (days + _EPOCH).cast(pl.String)


def _outside(attribute: Attribute) -> pl.Expr:
    """Whether a day or a time lies outside of what Postgres has."""
    days = pl.col(attribute.name).to_physical().cast(pl.Int64) // (1 if attribute.type is Type.DATE else _DAY)
    return ~days.is_between(-_EPOCH, _LAST - _EPOCH)


def _bytes(names: Sequence[str]) -> pl.Expr:
    return pl.sum_horizontal(pl.col(name).str.len_bytes() for name in names)
