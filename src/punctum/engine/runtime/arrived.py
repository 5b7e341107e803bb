"""What has come of a stream in a batch, in one bucket: messages in, its slices in order and their sequences out.

The splits of a batch follow each other in the order in which they were listed; within one, all rows stand before all
punctuations unless the elements have places. How the partitions of a DataFrame follow each other is not known, so each
of them is a sequence of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.exchange.messages import StreamSlice
from punctum.engine.formats.lines import Numbers
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.sequence import PlacedPunctuations, placed, together

Came = list[tuple[StreamSlice, ColumnarSlice]]
"""What has come, in order, with the slice that each message has brought."""


@dataclass
class Arrived:
    """The pieces of a stream in the order of their files, and where each of them is from, if that is known."""

    pieces: list[ColumnarSlice]
    splits: list[str | None]
    folded: dict[str, int]
    """How many rows of splits have been folded into others."""
    rows: pl.DataFrame
    sequences: list[tuple[pl.Series, PlacedPunctuations]]
    """The places of the rows, one partition after the other, and its punctuations; none where no row can be late."""


def in_one(parts: Sequence[ColumnarSlice], schema: Schema) -> ColumnarSlice:
    """The punctuations of some slices, without their rows."""
    columns: dict[str, list[pl.Series]] = {}
    for part in parts:
        for name, values in part.constants.items():
            columns.setdefault(name, []).append(values)
    constants = {name: pl.concat(values) for name, values in columns.items()}
    return ColumnarSlice(empty(schema), tuple(p for part in parts for p in part.puncts), constants)


def arrived(
    sent: Sequence[StreamSlice], raw: Schema, schema: Schema, unfold: Callable[[Came], Came] | None = None
) -> Arrived:
    """The slices of a batch, put in order; their rows have been through the pipe, their punctuations have not.

    Rows may have been folded, and have to be unfolded before all else.
    """
    came = [(message, message.slice.unpacked(schema, raw)) for message in sorted(sent, key=lambda m: m.order)]
    came = came if unfold is None else unfold(came)
    ordered, pieces = [message for message, _ in came], [piece for _, piece in came]
    splits = [None if m.origin is None else m.origin.split or None for m in ordered]
    counted = {m.origin.split: m.origin.folded for m in ordered if m.origin is not None and m.origin.folded}
    frames = [piece.rows for piece in pieces if piece.rows.height]
    rows = pl.concat(frames) if frames else empty(schema)
    partitions = [list(group) for _, group in groupby(came, lambda pair: pair[0].order[0])]
    if not any(_matters([piece for _, piece in members], [m.order for m, _ in members]) for members in partitions):
        return Arrived(pieces, splits, counted, rows, [])
    return Arrived(pieces, splits, counted, rows, [_sequence(members, raw) for members in partitions])


def _matters(pieces: Sequence[ColumnarSlice], orders: Sequence[tuple[int, ...]]) -> bool:
    """Whether a row may stand behind a punctuation."""
    several = orders[0][:2] != orders[-1][:2]
    puncts = any(piece.puncts or piece.constants for piece in pieces)
    return puncts and (several or any(piece.places is not None for piece in pieces))


def _sequence(
    members: Sequence[tuple[StreamSlice, ColumnarSlice]], raw: Schema
) -> tuple[pl.Series, PlacedPunctuations]:
    """The splits of a partition, one behind the other."""
    at, puncts, begin = list[Numbers](), list[PlacedPunctuations](), 0
    for _, parts in groupby(members, lambda pair: pair[0].order[1]):
        end = begin
        for _, piece in parts:
            rows = np.zeros(piece.rows.height, np.int64) if piece.places is None else piece.places.rows.to_numpy()
            at.append(rows + begin)
            if piece.puncts or piece.constants:
                puncts.append(placed(raw, piece, 0).moved(begin))
                end = max(end, puncts[-1].last())
            if piece.places is not None and len(rows):
                end = max(end, int(at[-1].max()))
        begin = end + 1
    return pl.Series(np.concatenate(at)), together(raw, puncts)
