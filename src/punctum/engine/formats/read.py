"""What reading gives: the elements of a file, and what in it was not an element, each with its place and the reason.

Every reader has two roads. The fast one is vectorised and takes only what it has proved to be written plainly. All else
takes the exact one, value by value through ``algebra``, which decides and gives the reason. So both agree by
construction: what the fast road is not sure of it does not touch.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal

import numpy as np
import polars as pl

from punctum.algebra.functions import Element
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Row, Type, Value
from punctum.engine.formats.lines import Numbers
from punctum.errors import CodecError, PunctumError
from punctum.operators.columns import AT, ColumnarSlice, Places, canonical, empty, frame

PUNCT_COLUMN = "_punct"
"""The column of punctuations, as JSON, in formats that have no better place for them."""

LONGEST = 65_536
"""A rejected text is kept whole up to this many characters."""
ROOM = 8 << 20
"""About so many characters of what was rejected are kept of a file, and of a batch; what goes beyond is counted."""
FRAME = 200
"""What a record takes of it beside its texts."""
_LONGEST_REASON = 1_000
_ESCAPED = "backslashreplace"
_WIDE = Context(prec=100)

REJECTED: dict[str, pl.DataType] = {"position": pl.Int64(), "reason": pl.String(), "text": pl.String()}
"""The columns of what was rejected. A position is a line or a row, from 1, and 0 for the file as a whole."""


_NOTHING = pl.DataFrame(schema=REJECTED)
Place = tuple[int, str | bytes | None]
"""Where a row stands in its file, as a line or a row from 1, and its text there, in formats that have one."""


@dataclass(frozen=True)
class Read:
    """What a file held: its elements, in their order, what was rejected, and the place of each row.

    There may be more that was rejected than there is room for.
    """

    piece: ColumnarSlice
    rejected: pl.DataFrame
    place: Callable[[int], Place]
    more: int = 0
    whole: "Callable[[], Read] | None" = None
    """Reads it again with all columns, if some were not wanted."""

    @property
    def nothing(self) -> bool:
        """Whether there was neither an element nor anything that was rejected."""
        piece = self.piece
        return not (piece.rows.height or piece.puncts or piece.constants or self.rejected.height)


Closed = tuple[Mapping[str, pl.Series], Mapping[str, Numbers]]
"""Punctuations that are a constant on one attribute, by its name, and where each of them stands."""


class FileContent:
    """Gathers what the exact road finds."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.rows: list[Row] = []
        self._places: list[Place] = []
        self._at: list[int] = []
        self.puncts: list[Punctuation] = []
        self._puncts_at: list[int] = []
        self._rejects: list[tuple[int, str, str]] = []
        self._room, self._more = ROOM, 0
        self._decimals = any(a.type is Type.DECIMAL or a.type.nested for a in schema.attributes)

    def add(self, element: Element, position: int, text: bytes | None = None, at: int | None = None) -> None:
        """An element, and where it stands, exactly if two can stand there; a DECIMAL of a row must fit its column."""
        if isinstance(element, Punctuation):
            self.puncts.append(element)
            self._puncts_at.append(position if at is None else at)
        else:
            pairs = zip(element, self.schema.attributes, strict=True)
            row = (_in_digits(value, a) for value, a in pairs)
            self.rows.append(tuple(row) if self._decimals else element)
            self._places.append((position, text))
            self._at.append(position if at is None else at)

    def reject(self, position: int, error: PunctumError | str, text: str | bytes) -> None:
        """What is not an element, and why."""
        if self._room <= 0:
            self._more += 1
            return
        reason = clean(error if isinstance(error, str) else reason_of(error), _LONGEST_REASON)
        self._rejects.append((position, reason, clean(text, LONGEST)))
        self._room -= FRAME + sum(map(len, self._rejects[-1][1:]))

    def read(
        self,
        rows: pl.DataFrame | None = None,
        closed: Closed | None = None,
        place: Callable[[int], Place] | None = None,
        positions: Numbers | None = None,
    ) -> Read:
        """All of it, in order, with the rows that the fast road has found, their places, and constants."""
        parts = [] if rows is None or rows.is_empty() else [rows]
        fast, places = sum(map(len, parts)), self._places
        parts += [frame(self.schema, self.rows)] if self.rows else []
        joined = canonical(parts[0] if len(parts) == 1 else pl.concat(parts)) if parts else empty(self.schema)
        rejected = _NOTHING
        if self._rejects:
            rejected = pl.DataFrame(self._rejects, schema=REJECTED, orient="row").sort("position", maintain_order=True)
        slow = np.array(self._at, np.int64)
        known = slow if positions is None else np.concatenate([positions.astype(np.int64, copy=False), slow])
        order = None if (np.diff(known) > 0).all() else np.argsort(known, kind="stable")

        def at(row: int) -> Place:
            was = row if order is None else int(order[row])
            return place(was) if place is not None and was < fast else places[was - fast]

        constants, closed_at = closed or ({}, {})
        where = Places(
            pl.Series(AT, known if order is None else known[order]),
            tuple(self._puncts_at),
            {name: pl.Series(AT, numbers) for name, numbers in closed_at.items()},
        )
        piece = ColumnarSlice(joined if order is None else joined[order], tuple(self.puncts), dict(constants), where)
        return Read(piece, rejected, at, self._more)


def reason_of(error: PunctumError) -> str:
    """An error in one line."""
    reason = f"{error.what}: {error.detail}" if error.detail else error.what
    return f"{reason} ({error.hint})" if error.hint else reason


def clean(text: str | bytes, longest: int) -> str:
    r"""A text that can be written anywhere: what is not a character is escaped, what is too long is cut, and says so.

    >>> clean(b"a\xff", 10), clean("\ud800", 10), clean("abcdef", 4), clean(b"abcdef", 4)
    ('a\\xff', '\\ud800', 'abcd… (6 characters)', 'abcd… (6 bytes)')
    """
    raw, unit = (
        (text, "bytes") if isinstance(text, bytes) else (text[: longest + 1].encode(errors=_ESCAPED), "characters")
    )
    whole = raw[: 4 * longest + 4].decode(errors=_ESCAPED)
    return whole if len(whole) <= longest else f"{whole[:longest]}… ({len(text):,} {unit})"


def decoded(text: bytes) -> str:
    """Bytes of UTF-8 as text."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise CodecError("a line is not UTF-8", str(error), "write the file in UTF-8") from None


def differ(given: pl.DataFrame, rows: pl.DataFrame) -> pl.Series:
    """Which rows have a NULL where something was given."""
    doubt = pl.Series([False]).new_from_index(0, len(rows))
    for name in rows.columns:
        if rows[name].null_count() > given[name].null_count():
            doubt |= rows[name].is_null() & given[name].is_not_null()
    return doubt


def _in_digits(value: Value | None, attribute: Attribute) -> Value | None:
    """A value with the digits of its column, in all of its parts."""
    if isinstance(value, Decimal):
        return in_digits(value, attribute)
    if not isinstance(value, tuple):
        return value
    parts = attribute.parts * len(value) if attribute.type is Type.ARRAY else attribute.parts
    return tuple(_in_digits(part, of) for part, of in zip(value, parts, strict=True))


def in_digits(value: Decimal, attribute: Attribute) -> Decimal:
    """A value with the digits of its column, or an error when the column cannot hold it exactly.

    >>> price = Attribute("price", Type.DECIMAL, digits=(3, 2))
    >>> in_digits(Decimal("1.5000"), price)
    Decimal('1.50')
    >>> in_digits(Decimal("1.505"), price)
    Traceback (most recent call last):
    ...
    punctum.errors.CodecError: the column price has a wrong value
      detail: expected DECIMAL(3, 2), found 1.505
    """
    precision, scale = attribute.digits
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    zeros = len(digits) - len(bytes(digits).rstrip(b"\0"))
    if value and (value.adjusted() >= precision - scale or exponent + zeros < -scale):
        detail = f"expected DECIMAL({precision}, {scale}), found {value}"
        raise CodecError(f"the column {attribute.name} has a wrong value", detail)
    return value.quantize(Decimal((0, (1,), -scale)), context=_WIDE) if value else Decimal(0)
