"""Orders, vectorised: rows come in the order of an attribute, or members of a list go past what is complete.

What an order closes is computed for whole columns as two numbers a row (``Progress.marks``): its mark, and how far it
*reaches*, which is its mark less the delay. A row is late when its mark is less than what a row before it reaches, or
what all members do. Only what is furthest makes a punctuation, in Python: ``Progress.passed``.
"""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal, localcontext
from typing import Any

import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST, above, below, value_after, value_before
from punctum.algebra.pattern import EMPTY, Pattern, constant, span_pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Row, Type, Value
from punctum.errors import PatternError
from punctum.operators.batch import PunctuationBatch
from punctum.operators.columns import AT, NOW, empty, to_rows, uniform
from punctum.operators.origins import Origin, among, coverable, furthest, membership
from punctum.operators.places import bounds, places
from punctum.operators.sequence import PlacedPunctuations
from punctum.operators.table import Table
from punctum.operators.units import Units

Delay = int | float | Decimal | timedelta
_MARK, _REACH, _BEFORE, _LATE, _ROW = "\0mark", "\0reach", "\0before", "\0late", "\0number"
_GROUP, _PLACE, _NEXT, _VALUE, _END, _COUNT = "\0group", "\0place", "\0next", "\0value", "\0end", "\0count"
_BACK = {Order.ASC: Order.DESC, Order.DESC: Order.ASC}


@dataclass(frozen=True)
class Progress:
    """How far an order has come: what is over when a value has been reached, or a delay later, in whole units."""

    attribute: Attribute
    order: Order
    delay: Delay | None = None
    unit: Units | None = None

    @staticmethod
    def of(scheme: Scheme, delay: Delay | None, unit: Units | None) -> "Progress":
        """The progress of a scheme's last attribute."""
        name, order = scheme.terms[-1]
        return Progress(scheme.schema.attributes[scheme.schema.index(name)], order, delay, unit)

    def passed(self, furthest: Any) -> Pattern:
        """The values that do not come any more once one has; none when the delay reaches back before all values."""
        kind, descending = self.attribute.type, self.order is Order.DESC
        try:
            limit = kind.accept(furthest if self.delay is None else self._behind(furthest))
        except (OverflowError, PatternError):
            return EMPTY
        spans = ((below(limit), above(limit)),) if self.unit is None else self.unit.pattern(limit).spans
        for first, last in spans:
            low, high = (last, HIGHEST) if descending else (LOWEST, first)
            return span_pattern((low, high), kind) if low < high else EMPTY
        return EMPTY

    def marks(self, values: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Numbers that rise where the values go on, and how far each of them reaches."""
        if self.unit is not None:
            mark = self._rising(self.unit.pieces(values))
            return mark, mark if self.delay is None else self._rising(self.unit.pieces(self._moved(values)))
        if self.delay is None:
            mark = self._rising(values)
            return mark, mark
        if values.dtype == pl.Float64:
            back = float(str(self.delay))
            moved = values + back if self.order is Order.DESC else values - back
            return self._rising(values), self._rising(moved)
        mark = self._rising(values).cast(pl.Int128)
        return mark, mark - pl.Series([_ticks(self.attribute, self.delay)], dtype=pl.Int128)

    def moves(self, came: pl.DataFrame) -> pl.DataFrame:
        """Where a time moves and to what, when it has come at places (AT) to some values, which reach so far."""
        at, values, reach = came.get_columns()
        if self.unit is not None:
            ends = [self.passed(value).spans for (value,) in to_rows(values.to_frame())]
            until = bounds(((LOWEST, spans[0][1] if spans else HIGHEST) for spans in ends), self.attribute)[1]
        else:
            until = reach.cast(pl.Int128)
        least = places(pl.Series([value_after(LOWEST, self.attribute.type)]))[0]
        moved = pl.DataFrame([at.alias(AT), until.alias(NOW)]).filter(pl.col(NOW) > least)
        return moved.with_columns(pl.col(NOW).cast(pl.Int64) - 1)

    def _rising(self, values: pl.Series) -> pl.Series:
        where = places(values)
        where = where.rank("dense").cast(pl.Int64) if where.dtype == pl.String else where
        return pl.Series([-1], dtype=where.dtype) - where if self.order is Order.DESC else where

    def _moved(self, values: pl.Series) -> pl.Series:
        """Whole numbers or times less the delay; NULL where there are none."""
        assert self.delay is not None
        kind = self.attribute.type
        ends = [value_after(LOWEST, kind), value_before(HIGHEST, kind)]
        low, high = places(pl.Series(ends, dtype=values.dtype)).cast(pl.Int128)
        ticks = pl.Series([_ticks(self.attribute, self.delay)], dtype=pl.Int128)
        where = values.to_physical().cast(pl.Int128)
        where = where + ticks if self.order is Order.DESC else where - ticks
        known = pl.select(pl.when(where.is_between(low, high)).then(where)).to_series()
        return known.cast(values.to_physical().dtype).cast(values.dtype)

    def _behind(self, furthest: Any) -> Any:
        with localcontext(prec=100):  # DECIMALs are exact
            return furthest + self.delay if self.order is Order.DESC else furthest - self.delay


class AccessOrder(Origin):
    """Rows come in the order of the last attribute of a scheme, or at most a delay behind it, for each key by itself.

    The attributes before the last are the key.
    """

    every = False
    """Whether all that is made has a place, and not only what excludes a later row."""

    def __init__(self, scheme: Scheme, delay: Delay | None = None, unit: Units | None = None) -> None:
        *self._keys, self._name = scheme.attributes
        self._scheme, self._schema, self._progress = scheme, scheme.schema, Progress.of(scheme, delay, unit)

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """What the furthest row of each key leaves behind."""
        most = furthest(self._schema, self._name, self._progress.order)
        known = rows.group_by(self._keys, maintain_order=True).agg(most) if self._keys else rows.select(most)
        return PunctuationBatch(self._schema, others=list(closings(self._scheme, self._progress, to_rows(known))))

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
        record = pl.col(_REACH) > pl.col(_BEFORE).fill_null(pl.col(_REACH) - 1)
        known = known.with_columns(self._each(pl.when(record).then(_ROW).forward_fill()).alias(_ROW))
        every = self.every or coverable(self._schema, self._scheme.attributes, {*range(len(self._schema))})
        before = known.select(_LATE, self._each(pl.col(_ROW).shift(1)))
        needed = known[_ROW] if every else before.filter(_LATE)[_ROW]
        last = known.group_by(self._keys).agg(pl.col(_ROW).last())[_ROW] if self._keys else known[_ROW].tail(1)
        chosen = known[pl.concat([needed, last]).drop_nulls().unique().sort()]
        made = zip(chosen[AT], to_rows(chosen.select(*self._keys, self._name)), strict=True)
        others = [(at, p) for at, row in made for p in closings(self._scheme, self._progress, [row])]
        return PlacedPunctuations(self._schema, {}, others)

    def orders(self, attribute: str) -> bool:
        """Whether it closes the past of an attribute, and that alone."""
        return self._scheme.terms == ((attribute, Order.ASC),)

    def times(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Where rows move the time, when the attribute is one."""
        known = self._marked(rows)
        known = known.filter((pl.col(_REACH) > pl.col(_BEFORE)).fill_null(True))
        return self._progress.moves(known.select(AT, self._name, _REACH))

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


class AllPassed(Origin):
    """What every member of a list has gone past, in the order of a scheme's last attribute, is complete.

    Its table has the furthest of each member, for each key: the attributes before the last.
    """

    def __init__(
        self,
        scheme: Scheme,
        member: str,
        members: Iterable[Value],
        delay: Delay | None = None,
        unit: Units | None = None,
    ) -> None:
        *self._keys, self._name = scheme.attributes
        self._scheme, self._progress = scheme, Progress.of(scheme, delay, unit)
        self._member, self._count = membership(scheme, member, members)
        self._by, self._columns = [*self._keys, member], [*self._keys, member, self._name]
        self._most = furthest(scheme.schema, self._name, self._progress.order)
        self.table = Table(empty(scheme.schema).select(self._columns))

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """What has been passed by all, for each key that a member has come further with."""
        assert self.table is not None
        self._before = known = self.table.frame()
        reported = rows.filter(self._member).select(self._columns).drop_nulls(self._name)
        latest = reported.group_by(self._by, maintain_order=True).agg(self._most)
        # Reports of who is no member any more, since the list was read again, do not count.
        both = pl.concat([known.filter(self._member), latest])
        both = both.group_by(self._by, maintain_order=True).agg(self._most)
        risen = both.join(known, on=self._columns, how="anti", nulls_equal=True)
        if risen.is_empty():
            return PunctuationBatch(self._scheme.schema)
        self.table.retain(~among(known, risen.select(self._by)))
        self.table.append(risen)
        keys = risen.select(self._keys).unique(maintain_order=True) if self._keys else None
        touched = both if keys is None else both.filter(among(both, keys))
        return PunctuationBatch(self._scheme.schema, others=list(self._closed(touched)))

    def _closed(self, known: pl.DataFrame) -> Iterator[Punctuation]:
        """What the furthest reports of all members close."""
        least = furthest(self._scheme.schema, self._name, _BACK[self._progress.order])
        counted = known.group_by(self._keys, maintain_order=True) if self._keys else None
        several = [pl.len().alias(_COUNT), least]
        groups = known.select(several) if counted is None else counted.agg(several)
        whole = groups.filter(pl.col(_COUNT) == self._count).select(*self._keys, self._name)
        return closings(self._scheme, self._progress, to_rows(whole))

    def breaks(self, rows: pl.DataFrame) -> bool:
        """Whether a row comes behind what all have passed before it; if none has passed it, it does not."""
        mark, reach = self._progress.marks(self._both(rows)[self._name])
        behind = (mark < reach.cum_max().shift(1)).slice(self._before.height)
        return bool(behind.any()) and bool(self._late(rows).height)

    def placed(self, rows: pl.DataFrame) -> PlacedPunctuations:
        """What all have passed, each where it excludes rows behind it."""
        known = self._late(rows).unique([_GROUP, _PLACE], maintain_order=True)
        made = zip(known[_PLACE], to_rows(known.select(*self._keys, self._name)), strict=True)
        others = [(at, p) for at, row in made for p in closings(self._scheme, self._progress, [row])]
        return PlacedPunctuations(self._scheme.schema, {}, others)

    def orders(self, attribute: str) -> bool:
        """Whether it closes the past of an attribute, and that alone."""
        return self._scheme.terms == ((attribute, Order.ASC),)

    def times(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Where the time moves, when the attribute is one and has no key, by rows that are yet to be received."""
        assert self.table is not None
        self._before = self.table.frame()
        steps, ends = self._steps(self._marked(rows).filter(self._member))
        steps = steps.join(ends.filter(pl.col(_COUNT) == self._count), on=_GROUP)
        passed = (pl.col(_NEXT) > pl.col(_BEFORE)).fill_null(True) & (pl.col(_BEFORE) < pl.col(_END))
        steps = steps.filter(passed & (pl.col(_PLACE) >= 0)).sort(_PLACE)
        last = (pl.col(_NEXT) < pl.col(_END)).fill_null(False)
        came = steps.select(_PLACE, pl.when(last).then(_VALUE).otherwise(self._name).alias(self._name))
        return self._progress.moves(came.with_columns(self._progress.marks(came[self._name])[1].alias(_REACH)))

    def _marked(self, rows: pl.DataFrame) -> pl.DataFrame:
        """How far each member had come before, and rows, each with its mark and how far it reaches, by their ranks."""
        both = self._both(rows)
        codes = pl.concat(self._progress.marks(both[self._name])).rank("dense").cast(pl.Int64)
        return both.with_columns(
            codes.head(both.height).alias(_MARK), codes.tail(both.height).alias(_REACH), _groups(both, self._keys)
        )

    def _late(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows that are late, each with the place of what excludes it and, for its value, what all have passed."""
        both = self._marked(rows)
        steps, ends = self._steps(both.filter(self._member))
        ends = ends.filter(pl.col(_COUNT) == self._count)
        came = both.filter(pl.col(AT) >= 0).drop(self._name).sort(_MARK)
        met = came.join_asof(steps, left_on=_MARK, right_on=_BEFORE, by=_GROUP, check_sortedness=False)
        met = met.join(ends, on=_GROUP).filter(
            pl.col(_MARK) < pl.col(_END), pl.col(AT) > pl.col(_PLACE), pl.col(_PLACE) >= 0
        )
        first = (pl.col(_NEXT) < pl.col(_END)).fill_null(False)
        return met.with_columns(pl.when(first).then(pl.col(_VALUE)).otherwise(pl.col(self._name)).alias(self._name))

    def _both(self, rows: pl.DataFrame) -> pl.DataFrame:
        """How far each member had come before, as rows before all others, and the rows that have a value."""
        known = self._before.with_columns(pl.lit(-1, dtype=pl.Int64).alias(AT))
        return pl.concat([known, rows.select(*self._columns, AT).drop_nulls(self._name)])

    def _steps(self, reports: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """From which mark on values are passed by all where, up to which next one; and how far all come in the end.

        A member that comes further at a place, from one value on, passes all from there there. So a value is passed by
        all at the last of the places at which members come further from less than it: a maximum, in the order of marks.
        """
        reports = reports.with_row_index(_ROW).with_columns(
            pl.col(_REACH).cum_max().shift(1).over(_GROUP, *self._by[-1:]).fill_null(0).alias(_BEFORE)
        )
        further = reports.filter(pl.col(_REACH) > pl.col(_BEFORE))
        values, before = reports[self._name], pl.col(_ROW).shift(1).over(_GROUP, *self._by[-1:])
        further = further.with_columns(before.alias(_ROW)).sort(_BEFORE, maintain_order=True)
        steps = further.with_columns(pl.col(AT).cum_max().over(_GROUP).alias(_PLACE))
        steps = steps.unique([_GROUP, _PLACE], keep="first", maintain_order=True)
        after = pl.col(_BEFORE, _ROW).shift(-1).over(_GROUP)
        steps = steps.select(_GROUP, _PLACE, _BEFORE, after.name.suffix("+"))
        steps = steps.select(
            _GROUP, _PLACE, _BEFORE, pl.col(f"{_BEFORE}+").alias(_NEXT), values.gather(steps[f"{_ROW}+"]).alias(_VALUE)
        )
        last = reports.filter(pl.col(_REACH) > pl.col(_BEFORE)).group_by(_GROUP, *self._by[-1:], maintain_order=True)
        least = last.agg(pl.col(_REACH, self._name).last()).sort(_REACH).group_by(_GROUP, maintain_order=True)
        ends = least.agg(pl.len().alias(_COUNT), pl.col(_REACH).first().alias(_END), pl.col(self._name).first())
        return steps, ends


def closings(scheme: Scheme, progress: Progress, values: Iterable[Row]) -> Iterator[Punctuation]:
    """What is over for keys when an order has come to some values: rows of both in, punctuations out."""
    *names, last = scheme.attributes
    for *key, value in values:
        side = EMPTY if value is None else progress.passed(value)
        if side is not EMPTY:
            fixed = {name: constant(part) for name, part in zip(names, key, strict=True)}
            yield Punctuation.of(scheme.schema, {**fixed, last: side})


def _groups(rows: pl.DataFrame, keys: list[str]) -> pl.Series:
    """A number for each row, the same for those of a key, NULL being one."""
    if not keys:
        return uniform(0, rows.height, pl.Int64).alias(_GROUP)
    known = rows.select(keys).unique().with_row_index(_GROUP)
    return rows.select(keys).join(known, on=keys, how="left", nulls_equal=True, maintain_order="left")[_GROUP]


def _ticks(attribute: Attribute, delay: Delay) -> int:
    """A delay in the unit that places of an attribute count; a day has no parts."""
    if isinstance(delay, timedelta):
        return delay.days if attribute.type is Type.DATE else delay // timedelta(microseconds=1)
    return int(Decimal(delay).scaleb(attribute.digits[1])) if attribute.type is Type.DECIMAL else int(delay)
