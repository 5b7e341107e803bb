"""The prefix of an order of which nothing can come any more: punctuations on sort attributes in, its punctuations out.

A sweep along the leading key: from the first value of its domain on, as long as all rows with that value are closed.
At the first value that has open rows it goes on by the next key among the rows with that value.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from punctum.algebra.cuts import Cut, value_after, value_before
from punctum.algebra.pattern import NULL, Pattern, constant, span_pattern
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.algebra.spanset import SpanSet


def closed_prefix(schema: Schema, keys: Sequence[SortKey], closed: PunctuationSet) -> list[Punctuation]:
    """The longest prefix of the order that is closed.

    >>> from punctum.algebra.pattern import between
    >>> report = Schema.of(sid="BIGINT", hour="BIGINT").where(hour=between(0, 23))
    >>> closed = PunctuationSet(report, [Punctuation.of(report, hour=between(2, 4))])
    >>> closed_prefix(report, [SortKey("hour")], closed)
    []
    >>> closed.add(Punctuation.of(report, hour=between(0, 3)))
    >>> print(*closed_prefix(report, [SortKey("hour")], closed))
    <*, [0,4]>
    """
    return list(PunctuationSet(schema, _swept(schema, list(keys), closed, {})))


def _swept(
    schema: Schema, keys: list[SortKey], closed: PunctuationSet, fixed: dict[str, Pattern]
) -> Iterator[Punctuation]:
    """The closed prefix among the rows that have fixed values for the keys before these."""
    if not keys:
        return
    key, *further = keys
    for slab, first in _slabs(schema, key, closed):
        p = Punctuation.of(schema, {**fixed, key.name: slab})
        if closed.covers(p):
            yield p
        elif first is not None:
            yield from _swept(schema, further, closed, {**fixed, key.name: first})
            return
        else:
            return


def _slabs(schema: Schema, key: SortKey, closed: PunctuationSet) -> Iterator[tuple[Pattern, Pattern | None]]:
    """A key's domain in order, in parts that are closed as a whole or not at all from their first value on, with it."""
    at = schema.index(key.name)
    attribute = schema.attributes[at]
    null = [(NULL, NULL)] if attribute.domain.null else []
    sweep = _Sweep(closed, at, key.descending)
    yield from null if key.null_leads else ()
    for low, high in reversed(attribute.domain.spans) if key.descending else attribute.domain.spans:
        cut, end = (high, low) if key.descending else (low, high)
        while cut != end:
            further = sweep.further(cut, end)
            value = (value_before if key.descending else value_after)(cut, attribute.type)
            slab = (further, cut) if key.descending else (cut, further)
            yield span_pattern(slab, attribute.type), None if value is None else constant(value)
            cut = further
    yield from null if not key.null_leads else ()


class _Sweep:
    """Where members of a set begin or end on an attribute, as far as a sweep along it must know."""

    def __init__(self, closed: PunctuationSet, at: int, descending: bool) -> None:
        lines, boxes = closed.lines()
        self._line, self._descending = lines.get(at, SpanSet()), descending
        sides = (side for box in boxes for i, side in box if i == at)
        self._cuts: list[Cut] = sorted({cut for side in sides for span in side.spans for cut in span})

    def further(self, cut: Cut, end: Cut) -> Cut:
        """The next cut at which a member that holds what is behind this one ends, or another one begins."""
        on_line = [edge for span in self._line.touching((cut, cut)) for edge in span]
        if self._descending:
            at = bisect_left(self._cuts, cut)
            return max(c for c in (*on_line, *self._cuts[max(0, at - 1) : at], end) if end <= c < cut)
        at = bisect_right(self._cuts, cut)
        return min(c for c in (*on_line, *self._cuts[at : at + 1], end) if cut < c <= end)
