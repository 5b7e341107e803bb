"""Where punctuations can come from when the stream has none: the five kinds of section 6.2.

| kind in the paper                            | here                     | in SQL                                 |
|----------------------------------------------|--------------------------|----------------------------------------|
| source or sensor intelligence                | EndEvent                 | ``PUNCTUATE (itemid) WHEN …``          |
| knowledge of access order                    | AccessOrder              | ``PUNCTUATE (sensor, ts ASC) DELAY …`` |
| knowledge of stream or application semantics | DomainLimits             | ``DOMAIN hour BETWEEN 0 AND 23``       |
| auxiliary information                        | AllReported, AllPassed   | ``PUNCTUATE (hour) WHEN ALL sid IN …`` |
| stream iterator semantics                    | Unique, Selected, Sorted | ``UNIQUE (itemid)``, operators' own    |

An origin gives, slice by slice, what it makes of new rows (``step``), and, as its own check, what it has made of all
rows of a prefix (``made``). In a sequence each row is followed by what is made of it (``sequence``).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Context, Decimal
from typing import Any, Generic, TypeVar

from punctum.algebra.cuts import below
from punctum.algebra.functions import Element
from punctum.algebra.pattern import WILDCARD, Pattern, Range, between, constant
from punctum.algebra.punctuation import Punctuation, excluded
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Row, Type, Value
from punctum.errors import PatternError, SchemaError
from punctum.spec.framework import Puncts, Rows
from punctum.spec.sort import Sort

S = TypeVar("S")
_EXACT = Context(prec=100)
_DELAYS: dict[Type, type] = {
    Type.BIGINT: int,
    Type.DOUBLE: float,
    Type.DECIMAL: Decimal,
    Type.DATE: timedelta,
    Type.TIMESTAMP: timedelta,
    Type.TIMESTAMP_NTZ: timedelta,
}


Delay = int | float | Decimal | timedelta
Unit = Callable[[Any], Pattern]
"""All values of an attribute that are in the unit of one: of a time, those in its hour."""


class Origin(ABC, Generic[S]):
    """A way to make punctuations."""

    @abstractmethod
    def initial(self) -> S:
        """The state before any row."""

    def opening(self) -> Puncts:
        """What holds from the start."""
        return ()

    def step(self, ts: Rows, st: S) -> tuple[Puncts, S]:
        """What it makes of new rows, and the new state."""
        return (), st

    def made(self, ts: Rows) -> Puncts:
        """What it has made of all rows so far, or more than that covers."""
        return ()


@dataclass(frozen=True)
class EndEvent(Origin[None]):
    """A row that satisfies the condition is the last one with its values on some attributes.

    One that is NULL on an ordered attribute makes no punctuation: no prefix holds NULL.
    """

    scheme: Scheme
    when: Callable[[Row], bool]

    def initial(self) -> None:
        return None

    def step(self, ts: Rows, st: None) -> tuple[Puncts, None]:
        return self.made(ts), st

    def made(self, ts: Rows) -> Puncts:
        return [self.scheme.instantiate(t) for t in ts if self.when(t) and self.scheme.covers(t)]


@dataclass(frozen=True)
class AccessOrder(Origin[dict[Row, Any]]):
    """Rows come in the order of an attribute, or at most a delay behind it. Equal values may follow each other.

    With keys, those of each key do: its rows say nothing of others. What is remembered is the furthest of each key.
    With units, such as the hours of a time, all rows of one come before those of the next, in any order among them.
    """

    schema: Schema
    attribute: str
    descending: bool = False
    delay: Delay | None = None
    keys: tuple[str, ...] = ()
    unit: Unit | None = None

    def __post_init__(self) -> None:
        kind = self.schema.attributes[self.schema.index(self.attribute)].type
        if self.delay is not None and type(self.delay) is not _DELAYS.get(kind):
            takes = f"{kind.value} takes a delay of {_DELAYS[kind].__name__}" if kind in _DELAYS else "remove it"
            raise SchemaError(f"{self.attribute} cannot have the delay {self.delay!r}", f"it is a {kind.value}", takes)

    def initial(self) -> dict[Row, Any]:
        return {}

    def step(self, ts: Rows, st: dict[Row, Any]) -> tuple[Puncts, dict[Row, Any]]:
        furthest = self._furthest(ts, st)
        rising = {key: value for key, value in furthest.items() if key not in st or st[key] != value}
        return self._closed(rising), furthest

    def made(self, ts: Rows) -> Puncts:
        return self._closed(self._furthest(ts, {}))

    def _furthest(self, ts: Rows, known: dict[Row, Any]) -> dict[Row, Any]:
        at, furthest = self.schema.index(self.attribute), dict(known)
        for t in ts:
            key = tuple(t[i] for i in self.schema.indices(self.keys))
            values = [value for value in (furthest.get(key), t[at]) if value is not None]
            if values:
                furthest[key] = (min if self.descending else max)(values, key=below)
        return furthest

    def _closed(self, furthest: dict[Row, Any]) -> Puncts:
        made = []
        for key, value in furthest.items():
            fixed = {name: constant(part) for name, part in zip(self.keys, key, strict=True)}
            made += [
                Punctuation.of(self.schema, {**fixed, self.attribute: side})
                for side in passed(value, self.descending, self.delay, self.unit)
            ]
        return made


def passed(furthest: Any, descending: bool, delay: Delay | None, unit: Unit | None = None) -> list[Pattern]:
    """What is over when a row with this value has come; nothing when the delay is so long that nothing has passed."""
    try:
        late = furthest if delay is None else _delayed(furthest, delay, descending)
        if unit is not None:
            return [part for part in WILDCARD.minus(unit(late)) if not part.null and _beyond(part, descending)]
        return [between(late, None, "(]") if descending else between(None, late, "[)")]
    except (OverflowError, PatternError):
        return []


def _beyond(side: Pattern, descending: bool) -> bool:
    """Whether a pattern reaches to the end that an order comes from."""
    return isinstance(side, Range) and (side.upper if descending else side.lower) is None


def _delayed(furthest: Any, delay: Any, descending: bool) -> Any:
    if isinstance(delay, Decimal):
        return (_EXACT.add if descending else _EXACT.subtract)(furthest, delay)
    return furthest + delay if descending else furthest - delay


@dataclass(frozen=True)
class DomainLimits(Origin[None]):
    """No value lies outside an attribute's declared domain."""

    schema: Schema

    def initial(self) -> None:
        return None

    def opening(self) -> Puncts:
        limits = ((a, part) for a in self.schema.attributes for part in WILDCARD.minus(a.domain))
        return [Punctuation.of(self.schema, {a.name: part}) for a, part in limits]


@dataclass(frozen=True)
class AllReported(Origin[dict[tuple[Any, ...], frozenset[Value]]]):
    """Values on some attributes are complete when every member of a list has reported a row with them.

    With a unit, all values of the last attribute that are in it are complete together.
    """

    scheme: Scheme
    member: str
    members: frozenset[Value]
    unit: Unit | None = None

    def __post_init__(self) -> None:
        _check_members(self.members, self.scheme)

    def initial(self) -> dict[tuple[Any, ...], frozenset[Value]]:
        return {}

    def step(
        self, ts: Rows, st: dict[tuple[Any, ...], frozenset[Value]]
    ) -> tuple[Puncts, dict[tuple[Any, ...], frozenset[Value]]]:
        missing = dict(st)
        for t in ts:
            key = self.key(t)
            missing[key] = missing.get(key, self.members) - {self._reporter(t)}
        complete = [self.key(t) for t in ts if not missing[self.key(t)]]
        return list(map(self._closed, complete)), {key: left for key, left in missing.items() if left}

    def made(self, ts: Rows) -> Puncts:
        reporters: dict[tuple[Any, ...], set[Value | None]] = {}
        for t in ts:
            reporters.setdefault(self.key(t), set()).add(self._reporter(t))
        return [self._closed(key) for key, some in reporters.items() if some >= self.members]

    def key(self, t: Row) -> tuple[Any, ...]:
        """The values of a row that are complete together; instead of the last one its unit."""
        values = tuple(t[i] for i in self.scheme.schema.indices(self.scheme.attributes))
        return values if self.unit is None or values[-1] is None else (*values[:-1], self.unit(values[-1]))

    def _closed(self, key: tuple[Any, ...]) -> Punctuation:
        sides = [part if isinstance(part, Pattern) else constant(part) for part in key]
        return Punctuation.of(self.scheme.schema, dict(zip(self.scheme.attributes, sides, strict=True)))

    def _reporter(self, t: Row) -> Value | None:
        return t[self.scheme.schema.index(self.member)]


@dataclass(frozen=True)
class AllPassed(Origin[dict[Row, dict[Value, Any]]]):
    """What every member of a list has gone past, in the order of the last attribute, or a delay further, is complete.

    The attributes before the last are keys; what is remembered is the furthest of each member for each of them. A
    member may go back, and rows of others may come in any order, as long as they are not behind all members.
    """

    scheme: Scheme
    member: str
    members: frozenset[Value]
    delay: Delay | None = None
    unit: Unit | None = None

    def __post_init__(self) -> None:
        _check_members(self.members, self.scheme)

    def initial(self) -> dict[Row, dict[Value, Any]]:
        return {}

    def step(self, ts: Rows, st: dict[Row, dict[Value, Any]]) -> tuple[Puncts, dict[Row, dict[Value, Any]]]:
        furthest = {key: dict(known) for key, known in st.items()}
        for t in ts:
            *key, value = (t[i] for i in self.scheme.schema.indices(self.scheme.attributes))
            member = t[self.scheme.schema.index(self.member)]
            if member in self.members and member is not None and value is not None:
                known = furthest.setdefault(tuple(key), {})
                known[member] = (max if not self._descending else min)(known.get(member, value), value, key=below)
        risen = {key: known for key, known in furthest.items() if st.get(key) != known}
        return [p for key, known in risen.items() for p in self._closed(key, known)], furthest

    def made(self, ts: Rows) -> Puncts:
        return self.step(ts, {})[0]

    @property
    def _descending(self) -> bool:
        return self.scheme.terms[-1][1] is Order.DESC

    def _closed(self, key: Row, known: dict[Value, Any]) -> Puncts:
        if len(known) < len(self.members):
            return ()
        least = (max if self._descending else min)(known.values(), key=below)
        *names, last = self.scheme.attributes
        fixed = {name: constant(part) for name, part in zip(names, key, strict=True)}
        sides = passed(least, self._descending, self.delay, self.unit)
        return [Punctuation.of(self.scheme.schema, {**fixed, last: side}) for side in sides]


def _check_members(members: frozenset[Value], scheme: Scheme) -> None:
    if not members:
        raise SchemaError("the list of members is empty", f"no reporter is listed for {scheme}", "name one or more")


@dataclass(frozen=True)
class Unique(Origin[None]):
    """Values on some attributes come once, so each row is followed by its own punctuation."""

    scheme: Scheme

    def initial(self) -> None:
        return None

    def step(self, ts: Rows, st: None) -> tuple[Puncts, None]:
        return self.made(ts), st

    def made(self, ts: Rows) -> Puncts:
        return [self.scheme.instantiate(t) for t in ts]


@dataclass(frozen=True)
class Selected(Origin[None]):
    """All rows match the patterns, because a select has seen to it."""

    rows: Punctuation

    def initial(self) -> None:
        return None

    def opening(self) -> Puncts:
        return excluded(self.rows)


@dataclass(frozen=True)
class Sorted(Origin[Row | None]):
    """Rows come in order, because a sort has seen to it: none that precedes one of them comes after it."""

    sort: Sort

    def initial(self) -> Row | None:
        return None

    def step(self, ts: Rows, st: Row | None) -> tuple[Puncts, Row | None]:
        last = self._last([*([st] if st is not None else []), *ts])
        return self._passed(last), last

    def made(self, ts: Rows) -> Puncts:
        return self._passed(self._last(ts))

    def _last(self, ts: Iterable[Row]) -> Row | None:
        ordered = self.sort.sorted(ts)
        return ordered[-1] if ordered else None

    def _passed(self, t: Row | None) -> Puncts:
        return () if t is None else list(self.sort.before(t))


def sequence(origins: Iterable[Origin[Any]], elements: Iterable[Element]) -> Iterator[Element]:
    """The elements of a stream, and behind each row the punctuations that are made of it.

    >>> itemid = Schema.of(itemid="BIGINT")
    >>> print(*sequence([Unique(Scheme.of(itemid, "itemid"))], [(17,), (18,)]))
    (17,) <17> (18,) <18>
    """
    for several in steps(origins, elements):
        yield from several


def steps(origins: Iterable[Origin[Any]], elements: Iterable[Element]) -> Iterator[list[Element]]:
    """What holds from the start, and then each element of a stream, with the punctuations that are made of it."""
    states = [(origin, origin.initial()) for origin in origins]
    yield [p for origin, _ in states for p in origin.opening()]
    for element in elements:
        several = [element]
        if not isinstance(element, Punctuation):
            stepped = [(origin, *origin.step([element], known)) for origin, known in states]
            several += [p for _, made, _ in stepped for p in made]
            states = [(origin, known) for origin, _, known in stepped]
        yield several
