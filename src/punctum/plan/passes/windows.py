"""Operators that have windows on their inputs: a relation in, its windows and what stands above them out."""

from collections.abc import Iterator

from punctum.ir.planned import MultiJoin
from punctum.ir.relations import Aggregate, Window
from punctum.ir.tree import Relation
from punctum.ir.windows import steps, window


def windowed(relation: Relation) -> bool:
    """Whether an operator has windows on its inputs: what stands above a window is done by the operator itself."""
    match relation:
        case MultiJoin():
            return any(relation.windows)
        case Aggregate():
            return window(relation.input) is not None
        case _:  # above a window stand only these, and what they do themselves
            return False


def windows(relation: Relation) -> Iterator[tuple[int, Window, tuple[Relation, ...]]]:
    """The windows on an operator's inputs, each with its input's number and what stands above it."""
    for i, below in enumerate(relation.inputs if windowed(relation) else ()):
        its_window, above = steps(below)
        if its_window is not None:
            yield i, its_window, above


def below_window(relation: Relation) -> Relation:
    """What a window is of, or the relation itself when it has none."""
    its_window = window(relation)
    return relation if its_window is None else its_window.input
