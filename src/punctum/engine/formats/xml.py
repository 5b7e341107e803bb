"""Files of XML, in the format of ``algebra.xml``: a document of elements, or elements one after the other.

Option: ``rowTag``, the name of a row's element, by default the stream's. Expat parses the file inside an element of our
own, where a document type is not well-formed, so that no entity can be declared. After a fault the parser starts again
at the next element: what stands before it is rejected, its neighbours are not.
"""

import codecs
import re
from collections.abc import Mapping, Set
from xml.etree.ElementTree import Element as Node
from xml.etree.ElementTree import SubElement
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np
import polars as pl

from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.algebra.xml import NAMESPACE, XSI, from_node
from punctum.engine.formats.lines import BOM
from punctum.engine.formats.options import may_be_left_out, option
from punctum.engine.formats.read import FileContent, Read, differ
from punctum.engine.formats.typed import typed, value
from punctum.errors import CodecError, PunctumError, SchemaError

_DEEPEST = 32
_CHUNK = 1 << 16
_PATIENCE = 16  # a file is read so many times over, at most, for all its faults
_PROLOG = re.compile(rb"\s*(?:<\?xml\s[^>]*?\?>)?(?:\s+|<!--.*?-->|<\?.*?\?>)*+", re.DOTALL)
_ENCODING = re.compile(rb"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']""")
_ENCODINGS = ("utf-8", "ascii", "iso8859-1", "cp1252", "utf-16")
_NIL = f"{XSI}}}nil"
_MISSING = "\0"  # no text of XML


class _FaultError(Exception):
    """The document goes wrong here."""


def read_xml(data: bytes, schema: Schema, options: Mapping[str, str]) -> Read:
    """The elements of a file of XML."""
    name = option(options, "rowTag", "")
    if not name:
        raise SchemaError("the option rowTag is missing", "", "name the element of a row")
    reader = _XmlReader(schema, name, may_be_left_out(options, schema))
    try:
        reader.parse(_in_utf8(data))
    except CodecError as error:
        reader.content.reject(0, error, data[:1000])
    return reader.read()


def _in_utf8(data: bytes) -> bytes:
    """The document without its byte order mark, in UTF-8; a document type is refused."""
    declared = _ENCODING.match(data)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else declared[1].decode() if declared else "utf-8"
    try:
        if codecs.lookup(encoding).name not in _ENCODINGS:
            raise LookupError
        if codecs.lookup(encoding).name not in ("utf-8", "ascii"):
            data = data.decode(encoding).encode()
    except LookupError:
        raise CodecError(f"the encoding {encoding} is not supported", "", "write the file in UTF-8") from None
    except UnicodeError as error:
        raise CodecError(f"the file is not {encoding}", str(error), "write the file in UTF-8") from None
    data = data.removeprefix(BOM)
    if data[_PROLOG.match(data).end() :].startswith(b"<!DOCTYPE"):  # type: ignore[union-attr]
        raise CodecError("a document type is refused", "", "it can be used for attacks: remove it")
    return data


class _XmlReader:
    """Gathers the elements: rows as texts in the order of the schema, with their place in the file."""

    def __init__(self, schema: Schema, name: str, left_out: Set[str]) -> None:
        self.schema, self.name, self.content, self.left_out = schema, name, FileContent(schema), left_out
        self.rows: list[list[str | None]] = []
        self.places: list[tuple[int, int, int]] = []
        self.data = b""

    def parse(self, data: bytes) -> None:
        """Read a document, from fault to fault."""
        self.data, line, opening, patience = data, 1, b"", _PATIENCE * len(data)
        row = re.compile(rf"<(?:[^\s<>/:]+:)?{re.escape(self.name)}(?=[\s/>])".encode())
        at = _PROLOG.match(data).end()  # type: ignore[union-attr]
        line += data.count(b"\n", 0, at)
        while at < len(data):
            run = _TextRun(self, at, line, opening)
            fault = run.go()
            if fault is None:
                return
            reason, begin, reached = fault
            patience -= reached - at
            later = row.search(data, begin + 1) if reached < len(data) and patience > 0 else None
            line += data.count(b"\n", at, begin)
            at = later.start() if later else len(data)
            self.content.reject(line, reason, data[begin:at])
            line += data.count(b"\n", begin, at)
            opening = run.opening

    def read(self) -> Read:
        """All that has been gathered."""
        names = self.schema.names
        columns = zip(*self.rows, strict=True) if self.rows else [[] for _ in names]
        texts = pl.DataFrame([pl.Series(name, list(c), pl.String) for name, c in zip(names, columns, strict=True)])
        rows = pl.DataFrame([typed(texts[a.name], a) for a in self.schema.attributes])
        doubt = differ(texts, rows)
        for at in np.flatnonzero(doubt).tolist():
            place = self._place(at)
            try:
                self.content.add(self._values(self.rows[at]), *place, self.places[at][1])
            except PunctumError as error:
                self.content.reject(place[0], error, place[1])
        sure = np.flatnonzero(~doubt)
        positions = np.array([begin for _, begin, _ in self.places], np.int64)[sure]
        return self.content.read(rows.filter(~doubt), None, lambda row: self._place(int(sure[row])), positions)

    def _place(self, at: int) -> tuple[int, bytes]:
        position, begin, end = self.places[at]
        return position, self.text(begin, end)

    def _values(self, texts: list[str | None]) -> Row:
        attributes = self.schema.attributes
        return tuple(None if t is None else value(t, a) for t, a in zip(texts, attributes, strict=True))

    def text(self, begin: int, end: int) -> bytes:
        """An element that is well-formed; its last tag starts at the end."""
        return self.data[begin : self.data.find(b">", end) + 1]


class _TextRun:
    """One parser, from a place in the file to the next fault."""

    def __init__(self, reader: _XmlReader, at: int, line: int, opening: bytes) -> None:
        self.reader, self.at, self.line, self.opening = reader, at, line, opening
        self.tags = (reader.name, f"{NAMESPACE}}}{reader.name}")
        self.alone = reader.name not in reader.schema.names  # then no row's element stands inside another one
        self.depth = 1 if opening else 0
        self.seen = at  # all tags before this one are done with
        self.tag = ""  # of the element that is open, if one is
        self.level = self.begin = self.begin_line = 0
        self.names: list[str] = []
        self.texts: list[str | None] = []
        self.nested: set[int] = set()
        self.declared: dict[str, str] = {}
        self.parser = expat.ParserCreate("utf-8", "}")
        self.parser.buffer_text = True
        self.before = f'<stream xmlns:{NAMESPACE}="{NAMESPACE}" xmlns:xsi="{XSI}">'.encode() + opening
        self.parser.Parse(self.before)
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartNamespaceDeclHandler = self._declare

    def go(self) -> tuple[str, int, int] | None:
        """Parse to the end, or to a fault: the reason, where what is wrong begins, and how far it reaches."""
        data, whole = self.reader.data, memoryview(self.reader.data)
        try:
            for start in range(self.at, len(data), _CHUNK):
                self.parser.Parse(whole[start : start + _CHUNK])
        except expat.ExpatError as error:
            reached = min(self.parser.ErrorByteIndex - len(self.before) + self.at, len(data) - 1)
            return f"the file is not XML: {expat.ErrorString(error.code)}", self._begin(reached), reached
        except _FaultError as error:
            return str(error), self._begin(self._index()), self._index()
        try:
            self.parser.Parse(b"</stream>", True)
        except expat.ExpatError:  # what a comment or a tag that is not closed has swallowed stays swallowed
            index = self.parser.ErrorByteIndex - len(self.before) + self.at
            return "the file is truncated", self._begin(min(index, len(data))), len(data)
        return None

    def _begin(self, reached: int) -> int:
        """Where what is wrong begins: the open element, the broken tag, or what follows the last tag."""
        data = self.reader.data
        if self.tag:
            return self.begin
        tag = data.rfind(b"<", self.seen, reached)
        if tag < 0 and self.seen > self.at:
            tag = data.find(b">", self.seen, reached) + 1
        rest = data[max(tag, self.at) : reached]
        return reached - len(rest.lstrip())

    def _index(self) -> int:
        return self.parser.CurrentByteIndex - len(self.before) + self.at

    def _line(self) -> int:
        return self.parser.CurrentLineNumber - 1 + self.line

    def _declare(self, prefix: str | None, uri: str | None) -> None:
        if not self.depth:
            self.declared[f"xmlns:{prefix}" if prefix else "xmlns"] = uri or ""

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _FaultError("elements are nested too deep")
        if not self.tag:
            if self.depth == 2 or tag in self.tags:
                self.tag, self.level, self.begin, self.begin_line = tag, self.depth, self._index(), self._line()
                self.names, self.texts, self.nested = [], [], set()
            else:
                self.seen = self._index() + 1
                self._open()
        elif self.alone and tag in self.tags:
            raise _FaultError("an element is not closed")
        elif self.depth == self.level + 1:
            self.names.append(tag)
            self.texts.append(None if attributes.get(_NIL) == "true" else "")
        else:
            self.nested.add(len(self.names) - 1)

    def _open(self) -> None:
        """Remember the document's root, which a later parser has to be in as well."""
        opening = re.compile(rb"<[^\s/>]+").match(self.reader.data, self._index())
        assert opening is not None
        spaces = "".join(f" {name}={quoteattr(uri)}" for name, uri in self.declared.items())
        self.opening, self.declared = opening.group() + spaces.encode() + b">", {}

    def _text(self, text: str) -> None:
        if not self.tag:
            if stray := text.strip():
                after = text.lstrip().count("\n")
                self.reader.content.reject(self._line() - after, "there is text between elements", stray)
        elif self.depth == self.level + 1 and self.texts[-1] is not None:
            self.texts[-1] += text

    def _end(self, tag: str) -> None:
        self.seen = self._index() + 1
        if self.tag and self.depth == self.level:
            self._finish()
            self.tag = ""
        elif not self.tag:
            self.opening = b""
        self.depth -= 1

    def _finish(self) -> None:
        reader, named = self.reader, dict(zip(self.names, self.texts, strict=True))
        if self.tag == reader.name and not self.nested and len(named) == len(self.names):
            row = [named.get(name, None if name in reader.left_out else _MISSING) for name in reader.schema.names]
            if _MISSING not in row:
                reader.rows.append(row)
                reader.places.append((self.begin_line, self.begin, self._index()))
                return
        text = reader.text(self.begin, self._index())
        try:
            node = from_node(self._node(), reader.schema, reader.name, reader.left_out)
            reader.content.add(node, self.begin_line, text, self.begin)
        except PunctumError as error:
            reader.content.reject(self.begin_line, error, text)

    def _node(self) -> Node:
        node = Node(_qualified(self.tag))
        for n, (name, text) in enumerate(zip(self.names, self.texts, strict=True)):
            child = SubElement(node, _qualified(name), {} if text is not None else {f"{{{_NIL}": "true"})
            child.text = text
            if n in self.nested:
                SubElement(child, "further")
        return node


def _qualified(tag: str) -> str:
    return f"{{{tag}" if "}" in tag else tag
