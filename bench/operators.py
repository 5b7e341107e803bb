"""Items joined with bids and summed: the operators against a hand-written loop in Polars, on the same slices.

Each slice brings new items, each with the punctuation of its key, and 1,000,000 bids on open items, and closes 30,000
items. The loop by hand knows what the operators have to find out: that it may join and sum at once, and what to drop.
The closed keys come once as punctuations and once as columns of constants (``ColumnarSlice.constants``). Both have one
thread, as a worker of Spark's has; POLARS_MAX_THREADS gives them more.
Run: .venv/bin/python bench/operators.py
"""

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import time
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators import ColumnarSlice, GroupBy, Join, empty

SLICES, ROWS, CLOSING = 10, 1_000_000, 30_000
ITEM = Schema.of(itemid="BIGINT", seller="BIGINT")
BID = Schema.of(item="BIGINT", increase="BIGINT", bidder="BIGINT")

Input = tuple[pl.DataFrame, pl.DataFrame, pl.Series]
"""New items, bids, and the items that are closed."""


def slices(scattered: bool) -> Iterator[Input]:
    """The input; items close in order, or at random."""
    draw = np.random.default_rng(17)
    open_items, start = np.array([], dtype=np.int64), 0
    for _ in range(SLICES):
        new = np.arange(start, start + (2 * CLOSING if start == 0 else CLOSING), dtype=np.int64)
        start += len(new)
        open_items = np.concatenate([open_items, new])
        items = pl.DataFrame({"itemid": new, "seller": new % 1000})
        bids = pl.DataFrame(
            {
                "item": draw.choice(open_items, ROWS),
                "increase": draw.integers(1, 100, ROWS),
                "bidder": draw.integers(0, 10_000, ROWS),
            }
        )
        if scattered:
            open_items = draw.permutation(open_items)
        closed, open_items = open_items[:CLOSING], open_items[CLOSING:]
        yield items, bids, pl.Series("item", closed)


def by_hand(inputs: list[Input]) -> int:
    """The sum of all released sums, from a loop that joins and groups."""
    items, sums, released = empty(ITEM), pl.DataFrame(schema={"item": pl.Int64, "total": pl.Int64}), 0
    for new, bids, closed in inputs:
        items = pl.concat([items, new])
        joined = bids.join(items, left_on="item", right_on="itemid")  # faster than the other way round
        part = joined.group_by("item").agg(pl.col("increase").sum().alias("total"))
        sums = pl.concat([sums, part]).group_by("item").agg(pl.col("total").sum())
        done = pl.col("item").is_in(closed.implode())
        released += int(sums.filter(done)["total"].sum())
        items, sums = items.filter(~pl.col("itemid").is_in(closed.implode())), sums.filter(~done)
    return released


def by_operators(inputs: list[tuple[ColumnarSlice, ColumnarSlice]]) -> int:
    """The same from the operators."""
    join = Join(ITEM, BID, [("itemid", "item")])
    total = GroupBy(join.output, ["itemid"], [AggregateFunction(Function.SUM, "increase", "total")])
    released = 0
    for left, right in inputs:
        released += int(total.feed(join.feed(left, right)).rows["total"].sum())
    kept = join.size().rows
    assert kept <= 2 * CLOSING, kept
    return released


def punctuated(inputs: list[Input], constants: bool) -> list[tuple[ColumnarSlice, ColumnarSlice]]:
    """The input as slices: a key comes once among the items, and closed items get no more bids."""
    if constants:
        return [
            (ColumnarSlice(new, constants={"itemid": new["itemid"]}), ColumnarSlice(bids, constants={"item": closed}))
            for new, bids, closed in inputs
        ]
    return [
        (
            ColumnarSlice(new, tuple(Punctuation.of(ITEM, itemid=key) for key in new["itemid"])),
            ColumnarSlice(bids, tuple(Punctuation.of(BID, item=key) for key in closed)),
        )
        for new, bids, closed in inputs
    ]


def timed(run: Callable[[], int]) -> tuple[float, int]:
    """Rows a second, the best of three, and the result."""
    best, result = float("inf"), 0
    for _ in range(3):
        start = time.perf_counter()
        result = run()
        best = min(best, time.perf_counter() - start)
    return SLICES * ROWS / best, result


def main() -> None:
    """Print a line for each way."""
    print(f"{'items close':>12} {'keys as':>14} {'by hand, rows/s':>16} {'operators, rows/s':>18} {'ratio':>6}")
    for scattered in (False, True):
        inputs = list(slices(scattered))
        hand, wanted = timed(lambda inputs=inputs: by_hand(inputs))  # type: ignore[misc]
        for constants in (True, False):
            given = punctuated(inputs, constants)
            speed, found = timed(lambda given=given: by_operators(given))  # type: ignore[misc]
            assert found == wanted, (found, wanted)
            order, kind = "at random" if scattered else "in order", "columns" if constants else "punctuations"
            print(f"{order:>12} {kind:>14} {hand:>16,.0f} {speed:>18,.0f} {speed / hand:>6.2f}", flush=True)


if __name__ == "__main__":
    main()
