"""Avro: the values of messages in, a column for each field of their record out, all messages at once.

A value is written field after field, without names or lengths, so what a message holds is known only by going through
it. Here all messages are gone through together: a cursor in each of them, and each field is read of all at once. What
does not fit, a cursor that runs over the end of its message or stops before it, is a fault of that message alone.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from punctum.algebra.schema import Schema
from punctum.errors import SchemaError, choices
from punctum.ir.expressions import type_text
from punctum.operators.columns import canonical, dtype

NOT_AVRO = "the message is not a value of the Avro schema"
"""The reason of a message that is none."""
_Numbers = np.typing.NDArray[np.int64]
_MAGIC = 5  # what stands before a value that is framed: a zero, and the number of a schema
_LONGEST = 10  # bytes of a number
_TIMES = {
    "date": pl.Date(),
    "timestamp-millis": pl.Datetime("ms", "UTC"),
    "timestamp-micros": pl.Datetime("us", "UTC"),
    "local-timestamp-millis": pl.Datetime("ms"),
    "local-timestamp-micros": pl.Datetime("us"),
}
_FLOATS: Mapping[str, np.dtype[Any]] = {"float": np.dtype("<f4"), "double": np.dtype("<f8")}
_NUMBER = {"int": pl.Int64(), "long": pl.Int64(), "float": pl.Float32(), "double": pl.Float64()}


class Cursors:
    """A place in each of some messages."""

    def __init__(self, values: Sequence[bytes], framed: bool) -> None:
        lengths = np.fromiter(map(len, values), np.int64, len(values))
        self.end = np.cumsum(lengths)
        self.at: _Numbers = self.end - lengths
        self.bytes = np.frombuffer(b"".join(values) + bytes(_LONGEST), np.uint8)
        self.bad = np.zeros(len(values), np.bool_)
        if framed:
            self._fail(np.flatnonzero((lengths < _MAGIC) | (self.bytes[self.at] != 0)))
            self.at += _MAGIC

    def _fail(self, some: _Numbers) -> None:
        self.bad[some] = True

    def _good(self, some: _Numbers) -> _Numbers:
        return some[~self.bad[some]]

    def step(self, some: _Numbers, lengths: _Numbers | int) -> _Numbers:
        """Go on by so many bytes in some messages, and say where these begin; those that end before fail."""
        begin = self.at[some].copy()
        self.at[some] += np.maximum(lengths, 0)
        self._fail(some[(self.at[some] > self.end[some]) | (np.asarray(lengths) < 0)])
        return begin

    def numbers(self, some: _Numbers) -> _Numbers:
        """The next whole number of some messages; nothing matters of those that fail."""
        values, left = np.zeros(len(self.at), np.uint64), self._good(some)
        for n in range(_LONGEST):
            byte = self.bytes[np.minimum(self.step(left, 1), len(self.bytes) - 1)].astype(np.uint64)
            values[left] |= (byte & np.uint64(0x7F)) << np.uint64(7 * n)
            left = self._good(left[byte >= 0x80])
            if not len(left):
                break
        self._fail(left)
        chosen = values[some]
        return (chosen >> np.uint64(1)).astype(np.int64) ^ -(chosen & np.uint64(1)).astype(np.int64)

    def fixed(self, some: _Numbers, size: int) -> np.typing.NDArray[np.uint8]:
        """The next bytes of some messages, a row each."""
        begin = self.step(some, size)
        return np.ascontiguousarray(self.bytes[np.minimum(begin[:, None] + np.arange(size), len(self.bytes) - 1)])

    def texts(self, some: _Numbers) -> pl.Series:
        """The next bytes of some messages, whose lengths stand before them."""
        lengths = self.numbers(some)
        begin = self.step(some, np.where(lengths > len(self.bytes), -1, lengths))
        lengths = np.where(self.bad[some], 0, lengths)
        ends = np.cumsum(lengths)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)
        data = self.bytes[np.repeat(begin, lengths) + within]
        offsets = pa.py_buffer(np.concatenate([[0], ends]).astype(np.int64).data)
        return pl.Series(
            pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(some), [None, offsets, pa.py_buffer(data)])
        )

    def fail_where(self, some: _Numbers, wrong: np.typing.NDArray[np.bool_]) -> None:
        """Some messages are none after all."""
        self._fail(some[wrong])

    def finish(self) -> None:
        """All of a message has to be read."""
        self.bad |= self.at != self.end


Field = Callable[[Cursors, _Numbers], pl.Series]
"""Reads a value of some messages."""


class Avro:
    r"""Values of a record's schema.

    >>> fields = '[{"name": "n", "type": "long"}, {"name": "s", "type": "string"}]'
    >>> avro = Avro('{"type": "record", "name": "bid", "fields": ' + fields + "}")
    >>> rows, bad = avro.read([b"\x02\x04ab", b"\x02\x04a", b"\x04\x00"])
    >>> rows.rows(), bad.tolist()
    ([(1, 'ab'), (2, '')], [False, True, False])
    """

    def __init__(self, schema: str, framed: bool = False) -> None:
        try:
            record = json.loads(schema)
        except ValueError as error:
            raise SchemaError(
                "the Avro schema is not JSON", str(error), "a record, as Avro writes its schemas"
            ) from None
        if not isinstance(record, dict) or record.get("type") != "record":
            raise SchemaError(
                "the Avro schema is not that of a record", "", '{"type": "record", "name": …, "fields": […]}'
            )
        self._framed = framed
        self._named: dict[str, Any] = {}
        self._fields = self._record(record)

    def read(self, values: Sequence[bytes]) -> tuple[pl.DataFrame, np.typing.NDArray[np.bool_]]:
        """The rows of those messages that are values, and which are none."""
        cursors, every = Cursors(values, self._framed), np.arange(len(values))
        columns = {name: read(cursors, every) for name, read in self._fields.items()}
        cursors.finish()
        rows = pl.DataFrame([column.alias(name) for name, column in columns.items()])
        return rows.filter(pl.Series(~cursors.bad)), cursors.bad

    def _record(self, schema: Mapping[str, Any]) -> dict[str, Field]:
        self._named[schema["name"]] = schema
        return {field["name"]: self._type(field["type"], field["name"]) for field in schema["fields"]}

    def _type(self, schema: Any, name: str) -> Field:
        """What reads a value of a type; the name is for errors."""
        if isinstance(schema, list):
            return self._union(schema, name)
        kind = schema["type"] if isinstance(schema, dict) else schema
        more: Mapping[str, Any] = schema if isinstance(schema, dict) else {}
        if isinstance(kind, dict | list):
            return self._type(kind, name)
        if kind in ("enum", "fixed"):
            self._named[more["name"]] = schema
        if kind in self._named and not more:
            return self._type(self._named[kind], name)
        match kind:
            case "record":
                fields = self._record(more)
                return lambda cursors, some: _struct(cursors, some, fields)
            case "enum":
                symbols = pl.Series(more["symbols"], dtype=pl.String)
                return lambda cursors, some: _symbols(cursors, some, symbols)
            case "boolean":
                return _booleans
            case "null":
                return lambda cursors, some: pl.Series([None] * len(some))
            case "int" | "long" | "float" | "double":
                return _numbers(kind, _TIMES.get(more.get("logicalType", "")))
            case "string":
                return _strings
            case "bytes" | "fixed":
                size = more["size"] if kind == "fixed" else None
                scale = more.get("scale", 0) if more.get("logicalType") == "decimal" else None
                return lambda cursors, some: _bytes(cursors, some, size, scale)
        what = f"the field {name} of the Avro schema is of the type {kind}"
        raise SchemaError(what, "such fields are not read", "records, unions with null, and plain values are")

    def _union(self, branches: Sequence[Any], name: str) -> Field:
        others = [n for n, branch in enumerate(branches) if branch != "null"]
        if len(others) != 1:
            raise SchemaError(f"the field {name} of the Avro schema is one of several types", "", '["null", …] is read')
        read = self._type(branches[others[0]], name)
        return lambda cursors, some: _optional(cursors, some, read, others[0], len(branches))


def _optional(cursors: Cursors, some: _Numbers, read: Field, at: int, branches: int) -> pl.Series:
    """Values that may be NULL: which of two types a value has stands before it."""
    branch = cursors.numbers(some)
    cursors.fail_where(some, (branch < 0) | (branch >= branches))
    there = np.flatnonzero((branch == at) & ~cursors.bad[some])
    values = read(cursors, some[there])
    places = np.full(len(some), -1)
    places[there] = np.arange(len(there))
    return values.gather(pl.Series(places).set(pl.Series(places < 0), None))


def _struct(cursors: Cursors, some: _Numbers, fields: Mapping[str, Field]) -> pl.Series:
    columns = [read(cursors, some).alias(name) for name, read in fields.items()]
    return pl.DataFrame(columns).to_struct("")


def _symbols(cursors: Cursors, some: _Numbers, symbols: pl.Series) -> pl.Series:
    at = cursors.numbers(some)
    wrong = (at < 0) | (at >= len(symbols))
    cursors.fail_where(some, wrong)
    return symbols.gather(np.where(wrong, 0, at))


def _booleans(cursors: Cursors, some: _Numbers) -> pl.Series:
    byte = cursors.fixed(some, 1)[:, 0]
    cursors.fail_where(some, byte > 1)
    return pl.Series(byte == 1)


def _numbers(kind: str, time: pl.DataType | None) -> Field:
    """Numbers, or the times that they mean."""
    width = _FLOATS.get(kind)

    def read(cursors: Cursors, some: _Numbers) -> pl.Series:
        if width is not None:
            return pl.Series(cursors.fixed(some, width.itemsize).view(width)[:, 0], dtype=_NUMBER[kind]).cast(
                pl.Float64
            )
        numbers = cursors.numbers(some)
        if kind == "int":
            cursors.fail_where(some, (numbers < -(2**31)) | (numbers >= 2**31))
            numbers = np.where(cursors.bad[some], 0, numbers)
        series = pl.Series(numbers, dtype=pl.Int64)
        return series if time is None else series.cast(pl.Int32 if time == pl.Date else pl.Int64).cast(time)

    return read


def _strings(cursors: Cursors, some: _Numbers) -> pl.Series:
    texts = cursors.texts(some).cast(pl.String, strict=False)
    cursors.fail_where(some, texts.is_null().to_numpy())
    return texts


def _bytes(cursors: Cursors, some: _Numbers, size: int | None, scale: int | None) -> pl.Series:
    """Bytes, or the DECIMALs that they mean, which are few enough to be read one by one."""
    values = (
        cursors.texts(some)
        if size is None
        else pl.Series([row.tobytes() for row in cursors.fixed(some, size)], dtype=pl.Binary)
    )
    if scale is None:
        return values
    whole = (int.from_bytes(value, "big", signed=True) for value in values)
    return pl.Series(
        [Decimal(n).scaleb(-scale) if abs(n) < 10**38 else None for n in whole], dtype=pl.Decimal(38, scale)
    )


def fitted(read: pl.DataFrame, schema: Schema) -> tuple[pl.DataFrame, list[str]]:
    """The columns of a stream, and for each row why it has no place in them, if so; an error for another type."""
    columns, reasons = list[pl.Series](), [""] * read.height
    for attribute in schema.attributes:
        if attribute.name not in read.columns:
            raise SchemaError(f"the Avro schema has no field {attribute.name}", choices(read.columns), f"({schema})")
        given, wanted = read[attribute.name], dtype(attribute)
        if not _becomes(given.dtype, wanted):
            what = f"the field {attribute.name} of the Avro schema does not fit its column"
            raise SchemaError(what, f"the column is {type_text(attribute)}", "declare it with the type of the field")
        column = given.cast(wanted, strict=False)
        for n in (column.is_null() & given.is_not_null()).arg_true():
            reasons[n] = reasons[n] or f"the column {attribute.name} has a wrong value: expected {type_text(attribute)}"
        columns.append(column.alias(attribute.name))
    return canonical(pl.DataFrame(columns)), reasons


def _becomes(given: pl.DataType, wanted: pl.DataType) -> bool:
    """Whether values of a type are values of another one, or may be."""
    if given == wanted or given == pl.Null:
        return True
    if isinstance(given, pl.Datetime) and isinstance(wanted, pl.Datetime):
        return given.time_zone == wanted.time_zone
    exact = isinstance(wanted, pl.Decimal) and (isinstance(given, pl.Decimal) or given == pl.Int64)
    return exact or (given == pl.Int64 and wanted == pl.Float64)
