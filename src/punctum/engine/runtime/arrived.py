"""What has come of a stream in a batch, in one bucket: messages in, its slices in order and their sequences out.

The splits of a batch follow each other in the order in which they were listed; within one, all rows stand before all
punctuations unless the elements have places. How the partitions of a DataFrame follow each other is not known, so each
of them is a sequence of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise

import numpy as np
import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.engine.exchange.messages import StreamSlice
from punctum.operators.clock import NEVER, rising
from punctum.operators.columns import AT, ColumnarSlice, Places, empty
from punctum.operators.sequence import PlacedPunctuations, placed, together

Came = list[tuple[StreamSlice, ColumnarSlice]]
"""What has come, in order, with the slice that each message has brought."""
Sequenced = tuple[pl.Series, PlacedPunctuations]
"""The places of rows, and punctuations with theirs."""


@dataclass
class Arrived:
    """The pieces of a stream in the order of their files, and where each of them is from, if that is known."""

    pieces: list[ColumnarSlice]
    splits: list[str | None]
    rows: pl.DataFrame
    sequences: list[Sequenced]
    """The places of the rows, one partition after the other, and its punctuations; none where no row can be late."""
    begins: list[int] = field(default_factory=list)
    """Where each piece begins."""
    placed: Sequenced | None = None
    """All places, when time moves and all pieces are one sequence."""
    times: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Where time moves in that sequence, for each column that tells it."""
    folded: dict[str, int] = field(default_factory=dict)
    """How many rows of splits have been folded into others."""

    def cut(self, place: int, puncts: Sequence[Punctuation], raw: Schema) -> "tuple[Arrived, Arrived]":
        """What stands before a place of the one sequence, with what has been said there, and all else."""
        pairs = [_halves(piece, place - begin) for piece, begin in zip(self.pieces, self.begins, strict=True)]
        behind = ColumnarSlice(self.rows.head(0), tuple(puncts))
        before = self._of([*(first for first, _ in pairs), behind], [*self.begins, place - 1], raw)
        return before, self._of([second for _, second in pairs], self.begins, raw)

    def with_times(self, column: str, steps: pl.DataFrame) -> "Arrived":
        """The same, when the time that a column tells moves at some more places."""
        *pieces, last = self.pieces
        if last.places is None:
            return self
        times = last.places.times
        both = rising([times.get(column, NEVER), steps.with_columns(pl.col(AT) - self.begins[-1])])
        pieces.append(replace(last, places=replace(last.places, times=times | {column: both})))
        return replace(self, pieces=pieces, times=_times(pieces, self.begins))

    def _of(self, pieces: list[ColumnarSlice], begins: list[int], raw: Schema) -> "Arrived":
        """Parts of the pieces, and maybe one more."""
        splits = [*self.splits, None][: len(pieces)]
        rows = pl.concat([self.rows.head(0), *(piece.rows for piece in pieces)])
        sequences = [_one(pieces, begins, raw)] if self.sequences else []
        return Arrived(pieces, splits, rows, sequences, begins, _one(pieces, begins, raw, True), _times(pieces, begins))


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
    matters = any(_matters([piece for _, piece in members], [m.order for m, _ in members]) for members in partitions)
    timed = any(piece.places is not None and piece.places.times for piece in pieces)
    if not matters and not timed:
        return Arrived(pieces, splits, rows, [], folded=counted)
    begins = [begin for members in partitions for begin in _begins(members)]
    starts = [0, *accumulate(map(len, partitions))]
    parts = [slice(a, b) for a, b in pairwise(starts)]
    sequences = [_one(pieces[part], begins[part], raw) for part in parts] if matters else []
    batch = Arrived(pieces, splits, rows, sequences, begins, folded=counted)
    if timed and sum(any(map(_any, pieces[part])) for part in parts) == 1:
        batch.placed, batch.times = _one(pieces, begins, raw, True), _times(pieces, begins)
    return batch


def _any(piece: ColumnarSlice) -> bool:
    return bool(piece.rows.height or piece.puncts or piece.constants)


def _matters(pieces: Sequence[ColumnarSlice], orders: Sequence[tuple[int, ...]]) -> bool:
    """Whether a row may stand behind a punctuation."""
    several = orders[0][:2] != orders[-1][:2]
    puncts = any(piece.puncts or piece.constants for piece in pieces)
    return puncts and (several or any(piece.places is not None and not piece.places.in_order for piece in pieces))


def _begins(members: Sequence[tuple[StreamSlice, ColumnarSlice]]) -> list[int]:
    """Where each piece of a partition begins, when its splits stand one behind the other."""
    begins, begin = list[int](), 0
    for _, parts in groupby(members, lambda pair: pair[0].order[1]):
        pieces = [piece for _, piece in parts]
        begins += [begin] * len(pieces)
        begin += max(map(_length, pieces)) + 1
    return begins


def _length(piece: ColumnarSlice) -> int:
    """The last place of a piece."""
    if piece.places is None:
        return 0
    known = piece.places
    columns = [known.rows, *known.constants.values(), *(steps[AT] for steps in known.times.values())]
    return max([0, *known.puncts, *(most for column in columns if isinstance(most := column.max(), int))])


def _one(pieces: Sequence[ColumnarSlice], begins: Sequence[int], raw: Schema, every: bool = False) -> Sequenced:
    """Pieces as one sequence, with every place, or with those that decide which rows are late."""
    at, puncts = [np.zeros(0, np.int64)], list[PlacedPunctuations]()
    for piece, begin in zip(pieces, begins, strict=True):
        known = piece.places if piece.places is not None and (every or not piece.places.in_order) else None
        rows = np.zeros(piece.rows.height, np.int64) if known is None else known.rows.to_numpy()
        at.append(rows + begin)
        if piece.puncts or piece.constants:
            puncts.append(placed(raw, replace(piece, places=known), 0).moved(begin))
    return pl.Series(np.concatenate(at)), together(raw, puncts)


def _times(pieces: Sequence[ColumnarSlice], begins: Sequence[int]) -> dict[str, pl.DataFrame]:
    """Where time moves in pieces that are one sequence."""
    times = dict[str, list[pl.DataFrame]]()
    for piece, begin in zip(pieces, begins, strict=True):
        for name, steps in piece.places.times.items() if piece.places is not None else ():
            times.setdefault(name, []).append(steps.with_columns(pl.col(AT) + begin))
    return {name: rising(parts) for name, parts in times.items()}


def _halves(piece: ColumnarSlice, place: int) -> tuple[ColumnarSlice, ColumnarSlice]:
    """What of a piece stands before a place, and what does not; without places all of it stands at its beginning."""
    if piece.places is None:
        none = ColumnarSlice(piece.rows.head(0))
        return (piece, none) if place > 0 else (none, piece)
    known, first = piece.places, piece.places.rows < place
    closed = {name: at < place for name, at in known.constants.items()}

    def half(rows: pl.Series, before: bool) -> ColumnarSlice:
        there = [n for n, at in enumerate(known.puncts) if (at < place) is before]
        masks = {name: mask if before else ~mask for name, mask in closed.items()}
        times = {name: steps.filter((pl.col(AT) < place) == before) for name, steps in known.times.items()}
        constants = {name: at.filter(masks[name]) for name, at in known.constants.items()}
        at = tuple(known.puncts[n] for n in there)
        places = Places(known.rows.filter(rows), at, constants, known.in_order, times)
        values = {name: column.filter(masks[name]) for name, column in piece.constants.items()}
        return ColumnarSlice(piece.rows.filter(rows), tuple(piece.puncts[n] for n in there), values, places)

    return half(first, True), half(~first, False)
