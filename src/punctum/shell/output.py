"""Rows as they come: a table for people, or lines of JSON or CSV for programs."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import polars as pl
from wcwidth import wcswidth, wcwidth

from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.engine.formats.csv import Dialect
from punctum.engine.formats.write import in_text, json_lines, quoted
from punctum.errors import printable

MOST_ROWS = 1_000
"""So many rows does a table show, unless told."""
_WIDEST = 48
_COMMAS = Dialect(",", "", True)
_NUMBERS = (Type.BIGINT, Type.DOUBLE, Type.DECIMAL)
Print = Callable[[str], None]
"""Takes a text without the end of its last line."""


class Output(Protocol):
    """Where the rows of a result go."""

    def rows(self, rows: pl.DataFrame) -> None:
        """More rows."""

    def end(self) -> None:
        """There are no more."""


class JsonLines:
    """A line of JSON for each row."""

    def __init__(self, schema: Schema, out: Print) -> None:
        self._schema, self._out = schema, out

    def rows(self, rows: pl.DataFrame) -> None:
        """Print them."""
        if rows.height:
            self._out("\n".join(json_lines(rows, self._schema)))

    def end(self) -> None:
        """Nothing stands behind them."""


class CsvLines:
    """Comma-separated values, with a header; what has no plain form in them is JSON."""

    def __init__(self, schema: Schema, out: Print) -> None:
        self._schema, self._out, self._begun = schema, out, False

    def rows(self, rows: pl.DataFrame) -> None:
        """Print them, behind the header."""
        self._begin()
        if rows.height:
            texts = pl.DataFrame([_nested(rows, self._schema, n) for n in range(len(self._schema))])
            fields = [quoted(pl.col(name), _COMMAS).fill_null("") for name in texts.columns]
            self._out("\n".join(texts.select(pl.concat_str(fields, separator=",")).to_series()))

    def end(self) -> None:
        """The header stands there even when no row does."""
        self._begin()

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            names = pl.DataFrame({"name": list(self._schema.names)}).select(quoted(pl.col("name"), _COMMAS))
            self._out(",".join(names.to_series()))


class TextTable:
    """A table that grows while rows come, up to so many of them; the widths of columns are those of the first ones."""

    def __init__(self, schema: Schema, out: Print, most: int = MOST_ROWS) -> None:
        self._schema, self._out, self._left = schema, out, most
        self._hidden = 0
        self._widths: list[int] = []
        self._count = 0
        self._right = [attribute.type in _NUMBERS for attribute in schema.attributes]

    def rows(self, rows: pl.DataFrame) -> None:
        """Print those that there is room for."""
        self._count += rows.height
        shown = rows.head(self._left)
        self._hidden += rows.height - shown.height
        if shown.height:
            self._left -= shown.height
            self._print(list(zip(*(texts_of(shown, self._schema, n) for n in range(len(self._schema))), strict=True)))

    def end(self) -> None:
        """Say how many there were."""
        if not self._widths:
            self._print([])
        more = f"; {self._hidden:,} not shown: --rows 0 shows all" if self._hidden else ""
        self._out(f"({self._count:,} row{'s' * (self._count != 1)}{more})")

    def _print(self, rows: Sequence[Sequence[str]]) -> None:
        names = [printable(name) for name in self._schema.names]
        if not self._widths:
            self._widths = [max(wide(cell) for cell in cells) for cells in zip(names, *rows, strict=True)]
            self._line(names)
            self._out("┼".join("─" * (width + 2) for width in self._widths))
        for row in rows:
            self._line(row)

    def _line(self, cells: Sequence[str]) -> None:
        padded = []
        for cell, width, right in zip(cells, self._widths, self._right, strict=True):
            space = " " * max(width - wide(cell), 0)
            padded.append(f" {space}{cell} " if right else f" {cell}{space} ")
        self._out("│".join(padded).rstrip())


def output(format_: str, schema: Schema, out: Print, most: int = MOST_ROWS) -> Output:
    """Rows in one of the formats; a table shows so many of them, or all when that is 0."""
    if format_ == "table":
        return TextTable(schema, out, most or sys.maxsize)
    return JsonLines(schema, out) if format_ == "json" else CsvLines(schema, out)


def wide(text: str) -> int:
    """How many places a text takes in a terminal."""
    return max(int(wcswidth(text)), 0)


def texts_of(rows: pl.DataFrame, schema: Schema, number: int) -> list[str]:
    """A column for people: NULL is a word, long texts are cut, and nothing does anything to the terminal."""
    texts = _nested(rows, schema, number)
    return ["NULL" if text is None else _cut(printable(text)) for text in texts]


def _cut(text: str) -> str:
    if wide(text) <= _WIDEST:
        return text
    taken, room = "", _WIDEST - 1
    for character in text:
        room -= max(int(wcwidth(character)), 0)
        if room < 0:
            break
        taken += character
    return taken + "…"


def _nested(rows: pl.DataFrame, schema: Schema, number: int) -> pl.Series:
    """A column as texts; an ARRAY or STRUCT as JSON."""
    attribute = schema.attributes[number]
    one, column = Schema((attribute,)), rows.select(pl.nth(number).alias(attribute.name))
    if not attribute.type.nested:
        return in_text(column, one).to_series().cast(pl.String)
    lines = json_lines(column.rename({attribute.name: "c"}), Schema((replace(attribute, name="c"),)))
    texts = lines.str.slice(len('{"c":')).str.head(-1)
    return pl.select(pl.when(texts != "null").then(texts)).to_series().alias(attribute.name)
