"""Opens and closes in columns: what the specification makes of a slice, whatever the order, stopped and resumed."""

import json

import polars as pl
import pytest
from hypothesis import given

from lmerge.opens import ELEMENTS, PAYLOAD, RAW, A, B, Slice, columns, specified, streams
from punctum.algebra.values import Row, Type
from punctum.ir.elements import element_schema, open_schema
from punctum.lmerge.elements import INF, Element, Stable, Time, from_columns
from punctum.lmerge.openclose import NEVER_OPENED, STARTED, STILL_OPEN, Close, Open, OpenClose
from punctum.lmerge.opened import Opened
from punctum.lmerge.tdb import Tdb, tdb
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.operators.guard import Guard
from punctum.operators.table import Table


def resumed(opened: Opened) -> Opened:
    """Another one that goes on with the state, which lies in two chunks."""
    again = Opened(RAW, ELEMENTS)
    frames = {name: table.frame() for name, table in opened.tables().items()}
    again.restore_tables({name: Table(f, {0: f[:2], 1: f[2:]}) for name, f in frames.items()})
    again.restore_metadata(json.loads(json.dumps(opened.metadata())))
    return again


@given(streams())
def test_it_emits_and_keeps_what_the_specification_does(slices: list[Slice]) -> None:
    known, opened, guard, furthest = OpenClose(), Opened(RAW, ELEMENTS), Guard(ELEMENTS), -INF
    for piece in slices:
        opened = resumed(opened)
        wanted, refused = specified(known, piece)
        got = opened.feed(columns(piece))
        expected = [element for element in wanted if not isinstance(element, Stable) or element.t > furthest]
        furthest = furthest if piece[1] is None else max(furthest, piece[1])
        assert from_columns(got, ELEMENTS) == expected
        assert [to_rows(row)[0][:4] for row, _ in opened.bad] == [row[:4] for row in rows_of(refused)]
        events = [(p, vs, ve) for p, ends in known.ends.items() for vs, ve in ends.items()]
        assert Tdb(kept(opened)) == Tdb(events)
        assert not guard.split(got).bad.height, "its own stables hold"
    assert not opened.size().rows


def rows_of(elements: list[Open | Close]) -> list[Row]:
    return to_rows(columns((elements, None)).rows)


def kept(opened: Opened) -> list[tuple[Row, Time, Time]]:
    """The events that are kept."""
    rows = to_rows(opened.tables()["events"].frame())
    return [((p, x), vs, INF if ve is None else ve) for p, x, vs, ve in rows]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("elements", "out", "reasons"),
    [
        ([Open(A, 1), Open(A, 1)], [(A, 1, INF)], [STARTED]),
        ([Open(A, 1), Open(A, 2), Open(B, 2)], [(A, 1, INF), (B, 2, INF)], [STILL_OPEN]),
        ([Close(A, 1), Open(A, 2), Close(A, 1)], [(A, 2, INF)], [NEVER_OPENED] * 2),
        ([Open(A, 1), Close(A, 6), Close(A, 5)], [(A, 1, 5)], []),
        ([Open(A, 1), Close(A, 1), Open(A, 1)], [(A, 1, INF)], []),
        ([Open(A, 1), Close(A, 3), Open(A, 5), Close(A, 4), Close(A, 8)], [(A, 1, 4), (A, 5, 8)], []),
        ([Open(A, 5), Close(A, 8), Open(A, 1), Open(A, 9), Close(A, 3)], [(A, 5, 8), (A, 1, 3)], [STILL_OPEN]),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_what_is_irregular(
    elements: list[Open | Close], out: list[tuple[Row, Time, Time]], reasons: list[str], at_once: bool
) -> None:
    opened, emitted, why = Opened(RAW, ELEMENTS), list[Element](), list[str]()
    for piece in [elements] if at_once else [[element] for element in elements]:
        emitted += from_columns(opened.feed(columns((piece, None))), ELEMENTS)
        why += [reason for _, reason in opened.bad]
    assert tdb(emitted) == Tdb(out) and why == reasons


def test_a_stable_forgets_what_ended_before_it_and_nothing_else() -> None:
    opened = Opened(RAW, ELEMENTS)
    opened.feed(columns(([Open(A, 1), Close(A, 4), Open(A, 6), Close(A, 7), Open(B, 1)], 5)))
    assert Tdb(kept(opened)) == Tdb([(A, 6, 7), (B, 1, INF)])
    opened.feed(columns(([Close(A, 5)], None)))
    assert [why for _, why in opened.bad] == [NEVER_OPENED]
    assert opened.stable == 5 and opened.puncts() == 1
    opened.restart()
    assert not kept(opened) and not opened.puncts()


def test_regular_elements_do_not_go_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("punctum.lmerge.opened.exactly", lambda run: pytest.fail("element by element"))
    opened, many = Opened(RAW, ELEMENTS), 500
    for n in range(4):
        elements: list[Open | Close] = []
        for p in range(many):
            payload = (str(p), float(n))
            elements += [Open((str(p), 7.0), 3 * n), Open(payload, n), Close(payload, n + 9)]
            elements += [Close((str(p), 7.0), 3 * n + 2), Close(payload, n + 8)]
        emitted = from_columns(opened.feed(columns((elements, 3 * n))), ELEMENTS)
        assert len(emitted) == 5 * many + (n > 0) + (n == 0)
    assert not opened.bad


@pytest.mark.parametrize("kind", [Type.TIMESTAMP, Type.TIMESTAMP_NTZ, Type.DATE])
def test_times_may_be_instants(kind: Type) -> None:
    raw, elements = open_schema(PAYLOAD, kind), element_schema(PAYLOAD, kind)
    given_ = columns(([Open(A, 10), Close(A, 20), Close(A, 15)], None)).rows
    whole = pl.col("_vs", "_ve", "_from").cast(pl.Int32 if kind is Type.DATE else pl.Int64)
    rows = given_.with_columns(whole).cast(frame(raw, []).schema)
    translated = Opened(raw, elements).feed(ColumnarSlice(rows)).rows
    numbers = [[translated[name].to_physical().to_list() for name in ("_vs", "_vold", "_ve", "_from")]]
    assert numbers == [[[10] * 3, [None, None, 20], [None, 20, 15], [10, 20, 15]]]
