"""What a case of the merge keeps, and how it applies a slice: rows of each input in, elements of the output out.

Times are whole numbers here (``elements.numbers``): ``FOREVER`` is infinity, ``NEVER`` an end that is not there.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import polars as pl

from punctum.algebra.schema import Schema
from punctum.lmerge.elements import ADJUST, FOREVER, FROM, NEVER, VE, VOLD, VS, Numbers, moments
from punctum.operators.operator import Metadata
from punctum.operators.table import Table


@dataclass(frozen=True)
class MergeStep:
    """A slice's place in time.

    The output's stable before the slice and behind it, the input whose stable that is, if it moves, and the attached
    inputs, the leading one first. Inputs that are ``joining`` may lack what ends before a time that the output has
    not reached.
    """

    before: int
    after: int
    lead: int | None
    order: tuple[int, ...]
    joining: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Bad:
    """Rows of an input that the merge did not take, and why."""

    input: int
    rows: pl.DataFrame
    reason: str


class Index(ABC):
    """The state of a case."""

    def __init__(self) -> None:
        self.bad: list[Bad] = []
        """What was not taken since this was last emptied."""

    @abstractmethod
    def apply(self, rows: list[pl.DataFrame], step: MergeStep) -> pl.DataFrame:
        """Take rows of each input, then the step's stable, and give the output's rows."""

    @abstractmethod
    def drop(self, number: int) -> None:
        """Forget all elements of an input."""

    @abstractmethod
    def tables(self) -> dict[str, Table]:
        """The rows it keeps, by what it keeps them for."""

    @abstractmethod
    def restore(self, tables: dict[str, Table]) -> None:
        """Resume with the rows that another one kept."""

    @abstractmethod
    def metadata(self) -> Metadata:
        """The state other than rows."""

    @abstractmethod
    def restore_metadata(self, metadata: Metadata) -> None:
        """Resume with the metadata of another one."""


def changed(schema: Schema, payload: pl.DataFrame, vs: Numbers, old: Numbers, new: Numbers) -> pl.DataFrame:
    """The elements that change the ends of events from old to new ones; an end of ``NEVER`` is no event."""
    insert, at = old == NEVER, dict(zip(schema.names, schema.attributes, strict=True))
    ends = np.where(new == NEVER, vs, new)
    vold = moments(np.where(insert, FOREVER, old), at[VOLD])
    times = [moments(vs, at[VS]), moments(ends, at[VE]), vold, pl.Series(ADJUST, ~insert)]
    least = moments(np.where(insert, vs, np.minimum(old, ends)), at[FROM])
    return payload.hstack([*times, least])
