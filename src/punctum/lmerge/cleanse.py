"""Cleanse: a temporal stream in, its final events out in the order of their starts (section VI-D of the paper).

Kept: the events that are not fully frozen, and those that start with or behind one of them, for they must wait. With
t the last stable and v the least start of an event that is not fully frozen, behind every slice::

    out       exactly the events with a start before min(t, v), as inserts, ordered by start, then payload, then end
    stable    min(t, v)

An output has neither adjusts nor disorder, and ties in an order that depends on the events alone: it is of case R1. Its
price is memory, and time: an event comes out when it, and all that started before it, has ended.
"""

from collections.abc import Sequence

import polars as pl

from punctum.algebra.schema import Schema
from punctum.lmerge.elements import (
    ADJUST,
    FOREVER,
    FROM,
    HIDDEN,
    INF,
    NEVER,
    VE,
    VOLD,
    VS,
    Element,
    Insert,
    Stable,
    Time,
    numbers,
    stable,
    time_type,
    time_value,
)
from punctum.lmerge.final import Final
from punctum.lmerge.tdb import Event, PrefixView, view
from punctum.lmerge.temporal import TemporalOperator
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.operator import Metadata
from punctum.operators.table import Table


def cleansed(stream: Sequence[Element]) -> list[Element]:
    """The specification: all that has come out after a prefix.

    >>> a, b = Insert(("A",), 1, 9), Insert(("B",), 2, 3)
    >>> print(*cleansed([b, a, Stable(5)]), *cleansed([b, a, Stable(10)]))
    stable(1) insert(A, 1, 9) insert(B, 2, 3) stable(10)
    """
    known = view(stream)
    t = bound(known)
    events = sorted((event for event in known.events.elements() if event[1] < t), key=in_order)
    return [*(Insert(*event) for event in events), *([Stable(t)] if t > -INF else [])]


def bound(known: PrefixView) -> Time:
    """Up to which start events can come out."""
    if known.last == INF:
        return INF
    return min([known.last, *(vs for _, vs, ve in known.events if ve >= known.last)])


def in_order(event: Event) -> tuple[Time, tuple[tuple[bool, object], ...], Time]:
    """The place of an event: by start, payload (NULL first) and end."""
    payload, vs, ve = event
    return vs, tuple((value is not None, value) for value in payload), ve


class Cleanse(TemporalOperator):
    """The final events of a stream, in order."""

    def __init__(self, schema: Schema) -> None:
        self.inputs, self.output = (schema,), schema
        self._final, self._emitted = Final(schema), NEVER
        self._waiting = Table(empty(self._final.output))

    @property
    def bad(self) -> pl.DataFrame:
        """The elements of the last slice that were not taken."""
        return self._final.bad

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        self._waiting.append(self._final.feed(*slices).rows)
        unfrozen = numbers(self._final.tables()["events"].frame()[VS])
        t = min(self._final.stable, int(unfrozen.min(initial=FOREVER)))
        if t <= self._emitted:
            return ColumnarSlice(empty(self.output))
        self._emitted, known = t, self._waiting.frame()
        out = pl.Series(numbers(known[VS]) < t, dtype=pl.Boolean)
        self._waiting.retain(~out)
        return ColumnarSlice(
            self._inserts(known.filter(out)), (stable(self.output, time_value(t, time_type(self.output))),)
        )

    def _inserts(self, events: pl.DataFrame) -> pl.DataFrame:
        """Events as inserts, in order."""
        payload = [name for name in self.output.names if name not in HIDDEN]
        ordered = events.sort(VS, *payload, VE, nulls_last=[False] * (1 + len(payload)) + [True])
        none = pl.lit(None, events.schema[VE]).alias(VOLD)
        return ordered.with_columns(none, pl.lit(False).alias(ADJUST), pl.col(VS).alias(FROM)).select(self.output.names)

    def tables(self) -> dict[str, Table]:
        """The events that are not final, and those that wait for them."""
        return {**self._final.tables(), "waiting": self._waiting}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Resume with the rows that another one kept."""
        self._final.restore_tables(tables)
        self._waiting = tables["waiting"]

    def metadata(self) -> Metadata:
        """The stables that it has received and emitted."""
        return {"stable": self._final.stable, "emitted": self._emitted}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Resume with the metadata of another one."""
        self._final.stable, self._emitted = metadata["stable"], metadata["emitted"]

    def puncts(self) -> int:
        """The stables that it has received and emitted."""
        return self._final.puncts() + (self._emitted > NEVER)
