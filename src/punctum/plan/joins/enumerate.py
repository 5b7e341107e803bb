"""The safe plans of a join, and the best of them: dynamic programming over inputs that purge each other.

A tree of join operators is safe when each of them is purgeable. An operator is purgeable when the inputs below it, all
together, are strongly connected in the transformed punctuation graph; whether some of them are joined before does not
matter, since these are strongly connected themselves and a join knows what its inputs know. So a safe tree is one in
which every subtree has strongly connected inputs, and the best tree over a set of inputs divides it into such parts,
each with its own best tree::

    best(W) = least of  operator(W, parts) + sum of best(P) for P in parts,  over all divisions of W into safe parts

Only inputs that share attributes are joined before others: a product is never a part.
"""

from bisect import insort
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from punctum.plan.joins.cost import Closing, Cost, Costs, Objective, bits, mask
from punctum.plan.joins.trees import Tree

LIMIT = 12
"""A join of more inputs is not divided: there are 2^n sets of them to look at."""
EFFORT = 100_000
"""So many parts are tried in all; a join that has more divisions is not divided."""


@dataclass(frozen=True)
class Plan:
    """A tree of join operators and its cost; nothing for one that is not safe."""

    tree: Tree
    cost: Cost | None


@dataclass(frozen=True)
class Plans:
    """Safe plans, the best one first, and each with another last join; or why there is one operator for all inputs."""

    ranked: tuple[Plan, ...]
    because: str = ""

    @property
    def best(self) -> Tree:
        """The tree to run."""
        return self.ranked[0].tree


def plans(costs: Costs, objective: Objective = Objective.MEMORY, most: int = 4) -> Plans:
    """The best plans of a join, each with another last join; one operator over all inputs when it cannot be divided."""
    count = len(costs.query.streams)
    one = Tree(tuple(range(count)))
    whole = Plan(one, costs.tree(one))
    if whole.cost is None:
        return Plans((whole,), "no plan is safe")
    if count > LIMIT:
        return Plans((whole,), f"it has more than {LIMIT} inputs")
    try:
        return Plans(_Search(costs, objective).whole(most))
    except _TooLongError:
        return Plans((whole,), f"there are more than {EFFORT:,} ways to split it")


class _TooLongError(Exception):
    """The search has tried as much as it may."""


_Ranked = tuple[tuple[float, float], int, Cost, tuple[int, ...]]
"""A division of a set of inputs: what to compare, its number, which breaks ties, its cost and its parts."""


class _Search:
    """The best division of each set of inputs that purge each other."""

    def __init__(self, costs: Costs, objective: Objective) -> None:
        self._costs, self._objective, self._left = costs, objective, EFFORT
        self._full = mask(range(len(costs.query.streams)))
        self._best: dict[int, tuple[Cost, Tree | int]] = {}
        self._from: list[list[int]] = [[1 << i] for i in bits(self._full)]
        """The sets with a best tree by their first input."""

    def whole(self, most: int) -> tuple[Plan, ...]:
        """The best plans for all inputs, each with another last join."""
        for i in bits(self._full):
            self._best[1 << i] = Cost(0.0, 0.0), i
        for inputs in sorted(range(1, self._full), key=int.bit_count):
            if inputs & inputs - 1 and self._joined(inputs) and self._costs.closing(inputs) is not None:
                (_, _, cost, parts), *_ = self._divisions(inputs, 1)
                self._best[inputs] = cost, self._tree(parts)
                self._from[(inputs & -inputs).bit_length() - 1].append(inputs)
        return tuple(Plan(self._tree(parts), cost) for _, _, cost, parts in self._divisions(self._full, most))

    def _tree(self, parts: tuple[int, ...]) -> Tree:
        return Tree(tuple(self._best[part][1] for part in parts))

    def _divisions(self, inputs: int, most: int) -> list[_Ranked]:
        """The best divisions of a set into parts that have a best tree each."""
        whole = self._costs.closing(inputs)
        assert whole is not None
        best: list[_Ranked] = []
        for number, (cost, parts) in enumerate(self._divided(inputs, whole, most, best)):
            insort(best, (cost.by(self._objective), number, cost, parts))
            del best[most:]
        return best

    def _divided(
        self, inputs: int, whole: Closing, most: int, best: list[_Ranked]
    ) -> Iterator[tuple[Cost, tuple[int, ...]]]:
        """Divisions one after the other, but for those that cost more than the best ones so far."""
        waiting: list[tuple[int, tuple[int, ...], float, float, Cost]] = [(inputs, (), 0.0, 0.0, Cost(0.0, 0.0))]
        while waiting:
            left, parts, kept, rate, below = waiting.pop()
            cost = below + self._costs.operator(whole, len(parts), kept, rate)
            if len(best) == most and cost.by(self._objective)[0] > best[-1][0][0]:
                continue  # what is added to it makes it no cheaper
            if not left:
                yield cost, parts
                continue
            for part in self._from[(left & -left).bit_length() - 1]:
                if not part & ~left and part != inputs:
                    self._left -= 1
                    if self._left < 0:
                        raise _TooLongError
                    more, often = self._costs.part(part, whole)
                    waiting.append(
                        (left & ~part, (*parts, part), kept + more, rate + often, below + self._best[part][0])
                    )

    def _joined(self, inputs: int) -> bool:
        """Whether some inputs hang together by attributes that they share."""
        reached, new = 0, inputs & -inputs
        while new:
            reached |= new
            new = reduce(int.__or__, (self._costs.neighbours[i] for i in bits(new))) & inputs & ~reached
        return reached == inputs
