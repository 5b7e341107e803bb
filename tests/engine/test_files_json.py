"""JSON lines: the fast road and the exact one agree on every file, and one bad line does not lose its neighbours."""

import json
import random
from collections import Counter
from collections.abc import Set
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.reading import digited, elements, fits, mutated, positions
from lanes import examples
from punctum.algebra.functions import Element
from punctum.algebra.json import from_json, to_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import SCALARS, Type
from punctum.engine.formats import json as reader
from punctum.engine.formats.json import shape_of
from punctum.errors import PunctumError
from strategies import punctuations, rows

TRICKY = [
    "null", "true", "false", "0", "-0", "1", "-1", "1.0", "-0.0", "0.5", "1.50", "1.505", "99.99", "1e2",
    "1E+2", "1e-2", "1e400", "-1e400", "1e-400", "1e308", "1e309", "9007199254740993", "9223372036854775807",
    "-9223372036854775808", "9223372036854775808", "123456789012345678901234567890.5", "1" * 400, "1" * 5000,
    "0." + "1" * 60, "00", "01", "1.", ".5", "+1", "-", "1e", "0x1", "NaN", "Infinity", "-Infinity",
    "1e99999999999999999999", "1_0", '""', '"x"', '"a\\tb"', '"a\tb"', '"\\u0000"', '"\\ud800"',
    '"\\ud83d\\ude00"', '"\\ud83d\\ud83d"', '"\\udc00\\ud800"', '"\\u00e9"', '"é😀"', '"\u2028\x85"', '"\\x"',
    '"\\', '"NULL"', '"true"', '"NaN"', '"Infinity"', '"-Infinity"', '"1"', '"1.5"', '"1.50"', '"-0.00"',
    '"+1.5"', '"1e2"', '".5"', '" 1"', '"1_0"', '"99999999.99"', '"１"', '"2026-11-15"', '"2026-02-30"',
    '"2026-02-29"', '"2024-02-29"', '"0000-01-01"', '"0001-01-01"', '"9999-12-31"', '"20261115"',
    '"2026-W46-7"', '"2026-1-1"', '"10000-01-01"', '"2026-13-01"', '"2026-11-15T12:00:00"',
    '"2026-11-15 12:00:00"', '"2026-11-15T12:00:00Z"', '"2026-11-15T12:00:00.5+02:00"',
    '"2026-11-15T12:00:00.123456-23:59"', '"2026-11-15T12:00:00.1234567Z"', '"2026-11-15T24:00:00Z"',
    '"2026-11-15T12:00:60Z"', '"2026-11-15T12:00"', '"2026-11-15T12:00:00+24:00"',
    '"2026-11-15T12:00:00-00:00"', '"0001-01-01T00:00:00+00:01"', '"0000-12-31T23:59:59-00:01"',
    '"9999-12-31T23:59:59.999999-00:01"', '"2026-11-15T12:00:00z"', '"2026-11-15t12:00:00"',
    '"2026-02-30T12:00:00Z"', "{}", '{"a": 1}', '{"a": 1, "a": 2}', "[]", "[1, 2]",
    "\"INTERVAL '1 02:03:04.5' DAY TO SECOND\"", "\"INTERVAL '-0 25:00:60' DAY TO SECOND\"",
    "\"INTERVAL '999999999 00:00:00' DAY TO SECOND\"", "\"INTERVAL '1' DAY\"",
    "\"INTERVAL '- 1 00:00:00' DAY TO SECOND\"",
    '[{"a": 1}, {"a": 1, "a": 1}]', '[[[[1]]]]', '{"$punct": {}}',
]  # fmt: skip
KEYS = ["extra", "", "é", 'q"', "a0", "$punct", "a\\b", "a.c"]


@st.composite
def lines(draw: st.DrawFn, schema: Schema) -> str:
    """A row in some spelling, or a punctuation."""
    if draw(st.integers(0, 5)) == 0:
        return to_json(draw(punctuations(schema)), schema)
    good = json.loads(to_json(draw(rows(schema, anything=draw(st.booleans()))), schema))
    pairs = [(name, json.dumps(value, ensure_ascii=draw(st.booleans()))) for name, value in good.items()]
    if draw(st.booleans()):
        at = draw(st.integers(0, len(pairs) - 1))
        pairs[at] = (pairs[at][0], draw(st.sampled_from(TRICKY)))
    for _ in range(draw(st.integers(0, 2))):
        pairs.insert(draw(st.integers(0, len(pairs))), (draw(st.sampled_from(KEYS)), draw(st.sampled_from(TRICKY))))
    if draw(st.integers(0, 5)) == 0:
        pairs = draw(st.permutations(pairs))
    space = draw(st.sampled_from(["", " ", "\t"]))
    ascii_keys = draw(st.booleans())
    written = (f"{json.dumps(key, ensure_ascii=ascii_keys)}{space}:{space}{value}" for key, value in pairs)
    return space + "{" + f"{space},{space}".join(written) + "}" + space


@st.composite
def files(draw: st.DrawFn) -> tuple[Schema, bytes]:
    schema = draw(digited())
    some = draw(st.lists(lines(schema) | st.sampled_from(["", " ", "{}", "[]", "{", "1"]), min_size=1, max_size=5))
    some = [line for line in some for _ in range(draw(st.integers(1, 2)))]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    data = end.join(some).encode() + draw(st.sampled_from([b"", b"\n"]))
    if draw(st.booleans()):
        data = mutated(data, random.Random(draw(st.integers(0, 2**32))))
    return schema, draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + data


def oracle(data: bytes, schema: Schema, missing: bool = False) -> tuple[Counter[Element], list[int]]:
    """Line by line with the codec; columns that are missing may be NULL."""
    found: Counter[Element] = Counter()
    rejected = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip(b" \t\r\n"):
            continue
        try:
            element = from_json(line.decode(), schema, frozenset(schema.names) if missing else frozenset())
            if not fits(element, schema):
                raise ValueError
            found[element] += 1
        except (PunctumError, ValueError):
            rejected.append(number)
    return found, rejected


read_json = partial(reader.read_json, few=1)
"""The fast road for small files, too."""
N = Schema.of(a0="BIGINT")
X = Schema.of(a0="DOUBLE", a1="STRING")


@given(files())
@example((N, b'{"a0": 1}\n{"a0": 1}{"a0": 2}\n{"a0":\n1}\n'))
@example((N, b'{"a0": 1, "b": 1}\n{"a0": 1, "b": 1, "b": 1}\n{"b": 1}\n{"a0": 1, "b": 1'))
@example((N, b'{"a0": 1}\n{"a0": "$punct"}\n{"\\u0024punct": {}}\n{"a0": 1, "x": "\\"$punct\\""}\n'))
@example((X, b'{"a0": 1, "a1": ""}\n{"a0": 1e400, "a1": ""}\n{"a0": -0.0, "a1": "\\u0000"}\n{"a0": 1, "a1": "\xff"}'))
@example((N, b'{"a0": 1, "x": ' + b"[" * 3000 + b"]" * 3000 + b'}\n{"a0": 1, "x": []}'))
def test_both_roads_agree(case: tuple[Schema, bytes]) -> None:
    schema, data = case
    read = read_json(data, schema, {})
    expected, rejected = oracle(data, schema)
    assert elements(read, schema) == expected
    assert positions(read) == rejected


@given(files())
@example((X, b'{"a0": 1}\n{"a1": "x"}\n{}\n{}\n{"b": [1]}\n{"a0": "x"}\n{"a1": null}'))
@examples(50)
def test_both_roads_agree_where_columns_are_missing(case: tuple[Schema, bytes]) -> None:
    schema, data = case
    read = read_json(data, schema, {"missing": "null"})
    assert (elements(read, schema), positions(read)) == oracle(data, schema, missing=True)


@pytest.mark.parametrize("kind", list(SCALARS))
def test_every_spelling_of_every_type(kind: Type) -> None:
    """The first line makes the shape, so that the others meet the fast road when they can."""
    schema = Schema((Attribute("a", kind, digits=(5, 2)),))
    pairs = [("null", "1"), *((each, "1") for each in TRICKY), *(("null", each) for each in TRICKY)]
    data = "\n".join(f'{{"a": {one}, "b": {two}}}' for one, two in pairs).encode()
    read = read_json(data, schema, {})
    assert (elements(read, schema), positions(read)) == oracle(data, schema)


def test_plain_lines_take_the_fast_road(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with a few bad ones among them, extra columns and DECIMALs; only the bad ones are read exactly."""
    schema = Schema(
        (
            Attribute("n", Type.BIGINT),
            Attribute("price", Type.DECIMAL, digits=(38, 2)),
            Attribute("s", Type.STRING),
            Attribute("ts", Type.TIMESTAMP),
        )
    )
    line = '{{"n": {}, "price": {}.10, "s": "é\\n{}", "x": {{"y": [1, null]}}, "ts": "2026-11-15T12:00:0{}.5+02:00"}}'
    data = [line.format(n, n * 10**30, n, n % 10) for n in range(1000)]
    data[500], data[700] = '{"n": 1.5}', data[700][:-3]
    exactly: list[str] = []

    def counted(text: str, schema: Schema, missing: Set[str]) -> Element:
        exactly.append(text)
        return from_json(text, schema, missing)

    monkeypatch.setattr(reader, "from_json", counted)
    content = "\n".join(data).encode()
    read = read_json(content, schema, {})
    assert len(exactly) == 2
    assert (elements(read, schema), positions(read)) == oracle(content, schema)
    assert positions(read) == [501, 701]


def test_a_few_orders_of_keys_take_the_fast_road(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema.of(a="BIGINT", b="BIGINT", c="BIGINT")
    chance = random.Random(7)
    lines = []
    for n in range(300):
        keys = [*"abc"]
        chance.shuffle(keys)
        lines.append(json.dumps(dict.fromkeys(keys, n)))
    monkeypatch.setattr(reader, "from_json", lambda *_: pytest.fail("read exactly"))
    assert elements(read_json("\n".join(lines).encode(), schema, {}), schema) == Counter((n, n, n) for n in range(300))


def test_a_million_columns_of_shapes_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line has keys of its own: after some shapes the rest is read exactly."""
    made: list[bytes] = []

    def counted(line: bytes, schema: Schema, missing: Set[str]) -> str | None:
        made.append(line)
        return shape_of(line, schema, missing)

    monkeypatch.setattr(reader, "shape_of", counted)
    data = "\n".join(json.dumps({"a0": n, f"x{n}": 1}) for n in range(500)).encode()
    assert elements(read_json(data, N, {}), N) == Counter((n,) for n in range(500))
    assert len(made) <= 16


def test_hundreds_of_columns() -> None:
    schema = Schema.of(**{f"column{n}": "STRING" for n in range(600)})
    row = tuple(f"value {n}" for n in range(600))
    data = "\n".join([to_json(row, schema)] * 3).encode()
    assert elements(read_json(data, schema, {}), schema) == Counter({row: 3})


def test_a_long_line() -> None:
    long = "x" * 20_000_000
    data = "\n".join(json.dumps({"a0": 1.5, "a1": text}) for text in ("a", long, "b")).encode()
    assert elements(read_json(data, X, {}), X) == Counter([(1.5, "a"), (1.5, long), (1.5, "b")])


def test_what_is_rejected_says_where_and_why() -> None:
    data = b'{"a0": 1}\n{"a0": "two"}\r\n\n{"a0": 9223372036854775808}\n\xff\xfe\n{"a0": \x001}\n'
    data += b'{"$punct": {"b": 1}}\n{"a0"'
    found = read_json(data, N, {}).rejected.rows()
    assert [(position, text) for position, _, text in found] == [
        (2, '{"a0": "two"}'),
        (4, '{"a0": 9223372036854775808}'),
        (5, "\\xff\\xfe"),
        (6, '{"a0": \x001}'),
        (7, '{"$punct": {"b": 1}}'),
        (8, '{"a0"'),
    ]
    assert found[0][1] == 'the column a0 has a wrong value: expected BIGINT, found "two" (BIGINT takes int of 64 bits)'
    assert found[2][1].startswith("a line is not UTF-8")
    assert found[4][1] == "a punctuation names an unknown column b (available: a0)"


def test_punctuations_come_as_columns_of_constants() -> None:
    schema = Schema.of(n="BIGINT", s="STRING")
    said = [Punctuation.of(schema, n=7), Punctuation.of(schema, s="x"), Punctuation.of(schema, n=7, s="y")]
    read = read_json("\n".join(to_json(p, schema) for p in said).encode(), schema, {})
    assert {name: values.to_list() for name, values in read.piece.constants.items()} == {"n": [7], "s": ["x"]}
    assert read.piece.puncts == (said[2],)
