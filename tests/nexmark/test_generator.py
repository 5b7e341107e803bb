"""The generator: the same events however they are cut, as frequent as they should be, and promises that hold."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from engine.reading import elements
from punctum.algebra import Punctuation, Schema, from_json
from punctum.engine.formats.files import READERS
from punctum.nexmark.files import PUNCT, generate, piece, slices
from punctum.nexmark.workload import BEGIN, TABLES, Workload
from punctum.spec.guard import BrokenPromise, Guard

SCHEMAS = {
    "person": Schema.of(id="BIGINT", name="STRING", state="STRING", dateTime="TIMESTAMP"),
    "auction": Schema.of(id="BIGINT", dateTime="TIMESTAMP", expires="TIMESTAMP", seller="BIGINT", category="BIGINT"),
    "bid": Schema.of(auction="BIGINT", bidder="BIGINT", price="BIGINT", dateTime="TIMESTAMP"),
}
WORKLOADS = [
    Workload(20_000, every=1_000),
    Workload(12_345, seed=7, rate=777, every=100),
    Workload(15_000, disorder=200, every=1_000),
    Workload(9_999, seed=-3, rate=3, disorder=10_000, every=7),
    Workload(40, every=9),
]
each_workload = pytest.mark.parametrize("workload", WORKLOADS, ids=str)
each_table = pytest.mark.parametrize("table", TABLES)


def whole(workload: Workload, table: str, *cuts: int) -> pl.DataFrame:
    """All elements of a table, generated in pieces."""
    pieces = (piece(workload, table, a, b) for a, b in pairwise([0, *sorted(cuts), workload.arrivals]))
    return pl.concat(pl.DataFrame(each).cast({pl.Categorical: pl.String}) for each in pieces)


def rows(workload: Workload, table: str) -> pl.DataFrame:
    return whole(workload, table).filter(pl.col(PUNCT).is_null())


@each_table
@each_workload
def test_events_do_not_depend_on_how_they_are_cut(workload: Workload, table: str) -> None:
    chance = random.Random(1)
    cuts = [chance.randrange(workload.arrivals + 1) for _ in range(30)]
    assert whole(workload, table, *cuts).equals(whole(workload, table))


def test_another_seed_gives_other_events() -> None:
    one, two = (rows(Workload(5_000, seed), "bid") for seed in (1, 2))
    assert one["dateTime"].equals(two["dateTime"])
    assert (one["price"] == two["price"]).mean() < 0.1  # type: ignore[operator]


def test_events_are_those_of_the_formulas() -> None:
    """One event at a time, in plain numbers."""
    workload = Workload(60_000, seed=5)
    bids = rows(workload, "bid").to_dicts()
    for at in random.Random(2).sample(range(len(bids)), 500):
        n = at // 46 * 50 + 4 + at % 46
        person, auction = n // 50, n // 50 * 3 + 2
        h = _chance(5, "bid.auction", n)
        low = max(auction - 99, 0)
        cold = low + ((h >> 32) * (auction - low + 11) >> 32)
        assert bids[at]["auction"] - 1000 == (auction // 100 * 100 if h % 2 else cold)
        h = _chance(5, "bid.bidder", n)
        low = max(person - 999, 0)
        cold = low + ((h >> 32) * (person - low + 11) >> 32)
        assert bids[at]["bidder"] - 1000 == (person // 100 * 100 + 1 if h % 4 else cold)
        assert bids[at]["price"] == round(100 * 10 ** (6 * (_chance(5, "bid.price", n) / 2**64)))
        assert bids[at]["dateTime"].timestamp() * 1_000 == BEGIN + n // 10


def _chance(seed: int, what: str, n: int) -> int:
    """SplitMix64 as its authors write it, for one number."""
    key = int.from_bytes(blake2b(f"{seed} {what}".encode(), digest_size=8).digest(), "little")
    z = (key + n * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def test_shares_are_those_of_the_suite() -> None:
    workload = Workload(500_000)
    person, auction, bid = (rows(workload, table) for table in TABLES)
    assert [len(person), len(auction), len(bid)] == [10_000, 30_000, 460_000]
    assert person["id"].to_list() == list(range(1_000, 11_000))
    assert auction["id"].to_list() == list(range(1_000, 31_000))
    assert sorted(person["state"].unique()) == ["AZ", "CA", "ID", "OR", "WA", "WY"]
    assert person["city"].n_unique() == 10
    assert sorted(auction["category"].unique()) == [10, 11, 12, 13, 14]
    assert _close((auction["seller"] % 100 == 0).mean(), 0.75 + 0.25 / 100)
    assert _close((bid["auction"] % 100 == 0).mean(), 0.5 + 0.5 / 100)
    assert _close((bid["bidder"] % 100 == 1).mean(), 0.75 + 0.25 / 100)
    lasts = (auction["expires"] - auction["dateTime"]).dt.total_milliseconds()
    assert (lasts.min(), lasts.max()) == (1, 333)
    assert _close(lasts.mean(), 167, 1)
    assert [_close((bid["price"] < 10**k).mean(), (k - 2) / 6) for k in range(3, 8)] == [True] * 5
    assert (auction["reserve"] - auction["initialBid"]).min() >= 100  # type: ignore[operator]
    big = bid["channel"].is_in(["Google", "Facebook", "Baidu", "Apple"])
    assert _close(big.mean(), 0.5)
    others = bid.filter(~big)
    assert others["channel"].n_unique() == 10_000
    pattern = r"^https://www\.nexmark\.com/[a-z]{5}/[a-z]{5}/[a-z]{5}/item\.htm\?query=1(&channel_id=\d+)?$"
    assert bid["url"].str.contains(pattern).all()
    assert _close(others["url"].str.contains("channel_id=").mean(), 0.9)
    sizes = [_size(frame) for frame in (person, auction, bid.drop("channel", "url"))]
    assert np.allclose(sizes, [200, 500, 100], rtol=0.05)


def _close(found: object, wanted: float, by: float = 0.02) -> bool:
    assert isinstance(found, float)
    return abs(found - wanted) < by


def _size(frame: pl.DataFrame) -> float:
    """How many bytes a row has: its strings, and 8 for anything else."""
    columns = [c for c in frame.columns if c != PUNCT]
    texts = [frame[c].str.len_bytes().mean() for c in columns if not _fixed(frame[c])]
    return sum(texts) + 8 * sum(_fixed(frame[c]) for c in columns)  # type: ignore[arg-type]


def _fixed(column: pl.Series) -> bool:
    return column.dtype.is_numeric() or column.dtype.is_temporal()


def sequence(workload: Workload, table: str) -> Iterator[tuple[Any, ...] | Punctuation]:
    """The elements of a table, one after the other."""
    schema = SCHEMAS[table]
    for row in whole(workload, table).select(*schema.names, PUNCT).iter_rows():
        yield from_json(row[-1], schema) if row[-1] else row[:-1]


@each_table
@each_workload
def test_every_promise_is_kept(workload: Workload, table: str) -> None:
    guard = Guard(SCHEMAS[table])
    found = list(sequence(workload, table))
    assert [b for b in map(guard.take, found) if isinstance(b, BrokenPromise)] == []
    assert isinstance(found[-1], Punctuation)
    assert not found[-1].sides, "a stream ends"


@each_workload
def test_a_promise_comes_as_early_as_it_may(workload: Workload) -> None:
    """Each auction that has time to is closed once, for it has expired and is out of reach; times go on with events."""
    closed: Counter[int] = Counter()
    texts = [json.loads(text)["$punct"] for text in whole(workload, "bid")[PUNCT].drop_nulls()]
    closed.update(p["auction"] for p in texts if "auction" in p)
    assert set(closed.values()) <= {1}
    auction = rows(workload, "auction")
    over = auction.filter(pl.col("id") < 1_000 + (workload.events - 6_000 - workload.every) // 50 * 3)
    assert set(over["id"]) <= set(closed)
    assert len([p for p in texts if "dateTime" in p]) >= (workload.events - workload.delay) // workload.every - 1


@each_table
def test_disorder_is_bounded(table: str) -> None:
    late = rows(Workload(30_000, disorder=200), table)
    ordered = rows(Workload(30_000), table)
    assert not late.equals(ordered)
    assert late.sort(late.columns).equals(ordered.sort(ordered.columns))
    behind = (late["dateTime"].cum_max() - late["dateTime"]).dt.total_milliseconds()
    assert 150 < behind.max() <= 200  # type: ignore[operator]


@pytest.mark.parametrize("format_", ["parquet", "json"])
def test_files_hold_the_elements_in_their_order(format_: str, tmp_path: Path) -> None:
    workload = Workload(2_500, disorder=10, every=200)
    assert list(generate(workload, tmp_path, format_, size=1_000)) == [1_000, 2_000, 2_600]
    (side,) = (tmp_path / "side").iterdir()
    known = READERS[format_](side, Schema.of(key="BIGINT", value="STRING"), {}, None)
    assert known.piece.rows["key"].to_list() == list(range(10_000))
    for table, schema in SCHEMAS.items():
        files = sorted((tmp_path / table).iterdir())
        assert [file.name for file in files] == [f"{n:06}.{format_}" for n in range(3)]
        found: Counter[Any] = Counter()
        for file, (start, end) in zip(files, slices(workload, 1_000), strict=True):
            read = READERS[format_](file, schema, {}, None)
            assert read.rejected.is_empty()
            wanted = pl.DataFrame(piece(workload, table, start, end)).filter(pl.col(PUNCT).is_null())
            columns = [wanted[a].cast(read.piece.rows[a].dtype) for a in schema.names]
            assert read.piece.rows.equals(pl.DataFrame(columns))
            found += elements(read, schema)
        assert found == Counter(sequence(workload, table))


def test_without_punctuations_there_are_none() -> None:
    assert all(whole(Workload(2_000, every=0), table)[PUNCT].is_null().all() for table in TABLES)
