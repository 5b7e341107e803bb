"""Directories as they are: files that are empty, cut off, there twice, of wrong types, and late, in every format."""

import io
import json
from collections import Counter
from pathlib import Path

import polars as pl
from pyspark.sql import SparkSession

from punctum.query import Query
from punctum.session import Session

FORMATS = ("json", "csv", "xml", "parquet")
Row = tuple[object, str]
STREAM = """
CREATE STREAM of_{0} (k BIGINT, v STRING, PUNCTUATED ON (k)) USING {0} OPTIONS (path 'in/{0}');
"""
SCRIPT = (
    "".join(STREAM.format(f) for f in FORMATS)
    + "CREATE SINK rows USING json OPTIONS (path 'out');\nINSERT INTO rows "
    + " UNION ALL ".join(f"SELECT '{f}' AS f, k, v FROM of_{f}" for f in FORMATS)
)
XML = '<stream xmlns:punct="punct">{}</stream>'


def encoded(form: str, rows: list[Row], closed: int | None = None) -> bytes:
    """A file of rows, and perhaps of a punctuation, written without any code of Punctum's."""
    said = None if closed is None else json.dumps({"$punct": {"k": closed}})
    match form:
        case "json":
            lines = [json.dumps({"k": k, "v": v}) for k, v in rows]
            return "\n".join(lines + ([said] if said else [])).encode()
        case "csv":
            quoted = "" if said is None else ',,"' + said.replace('"', '""') + '"\n'
            return ("".join(f"{k},{v},\n" for k, v in rows) + quoted).encode()
        case "xml":
            inner = "".join(f"<of_xml><k>{k}</k><v>{v}</v></of_xml>" for k, v in rows)
            ended = "" if said is None else f"<punct:of_xml><k>{closed}</k><v>*</v></punct:of_xml>"
            return XML.format(inner + ended).encode()
        case _:
            frame = pl.DataFrame({"k": [k for k, _ in rows], "v": [v for _, v in rows], "_punct": [None] * len(rows)})
            last = pl.DataFrame({"_punct": [said] if said else []}, schema={"_punct": pl.String})
            buffer = io.BytesIO()
            pl.concat([frame, last], how="diagonal_relaxed").write_parquet(buffer)
            return buffer.getvalue()


def test_read_to_the_end(spark: SparkSession, tmp_path: Path) -> None:
    for form in FORMATS:
        directory = tmp_path / "in" / form
        directory.mkdir(parents=True)
        whole = encoded(form, [(1, "a"), (2, "b")], closed=1)
        both = encoded(form, [(3, "c"), (4, "dddddddd")])
        cut = both[:-9] if form == "parquet" else both[: both.index(b"dddddddd") - (form == "csv")]
        wrong = encoded(form, [("x", "w")])
        for name, data in {"b": whole, "c": b"", "d": cut, "f": wrong}.items():
            (directory / f"{name}.{form}").write_bytes(data)
    (query,) = Session(spark).script(SCRIPT, tmp_path)
    assert isinstance(query, Query)
    query.start(tmp_path / "state", available_now=True).wait()
    for form in FORMATS:
        directory = tmp_path / "in" / form
        (directory / f"e.{form}").write_bytes((directory / f"b.{form}").read_bytes())
        (directory / f"a.{form}").write_bytes(encoded(form, [(1, "late"), (5, "e")]))
    query.start(tmp_path / "state", available_now=True).wait()
    rows = Counter(json.dumps(row) for row in read(tmp_path / "out"))
    expected: Counter[str] = Counter()
    for form in FORMATS:
        found: list[Row] = [(1, "a"), (2, "b"), (2, "b"), (5, "e"), *([] if form == "parquet" else [(3, "c")])]
        expected.update(json.dumps({"f": form, "k": k, "v": v}) for k, v in found)
    assert rows == expected
    records = read(tmp_path / "out.quarantine")
    found_wrong = Counter((r["stream"], str(r["file"])[0], str(r["reason"]).split(":")[0]) for r in records)
    wrong_type, late = "the column k has a wrong value", "the row matches an earlier punctuation"
    assert found_wrong == {
        ("of_json", "d", "a line is not JSON"): 1,
        ("of_csv", "d", "a line has 1 fields"): 1,
        ("of_xml", "d", "the file is truncated"): 1,
        ("of_parquet", "c", "the file is not Parquet"): 1,
        ("of_parquet", "d", "the file is not Parquet"): 1,
        **{(f"of_{form}", "f", wrong_type): 1 for form in FORMATS},
        **{(f"of_{form}", file, late): 1 for form in FORMATS for file in "ae"},
    }
    measured = (tmp_path / "state/punctum/metrics.jsonl").read_text().splitlines()
    assert sum(json.loads(line)["quarantined"] for line in measured) == len(records)


def read(directory: Path) -> list[dict[str, object]]:
    return [json.loads(line) for file in sorted(directory.glob("part-*")) for line in file.read_text().splitlines()]
