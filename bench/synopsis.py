"""A query in bounded memory on synopses, against the same query as an unbounded join and DISTINCT, in one run.

``SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a > 10 AND d < 20``: of each a the least b and the greatest e
are enough. Slices of 10,000 rows of each stream go through both. The join keeps all rows that pass the filters, and
each new row meets all those with the same a; so it gets slower with every slice, and is stopped after STOP rows.
Printed are rows a second after so many rows, and how much faster synopses are.
Run: .venv/bin/python bench/synopsis.py
"""

import time

import numpy as np
import polars as pl

from punctum.analyse.memory.condensed import condensed
from punctum.operators.columns import ColumnarSlice
from punctum.operators.join import Join
from punctum.operators.synopsis import SynopsisJoin
from punctum.parse import parse_query, parse_script

STREAMS = parse_script(
    "CREATE STREAM s (a BIGINT, b BIGINT) USING json; CREATE STREAM t (d BIGINT, e BIGINT) USING json;"
)
QUERY = "SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a > 10 AND d < 20"
SLICE, SLICES, STOP = 10_000, 100, 200_000
"""Rows of each stream in a slice, how many slices, and after how many rows the join is stopped."""


class Synopses:
    """The query as it runs."""

    def __init__(self) -> None:
        part = condensed(parse_query(QUERY, STREAMS.streams))
        assert part is not None
        self._operator = SynopsisJoin(part.query, part.relation.schema)

    def feed(self, s: pl.DataFrame, t: pl.DataFrame) -> int:
        """How many results a slice has."""
        return self._operator.feed(ColumnarSlice(s), ColumnarSlice(t)).rows.height

    def kept(self) -> int:
        """How many rows are kept."""
        return self._operator.size().rows


class Unbounded:
    """The same with a join that keeps what it may need, and a DISTINCT."""

    def __init__(self) -> None:
        s, t = (STREAMS.streams[name].schema for name in ("s", "t"))
        self._join = Join(s, t, [("a", "d")], ("", ""), pl.col("b") < pl.col("e"))
        self._seen: set[int] = set()

    def feed(self, s: pl.DataFrame, t: pl.DataFrame) -> int:
        """How many results a slice has."""
        rows = self._join.feed(ColumnarSlice(s), ColumnarSlice(t)).rows
        new = set(rows["a"].unique()) - self._seen
        self._seen |= new
        return len(new)

    def kept(self) -> int:
        """How many rows are kept."""
        return self._join.size().rows + len(self._seen)


def slices() -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """Half of the rows pass the filters; a pair in a few thousand meets."""
    draw = np.random.default_rng(1)
    made = []
    for _ in range(SLICES):
        s = pl.DataFrame({"a": draw.integers(6, 24, SLICE), "b": draw.integers(0, 1_000_000, SLICE)})
        t = pl.DataFrame({"d": draw.integers(6, 24, SLICE), "e": draw.integers(-1_000_000, 300, SLICE)})
        inside = (pl.col("a").is_between(11, 19), pl.col("d").is_between(11, 19))
        made.append((s.filter(inside[0]), t.filter(inside[1])))
    return made


def measured(query: Synopses | Unbounded, fed: list[tuple[pl.DataFrame, pl.DataFrame]]) -> list[float]:
    """Rows a second, slice by slice."""
    speeds = []
    for n, (s, t) in enumerate(fed):
        if isinstance(query, Unbounded) and 2 * SLICE * n >= STOP:
            break
        start = time.perf_counter()
        query.feed(s, t)
        speeds.append(2 * SLICE / (time.perf_counter() - start))
    return speeds


def main() -> None:
    """Run both, and print how fast they are."""
    fed = slices()
    measured(Synopses(), fed[:3])  # the first calls are slower
    measured(Unbounded(), fed[:1])
    synopses, join = Synopses(), Unbounded()
    ours, theirs = measured(synopses, fed), measured(join, fed)
    print(f"{'after rows':>12}  {'synopses/s':>12}  {'join/s':>12}  {'ratio':>7}")
    for n in sorted({0, 1, 2, 4, len(theirs) // 2, len(theirs) - 1, SLICES // 2, SLICES - 1}):
        mine = float(np.median(ours[max(0, n - 2) : n + 3]))
        other = f"{theirs[n]:>12,.0f}  {mine / theirs[n]:>7.1f}" if n < len(theirs) else f"{'stopped':>12}"
        print(f"{2 * SLICE * (n + 1):>12,}  {mine:>12,.0f}  {other}")
    print(
        f"kept: {synopses.kept()} rows on synopses, {join.kept():,} by the join after {2 * SLICE * len(theirs):,} rows"
    )
    first, last = (float(np.median(part)) for part in (ours[: SLICES // 4], ours[-SLICES // 4 :]))
    print(f"synopses, last quarter against first: {last / first:.2f}")


if __name__ == "__main__":
    main()
