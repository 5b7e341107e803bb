"""A table is its rows: whatever is appended, dropped, marked, rewritten and looked up, and after any restart."""

from collections.abc import Callable

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.engine.exchange.blobs import chunk_from_blob, chunk_to_blob
from punctum.operators.ages import Ages
from punctum.operators.index import HashIndex, OrderIndex, hashes
from punctum.operators.limits import limited
from punctum.operators.spill import lie_in_files, mapped_frame, spill
from punctum.operators.table import Table

SCHEMA = {"k": pl.Int64, "x": pl.Float64, "s": pl.String, "id": pl.Int64, "born": pl.Float64}
EMPTY = pl.DataFrame(schema=SCHEMA)
KINDS = ["append", "append", "drop", "drop", "mark", "unmark", "rewrite", "between", "restart", "moved"]
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 99)), max_size=40)
ODD = [0.0, -0.0, float("nan"), None, 1.5]

Naive = list[list[object]]
"""All rows, in order, and behind each whether it has the mark."""


@pytest.mark.parametrize(("small", "memory"), [(1, 1 << 30), (4, 0), (1_024, 1 << 30)])
@given(STEPS, st.integers(0, 3))
def test_a_table_is_a_list_of_rows(small: int, memory: int, steps: list[tuple[str, int]], worn: int) -> None:
    """Also when it begins with segments that have been rewritten a million times, so that their numbers are used up."""
    with limited(whole=0, share=0, small=small, largest=64):
        naive, now = [[n, 0.0, "1", n, 0.0, False] for n in range(worn)], 0.0
        rows = pl.DataFrame([row[:5] for row in naive], SCHEMA, orient="row")
        stored = {(n + 1 << 20) - 1: chunk_to_blob(rows[n], Ages.new(1).dated(now)) for n in range(worn)}
        table = restored(Table(EMPTY), stored)
        for step, seed in steps:
            now += 1
            table = stepped(table, naive, step, seed, now, stored)
            table.date(now)
            written, gone = table.changes()
            assert not stored.keys() & written.keys(), "a chunk never changes"
            stored |= {n: chunk_to_blob(chunk, table.ages(n)) for n, chunk in written.items()}
            for n in gone:
                del stored[n]
            spill([table], memory)
            assert_same(table, naive)
            assert_same(restored(table, stored), naive)
            assert_same(restored(Table(EMPTY), stored, mapped_frame), naive)


def stepped(table: Table, naive: Naive, step: str, seed: int, now: float, stored: dict[int, bytes]) -> Table:
    key = seed % 7
    match step:
        case "append":
            rows = [[(seed * n) % 7, ODD[n % 5], str(n % 3), 100 * int(now) + n, now] for n in range(seed % 6)]
            marks = pl.Series([bool(n % 2) for n in range(len(rows))], dtype=pl.Boolean)
            table.append(pl.DataFrame(rows, SCHEMA, orient="row"), {"met": marks} if seed % 2 and rows else None)
            naive += [[*row, bool(seed % 2) and bool(n % 2)] for n, row in enumerate(rows)]
        case "drop":
            view = table.having(pl.DataFrame({"k": [key], "s": ["1"]}))
            view.drop((view.rows["k"] == key) & (view.rows["s"] == "1"))
            naive[:] = [row for row in naive if (row[0], row[2]) != (key, "1")]
        case "mark" | "unmark":
            view = table.having(pl.DataFrame({"x": [ODD[seed % 5]]}, {"x": pl.Float64}))
            mask = view.rows["x"].eq_missing(pl.Series([ODD[seed % 5]], dtype=pl.Float64)) & (view.rows["k"] == key)
            (view.mark if step == "mark" else view.unmark)("met", mask)
            for row in naive:
                if row[0] == key and same(row[1], ODD[seed % 5]):
                    row[5] = step == "mark"
        case "rewrite":
            known = table.frame()
            table.rewrite(
                known["k"] == key, known.with_columns(pl.when(k=key).then(-pl.col("id")).otherwise("id").alias("id"))
            )
            for row in naive:
                row[3] = -row[3] if row[0] == key else row[3]  # type: ignore[operator]
        case "between":
            low, high = key - 1, key
            view = table.between("k", pl.Series([low]).to_numpy(), pl.Series([high]).to_numpy())
            mask = view.rows["k"].is_between(low, high) & (view.rows["id"] % 2 == 0)
            view.drop(mask)
            naive[:] = [row for row in naive if not (low <= row[0] <= high and row[3] % 2 == 0)]  # type: ignore[operator]
        case "restart":
            return restored(Table(EMPTY), stored)
        case "moved":  # to a worker that has older segments
            return restored(table, stored)
    return table


def restored(
    known: Table, stored: dict[int, bytes], read: Callable[[pl.DataFrame], pl.DataFrame] = lambda chunk: chunk
) -> Table:
    """The table that is stored, read by a worker that knows another state of it."""
    there = known.chunks()
    blobs = {n: chunk_from_blob(blob) for n, blob in stored.items()}
    chunks = {n: (read(rows), ages) for n, (rows, ages) in blobs.items()}
    table = known.restored({n: there.get(n, rows) for n, (rows, _) in chunks.items()})
    table.restore_ages({n: ages for n, (_, ages) in chunks.items()})
    return table


def assert_same(table: Table, naive: Naive) -> None:
    view = table.all()
    assert list(map(repr, view.rows.rows())) == [repr(tuple(row[:5])) for row in naive]
    assert view.marked("met").to_list() == [row[5] for row in naive]
    assert len(table) == len(naive)
    oldest = table.oldest()
    assert (oldest is None) == (not naive)
    if oldest is not None:
        assert oldest[0] == min(row[4] for row in naive) == oldest[1]["born"]  # type: ignore[type-var]
    for key in range(7):
        found = table.having(pl.DataFrame({"k": [key]})).rows
        assert set(found.filter(k=key)["id"]) == {row[3] for row in naive if row[0] == key}


def same(one: object, other: object) -> bool:
    return repr(one) == repr(other) or (one == other and one is not None)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["a", "b", None]), st.sampled_from(ODD)), max_size=50))
def test_an_index_finds_all(rows: list[tuple[int, str | None, float | None]]) -> None:
    df = pl.DataFrame(rows, {"k": pl.Int64, "s": pl.String, "x": pl.Float64}, orient="row")
    for columns in (["k"], ["s"], ["x"], ["k", "s"], ["x", "s", "k"]):
        index = HashIndex(hashes(df.select(columns)))
        for n in range(df.height):
            wanted = df.with_row_index("row").join(df[n].select(columns), on=columns, how="semi", nulls_equal=True)
            found = index.find(hashes(df[n].select(columns))).tolist()
            assert found == sorted(set(found)) and set(wanted["row"]) <= set(found)
    order = OrderIndex(df["k"])
    for low in range(10):
        found = order.find(pl.Series([low]).to_numpy(), pl.Series([low + 2]).to_numpy()).tolist()
        assert found == [n for n, k in enumerate(df["k"]) if low <= k <= low + 2]


def test_what_is_spilled_takes_no_memory() -> None:
    rows = pl.DataFrame({"k": range(100_000)}).with_columns(s=pl.col("k").cast(pl.String))
    table = Table(rows)
    table.append(rows)
    assert table.having(rows.tail(1)).rows.height < 100
    before = table.bytes
    spill([table], before)
    assert table.bytes == before > rows.estimated_size()
    table.changes()
    spill([table], before - 1)
    assert table.bytes == 0
    view = table.having(rows.tail(1))
    assert view.rows.filter(k=99_999)["s"].to_list() == ["99999"]
    assert table.having(rows.tail(1).select("s")).rows.height < 100
    assert table.bytes == 0, "an index of rows in files is in files too"
    view.drop(view.rows["k"] == 99_999)
    assert len(table) == 99_999 and table.frame()["k"].max() == 99_998
    assert table.bytes == rows.height, "a new mark takes a byte a row"
    assert spill([table], 0) == rows.height and table.bytes == 0
    view = table.having(rows.head(1))
    view.drop(view.rows["k"] == 0)
    assert len(table) == 99_998 and table.frame()["k"].min() == 1 and table.bytes == 0, "it is changed in its file"
    again = restored(table, {n: chunk_to_blob(rows, table.ages(n)) for n, rows in table.chunks().items()})
    assert again.bytes == rows.height, "a worker that has the chunks has their files; the marks are read from a log"
    table.all().drop(pl.Series([True]).new_from_index(0, 99_999))
    assert (len(table), table.bytes) == (0, 0), "what is dead counts no more, before it is let go"


def test_chunks_that_are_read_into_files_take_no_memory() -> None:
    rows = pl.DataFrame({"k": range(100_000)})
    table = Table(rows, {0: mapped_frame(rows), 1 << 20: rows.head(10)})
    lie_in_files(table, [0])
    assert table.bytes == rows.head(10).estimated_size()
    assert table.having(rows.tail(1)).rows["k"].max() == 99_999
    assert table.bytes == rows.head(10).estimated_size()


def test_what_a_batch_writes_does_not_grow_with_what_is_kept() -> None:
    """Of a large table some hundred rows come and go at random: about as much is written."""
    rows = pl.DataFrame({"k": range(300_000)}).with_columns(s=pl.col("k").cast(pl.String))
    table = Table(rows)
    table.append(rows)
    table.changes()
    sizes = []
    for n in range(40):
        gone = rows.sample(500, seed=n)
        view = table.having(gone.select("k"))
        assert view.rows.height < 20_000
        view.drop(view.rows["k"].is_in(gone["k"].implode()))
        table.append(gone)
        sizes.append(sum(chunk.estimated_size() for chunk in table.changes()[0].values()))
    assert len(table) == 300_000
    assert sum(sizes) < 4 * 40 * (gone.estimated_size() + 500 * 8)
