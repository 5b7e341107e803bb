"""A specified operator as a vectorised one, and the laws that hold between the two.

``agree``   the same slices in give the same rows, punctuations and kept state out, slice by slice.
``resume``  an operator that is stopped and restored at every slice boundary does what one that runs through does.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import polars as pl
from polars.testing import assert_frame_equal

from punctum.algebra.pattern import Range
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.values import Row
from punctum.operators import (
    Difference,
    Dupelim,
    GroupBy,
    Intersect,
    Join,
    Merge,
    MultiJoin,
    Operator,
    Project,
    Punctuate,
    Select,
    Sort,
    Union,
    dtype,
    frame,
    orders,
    origins,
    to_rows,
)
from punctum.operators.batch import batch, punctuations_of
from punctum.operators.checked import checked
from punctum.operators.columns import ColumnarSlice
from punctum.operators.hop import Hop
from punctum.operators.images import ComputedColumn
from punctum.operators.join import SIDES, joined_schema
from punctum.operators.lead import Lead
from punctum.operators.lookup import Lookup
from punctum.operators.operator import PAST, of_rows
from punctum.operators.outer import MET, OuterJoin
from punctum.operators.over import Over
from punctum.operators.ranking import Ranks
from punctum.operators.session import Sessions
from punctum.operators.table import Table
from punctum.operators.units import Units
from punctum.spec import framework
from punctum.spec import origins as specified
from punctum.spec.columns import ComputedColumn as SpecColumn
from punctum.spec.difference import Difference as SpecDifference
from punctum.spec.dupelim import Dupelim as SpecDupelim
from punctum.spec.group_by import GroupBy as SpecGroupBy
from punctum.spec.hop import Hop as SpecHop
from punctum.spec.intersect import Intersect as SpecIntersect
from punctum.spec.join import Join as SpecJoin
from punctum.spec.lead import Lead as SpecLead
from punctum.spec.lookup import Lookup as SpecLookup
from punctum.spec.merge import Merge as SpecMerge
from punctum.spec.multijoin import MultiJoin as SpecMultiJoin
from punctum.spec.outer import OuterJoin as SpecOuterJoin
from punctum.spec.over import Over as SpecOver
from punctum.spec.project import Project as SpecProject
from punctum.spec.punctuate import Punctuate as SpecPunctuate
from punctum.spec.ranking import Ranks as SpecRanks
from punctum.spec.select import Select as SpecSelect
from punctum.spec.session import Sessions as SpecSessions
from punctum.spec.sort import Sort as SpecSort
from punctum.spec.stream import Slice
from punctum.spec.union import Union as SpecUnion
from spec.laws import Streams, aligned

Make = Callable[[], Operator]


def vectorised(operator: framework.Operator) -> Operator:
    """The vectorised operator that should do what a specified one does."""
    match operator:
        case SpecSelect():
            return Select(operator.schema, by_row(operator.schema, operator.predicate, pl.Boolean()), operator.implied)
        case SpecProject():
            return Project(operator.schema, [(column(c), expression(operator.schema, c)) for c in operator.columns])
        case SpecGroupBy():
            return GroupBy(operator.schema, operator.by, operator.aggregates)
        case SpecSort():
            return Sort(operator.schema, operator.keys, operator.most)
        case SpecRanks():
            return Ranks(operator.schema, operator.by, operator.keys, operator.function, operator.name, operator.most)
        case SpecLead():
            return Lead(operator.schema, operator.by, operator.keys, operator.call)
        case SpecOver():
            return Over(operator.schema, operator.by, operator.keys, operator.call)
        case SpecDupelim():
            return Dupelim(operator.schema)
        case SpecHop(slide=slide):
            return Hop(operator.schema, operator.output, steps(slide))
        case SpecSessions(by=by, time=time, gap=gap):
            return Sessions(operator.schema, by, time, steps(gap), operator.names, operator.aggregates)
        case SpecLookup(paired=paired):
            table = Schema(paired.attributes[len(operator.schema) :])
            met = checked(by_row(paired, operator.residual, pl.Boolean()))
            rows = frame(table, operator.table)
            return Lookup(operator.schema, operator.output, lambda _: rows, operator.on, paired, operator.kind, met)
        case SpecOuterJoin(able=able):
            sides = [
                None if a is None else by_row(s, a, pl.Boolean()) for s, a in zip(operator.inputs, able, strict=True)
            ]
            alone, (whole, pair) = (sides[0], sides[1]), agreeing(operator)
            args = (operator.left, operator.right, operator.on, operator.kind, pair.names)
            return OuterJoin(*args, whole, alone, operator.bands)
        case SpecJoin():
            holds = agreeing(operator)[0] if operator.bands else None
            return Join(operator.left, operator.right, operator.on, operator.prefixes, holds, operator.bands)
        case SpecMultiJoin():
            holds = by_row(operator.output, operator.holds, pl.Boolean())
            return MultiJoin(
                operator.schemas, operator.classes, operator.names, holds, operator.shown, bands=operator.bands
            )
        case SpecMerge():
            return Merge(operator.left, operator.right)
        case SpecUnion():
            return Union(operator.left, operator.right)
        case SpecIntersect():
            return Intersect(operator.left, operator.right)
        case SpecDifference():
            return Difference(operator.left, operator.right)
        case SpecPunctuate():
            return Punctuate(operator.schema, [origin(source, operator.schema) for source in operator.origins])
    raise AssertionError(operator)


def steps(length: Any) -> int:
    """How many steps a length is."""
    return length // timedelta(microseconds=1) if isinstance(length, timedelta) else int(length)


def agreeing(join: SpecJoin) -> tuple[pl.Expr, Schema]:
    """Whether pairs are a result of a join, and the schema of a pair."""
    pair, width = joined_schema(join.left, join.right, join.prefixes), len(join.left)
    residual = join.residual if isinstance(join, SpecOuterJoin) else None

    def holds(row: Row) -> bool:
        return join.joins(row[:width], row[width:]) and (residual is None or residual(row))

    return by_row(pair, holds, pl.Boolean()), pair


def column(spec: SpecColumn) -> ComputedColumn:
    """The column for punctuations that should do what a specified one does."""
    if spec.source is None:
        return ComputedColumn(spec.attribute, None)
    return ComputedColumn(spec.attribute, spec.source, spec.function, spec.injective, spec.trend)


def unit(spec: specified.Unit | None) -> Units | None:
    """Units by rows; the piece of a value is the least one in its unit."""

    def pieces(values: pl.Series) -> pl.Series:
        assert spec is not None
        return pl.Series([None if v is None else spec(v).lower for v in values], dtype=values.dtype)  # type: ignore

    return None if spec is None else Units(pieces, spec)


def origin(spec: specified.Origin[Any], schema: Schema) -> origins.Origin:
    """The vectorised origin that should do what a specified one does."""
    match spec:
        case specified.EndEvent():
            return origins.EndEvent(spec.scheme, by_row(schema, spec.when, pl.Boolean()))
        case specified.AccessOrder():
            terms = [*spec.keys, f"{spec.attribute} {'DESC' if spec.descending else 'ASC'}"]
            return orders.AccessOrder(Scheme.of(schema, *terms), spec.delay, unit(spec.unit))
        case specified.DomainLimits():
            return origins.DomainLimits(schema)
        case specified.AllReported():
            return origins.AllReported(spec.scheme, spec.member, spec.members, unit(spec.unit))
        case specified.AllPassed():
            return orders.AllPassed(spec.scheme, spec.member, spec.members, spec.delay, unit(spec.unit))
        case specified.Unique():
            return origins.Unique(spec.scheme)
    raise AssertionError(spec)


def by_row(schema: Schema, function: Callable[[Row], Any], kind: pl.DataType) -> pl.Expr:
    """A Python function of rows as an expression."""

    def apply(columns: Sequence[pl.Series]) -> pl.Series:
        return pl.Series([function(t) for t in to_rows(pl.DataFrame(list(columns)))], dtype=kind)

    return pl.map_batches([pl.col(name) for name in schema.names], apply, return_dtype=kind)


def expression(schema: Schema, column: SpecColumn) -> pl.Expr:
    if column.source is not None and column.function is None:
        return pl.col(column.source)
    return by_row(schema, lambda t: column.value(t, schema), dtype(column.attribute))


def in_columns(schema: Schema, xs: Slice, constants: bool) -> ColumnarSlice:
    if not constants:
        return ColumnarSlice(frame(schema, xs.rows), xs.puncts)
    puncts = batch(schema, xs.puncts)
    named = {schema.names[at]: values for at, values in puncts.constants.items()}
    return ColumnarSlice(frame(schema, xs.rows), tuple(puncts.others), named)


def emitted_in(schema: Schema, xs: ColumnarSlice) -> list[Any]:
    return list(punctuations_of(schema, xs))


Vectorise = Callable[[framework.Operator], Operator]


def assert_waits(fast: Operator) -> None:
    """What rows wait for is found in the columns of their tables, for attributes of the input."""
    for name, waits in fast.waits().items():
        kept, names = fast.tables()[name].frame(), fast.inputs[waits.input].names
        assert all(mine in kept.columns and theirs in names for mine, theirs in waits.on)


def agree(
    spec: framework.Operator,
    streams: Streams,
    constants: bool = False,
    twice: bool = False,
    make: Vectorise | None = None,
) -> None:
    """The same out of both, and the same kept. The vectorised one may emit things twice where that is allowed."""
    running, fast = spec.start(), (make or vectorised)(spec)
    wanted_puncts, puncts, before = PunctuationSet(spec.output), PunctuationSet(spec.output), list[Punctuation]()
    assert fast.output == spec.output
    assert fast.inputs == spec.inputs
    for slices in zip(*aligned(streams), strict=True):
        # As read back from columns, since a predicate of the tests looks at how many digits a DECIMAL is written with.
        wanted = running.feed(
            *(Slice(tuple(to_rows(frame(s, xs.rows))), xs.puncts) for s, xs in zip(spec.inputs, slices, strict=True))
        )
        out = fast.feed(*(in_columns(s, xs, constants) for s, xs in zip(spec.inputs, slices, strict=True)))
        assert out.rows.schema == frame(spec.output, []).schema
        assert constants or not out.constants or isinstance(spec, SpecPunctuate)
        rows = to_rows(out.rows)
        if isinstance(spec, SpecSort):
            assert rows == list(wanted.rows)
        else:
            assert_bags(rows, wanted.rows)
        emitted = emitted_in(spec.output, out)
        assert_waits(fast)
        if not out.constants:
            assert Counter(p.patterns for p in out.puncts) == Counter(p.patterns for p in emitted), "emitted twice"
        assert all(len(values) and values.is_unique().all() for values in out.constants.values()), "emitted twice"
        assert not any(p.empty or (not twice and any(old.covers(p) for old in before)) for p in emitted), (
            "emitted before"
        )
        before += emitted
        for p in wanted.puncts:
            wanted_puncts.add(p)
        for p in emitted:
            puncts.add(p)
        assert puncts == wanted_puncts
        if isinstance(spec, SpecPunctuate):
            assert_reported(spec, running.state[0], fast)  # type: ignore[attr-defined]
        else:
            assert_kept(spec, running.kept(), fast)


def assert_kept(spec: framework.Operator, kept: framework.Kept, fast: Operator) -> None:
    if isinstance(spec, SpecGroupBy):
        assert isinstance(fast, GroupBy)
        at = spec.schema.indices(spec.by)
        keys = {tuple(t[i] for i in at) for t in kept["input"]}
        if spec.by:
            assert Counter(to_rows(fast.groups())) == Counter(keys)
        assert (len(fast.tables()["groups"]) > 0) == bool(keys)
        return
    if isinstance(spec, SpecSessions):
        assert isinstance(fast, Sessions)
        assert Counter(to_rows(fast.sessions())) == Counter(spec.open_sessions(kept["input"]))
        return
    tables = {name: table for name, table in fast.tables().items() if of_rows(name)}
    assert tables.keys() == kept.keys()
    for name, rows in kept.items():
        if isinstance(spec, SpecOver) and name == "before":  # partials, which have the partition's attributes
            before = tables[name].frame().select(dict.fromkeys(spec.by).keys())
            assert Counter(to_rows(before)) == Counter(rows) or (not spec.by and len(tables[name]) == len(rows))
            continue
        flagged = isinstance(spec, SpecOuterJoin) and spec.kind.pairs and SIDES.index(name) in spec.kind.preserved
        assert Counter(kept_rows(tables[name], flagged)) == Counter(rows), name
        assert len(tables[name]) == len(rows)
    assert fast.size().rows == sum(map(len, kept.values()))


def kept_rows(table: Table, flagged: bool) -> list[Row]:
    """The rows of a table, where it is wanted with whether they have had a partner."""
    rows, met = to_rows(table.frame()), table.all().marked(MET)
    return [(*row, partner) for row, partner in zip(rows, met, strict=True)] if flagged else rows


def assert_reported(spec: SpecPunctuate, states: Sequence[Any], fast: Operator) -> None:
    """For each list of members, who has reported what, of all that is not complete."""
    tables = fast.tables()
    for n, (source, missing) in enumerate(zip(spec.origins, states, strict=True)):
        if isinstance(source, specified.AllReported):
            told = {(*map(_piece, key), left) for key, left in missing.items()}
            wanted = {(*key, member) for *key, left in told for member in source.members - left}
            reports = to_rows(tables.pop(f"origin{n}").frame())
            assert Counter(reports) == Counter(wanted)
        elif isinstance(source, specified.AllPassed):
            furthest = [(*key, member, value) for key, known in missing.items() for member, value in known.items()]
            assert Counter(to_rows(tables.pop(f"origin{n}").frame())) == Counter(furthest)
    assert tables.keys() == {PAST}


def _piece(part: Any) -> Any:
    return part.lower if isinstance(part, Range) else part


def assert_bags(given: Sequence[Row], wanted: Sequence[Row]) -> None:
    """The same rows, DOUBLEs up to rounding."""
    assert Counter(map(_rounded, given)) == Counter(map(_rounded, wanted))


def _rounded(row: Row) -> Row:
    return tuple(float(f"{v:.12g}") if isinstance(v, float) and math.isfinite(v) else v for v in row)


def resume(make: Make, streams: Streams) -> None:
    """Stopped and restored at every boundary = run through."""
    through, stopped = make(), make()
    store: dict[str, dict[int, pl.DataFrame]] = {name: {} for name in stopped.tables()}
    for slices in zip(*aligned(streams), strict=True):
        xs = [in_columns(s, x, False) for s, x in zip(through.inputs, slices, strict=True)]
        wanted, out = through.feed(*xs), stopped.feed(*xs)
        assert_bags(to_rows(out.rows), to_rows(wanted.rows))
        assert Counter(p.patterns for p in out.puncts) == Counter(p.patterns for p in wanted.puncts)
        assert out.constants.keys() == wanted.constants.keys()
        assert all(values.equals(wanted.constants[name]) for name, values in out.constants.items())
        sizes = stopped.size(), through.size()
        assert sizes[0].rows == sizes[1].rows and sizes[0].puncts == sizes[1].puncts
        metadata = json.loads(json.dumps(stopped.metadata()))
        tables = stopped.tables()
        stopped = make()
        for name, table in tables.items():
            written, gone = table.changes()
            store[name] = {n: c for n, c in (store[name] | written).items() if n not in gone}
            assert table.changes() == ({}, [])
        fresh = {name: t.restored(store[name]) for name, t in stopped.tables().items()}
        if fresh:
            stopped.restore_tables(fresh)
        stopped.restore_metadata(metadata)
        for name, table in through.tables().items():
            assert_frame_equal(stopped.tables()[name].frame(), table.frame())
