"""Open and close elements (I-streams and D-streams, positive and negative tuples) as inserts and adjusts.

An open says that an event with a payload starts, a close when it ends; at any time at most one event with a payload
is active (example 3 of the paper). A close may be followed by another one, which revises it: it is about the last
event with that payload that starts before it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from punctum.algebra.values import Row
from punctum.errors import GrammarError
from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, Time


@dataclass(frozen=True)
class Open:
    """An event starts."""

    payload: Row
    vs: Time


@dataclass(frozen=True)
class Close:
    """The event with a payload ends."""

    payload: Row
    ve: Time


class OpenClose:
    """The translation of a stream, element by element."""

    def __init__(self) -> None:
        self._ends: dict[Row, dict[Time, Time]] = {}

    def feed(self, element: Open | Close | Stable) -> Element:
        """The element that says the same."""
        if isinstance(element, Stable):
            self._forget(element.t)
            return element
        events = self._ends.setdefault(element.payload, {})
        if isinstance(element, Open):
            if element.vs in events or INF in events.values():
                self._refuse(element, "an event with this payload is open")
            events[element.vs] = INF
            return Insert(element.payload, element.vs, INF)
        starts = [vs for vs in events if vs <= element.ve]
        if not starts:
            self._refuse(element, "no event with this payload has been opened before")
        vs = max(starts)
        old, events[vs] = events[vs], element.ve
        if element.ve == vs:
            del events[vs]
        return Adjust(element.payload, vs, old, element.ve)

    def _forget(self, t: Time) -> None:
        """Drop what ended before a stable: no close revises it."""
        for payload, events in list(self._ends.items()):
            self._ends[payload] = {vs: ve for vs, ve in events.items() if ve >= t}
            if not self._ends[payload]:
                del self._ends[payload]

    def _refuse(self, element: Open | Close, detail: str) -> None:
        raise GrammarError("the stream is not grammatical", f"{element}: {detail}", "give the payload a key")


def translated(stream: Iterable[Open | Close | Stable]) -> Iterator[Element]:
    """A stream of opens and closes as inserts and adjusts.

    >>> print(*translated([Open(("B",), 2), Close(("B",), 6), Close(("B",), 5)]))
    insert(B, 2, ∞) adjust(B, 2, ∞, 6) adjust(B, 2, 6, 5)
    """
    return map(OpenClose().feed, stream)


def compatible(out: Iterable[Open | Close], inputs: Iterable[Iterable[Open | Close]]) -> bool:
    """Whether an output can follow its inputs, where each open has at most one close (example 4): nothing of its own.

    >>> compatible([Open(("A",), 1)], [[Open(("A",), 1), Close(("A",), 4)], []])
    True
    """
    return set(out) <= {element for each in inputs for element in each}
