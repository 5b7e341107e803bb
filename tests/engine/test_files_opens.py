"""Files of opens and closes: every format gives them in the file's order, and rejects what is neither."""

import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.engine.formats.files import READERS, from_frame
from punctum.engine.formats.read import Read
from punctum.ir.elements import open_schema
from punctum.operators.columns import to_rows

PAYLOAD = Schema.of(symbol="STRING", n="BIGINT").attributes
SCHEMA = open_schema(PAYLOAD)
Line = dict[str, Any]
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:punct="punct"'


def lines(seed: int, count: int) -> list[Line]:
    """Opens, closes and stables in any order, as objects of JSON; some name the end that they do not have."""
    chance = random.Random(seed)
    found: list[Line] = []
    for i in range(count):
        payload: Line = {"symbol": chance.choice(["A", 'B "_ve": 1', "$stable", "é", None]), "n": i}
        mark = {chance.choice(["_vs", "_ve"]): chance.randint(-3, 50)}
        nothing = {name: None for name in ("_vs", "_ve") if name not in mark and chance.random() < 0.1}
        found.append(mark | payload | nothing if chance.random() < 0.5 else payload | nothing | mark)
        if chance.random() < 0.1:
            found.append({"$stable": chance.randint(-5, 50)})
    return found


def expected(given: list[Line]) -> tuple[list[tuple[Any, ...]], int | None]:
    """The rows of some objects, by their definition, and the furthest stable."""
    rows, stables = [], [line["$stable"] for line in given if "$stable" in line]
    for line in given:
        if "$stable" not in line:
            start, end = line.get("_vs"), line.get("_ve")
            rows.append((line["symbol"], line["n"], start, end, end if start is None else start))
    return rows, max(stables, default=None)


def columns(given: list[Line]) -> pl.DataFrame:
    """The same with a column for everything."""
    rows = [{"_punct": json.dumps(line)} if "$stable" in line else line for line in given]
    kinds = {"symbol": pl.String, "n": pl.Int64, "_vs": pl.Int64, "_ve": pl.Int64, "_punct": pl.String}
    return pl.DataFrame(rows, schema=kinds)


def in_xml(given: list[Line]) -> str:
    found = []
    for line in given:
        if "$stable" in line:
            found.append(f"<punct:a><_vs>(,{line['$stable']})</_vs></punct:a>")
            continue
        named = ((name, line.get(name)) for name in ("symbol", "n", "_vs", "_ve"))
        texts = (f'<{n} xsi:nil="true"/>' if v is None else f"<{n}>{v}</{n}>" for n, v in named)
        found.append(f"<a>{''.join(texts)}</a>")
    return f"<all {XSI}>\n" + "\n".join(found) + "\n</all>"


def stable(time: int) -> Punctuation:
    return Punctuation.of(SCHEMA, {"_from": between(None, time, "[)")})


def read(format_: str, path: Path, given: list[Line]) -> Read:
    match format_:
        case "frame":
            return from_frame(columns(given), SCHEMA)
        case "lines":
            return from_frame(pl.DataFrame({"_line": [json.dumps(line) for line in given]}), SCHEMA)
        case "json":
            path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in given))
        case "parquet":
            columns(given).write_parquet(path)
        case "csv":
            columns(given).write_csv(path)
        case _:
            path.write_text(in_xml(given))
    return READERS[format_](path, SCHEMA, {"header": "true", "rowTag": "a"} if format_ != "json" else {})


@pytest.mark.parametrize("format_", ["json", "parquet", "csv", "xml", "frame", "lines"])
@pytest.mark.parametrize(("seed", "count"), [(1, 5), (2, 30), (3, 1000), (4, 0), (5, 1)])
def test_every_format_gives_opens_and_closes_in_order(format_: str, seed: int, count: int, tmp_path: Path) -> None:
    given = lines(seed, count)
    found = read(format_, tmp_path / "file", given)
    rows, furthest = expected(given)
    assert found.rejected.is_empty()
    assert to_rows(found.piece.rows) == rows
    stables = {stable(line["$stable"]) for line in given if "$stable" in line}
    assert found.piece.puncts == () if furthest is None else stable(furthest) in found.piece.puncts
    assert set(found.piece.puncts) <= stables
    wanted = [at for at, line in enumerate(given, 2 if format_ in ("csv", "xml") else 1) if "$stable" not in line]
    assert [found.place(row)[0] for row in range(len(rows))] == wanted


BAD = {
    '{"symbol": "A", "n": 1}': "the row is neither an open nor a close: it has no _vs and no _ve",
    '{"symbol": "A", "n": 1, "_vs": null}': "the row is neither an open nor a close",
    '{"symbol": "A", "n": 1, "_vs": null, "_ve": null}': "the row is neither an open nor a close",
    '{"symbol": "A", "n": 1, "_vs": 7, "_ve": 8}': "the row is both an open and a close: it has _vs and _ve",
    '{"symbol": "A", "n": 1, "_ve": 7.5}': "the column _ve has a wrong value",
    '{"symbol": "A", "_ve": 7}': "the row has no column n",
    '{"symbol": "A", "_vs": 7}': "the row has no column n",
    '{"symbol": "A", "n": 2': "a line is not JSON",
    '{"$stable": "soon"}': "the column _vs has a wrong value",
    '{"$stable": 7, "n": 1}': "a stable is malformed",
    '{"$punct": {"symbol": "A"}}': "a temporal stream has stables",
    '{"$punct": {"_ve": {"le": 8}}}': "a temporal stream has stables",
}


@pytest.mark.parametrize("some", [1, 200])
def test_what_is_neither_is_rejected_with_the_reason(some: int, tmp_path: Path) -> None:
    path, good = tmp_path / "file", ['{"symbol": "A", "n": 1, "_vs": 6}', '{"symbol": "A", "n": 1, "_ve": 9}']
    path.write_text("\n".join([*good * some, *BAD, '{"$stable": null}', '{"$punct": {"_vs": {"lt": 4}}}']))
    found = READERS["json"](path, SCHEMA, {})
    assert to_rows(found.piece.rows) == [("A", 1, 6, None, 6), ("A", 1, None, 9, 9)] * some
    assert set(found.piece.puncts) == {end_of_stream(SCHEMA), stable(4)}
    reasons = {text: reason for _, reason, text in found.rejected.rows()}
    assert len(reasons) == len(BAD)
    for text, reason in BAD.items():
        assert reasons[text].startswith(reason), (text, reasons[text])
    numbered = {text: position for position, _, text in found.rejected.rows() if position}
    assert all(numbered[text] == at for at, text in enumerate(BAD, 2 * some + 1) if text in numbered)


@pytest.mark.parametrize("format_", ["parquet", "csv", "xml", "frame"])
def test_columns_with_both_times_or_none_are_rejected(format_: str, tmp_path: Path) -> None:
    given: list[Line] = [
        {"symbol": "A", "n": 1, "_vs": 7, "_ve": 8},
        {"symbol": "A", "n": 2, "_ve": 8},
        {"symbol": "A", "n": 3},
    ]
    found = read(format_, tmp_path / "file", given)
    assert to_rows(found.piece.rows) == [("A", 2, None, 8, 8)]
    told = [(at, reason.split(":")[0]) for at, reason, _ in found.rejected.rows()]
    first = 2 if format_ in ("csv", "xml") else 1
    wanted = [(first, "the row is both an open and a close"), (first + 2, "the row is neither an open nor a close")]
    assert told == wanted


def test_a_file_of_opens_needs_no_column_of_ends(tmp_path: Path) -> None:
    given = pl.DataFrame({"symbol": ["A"], "n": [1], "_vs": [6]})
    given.write_parquet(tmp_path / "a.parquet")
    given.write_csv(tmp_path / "a.csv")
    (tmp_path / "a.xml").write_text("<a><symbol>A</symbol><n>1</n><_vs>6</_vs></a>")
    options = {"header": "true", "rowTag": "a"}
    found = [READERS[format_](tmp_path / f"a.{format_}", SCHEMA, options) for format_ in ("parquet", "csv", "xml")]
    found.append(from_frame(given, SCHEMA))
    assert [to_rows(each.piece.rows) for each in found] == [[("A", 1, 6, None, 6)]] * 4
    (tmp_path / "broken.parquet").write_text("PAR1")
    assert READERS["parquet"](tmp_path / "broken.parquet", SCHEMA, {}).rejected.height == 1


def test_times_may_be_instants(tmp_path: Path) -> None:
    schema, path = open_schema(PAYLOAD, Type.TIMESTAMP), tmp_path / "file"
    path.write_text('{"symbol": "A", "n": 1, "_ve": "2026-11-15T12:00:00Z"}\n{"$stable": "2026-11-15T12:00:00Z"}')
    found = READERS["json"](path, schema, {})
    assert [str(row[-1]) for row in to_rows(found.piece.rows)] == ["2026-11-15 12:00:00+00:00"]
    assert len(found.piece.puncts) == 1 and found.rejected.is_empty()
