"""The values of messages: what is read of them, and where."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.algebra.json import from_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.engine.kafka.values import NO_VALUE, SEVERAL, Messages, read_values
from punctum.errors import PunctumError
from punctum.operators.columns import to_rows

BID = Schema.of(item="BIGINT", by="STRING")
BESIDE = Schema.of(_offset="BIGINT", item="BIGINT", _key="STRING", _timestamp="TIMESTAMP", _partition="BIGINT")
JSON_VALUES = [
    b'{"item": 1, "by": "a"}',
    b'{"item": 2,\n "by": "b\\nc"}',
    b'{"item": 3, "by": "\xff"}',
    b'{"item": "x", "by": "a"}',
    b'{"$punct": {"item": 1}}',
    b'{"$punct": {"item": {"lt":\n 5}}}',
    b'{"$punct": {"nothing": 1}}',
    b'{"item": 4, "by": "$punct"}',
    b'\xef\xbb\xbf{"item": 5, "by": "a"}',
    b"oops\noops",
    b"\n",
    b" ",
    b"",
    None,
]


def messages(values: list[bytes | None], first: int = 10) -> Messages:
    """Messages whose offsets have gaps."""
    return Messages(2, np.arange(first, first + 3 * len(values), 3), values)


@examples(300)
@given(st.lists(st.sampled_from(JSON_VALUES), max_size=200))
def test_json_values_are_read_one_by_one(values: list[bytes | None]) -> None:
    read, bad = read_values(messages(values), BID, {}), list[int]()
    wanted, puncts = list[tuple[int, Any]](), list[tuple[int, Any]]()
    for n, value in enumerate(values):
        try:
            if value is None or not value.strip():
                raise PunctumError(NO_VALUE)
            element = from_json(value.decode(), BID)
            (puncts if isinstance(element, Punctuation) else wanted).append((10 + 3 * n, element))
        except (PunctumError, UnicodeDecodeError):
            bad.append(10 + 3 * n)
    rows = to_rows(read.piece.rows)
    assert [(read.place(n)[0], row) for n, row in enumerate(rows)] == wanted
    assert read.rejected["position"].to_list() == bad
    closed = {Punctuation.of(BID, item=value) for value in read.piece.constants.get("item", [])}
    assert closed | set(read.piece.puncts) == {p for _, p in puncts}


CSV_VALUES = [
    b"1,a",
    b'2,"b, c"',
    b'3,"d\ne"',
    b'4,"open',
    b'open",5',
    b"5,e\n",
    b"6,f\n7,g",
    b"8",
    b"9,a,b",
    b"10,",
    b"\xef\xbb\xbf11,a",
    b"",
    b" ",
]


@examples(300)
@given(st.lists(st.sampled_from(CSV_VALUES), max_size=30))
def test_a_csv_value_is_one_record_whatever_stands_before_it(values: list[bytes | None]) -> None:
    known = {
        b"1,a": (1, "a"),
        b'2,"b, c"': (2, "b, c"),
        b'3,"d\ne"': (3, "d\ne"),
        b"5,e\n": (5, "e"),
        b"10,": (10, None),
    }
    read = read_values(messages(values), BID, {"format": "csv"})
    good = [(10 + 3 * n, known[v]) for n, v in enumerate(values) if v is not None and v in known]
    assert [(read.place(n)[0], row) for n, row in enumerate(to_rows(read.piece.rows))] == good
    assert read.rejected["position"].to_list() == [10 + 3 * n for n, v in enumerate(values) if v not in known]


def test_a_punctuation_of_csv_is_json() -> None:
    read = read_values(messages([b"1,a", b'{"$punct": {"item": 1}}', b"1,b"]), BID, {"format": "csv"})
    assert read.piece.constants["item"].to_list() == [1]
    assert read.piece.places is not None
    assert read.piece.places.rows.to_list() == [1, 3]
    assert read.piece.places.constants["item"].to_list() == [2]
    broken = read_values(messages([b"1,a\n2,b"]), BID, {"format": "csv"})
    assert broken.rejected.rows() == [(10, SEVERAL, "1,a\n2,b")]


@pytest.mark.parametrize("format_", ["json", "csv"])
def test_columns_beside_values(format_: str) -> None:
    time = datetime(2026, 11, 18, 12, tzinfo=UTC)
    row = b'{"item": 1}' if format_ == "json" else b"1"
    given = Messages(
        2,
        np.array([5, 6, 9, 10]),
        [row, b"", b'{"$punct": {"_offset": {"le": 9}, "item": 4}}', row],
        keys=[b"k", None, None, b"\xff"],
        timestamps=[int(time.timestamp() * 1000) + n for n in range(4)],
    )
    read = read_values(given, BESIDE, {"format": format_})
    later = datetime(2026, 11, 18, 12, 0, 0, 3000, tzinfo=UTC)
    assert to_rows(read.piece.rows) == [(5, 1, "k", time, 2), (10, 1, "\\xff", later, 2)]
    assert [str(p) for p in read.piece.puncts] == ["<(,9], 4, *, *, *>"]
    assert read.rejected.rows() == [(6, NO_VALUE, "")]


def test_headers() -> None:
    pair = Attribute("", Type.STRUCT, parts=(Attribute("key", Type.STRING), Attribute("value", Type.STRING)))
    schema = Schema((Attribute("item", Type.BIGINT), Attribute("_headers", Type.ARRAY, parts=(pair,))))
    given = Messages(0, np.array([1, 2]), [b'{"item": 1}'] * 2, headers=[[("a", b"x"), ("a", None)], None])
    rows = to_rows(read_values(given, schema, {}).piece.rows)
    assert rows == [(1, (("a", "x"), ("a", None))), (1, ())]
