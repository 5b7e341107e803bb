"""Events when they are final: elements of a temporal stream in, rows of payload, start and end out.

With L the last stable: out are the events that are fully frozen at L (they end before it, and nothing changes them any
more), kept are all others, and the output promises that no later event ends before L. Of inserts alone every event is
final at once: nothing is kept, and no later event starts before L, nor ends there.

An insert adds an event with an end; an adjust takes one with the old end away and adds one with the new end. So the
elements of a slice may be added up in any order, unless one adjusts what is not there: then the elements of that
payload and start are looked at one by one, and those that fit nothing are bad.
"""

from collections import Counter

import numpy as np
import polars as pl

from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Schema
from punctum.algebra.values import Value
from punctum.lmerge.elements import ADJUST, FOREVER, HIDDEN, NEVER, VE, VOLD, VS, stable_of, time_type, time_value
from punctum.lmerge.temporal import TemporalOperator
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.operator import Metadata
from punctum.operators.table import Table

NEVER_INSERTED = "an adjust of an event that was not inserted"
_COUNT, _RANK = "\0count", "\0rank"


class Final(TemporalOperator):
    """The events of a temporal stream."""

    releasing_inputs = (0,)

    def __init__(self, schema: Schema, inserts: bool = False) -> None:
        self.inputs, self.output = (schema,), Schema(schema.attributes[: 2 - len(HIDDEN)])
        self._inserts, self._event = inserts, list(self.output.names)
        self._kept = Table(empty(self.output))
        self.stable = NEVER
        """The last stable, as a whole number."""
        self.bad = empty(schema)
        """The elements of the last slice that were not taken."""

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        before = self.stable
        self.stable = max([before, *(t for p in xs.puncts if (t := stable_of(p)) is not None)])
        emitted = self.closed(self.stable) if self.stable > before else ()
        if self._inserts:
            return ColumnarSlice(xs.rows.select(self._event), emitted)
        self._add(xs.rows)
        return ColumnarSlice(self._released() if emitted else self._kept.frame().clear(), emitted)

    def _add(self, rows: pl.DataFrame) -> None:
        self.bad = rows.clear()
        if rows.is_empty():
            return
        if not rows[ADJUST].any():
            self._kept.append(rows.select(self._event))
            return
        net = self._net(rows)
        taken = net.filter(pl.col(_COUNT) < 0).with_columns(-pl.col(_COUNT))
        wrong = self._missing(taken)
        if wrong.height:
            rows, self.bad = self._exactly(rows, wrong)
            net = self._net(rows)
            taken = net.filter(pl.col(_COUNT) < 0).with_columns(-pl.col(_COUNT))
        if taken.height:
            self._kept.retain(self._left(taken))
        more = net.filter(pl.col(_COUNT) > 0)
        often = pl.Series(np.repeat(np.arange(more.height), more[_COUNT].to_numpy()))
        self._kept.append(more.select(self._event)[often])

    def _net(self, rows: pl.DataFrame) -> pl.DataFrame:
        """How many events more or less there are of each payload, start and end."""
        adjusts = rows.filter(pl.col(ADJUST))
        ends = rows.filter(~pl.col(ADJUST) | pl.col(VE).is_null() | (pl.col(VE) > pl.col(VS)))
        more = ends.select(*self._event, pl.lit(1, pl.Int64).alias(_COUNT))
        less = adjusts.with_columns(pl.col(VOLD).alias(VE)).select(*self._event, pl.lit(-1, pl.Int64).alias(_COUNT))
        return pl.concat([more, less]).group_by(self._event, maintain_order=True).agg(pl.col(_COUNT).sum())

    def _missing(self, taken: pl.DataFrame) -> pl.DataFrame:
        """Which events are to be taken away more often than they are there."""
        if taken.is_empty():
            return taken
        known = self._kept.frame().join(taken, on=self._event, how="semi", nulls_equal=True)
        counted = known.group_by(self._event).len(_RANK)
        both = taken.join(counted, on=self._event, how="left", nulls_equal=True)
        return both.filter(pl.col(_COUNT) > pl.col(_RANK).fill_null(0))

    def _left(self, taken: pl.DataFrame) -> pl.Series:
        """Which events stay."""
        numbered = self._kept.frame().with_columns(pl.int_range(pl.len()).over(self._event).alias(_RANK))
        ranked = numbered.join(taken, on=self._event, how="left", nulls_equal=True, maintain_order="left")
        return ranked.select(pl.col(_COUNT).is_null() | (pl.col(_RANK) >= pl.col(_COUNT))).to_series()

    def _exactly(self, rows: pl.DataFrame, wrong: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The elements that fit, and those that do not: looked at one by one where any does not."""
        key = [*self._event[:-1]]
        marked = rows.with_row_index(_RANK)
        suspects = marked.join(wrong.select(key).unique(), on=key, how="semi", nulls_equal=True)
        kept = self._kept.frame().join(wrong.select(key).unique(), on=key, how="semi", nulls_equal=True)
        there = Counter(kept.iter_rows())
        bad = []
        for at, *event, old, adjust, _ in suspects.select(_RANK, *rows.columns).sort(_RANK).iter_rows():
            start, end = event[-2:]
            if adjust:
                if not there[*event[:-1], old]:
                    bad.append(at)
                    continue
                there[*event[:-1], old] -= 1
            if end is None or end > start:
                there[tuple(event)] += 1
        wrong_ones = pl.Series(bad, dtype=pl.UInt32)
        mask = marked[_RANK].is_in(wrong_ones.implode()) if bad else pl.Series([False]).new_from_index(0, len(marked))
        return rows.filter(~mask), rows.filter(mask)

    def _released(self) -> pl.DataFrame:
        """The events that the last stable has made final."""
        kept, limit = self._kept.frame(), self._time()
        final = pl.Series([True]).new_from_index(0, len(kept)) if limit is None else (kept[VE] < limit).fill_null(False)
        out = kept.filter(final)
        self._kept.retain(~final)
        return out

    def _time(self) -> Value | None:
        return time_value(self.stable, time_type(self.inputs[0]))

    def closed(self, t: int) -> tuple[Punctuation, ...]:
        """The output's punctuations at a stable, given as a whole number."""
        if t == FOREVER:
            return (end_of_stream(self.output),)
        before = between(None, time_value(t, time_type(self.inputs[0])), "[)")
        return tuple(Punctuation.of(self.output, {name: before}) for name in ((VS, VE) if self._inserts else (VE,)))

    def has_emitted(self, p: Punctuation) -> bool:
        """Whether the last stable covers it."""
        return self.stable > NEVER and any(emitted.covers(p) for emitted in self.closed(self.stable))

    def keeps(self) -> dict[str, int]:
        """An event has the columns that its elements begin with."""
        return {} if self._inserts else {"events": 0}

    def tables(self) -> dict[str, Table]:
        """The events that are not final."""
        return {} if self._inserts else {"events": self._kept}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Resume with the rows that another one kept."""
        self._kept = tables.get("events", self._kept)

    def metadata(self) -> Metadata:
        """The last stable."""
        return {"stable": self.stable}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Resume with the metadata of another one."""
        self.stable = metadata["stable"]

    def puncts(self) -> int:
        """The last stable."""
        return int(self.stable > NEVER)
