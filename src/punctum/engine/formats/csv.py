r"""Files of comma-separated values, as RFC 4180 has them.

Options: ``header`` ('false'), ``sep`` (','), and ``nullValue`` (''), the text that is NULL; in quotes it is itself as a
STRING, and NULL as anything else. A field in quotes may hold separators, ends of lines and doubled quotes; a quote
inside a field that does not start with one is itself. Punctuations stand in a column ``_punct``; without a header that
is one column more than the stream has.

A record is a line, unless it opens a quote and the lines behind it close it so that the record is complete. Where they
do not, the quote is a fault of its own line, and the next line is read as any other. The fast road is for records that
a regular expression has proved: Arrow splits them into fields. The exact road splits with a regular expression.
"""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow import csv as arrow_csv

from punctum.algebra.functions import Element
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.engine.formats.lines import BOM, Lines, Mask, Numbers, alike
from punctum.engine.formats.options import may_be_left_out, option, path_columns, switch
from punctum.engine.formats.puncts import constants, from_punct
from punctum.engine.formats.read import PUNCT_COLUMN, Closed, FileContent, Read, decoded, differ
from punctum.engine.formats.typed import typed, value
from punctum.errors import CodecError, PunctumError, SchemaError, choices


def read_csv(data: bytes, schema: Schema, options: Mapping[str, str]) -> Read:
    """The elements of a file of comma-separated values."""
    dialect, lines, content = Dialect.of(options), Lines.of(data), FileContent(schema)
    left_out, in_path = may_be_left_out(options, schema), path_columns(options)
    top = next((at for at in range(len(lines)) if lines[at].strip(b"\r\n")), None)
    if top is None:
        return content.read()
    start, names = int(lines.starts[top]), tuple(name for name in schema.names if name not in in_path)
    least = 1 if option(options, "missing", "error").lower() == "null" else len(names)
    if dialect.header:
        head = dialect.some.match(data, start)
        try:
            names = dialect.names(lines[top] if head is None else head.group(), schema, left_out)
        except PunctumError as error:
            content.reject(0, error, lines[top].rstrip(b"\r\n"))
            return content.read()
        top = int(np.searchsorted(lines.starts, start if head is None else head.end()))
    elif dialect.record(len(names) + 1, len(names) + 1).match(data, start):
        names = (*names, PUNCT_COLUMN)
    return _CsvReader(dialect, names, content, Lines(data, lines.starts[top:]), top, least).read()


def read_puncts_csv(data: bytes, schema: Schema, options: Mapping[str, str]) -> Read:
    r"""The punctuations of a file: of its lines those are read that may be some, unless records go over lines.

    >>> read = read_puncts_csv(b'1,\n2,\n,"{""$punct"": {""n"": 1}}"\n', Schema.of(n="BIGINT"), {})
    >>> read.piece.rows.height, read.piece.constants["n"].to_list()
    (1, [1])
    """
    if b"{" not in data:
        return FileContent(schema).read()
    dialect, lines = Dialect.of(options), Lines.of(data)
    filled = (lines.texts.str.strip_chars("\r\n") != "").cast(pl.Int64)
    some = (lines.texts.str.contains("{", literal=True) | (filled.cum_sum() <= 1)).to_numpy()  # and what comes first
    kept = lines.only(some).read()
    alone = all(map(dialect.some.fullmatch, (lines[at] for at in np.flatnonzero(some).tolist())))
    return read_csv(kept if alone and kept.count(b'"') == data.count(b'"') else data, schema, options)


def header(beginning: bytes, options: Mapping[str, str]) -> bytes:
    """How a file begins up to the end of its header, if it has one: what is read from later on needs it too."""
    dialect, lines = Dialect.of(options), Lines.of(beginning)
    top = next((at for at in range(len(lines)) if lines[at].strip(b"\r\n")), None)
    if not dialect.header or top is None:
        return b""
    head = dialect.some.match(beginning, int(lines.starts[top]))
    return beginning[: int(lines.starts[top + 1]) if head is None else head.end()]


@dataclass(frozen=True)
class Dialect:
    """How a file is written: the separator, the text that is NULL, and whether names come first."""

    sep: str
    null: str
    header: bool

    @staticmethod
    def of(options: Mapping[str, str]) -> "Dialect":
        """The dialect that a stream's options describe."""
        sep = option(options, "sep", ",").replace("\\t", "\t")
        if len(sep) != 1 or not sep.isascii() or sep in '"\r\n\0':
            raise SchemaError(f"the option sep is {sep!r}", "", "one ASCII character, but no quote or line end")
        null = option(options, "nullValue", "")
        if any(mark in null for mark in (sep, *'"\r\n\0')):
            raise SchemaError(
                f"the option nullValue is {null!r}", "", "a string without quotes, separators or line ends"
            )
        return Dialect(sep, null, switch(options, "header", False))

    @property
    def _sep(self) -> str:
        return rf"\x{ord(self.sep):02x}"

    @property
    def _field(self) -> str:
        return rf'(?:"(?:[^"]++|"")*+"|(?:[^"\r\n{self._sep}][^\r\n{self._sep}]*+)?)'

    def record(self, least: int, most: int | str = "") -> re.Pattern[bytes]:
        """A record of so many fields."""
        more = f"(?:{self._sep}{self._field}){{{least - 1},{most and int(most) - 1}}}+"
        return re.compile(rf"{self._field}{more}\r?(?:\n|\Z)".encode())

    @cached_property
    def some(self) -> re.Pattern[bytes]:
        """A record of any number of fields."""
        return self.record(1)

    @cached_property
    def _split(self) -> re.Pattern[str]:
        return re.compile(rf"({self._field})({self._sep}|\r?(?:\n|\Z))")

    def proof(self, fields: int) -> str:
        """The records that Arrow reads as we do, as a regular expression."""
        field = rf'(?:"(?:[^"\x00]|"")*"|[^"\r\n\x00{self._sep}]*)'
        return rf"^{field}(?:{self._sep}{field}){{{fields - 1}}}\r?\n?$"

    def fields(self, record: str) -> list[str]:
        """The fields of a record as they stand.

        >>> Dialect(",", "", False).fields('1,"a, b",5" disk')
        ['1', '"a, b"', '5" disk']
        """
        if "\0" in record:
            raise CodecError("a line contains a zero byte", "", "the file may have been cut off while it was written")
        if not self.some.fullmatch(record.encode()):
            raise CodecError(
                "a line is not a CSV record", "a quote is not closed, or is followed by more text", "double the quote"
            )
        texts = []
        for field in self._split.finditer(record):
            texts.append(field[1])
            if field[2] != self.sep:
                break
        return texts

    def names(self, header: bytes, schema: Schema, left_out: Set[str] = frozenset()) -> tuple[str, ...]:
        """The columns of a file with this header."""
        names = tuple(map(unquoted, self.fields(decoded(header))))
        needed = [name for name in schema.names if name in names or name not in left_out]
        for name in (*needed, PUNCT_COLUMN):
            if names.count(name) != 1 and (name in schema.names or name in names):
                what = f"the header names {name} twice" if name in names else f"the header has no column {name}"
                raise CodecError(what, choices(names), f"the stream has ({schema})")
        return names


def unquoted(field: str) -> str:
    """The text of a field, which may be in quotes."""
    return field[1:-1].replace('""', '"') if field.startswith('"') else field


class _CsvReader:
    """Reads the lines behind the header, of which there have been ``before``."""

    def __init__(
        self, dialect: Dialect, names: tuple[str, ...], content: FileContent, lines: Lines, before: int, least: int
    ) -> None:
        self.own = tuple(name for name in names if name != PUNCT_COLUMN or name in content.schema.names)
        self.least = min(least, len(self.own))
        self.dialect, self.names, self.content, self.lines = dialect, names, content, lines
        self.schema, self.positions = content.schema, np.arange(len(lines)) + before + 1
        self.punctuated = PUNCT_COLUMN in names and PUNCT_COLUMN not in self.schema.names
        self.strings = {a.name for a in self.schema.attributes if a.type is Type.STRING}

    def read(self) -> Read:
        filled, proven = self._filled(), self._proven()
        if self._join(np.flatnonzero(filled & ~proven)):
            filled, proven = self._filled(), self._proven()
        proven &= filled
        self._exactly(np.flatnonzero(filled & ~proven))
        at, fields = np.flatnonzero(proven), self._fields(proven)
        closed: Closed | None = None
        if self.punctuated:
            punctuation = fields[PUNCT_COLUMN].is_not_null()
            here = at[punctuation.to_numpy()]
            closed, plain = constants(fields[PUNCT_COLUMN].drop_nulls(), self.positions[here], self.schema)
            self._exactly(here[~plain])
            at, fields = at[~punctuation.to_numpy()], fields.filter(~punctuation)
        rows = pl.DataFrame([typed(fields[a.name], a) for a in self.schema.attributes])
        doubt = differ(fields, rows)
        self._exactly(at[doubt.to_numpy()])
        at = at[~doubt.to_numpy()]
        return self.content.read(
            rows.filter(~doubt), closed, lambda row: self._place(int(at[row])), self.positions[at].astype(np.int64)
        )

    def _place(self, at: int) -> tuple[int, bytes]:
        return int(self.positions[at]), self.lines[at].rstrip(b"\r\n")

    def _filled(self) -> Mask:
        return (self.lines.texts.str.strip_chars("\r\n") != "").to_numpy()

    def _proven(self) -> Mask:
        proven = alike(self.lines.texts, self.dialect.proof(len(self.names)))
        if BOM in self.lines.data:  # Arrow would pass over one that stands first in what it is given
            proven &= ~self.lines.texts.str.starts_with(BOM.decode()).to_numpy()
        return proven

    def _join(self, open_lines: Numbers) -> bool:
        """Make records of lines, where a quote that one of these lines opens is closed by a later one."""
        starts, inside = self.lines.starts, np.zeros(len(self.lines.starts), np.bool_)
        least, most = (self.least, len(self.names)) if self.dialect.header else (self.least, len(self.own) + 1)
        record = self.dialect.record(least, most)
        for at in open_lines.tolist():
            if not inside[at] and (whole := record.match(self.lines.data, int(starts[at]))):
                inside[at + 1 : int(np.searchsorted(starts, whole.end()))] = True
        self.lines, self.positions = Lines(self.lines.data, starts[~inside]), self.positions[~inside[:-1]]
        return bool(inside.any())

    def _fields(self, proven: Mask) -> pl.DataFrame:
        """The columns that are wanted, as texts."""
        columns = (*self.schema.names, *[PUNCT_COLUMN] * self.punctuated)
        wanted = {self.names.index(name): name for name in columns if name in self.names}
        if not proven.any():
            return pl.DataFrame(schema=dict.fromkeys(columns, pl.String()))
        numbers = [str(n) for n in wanted]
        table = arrow_csv.read_csv(
            self.lines.only(proven),
            arrow_csv.ReadOptions(block_size=self.lines.block, column_names=[str(n) for n in range(len(self.names))]),
            arrow_csv.ParseOptions(delimiter=self.dialect.sep, newlines_in_values=True, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(numbers, pa.string()),
                include_columns=numbers,
                null_values=[self.dialect.null],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
        fields = pl.from_arrow(table)
        assert isinstance(fields, pl.DataFrame)
        assert len(fields) == int(proven.sum())
        texts = {name: self._text(pl.col(str(n)), name) for n, name in wanted.items()}
        return fields.select(texts.get(name, pl.lit(None, pl.String)).alias(name) for name in columns)

    def _text(self, column: pl.Expr, name: str) -> pl.Expr:
        return column if name in self.strings else pl.when(column != self.dialect.null).then(column)

    def _exactly(self, some: Numbers) -> None:
        for at in some.tolist():
            place = self._place(at)
            try:
                self.content.add(self._element(self.dialect.fields(decoded(self.lines[at]))), *place)
            except PunctumError as error:
                self.content.reject(place[0], error, place[1])

    def _element(self, fields: list[str]) -> Element:
        names = self.names if self.dialect.header else (*self.own, PUNCT_COLUMN)
        short = 0 if self.dialect.header else 1  # without a header, the punctuation may be left out
        if not min(self.least, len(names) - short) <= len(fields) <= len(names):
            raise CodecError(f"a line has {len(fields)} fields", f"expected {len(names) - short}: {', '.join(names)}")
        named = dict(zip(names, fields, strict=False))
        texts = {name: unquoted(field) for name, field in named.items() if not self._is_null(field, name)}
        if PUNCT_COLUMN in texts and PUNCT_COLUMN not in self.schema.names:
            return from_punct(texts[PUNCT_COLUMN], self.schema)
        return tuple(value(texts[a.name], a) if a.name in texts else None for a in self.schema.attributes)

    def _is_null(self, field: str, name: str) -> bool:
        return self.dialect.null in (field, None if name in self.strings else unquoted(field))
