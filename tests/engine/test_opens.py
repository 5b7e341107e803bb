"""Opens and closes in SQL without Spark: in any number of buckets, stopped at every slice or not, merged."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from lmerge.opens import ELEMENTS, A, B, Slice, columns, specified, streams
from punctum.algebra.values import Row
from punctum.errors import PunctumError
from punctum.ir import Relation
from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, from_columns, to_columns
from punctum.lmerge.openclose import NEVER_OPENED, STARTED, STILL_OPEN, Close, Open, OpenClose
from punctum.lmerge.tdb import Tdb, tdb
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_script
from punctum.plan.physical.stages import all_stages
from punctum.testing.simulate import Simulation, planned

STREAM = "CREATE TEMPORAL STREAM {} (p STRING, x DOUBLE{}) {} USING json OPTIONS (path 'in');"
SCRIPT = "".join(
    [
        STREAM.format("a", ", OPEN CLOSE", ""),
        STREAM.format("b", ", OPEN CLOSE", ""),
        STREAM.format("c", ", KEY (p, x)", ""),
        STREAM.format("strict", ", OPEN CLOSE", "ON VIOLATION FAIL"),
        "CREATE STREAM m AS LMERGE (a, b, c) OPTIONS (control 'control');",
        "CREATE TEMPORAL STREAM upper AS SELECT upper(p) AS p, x FROM a;",
        "CREATE STREAM n AS LMERGE (upper, c);",
    ]
)
C = ("C", 0.5)
U: list[Open | Close] = [Open(A, 1), Close(A, 4), Open(B, 2), Close(B, 5), Open(C, 3)]
W: list[Open | Close] = [Open(B, 2), Close(B, 6), Open(A, 1), Open(C, 3), Close(A, 4), Close(B, 5)]
TDB = Tdb([(A, 1, 4), (B, 2, 5), (C, 3, INF)])


def relation(sql: str, elements: bool = True) -> Relation:
    sink = f"CREATE SINK o USING json OPTIONS (path 'out', elements '{str(elements).lower()}'); INSERT INTO o {sql};"
    return parse_script(SCRIPT + sink).queries[0].relation


@examples(50)
@given(slices=streams(), buckets=st.integers(1, 4), restart=st.booleans())
def test_buckets_say_together_what_the_specification_says(slices: list[Slice], buckets: int, restart: bool) -> None:
    known, running, told = (
        OpenClose(),
        Simulation(relation("SELECT * FROM a"), buckets, restart, global_punctuations=True),
        -INF,
    )
    for piece in slices:
        wanted, refused = specified(known, piece)
        given_ = from_columns(running.feed({"a": columns(piece)}), ELEMENTS)
        assert Counter(e for e in given_ if not isinstance(e, Stable)) == Counter(
            e for e in wanted if not isinstance(e, Stable)
        )
        told = max([told, *(e.t for e in given_ if isinstance(e, Stable))])
        assert told == max([told, *(e.t for e in wanted if isinstance(e, Stable))])
        assert len(running.records) == len(refused)
        assert {record.reason for record in running.records} <= {STARTED, STILL_OPEN, NEVER_OPENED}
    assert running.kept() == 0


@pytest.mark.parametrize("stream", [U, W], ids=["U[5]", "W[6]"])
@pytest.mark.parametrize("pieces", [1, 2, 6])
def test_example_3_is_one_database_through_sql(stream: list[Open | Close], pieces: int) -> None:
    out, rows = list[Element](), list[Row]()
    elements, events = Simulation(relation("SELECT * FROM a"), 3), Simulation(relation("SELECT * FROM a", False), 3)
    for n in range(pieces):
        piece = columns((stream[n::pieces] if pieces == 1 else cut(stream, n, pieces), None))
        out += from_columns(elements.feed({"a": piece}), ELEMENTS)
        rows += to_rows(events.feed({"a": piece}).rows)
    assert tdb(out) == TDB and not rows
    assert sorted(to_rows(events.feed({"a": columns(([], 6))}).rows)) == [("A", 1.0, 1, 4), ("B", None, 2, 5)]
    assert to_rows(events.feed({"a": columns(([], INF))}).rows) == [("C", 0.5, 3, None)]
    assert not elements.records and not events.records


def cut(stream: list[Open | Close], n: int, pieces: int) -> list[Open | Close]:
    size = -(-len(stream) // pieces)
    return stream[n * size : (n + 1) * size]


@pytest.mark.parametrize("restart", [False, True])
def test_opens_and_closes_are_merged_with_inserts_and_adjusts(restart: bool) -> None:
    """Replicas in three shapes: example 3 twice, and as elements."""
    running, out = Simulation(relation("SELECT * FROM m"), 3, restart), list[Element]()
    inserts: list[Element] = [Insert(B, 2, 5), Insert(C, 3, INF), Insert(A, 1, 9), Adjust(A, 1, 9, 4)]
    for n in range(3):
        last = INF if n == 2 else None
        given_ = {"a": columns((cut(U, n, 3), last)), "b": columns((cut(W, n, 3), None))}
        out += from_columns(running.feed(given_ | {"c": to_columns(inserts[2 * n : 2 * n + 2], ELEMENTS)}), ELEMENTS)
    assert tdb([e for e in out if not isinstance(e, Stable)]) == TDB
    assert not running.records


def test_the_payload_decides_on_the_bucket() -> None:
    def keys(sql: str, elements: bool = True) -> list[list[tuple[int, ...]]]:
        return [[source.key for source in each.inputs] for each in all_stages(planned(relation(sql, elements)))]

    assert keys("SELECT * FROM a") == [[(0, 1)]]
    assert keys("SELECT * FROM a", elements=False) == [[(0, 1)]]
    assert keys("SELECT * FROM m", elements=False) == [[(0, 1)] * 3 + [()]]
    assert keys("SELECT p, COUNT(*) AS n FROM a GROUP BY p", elements=False) == [[(0,)]]
    assert keys("SELECT _ve, COUNT(*) AS n FROM a GROUP BY _ve", elements=False) == [[(0, 1)], [(3,)]]
    assert keys("SELECT * FROM n") == [[(0, 1)], [(0, 1), (0, 1)]]
    assert keys("SELECT * FROM c") == [[(0, 1, 2, 3, 4, 5, 6)]]


def test_computed_payloads_are_merged() -> None:
    running, lower = Simulation(relation("SELECT * FROM n"), 4), ("a", 1.0)
    stream: list[Open | Close] = [Open(lower, 1), Open(A, 2), Close(lower, 4), Close(lower, 3)]
    given_ = running.feed({"a": columns((stream, 3)), "c": to_columns([Insert(A, 1, 3), Insert(A, 2, INF)], ELEMENTS)})
    assert tdb([e for e in from_columns(given_, ELEMENTS) if not isinstance(e, Stable)])[A, 1, 3] == 1
    assert not running.records


def control(name: str, change: str) -> ColumnarSlice:
    (merge,) = (s.relation for s in parse_script(SCRIPT).streams.values() if s.name == "m")
    return ColumnarSlice(frame(merge.control.schema, [(name, change, None)]))  # type: ignore[union-attr]


@pytest.mark.parametrize("again", [True, False])
def test_an_input_that_is_attached_again_may_repeat_what_it_has_said(again: bool) -> None:
    running = Simulation(relation("SELECT * FROM m WHERE x > 0"), 3)
    out = from_columns(running.feed({"a": columns(([Open(A, 1), Close(A, 4), Open(C, 2)], 2))}), ELEMENTS)
    told = {"m.control": control("a", "attach")} if again else {}
    out += from_columns(running.feed({"a": columns(([Open(A, 1), Open(C, 2), Close(A, 4)], 3)), **told}), ELEMENTS)
    assert tdb([e for e in out if not isinstance(e, Stable)]) == Tdb([(A, 1, 4), (C, 2, INF)])
    assert [record.reason for record in running.records] == [] if again else len(running.records) == 2


def test_what_says_nothing_is_in_the_quarantine_with_its_reason() -> None:
    running = Simulation(relation("SELECT * FROM a"), 2)
    running.feed({"a": columns(([Open(A, 1), Open(A, 2), Close(B, 3)], 2))})
    told = {(r.stream, r.reason, r.text) for r in running.records}
    assert told == {
        ("a", STILL_OPEN, '{"p":"A","x":1.0,"_vs":2,"_ve":null}'),
        ("a", NEVER_OPENED, '{"p":"B","x":null,"_vs":null,"_ve":3}'),
    }
    running.feed({"a": columns(([Close(A, 1), Close(A, 7)], None))})
    assert [record.reason for record in running.records] == ["the row matches an earlier punctuation"]
    strict = Simulation(relation("SELECT * FROM strict"), 2)
    with pytest.raises(PunctumError, match=NEVER_OPENED):
        strict.feed({"strict": columns(([Close(B, 3)], None))})
