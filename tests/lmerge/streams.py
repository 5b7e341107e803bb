"""Random reference databases, and streams that present them in many ways: what the merge is tried on."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, Time
from punctum.lmerge.properties import Case
from punctum.lmerge.tdb import Event, Tdb

SPAN = 30
ORDERED = (Case.R0, Case.R1, Case.R2)


def reference(rng: Random, case: Case, size: int) -> list[Event]:
    """Events of a database that a case allows, in the order of their starts; ties in one fixed order."""
    payloads = [(letter,) for letter in "ABCD"]
    events: dict[tuple[object, ...], Event] = {}
    for n in range(size):
        vs = rng.randrange(SPAN)
        event: Event = (rng.choice(payloads), vs, rng.choice([INF, vs + rng.randint(1, 15), vs + rng.randint(1, 4)]))
        key = {Case.R0: (vs,), Case.R1: (n,), Case.R4: (n,)}.get(case, event[:2])
        events.setdefault(key, event)
        if case is Case.R4 and rng.random() < 0.3:
            events[n, "twin"] = (*event[:2], rng.choice([event[2], vs + 2]))
    return sorted(events.values(), key=lambda event: event[1])


def least(element: Element) -> Time:
    """The least time that an element speaks of: a stable before it is at most this."""
    if isinstance(element, Stable):
        return INF
    return element.vs if isinstance(element, Insert) else min(element.vold, element.ve)


def chain(rng: Random, event: Event, revisions: int) -> list[Element]:
    """Elements of one event, of which the last one gives its end; an end at its start is no event."""
    p, vs, ve = event
    if ve != vs and (revisions == 0 or rng.random() < 0.4):
        return [Insert(p, vs, ve)]
    if rng.random() < 0.15 and ve != vs:
        return [*chain(rng, (p, vs, vs), 1), Insert(p, vs, ve)]
    ends: list[Time] = [rng.choice([INF, vs + rng.randint(1, 12)]) for _ in range(rng.randint(1, max(revisions, 1)))]
    elements: list[Element] = [Insert(p, vs, ends[0])]
    for old, new in zip(ends, [*ends[1:], ve], strict=True):
        if old != new:
            elements.append(Adjust(p, vs, old, new))
    return elements


def with_stables(rng: Random, elements: list[Element], often: float) -> list[Element]:
    """Stables between elements, each at most what the later elements allow; the end of the stream behind all."""
    limits, limit = [], INF
    for element in reversed(elements):
        limit = min(limit, least(element))
        limits.append(limit)
    stream: list[Element] = []
    last = -INF
    for element, highest in zip(elements, reversed(limits), strict=True):
        if rng.random() < often and last < highest < INF:
            last = rng.randint(max(int(last) + 1, 0), int(highest)) if last > -INF else int(highest)
            stream.append(Stable(last))
        stream.append(element)
    return [*stream, Stable(INF)]


def presentation(rng: Random, events: Iterable[Event], case: Case, disorder: float = 8) -> list[Element]:
    """A stream that stands for some events in the end."""
    known = list(events)
    often = rng.choice([0.05, 0.3, 0.8])
    if case in ORDERED:
        ties = {id(event): rng.random() if case is Case.R2 else n for n, event in enumerate(known)}
        known.sort(key=lambda event: (event[1], ties[id(event)]))
        return with_stables(rng, [Insert(*event) for event in known], often)
    revisions = rng.choice([0, 1, 4])
    taken = {event[:2] for event in known}
    spurious = [((rng.choice("ABCDEF"),), rng.randrange(SPAN)) for _ in range(rng.choice([0, 0, 5]))]
    removed: list[Event] = [(p, vs, vs) for p, vs in dict.fromkeys(spurious) if case is Case.R4 or (p, vs) not in taken]
    placed: list[tuple[float, int, Element]] = []
    for event in [*known, *removed]:
        at = event[1] + rng.uniform(0, disorder)
        for element in chain(rng, event, revisions):
            placed.append((at, len(placed), element))
            at += rng.uniform(0, 2 * disorder)
    return with_stables(rng, [element for *_, element in sorted(placed, key=lambda place: place[:2])], often)


def sliced(rng: Random, stream: list[Element], slices: int) -> list[list[Element]]:
    """A stream in so many pieces of any size."""
    cuts = sorted(rng.randint(0, len(stream)) for _ in range(slices - 1))
    return [stream[low:high] for low, high in zip([0, *cuts], [*cuts, len(stream)], strict=True)]


@dataclass
class Life:
    """What an input sends in each slice, when it is attached (and from which time on it is right), when detached."""

    pieces: list[list[Element]]
    attach: dict[int, Time] = field(default_factory=dict)
    detach: set[int] = field(default_factory=set)
    missing: Tdb = field(default_factory=Tdb)


def lives(rng: Random, events: list[Event], case: Case, inputs: int, slices: int) -> list[Life]:
    """Replicas of which one, at a random place, is there from beginning to end; the others may vanish and come back."""
    replicas = [Life(sliced(rng, presentation(rng, events, case), slices))]
    for _ in range(inputs - 1):
        life = Life(sliced(rng, presentation(rng, events, case), slices))
        if rng.random() < 0.6:
            gone = rng.randrange(slices)
            life.pieces[gone:] = [[] for _ in range(slices - gone)]
            if rng.random() < 0.7:
                life.detach.add(gone)
                if rng.random() < 0.7 and gone + 1 < slices:
                    _return(rng, life, events, case, gone + 1, slices)
        replicas.append(life)
    rng.shuffle(replicas)
    return replicas


def _return(rng: Random, life: Life, events: list[Event], case: Case, back: int, slices: int) -> None:
    """Let an input come back: with all again, or only with what ends at some time or later."""
    since: Time = rng.choice([-INF, rng.randrange(SPAN + 10)])
    there = [event for event in events if event[2] >= since]
    life.missing = Tdb(event for event in events if event[2] < since)
    life.attach[back] = since
    life.pieces[back:] = sliced(rng, presentation(rng, there, case), slices - back)
