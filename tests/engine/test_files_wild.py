"""Files as they are found: compressed, with columns in their path, with rows that leave columns out."""

import bz2
import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from punctum.algebra.schema import Schema
from punctum.engine.formats.files import READERS
from punctum.engine.formats.path_columns import directory_of
from punctum.engine.formats.read import Read
from punctum.engine.formats.splits import Split
from punctum.engine.sources.known import KnownFiles
from punctum.engine.sources.listing import GROWN, OVERWRITTEN, Listing

SCHEMA = Schema.of(k="BIGINT", s="STRING", d="DATE")
ROWS = [{"k": n, "s": f"é{n}", "d": "2026-01-02"} for n in range(200)]  # enough for the fast road


def zstd(data: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(data)
    return out.getvalue().to_pybytes()


CODECS: Mapping[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstd}
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def read(path: Path, directory: Path, schema: Schema = SCHEMA, **options: str) -> Read:
    name = path.relative_to(directory).as_posix()
    form = next(form for form in READERS if form in path.name)
    stat = path.stat()
    split = Split(name, 0, stat.st_size, 0, stat.st_ino, stat.st_mtime_ns, "")
    return READERS[form](path, schema, {"rowTag": "r", **options}, split)


@pytest.mark.parametrize("end", CODECS)
def test_a_compressed_file(tmp_path: Path, end: str) -> None:
    plain, file = tmp_path / "a.json", tmp_path / f"b.json{end}"
    plain.write_bytes(LINES)
    file.write_bytes(CODECS[end](LINES[:500]) + CODECS[end](LINES[500:]))  # two of them, one behind the other
    assert read(file, tmp_path).piece.rows.equals(read(plain, tmp_path).piece.rows)
    cut = tmp_path / f"c.json{end}"
    cut.write_bytes(file.read_bytes()[:-20])
    broken = read(cut, tmp_path)
    assert broken.piece.rows.is_empty() and broken.rejected["reason"][0].startswith("the file is not ")
    (tmp_path / f"d.json{end}").write_bytes(b"")
    assert read(tmp_path / f"d.json{end}", tmp_path).rejected.is_empty()


@pytest.mark.parametrize("end", CODECS)
def test_a_compressed_file_is_read_when_it_is_complete(tmp_path: Path, end: str) -> None:
    file = tmp_path / f"b.json{end}"
    file.write_bytes(CODECS[end](LINES)[:100])
    found = Listing(tmp_path, "json", {}, 3600)
    assert found.news() == [] and found.waits, "it may still be written"
    file.write_bytes(CODECS[end](LINES))
    (split,) = Listing(tmp_path, "json", {}, 0).news()
    assert split.end == file.stat().st_size
    with file.open("ab") as more:
        more.write(CODECS[end](LINES))
    (grown,) = Listing(tmp_path, "json", {}, 0, KnownFiles([split])).news()
    assert grown.fault in (GROWN, OVERWRITTEN)


@pytest.mark.parametrize("form", ["json", "csv", "parquet", "xml"])
def test_columns_in_the_path(tmp_path: Path, form: str) -> None:
    """They have the values of the path in all rows; the file need not have them."""
    schema = Schema.of(k="BIGINT", city="STRING", s="STRING", dt="DATE", hour="BIGINT")
    values: dict[str, str | None] = {"dt": "2026-01-02", "hour": "7", "city": "a/b=c é%"}
    path = tmp_path / directory_of(values) / "x=1" / f"1.{form}"
    path.parent.mkdir(parents=True)
    frame = pl.DataFrame({"k": [1, 2], "s": ["a", None]})
    match form:
        case "json":
            path.write_text(frame.write_ndjson() + '{"$punct": {"dt": "2026-01-02"}}\n')
        case "csv":
            path.write_text("1,a\n2,\n")
        case "parquet":
            frame.write_parquet(path)
        case "xml":
            path.write_text("<t><r><k>1</k><s>a</s></r><r><k>2</k></r></t>")
    found = read(path, tmp_path, schema)
    rejected = found.rejected["reason"].to_list()
    wanted = [(1, "a/b=c é%", "a", 7), (2, "a/b=c é%", None, 7)]
    if form == "xml":  # where a column that has no element is not NULL
        assert rejected == ['the row has no column s: it has: k (NULL is xsi:nil="true")']
        wanted = wanted[:1]
    else:
        assert rejected == []
    assert found.piece.rows.select("k", "city", "s", "hour").rows() == wanted
    assert {str(day) for day in found.piece.rows["dt"]} == {"2026-01-02"}
    if form == "json":
        assert [str(p) for p in found.piece.puncts] == ["<*, *, *, 2026-01-02, *>"]


def test_directories_that_mean_something_else(tmp_path: Path) -> None:
    schema = Schema.of(k="BIGINT", hour="BIGINT")
    for directory, rows, reason in (
        ("hour=__HIVE_DEFAULT_PARTITION__", [(1, None)], None),
        ("HOUR=8", [(1, 8)], None),
        ("hour=8/hour=9", [(1, 9)], None),
        ("day=8", [], "the row has no column hour"),
        ("hour=x", [], "the directory hour=x has a wrong value"),
    ):
        path = tmp_path / directory / "1.json"
        path.parent.mkdir(parents=True)
        path.write_text('{"k": 1}\n')
        found = read(path, tmp_path, schema)
        assert found.piece.rows.rows() == rows, directory
        reasons = found.rejected["reason"].to_list()
        assert len(reasons) == (reason is not None) and all(text.startswith(str(reason)) for text in reasons)


@pytest.mark.parametrize("many", [1, 200])
def test_a_column_that_is_left_out(tmp_path: Path, many: int) -> None:
    schema = Schema.of(k="BIGINT", s="STRING", v="DOUBLE")
    frame = pl.DataFrame({"s": ["a"] * many})
    files = {
        "1.json": frame.write_ndjson(),
        "2.csv": "s\n" + "a\n" * many,
        "4.xml": "<t>" + "<r><s>a</s></r>" * many + "</t>",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    frame.write_parquet(tmp_path / "3.parquet")
    for name in (*files, "3.parquet"):
        header = {"header": "true"} if "csv" in name else {}
        assert read(tmp_path / name, tmp_path, schema, **header).piece.rows.is_empty(), name
        found = read(tmp_path / name, tmp_path, schema, missing="null", **header)
        assert found.rejected.is_empty(), (name, found.rejected)
        assert found.piece.rows.rows() == [(None, "a", None)] * many, name


def test_short_lines_of_csv(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("1,a,0.5\n2,b\n3\n4,d,1.5,\n5,e,2.5,,\n")
    schema = Schema.of(k="BIGINT", s="STRING", v="DOUBLE")
    found = read(tmp_path / "1.csv", tmp_path, schema, missing="null")
    assert found.piece.rows.rows() == [(1, "a", 0.5), (2, "b", None), (3, None, None), (4, "d", 1.5)]
    assert found.rejected["position"].to_list() == [5]
    strict = read(tmp_path / "1.csv", tmp_path, schema)
    assert strict.rejected["position"].to_list() == [2, 3, 5]


def test_a_parquet_file_of_which_only_the_path_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "hour=7/1.parquet"
    path.parent.mkdir()
    pl.DataFrame({"k": [1, 2]}).write_parquet(path)
    split = Split("hour=7/1.parquet", 0, path.stat().st_size, 0, 0, 0, "")
    schema = Schema.of(k="BIGINT", hour="BIGINT")
    assert READERS["parquet"](path, schema, {}, split, {"hour"}).piece.rows["hour"].to_list() == [7, 7]
    other = Schema.of(a="BIGINT", b="BIGINT")
    alone = READERS["parquet"](path, other, {"missing": "null"}, Split("1.parquet", 0, split.end, 0, 0, 0, ""), {"a"})
    assert alone.piece.rows.rows() == [(None, None)] * 2
