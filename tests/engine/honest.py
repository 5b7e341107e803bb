"""Plain data and the clauses that make punctuations of it; what the specification makes of both."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from engine.sequences import waiting
from punctum.algebra import Punctuation, Row, end_of_stream
from punctum.algebra.functions import Element
from punctum.algebra.scheme import Order, Scheme
from punctum.ir import Expression, StreamDef, evaluate
from punctum.ir.definitions import AccessOrder, AllReported, EndEvent
from punctum.spec import Guard, Punctuate, Slice, origins
from punctum.spec.framework import Execution


def specified(stream: StreamDef) -> tuple[list[origins.Origin[Any]], list[origins.Origin[Any]]]:
    """What makes punctuations of a stream: what looks at one row at a time, and what waits for reports."""
    schema = stream.schema
    single: list[origins.Origin[Any]] = []
    later: list[origins.Origin[Any]] = []
    for clause in stream.punctuates:
        match clause:
            case EndEvent(scheme=scheme, when=when):
                single.append(origins.EndEvent(scheme, partial(holds, when)))
            case AccessOrder(scheme=scheme, delay=delay):
                *keys, (name, order) = scheme.terms
                by = tuple(key for key, _ in keys)
                single.append(origins.AccessOrder(schema, name, order is Order.DESC, delay, by))
            case AllReported():
                later.append(waiting(clause))
    for names in stream.unique:
        single.append(origins.Unique(Scheme(schema, tuple((name, Order.EQUALITY) for name in names))))
    return single, later


def holds(condition: Expression, row: Row) -> bool:
    return evaluate(condition, row) is True


class Plain:
    """A stream of plain rows that becomes a grammatical, punctuated one, row by row, by the specification.

    Each step makes punctuations, and a guard behind it keeps out the rows that break what it was told. What lies
    outside a domain is kept out from the start, so the limits come as a slice before the first.
    """

    def __init__(self, stream: StreamDef) -> None:
        single, later = specified(stream)
        self._schema = stream.schema
        self._steps: list[tuple[Execution, Guard]] = [
            (Punctuate(stream.schema, tuple(some)).start(), Guard(stream.schema))
            for some in (single, *([each] for each in later))
        ]
        self._limits: Sequence[Punctuation] = origins.DomainLimits(stream.schema).opening()
        for _, guard in self._steps:
            guard.feed(Slice(puncts=tuple(self._limits)))

    def feed(self, rows: Sequence[Row], last: bool) -> Slice:
        """The next slice; after the last one the stream ends."""
        elements: list[Element] = [*rows, *([end_of_stream(self._schema)] if last else [])]
        taken = [e for element in elements for e in self._taken(element)]
        piece = Slice.of(*self._limits, *taken)
        self._limits = ()
        return piece

    def _taken(self, element: Element) -> Slice:
        piece = Slice.of(element)
        for operator, guard in self._steps:
            piece, _ = guard.feed(operator.feed(piece))
        return piece
