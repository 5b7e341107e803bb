"""Examples that a random search meets seldom: the ends of things, names that clash, many of everything."""

from datetime import UTC, datetime
from decimal import Context, Decimal
from typing import Any

import polars as pl
import pytest

from operators.vectorised import agree, resume, vectorised
from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import NAN, Type
from punctum.operators import ColumnarSlice, Dupelim, GroupBy, Guard, Join, Project, Table, frame, to_rows
from punctum.operators.checked import REASON
from punctum.operators.columns import canonical, fitting
from punctum.operators.images import ComputedColumn
from punctum.operators.logs import is_log, marks_in
from punctum.spec.group_by import GroupBy as SpecGroupBy
from punctum.spec.join import Join as SpecJoin
from punctum.spec.stream import Slice

ITEM = Schema.of(id="BIGINT", name="STRING")
BID = Schema.of(id="BIGINT", item="BIGINT", price="DOUBLE")


def test_a_join_with_names_that_both_have_and_a_residual() -> None:
    join = Join(ITEM, BID, [("id", "item")], residual=pl.col("price") > 1.0)
    assert join.output.names == ("left.id", "name", "right.id", "item", "price")
    items = ColumnarSlice(frame(ITEM, [(1, "a"), (2, "b"), (None, "c")]))
    bids = ColumnarSlice(frame(BID, [(7, 1, 2.0), (8, 2, 0.5), (9, None, 5.0)]))
    assert to_rows(join.feed(items, bids).rows) == [(1, "a", 7, 1, 2.0)]
    assert join.size().rows == 4


def test_a_join_of_one_attribute_with_two() -> None:
    left, right = Schema.of(x="BIGINT"), Schema.of(y="BIGINT", z="BIGINT")
    spec = SpecJoin(left, right, (("x", "y"), ("x", "z")))
    lefts = [Slice.of((1,), (2,), Punctuation.of(left, x=between(2, 5))), Slice.of((7,), Punctuation.of(left, x=1))]
    rights = [Slice.of((1, 1), (1, 2), Punctuation.of(right, y=7, z=7)), Slice.of((2, 2), end_of_stream(right))]
    agree(spec, [lefts, rights])
    resume(lambda: vectorised(spec), [lefts, rights])


def test_a_join_of_decimals_with_other_digits() -> None:
    left = Schema((Attribute("d", Type.DECIMAL, digits=(10, 2)),))
    right = Schema((Attribute("e", Type.DECIMAL, digits=(20, 4)),))
    join = Join(left, right, [("d", "e")])
    halves = ColumnarSlice(frame(left, [(Decimal("0.50"),)]), (Punctuation.of(left, d=Decimal("0.5")),))
    out = join.feed(halves, ColumnarSlice(frame(right, [(Decimal("0.5000"),), (Decimal("0.5001"),)])))
    assert to_rows(out.rows) == [(Decimal("0.5"), Decimal("0.5"))]
    assert [len(join.tables()[side]) for side in ("left", "right")] == [1, 1]


@pytest.mark.parametrize("constants", [False, True])
def test_many_keys_that_close(constants: bool) -> None:
    left, right = Schema.of(k="STRING", v="BIGINT"), Schema.of(key="STRING")
    spec = SpecJoin(left, right, (("k", "key"),))
    names = [f"k{n}" for n in range(60)]
    lefts = [Slice.of(*((k, n) for n, k in enumerate(names)), *(Punctuation.of(left, k=k) for k in names))]
    rights = [Slice.of(*((k,) for k in names[:40]), *(Punctuation.of(right, key=k) for k in names[20:]))]
    rights.append(Slice.of(*(Punctuation.of(right, key=k) for k in names), end_of_stream(right)))
    agree(spec, [lefts, rights], constants)
    resume(lambda: vectorised(spec), [lefts, rights])


def test_slices_without_rows_and_punctuations_that_match_nothing() -> None:
    spec = SpecGroupBy(ITEM, ("id",), (AggregateFunction(Function.COUNT, None, "n"),))
    closing = Slice.of(Punctuation.of(ITEM, id=99), Punctuation.of(ITEM, id=99), Punctuation.of(ITEM, name="x"))
    agree(spec, [[Slice(), closing, Slice.of((1, "y")), Slice(), closing, Slice.of(Punctuation.of(ITEM, id=1))]])


def test_aggregates_with_filters() -> None:
    kinds = (Function.COUNT, Function.SUM, Function.MIN, Function.COUNT_DISTINCT, Function.MEDIAN)
    dear = pl.col("price") > 2.0
    groups = GroupBy(BID, ["item"], [AggregateFunction(f, "price", f.name) for f in kinds], [dear] * len(kinds))
    rows = frame(BID, [(1, 7, 3.0), (2, 7, 1.0), (3, 7, 5.0), (4, 8, 1.0), (5, 7, None)])
    assert groups.feed(ColumnarSlice(rows)).rows.height == 0
    out = groups.feed(ColumnarSlice(rows.clear(), (Punctuation.of(BID, item=between(7, 8)),)))
    assert sorted(to_rows(out.rows), key=str) == [(7, 2, 8.0, 3.0, 2, 4.0), (8, 0, None, None, 0, None)]


TOO_LARGE = "sum has no value: the result of SUM does not fit BIGINT"


def test_a_group_whose_sum_does_not_fit_goes_to_the_quarantine() -> None:
    groups = GroupBy(ITEM, ["name"], [AggregateFunction(Function.SUM, "id", "sum")])
    rows = frame(ITEM, [(2**62, "a"), (2**62, "a"), (2**62, "b"), (-5, "b")])
    out = groups.feed(ColumnarSlice(rows, (Punctuation.of(ITEM, name="a"),)))
    (failed,) = groups.failed()
    assert not out.rows.height and not groups.failed()
    assert failed.schema.names == ("name",) and to_rows(failed.rows.select("name", REASON)) == [("a", TOO_LARGE)]
    out = groups.feed(ColumnarSlice(rows.clear(), (Punctuation.of(ITEM, name="b"),)))
    assert to_rows(out.rows) == [("b", 2**62 - 5)] and not groups.failed()


def test_a_projection_of_literals_and_of_the_negative_zero() -> None:
    columns = [
        (ComputedColumn(Attribute("one", Type.BIGINT), None, lambda row: 1), pl.lit(1)),
        (ComputedColumn(Attribute("minus", Type.DOUBLE), "price", lambda x: -x, injective=True), -pl.col("price")),
    ]
    project = Project(BID, columns)
    out = project.feed(ColumnarSlice(frame(BID, [(1, 1, 0.0), (2, 2, NAN)]), (Punctuation.of(BID, price=0.0),)))
    assert str(to_rows(out.rows)) == "[(1, 0.0), (1, nan)]"
    assert list(map(str, out.puncts)) == ["<*, 0.0>"]
    assert project.feed(ColumnarSlice(frame(BID, []))).rows.shape == (0, 2)


def test_strings_of_every_character_and_instants() -> None:
    schema = Schema.of(s="STRING", t="TIMESTAMP")
    noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
    texts = ["", "\0", "a\0", "\n\"'\\", "<*>", "NULL", "\U0001f600", "\ud7ff\ue000"]
    distinct = Dupelim(schema)
    rows = frame(schema, [(s, noon) for s in texts for _ in range(2)])
    out = distinct.feed(ColumnarSlice(rows, tuple(Punctuation.of(schema, s=s) for s in texts[:5])))
    assert to_rows(out.rows) == [(s, noon) for s in texts]
    assert to_rows(distinct.tables()["distinct"].frame()) == [(s, noon) for s in texts[5:]]
    again = Dupelim(schema)
    again.restore_metadata(distinct.metadata())
    assert again.feed(ColumnarSlice(rows.clear(), tuple(Punctuation.of(schema, s=s) for s in texts))).puncts == tuple(
        Punctuation.of(schema, s=s) for s in texts[5:]
    )


def test_a_guard_splits_and_says_why() -> None:
    guard = Guard(ITEM)
    puncts = Punctuation.of(ITEM, id=1), Punctuation.of(ITEM, id=2), Punctuation.of(ITEM, id=5, name="x")
    first = guard.split(ColumnarSlice(frame(ITEM, [(1, "a")]), puncts))
    assert sorted(map(str, first.good.puncts)) == sorted(map(str, puncts))
    later = Guard(ITEM)
    later.restore_metadata(guard.metadata())
    parts = later.split(ColumnarSlice(frame(ITEM, [(2, "b"), (5, "x"), (5, "y"), (2, "b"), (None, None)]), puncts))
    assert to_rows(parts.good.rows) == [(5, "y"), (None, None)]
    assert to_rows(parts.bad) == [(2, "b"), (5, "x"), (2, "b")]
    one, other = '{"$punct": {"id": {"ge": 1, "le": 2}}}', '{"$punct": {"id": 5, "name": "x"}}'
    assert parts.reasons.to_list() == [one, other, one]
    assert parts.good.puncts == ()


def test_a_table_writes_only_what_changed() -> None:
    n = pl.DataFrame({"n": range(1000)})
    table = Table(n)
    table.append(n)
    table.append(n.head(10))
    written, gone = table.changes()
    assert ([chunk.height for chunk in written.values()], gone) == ([1000, 10], [])
    first, second = written
    table.retain(table.frame()["n"] != 2)
    written, gone = table.changes()
    assert (list(map(marks_in, written.values())), gone) == ([2], []), "two rows are marked as dead"
    table.retain(table.frame()["n"] >= 8)  # of the second segment two rows are left
    written, gone = table.changes()
    assert (sorted(marks_in(c) if is_log(c) else c.height for c in written.values()), gone) == ([2, 7], [second])
    assert table.frame()["n"].to_list() == [*range(8, 1000), 8, 9]
    table.retain(table.frame()["n"] < 0)
    assert (len(table), set(gone := table.changes()[1]) > {first}) == (0, True)
    for _ in range(100):
        table.append(n.head(1))
    assert len(table.changes()[0]) < 16
    assert len(table) == 100


@pytest.mark.parametrize("slices", [1, 2])
@pytest.mark.parametrize("scale", [0, 18])
def test_a_sum_of_decimals_is_right_or_refused(slices: int, scale: int) -> None:
    """38 digits are the most, on the way too; with 128 bits, 39 fit for a while, and then sums turn negative."""
    schema = Schema((Attribute("k", Type.BIGINT), Attribute("m", Type.DECIMAL, digits=(38, scale))))
    most = Decimal("9" * 38).scaleb(-scale, Context(prec=40))
    less = most.copy_negate()  # -most is rounded to 28 digits
    for values in ([most], [most, less, most], [most, less]):
        rows = [(k, value) for k in (1, 2) for value in values]
        ((_, total), (_, _)) = summed(schema, rows, slices)
        assert total == (most if len(values) % 2 else 0)
    for values in ([most] * 2, [most] * 3, [most] * 4):
        assert summed(schema, [(1, value) for value in values], slices) == []
    values = [most] * 40 + [less] * 40 + [most]
    assert summed(schema, [(1, value) for value in values], 3) == [(1, most)]


def summed(schema: Schema, rows: list[Any], slices: int) -> list[Any]:
    grouped = GroupBy(schema, ("k",), (AggregateFunction(Function.SUM, "m", "s"),))
    size = -(-len(rows) // slices)
    for n in range(0, len(rows), size):
        grouped.feed(ColumnarSlice(frame(schema, rows[n : n + size])))
    sums = to_rows(grouped.feed(ColumnarSlice(frame(schema, []), (end_of_stream(schema),))).rows)
    assert bool(sums) != bool(grouped.failed())
    return sums


def test_equal_doubles_meet_even_alone() -> None:
    """NaN equals itself in keys, and there is one zero; a single row on either side is a case of its own in Polars."""
    schema = Schema.of(k="DOUBLE", n="BIGINT")
    for rows in ([(float("nan"), 1)], [(0.0, 1)], [(-0.0, 1), (float("nan"), 2)]):
        joined = Join(schema, schema, [("k", "k")])
        out = joined.feed(*(ColumnarSlice(fitting(frame(schema, rows), schema)) for _ in range(2)))
        assert out.rows.height == len(rows)
    assert str(canonical(pl.DataFrame({"k": [-0.0]})).item()) == "0.0"
