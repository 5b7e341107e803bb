"""Comma-separated values, held against Python's own module."""

import csv
import io
import random
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.reading import digited, elements, fits, mutated, positions
from punctum.algebra.functions import Element
from punctum.algebra.json import from_json, to_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import SCALARS, Type, Value, value_from_text, value_text
from punctum.engine.formats.csv import read_csv
from punctum.errors import PunctumError, SchemaError
from strategies import punctuations, rows

NS = Schema.of(n="BIGINT", s="STRING")
WRONG = [
    "x",
    "1.5",
    " 1",
    "1_0",
    "+1",
    "007",
    "NULL",
    "true",
    "True",
    "1e400",
    "nan",
    "-0",
    "1e5",
    "２",
    "1.505",
    "\\N",
]
WRONG += ["9223372036854775808", "a\0b", '5" disk', "\r"]
WRONG += ["2026-02-30", "2026-11-15 12:00:00", "2026-11-15T12:00:00.5+02:00", 'a "b", c', "two\nlines", "a\r\nb"]


@st.composite
def records(draw: st.DrawFn, schema: Schema, null: str) -> list[str]:
    """A row or a punctuation as fields, the last one for the punctuation."""
    if draw(st.integers(0, 4)) == 0:
        return [null] * len(schema) + [to_json(draw(punctuations(schema)), schema)]
    values = draw(rows(schema, anything=draw(st.booleans())))
    fields = [null if v is None else v if isinstance(v, str) else value_text(v) for v in values]
    if draw(st.booleans()):
        fields[draw(st.integers(0, len(fields) - 1))] = draw(st.sampled_from(WRONG))
    return [*fields, null]


@st.composite
def files(draw: st.DrawFn) -> tuple[Schema, bytes, dict[str, str]]:
    schema, null, sep = draw(digited()), draw(st.sampled_from(["", "\\N"])), draw(st.sampled_from(",;\t|"))
    header, said = draw(st.booleans()), draw(st.booleans())
    names = [*schema.names, "_punct"]
    out = io.StringIO(newline="")
    quoting: Any = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(out, delimiter=sep, quoting=quoting, lineterminator=draw(st.sampled_from(["\n", "\r\n"])))
    some = draw(st.lists(records(schema, null), max_size=6))
    order = draw(st.permutations(range(len(names)))) if header else range(len(names))
    for record in ([names] if header else []) + some:
        writer.writerow([record[i] for i in order if said or i < len(schema)])
    data = out.getvalue().encode(errors="surrogatepass")
    if draw(st.booleans()):
        data = mutated(data, random.Random(draw(st.integers(0, 2**32))))
    return schema, data, {"Header": str(header).lower(), "sep": sep, "nullValue": null}


def record_at(lines: list[str], at: int, sep: str, counts: set[int]) -> tuple[list[str] | None, int]:
    """The fields of the record that starts with a line, and the line behind it."""
    for end in range(at + 1, len(lines) + 1):
        try:
            (fields,) = csv.reader(io.StringIO("".join(lines[at:end]), newline=""), delimiter=sep, strict=True)
        except csv.Error as error:
            if "unexpected end" in str(error):
                continue
            break
        except ValueError:  # not one record: the end of a line without its end
            break
        if not counts or len(fields) in counts:
            return fields, end
        break
    return None, at + 1


def oracle(data: bytes, schema: Schema, options: dict[str, str]) -> tuple[Counter[Element], list[int]]:
    """Python's module finds the fields, the algebra reads them."""
    found: Counter[Element] = Counter()
    rejected = []
    text = data.removeprefix(b"\xef\xbb\xbf").decode(errors="surrogateescape")
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    sep, at = options["sep"], 0
    while at < len(lines) and not lines[at].strip("\r\n"):
        at += 1
    names, counts = [*schema.names, "_punct"], {len(schema), len(schema) + 1}
    if options["Header"] == "true" and at < len(lines):
        first, at = record_at(lines, at, sep, set())
        try:
            assert first
            "".join(first).encode()
            assert "\0" not in "".join(first)
            assert all(first.count(name) == 1 for name in schema.names) and first.count("_punct") < 2
        except (AssertionError, UnicodeError):
            return found, [0]
        names, counts = first, {len(first)}
    while at < len(lines):
        start = at
        if not lines[at].strip("\r\n"):
            at += 1
            continue
        fields, at = record_at(lines, at, sep, counts)
        try:
            assert fields is not None
            "".join(fields).encode()
            assert "\0" not in "".join(fields)
            raw = quoted("".join(lines[start:at]), sep)
            assert len(raw) == len(fields)
            pairs = zip(names, zip(fields, raw, strict=True), strict=False)
            found[read(dict(pairs), schema, options["nullValue"])] += 1
        except (AssertionError, UnicodeError, PunctumError):
            rejected.append(start + 1)
    return found, rejected


def quoted(record: str, sep: str) -> list[bool]:
    """Which fields of a record stand in quotes."""
    found, inside, begins = list[bool](), False, True
    for each in record:
        if begins:
            found.append(each == '"')
        begins = each == sep and not inside
        inside ^= each == '"' and found[-1]
    return [*found, *[False] * begins]


def read(fields: dict[str, tuple[str, bool]], schema: Schema, null: str) -> Element:
    if fields.get("_punct", (null, False))[0] != null:
        said = from_json(fields["_punct"][0], schema)
        assert isinstance(said, Punctuation)
        return said
    values: list[Value | None] = []
    for attribute in schema.attributes:
        text, in_quotes = fields[attribute.name]
        if text == null and not (in_quotes and attribute.type is Type.STRING):
            values.append(None)
        elif attribute.type is Type.STRING:
            values.append(text)
        else:
            values.append(value_from_text(text, attribute.type))
            assert values[-1] is not None
    assert fits(tuple(values), schema)
    return tuple(values)


PLAIN = {"Header": "false", "sep": ",", "nullValue": ""}


@given(files())
@example((NS, b'1,"a\n2,b\n3,"c\n', PLAIN))
@example((NS, b'1,"a\n2,b\n3,c"\n4,d\n', PLAIN))
@example((NS, b'x","y\nx","y\nx","y\n', PLAIN))
@example((NS, b"1,a\r2,b\r\n3,c\r", PLAIN))
@example((NS, b'1,""\n2,"\xff\n",\n3,c\n', PLAIN))
@example((NS, b'"",""\n,\n\\N,"\\N"\n', PLAIN))
@example((NS, b'"",""\n,\n"\\N","\\N"\n\\N,\\N\n', PLAIN | {"nullValue": "\\N"}))
@example((Schema.of(s="STRING"), b'""\n\n"a""b"\n" "\n', PLAIN | {"nullValue": "\\N"}))
def test_both_roads_agree_with_the_module(case: tuple[Schema, bytes, dict[str, str]]) -> None:
    schema, data, options = case
    found = read_csv(data, schema, options)
    expected, rejected = oracle(data, schema, options)
    assert elements(found, schema) == expected
    assert positions(found) == rejected


def test_the_header_names_the_columns() -> None:
    data = b'\xef\xbb\xbfextra,s,_punct,n\nx,a,,1\n,,"{""$punct"": {}}",\ny,,,2\n'
    found = read_csv(data, NS, {"header": "TRUE"})
    assert elements(found, NS) == Counter([(1, "a"), (2, None), Punctuation.of(NS)])
    assert positions(found) == []


def test_a_header_that_lacks_a_column_rejects_the_file() -> None:
    (row,) = read_csv(b"n,t\n1,2\n", NS, {"header": "true"}).rejected.rows()
    assert row == (0, "the header has no column s: available: n, t (the stream has (n BIGINT, s STRING))", "n,t")


def test_a_quote_that_is_not_closed_costs_its_own_line() -> None:
    data = b'1,a\n2,"b\n3,c\n4,"d"\n5,"e""\n6,"two\nlines"\n7,g'
    found = read_csv(data, NS, {})
    assert elements(found, NS) == Counter([(1, "a"), (3, "c"), (4, "d"), (6, "two\nlines"), (7, "g")])
    assert positions(found) == [2, 5]


def test_open_quotes_everywhere_take_no_longer() -> None:
    """A hundred thousand lines, each of which could begin a record that goes on to the end."""
    for line in (b'1,"a\n', b'x","y\n', b'1,"""\n', b'"\n'):
        found = read_csv(line * 100_000, NS, {})
        assert len(found.rejected) + len(found.piece.rows) > 0


def test_values_have_their_types() -> None:
    schema = Schema(tuple(Attribute(kind.value, kind, digits=(5, 2)) for kind in SCALARS))
    line = b"17,0.5,1.50,x,true,2026-11-15,2026-11-15T12:00:00+02:00,2026-11-15 12:00:00.25,"
    line += b"INTERVAL '-1 02:03:04.5' DAY TO SECOND\n"
    (row,) = elements(read_csv(line, schema, {}), schema)
    read_back = ["17", "0.5", "1.50", "x", "true", "2026-11-15", "2026-11-15T10:00:00Z", "2026-11-15T12:00:00.250000"]
    read_back.append("INTERVAL '-1 02:03:04.5' DAY TO SECOND")
    assert [value_text(value) for value in row] == read_back  # type: ignore[union-attr]


def test_decimals_are_exact() -> None:
    schema = Schema((Attribute("d", Type.DECIMAL, digits=(38, 18)),))
    data = b"12345678901234567890.123456789012345678\n0.1\n1e2\n123456789012345678901\n0.1234567890123456789\n"
    found = read_csv(data, schema, {})
    assert elements(found, schema) == Counter(
        [(Decimal("12345678901234567890.123456789012345678"),), (Decimal("0.1"),), (Decimal(100),)]
    )
    assert positions(found) == [4, 5]


WRONG_OPTIONS = [{"sep": s} for s in ("", ",,", '"', "é")] + [{"header": "maybe"}, {"nullValue": "a,b"}]


@pytest.mark.parametrize("options", WRONG_OPTIONS)
def test_options_that_make_no_sense(options: dict[str, str]) -> None:
    with pytest.raises(SchemaError):
        read_csv(b"1,2\n", NS, options)
