"""LIFESPAN in the stages of a query, without Spark: what is over is forgotten everywhere, and values come again."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.test_sweep import HOUR, TOTALS, Feeding, at, streams
from lanes import examples
from punctum.algebra import Punctuation, Row
from punctum.algebra.pattern import between
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.engine.exchange.quarantine import VIOLATION
from punctum.engine.runtime.sweep import LATE
from punctum.errors import SchemaError
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.plan.physical.fingerprint import fingerprint
from punctum.plan.physical.lifespan import check_lifespans
from punctum.testing.simulate import Simulation, planned

LASTING = "PUNCTUATED ON (itemid) LIFESPAN '4 hours'"
ITEMS = range(4)


@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("restart", [False, True])
def test_a_value_comes_again(buckets: int, restart: bool) -> None:
    query = Feeding(TOTALS, streams(LASTING, LASTING), buckets, restart)
    assert query.feed(0, [(17, 1, None)], [(17, 5)], ([17], [17])) == {(17, 5): 1}
    assert not query.feed(3, [(17, 1, None)], [(17, 6)])
    assert [r.reason for r in query.simulation.records] == [VIOLATION, VIOLATION]
    assert query.count("puncts_forgotten") == 0
    assert not query.feed(4, [(17, 1, None)], [(17, 7)])
    assert not query.told()
    assert query.count("puncts_forgotten") == 2, "one of each stream"
    assert query.feed(5, closed=([17], [17])) == {(17, 7): 1}
    assert not query.feed(6, [(17, 1, None)])
    assert query.simulation.records, "the new one holds as long"
    assert query.simulation.kept() == 0


QUERIES = {
    "join": TOTALS,
    "left": "SELECT i.itemid, i.cat, b.inc FROM item i LEFT JOIN bid b ON i.itemid = b.itemid AND inc > cat",
    "full": "SELECT i.itemid, i.cat, b.inc FROM item i FULL JOIN bid b ON i.itemid = b.itemid",
    "anti": "SELECT itemid, cat FROM item WHERE NOT EXISTS (SELECT 1 FROM bid WHERE bid.itemid = item.itemid)",
    "semi": "SELECT itemid, cat FROM item WHERE itemid IN (SELECT itemid FROM bid)",
    "except": "SELECT itemid FROM bid EXCEPT SELECT itemid FROM item",
    "intersect": "SELECT itemid FROM bid INTERSECT SELECT itemid FROM item",
    "union": "SELECT itemid FROM item UNION SELECT itemid FROM bid",
    "merge": "SELECT itemid, COUNT(*) AS n FROM (SELECT itemid FROM item UNION ALL SELECT itemid FROM bid) "
    "GROUP BY itemid",
    "distinct": "SELECT DISTINCT itemid, cat FROM item WHERE cat > 0",
    "computed": "SELECT k, COUNT(*) AS n FROM (SELECT itemid + 1 AS k FROM item) GROUP BY k",
}
Drawn = list[tuple[list[Row], list[Row], tuple[list[int], list[int]]]]
GENERATION: st.SearchStrategy[Drawn] = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.none()), max_size=3),
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=3),
        st.tuples(*[st.lists(st.integers(0, 3), max_size=1)] * 2),
    ),
    max_size=3,
)


@pytest.mark.parametrize("name", QUERIES)
@examples(10)
@given(first=GENERATION, second=GENERATION, buckets=st.integers(1, 3), restart=st.booleans(), whole=st.booleans())
def test_when_all_is_over_it_is_as_if_nothing_had_been(
    name: str, first: Drawn, second: Drawn, buckets: int, restart: bool, whole: bool
) -> None:
    """A generation is closed and over; the next one gives what a query gives that begins with it."""
    used, fresh = (Generations(QUERIES[name], buckets, restart, whole) for _ in range(2))
    for each in first:
        used.feed(0, *each)
    used.feed(0, [], [], (list(ITEMS), list(ITEMS)))
    assert used.simulation.kept() == 0
    fresh.feed(0, [], [], ([], []))  # what a selection promises is said with the first slice
    for each in second:
        found, wanted = used.feed(9, *each), fresh.feed(9, *each)
        assert found[0] == wanted[0]
        assert found[1] == wanted[1]
        assert found[2] == wanted[2]
        assert used.simulation.kept() == fresh.simulation.kept()


class Generations:
    """A query whose result is looked at with its punctuations, and the texts of its quarantine."""

    def __init__(self, sql: str, buckets: int, restart: bool, whole: bool) -> None:
        self.streams = parse_script(streams(LASTING, LASTING)).streams
        self.simulation = Simulation(parse_query(sql, self.streams), buckets, restart, whole)

    def feed(
        self, now: int, item: list[Row], bid: list[Row], closed: tuple[list[int], list[int]]
    ) -> tuple[Counter[Row], PunctuationSet, Counter[Any]]:
        fed = {}
        for name, rows, values in (("item", item, closed[0]), ("bid", bid, closed[1])):
            schema = self.streams[name].schema
            fed[name] = ColumnarSlice(frame(schema, rows), tuple(Punctuation.of(schema, itemid=i) for i in values))
        found = self.simulation.feed(fed, now * HOUR)
        said = PunctuationSet(self.simulation.last.schema, found.puncts)
        return Counter(to_rows(found.rows)), said, Counter(r.text for r in self.simulation.records)


@pytest.mark.parametrize("buckets", [1, 2])
def test_reports_of_a_day_and_of_the_next(buckets: int) -> None:
    """An hour is over when both have reported, or is swept; the next day it comes again. Time is the stream's own."""
    ddl = """CREATE STREAM report (sid STRING, hour BIGINT, ts TIMESTAMP, PUNCTUATE (ts ASC),
      PUNCTUATE (hour) WHEN ALL sid IN ('a', 'b') EXPECT WITHIN '2 hours' LIFESPAN '12 hours') USING json;"""
    known = parse_script(ddl).streams
    schema = known["report"].schema
    relation = parse_query("SELECT hour, COUNT(*) AS n FROM report GROUP BY hour", known)
    simulation = Simulation(relation, buckets, restart=True)

    def fed(*rows: tuple[str, int, int]) -> list[Row]:
        piece = frame(schema, [(sid, hour, at(when)) for sid, hour, when in rows])
        return to_rows(simulation.feed({"report": ColumnarSlice(piece)}).rows)

    assert fed(("a", 1, 1), ("b", 1, 1), ("a", 2, 2)) == [(1, 2)]
    assert fed(("a", 4, 5)) == []
    assert [r.text for r in simulation.records] == ["1 row", '{"hour":2,"n":1}']
    assert fed(("b", 2, 5), ("b", 1, 5)) == []
    assert sorted(r.reason for r in simulation.records) == sorted([LATE, VIOLATION])
    assert fed(("b", 4, 20)) == [(4, 2)], "a punctuation counts before time does"
    assert sorted(fed(("b", 1, 25), ("a", 1, 25), ("a", 2, 26), ("b", 2, 26))) == [(1, 2), (2, 2)]
    assert not simulation.records
    assert fed(("a", 4, 27)) == []
    assert [r.reason for r in simulation.records] == [VIOLATION], "that of 4 came at 20"


def test_a_longer_prefix_holds_for_all_of_it() -> None:
    ddl = streams("PUNCTUATED ON (itemid ASC) LIFESPAN '4 hours'")
    query = Feeding("SELECT itemid, COUNT(*) AS n FROM item GROUP BY itemid", ddl, 2)
    schema = query.streams["item"].schema
    upto = {n: Punctuation.of(schema, itemid=between(None, n)) for n in (5, 9)}
    assert query.feed(0, [(3, 1, None)], said=[upto[5]]) == {(3, 1): 1}
    assert not query.feed(2, said=[upto[9]])
    assert not query.feed(5, [(3, 1, None)])
    assert [r.reason for r in query.simulation.records] == [VIOLATION]
    assert not query.feed(6, [(3, 1, None)])
    assert not query.told()
    assert query.feed(6, said=[upto[5]]) == {(3, 1): 1}


@pytest.mark.parametrize("sql", ["SELECT itemid FROM item", "SELECT itemid, COUNT(*) AS n FROM item GROUP BY itemid"])
def test_what_a_domain_excludes_is_never_let_in(sql: str) -> None:
    """No order covers NULL, so a column that is promised in order has none, and that is never over."""
    query = Feeding(sql, streams("PUNCTUATED ON (itemid ASC) LIFESPAN '1 hour'"), 1)
    null = Punctuation.of(query.streams["item"].schema, itemid=None)
    for now in (0, 1, 2, 3, 9):
        query.feed(now, [(None, 1, None)], said=[null])
        assert [r.reason for r in query.simulation.records] == [VIOLATION]
        assert query.count("puncts_forgotten") == 0


@pytest.mark.parametrize(
    ("clauses", "sql", "why"),
    [
        (LASTING, "SELECT itemid FROM item ORDER BY itemid", "ORDER BY cannot reopen"),
        (f"{LASTING}, DOMAIN itemid BETWEEN 0 AND 9", "SELECT itemid FROM item", "itemid has a DOMAIN"),
        (
            f"{LASTING}, PUNCTUATED ON (itemid) EXPECT WITHIN '1 day', PUNCTUATED ON (cat) EXPECT WITHIN '1 day'",
            "SELECT itemid FROM item",
            "other clauses of item are on other columns",
        ),
        (
            f"{LASTING}, PUNCTUATE (ts ASC) WHEN ALL cat IN (1, 2)",
            "SELECT itemid FROM item",
            "ts, by which it is measured, is closed by WHEN ALL",
        ),
    ],
)
def test_what_cannot_forget_is_refused(clauses: str, sql: str, why: str) -> None:
    known = parse_script(streams(clauses)).streams
    with pytest.raises(SchemaError, match="the LIFESPAN of item") as error:
        check_lifespans(planned(parse_query(sql, known)))
    assert why in str(error.value)
    check_lifespans(planned(parse_query("SELECT itemid FROM bid ORDER BY itemid", known)))


def test_a_lifespan_that_is_changed_goes_on_with_the_state() -> None:
    one, other = (
        Feeding("SELECT itemid FROM item", streams(LASTING.replace("4 hours", span)), 1).simulation.last
        for span in ("4 hours", "1 day")
    )
    assert fingerprint(one) == fingerprint(other)
