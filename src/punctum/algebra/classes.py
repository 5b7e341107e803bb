"""Classes: the attributes of several inputs that a join equates."""

from dataclasses import dataclass

from punctum.algebra.values import Value


@dataclass(frozen=True)
class Class:
    """Attributes that must be equal, each an input and a position in it, and the constant that they must have, if any.

    >>> Class(((0, 2), (1, 0), (1, 3))).of(1)
    (0, 3)
    """

    members: tuple[tuple[int, int], ...]
    value: Value | None = None

    def of(self, i: int) -> tuple[int, ...]:
        """The positions of an input's attributes in the class."""
        return tuple(at for number, at in self.members if number == i)
