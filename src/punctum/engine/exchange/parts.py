"""Slices in parts: the JVM is slow with large values, so many bytes of rows are several messages."""

from collections.abc import Mapping
from dataclasses import replace

from punctum.operators.columns import ColumnarSlice, Places

PART = 1 << 18
"""About so many bytes of rows are packed into one message."""


def in_parts(pieces: Mapping[int, ColumnarSlice]) -> list[tuple[int, int, ColumnarSlice]]:
    """Slices by bucket, those with many bytes of rows in several parts, numbered: the JVM is slow with large values."""
    parts: list[tuple[int, int, ColumnarSlice]] = []
    for bucket, piece in pieces.items():
        height = piece.rows.height
        rows = max(1, height * PART // max(1, int(piece.rows.estimated_size())))
        parts.append((bucket, 0, _part(piece, 0, rows)))
        rest = ColumnarSlice(piece.rows, places=piece.places and Places(piece.places.rows))
        starts = enumerate(range(rows, height, rows), 1)
        parts += [(bucket, part, _part(rest, start, rows)) for part, start in starts]
    return parts


def _part(piece: ColumnarSlice, start: int, rows: int) -> ColumnarSlice:
    """A slice with some of its rows."""
    places = piece.places and replace(piece.places, rows=piece.places.rows.slice(start, rows))
    return replace(piece, rows=piece.rows.slice(start, rows), places=places)
