"""Origins of punctuations, vectorised: the rows of a slice in, what is made of them as a batch out.

Orders are in ``orders.py``. Only AllReported remembers anything here: who has reported what, of all that is not
complete. The others can run anywhere, on any part of a slice: what they make of the parts is, together,
what they make of the whole. They also say whether a row stands behind what one before it has made (``breaks``), and
what is made where (``placed``), when the rows have their places in a column AT and stand in their order.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence, Set

import polars as pl

from punctum.algebra.finite import finite
from punctum.algebra.pattern import WILDCARD, constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Type, Value
from punctum.errors import SchemaError
from punctum.operators.batch import PunctuationBatch
from punctum.operators.checked import Computed, checked, kept
from punctum.operators.columns import AT, dtype, empty, to_rows
from punctum.operators.dupelim import without
from punctum.operators.sequence import PlacedPunctuations, late
from punctum.operators.table import Table
from punctum.operators.units import Units

_RAW = "\0raw"


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

    def breaks(self, rows: pl.DataFrame) -> bool:
        """Whether one of the rows that it has received last stands behind what it has made of one before it."""
        return False

    def completes(self, schema: Schema, hidden: Set[int]) -> bool:
        """Whether what it makes of a row may complete, with others, a domain of a hidden attribute."""
        return False

    def placed(self, rows: pl.DataFrame) -> PlacedPunctuations:
        """What it has made of the rows that it has received last, where each is made; what excludes none may lack."""
        raise NotImplementedError(f"{type(self).__name__} is made where all rows of a slice are")


class EndEvent(Origin):
    """A row that satisfies the condition is the last one with its values on some attributes."""

    def __init__(self, scheme: Scheme, when: Computed) -> None:
        self._scheme, self._when = scheme, checked(when)

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """A punctuation for each event; the rows for which the condition has no value are in ``failed`` then."""
        self._events, self.failed = kept(rows, self._when)
        return instances(self._scheme, self._events)

    def breaks(self, rows: pl.DataFrame) -> bool:
        """Whether a row comes behind an event that ends it."""
        return bool(late(rows, rows[AT], self.placed(rows)).any())

    def completes(self, schema: Schema, hidden: Set[int]) -> bool:
        """Whether an event may."""
        return not self._events.is_empty() and coverable(schema, self._scheme.attributes, hidden)

    def placed(self, rows: pl.DataFrame) -> PlacedPunctuations:
        """What each event ends."""
        return placed_instances(self._scheme, self._events)


class Unique(Origin):
    """Values on some attributes come once, so each row is followed by its own punctuation."""

    def __init__(self, scheme: Scheme) -> None:
        self._scheme = scheme

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """A punctuation for each row."""
        made = instances(self._scheme, rows)
        self._repeats = len(made) < rows.height
        return made

    def breaks(self, rows: pl.DataFrame) -> bool:
        """Whether some values come twice."""
        return self._repeats

    def completes(self, schema: Schema, hidden: Set[int]) -> bool:
        """Whether a row may."""
        return coverable(schema, self._scheme.attributes, hidden)

    def placed(self, rows: pl.DataFrame) -> PlacedPunctuations:
        """What the first row of each value makes."""
        return placed_instances(self._scheme, rows)


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

    With a unit, all values of the last attribute that are in it are complete together. Its table holds each report of a
    member once, less the reports of what is complete; of a unit its piece.
    """

    def __init__(self, scheme: Scheme, member: str, members: Iterable[Value], unit: Units | None = None) -> None:
        self._scheme, self._key, self._unit = scheme, list(scheme.attributes), unit
        self._member, self._count = membership(scheme, member, members)
        self._columns = [*self._key, member]
        self.table = Table(self._reports_of(empty(scheme.schema)).select(self._columns))

    def receive(self, rows: pl.DataFrame) -> PunctuationBatch:
        """A punctuation for each value that has become complete."""
        assert self.table is not None
        self._reports = known = self.table.frame()
        self._complete = known.select(self._key).head(0)
        came = self._reports_of(rows)
        fresh = without(came.select(self._columns).unique(maintain_order=True), known)
        if not fresh.height:
            return PunctuationBatch(self._scheme.schema)
        # Reports of who is no member any more, since the list was read again, do not count.
        counts = pl.concat([known, fresh]).filter(self._member).group_by(self._key, maintain_order=True).len("$count")
        self._complete = complete = counts.filter(pl.col("$count") == self._count).select(self._key)
        if complete.height:
            self.table.retain(~among(known, complete))
        self.table.append(fresh.filter(~among(fresh, complete)))
        if self._unit is None or not complete.height:
            return instances(self._scheme, complete)
        first = came.unique(self._key, keep="first").join(complete, on=self._key, how="semi", nulls_equal=True)
        return PunctuationBatch(self._scheme.schema, others=list(self._units(first)))

    def breaks(self, rows: pl.DataFrame) -> bool:
        """Whether a row comes behind the last report that was missing."""
        return bool(self._complete.height) and bool(late(rows, rows[AT], self.placed(rows)).any())

    def placed(self, rows: pl.DataFrame) -> PlacedPunctuations:
        """What is complete, where the last report is that was missing."""
        first = self._reports_of(rows).unique(self._columns, keep="first", maintain_order=True)
        first = first.join(self._reports, on=self._columns, how="anti", nulls_equal=True)
        last = first.join(self._complete, on=self._key, how="semi", nulls_equal=True).group_by(self._key)
        if self._unit is None:
            return placed_instances(self._scheme, last.agg(pl.col(AT).max()))
        reports = last.agg(pl.col(AT).max(), pl.col(_RAW).first())
        return PlacedPunctuations(self._scheme.schema, {}, list(zip(reports[AT], self._units(reports), strict=True)))

    def _reports_of(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The reports of members; with a unit, the piece instead of the last attribute, whose value is aside."""
        reports, last = rows.filter(self._member), self._key[-1]
        if self._unit is None:
            return reports
        return reports.with_columns(pl.col(last).alias(_RAW), self._unit.pieces(reports[last]).alias(last))

    def _units(self, rows: pl.DataFrame) -> Iterator[Punctuation]:
        """What closes the units of some rows, whose values are aside."""
        assert self._unit is not None
        *names, last = self._key
        for *key, value in to_rows(rows.select(*names, _RAW)):
            fixed = {name: constant(part) for name, part in zip(names, key, strict=True)}
            side = constant(None) if value is None else self._unit.pattern(value)
            yield Punctuation.of(self._scheme.schema, {**fixed, last: side})


def membership(scheme: Scheme, member: str, members: Iterable[Value]) -> tuple[pl.Expr, int]:
    """Whether a row is one of a member of a list, and how many members there are."""
    known = frozenset(members)
    if not known:
        raise SchemaError("the list of members is empty", f"no reporter is listed for {scheme}", "name one or more")
    attribute = scheme.schema.attributes[scheme.schema.index(member)]
    return pl.col(member).is_in(pl.Series(list(known), dtype=dtype(attribute)).implode()), len(known)


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
        most = furthest(schema, *ordered[0])
        values = values.group_by(rest, maintain_order=True).agg(most) if rest else values.select(most)
    elif len(scheme.terms) == 1 and schema.attributes[schema.index(scheme.attributes[0])].type is not Type.DECIMAL:
        return _constants(schema, values.to_series())
    keys = to_rows(values.select(scheme.attributes).unique(maintain_order=True))
    return PunctuationBatch(schema, others=[_instance(scheme, row) for row in keys])


def placed_instances(scheme: Scheme, rows: pl.DataFrame) -> PlacedPunctuations:
    """The punctuations of a scheme that cover rows, each where the first row is that it covers."""
    schema, names = scheme.schema, scheme.attributes
    ordered = [name for name, order in scheme.terms if order is not Order.EQUALITY]
    first = rows.select(*names, AT).drop_nulls(ordered).unique(names, keep="first", maintain_order=True)
    constants: dict[int, tuple[pl.Series, pl.Series]] = {}
    if len(names) == 1 and not ordered and schema.attributes[at := schema.index(names[0])].type is not Type.DECIMAL:
        known = first.drop_nulls(names)
        constants, first = {at: (known[names[0]], known[AT])}, first.filter(pl.col(names[0]).is_null())
    rest = zip(first[AT], to_rows(first.select(names)), strict=True)
    return PlacedPunctuations(schema, constants, [(place, _instance(scheme, row)) for place, row in rest])


def coverable(schema: Schema, names: Iterable[str], hidden: Set[int]) -> bool:
    """Whether one of some attributes is hidden and has a domain of few values."""
    some = (schema.attributes[at] for at in schema.indices(names) if at in hidden)
    return any(a.type is Type.BOOLEAN or finite(a.domain, a.type) is not None for a in some)


def _constants(schema: Schema, column: pl.Series) -> PunctuationBatch:
    """A punctuation for each value of a column: constants in bulk, and NULL."""
    values = column.drop_nulls().unique(maintain_order=True)
    null = [Punctuation.of(schema, {column.name: None})] if column.null_count() else []
    return PunctuationBatch(schema, {schema.index(column.name): values} if len(values) else {}, null)


def _instance(scheme: Scheme, values: tuple[Value | None, ...]) -> Punctuation:
    terms = zip(scheme.terms, values, strict=True)
    return Punctuation.of(scheme.schema, {name: order.instance(value) for (name, order), value in terms})


def furthest(schema: Schema, name: str, order: Order) -> pl.Expr:
    """The greatest value of an attribute, or the least; NaN is the greatest DOUBLE."""
    column = pl.col(name)
    if order is Order.DESC:
        return column.min()
    return column.nan_max() if schema.attributes[schema.index(name)].type is Type.DOUBLE else column.max()


def among(df: pl.DataFrame, keys: pl.DataFrame) -> pl.Series:
    """Whether the values of each row on some columns are among others."""
    marked = keys.with_columns(pl.lit(True).alias("$in"))
    joined = df.join(marked, on=keys.columns, how="left", nulls_equal=True, maintain_order="left")
    return joined["$in"].is_not_null()
