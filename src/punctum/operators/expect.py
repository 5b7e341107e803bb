"""Expect, vectorised: a value that is not closed in time is swept, and rows of it that come later are late.

The table ``open`` holds, for each value that is open, the time of the first row and how many came, for one slice or for
several together. ``swept`` and ``late`` are what the last slice has led to: the records that an engine puts
into quarantine. The punctuations of what was swept, ``sweeping``, are not in the slice that comes out. They are for a
slice of their own behind it, whose rows, wherever operators release them, are what should have been closed: no results.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np
import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute
from punctum.algebra.scheme import Scheme
from punctum.algebra.values import Type, Value
from punctum.operators.batch import PunctuationBatch, batch, columns, punctuations_of
from punctum.operators.clock import StreamClock, tick_of, ticks
from punctum.operators.columns import AT, NOW, ColumnarSlice, dtype, empty, to_rows
from punctum.operators.near import purge
from punctum.operators.operator import PAST, Metadata, Operator, Waits
from punctum.operators.places import places
from punctum.operators.seen import SeenPunctuations
from punctum.operators.table import Table

_TICK = timedelta(microseconds=1)


class Swept(NamedTuple):
    """A value that was not closed in time: the punctuation that is missing, since when it was open, how many rows."""

    punctuation: Punctuation
    since: datetime
    rows: int


class Expect(Operator):
    """The rows of the input, less those that are late, and its punctuations."""

    def __init__(self, scheme: Scheme, within: timedelta, time: str | None = None) -> None:
        schema = scheme.schema
        self.inputs, self.output = (schema,), schema
        self._within, self._time, self._clock = within, time, StreamClock(schema, time)
        self._tick = 1 if time is None else tick_of(within)
        self._at, self._by = schema.indices(scheme.attributes), list(scheme.attributes)
        mark = "#" * (1 + max(len(name) for name in schema.names))  # no attribute's name
        self._first, self._count = f"{mark}first", f"{mark}rows"
        first = Attribute(self._first, Type.TIMESTAMP if time is None else schema.attributes[schema.index(time)].type)
        self.kind, self._instant = first.type, dtype(first)
        keys = {name: dtype(schema.attributes[at]) for name, at in zip(self._by, self._at, strict=True)}
        kept = pl.DataFrame(schema=keys | {self._first: self._instant, self._count: pl.Int64()})
        self._open, self._seen = Table(kept, None, self._summed, self._by), SeenPunctuations(schema)
        self.swept: list[Swept] = []
        self.late, self.reasons = empty(schema), pl.Series(dtype=pl.String)

    def at(self, now: datetime) -> None:
        """In wall time: what the time is when the next slice comes. It never goes back."""
        self._clock.advance(now)

    @property
    def now(self) -> datetime | None:
        """What the time is, as far as it is known."""
        return self._clock.now

    @property
    def due(self) -> datetime | None:
        """When by the clock the next value is to be swept; nothing when none is open, or the stream tells the time."""
        if self._time is not None or not len(self._open):
            return None
        first = self._open.least(self._first)
        assert isinstance(first, datetime)
        return first + self._within if first < datetime.max.replace(tzinfo=UTC) - self._within else None

    @property
    def sweeping(self) -> PunctuationBatch:
        """What is to be emitted behind the last slice."""
        return batch(self.output, [swept.punctuation for swept in self.swept])

    @property
    def on(self) -> tuple[int, ...]:
        """The positions of the scheme's attributes."""
        return self._at

    def old_enough(self, rows: pl.DataFrame, now: int) -> pl.Series:
        """In stream time: which rows are overdue at a time, in microseconds since 1970."""
        assert self._time is not None
        return (places(rows[self._time]) <= self._limit(now)).fill_null(False)

    def moments(self, rows: pl.DataFrame, steps: pl.DataFrame) -> pl.DataFrame:
        """In stream time: where the values of rows and what is open are swept, if nothing closes them before.

        Rows have places (AT), and so have the steps of time; a value that is overdue when its row comes is swept there.
        """
        within, tick = self._within // _TICK, self._tick
        came = rows.filter(~self._seen.matches(rows))
        known = self._early(self._limit(steps[NOW][-1])).with_columns(pl.lit(-1, pl.Int64).alias(AT))
        both = ((came, self._time or ""), (known, self._first))
        due = pl.concat(some.select(*self._by, AT, pl.col(time).to_physical().alias(NOW)) for some, time in both)
        passed = steps[NOW].search_sorted((due[NOW] + within + tick - 1) // tick * tick, side="left")
        moved = pl.max_horizontal(AT, pl.lit(steps[AT].gather(passed)))
        return due.with_columns(moved.alias(AT)).group_by(self._by, maintain_order=True).agg(pl.col(AT).min())

    def _limit(self, now: int) -> int:
        """What is open since then, or for longer, is overdue at a time, both in microseconds since 1970."""
        return max(now // self._tick * self._tick - self._within // _TICK, -(2**63))

    def _early(self, limit: int) -> pl.DataFrame:
        """What is open since a time, or longer; some of its counts may be missing."""
        early = self._open.between(self._first, np.full(1, -(2**63)), np.full(1, limit)).rows
        return early.filter(pl.col(self._first).to_physical() <= limit)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        rows, received = self._in_time(xs.rows), punctuations_of(self.output, xs)
        for instant in self._clock.instants(received.others):
            self.at(instant)
        self._open.append(self._counted(rows))
        closed = received.on(self._at)
        purge(self._open, closed)
        new = self._seen.add_new(received)
        self._sweep()
        return columns(rows, new, xs)

    def _in_time(self, rows: pl.DataFrame) -> pl.DataFrame:
        wrong = self._seen.matches(rows)
        self.late = rows.filter(wrong)
        self.reasons = self._seen.why(self.late)
        return rows.filter(~wrong) if self.late.height else rows

    def _counted(self, rows: pl.DataFrame) -> pl.DataFrame:
        time = pl.lit(self._clock.now, self._instant) if self._time is None else pl.col(self._time)
        of_rows = rows.select(*self._by, time.alias(self._first), pl.lit(1, pl.Int64).alias(self._count))
        return self._summed(of_rows.drop_nulls(self._first))

    def _summed(self, counts: pl.DataFrame) -> pl.DataFrame:
        of = (pl.col(self._first).min(), pl.col(self._count).sum())
        return counts.group_by(self._by, maintain_order=True).agg(*of)

    def _sweep(self) -> None:
        self.swept = []
        if self.now is None or not len(self._open):
            return
        old = self._early(self._limit(ticks(self.now))).select(self._by).unique()
        known = self._open.having(old).rows
        due = self._summed(known.join(old, on=self._by, how="semi", nulls_equal=True, maintain_order="left"))
        for *key, since, rows in to_rows(due):
            assert isinstance(since, datetime)
            assert isinstance(rows, int)
            self.swept.append(Swept(self._closing(key), since, rows))
        if self.swept:
            self._seen.add_new(self.sweeping)
            purge(self._open, self.sweeping)

    def _closing(self, key: Sequence[Value | None]) -> Punctuation:
        """The punctuation that closes one value, whatever the orders of the scheme are."""
        return Punctuation.of(self.output, dict(zip(self._by, key, strict=True)))

    def tables(self) -> dict[str, Table]:
        """What is open, and what was seen and does not coalesce."""
        return {"open": self._open, PAST: self._seen.past}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._open = tables["open"]
        self._seen.go_on(tables[PAST])

    def metadata(self) -> Metadata:
        """The time, and what has been seen."""
        return {"now": self.now and self.now.isoformat(), "seen": self._seen.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._clock.now = metadata["now"] and datetime.fromisoformat(metadata["now"])
        self._seen.restore(metadata["seen"])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired may be emitted again."""
        self._seen.forget(self.map_punctuations(number, expired))

    def restart(self) -> None:
        """Nothing is open any more, and what was closed or swept may come again."""
        self._open.clear()
        self._seen.clear()

    def puncts(self) -> int:
        """What has been seen."""
        return len(self._seen)

    def waits(self) -> dict[str, Waits]:
        """What is open waits for the scheme's punctuations."""
        return {"open": Waits(0, tuple((name, name) for name in self._by))}


def instant(milliseconds: int) -> datetime:
    """The time that a batch was given, as Spark writes it down."""
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)
