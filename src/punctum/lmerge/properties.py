"""Properties of temporal streams, and the case of the merge that they allow (sections III-C and IV-G of the paper).

Properties are declared on a stream, or follow from what a plan does to a stream that has some: ``select``, ``project``,
``aggregate``, ``top``, ``union`` and ``cleanse`` define how. A merge relies on what all of its inputs have. This is the
specification of what ``analyse/safety/temporal.py`` finds out of a plan, and the tests hold the two together.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import reduce


class Case(Enum):
    """What may be relied on, from the most restricted to the most general one."""

    R0 = "R0"
    """Inserts only, starts strictly increasing."""
    R1 = "R1"
    """Inserts only, starts never decreasing, those with the same start in the same order on all inputs."""
    R2 = "R2"
    """Inserts only, starts never decreasing, start and payload are a key."""
    R3 = "R3"
    """Inserts and adjusts in any order, start and payload are a key at any moment."""
    R3_MINUS = "R3-"
    """As R3, with a separate index for each input: for comparison."""
    R4 = "R4"
    """Anything: events may be there several times."""


@dataclass(frozen=True)
class Properties:
    """What is known of a temporal stream; what follows from it is added.

    >>> Properties(strict=True, insert_only=True).names
    ('ORDERED', 'STRICTLY ORDERED', 'DETERMINISTIC TIES', 'KEY', 'INSERT ONLY')
    """

    ordered: bool = False
    """Inserts come with starts that never decrease."""
    strict: bool = False
    """Inserts come with starts that increase: no two have the same."""
    ties: bool = False
    """All replicas have elements with the same start in the same order."""
    key: bool = False
    """At any moment there is at most one event with a payload and start."""
    insert_only: bool = False
    """There are no adjusts."""

    def __post_init__(self) -> None:
        if self.strict:  # one insert for each start, so adjusts change the end of one event at most
            for name in ("ordered", "ties", "key"):
                object.__setattr__(self, name, True)

    def __and__(self, other: "Properties") -> "Properties":
        """What both have."""
        return Properties(*(getattr(self, field.name) and getattr(other, field.name) for field in fields(self)))

    @property
    def names(self) -> tuple[str, ...]:
        """The properties in the words of the language."""
        words = {"ordered": "ORDERED", "strict": "STRICTLY ORDERED", "ties": "DETERMINISTIC TIES", "key": "KEY"}
        return tuple(text for name, text in (words | {"insert_only": "INSERT ONLY"}).items() if getattr(self, name))


def common(inputs: Iterable[Properties]) -> Properties:
    """What all inputs of a merge have."""
    return reduce(Properties.__and__, inputs)


@dataclass(frozen=True)
class Choice:
    """A case, and the properties that allow it."""

    case: Case
    because: str


def choose(properties: Properties) -> Choice:
    """The most restricted case that properties allow.

    >>> choose(Properties(ordered=True, key=True, insert_only=True)).case
    <Case.R2: 'R2'>
    """
    p = properties
    if p.insert_only and p.strict:
        return Choice(Case.R0, "inserts only, with strictly increasing starts")
    if p.insert_only and p.ordered and p.ties:
        return Choice(Case.R1, "inserts only, in order, ties in the same order on all inputs")
    if p.insert_only and p.ordered and p.key:
        return Choice(Case.R2, "inserts only, in order, start and payload are a key")
    if p.key:
        return Choice(Case.R3, f"start and payload are a key, and {_lacking(p)}")
    return Choice(Case.R4, "the same event may occur several times")


def _lacking(p: Properties) -> str:
    """Why a keyed stream is not one of the simpler cases."""
    return "adjusts may occur" if not p.insert_only else "elements may come in any order"


def allows(properties: Properties, case: Case) -> bool:
    """Whether a case that is asked for is right for streams with some properties."""
    p = properties
    ordered = p.insert_only and p.ordered
    needs = {
        Case.R0: p.insert_only and p.strict,
        Case.R1: ordered and p.ties,
        Case.R2: ordered and p.key,
        Case.R3: p.key,
        Case.R3_MINUS: p.key,
        Case.R4: True,
    }
    return needs[case]


def select(p: Properties) -> Properties:
    """Of a part of the events: all that holds of the whole."""
    return p


def project(p: Properties, keeps_key: bool) -> Properties:
    """Of other payloads: events that differed may now be the same, unless what distinguishes them is kept."""
    return replace(p, key=p.key and (keeps_key or p.strict))


def aggregate(p: Properties, grouped: bool) -> Properties:
    """Of an aggregate over windows: over an ordered stream a result is final when time goes on, and is not revised.

    There is one result for each window, or for each window and group; groups of a window come in any order.
    """
    final = p.ordered and p.insert_only
    return Properties(ordered=final, strict=final and not grouped, ties=False, key=True, insert_only=final)


def top(p: Properties) -> Properties:
    """Of the first k of each window, in the order of their rank: two of them may be the same."""
    final = p.ordered and p.insert_only
    return Properties(ordered=final, ties=final, insert_only=final)


def union(inputs: Iterable[Properties]) -> Properties:
    """Of streams together, as they arrive: neither in order nor without duplicates."""
    return Properties(insert_only=common(inputs).insert_only)


def cleanse(p: Properties) -> Properties:
    """Of a stream that is put in order: final events alone, ties in the order of their payloads."""
    return Properties(ordered=True, strict=p.strict, ties=True, key=p.key, insert_only=True)
