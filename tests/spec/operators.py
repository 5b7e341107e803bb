"""Random operators over random schemas."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import permutations
from typing import Any

from hypothesis import strategies as st

from punctum.algebra.aggregates import COLLECTED, PAIRED, AggregateFunction, Function
from punctum.algebra.bands import Band, Limit
from punctum.algebra.frames import Frame, FrameCall, FrameFunction, UpTo
from punctum.algebra.outer import JoinKind
from punctum.algebra.pattern import WILDCARD, Pattern, between, one_of
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.ranking import Ranking
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.sorting import SortKey
from punctum.algebra.trends import Trend
from punctum.algebra.values import Row, Type
from punctum.operators.columns import frame, to_rows
from punctum.spec.columns import ComputedColumn
from punctum.spec.difference import Difference
from punctum.spec.dupelim import Dupelim
from punctum.spec.framework import Specified
from punctum.spec.group_by import GroupBy
from punctum.spec.hop import Hop
from punctum.spec.intersect import Intersect
from punctum.spec.join import Join
from punctum.spec.lead import Lead
from punctum.spec.lookup import Lookup
from punctum.spec.merge import Merge
from punctum.spec.origins import AccessOrder, AllPassed, AllReported, DomainLimits, EndEvent, Origin, Unique
from punctum.spec.outer import OuterJoin
from punctum.spec.over import Over
from punctum.spec.project import Project
from punctum.spec.punctuate import Punctuate
from punctum.spec.ranking import Ranks
from punctum.spec.select import Select
from punctum.spec.session import Sessions
from punctum.spec.sort import Sort
from punctum.spec.stream import Slice
from punctum.spec.union import Union
from strategies import punctuations, rows, schemas, small, streams

Case = tuple[Specified, list[list[Slice]]]
NUMBERS = (Type.BIGINT, Type.DOUBLE, Type.DECIMAL)
OF_NUMBERS = (FrameFunction.SUM, FrameFunction.AVG)


def computed(source: str) -> list[ComputedColumn]:
    """Functions of a BIGINT of every shape."""
    return [
        ComputedColumn(Attribute("plus", Type.BIGINT), source, lambda x: x + 5, True, Trend.INCREASING),
        ComputedColumn(Attribute("minus", Type.BIGINT), source, lambda x: -x, True, Trend.DECREASING),
        ComputedColumn(Attribute("half", Type.BIGINT), source, lambda x: x // 2, False, Trend.INCREASING),
        ComputedColumn(Attribute("down", Type.BIGINT), source, lambda x: -(x // 2), False, Trend.DECREASING),
        ComputedColumn(Attribute("name", Type.STRING), source, lambda x: f"n{x}", True),
        ComputedColumn(Attribute("square", Type.BIGINT), source, lambda x: x * x),
    ]


def columns(schema: Schema) -> list[ComputedColumn]:
    same = [ComputedColumn.same(schema, name) for name in schema.names]
    bigint = next((a.name for a in schema.attributes if a.type is Type.BIGINT), None)
    nulls = ComputedColumn(Attribute("nulls", Type.BIGINT), None, lambda row: sum(value is None for value in row))
    return [*same, nulls, *(computed(bigint) if bigint else [])]


def selects(schema: Schema) -> st.SearchStrategy[Specified]:
    opaque = Select(schema, lambda row: len(repr(row)) % 2 == 0)
    return punctuations(schema).map(Select.matching) | st.just(opaque)


def projects(schema: Schema) -> st.SearchStrategy[Specified]:
    chosen = st.lists(st.sampled_from(columns(schema)), min_size=1, max_size=3, unique_by=lambda c: c.attribute.name)
    return chosen.map(lambda picked: Project(schema, tuple(picked)))


def every_aggregate(schema: Schema) -> tuple[AggregateFunction, ...]:
    """All functions of all attributes that they can be of."""
    aggregates = [AggregateFunction(Function.COUNT, None, "n")]
    for a in schema.attributes:
        of_any = [Function.COUNT, Function.MIN, Function.MAX, Function.COUNT_DISTINCT, *COLLECTED]
        of_numbers = [Function.SUM, Function.AVG, Function.MEDIAN, Function.PERCENTILE]
        for function in of_any + (of_numbers if a.type in NUMBERS else []):
            aggregates.append(AggregateFunction(function, a.name, f"{function.name}_{a.name}", share=0.25))
    for of, by in permutations(schema.names, 2):
        aggregates += [AggregateFunction(f, of, f"{f.name}_{of}_{by}", by) for f in PAIRED]
    return tuple(aggregates)


def groups(schema: Schema) -> st.SearchStrategy[Specified]:
    by = st.lists(st.sampled_from(schema.names), unique=True, max_size=2).map(tuple)
    return by.map(lambda names: GroupBy(schema, names, every_aggregate(schema)))


def sorts(schema: Schema) -> st.SearchStrategy[Specified]:
    key = st.builds(SortKey, st.sampled_from(schema.names), st.booleans(), st.none() | st.booleans())
    keys = st.lists(key, min_size=1, max_size=2, unique_by=lambda k: k.name)
    return st.builds(Sort, st.just(schema), keys.map(tuple), st.none() | st.integers(1, 4))


def rankings(schema: Schema) -> st.SearchStrategy[Specified]:
    by = st.lists(st.sampled_from(schema.names), unique=True, max_size=2).map(tuple)
    key = st.builds(SortKey, st.sampled_from(schema.names), st.booleans(), st.none() | st.booleans())
    keys = st.lists(key, min_size=1, max_size=2, unique_by=lambda k: k.name).map(tuple)
    limits = st.none() | st.integers(1, 3)
    return st.builds(Ranks, st.just(schema), by, keys, st.sampled_from(Ranking), st.just("rank"), limits)


def frames(schema: Schema) -> st.SearchStrategy[Specified]:
    by = st.lists(st.sampled_from(schema.names), unique=True, max_size=2).map(tuple)
    key = st.builds(SortKey, st.sampled_from(schema.names), st.booleans(), st.none() | st.booleans())
    keys = st.lists(key, min_size=1, max_size=2, unique_by=lambda k: k.name).map(tuple)
    ends = st.builds(Frame, st.none() | st.integers(0, 5))
    ends = ends | st.just(Frame(None, UpTo.PEERS)) | st.just(Frame(None, UpTo.WHOLE))
    numbers = [a.name for a in schema.attributes if a.type in NUMBERS]
    of_any = st.tuples(
        st.sampled_from([f for f in FrameFunction if f not in (*OF_NUMBERS, FrameFunction.LEAD)]),
        st.sampled_from(schema.names),
    )
    of_numbers = st.tuples(st.sampled_from(OF_NUMBERS), st.sampled_from(numbers or ["none"]))
    chosen = of_any | st.just((FrameFunction.COUNT, None)) | (of_numbers if numbers else st.nothing())
    back = st.integers(1, 3).map(Frame)

    def call(given: tuple[FrameFunction, str | None]) -> st.SearchStrategy[FrameCall]:
        function, of = given
        return st.builds(
            FrameCall, st.just(function), st.just(of), st.just("value"), back if function.of_another else ends
        )

    return st.builds(Over, st.just(schema), by, keys, chosen.flatmap(call))


def leads(schema: Schema) -> st.SearchStrategy[Specified]:
    by = st.lists(st.sampled_from(schema.names), unique=True, max_size=2).map(tuple)
    key = st.builds(SortKey, st.sampled_from(schema.names), st.booleans(), st.none() | st.booleans())
    keys = st.lists(key, min_size=1, max_size=2, unique_by=lambda k: k.name).map(tuple)
    of, ahead = st.sampled_from(schema.names), st.integers(1, 3).map(Frame)
    call = st.builds(FrameCall, st.just(FrameFunction.LEAD), of, st.just("value"), ahead)
    return st.builds(Lead, st.just(schema), by, keys, call)


@st.composite
def ranges(draw: st.DrawFn, schema: Schema) -> Specified:
    """Frames by whole numbers or by times, as far back as so many steps."""
    key = SortKey(draw(st.sampled_from(["x", "y"])), draw(st.booleans()), draw(st.none() | st.booleans()))
    functions = [f for f in FrameFunction if not f.of_another]
    number = schema.attributes[-1].type is Type.BIGINT
    function = draw(st.sampled_from([f for f in functions if number or f not in OF_NUMBERS]))
    call = FrameCall(function, "x", "value", Frame(None, UpTo.PEERS, draw(st.integers(0, 3))))
    return Over(schema, draw(st.sampled_from([(), ("k",), ("k", "x"), ("y",)])), (key,), call)


def dupelims(schema: Schema) -> st.SearchStrategy[Specified]:
    return st.just(Dupelim(schema))


@st.composite
def lookups(draw: st.DrawFn, schema: Schema) -> Specified:
    """Lookups of every kind in a small table, with and without equalities and a condition on pairs."""
    table = tuple(to_rows(frame(schema, draw(st.lists(rows(schema), max_size=4)))))
    theirs = tuple(replace(a, name=f"b{i}", domain=WILDCARD) for i, a in enumerate(schema.attributes))
    on = draw(st.lists(st.sampled_from([(i, i) for i in range(len(schema))]), unique=True))
    kind = draw(st.sampled_from([None, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI]))
    holds = draw(st.sampled_from([_short, lambda pair: True]))
    return Lookup(schema, Schema(schema.attributes + theirs), table, tuple(on), kind, holds)


def hops(schema: Schema) -> st.SearchStrategy[Specified]:
    """Rows in windows of whole numbers or of times; these are next to each other, or some have none."""
    output = Schema((*schema.attributes[:-2], Attribute("start", schema.attributes[-1].type, NOT_NULL)))
    slides: list[Any] = [1, 2] if schema.attributes[-1].type is Type.BIGINT else [timedelta(microseconds=2)]
    return st.sampled_from(slides).map(lambda slide: Hop(schema, output, slide))


@st.composite
def sessions(draw: st.DrawFn, schema: Schema) -> Specified:
    """Sessions of whole numbers or of times, with a key, with two or with none."""
    by = draw(st.sampled_from([(), ("k",), ("k", "x")]))
    gap: Any = draw(st.sampled_from([1, 2]))
    if schema.attributes[-1].type is Type.TIMESTAMP:
        gap = timedelta(microseconds=gap)
    return Sessions(schema, by, "y", gap, ("start", "end"), every_aggregate(schema))


TIMED = [Schema.of(k="STRING", **dict.fromkeys("xy", of)) for of in ("BIGINT", "TIMESTAMP")]
"""Rows with a time behind, or two."""
UNARY = {
    "select": selects,
    "project": projects,
    "lookup": lookups,
    "dupelim": dupelims,
    "group-by": groups,
    "sort": sorts,
    "hop": hops,
    "session": sessions,
    "ranking": rankings,
    "over": frames,
    "range": ranges,
    "lead": leads,
}


@st.composite
def unary_cases(draw: st.DrawFn, kind: str) -> Case:
    any_schema = schemas(most=2) | st.just(Schema.of(x="BIGINT", y="BIGINT"))
    schema = draw(st.sampled_from(TIMED) if kind in ("hop", "session", "range") else any_schema)
    return draw(UNARY[kind](schema)), [draw(streams(schema))]


@st.composite
def domain_projects(draw: st.DrawFn) -> Case:
    """Projections that drop attributes with declared domains, over streams that stay in them."""
    schema = Schema.of(x="BIGINT", y="BIGINT", z="BIGINT").where(x=between(0, 2), y=one_of([0, 2]))
    inside = st.tuples(st.integers(0, 2), st.sampled_from([0, 2]), st.integers(0, 1))
    few: dict[str, Any] = {"x": st.integers(0, 2), "y": st.sampled_from([0, 2]), "z": st.integers(0, 1)}
    some = st.tuples(st.sampled_from([["x"], ["y"], ["x", "y"], ["x", "z"], ["y", "z"]]), st.fixed_dictionaries(few))
    puncts = some.map(lambda c: Punctuation.of(schema, {name: c[1][name] for name in c[0]})) | punctuations(schema)
    names = draw(st.sampled_from([["x"], ["z"], ["x", "z"], ["y", "z"]]))
    return Project.to(schema, *names), [draw(streams(schema, inside, puncts, most=8))]


@st.composite
def binary_cases(draw: st.DrawFn, kind: str) -> Case:
    left = draw(schemas(most=2) | st.just(Schema.of(x="BIGINT", y="BIGINT")))
    if kind in ("join", "outer"):
        order = draw(st.permutations(range(len(left))))
        right = Schema(tuple(Attribute(f"b{n}", left.attributes[i].type) for n, i in enumerate(order)))
        pairs = [(left.names[i], f"b{n}") for n, i in enumerate(order)]
        on = draw(st.lists(st.sampled_from(pairs), min_size=kind == "join", unique=True))
        both = [draw(streams(left)), draw(streams(right))]
        return (Join(left, right, tuple(on)) if kind == "join" else draw(outer_joins(left, right, tuple(on)))), both
    if kind == "interval join":
        return draw(interval_joins())
    if kind == "outer interval join":
        join, fed = draw(interval_joins())
        assert isinstance(join, Join)
        how = draw(st.sampled_from(JoinKind))
        return OuterJoin(join.left, join.right, join.on, bands=join.bands, kind=how, residual=_any), fed
    over = {"merge": Merge, "union": Union, "intersect": Intersect, "difference": Difference}
    operator: Specified = over[kind](left, left)  # type: ignore[abstract]
    return operator, [draw(streams(left)), draw(streams(left))]


def _any(row: Row) -> bool:
    return True


def _short(row: Row) -> bool:
    return len(repr(row)) % 3 > 0


@st.composite
def outer_joins(draw: st.DrawFn, left: Schema, right: Schema, on: tuple[tuple[str, str], ...]) -> OuterJoin:
    """Joins of every kind, with and without conditions on pairs and on the rows of one side."""
    mixed, sides = draw(st.booleans()), [_short if draw(st.booleans()) else None for _ in (0, 1)]

    def holds(pair: Row) -> bool:
        parts = pair[: len(left)], pair[len(left) :]
        alone = all(able is None or able(part) for able, part in zip(sides, parts, strict=True))
        return alone and (not mixed or len(repr(pair)) % 2 == 0)

    kind = draw(st.sampled_from(JoinKind))
    return OuterJoin(left, right, on, kind=kind, residual=holds, able=(sides[0], sides[1]))


MOVED = (Type.BIGINT, Type.DECIMAL, Type.DATE, Type.TIMESTAMP, Type.TIMESTAMP_NTZ, Type.INTERVAL)
"""The types whose values can be so many steps apart."""


@st.composite
def limits(draw: st.DrawFn, kind: Type) -> Limit | None:
    """An end of a band: near enough that values of both sides lie in it and out of it."""
    if kind not in MOVED:
        return draw(st.none() | st.builds(Limit, st.just(0), st.booleans()))
    offset: Any = st.integers(-2, 2)
    if kind is Type.DECIMAL:
        return draw(st.none() | st.builds(Limit, offset.map(lambda n: n * Decimal("0.01")), st.booleans()))
    return draw(st.none() | st.builds(Limit, offset, st.just(False)))


@st.composite
def bands(draw: st.DrawFn, of: tuple[int, int], by: tuple[int, int], kind: Type) -> list[Band]:
    """A band of a column by another one and the same the other way round, or one of them, or one between constants."""
    low, high = draw(limits(kind)), draw(limits(kind))
    if low is not None and high is not None and low.offset >= high.offset:  # a band has at least one value
        low, high = Limit(high.offset), Limit(low.offset)
    counted = kind.whole and draw(st.booleans())
    there = Band(of, by, low, high, counted)
    below, above = (None if end is None else end._replace(offset=-end.offset) for end in (high, low))
    back = Band(by, of, below, above, counted and draw(st.booleans()))
    constant = Band(of, None, None, Limit(draw(small(kind))), counted)
    return draw(st.sampled_from([[there, back], [there], [constant, there, back], []]))


@st.composite
def interval_joins(draw: st.DrawFn) -> Case:
    """Joins on a key, or on two, in which one column lies in a band around another one."""
    kind = draw(st.sampled_from([*MOVED, Type.BIGINT, Type.BIGINT, Type.DOUBLE, Type.STRING]))
    left, right = (Schema((Attribute(f"{x}k", Type.BIGINT), Attribute(f"{x}t", kind))) for x in "ab")
    on = draw(st.sampled_from([(("ak", "bk"),), (("ak", "bk"),), (("ak", "bk"), ("at", "bt")), ()]))
    within, outer = tuple(draw(bands((1, 1), (0, 1), kind))), draw(st.none() | st.sampled_from(JoinKind))
    if kind not in (Type.STRING, Type.DECIMAL) and draw(st.booleans()):  # of an equal column, or by another one
        within += tuple(draw(bands((1, 0), (0, draw(st.integers(0, int(kind is Type.BIGINT)))), Type.BIGINT)))
    join = Join(left, right, on, bands=within)
    join = join if outer is None else OuterJoin(left, right, on, bands=within, kind=outer)
    keys, times = st.integers(0, 1), st.none() | small(kind)
    return join, [draw(streams(schema, st.tuples(keys, times), prefixed(schema))) for schema in (left, right)]


def prefixed(schema: Schema) -> st.SearchStrategy[Punctuation]:
    """Punctuations as schemes promise them: prefixes and suffixes of the time, for all keys or one; or any."""
    key, time = schema.names
    kind = schema.attributes[1].type
    ends = st.sampled_from(["[]", "()"])
    ordered = st.builds(between, st.none(), small(kind), ends) | st.builds(between, small(kind), st.none(), ends)
    alone = ordered.map(lambda pattern: Punctuation.of(schema, {time: pattern}))
    mixed = st.tuples(st.integers(0, 1), ordered).map(lambda p: Punctuation.of(schema, {key: p[0], time: p[1]}))
    exact = small(kind).map(lambda value: Punctuation.of(schema, {time: value}))
    pairs = st.tuples(st.integers(0, 1), small(kind)).map(lambda p: Punctuation.of(schema, {key: p[0], time: p[1]}))
    return st.one_of(alone, alone, mixed, *([exact, pairs] if kind.whole else []), punctuations(schema))


DELAYS: dict[Type, Any] = {
    Type.BIGINT: 2,
    Type.DOUBLE: 0.5,
    Type.DECIMAL: Decimal("0.01"),
    Type.DATE: timedelta(days=2),
    Type.TIMESTAMP: timedelta(microseconds=2),
    Type.TIMESTAMP_NTZ: timedelta(microseconds=1),
}


@st.composite
def origins(draw: st.DrawFn, schema: Schema) -> Origin[Any]:
    """A way to make punctuations that a clause of SQL can ask for."""
    names = draw(st.lists(st.sampled_from(schema.names), min_size=1, unique=True, max_size=2))
    last = schema.attributes[-1]
    kind = draw(st.sampled_from(["end event", "order", "domain", "unique", "all reported", "all passed"]))
    whole = schema.attributes[schema.index(names[-1])].type is Type.BIGINT
    unit = draw(st.sampled_from([None, threes] if whole else [None]))
    if kind == "end event":
        terms = [f"{name} {draw(st.sampled_from(['', 'ASC', 'DESC']))}".strip() for name in names]
        return EndEvent(Scheme.of(schema, *terms), lambda row: len(repr(row)) % 2 == 0)
    if kind == "order":
        delay = draw(st.none() | st.just(DELAYS.get(schema.attributes[schema.index(names[-1])].type)))
        return AccessOrder(schema, names[-1], draw(st.booleans()), delay, tuple(names[:-1]), unit)
    if kind == "domain":
        return DomainLimits(schema)
    keys = [name for name in names if name != last.name]
    if kind == "unique" or not keys or last.type is Type.DECIMAL:
        return Unique(Scheme.of(schema, *names))
    members = draw(st.frozensets(small(last.type), min_size=1, max_size=2))
    units = unit if keys[-1] == names[-1] else None
    if kind == "all passed":
        terms = [*keys[:-1], f"{keys[-1]} {draw(st.sampled_from(['ASC', 'DESC']))}"]
        delay = draw(st.none() | st.just(DELAYS.get(schema.attributes[schema.index(keys[-1])].type)))
        return AllPassed(Scheme.of(schema, *terms), last.name, members, delay, units)
    return AllReported(Scheme.of(schema, *keys), last.name, members, units)


def threes(value: int) -> Pattern:
    """A unit of three numbers."""
    return between(value // 3 * 3, value // 3 * 3 + 2)


@st.composite
def punctuate_cases(draw: st.DrawFn) -> Case:
    """Streams that need not keep what the origins promise of them."""
    plain = Schema.of(x="BIGINT", y="BIGINT").where(x=between(0, 4))
    schema = draw(schemas(most=2) | st.just(plain) | st.just(Schema.of(k="STRING", x="BIGINT", m="STRING")))
    chosen = draw(st.lists(origins(schema), min_size=1, max_size=2))
    return Punctuate(schema, tuple(chosen)), [draw(streams(schema))]


BINARY = ("join", "interval join", "outer", "outer interval join", "merge", "union", "intersect", "difference")
