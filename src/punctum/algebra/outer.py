"""Kinds of joins that look at rows without a partner: what outer, semi and anti joins are named by."""

from enum import Enum


class JoinKind(Enum):
    """What comes out of a join besides pairs, or in place of them.

    >>> JoinKind.LEFT.pairs, JoinKind.FULL.preserved, JoinKind.SEMI.preserved
    (True, (0, 1), ())
    """

    LEFT = "left"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"

    @property
    def pairs(self) -> bool:
        """Whether pairs come out; where not, left rows do, each once."""
        return self in (JoinKind.LEFT, JoinKind.FULL)

    @property
    def preserved(self) -> tuple[int, ...]:
        """The sides whose rows come out when they have no partner."""
        return {JoinKind.LEFT: (0,), JoinKind.FULL: (0, 1), JoinKind.SEMI: (), JoinKind.ANTI: (0,)}[self]
