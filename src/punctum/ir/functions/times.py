"""Functions of times. Those of a TIMESTAMP see it as local time in the session's zone, and weeks begin on Monday."""

from __future__ import annotations  # Polars is not loaded where a script is only compiled

import math
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Call, Expression, Literal, kind
from punctum.ir.expressions.truncation import date_trunc
from punctum.ir.expressions.types import converted, is_null, zoned
from punctum.ir.expressions.zones import SESSION, WITHOUT
from punctum.ir.functions.define import EXACT, FALLING, NEITHER, RISING, Args, Scalar, Step, constant
from punctum.ir.functions.later import pl
from punctum.ir.functions.rules import call

UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")
TRUNCATE = dict(zip(UNITS, ("1y", "1q", "1mo", "1w", "1d", "1h", "1m", "1s", "1ms", "1us"), strict=True))
_OF_A_SECOND = ("SECOND", "MILLISECOND", "MICROSECOND")
"""Units that begin at the same instants in every zone."""
_SHORT = {"YYYY": "YEAR", "YY": "YEAR", "MON": "MONTH", "MM": "MONTH"}
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_LONG = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
_EPOCH = datetime(1970, 1, 1)
_LOWEST, _HIGHEST = ((end - _EPOCH.date()).days for end in (date.min, date.max))
_NONE = 2**100
"""A number that no time has."""
_MICRO, _DAY = timedelta(microseconds=1), timedelta(days=1)
_LENGTHS = {
    "WEEK": 7 * _DAY,
    "DAY": _DAY,
    "HOUR": timedelta(hours=1),
    "MINUTE": timedelta(minutes=1),
    "SECOND": timedelta(seconds=1),
    "MILLISECOND": timedelta(milliseconds=1),
    "MICROSECOND": _MICRO,
}
_MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}
_PARTS = {
    **dict.fromkeys(("YEAR", "YEARS", "Y", "YR", "YRS"), "year"),
    **dict.fromkeys(("QUARTER", "QTR"), "quarter"),
    **dict.fromkeys(("MONTH", "MONTHS", "MON", "MONS"), "month"),
    **dict.fromkeys(("WEEK", "WEEKS", "W"), "weekofyear"),
    **dict.fromkeys(("DAY", "DAYS", "D"), "day"),
    **dict.fromkeys(("DAYOFWEEK", "DOW"), "dayofweek"),
    **dict.fromkeys(("DOY",), "dayofyear"),
    **dict.fromkeys(("HOUR", "HOURS", "H", "HR", "HRS"), "hour"),
    **dict.fromkeys(("MINUTE", "MINUTES", "M", "MIN", "MINS"), "minute"),
}


def _days(days: pl.Expr) -> pl.Expr:
    """Whole numbers of days, where there are such dates."""
    return (
        pl.when(days.is_between(_LOWEST, _HIGHEST)).then(days).when(days.is_not_null()).then(pl.lit(_NONE, pl.Int128))
    )


def _number(day: pl.Expr) -> pl.Expr:
    return day.cast(pl.Int32()).cast(pl.Int128())


def _instants(micros: pl.Expr) -> pl.Expr:
    low, high = ((end - _EPOCH) // _MICRO for end in (datetime.min, datetime.max))
    return pl.when(micros.is_between(low, high)).then(micros).when(micros.is_not_null()).then(pl.lit(_NONE, pl.Int128))


def _instant(micros: int) -> datetime:
    return (_EPOCH + micros * _MICRO).replace(tzinfo=UTC)


def _micros(moment: datetime) -> int:
    return (moment.replace(tzinfo=None) - _EPOCH) // _MICRO


def _add_months(day: date, months: int) -> date:
    number = day.year * 12 + day.month - 1 + months
    year, month = number // 12, number % 12 + 1
    if not 1 <= year <= 9999:
        raise OverflowError(months)
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _add_months_kernel(day: pl.Expr, months: pl.Expr) -> pl.Expr:
    number = day.dt.year().cast(pl.Int128()) * 12 + day.dt.month() - 1 + months.cast(pl.Int128())
    fits = number.is_between(12, 12 * 10_000 - 1)
    safe = pl.when(fits).then(number).otherwise(12)
    begins = pl.date((safe // 12).cast(pl.Int32()), (safe % 12 + 1).cast(pl.Int8()), 1)
    moved = pl.min_horizontal(day.dt.day(), begins.dt.month_end().dt.day()).cast(pl.Int128()) - 1 + _number(begins)
    return pl.when(fits).then(moved).when(number.is_not_null()).then(pl.lit(_NONE, pl.Int128))


def _next_day(args: Args, place: Place) -> Expression:
    """NEXT_DAY with the number of its day."""
    name = str(constant(args[1])).upper()
    numbers = {short: n for n, short in enumerate(_DAYS)} | {long: n for n, long in enumerate(_LONG)}
    numbers |= {long[:3]: n for n, long in enumerate(_LONG)}
    if name not in numbers:
        raise SqlError(f"{name} is not a day of the week", "", f"it is one of {', '.join(_LONG)}", place)
    return call("next weekday", (args[0], Literal(numbers[name], Type.BIGINT)), place)


def _next_weekday(day: date, number: int) -> date:
    return day + timedelta(days=(number - day.weekday() - 1) % 7 + 1)


def _trunc(args: Args, place: Place) -> Expression:
    unit = str(constant(args[1])).upper()
    unit = _SHORT.get(unit, unit)
    if unit not in UNITS[:4]:
        raise SqlError(f"TRUNC does not support the unit {unit}", "", f"supported: {', '.join(UNITS[:4])}", place)
    whole = converted(args[0], kind(Type.TIMESTAMP_NTZ, True))
    begins = Call("date_trunc", (Literal(unit, Type.STRING), whole), kind(Type.TIMESTAMP_NTZ, whole.nullable), place)
    return converted(begins, kind(Type.DATE, True), place)


def _date_trunc(args: Args, place: Place) -> Expression:
    unit = str(constant(args[0])).upper()
    unit = _SHORT.get(unit, unit)
    if unit not in UNITS:
        raise SqlError(f"DATE_TRUNC does not support the unit {unit}", "", f"supported: {', '.join(UNITS)}", place)
    args = (Literal(unit, Type.STRING, place=args[0].place), args[1])
    if SESSION.get() == WITHOUT or args[1].type is not Type.TIMESTAMP or unit in _OF_A_SECOND or is_null(args[1]):
        return Call("date_trunc", args, kind(args[1].type, args[1].nullable), place)
    return zoned("local_trunc", args, kind(Type.TIMESTAMP, args[1].nullable), place)


def _part(args: Args, place: Place) -> Expression:
    unit = str(constant(args[0])).upper()
    if unit not in _PARTS:
        hint = "supported: YEAR, QUARTER, MONTH, WEEK, DAY, DAYOFWEEK, DOY, HOUR, MINUTE; SECOND(…) gives whole seconds"
        raise SqlError(f"EXTRACT({unit} FROM …) is not supported", "", hint, place)
    return call(_PARTS[unit], args[1:], place)


def _months_between(one: date, other: date) -> float:
    """Whole months between the same days of a month or its last days; else by months of 31 days."""
    a, b = ((t.year * 12 + t.month, t.day, monthrange(t.year, t.month)[1] == t.day, _second(t)) for t in (one, other))
    months = a[0] - b[0]
    if a[1] == b[1] or (a[2] and b[2]):
        return float(months)
    seconds = (a[1] - b[1]) * 86400 + a[3] - b[3]
    return math.floor((months + seconds / 2678400) * 1e8 + 0.5) / 1e8


def _is_date(year: int, month: int, day: int) -> bool:
    return 1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _second(time: date) -> int:
    """The second of the day."""
    return time.hour * 3600 + time.minute * 60 + time.second if isinstance(time, datetime) else 0


def _difference(unit: str, begin: datetime, end: datetime) -> int:
    """How many whole units lie between two local times."""
    if unit in _LENGTHS:
        steps = abs(end - begin) // _LENGTHS[unit]
        return steps if end >= begin else -steps
    last = end.date()
    if last > begin.date() and end.time() < begin.time():
        last -= _DAY
    elif last < begin.date() and end.time() > begin.time():
        last += _DAY
    days = (last.year - begin.year) * 384 + (last.month - begin.month) * 32 + last.day - begin.day
    months = abs(days) // 32 // _MONTHS[unit]
    return months if days >= 0 else -months


def _difference_kernel(unit: str, begin: pl.Expr, end: pl.Expr) -> pl.Expr | None:
    if unit not in _LENGTHS:
        return None
    passed = end.cast(pl.Int64()) - begin.cast(pl.Int64())
    return passed.abs() // (_LENGTHS[unit] // _MICRO) * passed.sign()


def _timestampdiff(args: Args, place: Place) -> Expression:
    clocks = tuple(converted(arg, kind(Type.TIMESTAMP_NTZ, True)) for arg in args[1:])
    return call("whole units", (_unit(args[0], place), *clocks), place)


def _unit(arg: Expression, place: Place) -> Literal:
    unit = str(constant(arg)).upper()
    if unit not in UNITS:
        raise SqlError(f"{unit} is not a unit of time", "", f"supported: {', '.join(UNITS)}", place)
    return Literal(unit, Type.STRING, place=arg.place)


def _in_seconds(args: Args, place: Place) -> Expression:
    """UNIX_TIMESTAMP of a time, or of a text in a format."""
    if args[0].type is Type.STRING:
        form = args[1] if len(args) > 1 else Literal("yyyy-MM-dd HH:mm:ss", Type.STRING, place=place)
        return call("unix_seconds", (call("to_timestamp", (args[0], form), place),), place)
    micros = call("unix_micros", (converted(args[0], kind(Type.TIMESTAMP, True)),), place)
    return call("div", (micros, Literal(10**6, Type.BIGINT, place=place)), place)


def _field(name: str, description: str, meaning: Any, kernel: Any, takes: str = "TIME", **more: Any) -> Scalar:
    return Scalar(f"{name}(time {takes}) -> BIGINT", description, meaning, kernel, **more)


def _since(call: Call, at: int) -> Step:
    """The days from one date to another: later ends are further, later beginnings nearer."""
    return EXACT if at == 0 else FALLING


def _made(size: int) -> Callable[[Any], Any]:
    return lambda number: _instants(number * size)


TIMES = (
    _field("year", "the year", lambda t: t.year, lambda t: t.dt.year(), step=RISING),
    _field("quarter", "the quarter, from 1", lambda t: (t.month + 2) // 3, lambda t: t.dt.quarter()),
    _field("month", "the month, from 1", lambda t: t.month, lambda t: t.dt.month()),
    _field("weekofyear", "the ISO week", lambda t: t.isocalendar()[1], lambda t: t.dt.week()),
    _field("day", "the day of the month", lambda t: t.day, lambda t: t.dt.day(), also=("dayofmonth",)),
    _field("dayofyear", "the day of the year", lambda t: t.timetuple().tm_yday, lambda t: t.dt.ordinal_day()),
    _field(
        "dayofweek",
        "the day of the week: Sunday is 1",
        lambda t: t.isoweekday() % 7 + 1,
        lambda t: t.dt.weekday() % 7 + 1,
    ),
    _field("weekday", "the day of the week: Monday is 0", lambda t: t.weekday(), lambda t: t.dt.weekday() - 1),
    _field("hour", "the hour", lambda t: t.hour, lambda t: t.dt.hour(), "CLOCK"),
    _field("minute", "the minute", lambda t: t.minute, lambda t: t.dt.minute(), "CLOCK"),
    _field("second", "the second", lambda t: t.second, lambda t: t.dt.second(), "CLOCK"),
    Scalar(
        "date_part(unit STRING CONSTANT, time DATE|TIMESTAMP|TIMESTAMP_NTZ) -> BIGINT",
        "the field of that name; also `EXTRACT(unit FROM time)`",
        rule=_part,
        also=("datepart",),
    ),
    Scalar(
        "dayname(time TIME) -> STRING",
        "Mon, Tue, …",
        lambda t: _LONG[t.weekday()][:3].title(),
        lambda t: t.dt.to_string("%a"),
    ),
    Scalar(
        "monthname(time TIME) -> STRING",
        "Jan, Feb, …",
        lambda t: "JanFebMarAprMayJunJulAugSepOctNovDec"[3 * t.month - 3 : 3 * t.month],
        lambda t: t.dt.to_string("%b"),
    ),
    Scalar(
        "date_trunc(unit STRING CONSTANT, time TIMESTAMP|TIMESTAMP_NTZ) -> TIMESTAMP",
        f"the beginning of the {', '.join(UNITS)} in which it lies",
        date_trunc,
        lambda unit, time: time.dt.truncate(TRUNCATE[unit]),
        rule=_date_trunc,
        step=lambda call, at: RISING if at == 1 else NEITHER,
    ),
    Scalar(
        "trunc(day DATE, unit STRING CONSTANT) -> DATE",
        "the first day of the YEAR, QUARTER, MONTH or WEEK in which it lies",
        rule=_trunc,
    ),
    Scalar(
        "last_day(day DATE) -> DATE",
        "the last day of its month",
        lambda day: day.replace(day=monthrange(day.year, day.month)[1]),
        lambda day: day.dt.month_end(),
        step=RISING,
    ),
    Scalar("next_day(day DATE, weekday STRING CONSTANT) -> DATE", "the next such day after it", rule=_next_day),
    Scalar(
        "next weekday(day DATE, number BIGINT CONSTANT) -> DATE",
        "",
        _next_weekday,
        lambda day, number: _days(_number(day) + (number - day.dt.weekday().cast(pl.Int128()) + 7) % 7 + pl.lit(1)),
        wide=True,
        step=RISING,
    ),
    Scalar(
        "date_add(day DATE, days BIGINT) -> DATE",
        "so many days later",
        lambda day, days: day + timedelta(days=days),
        lambda day, days: _days(_number(day) + days),
        also=("dateadd",),
        wide=True,
        step=EXACT,
    ),
    Scalar(
        "date_sub(day DATE, days BIGINT) -> DATE",
        "so many days earlier",
        lambda day, days: day - timedelta(days=days),
        lambda day, days: _days(_number(day) - days),
        wide=True,
        step=EXACT,
    ),
    Scalar(
        "add_months(day DATE, months BIGINT) -> DATE",
        "so many months later, on the last day of a month that is shorter",
        _add_months,
        _add_months_kernel,
        wide=True,
        step=RISING,
    ),
    Scalar(
        "datediff(end DATE, begin DATE) -> BIGINT",
        "the days from one to the other",
        lambda end, begin: (end - begin).days,
        lambda end, begin: end.cast(pl.Int32()).cast(pl.Int64()) - begin.cast(pl.Int32()).cast(pl.Int64()),
        also=("date_diff",),
        step=_since,
    ),
    Scalar(
        "months_between(end TIME, begin TIME) -> DOUBLE",
        "the months from one to the other, those that are not whole with 31 days",
        _months_between,
    ),
    Scalar(
        "timestampdiff(unit UNIT CONSTANT, begin TIME, end TIME) -> BIGINT",
        "how many whole units lie between them",
        rule=_timestampdiff,
    ),
    Scalar(
        "whole units(unit STRING CONSTANT, begin TIMESTAMP_NTZ, end TIMESTAMP_NTZ) -> BIGINT",
        "",
        _difference,
        _difference_kernel,
    ),
    Scalar(
        "make_date(year BIGINT, month BIGINT, day BIGINT) -> DATE",
        "the date, or NULL when there is none",
        lambda year, month, day: date(year, month, day) if _is_date(year, month, day) else None,
        maybe=True,
    ),
    Scalar(
        "unix_date(day DATE) -> BIGINT",
        "the days since 1970",
        lambda day: (day - _EPOCH.date()).days,
        lambda day: day.cast(pl.Int32()),
        step=EXACT,
    ),
    Scalar(
        "date_from_unix_date(days BIGINT) -> DATE",
        "the date so many days after 1970 began",
        lambda days: _EPOCH.date() + timedelta(days=days),
        lambda days: _days(days),
        wide=True,
        step=EXACT,
    ),
    Scalar(
        "unix_timestamp(time ANY, [format STRING CONSTANT]) -> BIGINT",
        "the whole seconds since 1970, of a time or of a text in a format",
        rule=_in_seconds,
        also=("to_unix_timestamp",),
    ),
    Scalar(
        "unix_seconds(time TIMESTAMP) -> BIGINT",
        "the whole seconds since 1970",
        lambda time: _micros(time) // 10**6,
        lambda time: time.cast(pl.Int64()) // 10**6,
        step=RISING,
    ),
    Scalar(
        "unix_millis(time TIMESTAMP) -> BIGINT",
        "the whole milliseconds since 1970",
        lambda time: _micros(time) // 1000,
        lambda time: time.cast(pl.Int64()) // 1000,
        step=RISING,
    ),
    Scalar(
        "unix_micros(time TIMESTAMP) -> BIGINT",
        "the microseconds since 1970",
        _micros,
        lambda time: time.cast(pl.Int64()),
        step=EXACT,
    ),
    Scalar(
        "timestamp_seconds(seconds BIGINT) -> TIMESTAMP",
        "the instant so many seconds after 1970 began",
        lambda seconds: _instant(seconds * 10**6),
        _made(10**6),
        wide=True,
        step=EXACT,
    ),
    Scalar(
        "timestamp_millis(millis BIGINT) -> TIMESTAMP",
        "the instant so many milliseconds after 1970 began",
        lambda millis: _instant(millis * 1000),
        _made(1000),
        wide=True,
        step=EXACT,
    ),
    Scalar(
        "timestamp_micros(micros BIGINT) -> TIMESTAMP",
        "the instant so many microseconds after 1970 began",
        _instant,
        _made(1),
        wide=True,
        step=EXACT,
    ),
)
