"""Images: what is closed on a computed column when a pattern is closed on the attribute that it is computed from.

With f the function, monotone or injective or both:

- monotone: the rows that may still come have the values next to the closed ones, and those beyond. So the column is
  closed strictly between the images of these two neighbours;
- monotone and injective, of values without neighbours: a range becomes the range between the images of its ends;
- injective: finitely many values become their images.

A function that has no value for an end, or one that its type cannot hold, closes nothing that way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from punctum.algebra.cuts import HIGHEST, LOWEST, above, below, value_after, value_before
from punctum.algebra.finite import finite
from punctum.algebra.pattern import EMPTY, NULL, Pattern, Range, Span, one_of, span_pattern
from punctum.algebra.schema import NOT_NULL, Attribute
from punctum.algebra.trends import Trend
from punctum.algebra.values import Type, Value
from punctum.errors import SchemaError

End = tuple[Value | None, bool]
"""Where a range ends, nothing where it does not, and whether that value belongs to it."""


@dataclass(frozen=True)
class ComputedColumn:
    """A column for punctuations: the attribute that it alone depends on, if there is one, and how.

    Without a function it is that attribute as it is. The function gives NULL for NULL, and only for NULL.
    """

    attribute: Attribute
    source: str | None
    function: Callable[[Any], Value | None] | None = None
    injective: bool = False
    trend: Trend = Trend.NEITHER

    def images(self, pattern: Pattern, kind: Type) -> list[Pattern]:
        """Patterns that are closed on the column when one is closed on its source, which has a type.

        >>> from punctum.algebra.pattern import between
        >>> tens = ComputedColumn(Attribute("tens", Type.BIGINT), "n", lambda n: n // 10, trend=Trend.INCREASING)
        >>> print(*tens.images(between(None, 34), Type.BIGINT), *tens.images(between(20, 39), Type.BIGINT))
        (,2] [2,3]
        """
        if self.function is None or pattern in (NULL, NOT_NULL):
            return [pattern]
        monotone = self.trend is not Trend.NEITHER
        ways: list[Callable[[Pattern, Type], list[Pattern]]] = []
        if monotone and (kind.discrete or not self.injective):
            ways.append(self._between_neighbours)
        if self.injective:
            ways.append(self._between_ends if monotone and isinstance(pattern, Range) else self._of_values)
        for way in ways:
            try:
                return [image for image in way(pattern, kind) if image is not EMPTY]
            except (SchemaError, ArithmeticError, ValueError):
                continue
        return []

    def _between_neighbours(self, pattern: Pattern, kind: Type) -> list[Pattern]:
        return [self._range(*_neighbours(span, kind)) for span in pattern.spans]

    def _between_ends(self, pattern: Pattern, kind: Type) -> list[Pattern]:
        assert isinstance(pattern, Range)
        ends = pattern.ends
        return [self._range((pattern.lower, ends[0] == "["), (pattern.upper, ends[1] == "]"))]

    def _of_values(self, pattern: Pattern, kind: Type) -> list[Pattern]:
        return [one_of(map(self._image, values)) for values in [finite(pattern, kind)] if values is not None]

    def _range(self, lower: End, upper: End) -> Pattern:
        """The values between the images of two ends."""
        if self.trend is Trend.DECREASING:
            lower, upper = upper, lower
        (first, with_first), (last, with_last) = lower, upper
        low = LOWEST if first is None else (below if with_first else above)(self._image(first))
        high = HIGHEST if last is None else (above if with_last else below)(self._image(last))
        return span_pattern((low, high), self.attribute.type) if low < high else EMPTY

    def _image(self, value: Value) -> Value:
        assert self.function is not None
        image = self.attribute.accept(self.function(value))
        assert image is not None, f"{self.attribute.name} is NULL for {value}"
        return image


def _neighbours(span: Span, kind: Type) -> tuple[End, End]:
    """The values next to a span, none where it has no end; its own ends where values have no neighbours."""
    low, high = span
    before = None if low is LOWEST else value_before(low, kind)
    after = None if high is HIGHEST else value_after(high, kind)
    lower = low[0] if before is None and low is not LOWEST else before
    upper = high[0] if after is None and high is not HIGHEST else after
    return (lower, False), (upper, False)
