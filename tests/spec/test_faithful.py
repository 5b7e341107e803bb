"""Each operator is faithful: at every prefix it has output just what no allowed further input can change.

Promises here are constants, lists, bounded ranges and prefixes (or suffixes), so that on each attribute some value,
``FRESH`` or its negative, is closed by none of them. With such a value left, only promises that name an attribute close
it; a set of promises that together exhaust an attribute which the operator does not look at is another matter.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.algebra.aggregates import PAIRED, AggregateFunction, Function
from punctum.algebra.outer import JoinKind
from punctum.algebra.pattern import WILDCARD, Pattern, between, constant, one_of
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Row
from punctum.spec.difference import Difference
from punctum.spec.dupelim import Dupelim
from punctum.spec.framework import Operator
from punctum.spec.group_by import GroupBy
from punctum.spec.intersect import Intersect
from punctum.spec.join import Join
from punctum.spec.merge import Merge
from punctum.spec.outer import OuterJoin
from punctum.spec.project import Project
from punctum.spec.select import Select
from punctum.spec.session import Sessions
from punctum.spec.sort import Sort
from punctum.spec.stream import Slice
from punctum.spec.union import Union
from spec import batch
from spec.laws import faithful, faithful_in_order
from strategies import streams

FRESH = 9
plane = Schema.of(x="BIGINT", y="BIGINT")
other = Schema.of(v="BIGINT", w="BIGINT")
values = st.sampled_from([None, 0, 1, 2])
number = st.integers(0, 2)


def promises(schema: Schema, suffixes: tuple[int, ...] = ()) -> st.SearchStrategy[Punctuation]:
    """Punctuations that leave a fresh value open on each attribute, above the others or, for suffixes, below them."""

    def patterns(i: int) -> st.SearchStrategy[Pattern]:
        unbounded = number.map(lambda n: between(n, None) if i in suffixes else between(None, n))
        some = st.one_of(
            values.map(constant), st.builds(between, number, number), st.lists(number).map(one_of), unbounded
        )
        return st.just(WILDCARD) | some

    return st.tuples(*(patterns(i) for i in range(len(schema)))).map(lambda chosen: Punctuation(schema, chosen))


def inputs(schema: Schema, suffixes: tuple[int, ...] = (), most: int = 3) -> st.SearchStrategy[list[Slice]]:
    return streams(schema, st.tuples(*(values for _ in schema.names)), promises(schema, suffixes), most)


UNIVERSE: list[Row] = list(product([None, -FRESH, 0, 1, 2, FRESH], repeat=2))
"""All rows that a promise can distinguish."""


def differ(pair: Row) -> bool:
    """Whether the second columns have different values, and both have one."""
    return len({pair[1], pair[3]} - {None}) == 2


def filled(row: Row) -> bool:
    return row[1] is not None


SUMMARY = [
    AggregateFunction(Function.COUNT, None, "rows"),
    *(AggregateFunction(f, "y", f.value, "x" if f in PAIRED else None) for f in Function),
]
UNARY: dict[str, tuple[Operator, Callable[..., list[Row]]]] = {
    "select": (Select.matching(Punctuation.of(plane, x=1)), lambda rows: [t for t in rows if t[0] == 1]),
    "project": (Project.to(plane, "y"), lambda rows: [(t[1],) for t in rows]),
    "dupelim": (Dupelim(plane), batch.distinct),
    "group-by": (GroupBy(plane, ("x",), tuple(SUMMARY)), batch.summary([0], 1)),
    "group-by both": (GroupBy(plane, ("y", "x"), tuple(SUMMARY)), batch.summary([1, 0], 1)),
    "group-by nothing": (GroupBy(plane, (), tuple(SUMMARY)), batch.summary([], 1)),
}
BINARY: dict[str, tuple[Operator, Callable[..., list[Row]]]] = {
    "join": (Join(plane, other, (("x", "v"),)), batch.join([(0, 0)])),
    "join twice": (Join(plane, other, (("x", "w"), ("y", "v"))), batch.join([(0, 1), (1, 0)])),
    **{
        f"{kind.value} join": (OuterJoin(plane, other, (("x", "v"),), kind=kind), batch.outer([(0, 0)], kind.value))
        for kind in JoinKind
    },
    **{
        f"{kind.value} join where": (
            OuterJoin(plane, other, (("x", "v"),), kind=kind, residual=differ, able=(filled, filled)),
            batch.outer([(0, 0)], kind.value, differ),
        )
        for kind in JoinKind
    },
    "merge": (Merge(plane, plane), lambda left, right: left + right),
    "union": (Union(plane, plane), batch.union),
    "intersect": (Intersect(plane, plane), batch.intersect),
    "difference": (Difference(plane, plane), batch.difference),
}


@pytest.mark.parametrize("kind", UNARY)
@given(stream=inputs(plane))
def test_unary(kind: str, stream: list[Slice]) -> None:
    operator, table_operator = UNARY[kind]
    faithful(operator, [stream], table_operator, [UNIVERSE], most=2)


def sessions(rows: list[Row]) -> list[Row]:
    """The sessions of each x by y, by joining neighbours until none are left: a gap is 1."""
    found = {(t[0], frozenset([n])) for n, t in enumerate(rows) if t[1] is not None}
    while pair := next((p for p in product(found, repeat=2) if p[0] != p[1] and near(rows, *p)), None):
        found = found - {*pair} | {(pair[0][0], pair[0][1] | pair[1][1])}
    times: list[tuple[Any, list[Any]]] = [(x, [rows[n][1] for n in members]) for x, members in found]
    return [(x, min(ys), max(ys) + 1, len(ys)) for x, ys in times]


def near(rows: Any, one: Any, other: Any) -> bool:
    return one[0] == other[0] and any(abs(rows[n][1] - rows[m][1]) <= 1 for n in one[1] for m in other[1])


TIMES: list[Row] = list(product([None, 0, FRESH], [None, *range(-1, 6), FRESH]))


@given(data=st.data())
def test_sessions(data: st.DataObject) -> None:
    """Prefixes of time, whatever is said of keys: sessions come out as soon as no row can be near them."""
    keys = st.sampled_from([WILDCARD, constant(0), constant(None), one_of([0, 1])])
    until = st.just(WILDCARD) | st.integers(-1, 4).map(lambda n: between(None, n))
    said = st.tuples(keys, until).map(lambda patterns: Punctuation(plane, patterns))
    rows = st.tuples(st.sampled_from([None, 0]), st.sampled_from([None, 0, 1, 2, 3]))
    operator = Sessions(plane, ("x",), "y", 1, ("start", "end"), (AggregateFunction(Function.COUNT, None, "n"),))
    faithful(operator, [data.draw(streams(plane, rows, said, 4))], sessions, [TIMES], most=1)


@pytest.mark.parametrize("kind", BINARY)
@examples(50)
@given(data=st.data())
def test_binary(kind: str, data: st.DataObject) -> None:
    operator, table_operator = BINARY[kind]
    left, right = operator.inputs
    both = [data.draw(inputs(left)), data.draw(inputs(right))]
    faithful(operator, both, table_operator, [UNIVERSE] * 2, most=1)


@given(st.lists(st.tuples(st.integers(0, 1), st.booleans(), st.booleans()), min_size=1, max_size=2), st.data())
def test_sort(keys: list[tuple[int, bool, bool]], data: st.DataObject) -> None:
    keys = list({key[0]: key for key in keys}.values())
    falling = tuple(column for column, descending, _ in keys if descending)
    operator = Sort(plane, tuple(SortKey(plane.names[i], descending, first) for i, descending, first in keys))
    stream = data.draw(inputs(plane, falling, most=4))
    faithful_in_order(operator, stream, batch.order(keys), UNIVERSE, most=2)


@given(st.booleans(), st.booleans(), st.data())
def test_sort_starts_at_the_first_value_of_a_domain(descending: bool, second: bool, data: st.DataObject) -> None:
    """The paper's hours: without NULL and infinity, a range that starts where the domain starts is a prefix."""
    hours = Schema.of(hour="BIGINT", sid="BIGINT").where(hour=one_of([0, 1, 2]))
    rows = st.tuples(number, values)
    bounded: Any = st.builds(between, number, number).map(lambda p: Punctuation.of(hours, hour=p))
    stream = data.draw(streams(hours, rows, bounded | promises(hours), 4))
    keys = [(0, descending, False), (1, False, False)][: 1 + second]
    operator = Sort(hours, tuple(SortKey(hours.names[i], down, first) for i, down, first in keys))
    inside = [t for t in UNIVERSE if t[0] in (0, 1, 2)]
    faithful_in_order(operator, stream, batch.order(keys), inside, most=2)
