"""Tables know their oldest row, whatever is purged, rewritten and combined, and after any restart."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from punctum.engine.exchange.blobs import chunk_from_blob, chunk_to_blob
from punctum.operators.table import Table

EMPTY = pl.DataFrame(schema={"k": pl.Int64, "x": pl.Float64, "born": pl.Float64})
STEPS = st.lists(st.tuples(st.sampled_from(["append", "purge", "rewrite", "combine", "restart"]), st.integers(0, 99)))


@given(STEPS)
def test_the_oldest_row_is_the_oldest(steps: list[tuple[str, int]]) -> None:
    """Each row holds when it came; combined ones hold when the first of them did."""
    table, now = Table(EMPTY), 0.0
    for step, seed in steps:
        now += 1
        known = table.frame()
        match step:
            case "append":
                keys = [(seed * n) % 7 for n in range(seed % 5)]
                xs = [[0.0, -0.0, float("nan")][key % 3] for key in keys]
                table.append(pl.DataFrame({"k": keys, "x": xs, "born": [now] * len(keys)}, EMPTY.schema))
            case "purge":
                table.retain(known["k"] != seed % 7)
            case "rewrite":
                table.rewrite(known["k"] == seed % 7, known.with_columns(pl.col("x") * 1))
            case "combine":
                table.combine(known.group_by("k", "x", maintain_order=True).agg(pl.col("born").min()), ["k", "x"])
            case "restart":
                stored = {n: chunk_to_blob(chunk, table.ages(n)) for n, chunk in table.chunks().items()}
                chunks = {n: chunk_from_blob(blob) for n, blob in stored.items()}
                table = table.restored({n: rows for n, (rows, _) in chunks.items()})
                table.restore_ages({n: ages for n, (_, ages) in chunks.items()})
        table.date(now)
        table.changes()
        oldest = table.oldest()
        assert (oldest is None) == (len(table) == 0)
        if oldest is not None:
            assert oldest[0] == table.frame()["born"].min() == oldest[1]["born"]
