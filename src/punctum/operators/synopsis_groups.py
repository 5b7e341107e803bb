"""Groups over joins on synopses, vectorised: aggregates are pushed below the join, as ``iterators/synopsis.py`` has it.

Kept for each part and input: the keys of the rows that stand for all, how many came, and partial aggregates. A group
comes out when punctuations of all inputs close it; or, with updates, after each slice that has changed it.
"""

from collections.abc import Iterator, Sequence

import polars as pl

from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.analyse.spj import HOLISTIC, Aggregated, Spj
from punctum.analyse.synopses import Synopsis, carried
from punctum.errors import SchemaError
from punctum.iterators.aggregates import Function
from punctum.operators.batch import columns
from punctum.operators.columns import Columns, dtype, empty
from punctum.operators.group_by import TOO_LARGE
from punctum.operators.matching import matches
from punctum.operators.operator import Notes, Operator
from punctum.operators.synopsis import TIMES, Buckets, Closing, joined, name, repeated
from punctum.operators.table import Table


class Part:
    """Synopses of all inputs, and the aggregates that they answer."""

    def __init__(self, query: Spj, inputs: int, calls: dict[int, Aggregated], residual: pl.Expr | None) -> None:
        self.calls, self.eliminating, self._residual = calls, query.eliminating, residual
        self._reals = {k for k, c in calls.items() if c.of and query.attribute(c.of).type is Type.DOUBLE}
        self._whole = {k for k, c in calls.items() if c.of and query.attribute(c.of).type is Type.BIGINT}
        partial = {k: c for k, c in calls.items() if not query.eliminating and c.function not in HOLISTIC and c.of}
        self.buckets = [
            Buckets(
                Synopsis(query, i),
                [
                    p
                    for k, c in partial.items()
                    if c.of and c.of[0] == i
                    for p in _partials(k, c, k in self._whole, k in self._reals)
                ],
            )
            for i in range(inputs)
        ]
        self.tables = [Table(buckets.empty) for buckets in self.buckets]

    def add(self, i: int, df: pl.DataFrame) -> bool:
        """Remember new rows of an input, and say whether there are any that matter."""
        new = self.buckets[i].rows(df)
        if new.height:
            self.tables[i].replace(self.buckets[i].melted(pl.concat([self.tables[i].frame(), new])))
        return bool(new.height)

    def answer(self, keys: list[str]) -> pl.DataFrame:
        """The aggregates of each group so far."""
        met = joined(self.buckets, [table.frame() for table in self.tables], self._residual)
        if not self.eliminating and any(c.function in HOLISTIC for c in self.calls.values()):
            whole = repeated(met.with_columns(pl.lit(1, pl.Int64).alias("one")), met[TIMES])
        else:
            whole = met.with_columns(pl.lit(1, pl.Int64).alias("one"))
        calls = [(k, c, k in self._reals) for k, c in self.calls.items()]
        plain = [_plain(c, real).alias(f"f{k}") for k, c, real in calls if self._is_plain(c)]
        pushed = [_total(k, c, k in self._whole, real).alias(f"f{k}") for k, c, real in calls if not self._is_plain(c)]
        one, other = (_grouped(df, keys, aggs) for df, aggs in ((whole, plain), (met, pushed)))
        return one.join(other, on=[*keys, "all"], nulls_equal=True, maintain_order="left")

    def _is_plain(self, call: Aggregated) -> bool:
        return self.eliminating or call.function in HOLISTIC


def _grouped(df: pl.DataFrame, keys: list[str], aggregates: list[pl.Expr]) -> pl.DataFrame:
    return df.group_by(*keys, pl.lit(0).alias("all"), maintain_order=True).agg(aggregates)


def _partials(k: int, call: Aggregated, whole: bool, real: bool) -> Iterator[tuple[pl.Expr, pl.Expr]]:
    """The columns of a partial aggregate: of a row, and of several rows; sums of whole numbers have 38 digits."""
    assert call.of is not None
    of = pl.col(name(call.of))
    if call.function in (Function.COUNT, Function.AVG):
        yield of.is_not_null().cast(pl.Int64).alias(f"c{k}"), pl.col(f"c{k}").sum()
    if call.function in (Function.SUM, Function.AVG):
        sums = pl.col(f"s{k}")
        yield (of.cast(pl.Decimal(38, 0)) if whole else of).alias(f"s{k}"), pl.when(sums.count() > 0).then(sums.sum())
    if call.function in (Function.MIN, Function.MAX):
        most = pl.col(f"m{k}")
        yield of.alias(f"m{k}"), _end(most, call, real)


def _end(values: pl.Expr, call: Aggregated, real: bool) -> pl.Expr:
    """The least or the greatest; NaN is greater than any number."""
    if call.function is Function.MIN:
        return values.min()
    return values.nan_max() if real else values.max()


def _passed(values: pl.Expr, call: Aggregated) -> pl.Expr:
    """Those values that the filter of an aggregate lets through."""
    return values if call.filter is None else values.filter(pl.col(name(call.filter)))


def _total(k: int, call: Aggregated, whole: bool, real: bool) -> pl.Expr:
    """An aggregate of partial ones: those of an input, as often as rows of the others came."""
    if call.of is None:
        return _passed(pl.col(TIMES), call).sum()
    times = pl.col(TIMES) // pl.col(f"n{call.of[0]}")
    part = pl.col(f"s{k}").cast(pl.Int128) if whole else pl.col(f"s{k}")  # a product of DECIMALs loses digits
    sums, counts = _passed(part * times, call), _passed(pl.col(f"c{k}") * times, call)
    match call.function:
        case Function.COUNT:
            return counts.sum()
        case Function.AVG:
            return pl.when(counts.sum() > 0).then(sums.sum().cast(pl.Float64) / counts.sum())
        case Function.SUM:
            return pl.when(sums.count() > 0).then(sums.sum())
        case _:
            return _end(_passed(pl.col(f"m{k}"), call), call, real)


def _plain(call: Aggregated, real: bool) -> pl.Expr:
    """An aggregate of rows that stand for all."""
    assert call.of is not None
    of = _passed(pl.col(name(call.of)), call)
    match call.function:
        case Function.COUNT_DISTINCT:
            return of.drop_nulls().n_unique().cast(pl.Int64)
        case Function.MEDIAN:
            return of.cast(pl.Float64).median()
        case _:
            return _end(of, call, real)


class SynopsisGroupBy(Operator):
    """The groups of a join that a bounded query describes."""

    def __init__(
        self,
        query: Spj,
        output: Schema,
        inputs: Sequence[Schema] = (),
        updates: bool = False,
        residual: pl.Expr | None = None,
    ) -> None:
        assert query.aggregates and (not query.mixed or residual is not None)
        self.inputs, self.output = tuple(inputs) or tuple(stream.schema for stream in query.streams), output
        self._query, self._closing, self._updates = query, Closing(carried(query), output), updates
        calls = dict(enumerate(query.aggregates))
        watched = {k: c for k, c in calls.items() if query.eliminating and c.of and not query.order.bounded(c.of)}
        rest = {k: c for k, c in calls.items() if k not in watched}
        n = len(self.inputs)
        self._parts = [Part(query, n, rest, residual)] if rest else []
        self._parts += [Part(query.watching(c), n, {k: c}, residual) for k, c in watched.items()]
        self._begun, self._before = False, empty(output)

    def feed(self, *slices: Columns) -> Columns:
        """Take the next slice of each input; the groups come out when they are closed, or whenever they change."""
        new = [part.add(i, xs.rows) for i, xs in enumerate(slices) for part in self._parts]
        closed = self._closing.closed.copy()
        agreed = self._closing.hear(self.inputs, slices)
        rows = empty(self.output)
        if self._updates and (any(new) or (not self._begun and any(not p.sides for p in agreed.others))):
            rows, self._before, self._begun = self._changed(), self.answer(), True
        elif not self._updates and len(agreed):
            rows = self.answer()
            rows = rows.filter(matches(rows, agreed) & ~matches(rows, closed))
        return columns(rows, agreed, *slices)

    def _changed(self) -> pl.DataFrame:
        """The groups that are not as they were told last."""
        return self.answer().join(self._before, on=list(self.output.names), how="anti", nulls_equal=True)

    def answer(self) -> pl.DataFrame:
        """The groups as they are now."""
        keys = [name(at) for at in self._query.shown]
        found = [part.answer(keys) for part in self._parts]
        whole = found[0]
        for other in found[1:]:
            whole = whole.join(other, on=[*keys, "all"], nulls_equal=True, maintain_order="left")
        if not keys and not whole.height:
            whole = whole.clear(1)
        wanted = [*keys, *(f"f{k}" for k in range(len(self._query.aggregates or ())))]
        made = zip(wanted, self.output.attributes, strict=True)
        counts = {f"f{k}" for k, c in enumerate(self._query.aggregates or ()) if "COUNT" in c.function.value}
        filled = {of: pl.col(of).fill_null(0) if of in counts else pl.col(of) for of in wanted}
        try:
            return whole.select(filled[of].cast(dtype(attribute)).alias(attribute.name) for of, attribute in made)
        except pl.exceptions.InvalidOperationError as error:
            raise SchemaError(TOO_LARGE, str(error), "cast its argument to DECIMAL or DOUBLE") from None

    def tables(self) -> dict[str, Table]:
        """What stands for each input, for each part."""
        return {f"part {k} input {i}": t for k, part in enumerate(self._parts) for i, t in enumerate(part.tables)}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        for k, part in enumerate(self._parts):
            part.tables = [tables[f"part {k} input {i}"] for i in range(len(part.tables))]

    def notes(self) -> Notes:
        """What inputs have said, and whether groups were told."""
        return {"closing": self._closing.notes(), "begun": self._begun}

    def restore_notes(self, notes: Notes) -> None:
        """Go on with the notes of another one; its tables are there."""
        self._closing.restore(notes["closing"])
        self._begun = notes["begun"]
        self._before = self.answer() if self._updates and self._begun else self._before

    def puncts(self) -> int:
        """What inputs have said."""
        return len(self._closing)
