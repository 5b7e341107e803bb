"""Functions of frames in the whole engine, without Spark, against DuckDB; streams and queries as in test_ranking.py."""

import pytest

from engine.test_ranking import STREAMS, ours, run
from lanes import EXAMPLES
from punctum.algebra import Punctuation, between
from punctum.algebra.values import Row
from punctum.analyse.safety.register import registered
from punctum.analyse.safety.verdicts import Verdict
from punctum.operators.columns import ColumnarSlice, empty, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.testing.simulate import Simulation

WINDOW = "PARTITION BY k ORDER BY t{b, p}"
QUERIES = {
    "last": f"SELECT k, b, p, t, SUM(p) OVER ({WINDOW} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS v FROM bid",
    "mean": f"SELECT k, b, p, t, AVG(t) OVER ({WINDOW} ROWS 4 PRECEDING) AS v FROM bid",
    "running": f"SELECT k, b, p, t, COUNT(p) OVER ({WINDOW} ROWS UNBOUNDED PRECEDING) AS v FROM bid",
    "numbered": f"SELECT k, b, p, t, ROW_NUMBER() OVER ({WINDOW}) AS v FROM bid",
    "peers": """SELECT k, t, SUM(t) OVER (PARTITION BY k ORDER BY t) AS v,
                MAX(p) OVER (PARTITION BY k ORDER BY t) AS m FROM bid""",
    "lag": f"SELECT k, b, p, t, LAG(t) OVER ({WINDOW}) AS v, LAG(b, 3) OVER ({WINDOW}) AS w FROM bid",
    "ends": f"""SELECT k, b, p, t, FIRST_VALUE(b) OVER ({WINDOW} ROWS 3 PRECEDING) AS v,
                FIRST_VALUE(p) OVER ({WINDOW}) AS w, LAST_VALUE(t) OVER ({WINDOW} ROWS 2 PRECEDING) AS x FROM bid""",
    "best": f"""SELECT k, b, p, t, MIN(b) OVER ({WINDOW} ROWS 5 PRECEDING) AS v,
                MAX(p) OVER ({WINDOW} ROWS UNBOUNDED PRECEDING) AS w FROM bid""",
    "lead": f"SELECT k, b, p, t, LEAD(t) OVER ({WINDOW}) AS v, LEAD(b, 3) OVER ({WINDOW}) AS w FROM bid",
    "default": f"""SELECT k, b, p, t, LAG(t, 2, -1) OVER ({WINDOW}) AS v, LEAD(p, 1, t) OVER ({WINDOW}) AS w,
                   LAG(b, 1, NULL) OVER ({WINDOW}) AS x FROM bid""",
    "lead below": "SELECT k, t, p, LEAD(p, 2) OVER (PARTITION BY k ORDER BY p DESC{t}) AS v FROM bid",
    "near": """SELECT k, t, SUM(t) OVER w AS v, COUNT(p) OVER w AS c, FIRST_VALUE(t) OVER w AS f, MAX(b) OVER w AS m
               FROM bid WINDOW w AS (PARTITION BY k ORDER BY t RANGE BETWEEN 3 PRECEDING AND CURRENT ROW)""",
    "near below": "SELECT k, t, AVG(t) OVER (PARTITION BY k ORDER BY t DESC RANGE 2 PRECEDING) AS v FROM bid",
    "whole": "SELECT k, p FROM bid QUALIFY p = MAX(p) OVER (PARTITION BY k)",
    "unordered": "SELECT k, p, t, SUM(t) OVER (PARTITION BY k ORDER BY p DESC{t} ROWS 2 PRECEDING) AS v FROM bid",
    "down": "SELECT k, t, COUNT(*) OVER (PARTITION BY k ORDER BY t DESC) AS v FROM bid",
    "groups": """SELECT k, b, SUM(t) AS s, SUM(SUM(t)) OVER (PARTITION BY k ORDER BY b ROWS 1 PRECEDING) AS v
                 FROM bid GROUP BY k, b""",
    "average of winners": """SELECT s, AVG(p) OVER (PARTITION BY s ORDER BY t{i, p} ROWS 2 PRECEDING) AS v FROM (
        SELECT i.i, i.s, b.p, b.t FROM item i JOIN bid b ON i.i = b.k AND b.t BETWEEN i.t AND i.e
        QUALIFY ROW_NUMBER() OVER (PARTITION BY i.i ORDER BY b.p DESC, b.t{i.s}) = 1)""",
}
CROWD = "SELECT t, SUM(t) OVER (ORDER BY t ROWS 2 PRECEDING) AS v, COUNT(*) OVER (ORDER BY t) AS n FROM bid"


@pytest.mark.parametrize("name", QUERIES)
def test_values_are_those_of_a_database(name: str) -> None:
    states = registered(parse_query(ours(QUERIES[name]), STREAMS)).states
    assert {state.verdict for state in states} <= {Verdict.STATELESS, Verdict.PURGEABLE}
    for seed in range(max(EXAMPLES // 2, 2)):
        run(QUERIES[name], seed)


def test_order_lets_rows_out_and_few_are_kept_behind_it() -> None:
    relation = parse_query(CROWD, STREAMS)
    kept = [(s.input, s.verdict, s.witness) for s in registered(relation).states if s.operator == "over"]
    assert ("bid before the next row", Verdict.BOUNDED, ("2 rows",)) in kept
    engine, schema = Simulation(relation, 2), STREAMS["bid"].schema
    for n in range(20):
        rows: list[Row] = [(None, None, None, 2 * n), (None, None, None, 2 * n + 1)]
        said = (Punctuation.of(schema, t=between(None, 2 * n)),)
        out = engine.feed({"bid": ColumnarSlice(frame(schema, rows[:1]), said)})
        come = range(max(0, 2 * n - 1), 2 * n + 1)  # the odd one before has waited
        assert sorted(to_rows(out.rows)) == [(t, sum(range(max(0, t - 2), t + 1)), t + 1) for t in come]
        engine.feed({"bid": ColumnarSlice(frame(schema, rows[1:]))})
    assert engine.kept() == 1 + 2 + 1  # a row that waits, two before it, and one that stands for all


def test_a_row_waits_for_the_next_one_and_holds_its_punctuation() -> None:
    relation = parse_query("SELECT t, LEAD(t) OVER (PARTITION BY k ORDER BY t) AS v FROM bid", STREAMS)
    kept = [(s.input, s.verdict) for s in registered(relation).states if s.operator == "over"]
    assert ("bid until later rows", Verdict.PURGEABLE) in kept
    engine, schema = Simulation(relation, 1), STREAMS["bid"].schema
    for n in range(3):
        rows: list[Row] = [(k, None, None, n) for k in (1, 2)]
        out = engine.feed({"bid": ColumnarSlice(frame(schema, rows), (Punctuation.of(schema, t=between(None, n)),))})
        assert sorted(to_rows(out.rows)) == [(n - 1, n)] * (2 if n else 0)
        assert [str(p) for p in out.puncts] == ([f"<(,{n - 1}], *>"] if n else ["<NULL, *>"])
        assert engine.kept() == 2
    out = engine.feed({"bid": ColumnarSlice(empty(schema), (Punctuation.of(schema, k=1),))})
    assert to_rows(out.rows) == [(2, None)] and engine.kept() == 1


def test_a_sum_that_does_not_fit_goes_to_the_quarantine() -> None:
    streams = parse_script("CREATE STREAM s (k BIGINT, v BIGINT, PUNCTUATED ON (k)) USING json;").streams
    schema = streams["s"].schema
    query = "SELECT k, SUM(v) OVER (PARTITION BY k ORDER BY v ROWS 1 PRECEDING) AS total FROM s"
    engine = Simulation(parse_query(query, streams), 1)
    rows: list[Row] = [(1, 5), (1, 2**63 - 2), (1, 2**63 - 1), (1, -3)]
    engine.feed({"s": ColumnarSlice(frame(schema, rows))})
    out = engine.feed({"s": ColumnarSlice(empty(schema), (Punctuation.of(schema, k=1),))})
    assert sorted(to_rows(out.rows)) == [(1, -3), (1, 2)]
    assert len(engine.records) == 2
