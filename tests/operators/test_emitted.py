"""What is remembered of punctuations stays small: operators may forget what coalesces with nothing, a guard may not."""

import json
from collections.abc import Iterator
from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from operators.vectorised import agree
from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.json import from_json
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.operators import GroupBy, Join, Union, frame, to_rows
from punctum.operators.batch import PunctuationBatch, batch
from punctum.operators.columns import ColumnarSlice
from punctum.operators.guard import Guard
from punctum.operators.limits import Limits, limited
from punctum.operators.project import Project
from punctum.operators.seen import SeenPunctuations
from punctum.spec.guard import Guard as GuardSpecification
from punctum.spec.stream import Slice
from spec.operators import BINARY, UNARY, binary_cases, unary_cases
from strategies import SMALL, punctuations, rows, schemas

CASES = {kind: unary_cases(kind) for kind in UNARY if kind != "project"} | {kind: binary_cases(kind) for kind in BINARY}
SESSION = Schema.of(id="STRING", hour="BIGINT")


@pytest.fixture(params=[1, 3], scope="module")
def few(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nearly nothing is remembered at hand."""
    with limited(apart=request.param, scattered=request.param, spelled=request.param):
        yield


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("kind", CASES)
@examples(33)
@given(data=st.data())
def test_who_forgets_emits_the_same(kind: str, data: st.DataObject) -> None:
    agree(*data.draw(CASES[kind]), constants=data.draw(st.booleans()), twice=True)


@pytest.mark.usefixtures("few")
@given(data=st.data(), restart=st.booleans(), over=st.booleans())
def test_a_guard_that_lays_down_is_the_specification(data: st.DataObject, restart: bool, over: bool) -> None:
    """What expires is on the columns of one scheme; punctuations on others that it covers may go with it or stay."""
    schema = data.draw(schemas(most=2))
    spec, guard, every = GuardSpecification(schema), Guard(schema), _everything(schema)
    seen: list[Punctuation] = []
    for _ in range(data.draw(st.integers(1, 5))):
        ts, ps = data.draw(st.lists(rows(schema), max_size=4)), data.draw(st.lists(punctuations(schema), max_size=4))
        wanted, violations = spec.feed(Slice(tuple(ts), tuple(ps)))
        before = spec._seen.copy()
        parts = guard.split(ColumnarSlice(frame(schema, (schema.row(*t) for t in ts)), tuple(ps)))
        assert to_rows(parts.good.rows) == list(wanted.rows)
        assert to_rows(parts.bad) == [v.row for v in violations]
        for row, reason in zip(to_rows(parts.bad), parts.reasons, strict=True):
            p = from_json(reason, schema)
            assert isinstance(p, Punctuation)
            assert p.match(row) and before.covers(p)
        excluded = guard._seen.matches(frame(schema, every))
        assert excluded.to_list() == [spec._seen.matches(row) for row in every]
        if restart:
            guard = _restored(guard, Guard(schema))
        seen += ps
        if over and ps and not any(ps[0].covers(p) and not _on_the_same(ps[0], p) for p in seen):
            spec.forget(ps[:1])
            guard.forget(0, batch(schema, ps[:1]))


def _on_the_same(one: Punctuation, other: Punctuation) -> bool:
    return [at for at, _ in one.sides] == [at for at, _ in other.sides]


def test_numbers_that_are_no_neighbours_are_laid_down_at_once() -> None:
    several, hour = Limits().scattered + 1, SESSION.index("hour")
    for step, laid_down in ((1, 0), (2, several)):
        memory = SeenPunctuations(SESSION)
        memory.add_new(PunctuationBatch(SESSION, {hour: pl.Series(range(0, step * several, step))}))
        assert (len(memory.past), len(memory.known)) == (laid_down, 0 if laid_down else 1)


def test_a_guard_forgets_nothing() -> None:
    guard, many = Guard(SESSION), 1_200_000
    for n in range(0, many, 200_000):
        guard.feed(_closing(range(n, n + 200_000)))
    guard = _restored(guard, Guard(SESSION))
    late = guard.split(ColumnarSlice(frame(SESSION, [(f"s{n}", 0) for n in (0, 500, many - 1, many)])))
    assert to_rows(late.good.rows) == [(f"s{many}", 0)]
    assert late.reasons.to_list() == [f'{{"$punct": {{"id": "s{n}"}}}}' for n in (0, 500, many - 1)]


@pytest.mark.parametrize("names", [["id"], ["hour"], ["id", "hour"]])
def test_many_at_once_are_as_many_one_by_one(names: list[str]) -> None:
    keys: list[dict[str, str | int]] = [{"id": f"s{n}", "hour": 3 * n} for n in range(2_500)]
    puncts = [Punctuation.of(SESSION, {name: key[name] for name in names}) for key in keys]
    ended = Punctuation.of(SESSION, id="s7", hour=21)
    once, slowly = Guard(SESSION), Guard(SESSION)
    for guard in (once, slowly):
        guard.feed(ColumnarSlice(frame(SESSION, []), (ended, puncts[3])))
    new = once.feed(ColumnarSlice(frame(SESSION, []), tuple(puncts)))
    apart = [slowly.feed(ColumnarSlice(frame(SESSION, []), tuple(puncts[n : n + 100]))) for n in range(0, 2_500, 100)]
    assert {p.patterns for p in new.puncts} == {p.patterns for piece in apart for p in piece.puncts}
    assert puncts[3] not in new.puncts
    assert once.feed(ColumnarSlice(frame(SESSION, []), tuple(puncts))).puncts == ()
    rows = frame(SESSION, [(f"s{n}", hour) for n in (0, 3, 7, 2_499, 2_500) for hour in (3 * n, 7_500, None)])
    assert once.split(ColumnarSlice(rows)).at.to_list() == slowly.split(ColumnarSlice(rows)).at.to_list() != []


def test_ranges_that_do_not_coalesce_are_not_forgotten() -> None:
    guard = Guard(SESSION)
    for n in range(0, 12_000, 500):
        ranges = [Punctuation.of(SESSION, hour=between(1_000 * i, 1_000 * i + 500)) for i in range(n, n + 500)]
        guard.feed(ColumnarSlice(frame(SESSION, []), tuple(ranges)))
    late = guard.split(ColumnarSlice(frame(SESSION, [("a", hour) for hour in (0, 500, 501, 11_999_200, 11_999_600)])))
    assert to_rows(late.bad) == [("a", 0), ("a", 500), ("a", 11_999_200)]


@limited(apart=10)
def test_pairs_coalesce_before_they_are_laid_down() -> None:
    memory = SeenPunctuations(SESSION)
    for hour in range(100):
        memory.add_new(batch(SESSION, [Punctuation.of(SESSION, id=sensor, hour=hour) for sensor in "abc"]))
    assert (len(memory), len(memory.past)) == (3, 0)


def test_what_both_sides_have_closed_is_forgotten() -> None:
    join = Join(SESSION, SESSION, [("id", "id")])
    groups = GroupBy(join.output, ["left.id"], [AggregateFunction(Function.COUNT, None, "n")])
    sizes = []
    for n in range(0, 20_000, 500):
        both = _closing(range(n, n + 500), rows=True)
        out = groups.feed(join.feed(both, both))
        assert len(out.rows) == 500
        sizes.append((join.puncts(), groups.puncts()))
    assert max(join for join, _ in sizes) <= 2 * Limits().apart, "what has been emitted, by two names"
    assert max(of_groups for _, of_groups in sizes) <= Limits().apart


def test_what_one_side_has_closed_is_not() -> None:
    join = Join(SESSION, SESSION, [("id", "id")])
    for n in range(0, 5_000, 500):
        join.feed(_closing(range(n, n + 500)), ColumnarSlice(frame(SESSION, [])))
    join.feed(ColumnarSlice(frame(SESSION, [])), ColumnarSlice(frame(SESSION, [("s7", 1), ("t", 1)])))
    assert to_rows(join.tables()["right"].frame()) == [("t", 1)]


def test_pairs_that_both_sides_have_closed_are_forgotten() -> None:
    union = Union(SESSION, SESSION)
    for n in range(0, 10_000, 200):
        puncts = tuple(Punctuation.of(SESSION, id=f"s{i}", hour=7 * i) for i in range(n, n + 200))
        union.feed(ColumnarSlice(frame(SESSION, []), puncts), ColumnarSlice(frame(SESSION, []), puncts))
    assert union.puncts() <= 5 * Limits().apart


def test_a_projection_waits_for_declared_domains_alone() -> None:
    from punctum.operators.images import ComputedColumn

    project = Project(SESSION, [(ComputedColumn(SESSION.attributes[SESSION.index("hour")], "hour"), pl.col("hour"))])
    for n in range(0, 20_000, 500):
        project.feed(_closing(range(n, n + 500)))
    assert project.puncts() <= 2 * Limits().apart


def _closing(ids: range, rows: bool = False) -> ColumnarSlice:
    names = [f"s{i}" for i in ids]
    return ColumnarSlice(frame(SESSION, [(name, 0) for name in names] if rows else []), (), {"id": pl.Series(names)})


def _everything(schema: Schema) -> list[Row]:
    """All rows of the values that tests have."""
    return list(product(*([None, *SMALL[attribute.type]] for attribute in schema.attributes)))


def _restored(guard: Guard, fresh: Guard) -> Guard:
    fresh.restore_tables({name: table.restored(table.chunks()) for name, table in guard.tables().items()})
    fresh.restore_metadata(json.loads(json.dumps(guard.metadata())))
    return fresh
