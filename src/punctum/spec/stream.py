"""Sliced streams: a stream is a sequence of slices, a slice is finite and has no inner order (section 2.2).

An operator takes all new rows of a slice first and then its new punctuations. A stream is *grammatical* when no row
matches a punctuation of an earlier slice.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from punctum.algebra.functions import Element, puncts, tups
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.values import Row


@dataclass(frozen=True)
class Slice:
    """A finite piece of a stream: some rows and some punctuations.

    >>> Slice.of((1,), (5,)).rows
    ((1,), (5,))
    """

    rows: tuple[Row, ...] = ()
    puncts: tuple[Punctuation, ...] = ()

    @staticmethod
    def of(*elements: Element) -> "Slice":
        """A slice from rows and punctuations."""
        return Slice(tuple(tups(elements)), tuple(puncts(elements)))

    def __iter__(self) -> Iterator[Element]:
        yield from self.rows
        yield from self.puncts


Stream = Iterable[Slice]
"""A sliced stream; it may be infinite."""


def prefix(slices: Stream) -> Slice:
    """The paper's S[i]: all that came in the first slices, as one.

    >>> prefix([Slice.of((1,)), Slice.of(), Slice.of((4,))]).rows
    ((1,), (4,))
    """
    return Slice.of(*(element for piece in slices for element in piece))
