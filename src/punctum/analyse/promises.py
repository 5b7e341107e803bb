"""What is known of a relation's rows and punctuations before it runs: facts, from which verdicts follow.

A *promise* is a scheme of any relation: columns by position, each with its order. On no columns it promises that
the relation comes to an end. Its origins are the schemes of streams from which it follows.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from typing import NamedTuple

from punctum.algebra.cuts import HIGHEST, LOWEST
from punctum.algebra.finite import finite
from punctum.algebra.pattern import EMPTY, Pattern
from punctum.algebra.scheme import Order, Scheme
from punctum.algebra.values import Type
from punctum.ir.elements import FROM

MOST = 64
"""So many promises of one relation, or forms of one, are looked at; any further ones are passed over."""

_STABLES = ((FROM, Order.ASC),)
Terms = frozenset[tuple[int, Order]]
"""Columns and the orders of their patterns; none: a punctuation ends the relation."""


class Declared(NamedTuple):
    """A scheme of a stream, as it is written.

    >>> scheme = Declared("bid", (("itemid", Order.EQUALITY), ("ts", Order.ASC)))
    >>> print(scheme, scheme.clause, sep="; ")
    bid(itemid, ts ASC); PUNCTUATED ON (itemid, ts ASC)
    """

    stream: str
    terms: tuple[tuple[str, Order], ...]

    @staticmethod
    def of(stream: str, scheme: Scheme) -> "Declared":
        """A scheme of a stream that a script defines."""
        return Declared(stream, scheme.terms)

    @property
    def clause(self) -> str:
        """The scheme as CREATE STREAM has it."""
        return f"PUNCTUATED ON ({self._terms})"

    @property
    def _terms(self) -> str:
        return ", ".join(f"{name} {order.value}".strip() for name, order in self.terms)

    def __str__(self) -> str:
        return f"stables of {self.stream}" if self.terms == _STABLES else f"{self.stream}({self._terms})"


class Within(NamedTuple):
    """The values that a column has at most.

    >>> from punctum.algebra.pattern import between
    >>> hours = Within(between(0, 23), Type.BIGINT)
    >>> hours.ends(Order.EQUALITY), Within(between(None, 23), Type.BIGINT).ends(Order.EQUALITY)
    (True, False)
    """

    pattern: Pattern
    type: Type

    def ends(self, order: Order) -> bool:
        """Whether finitely many punctuations close them all: each value, or a prefix beyond the last of them."""
        if self.pattern.null or not self.pattern.spans:
            return self.pattern == EMPTY
        match order:
            case Order.EQUALITY:
                return self.type is Type.BOOLEAN or finite(self.pattern, self.type) is not None
            case Order.ASC:
                return self.type is Type.BOOLEAN or self.pattern.spans[-1][1] is not HIGHEST
            case Order.DESC:
                return self.type is Type.BOOLEAN or self.pattern.spans[0][0] is not LOWEST


class Promise(NamedTuple):
    """A scheme of a relation, and the declared ones from which it follows.

    One of its *own* closes each value that its rows have. Rows of other relations may have values that it never closes:
    ``k * 2`` is never odd, whatever punctuations close of ``k``.
    """

    terms: Terms
    origins: frozenset[Declared]
    own: bool = False

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns on which punctuations come, in order."""
        return tuple(sorted(column for column, _ in self.terms))


class Padded(NamedTuple):
    """Promises that leave out rows whose every promised column is NULL.

    Rows without a partner have NULL in all of some columns. In all others, those of these columns that are ``filled``
    are never NULL.
    """

    columns: frozenset[int]
    filled: frozenset[int]
    promises: tuple[Promise, ...]

    def moved(self, to: Mapping[int, int], promises: "tuple[Promise, ...]") -> "Padded":
        """The same, for columns that have moved to other positions."""
        columns, filled = (frozenset(n for n, at in to.items() if at in known) for known in (self.columns, self.filled))
        return Padded(columns, filled, promises)


@dataclass(frozen=True)
class Facts:
    """What holds for a relation.

    ``same`` gives for each column the first one that carries the same patterns; promises name only first ones.
    ``equal`` gives the first one that has the same value in every row, which no operator may know. ``constant`` columns
    have one value; of those that are ``fixed`` a selection emits punctuations on all other values. Columns that have
    certain values at most, by their domain or by what a selection emits, are ``within`` these. Behind an outer join,
    some promises leave out rows that are ``padded`` with NULLs. Some promises on a column close its values in
    ``units``: the promise, the column, and by which expression (``ir/units.py``).
    """

    promises: tuple[Promise, ...]
    same: tuple[int, ...]
    equal: tuple[int, ...]
    fixed: frozenset[int] = frozenset()
    constant: frozenset[int] = frozenset()
    filled: frozenset[int] = frozenset()
    within: Mapping[int, Within] = field(default_factory=dict)
    padded: tuple[Padded, ...] = ()
    units: frozenset[tuple[Terms, int, str]] = frozenset()

    def ends(self, term: tuple[int, Order]) -> bool:
        """Whether the punctuations that a term promises close all values of its column in the end."""
        column, order = term
        return column in self.fixed or (column in self.within and self.within[column].ends(order))

    @property
    def ending(self) -> list[tuple[int, Order]]:
        """The terms of which that is so."""
        known = sorted(self.fixed.union(self.within))
        return [(column, order) for column in known for order in Order if self.ends((column, order))]

    @property
    def shared(self) -> tuple[Promise, ...]:
        """The promises that close values which rows of other relations have."""
        return tuple(promise for promise in self.promises if not promise.own)

    @property
    def purging(self) -> tuple[Promise, ...]:
        """The promises that purge other inputs of a join; those that leave out NULLs do too, which equal nothing."""
        return (*self.shared, *(promise for padded in self.padded for promise in padded.promises if not promise.own))

    def carriers(self, column: int) -> list[int]:
        """The columns that carry the same patterns."""
        return [i for i, first in enumerate(self.same) if first == self.same[column]]


def distinct(promises: Iterable[Promise]) -> tuple[Promise, ...]:
    """Each promise once, and the first ones when there are too many."""
    return tuple(islice(dict.fromkeys(promises), MOST))


def ways(promise: Promise, images: dict[tuple[int, Order], list[tuple[int, Order]]]) -> Iterator[Promise]:
    """The promise on other columns: each term one of its images, in every way."""
    chosen = product(*(images[term] for term in sorted(promise.terms, key=str)))
    for way in islice(chosen, MOST):
        yield promise._replace(terms=joined(way))


def joined(terms: Iterable[tuple[int, Order]]) -> Terms:
    """Terms together: where two are on one column, what both of them close."""
    orders: dict[int, Order] = {}
    for column, order in terms:
        orders[column] = order if orders.get(column, order) is order else Order.EQUALITY
    return frozenset(orders.items())


def both(left: Facts, right: Facts) -> tuple[Promise, ...]:
    """What holds when both of two inputs have emitted it: setCombine of the punctuations of each."""
    pairs = product(*([p for p in named(side) if not p.own] for side in (left, right)))
    combined = [Promise(joined([*p.terms, *q.terms]), p.origins | q.origins) for p, q in islice(pairs, MOST**2)]
    least = [p for p in combined if not any(q.terms and q.terms < p.terms for q in combined)]  # an end may be far away
    return distinct(least)


def named(facts: Facts) -> tuple[Promise, ...]:
    """The promises by every name that carries them."""
    renamed = []
    for promise in facts.promises:
        images = {(c, order): [(i, order) for i in facts.carriers(c)] for c, order in promise.terms}
        renamed += list(ways(promise, images))
    return distinct(renamed)
