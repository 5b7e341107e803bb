"""What a reader has found as plain values, to be held against an oracle; schemas and faults for Hypothesis."""

import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction

from hypothesis import strategies as st

from punctum.algebra.functions import Element
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.engine.formats.read import REJECTED, Read
from punctum.operators.batch import constant_punctuations
from punctum.operators.columns import dtype, to_rows
from strategies import types


def elements(read: Read, schema: Schema) -> Counter[Element]:
    """All rows and punctuations, after a look at the form in which they come."""
    rows, piece = read.piece.rows, read.piece
    assert rows.schema == {a.name: dtype(a) for a in schema.attributes}
    assert read.rejected.schema == REJECTED
    assert read.rejected["position"].is_sorted()
    said = [
        p for name, values in piece.constants.items() for p in constant_punctuations(schema, schema.index(name), values)
    ]
    assert all(values.dtype == dtype(schema.attributes[schema.index(name)]) for name, values in piece.constants.items())
    return Counter([*to_rows(rows), *piece.puncts, *said])


def positions(read: Read) -> list[int]:
    return read.rejected["position"].to_list()


def fits(element: Element, schema: Schema) -> bool:
    """Whether the DECIMALs of a row are whole numbers of the last digit, and not too many of them."""
    for attribute, value in zip(schema.attributes, () if isinstance(element, Punctuation) else element, strict=False):
        if isinstance(value, Decimal) and value:
            if abs(value.adjusted()) > 400:
                return False
            scaled = Fraction(value) * 10 ** attribute.digits[1]
            if scaled.denominator != 1 or abs(scaled) >= 10 ** attribute.digits[0]:
                return False
    return True


@st.composite
def digited(draw: st.DrawFn, most: int = 3) -> Schema:
    """A schema of any types; its DECIMALs have any digits."""
    attributes = []
    for i in range(draw(st.integers(1, most))):
        digits = draw(st.sampled_from([(38, 18), (5, 2), (3, 3), (10, 0), (38, 38), (1, 0)]))
        attributes.append(Attribute(f"a{i}", draw(types), digits=digits))
    return Schema(tuple(attributes))


def mutated(data: bytes, chance: random.Random, times: int = 3) -> bytes:
    """The same bytes with a few of them flipped, cut out, put in, doubled or moved."""
    broken = bytearray(data)
    for _ in range(chance.randint(1, times)):
        at = chance.randint(0, len(broken))
        piece = bytes(broken[at : at + chance.randint(1, 12)])
        match chance.randrange(8):
            case 0:
                broken[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                broken[at : at + 1] = bytes([chance.choice(b"\"'\\,;:{}[]<>/&\n\r\t\0 019.-+eEnutf$*()_")])
            case 2:
                del broken[at : at + len(piece)]
            case 3:
                broken[at:at] = piece
            case 4:
                broken[at:at] = bytes([chance.choice(b"\"'\\,;:{}[]<>/&\n\r\t\0 019.-+eEnutf$*()_")])
            case 5:
                del broken[at:]
            case 6:
                other = chance.randint(0, len(broken))
                broken[other:other] = piece
            case _:
                broken[at:at] = chance.choice(_WORDS)
    return bytes(broken)


_WORDS = [
    b'"$punct"', b"null", b"NaN", b"Infinity", b"1e400", b"9223372036854775808", b"-0.0",
    b"1e99999999999999999999", b'"\\ud800"', b"\\u0000", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n",
    b"\n", b'""', b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?x?>", b"&amp;", b"&#0;", b"&lt;", b"punct:",
    b'xmlns="x"', b'{"in": [', b'{"ge": 5, "lt": 5}', b"[5,3)", b"2026-02-30", b"0000-01-01", b"\xe2\x80\xa8",
    b"\x85", b"\x0c",
]  # fmt: skip
