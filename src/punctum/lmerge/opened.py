"""Opens and closes in, inserts and adjusts out: what ``openclose.py`` specifies, a slice at a time, in columns.

With L the last stable: kept are the events that end at L or later, by payload and start, and the output's stable is L.
Of a slice the elements come first, in the order in which they have arrived, then the stable that advances furthest.

The elements of a payload are *regular* when each open lies behind the starts of all events with this payload, none of
which is open, and each close behind the last of these starts. Then all of them are about the last event, and an element
changes what the one before it has left. A payload with an element that is not regular goes through the specification,
element by element; what that refuses is bad.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.lmerge.elements import (
    FOREVER,
    HIDDEN,
    INF,
    NEVER,
    VE,
    VS,
    Adjust,
    Insert,
    Numbers,
    Time,
    moments,
    numbers,
    stable,
    stable_of,
    time_type,
    time_value,
)
from punctum.lmerge.index import changed
from punctum.lmerge.openclose import Close, Open, OpenClose
from punctum.lmerge.temporal import TemporalOperator
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.operator import Metadata
from punctum.operators.table import Table

Flags = npt.NDArray[np.bool_]
Changes = npt.NDArray[np.int64]
"""A column for each element that is taken: its place in the slice, its event's start, and the end before and behind."""
Events = npt.NDArray[np.int64]
"""A column for each event: the number of its payload, its start and its end."""
_NUMBER = "\0number"


class Opened(TemporalOperator):
    """The elements of a temporal stream of opens and closes."""

    def __init__(self, schema: Schema, output: Schema) -> None:
        self.inputs, self.output = (schema,), output
        self._payload, self._at = list(output.names[: -len(HIDDEN)]), {a.name: a for a in output.attributes}
        self._kept = Table(empty(output).select(*self._payload, VS, VE))
        self.stable = NEVER
        """The last stable, as a whole number."""
        self.bad: list[tuple[pl.DataFrame, str]] = []
        """The elements of the last slice that were not taken, each with the reason."""

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        self.bad, before = [], self.stable
        elements = self._translated(xs.rows) if xs.rows.height else empty(self.output)
        self.stable = max([before, *(t for p in xs.puncts if (t := stable_of(p)) is not None)])
        if self.stable == before:
            return ColumnarSlice(elements)
        ends = numbers(self._kept.frame()[VE])
        self._kept.retain(_mask((ends >= self.stable) & (self.stable < FOREVER)))
        return ColumnarSlice(elements, (stable(self.output, time_value(self.stable, time_type(self.output))),))

    def restart(self) -> None:
        """The stream begins anew: what it has sent before counts no longer."""
        self._kept.clear()
        self.stable = NEVER

    def _translated(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The elements as inserts and adjusts; the events that they leave are kept."""
        payloads = rows.select(self._payload).unique(maintain_order=True).with_row_index(_NUMBER)
        kept = self._kept.frame()
        known = OpenEvents.of(self._numbered(kept, payloads), numbers(kept[VS]), numbers(kept[VE]), payloads.height)
        opens = rows[VS].is_not_null().to_numpy()
        times = np.where(opens, numbers(rows[VS]), numbers(rows[VE]))
        run = OpenRun.of(self._numbered(rows, payloads), opens, times, known)
        changes, events = run.changes(), run.events()
        if run.odd.any():
            more, left, refused = exactly(run)
            self.bad = [(rows[at], why) for at, why in sorted(refused)]
            changes, events = np.hstack([changes, more]), np.hstack([events, left])
        self._keep(kept, run)
        self._kept.append(self._rows(payloads, events))
        at, vs, old, new = changes[:, np.argsort(changes[0])]
        return changed(self.output, rows.select(self._payload)[at], vs, old, new)

    def _numbered(self, rows: pl.DataFrame, payloads: pl.DataFrame) -> Numbers:
        """The number of each row's payload, -1 where it has none."""
        payload = rows.select(self._payload)
        joined = payload.join(payloads, on=self._payload, how="left", nulls_equal=True, maintain_order="left")
        return joined[_NUMBER].cast(pl.Int64).fill_null(-1).to_numpy()

    def _keep(self, kept: pl.DataFrame, run: "OpenRun") -> None:
        """Change the ends of events that were kept, and drop those that are kept anew."""
        known, ends = run.known, run.ends()
        moved = known.here & (ends[known.payload] != NEVER) & (known.vs == known.last[known.payload])
        if moved.any():
            ve = moments(np.where(moved, ends[known.payload], known.ve), self._at[VE])
            self._kept.rewrite(_mask(moved), kept.with_columns(ve))
        self._kept.retain(_mask(~(known.here & run.odd[known.payload])))

    def _rows(self, payloads: pl.DataFrame, events: Events) -> pl.DataFrame:
        rows: pl.DataFrame = payloads.select(self._payload)[events[0]]
        return rows.hstack([moments(events[1], self._at[VS]), moments(events[2], self._at[VE])])

    def tables(self) -> dict[str, Table]:
        """The events that a close may end or revise."""
        return {"events": self._kept}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Resume with the rows that another one kept."""
        self._kept = tables["events"]

    def metadata(self) -> Metadata:
        """The last stable."""
        return {"stable": self.stable}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Resume with the metadata of another one."""
        self.stable = metadata["stable"]

    def puncts(self) -> int:
        """The last stable."""
        return int(self.stable > NEVER)


@dataclass(frozen=True)
class OpenEvents:
    """The events that are kept, and what the payloads of a slice, which have numbers, find there.

    For each event: whether it has one of these payloads, which, its start and its end. For each payload: the last
    start and its end, ``NEVER`` where there is none, and whether an earlier event is open.
    """

    here: Flags
    payload: Numbers
    vs: Numbers
    ve: Numbers
    last: Numbers
    end: Numbers
    odd: Flags

    @staticmethod
    def of(payload: Numbers, vs: Numbers, ve: Numbers, payloads: int) -> "OpenEvents":
        """What is known, given each event's payload, -1 where it is another one."""
        some = np.flatnonzero(payload >= 0)
        some = some[np.lexsort((vs[some], payload[some]))]
        whose = payload[some]
        behind = _ends(whose[1:] != whose[:-1], len(some))
        last, end, odd = np.full(payloads, NEVER), np.full(payloads, NEVER), np.zeros(payloads, np.bool_)
        last[whose[behind]], end[whose[behind]] = vs[some[behind]], ve[some[behind]]
        odd[whose[~behind & (ve[some] == FOREVER)]] = True
        return OpenEvents(payload >= 0, payload, vs, ve, last, end, odd)


@dataclass(frozen=True)
class OpenRun:
    """The elements of a slice, those of a payload side by side in the order of their arrival.

    For each element: its place in the slice, its payload, whether it is an open, its time, and the last start and its
    end that it comes upon. For each payload: whether one of its elements is not regular.
    """

    at: Numbers
    payload: Numbers
    opens: Flags
    times: Numbers
    last: Numbers
    end: Numbers
    odd: Flags
    known: OpenEvents

    @staticmethod
    def of(payload: Numbers, opens: Flags, times: Numbers, known: OpenEvents) -> "OpenRun":
        """The elements, given in the order of their arrival."""
        at, number = np.argsort(payload, kind="stable"), np.arange(len(payload))
        payload, opens, times = payload[at], opens[at], times[at]
        first = np.append(True, payload[1:] != payload[:-1])
        begin = np.maximum.accumulate(np.where(first, number, 0))
        opened = np.append(-1, np.maximum.accumulate(np.where(opens, number, -1))[:-1])
        last = np.where(opened >= begin, times[opened], known.last[payload])
        before = np.append(NEVER, np.where(opens, FOREVER, times)[:-1])
        end = np.where(first, known.end[payload], before)
        regular = (times > last) & np.where(opens, end != FOREVER, last != NEVER)
        odd = known.odd.copy()
        odd[payload[~regular]] = True
        return OpenRun(at, payload, opens, times, last, end, odd, known)

    @property
    def taken(self) -> Flags:
        """The elements of payloads that are regular."""
        return ~self.odd[self.payload]

    @property
    def start(self) -> Numbers:
        """The start of the event that an element is about."""
        return np.where(self.opens, self.times, self.last)

    @property
    def behind(self) -> Flags:
        """Whether an element is the last one about its event."""
        return _ends((self.payload[1:] != self.payload[:-1]) | self.opens[1:], len(self.at))

    @property
    def new(self) -> Flags:
        """Whether the event that an element is about starts in the slice."""
        return np.not_equal(self.start, self.known.last[self.payload])

    def changes(self) -> Changes:
        """What elements change."""
        old, new = np.where(self.opens, NEVER, self.end), np.where(self.opens, FOREVER, self.times)
        return np.vstack([self.at, self.start, old, new])[:, self.taken]

    def events(self) -> Events:
        """The events that start in the slice."""
        ve = np.where(self.opens, FOREVER, self.times)
        return np.vstack([self.payload, self.start, ve])[:, self.taken & self.behind & self.new]

    def ends(self) -> Numbers:
        """For each payload the end that the last event gets which was kept, ``NEVER`` where it stays as it is."""
        old, ends = self.taken & self.behind & ~self.new, np.full(len(self.odd), NEVER)
        ends[self.payload[old]] = self.times[old]
        return ends


def exactly(run: OpenRun) -> tuple[Changes, Events, list[tuple[int, str]]]:
    """What the specification makes of payloads with an element that is not regular, and what it refuses, by place."""
    known, ends = run.known, dict[Row, dict[Time, Time]]()
    chosen = known.here & run.odd[known.payload]
    for number, vs, ve in _rows(chosen, known.payload, known.vs, known.ve):
        ends.setdefault((number,), {})[vs] = INF if ve == FOREVER else ve
    specified, changes, refused = OpenClose(ends), list[list[int]](), list[tuple[int, str]]()
    for at, number, opens, t in _rows(~run.taken, run.at, run.payload, run.opens, run.times):
        element = Open((number,), t) if opens else Close((number,), t)
        if (why := specified.refuses(element)) is not None:
            refused.append((at, why))
            continue
        emitted = specified.feed(element)
        assert isinstance(emitted, Insert | Adjust)
        old = NEVER if isinstance(emitted, Insert) else _whole(emitted.vold)
        changes.append([at, _whole(emitted.vs), old, _whole(emitted.ve)])
    odd = np.flatnonzero(run.odd).tolist()
    events = [[n, _whole(vs), _whole(ve)] for n in odd for vs, ve in specified.ends.get((n,), {}).items()]
    return _columns(changes, 4), _columns(events, 3), refused


def _rows(chosen: Flags, *columns: npt.NDArray[Any]) -> "zip[tuple[Any, ...]]":
    return zip(*(column[chosen].tolist() for column in columns), strict=True)


def _columns(rows: list[list[int]], width: int) -> npt.NDArray[np.int64]:
    return np.array(rows, dtype=np.int64).reshape(-1, width).T


def _whole(t: Time) -> int:
    return FOREVER if t == INF else int(t)


def _ends(changes: Flags, size: int) -> Flags:
    """Which of some are the last of their kind, given which are followed by another kind."""
    return np.append(changes, True)[:size]


def _mask(flags: Flags) -> pl.Series:
    return pl.Series(flags, dtype=pl.Boolean)
