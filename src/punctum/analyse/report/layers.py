"""Places for a small directed graph, in layers: sizes of nodes and of edges' labels in, places and paths out.

The way of Sugiyama, Tagawa and Toda. Edges that would close a cycle are turned round while places are looked for. Each
edge goes on by at least two layers, and through those between it has a place of its own, in the middle one with its
label. The order in a layer follows the neighbours' so that few edges cross, and places in it are as near to the
neighbours as the order and the sizes allow. Edges bend between layers only, so none crosses a node or a label.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import NamedTuple

SWEEPS, RELAXATIONS = 8, 16
"""Over the layers, for their order and for the places in them."""
GAP, APART = 28.0, 16.0
"""Between layers, and between what stands in one."""
PORTS = 12.0
"""Between the ends of edges at a node, at the most."""
TIP = 9.0
"""An edge is straight before a node, where its tip is."""
_STRAIGHT = 8.0
"""So much more an edge's own places pull at each other than at nodes."""


class Box(NamedTuple):
    """How wide and how high something is; the middle of an edge without a label is nothing."""

    width: float = 0.0
    height: float = 0.0


class Edge(NamedTuple):
    """From which node to which one an edge goes, by their numbers, and how large its label is."""

    source: int
    target: int
    label: Box = Box()


Point = tuple[float, float]


class Layout(NamedTuple):
    """How large the picture is, the middle of each node and of each label, and the points of each edge, in pairs.

    An edge goes straight from the first to the second point of a pair, within a layer, and bends on to the next one.
    """

    size: Box
    nodes: list[Point]
    labels: list[Point]
    paths: list[list[Point]]


@dataclass
class _Slot:
    """A node, or the place of an edge in a layer; its neighbours in the layers before and behind, by number."""

    layer: int
    box: Box
    before: list[int]
    behind: list[int]
    node: bool


class Layers:
    """A graph in layers whose order is known; its places depend on the direction in which these follow each other."""

    def __init__(self, nodes: Sequence[Box], edges: Sequence[Edge]) -> None:
        self._edges, self._turned = edges, _turned(len(nodes), edges)
        layers = _layers(len(nodes), [_forth(edge, n in self._turned) for n, edge in enumerate(edges)])
        self._slots = [_Slot(layer, box, [], [], True) for layer, box in zip(layers, nodes, strict=True)]
        self._chains = [self._chain(edge, n in self._turned) for n, edge in enumerate(edges)]
        self._rows: list[list[int]] = [[] for _ in range(max(layers, default=-1) + 1)]
        for number, slot in enumerate(self._slots):
            self._rows[slot.layer].append(number)
        self._order()

    def _chain(self, edge: Edge, turned: bool) -> list[int]:
        """The places of an edge, from the layer of its one end to that of the other one."""
        start, end = _forth(edge, turned)
        first, last = self._slots[start].layer, self._slots[end].layer
        chain = [start]
        for layer in range(first + 1, last):
            chain.append(len(self._slots))
            self._slots.append(_Slot(layer, edge.label if layer == (first + last) // 2 else Box(), [], [], False))
        chain.append(end)
        for one, other in pairwise(chain):
            self._slots[one].behind.append(other)
            self._slots[other].before.append(one)
        return chain

    def _order(self) -> None:
        """Put layers in the order of their neighbours, there and back; the order with the fewest crossings stays."""
        best, fewest = [list(row) for row in self._rows], self._crossings()
        for sweep in range(SWEEPS):
            if not fewest:
                break
            rows = self._rows[1:] if sweep % 2 == 0 else self._rows[-2::-1]
            at = self._positions()
            for row in rows:
                middles = {n: _middle([at[m] for m in self._near(n, sweep % 2 == 0)], at[n]) for n in row}
                row.sort(key=middles.__getitem__)
                at |= {n: float(place) for place, n in enumerate(row)}
            if (crossings := self._crossings()) < fewest:
                best, fewest = [list(row) for row in self._rows], crossings
        self._rows = best

    def _near(self, number: int, before: bool) -> list[int]:
        slot = self._slots[number]
        return slot.before if before else slot.behind

    def _positions(self) -> dict[int, float]:
        return {number: float(place) for row in self._rows for place, number in enumerate(row)}

    def _crossings(self) -> int:
        """How many pairs of edges cross between two layers."""
        at, crossings = self._positions(), 0
        for row in self._rows:
            ends: list[float] = []
            for end in (e for number in row for e in sorted(at[m] for m in self._slots[number].behind)):
                crossings += len(ends) - bisect_right(ends, end)
                insort(ends, end)
        return crossings

    def placed(self, across: bool) -> Layout:
        """The places, with layers from left to right or from above to below."""
        boxes = [slot.box if across else Box(slot.box.height, slot.box.width) for slot in self._slots]
        thick = [max((boxes[n].width for n in row), default=0.0) for row in self._rows]
        starts = [sum(thick[:layer]) + GAP * layer for layer in range(len(thick))]
        sides = self._sides([box.height for box in boxes])
        ports = self._ports(sides, [box.height for box in boxes])
        middles = [starts[slot.layer] + thick[slot.layer] / 2 for slot in self._slots]

        def at(along: float, side: float) -> Point:
            return (along, side) if across else (side, along)

        def straight(n: int, side: float, start: float | None = None, end: float | None = None) -> list[Point]:
            """Through the layer of a slot; beside a node from or to where it ends, and a little beyond the layer."""
            first = starts[self._slots[n].layer]
            last = first + thick[self._slots[n].layer]
            ends = first - (0.0 if end is None else TIP), last + (0.0 if start is None else TIP)
            return [at(ends[0] if start is None else start, side), at(ends[1] if end is None else end, side)]

        labels, paths = [], []
        for number, (start, *inner, end) in enumerate(self._chains):
            path = straight(start, ports[start, inner[0]], start=middles[start] + boxes[start].width / 2)
            path += [point for n in inner for point in straight(n, sides[n])]
            path += straight(end, ports[end, inner[-1]], end=middles[end] - boxes[end].width / 2)
            paths.append(path[::-1] if number in self._turned else path)
            half = inner[len(inner) // 2]
            labels.append(at(middles[half], sides[half]))
        nodes = [at(middles[n], sides[n]) for n, slot in enumerate(self._slots) if slot.node]
        breadth = max((side + box.height / 2 for side, box in zip(sides, boxes, strict=True)), default=0.0)
        return Layout(Box(*at(starts[-1] + thick[-1] if starts else 0.0, breadth)), nodes, labels, paths)

    def _sides(self, sizes: Sequence[float]) -> list[float]:
        """Where each slot is in its layer: near its neighbours, and not nearer to others than there is room for."""
        sides, rows = [0.0] * len(self._slots), [row for row in self._rows if row]
        for row in rows:
            for n, side in zip(row, _apart([0.0] * len(row), [1.0] * len(row), [sizes[n] for n in row]), strict=True):
                sides[n] = side
        for sweep in range(RELAXATIONS):
            for row in rows if sweep % 2 else reversed(rows):
                wanted, weights = zip(*(self._wanted(n, sides) for n in row), strict=True)
                for n, side in zip(row, _apart(wanted, weights, [sizes[n] for n in row]), strict=True):
                    sides[n] = side
        self._straighten(sides, sizes)
        least = min((side - size / 2 for side, size in zip(sides, sizes, strict=True)), default=0.0)
        return [side - least for side in sides]

    def _straighten(self, sides: list[float], sizes: Sequence[float]) -> None:
        """Have the places of an edge in one line, where there is room for that."""
        near: dict[int, list[int]] = {n: [] for n in range(len(self._slots))}
        for row in self._rows:
            for one, other in pairwise(row):
                near[one].append(other)
                near[other].append(one)
        for _, *inner, _ in sorted(self._chains, key=len):
            low, high = -inf, inf
            for n in inner:
                for other in near[n]:
                    room = (sizes[n] + sizes[other]) / 2 + APART
                    low = max(low, sides[other] + room) if sides[other] < sides[n] else low
                    high = min(high, sides[other] - room) if sides[other] > sides[n] else high
            if low <= high:
                middle = sum(sides[n] for n in inner) / len(inner)
                for n in inner:
                    sides[n] = min(max(middle, low), high)

    def _wanted(self, number: int, sides: Sequence[float]) -> tuple[float, float]:
        """Where a slot is best, as far as its neighbours are concerned, and how much that matters."""
        slot = self._slots[number]
        near = [*slot.before, *slot.behind]
        if not near:
            return sides[number], 1.0
        weights = [1.0 if slot.node or self._slots[n].node else _STRAIGHT for n in near]
        return sum(sides[n] * weight for n, weight in zip(near, weights, strict=True)) / sum(weights), sum(weights)

    def _ports(self, sides: Sequence[float], sizes: Sequence[float]) -> dict[tuple[int, int], float]:
        """Where the edges of each node leave it on either side, by the slot where they go on."""
        ports: dict[tuple[int, int], float] = {}
        for n, slot in enumerate(self._slots):
            for near in (slot.before, slot.behind) if slot.node else ():
                step = min(PORTS, 0.8 * sizes[n] / max(len(near), 1))
                for place, other in enumerate(sorted(near, key=sides.__getitem__)):
                    ports[n, other] = sides[n] + step * (place - (len(near) - 1) / 2)
        return ports


def _apart(wanted: Sequence[float], weights: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """The places nearest to those that are wanted, in the same order and with room between them.

    By isotonic regression: what would be too near is taken together, and stands where it is best for all of it.

    >>> _apart([0.0, 0.0], [1.0, 1.0], [10.0, 10.0])
    [-13.0, 13.0]
    """
    offsets = [0.0]
    for one, other in pairwise(sizes):
        offsets.append(offsets[-1] + (one + other) / 2 + APART)
    blocks: list[tuple[float, float, int]] = []  # the place, the weight and the number of those that are together
    for place, weight, offset in zip(wanted, weights, offsets, strict=True):
        blocks.append((place - offset, weight, 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (a, v, m), (b, w, n) = blocks[-2:]
            blocks[-2:] = [((a * v + b * w) / (v + w), v + w, m + n)]
    places = [place for place, _, many in blocks for _ in range(many)]
    return [place + offset for place, offset in zip(places, offsets, strict=True)]


def _forth(edge: Edge, turned: bool) -> tuple[int, int]:
    return (edge.target, edge.source) if turned else (edge.source, edge.target)


def _turned(nodes: int, edges: Sequence[Edge]) -> set[int]:
    """The edges that lead back to where a search in depth comes from: without them there are no cycles."""
    out: list[list[int]] = [[] for _ in range(nodes)]
    for number, edge in enumerate(edges):
        out[edge.source].append(number)
    turned, done, path = set[int](), set[int](), set[int]()

    def visit(node: int) -> None:
        path.add(node)
        for number in out[node]:
            target = edges[number].target
            if target in path:
                turned.add(number)
            elif target not in done:
                visit(target)
        path.remove(node)
        done.add(node)

    for node in range(nodes):
        if node not in done:
            visit(node)
    return turned


def _layers(nodes: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The layer of each node: two behind the last of those before it, or two before the first of those behind it."""
    layers = [0] * nodes
    for _ in range(nodes):
        for start, end in edges:
            layers[end] = max(layers[end], layers[start] + 2)
    for node in range(nodes):
        behind = [layers[end] for start, end in edges if start == node]
        if behind and not any(end == node for _, end in edges):
            layers[node] = min(behind) - 2
    return [layer - min(layers) for layer in layers]


def _middle(places: Sequence[float], default: float) -> float:
    return sum(places) / len(places) if places else default
