"""Rows, constants and punctuations as values that Spark can carry or keep: Arrow IPC streams, and lines of JSON."""

import io
from collections.abc import Iterable, Mapping

import polars as pl

from punctum.algebra.json import from_json, to_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators.ages import Ages


def to_blob(rows: pl.DataFrame) -> bytes:
    """Rows as an Arrow IPC stream."""
    buffer = io.BytesIO()
    rows.write_ipc_stream(buffer, compression="uncompressed")
    return buffer.getvalue()


def from_blob(blob: bytes) -> pl.DataFrame:
    """The rows of a blob."""
    return pl.read_ipc_stream(blob)


Chunk = tuple[pl.DataFrame, Ages]
"""Rows that are kept, and since when."""
_LENGTH = 8


def chunk_to_blob(rows: pl.DataFrame, ages: Ages) -> bytes:
    """Rows with their ages, which stand behind them, and behind these their length."""
    known = ages.to_bytes()
    return to_blob(rows) + known + len(known).to_bytes(_LENGTH)


def chunk_from_blob(blob: bytes) -> Chunk:
    """The rows of a blob, with their ages."""
    end = len(blob) - _LENGTH
    start = end - int.from_bytes(blob[end:])
    return from_blob(blob[:start]), Ages.from_bytes(blob[start:end])


def constants_to_blob(constants: Mapping[str, pl.Series]) -> bytes | None:
    """Constants as a blob: one row, a list for each attribute; nothing when there are none."""
    return to_blob(pl.DataFrame({name: [values] for name, values in constants.items()})) if constants else None


def constants_from_blob(blob: bytes | None) -> dict[str, pl.Series]:
    """The constants of a blob."""
    if blob is None:
        return {}
    return {column.name: column.explode() for column in from_blob(blob).iter_columns()}


def to_lines(puncts: Iterable[Punctuation]) -> str | None:
    """Punctuations as lines of JSON; nothing when there are none."""
    return "\n".join(to_json(p, p.schema) for p in puncts) or None


def from_lines(lines: str | None, schema: Schema) -> tuple[Punctuation, ...]:
    """The punctuations of lines of JSON."""
    elements = (from_json(line, schema) for line in lines.split("\n")) if lines else ()
    return tuple(p for p in elements if isinstance(p, Punctuation))
