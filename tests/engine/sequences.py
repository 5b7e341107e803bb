"""Random sequences of elements, and what becomes of them one by one: the oracle of streams, however they are cut."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
from hypothesis import strategies as st

from engine.specified import _operator as specified
from punctum.algebra.functions import Element
from punctum.algebra.pattern import WILDCARD, Constant, Pattern, between, constant, one_of
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Row, Type
from punctum.engine.exchange.quarantine import VIOLATION
from punctum.engine.formats.write import json_lines
from punctum.engine.runtime.sweep import LATE
from punctum.ir.definitions import AccessOrder, AllReported, EndEvent, StreamDef, TimeLimits
from punctum.ir.evaluate import evaluate
from punctum.ir.expressions import Expression
from punctum.ir.planned import duration_text
from punctum.ir.punctuated import Punctuated
from punctum.operators.columns import ColumnarSlice, Places, dtype, frame
from punctum.plan.passes.expect import timeline
from punctum.plan.physical.pipes import Pipe
from punctum.spec import Slice, origins
from punctum.spec.expect import Expect, passed
from punctum.spec.guard import BrokenPromise, Guard
from punctum.spec.lifespan import Lifespan
from punctum.spec.project import Project
from punctum.spec.select import Select
from punctum.testing.simulate import Feed, Splits

Record = tuple[str, str, str]


class OneByOne:
    """A stream behind its pipe, an element at a time: rows that are grammatical, and the records of the others."""

    def __init__(self, pipe: Pipe, above: Sequence[Punctuated] = ()) -> None:
        self.stream, self.schema, self.rows, self.records = pipe.stream, pipe.schema, list[Row](), Counter[Record]()
        self._steps = [specified(step)[0] for step in pipe.steps]
        self._running, self._guard = [step.start() for step in self._steps], Guard(pipe.schema)
        self._reported = [_reported(c, pipe.stream.name) for c in pipe.stream.punctuates if isinstance(c, AllReported)]
        self._reported += map(_operator, above)
        limits = [(limit, timeline(pipe.stream, limit.scheme)) for limit in pipe.stream.limits]
        self._expects = [Expecting(self, limit, time) for limit, time in limits if limit.expect is not None]
        self._lifespans = [Lasting(self, limit, time) for limit, time in limits if limit.lifespan is not None]

    def feed(self, elements: Sequence[Element]) -> None:
        """Take the whole sequence; what is made of an element comes with it, and then time has passed."""
        for several in origins.steps(_origins(self.stream), elements):
            for lasting in self._lifespans:
                self._forget(lasting.over(several))
            taken = [e for element in several for piped in self._piped(element) for e in self._take(piped)]
            self.rows += self._expected(several, taken)

    def _expected(self, came: Sequence[Element], taken: Sequence[Element]) -> list[Row]:
        """The rows that are not late because their value was swept."""
        xs, swept = Slice.of(*taken), list[Punctuation]()
        for expecting in self._expects:
            xs, mine = expecting.feed(came, xs)
            swept = [*expecting.feed((), Slice.of(*swept))[0].puncts, *mine]
        for lasting in self._lifespans:
            lasting.feed(Slice(xs.rows, (*xs.puncts, *swept)))
        return list(xs.rows)

    def _forget(self, over: Sequence[Punctuation]) -> None:
        """All that remembers punctuations forgets some."""
        if over:  # a projection begins anew, and repeats what the guard knows
            self._running = [step.start() for step in self._steps]
        self._guard.forget(over)
        for expecting in self._expects:
            expecting.forget(over)
        for reported in self._reported:
            reported.forget(over)

    def _piped(self, element: Element) -> Iterator[Element]:
        """An element behind the pipe; its operators are given no rows that may break what they have heard."""
        xs = Slice.of(element)
        for step, running in zip(self._steps, self._running, strict=True):
            assert isinstance(step, Select | Project)
            xs = Slice(tuple(step.cpass(Slice(xs.rows))), running.feed(Slice(puncts=xs.puncts)).puncts)
        yield from xs

    def _take(self, element: Element) -> Iterator[Element]:
        found = self._guard.take(element)
        if isinstance(found, BrokenPromise):
            self.tell(found.row, self.stream.name)
            return
        for one in found:
            if isinstance(one, Punctuation):
                yield one
            elif (refused := next((reported for reported in self._reported if not reported.takes(one)), None)) is None:
                yield one
                yield from (p for reported in self._reported for p in reported.made)
            else:
                self.tell(one, refused.stream)

    def tell(self, row: Row, stream: str, reason: str = VIOLATION) -> None:
        """Record a row that is not taken."""
        (text,) = json_lines(frame(self.schema, [row]), self.schema)
        self.records[stream, reason, text] += 1


class Expecting:
    """What becomes of values whose punctuations do not come in the time that the stream tells."""

    def __init__(self, of: OneByOne, limit: TimeLimits, time: str | None) -> None:
        assert limit.expect is not None and time is not None
        scheme = Scheme(of.schema, tuple((name, Order.EQUALITY) for name in limit.scheme.attributes))
        self._of, self._time = of, time
        self._expect = Expect(scheme, limit.expect, time)
        self._reason = f"no punctuation {scheme} arrived within {duration_text(limit.expect)}: open since "

    def feed(self, came: Sequence[Element], xs: Slice) -> tuple[Slice, list[Punctuation]]:
        """What goes on of an element, and of what was made of it, as it came and as it was taken; and what is swept."""
        out = self._expect.feed(xs, told(came, self._time))
        for row, _ in out.late:
            self._of.tell(row, self._of.stream.name, LATE)
        for swept in out.swept:
            text = f"{swept.rows} row{'s' if swept.rows > 1 else ''}"
            self._of.records[self._of.stream.name, self._reason + swept.since.isoformat(" "), text] += 1
        return out.slice, [swept.punctuation for swept in out.swept]

    def forget(self, over: Sequence[Punctuation]) -> None:
        """Punctuations hold no longer."""
        self._expect.forget(over)


class Lasting:
    """How long the punctuations of a scheme hold, in the time that the stream tells."""

    def __init__(self, of: OneByOne, limit: TimeLimits, time: str | None) -> None:
        assert limit.lifespan is not None and time is not None
        scheme = Scheme(of.schema, tuple((name, Order.EQUALITY) for name in limit.scheme.attributes))
        self._lifespan, self._time = Lifespan(scheme, limit.lifespan, time), time

    def over(self, came: Sequence[Element]) -> list[Punctuation]:
        """What is over when an element comes."""
        return self._lifespan.feed(Slice(), told(came, self._time))

    def feed(self, xs: Slice) -> None:
        """What has come of the element."""
        self._lifespan.feed(xs)


def told(came: Sequence[Element], time: str) -> datetime | None:
    """What the time is by an element, and by what was made of it."""
    times = [passed(p, time) for p in came if isinstance(p, Punctuation)]
    return max((t for t in times if t is not None), default=None)


class Reported:
    """Who has reported what: a row of what is complete is late."""

    def __init__(self, origin: origins.Origin[Any], schema: Schema, stream: str) -> None:
        self._origin, self._state, self._guard = origin, origin.initial(), Guard(schema)
        self.stream, self.made = stream, list[Punctuation]()
        for limit in origins.DomainLimits(schema).opening():
            self._guard.take(limit)

    def takes(self, row: Row) -> bool:
        """Whether a row comes in time; if so, it is a report."""
        self.made = []
        if isinstance(self._guard.take(row), BrokenPromise):
            return False
        made, self._state = self._origin.step([row], self._state)
        for one in made:
            found = self._guard.take(one)
            assert isinstance(found, tuple)
            self.made += [p for p in found if isinstance(p, Punctuation)]
        return True

    def forget(self, over: Sequence[Punctuation]) -> None:
        """Punctuations hold no longer."""
        self._guard.forget(over)


def _reported(clause: AllReported, stream: str) -> Reported:
    return Reported(waiting(clause), clause.scheme.schema, stream)


def _operator(node: Punctuated) -> Reported:
    """A clause of a stream that is made of others; what has an order is not NULL."""
    schema, unit = node.schema, None if node.unit is None else pairs
    *keys, (last, order) = node.scheme.terms
    if node.member is not None:
        assert isinstance(node.members, tuple)
        clause = AllReported(node.scheme, schema.names[node.member], node.members, delay=node.delay, unit=node.unit)
        return Reported(waiting(clause), schema, node.stream.name)
    made: origins.Origin[Any] = origins.Unique(node.scheme)
    if node.when is not None:
        made = origins.EndEvent(node.scheme, _holds(node.when))
    elif node.ordered:
        by = tuple(name for name, _ in keys)
        made = origins.AccessOrder(schema, last, order is Order.DESC, node.delay, by, unit)
    return Reported(made, schema, node.stream.name)


def waiting(clause: AllReported) -> origins.Origin[Any]:
    """What waits for reports."""
    assert isinstance(clause.members, tuple)
    members, unit = frozenset(clause.members), None if clause.unit is None else pairs
    if clause.ordered:
        return origins.AllPassed(clause.scheme, clause.member, members, clause.delay, unit)
    return origins.AllReported(clause.scheme, clause.member, members, unit)


def pairs(value: int | datetime) -> Pattern:
    """The unit of a number under DIV 2, for those that are not negative; of a time, its hour."""
    if isinstance(value, datetime):
        return between(value, value + timedelta(hours=1), "[)")
    return between(-1 if value < 2 else value // 2 * 2, value // 2 * 2 + 1)


@dataclass(frozen=True)
class EachRow(origins.Origin[Any]):
    """An order by what each row says, also when a row before it has said more: that may be over."""

    order: origins.AccessOrder

    def initial(self) -> Any:
        return self.order.initial()

    def step(self, ts: Any, st: Any) -> tuple[Any, Any]:
        return self.order.step(ts, st)[0], self.order.initial()


def _origins(stream: StreamDef) -> list[origins.Origin[Any]]:
    made: list[origins.Origin[Any]] = [origins.DomainLimits(stream.schema)]
    for clause in stream.punctuates:
        if isinstance(clause, EndEvent):
            made.append(origins.EndEvent(clause.scheme, _holds(clause.when)))
        elif isinstance(clause, AccessOrder):
            *keys, (name, order) = clause.scheme.terms
            by = tuple(key for key, _ in keys)
            unit = None if clause.unit is None else pairs
            access = origins.AccessOrder(stream.schema, name, order is Order.DESC, clause.delay, by, unit)
            made.append(EachRow(access) if stream.limits else access)
    unique = (Scheme(stream.schema, tuple((name, Order.EQUALITY) for name in names)) for names in stream.unique)
    return [*made, *map(origins.Unique, unique)]


def _holds(condition: Expression) -> Any:
    return lambda row: evaluate(condition, row) is True


def piece(schema: Schema, elements: Sequence[Element], columns: bool = True) -> ColumnarSlice:
    """Elements in their order as a reader gives them; punctuations that are one constant in columns, or as they are."""
    rows = [(at, e) for at, e in enumerate(elements) if not isinstance(e, Punctuation)]
    puncts = [(at, p) for at, p in enumerate(elements) if isinstance(p, Punctuation)]
    plain = [(at, p) for at, p in puncts if not (columns and _in_column(p))]
    closed: dict[int, list[tuple[int, Any]]] = {}
    for at, p in puncts:
        if columns and _in_column(p):
            closed.setdefault(p.sides[0][0], []).append((at, p.sides[0][1].value))  # type: ignore[attr-defined]
    names = schema.names
    constants = {
        names[i]: pl.Series(names[i], [v for _, v in several], dtype(schema.attributes[i]))
        for i, several in closed.items()
    }
    places = Places(
        pl.Series([at for at, _ in rows], dtype=pl.Int64),
        tuple(at for at, _ in plain),
        {names[i]: pl.Series([at for at, _ in several], dtype=pl.Int64) for i, several in closed.items()},
    )
    return ColumnarSlice(frame(schema, [row for _, row in rows]), tuple(p for _, p in plain), constants, places)


def _in_column(p: Punctuation) -> bool:
    if len(p.sides) != 1:
        return False
    ((at, side),) = p.sides
    return isinstance(side, Constant) and side.value is not None and p.schema.attributes[at].type is not Type.DECIMAL


Sequences = Mapping[str, tuple[Schema, Sequence[Element]]]


@st.composite
def cuts(draw: st.DrawFn, sequences: Sequences) -> list[Feed]:
    """Sequences cut into batches, each batch into splits; streams go on at paces of their own."""
    batches = draw(st.integers(1, 4))
    feeds: list[dict[str, Splits]] = [{} for _ in range(batches)]
    for name, (schema, elements) in sequences.items():
        ends = sorted(draw(st.lists(st.integers(0, len(elements)), min_size=batches - 1, max_size=batches - 1)))
        for feed, start, end in zip(feeds, [0, *ends], [*ends, len(elements)], strict=True):
            inner = sorted(draw(st.lists(st.integers(start, end), max_size=3)))
            bounds = zip([start, *inner], [*inner, end], strict=True)
            columns = draw(st.booleans())
            feed[name] = Splits(piece(schema, elements[a:b], columns) for a, b in bounds)
    return list(feeds)


def singly(sequences: Sequences) -> list[Feed]:
    """An element a batch."""
    return [{name: Splits([piece(schema, [e])])} for name, (schema, es) in sequences.items() for e in es]


def small(attribute_type: Type, most: int) -> st.SearchStrategy[Any]:
    if attribute_type is Type.TIMESTAMP:
        return st.integers(0, most).map(hour)
    return st.integers(0, most) if attribute_type is Type.BIGINT else st.sampled_from("ab")


def hour(number: int) -> datetime:
    """A time, so many hours after the first."""
    return datetime(2026, 5, 1, tzinfo=UTC) + timedelta(hours=number)


@st.composite
def elements(draw: st.DrawFn, schema: Schema, most: int = 14) -> list[Element]:
    """Rows and punctuations of every kind, grammatical or not; NULLs are rare."""
    made: list[Element] = []
    rising = draw(st.booleans())
    for n in range(draw(st.integers(0, most))):
        values = [draw(st.none() if draw(st.integers(0, 15)) == 7 else small(a.type, 4)) for a in schema.attributes]
        if rising and draw(st.integers(0, 3)):  # so that some are in order
            steady = min(4, n * 5 // most)
            values = [steady if isinstance(v, int) else hour(steady) if isinstance(v, datetime) else v for v in values]
        if draw(st.integers(0, 2)):
            made.append(schema.row(*values))
        else:
            sides = [draw(_side(a.type, v)) for a, v in zip(schema.attributes, values, strict=True)]
            made.append(Punctuation(schema, tuple(sides)))
    return made


def _side(kind: Type, value: Any) -> st.SearchStrategy[Pattern]:
    if value is None:
        return st.sampled_from([WILDCARD, constant(None)])
    return st.sampled_from(
        [
            WILDCARD, WILDCARD, WILDCARD, WILDCARD, constant(value), constant(value), between(None, value),
            between(value, None), between(None, value, "[)"),
            one_of([value, value + 2 if kind is Type.BIGINT else hour(2) if kind is Type.TIMESTAMP else "b"]),
        ]
    )  # fmt: skip
