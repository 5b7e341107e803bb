"""Merges of replicas in stages, without Spark."""

from random import Random

import pytest

from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.errors import QueryError
from punctum.ir.temporal import LMerge
from punctum.lmerge.elements import Adjust, Element, Insert, Stable, to_columns
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_script
from punctum.testing.simulate import Simulation

COUNTED = "SELECT ts DIV 10 AS _vs, k, COUNT(*) AS n FROM {} GROUP BY ts DIV 10, k"
SORTED = "SELECT * FROM (SELECT ts DIV 10 AS _vs, k, COUNT(*) AS n FROM {} GROUP BY ts DIV 10, k) ORDER BY _vs, k, n"
ALONE = "SELECT ts DIV 10 AS _vs, MAX(k) AS k, COUNT(*) AS n FROM {} GROUP BY ts DIV 10"


@pytest.mark.parametrize(("query", "case"), [(ALONE, "R0"), (SORTED, "R1"), (COUNTED, "R2")], ids=["R0", "R1", "R2"])
@pytest.mark.parametrize("buckets", [1, 3])
def test_groups_that_are_released_together_are_in_order(query: str, case: str, buckets: int) -> None:
    """Each replica has the rows of a slice in another order, and so has what it gives of them."""
    stream = "CREATE STREAM {0} (ts BIGINT, k STRING, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path '{0}');"
    sql = "".join(stream.format(name) for name in "st")
    sql += "".join(f"CREATE TEMPORAL STREAM {a} AS {query.format(s)};" for a, s in zip("ab", "st", strict=True))
    sql += f"CREATE STREAM m AS LMERGE (a, b) OPTIONS (case '{case}'); CREATE SINK o USING json OPTIONS (path 'out');"
    parsed = parse_script(sql + "INSERT INTO o SELECT _vs, k, n FROM m;")
    schema, chance = parsed.streams["s"].schema, Random(1)
    rows = [(ts, k) for ts in range(0, 400, 5) for k in "uvwxyz"]
    simulation = Simulation(parsed.queries[0].relation, buckets)
    found = list[tuple[object, ...]]()
    for low, high in ((0, 200), (200, 400)):
        fed = {}
        for name in "st":
            mine = [row for row in rows if low <= row[0] < high]
            chance.shuffle(mine)
            fed[name] = ColumnarSlice(frame(schema, mine), (Punctuation.of(schema, ts=between(None, high, "()")),))
        found += to_rows(simulation.feed(fed).rows)
        assert not simulation.records
    alone = [(vs, "z", 12) for vs in range(40)]
    assert sorted(found) == (alone if case == "R0" else [(vs, k, 2) for vs in range(40) for k in "uvwxyz"])


EXPECTED = """
CREATE STREAM s (ts BIGINT, k STRING, PUNCTUATED ON (ts ASC), PUNCTUATED ON ({scheme}) {clause} '1 day')
  USING json;
CREATE TEMPORAL STREAM a AS SELECT k, ts AS _vs FROM s;
CREATE TEMPORAL STREAM b (k STRING, KEY (k)) USING json OPTIONS (path 'b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (control 'control');
CREATE SINK o USING json OPTIONS (path 'out', elements '{elements}');
INSERT INTO o {query};
"""
GROUPS = "SELECT _ve AS t, k, COUNT(*) AS n FROM m GROUP BY _ve, k"


STRICT = """
CREATE TEMPORAL STREAM a (k STRING, KEY (k)) ON VIOLATION FAIL USING json OPTIONS (path 'a');
CREATE TEMPORAL STREAM b (k STRING, KEY (k)) USING json OPTIONS (path 'b');
CREATE STREAM m AS LMERGE (a, b); CREATE STREAM o AS CLEANSE (a);
CREATE SINK out USING json OPTIONS (path 'out');
INSERT INTO out SELECT * FROM {};
"""


@pytest.mark.parametrize("of", ["a", "o", "m"])
def test_a_bad_element_stops_a_query_whose_stream_must_not_be_violated(of: str) -> None:
    parsed = parse_script(STRICT.format(of))
    schema, stray = parsed.streams["b"].schema, [Adjust(("x",), 1, 3, 5)]
    if of == "m":
        lenient = Simulation(parsed.queries[0].relation, 2)
        lenient.feed({"b": to_columns(stray, schema)})
        assert [record.stream for record in lenient.records] == ["b"]
    with pytest.raises(QueryError, match="ON VIOLATION FAIL"):
        Simulation(parsed.queries[0].relation, 2).feed({"a": to_columns(stray, schema)})


class Expected:
    """A merge of a stream that expects punctuations, here or in a stage before, and of a replica that does not."""

    def __init__(
        self, scheme: str, buckets: int, restart: bool = False, query: str = "", clause: str = "EXPECT WITHIN"
    ) -> None:
        given = {"scheme": scheme, "clause": clause, "elements": "false" if query else "true"}
        parsed = parse_script(EXPECTED.format(**given, query=query or "SELECT * FROM m"))
        self._schema, merge = parsed.streams["s"].schema, parsed.streams["m"].relation
        assert isinstance(merge, LMerge) and merge.control is not None
        self._elements, self._control = merge.schema, merge.control.schema
        self.simulation = Simulation(parsed.queries[0].relation, buckets, restart)

    def feed(
        self, a: dict[int, str], b: dict[int, str], until: int, attach: str = "", hours: int = 0
    ) -> list[tuple[object, ...]]:
        """The events that come out: of each input those of a slice, by their starts, up to a stable."""
        said = (Punctuation.of(self._schema, ts=between(None, until, "()")),)
        rows = ColumnarSlice(frame(self._schema, list(a.items())), said)
        elements: list[Element] = [*(Insert((k,), ts, ts + 1) for ts, k in b.items()), Stable(until)]
        fed = {"s": rows, "b": to_columns(elements, self._elements)}
        if attach:
            fed["m.control"] = ColumnarSlice(frame(self._control, [(attach, "attach", None)]))
        return sorted(row[:3] for row in to_rows(self.simulation.feed(fed, hours * 3_600_000).rows))

    def closing(self, k: str) -> dict[str, ColumnarSlice]:
        """A slice that says that there is no more of a value."""
        return {"s": ColumnarSlice(frame(self._schema, []), (Punctuation.of(self._schema, k=k),))}

    def counted(self, what: str) -> list[object]:
        return [counts[what] for counts in self.simulation.counts if what in counts]


@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("scheme", ["k", "k, ts"])
def test_a_merge_over_expected_punctuations_says_how_far_it_is(scheme: str, buckets: int) -> None:
    merge = Expected(scheme, buckets)
    assert merge.feed({1: "x", 2: "y"}, {1: "x"}, 3) == [("x", 1, 2), ("y", 2, 3)]
    assert merge.counted("stable") == [3] * buckets
    assert sum(merge.counted("rows_from s")) == 2 and sum(merge.counted("rows_from b")) == 1  # type: ignore[arg-type]


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(("scheme", "again"), [("k", "b"), ("k, ts", "a"), ("k, ts", "b")])
def test_an_input_that_is_attached_again_begins_anew_where_punctuations_are_expected(
    scheme: str, again: str, restart: bool
) -> None:
    merge, events = Expected(scheme, 2, restart), {1: "x", 2: "y"}
    assert merge.feed(events, events, 3) == [("x", 1, 2), ("y", 2, 3)]
    alone = (events, {}) if again == "a" else ({}, events)
    assert not merge.feed(*alone, 4)
    assert [record.stream for record in merge.simulation.records] == ["s" if again == "a" else "b"] * 2
    assert not merge.feed(*alone, 5, attach=again)
    assert not merge.simulation.records


@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("scheme", ["k", "k, ts"])
@pytest.mark.parametrize("query", [GROUPS, "SELECT _ve AS t, k, 1 AS n FROM m"])
def test_what_is_lost_on_a_replica_is_not_lost_in_the_merge(query: str, scheme: str, buckets: int) -> None:
    merge = Expected(scheme, buckets, query=query)
    assert merge.feed({1: "x", 2: "y"}, {1: "x", 2: "y"}, 2) == []
    found = merge.feed({}, {}, 2, hours=25)
    assert {record.stream for record in merge.simulation.records} == {"s"}, "what is open is swept"
    found += merge.feed({3: "z"}, {3: "z"}, 5, hours=26)
    assert found == [(2, "x", 1), (3, "y", 1), (4, "z", 1)]
    assert not merge.simulation.records
    assert merge.simulation.kept() == (scheme == "k"), "z is open there"


def test_punctuations_on_a_payload_may_be_over() -> None:
    merge = Expected("k", 2, query=GROUPS, clause="LIFESPAN")
    assert merge.feed({1: "x"}, {1: "x"}, 2) == []
    merge.simulation.feed(merge.closing("x"), 3_600_000)
    assert merge.feed({2: "y"}, {2: "y"}, 5, hours=30) == [(2, "x", 1), (3, "y", 1)]
    assert merge.simulation.kept() == 0
