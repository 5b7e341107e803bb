"""Open and close elements (I-streams and D-streams, positive and negative tuples) as inserts and adjusts.

An open starts an event with a payload, a close ends it; at any time at most one event with a payload is active
(example 3 of the paper). A close may be followed by another one, which revises it: it is about the last event with
that payload that starts before it, and one at its start removes it. This is the specification of ``opened.py``,
element by element.
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


STARTED = "an event with this payload starts at the same time"
STILL_OPEN = "an event with this payload is open"
NEVER_OPENED = "no event with this payload is open"


class OpenClose:
    """The translation of a stream, element by element, from where the ends of events are given by payload and start."""

    def __init__(self, ends: dict[Row, dict[Time, Time]] | None = None) -> None:
        self.ends = {} if ends is None else ends
        """The events that a close may end or revise."""

    def refuses(self, element: Open | Close) -> str | None:
        """Why an element is refused; nothing: it can be taken."""
        events = self.ends.get(element.payload, {})
        if isinstance(element, Open):
            return STARTED if element.vs in events else STILL_OPEN if INF in events.values() else None
        return None if any(vs <= element.ve for vs in events) else NEVER_OPENED

    def feed(self, element: Open | Close | Stable) -> Element:
        """The same element as an insert, an adjust or a stable."""
        if isinstance(element, Stable):
            self._forget(element.t)
            return element
        if (why := self.refuses(element)) is not None:
            raise GrammarError("the stream is not grammatical", f"{element}: {why}", "add a key to the payload")
        events = self.ends.setdefault(element.payload, {})
        if isinstance(element, Open):
            events[element.vs] = INF
            return Insert(element.payload, element.vs, INF)
        vs = max(vs for vs in events if vs <= element.ve)
        old, events[vs] = events[vs], element.ve
        if element.ve == vs:
            del events[vs]
        return Adjust(element.payload, vs, old, element.ve)

    def _forget(self, t: Time) -> None:
        """Drop what ended before a stable: no close revises it, and nothing follows the end of the stream."""
        for payload, events in list(self.ends.items()):
            self.ends[payload] = {vs: ve for vs, ve in events.items() if t <= ve and t < INF}
            if not self.ends[payload]:
                del self.ends[payload]


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
    return set(out) <= {element for stream in inputs for element in stream}
