"""Local times by a table of the changes of a zone's clocks: whole numbers of microseconds in, such numbers out.

With T a change from the offset a to b, a local time between T + a and T + b is skipped (a < b) or there twice (b < a).
Before the smaller of the two the offset is a for sure, from the greater one on b. What lies between is taken with a,
which is the earlier instant, or the later by what is skipped; the later one of two has b. After the last change in the
table every 400 years are alike.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from punctum.algebra.values import Type
from punctum.ir.expressions import Call, Literal
from punctum.ir.expressions.zones import CYCLE, changes, only_offset
from punctum.operators.times import INSTANTS, TOO_FAR, WIDE

Numbers = np.ndarray[Any, np.dtype[np.int64]]
_MICROS = 1_000_000
_DAY = 86_400 * _MICROS
_START, _END = (int(end.timestamp()) * _MICROS for end in CYCLE)


class _Table(NamedTuple):
    """The changes of a zone: the instants, the bounds of the local times around them, and the offsets."""

    at: Numbers
    low: Numbers
    high: Numbers
    offsets: Numbers
    """One more than changes: what holds before the first one is the first."""


@cache
def _table(zone: str) -> _Table:
    known = changes(zone)
    at, before, after = (np.array([c[n] for c in known], dtype=np.int64) * _MICROS for n in range(3))
    first = before[:1] if known else np.array([only_offset(zone)], dtype=np.int64) * _MICROS
    bounds = np.minimum(before, after), np.maximum(before, after)
    return _Table(at, at + bounds[0], at + bounds[1], np.concatenate([first, after]))


def _turns(times: Numbers) -> Numbers:
    """By how much times after the table are turned back into its last 400 years."""
    return np.maximum((times - _START) // (_END - _START), 0) * (_END - _START)


def _offset(times: Numbers, changes: Numbers, table: _Table) -> Numbers:
    return table.offsets[np.searchsorted(changes, times - _turns(times), side="right")]


def _local(times: Numbers, zone: str) -> Numbers:
    table = _table(zone)
    return times + _offset(times, table.at, table)


def _resolved(shown: Numbers, zone: str, of: Numbers | None = None) -> Numbers:
    """The instants of local times; of two, the one that has the offset of another instant, or else the earlier one."""
    table = _table(zone)
    earlier, later = _offset(shown, table.high, table), _offset(shown, table.low, table)
    if of is None:
        return shown - earlier
    return shown - np.where((later < earlier) & (later == _offset(of, table.at, table)), later, earlier)


def _first(midnights: Numbers, zone: str, of: Numbers | None = None) -> Numbers:
    """The first instants of days; of two midnights, the one that has the offset of another instant."""
    table = _table(zone)
    made = _resolved(midnights, zone, of)
    if not len(table.at):
        return made
    turns = _turns(midnights)
    passed, reached = (np.searchsorted(t, midnights - turns, side="right") for t in (table.high, table.low))
    skipped = (reached > passed) & (made + _offset(made, table.at, table) != midnights)
    return np.where(skipped, table.at[np.minimum(passed, len(table.at) - 1)] + turns, made)


def local(call: Call, args: list[pl.Expr]) -> pl.Expr:
    """The local times of instants."""
    return _computed(args[0], lambda times: [_local(times, _zone(call))])


def instant(call: Call, args: list[pl.Expr]) -> pl.Expr | None:
    """The instants of local times and of days."""
    zone = _zone(call)
    match call.args[0].type:
        case Type.TIMESTAMP_NTZ:
            return _computed(args[0], lambda times: [_resolved(times, zone)])
        case Type.DATE:
            return _computed(args[0].cast(pl.Int32()).cast(pl.Int64()) * _DAY, lambda times: [_first(times, zone)])
    return None


def local_plus(call: Call, args: list[pl.Expr]) -> pl.Expr:
    """Instants moved by days of the calendar, and by the rest of an interval."""
    zone, interval = _zone(call), _literal(call, 1)
    days = abs(interval) // timedelta(days=1) * (_DAY if interval > timedelta() else -_DAY)
    rest = interval // timedelta(microseconds=1) - days

    def moved(times: Numbers) -> list[Numbers]:
        shown = _local(times, zone)
        there = _resolved(shown + days, zone, times)
        return [shown, shown + days, there, there + rest]

    return _computed(args[0], moved)


def local_trunc(call: Call, args: list[pl.Expr], every: str) -> pl.Expr:
    """The beginnings of the local units in which instants lie, given how Polars names the unit."""
    zone, day = _zone(call), _literal(call, 0) in ("MINUTE", "HOUR", "DAY")

    def truncated(times: Numbers) -> list[Numbers]:
        shown = _local(times, zone)
        begins = pl.Series(shown).cast(pl.Datetime("us")).dt.truncate(every).to_physical().to_numpy()
        return [shown, (_resolved if day else _first)(begins, zone, times)]

    return _computed(args[1], truncated)


def _computed(times: pl.Expr, steps: Callable[[Numbers], list[Numbers]]) -> pl.Expr:
    """The last of some steps, or a number that no time has when one of them is beyond what times can be."""

    def over(given: pl.Series) -> pl.Series:
        made = steps(given.fill_null(0).to_numpy())
        low, high = INSTANTS
        fits = np.logical_and.reduce([(step >= low) & (step <= high) for step in made])
        return pl.select(pl.when(pl.lit(pl.Series(fits))).then(pl.lit(pl.Series(made[-1])))).to_series()

    physical = times.cast(pl.Int64())
    value = physical.map_batches(over, return_dtype=pl.Int64(), is_elementwise=True).cast(WIDE)
    return pl.when(physical.is_not_null()).then(pl.coalesce(value, pl.lit(TOO_FAR, WIDE)))


def _zone(call: Call) -> str:
    return str(_literal(call, -1))


def _literal(call: Call, at: int) -> Any:
    literal = call.args[at]
    assert isinstance(literal, Literal)
    return literal.value
