"""Where a batch is cut: a stream that tells the time itself in, the parts of its sequence out.

A stage takes a slice as a whole, and sweeps behind it. So a slice must end before the first element to which it matters
that a value was swept before: a row of the value, which is late, or a punctuation that could release some of it. There
the sequence is cut, and the rest is a slice of its own. Where nothing is lost nothing is cut, so this costs one look at
the times of a batch. A slice also ends where a tick of a lifespan does, for what is over is forgotten between slices.

Other stages do not know what a bucket has swept. So where one follows, or has been before, a slice ends with each
element that begins a tick of EXPECT WITHIN, in all buckets alike, whether something is lost or not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from punctum.engine.exchange.messages import StageMessage
from punctum.engine.runtime.arrived import Arrived
from punctum.engine.runtime.inputs import FromStream
from punctum.operators.clock import NEVER, began, rising, ticks, time_of, turn
from punctum.operators.columns import AT, NOW
from punctum.operators.expect import Expect
from punctum.operators.lifespan import Lifespan
from punctum.operators.operator import Operator
from punctum.operators.punctuate import Punctuate
from punctum.operators.sequence import PlacedPunctuations, late

UNKNOWN = -(2**62)
"""When a tick began that is before all that are known."""


@dataclass(frozen=True)
class SweptInTime:
    """An operator whose time a column of the stream tells."""

    operator: Expect
    column: str
    releases: bool = True
    """Whether punctuations on the column may release results."""
    key: int | None = None
    """The stream's column whose values are expected to be closed, if it is one."""


class Ticks(NamedTuple):
    """Ticks by which a sequence is cut: what tells the time, how long they are, and whether behind what begins one."""

    column: str
    length: int
    behind: bool


class Reports(NamedTuple):
    """What makes the time that a column of the stream tells, of reports."""

    operator: Punctuate
    column: str


class Timeline:
    """The sequence of an input, as far as it may be taken at once.

    Beside the values that are swept by a column's time there may be punctuations that are over by it.
    """

    def __init__(
        self,
        source: FromStream,
        clocked: Sequence[SweptInTime],
        lifespans: Sequence[tuple[Lifespan, str]] = (),
        ticks: Sequence[Ticks] = (),
        reports: "Sequence[Reports]" = (),
        alone: bool = True,
    ) -> None:
        self._source, self._clocked, self._ticks, self._alone = source, clocked, ticks, alone
        clocks: list[tuple[Expect | Lifespan, str]] = [(timed.operator, timed.column) for timed in clocked]
        self._clocks, self._now, self._reports = [*clocks, *lifespans], dict[str, int](), reports

    def opened(self, sent: Sequence[StageMessage]) -> Arrived:
        """What has come in a batch."""
        self._now = {column: ticks(now) for clock, column in self._clocks if (now := clock.now) is not None}
        came = self._source.in_order(sent)
        for operator, column in self._reports:
            if came.placed is not None and came.rows.height:
                came = came.with_times(column, operator.times(column, self._in_time(came, operator)))
        return came

    def _in_time(self, came: Arrived, operator: Operator) -> pl.DataFrame:
        """The rows for an operator that nothing excludes before they come to it, with their places."""
        assert came.placed is not None
        at, placed = came.placed
        rows = came.rows.rename(dict(zip(came.rows.columns, operator.inputs[0].names, strict=True)))
        wrong = self._source.excludes(rows) | late(rows, at, self._source.plain(placed))
        return rows.with_columns(at.alias(AT)).filter(~wrong)

    def next(self, came: Arrived) -> tuple[Arrived, Arrived | None]:
        """What may be taken at once, and what is left; the operators know what time it is then."""
        places = [place for place in (self._place(came), self._turn(came)) if place is not None]
        head, rest = (came, None) if not places else self._source.cut(came, min(places))
        times = {column: steps[NOW][-1] for column, steps in head.times.items() if steps.height}
        self._now |= {column: max(now, self._now.get(column, now)) for column, now in times.items()}
        for operator, column in self._clocks:
            if column in self._now:
                operator.at(time_of(self._now[column], operator.kind))
        return head, rest

    def began(self, came: Arrived) -> int | None:
        """The number of the tick that the first of what came is in, if it is in any.

        Ticks that begin with an element and those that begin behind one are numbered together by the sum of when they
        began: it rises with each of both.
        """
        known = [self._began(came, behind) for behind in (False, True) if any(t.behind is behind for t in self._ticks)]
        number = known[0] + known[-1] if known else None
        return None if number == 2 * UNKNOWN else number

    def _began(self, came: Arrived, behind: bool) -> int:
        """When the last tick of a kind began at the first of what came."""
        first = self._first(came)
        place = 0 if first is None else first if behind else first + 1
        times = [
            began(t.length, self._now.get(t.column), came.times.get(t.column, NEVER), place)
            for t in self._ticks
            if t.behind is behind
        ]
        return max((at for at in times if at is not None), default=UNKNOWN)

    def _turn(self, came: Arrived) -> int | None:
        """Where the first tick begins behind the first of what came."""
        first = self._first(came)
        if first is None:
            return None
        turns = list[int]()
        for column, length, behind in self._ticks:
            place = first if behind else first + 1
            tick_place = turn(length, self._now.get(column), came.times.get(column, NEVER), place)
            turns += [] if tick_place is None else [tick_place + 1 if behind else tick_place]
        return min(turns, default=None)

    def _first(self, came: Arrived) -> int | None:
        """The place of the first of what came; where other stages count, of the first move of time, too."""
        if came.placed is None:
            return None
        at, puncts = came.placed
        moved = [] if self._alone else [steps[AT].min() for steps in came.times.values()]
        return min((place for place in (at.min(), puncts.first(), *moved) if isinstance(place, int)), default=None)

    def _place(self, came: Arrived) -> int | None:
        """The first place at which it matters that something was swept before, if no other stage has to know it."""
        if not self._alone:
            return None
        swept = [sweep for clocked in self._clocked if (sweep := self._swept(clocked, came)) is not None]
        return min((place for values in swept for place in self._behind(values, swept)), default=None)

    def _swept(self, clocked: SweptInTime, came: Arrived) -> "_Swept | None":
        """What is swept if all that came is taken, and where."""
        expect = clocked.operator
        before = [] if expect.now is None else [pl.DataFrame({AT: [-1], NOW: [ticks(expect.now)]})]
        steps = rising([*before, *(moved for name, moved in came.times.items() if name == clocked.column)])
        if came.placed is None or not steps.height:
            return None
        at, placed = came.placed
        names = dict(zip(came.rows.columns, expect.output.names, strict=True))
        rows, puncts = came.rows.rename(names).with_columns(at.alias(AT)), self._source.plain(placed)
        values = expect.moments(rows.filter(self._taken(expect, rows, steps, puncts)), steps)
        if values.height:
            values = values.filter(~late(values, values[AT] + 1, puncts.alone(expect.on)))
        return _Swept(clocked, values, rows, placed, steps[AT]) if values.height else None

    def _behind(self, swept: "_Swept", others: "Sequence[_Swept]") -> Iterator[int]:
        """Places behind sweeps at which they matter: of rows of a value that was swept, of punctuations, of sweeps."""
        values, clocked, puncts = swept.values, swept.clocked, swept.puncts
        closed = [where for at, (_, where) in puncts.constants.items() if at != clocked.key]
        time = puncts.schema.index(clocked.column)
        rest = [place for place, p in puncts.others if clocked.releases or [i for i, _ in p.sides] != [time]]
        again = [other.values[AT] for other in others if other is not swept]
        moved = [swept.steps] if clocked.releases else []
        own = [c for at, c in puncts.constants.items() if at == clocked.key]
        met = [swept.met(pl.DataFrame([known.alias(values.columns[0]), where.alias(AT)])) for known, where in own]
        for places in (swept.met(swept.rows), *met, *closed, pl.Series(rest, dtype=pl.Int64), *again, *moved):
            if isinstance(least := places.filter(places > values[AT].min()).min(), int):
                yield least

    def _taken(self, expect: Expect, rows: pl.DataFrame, steps: pl.DataFrame, puncts: PlacedPunctuations) -> pl.Series:
        """Which rows may get overdue: that are old enough in the end, and that nothing excludes."""
        old = expect.old_enough(rows, steps[NOW][-1])
        if not old.any():
            return old
        some = rows.filter(old)
        wrong = self._source.excludes(some.drop(AT)) | late(some, some[AT], puncts)
        return old.scatter(old.arg_true(), ~wrong)


class _Swept(NamedTuple):
    """Values that an operator sweeps and the places of that, all rows and punctuations, and where time moves."""

    clocked: SweptInTime
    values: pl.DataFrame
    rows: pl.DataFrame
    puncts: PlacedPunctuations
    steps: pl.Series

    def met(self, keys: pl.DataFrame) -> pl.Series:
        """The places of those keys that stand behind the sweep of their value."""
        by = self.values.columns[:-1]
        met = keys.select(*by, AT).join(self.values, on=by, nulls_equal=True, suffix="+")
        return met.filter(pl.col(AT) > pl.col(f"{AT}+"))[AT]
