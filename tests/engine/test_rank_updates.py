"""Ranks that come again when they change, in stages and buckets, without Spark: DuckDB's answer at every prefix."""

import random
from collections import Counter

import pytest

from engine.test_ranking import STREAMS, batch, ours, pieces, sent, shown
from lanes import EXAMPLES, also_long
from punctum.algebra.values import Row
from punctum.analyse.safety.register import registered
from punctum.analyse.safety.updates import changing, key
from punctum.compile import PASSES, compile
from punctum.errors import SchemaError
from punctum.ir import StreamDef
from punctum.operators.columns import to_rows
from punctum.parse import parse_query
from punctum.testing.simulate import Simulation

QUERIES = {
    "top": "SELECT p, k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY p DESC{k}) AS n FROM bid QUALIFY n <= 2",
    "of all": "SELECT ROW_NUMBER() OVER (ORDER BY t{k}) AS n, t, k FROM bid QUALIFY n <= 3",
    "latest": "SELECT k + 1 AS j, k, t FROM bid QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY t DESC) = 1",
    "second": """SELECT k, b, n FROM (SELECT k, b, ROW_NUMBER() OVER (PARTITION BY k, b ORDER BY p{k}) AS n FROM bid)
                 WHERE n BETWEEN 2 AND 3 AND k > 1""",
    "of a join": """SELECT i.s, i.i, b.p, ROW_NUMBER() OVER (PARTITION BY i.i ORDER BY b.p DESC, b.t{i.s}) AS n
                    FROM item i JOIN bid b ON i.i = b.k AND b.t BETWEEN i.t AND i.e QUALIFY n <= 2""",
}
SCRIPT = """
CREATE STREAM bid (k BIGINT, p DOUBLE, t TIMESTAMP, PUNCTUATED ON (k)) USING json OPTIONS (path 'in');
CREATE SINK o USING json OPTIONS (path 'out', updates 'true');
INSERT INTO o SELECT {};
"""
REFUSED = {
    "k, p FROM bid QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY p) <= 2": "it does not show the rank",
    "k, p FROM bid QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY t) = 1 AND p > 2": "a condition may drop a row",
    "k, RANK() OVER (PARTITION BY k ORDER BY p) AS n FROM bid QUALIFY n = 1": "peers have the same RANK",
    "k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY p) AS n FROM bid": "its rows are not groups, nor ranks",
    "k, session_window.end, COUNT(*) AS n FROM bid GROUP BY k, session_window(t, '9 seconds')": "a session that grows",
    "k, p FROM bid ORDER BY p LIMIT 3": "its rows are not groups, nor ranks",
}


def run(query: str, seed: int) -> None:
    rng = random.Random(f"{query} {seed}")
    relation = parse_query(ours(query), STREAMS)
    named, keys = key(relation), relation.schema.names
    assert named is not None and changing(relation) is not None
    at = [keys.index(name) for name in named]
    given = {name: sent(name, rng) for name in STREAMS if f" {name}" in query}
    count = rng.choice([1, 4, 8])
    engine = Simulation(relation, rng.randint(1, 4), restart=rng.random() < 0.3, passes=PASSES, updates=True)
    slices = {name: pieces(elements, STREAMS[name].schema, count, rng) for name, elements in given.items()}
    latest = dict[Row, Row]()
    for n in range(count):
        rows = to_rows(engine.feed({name: each[n] for name, each in slices.items()}).rows)
        changed = {tuple(row[i] for i in at): row for row in map(shown, rows)}
        assert len(changed) == len(rows), "a rank has one row in a batch"
        latest |= changed
        if len(slices) == 1:
            read = [to_rows(piece.rows) for piece in slices["bid"][: n + 1]]
            assert Counter(latest.values()) == batch(query, {"bid": [row for rows in read for row in rows]})
    assert Counter(latest.values()) == batch(query, given)
    assert "ORDER BY t{k}" in query or not engine.kept()


@pytest.mark.parametrize("name", also_long("top", "of all", "of a join", more=["latest", "second"]))
def test_what_came_last_of_each_rank_is_the_answer_so_far(name: str) -> None:
    for seed in range(max(EXAMPLES // 2, 3)):
        run(QUERIES[name], seed)


@pytest.mark.parametrize("query", REFUSED)
def test_updates_need_a_key(query: str) -> None:
    with pytest.raises(SchemaError) as caught:
        compile(SCRIPT.format(query))
    assert (caught.value.detail or "").startswith(REFUSED[query])


def test_a_leaderboard_needs_no_punctuation() -> None:
    bare = {"bid": StreamDef("bid", STREAMS["bid"].schema)}
    assert registered(parse_query(ours(QUERIES["of all"]), bare)).updates
    assert not registered(parse_query(ours(QUERIES["of all"]), STREAMS)).updates
    assert not registered(parse_query(ours(QUERIES["top"]), bare)).safe
