"""What happens to a stream's rows where they are read: punctuations made of them, selections and projections.

A process that reads files is started for each stream, so this room asks for no other than it needs.
"""

from dataclasses import dataclass
from functools import cached_property

import polars as pl

from punctum.algebra.scheme import Order, Scheme
from punctum.iterators.origins import AccessOrder as OrderSpecification
from punctum.operators import origins
from punctum.operators.batch import Batch
from punctum.operators.columns import Columns, fitting
from punctum.operators.expressions import compiled
from punctum.operators.origins import Origin
from punctum.operators.punctuate import in_bulk
from punctum.parse import relations as r
from punctum.parse.definitions import AccessOrder, EndEvent, StreamDef

ROW = "\0row"
"""The column of rows' numbers."""


@dataclass(frozen=True)
class Piped:
    """What a pipe does where a stream is read. Compiled where it runs.

    First punctuations are made of the rows; they are left as they are, over the stream's own columns, and so are those
    that came. Then the rows go through the selections and projections.
    """

    steps: tuple[r.Relation, ...]
    stream: StreamDef | None = None  # nothing: no punctuations are made

    def __call__(self, piece: Columns) -> Columns:
        """The slice behind the pipe."""
        piece = self.punctuated(piece)
        return Columns(self.behind(piece.rows), piece.puncts, piece.points)

    def skipped(self, piece: Columns) -> tuple[Columns, str | None]:
        """The slice behind the pipe, and what is to be told of rows that were skipped there: there are none."""
        return self(piece), None

    def behind(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows behind the selections and projections."""
        if not self.steps:
            return rows
        lazy = rows.lazy()
        for predicate, columns in self._compiled:
            lazy = lazy.filter(predicate) if predicate is not None else _computed(lazy, columns)
        return fitting(lazy.collect(), self.steps[-1].schema)

    def numbered(self, raw: pl.DataFrame) -> pl.DataFrame:
        """Rows behind the pipe, each with its number before it."""
        rows = raw.lazy().with_row_index(ROW)
        for predicate, columns in self._compiled:
            rows = rows.filter(predicate) if predicate is not None else rows.select(*columns, ROW)
        return rows.collect()

    def punctuated(self, piece: Columns) -> Columns:
        """The slice with what is made of its rows; parts of a slice may be given one by one."""
        if self.stream is None or not self._origins or piece.rows.is_empty():
            return piece
        said = Batch(self.stream.schema)
        for origin in self._origins:
            said += origin.hear(piece.rows)
        made = in_bulk(piece.rows, said)
        both = {name: pl.concat([piece.points[name], v]) for name, v in made.points.items() if name in piece.points}
        return Columns(piece.rows, piece.puncts + made.puncts, piece.points | made.points | both)

    @cached_property
    def _origins(self) -> list[Origin]:
        return [] if self.stream is None else stateless(self.stream)

    @cached_property
    def _compiled(self) -> list[tuple[pl.Expr | None, list[pl.Expr]]]:
        return [compiled_step(step) for step in self.steps]

    def __reduce__(self) -> tuple[type["Piped"], tuple[tuple[r.Relation, ...], StreamDef | None]]:
        return Piped, (self.steps, self.stream)


def _computed(rows: pl.LazyFrame, columns: list[pl.Expr]) -> pl.LazyFrame:
    """The columns for each row: a select of literals alone would have one row, however many there are."""
    return rows.with_columns(columns).select(column.meta.output_name() for column in columns)


def stateless(stream: StreamDef) -> list[Origin]:
    """The origins of a stream's punctuations that look at one row at a time."""
    schema, found = stream.schema, list[Origin]()
    for clause in stream.punctuates:
        match clause:
            case EndEvent():
                found.append(origins.EndEvent(clause.scheme, compiled(clause.when, schema)))
            case AccessOrder(scheme=scheme):
                down = scheme.terms[0][1] is Order.DESC
                found.append(origins.AccessOrder(OrderSpecification(schema, clause.attribute, down, clause.delay)))
    schemes = (Scheme(schema, tuple((name, Order.EQUALITY) for name in names)) for names in stream.unique)
    return [*found, *map(origins.Unique, schemes)]


def compiled_step(step: r.Relation) -> tuple[pl.Expr | None, list[pl.Expr]]:
    """What a selection keeps, or the columns of a projection."""
    below = step.inputs[0].schema
    if isinstance(step, r.Filter):
        return compiled(step.predicate, below), []
    assert isinstance(step, r.Projection)
    return None, [compiled(e, below).alias(name) for name, e in step.columns]
