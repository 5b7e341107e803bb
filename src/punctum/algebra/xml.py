"""Stream elements as XML, in the format of the punctuation paper's section 7.1.

A row is ``<tempdata>`` with an element for each attribute, a punctuation is ``<punct:tempdata>`` with a pattern as text
in each: ``*``, ``17``, ``[17,20)``, ``{1,5}``. A NULL in a row is an element with ``xsi:nil="true"``. What is not named
in a punctuation is a wildcard. Document types and entities are refused: they are how XML attacks are made.
"""

import re
from collections.abc import Set
from xml.etree.ElementTree import Element as Node
from xml.etree.ElementTree import ParseError
from xml.sax.saxutils import escape

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from punctum.algebra.functions import Element
from punctum.algebra.pattern import WILDCARD, Pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.text import pattern_from_text
from punctum.algebra.values import Row, Type, Value, value_from_text, value_text
from punctum.errors import CodecError, PatternError, choices

NAMESPACE = "punct"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
"""The namespace in which an element is nil."""

_NIL = f"{{{XSI}}}nil"
_NAME = re.compile(r"[^\W\d][\w.-]*")
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_xml(element: Element, schema: Schema, name: str) -> str:
    """A row or punctuation of the stream of that name as an XML element.

    >>> report = Schema.of(sid="STRING", hour="BIGINT")
    >>> to_xml(report.row("S01", 17), report, "tempdata")
    '<tempdata><sid>S01</sid><hour>17</hour></tempdata>'
    >>> to_xml(Punctuation.of(report, hour=17), report, "tempdata")
    '<punct:tempdata><sid>*</sid><hour>17</hour></punct:tempdata>'
    """
    for tag in (name, *schema.names):
        if not _NAME.fullmatch(tag):
            raise CodecError(
                f"{tag!r} is not a name in XML", "", "start with a letter, continue with letters, digits, . _ -"
            )
    if isinstance(element, Punctuation):
        texts = [f"<{tag}>{_escape(str(p))}</{tag}>" for tag, p in zip(schema.names, element.patterns, strict=True)]
        return f"<{NAMESPACE}:{name}>{''.join(texts)}</{NAMESPACE}:{name}>"
    values = [_value_to_xml(tag, value) for tag, value in zip(schema.names, element, strict=True)]
    return f"<{name}>{''.join(values)}</{name}>"


def from_xml(text: str, schema: Schema, name: str) -> Element:
    """The row or punctuation of the stream of that name that an XML element means.

    >>> report = Schema.of(sid="STRING", hour="BIGINT")
    >>> print(from_xml("<punct:tempdata><hour>[17,20)</hour></punct:tempdata>", report, "tempdata"))
    <*, [17,19]>
    """
    wrapped = f'<stream xmlns:{NAMESPACE}="{NAMESPACE}" xmlns:xsi="{XSI}">{text}</stream>'
    try:
        nodes = list(fromstring(wrapped, forbid_dtd=True))
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise CodecError(
            "an element is not XML", str(error) or type(error).__name__, "one element, no DOCTYPE"
        ) from None
    if len(nodes) != 1:
        raise _foreign(", ".join(node.tag for node in nodes) or "nothing", name)
    return from_node(nodes[0], schema, name)


def from_node(node: Node, schema: Schema, name: str, left_out: Set[str] = frozenset()) -> Element:
    """The row or punctuation that a parsed XML element means; columns that may be left out are NULL then."""
    if node.tag not in (name, f"{{{NAMESPACE}}}{name}"):
        raise _foreign(node.tag, name)
    named = _children(node)
    return _row(named, schema, left_out) if node.tag == name else _punctuation(named, schema)


def _foreign(tags: str, name: str) -> CodecError:
    return CodecError("an element does not belong to this stream", f"found {tags}", f"<{name}> or <{NAMESPACE}:{name}>")


def _children(parent: Node) -> dict[str, Node]:
    named: dict[str, Node] = {}
    for node in parent:
        if node.tag in named or len(node):
            detail = "it occurs twice" if node.tag in named else "it contains elements"
            raise CodecError(f"the column {node.tag} is malformed", detail, "one element of plain text for each column")
        named[node.tag] = node
    return named


def _row(named: dict[str, Node], schema: Schema, left_out: Set[str]) -> Row:
    if missing := [name for name in schema.names if name not in named and name not in left_out]:
        raise CodecError(f"the row has no column {missing[0]}", f"it has: {', '.join(named)}", 'NULL is xsi:nil="true"')
    return tuple(_value_from_xml(named[a.name], a) if a.name in named else None for a in schema.attributes)


def _punctuation(named: dict[str, Node], schema: Schema) -> Punctuation:
    if unknown := [name for name in named if name not in schema.positions]:
        raise CodecError(f"a punctuation names an unknown column {unknown[0]}", "", choices(schema.names))
    patterns: list[Pattern] = [WILDCARD] * len(schema)
    for name, node in named.items():
        at = schema.index(name)
        patterns[at] = pattern_from_text(node.text or "", schema.attributes[at])
    return Punctuation(schema, tuple(patterns))


def _value_to_xml(tag: str, value: Value | None) -> str:
    if value is None:
        return f'<{tag} xsi:nil="true"/>'
    text = value if isinstance(value, str) else value_text(value)
    if forbidden := _FORBIDDEN.search(text):
        detail = f"the column {tag} contains U+{ord(forbidden.group()):04X}"
        raise CodecError("a row cannot be written as XML", detail, "XML cannot represent this character; use JSON")
    return f"<{tag}>{_escape(text)}</{tag}>"


def _value_from_xml(node: Node, attribute: Attribute) -> Value | None:
    if node.get(_NIL) == "true":
        return None
    text = node.text or ""
    try:
        return text if attribute.type is Type.STRING else attribute.type.accept(value_from_text(text, attribute.type))
    except PatternError as error:
        detail = f"expected {attribute.type.value}, found {text!r}"
        raise CodecError(f"the column {attribute.name} has a wrong value", detail, error.hint) from None


def _escape(text: str) -> str:
    return escape(text, {"\r": "&#13;"})
