"""Times as texts in a format, and texts in a format as times.

Formats are Spark's, of these letters::

    yyyy yy  M MM MMM MMMM  d dd  D DDD  E EEEE  H HH  h hh  a  m mm  s ss  S…SSSSSS  Q QQ  'text'  and signs

A text is read with ``yyyy M MM d dd H HH m mm s ss S…SSSSSS`` and is NULL when it is not in the format.
"""

from __future__ import annotations  # Polars is not loaded where a script is only compiled

import re
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any, NamedTuple

from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Expression, Literal, kind
from punctum.ir.expressions.types import converted
from punctum.ir.functions.define import Args, Scalar, constant
from punctum.ir.functions.later import pl
from punctum.ir.functions.rules import call

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October"]
_MONTHS += ["November", "December"]
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|(.)", re.DOTALL)


class _Letter(NamedTuple):
    """How a field is written: by Python, by Polars, and the expression that reads it, with the unit that it is."""

    python: Any
    polars: str
    read: str | None = None
    unit: str = ""


def _digits(width: int, field: Any) -> Any:
    return lambda t: f"{field(t):0{width}d}"


def _twelve(t: Any) -> int:
    return int((t.hour + 11) % 12 + 1)


_LETTERS = {
    "yyyy": _Letter(_digits(4, lambda t: t.year), "%Y", r"(\d{4})", "year"),
    "yy": _Letter(_digits(2, lambda t: t.year % 100), "%y"),
    "M": _Letter(_digits(1, lambda t: t.month), "%-m", r"(\d{1,2})", "month"),
    "MM": _Letter(_digits(2, lambda t: t.month), "%m", r"(\d{2})", "month"),
    "MMM": _Letter(lambda t: _MONTHS[t.month - 1][:3], "%b"),
    "MMMM": _Letter(lambda t: _MONTHS[t.month - 1], "%B"),
    "d": _Letter(_digits(1, lambda t: t.day), "%-d", r"(\d{1,2})", "day"),
    "dd": _Letter(_digits(2, lambda t: t.day), "%d", r"(\d{2})", "day"),
    "D": _Letter(_digits(1, lambda t: t.timetuple().tm_yday), "%-j"),
    "DDD": _Letter(_digits(3, lambda t: t.timetuple().tm_yday), "%j"),
    **dict.fromkeys(("E", "EE", "EEE"), _Letter(lambda t: _DAYS[t.weekday()][:3], "%a")),
    "EEEE": _Letter(lambda t: _DAYS[t.weekday()], "%A"),
    "H": _Letter(_digits(1, lambda t: t.hour), "%-H", r"(\d{1,2})", "hour"),
    "HH": _Letter(_digits(2, lambda t: t.hour), "%H", r"(\d{2})", "hour"),
    "h": _Letter(_digits(1, _twelve), "%-I"),
    "hh": _Letter(_digits(2, _twelve), "%I"),
    "a": _Letter(lambda t: "AM" if t.hour < 12 else "PM", "%p"),
    "m": _Letter(_digits(1, lambda t: t.minute), "%-M", r"(\d{1,2})", "minute"),
    "mm": _Letter(_digits(2, lambda t: t.minute), "%M", r"(\d{2})", "minute"),
    "s": _Letter(_digits(1, lambda t: t.second), "%-S", r"(\d{1,2})", "second"),
    "ss": _Letter(_digits(2, lambda t: t.second), "%S", r"(\d{2})", "second"),
    **{
        "S" * n: _Letter(lambda t, n=n: f"{t.microsecond:06d}"[:n], "", rf"(\d{{{n}}})", "microsecond")
        for n in range(1, 7)
    },
    **{"Q" * n: _Letter(_digits(n, lambda t: (t.month + 2) // 3), "") for n in (1, 2)},
}


@lru_cache(maxsize=256)
def _tokens(form: str) -> tuple[str | _Letter, ...] | None:
    """A format as texts and letters, or nothing when it has others."""
    made: list[str | _Letter] = []
    for matched in _TOKEN.finditer(form):
        quoted, letter, sign = matched.groups()
        if letter is not None:
            if matched[0] not in _LETTERS:
                return None
            made.append(_LETTERS[matched[0]])
        elif sign in ("'", "[", "]", "{", "}", "#"):
            return None
        else:
            made.append(sign if sign is not None else quoted.replace("''", "'") or "'")
    return tuple(made)


@lru_cache(maxsize=256)
def _reading(form: str) -> tuple[re.Pattern[str], tuple[str, ...]] | None:
    """The expression that reads a text in a format, and the units of its groups."""
    tokens = _tokens(form)
    if tokens is None or any(isinstance(token, _Letter) and token.read is None for token in tokens):
        return None
    units = tuple(token.unit for token in tokens if isinstance(token, _Letter))
    if len(set(units)) < len(units):
        return None
    written = (token.read or "" if isinstance(token, _Letter) else re.escape(token) for token in tokens)
    return re.compile("".join(written), re.ASCII), units


def _form(arg: Expression, reads: bool) -> str:
    form = str(constant(arg))
    if (_reading if reads else _tokens)(form) is None:
        letters = [name for name, letter in _LETTERS.items() if not reads or letter.read is not None]
        hint = f"supported: {', '.join(letters)}, signs and 'text'"
        raise SqlError(f"the format {form!r} is not supported", "", hint, arg.place)
    return form


def _written(value: date, form: str) -> str:
    moment = value if isinstance(value, datetime) else datetime.combine(value, time())
    tokens = _tokens(form) or ()
    return "".join(token if isinstance(token, str) else token.python(moment) for token in tokens)


def _written_kernel(value: pl.Expr, form: str) -> pl.Expr | None:
    tokens = _tokens(form) or ()
    if any(isinstance(token, _Letter) and not token.polars for token in tokens):
        return None
    made = "".join(token.replace("%", "%%") if isinstance(token, str) else token.polars for token in tokens)
    return value.cast(pl.Datetime("us")).dt.to_string(made)


def _read(text: str, form: str) -> datetime | None:
    reading = _reading(form)
    assert reading is not None
    expression, units = reading
    if (matched := expression.fullmatch(text)) is None:
        return None
    fields = {
        unit: int(digits.ljust(6, "0") if unit == "microsecond" else digits)
        for unit, digits in zip(units, matched.groups(), strict=True)
    }
    try:
        return datetime(**({"year": 1970, "month": 1, "day": 1} | fields))  # type: ignore[arg-type]
    except ValueError:
        return None


def _read_kernel(text: pl.Expr, form: str) -> pl.Expr | None:
    reading, tokens = _reading(form), _tokens(form) or ()
    assert reading is not None
    if reading[1][:3] != ("year", "month", "day") or "microsecond" in reading[1]:
        return None
    digits = "".join(re.sub(r"\\d", "[0-9]", t.read or "") if isinstance(t, _Letter) else re.escape(t) for t in tokens)
    made = "".join(t.replace("%", "%%") if isinstance(t, str) else t.polars.replace("-", "") for t in tokens)
    if "\\ " in digits:
        digits = digits.replace("\\ ", " ")
    if "hour" not in reading[1]:
        made, text = made + " %H:%M", pl.concat_str(text, pl.lit(" 00:00"))
        digits += " 00:00"
    fits = text.str.contains(f"\\A{digits}\\z")
    return pl.when(fits).then(text.str.to_datetime(made, time_unit="us", strict=False))


def _read_as(type_: Type, value: Expression, place: Place) -> Expression:
    """A value as a date or a time; a literal that is none is NULL, as the value of a column is."""
    try:
        return converted(value, kind(type_, True), place)
    except SqlError:
        return Literal(None, type_, place=place)


def _to_timestamp(args: Args, place: Place) -> Expression:
    if len(args) == 1:
        return _read_as(Type.TIMESTAMP, args[0], place)
    _form(args[1], reads=True)
    return converted(call("read time", args, place), kind(Type.TIMESTAMP, True), place)


def _to_date(args: Args, place: Place) -> Expression:
    if len(args) == 1:
        return _read_as(Type.DATE, args[0], place)
    _form(args[1], reads=True)
    return converted(call("read time", args, place), kind(Type.DATE, True), place)


def _date_format(args: Args, place: Place) -> Expression:
    _form(args[1], reads=False)
    return call("write time", args, place)


def _from_unixtime(args: Args, place: Place) -> Expression:
    form = args[1] if len(args) > 1 else Literal("yyyy-MM-dd HH:mm:ss", Type.STRING, place=place)
    return call("date_format", (call("timestamp_seconds", args[:1], place), form), place)


FORMATS = (
    Scalar(
        "date_format(time DATE|TIMESTAMP|TIMESTAMP_NTZ, format STRING CONSTANT) -> STRING",
        "as a text, such as `'yyyy-MM-dd HH:mm:ss.SSS'`",
        rule=_date_format,
    ),
    Scalar("write time(time TIME, format STRING CONSTANT) -> STRING", "", _written, _written_kernel),
    Scalar(
        "from_unixtime(seconds BIGINT, [format STRING CONSTANT]) -> STRING",
        "the time so many seconds after 1970 began, as a text",
        rule=_from_unixtime,
    ),
    Scalar(
        "to_date(value STRING|DATE|TIMESTAMP|TIMESTAMP_NTZ, [format STRING CONSTANT]) -> DATE",
        "the date that a text is; NULL when it is none",
        rule=_to_date,
        also=("try_to_date", "date"),
    ),
    Scalar(
        "to_timestamp(value STRING|DATE|TIMESTAMP|TIMESTAMP_NTZ, [format STRING CONSTANT]) -> TIMESTAMP",
        "the time that a text is; NULL when it is none",
        rule=_to_timestamp,
        also=("try_to_timestamp",),
    ),
    Scalar("read time(text STRING, format STRING CONSTANT) -> TIMESTAMP_NTZ", "", _read, _read_kernel, maybe=True),
)
