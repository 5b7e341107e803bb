"""Computed columns, and how patterns pass through them.

A column is an attribute of the input, a function of one attribute, or a function of the whole row. With f the function
and a the attribute that it reads, a pattern on a becomes a pattern on the column:

- f monotone: of rows with ``a`` outside a range, the nearest still allowed are its two neighbours, so the column is
  closed strictly between *their* images. ``ts <= 9:59:59.999999`` closes the hours before f(10:00), and ``k = 5``
  closes 9, 10 and 11 of ``k * 2``: rows of other streams may have what f never gives;
- f injective and monotone, where values have no neighbours: a range gives the range between the images of its ends;
- f injective: ``a = v`` gives ``f(v)``, a list gives the list of its images, and so does a short discrete range.

Anything else turns the pattern away. f gives NULL for NULL and only for NULL.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from punctum.algebra.cuts import HIGHEST, LOWEST, Cut, value_after, value_before
from punctum.algebra.finite import finite
from punctum.algebra.pattern import NULL, Pattern, Range, between, one_of
from punctum.algebra.schema import NOT_NULL, Attribute, Schema
from punctum.algebra.trends import Trend
from punctum.algebra.values import Row, Type, Value
from punctum.errors import SchemaError


@dataclass(frozen=True)
class ComputedColumn:
    """A column of the output: ``function`` of the attribute ``source``, or of the whole row when there is no source."""

    attribute: Attribute
    source: str | None
    function: Callable[[Any], Value | None] | None = None
    injective: bool = False
    trend: Trend = Trend.NEITHER

    @staticmethod
    def same(schema: Schema, name: str, rename: str | None = None) -> "ComputedColumn":
        """An attribute as it is, perhaps under another name."""
        attribute = schema.attributes[schema.index(name)]
        return ComputedColumn(replace(attribute, name=rename or name), name)

    def value(self, row: Row, schema: Schema) -> Value | None:
        """The column's value in a row."""
        if self.source is None:
            assert self.function is not None
            return self.attribute.accept(self.function(row))
        value = row[schema.index(self.source)]
        return value if self.function is None or value is None else self.attribute.accept(self.function(value))

    def images(self, pattern: Pattern, kind: Type) -> list[Pattern]:
        """Patterns that are closed on the column when one is closed on its source, an attribute of that type."""
        if self.function is None or pattern in (NULL, NOT_NULL):
            return [pattern]
        for ways in (self._among_neighbours, self._one_by_one):
            try:
                return [image for image in ways(pattern, kind) if image.spans or image.null]
            except (SchemaError, ArithmeticError, ValueError):  # an end beyond what the function or its type can hold
                continue
        return []

    def _among_neighbours(self, pattern: Pattern, kind: Type) -> list[Pattern]:
        if self.trend is Trend.NEITHER or (self.injective and not kind.discrete):
            return self._one_by_one(pattern, kind)
        return [self._between(_before(low, kind), _after(high, kind), "()") for low, high in pattern.spans]

    def _one_by_one(self, pattern: Pattern, kind: Type) -> list[Pattern]:
        if not self.injective:
            return []
        if self.trend is not Trend.NEITHER and isinstance(pattern, Range):
            return [self._between(pattern.lower, pattern.upper, pattern.ends)]
        values = finite(pattern, kind)
        return [] if values is None else [one_of([self._image(value) for value in values])]

    def _between(self, lower: Value | None, upper: Value | None, ends: str) -> Pattern:
        low, high = (None if end is None else self._image(end) for end in (lower, upper))
        if self.trend is Trend.INCREASING:
            return between(low, high, ends)
        return between(high, low, ends[::-1].translate(str.maketrans("[]()", "][)(")))

    def _image(self, value: Value) -> Value:
        assert self.function is not None
        image = self.attribute.accept(self.function(value))
        assert image is not None, f"{self.attribute.name} is NULL for {value}"
        return image


def _before(low: Cut, kind: Type) -> Value | None:
    """The greatest value that a row may still have below a span that begins here, or the nearest bound of it."""
    if low is LOWEST:
        return None
    before = value_before(low, kind)
    return before if before is not None else low[0]


def _after(high: Cut, kind: Type) -> Value | None:
    """The least value that a row may still have above a span that ends here, or the nearest bound of it."""
    if high is HIGHEST:
        return None
    after = value_after(high, kind)
    return after if after is not None else high[0]
