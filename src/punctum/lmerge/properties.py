"""Properties of temporal streams, and the case of the merge that they allow (sections III-C and IV-G of the paper)."""

from enum import Enum


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
