"""Punctuations: one pattern for each attribute, saying that no later row matches all of them.

::

    match(t, combine(p, q))  =  match(t, p) and match(t, q)
    covers(p, q)             =  every row that matches q matches p
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from punctum.algebra.pattern import EMPTY, WILDCARD, Pattern, constant
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row, Value
from punctum.errors import SchemaError

Side = tuple[int, Pattern]
"""An attribute's position and its pattern, other than the wildcard."""


@dataclass(frozen=True)
class Punctuation:
    """A promise: no later row of the stream matches every pattern.

    >>> bid = Schema.of(itemid="BIGINT", increase="DOUBLE", buyerid="BIGINT")
    >>> p = Punctuation.of(bid, itemid=1001)
    >>> print(p)
    <1001, *, *>
    >>> p.match(bid.row(1001, 5.0, 7)), p.match(bid.row(1002, 5.0, 7))
    (True, False)
    """

    schema: Schema
    patterns: tuple[Pattern, ...]

    def __post_init__(self) -> None:
        if len(self.patterns) != len(self.schema):
            detail = f"{len(self.patterns)} patterns for {len(self.schema)} columns: {self.schema}"
            raise SchemaError(
                f"the punctuation {self} does not fit its schema", detail, "give one pattern for each column"
            )
        for at, pattern in self.sides:  # the wildcard fits everywhere
            self.schema.attributes[at].check(pattern)

    @staticmethod
    def of(
        schema: Schema, named: Mapping[str, Pattern | Value | None] | None = None, **more: Pattern | Value | None
    ) -> "Punctuation":
        """A punctuation from named patterns or values; an attribute that is not named is a wildcard."""
        patterns: list[Pattern] = [WILDCARD] * len(schema)
        for name, given in {**(named or {}), **more}.items():
            at = schema.index(name)
            patterns[at] = given if isinstance(given, Pattern) else constant(schema.attributes[at].accept(given))
        return Punctuation(schema, tuple(patterns))

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """The patterns that say something, with their positions."""
        return tuple((i, pattern) for i, pattern in enumerate(self.patterns) if pattern is not WILDCARD)

    @property
    def empty(self) -> bool:
        """Whether no row can match."""
        return EMPTY in self.patterns

    @property
    def excluded(self) -> bool:
        """Whether no row that keeps to the domains can match.

        >>> hour = Schema.of(hour="BIGINT")
        >>> hour = hour.where(hour=hour.attributes[0].domain.minus(constant(None))[0])
        >>> Punctuation.of(hour, hour=None).excluded, Punctuation.of(hour, hour=8).excluded
        (True, False)
        """
        return any(self.schema.attributes[i].domain.meet(pattern) == EMPTY for i, pattern in self.sides)

    def match(self, row: Row) -> bool:
        """Whether a row matches every pattern."""
        return all(pattern.match(row[i]) for i, pattern in self.sides)

    def combine(self, other: "Punctuation") -> "Punctuation | None":
        """The punctuation that both together cover, or nothing (the paper's Ψ) when no row can match both.

        >>> hour = Schema.of(zoneid="BIGINT", hour="BIGINT")
        >>> print(Punctuation.of(hour, zoneid=1).combine(Punctuation.of(hour, hour=3)))
        <1, 3>
        >>> print(Punctuation.of(hour, hour=4).combine(Punctuation.of(hour, hour=3)))
        None
        """
        self._same_schema(other)
        met = tuple(p.meet(q) for p, q in zip(self.patterns, other.patterns, strict=True))
        return None if EMPTY in met else Punctuation(self.schema, met)

    def covers(self, other: "Punctuation") -> bool:
        """Whether this one says all that the other says.

        >>> hour = Schema.of(zoneid="BIGINT", hour="BIGINT")
        >>> Punctuation.of(hour, hour=3).covers(Punctuation.of(hour, zoneid=1, hour=3))
        True
        """
        self._same_schema(other)
        return other.empty or all(pattern.covers(other.patterns[i]) for i, pattern in self.sides)

    def replacing(self, patterns: Mapping[int, Pattern]) -> "Punctuation":
        """The same punctuation with other patterns at some positions."""
        return Punctuation(self.schema, tuple(patterns.get(i, p) for i, p in enumerate(self.patterns)))

    def _same_schema(self, other: "Punctuation") -> None:
        if self.schema is not other.schema and self.schema != other.schema:
            detail = f"{self} is over ({self.schema}), {other} over ({other.schema})"
            raise SchemaError(
                "two punctuations are not over the same schema", detail, "combine punctuations of one stream"
            )

    def __str__(self) -> str:
        return f"<{', '.join(map(str, self.patterns))}>"


def end_of_stream(schema: Schema) -> Punctuation:
    """The punctuation that ends a stream: all wildcards.

    >>> print(end_of_stream(Schema.of(zoneid="BIGINT", hour="BIGINT")))
    <*, *>
    """
    return Punctuation(schema, (WILDCARD,) * len(schema))


def excluded(rows: Punctuation) -> tuple[Punctuation, ...]:
    """The punctuations that hold in a stream all of whose rows match the patterns.

    >>> hour = Schema.of(zoneid="BIGINT", hour="BIGINT")
    >>> print(*excluded(Punctuation.of(hour, hour=8)))
    <*, NULL> <*, (,7]> <*, [9,)>
    """
    schema = rows.schema
    return tuple(
        Punctuation.of(schema, {schema.names[i]: part})
        for i, pattern in rows.sides
        for part in schema.attributes[i].domain.minus(pattern)
    )
