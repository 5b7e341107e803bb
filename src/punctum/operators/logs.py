"""Logs: marks that rows of stored segments have got, as frames that an engine stores beside them.

log = number of the segment | mark | positions of the rows
"""

from collections.abc import Container, Iterator, Sequence

import numpy as np
import polars as pl

from punctum.operators.index import Positions

_SEGMENT, _POSITIONS, _MARK = "\0segment", "\0rows", "\0mark"

Marks = tuple[int, Positions, str]
"""The number of a segment, and the positions of rows that have got a mark."""


def log_of(marks: Sequence[Marks]) -> pl.DataFrame:
    """Marks as a log, which takes about four bytes for each row."""
    together: dict[tuple[int, str], list[Positions]] = {}
    for n, positions, mark in marks:
        together.setdefault((n, mark), []).append(positions)
    lists = [pl.Series(np.concatenate(parts), dtype=pl.UInt32) for parts in together.values()]
    numbers, names = zip(*together, strict=True)
    return pl.DataFrame({_SEGMENT: numbers, _MARK: names, _POSITIONS: lists})


def is_log(chunk: pl.DataFrame) -> bool:
    """Whether a chunk is a log, and not rows."""
    return _SEGMENT in chunk.columns


def marks_of(log: pl.DataFrame) -> Iterator[Marks]:
    """The marks of a log."""
    for n, mark, positions in zip(log[_SEGMENT], log[_MARK], log[_POSITIONS], strict=True):
        yield n, positions.to_numpy(), mark


def marks_in(log: pl.DataFrame) -> int:
    """How many rows have got a mark."""
    return int(log[_POSITIONS].list.len().sum())


def merged_logs(logs: Sequence[pl.DataFrame], segments: Container[int]) -> pl.DataFrame | None:
    """What logs say of some segments, in one; nothing when they say nothing of them."""
    marks = [known for log in logs for known in marks_of(log) if known[0] in segments]
    return log_of(marks) if marks else None
