"""Truncation: the beginning of the unit in which a time lies."""

from datetime import datetime, timedelta
from typing import Any

_UNITS = ("year", "month", "day", "hour", "minute", "second")
_FIRST: dict[str, Any] = {"month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0}


def date_trunc(unit: str, time: datetime) -> datetime:
    """The beginning of the year, quarter, month, week (on Monday), day, … in which a time lies.

    >>> date_trunc("HOUR", datetime(2026, 11, 15, 12, 34))
    datetime.datetime(2026, 11, 15, 12, 0)
    """
    if unit == "WEEK":
        return date_trunc("DAY", time) - timedelta(days=time.weekday())
    if unit == "QUARTER":
        return date_trunc("MONTH", time).replace(month=time.month - (time.month - 1) % 3)
    if unit in ("MILLISECOND", "MICROSECOND"):
        return time.replace(microsecond=time.microsecond // 1000 * 1000) if unit == "MILLISECOND" else time
    smaller = {name: first for name, first in _FIRST.items() if _UNITS.index(name) > _UNITS.index(unit.lower())}
    return time.replace(**smaller, microsecond=0)
