"""Places for graphs: whatever the graph, nothing lies on anything else, and edges go where they should."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.analyse.report.layers import Box, Edge, Layers, Layout, Point

SIZES = st.builds(Box, st.integers(5, 120), st.integers(5, 60))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Box], list[Edge]]:
    """Up to seven nodes, and any edges between two of them, several between the same ones and cycles included."""
    nodes = draw(st.lists(SIZES, min_size=2, max_size=7))
    ends = st.tuples(st.integers(0, len(nodes) - 1), st.integers(0, len(nodes) - 1)).filter(
        lambda pair: pair[0] != pair[1]
    )
    labels = st.one_of(st.just(Box()), SIZES)
    return nodes, [Edge(start, end, draw(labels)) for start, end in draw(st.lists(ends, max_size=12))]


def inside(point: Point, at: Point, size: Box, room: float = 0.0) -> bool:
    """Whether a point lies in a box, and not only at its border."""
    return abs(point[0] - at[0]) < size.width / 2 - room and abs(point[1] - at[1]) < size.height / 2 - room


def along(path: list[Point], across: bool) -> list[Point]:
    """Points of an edge: of its straight pieces, and of the bends between them as SVG draws them."""
    found = []
    for n, (a, b) in enumerate(pairwise(path)):
        half = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        one, other = ((half[0], a[1]), (half[0], b[1])) if across else ((a[0], half[1]), (b[0], half[1]))
        for t in (i / 16 for i in range(17)):
            if n % 2 == 0:
                found.append((a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
            else:
                weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                points = (a, one, other, b)
                x, y = (sum(w * p[i] for w, p in zip(weights, points, strict=True)) for i in (0, 1))
                found.append((x, y))
    return found


def looked_at(nodes: list[Box], edges: list[Edge], placed: Layout, across: bool) -> None:
    """Assert all that is promised of a layout."""
    boxes = list(zip(placed.nodes, nodes, strict=True))
    boxes += [(at, edge.label) for at, edge in zip(placed.labels, edges, strict=True) if edge.label.width]
    for (one, a), (other, b) in combinations(boxes, 2):
        apart = abs(one[0] - other[0]) - (a.width + b.width) / 2, abs(one[1] - other[1]) - (a.height + b.height) / 2
        assert max(apart) > 10, "boxes have room between them"
    for (x, y), box in boxes:
        assert x - box.width / 2 >= -1e-6 and x + box.width / 2 <= placed.size.width + 1e-6
        assert y - box.height / 2 >= -1e-6 and y + box.height / 2 <= placed.size.height + 1e-6
    for edge, path, label in zip(edges, placed.paths, placed.labels, strict=True):
        for end, node in ((path[0], edge.source), (path[-1], edge.target)):
            at, box = placed.nodes[node], nodes[node]
            off = abs(end[0] - at[0]) - box.width / 2 if across else abs(end[1] - at[1]) - box.height / 2
            assert abs(off) < 1e-6 and inside(end, at, Box(box.width + 1, box.height + 1)), (
                "it begins and ends at a side"
            )
        points = along(path, across)
        for at, box in boxes:
            if at != label:
                assert not any(inside(point, at, box, 1e-6) for point in points), "an edge goes through something"


@given(graphs(), st.booleans())
@examples(100)
def test_nothing_lies_on_anything_else(graph: tuple[list[Box], list[Edge]], across: bool) -> None:
    nodes, edges = graph
    looked_at(nodes, edges, Layers(nodes, edges).placed(across), across)


def test_two_that_ask_each_other_stand_side_by_side() -> None:
    """The edge back is turned round for its place only: it still begins and ends where it should."""
    nodes, label = [Box(60, 30), Box(60, 30)], Box(80, 38)
    edges = [Edge(0, 1, label), Edge(1, 0, label)]
    placed = Layers(nodes, edges).placed(True)
    (left, top), (right, below) = placed.nodes
    assert left < right and top == below
    there, back = placed.paths
    assert there[0][0] == back[-1][0] == left + 30 and there[-1][0] == back[0][0] == right - 30
    assert placed.labels[0][0] == placed.labels[1][0]
    assert Layers([], []).placed(True) == Layout(Box(0.0, 0.0), [], [], [])
