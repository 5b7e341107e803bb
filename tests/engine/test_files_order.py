"""Every format gives the elements of a file with their places: put in order, they are the file again."""

import json
import random
from pathlib import Path

import polars as pl
import pytest

from punctum.algebra.functions import Element
from punctum.algebra.json import from_json
from punctum.algebra.schema import Schema
from punctum.engine.formats.files import READERS, from_frame
from punctum.engine.formats.read import Read
from punctum.operators.batch import constant_punctuations
from punctum.operators.columns import to_rows

SCHEMA = Schema.of(k="BIGINT", s="STRING")


def lines(count: int) -> list[str]:
    """Elements as JSON; a few rows are written so that no fast road takes them."""
    chance, made = random.Random(count), list[str]()
    for n in range(count):
        row = json.dumps({"k": n, "s": f"s{n}"})
        odd = f'{{"s": "s{n}", "other{n}": {{}}, "k": {n}}}'
        puncts = (
            f'{{"$punct": {{"k": {n}}}}}',
            f'{{"$punct": {{"k": {{"le": {n}}}}}}}',
            f'{{"$punct": {{"s": "s{n}"}}}}',
        )
        made.append(chance.choice([row, row, row, odd, *puncts]))
    return made


def read(format_: str, path: Path, given: list[str]) -> Read:
    elements = [from_json(line, SCHEMA) for line in given]
    rows = [(None, None, line) if "$punct" in line else (*e, None) for line, e in zip(given, elements, strict=True)]  # type: ignore[misc]
    frame = pl.DataFrame(rows, {"k": pl.Int64, "s": pl.String, "_punct": pl.String}, orient="row")
    match format_:
        case "json":
            path.write_text("\n".join(given))
        case "csv":
            frame.write_csv(path, include_header=False)
        case "parquet":
            frame.write_parquet(path)
        case "xml":
            path.write_text("".join(map(_xml, given)))  # all in one line
        case "frame":
            return from_frame(frame, SCHEMA)
        case _:
            return from_frame(pl.DataFrame({"_line": given}), SCHEMA)
    return READERS[format_](path, SCHEMA, {"rowTag": "row"})


def _xml(line: str) -> str:
    data = json.loads(line)
    if "$punct" not in data:
        return f"<row><k>{int(data['k'])}</k><s>{data['s']}</s></row>"
    ((name, side),) = data["$punct"].items()
    return f"<punct:row><{name}>{_pattern(side)}</{name}></punct:row>"


def _pattern(side: object) -> str:
    return f"(,{side['le']}]" if isinstance(side, dict) else str(side)


@pytest.mark.parametrize("format_", ["json", "csv", "parquet", "xml", "frame", "lines"])
@pytest.mark.parametrize("count", [0, 3, 300])
def test_places_are_those_of_the_file(format_: str, count: int, tmp_path: Path) -> None:
    given = lines(count)
    piece = read(format_, tmp_path / "file", given).piece
    assert piece.places is not None
    placed: list[tuple[int, Element]] = list(zip(piece.places.rows, to_rows(piece.rows), strict=True))
    placed += zip(piece.places.puncts, piece.puncts, strict=True)
    for name, values in piece.constants.items():
        puncts = constant_punctuations(SCHEMA, SCHEMA.index(name), values)
        placed += zip(piece.places.constants[name], puncts, strict=True)
    assert piece.places.rows.is_sorted()
    assert [element for _, element in sorted(placed, key=lambda pair: pair[0])] == [from_json(x, SCHEMA) for x in given]
