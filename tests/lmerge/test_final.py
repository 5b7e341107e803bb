"""Final events: behind every slice exactly those that are fully frozen are out, whatever the order of the elements."""

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from lmerge.streams import presentation, reference, sliced
from punctum.algebra.schema import Schema
from punctum.engine.formats.files import READERS
from punctum.engine.formats.write import WRITERS
from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, element_schema, from_columns, to_columns
from punctum.lmerge.final import Final
from punctum.lmerge.properties import Case
from punctum.lmerge.tdb import Frozen, Tdb, frozen, view
from punctum.operators.columns import to_rows
from punctum.operators.guard import Guard
from punctum.operators.table import Table

SCHEMA = element_schema(Schema.of(p="STRING"))


@pytest.mark.parametrize("case", [Case.R3, Case.R4])
def test_events_are_released_when_they_are_fully_frozen(case: Case) -> None:
    for seed in range(60):
        rng = Random(seed)
        stream = presentation(rng, reference(rng, case, 20), case)
        final, guard, read, out = Final(SCHEMA), Guard(Final(SCHEMA).output), list[Element](), Tdb()
        for piece in sliced(rng, stream, 5):
            again = Final(SCHEMA)
            chunks = {name: Table(t.frame(), {0: t.frame()}) for name, t in final.tables().items()}
            again.restore_tables(chunks)
            again.restore_metadata(json.loads(json.dumps(final.metadata())))
            final, read = again, read + piece
            given = final.feed(to_columns(piece, SCHEMA))
            assert not guard.split(given).bad.height
            assert final.bad.is_empty()
            out += Counter(((p,), vs, INF if ve is None else ve) for p, vs, ve in to_rows(given.rows))  # type: ignore
            known = view(read)
            settled = {e: n for e, n in known.events.items() if known.last == INF or frozen(e, known.last) is Frozen.FF}
            assert out == settled, seed
            assert final.size().rows == known.events.total() - out.total()


def test_inserts_are_final_at_once() -> None:
    final = Final(SCHEMA, inserts=True)
    given = final.feed(to_columns([Insert(("A",), 6, 9), Insert(("B",), 7, INF), Stable(5)], SCHEMA))
    assert to_rows(given.rows) == [("A", 6, 9), ("B", 7, None)]
    assert [str(p) for p in given.puncts] == ["<*, (,4], *>", "<*, *, (,4]>"]
    assert final.size().rows == 0


def test_an_adjust_of_what_is_not_there_is_bad_and_its_neighbours_are_not() -> None:
    final = Final(SCHEMA)
    a, b = ("A",), ("B",)
    slices: list[Element] = [
        Insert(a, 1, 9),
        Adjust(a, 1, 8, 7),
        Adjust(a, 1, 9, 6),
        Adjust(b, 2, 5, 4),
        Insert(b, 2, 8),
        Stable(INF),
    ]
    given = final.feed(to_columns(slices, SCHEMA))
    assert sorted(to_rows(given.rows)) == [("A", 1, 6), ("B", 2, 8)]
    assert [row[:5] for row in to_rows(final.bad)] == [("A", 1, 7, 8, True), ("B", 2, 4, 5, True)]


@pytest.mark.parametrize("format_", WRITERS)
def test_elements_that_are_written_are_read_again(format_: str, tmp_path: Path) -> None:
    rng = Random(3)
    stream = presentation(rng, reference(rng, Case.R4, 60), Case.R4)
    piece, options = to_columns(stream, SCHEMA), {"header": "true"} if format_ == "csv" else {}
    WRITERS[format_](tmp_path / "file", piece.rows, piece.puncts, SCHEMA, options)
    read = READERS[format_](tmp_path / "file", SCHEMA, options)
    assert read.rejected.is_empty()
    assert from_columns(read.piece, SCHEMA)[: piece.rows.height] == [e for e in stream if not isinstance(e, Stable)]
    assert Stable(INF) in from_columns(read.piece, SCHEMA)
    if format_ == "json":
        assert {tuple(json.loads(text)) for text in (tmp_path / "file").read_text().splitlines()} == {
            ("p", "_vs", "_ve"),
            ("p", "_vs", "_vold", "_ve"),
            ("$stable",),
        }
