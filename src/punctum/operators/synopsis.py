"""Joins on synopses, vectorised: bounded memory without punctuations, as ``spec/synopsis.py`` specifies.

Kept for each input: the keys of the rows that stand for all that came, and of a preserving query how many came; of an
eliminating one the rows that have come out too. New rows are put into their buckets first, so that what is joined is
as small as what is kept. Nothing purges these, and nothing has to: there are never more than the analysis allows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property, reduce
from operator import and_, mul

import polars as pl

from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.analyse.memory.synopses import Bucket, SynopsisStructure, carried
from punctum.ir.conjunctive.axes import At, Axis, ordinal
from punctum.ir.conjunctive.spj import Spj
from punctum.ir.expressions import Expression, rebased
from punctum.ir.flatten import at_of, placed
from punctum.operators.batch import Names, PunctuationBatch, add, batch, columns, punctuations_of
from punctum.operators.checked import REASON, Checked, Computed, Failed, checked, kept
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.dupelim import distinct
from punctum.operators.emitted import EmittedPunctuations
from punctum.operators.expressions import careful
from punctum.operators.operator import Metadata, Operator
from punctum.operators.table import Table
from punctum.operators.written import read, written

COUNT, TIMES = "n", "times"
_FIRST_DAY = date(1970, 1, 1)


class SynopsisBuckets:
    """The buckets of one input: a frame of its rows in, the rows that stand for them out.

    Partial aggregates are columns beside the keys: how each begins with a row, and how several become one.
    """

    def __init__(self, synopsis: SynopsisStructure, partials: Sequence[tuple[pl.Expr, pl.Expr]] = ()) -> None:
        self.partials = partials
        self.synopsis, self._query, self._order = synopsis, synopsis.query, synopsis.query.order
        self.mine = [at for at in self._order.attributes if at[0] == synopsis.stream]
        self.preserving = not self._query.eliminating
        self._rules: dict[Bucket, tuple[tuple[bool, tuple[str, ...]], ...]] = {}

    @property
    def empty(self) -> pl.DataFrame:
        """No rows: a column for each key, and the count and partial aggregates."""
        return self.rows(empty(self._query.streams[self.synopsis.stream].schema))

    def rows(self, df: pl.DataFrame) -> pl.DataFrame:
        """The rows that stand for new ones; those that conditions on the input alone keep out are none."""
        names = self._query.streams[self.synopsis.stream].schema.names
        ones = pl.repeat(1, pl.len(), dtype=pl.Int64).alias(COUNT)
        named = df.select(ones, *(pl.col(names[at[1]]).alias(name(at)) for at in self.mine))
        met = named.filter(self._local)
        return self.coalesced(met.select(*self._kept, *(begin for begin, _ in self.partials)))

    @property
    def _kept(self) -> list[str]:
        """The columns beside partial aggregates; where it does not matter how often rows come, nobody counts them."""
        keys = [name(at) for at in self.synopsis.keys]
        return [COUNT, *keys] if self.preserving or not keys else keys

    def coalesced(self, df: pl.DataFrame) -> pl.DataFrame:
        """One bucket, one row, or its best rows."""
        keys = [name(at) for at in self.synopsis.keys]
        placed = df.with_columns(*(self._place(at).alias(f"p{name(at)}") for at in self.synopsis.keys), p=pl.lit(0))
        places = ["p", *(f"p{key}" for key in keys)]
        if self.preserving:
            sums = [pl.col(COUNT).sum(), *(pl.col(key).first() for key in keys), *(end for _, end in self.partials)]
            return placed.group_by(places, maintain_order=True).agg(sums).drop(places)
        return self._best(placed, places).drop(places)

    def wide(self, df: pl.DataFrame) -> pl.DataFrame:
        """Kept rows with the columns that are equal to a key, and the count under a name of its own."""
        keys = {self._order.of[at]: at for at in self.synopsis.keys}
        same = [at for at in self.mine if at not in keys.values() and self._order.of[at] in keys]
        equal = df.with_columns(pl.col(name(keys[self._order.of[at]])).alias(name(at)) for at in same)
        counted = equal if COUNT in equal.columns else equal.with_columns(pl.lit(1, pl.Int64).alias(COUNT))
        return counted.rename({COUNT: f"{COUNT}{self.synopsis.stream}"})

    def _best(self, placed: pl.DataFrame, places: list[str]) -> pl.DataFrame:
        """The best rows of each bucket; buckets with the same rule are looked at together."""
        buckets = placed.select(places).unique(maintain_order=True)
        rules = [self._rule(bucket[1:]) for bucket in buckets.iter_rows()]
        numbers = {rule: number for number, rule in enumerate(dict.fromkeys(rules))}
        ruled = buckets.with_columns(pl.Series("rule", [numbers[rule] for rule in rules], dtype=pl.Int64))
        whole = placed.join(ruled, on=places, nulls_equal=True, maintain_order="left")
        parts = [whole.clear()]
        for rule, number in numbers.items():
            some = whole.filter(pl.col("rule") == number)
            parts += [_first(some, places, up, names) for up, names in rule] or [_first(some, places, True, ())]
        return pl.concat(parts).drop("rule").unique(maintain_order=True)

    def _rule(self, bucket: Bucket) -> tuple[tuple[bool, tuple[str, ...]], ...]:
        if bucket not in self._rules:
            rules = self.synopsis.rules(bucket)
            self._rules[bucket] = tuple((up, tuple(f"{self.synopsis.stream}_{c}" for c in of)) for up, of in rules)
        return self._rules[bucket]

    def _place(self, at: At) -> pl.Expr:
        return _place(pl.col(name(at)), self._order.axes[at])

    @cached_property
    def _local(self) -> pl.Expr:
        """What follows for a row of the input by itself."""
        return reduce(and_, self._conditions(), pl.lit(True))

    def _conditions(self) -> Iterator[pl.Expr]:
        for at in self.mine:
            places, place = self._order.range(at), self._place(at)
            inside = place.is_between(places.low, places.high) if places.only is None else place.is_in(places.only)
            yield inside | pl.col(name(at)).is_null() if self._query.nullable(at) else inside
            for other in self.mine:
                if other != at and (op := self._order.implied(at, other)) is not None:
                    yield _compare(at, op, other).fill_null(True)


class ClosedClasses:
    """What all inputs of a query have closed of the columns that it shows; what one has closed waits for the others.

    For each input it is given which of its columns are which of the output.
    """

    def __init__(self, carried: Sequence[Mapping[int, int]], output: Schema) -> None:
        self._output, self._carried = output, [dict(to) for to in carried]
        self._by = [PunctuationSet(output) for _ in carried]
        self.closed, self._emitted = PunctuationSet(output), EmittedPunctuations(output)

    def receive(self, inputs: Sequence[Schema], slices: Sequence[ColumnarSlice]) -> PunctuationBatch:
        """Take punctuations of the inputs, and return what is new of the output."""
        agreed = PunctuationBatch(self._output)
        for i, xs in enumerate(slices):
            new = over_columns(punctuations_of(inputs[i], xs), self._carried[i], self._output)
            add(self._by[i], new)
            common: Iterable[Punctuation] = new
            for other in (*self._by[:i], *self._by[i + 1 :]):
                common = [both for p in common for both in other.within(p)]
            agreed += batch(self._output, common)
        add(self.closed, agreed)
        return self._emitted.add_new(agreed)

    def metadata(self) -> Metadata:
        """What each input has closed, and what all have."""
        by = [written(puncts, self._output) for puncts in self._by]
        return {"by": by, "closed": written(self.closed, self._output), "emitted": self._emitted.metadata()}

    def restore(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._by = [PunctuationSet(self._output, read(puncts, self._output)) for puncts in metadata["by"]]
        self.closed = PunctuationSet(self._output, read(metadata["closed"], self._output))
        self._emitted.restore(metadata["emitted"])

    def __len__(self) -> int:
        return sum(map(len, self._by)) + len(self.closed) + len(self._emitted)


def over_columns(puncts: PunctuationBatch, to: Mapping[int, int], output: Schema) -> PunctuationBatch:
    """Those punctuations on some columns alone, over the columns of an output that each of them is."""
    targets = [[to[at]] if at in to else [] for at in range(len(puncts.schema))]
    moved = Names(output, targets).map_punctuations(puncts.on(to))
    return PunctuationBatch(output, moved.constants, [p for p in moved.others if not p.empty])


class SynopsisJoin(Operator):
    """The join of inputs that a bounded query describes, without groups."""

    def __init__(
        self, query: Spj, output: Schema, inputs: Sequence[Schema] = (), residual: Computed | None = None
    ) -> None:
        assert query.aggregates is None and (not query.mixed or residual is not None), "this is no plain join"
        self._residual = None if residual is None else checked(residual)
        self.inputs, self.output = tuple(inputs) or tuple(stream.schema for stream in query.streams), output
        self._query = query
        self._buckets = [SynopsisBuckets(SynopsisStructure(query, i)) for i in range(len(query.streams))]
        self._kept = [Table(buckets.empty) for buckets in self._buckets]
        self._shown, self._closing = Table(empty(output)), ClosedClasses(carried(query), output)

    def feed(self, *slices: ColumnarSlice) -> ColumnarSlice:
        """Take the next slice of each input: its buckets meet those of the others."""
        results = [empty(self.output)]
        for i, xs in enumerate(slices):
            new = self._buckets[i].rows(xs.rows)
            if new.height:
                results.append(self._results(i, new))
                if len(self._kept) > 1:  # rows of a single input meet nothing later
                    self._kept[i].replace(self._buckets[i].coalesced(pl.concat([self._kept[i].frame(), new])))
        rows = pl.concat(results)
        if self._query.distinct:
            rows = distinct(rows, self._shown, PunctuationBatch(self.output))
        return columns(rows, self._closing.receive(self.inputs, slices), *slices)

    def _results(self, i: int, new: pl.DataFrame) -> pl.DataFrame:
        """The output rows for new rows of an input."""
        frames = [new if j == i else table.frame() for j, table in enumerate(self._kept)]
        met, failed = joined(self._buckets, frames, self._residual)
        if failed is not None:
            unmet = failed if self._query.distinct else repeated(failed, failed[TIMES])
            self._failed += (combinations(self._query, unmet),)
        names = zip(self._query.shown, self.output.names, strict=bool(self._query.shown))
        shown = met.select([pl.col(name(at)).alias(to) for at, to in names] or _row(self.output))
        return shown if self._query.distinct else repeated(shown, met[TIMES])

    def tables(self) -> dict[str, Table]:
        """What stands for each input, and the rows that have come out."""
        kept = {f"input {i}": table for i, table in enumerate(self._kept)}
        return kept | ({"shown": self._shown} if self._query.distinct else {})

    def restore_tables(self, tables: dict[str, Table]) -> None:
        """Go on with the rows that another one kept."""
        self._kept = [tables[f"input {i}"] for i in range(len(self._kept))]
        self._shown = tables.get("shown", self._shown)

    def metadata(self) -> Metadata:
        """What inputs have closed."""
        return self._closing.metadata()

    def restore_metadata(self, metadata: Metadata) -> None:
        """Go on with the notes of another one."""
        self._closing.restore(metadata)

    def puncts(self) -> int:
        """What inputs have closed."""
        return len(self._closing)


def name(at: At) -> str:
    """The column of an attribute in a frame of several inputs."""
    return f"{at[0]}_{at[1]}"


def _row(output: Schema) -> pl.Expr:
    """The column of a result that shows nothing: there is a row."""
    return pl.repeat(1, pl.len(), dtype=pl.Int64).alias(output.names[0])


def _compare(left: At, op: str, right: At) -> pl.Expr:
    a, b = pl.col(name(left)), pl.col(name(right))
    return a < b if op == "<" else a <= b if op == "<=" else a == b


def joined(
    buckets: Sequence[SynopsisBuckets], frames: Sequence[pl.DataFrame], residual: Checked | None = None
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """The combinations of rows of all inputs that fulfil the conditions, and how often each comes; and what failed."""
    query = buckets[0].synopsis.query
    wide = [of_input.wide(df) for of_input, df in zip(buckets, frames, strict=True)]
    pairs = reduce(lambda one, other: one.join(other, how="cross"), wide)
    real = [c for c in query.compared if max(c.left[0], c.right[0]) < len(buckets) and c.left[0] != c.right[0]]
    times = reduce(mul, (pl.col(f"{COUNT}{i}").cast(pl.Int128) for i in range(len(buckets))))
    held = pairs.filter(*(_compare(*c) for c in real)).with_columns(times.alias(TIMES))
    return (held, None) if residual is None else kept(held, residual)


def combinations(query: Spj, failed: pl.DataFrame) -> Failed:
    """Combinations of rows for which a condition has no value, with what is known of them."""
    ats = [(i, column) for i, stream in enumerate(query.streams) for column in range(len(stream.schema))]
    named = {name(at): f"{query.streams[at[0]].name}.{query.attribute(at).name}" for at in ats}
    there = [at for at in ats if name(at) in failed.columns]
    schema = Schema(tuple(replace(query.attribute(at), name=named[name(at)]) for at in there))
    return Failed(failed.select(*(pl.col(name(at)).alias(named[name(at)]) for at in there), REASON), schema)


def met(query: Spj, condition: Expression) -> Checked:
    """A condition over the columns of several inputs, for frames of several inputs."""
    ats = [(i, column) for i, stream in enumerate(query.streams) for column in range(len(stream.schema))]
    schema = Schema(tuple(replace(query.attribute(at), name=name(at)) for at in ats))
    place = {at: n for n, at in enumerate(ats)}
    moved = rebased(condition, lambda c: placed(c, place[at_of(c)], name(at_of(c))))
    return careful(moved, schema)


def repeated(df: pl.DataFrame, times: pl.Series) -> pl.DataFrame:
    """Each row so many times."""
    return df[pl.select(pl.int_range(df.height).repeat_by(times.cast(pl.Int64)).explode().drop_nulls()).to_series()]


def _first(df: pl.DataFrame, places: list[str], up: bool, names: tuple[str, ...]) -> pl.DataFrame:
    """The best row of each bucket, the first where several are."""
    if names:
        worst = pl.min_horizontal(names) if up else pl.max_horizontal(names)
        df = df.sort(worst, descending=up, maintain_order=True)
    return df.unique(subset=places, keep="first", maintain_order=True)


def _place(column: pl.Expr, axis: Axis) -> pl.Expr:
    """Where values lie on an axis; NULL lies nowhere."""
    if not axis.at:
        return pl.when(column.is_not_null()).then(pl.lit(0, pl.Int64))
    if axis.kind.discrete:
        return _number(column, axis.kind).clip(axis.all.low, axis.all.high)
    constants = [pl.lit(c) for c in axis.constants]
    steps = [(column > c).cast(pl.Int64) * 2 + (column == c).cast(pl.Int64) for c in constants]
    return reduce(lambda a, b: a + b, steps)


def _number(column: pl.Expr, kind: Type) -> pl.Expr:
    """The number of a value of a discrete type, as ``ordinal`` has it."""
    match kind:
        case Type.DATE:
            return column.cast(pl.Int32).cast(pl.Int64) + ordinal(_FIRST_DAY)
        case Type.TIMESTAMP | Type.TIMESTAMP_NTZ:
            return column.dt.epoch("us")
        case _:
            return column.cast(pl.Int64)
