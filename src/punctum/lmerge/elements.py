"""Elements of temporal streams: a payload's schema in, the schema of its elements out, and elements as values and rows.

An event is a payload with a lifetime from ``vs`` up to, and without, ``ve``. A temporal stream has three kinds of
elements (example 5 of the paper)::

    insert(p, vs, ve)         there is an event
    adjust(p, vs, vold, ve)   the event (p, vs, vold) ends at ve; when ve = vs, there is no such event
    stable(t)                 no later insert has vs < t, no later adjust has vold < t or ve < t

A row is an insert or an adjust: the payload's columns, then ``_vs``, ``_ve``, ``_vold``, ``_adjust``, ``_from``,
where NULL is infinity and ``_from`` is the least time that the row speaks of: ``_vs`` of an insert, of an adjust the
lesser one of its two ends. So stable(t) is the punctuation ``_from < t``, stable(∞) the end of the stream, and a
temporal stream is grammatical exactly when it is so as a punctuated stream.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.values import Row, Type, Value
from punctum.errors import SchemaError
from punctum.operators.columns import ColumnarSlice, dtype, frame, to_rows

VS, VE, VOLD, ADJUST, FROM = HIDDEN = ("_vs", "_ve", "_vold", "_adjust", "_from")
"""The names of an element's own columns, in order."""

TIMES: Final = (Type.BIGINT, Type.TIMESTAMP, Type.TIMESTAMP_NTZ, Type.DATE)
"""The types that times may have."""

NEVER: Final = -(2**63)
"""Below all times, as a whole number: an end that is not there, and the stable point before any stable."""
FOREVER: Final = 2**63 - 1
"""Infinity, as a whole number."""

Numbers = npt.NDArray[np.int64]
"""A column of times, as whole numbers."""

INF: Final = math.inf
"""Infinity, in elements as values."""
Time = float
"""A time of elements as values: a whole number, or infinity."""


@dataclass(frozen=True)
class Insert:
    """There is an event."""

    payload: Row
    vs: Time
    ve: Time

    def __str__(self) -> str:
        return f"insert({_text(self.payload)}, {_time(self.vs)}, {_time(self.ve)})"


@dataclass(frozen=True)
class Adjust:
    """An event ends at another time than was given, or is none."""

    payload: Row
    vs: Time
    vold: Time
    ve: Time

    def __str__(self) -> str:
        return f"adjust({_text(self.payload)}, {_time(self.vs)}, {_time(self.vold)}, {_time(self.ve)})"


@dataclass(frozen=True)
class Stable:
    """What lies before a time has happened and will not be changed."""

    t: Time

    def __str__(self) -> str:
        return f"stable({_time(self.t)})"


Element = Insert | Adjust | Stable
"""An element of a temporal stream."""


def _text(payload: Row) -> str:
    return ", ".join(map(str, payload))


def _time(t: Time) -> str:
    return "∞" if t == INF else str(t)


def element_schema(payload: Schema, time: Type = Type.BIGINT) -> Schema:
    """The schema of elements with this payload.

    >>> print(element_schema(Schema.of(symbol="STRING")))
    symbol STRING, _vs BIGINT, _ve BIGINT, _vold BIGINT, _adjust BOOLEAN, _from BIGINT
    """
    if time not in TIMES:
        raise SchemaError(f"a lifetime cannot have the type {time.value}", "", "BIGINT, TIMESTAMP or DATE")
    taken = [name for name in payload.names if name in HIDDEN]
    if taken:
        raise SchemaError(f"the name {taken[0]} is reserved for elements", "", "rename the payload's column")
    hidden = (
        Attribute(VS, time, NOT_NULL),
        Attribute(VE, time),
        Attribute(VOLD, time),
        Attribute(ADJUST, Type.BOOLEAN, NOT_NULL),
        Attribute(FROM, time),
    )
    return Schema((*payload.attributes, *hidden))


def payload_schema(elements: Schema) -> Schema:
    """The schema of the payload of elements.

    >>> print(payload_schema(element_schema(Schema.of(symbol="STRING"))))
    symbol STRING
    """
    assert elements.names[-len(HIDDEN) :] == HIDDEN, "the schema is not one of elements"
    return Schema(elements.attributes[: -len(HIDDEN)])


def time_type(elements: Schema) -> Type:
    """The type of an element's times."""
    return elements.attributes[elements.index(VS)].type


def stable(elements: Schema, t: Value | None) -> Punctuation:
    """The stable of a time as a punctuation; nothing is infinity.

    >>> schema = element_schema(Schema.of(symbol="STRING"))
    >>> print(stable(schema, 11), stable(schema, None))
    <*, *, *, *, *, (,10]> <*, *, *, *, *, *>
    """
    return end_of_stream(elements) if t is None else Punctuation.of(elements, {FROM: between(None, t, "[)")})


def stable_of(p: Punctuation) -> int | None:
    """The time of a stable, as a whole number; nothing, when the punctuation is none.

    >>> schema = element_schema(Schema.of(symbol="STRING"))
    >>> stable_of(stable(schema, 11)), stable_of(stable(schema, None)) == FOREVER
    (11, True)
    """
    if not p.sides:
        return FOREVER
    at, pattern = p.sides[0]
    if len(p.sides) > 1 or p.schema.names[at] != FROM or len(pattern.spans) != 1:
        return None
    low, high = pattern.spans[0]
    if low is not LOWEST:
        return None
    if high is HIGHEST:
        return FOREVER
    if isinstance(high, int):  # of thousands in a slice most are
        return high
    return int(pl.Series([high], dtype=dtype(p.schema.attributes[at])).to_physical()[0])


def time_value(t: int, kind: Type) -> Value | None:
    """The value of a time that is given as a whole number; nothing for infinity."""
    if t == FOREVER:
        return None
    return to_rows(pl.DataFrame({VS: moments(np.array([t], dtype=np.int64), Attribute(VS, kind))}))[0][0]


def moments(times: Numbers, attribute: Attribute) -> pl.Series:
    """Whole numbers as a column of an attribute's type, NULL for infinity."""
    numbers = pl.Series(attribute.name, times)
    if (times == FOREVER).any():
        numbers = numbers.set(numbers == FOREVER, None)
    kind = dtype(attribute)
    return numbers if kind == pl.Int64 else numbers.cast(pl.Int32 if kind == pl.Date else pl.Int64).cast(kind)


def numbers(column: pl.Series) -> Numbers:
    """A column of times as whole numbers, infinity for NULL."""
    whole = column.to_physical().cast(pl.Int64)
    return (whole.fill_null(FOREVER) if whole.null_count() else whole).to_numpy()


def row(element: Insert | Adjust) -> Row:
    """An element as a row."""
    vs = _written(element.vs)
    if isinstance(element, Insert):
        return (*element.payload, vs, _written(element.ve), None, False, vs)
    least = _written(min(element.vold, element.ve))
    return (*element.payload, vs, _written(element.ve), _written(element.vold), True, least)


def from_row(values: Row) -> Insert | Adjust:
    """The element that a row is.

    >>> print(from_row(("A", 6, None, None, False, 6)), from_row(("A", 6, 12, None, True, 12)))
    insert(A, 6, ∞) adjust(A, 6, ∞, 12)
    """
    *payload, vs, ve, vold, adjust, _ = values
    start, end = _read(vs), _read(ve)
    return Adjust(tuple(payload), start, _read(vold), end) if adjust else Insert(tuple(payload), start, end)


def to_columns(elements: Iterable[Element], schema: Schema) -> ColumnarSlice:
    """Elements as a slice."""
    known = list(elements)
    rows = frame(schema, [row(e) for e in known if not isinstance(e, Stable)])
    return ColumnarSlice(rows, tuple(stable(schema, _written(e.t)) for e in known if isinstance(e, Stable)))


def from_columns(piece: ColumnarSlice, schema: Schema) -> list[Element]:
    """The elements of a slice, its stables last."""
    elements: list[Element] = [from_row(t) for t in to_rows(piece.rows)]
    times = (t for p in piece.puncts if (t := stable_of(p)) is not None)
    return elements + [Stable(INF if t == FOREVER else t) for t in times]


def _written(t: Time) -> int | None:
    return None if t == INF else int(t)


def _read(t: Value | None) -> Time:
    if t is None:
        return INF
    assert isinstance(t, int)
    return t
