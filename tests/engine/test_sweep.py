"""EXPECT WITHIN in the stages of a query, without Spark: what is swept, what comes out, and what goes to quarantine."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.algebra import Punctuation, Row, Schema
from punctum.algebra.pattern import between
from punctum.engine.exchange.quarantine import VIOLATION
from punctum.engine.runtime.lost import NO_RESULT
from punctum.engine.runtime.sweep import LATE
from punctum.errors import QueryError
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.plan.physical.fingerprint import fingerprint
from punctum.plan.physical.stages import all_stages, needs_clock
from punctum.testing.simulate import Simulation, planned

HOUR = 3_600_000
ITEM = "itemid BIGINT, cat BIGINT, ts TIMESTAMP"
BID = "itemid BIGINT, inc BIGINT"


def streams(item: str, bid: str = "PUNCTUATED ON (itemid)") -> str:
    return f"CREATE STREAM item ({ITEM}, {item}) USING json; CREATE STREAM bid ({BID}, {bid}) USING json;"


WALL = "PUNCTUATED ON (itemid) EXPECT WITHIN '1 day', PUNCTUATED ON (cat)"
STREAM = "PUNCTUATED ON (ts ASC), PUNCTUATED ON (cat), PUNCTUATED ON (itemid) EXPECT WITHIN '1 day'"
TOTALS = "SELECT i.itemid, SUM(b.inc) AS t FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid"
OPEN = "no punctuation ON (itemid) arrived within 1 day"


class Feeding:
    """A query over items and bids; slices are given as rows and as the items that are closed."""

    def __init__(self, sql: str, ddl: str, buckets: int, restart: bool = False) -> None:
        self.streams = parse_script(ddl).streams
        self.simulation = Simulation(parse_query(sql, self.streams), buckets, restart)

    def feed(
        self,
        now: int,
        item: Sequence[Row] = (),
        bid: Sequence[Row] = (),
        closed: tuple[Sequence[int], Sequence[int]] = ((), ()),
        said: Sequence[Punctuation] = (),
    ) -> Counter[Row]:
        """The rows that come out at a time in hours."""
        fed = {}
        for name, rows, values in (("item", item, closed[0]), ("bid", bid, closed[1])):
            schema = self.streams[name].schema
            puncts = [Punctuation.of(schema, itemid=i) for i in values]
            more = [Punctuation(schema, p.patterns) for p in said] if name == "item" else []
            fed[name] = ColumnarSlice(frame(schema, rows), (*puncts, *more))
        return Counter(to_rows(self.simulation.feed(fed, now * HOUR).rows))

    def told(self) -> Counter[tuple[str, str, str | None]]:
        """The records of the last slice: reason without its detail, text and punctuation."""
        records = self.simulation.records
        return Counter((r.reason.split(":")[0], r.text, r.punctuation) for r in records)

    def count(self, what: str) -> int:
        return sum(counts.get(what, 0) for counts in self.simulation.counts)


def at(hour: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(hours=hour)


@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("restart", [False, True])
def test_a_lost_punctuation_costs_an_exception_and_no_memory(buckets: int, restart: bool) -> None:
    query = Feeding(TOTALS, streams(WALL), buckets, restart)
    assert not query.feed(0, item=[(17, 1, None), (18, 1, None)], bid=[(17, 5), (18, 7)])
    assert not query.feed(12, bid=[(17, 1)])
    assert query.feed(24, closed=([18], [18])) == {(18, 7): 1}
    assert query.told() == {(OPEN, "1 row", '{"$punct": {"itemid": 17}}'): 1}, "that of 18 came just in time"
    assert query.simulation.records[0].reason == f"{OPEN}: open since 1970-01-01 00:00:00+00:00"
    assert (query.count("values_swept"), query.count("rows_swept")) == (1, 1)
    assert not query.feed(25, item=[(17, 1, None)])
    ((late, count),) = query.told().items()
    assert (late[0], late[1], count) == (LATE, '{"itemid":17}', 1)
    assert not query.feed(26, closed=([], [17])), "the sum is withheld though it is bid that closes it"
    assert query.told() == {(NO_RESULT + OPEN, '{"itemid":17,"t":6}', '{"$punct": {"itemid": 17}}'): 1}
    assert query.count("rows_withheld") == 1
    assert query.simulation.kept() == 0
    assert not query.feed(27, closed=([17], []))
    assert not query.told(), "the lost punctuation says nothing new"


@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("restart", [False, True])
def test_a_row_is_not_sure_to_be_alone_when_its_partners_punctuation_is_lost(buckets: int, restart: bool) -> None:
    sql = "SELECT b.itemid, b.inc, i.cat FROM bid b LEFT JOIN item i ON b.itemid = i.itemid AND i.cat > b.inc"
    query = Feeding(sql, streams(WALL), buckets, restart)
    assert query.feed(0, item=[(17, 3, None)], bid=[(17, 1), (17, 5)]) == {(17, 1, 3): 1}
    assert query.feed(12, bid=[(19, 3)], closed=([19], [])) == {(19, 3, None): 1}
    assert not query.feed(24)
    swept, alone = sorted(query.told(), key=lambda told: told[0] != OPEN)
    assert swept[1] == "1 row" and alone[0] == NO_RESULT + OPEN
    assert list(json.loads(alone[1]).values()) == [17, 5, None, None]
    assert not query.feed(25, bid=[(17, 9)])
    assert [reason for reason, _, _ in query.told()] == [NO_RESULT + OPEN]
    assert not query.feed(26, closed=([], [17, 19]))
    assert query.simulation.kept() == 0


@pytest.mark.parametrize("buckets", [1, 3])
def test_time_is_the_streams_own_where_it_promises_an_order_of_time(buckets: int) -> None:
    ddl = streams(STREAM)
    query = Feeding("SELECT itemid, COUNT(*) AS n FROM item GROUP BY itemid", ddl, buckets)
    schema = query.streams["item"].schema
    prefix = [Punctuation.of(schema, ts=between(None, at(hour))) for hour in range(60)]
    assert not query.feed(0, item=[(1, 1, at(3)), (2, 1, at(5))])
    assert not query.feed(9_999, said=[prefix[26]]), "no clock counts"
    assert not query.told()
    assert not query.feed(9_999, said=[prefix[29]]), "that is within the tick in which a day has passed"
    assert not query.told()
    assert query.feed(0, said=[prefix[30]], closed=([2], [])) == {(2, 1): 1}
    assert query.told() == {
        (OPEN, "1 row", '{"$punct": {"itemid": 1}}'): 1,
        (NO_RESULT + OPEN, '{"itemid":1,"n":1}', '{"$punct": {"itemid": 1}}'): 1,
    }
    assert not needs_clock(query.simulation.last)
    itself = "PUNCTUATED ON (ts ASC) EXPECT WITHIN '1 day'"
    assert needs_clock(Feeding("SELECT itemid FROM item", streams(itself), 1).simulation.last), "it may be lost itself"


def test_a_range_that_comes_later_closes_what_was_swept_and_what_was_not() -> None:
    query = Feeding(TOTALS, streams(WALL, "PUNCTUATED ON (itemid ASC)"), 2)
    query.feed(0, item=[(3, 1, None)], bid=[(3, 1), (4, 2)])
    query.feed(20, item=[(4, 1, None)], bid=[(4, 5)])
    query.feed(25)
    assert query.count("values_swept") == 1
    bids = query.streams["bid"].schema
    fed = {"bid": ColumnarSlice(frame(bids, []), (Punctuation.of(bids, itemid=between(None, 9)),))}
    query.feed(26, closed=([4], []))
    rows = query.simulation.feed(fed, 27 * HOUR).rows
    assert to_rows(rows) == [(4, 7)]
    assert [r.text for r in query.simulation.records] == ['{"itemid":3,"t":1}']


def test_what_a_purged_row_has_held_back_is_no_surer() -> None:
    """A bid held back that the bids of an amount are complete; it was purged because the item's punctuation is lost."""
    sql = "SELECT b.inc, COUNT(*) AS n FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY b.inc"
    query = Feeding(sql, streams(WALL, "PUNCTUATED ON (itemid), PUNCTUATED ON (inc)"), 1)
    bids = query.streams["bid"].schema
    query.feed(0, item=[(3, 1, None)], bid=[(3, 5)])
    query.simulation.feed({"bid": ColumnarSlice(frame(bids, []), (Punctuation.of(bids, inc=5),))}, HOUR)
    assert not query.feed(25)
    assert (NO_RESULT + OPEN, '{"inc":5,"n":1}', '{"$punct": {"itemid": 3}}') in query.told()


def test_a_stream_that_fails_when_it_is_violated_fails_when_its_punctuation_is_lost() -> None:
    ddl = streams(WALL).replace("USING json; CREATE STREAM bid", "ON VIOLATION FAIL USING json; CREATE STREAM bid")
    query = Feeding(TOTALS, ddl, 1)
    query.feed(0, item=[(17, 1, None)])
    with pytest.raises(QueryError, match="bad input in a stream with ON VIOLATION FAIL") as error:
        query.feed(24)
    assert OPEN in str(error.value)


def test_rows_of_a_value_are_in_one_bucket_and_the_times_may_change_between_runs() -> None:
    one, other = (parse_script(streams(WALL.replace("1 day", time))).streams for time in ("1 day", "2 hours"))
    sql = "SELECT i.cat, COUNT(*) AS n FROM item i GROUP BY i.cat"
    last, same = planned(parse_query(sql, one)), planned(parse_query(sql, other))
    assert [[source.key for source in stage.inputs] for stage in all_stages(last)] == [[(0,)], [(1,)]]
    assert fingerprint(last) == fingerprint(same)
    assert any("Expected ON (itemid) by the clock" in line for line in fingerprint(last))


class Model:
    """What becomes of a stream that is counted by item, with nothing but dictionaries."""

    def __init__(self, within: int) -> None:
        self.within, self.open, self.gone = within, dict[int, list[int]](), dict[int, str]()

    def feed(self, now: int, rows: list[int], closed: list[int]) -> tuple[Counter[Row], Counter[tuple[str, str]]]:
        out: Counter[Row] = Counter()
        told: Counter[tuple[str, str]] = Counter()
        for k in rows:
            if k in self.gone:
                told[self.gone[k], str(k)] += 1
            else:
                self.open.setdefault(k, []).append(now)
        for k in closed:
            self.gone[k] = VIOLATION  # what was swept may be closed after all
            if k in self.open:
                out[k, len(self.open.pop(k))] += 1
        for k, times in list(self.open.items()):
            if times[0] + self.within <= now:
                told["swept", str(k)] += 1
                told["withheld", f"{k} {len(self.open.pop(k))}"] += 1
                self.gone[k] = LATE
        return out, told


SLICES = st.lists(
    st.tuples(
        st.integers(0, 4), st.lists(st.integers(0, 5), max_size=4), st.lists(st.integers(0, 5), max_size=1, unique=True)
    ),
    max_size=8,
)


@examples(25)
@given(SLICES, st.integers(1, 3), st.booleans(), st.integers(1, 6))
def test_counts_are_those_of_a_model(
    slices: list[tuple[int, list[int], list[int]]], buckets: int, restart: bool, within: int
) -> None:
    ddl = streams(f"PUNCTUATED ON (itemid) EXPECT WITHIN '{within} hours'")
    query = Feeding("SELECT itemid, COUNT(*) AS n FROM item GROUP BY itemid", ddl, buckets, restart)
    model, now = Model(within), 0
    for step, rows, closed in slices:
        now += step
        out, told = model.feed(now, rows, closed)
        assert query.feed(now, item=[(k, 0, None) for k in rows], closed=(closed, [])) == out
        found: Counter[tuple[str, str]] = Counter()
        for r in query.simulation.records:
            itemid = int((r.punctuation or "").partition('"itemid": ')[2].rstrip("}") or -1) if ":" in r.reason else 0
            if r.reason.startswith(NO_RESULT):
                found["withheld", r.text.replace('{"itemid":', "").replace(',"n":', " ").rstrip("}")] += 1
            elif ":" in r.reason:
                found["swept", str(itemid)] += 1
            else:
                found[r.reason, r.text.replace('{"itemid":', "").rstrip("}")] += 1
        assert found == told


QUERIES = {
    "join": TOTALS,
    "regroup": f"SELECT t, COUNT(*) AS n FROM ({TOTALS}) GROUP BY t",
    "by another": "SELECT cat, COUNT(*) AS n FROM item GROUP BY cat",
    "left": "SELECT b.itemid, b.inc, i.cat FROM bid b LEFT JOIN item i ON b.itemid = i.itemid AND cat > 0",
    "full": "SELECT b.itemid, b.inc, i.cat FROM bid b FULL JOIN item i ON b.itemid = i.itemid",
    "anti": "SELECT itemid, inc FROM bid WHERE NOT EXISTS (SELECT 1 FROM item WHERE item.itemid = bid.itemid)",
    "left and group": (
        "SELECT b.itemid, COUNT(cat) AS n FROM bid b LEFT JOIN item i ON b.itemid = i.itemid GROUP BY b.itemid"
    ),
    "except": "SELECT itemid FROM bid EXCEPT SELECT itemid FROM item",
    "union": "SELECT itemid, COUNT(*) AS n FROM (SELECT itemid FROM item UNION ALL SELECT itemid FROM bid) "
    "GROUP BY itemid",
    "distinct": "SELECT DISTINCT itemid FROM item",
    "both": "SELECT i.cat, SUM(b.inc) AS s FROM item i JOIN bid b ON i.itemid = b.itemid GROUP BY i.cat",
}
WHOLE = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.none()), max_size=3),
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=3),
        st.tuples(*[st.lists(st.integers(0, 3), max_size=1)] * 2),
        st.lists(st.integers(0, 1), max_size=1),
    ),
    max_size=7,
)


@pytest.mark.parametrize("name", QUERIES)
@examples(10)
@given(slices=WHOLE, buckets=st.integers(2, 3), both=st.booleans(), lasts=st.booleans())
def test_buckets_and_restarts_change_nothing(
    name: str,
    slices: list[tuple[int, list[Row], list[Row], tuple[list[int], list[int]], list[int]]],
    buckets: int,
    both: bool,
    lasts: bool,
) -> None:
    within = "PUNCTUATED ON (itemid) EXPECT WITHIN '6 hours'" + (" LIFESPAN '7 hours'" if lasts else "")
    ddl = streams(f"{within}, PUNCTUATED ON (cat)", within if both else "PUNCTUATED ON (itemid)")
    one, many = Feeding(QUERIES[name], ddl, 1), Feeding(QUERIES[name], ddl, buckets, restart=True)
    schema = Schema.of(itemid="BIGINT", cat="BIGINT", ts="TIMESTAMP")
    now = 0
    for step, item, bid, closed, cats in slices:
        now += step
        said = [Punctuation.of(schema, cat=c) for c in cats]
        assert one.feed(now, item, bid, closed, said) == many.feed(now, item, bid, closed, said)
        texts = [Counter((r.reason.split(":")[0], r.text) for r in q.simulation.records) for q in (one, many)]
        assert texts[0] == texts[1]
        for what in ("values_swept", "rows_swept", "rows_withheld"):
            assert one.count(what) == many.count(what)
