"""Policies: when the merge shows an event, and when a change of its end (section V-A of the paper).

Whatever the policy, the output is compatible with the inputs after every slice: an event that the leading input has
is in the output before a stable passes its start, and its end is right before a stable passes it. A policy is about
what is shown before that: early and with more to take back, or late and with less.
"""

from dataclasses import dataclass
from enum import Enum

from punctum.errors import SqlError, choices


class Inserting(Enum):
    """When an event is shown first; at the latest when a stable passes its start."""

    FIRST = "first"
    """As soon as an input has it."""
    LEADING = "leading"
    """When the leading input has it, the one with the greatest stable."""
    LATEST = "latest"
    """When the input has it that has inserted the greatest start."""
    FULLEST = "fullest"
    """When the input has it that has the most events which are not frozen."""
    HALF_FROZEN = "half frozen"
    """Only when a stable passes its start: what is shown is never removed."""
    SHARE = "share"
    """When a share of the inputs has it."""


class Adjusting(Enum):
    """When another end of an event is shown; at the latest when a stable passes one of the two ends."""

    STABLE = "stable"
    """Not before it must be."""
    AT_ONCE = "at once"
    """With every change on any input."""
    LEADING = "leading"
    """The ends are those of the leading input, always."""


@dataclass(frozen=True)
class OutputPolicy:
    """How the output follows the inputs.

    >>> OutputPolicy.of(insert="share", share=0.5).insert
    <Inserting.SHARE: 'share'>
    """

    insert: Inserting = Inserting.FIRST
    adjust: Adjusting = Adjusting.STABLE
    share: float = 0.5

    @staticmethod
    def of(insert: str = "first", adjust: str = "stable", share: float = 0.5) -> "OutputPolicy":
        """A policy from words."""
        inserts, adjusts = [policy.value for policy in Inserting], [policy.value for policy in Adjusting]
        if insert not in inserts:
            raise SqlError(f"unknown insert policy {insert!r}", choices(inserts), "choose one of them")
        if adjust not in adjusts:
            raise SqlError(f"unknown adjust policy {adjust!r}", choices(adjusts), "choose one of them")
        if not 0 < share <= 1:
            raise SqlError(f"{share} is not a share of the inputs", "", "a share is above 0 and at most 1")
        return OutputPolicy(Inserting(insert), Adjusting(adjust), share)
