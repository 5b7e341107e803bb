"""XML, held against the parser of the standard library."""

import random
from collections import Counter
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.reading import digited, elements, fits, mutated, positions
from punctum.algebra.functions import Element
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.xml import from_node, to_xml
from punctum.engine.formats.xml import read_xml
from punctum.errors import CodecError, PunctumError, SchemaError
from strategies import punctuations, rows

NS = Schema.of(n="BIGINT", s="STRING")
NAME = {"rowTag": "t"}
ROW = "<t><n>{}</n><s>a</s></t>"
PIECES = [
    "<t><a0>x</a0></t>", "<t><a0>1</a0><a0>1</a0></t>", "<t/>", "<u><a0>1</a0></u>", "<!-- <t/> -->",
    "<?x <t/> ?>", "\n", "<t><a0><b/></a0></t>", "<t><a0><![CDATA[1]]></a0></t>",
    "<t><a0>1<!-- x -->2</a0><a1/><a2/></t>", "<t>x<a0>1</a0></t>", '<t><a0 xsi:nil="true">1</a0></t>',
    '<t x="&gt;"><a0 y=">">1</a0></t>', "<punct:t/>", "<punct:t><a0>[5,3]</a0></punct:t>",
    "<punct:t><b>1</b></punct:t>", "<t><a0>1</a0><extra>1</extra></t>", "<t><a0>&#49;</a0></t>",
]  # fmt: skip


@st.composite
def files(draw: st.DrawFn) -> tuple[Schema, bytes]:
    schema = draw(digited())
    parts = []
    for _ in range(draw(st.integers(0, 5))):
        element = draw(rows(schema) | punctuations(schema) | st.sampled_from(PIECES))
        try:
            parts.append(element if isinstance(element, str) else to_xml(element, schema, "t"))
        except CodecError:
            parts.append(f"<t><a0>{escape('a')}</a0></t>")
    text = draw(st.sampled_from(["", "\n", "\r\n  "])).join(parts)
    head, foot = draw(
        st.sampled_from(
            [("", ""), ("<all>", "</all>"), ('<?xml version="1.0"?>\n<all xmlns:p="punct"><p:t/>', "\n</all>\n")]
        )
    )
    data = (head + text + foot).encode()
    return schema, mutated(data, random.Random(draw(st.integers(0, 2**32)))) if draw(st.booleans()) else data


def nodes(data: bytes) -> tuple[list[ET.Element], bool]:
    """The elements of a document that the standard library parses, and whether it came to the end."""
    parser: Any = ET.XMLPullParser(["start", "end"])
    found, depth, inside, whole = [], 0, 0, True
    declaration = data.find(b"?>") + 2 if data.startswith(b"<?xml ") and b"?>" in data else 0
    try:
        parser.feed(b'<stream xmlns:punct="punct" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">')
        parser.feed(data[declaration:])
        parser.feed(b"</stream>")
        parser.close()
    except ET.ParseError:
        whole = False
    with suppress(ET.ParseError):
        for event, node in parser.read_events():
            depth += 1 if event == "start" else -1
            if event == "start" and not inside and (depth == 3 or (depth == 2 and node.tag in ("t", "{punct}t"))):
                inside = depth
            elif event == "end" and inside == depth + 1:
                found.append(node)
                inside = 0
    return found, whole


def oracle(data: bytes, schema: Schema) -> tuple[Counter[Element], bool]:
    found: Counter[Element] = Counter()
    parsed, whole = nodes(data)
    for node in parsed:
        try:
            element = from_node(node, schema, "t")
            if fits(element, schema):
                found[element] += 1
        except PunctumError:
            pass
    return found, whole


@given(files())
@example((NS, b"<all><t><n>1</n><s>a</s></t><x/><t><n>2</n><s/></t></all>"))
@example((NS, b"<t><n>1</n><s>a</s></t><t><n>2</n><s>b</s></t><t><n>3"))
def test_the_reader_agrees_with_the_standard_library(case: tuple[Schema, bytes]) -> None:
    """On all elements of a well-formed document, and on those before a fault."""
    schema, data = case
    read = read_xml(data, schema, NAME)
    found = elements(read, schema)
    if positions(read) == [0]:
        return
    expected, whole = oracle(data, schema)
    assert found == expected if whole else found >= expected
    assert whole or positions(read)


def test_a_truncated_document_gives_what_stands_before_the_cut() -> None:
    whole = "<all>\n" + "\n".join(ROW.format(n) for n in range(5)) + "\n</all>"
    for cut in range(len("<all>\n"), len(whole)):
        read = read_xml(whole[:cut].encode(), NS, NAME)
        complete = whole[:cut].count("</t>")
        assert elements(read, NS) == Counter((n, "a") for n in range(complete))
        assert len(read.rejected) == 1
    assert len(read_xml(whole.encode(), NS, NAME).rejected) == 0


def test_a_fault_costs_its_own_element() -> None:
    bad = [
        "<t><n>1</n>",
        "<t><n>&x;</n></t>",
        "<t a=1></t>",
        "<t><n>1</m></t>",
        "<t><n>\ufffe</n></t>",
        "</t>",
        "<t",
        "&",
    ]
    for fault in bad:
        data = f"<all>\n{ROW.format(1)}\n{fault}\n{ROW.format(2)}\n</all>"
        read = read_xml(data.encode(), NS, NAME)
        assert elements(read, NS) == Counter([(1, "a"), (2, "a")]), fault
        assert read.rejected["position"].to_list() == [3], fault
        assert read.rejected["text"][0].startswith(fault[:1])


def test_namespaces_of_the_root_hold_after_a_fault() -> None:
    data = f'<all xmlns:p="punct" a=">">\n<p:t><n>1</n></p:t><t>&x;</t>{ROW.format(2)}<p:t><n>3</n></p:t>\n</all>'
    read = read_xml(data.encode(), NS, NAME)
    assert elements(read, NS) == Counter([Punctuation.of(NS, n=1), (2, "a"), Punctuation.of(NS, n=3)])
    assert positions(read) == [2]


def test_attacks_are_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><all><t><n>1</n><s>&b;</s></t></all>'
    external = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><all><t><n>1</n><s>&a;</s></t></all>'
    for data in (bomb, external, '<?xml version="1.0"?><!-- x -->' + bomb):
        read = read_xml(data.encode(), NS, NAME)
        assert positions(read) == [0]
        assert read.piece.rows.is_empty()
    inside = read_xml(f"<all>{bomb}{ROW.format(7)}</all>".encode(), NS, NAME)
    assert elements(inside, NS) == Counter([(7, "a")])
    deep = read_xml(("<all><t>" + "<a>" * 100_000 + ROW.format(7)).encode(), NS, NAME)
    assert elements(deep, NS) == Counter([(7, "a")])


def test_faults_everywhere_take_no_longer() -> None:
    for fault in ("<t>", "<t><n>", "<t><![CDATA[", "<t><!--", "<t a='", "</t>", "&", "<t><n><t>"):
        read = read_xml((fault + "\n").encode() * 5_000, NS, NAME)
        assert read.piece.rows.is_empty()
        assert len(read.rejected) >= 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_encodings(encoding: str) -> None:
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?>\n<all><t><n>1</n><s>é</s></t></all>'
    assert elements(read_xml(text.encode(encoding), NS, NAME), NS) == Counter([(1, "é")])
    wrong = read_xml(b'<?xml version="1.0" encoding="zip"?>\n<t/>', NS, NAME).rejected.row(0)
    assert wrong[:2] == (0, "the encoding zip is not supported (write the file in UTF-8)")


def test_a_stream_needs_the_name_of_its_rows() -> None:
    with pytest.raises(SchemaError):
        read_xml(b"<t/>", NS, {})
