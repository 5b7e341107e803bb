"""Directories that change while a query reads them: rows come once, and what cannot be taken is told."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from lanes import long
from punctum.cli import cli
from punctum.engine.formats.files import UNFINISHED
from punctum.engine.sources.listing import OVERWRITTEN
from punctum.errors import QueryError, SqlError
from punctum.query import Query
from punctum.session import Session

SCRIPT = """
CREATE STREAM `../bid` (k BIGINT, v STRING, PUNCTUATED ON (k)){more} USING csv OPTIONS (path 'in', settle {settle});
CREATE SINK rows USING json OPTIONS (path 'out');
INSERT INTO rows SELECT k, v FROM `../bid`;
"""
BREAK, STRANGE = "a\n\x1b[31mb.csv", os.fsdecode(b"\xff.csv")


def run(spark: SparkSession, directory: Path, more: str = "", settle: str = "0.5") -> Query:
    (query,) = Session(spark).script(SCRIPT.format(more=more, settle=settle), directory)
    assert isinstance(query, Query)
    query.start(directory / "state/rows", available_now=True).wait()
    return query


def read(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in sorted(directory.glob("part-*")) for line in file.read_text().splitlines()]


def rows(directory: Path) -> Counter[tuple[int, str]]:
    return Counter((row["k"], row["v"]) for row in read(directory / "out"))


def records(directory: Path) -> list[tuple[str, int, str, str]]:
    found = read(directory / "out.quarantine")
    return sorted((r["file"], r["position"], r["reason"].split(":")[0], r["text"]) for r in found)


def test_files_that_change_between_runs(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "growing.csv").write_text("1,a\n2,b\n3,c")
    (source / BREAK).write_text("4,d\n")
    (source / STRANGE).write_text('5,e\n6\x1b[2J,f\n,,"{""$punct"": {""k"": 5}}"\n')
    (source / "later.csv.tmp").write_text("7,g\n")
    run(spark, tmp_path)
    (source / "growing.csv").open("a").write("\n8,h\n9,")
    (source / BREAK).write_text("10,i\n11,j\n")
    (source / STRANGE).open("a").write("5,late\n")
    (source / "later.csv.tmp").rename(source / "later.csv")
    run(spark, tmp_path)
    (source / "growing.csv").open("a").write("k\n12,l\n")
    run(spark, tmp_path)
    expected = [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"), (7, "g"), (8, "h"), (9, None), (12, "l")]
    assert rows(tmp_path) == Counter(expected)
    wrong, late = "the column k has a wrong value", "the row matches an earlier punctuation"
    assert records(tmp_path) == [
        ("\\xff.csv", 2, wrong, "6\x1b[2J,f"),
        ("\\xff.csv", 4, late, "5,late"),
        ("a\\n\\u001b[31mb.csv", 0, OVERWRITTEN.split(":")[0], ""),
        ("growing.csv", 5, UNFINISHED, "k"),
    ]
    measured = [json.loads(line) for line in (tmp_path / "state/rows/punctum/metrics.jsonl").read_text().splitlines()]
    assert [batch["quarantined"] for batch in measured] == [1, 2, 1]
    shown = CliRunner().invoke(cli, ["quarantine", str(tmp_path / "out")]).output
    assert "\\xff.csv:2" in shown and "6\\u001b[2J,f" in shown
    assert all(line.isprintable() for line in shown.splitlines())
    assert {path.name for path in tmp_path.iterdir()} == {"in", "out", "out.quarantine", "state"}
    (kept,) = (tmp_path / "state/rows/punctum").glob("*.files")
    assert "bid" in kept.name


@long
def test_a_changed_file_stops_a_stream_that_must_not_be_violated(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.csv").write_text("1,a\n")
    run(spark, tmp_path, " ON VIOLATION FAIL")
    (tmp_path / "in/a.csv").write_text("2,b\n3,c\n")
    for _ in range(2):
        with pytest.raises(QueryError, match="ON VIOLATION FAIL") as caught:
            run(spark, tmp_path, " ON VIOLATION FAIL")
        assert "a.csv" in caught.value.detail and OVERWRITTEN in caught.value.detail
    run(spark, tmp_path)
    assert rows(tmp_path) == Counter([(1, "a")])
    assert len(records(tmp_path)) == 1


def test_settle_is_a_number(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(SqlError, match=r"settle of \.\./bid is 'soon'"):
        run(spark, tmp_path, settle="'soon'")
