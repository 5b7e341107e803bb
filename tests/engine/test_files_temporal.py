"""Files of temporal elements: every format gives the same elements in the file's order, and rejects what is none."""

import json
import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.engine.formats.files import READERS, from_frame
from punctum.engine.formats.read import Read
from punctum.ir.elements import element_schema
from punctum.operators.columns import to_rows
from punctum.operators.sequence import late, placed

PAYLOAD = Schema.of(symbol="STRING", n="BIGINT").attributes
SCHEMA = element_schema(PAYLOAD)
Line = dict[str, Any]


def lines(seed: int, count: int) -> list[Line]:
    """Inserts, adjusts and stables in any order, as objects of JSON."""
    chance = random.Random(seed)
    found: list[Line] = []
    for i in range(count):
        start = chance.randint(0, 50)
        end = chance.choice([None, start + chance.randint(1, 9)])
        element: Line = {"symbol": chance.choice(["A", 'B "_vold": 1', "é"]), "n": i, "_vs": start, "_ve": end}
        if chance.random() < 0.4:
            element |= {
                "_vold": chance.choice([None, start + chance.randint(0, 9)]),
                "_ve": chance.choice([end, start]),
            }
        found.append(element)
        if chance.random() < 0.1:
            found.append({"$stable": chance.choice([chance.randint(-5, 50), chance.randint(0, 9)])})
    return found


def expected(given: list[Line]) -> tuple[list[tuple[Any, ...]], int | None]:
    """The rows of some objects, by their definition, and the furthest stable."""
    rows, stables = [], []
    for line in given:
        if "$stable" in line:
            stables.append(line["$stable"])
            continue
        adjust, start, end, old = "_vold" in line, line["_vs"], line["_ve"], line.get("_vold")
        ends = [each for each in (end, old) if each is not None]
        since = start if not adjust else min(ends) if ends else None
        rows.append((line["symbol"], line["n"], start, end, old, adjust, since))
    return rows, max(stables, default=None)


def columns(given: list[Line]) -> pl.DataFrame:
    """The same with a column for everything."""
    rows = [{**line, "_adjust": "_vold" in line, "_punct": None} for line in given if "$stable" not in line]
    for at, line in enumerate(given):
        if "$stable" in line:
            rows.insert(at, {"_punct": json.dumps(line)})
    kinds = {"symbol": pl.String, "n": pl.Int64, "_vs": pl.Int64, "_ve": pl.Int64, "_vold": pl.Int64}
    return pl.DataFrame(rows, schema={**kinds, "_adjust": pl.Boolean, "_punct": pl.String})


def too_late(given: list[Line]) -> list[bool]:
    """Whether each element stands behind a stable that it is below."""
    late_ones, furthest = list[bool](), -(2**63)
    for line in given:
        if "$stable" in line:
            furthest = max(furthest, line["$stable"])
        else:
            ends = [line[name] for name in ("_vold", "_ve") if line.get(name) is not None]
            begins = min(ends, default=2**63) if "_vold" in line else line["_vs"]
            late_ones.append(begins < furthest)
    return late_ones


def stable(time: int) -> Punctuation:
    return Punctuation.of(SCHEMA, {"_from": between(None, time, "[)")})


def write(format_: str, path: Path, given: list[Line]) -> dict[str, str]:
    """Write a file, and give the options to read it with."""
    if format_ == "json":
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in given))
    elif format_ == "parquet":
        columns(given).write_parquet(path)
    elif format_ == "csv":
        columns(given).write_csv(path)
        return {"header": "true"}
    return {}


def read(format_: str, path: Path, given: list[Line]) -> Read:
    if format_ == "frame":
        return from_frame(columns(given), SCHEMA)
    if format_ == "lines":
        return from_frame(pl.DataFrame({"_line": [json.dumps(line) for line in given]}), SCHEMA)
    options = write(format_, path, given)
    return READERS[format_](path, SCHEMA, options)


@pytest.mark.parametrize("format_", ["json", "parquet", "csv", "frame", "lines"])
@pytest.mark.parametrize(("seed", "count"), [(1, 5), (2, 30), (3, 1000), (4, 0), (5, 1)])
def test_every_format_gives_the_elements_in_order(format_: str, seed: int, count: int, tmp_path: Path) -> None:
    given = lines(seed, count)
    found = read(format_, tmp_path / "file", given)
    rows, furthest = expected(given)
    assert to_rows(found.piece.rows) == rows
    assert found.rejected.is_empty()
    told = {stable(furthest)} if furthest is not None else set()
    assert PunctuationSet(SCHEMA, found.piece.puncts) == PunctuationSet(SCHEMA, told)
    assert found.piece.places is not None
    late_rows = late(found.piece.rows, found.piece.places.rows, placed(SCHEMA, found.piece, 0))
    assert late_rows.to_list() == too_late(given)
    wanted = [at for at, line in enumerate(given, 2 if format_ == "csv" else 1) if "$stable" not in line]
    assert [found.place(row)[0] for row in range(len(rows))] == wanted


BAD = {
    '{"symbol": "A", "n": 1, "_ve": 7}': "the row has no column _vs",
    '{"symbol": "A", "n": 1, "_vs": 7}': "the row has no column _ve",
    '{"symbol": "A", "n": 1, "_vs": null, "_ve": 7}': "the element has no start",
    '{"symbol": "A", "n": 1, "_vs": NaN, "_ve": 7}': "the column _vs has a wrong value",
    '{"symbol": "A", "n": 1, "_vs": 7.5, "_ve": 8}': "the column _vs has a wrong value",
    '{"symbol": "A", "n": 1, "_vs": 8, "_ve": 7}': "the element ends before it starts",
    '{"symbol": "A", "n": 1, "_vs": 8, "_ve": 8}': "the event has an empty lifetime",
    '{"symbol": "A", "n": 1, "_vs": 8, "_vold": 9, "_ve": 7}': "the element ends before it starts",
    '{"symbol": "A", "n": 1, "_vs": 8, "_vold": 7, "_ve": 9}': "the old end is before the start",
    '{"symbol": "A", "_vs": 8, "_vold": 9, "_ve": 9}': "the row has no column n",
    '{"$stable": "soon"}': "the column _vs has a wrong value",
    '{"$stable": 7, "n": 1}': "a stable is malformed",
    '{"$punct": {"symbol": "A"}}': "a temporal stream has stables",
    '{"$punct": {"_vs": {"ge": 5, "le": 8}}}': "a temporal stream has stables",
    '{"$punct": {"_ve": {"le": 8}}}': "a temporal stream has stables",
}


@pytest.mark.parametrize("some", [1, 200])
def test_what_is_no_element_is_rejected_with_the_reason(some: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    good = [
        '{"symbol": "A", "n": 1, "_vs": 6, "_ve": null}',
        '{"symbol": "A", "n": 1, "_vs": 6, "_vold": null, "_ve": 9}',
    ]
    path.write_text("\n".join([*good * some, *BAD, '{"$stable": null}', '{"$punct": {"_vs": {"lt": 4}}}']))
    found = READERS["json"](path, SCHEMA, {})
    assert found.piece.rows.height == 2 * some
    assert set(found.piece.puncts) == {end_of_stream(SCHEMA), stable(4)}
    reasons = {text: reason for _, reason, text in found.rejected.rows()}
    assert len(reasons) == len(BAD)
    for text, reason in BAD.items():
        assert reasons[text].startswith(reason), (text, reasons[text])
    numbered = {text: position for position, _, text in found.rejected.rows() if position}
    assert all(numbered[text] == at for at, text in enumerate(BAD, 2 * some + 1) if text in numbered)


def test_a_stream_of_inserts_has_no_adjusts(tmp_path: Path) -> None:
    path, schema = tmp_path / "file", element_schema(PAYLOAD, inserts=True)
    path.write_text(
        '{"symbol": "A", "n": 1, "_vs": 6, "_ve": 9}\n{"symbol": "A", "n": 1, "_vs": 6, "_ve": 8, "_vold": 9}\n'
    )
    found = READERS["json"](path, schema, {})
    assert to_rows(found.piece.rows) == [("A", 1, 6, 9, None, False, 6)]
    assert [(at, reason.split(":")[0]) for at, reason, _ in found.rejected.rows()] == [(2, "the stream is INSERT ONLY")]


def test_inserts_need_neither_old_ends_nor_a_word_that_they_are_inserts(tmp_path: Path) -> None:
    given = pl.DataFrame({"symbol": ["A"], "n": [1], "_vs": [6], "_ve": [9]})
    given.write_parquet(tmp_path / "a.parquet")
    given.write_csv(tmp_path / "a.csv")
    (tmp_path / "a.xml").write_text("<a><symbol>A</symbol><n>1</n><_vs>6</_vs><_ve>9</_ve></a>")
    options = {"header": "true", "rowTag": "a"}
    found = [READERS[format_](tmp_path / f"a.{format_}", SCHEMA, options) for format_ in ("parquet", "csv", "xml")]
    found.append(from_frame(given, SCHEMA))
    assert [to_rows(each.piece.rows) for each in found] == [[("A", 1, 6, 9, None, False, 6)]] * 4, found[2].rejected


def test_an_end_that_was_infinite_is_told_by_the_column_that_says_so() -> None:
    given = pl.DataFrame(
        {"symbol": ["A", "A"], "n": 1, "_vs": 6, "_ve": [9, 8], "_vold": [None, 9], "_adjust": [True, None]}
    )
    found = from_frame(given.cast({"_vold": pl.Int64}), SCHEMA)
    assert to_rows(found.piece.rows) == [("A", 1, 6, 9, None, True, 9), ("A", 1, 6, 8, 9, True, 8)]
    wrong = from_frame(given.with_columns(_adjust=pl.lit(False)).cast({"_vold": pl.Int64}), SCHEMA)
    assert [reason.split(":")[0] for _, reason, _ in wrong.rejected.rows()] == ["an insert has no old end"]


def test_times_may_be_instants(tmp_path: Path) -> None:
    schema, path = element_schema(PAYLOAD, Type.TIMESTAMP), tmp_path / "file"
    path.write_text(
        '{"symbol": "A", "n": 1, "_vs": "2026-11-15T12:00:00Z", "_ve": null}\n{"$stable": "2026-11-15T12:00:00Z"}'
    )
    found = READERS["json"](path, schema, {})
    assert [str(row[2]) for row in to_rows(found.piece.rows)] == ["2026-11-15 12:00:00+00:00"]
    assert len(found.piece.puncts) == 1 and found.rejected.is_empty()
