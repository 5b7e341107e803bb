"""Files of 1,000,000 rows of six columns: how many rows a second each reader reads, clean and with a few bad lines.

Run: .venv/bin/python bench/files.py
"""

import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.engine.formats.files import READERS

ROWS = 1_000_000
PLAIN = Schema.of(itemid="BIGINT", name="STRING", price="DOUBLE", open="BOOLEAN", day="DATE", ts="TIMESTAMP")
_PRICE = Attribute("price", Type.DECIMAL, digits=(20, 17))
EXACT = Schema(tuple(_PRICE if a.name == "price" else a for a in PLAIN.attributes))


def written(directory: Path) -> dict[str, Path]:
    """The same rows in every format."""
    chance = np.random.default_rng(7)
    rows = pl.DataFrame({"itemid": chance.integers(0, 10**9, ROWS), "price": chance.random(ROWS).round(6) * 100})
    rows = rows.with_columns(
        name=pl.format("item {}", pl.col("itemid") % 1000),
        open=pl.col("itemid") % 2 == 0,
        day=(20_000 + pl.col("itemid") % 3000).cast(pl.Int32).cast(pl.Date),
        ts=pl.from_epoch(1_767_225_600 * 10**6 + pl.int_range(ROWS) * 1000, "us").dt.replace_time_zone("UTC"),
    ).select(PLAIN.names)
    texts = rows.with_columns(pl.col("day").cast(pl.String), pl.col("ts").dt.to_string("%Y-%m-%dT%H:%M:%S%.6fZ"))
    paths = {name: directory / name for name in (*READERS, "bad.json", "bad.csv")}
    rows.write_parquet(paths["parquet"])
    texts.write_ndjson(paths["json"])
    texts.write_csv(paths["csv"], include_header=False)
    tags = pl.concat_str(pl.format(f"<{n}>{{}}</{n}>", pl.col(n)) for n in PLAIN.names)
    paths["xml"].write_text("\n".join(texts.select("<t>" + tags + "</t>").to_series()))
    for name in ("json", "csv"):
        lines = paths[name].read_bytes().split(b"\n")
        lines[5 :: ROWS // 10] = [b"x"] * 10
        paths[f"bad.{name}"].write_bytes(b"\n".join(lines))
    return paths


def speed(path: Path, schema: Schema) -> tuple[float, int]:
    """Rows a second, the best of three, and what was rejected."""
    best, rejected = float("inf"), 0
    for _ in range(3):
        start = time.perf_counter()
        read = READERS[path.name.rpartition(".")[2]](path, schema, {"rowTag": "t"})
        best, rejected = min(best, time.perf_counter() - start), len(read.rejected)
        assert len(read.piece.rows) + rejected == ROWS
    return ROWS / best, rejected


def main() -> None:
    """Print a line for each file."""
    with tempfile.TemporaryDirectory() as directory:
        for name, path in written(Path(directory)).items():
            for schema in (PLAIN, EXACT) if name == "json" else (PLAIN,):
                rows, rejected = speed(path, schema)
                kind = "with a DECIMAL" if schema is EXACT else f"{rejected} bad lines" if rejected else ""
                print(f"{name:>10} {kind:<15} {rows:>12,.0f} rows/s", flush=True)


if __name__ == "__main__":
    main()
