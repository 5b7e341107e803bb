"""What a query gives in a test: after each slice its rows and punctuations, what it did not take, and what it keeps."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.exchange.quarantine import Record
from punctum.engine.formats.write import lines_of


@dataclass(frozen=True)
class SliceOutcome:
    """What has come of one slice.

    ``lines`` are the rows as a sink of json has them, ``punctuations`` lines too, of the whole result; ``records`` are
    what the quarantine gets. ``state`` are the rows that operators keep behind the slice, by operator and table.
    """

    frame: pl.DataFrame = field(repr=False)
    lines: tuple[str, ...]
    punctuations: tuple[str, ...]
    records: tuple[Record, ...]
    kept: int
    state: Mapping[str, pl.DataFrame] = field(repr=False)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows, as in JSON."""
        return [json.loads(line) for line in self.lines]

    @property
    def quarantine(self) -> list[tuple[str, str, str]]:
        """Of all that was not taken: the stream, the reason, and the text."""
        return [(record.stream, record.reason, record.text) for record in self.records]

    def __str__(self) -> str:
        lines = [f"quarantine: {_shown(record)}" for record in self.records]
        kept = f"keeps {self.kept:,} row{'' if self.kept == 1 else 's'}"
        return "\n".join(f"  {line}" for line in (*self.lines, *self.punctuations, *lines, kept))


@dataclass(frozen=True)
class Outcome:
    """What a query gives for slices, one after the other; printed, it is a text for golden files."""

    query: str
    schema: Schema
    slices: Sequence[SliceOutcome]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All rows, as in JSON."""
        return [row for piece in self.slices for row in piece.rows]

    @property
    def punctuations(self) -> list[dict[str, Any]]:
        """All punctuations, as in JSON."""
        return [json.loads(line) for piece in self.slices for line in piece.punctuations]

    @property
    def quarantine(self) -> list[tuple[str, str, str]]:
        """Of all that was not taken: the stream, the reason, and the text."""
        return [record for piece in self.slices for record in piece.quarantine]

    @property
    def kept(self) -> list[int]:
        """How many rows are kept behind each slice."""
        return [piece.kept for piece in self.slices]

    @property
    def frame(self) -> pl.DataFrame:
        """All rows, with their types."""
        return pl.concat([piece.frame for piece in self.slices])

    def __str__(self) -> str:
        return "\n".join(f"slice {n}\n{piece}" for n, piece in enumerate(self.slices, 1))


def lines_in_order(rows: pl.DataFrame, schema: Schema, ordered: bool) -> tuple[str, ...]:
    """Rows as JSON: those of ORDER BY in their order, others sorted, for buckets give them in no order."""
    lines = lines_of(rows, schema).to_list()
    return tuple(lines if ordered else sorted(lines, key=_natural))


def _natural(line: str) -> tuple[Any, ...]:
    """By the values of the columns, one after the other; NULL and what has parts comes last."""
    return tuple(map(_rank, json.loads(line).values()))


def _rank(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool | int | float):
        return 0, value
    return (1, value) if isinstance(value, str) else (2, json.dumps(value))


def _shown(record: Record) -> str:
    broken = f" ({record.punctuation})" if record.punctuation else ""
    return f"{record.place}: {record.reason}{broken}: {record.text}"
