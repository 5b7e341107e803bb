"""The values of messages: bytes in, elements out, by the readers of files, which take many at once.

Values are joined, a line each, and read as a file would be. What is rejected, and each row, has the offset of its
message. A value that is a punctuation is JSON whatever the format, and may speak of columns that are not in values.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
import polars as pl

from punctum.algebra.schema import Schema
from punctum.engine.formats.csv import Dialect
from punctum.engine.formats.files import decode
from punctum.engine.formats.read import LONGEST, REJECTED, Place, Read, clean
from punctum.engine.kafka.avro import NOT_AVRO, Avro, fitted
from punctum.errors import SchemaError
from punctum.ir.definitions import BESIDE
from punctum.operators.columns import AT, ColumnarSlice, Places, dtype

NO_VALUE = "the message has no value"
"""The reason of a message whose value is NULL or blank."""
SEVERAL = "the message is not one CSV record: a quote is not closed, or there are several"
_PUNCT = re.compile(rb'\s*\{\s*"\$punct"\s*:')
Header = tuple[str, bytes | None]
_BLANK = {"json": b" \t\r\n", "csv": b"\r\n", "avro": None}


@dataclass(frozen=True)
class Messages:
    """Some messages of a partition, in order, as columns; what the schema does not ask for is empty."""

    partition: int
    offsets: np.typing.NDArray[np.int64]
    values: Sequence[bytes | None]
    keys: Sequence[bytes | None] = ()
    timestamps: Sequence[int] = ()
    headers: Sequence[Sequence[Header] | None] = ()

    def __len__(self) -> int:
        return len(self.values)

    def part(self, begin: int, end: int) -> "Messages":
        """Some of them, by their numbers."""
        here = slice(begin, end)
        columns = (self.offsets[here], self.values[here], self.keys[here], self.timestamps[here], self.headers[here])
        return Messages(self.partition, *columns)


def joined(parts: Sequence[Messages]) -> Messages:
    """Messages of one partition, one part behind the other."""
    return Messages(
        parts[0].partition,
        np.concatenate([part.offsets for part in parts]),
        [value for part in parts for value in part.values],
        [key for part in parts for key in part.keys],
        [timestamp for part in parts for timestamp in part.timestamps],
        [headers for part in parts for headers in part.headers],
    )


def read_values(messages: Messages, schema: Schema, options: Mapping[str, str]) -> Read:
    """The elements of some messages, what is none of them, and the offset of each; places are numbers of messages.

    >>> some = Messages(3, np.array([7, 9, 12]), [b'{"n": 1}', b"oops", b'{"$punct": {"_offset": {"le": 9}}}'])
    >>> read = read_values(some, Schema.of(n="BIGINT", _offset="BIGINT"), {})
    >>> read.piece.rows.rows(), str(read.piece.puncts[0]), read.rejected["position"].to_list()
    ([(1, 7)], '<*, (,9]>', [9])
    """
    format_ = options.get("format", "json").lower()
    inside = Schema(tuple(a for a in schema.attributes if a.name not in BESIDE))
    values, bad = _elements(messages.values, _BLANK[format_])
    apart = format_ != "json" or len(inside) < len(schema)
    spoken = [n for n, value in enumerate(values) if apart and _PUNCT.match(value)]
    if format_ == "avro":
        rows = _read_avro(values, inside, options, bad, spoken)
    else:
        rows = _read_rows(format_, _without(values, spoken), inside, options, bad)
    puncts = [] if not spoken else [_numbered(decode("json", _lines(_only(values, spoken)), schema, {}), None)]
    return _together(messages, schema, rows, puncts, bad)


def check_values(schema: Schema, options: Mapping[str, str]) -> None:
    """An error when values cannot be what the options say; what a message holds is never one."""
    read_values(Messages(0, np.zeros(0, np.int64), []), schema, options)


Bad = dict[int, tuple[str, bytes]]
"""Messages that are not read, by their numbers: the reason and the text."""


def _elements(given: Sequence[bytes | None], blank: bytes | None) -> tuple[list[bytes], Bad]:
    """The values, with nothing in the place of those that have none."""
    values = [value or b"" for value in given]
    if blank is None:
        return values, {n: (NO_VALUE, b"") for n, value in enumerate(given) if value is None}
    if all(map(bytes.strip, values)):
        return values, {}
    bad: Bad = {n: (NO_VALUE, value) for n, value in enumerate(values) if not value.strip(blank)}
    return _without(values, bad), bad


def _read_rows(format_: str, values: list[bytes], schema: Schema, options: Mapping[str, str], bad: Bad) -> Read:
    """The elements of values; places and positions are the numbers of messages, from 0."""
    if format_ == "csv":
        return _read_csv(values, schema, options, bad)
    data = _lines([b"", *values])  # what stands first in a file may have a mark of its bytes' order, and a message not
    if data.count(b"\n") > len(values):  # an end of a line in JSON is as good as another
        data = _lines([b"", *(value.replace(b"\n", b"\r") for value in values)])
    return _numbered(decode("json", data, schema, {}), None, 1)


def _read_csv(values: list[bytes], schema: Schema, options: Mapping[str, str], bad: Bad) -> Read:
    """The same for CSV, with a header: by the first line the reader would guess whether there are punctuations."""
    values = [value.rstrip(b"\r\n") for value in values]
    dialect = Dialect.of(options)
    strange = [n for n, value in enumerate(values) if b'"' in value or b"\n" in value]
    wrong = [n for n in strange if not dialect.some.fullmatch(values[n])]
    bad |= {n: (SEVERAL, values[n]) for n in wrong}
    values = _without(values, wrong)
    head = dialect.sep.join('"' + name.replace('"', '""') + '"' for name in schema.names).encode()
    lines = [1 + value.count(b"\n") for value in values] if strange else None
    read = decode("csv", _lines([head, *values]), schema, {**options, "header": "true"})
    return _numbered(read, lines, 1)


def _read_avro(
    values: list[bytes], schema: Schema, options: Mapping[str, str], bad: Bad, spoken: Sequence[int]
) -> Read:
    """The same for Avro; messages that have no value, and those that are punctuations, are left out."""
    if "avroSchema" not in options:
        raise SchemaError("values in Avro need a schema", "", "OPTIONS (avroSchema '{…}')")
    passed = {*bad, *spoken}
    some = [n for n in range(len(values)) if n not in passed]
    avro = Avro(options["avroSchema"], options.get("confluent", "").lower() == "true")
    read, wrong = avro.read([values[n] for n in some])
    rows, beyond = fitted(read, schema)
    at = np.array(some, np.int64)
    bad |= {int(n): (NOT_AVRO, values[n]) for n in at[wrong]}
    bad |= {int(n): (reason, values[n]) for n, reason in zip(at[~wrong], beyond, strict=True) if reason}
    fits = np.array([not reason for reason in beyond], np.bool_)
    piece = ColumnarSlice(rows.filter(pl.Series(fits)), places=Places(pl.Series(AT, at[~wrong][fits])))
    return Read(piece, pl.DataFrame(schema=REJECTED), lambda row: (0, None))


def _numbered(read: Read, lines: Sequence[int] | None, before: int = 0) -> Read:
    """What was read, with numbers of messages for lines; some messages may have several, and lines may stand before."""
    ends = None if lines is None else np.fromiter(accumulate(lines), np.int64, len(lines))

    def number(at: pl.Series) -> pl.Series:
        line = at - 1 - before
        return line if ends is None else pl.Series(at.name, np.searchsorted(ends, line.to_numpy(), "right"), pl.Int64)

    assert read.piece.places is not None
    rows = number(read.piece.places.rows)
    known = replace(
        read.piece.places,
        rows=rows,
        puncts=tuple(number(pl.Series(read.piece.places.puncts, dtype=pl.Int64))),
        constants={name: number(at) for name, at in read.piece.places.constants.items()},
    )
    rejected = read.rejected.with_columns(number(read.rejected["position"]))
    return Read(replace(read.piece, places=known), rejected, lambda row: (rows[row], read.place(row)[1]), read.more)


def _together(messages: Messages, schema: Schema, rows: Read, punctuations: Sequence[Read], bad: Bad) -> Read:
    """Rows with the columns beside their values, and punctuations that stand among them, as one."""
    offsets, (known, *more) = messages.offsets, [read.piece for read in (rows, *punctuations)]
    places = known.places
    assert places is not None
    at = places.rows.to_numpy()
    beside = [_beside(messages, a.name, at).cast(dtype(a)) for a in schema.attributes if a.name in BESIDE]
    columns = {column.name: column for column in [*known.rows, *beside]}
    puncts, closed = known.puncts, dict(known.constants)
    for piece in more:
        assert piece.places is not None
        puncts, closed = puncts + piece.puncts, closed | dict(piece.constants)
        both = places.puncts + piece.places.puncts
        places = replace(places, puncts=both, constants={**places.constants, **piece.places.constants})
    piece = ColumnarSlice(pl.DataFrame([columns[name] for name in schema.names]), puncts, closed, _behind(places))
    strange = [(n, reason, clean(text, LONGEST)) for n, (reason, text) in bad.items()]
    rejected = pl.concat(
        [pl.DataFrame(strange, REJECTED, orient="row"), rows.rejected, *(r.rejected for r in punctuations)]
    )
    position = pl.Series("position", offsets[rejected["position"].to_numpy()], pl.Int64)

    def place(row: int) -> Place:
        return int(offsets[at[row]]), rows.place(row)[1]

    return Read(
        piece, rejected.with_columns(position).sort("position"), place, sum(r.more for r in (rows, *punctuations))
    )


def _behind(places: Places) -> Places:
    """Places from 1, as those of lines are."""
    constants = {name: at + 1 for name, at in places.constants.items()}
    return replace(places, rows=places.rows + 1, puncts=tuple(at + 1 for at in places.puncts), constants=constants)


def _beside(messages: Messages, name: str, at: np.typing.NDArray[np.int64]) -> pl.Series:
    """A column that is not in values, of some messages by their numbers."""
    match name:
        case "_offset":
            return pl.Series(name, messages.offsets[at])
        case "_partition":
            return pl.repeat(messages.partition, len(at), dtype=pl.Int64, eager=True).alias(name)
        case "_timestamp":
            return (pl.Series(name, messages.timestamps, pl.Int64).gather(at) * 1000).cast(pl.Datetime("us", "UTC"))
        case "_key":
            return pl.Series(name, [_text(key) for key in messages.keys], pl.String).gather(at)
        case _:
            lists = [[{"key": k, "value": _text(v)} for k, v in headers or ()] for headers in messages.headers]
            pair = pl.Struct({"key": pl.String, "value": pl.String})
            return pl.Series(name, lists, pl.List(pair)).gather(at)


def _text(given: bytes | None) -> str | None:
    return None if given is None else given.decode(errors="backslashreplace")


def _lines(values: Sequence[bytes]) -> bytes:
    return b"\n".join(values)


def _without(values: Sequence[bytes], some: "Sequence[int] | Bad") -> list[bytes]:
    """The values with nothing in the place of some of them, which readers pass over."""
    left = list(values)
    for n in some:
        left[n] = b""
    return left


def _only(values: Sequence[bytes], some: Sequence[int]) -> list[bytes]:
    left = [b""] * len(values)
    for n in some:
        left[n] = values[n].replace(b"\n", b"\r")
    return left
