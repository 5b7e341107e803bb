"""What closed constants cost a guard: bytes for each, and the time of a small batch, as they become many.

A small batch has 1,000 rows and closes 100 constants, whole numbers scattered over 62 bits, strings, or pairs of both.
What it writes is what a stage gives to Spark's state store. Then 300,000 constants are closed in one batch.
Run: .venv/bin/python bench/closed.py
"""

import json
import time

import numpy as np
import polars as pl

from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators import ColumnarSlice, GroupBy
from punctum.operators.guard import Guard

SIZES, AT_ONCE, BATCHES = (1_000_000, 3_000_000, 10_000_000), 300_000, 20
ROWS, CLOSING = 1_000, 100
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


def written(guard: Guard) -> int:
    """Write what has changed, and say how many bytes that is."""
    size = len(json.dumps(guard.metadata()))
    for table in guard.tables().values():
        size += sum(len(chunk.write_ipc_stream(None).getvalue()) for chunk in table.changes()[0].values())
    return size


def fed(guard: Guard, given: ColumnarSlice) -> tuple[float, int]:
    """The milliseconds that a batch takes, and the bytes that it writes."""
    start = time.perf_counter()
    guard.split(given)
    size = written(guard)
    return (time.perf_counter() - start) * 1_000, size


def main() -> None:
    """Print a line for each kind and number."""
    print(f"{'closed':>8} {'of':>10} {'bytes each':>11} {'ms a batch':>11} {'at most':>8} {'kB written':>11}")
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
    main()
