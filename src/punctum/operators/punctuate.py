"""Punctuate: the same rows, with punctuations of some origins behind the stream's own.

Punctuations that are one constant each come as columns (``constants``), so 100,000 closings in a slice are one
column. When the source may break the word that was given for it, a guard stands inside: it keeps out the rows that an
earlier slice has excluded, and the origins do not receive them either. It also keeps out rows behind the one of the
same slice that has excluded them, if the rows are ``in_order`` and there is one origin: then nothing new is made of
these, for what excludes a row covers what is made of it. What is said at the ``start`` holds for the first slice too.
A row of which an origin cannot tell what to make goes to the quarantine.
"""

from collections.abc import Sequence

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators.batch import PunctuationBatch, batch, punctuations_of
from punctum.operators.clock import rising
from punctum.operators.columns import AT, ColumnarSlice, empty
from punctum.operators.operator import PAST, Metadata, Operator
from punctum.operators.orders import AllPassed
from punctum.operators.origins import Origin
from punctum.operators.seen import SeenPunctuations
from punctum.operators.sequence import late, why
from punctum.operators.table import Table


class Punctuate(Operator):
    """The rows of the input, all of them or, with a guard, the grammatical ones.

    The rows of the last slice that the guard has kept out are in ``late``, what excludes each, as JSON, in ``reasons``.
    """

    def __init__(
        self, schema: Schema, origins: Sequence[Origin], guard: bool = False, start: Sequence[Punctuation] = ()
    ) -> None:
        self.inputs, self.output = (schema,), schema
        self._origins, self._guard, self.in_order = origins, guard, True
        self._opened, self._emitted, self._start = False, SeenPunctuations(schema), start
        self.late, self.reasons = empty(schema), pl.Series(dtype=pl.String)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice."""
        (xs,) = slices
        ordered = self._guard and self.in_order and len(self._origins) == 1
        start = batch(self.output, () if self._opened else self._start)
        started = self._emitted.add_new(start)
        rows = self._guarded(xs.rows) if self._guard else xs.rows
        rows = rows.with_columns(pl.int_range(rows.height, eager=True).alias(AT)) if self._guard else rows
        made = punctuations_of(self.output, xs)
        if not self._opened:
            opening = batch(self.output, [p for origin in self._origins for p in origin.opening()])
            made, self._opened = opening + made, True
        for origin in self._origins:
            made += origin.receive(rows)
            rows = self._without_failed(rows, origin)
            rows = self._without_late(rows, origin) if ordered and rows.height and origin.breaks(rows) else rows
        return in_bulk(rows.drop(AT, strict=False), started + self._emitted.add_new(made))

    def _without_failed(self, rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
        if not self._guard or origin.failed is None:
            return rows
        wrong = rows[AT].is_in(origin.failed[AT].implode())
        self.fail(origin.failed.drop(AT), self.output)
        return rows.filter(~wrong)

    def _without_late(self, rows: pl.DataFrame, origin: Origin) -> pl.DataFrame:
        made = origin.placed(rows)
        wrong = late(rows, rows[AT], made)
        bad = rows.filter(wrong)
        self.reasons = pl.concat([self.reasons, why(bad, bad[AT], made)])
        self.late = pl.concat([self.late, bad.drop(AT)])
        return rows.filter(~wrong)

    def _guarded(self, rows: pl.DataFrame) -> pl.DataFrame:
        wrong = self._emitted.matches(rows)
        self.late = rows.filter(wrong)
        self.reasons = self._emitted.why(self.late)
        return rows.filter(~wrong) if self.late.height else rows

    def times(self, attribute: str, rows: pl.DataFrame) -> pl.DataFrame:
        """Where members of a list move the time that an attribute tells, by rows that are yet to come, with places."""
        origins = [o for o in self._origins if isinstance(o, AllPassed) and o.orders(attribute)]
        return rising([origin.times(rows) for origin in origins])

    def tables(self) -> dict[str, Table]:
        """What the origins remember, and what was emitted and does not coalesce."""
        tables = {f"origin{n}": origin.table for n, origin in enumerate(self._origins)}
        return {PAST: self._emitted.past} | {name: table for name, table in tables.items() if table is not None}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._emitted.go_on(tables.pop(PAST))
        for name, table in tables.items():
            self._origins[int(name.removeprefix("origin"))].table = table

    def metadata(self) -> Metadata:
        """Whether it has begun, and what it has emitted."""
        return {"opened": self._opened, "emitted": self._emitted.metadata()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._opened = metadata["opened"]
        self._emitted.restore(metadata["emitted"])

    def forget(self, number: int, expired: PunctuationBatch) -> None:
        """What has expired may be emitted again."""
        self._emitted.forget(self.map_punctuations(number, expired))

    def puncts(self) -> int:
        """What it has emitted."""
        return len(self._emitted)


def in_bulk(rows: pl.DataFrame, emitted: PunctuationBatch) -> ColumnarSlice:
    """A slice with constants in columns."""
    constants = {emitted.schema.names[at]: values for at, values in emitted.constants.items() if len(values)}
    return ColumnarSlice(rows, tuple(emitted.others), constants)
