"""Rows as lines of JSON: Python reads from them what was in the columns, whatever their times and texts."""

import json
import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from punctum.algebra.schema import Schema
from punctum.engine.formats.write import MANY, json_lines
from punctum.operators.columns import dtype

SCHEMA = Schema.of(n="BIGINT", ok="BOOLEAN", s="STRING", day="DATE", at="TIMESTAMP", here="TIMESTAMP_NTZ", x="DOUBLE")
CHARACTERS = ["a", "é", "😀", '"', "\\", "/", "\n", "\r", "\t", "\0", "\x1f", "\x7f", "\u2028", "<"]
FIRST, LAST = datetime.min, datetime.max


def rows(many: int, begin: datetime, span: timedelta, nulls: float) -> list[dict[str, Any]]:
    """Rows with times within a span."""
    chance = random.Random(17)

    def row() -> dict[str, Any]:
        at = begin + timedelta(microseconds=chance.randrange(span // timedelta(microseconds=1)))
        text = "".join(chance.choices(CHARACTERS, k=chance.randrange(5)))
        values = [
            chance.randrange(-(2**63), 2**63),
            chance.random() < 0.5,
            text,
            at.date(),
            at.replace(tzinfo=UTC),
            at,
            0.5,
        ]
        return {n: None if chance.random() < nulls else v for n, v in zip(SCHEMA.names, values, strict=True)}

    return [row() for _ in range(many)]


def expected(value: object) -> object:
    """What stands for a value in JSON."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(timespec="microseconds") + ("Z" if value.tzinfo else "")
    return value.isoformat() if isinstance(value, date) else value


@pytest.mark.parametrize("many", [1, 2 * MANY])
@pytest.mark.parametrize("nulls", [0, 0.3])
@pytest.mark.parametrize("columns", [SCHEMA.names, SCHEMA.names[:-1]])
@pytest.mark.parametrize(
    ("begin", "span"),
    [
        (datetime(1969, 12, 31, 23, 59), timedelta(minutes=2)),
        (FIRST, timedelta(seconds=3)),
        (LAST - timedelta(seconds=3), timedelta(seconds=3)),
        (FIRST, LAST - FIRST),
    ],
)
def test_python_reads_what_was_written(
    many: int, nulls: float, columns: tuple[str, ...], begin: datetime, span: timedelta
) -> None:
    given, schema = rows(many, begin, span, nulls), Schema(tuple(a for a in SCHEMA.attributes if a.name in columns))
    frame = pl.DataFrame(given, schema={a.name: dtype(a) for a in SCHEMA.attributes}, orient="row").select(columns)
    lines = json_lines(frame, schema).to_list()
    read = [json.loads(line, object_pairs_hook=list) for line in lines]
    assert read == [[(name, expected(row[name])) for name in columns] for row in given]


def test_no_rows_are_no_lines() -> None:
    assert json_lines(pl.DataFrame(schema={"n": pl.Int64}), Schema.of(n="BIGINT")).to_list() == []
