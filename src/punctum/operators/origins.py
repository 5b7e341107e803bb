"""Origins of punctuations, vectorised: the rows of a slice in, what is made of them as a batch out.

Only AllReported remembers anything: who has reported what, of
all that is not complete. The others can run anywhere, on any part of a slice: what they make of the parts is, together,
what they make of the whole.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Decimal, localcontext
from typing import Any

import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST, above, below
from punctum.algebra.pattern import EMPTY, WILDCARD, Pattern, span_pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Type, Value
from punctum.errors import PatternError, SchemaError
from punctum.operators.batch import PunctuationBatch
from punctum.operators.checked import Computed, checked, kept
from punctum.operators.columns import dtype, empty, to_rows
from punctum.operators.dupelim import without
from punctum.operators.table import Table


class Origin(ABC):
    """A way to make punctuations."""

    table: Table | None = None
    """What it remembers."""
    failed: pl.DataFrame | None = None
    """The rows of those that it has received last which go to the quarantine, with the reason of each."""

    def opening(self) -> Sequence[Punctuation]:
        """What holds from the start."""
        return ()

    @abstractmethod
    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """What it makes of new rows."""


class EndEvent(Origin):
    """A row that satisfies the condition is the last one with its values on some attributes."""

    def __init__(self, scheme: Scheme, when: Computed) -> None:
        self._scheme, self._when = scheme, checked(when)

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """A punctuation for each event; the rows for which the condition has no value are in ``failed`` then."""
        events, self.failed = kept(rows, self._when)
        return instances(self._scheme, events)


class Unique(Origin):
    """Values on some attributes come once, so each row is followed by its own punctuation."""

    def __init__(self, scheme: Scheme) -> None:
        self._scheme = scheme

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """A punctuation for each row."""
        return instances(self._scheme, rows)


class AccessOrder(Origin):
    """Rows come in the order of an attribute, or at most a delay behind it."""

    def __init__(
        self,
        schema: Schema,
        attribute: str,
        descending: bool = False,
        delay: int | float | Decimal | timedelta | None = None,
    ) -> None:
        self._schema, self._attribute, self._delay = schema, schema.attributes[schema.index(attribute)], delay
        self._order = Order.DESC if descending else Order.ASC

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """What the furthest row leaves behind."""
        name = self._attribute.name
        ((furthest,),) = to_rows(rows.select(_furthest(self._schema, name, self._order)))
        passed = EMPTY if furthest is None else self._passed(furthest)
        return PunctuationBatch(
            self._schema, others=[] if passed is EMPTY else [Punctuation.of(self._schema, {name: passed})]
        )

    def _passed(self, furthest: Any) -> Pattern:
        """The values that do not come any more once one has; none when the delay reaches back before all values."""
        kind, descending = self._attribute.type, self._order is Order.DESC
        try:
            limit = kind.accept(furthest if self._delay is None else self._behind(furthest))
        except (OverflowError, PatternError):
            return EMPTY
        low, high = (above(limit), HIGHEST) if descending else (LOWEST, below(limit))
        return span_pattern((low, high), kind) if low < high else EMPTY

    def _behind(self, furthest: Any) -> Any:
        with localcontext(prec=100):  # DECIMALs are exact
            return furthest + self._delay if self._order is Order.DESC else furthest - self._delay


class DomainLimits(Origin):
    """No value lies outside an attribute's declared domain."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def opening(self) -> Sequence[Punctuation]:
        """What lies outside the domains."""
        return [
            Punctuation.of(self._schema, {attribute.name: outside})
            for attribute in self._schema.attributes
            for outside in WILDCARD.minus(attribute.domain)
        ]

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """Nothing more."""
        return PunctuationBatch(self._schema)


class AllReported(Origin):
    """Values on some attributes are complete when every member of a list has reported a row with them.

    Its table holds each report of a member once, less the reports of what is complete.
    """

    def __init__(self, scheme: Scheme, member: str, members: Iterable[Value]) -> None:
        known = frozenset(members)
        if not known:
            raise SchemaError("the list of members is empty", f"no reporter is listed for {scheme}", "name one or more")
        attribute = scheme.schema.attributes[scheme.schema.index(member)]
        self._scheme, self._key, self._count = scheme, list(scheme.attributes), len(known)
        self._member = pl.col(member).is_in(pl.Series(list(known), dtype=dtype(attribute)).implode())
        self._columns = [*self._key, member]
        self.table = Table(empty(scheme.schema).select(self._columns))

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """A punctuation for each value that has become complete."""
        assert self.table is not None
        known = self.table.frame()
        fresh = without(rows.select(self._columns).filter(self._member).unique(maintain_order=True), known)
        if not fresh.height:
            return PunctuationBatch(self._scheme.schema)
        # Reports of who is no member any more, since the list was read again, do not count.
        counts = pl.concat([known, fresh]).filter(self._member).group_by(self._key, maintain_order=True).len("$count")
        complete = counts.filter(pl.col("$count") == self._count).select(self._key)
        if complete.height:
            self.table.retain(~_in(known, complete))
        self.table.append(fresh.filter(~_in(fresh, complete)))
        return instances(self._scheme, complete)


def instances(scheme: Scheme, rows: pl.DataFrame) -> PunctuationBatch:
    """The least punctuations of a scheme that cover rows, those that are NULL on an ordered attribute aside.

    >>> bid = Schema.of(itemid="BIGINT", ts="BIGINT")
    >>> rows = pl.DataFrame({"itemid": [17, 18, 17], "ts": [5, 5, 6]})
    >>> print(*instances(Scheme.of(bid, "itemid", "ts ASC"), rows))
    <17, (,6]> <18, (,5]>
    >>> instances(Scheme.of(bid, "itemid"), rows).constants[0].to_list()
    [17, 18]
    """
    schema, ordered = scheme.schema, [(name, order) for name, order in scheme.terms if order is not Order.EQUALITY]
    values = rows.select(scheme.attributes).drop_nulls([name for name, _ in ordered])
    if len(ordered) == 1 and values.height:  # of several prefixes the longest covers all
        rest = [name for name in scheme.attributes if name != ordered[0][0]]
        furthest = _furthest(schema, *ordered[0])
        values = values.group_by(rest, maintain_order=True).agg(furthest) if rest else values.select(furthest)
    elif len(scheme.terms) == 1 and schema.attributes[schema.index(scheme.attributes[0])].type is not Type.DECIMAL:
        return _constants(schema, values.to_series())
    keys = to_rows(values.select(scheme.attributes).unique(maintain_order=True))
    return PunctuationBatch(schema, others=[_instance(scheme, row) for row in keys])


def _constants(schema: Schema, column: pl.Series) -> PunctuationBatch:
    """A punctuation for each value of a column: constants in bulk, and NULL."""
    values = column.drop_nulls().unique(maintain_order=True)
    null = [Punctuation.of(schema, {column.name: None})] if column.null_count() else []
    return PunctuationBatch(schema, {schema.index(column.name): values} if len(values) else {}, null)


def _instance(scheme: Scheme, values: tuple[Value | None, ...]) -> Punctuation:
    terms = zip(scheme.terms, values, strict=True)
    return Punctuation.of(scheme.schema, {name: order.instance(value) for (name, order), value in terms})


def _furthest(schema: Schema, name: str, order: Order) -> pl.Expr:
    """The greatest value of an attribute, or the least; NaN is the greatest DOUBLE."""
    column = pl.col(name)
    if order is Order.DESC:
        return column.min()
    return column.nan_max() if schema.attributes[schema.index(name)].type is Type.DOUBLE else column.max()


def _in(df: pl.DataFrame, keys: pl.DataFrame) -> pl.Series:
    """Whether the values of each row on some columns are among others."""
    marked = keys.with_columns(pl.lit(True).alias("$in"))
    joined = df.join(marked, on=keys.columns, how="left", nulls_equal=True, maintain_order="left")
    return joined["$in"].is_not_null()
