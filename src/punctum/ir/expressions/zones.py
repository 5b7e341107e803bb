"""Time zones: instants as local times and back, with the values that Spark gives.

A zone is a name: UTC, an offset such as +02:00, or a region such as Europe/Berlin, whose rules are those of Python's
zone database. Time functions of a TIMESTAMP read it as a local time in the zone of the session (``SESSION``, set while
a script is read), and what makes a TIMESTAMP of a local time takes it for one there. In UTC they need no zone; in
others they are the calls named here, with the zone as their last argument::

    local (time, zone)               TIMESTAMP -> TIMESTAMP_NTZ
    instant (value, zone)            STRING, DATE, TIMESTAMP_NTZ -> TIMESTAMP
    local_trunc (unit, time, zone)   DATE_TRUNC of a TIMESTAMP
    local_plus (time, interval, zone)  a TIMESTAMP moved by days of the calendar

A local time that a zone has twice, when clocks go back, is the earlier instant, unless the time that it was made of was
the later one. One that it does not have, when clocks go forward, is later by what the clocks skip; but a date, and a
week, month, quarter or year, whose midnight is skipped begins with its first instant.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from punctum.errors import SqlError
from punctum.ir.expressions.casts import read_time
from punctum.ir.expressions.truncation import date_trunc

WITHOUT = "UTC"
"""The zone in which nothing has to be moved."""
SESSION: ContextVar[str] = ContextVar("zone", default=WITHOUT)
"""The zone of the script that is being read."""
OPS = ("local", "instant", "local_trunc", "local_plus")
_UNIVERSAL = ("UTC", "Z", "GMT", "UT", "UCT", "Zulu", "Universal", "Greenwich", "Etc/UTC", "Etc/GMT", "Etc/UCT", "GMT0")
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?")
_WIDEST = 18 * 3600
_SECOND, _DAY = timedelta(seconds=1), timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def zone_name(name: str) -> str:
    """A zone by the one name that it has here; an error when there is none.

    >>> zone_name("Etc/UTC"), zone_name("GMT+2"), zone_name("Europe/Berlin")
    ('UTC', '+02:00', 'Europe/Berlin')
    """
    if name in _UNIVERSAL:
        return WITHOUT
    if matched := _OFFSET.fullmatch(name):
        hours, minutes, seconds = (int(digits or 0) for digits in matched.groups()[1:])
        length = hours * 3600 + minutes * 60 + seconds
        if length <= _WIDEST and max(minutes, seconds) < 60:
            behind = f":{seconds:02}" if seconds else ""
            return f"{matched[1]}{hours:02}:{minutes:02}{behind}" if length else WITHOUT
    else:
        try:
            return ZoneInfo(name).key
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    raise SqlError(f"there is no time zone {name!r}", "", "such as UTC, Europe/Berlin or +02:00")


@contextmanager
def session_zone(name: str) -> Iterator[None]:
    """What is read inside is of a session in this zone."""
    before = SESSION.set(zone_name(name))
    try:
        yield
    finally:
        SESSION.reset(before)


def fixed(zone: str) -> bool:
    """Whether a zone has one offset for ever."""
    return zone == WITHOUT or zone[0] in "+-"


@lru_cache
def _rules(zone: str) -> tzinfo:
    if not fixed(zone):
        return ZoneInfo(zone)
    hours, minutes, *seconds = (int(digits) for digits in zone[1:].split(":"))
    length = timedelta(hours=hours, minutes=minutes, seconds=sum(seconds))
    return timezone(length if zone[0] == "+" else -length)


def local(moment: datetime, zone: str) -> datetime:
    """The local time of an instant.

    >>> local(datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "Europe/Berlin")
    datetime.datetime(2026, 10, 25, 2, 30)
    """
    return moment.astimezone(_rules(zone)).replace(tzinfo=None, fold=0)


def instant(value: str | date, zone: str) -> datetime:
    """The instant that a text, the beginning of a day, or a local time is.

    >>> instant(datetime(2026, 3, 29, 2, 30), "Europe/Berlin")
    datetime.datetime(2026, 3, 29, 1, 30, tzinfo=datetime.timezone.utc)
    """
    if isinstance(value, str):
        written, own = read_time(value)
        return written.replace(tzinfo=own).astimezone(UTC) if own is not None else _resolved(written, zone)
    return _resolved(value, zone) if isinstance(value, datetime) else _first(value, zone)


def local_trunc(unit: str, moment: datetime, zone: str) -> datetime:
    """The beginning of the local hour, day, … in which an instant lies.

    >>> local_trunc("DAY", datetime(2026, 10, 25, 12, tzinfo=UTC), "Europe/Berlin")
    datetime.datetime(2026, 10, 24, 22, 0, tzinfo=datetime.timezone.utc)
    """
    begins, offset = date_trunc(unit, local(moment, zone)), _offset(zone, moment)
    if unit in ("MINUTE", "HOUR", "DAY"):
        return _resolved(begins, zone, offset)
    return _first(begins.date(), zone, offset)


def local_plus(moment: datetime, interval: timedelta, zone: str) -> datetime:
    """An instant moved by the days of an interval, at the same local time, and then by the rest of it.

    >>> local_plus(datetime(2026, 10, 24, 12, tzinfo=UTC), timedelta(days=1), "Europe/Berlin")
    datetime.datetime(2026, 10, 25, 13, 0, tzinfo=datetime.timezone.utc)
    """
    days = timedelta(days=abs(interval) // _DAY) * (1 if interval >= timedelta() else -1)
    there = _resolved(local(moment, zone) + days, zone, _offset(zone, moment))
    return there + (interval - days)


def _resolved(written: datetime, zone: str, offset: timedelta | None = None) -> datetime:
    """The instant of a local time; of two, the one with this offset if it has it, and else the earlier one."""
    earlier, later = (written.replace(tzinfo=_rules(zone), fold=fold) for fold in (0, 1))
    twice = earlier.utcoffset() > later.utcoffset()  # type: ignore[operator]
    return (later if twice and later.utcoffset() == offset else earlier).astimezone(UTC)


def _first(day: date, zone: str, offset: timedelta | None = None) -> datetime:
    """The first instant of a day; of two midnights, the one with this offset if it has it, and else the earlier one."""
    midnight = datetime.combine(day, time())
    before, after = (midnight.replace(tzinfo=_rules(zone), fold=fold) for fold in (0, 1))
    if before.utcoffset() >= after.utcoffset():  # type: ignore[operator]
        return _resolved(midnight, zone, offset)
    return _changed(zone, after.astimezone(UTC), before.astimezone(UTC))


def _changed(zone: str, low: datetime, high: datetime) -> datetime:
    """The second at which a zone gets the offset that it has at the later of two instants, and has not before."""
    offset = _offset(zone, high)
    while high - low > _SECOND:
        middle = low + (high - low) // 2 // _SECOND * _SECOND
        low, high = (low, middle) if _offset(zone, middle) == offset else (middle, high)
    return high


def _offset(zone: str, moment: datetime) -> timedelta:
    offset = moment.astimezone(_rules(zone)).utcoffset()
    assert offset is not None
    return offset


def only_offset(zone: str) -> int:
    """The seconds by which a zone whose clocks never change is before UTC."""
    return _offset(zone, _EPOCH) // _SECOND


class Change(NamedTuple):
    """An instant at which the clocks of a zone change, and the offsets before and after; all in seconds."""

    at: int
    before: int
    after: int


CYCLE = (datetime(2100, 1, 1, tzinfo=UTC), datetime(2500, 1, 1, tzinfo=UTC))
"""From here on a zone goes by rules for a year, so that every 400 years are alike."""
_STEPS = ((datetime(1800, 1, 1, tzinfo=UTC), _DAY), (CYCLE[0], 5 * _DAY), (CYCLE[1], _DAY))


@lru_cache
def changes(zone: str) -> tuple[Change, ...]:
    """All changes of a zone up to the end of the cycle.

    >>> changes("Asia/Kolkata")[-1], changes("+02:00")
    (Change(at=-764145000, before=23400, after=19800), ())
    """
    return () if fixed(zone) else tuple(_changes(zone))


def _changes(zone: str) -> Iterator[Change]:
    for (start, step), (end, _) in pairwise(_STEPS):
        moment, before = start, _offset(zone, start)
        while moment < end:
            following = moment + step
            after = _offset(zone, following)
            if after != before:
                at = _changed(zone, moment, following)
                yield Change((at - _EPOCH) // _SECOND, before // _SECOND, after // _SECOND)
            moment, before = following, after


NEVER = datetime.max.replace(tzinfo=UTC)
ALWAYS = datetime.min.replace(tzinfo=UTC)
_SETTLED = timedelta(days=400)
"""Longer than the longest unit and all that clocks ever skip."""
_LATELY = datetime(2026, 1, 1, tzinfo=UTC)
"""Clocks that break order after this are taken to break it for ever."""
_INSTANT = timedelta(microseconds=1)


def ordered_since(zone: str, in_order: Callable[[datetime, Change], bool]) -> datetime:
    """From which instant on a function of time keeps order, given whether it does around a change of the clocks.

    >>> ordered_since("Asia/Kolkata", lambda at, change: change.after > change.before).year  # local time
    1946
    >>> ordered_since("Europe/Berlin", lambda at, change: change.after > change.before) is NEVER
    True
    """
    for change in reversed(changes(zone)):
        at = _EPOCH + change.at * _SECOND
        if not in_order(at, change):
            return NEVER if at >= _LATELY else at + _SETTLED
    return ALWAYS


def trunc_in_order(unit: str, zone: str, at: datetime) -> bool:
    """Whether truncation keeps order around a change: not when it falls into what the clocks skip or have twice."""
    begins, shown = local_trunc(unit, at, zone), local(at, zone)
    follows = at + (date_trunc(unit, shown) + _LENGTHS.get(unit, _SETTLED) - shown)
    return local_trunc(unit, at - _INSTANT, zone) <= begins <= local_trunc(unit, follows, zone)


_LENGTHS = {"MINUTE": timedelta(minutes=1), "HOUR": timedelta(hours=1), "DAY": _DAY}
"""The units that may be shorter than what clocks skip."""
