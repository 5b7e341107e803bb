"""On Spark: a query that runs where its streams are read gives what it gives behind an exchange, killed or not."""

import errno
import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyspark.sql import SparkSession

from punctum.engine.commit import Commit
from punctum.engine.exchange.quarantine import read_records
from punctum.engine.partitions import dealt
from punctum.engine.recovery.checkpoint import settled_buckets
from punctum.errors import QueryError
from punctum.query import Query
from punctum.session import Session

SCRIPT = """
CREATE STREAM a (k BIGINT, x BIGINT, s STRING, PUNCTUATED ON (k))
  USING parquet OPTIONS (path 'a', maxFilesPerTrigger 3);
CREATE STREAM b (k BIGINT, x BIGINT, s STRING) USING json OPTIONS (path 'b', maxFilesPerTrigger 1);
CREATE TABLE names (k BIGINT, name STRING) USING json OPTIONS (path 'names.json');
CREATE SINK rows USING parquet OPTIONS (path '{}');
INSERT INTO rows SELECT u.k, x * 4611686018427387904 AS y, n.name
FROM (SELECT k, x, s FROM a WHERE x >= 0 UNION ALL SELECT k, x, s FROM b) u JOIN names n ON u.k % 7 = n.k
WHERE s <> 'no';
"""
BATCHES = 3
LARGE = "x" * 500  # so that a batch is worth several tasks


def written(directory: Path) -> Path:
    chance = random.Random(5)
    for name in "ab":
        (directory / name).mkdir()
    (directory / "names.json").write_text("".join(json.dumps({"k": k, "name": f"n{k}"}) + "\n" for k in range(5)))
    for n in range(3 * BATCHES):
        rows: list[tuple[int | None, int | None, str | None, str | None]] = []
        for i in range(8_000):
            x = 2 if chance.random() < 5e-4 else chance.choice([-1, 0, 1])
            rows.append(
                (chance.randrange(n + 1, n + 9), x, chance.choice(["no", f"{i} {LARGE}", f"{i} {LARGE}"]), None)
            )
        for said in (f'{{"$punct": {{"k": {n}}}}}', '{"$punct": {"x": {"ge": 3}}}', "{"):
            rows.insert(chance.randrange(len(rows)), (None, None, None, said))
        rows += [(n, 0, "late", None), (n - 2, 0, "late", None)]
        columns = {"k": pl.Int64, "x": pl.Int64, "s": pl.String, "_punct": pl.String}
        path = directory / "a" / f"{n}.parquet"
        pl.DataFrame(rows, columns, orient="row").write_parquet(path, compression="uncompressed")
        os.utime(path, (n + 1, n + 1))
    for n in range(BATCHES):
        lines = [json.dumps({"k": k, "x": 1, "s": f"b{n}"}) for k in range(n, n + 5)]
        path = directory / "b" / f"{n}.json"
        path.write_text("\n".join([*lines, '{"k": ', json.dumps({"$punct": {"k": n}})]) + "\n")
        os.utime(path, (n + 1, n + 1))
    return directory


def started(spark: SparkSession, directory: Path, out: str) -> Query:
    (query,) = Session(spark).script(SCRIPT.format(out), directory)
    return query.start(directory / "state" / out, available_now=True)


def left(directory: Path, out: str) -> tuple[Counter[Any], list[Any], list[Any]]:
    """The rows of each batch, the quarantine, and what is counted of rows."""
    rows: Counter[Any] = Counter()
    for path in (directory / out).glob("part-*"):
        rows.update((path.name.split("-")[2], *row) for row in pl.read_parquet(path).iter_rows())
    records = [tuple(record[name] for name in RECORD) for record in read_records(directory / out)]
    lines = (directory / "state" / out / "punctum/metrics.jsonl").read_text().splitlines()
    counts = [
        (m["batch"], m["quarantined"], [(o["rows_in"], o["rows_out"]) for o in m["operators"].values()])
        for m in map(json.loads, lines)
    ]
    return rows, sorted(records, key=repr), counts


RECORD = ("stream", "file", "position", "reason", "text")


def test_it_is_what_it_is_behind_an_exchange(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, once = written(tmp_path), {0, 2}
    settled_buckets(str(directory / "state" / "exchanged"), dealt(2))  # as one that began with an exchange
    started(spark, directory, "exchanged").wait()
    commit = Commit.__call__

    def killed(self: Commit, packed: Any, batch: int) -> None:
        commit(self, packed, batch)
        if batch in once:
            once.remove(batch)
            raise OSError(errno.EIO, "killed")

    monkeypatch.setattr(Commit, "__call__", killed)
    for _ in range(2):
        with pytest.raises(QueryError, match="killed"):
            started(spark, directory, "here").wait()
    started(spark, directory, "here").wait()
    wanted, found = left(directory, "exchanged"), left(directory, "here")
    assert found == wanted
    assert len(found[2]) == BATCHES and len({r[3] for r in found[1]}) > 3
    assert [p.name for p in (directory / "state/here/punctum/state/1").iterdir()] == ["0"]
    assert {path.name.split("-")[3] for path in (directory / "here").glob("part-*")} == {"0.parquet", "1.parquet"}
