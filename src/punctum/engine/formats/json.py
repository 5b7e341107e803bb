"""Files of JSON lines.

The fast road is for lines that have the same keys in the same order as a line before them. A regular expression, made
from that line and the schema, proves that a line is such an object and that its values are written plainly; then Arrow,
which would also take two objects in a line or none for a column, reads no more than is there. DECIMALs are exact: Arrow
reads them from the text. All other lines go through ``algebra.json``, one by one.
"""

import json
import re
from collections.abc import Mapping, Set
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow import json as arrow_json

from punctum.algebra.json import PUNCT, STABLE, START, from_json, unique_keys
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.engine.formats.lines import Lines, Mask, Numbers, alike
from punctum.engine.formats.options import may_be_left_out
from punctum.engine.formats.puncts import constants
from punctum.engine.formats.read import Closed, FileContent, Read, decoded, differ
from punctum.engine.formats.typed import NUMBER, converted, plain
from punctum.errors import PunctumError
from punctum.operators.columns import empty

_FEW = 64  # fewer lines are not worth a regular expression
_SHAPES = 16  # so many orders of keys get a fast road
_DEEPEST = 4
_BLANK = " \t\r\n"
_BLANK_BYTES = _BLANK.encode()
_PLAIN_KEY = re.compile(r'[^"\\\x00-\x1f]*')
_ = f"[{_BLANK}]*"
_PAIR = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = rf'\\(?:["\\/bfnrt]|u(?:[0-9a-cefA-CEF][0-9a-fA-F]|[dD][0-7])[0-9a-fA-F]{{2}}|{_PAIR})'
_STRING = rf'"(?:[^"\\\x00-\x1f]|{_ESCAPE})*"'
_SCALAR = f"(?:{_STRING}|{NUMBER}|true|false|null)"
_ARROW: dict[Type, pa.DataType] = {
    Type.BIGINT: pa.int64(),
    Type.DOUBLE: pa.float64(),
    Type.STRING: pa.string(),
    Type.BOOLEAN: pa.bool_(),
    Type.DATE: pa.string(),
    Type.TIMESTAMP: pa.string(),
    Type.TIMESTAMP_NTZ: pa.string(),
    Type.INTERVAL: pa.string(),
}
_AS_TEXT = (Type.DATE, Type.TIMESTAMP, Type.TIMESTAMP_NTZ, Type.INTERVAL)


def read_json(data: bytes, schema: Schema, options: Mapping[str, str], few: int = _FEW) -> Read:
    """The elements of a file of JSON lines; fewer lines than ``few`` are read one by one."""
    if not data.strip(_BLANK_BYTES):
        return FileContent(schema).read()
    return _JsonReader(Lines.of(data), schema, few, may_be_left_out(options, schema)).read()


def read_puncts_json(data: bytes, schema: Schema, options: Mapping[str, str]) -> Read:
    r"""The punctuations of a file of JSON lines: of its lines those are read that may be some.

    >>> read = read_puncts_json(b'{"n": 1}\n{"\\u0024punct": {"n": 1}}\n', Schema.of(n="BIGINT"), {})
    >>> read.piece.rows.height, [str(p) for p in read.piece.puncts]
    (0, ['<1>'])
    """
    if b"$" not in data and b"\\" not in data:
        return FileContent(schema).read()
    lines = Lines.of(data)
    some = lines.texts.str.contains(r"[$\\]").to_numpy()
    return read_json(lines.only(some).read(), schema, options) if some.any() else FileContent(schema).read()


class _JsonReader:
    def __init__(self, lines: Lines, schema: Schema, few: int, left_out: Set[str]) -> None:
        self.lines, self.schema, self.few, self.left_out = lines, schema, few, left_out
        self.content = FileContent(schema)

    def read(self) -> Read:
        texts = self.lines.texts
        blank = texts.str.strip_chars(_BLANK) == ""
        special = texts.str.contains(f'"{PUNCT}"', literal=True)
        if START in self.schema.positions:
            special |= texts.str.contains(f'"{STABLE}"', literal=True)
        closed = self._closed(np.flatnonzero(special))
        rows, at = self._rows(np.flatnonzero(~(blank | special)))
        return self.content.read(rows, closed, lambda row: self._place(int(at[row])), at + 1)

    def _place(self, at: int) -> tuple[int, bytes]:
        return at + 1, self.lines[at].rstrip(b"\r\n")

    def _closed(self, special: Numbers) -> Closed:
        """Punctuations, and rows that have the word for them in a string."""
        closed, here = constants(self.lines.texts.gather(special), special + 1, self.schema)
        self._exactly(special[~here])
        return closed

    def _rows(self, wanted: Numbers) -> tuple[pl.DataFrame, Numbers]:
        """The rows of lines that the fast road reads, and which lines these are; all other lines are read exactly."""
        proven = self._proven(wanted)
        rows, sure = _by_arrow(self.lines, proven, self.schema)
        lines = np.flatnonzero(proven)
        self._exactly(lines[~sure])
        return rows, lines[sure]

    def _proven(self, wanted: Numbers) -> Mask:
        """Which lines have the shape of a line before them."""
        proven = np.zeros(len(self.lines), np.bool_)
        shapes = _SHAPES
        while shapes and len(wanted) >= self.few:
            shape = shape_of(self.lines[int(wanted[0])], self.schema, self.left_out)
            if shape is not None:
                shapes -= 1
                here = alike(self.lines.texts.gather(wanted), shape)
                proven[wanted[here]] = True
                wanted = wanted[~here]
                if here[0]:
                    continue
            self._exactly(wanted[:1])
            wanted = wanted[1:]
        self._exactly(wanted)
        return proven

    def _exactly(self, some: Numbers) -> None:
        for at in some.tolist():
            position, line = self._place(at)
            try:
                self.content.add(from_json(decoded(line), self.schema, self.left_out), position, line)
            except PunctumError as error:
                self.content.reject(position, error, line)


def shape_of(line: bytes, schema: Schema, left_out: Set[str] = frozenset()) -> str | None:
    r"""The lines with the keys of this one, in its order, whose values are written plainly, as a regular expression.

    There is none for a line that lacks a column, unless it may be left out.

    >>> shape = shape_of(b'{"n": 1}', Schema.of(n="BIGINT"))
    >>> pl.Series(['{"n":17}', '{"n":1.5}', '{}', '{"n":1}{"n":2}']).str.contains(shape).to_list()
    [True, False, False, False]
    """
    try:
        parsed = json.loads(line.decode(), object_pairs_hook=unique_keys, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    if (
        not isinstance(parsed, dict)
        or PUNCT in parsed
        or not all(name in parsed or name in left_out for name in schema.names)
    ):
        return None
    if not all(map(_fast, schema.attributes)):
        return None
    known = {a.name: f"(?:{_written(a)}|null)" for a in schema.attributes}
    shape = _shape(parsed, known, 0)
    return shape and f"^{_}{shape}{_}$"


def _fast(attribute: Attribute) -> bool:
    """Whether Arrow reads values of an attribute as they are; the parts of some are not looked at again."""
    return not attribute.type.nested or all(a.type in _WHOLE or (a.type.nested and _fast(a)) for a in attribute.parts)


_WHOLE = (Type.BIGINT, Type.DOUBLE, Type.STRING, Type.BOOLEAN)


def _written(attribute: Attribute) -> str:
    """How plain values of an attribute stand in JSON; the fields of a STRUCT in their order."""
    match attribute.type:
        case Type.ARRAY:
            element = f"(?:{_written(attribute.parts[0])}|null)"
            return rf"\[{_}(?:{element}{_}(?:,{_}{element}{_})*)?\]"
        case Type.STRUCT:
            pairs = (f'"{_literally(a.name)}"{_}:{_}(?:{_written(a)}|null){_}' for a in attribute.parts)
            return rf"\{{{_}{f',{_}'.join(pairs)}\}}"
        case Type.STRING:
            return _STRING
        case Type.DATE | Type.TIMESTAMP | Type.TIMESTAMP_NTZ | Type.INTERVAL:
            return f'"{plain(attribute)}"'
        case Type.DECIMAL:
            return f'{plain(attribute)}|"{plain(attribute)}"'
        case _:
            return plain(attribute)


def _shape(parsed: Any, known: Mapping[str, str], depth: int) -> str | None:
    """The shape of a value; ``known`` has those of an object's keys for which the schema decides."""
    if isinstance(parsed, list):
        plain_ones = not any(isinstance(item, dict | list) for item in parsed)
        return rf"\[{_}(?:{_SCALAR}{_}(?:,{_}{_SCALAR}{_})*)?\]" if plain_ones else None
    if not isinstance(parsed, dict):
        return _SCALAR
    values = [known.get(key) or _shape(value, {}, depth + 1) for key, value in parsed.items()]
    if depth == _DEEPEST or None in values or not all(_PLAIN_KEY.fullmatch(key) for key in parsed):
        return None
    pairs = (f'"{_literally(key)}"{_}:{_}{value}{_}' for key, value in zip(parsed, values, strict=True))
    return rf"\{{{_}{f',{_}'.join(pairs)}\}}"


def _literally(key: str) -> str:
    return "".join(rf"\x{{{ord(letter):x}}}" for letter in key)


def _by_arrow(lines: Lines, proven: Mask, schema: Schema) -> tuple[pl.DataFrame, Mask]:
    """The rows of proven lines, and which of these lines they are; a line with a value that is in doubt is left out."""
    if not proven.any():
        return empty(schema), np.zeros(0, np.bool_)
    types = pa.schema([pa.field(a.name, _arrow(a)) for a in schema.attributes])
    reading = arrow_json.ReadOptions(block_size=lines.block)
    parsing = arrow_json.ParseOptions(explicit_schema=types, unexpected_field_behavior="ignore")
    read = pl.from_arrow(arrow_json.read_json(lines.only(proven), reading, parsing))
    assert isinstance(read, pl.DataFrame)
    assert len(read) == int(proven.sum())
    rows = read.select(converted(read[a.name], a) if a.type in _AS_TEXT else read[a.name] for a in schema.attributes)
    doubt = differ(read, rows)
    return rows.filter(~doubt), (~doubt).to_numpy()


def _arrow(attribute: Attribute) -> pa.DataType:
    match attribute.type:
        case Type.DECIMAL:
            return pa.decimal128(*attribute.digits)
        case Type.ARRAY:
            return pa.list_(_arrow(attribute.parts[0]))
        case Type.STRUCT:
            return pa.struct([pa.field(part.name, _arrow(part)) for part in attribute.parts])
    return _ARROW[attribute.type]
