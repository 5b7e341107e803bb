"""What the CSV sink writes, the reader of CSV reads: the same values, whatever the options. Python's module agrees."""

import csv
import io
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.reading import digited, elements, fits, positions
from engine.values import HARD
from punctum.algebra.json import to_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import SCALARS, Row
from punctum.engine.formats.csv import read_csv
from punctum.engine.formats.write import write_csv
from punctum.errors import CodecError
from punctum.operators.columns import canonical, frame
from strategies import punctuations, rows

S = Schema.of(s="STRING")
NS = Schema.of(n="BIGINT", s="STRING")
STRANGE = ["\ufeff", "", " a ", "a\rb", "a\n", '"', 'x"y', ",", "\u2028", "#x", "NULL", "\\", None, "\t", "é", '""']
EVERY = Schema(tuple(Attribute(f"{kind.value}, x", kind, digits=(10, 2)) for kind in SCALARS))
Case = tuple[Schema, list[Row], list[Punctuation] | None, dict[str, str]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    schema = draw(digited())
    some = [t for t in draw(st.lists(rows(schema, anything=True), max_size=5)) if fits(t, schema)]
    said = draw(st.none() | st.lists(punctuations(schema), max_size=3))
    options = {"header": draw(st.sampled_from(["true", "false"])), "sep": draw(st.sampled_from(",;\t|"))}
    return schema, some, said, options | {"nullValue": draw(st.sampled_from(["NULL", "x", "-"]))}


def written(schema: Schema, some: list[Row], said: list[Punctuation] | None, options: dict[str, str]) -> bytes:
    with TemporaryDirectory() as directory:
        path = Path(directory) / "file"
        write_csv(path, canonical(frame(schema, some)), said, schema, options)
        return path.read_bytes()


@given(cases())
@example((NS, [(n, s) for n in (1, None) for s in STRANGE], [Punctuation.of(NS, s='a, "b"')], {}))
@example((NS, [(17, s) for s in STRANGE], None, {"header": "true", "nullValue": "NULL"}))
@example((S, [(s,) for s in STRANGE], [Punctuation.of(S, s="")], {}))
@example((S, [("\ufeff",), ("",)], None, {}))
@example((S, [], [], {"header": "true"}))
@example((EVERY, [tuple(HARD[k][i % len(HARD[k])] for k in SCALARS) for i in range(30)], None, {"header": "true"}))
def test_what_is_written_is_read(case: Case) -> None:
    """All but a zero byte, which no line may hold."""
    schema, some, said, options = case
    some = [t for t in some if not any("\0" in v for v in t if isinstance(v, str))]
    data = written(schema, some, said, options)
    found = read_csv(data, schema, options)
    assert positions(found) == []
    assert elements(found, schema) == Counter([*some, *(said or [])])
    text = io.StringIO(data.decode(), newline="")
    records = list(csv.reader(text, delimiter=options.get("sep", ","), strict=True))
    assert len(records) == len(some) + len(said or []) + (options.get("header") == "true")
    assert {len(record) for record in records} <= {len(schema) + (said is not None)}
    if said:
        assert [record[-1] for record in records[-len(said) :]] == [to_json(p, schema) for p in said]


def test_what_cannot_be_written_is_an_error() -> None:
    with pytest.raises(CodecError, match="a NULL cannot be written") as caught:
        written(S, [("a",), (None,)], None, {})
    assert caught.value.hint == "add a nullValue to the sink, such as nullValue 'NULL'"
    assert written(S, [("a",), (None,)], None, {"nullValue": "NULL"}) == b"a\nNULL\n"
    assert written(S, [("",), ("a",)], None, {}) == b'""\na\n'
    with pytest.raises(CodecError, match="a value cannot be written"):
        written(NS, [(0, "a"), (None, "0")], None, {"nullValue": "0"})
    assert written(NS, [(1, "0"), (None, "a")], None, {"nullValue": "0"}) == b'1,"0"\n0,a\n'
