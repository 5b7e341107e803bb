"""Groups over joins on synopses, vectorised: aggregates are pushed below the join, as ``spec/synopsis.py`` has it.

Kept for each part and input: the keys of the rows that stand for all, how many came, and partial aggregates. A group
comes out when punctuations of all inputs close it; or, with updates, after each slice that has changed it. Counts and
sums are whole numbers of up to 38 digits and more (``partials.py``) until then; a group in which one does not fit its
type goes to the quarantine.
"""

from collections.abc import Iterator, Sequence

import polars as pl

from punctum.algebra.aggregates import HOLISTIC, AggregateFunction, Function
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.analyse.memory.synopses import SynopsisStructure, carried
from punctum.ir.conjunctive.spj import Aggregated, Spj
from punctum.operators.batch import columns
from punctum.operators.checked import REASON, Checked, Computed, checked
from punctum.operators.columns import ColumnarSlice, dtype, empty
from punctum.operators.matching import matches
from punctum.operators.operator import Metadata, Operator
from punctum.operators.partials import PART, TOO_MANY, WHOLE, WIDE, in_parts, joined_parts, scaled
from punctum.operators.synopsis import TIMES, ClosedClasses, SynopsisBuckets, combinations, joined, name, repeated
from punctum.operators.table import Table


class Part:
    """Synopses of all inputs, and the aggregates that they answer."""

    def __init__(self, query: Spj, inputs: int, calls: dict[int, Aggregated], residual: Checked | None) -> None:
        self.calls, self.eliminating, self._residual = calls, query.eliminating, residual
        self._types = {k: query.attribute(c.of) for k, c in calls.items() if c.of}
        partial = {k: c for k, c in calls.items() if not query.eliminating and c.function not in HOLISTIC and c.of}
        self.buckets = [
            SynopsisBuckets(
                SynopsisStructure(query, i),
                [p for k, c in partial.items() if c.of and c.of[0] == i for p in _partials(k, c, self._types[k].type)],
            )
            for i in range(inputs)
        ]
        self.tables = [Table(buckets.empty) for buckets in self.buckets]
        self.failed: pl.DataFrame | None = (
            None  # the combinations of the last answer for which the residual has no value
        )

    def add(self, i: int, df: pl.DataFrame) -> bool:
        """Remember new rows of an input, and return whether there are any that matter."""
        new = self.buckets[i].rows(df)
        if new.height:
            self.tables[i].replace(self.buckets[i].coalesced(pl.concat([self.tables[i].frame(), new])))
        return bool(new.height)

    def answer(self, keys: list[str]) -> pl.DataFrame:
        """The aggregates of each group so far."""
        met, self.failed = joined(self.buckets, [table.frame() for table in self.tables], self._residual)
        if not self.eliminating and any(c.function in HOLISTIC for c in self.calls.values()):
            whole = repeated(met.with_columns(pl.lit(1, pl.Int64).alias("one")), met[TIMES])
        else:
            whole = met.with_columns(pl.lit(1, pl.Int64).alias("one"))
        calls = [(k, c, self._types.get(k)) for k, c in self.calls.items()]
        plain = [_plain(c, of).alias(f"f{k}") for k, c, of in calls if self._is_plain(c)]
        pushed = [_total(k, c, of).alias(f"f{k}") for k, c, of in calls if not self._is_plain(c)]
        one, other = (_grouped(df, keys, aggs) for df, aggs in ((whole, plain), (met, pushed)))
        return one.join(other, on=[*keys, "all"], nulls_equal=True, maintain_order="left")

    def _is_plain(self, call: Aggregated) -> bool:
        return self.eliminating or call.function in HOLISTIC


def _grouped(df: pl.DataFrame, keys: list[str], aggregates: list[pl.Expr]) -> pl.DataFrame:
    return df.group_by(*keys, pl.lit(0).alias("all"), maintain_order=True).agg(aggregates)


def _partials(k: int, call: Aggregated, kind: Type) -> Iterator[tuple[pl.Expr, pl.Expr]]:
    """The columns of a partial aggregate: of a row, and of several rows."""
    assert call.of is not None
    of = pl.col(name(call.of))
    if call.function in (Function.COUNT, Function.AVG):
        yield of.is_not_null().cast(pl.Int64).alias(f"c{k}"), pl.col(f"c{k}").sum()
    if call.function in (Function.SUM, Function.AVG):
        number = of.to_physical() if kind is Type.DECIMAL else of
        for column, part in zip("sh", (number,) if kind is Type.DOUBLE else in_parts(number.cast(WIDE)), strict=False):
            sums = pl.col(f"{column}{k}")
            begin = part if kind is Type.DOUBLE else part.cast(WHOLE)
            yield begin.alias(f"{column}{k}"), pl.when(sums.count() > 0).then(sums.sum())
    if call.function in (Function.MIN, Function.MAX):
        most = pl.col(f"m{k}")
        yield of.alias(f"m{k}"), _end(most, call, kind)


def _end(values: pl.Expr, call: Aggregated, kind: Type) -> pl.Expr:
    """The least or the greatest; NaN is greater than any number."""
    if call.function is Function.MIN:
        return values.min()
    return values.nan_max() if kind is Type.DOUBLE else values.max()


def _passed(values: pl.Expr, call: Aggregated) -> pl.Expr:
    """Those values that the filter of an aggregate lets through."""
    return values if call.filter is None else values.filter(pl.col(name(call.filter)))


def _total(k: int, call: Aggregated, of: Attribute | None) -> pl.Expr:
    """An aggregate of partial ones: those of an input, as often as rows of the others came."""
    if call.of is None or of is None:
        return _passed(pl.col(TIMES), call).sum()
    times = pl.col(TIMES) // pl.col(f"n{call.of[0]}")
    counts = _passed(pl.col(f"c{k}") * times, call)
    match call.function:
        case Function.COUNT:
            return counts.sum()
        case Function.AVG:
            return pl.when(counts.sum() > 0).then(_rough(_sums(k, call, of.type, times), of) / counts.sum())
        case Function.SUM:
            sums = _sums(k, call, of.type, times)
            return pl.when(sums[0].count() > 0).then(_joined(sums))
        case _:
            return _end(_passed(pl.col(f"m{k}"), call), call, of.type)


def _sums(k: int, call: Aggregated, kind: Type, times: pl.Expr) -> list[pl.Expr]:
    """What adds up to a sum: DOUBLEs, or the two parts of whole numbers."""
    if kind is Type.DOUBLE:
        return [_passed(pl.col(f"s{k}") * times, call)]
    return [_passed(pl.col(f"{column}{k}").cast(WIDE) * times, call) for column in "sh"]


def _joined(sums: list[pl.Expr]) -> pl.Expr:
    return sums[0].sum() if len(sums) == 1 else joined_parts(sums[0].sum(), sums[1].sum())


def _rough(sums: list[pl.Expr], of: Attribute) -> pl.Expr:
    """A sum as a DOUBLE; one that fits is rounded once."""
    if len(sums) == 1:
        return sums[0].sum()
    total = _joined(sums)
    low, high = (part.sum().cast(pl.Float64) for part in sums)
    scale = of.digits[1] if of.type is Type.DECIMAL else 0
    near = pl.when(total == TOO_MANY).then(high * float(PART) + low).otherwise(total.cast(pl.Float64))
    return near / 10.0**scale


def _plain(call: Aggregated, attribute: Attribute | None) -> pl.Expr:
    """An aggregate of rows that stand for all."""
    assert call.of is not None and attribute is not None
    of = _passed(pl.col(name(call.of)), call)
    match call.function:
        case Function.COUNT_DISTINCT:
            return of.drop_nulls().n_unique().cast(pl.Int64)
        case Function.MEDIAN:
            return of.cast(pl.Float64).median()
        case _:
            return _end(of, call, attribute.type)


def _keys_of(failed: pl.DataFrame) -> pl.DataFrame:
    """Combinations without how often they came and their partial aggregates."""
    return failed.select(*(column for column in failed.columns if "_" in column), REASON)


def _fitted(of: str, call: Aggregated, attribute: Attribute) -> tuple[pl.Expr, pl.Expr]:
    """An aggregate as one of its type, NULL where it does not fit, and the reason there."""
    result = pl.col(of).fill_null(0) if "COUNT" in call.function.value else pl.col(of)
    sums = call.function is Function.SUM and attribute.type is Type.DECIMAL
    value = (scaled(result, attribute.digits[1]) if sums else result).cast(dtype(attribute), strict=False)
    reason = AggregateFunction(call.function, None, attribute.name).no_value(attribute).reason
    return value, pl.when(result.is_not_null() & value.is_null()).then(pl.lit(reason))


class SynopsisGroupBy(Operator):
    """The groups of a join that a bounded query describes."""

    def __init__(
        self,
        query: Spj,
        output: Schema,
        inputs: Sequence[Schema] = (),
        updates: bool = False,
        residual: Computed | None = None,
    ) -> None:
        assert query.aggregates and (not query.mixed or residual is not None)
        self.inputs, self.output = tuple(inputs) or tuple(stream.schema for stream in query.streams), output
        self._query, self._closing, self._updates = query, ClosedClasses(carried(query), output), updates
        residual = None if residual is None else checked(residual)
        calls = dict(enumerate(query.aggregates))
        watched = {k: c for k, c in calls.items() if query.eliminating and c.of and not query.order.bounded(c.of)}
        rest = {k: c for k, c in calls.items() if k not in watched}
        n = len(self.inputs)
        self._parts = [Part(query, n, rest, residual)] if rest else []
        self._parts += [Part(query.watching(c), n, {k: c}, residual) for k, c in watched.items()]
        self._grouping = Schema(output.attributes[: len(query.shown)])
        self._begun, self._before = False, empty(output).with_columns(pl.lit(None, pl.String).alias(REASON))

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input; the groups come out when they are closed, or whenever they change."""
        new = [part.add(i, xs.rows) for i, xs in enumerate(slices) for part in self._parts]
        closed = self._closing.closed.copy()
        agreed = self._closing.receive(self.inputs, slices)
        rows = self._before.clear()
        if self._updates and (any(new) or (not self._begun and any(not p.sides for p in agreed.others))):
            unmet = self._unmet()
            rows, self._before, self._begun = self._changed(), self.answer(), True
            self._tell(self._unmet(), unmet)
        elif not self._updates and len(agreed):
            rows = self.answer()
            rows = rows.filter(matches(rows, agreed) & ~matches(rows, closed))
            if (bad := self._unmet()) is not None:
                shown = zip(self._query.shown, self.output.names, strict=False)
                groups = bad.with_columns(pl.col(name(at)).alias(to) for at, to in shown)
                self._tell(bad.filter(matches(groups, agreed) & ~matches(groups, closed)))
        return columns(self._valued(rows), agreed, *slices)

    def _unmet(self) -> pl.DataFrame | None:
        """The combinations of the last answer for which the residual has no value."""
        unmet = [_keys_of(part.failed) for part in self._parts if part.failed is not None]
        return pl.concat(unmet, how="diagonal").unique(maintain_order=True) if unmet else None

    def _tell(self, bad: pl.DataFrame | None, before: pl.DataFrame | None = None) -> None:
        """Send combinations to the quarantine, those aside that are there."""
        if bad is not None and before is not None:
            bad = bad.join(before, on=bad.columns, how="anti", nulls_equal=True)
        if bad is not None and bad.height:
            self._failed += (combinations(self._query, bad),)

    def _valued(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The groups in which all aggregates have a value; the others go to the quarantine."""
        bad = rows.filter(pl.col(REASON).is_not_null())
        self.fail(bad if bad.height else None, self._grouping)
        return rows.filter(pl.col(REASON).is_null()).drop(REASON)

    def _changed(self) -> pl.DataFrame:
        """The groups that are not as they were reported last."""
        return self.answer().join(self._before, on=[*self.output.names, REASON], how="anti", nulls_equal=True)

    def answer(self) -> pl.DataFrame:
        """The groups as they are now, and why an aggregate has no value there."""
        keys = [name(at) for at in self._query.shown]
        answers = [part.answer(keys) for part in self._parts]
        whole = answers[0]
        for other in answers[1:]:
            whole = whole.join(other, on=[*keys, "all"], nulls_equal=True, maintain_order="left")
        if not keys and not whole.height:
            whole = whole.clear(1)
        calls = enumerate(self._query.aggregates or ())
        made = zip(calls, self.output.attributes[len(keys) :], strict=True)
        shown = zip(keys, self.output.attributes, strict=False)
        fitted = [(*_fitted(f"f{k}", call, attribute), attribute) for (k, call), attribute in made]
        return whole.select(
            *(pl.col(of).cast(dtype(attribute)).alias(attribute.name) for of, attribute in shown),
            *(value.alias(attribute.name) for value, _, attribute in fitted),
            pl.coalesce(why for _, why, _ in fitted).alias(REASON),
        )

    def tables(self) -> dict[str, Table]:
        """What stands for each input, for each part."""
        return {f"part {k} input {i}": t for k, part in enumerate(self._parts) for i, t in enumerate(part.tables)}

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        for k, part in enumerate(self._parts):
            part.tables = [tables[f"part {k} input {i}"] for i in range(len(part.tables))]

    def metadata(self) -> Metadata:
        """What inputs have closed, and whether groups were reported."""
        return {"closing": self._closing.metadata(), "begun": self._begun}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one; its tables are there."""
        self._closing.restore(metadata["closing"])
        self._begun = metadata["begun"]
        self._before = self.answer() if self._updates and self._begun else self._before

    def puncts(self) -> int:
        """What inputs have closed."""
        return len(self._closing)
