"""Queries as trees of iterators: slices of the sources go in, and each operator shows what it did with them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from punctum.algebra.values import Row
from punctum.iterators.framework import Execution, Kept, Operator
from punctum.iterators.stream import Slice


@dataclass(frozen=True)
class Node:
    """An operator over the outputs of other nodes and over sources, which are named."""

    label: str
    operator: Operator
    inputs: tuple["Node | str", ...]


@dataclass(frozen=True)
class Step:
    """What one operator did with a slice: what it output, what it has purged, what it still keeps."""

    label: str
    output: Slice
    purged: Kept
    kept: Kept


class Running:
    """A tree that is running.

    >>> from punctum.algebra.schema import Schema
    >>> from punctum.iterators.dupelim import Dupelim
    >>> number = Schema.of(n="BIGINT")
    >>> running = Running(Node("distinct", Dupelim(number), ("numbers",)))
    >>> [step.output.rows for step in running.feed({"numbers": Slice.of((1,), (1,))})]
    [((1,),)]
    """

    def __init__(self, root: Node) -> None:
        self._root = root
        self._executions: dict[str, Execution] = {}
        self._start(root)

    def feed(self, sources: Mapping[str, Slice]) -> list[Step]:
        """Take the next slice of each source; the last step is the root's."""
        steps: list[Step] = []
        self._feed(self._root, sources, steps)
        return steps

    def _start(self, node: Node) -> None:
        assert node.label not in self._executions, f"two nodes are called {node.label}"
        self._executions[node.label] = node.operator.start()
        for child in node.inputs:
            if isinstance(child, Node):
                self._start(child)

    def _feed(self, node: Node, sources: Mapping[str, Slice], steps: list[Step]) -> Slice:
        inputs = [
            self._feed(child, sources, steps) if isinstance(child, Node) else sources.get(child, Slice())
            for child in node.inputs
        ]
        execution = self._executions[node.label]
        before = execution.kept()
        output = execution.feed(*inputs)
        kept = execution.kept()
        purged = {name: _less(before[name], kept[name]) for name in before}
        steps.append(Step(node.label, output, {name: rows for name, rows in purged.items() if rows}, kept))
        return output


def _less(before: list[Row], after: list[Row]) -> list[Row]:
    return list((Counter(before) - Counter(after)).elements())
