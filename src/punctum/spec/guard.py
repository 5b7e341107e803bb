"""Guard: what stands between a source and the operators, which may rely on a grammatical stream.

It splits a stream into its grammatical part and the violations: the rows that a punctuation before them excludes. It
also drops punctuations that earlier ones cover. A stream is a sequence of elements, of which it takes one at a time; a
slice that it is given whole has all its rows before all its punctuations.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from punctum.algebra.functions import Element
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.spec.stream import Slice, Stream


@dataclass(frozen=True)
class BrokenPromise:
    """A row that should not have come: in which slice it came, and what excludes it."""

    row: Row
    slice: int
    punctuation: Punctuation


class Guard:
    """A guard that is running.

    >>> hour = Schema.of(hour="BIGINT")
    >>> guard = Guard(hour)
    >>> _ = guard.feed(Slice.of((3,), Punctuation.of(hour, hour=3)))
    >>> good, violations = guard.feed(Slice.of((3,), (4,)))
    >>> good.rows, [str(v.punctuation) for v in violations]
    (((4,),), ['<3>'])
    """

    def __init__(self, schema: Schema) -> None:
        self._schema, self._seen, self._slices = schema, PunctuationSet(schema), 0

    def feed(self, xs: Slice) -> tuple[Slice, list[BrokenPromise]]:
        """The grammatical part of the next slice, and its violations."""
        self._slices += 1
        taken = [self.take(element) for element in xs]
        violations = [guarded for guarded in taken if isinstance(guarded, BrokenPromise)]
        return Slice.of(*(e for guarded in taken if isinstance(guarded, tuple) for e in guarded)), violations

    def take(self, element: Element) -> tuple[Element, ...] | BrokenPromise:
        """What the next element brings: itself if it is a row and grammatical, what is new of a punctuation."""
        if isinstance(element, Punctuation):
            return tuple(self._seen.add_new(element))
        row = self._schema.row(*element)
        offending = self._seen.find(row)
        return BrokenPromise(row, self._slices, offending) if offending else (row,)

    def forget(self, ps: Iterable[Punctuation]) -> None:
        """From now on rows are grammatical that only punctuations exclude which are over."""
        for p in ps:
            self._seen.forget(p)


def guard(schema: Schema, xs: Stream) -> Iterator[tuple[Slice, list[BrokenPromise]]]:
    """The grammatical part of a stream, and beside it the violations."""
    return map(Guard(schema).feed, xs)
