"""The merge of three replicas, case by case, without Spark: elements a second and what is kept, against one by one.

20 % of the elements are out of order, 1 % are stables, payloads have 100 bytes, a slice has 300,000 elements. Cases
R0 to R2 get the replicas in order. Replicas are cut at the same places, so that all but the first one bring little
that is new. Run: .venv/bin/python bench/lmerge_cases.py [inputs]
"""

import sys
import time
from collections.abc import Iterator

import numpy as np
import polars as pl

from punctum.algebra.schema import Schema
from punctum.lmerge.elements import ADJUST, FROM, VE, VOLD, VS, Numbers, Stable, element_schema, from_columns, stable
from punctum.lmerge.merge import LMerge
from punctum.lmerge.properties import Case
from punctum.lmerge.specification.keyed import R3
from punctum.operators.columns import ColumnarSlice

SLICES, ELEMENTS, LATE, ONE_BY_ONE, WARM = 6, 300_000, 2_000, 10_000, 12_000
SCHEMA = element_schema(Schema.of(n="BIGINT", p="STRING"))


def events(many: int) -> pl.DataFrame:
    """Events in the order of their starts, no two with the same one; about 10,000 of them live at a time."""
    draw = np.random.default_rng(17)
    vs = np.cumsum(draw.integers(1, 3, many))
    text = pl.Series(draw.integers(0, 2**60, many)).cast(pl.String).str.zfill(100)
    return pl.DataFrame({"n": draw.integers(0, 400, many), "p": text, VS: vs, VE: vs + 15_000}).with_columns(
        pl.lit(None, pl.Int64).alias(VOLD), pl.lit(False).alias(ADJUST), pl.col(VS).alias(FROM)
    )


def replica(known: pl.DataFrame, seed: int, disorder: float) -> tuple[pl.DataFrame, Numbers, Numbers]:
    """The events with some of them late, the places of stables, and the greatest stable that holds at each place."""
    draw, vs = np.random.default_rng(seed), known[VS].to_numpy()
    late = draw.random(len(vs)) < disorder
    order = np.argsort(vs + np.where(late, draw.integers(0, LATE, len(vs)), 0), kind="stable")
    holds = np.minimum.accumulate(vs[order][::-1])[::-1]
    return known[order], np.flatnonzero(draw.random(len(vs)) < 0.01), holds


def slices(inputs: int, size: int, count: int, disorder: float) -> Iterator[list[ColumnarSlice]]:
    """Slices of all inputs."""
    known = events(size * count)
    replicas = [replica(known, seed, disorder) for seed in range(inputs)]
    for low in range(0, size * count, size):
        pieces = []
        for rows, places, holds in replicas:
            here = places[(places >= low) & (places < low + size)]
            said = tuple(stable(SCHEMA, int(t)) for t in np.unique(holds[here]))
            pieces.append(ColumnarSlice(rows[low : low + size].rechunk(), said))
        yield pieces


def rate(case: Case, inputs: int) -> tuple[float, int]:
    """Elements a second, without the first slices, and the most bytes that were kept."""
    merge, taken, spent, kept = LMerge([SCHEMA] * inputs, case), 0, 0.0, 0
    disorder = 0.0 if case in (Case.R0, Case.R1, Case.R2) else 0.2
    for n, pieces in enumerate(slices(inputs, ELEMENTS // inputs, SLICES, disorder)):
        start = time.perf_counter()
        merge.feed(*pieces)
        if n > 1:
            spent += time.perf_counter() - start
            taken += sum(piece.rows.height + len(piece.puncts) for piece in pieces)
        kept = max(kept, merge.size().bytes)
    return taken / spent, kept


def one_by_one(inputs: int) -> float:
    """Elements a second through the specification of R3, the inputs taking turns, once as many events live as later."""
    size = ONE_BY_ONE // inputs + WARM
    known = events(size)
    streams = []
    for seed in range(inputs):
        rows, places, holds = replica(known, seed, 0.2)
        elements, at = from_columns(ColumnarSlice(rows), SCHEMA), set(places.tolist())
        streams.append([([Stable(int(holds[n]))] if n in at else []) + [e] for n, e in enumerate(elements)])
    merge, start, taken = R3(inputs), 0.0, 0
    for n in range(size):
        if n == WARM:
            start, taken = time.perf_counter(), 0
        for s, stream in enumerate(streams):
            for element in stream[n]:
                merge.feed(element, s)
                taken += 1
    return taken / (time.perf_counter() - start)


def main() -> None:
    """Print a line for each case."""
    inputs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    alone = one_by_one(inputs)
    print(f"{inputs} inputs; R3 one by one in Python: {alone:,.0f} elements/s")
    for case in Case:
        each, kept = rate(case, inputs)
        print(f"{case.value:3} {each:12,.0f} elements/s {kept / 1e6:8.1f} MB kept at most {each / alone:8.0f} times")


if __name__ == "__main__":
    main()
