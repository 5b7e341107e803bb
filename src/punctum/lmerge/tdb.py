"""The model: a prefix of a temporal stream in, the events that it stands for out, and what prefixes may still become.

``tdb(S, i)`` reconstitutes the temporal database of the first i elements: a multiset of events (section III). stable(L)
divides it::

    fully frozen   ve < L          will be there forever, as it is
    half frozen    vs < L <= ve    some event with this payload and start will be there, its end is open
    unfrozen       L <= vs         nothing is certain

So a prefix with the last stable L, to which anything grammatical may be appended, becomes a database F exactly when,
for each payload and start vs < L: F has the events that are fully frozen, no others that end before L, and as many
events as there are now. This is what ``inconsistency`` and ``untrackable`` decide by; conditions C1 to C3
(``incompatibility``) and the one for R4 (``imbalance``) are written as the paper has them. All give the first thing
that is wrong, or nothing.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from punctum.algebra.values import Row
from punctum.errors import GrammarError
from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, Time

Event = tuple[Row, Time, Time]
"""Payload, start and end."""
Tdb = Counter[Event]
"""A temporal database: how often each event is there."""
Key = tuple[Row, Time]
"""Payload and start."""


class Frozen(Enum):
    """What is certain of an event."""

    UF = "unfrozen"
    HF = "half frozen"
    FF = "fully frozen"


def frozen(event: Event, last: Time) -> Frozen:
    """What a stable makes certain of an event.

    >>> [frozen((("A",), 2, 16), last).name for last in (2, 3, 16, 17)]
    ['UF', 'HF', 'HF', 'FF']
    """
    _, vs, ve = event
    return Frozen.FF if ve < last else Frozen.HF if vs < last else Frozen.UF


@dataclass(frozen=True)
class PrefixView:
    """What a prefix stands for: its events, and its last stable."""

    events: Tdb
    last: Time = -INF

    def ends(self, key: Key) -> list[Time]:
        """The ends of the events with a payload and start, in order."""
        return sorted(ve for (p, vs, ve), n in self.events.items() if (p, vs) == key for _ in range(n))

    def nodes(self) -> set[Key]:
        """The payloads and starts of its events."""
        return {(p, vs) for p, vs, _ in self.events}


def tdb(stream: Sequence[Element], i: int | None = None) -> Tdb:
    """The database of a prefix.

    >>> tdb([Insert(("A",), 6, 20), Adjust(("A",), 6, 20, 30), Adjust(("A",), 6, 30, 25)])
    Counter({(('A',), 6, 25): 1})
    """
    return view(stream, i).events


def view(stream: Sequence[Element], i: int | None = None) -> PrefixView:
    """What a prefix stands for; an error, when it breaks the rules of its kind of elements."""
    events, last = Tdb(), -INF
    for element in stream[:i]:
        if wrong := violation(element, events, last):
            raise GrammarError("the temporal stream is not grammatical", f"{element}: {wrong}", "put a guard before it")
        if isinstance(element, Stable):
            last = max(last, element.t)
        elif isinstance(element, Insert):
            events[element.payload, element.vs, element.ve] += 1
        else:
            _adjust(events, element)
    return PrefixView(events, last)


def _adjust(events: Tdb, e: Adjust) -> None:
    old = (e.payload, e.vs, e.vold)
    events[old] -= 1
    if not events[old]:
        del events[old]
    if e.ve != e.vs:
        events[e.payload, e.vs, e.ve] += 1


def violation(element: Element, events: Tdb, last: Time) -> str | None:
    """What is wrong with an element behind others, if something is."""
    if isinstance(element, Stable):
        return None
    if isinstance(element, Insert):
        if element.vs < last:
            return f"it starts before the stable {last}"
        return None if element.vs < element.ve else "it ends before it starts"
    # an event is removed by an end at its start, which lies behind the stable when all of the event does
    if element.vold < last or element.ve < last:
        return f"an end lies before the stable {last}"
    if element.ve < element.vs:
        return "it ends before it starts"
    return None if events[element.payload, element.vs, element.vold] else "there is no such event"


def _all_keys(views: Iterable[PrefixView]) -> list[Key]:
    return sorted({key for prefix in views for key in prefix.nodes()}, key=repr)


def _leading(views: Sequence[PrefixView]) -> PrefixView:
    return max(views, key=lambda prefix: prefix.last)


def inconsistency(views: Sequence[PrefixView]) -> str | None:
    """Why prefixes cannot all become the same database: mutual consistency, all beginning at the same point."""
    for key in _all_keys(views):
        bound = [prefix for prefix in views if key[1] < prefix.last]
        if not bound:
            continue
        most = _leading(bound).ends(key)
        for prefix in bound:
            if [ve for ve in most if ve < prefix.last] != [ve for ve in prefix.ends(key) if ve < prefix.last]:
                return f"{key} is fully frozen with different ends"
            if len(most) != len(prefix.ends(key)):
                return f"{key} is frozen {len(most)} and {len(prefix.ends(key))} times"
    return None


def untrackable(out: PrefixView, inputs: Sequence[PrefixView]) -> str | None:
    """Why an output cannot follow consistent inputs to whatever they become: compatibility as it is defined."""
    lead = _leading(inputs)
    if out.last > lead.last:
        return f"the output's stable {out.last} is beyond all inputs'"
    for key in _all_keys([out, *inputs]):
        if key[1] < out.last:
            ends, wanted = out.ends(key), lead.ends(key)
            if len(ends) != len(wanted):
                return f"{key} is there {len(ends)} times, and should be {len(wanted)} times"
            if [ve for ve in ends if ve < out.last] != [ve for ve in wanted if ve < out.last]:
                return f"{key} is fully frozen with other ends than on the inputs"
    return None


def incompatibility(out: PrefixView, inputs: Sequence[PrefixView]) -> str | None:
    """Which of conditions C1 to C3 (section III-D) an output breaks, in case R3."""
    if out.last > max(prefix.last for prefix in inputs):
        return "C1: the stable is beyond those of all inputs"
    for key in _all_keys([out, *inputs]):
        ends, events = out.ends(key), [(prefix, ve) for prefix in inputs for ve in prefix.ends(key)]
        if len(ends) > 1:
            return f"C2: {key} is there {len(ends)} times"
        wrong = (_c2(key, ends[0], out.last, events) if ends else None) or _c3(key, ends, out.last, events)
        if wrong:
            return wrong
    return None


def _c2(key: Key, ve: Time, last: Time, events: list[tuple[PrefixView, Time]]) -> str | None:
    """Whether the output may have an event.

    The paper asks of an input where it is half frozen that its stable is at most the output's, too. With an output
    that lags behind the only input that has the event, this would refuse what is compatible: the end can follow.
    """
    status = frozen((*key, ve), last)
    if status is Frozen.HF and not any(
        frozen((*key, vm), m.last) is Frozen.HF or (frozen((*key, vm), m.last) is Frozen.FF and last <= vm)
        for m, vm in events
    ):
        return f"C2: {key} is half frozen, and no input supports it"
    if status is Frozen.FF and not any(vm == ve and frozen((*key, vm), m.last) is Frozen.FF for m, vm in events):
        return f"C2: {key} is fully frozen to end at {ve}, and on no input"
    return None


def _c3(key: Key, ends: list[Time], last: Time, events: list[tuple[PrefixView, Time]]) -> str | None:
    """Whether the output must have an event."""
    _, vs = key
    half = any(frozen((*key, ve), last) is Frozen.HF for ve in ends)
    final = [ve for m, ve in events if frozen((*key, ve), m.last) is Frozen.FF]
    for ve in final:
        if not (last <= vs or (last <= ve and half) or (ve < last and ve in ends)):
            return f"C3: {key} is fully frozen to end at {ve} on an input, and the output cannot have it"
    held = [m.last for m, ve in events if frozen((*key, ve), m.last) is Frozen.HF]
    if not final and held and not (last <= vs or (last <= max(held) and half)):
        return f"C3: {key} is half frozen on an input, and the output cannot have it"
    return None


def imbalance(out: PrefixView, inputs: Sequence[PrefixView]) -> str | None:
    """What breaks the condition for case R4, of an output whose stable is the greatest of the inputs'."""
    lead = _leading(inputs)
    if out.last != lead.last:
        return f"the output's stable is {out.last} and the greatest of the inputs {lead.last}"
    for key in _all_keys([out, lead]):
        ours, theirs = ([frozen((*key, ve), out.last) for ve in prefix.ends(key)] for prefix in (out, lead))
        final = [[ve for ve in prefix.ends(key) if ve < out.last] for prefix in (out, lead)]
        if final[0] != final[1]:
            return f"{key}: the events that are fully frozen are not those of the leading input"
        if ours.count(Frozen.HF) != theirs.count(Frozen.HF):
            return f"{key} is half frozen {ours.count(Frozen.HF)} times, on the leading input {theirs.count(Frozen.HF)}"
    return None
