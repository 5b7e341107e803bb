"""Streams of opens and closes: at random, as slices in columns, and what the specification makes of them."""

from collections.abc import Sequence

from hypothesis import strategies as st

from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.errors import GrammarError
from punctum.ir.elements import element_schema, open_schema
from punctum.lmerge.elements import INF, Element, Stable, Time, stable
from punctum.lmerge.openclose import Close, Open, OpenClose
from punctum.operators.columns import ColumnarSlice, frame

PAYLOAD = Schema.of(p="STRING", x="DOUBLE").attributes
RAW, ELEMENTS = open_schema(PAYLOAD), element_schema(PAYLOAD)
A, B = ("A", 1.0), ("B", None)
Slice = tuple[Sequence[Open | Close], Time | None]
"""Some elements, and a stable behind them."""


def columns(piece: Slice) -> ColumnarSlice:
    """A slice as its rows are read from a file."""
    elements, t = piece
    rows: list[Row] = []
    for element in elements:
        start, end = (element.vs, None) if isinstance(element, Open) else (None, element.ve)
        rows.append((*element.payload, start, end, end if start is None else start))
    puncts = () if t is None else (stable(RAW, None if t == INF else int(t)),)
    return ColumnarSlice(frame(RAW, rows), puncts)


def specified(known: OpenClose, piece: Slice) -> tuple[list[Element], list[Open | Close]]:
    """What the specification makes of a slice, and what it refuses."""
    emitted, refused = list[Element](), list[Open | Close]()
    for element in piece[0]:
        try:
            emitted.append(known.feed(element))
        except GrammarError:
            refused.append(element)
    return emitted + ([] if piece[1] is None else [known.feed(Stable(piece[1]))]), refused


@st.composite
def streams(draw: st.DrawFn) -> list[Slice]:
    """Grammatical slices: mostly opens and closes that alternate, and any others between them."""
    payloads = st.sampled_from([A, B, ("A", None), (None, float("inf"))])
    low, clock, is_open, slices = -5, 0, dict[Row, bool](), list[Slice]()
    for _ in range(draw(st.integers(1, 5))):
        elements: list[Open | Close] = []
        for _ in range(draw(st.integers(0, 8))):
            clock += draw(st.integers(0, 2))
            t = draw(st.one_of(st.just(max(clock, low)), st.integers(low, low + 12)))
            payload, turns = draw(payloads), draw(st.integers(0, 3)) > 0
            is_open[payload] = is_open.get(payload, False) ^ turns
            elements.append((Open if is_open[payload] else Close)(payload, t))
        until = draw(st.one_of(st.none(), st.integers(low, low + 6)))
        low = low if until is None else until
        slices.append((elements, until))
    return [*slices, ([], INF)]
