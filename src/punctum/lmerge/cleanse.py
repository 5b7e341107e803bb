"""Cleanse: a temporal stream in, its final events out in the order of their starts (section VI-D of the paper).

Kept: the events that are not fully frozen, and those that start with or behind one of them, for they must wait. With
t the last stable and v the least start of an event that is not fully frozen, behind every slice::

    out       exactly the events with a start before min(t, v), as inserts, ordered by start, then payload, then end
    stable    min(t, v)

An output has neither adjusts nor disorder, and ties in an order that depends on the events alone: it is of case R1. Its
price is memory, and time: an event comes out when it, and all that started before it, has ended.
"""

from collections.abc import Sequence

import numpy as np
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
    stable_of,
    time_type,
    time_value,
)
from punctum.lmerge.tdb import Event, View, view
from punctum.operators.columns import Columns, empty
from punctum.operators.operator import Notes, Operator
from punctum.operators.table import Table

COUNT = "_count"
"""How many events there are, less those that are taken away."""


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


def bound(known: View) -> Time:
    """Up to which start events can come out."""
    if known.last == INF:
        return INF
    return min([known.last, *(vs for _, vs, ve in known.events if ve >= known.last)])


def in_order(event: Event) -> tuple[Time, tuple[tuple[bool, object], ...], Time]:
    """The place of an event: by start, payload (NULL first) and end."""
    payload, vs, ve = event
    return vs, tuple((value is not None, value) for value in payload), ve


class Cleanse(Operator):
    """The final events of a stream, in order."""

    def __init__(self, schema: Schema) -> None:
        self.inputs, self.output = (schema,), schema
        self._payload = [name for name in schema.names if name not in HIDDEN]
        self._event = [*self._payload, VS, VE]
        self._events = Table(empty(schema).select(*self._event, pl.lit(0, pl.Int64).alias(COUNT)))
        self._heard, self._said = NEVER, NEVER

    def feed(self, *slices: Columns) -> Columns:
        """Take the next slice."""
        (piece,) = slices
        self._events.append(self._counted(piece.rows))
        heard = max([self._heard, *(t for p in piece.puncts if (t := stable_of(p)) is not None)])
        if heard == self._heard:
            return Columns(empty(self.output))
        self._heard, before = heard, self._said
        rows = self._released()
        said = (stable(self.output, time_value(self._said, time_type(self.output))),) if self._said > before else ()
        return Columns(rows, said)

    def _counted(self, rows: pl.DataFrame) -> pl.DataFrame:
        """What rows add and take away."""
        there = rows.filter(pl.col(VE).is_null() | (pl.col(VE) != pl.col(VS)))
        gone = rows.filter(ADJUST).with_columns(pl.col(VOLD).alias(VE))
        one = pl.lit(1, pl.Int64)
        return self._summed(
            pl.concat([there.select(*self._event, one.alias(COUNT)), gone.select(*self._event, (-one).alias(COUNT))])
        )

    def _summed(self, counts: pl.DataFrame) -> pl.DataFrame:
        total = counts.group_by(self._event, maintain_order=True).agg(pl.col(COUNT).sum())
        return total.filter(pl.col(COUNT) != 0)

    def _released(self) -> pl.DataFrame:
        """The events that come out with a stable."""
        known = self._summed(self._events.frame())
        vs, ve = numbers(known[VS]), numbers(known[VE])
        waits = vs[ve >= self._heard] if self._heard < FOREVER else vs[:0]
        self._said = max(self._said, min(self._heard, int(waits.min(initial=FOREVER))))
        out = pl.Series(vs < self._said, dtype=pl.Boolean)
        self._events.replace(known.filter(~out))
        return self._elements(known.filter(out))

    def _elements(self, events: pl.DataFrame) -> pl.DataFrame:
        """Events as inserts, in order, as often as they are there."""
        many = events[np.repeat(np.arange(events.height), events[COUNT].to_numpy())]
        ordered = many.sort(VS, *self._payload, VE, nulls_last=[False] * (1 + len(self._payload)) + [True])
        none = pl.lit(None, events.schema[VE]).alias(VOLD)
        return ordered.with_columns(none, pl.lit(False).alias(ADJUST), pl.col(VS).alias(FROM)).select(self.output.names)

    def tables(self) -> dict[str, Table]:
        """The events that have not come out."""
        return {"events": self._events}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._events = tables["events"]

    def notes(self) -> Notes:
        """The stables that it has heard and said."""
        return {"heard": self._heard, "said": self._said}

    def restore_notes(self, notes: Notes) -> None:
        """Go on with the notes of another one."""
        self._heard, self._said = notes["heard"], notes["said"]

    def puncts(self) -> int:
        """The stables that it has heard and said."""
        return (self._heard > NEVER) + (self._said > NEVER)
