"""Grouping and aggregation (GROUP BY): a row for each group that punctuations on grouping attributes alone close.

Kept: partial aggregates of the open groups. The partials of a slice are a segment behind those of earlier slices, so a
group may have several; they are combined when it closes, and when segments are merged. With updates a group comes out
after each slice that has rows of it, and not again when it is closed. A group whose aggregates do not all have a value
goes to the quarantine when it would come out.
"""

from collections.abc import Sequence

import polars as pl

from punctum.algebra.aggregates import AggregateFunction
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators.batch import Names, PunctuationBatch, columns, punctuations_of
from punctum.operators.checked import REASON
from punctum.operators.columns import ColumnarSlice, canonical, dtype, empty
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.near import purge
from punctum.operators.operator import Metadata, Operator, Waits
from punctum.operators.partials import Partial
from punctum.operators.table import Table


class GroupBy(Operator):
    """A row for each group: the grouping attributes and the aggregates, each over the rows that pass its filter."""

    releasing_inputs = (0,)

    def __init__(
        self,
        schema: Schema,
        by: Sequence[str],
        aggregates: Sequence[AggregateFunction],
        filters: Sequence[pl.Expr | None] | None = None,
        updates: bool = False,
        few: bool = False,
    ) -> None:
        self._by, self._at, self._updates = list(by), schema.indices(by), updates
        self._grouping = Schema(tuple(schema.attributes[at] for at in self._at))
        results = tuple(aggregate.attribute(schema) for aggregate in aggregates)
        self.inputs, self.output = (schema,), Schema(self._grouping.attributes + results)
        mark = "#" * (1 + max(len(name) for name in schema.names))  # no attribute's name
        chosen = filters or [None] * len(aggregates)
        self._partials = [Partial(aggregate, schema, chosen[i], f"{mark}{i}") for i, aggregate in enumerate(aggregates)]
        self._keys = [pl.col(name) for name in by] or [pl.lit(0).alias(mark)]
        kept = {name: dtype(schema.attributes[at]) for name, at in zip(by, self._at, strict=True)}
        for partial in self._partials:
            kept |= partial.columns
        self._columns = list(kept)
        self._groups = Table(pl.DataFrame(schema=kept), None, self._combine, self._by)
        self._few, self._combined, self._ended = few, 0, False
        self._names = Names(self.output, [[n for n, at in enumerate(self._at) if at == i] for i in range(len(schema))])
        self._emitted = EmittedPunctuations(self.output)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        if xs.rows.height:
            exprs = [expr for partial in self._partials for expr in partial.of_rows(xs.rows)]
            self._groups.append(self._grouped(xs.rows, exprs))
        closing = punctuations_of(self.inputs[0], xs).on(self._at)
        done = self._current(xs.rows) if self._updates else self._groups.none().rows
        if len(closing):
            reported = self._updates and (self._by or len(self._groups))
            released = self._released(closing)
            done = done if reported else released
        rows = self._results(done)
        if self._few and len(self._groups) > self._combined:
            self._groups.combine(self._combine(self._groups.frame()), self._by)
            self._combined = len(self._groups)
        return columns(rows, self._emitted.add_new(self._names.map_punctuations(closing)), xs)

    def groups(self) -> pl.DataFrame:
        """The grouping attributes of the open groups, each group once."""
        return self._groups.frame().select(self._by).unique(maintain_order=True)

    def tables(self) -> dict[str, Table]:
        """The partial aggregates of the open groups."""
        return {"groups": self._groups}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._groups = tables["groups"]

    def metadata(self) -> Metadata:
        """Whether the stream has ended, how many partials the last combining left, and what has been emitted."""
        return {"ended": self._ended, "combined": self._combined, "emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._ended, self._combined = metadata["ended"], metadata["combined"]
        self._emitted.restore(metadata["emitted"])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired may be emitted again."""
        self._emitted.forget(self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What has been emitted."""
        return len(self._emitted)

    def keeps(self) -> dict[str, int]:
        """A group has its grouping attributes, and all of its rows have the same."""
        return {"groups": 0}

    def waits(self) -> dict[str, Waits]:
        """A group waits for its grouping attributes to be closed."""
        return {"groups": Waits(0, tuple((name, name) for name in self._by))}

    def map_punctuations(self, number: int, received: PunctuationBatch) -> PunctuationBatch:
        """Those on grouping attributes alone."""
        return self._names.map_punctuations(received.on(self._at))

    def has_emitted(self, p: Punctuation) -> bool:
        """Whether groups are closed."""
        return self._emitted.covers(p)

    def _released(self, closing: PunctuationBatch) -> pl.DataFrame:
        """The partials of the groups that are complete, which are then kept no longer."""
        if self._ended:
            return self._groups.none().rows
        self._ended = any(not p.sides for p in closing.others)
        done = self._combine(purge(self._groups, closing))
        if not self._by and not done.height:
            return self._of_nothing()
        return done

    def _current(self, new: pl.DataFrame) -> pl.DataFrame:
        """The partials so far of the groups that have new rows."""
        if not new.height:
            return self._groups.none().rows
        keys = new.select(self._by).unique()
        kept = self._groups.having(keys).rows
        return self._combine(kept.join(keys, on=self._by, how="semi", nulls_equal=True) if self._by else kept)

    def _results(self, done: pl.DataFrame) -> pl.DataFrame:
        """A row for each group that has one; the others go to the quarantine."""
        if not done.height:
            return empty(self.output)
        rows = done.select(*self._by, *(partial.result() for partial in self._partials))
        fails = [why for partial in self._partials if (why := partial.fails()) is not None]
        if fails and any(rows[p.aggregate.name].null_count() for p in self._partials):
            reasons = done.select(pl.coalesce(fails).alias(REASON)).to_series()
            bad = reasons.is_not_null()
            self.fail(rows.with_columns(reasons).filter(bad) if bad.any() else None, self._grouping)
            rows = rows.filter(~bad)
        return canonical(rows)

    def _of_nothing(self) -> pl.DataFrame:
        """The partials of a group without rows."""
        return (
            self._groups.none().rows.clear(1).with_columns(e for partial in self._partials for e in partial.of_nothing)
        )

    def _combine(self, partials: pl.DataFrame) -> pl.DataFrame:
        if not partials.height:
            return partials
        return self._grouped(partials, [expr for partial in self._partials for expr in partial.combined()])

    def _grouped(self, df: pl.DataFrame, exprs: list[pl.Expr]) -> pl.DataFrame:
        return df.group_by(self._keys, maintain_order=True).agg(exprs).select(self._columns)
