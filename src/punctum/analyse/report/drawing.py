"""The punctuation graph of a join as text, in DOT and as SVG.

An arrow goes from who asks to the stream whose punctuations answer, with the scheme. Where a scheme needs values that
only several streams know together, their arrows meet in a point first.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from punctum.analyse.graphs import JoinQuery, generalised, punctuation_graph, transformed, unreachable
from punctum.analyse.report.layers import Box, Edge, Layers, Point


class Arrow(NamedTuple):
    """Who knows the values, each by one or more streams; which stream has the scheme; and the scheme as text."""

    known: tuple[tuple[int, ...], ...]
    target: int
    scheme: str


def arrows(query: JoinQuery) -> tuple[Arrow, ...]:
    """The edges of the punctuation graph and of the generalised one."""
    plain = [(source, target, on) for (source, target), schemes in punctuation_graph(query).items() for on in schemes]
    edges = [Arrow(((source,),), target, _scheme(query, target, on.texts)) for source, target, on in plain]
    for scheme, known in generalised(query):
        several = tuple(tuple(sorted(streams)) for streams in known)
        edges.append(Arrow(several, scheme.stream, _scheme(query, scheme.stream, scheme.texts)))
    return tuple(sorted(edges))


def lines(query: JoinQuery) -> list[str]:
    r"""The graph as text: an edge a line, then the parts that can purge each other.

    >>> from punctum.analyse.graphs import Attr, On
    >>> print(*lines(JoinQuery(("item", "bid"), ((Attr(0, "id"), Attr(1, "id")),), (On(1, ("id",)),))), sep="\n")
    item -> bid  bid(id)
    parts that cannot purge each other: item | bid
    """
    edges = arrows(query)
    sides = [
        f"{' + '.join('/'.join(query.streams[i] for i in streams) for streams in a.known)} -> {query.streams[a.target]}"
        for a in edges
    ]
    width = max(map(len, sides), default=0)
    shown = [f"{side:<{width}}  {arrow.scheme}" for side, arrow in zip(sides, edges, strict=True)]
    parts = [", ".join(query.streams[i] for i in sorted(node)) for node in transformed(query).nodes]
    if len(parts) == 1:
        return [*shown, f"strongly connected: {parts[0]}"]
    return [*shown, f"parts that cannot purge each other: {' | '.join(parts)}"]


def dot(queries: Sequence[JoinQuery]) -> str:
    """The graphs as one DOT graph, a cluster for each join."""
    clusters = (line for number, query in enumerate(queries) for line in _cluster(number, query))
    return "\n".join(["digraph punctuation {", *clusters, "}"])


def _cluster(number: int, query: JoinQuery) -> Iterator[str]:
    yield f"  subgraph cluster_{number} {{"
    for i, name in enumerate(query.streams):
        yield f"    n{number}_{i} [label={_quoted(name)}];"
    for n, arrow in enumerate(arrows(query)):
        target, label = f"n{number}_{arrow.target}", f"label={_quoted(arrow.scheme)}"
        if len(arrow.known) == 1:
            yield f"    n{number}_{arrow.known[0][0]} -> {target} [{label}];"
            continue
        point = f"g{number}_{n}"
        yield f"    {point} [shape=point];"
        yield from (f"    n{number}_{i} -> {point} [dir=none];" for streams in arrow.known for i in streams)
        yield f"    {point} -> {target} [{label}];"
    yield "  }"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


FONT = 13.0
"""How large the text in a picture is."""
_MARGIN, _LINE = 12.0, 19.0
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[] "), frozenset("mwMW@%")
_LOOK = {False: ("#ffffff", "#444444", "#111111"), True: ("#fbeae8", "#b0271e", "#b0271e")}
"""The colours of a stream, of its line and of its name: where all are reached, and where one is not."""


class Shape(NamedTuple):
    """A stream, or a point where arrows meet, which has no name; its middle and its size; whether it is not reached."""

    name: str
    at: Point
    size: Box
    bad: bool


class Link(NamedTuple):
    """A path as SVG has it, its label and the middle of that, and whether it ends with a tip."""

    path: str
    label: str
    at: Point
    tip: bool


class Picture(NamedTuple):
    """A punctuation graph with a place for everything in it."""

    size: Box
    shapes: list[Shape]
    links: list[Link]

    @property
    def data(self) -> dict[str, Any]:
        """The same for JSON; numbers are rounded."""
        shapes = [shape._asdict() | {"at": _rounded(shape.at), "size": _rounded(shape.size)} for shape in self.shapes]
        links = [link._asdict() | {"at": _rounded(link.at)} for link in self.links]
        return {"size": _rounded(self.size), "shapes": shapes, "links": links}


def pictures(query: JoinQuery) -> tuple[Picture, Picture]:
    """The punctuation graph of a join from left to right, and from above to below."""
    shapes = [(name, Box(_wide(name) + 30, _LINE + 14)) for name in query.streams]
    ends: list[tuple[int, int, str]] = []
    for arrow in arrows(query):
        start = arrow.known[0][0]
        if len(arrow.known) > 1:
            start = len(shapes)
            shapes.append(("", Box(8, 8)))
            ends += [(i, start, "") for i in sorted({i for streams in arrow.known for i in streams})]
        ends.append((start, arrow.target, arrow.scheme))
    edges = [Edge(one, other, Box(_wide(label) + 14, 2 * _LINE) if label else Box()) for one, other, label in ends]
    missing = {i for start in range(len(query.streams)) for i in unreachable(query, start)}
    placed = Layers([size for _, size in shapes], edges)

    def picture(across: bool) -> Picture:
        """The same, with the margins around it."""
        size, nodes, labels, paths = placed.placed(across)
        low = [y + box.height / 2 for (_, y), (_, box) in zip(nodes, shapes, strict=True)]
        deep = max([*low, *(y for _, y in labels)]) if across else size.height  # labels stand above their edges
        return Picture(
            Box(size.width + 2 * _MARGIN, deep + 2 * _MARGIN),
            [
                Shape(name, _moved(at), box, i in missing)
                for i, ((name, box), at) in enumerate(zip(shapes, nodes, strict=True))
            ],
            [
                Link(_path(path, across), label, _moved(at), bool(label))
                for (_, _, label), at, path in zip(ends, labels, paths, strict=True)
            ],
        )

    return picture(True), picture(False)


def svg(queries: Sequence[JoinQuery]) -> str:
    """The graphs as one picture, one below the other."""
    several = [pictures(query)[0] for query in queries]
    width, height = max((p.size.width for p in several), default=0), sum(p.size.height for p in several)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
    style = f'font-family="sans-serif" font-size="{FONT:.0f}" text-anchor="middle" fill="none" stroke="#777777"'
    tip = '<path d="M0,0.8 L8,4 L0,7.2 z" fill="#777777" stroke="none"/>'
    place = 'viewBox="0 0 8 8" refX="7.4" refY="4" markerWidth="8" markerHeight="8" orient="auto"'
    lines, top = [f"{head} {style}>", f'<defs><marker id="tip" {place}>{tip}</marker></defs>'], 0.0
    for picture in several:
        lines += [f'<g transform="translate(0,{top:.0f})">', *_drawn(picture), "</g>"]
        top += picture.size.height
    return "\n".join([*lines, "</svg>"])


def _drawn(picture: Picture) -> Iterator[str]:
    for link in picture.links:
        yield f'<path d="{link.path}"{MARKED if link.tip else ""}/>'
        if link.label:
            yield _text(link.at[0], link.at[1] - 7, link.label, "#444444")
    for name, (x, y), (width, height), bad in picture.shapes:
        fill, line, ink = _LOOK[bad]
        if not name:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="#777777"/>'
            continue
        box = f'x="{x - width / 2:.1f}" y="{y - height / 2:.1f}" width="{width:.1f}" height="{height:.1f}"'
        yield f'<rect {box} rx="{height / 2:.1f}" fill="{fill}" stroke="{line}"/>'
        yield _text(x, y + 4.5, name, ink)


MARKED = ' marker-end="url(#tip)"'


def _text(x: float, y: float, text: str, ink: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{ink}" stroke="none">{escape(text)}</text>'


def _wide(text: str) -> float:
    """How wide a text is in most fonts, or less."""
    return sum(0.4 if c in _NARROW else 1.0 if c in _WIDE or ord(c) > 0x2E7F else 0.66 for c in text) * FONT


def _path(points: Sequence[Point], across: bool) -> str:
    """Straight lines within layers, and bends between them; a tip would point nowhere behind a line of no length."""
    (x, y), *rest = [(round(x, 1), round(y, 1)) for x, y in map(_moved, points)]
    path = f"M{x},{y}"
    for n, (u, v) in enumerate(rest):
        if n % 2 == 0:
            path += f" L{u},{v}" if (u, v) != (x, y) else ""
        else:
            a, b = (x + u) / 2, (y + v) / 2
            path += f" C{a:.1f},{y} {a:.1f},{v} {u},{v}" if across else f" C{x},{b:.1f} {u},{b:.1f} {u},{v}"
        x, y = u, v
    return path


def _rounded(numbers: Sequence[float]) -> list[float]:
    return [round(n, 1) for n in numbers]


def _moved(point: Point) -> Point:
    return point[0] + _MARGIN, point[1] + _MARGIN


def _scheme(query: JoinQuery, stream: int, terms: tuple[str, ...]) -> str:
    return f"{query.streams[stream]}({', '.join(terms)})"
