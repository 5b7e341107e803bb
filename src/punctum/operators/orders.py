"""Orders of access, vectorised: rows come in the order of an attribute, all of them or those of each key.

What an order closes is computed for whole columns as two numbers a row (``Progress.marks``): its mark, and how far it
*reaches*, which is its mark less the delay. A row is late when its mark is less than what a row before it reaches.
Only the furthest row of a key makes a punctuation, in Python: ``Progress.passed``.
"""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal, localcontext
from typing import Any

import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST, above, below
from punctum.algebra.pattern import EMPTY, Pattern, constant, span_pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Row, Type
from punctum.errors import PatternError
from punctum.operators.batch import PunctuationBatch
from punctum.operators.columns import AT, to_rows
from punctum.operators.origins import Origin, coverable, furthest
from punctum.operators.places import places
from punctum.operators.sequence import PlacedPunctuations

Delay = int | float | Decimal | timedelta
_MARK, _REACH, _BEFORE, _LATE, _ROW = "\0mark", "\0reach", "\0before", "\0late", "\0number"


@dataclass(frozen=True)
class Progress:
    """How far an order has come: what is over when a value has been reached, or a delay later."""

    attribute: Attribute
    order: Order
    delay: Delay | None = None

    def passed(self, furthest: Any) -> Pattern:
        """The values that do not come any more once one has; none when the delay reaches back before all values."""
        kind, descending = self.attribute.type, self.order is Order.DESC
        try:
            limit = kind.accept(furthest if self.delay is None else self._behind(furthest))
        except (OverflowError, PatternError):
            return EMPTY
        low, high = (above(limit), HIGHEST) if descending else (LOWEST, below(limit))
        return span_pattern((low, high), kind) if low < high else EMPTY

    def marks(self, values: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Numbers that rise where the values go on, and how far each of them reaches."""
        if self.delay is None:
            mark = self._rising(values)
            return mark, mark
        if values.dtype == pl.Float64:
            back = float(str(self.delay))
            moved = values + back if self.order is Order.DESC else values - back
            return self._rising(values), self._rising(moved)
        mark = self._rising(values).cast(pl.Int128)
        return mark, mark - pl.Series([_ticks(self.attribute, self.delay)], dtype=pl.Int128)

    def _rising(self, values: pl.Series) -> pl.Series:
        where = places(values)
        where = where.rank("dense").cast(pl.Int64) if where.dtype == pl.String else where
        return pl.Series([-1], dtype=where.dtype) - where if self.order is Order.DESC else where

    def _behind(self, furthest: Any) -> Any:
        with localcontext(prec=100):  # DECIMALs are exact
            return furthest + self.delay if self.order is Order.DESC else furthest - self.delay


class AccessOrder(Origin):
    """Rows come in the order of the last attribute of a scheme, or at most a delay behind it, for each key by itself.

    The attributes before the last are the key.
    """

    def __init__(self, scheme: Scheme, delay: Delay | None = None) -> None:
        *keys, (name, order) = scheme.terms
        schema = scheme.schema
        self._scheme, self._schema, self._keys, self._name = scheme, schema, [key for key, _ in keys], name
        self._progress = Progress(schema.attributes[schema.index(name)], order, delay)

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """What the furthest row of each key leaves behind."""
        most = furthest(self._schema, self._name, self._progress.order)
        known = rows.group_by(self._keys, maintain_order=True).agg(most) if self._keys else rows.select(most)
        return PunctuationBatch(self._schema, others=list(self._closings(to_rows(known))))

    def breaks(self, rows: pl.DataFrame) -> bool:
        """Whether a row comes later than it may."""
        mark, _ = self._progress.marks(rows[self._name].drop_nulls())
        return not mark.is_sorted() and bool(self._marked(rows)[_LATE].any())

    def completes(self, schema: Schema, hidden: Set[int]) -> bool:
        """Whether a row may."""
        return coverable(schema, self._scheme.attributes, hidden)

    def placed(self, rows: pl.DataFrame) -> PlacedPunctuations:
        """What each row that excludes a later one leaves behind, and what the furthest of each key does."""
        known = self._marked(rows).with_row_index(_ROW)
        record = (pl.col(_REACH) > pl.col(_BEFORE)).fill_null(True)
        known = known.with_columns(self._each(pl.when(record).then(_ROW).forward_fill()).alias(_ROW))
        every = coverable(self._schema, self._scheme.attributes, {*range(len(self._schema))})
        before = known.select(_LATE, self._each(pl.col(_ROW).shift(1)))
        needed = known[_ROW] if every else before.filter(_LATE)[_ROW]
        last = known.group_by(self._keys).agg(pl.col(_ROW).last())[_ROW] if self._keys else known[_ROW].tail(1)
        chosen = known[pl.concat([needed, last]).drop_nulls().unique().sort()]
        made = zip(chosen[AT], to_rows(chosen.select(*self._keys, self._name)), strict=True)
        return PlacedPunctuations(self._schema, {}, [(at, p) for at, row in made for p in self._closings([row])])

    def _marked(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows that have a value: how far each reaches, and those before it of its key, and whether it is late."""
        known = rows.select(*self._keys, self._name, AT).drop_nulls(self._name)
        mark, reach = self._progress.marks(known[self._name])
        known = known.with_columns(mark.alias(_MARK), reach.alias(_REACH))
        known = known.with_columns(self._each(pl.col(_REACH).cum_max().shift(1)).alias(_BEFORE))
        return known.with_columns((pl.col(_MARK) < pl.col(_BEFORE)).fill_null(False).alias(_LATE))

    def _each(self, expression: pl.Expr) -> pl.Expr:
        """What is computed for each key by itself."""
        return expression.over(self._keys) if self._keys else expression

    def _closings(self, values: Iterable[Row]) -> Iterator[Punctuation]:
        """What rows of keys and furthest values leave behind."""
        for *key, value in values:
            side = EMPTY if value is None else self._progress.passed(value)
            if side is not EMPTY:
                fixed = {name: constant(part) for name, part in zip(self._keys, key, strict=True)}
                yield Punctuation.of(self._schema, {**fixed, self._name: side})


def _ticks(attribute: Attribute, delay: Delay) -> int:
    """A delay in the unit that places of an attribute count; a day has no parts."""
    if isinstance(delay, timedelta):
        return delay.days if attribute.type is Type.DATE else delay // timedelta(microseconds=1)
    return int(Decimal(delay).scaleb(attribute.digits[1])) if attribute.type is Type.DECIMAL else int(delay)
