"""Partitioned: a stream whose elements come in several sequences, as those of a topic do. It is a merge of them.

Which of two elements of different sequences came first is not known, so nothing depends on it: a row is late when its
own sequence has closed it before, and a punctuation holds when all sequences have said it.

::

    late(t, p)  =  match(t, said(p) ∪ held)
    held        ⊇  setCombine over the sequences p that are not idle of said(p)

Two things let more hold than each sequence has said. What is *owned* stays in one sequence: one of them is enough to
say it, when it fixes all owned attributes to constants. And a sequence that is *idle* holds nothing back: rows that
come of it later may be late because of what the others have said meanwhile. One is not idle: of none, all would hold.
"""

from collections.abc import Collection, Iterable

from punctum.algebra.functions import Element
from punctum.algebra.pattern import Constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.spec.guard import BrokenPromise


class Partitioned:
    """A merge that is running.

    >>> bid = Schema.of(item="BIGINT")
    >>> merge = Partitioned(bid)
    >>> merge.hear([0, 1])
    ()
    >>> merge.take(0, Punctuation.of(bid, item=3)), [str(p) for p in merge.take(1, Punctuation.of(bid, item=3))]
    ((), ['<3>'])
    """

    def __init__(self, schema: Schema, owned: Collection[str] = ()) -> None:
        self._schema, self._owned = schema, [schema.index(name) for name in owned]
        self._received: dict[int, PunctuationSet] = {}
        self._held = PunctuationSet(schema)
        self._idle = frozenset[int]()

    def hear(self, known: Iterable[int], idle: Iterable[int] = ()) -> tuple[Punctuation, ...]:
        """Which sequences there are, and which of them are idle from now on; what holds because of that."""
        self._received = {p: self._received.get(p, PunctuationSet(self._schema)) for p in known}
        self._idle = frozenset(idle)
        first, *others = (known_set for p, known_set in self._received.items() if p not in self._idle)
        return self._hold(_common(first, others))

    def take(self, partition: int, element: Element) -> tuple[Element, ...] | BrokenPromise:
        """What the next element of a sequence brings: itself if it is a row and not late, or what holds now."""
        known = self._received[partition]
        if not isinstance(element, Punctuation):
            row = self._schema.row(*element)
            offending = known.find(row) or self._held.find(row)
            return (row,) if offending is None else BrokenPromise(row, 0, offending)
        if self._owned and all(isinstance(element.patterns[at], Constant) for at in self._owned):
            known.add(element)
            return self._hold([element])
        new = known.add_new(element)
        return self._hold(
            _common(new, (s for p, s in self._received.items() if p != partition and p not in self._idle))
        )

    def _hold(self, ps: Iterable[Punctuation]) -> tuple[Punctuation, ...]:
        return tuple(new for p in list(ps) for new in self._held.add_new(p))


def _common(ps: Iterable[Punctuation], others: Iterable[PunctuationSet]) -> list[Punctuation]:
    """What some punctuations and all others close together, on columns that one of them speaks of."""
    common = list(ps)
    for other in others:
        common = [both for p in common for both in other.alike(p)]
    return common
