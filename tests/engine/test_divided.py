"""Sinks that are partitioned by columns, and files of a batch that become one: what is read is what was written."""

from datetime import date
from pathlib import Path

import duckdb
import polars as pl
import pytest

from punctum.algebra.schema import Schema
from punctum.engine.formats.files import READERS
from punctum.engine.sinks.check import check_sink
from punctum.engine.sinks.files import ResultFiles
from punctum.engine.sources.chosen import ChosenNames
from punctum.engine.sources.known import KnownFiles
from punctum.engine.sources.tree import listing
from punctum.errors import PunctumError
from punctum.operators.columns import ColumnarSlice
from punctum.parse.script import parse_script

SCHEMA = Schema.of(k="BIGINT", city="STRING", d="DATE", v="DOUBLE")
CITIES = ["a", "b/c", "é =%", None, "a"]
DAYS = [date(2026, 1, n) for n in (1, 1, 2, 2, 3)]


def rows(start: int) -> pl.DataFrame:
    columns = {"k": range(start, start + 5), "city": CITIES, "d": DAYS, "v": [0.5, None, 1.5, 2.5, 3.5]}
    return pl.DataFrame(columns, {"k": pl.Int64, "city": pl.String, "d": pl.Date, "v": pl.Float64})


def sink(directory: Path, format_: str, compact: str = "false") -> ResultFiles:
    options = {"compact": compact, "header": "true"}
    made = ResultFiles(str(directory), format_, SCHEMA, False, "id", options, partitioned=("d", "city"))
    made.prepare()
    return made


def commit(to: ResultFiles, batch: int, *pieces: pl.DataFrame, again: bool = False) -> None:
    names = ((n, to.write(ColumnarSlice(piece))[0]) for n, piece in enumerate(pieces))
    to.commit(batch, [(n, name) for n, name in names if name is not None], again)


def read(directory: Path, format_: str) -> pl.DataFrame:
    found = listing(directory, ChosenNames(), format_, {}, 0, KnownFiles()).news()
    reads = [READERS[format_](directory / s.name, SCHEMA, {"header": "true"}, s) for s in found]
    assert all(each.rejected.is_empty() for each in reads)
    return pl.concat([each.piece.rows for each in reads]).sort("k")


@pytest.mark.parametrize("compact", ["false", "true"])
@pytest.mark.parametrize("format_", ["json", "csv", "parquet"])
def test_a_partitioned_sink(tmp_path: Path, format_: str, compact: str) -> None:
    out = tmp_path / "out"
    to = sink(out, format_, compact)
    commit(to, 0, rows(0), rows(5))
    commit(to, 1, rows(10))
    assert read(out, format_).equals(pl.concat([rows(0), rows(5), rows(10)]).select(SCHEMA.names))
    names = sorted(path.relative_to(out).as_posix() for path in out.rglob("part-*"))
    each = 2 if compact == "true" else 3
    assert len(names) == 5 * each
    first = "all" if compact == "true" else "0"
    assert f"d=2026-01-01/city=b%2Fc/part-id-000000-{first}.{format_}" in names
    assert any(name.startswith("d=2026-01-02/city=__HIVE_DEFAULT_PARTITION__/") for name in names)
    assert not list((out / ".punctum/id").iterdir())
    assert [to.are_named(batch) for batch in (0, 1, 2)] == [True, True, False]
    again = sink(out, format_, compact)  # batch 1 is done again, and gives less
    commit(again, 1, rows(10)[:2], again=True)
    assert read(out, format_).equals(pl.concat([rows(0), rows(5), rows(10)[:2]]).select(SCHEMA.names))


def test_others_read_it(tmp_path: Path) -> None:
    commit(sink(tmp_path / "out", "parquet"), 0, rows(0))
    sql = f"SELECT k, city, d, v FROM read_parquet('{tmp_path}/out/*/*/*.parquet', hive_partitioning = true) ORDER BY k"
    found = duckdb.connect().execute(sql).fetchall()
    assert [(k, city, str(d), v) for k, city, d, v in found] == [(k, c, str(d), v) for k, c, d, v in rows(0).rows()]


def test_files_of_a_batch_become_one(tmp_path: Path) -> None:
    to = ResultFiles(str(tmp_path), "csv", SCHEMA, False, "id", {"compact": "true", "header": "true"})
    to.prepare()
    commit(to, 0, rows(0), rows(5))
    (file,) = tmp_path.glob("part-*")
    assert file.name == "part-id-000000-all.csv"
    assert file.read_text().count("k,city") == 1
    assert read(tmp_path, "csv").equals(pl.concat([rows(0), rows(5)]))


def test_how_it_is_written() -> None:
    for clauses in ("PARTITIONED BY (d, city) OPTIONS (path 'out')", "OPTIONS (path 'out') PARTITIONED BY (d, city)"):
        made = parse_script(f"CREATE SINK s USING json {clauses};").sinks["s"]
        assert made.partitioned == ("d", "city")
        check_sink(made, SCHEMA)


@pytest.mark.parametrize(
    ("clauses", "what"),
    [
        ("json OPTIONS (path 'o') PARTITIONED BY (town)", "there is no column town"),
        ("json OPTIONS (path 'o') PARTITIONED BY (k, city, d, v)", "s is partitioned by all its columns"),
        ("json OPTIONS (path 'o', punctuations 'true') PARTITIONED BY (d)", "s is partitioned and cannot have"),
        ("console PARTITIONED BY (d)", "a sink of console has no partitions"),
        ("json OPTIONS (path 'o') PARTITIONED BY ()", "a column"),
        ("json PARTITIONED BY (d) OPTIONS (path 'o') PARTITIONED BY (d)", "; or the end"),
    ],
)
def test_what_is_refused(clauses: str, what: str) -> None:
    with pytest.raises(PunctumError) as caught:
        check_sink(parse_script(f"CREATE SINK s USING {clauses};").sinks["s"], SCHEMA)
    assert what in str(caught.value)
