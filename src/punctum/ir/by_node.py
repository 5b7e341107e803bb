"""Facts kept with nodes: a node is a key by what it is in the tree, and not by what it is equal to."""

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

Fact = TypeVar("Fact")


class ByNode(Generic[Fact]):
    """What is known of nodes, each by itself: two that are equal may stand in different places.

    The nodes are kept, so that none is taken for one that is gone.

    >>> one, other = [1], [1]
    >>> known = ByNode([(one, "first")])
    >>> known.get(one), known.get(other), one in known
    ('first', None, True)
    """

    def __init__(self, facts: Iterable[tuple[object, Fact]] = ()) -> None:
        self._facts = {id(node): (node, fact) for node, fact in facts}

    def __contains__(self, node: object) -> bool:
        return id(node) in self._facts

    def __getitem__(self, node: object) -> Fact:
        return self._facts[id(node)][1]

    def __setitem__(self, node: object, fact: Fact) -> None:
        self._facts[id(node)] = node, fact

    def __len__(self) -> int:
        return len(self._facts)

    def __iter__(self) -> Iterator[Fact]:
        return (fact for _, fact in self._facts.values())

    def get(self, node: object) -> Fact | None:
        """What is known of a node, if anything is."""
        _, fact = self._facts.get(id(node), (node, None))
        return fact

    def find(self, node: object, fact: Callable[[], Fact]) -> Fact:
        """What is known of a node, found out when it is first asked for."""
        if node not in self:
            self[node] = fact()
        return self[node]
