"""Rows that have been folded where they were read, had again one by one: from their file, when something asks for each.

Three things do: a punctuation on a folded column, which may exclude some of the rows that have become one; punctuations
that say more together than each by itself, for then it matters where each row stands; and the quarantine, which has
each row that comes too late as it is in its file.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from punctum.engine.exchange.messages import StreamSlice
from punctum.engine.runtime.arrived import Came
from punctum.operators.columns import ColumnarSlice


@dataclass(frozen=True)
class Folding:
    """What is folded of a stream: columns behind its pipe, those of the stream behind them, and how to read a split."""

    columns: frozenset[str]
    raw: frozenset[int]
    raw_names: frozenset[str]
    again: Callable[[str], ColumnarSlice]
    """What a split sends to this bucket, with its rows one by one."""

    def is_spoken_of(self, pieces: Sequence[ColumnarSlice]) -> bool:
        """Whether punctuations in some slices speak of a folded column."""
        named = any(not self.raw_names.isdisjoint(piece.constants) for piece in pieces)
        return named or any(i in self.raw for piece in pieces for p in piece.puncts for i, _ in p.sides)

    def undone(self, came: Came) -> Came:
        """What has come, with all rows of the splits that have been folded; the first part of each has them."""
        fewer = {message.order[:2] for message, _ in came if is_folded(message)}
        return [self._as_read(*pair) if pair[0].order[:2] in fewer else pair for pair in came]

    def unfolded(self, split: str, rows: pl.DataFrame) -> pl.DataFrame:
        """All rows of a split that have become some of the rows, with the further columns that these have."""
        all_rows = self.again(split).rows
        keys = [name for name in all_rows.columns if name not in self.columns]
        unfolded = all_rows.join(rows.drop(self.columns), on=keys, nulls_equal=True, maintain_order="left")
        return unfolded.select(rows.columns)

    def _as_read(self, message: StreamSlice, piece: ColumnarSlice) -> tuple[StreamSlice, ColumnarSlice]:
        assert message.origin is not None
        whole = ColumnarSlice(piece.rows.clear()) if message.origin.part else self.again(message.origin.split)
        return replace(message, origin=message.origin._replace(folded=0)), whole


def is_folded(message: StreamSlice) -> bool:
    """Whether rows of the message's split have been folded; its first part says so."""
    return message.origin is not None and message.origin.folded > 0
