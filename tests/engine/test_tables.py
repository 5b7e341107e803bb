"""Tables: who is in a column, whatever the format, and what is said when that cannot be found out."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from punctum.engine.sources.tables import members
from punctum.errors import PunctumError
from punctum.ir.definitions import TableColumn
from punctum.parse import parse_script


def read(directory: Path, using: str, columns: str = "zone BIGINT, sid STRING", index: int = 1) -> tuple[Any, ...]:
    table = parse_script(f"CREATE TABLE sensors ({columns}) USING {using}").tables["sensors"]
    return members(TableColumn(table, index), directory)


def test_each_format(tmp_path: Path) -> None:
    rows = {"zone": [1, 2, 2, None], "sid": ["a", "b, c", "a", None]}
    pl.DataFrame(rows).write_parquet(tmp_path / "t.parquet")
    pl.DataFrame(rows).write_ndjson(tmp_path / "t.json")
    pl.DataFrame(rows).select("sid", "zone").write_csv(tmp_path / "named.csv")
    pl.DataFrame(rows).write_csv(tmp_path / "t.csv", include_header=False)
    for using in (
        "parquet OPTIONS (path 't.parquet')",
        "json OPTIONS (path 't.json')",
        "csv OPTIONS (path 'named.csv', header true)",
        "csv OPTIONS (path 't.csv')",
    ):
        assert read(tmp_path, using) == ("a", "b, c"), using
        assert read(tmp_path, using, index=0) == (1, 2), using


def test_a_directory_is_all_its_files(tmp_path: Path) -> None:
    for name, sid in (("2.json", "b"), ("1.json", "a"), ("_SUCCESS", "x"), (".2.json.crc", "y")):
        (tmp_path / name).write_text(f'{{"sid": "{sid}"}}\n')
    assert read(tmp_path, "json OPTIONS (path '.')", "sid STRING", 0) == ("a", "b")


@pytest.mark.parametrize(
    ("using", "what"),
    [
        ("json", "the table sensors has no path"),
        ("json OPTIONS (path 'nowhere.json')", "the file of sensors does not exist"),
        ("avro OPTIONS (path 'x')", "the format avro of sensors is not supported"),
        ("json OPTIONS (path 'empty.json')", "the table sensors is empty"),
        ("csv OPTIONS (path 'nulls.csv')", "the table sensors is empty"),
        ("json OPTIONS (path 'wrong.json')", "the table sensors cannot be read"),
        ("csv OPTIONS (path 'wrong.csv')", "the table sensors cannot be read"),
        ("csv OPTIONS (path 'narrow.csv')", "the table sensors cannot be read"),
        ("csv OPTIONS (path 'empty.csv')", "the table sensors is empty"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, using: str, what: str) -> None:
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "nulls.csv").write_text("1,\n2,\n")
    (tmp_path / "wrong.json").write_text('{"zone": 1, "sid": 5}\n')
    (tmp_path / "wrong.csv").write_text("one,a\n")
    (tmp_path / "narrow.csv").write_text("1\n")
    with pytest.raises(PunctumError) as caught:
        read(tmp_path, using)
    assert caught.value.what == what
