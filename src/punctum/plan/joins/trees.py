"""Trees of join operators over the inputs of a block, which are given by their positions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Tree:
    """One join operator over inputs of a block and over other joins."""

    inputs: tuple["Tree | int", ...]


def leaves(tree: "Tree | int") -> tuple[int, ...]:
    """The inputs of a block below a tree, from left to right.

    >>> leaves(Tree((Tree((0, 2)), 1)))
    (0, 2, 1)
    """
    return (tree,) if isinstance(tree, int) else tuple(leaf for below in tree.inputs for leaf in leaves(below))


def operators(tree: "Tree | int") -> Iterator[Tree]:
    """The join operators of a tree, each after those below it."""
    if isinstance(tree, Tree):
        for below in tree.inputs:
            yield from operators(below)
        yield tree


def tree_text(tree: "Tree | int", names: Sequence[str]) -> str:
    """A tree with the names of the inputs.

    >>> tree_text(Tree((Tree((0, 2)), 1)), ("item", "bid", "seller"))
    '((item, seller), bid)'
    """
    if isinstance(tree, int):
        return names[tree]
    return f"({', '.join(tree_text(below, names) for below in tree.inputs)})"


def written(pairs: Sequence[tuple[frozenset[int], frozenset[int]]]) -> Tree:
    """The tree of binary joins that is given by the inputs on both sides of each join, the last one on top.

    >>> written([(frozenset([0]), frozenset([1])), (frozenset([0, 1]), frozenset([2]))])
    Tree(inputs=(Tree(inputs=(0, 1)), 2))
    """
    made: dict[frozenset[int], Tree] = {}
    for left, right in pairs:
        made[left | right] = Tree(tuple(made[side] if len(side) > 1 else min(side) for side in (left, right)))
    return made[frozenset().union(*pairs[-1])]
