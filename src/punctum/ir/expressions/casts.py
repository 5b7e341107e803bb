"""CAST: a value of one type as a value of another, or NULL where it has none.

As in Spark, where CAST of a number to a whole number cuts towards zero, and one to a DECIMAL rounds half up. Times are
read and written in UTC. What cannot be read, or does not fit, is NULL (Spark's TRY_CAST).
"""

import math
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from punctum.algebra.schema import Attribute
from punctum.algebra.values import NAN, Type, Value, value_text
from punctum.errors import PatternError

WIDE = Context(prec=120, rounding=ROUND_HALF_UP)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TIME = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6})\d*)?)?\s*(Z|UTC|[+-]\d{2}:\d{2})?)?",
    re.ASCII,
)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SPECIAL = {"nan": NAN, "infinity": math.inf, "inf": math.inf, "+inf": math.inf, "+infinity": math.inf}
_SPECIAL |= {"-inf": -math.inf, "-infinity": -math.inf}
_BOOLEAN = dict.fromkeys(("t", "true", "y", "yes", "1"), True) | dict.fromkeys(("f", "false", "n", "no", "0"), False)


def cast(value: Value | None, source: Attribute, target: Attribute) -> Value | None:
    """The value as one of the target's type, or NULL.

    >>> cast("17 ", Attribute("", Type.STRING), Attribute("", Type.BIGINT))
    17
    >>> cast(2.5, Attribute("", Type.DOUBLE), Attribute("", Type.DECIMAL, digits=(2, 0)))
    Decimal('3')
    """
    if value is None:
        return None
    try:
        if target.type is Type.DECIMAL:
            return fitted(_decimal(value), target.digits)
        if source.type is target.type:
            return value
        return target.type.accept(_CASTS[source.type, target.type](value))
    except (ArithmeticError, ValueError, PatternError):
        return None


def castable(source: Type, target: Type) -> bool:
    """Whether there is a CAST from one type to another."""
    if target is Type.DECIMAL:
        return source in (Type.BIGINT, Type.DOUBLE, Type.DECIMAL, Type.STRING, Type.BOOLEAN)
    return source is target or (source, target) in _CASTS


def fitted(value: Decimal | None, digits: tuple[int, int]) -> Decimal | None:
    """A DECIMAL rounded half up to its digits, or NULL when it has too many before the point.

    >>> fitted(Decimal("12.345"), (4, 2)), fitted(Decimal("123.4"), (4, 2))
    (Decimal('12.35'), None)
    """
    if value is None or not value.is_finite():
        return None
    precision, scale = digits
    rounded = WIDE.quantize(value, Decimal(1).scaleb(-scale))
    return None if rounded and rounded.adjusted() >= precision - scale else rounded + 0


def _decimal(value: Any) -> Decimal | None:
    if isinstance(value, str):
        return Decimal(value.strip()) if _NUMBER.fullmatch(value.strip()) else None
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(int(value) if value is True else value)


def _read_bigint(value: str) -> int:
    stripped = value.strip()
    if not _WHOLE.fullmatch(stripped):
        raise ValueError(stripped)
    return int(stripped)


def _read_double(value: str) -> float:
    stripped = value.strip()
    if stripped.lower() in _SPECIAL:
        return _SPECIAL[stripped.lower()]
    if not _NUMBER.fullmatch(stripped):
        raise ValueError(stripped)
    return float(stripped)


def read_time(value: str) -> tuple[datetime, timezone | None]:
    """The local time that a text gives, and its zone if it gives one.

    >>> read_time("2026-11-15 12:00:00.5")
    (datetime.datetime(2026, 11, 15, 12, 0, 0, 500000), None)
    """
    if not (matched := _TIME.fullmatch(value.strip())):
        raise ValueError(value)
    *fields, fraction, zone = matched.groups()
    year, month, day, hour, minute, second = (int(digits or 0) for digits in fields)
    local = datetime(year, month, day, hour, minute, second, int((fraction or "0").ljust(6, "0")))
    if zone is None:
        return local, None
    sign = -1 if zone[0] == "-" else 1
    offset = timedelta() if zone in ("Z", "UTC") else timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
    return local, timezone(sign * offset)


def _read_timestamp(value: str) -> datetime:
    local, zone = read_time(value)
    return local.replace(tzinfo=zone or UTC).astimezone(UTC)


def double_text(value: float) -> str:
    """A DOUBLE as Java writes it.

    >>> double_text(0.5), double_text(1e7), double_text(1.25e-5)
    ('0.5', '1.0E7', '1.25E-5')
    """
    if not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return f"{Decimal(repr(value)):f}" if "e" in repr(value) else repr(value)
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    shown = "".join(map(str, digits)).rstrip("0") or "0"
    assert isinstance(exponent, int)
    return f"{'-' * sign}{shown[0]}.{shown[1:] or '0'}E{exponent + len(digits) - 1}"


def _time_text(value: datetime) -> str:
    text = value.replace(tzinfo=None).isoformat(" ")
    return text.rstrip("0").rstrip(".") if value.microsecond else text


def _seconds(value: datetime) -> int:
    return (value - _EPOCH) // timedelta(seconds=1)


def _midnight(value: date) -> datetime:
    return datetime(value.year, value.month, value.day)


_BIGINT, _DOUBLE, _DECIMAL, _STRING, _TRUTH = Type.BIGINT, Type.DOUBLE, Type.DECIMAL, Type.STRING, Type.BOOLEAN
_CASTS: dict[tuple[Type, Type], Callable[[Any], object]] = {
    (_BIGINT, _DOUBLE): float,
    (_BIGINT, _STRING): str,
    (_BIGINT, _TRUTH): bool,
    (_BIGINT, Type.TIMESTAMP): lambda value: _EPOCH + timedelta(seconds=value),
    (_DOUBLE, _BIGINT): int,
    (_DOUBLE, _STRING): double_text,
    (_DOUBLE, _TRUTH): bool,
    (_DECIMAL, _BIGINT): int,
    (_DECIMAL, _DOUBLE): float,
    (_DECIMAL, _STRING): lambda value: f"{value:f}",
    (_DECIMAL, _TRUTH): bool,
    (_TRUTH, _BIGINT): int,
    (_TRUTH, _DOUBLE): float,
    (_TRUTH, _STRING): lambda value: "true" if value else "false",
    (_STRING, _BIGINT): _read_bigint,
    (_STRING, _DOUBLE): _read_double,
    (_STRING, _TRUTH): lambda value: _BOOLEAN.get(value.strip().lower()),
    (_STRING, Type.DATE): lambda value: read_time(value)[0].date(),
    (_STRING, Type.TIMESTAMP): _read_timestamp,
    (_STRING, Type.TIMESTAMP_NTZ): lambda value: read_time(value)[0],
    (Type.DATE, _STRING): date.isoformat,
    (Type.DATE, Type.TIMESTAMP): lambda value: _midnight(value).replace(tzinfo=UTC),
    (Type.DATE, Type.TIMESTAMP_NTZ): _midnight,
    (Type.TIMESTAMP, _STRING): _time_text,
    (Type.TIMESTAMP, _BIGINT): _seconds,
    (Type.TIMESTAMP, Type.DATE): lambda value: value.date(),
    (Type.TIMESTAMP, Type.TIMESTAMP_NTZ): lambda value: value.replace(tzinfo=None),
    (Type.TIMESTAMP_NTZ, _STRING): _time_text,
    (Type.TIMESTAMP_NTZ, Type.DATE): lambda value: value.date(),
    (Type.INTERVAL, _STRING): value_text,
    (Type.TIMESTAMP_NTZ, Type.TIMESTAMP): lambda value: value.replace(tzinfo=UTC),
}
