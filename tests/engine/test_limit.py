"""ORDER BY … LIMIT in the whole engine, without Spark, against DuckDB: cut at random, in 1 to 4 buckets, restarted."""

import pytest

from engine.test_ranking import STREAMS, ours, run
from lanes import EXAMPLES, also_long
from punctum.algebra import Punctuation, between, end_of_stream
from punctum.algebra.values import Row
from punctum.analyse.safety.register import registered
from punctum.analyse.safety.verdicts import Verdict
from punctum.operators.columns import ColumnarSlice, empty, frame, to_rows
from punctum.parse import parse_query
from punctum.testing.simulate import Simulation

QUERIES = {
    "in order": "SELECT k, b, t FROM bid ORDER BY t{k, b} LIMIT 5",
    "out of order": "SELECT k, b, p FROM bid WHERE t > 2 ORDER BY p DESC NULLS LAST{k, b} LIMIT 4",
    "two keys": "SELECT b, t, p FROM bid ORDER BY t DESC, b NULLS LAST{p} LIMIT 7",
    "hidden": "SELECT k, b FROM bid ORDER BY t + 1, t % 2 DESC{k, b} LIMIT 6",
    "below": "SELECT t, COUNT(*) AS c, MIN(k) AS m FROM (SELECT k, t FROM bid ORDER BY t{k} LIMIT 7) GROUP BY t",
    "counted": "SELECT k, COUNT(*) AS c FROM (SELECT k, t FROM bid ORDER BY t DESC{k} LIMIT 5) GROUP BY k",
    "filtered": "SELECT t FROM (SELECT k, t FROM bid ORDER BY t{k} LIMIT 9) WHERE k > 1",
    "groups": "SELECT k, COUNT(*) AS c, MAX(t) AS m FROM bid GROUP BY k ORDER BY c DESC{k, m} LIMIT 2",
    "distinct": "SELECT DISTINCT b, k FROM bid ORDER BY k DESC{b} LIMIT 3",
    "of both": "SELECT k FROM bid UNION ALL SELECT i FROM item ORDER BY k DESC NULLS FIRST LIMIT 4",
    "limits": "SELECT * FROM (SELECT k, t FROM bid ORDER BY t{k} LIMIT 6) ORDER BY k{t} LIMIT 3",
}
SHORT = ("in order", "two keys", "below", "groups")
AT_THE_END = ", which come out when the streams have ended"


@pytest.mark.parametrize("name", also_long(*SHORT, more=[name for name in QUERIES if name not in SHORT]))
def test_first_rows_are_those_of_a_database(name: str) -> None:
    states = registered(parse_query(ours(QUERIES[name]), STREAMS)).states
    assert {state.verdict for state in states} <= {Verdict.STATELESS, Verdict.PURGEABLE, Verdict.BOUNDED}
    for seed in range(max(EXAMPLES // 2, 2)):
        run(QUERIES[name], seed, ended=True)


def test_the_first_are_out_once_nothing_can_come_before_them() -> None:
    relation = parse_query("SELECT t, k FROM bid ORDER BY t LIMIT 5", STREAMS)
    (state,) = (s for s in registered(relation).states if s.operator == "sort")
    assert (state.verdict, state.witness) == (Verdict.BOUNDED, ("5 rows",))
    engine, schema, out = Simulation(relation, 3), STREAMS["bid"].schema, list[Row]()
    for n in range(0, 16, 4):
        rows: list[Row] = [(k, None, None, t) for t in range(n + 3, n - 1, -1) for k in (t, 7)]
        said = (Punctuation.of(schema, t=between(None, n + 1)),)
        out += to_rows(engine.feed({"bid": ColumnarSlice(frame(schema, rows), said)}).rows)
        assert out == [(0, 0), (0, 7), (1, 1), (1, 7), (2, 2)][: 4 if n == 0 else 5]
        assert engine.kept() == (1 if n == 0 else 0)


def test_without_an_order_no_more_are_kept_and_the_end_lets_them_out() -> None:
    relation = parse_query("SELECT p FROM bid ORDER BY p DESC LIMIT 3", STREAMS)
    (state,) = (s for s in registered(relation).states if s.operator == "sort")
    assert (state.verdict, state.witness) == (Verdict.BOUNDED, (f"3 rows{AT_THE_END}",))
    engine, schema = Simulation(relation, 2), STREAMS["bid"].schema
    for start in range(0, 50, 10):
        rows: list[Row] = [(n % 2, None, float(n), n) for n in range(start, start + 10)]
        assert not engine.feed({"bid": ColumnarSlice(frame(schema, rows))}).rows.height
        assert engine.kept() == 3
    ended = engine.feed({"bid": ColumnarSlice(empty(schema), (end_of_stream(schema),))})
    assert to_rows(ended.rows) == [(49.0,), (48.0,), (47.0,)]
