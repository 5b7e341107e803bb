"""Values in Avro: what an encoder by the letter of the specification writes is read, and bad bytes harm nobody else."""

import json
import struct
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.engine.kafka.avro import NOT_AVRO, Avro
from punctum.engine.kafka.values import NO_VALUE, Messages, read_values
from punctum.errors import SchemaError
from punctum.operators.columns import to_rows

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIELDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "small": ("int", st.integers(-(2**31), 2**31 - 1)),
    "large": ("long", st.integers(-(2**63), 2**63 - 1)),
    "real": ("double", st.floats(allow_nan=False)),
    "half": ("float", st.floats(width=32, allow_nan=False)),
    "text": ("string", st.text(st.characters(codec="utf-8"), max_size=200)),
    "sure": ("boolean", st.booleans()),
    "maybe": (["null", "string"], st.none() | st.text(max_size=5)),
    "else": (["long", "null"], st.none() | st.integers(-5, 5)),
    "color": ({"type": "enum", "name": "color", "symbols": ["red", "green"]}, st.sampled_from(["red", "green"])),
    "again": ("color", st.sampled_from(["red", "green"])),
    "day": ({"type": "int", "logicalType": "date"}, st.dates(date(1900, 1, 1))),
    "at": (
        {"type": "long", "logicalType": "timestamp-millis"},
        st.integers(0, 10**12).map(lambda ms: EPOCH + timedelta(milliseconds=ms)),
    ),
    "price": (
        {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
        st.decimals(-999999, 999999, places=2),
    ),
    "home": (
        {"type": "record", "name": "home", "fields": [{"name": "n", "type": "long"}, {"name": "s", "type": "string"}]},
        st.tuples(st.integers(-5, 5), st.text(max_size=3)),
    ),
}


def written(kind: Any, value: Any) -> bytes:
    """A value by the letter of the specification."""
    if isinstance(kind, list):
        at = kind.index("null") if value is None else 1 - kind.index("null")
        return written("long", at) + (b"" if value is None else written(kind[at], value))
    name = kind["type"] if isinstance(kind, dict) else kind
    if isinstance(value, datetime):
        value = (value - EPOCH) // timedelta(milliseconds=1)
    elif isinstance(value, date):
        value = (value - EPOCH.date()).days
    match name:
        case "int" | "long":
            n, out = value << 1 if value >= 0 else ~value << 1 | 1, bytearray()
            while n >= 0x80:
                out.append(n & 0x7F | 0x80)
                n >>= 7
            return bytes([*out, n])
        case "double":
            return bytes(struct.pack("<d", value))
        case "float":
            return bytes(struct.pack("<f", value))
        case "string":
            text: bytes = value.encode()
            return written("long", len(text)) + text
        case "boolean":
            return bytes([value])
        case "enum" | "color":
            return written("long", ["red", "green"].index(value))
        case "bytes":
            data = int(value.scaleb(2)).to_bytes(8, "big", signed=True)
            return written("long", len(data)) + data
        case "record":
            return b"".join(written(f["type"], v) for f, v in zip(kind["fields"], value, strict=True))
    raise AssertionError(name)


def schema_of(names: list[str]) -> str:
    fields = [{"name": name, "type": FIELDS[name][0]} for name in names]
    return json.dumps({"type": "record", "name": "row", "fields": fields})


def drawn(data: st.DataObject, names: list[str]) -> list[Any]:
    return [data.draw(FIELDS[name][1], name) for name in names]


NAMES = [name for name in FIELDS if name != "again"]


@examples(300)
@given(st.data(), st.lists(st.sampled_from(NAMES), unique=True, min_size=1), st.integers(0, 6))
def test_what_is_written_is_read(data: st.DataObject, names: list[str], count: int) -> None:
    names += ["again"] if "color" in names else []
    rows = [drawn(data, names) for _ in range(count)]
    values = [b"".join(written(FIELDS[n][0], v) for n, v in zip(names, row, strict=True)) for row in rows]
    read, bad = Avro(schema_of(names)).read(values)
    assert not bad.any()
    given_home = [[dict(zip("ns", v, strict=True)) if isinstance(v, tuple) else v for v in row] for row in rows]
    assert [list(row) for row in read.rows()] == given_home


@examples(500)
@given(st.data(), st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
def test_bad_bytes_are_a_fault_of_their_own_message(data: st.DataObject, names: list[str]) -> None:
    avro, values = Avro(schema_of(names)), list[bytes]()
    for _ in range(data.draw(st.integers(0, 6))):
        good = b"".join(written(FIELDS[n][0], v) for n, v in zip(names, drawn(data, names), strict=True))
        cut = data.draw(st.integers(0, len(good)))
        values.append(
            data.draw(
                st.sampled_from([good, good[:cut], good + b"\0", b"\xff" * 12, good[:cut] + b"\x01" + good[cut:]])
            )
        )
    together, bad = avro.read(values)
    alone = [avro.read([value]) for value in values]
    assert bad.tolist() == [bool(wrong[0]) for _, wrong in alone]
    assert together.rows() == [row for rows, _ in alone for row in rows.rows()]


def test_messages_in_avro() -> None:
    schema = Schema(
        (
            Attribute("price", Type.DECIMAL, digits=(4, 2)),
            Attribute("_offset", Type.BIGINT),
            Attribute("text", Type.STRING),
        )
    )
    kinds = [FIELDS["price"][0], FIELDS["text"][0]]

    def value(price: str, text: str) -> bytes:
        return b"\0\0\0\0\7" + written(kinds[0], Decimal(price)) + written(kinds[1], text)

    values = [
        value("1.50", "a"),
        b"\1" + value("1", "a")[1:],
        None,
        b'{"$punct": {"text": "a"}}',
        value("100.00", "b"),
        value("2", ""),
    ]
    options = {"format": "avro", "avroSchema": schema_of(["price", "text"]), "confluent": "true"}
    read = read_values(Messages(0, np.arange(10, 16), values), schema, options)
    assert to_rows(read.piece.rows) == [(Decimal("1.50"), 10, "a"), (Decimal("2.00"), 15, "")]
    assert read.piece.constants["text"].to_list() == ["a"]
    reasons = read.rejected["reason"].to_list()
    assert read.rejected["position"].to_list() == [11, 12, 14]
    assert reasons == [NOT_AVRO, NO_VALUE, "the column price has a wrong value: expected DECIMAL(4,2)"]


@pytest.mark.parametrize(
    ("schema", "error"),
    [
        ("no", "is not JSON"),
        ('"long"', "not that of a record"),
        ('{"type": "record", "name": "r", "fields": []}', "has no field n"),
        ('{"type": "record", "name": "r", "fields": [{"name": "n", "type": "string"}]}', "does not fit its column"),
        (
            '{"type": "record", "name": "r", "fields": [{"name": "n", "type": {"type": "array", "items": "long"}}]}',
            "array",
        ),
        ('{"type": "record", "name": "r", "fields": [{"name": "n", "type": ["int", "string"]}]}', "several types"),
    ],
)
def test_schemas_that_are_not_read(schema: str, error: str) -> None:
    with pytest.raises(SchemaError, match=error):
        read_values(Messages(0, np.arange(0), []), Schema.of(n="BIGINT"), {"format": "avro", "avroSchema": schema})
