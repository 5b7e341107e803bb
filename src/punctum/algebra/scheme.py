"""Schemes: what a stream promises about the punctuations that will come.

``ON (a, b)``: for every pair of values that occurs, a punctuation that covers it comes in finite time.
``ON (ts ASC)``: prefixes ``ts <= t`` come, with t growing beyond every value that occurs; ``DESC``: suffixes, falling.
The two kinds mix: ``ON (sensor, ts ASC)`` promises growing prefixes for each sensor.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from punctum.algebra.pattern import WILDCARD, Pattern, Range, between, constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row, Value
from punctum.errors import SchemaError


class Order(Enum):
    """How the punctuations of a scheme come on one attribute."""

    EQUALITY = ""
    ASC = "ASC"
    DESC = "DESC"

    def instance(self, value: Value | None) -> Pattern | None:
        """The pattern that closes a value, or nothing: no prefix holds NULL."""
        if self is Order.EQUALITY:
            return constant(value)
        if value is None:
            return None
        return between(None, value) if self is Order.ASC else between(value, None)

    def admits(self, pattern: Pattern) -> bool:
        """Whether a punctuation of the scheme may have this pattern."""
        if self is Order.EQUALITY:
            return pattern is not WILDCARD
        return isinstance(pattern, Range) and (pattern.lower if self is Order.ASC else pattern.upper) is None


@dataclass(frozen=True)
class Scheme:
    """A promise about a stream: the attributes on which its punctuations will come.

    >>> bid = Schema.of(itemid="BIGINT", ts="BIGINT")
    >>> print(Scheme.of(bid, "itemid"), Scheme.of(bid, "ts ASC"))
    ON (itemid) ON (ts ASC)
    """

    schema: Schema
    terms: tuple[tuple[str, Order], ...]

    def __post_init__(self) -> None:
        names = [name for name, _ in self.terms]
        self.schema.indices(names)
        if not names or len(set(names)) < len(names):
            detail = f"it is on ({', '.join(names)})"
            raise SchemaError(
                "the punctuated columns must be one or more, each named once", detail, "for example ON (itemid)"
            )

    @staticmethod
    def of(schema: Schema, *terms: str) -> "Scheme":
        """A scheme from terms such as ``itemid`` or ``ts ASC``."""
        parsed = []
        for term in terms:
            name, _, order = term.partition(" ")
            if order not in Order._value2member_map_:
                raise SchemaError(
                    f"{term!r} is not a column of a punctuation scheme", "", "a column, alone or with ASC or DESC"
                )
            parsed.append((name, Order(order)))
        return Scheme(schema, tuple(parsed))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The punctuatable attributes."""
        return tuple(name for name, _ in self.terms)

    def covers(self, row: Row) -> bool:
        """Whether the promise says of a row that a punctuation will cover it in finite time.

        >>> bid = Schema.of(itemid="BIGINT", ts="BIGINT")
        >>> Scheme.of(bid, "ts ASC").covers((17, 5)), Scheme.of(bid, "ts ASC").covers((17, None))
        (True, False)
        """
        return None not in self._instance(row).values()

    def instantiate(self, row: Row) -> Punctuation:
        """The least punctuation of the scheme that covers a row.

        >>> bid = Schema.of(itemid="BIGINT", ts="BIGINT")
        >>> print(Scheme.of(bid, "itemid", "ts ASC").instantiate((17, 5)))
        <17, (,5]>
        """
        patterns = {name: pattern for name, pattern in self._instance(row).items() if pattern is not None}
        if len(patterns) < len(self.terms):
            detail = f"the row {row!r} is NULL in an ordered column of {self}"
            raise SchemaError(
                "no punctuation of the scheme covers the row", detail, "no prefix and no suffix holds NULL"
            )
        return Punctuation.of(self.schema, patterns)

    def admits(self, punctuation: Punctuation) -> bool:
        """Whether a punctuation is one that the scheme promises: patterns on its attributes and nowhere else."""
        orders = dict(self.terms)
        patterns = dict(zip(self.schema.names, punctuation.patterns, strict=True))
        return all(orders[name].admits(patterns.pop(name)) for name in self.attributes) and all(
            pattern is WILDCARD for pattern in patterns.values()
        )

    def covered(self, row: Row, punctuations: Iterable[Punctuation]) -> bool:
        """Whether the promise has been kept for a row by now: a punctuation of the scheme has covered it."""
        return any(self.admits(punctuation) and punctuation.match(row) for punctuation in punctuations)

    def implies(self, other: "Scheme") -> bool:
        """Whether a stream that keeps this promise keeps the other one too.

        >>> bid = Schema.of(itemid="BIGINT", ts="BIGINT")
        >>> Scheme.of(bid, "ts ASC").implies(Scheme.of(bid, "itemid", "ts"))
        True
        """
        wanted = dict(other.terms)
        return all(name in wanted and wanted[name] in (order, Order.EQUALITY) for name, order in self.terms)

    def _instance(self, row: Row) -> dict[str, Pattern | None]:
        return {name: order.instance(row[self.schema.index(name)]) for name, order in self.terms}

    def __str__(self) -> str:
        return "ON (" + ", ".join(f"{name} {order.value}".strip() for name, order in self.terms) + ")"
