"""The punctuation graph of a join as text, in DOT and as SVG.

An arrow goes from who asks to the stream whose punctuations answer, with the scheme. Where a scheme needs values that
only several streams know together, their arrows meet in a point first.
"""

from collections.abc import Iterator, Sequence
from math import cos, hypot, pi, sin
from typing import NamedTuple
from xml.sax.saxutils import escape

from punctum.analyse.graphs import JoinQuery, generalised, punctuation_graph, transformed


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


RADIUS, MARGIN, ROOM = 150.0, 110.0, 30.0
"""Of the circle on which streams stand; around it; and around the middle of a stream."""
Point = tuple[float, float]


def svg(queries: Sequence[JoinQuery]) -> str:
    """The graphs as one picture, one below the other."""
    size = 2 * (RADIUS + MARGIN)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{size:.0f}" height="{size * len(queries):.0f}"'
    style = 'font-family="sans-serif" font-size="13" fill="none" stroke="black"'
    tip = '<path d="M0,0 L10,5 L0,10 z" fill="black"/>'
    place = 'viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"'
    marker = f'<marker id="tip" {place}>{tip}</marker>'
    drawn = [
        f'<g transform="translate(0,{size * n:.0f})">{"".join(_picture(query))}</g>' for n, query in enumerate(queries)
    ]
    return "\n".join([f"{head} {style}>", f"<defs>{marker}</defs>", *drawn, "</svg>"])


def _picture(query: JoinQuery) -> Iterator[str]:
    count, middle = len(query.streams), RADIUS + MARGIN
    angles = [2 * pi * i / count - pi / 2 for i in range(count)]
    at = [(middle + RADIUS * cos(angle), middle + RADIUS * sin(angle)) for angle in angles]
    for arrow in arrows(query):
        sources = [at[i] for streams in arrow.known for i in streams]
        if len(arrow.known) == 1:
            yield from _arrow(sources[0], at[arrow.target], arrow.scheme)
            continue
        join = _mean([*sources, at[arrow.target]])
        yield from (f'<path d="M{_xy(source)} L{_xy(join)}"/>' for source in sources)
        yield f'<circle cx="{join[0]:.1f}" cy="{join[1]:.1f}" r="3" fill="black"/>'
        yield from _arrow(join, at[arrow.target], arrow.scheme)
    for (x, y), name in zip(at, query.streams, strict=True):
        yield f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{ROOM + 10:.0f}" ry="{ROOM - 10:.0f}" fill="white"/>'
        yield _label((x, y + 4), name)


def _arrow(source: Point, target: Point, scheme: str) -> Iterator[str]:
    """A bent arrow, so that two between the same streams do not lie on each other, with its scheme beside it."""
    (x, y), (u, v) = source, target
    length = hypot(u - x, v - y) or 1.0
    across = ((v - y) / length, (x - u) / length)
    bend = ((x + u) / 2 + 30 * across[0], (y + v) / 2 + 30 * across[1])
    back = hypot(bend[0] - u, bend[1] - v) or 1.0
    tip = u + (bend[0] - u) * (ROOM + 5) / back, v + (bend[1] - v) * (ROOM + 5) / back
    yield f'<path d="M{_xy(source)} Q{_xy(bend)} {_xy(tip)}" marker-end="url(#tip)"/>'
    yield _label(bend, scheme)


def _label(at: Point, text: str) -> str:
    return (
        f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="middle" fill="black" stroke="none">{escape(text)}</text>'
    )


def _xy(point: Point) -> str:
    return f"{point[0]:.1f},{point[1]:.1f}"


def _mean(points: list[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _scheme(query: JoinQuery, stream: int, terms: tuple[str, ...]) -> str:
    return f"{query.streams[stream]}({', '.join(terms)})"
