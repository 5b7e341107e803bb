"""Punctuated: the rows of a stream, with punctuations that a clause makes of them where it is an operator.

So it is when the clause remembers something, WHEN ALL, and with all clauses of a stream that is made of others.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from punctum.algebra.schema import NOT_NULL, Schema
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Value
from punctum.ir.definitions import AccessOrder, AllReported, Clause, Delay, EndEvent, StreamDef, TableColumn
from punctum.ir.expressions import Expression, columns, text
from punctum.ir.node import UnaryRelation, fits
from punctum.ir.planned import duration_text
from punctum.ir.units import terms_text

if TYPE_CHECKING:
    from punctum.ir.tree import Relation


@dataclass(frozen=True)
class Punctuated(UnaryRelation):
    """The rows of the input that keep what a clause of a stream says, with the punctuations that it makes of them.

    The terms are columns with their orders; of the last one units may be closed. What is closed by each row is so at
    once when it has an order, when the condition ``when`` is true of the row, or, UNIQUE, always. With a ``member`` it
    is so when all members have reported it or gone past it.
    """

    OPERATOR = "punctuate"

    stream: StreamDef
    terms: tuple[tuple[int, Order], ...]
    unit: Expression | None = None
    delay: Delay | None = None
    when: Expression | None = None
    member: int | None = None
    members: tuple[Value, ...] | TableColumn = ()

    def __post_init__(self) -> None:
        for expression in (self.unit, self.when):
            if expression is not None:
                fits(expression, self.input.schema)
        assert self.unit is None or {column.index for column in columns(self.unit)} == {self.terms[-1][0]}

    @cached_property
    def schema(self) -> Schema:
        """The input's columns; those that have an order are not NULL."""
        ordered = {at for at, order in self.terms if order is not Order.EQUALITY}
        below = enumerate(self.input.schema.attributes)
        return Schema(tuple(replace(a, domain=NOT_NULL) if i in ordered and a.domain.null else a for i, a in below))

    @property
    def by(self) -> tuple[int, ...]:
        """The columns of which punctuations have one value, as they are: rows of different ones do not meet."""
        plain = self.terms if self.unit is None else self.terms[:-1]
        return tuple(at for at, order in plain if order is Order.EQUALITY)

    @property
    def parting(self) -> tuple[int, ...]:
        """Those of them by which all clauses of the stream may be partitioned: they run together, in its order."""
        below = self.input.parting if isinstance(self.input, Punctuated) else self.by
        return tuple(at for at in self.by if at in below)

    @property
    def scheme(self) -> Scheme:
        """The columns that are punctuated."""
        return Scheme(self.schema, tuple((self.schema.names[i], order) for i, order in self.terms))

    @property
    def ordered(self) -> bool:
        """Whether the last column has an order."""
        return self.terms[-1][1] is not Order.EQUALITY

    @property
    def label(self) -> str:
        """The columns, and when they are closed."""
        return f"Punctuate {terms_text(self.scheme, self.unit)}{self._when}"

    @property
    def kind(self) -> str:
        """The same without who has to report: a list may be another one by now."""
        return f"Punctuate {terms_text(self.scheme, self.unit)}" + (self._when if self.member is None else " by all")

    @property
    def _when(self) -> str:
        delay = duration_text(self.delay) if isinstance(self.delay, timedelta) else self.delay
        delayed = "" if delay is None else f", delayed by {delay}"
        if self.member is not None:
            some = f"{len(self.members)} " if isinstance(self.members, tuple) and self.members else ""
            done = "have passed it" if self.ordered else "have reported it"
            return f" when all {some}{self.schema.names[self.member]} {done}{delayed}"
        if self.when is not None:
            return f" when {text(self.when)}"
        return f" in order{delayed}" if self.ordered else ", each once"

    @property
    def reads_columns(self) -> set[int]:
        """The columns that it looks at."""
        return {*(at for at, _ in self.terms), *([] if self.member is None else [self.member]), *self._read()}

    def _read(self) -> Iterator[int]:
        for expression in (self.unit, self.when):
            yield from () if expression is None else (column.index for column in columns(expression))


def punctuated(below: "Relation", stream: StreamDef, clause: Clause) -> Punctuated:
    """The operator of a clause over the rows of its stream."""
    at = stream.schema.positions
    terms = tuple((at[name], order) for name, order in clause.scheme.terms)
    match clause:
        case EndEvent(when=when):
            return Punctuated(below, stream, terms, when=when)
        case AccessOrder(unit=unit, delay=delay):
            return Punctuated(below, stream, terms, unit, delay)
        case AllReported(unit=unit, delay=delay, member=member, members=members):
            return Punctuated(below, stream, terms, unit, delay, None, at[member], members)


def each_once(below: "Relation", stream: StreamDef, names: tuple[str, ...]) -> Punctuated:
    """The operator of UNIQUE."""
    return Punctuated(below, stream, tuple((i, Order.EQUALITY) for i in stream.schema.indices(names)))
