"""JSON, text and XML: both ways, lossless, and clear about what they cannot read."""

import json
from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from punctum.algebra.functions import Element
from punctum.algebra.json import from_json, to_json
from punctum.algebra.pattern import between, constant
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Schema
from punctum.algebra.text import punctuation_from_text
from punctum.algebra.values import Row
from punctum.algebra.xml import from_xml, to_xml
from punctum.errors import CodecError, PunctumError
from strategies import punctuations, rows, schemas

said = schemas().flatmap(lambda s: punctuations(s, anything=True) | punctuations(s))
some_rows = schemas().flatmap(lambda s: st.tuples(st.just(s), rows(s, anything=True) | rows(s)))
report = Schema.of(sid="STRING", hour="BIGINT", min="BIGINT", currtmp="DOUBLE")
every = Schema.of(
    n="BIGINT", x="DOUBLE", price="DECIMAL", s="STRING", ok="BOOLEAN", day="DATE", ts="TIMESTAMP", at="TIMESTAMP_NTZ"
)


@given(said)
def test_punctuations_round_trip(p: Punctuation) -> None:
    assert from_json(to_json(p, p.schema), p.schema) == p
    assert punctuation_from_text(str(p), p.schema) == p
    assert from_xml(to_xml(p, p.schema, "t"), p.schema, "t") == p
    json.loads(to_json(p, p.schema), parse_constant=pytest.fail)  # strict JSON, without NaN


@given(some_rows)
def test_rows_round_trip(case: tuple[Schema, Row]) -> None:
    schema, row = case
    assert from_json(to_json(row, schema), schema) == row
    try:
        text = to_xml(row, schema, "t")
    except CodecError as error:
        assert error.what == "a row cannot be written as XML"
        assume(False)
    assert from_xml(text, schema, "t") == row


def test_json_as_in_the_design() -> None:
    def read(text: str) -> str:
        return str(from_json(text, report))

    assert read('{"$punct": {}}') == "<*, *, *, *>"
    assert read('{"$punct": {"hour": 17, "sid": null}}') == "<NULL, 17, *, *>"
    assert read('{"$punct": {"hour": {"in": [1, 5]}}}') == "<*, {1,5}, *, *>"
    assert read('{"$punct": {"hour": {"ge": 17, "lt": 20}}}') == "<*, [17,19], *, *>"
    assert read('{"$punct": {"currtmp": {"gt": 95}}}') == "<*, *, *, (95.0,)>"
    assert read('{"$punct": {"hour": {"none": true}}}') == "<*, {}, *, *>"
    assert from_json('{"sid": "S01", "hour": 17, "min": null, "currtmp": 77, "x": 1}', report) == (
        "S01",
        17,
        None,
        77.0,
    )
    assert to_json(end_of_stream(report), report) == '{"$punct": {}}'


def test_xml_as_in_the_paper() -> None:
    row = """
      <tempdata>
        <sid>S01</sid>
        <hour>17</hour>
        <min>30</min>
        <currtmp>77</currtmp>
      </tempdata>"""
    punctuation = """
      <punct:tempdata>
        <sid>*</sid>
        <hour>[17,20)</hour>
        <min>*</min>
        <currtmp>*</currtmp>
      </punct:tempdata>"""
    assert from_xml(row, report, "tempdata") == ("S01", 17, 30, 77.0)
    assert from_xml(punctuation, report, "tempdata") == Punctuation.of(report, hour=between(17, 20, "[)"))


def test_text_is_the_papers_notation() -> None:
    zone = Schema.of(zoneid="BIGINT", hour="BIGINT")
    assert str(punctuation_from_text("<{1,6}, [5,8]>", zone)) == "<{1,6}, [5,8]>"
    assert str(punctuation_from_text("< *,3 >", zone)) == "<*, 3>"
    assert str(Punctuation.of(report, sid=constant("a, b"))) == '<"a, b", *, *, *>'
    assert str(punctuation_from_text("<*,*,*,*,*,*,[2026-11-15T10:00:00Z,2026-11-15T12:00:00Z),*>", every)) == (
        "<*, *, *, *, *, *, [2026-11-15T10:00:00Z,2026-11-15T12:00:00Z), *>"
    )


WRONG_JSON = {
    "{": "a line is not JSON",
    "[1]": "a line is not a JSON object",
    '{"hour": 1, "hour": 2}': "a line is not JSON",
    '{"hour": 1}': "the row has no column sid",
    '{"sid": 1, "hour": 1, "min": 1, "currtmp": 1}': "the column sid has a wrong value",
    '{"sid": "", "hour": 1.5, "min": 1, "currtmp": 1}': "the column hour has a wrong value",
    '{"sid": "", "hour": 1, "min": 1, "currtmp": 1e400}': "the column currtmp has a wrong value",
    '{"sid": "", "hour": 1, "min": 1, "currtmp": true}': "the column currtmp has a wrong value",
    '{"sid": "", "hour": 9223372036854775808, "min": 1, "currtmp": 1}': "the column hour has a wrong value",
    '{"$punct": 5}': "a punctuation is malformed",
    '{"$punct": {}, "sid": 1}': "a punctuation is malformed",
    '{"$punct": {"hours": 5}}': "a punctuation names an unknown column hours",
    '{"$punct": {"hour": "5"}}': "the column hour has a wrong value",
    '{"$punct": {"hour": {"in": 5}}}': "the column hour has a malformed pattern",
    '{"$punct": {"hour": {"in": [1, null]}}}': "the column hour has a malformed pattern",
    '{"$punct": {"hour": {"in": ["x"]}}}': "the column hour has a wrong value",
    '{"$punct": {"hour": {"ge": 1, "gt": 1}}}': "the column hour has a malformed pattern",
    '{"$punct": {"hour": {"ge": null}}}': "the column hour has a malformed pattern",
    '{"$punct": {"hour": {"from": 1}}}': "the column hour has a malformed pattern",
    '{"$punct": {"hour": {}}}': "the column hour has a malformed pattern",
    '{"$punct": {"hour": [1]}}': "the column hour has a malformed pattern",
    '{"$punct": {"hour": {"none": false}}}': "the column hour has a malformed pattern",
    '{"$punct": {"sid": "\\ud800"}}': "the column sid has a wrong value",
}
WRONG_XML = {
    "<tempdata>": "an element is not XML",
    "<!DOCTYPE x><tempdata/>": "an element is not XML",
    "</stream><stream>": "an element is not XML",
    "": "an element does not belong to this stream",
    "<a/><b/>": "an element does not belong to this stream",
    "<other/>": "an element does not belong to this stream",
    "<tempdata><sid>a</sid></tempdata>": "the row has no column hour",
    "<tempdata><sid>a</sid><sid>a</sid></tempdata>": "the column sid is malformed",
    "<tempdata><sid><b/></sid></tempdata>": "the column sid is malformed",
    "<tempdata><sid/><hour/><min>1</min><currtmp>1</currtmp></tempdata>": "the column hour has a wrong value",
    "<tempdata><sid/><hour>NULL</hour><min/><currtmp/></tempdata>": "the column hour has a wrong value",
    "<punct:tempdata><hours>1</hours></punct:tempdata>": "a punctuation names an unknown column hours",
    "<punct:tempdata><hour>x</hour></punct:tempdata>": "'x' is not a BIGINT: the column hour",
    "<punct:tempdata><hour>[1</hour></punct:tempdata>": "'[1' is not a range for hour",
    "<punct:tempdata><hour/></punct:tempdata>": "'' is not a pattern for hour",
}
WRONG_TEXT = {
    "": "'' is not a punctuation",
    "<1>": "'<1>' is not the pattern of hour",
    "<*, 1, *, *": "'<*, 1, *, *' is not one pattern for each of 4 columns",
    "<*, 1, *, *> x": "'<*, 1, *, *> x' is not a punctuation",
    "<*, x, *, *>": "'x' is not a BIGINT: the column hour",
    "<*, {1, *, *>": "'<*, {1, *, *>' is not a pattern for hour",
    "<*, {1,NULL}, *, *>": "'<*, {1,NULL}, *, *>' is not a list for hour",
    "<*, [NULL,1], *, *>": "'<*, [NULL,1], *, *>' is not a range for hour",
    "<*, [1,2}, *, *>": "'<*, [1,2}, *, *>' is not a range for hour",
    '<"a, *, *, *>': "'\"' is not a STRING: the column sid",
    "<*, 1_0, *, *>": "'1_0' is not a BIGINT: the column hour",
}
small_report = Schema.of(sid="STRING", hour="BIGINT", min="BIGINT", currtmp="DOUBLE")


def read_xml(text: str, schema: Schema) -> Element:
    return from_xml(text, schema, "tempdata")


@pytest.mark.parametrize(
    ("read", "text", "what"),
    [(from_json, *case) for case in WRONG_JSON.items()]
    + [(read_xml, *case) for case in WRONG_XML.items()]
    + [(punctuation_from_text, *case) for case in WRONG_TEXT.items()],
)
def test_what_cannot_be_read_says_why(read: Callable[[str, Schema], object], text: str, what: str) -> None:
    with pytest.raises(CodecError) as caught:
        read(text, report)
    assert caught.value.what == what
    assert caught.value.detail or caught.value.hint


@given(st.text() | st.text(alphabet='<>[](){},*"\\1aNUL- .:xj$punchge') | st.binary())
@example('{"$punct":' + "[" * 100_000)
@example("<punct:t><n>" + "[" * 1000)
def test_no_text_crashes_a_codec(text: str | bytes) -> None:
    readers: list[Callable[..., object]] = [from_json]
    for read in readers if isinstance(text, bytes) else [*readers, read_xml, punctuation_from_text]:
        try:
            read(text, every)
        except PunctumError as error:
            assert error.what


def test_a_name_that_xml_lacks_is_refused() -> None:
    with pytest.raises(CodecError, match="is not a name in XML"):
        to_xml((1,), Schema.of(**{"a b": "BIGINT"}), "t")
