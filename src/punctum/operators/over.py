"""Functions of frames (SUM, LAG … OVER): rows come out with their value as soon as nothing can come before them.

Kept: rows that wait for their place in the order or for their partition to be closed; and, *before* them, of each open
partition the partials of the last rows that have come out, as many as frames reach back, or one of all of them. Where
frames go back to a sort key, these are the rows within reach of those that may come, with their keys.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from punctum.algebra.frames import FrameCall, UpTo, out_of_reach
from punctum.algebra.pattern import EMPTY
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.operators.batch import Names, PunctuationBatch, add, batch, columns, punctuations_of
from punctum.operators.checked import REASON
from punctum.operators.columns import ColumnarSlice, canonical, dtype, empty, uniform
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.frames import FrameValues, starts
from punctum.operators.matching import matches
from punctum.operators.near import purge
from punctum.operators.operator import Metadata, Operator, Waits
from punctum.operators.partitions import Numbers, Partitions
from punctum.operators.prefix import closed_prefix
from punctum.operators.ranking import in_full, release
from punctum.operators.table import Table, View
from punctum.operators.waiting import Waiting
from punctum.operators.written import read, written

NEW, AT = "\0new", "\0at"
"""Whether a row is new, and its place, while it stands with those before it."""


class Over(Operator):
    """All rows with a value of their frame."""

    releasing_inputs = (0,)

    def __init__(self, schema: Schema, by: Sequence[str], keys: Sequence[SortKey], call: FrameCall) -> None:
        self._by, self._at, self._keys, self._call = list(dict.fromkeys(by)), schema.indices(by), list(keys), call
        self._ordered = call.frame.upto is not UpTo.WHOLE
        self._on = schema.indices(key.name for key in keys) if self._ordered else ()
        self._full = in_full(schema, self._by, [key for key in self._keys if key.name not in self._by])
        self.inputs, self.output = (schema,), Schema((*schema.attributes, call.attribute(schema)))
        mark = "#" * (1 + max(len(name) for name in schema.names))  # no attribute's name
        self._values = FrameValues(call, schema, mark)
        ranged = [key.name for key in self._keys if call.frame.within is not None]
        self._shown = list(dict.fromkeys([*self._by, *ranged]))  # what is kept besides partials
        kept = {name: dtype(schema.attributes[schema.index(name)]) for name in self._shown} | self._values.columns
        self._input, self._before = Table(empty(schema)), Table(pl.DataFrame(schema=kept))
        self._received, self._waiting = PunctuationSet(schema), Waiting(schema)
        self._names = Names(self.output, [[i] for i in range(len(schema))])
        self._emitted = EmittedPunctuations(self.output)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        self._input.append(xs.rows)
        received = punctuations_of(self.inputs[0], xs)
        prefix = self._prefix(received)
        closing = received.on(self._at) + prefix.on(self._at)  # of an order that is closed as a whole, all partitions
        rows = self._results(release(self._input, self._waiting, closing + prefix), closing)
        purge(self._before, closing + self._out_of_reach(prefix))
        passing = self._waiting.hold(self._input, received) + self._waiting.freed(self._input)
        return columns(rows, self._emitted.add_new(self._names.map_punctuations(passing)), xs)

    def _prefix(self, received: PunctuationBatch) -> PunctuationBatch:
        """What of the order is closed, when there is news of it."""
        new = received.on(self._on) if self._ordered else batch(self.inputs[0], ())
        if not len(new):
            return batch(self.inputs[0], ())
        add(self._received, new)
        return batch(self.inputs[0], closed_prefix(self.inputs[0], self._keys, self._received))

    def _out_of_reach(self, prefix: PunctuationBatch) -> PunctuationBatch:
        """The rows before others that are in no frame of rows that may come."""
        (schema,), within = self.inputs, self._call.frame.within
        if within is None or not len(prefix):
            return batch(schema, ())
        (key,), (at,) = self._keys, self._on
        beyond = out_of_reach((p.patterns[at] for p in prefix), within, key.descending, schema.attributes[at].type)
        return batch(schema, () if beyond == EMPTY else (Punctuation.of(schema, {key.name: beyond}),))

    def _results(self, released: pl.DataFrame, closing: PunctuationBatch) -> pl.DataFrame:
        """Released rows with their values, which are then before all others of their partitions."""
        if not released.height:
            return empty(self.output)
        order = Partitions.of(released, self._by, self._full)
        rows = released[order.at]
        partials, partitions, at = self._with_before(rows)
        framed = self._values.over(partials.drop(self._shown), partitions, self._starts(partials, partitions))
        if self._call.history:
            self._keep(partials, framed, partitions, closing)
        framed = framed[at[self._ends(rows, order)]]
        return self._valued(rows.hstack(framed))

    def _with_before(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, Partitions, Numbers]:
        """The partials of ordered rows and of those before them, partition by partition, and where the rows are."""
        new = rows.select(*self._shown, *self._values.lifted())
        keys = new.select(self._by).unique()
        known = self._before.having(keys) if self._by else self._before.all()
        mask = _having(known.rows, keys)
        touched = known.rows.filter(mask)
        known.drop(mask)
        both = pl.concat([touched.with_columns(pl.lit(False).alias(NEW)), new.with_columns(pl.lit(True).alias(NEW))])
        both = both.with_row_index(AT)
        partitions = Partitions.of(both, self._by, [SortKey(AT)])
        both = both[partitions.at]
        return both.drop(NEW, AT), partitions, np.flatnonzero(both[NEW].to_numpy())

    def _starts(self, partials: pl.DataFrame, partitions: Partitions) -> Numbers | None:
        """For each row where its frame starts, when that goes by sort keys."""
        within = self._call.frame.within
        return (
            None
            if within is None
            else starts(partials[self._keys[0].name], partitions, within, self._keys[0].descending)
        )

    def _ends(self, rows: pl.DataFrame, order: Partitions) -> Numbers:
        """For each row the one at which its frame ends."""
        if self._call.frame.upto is UpTo.ROW:
            return np.arange(rows.height)
        keys = self._keys if self._ordered else []
        peers = Partitions.of(rows, self._by, [key for key in keys if key.name not in self._by])
        lasts: Numbers = peers.in_frame(peers.lasts)
        return order.firsts + lasts - 1

    def _keep(
        self, partials: pl.DataFrame, framed: pl.DataFrame, partitions: Partitions, closing: PunctuationBatch
    ) -> None:
        """Keep of open partitions the last rows, or all of them as one."""
        left = partitions.lengths - partitions.numbers
        if self._call.frame.within is not None:
            rest = partials.drop_nulls(self._keys[0].name)
        elif self._call.frame.preceding is None:
            rest = pl.concat([partials.select(self._by), framed], how="horizontal").filter(pl.Series(left == 0))
        else:
            rest = partials.filter(pl.Series(left < self._call.history))
        self._before.append(rest.filter(~matches(rest, closing)) if len(closing) else rest)

    def _valued(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows with their values; those that have none go to the quarantine."""
        made = rows.select(*self.inputs[0].names, self._values.result())
        why = self._values.fails()
        if why is not None and made[self._call.name].null_count():
            reasons = rows.select(why.alias(REASON)).to_series()
            bad = reasons.is_not_null()
            failed = rows.select(self.inputs[0].names).with_columns(reasons).filter(bad)
            self.fail(failed if bad.any() else None, self.inputs[0])
            made = made.filter(~bad)
        return canonical(made)

    def tables(self) -> dict[str, Table]:
        """The rows that wait, and what is kept of those before them."""
        return {"input": self._input, "before": self._before}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._input, self._before = tables["input"], tables["before"]

    def metadata(self) -> Metadata:
        """What has been received on sort attributes, what waits, and what has been emitted."""
        received = written(self._received, self.inputs[0])
        return {"received": received, "waiting": self._waiting.metadata(), "emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._received = PunctuationSet(self.inputs[0], read(metadata["received"], self.inputs[0]))
        self._waiting.restore(metadata["waiting"])
        self._emitted.restore(metadata["emitted"])

    def puncts(self) -> int:
        """What has been received, waits and has been emitted."""
        return len(self._received) + len(self._waiting) + len(self._emitted)

    def waiting(self) -> int:
        """How many punctuations wait for rows to go."""
        return len(self._waiting)

    def drop(self, name: str, view: View, mask: pl.Series) -> None:
        """Drop rows, and with those that wait what they hold back."""
        if name == "input":
            self._waiting.drop(view, mask)
        else:
            view.drop(mask)

    def keeps(self) -> dict[str, int]:
        """The input's own rows that wait."""
        return {"input": 0}

    def waits(self) -> dict[str, Waits]:
        """A row waits for its partition to be closed, if not for its place in the order."""
        return {"input": Waits(0, tuple((name, name) for name in self._by))}

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """The same, over the attributes of the input."""
        return self._names.map_punctuations(received)

    def has_emitted(self, p: Punctuation) -> bool:
        """Whether rows are out."""
        return self._emitted.covers(p)


def _having(df: pl.DataFrame, keys: pl.DataFrame) -> pl.Series:
    """Which rows have one of some combinations of values, each of which is there once."""
    if not keys.width:
        return uniform(True, df.height)
    marked = df.select(keys.columns).join(
        keys.with_columns(pl.lit(True).alias(NEW)), on=keys.columns, how="left", nulls_equal=True, maintain_order="left"
    )
    return marked[NEW].fill_null(False)
