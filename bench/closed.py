"""What closed constants cost a guard and a join: bytes for each, and the time of a batch, as they become many.

Constants are whole numbers scattered over 62 bits, strings, or pairs of both. A join's batch asks for 50,000 keys, half
of them closed, closes 2,000, and the other side closes 2,000 of those that are closed, which are forgotten then. A
guard's batch has 1,000 rows and closes 100 constants. What is written is what a stage gives to Spark's state store;
what has changed are the keys that were closed or forgotten. Then 300,000 constants are closed in one batch.
Run: .venv/bin/python bench/closed.py [join]
"""

import json
import sys
import time
from collections.abc import Iterable

import numpy as np
import polars as pl

from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators import ColumnarSlice, GroupBy
from punctum.operators.batch import PunctuationBatch
from punctum.operators.guard import Guard
from punctum.operators.keys import frames_of
from punctum.operators.store import Store, settle
from punctum.operators.table import Table

SIZES, AT_ONCE, BATCHES = (1_000_000, 3_000_000, 10_000_000), 300_000, 20
ROWS, CLOSING = 1_000, 100
OPEN, ASKED, TURNOVER = (10_000, 100_000, 1_000_000), 50_000, 2_000
STREAM = Schema.of(k="BIGINT", s="STRING", v="BIGINT")
KINDS = {"BIGINT": ("k",), "STRING": ("s",), "pairs": ("k", "s")}
DRAW = np.random.default_rng(17)


def drawn(many: int) -> pl.DataFrame:
    """Random rows; a string has twelve characters."""
    k = pl.Series("k", DRAW.integers(0, 2**62, many))
    return pl.DataFrame(
        [k, (k % 10**11).cast(pl.String).str.zfill(12).alias("s"), pl.repeat(1, many, eager=True).alias("v")]
    )


def piece(rows: pl.DataFrame, closing: pl.DataFrame) -> ColumnarSlice:
    """A slice that closes keys."""
    if closing.width == 1:
        return ColumnarSlice(rows, (), {closing.columns[0]: closing.to_series()})
    return ColumnarSlice(rows, tuple(Punctuation.of(STREAM, key) for key in closing.to_dicts()))


def written(tables: Iterable[Table]) -> int:
    """Write what has changed, and say how many bytes that is."""
    chunks = (chunk for table in tables for chunk in table.changes()[0].values())
    return sum(len(chunk.write_ipc_stream(None).getvalue()) for chunk in chunks)


def fed(guard: Guard, given: ColumnarSlice) -> tuple[float, int]:
    """The milliseconds that a batch takes, and the bytes that it writes."""
    start = time.perf_counter()
    guard.split(given)
    size = len(json.dumps(guard.metadata())) + written(guard.tables().values())
    return (time.perf_counter() - start) * 1_000, size


def closing(keys: pl.DataFrame) -> PunctuationBatch:
    """The punctuations that close keys."""
    if keys.width == 1:
        return PunctuationBatch(STREAM, {STREAM.index(keys.columns[0]): keys.to_series()})
    return PunctuationBatch(STREAM, {}, [Punctuation.of(STREAM, key) for key in keys.to_dicts()])


class JoinStores:
    """What a join remembers of both sides, of which one has closed many keys."""

    def __init__(self, names: tuple[str, ...], many: int) -> None:
        self._names, self._bound = names, 100 * many
        self._stores, self._closed = (Store(STREAM), Store(STREAM)), drawn(many)
        self._stores[0].keys.close(self._closed.select(names))
        self._across = dict(enumerate(range(len(STREAM))))
        self._written()

    def batch(self) -> tuple[float, float]:
        """The milliseconds that a batch takes, and how many times what has changed it writes."""
        known = self._closed.sample(min(ASKED // 2, self._closed.height), seed=7)
        asked, new, old = pl.concat([known, drawn(ASKED // 2)]), drawn(TURNOVER), self._closed[:TURNOVER]
        said = [closing(keys.select(self._names)) for keys in (new, old)]
        start = time.perf_counter()
        self._stores[0].matches(asked)
        for one, other, puncts in zip(self._stores, self._stores[::-1], said, strict=True):
            self._bound = settle(one, other, self._across, one.add(puncts), self._bound)
        size = self._written()
        took = time.perf_counter() - start
        self._closed = pl.concat([self._closed[TURNOVER:], new])
        changed = sum(keys.write_ipc_stream(None).getbuffer().nbytes for p in said for keys in frames_of(p)[0])
        assert len(self._stores[1]) < TURNOVER, "what both have closed is forgotten"
        return took * 1_000, size / changed

    def _written(self) -> int:
        return written(store.keys for store in self._stores)


def joins() -> None:
    """Print a line for each kind and number of keys that one side of a join has closed."""
    print(f"{'closed':>8} {'of':>10} {'ms a batch':>11} {'at most':>8} {'written':>8} times what has changed")
    for kind, names in KINDS.items():
        for many in OPEN:
            stores = JoinStores(names, many)
            times, sizes = zip(*(stores.batch() for _ in range(3 * BATCHES)), strict=True)
            print(
                f"{kind:>8} {many:>10,} {np.median(times):>11.1f} {max(times):>8.1f} {np.mean(sizes):>8.1f}", flush=True
            )


def main() -> None:
    """Print a line for each kind and number of keys that a guard has seen closed."""
    print(f"\n{'closed':>8} {'of':>10} {'bytes each':>11} {'ms a batch':>11} {'at most':>8} {'kB written':>11}")
    for kind, names in KINDS.items():
        guard, closed = Guard(STREAM), 0
        for size in SIZES:
            while closed < size:
                guard._seen.past.close(drawn(1_000_000).select(names))
                closed += 1_000_000
            guard._seen.past.changes()
            batches = [piece(drawn(ROWS), drawn(CLOSING).select(names)) for _ in range(BATCHES)]
            times, sizes = zip(*(fed(guard, given) for given in batches), strict=True)
            (table,) = guard.tables().values()
            print(
                f"{kind:>8} {size:>10,} {table.bytes / len(table):>11.1f} {np.median(times):>11.1f} {max(times):>8.1f}"
                f" {np.mean(sizes) / 1_000:>11.1f}",
                flush=True,
            )
    print(f"\n{AT_ONCE:,} constants in one batch, with as many rows: seconds for a guard and a group-by")
    for kind, names in KINDS.items():
        guard = Guard(STREAM)
        groups = GroupBy(STREAM, list(names), [AggregateFunction(Function.SUM, "v", "n")])
        rows = drawn(AT_ONCE)
        given = piece(rows, rows.select(names).unique())
        start = time.perf_counter()
        groups.feed(guard.feed(given))
        print(f"{kind:>8} {time.perf_counter() - start:>8.2f}", flush=True)


if __name__ == "__main__":
    joins()
    if "join" not in sys.argv:
        main()
