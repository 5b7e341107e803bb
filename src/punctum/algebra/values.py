"""Attribute types, their canonical Python values, and how a value is written as text.

Values compare as in Spark: NaN equals itself, -0.0 is 0.0, strings go by code point, a timestamp is an instant.
"""

import json
import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Final

from punctum.errors import PatternError

Value = int | float | Decimal | str | bool | date | datetime | timedelta | tuple[Any, ...]
"""A canonical value that is not NULL; that of an ARRAY has its elements, that of a STRUCT its fields, in order."""

Row = tuple[Value | None, ...]
"""A row: one canonical value or NULL for each attribute."""

NAN: Final = math.nan  # the one NaN in canonical values, so that tuples that hold it are equal


class Type(Enum):
    """The type of an attribute, named as in Spark SQL.

    >>> Type.BIGINT.discrete, Type.DOUBLE.discrete
    (True, False)
    """

    BIGINT = "BIGINT"
    DOUBLE = "DOUBLE"
    DECIMAL = "DECIMAL"
    STRING = "STRING"
    BOOLEAN = "BOOLEAN"
    DATE = "DATE"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_NTZ = "TIMESTAMP_NTZ"
    INTERVAL = "INTERVAL"
    ARRAY = "ARRAY"
    STRUCT = "STRUCT"

    @property
    def discrete(self) -> bool:
        """Whether each value has a next one (a timestamp's is a microsecond later)."""
        return self not in (Type.DOUBLE, Type.DECIMAL, Type.STRING, Type.ARRAY, Type.STRUCT)

    @property
    def nested(self) -> bool:
        """Whether its values have values in them: no punctuation speaks of them, and nothing is grouped by them."""
        return self in (Type.ARRAY, Type.STRUCT)

    @property
    def whole(self) -> bool:
        """Whether its values are counted: between two of them are few enough to be closed one by one."""
        return self in (Type.BIGINT, Type.DATE)

    def accept(self, value: object) -> Value:
        """The canonical value of this type for a Python value that means one exactly.

        >>> Type.DOUBLE.accept(17)
        17.0
        >>> Type.BIGINT.accept(True)
        Traceback (most recent call last):
        ...
        punctum.errors.PatternError: True is not a BIGINT
          detail: it is a bool
          hint: BIGINT takes int of 64 bits
        """
        try:
            accepted = None if self.nested else _ACCEPT[self](value)
        except (ValueError, OverflowError):
            accepted = None
        if accepted is None:
            detail = f"it is a {type(value).__name__}"
            raise PatternError(f"{value!r} is not a {self.value}", detail, f"{self.value} takes {_TAKES[self]}")
        return accepted


SCALARS: Final = tuple(kind for kind in Type if not kind.nested)
"""The types whose values have none in them."""
MICROSECOND: Final = timedelta(microseconds=1)
INSTANTS: Final = (Type.TIMESTAMP, Type.TIMESTAMP_NTZ)
"""The types of points in time."""


def type_of(value: Value) -> Type:
    """The type whose values look like this one.

    >>> type_of(17), type_of(date(2026, 11, 15))
    (<Type.BIGINT: 'BIGINT'>, <Type.DATE: 'DATE'>)
    """
    if isinstance(value, datetime):
        return Type.TIMESTAMP_NTZ if value.tzinfo is None else Type.TIMESTAMP
    try:
        return _TYPE_OF[type(value)]
    except KeyError:
        takes = ", ".join(sorted(t.__name__ for t in _TYPE_OF))
        detail = f"it is a {type(value).__name__}"
        raise PatternError(f"{value!r} is not a value", detail, f"values are {takes}, datetime") from None


def _bigint(value: object) -> int | None:
    return value if type(value) is int and -(2**63) <= value < 2**63 else None


def _double(value: object) -> float | None:
    if type(value) is int or isinstance(value, Decimal):
        exact = float(value)
        return exact if exact == value else None
    if not isinstance(value, float):
        return None
    return NAN if math.isnan(value) else value + 0.0  # -0.0 + 0.0 is 0.0


def _decimal(value: object) -> Decimal | None:
    if type(value) is int:
        return Decimal(value)
    return value if isinstance(value, Decimal) and value.is_finite() else None


def _string(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    value.encode()  # an unpaired surrogate is not a character
    return value


def _timestamp(value: object) -> datetime | None:
    if not isinstance(value, datetime):
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _interval(value: object) -> timedelta | None:
    return value if isinstance(value, timedelta) and -(2**63) <= value // MICROSECOND < 2**63 else None


def _timestamp_ntz(value: object) -> datetime | None:
    return value if isinstance(value, datetime) and value.tzinfo is None else None


_ACCEPT: dict[Type, Callable[[object], Value | None]] = {
    Type.BIGINT: _bigint,
    Type.DOUBLE: _double,
    Type.DECIMAL: _decimal,
    Type.STRING: _string,
    Type.BOOLEAN: lambda value: value if isinstance(value, bool) else None,
    Type.DATE: lambda value: value if isinstance(value, date) and not isinstance(value, datetime) else None,
    Type.TIMESTAMP: _timestamp,
    Type.TIMESTAMP_NTZ: _timestamp_ntz,
    Type.INTERVAL: _interval,
}
_TAKES = {
    Type.BIGINT: "int of 64 bits",
    Type.DOUBLE: "float, or an int that a float holds exactly",
    Type.DECIMAL: "a finite Decimal or int",
    Type.STRING: "str of whole Unicode characters",
    Type.BOOLEAN: "bool",
    Type.DATE: "date",
    Type.TIMESTAMP: "datetime (UTC when it has no zone)",
    Type.TIMESTAMP_NTZ: "datetime without a zone",
    Type.INTERVAL: "timedelta of microseconds of 64 bits",
    **dict.fromkeys((Type.ARRAY, Type.STRUCT), "the elements or fields that its column has"),
}
_TYPE_OF: dict[type, Type] = {
    int: Type.BIGINT,
    float: Type.DOUBLE,
    Decimal: Type.DECIMAL,
    str: Type.STRING,
    bool: Type.BOOLEAN,
    date: Type.DATE,
    timedelta: Type.INTERVAL,
}


_PLAIN = re.compile(r"(?!NULL$)[\w.:@/+-]+")


def value_text(value: Value | None) -> str:
    """A value as text, from which its type can read it back; a string is quoted where it could be mistaken.

    >>> [value_text(v) for v in (17, 0.5, True, None, "S01", "a, b", "NULL", datetime(2026, 11, 15, tzinfo=UTC))]
    ['17', '0.5', 'true', 'NULL', 'S01', '"a, b"', '"NULL"', '2026-11-15T00:00:00Z']
    """
    match value:
        case None:
            return "NULL"
        case bool():
            return "true" if value else "false"
        case float() if not math.isfinite(value):
            return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
        case str():
            return value if _PLAIN.fullmatch(value) else json.dumps(value)
        case date():
            return value.isoformat().replace("+00:00", "Z")
        case timedelta():
            return _interval_text(value)
        case tuple():
            return f"({', '.join(map(value_text, value))})"
        case _:
            return str(value)


def _interval_text(value: timedelta) -> str:
    """An interval as Spark writes it."""
    sign, (seconds, micros) = "-" * (value < timedelta()), divmod(abs(value) // MICROSECOND, 10**6)
    (minutes, second), fraction = divmod(seconds, 60), f".{micros:06}".rstrip("0").rstrip(".")
    clock = f"{minutes // 60 % 24:02}:{minutes % 60:02}:{second:02}{fraction}"
    return f"INTERVAL '{sign}{minutes // 1440} {clock}' DAY TO SECOND"


def value_from_text(text: str, kind: Type) -> Value | None:
    """The value that ``value_text`` wrote.

    >>> value_from_text("17", Type.BIGINT), value_from_text("17", Type.STRING), value_from_text("NULL", Type.STRING)
    (17, '17', None)
    """
    if text == "NULL":
        return None
    try:
        return kind.accept(_READ[kind](text))
    except (ValueError, ArithmeticError, PatternError):
        raise PatternError(f"{text!r} is not a {kind.value}", "", f"{kind.value} is written {_WRITTEN[kind]}") from None


def _read_string(text: str) -> object:
    return json.loads(text) if text.startswith('"') else text


def _read_number(text: str) -> str:
    if "_" in text or text != text.strip():  # Python's own numbers may have both
        raise ValueError(text)
    return text


def _read_interval(text: str) -> timedelta:
    if not (parts := _INTERVAL.fullmatch(text)):
        raise ValueError(text)
    sign, *fields, fraction = parts.groups()
    days, hours, minutes, seconds = map(int, fields)
    length = timedelta(days, seconds, int((fraction or "").ljust(6, "0")), minutes=minutes, hours=hours)
    return -length if sign else length


_INTERVAL = re.compile(r"INTERVAL '(-?)(\d{1,9}) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?' DAY TO SECOND", re.ASCII)
_READ: dict[Type, Callable[[str], object]] = {
    Type.BIGINT: lambda text: int(_read_number(text)),
    Type.DOUBLE: lambda text: float(_read_number(text)),
    Type.DECIMAL: lambda text: Decimal(_read_number(text)),
    Type.STRING: _read_string,
    Type.BOOLEAN: {"true": True, "false": False}.get,
    Type.DATE: date.fromisoformat,
    Type.TIMESTAMP: datetime.fromisoformat,
    Type.TIMESTAMP_NTZ: datetime.fromisoformat,
    Type.INTERVAL: _read_interval,
}
_WRITTEN = {
    Type.BIGINT: "17",
    Type.DOUBLE: "0.5, 1e9, NaN, Infinity or -Infinity",
    Type.DECIMAL: "12.50",
    Type.STRING: 'S01 or "any text, as in JSON"',
    Type.BOOLEAN: "true or false",
    Type.DATE: "2026-11-15",
    Type.TIMESTAMP: "2026-11-15T12:00:00Z",
    Type.TIMESTAMP_NTZ: "2026-11-15T12:00:00",
    Type.INTERVAL: "INTERVAL '1 12:00:00' DAY TO SECOND",
}
