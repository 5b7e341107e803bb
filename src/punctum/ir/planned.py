"""Nodes that plans alone have: joins of many inputs, synopses, and what stands over a stream with limits in time."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from punctum.algebra.bands import Band
from punctum.algebra.classes import Class
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.errors import Place
from punctum.ir.conjunctive.spj import Spj
from punctum.ir.definitions import NOWHERE, StreamDef
from punctum.ir.expressions import Expression, columns, text
from punctum.ir.node import PlannedNode, UnaryRelation
from punctum.ir.relations import Window
from punctum.ir.windows import window

if TYPE_CHECKING:
    from punctum.ir.tree import Relation

_UNITS = (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000), ("millisecond", 1))


@dataclass(frozen=True)
class MultiJoin(PlannedNode):
    """Combinations of a row of each input that agree on every class of columns and fulfil the residual.

    The residual speaks of the columns of all inputs, one after the other; names are those of all columns. Those that
    anybody reads, or all, are ``shown``; of the others no punctuations are said. A lazy one purges now and then.
    The residual implies the bands, whose columns are in classes of their own if no other column equals them.
    """

    OPERATOR = "join"
    BELOW = ("joined",)

    joined: "tuple[Relation, ...]"
    classes: tuple[Class, ...]
    residual: Expression | None
    names: tuple[str, ...]
    shown: frozenset[int] | None = None
    lazy: bool = False
    place: Place = field(default=NOWHERE, compare=False)
    bands: tuple[Band, ...] = ()

    def __post_init__(self) -> None:
        assert len(self.joined) > 1
        assert len(self.names) == sum(len(relation.schema) for relation in self.joined)
        for equated in self.classes:
            assert len({self.joined[i].schema.attributes[at].type for i, at in equated.members}) == 1
        for column in columns(self.residual) if self.residual is not None else ():
            assert column.name == self.names[column.index]
        compared = {member for equated in self.classes for member in equated.members}
        assert all(end is None or end in compared for band in self.bands for end in (band.of, band.by))

    @cached_property
    def schema(self) -> Schema:
        """The columns of all inputs."""
        attributes = (a for relation in self.joined for a in relation.schema.attributes)
        return Schema(tuple(replace(a, name=name) for a, name in zip(attributes, self.names, strict=True)))

    @property
    def offsets(self) -> tuple[int, ...]:
        """Where each input's columns begin."""
        return tuple(sum(len(relation.schema) for relation in self.joined[:i]) for i in range(len(self.joined)))

    @property
    def label(self) -> str:
        """The classes and the residual."""
        parts = []
        for equated in self.classes:
            equal = [self.names[self.offsets[i] + at] for i, at in equated.members]
            parts.append(" = ".join([*equal, *([] if equated.value is None else [str(equated.value)])]))
        return f"MultiJoin {', '.join(parts)}" + (f" where {text(self.residual)}" if self.residual is not None else "")

    @property
    def windows(self) -> tuple[Window | None, ...]:
        """The windows of the inputs; where there are any, a row meets only what is in them when it comes."""
        return tuple(window(relation) for relation in self.joined)

    def common(self) -> list[int]:
        """The classes, not fixed to a constant, that all inputs have columns of."""
        everyone = range(len(self.joined))
        return [n for n, c in enumerate(self.classes) if c.value is None and all(c.of(i) for i in everyone)]

    def shared(self) -> list[int]:
        """The classes, not fixed to a constant, that several inputs have columns of."""
        return [n for n, c in enumerate(self.classes) if c.value is None and len({i for i, _ in c.members}) > 1]


@dataclass(frozen=True)
class Synopsis(PlannedNode):
    """The result of a query over its inputs: the shown attributes, and the aggregates if it groups.

    The residual is a further condition, over the columns of the inputs.
    """

    OPERATOR = "synopsis"
    BELOW = ("joined",)

    joined: "tuple[Relation, ...]"
    query: Spj
    result: Schema
    updates: bool = False
    residual: Expression | None = None
    place: Place = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        assert [len(relation.schema) for relation in self.joined] == [
            len(stream.schema) for stream in self.query.streams
        ]
        assert len(self.result) == max(1, len(self.query.shown) + len(self.query.aggregates or ()))

    @cached_property
    def schema(self) -> Schema:
        """The shown attributes, then the aggregates."""
        return self.result

    @property
    def label(self) -> str:
        """What is compared, and what is shown."""
        compared = (f"{self.query.name(c.left)} {c.op} {self.query.name(c.right)}" for c in self.query.compared)
        once = "distinct " if self.query.distinct else ""
        shown = ", ".join(map(self.query.name, self.query.shown)) or "nothing"
        calls = "".join(f", {c.function.value}" for c in self.query.aggregates or ())
        more = [] if self.residual is None else [text(self.residual)]
        return f"Synopsis of {once}{shown}{calls} where {', '.join([*compared, *more]) or 'anything meets'}"

    @cached_property
    def parting(self) -> tuple[tuple[tuple[int, ...], int | None], ...]:
        """The classes by which it can be partitioned: a column of each input, and the one of the output, if any."""
        order, everyone = self.query.order, range(len(self.joined))
        plain = not self.query.distinct and self.query.aggregates is None
        classes = []
        for its, members in order.members.items():
            at = [next((column for i, column in members if i == stream), None) for stream in everyone]
            shown = next((n for n, attribute in enumerate(self.query.shown) if order.of[attribute] == its), None)
            if None not in at and self.query.count(its) > 1 and (plain or shown is not None):
                classes.append((tuple(column for column in at if column is not None), shown))
        return tuple(classes)


@dataclass(frozen=True)
class Limited(UnaryRelation, PlannedNode):
    """The rows of a stream that has a time limit for the punctuations on some columns."""

    stream: StreamDef
    by: tuple[int, ...]
    time: int | None

    @property
    def scheme(self) -> Scheme:
        """The columns of the punctuations."""
        return Scheme(self.schema, tuple((self.schema.names[i], Order.EQUALITY) for i in self.by))

    @property
    def clock(self) -> str:
        """What tells the time: a column of the stream, or the batches' own times."""
        return "the clock" if self.time is None else self.schema.names[self.time]


@dataclass(frozen=True)
class ExpectNode(Limited):
    """The rows of a stream, less those whose value was swept; a value is swept when it is open for too long."""

    OPERATOR = "expect"

    within: timedelta

    @property
    def label(self) -> str:
        """The columns, how long their values may be open, and what tells the time."""
        return f"Expected {self.scheme} within {duration_text(self.within)} by {self.clock}"


@dataclass(frozen=True)
class LifespanNode(Limited):
    """The rows of a stream, some of whose punctuations hold for a while."""

    OPERATOR = "lifespan"

    lifespan: timedelta

    @property
    def label(self) -> str:
        """The columns, how long their punctuations hold, and what tells the time."""
        return f"Lasting {self.scheme} for {duration_text(self.lifespan)} by {self.clock}"


def duration_text(time: timedelta) -> str:
    """A time in words, as it is written in a script.

    >>> duration_text(timedelta(hours=1, minutes=30)), duration_text(timedelta(days=1))
    ('1 hour 30 minutes', '1 day')
    """
    return " ".join(_parts(time)) or f"{time / timedelta(microseconds=1):.0f} microseconds"


def _parts(time: timedelta) -> Iterator[str]:
    left = time // timedelta(milliseconds=1)
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count:
            yield f"{count} {unit}{'s' if count > 1 else ''}"
