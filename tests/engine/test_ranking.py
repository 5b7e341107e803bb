"""Ranking functions in the whole engine, without Spark, against DuckDB: cut at random, in 1 to 4 buckets, restarted.

In a query, ``{ties}`` stands for the columns by which ROW_NUMBER tells peers apart: nothing in ours, all of them there.
"""

import random
from collections import Counter
from itertools import pairwise

import duckdb
import pytest

from lanes import EXAMPLES
from punctum.algebra import Punctuation, Schema, between, end_of_stream
from punctum.algebra.values import Row
from punctum.analyse.safety.register import registered
from punctum.analyse.safety.verdicts import Verdict
from punctum.compile import PASSES
from punctum.operators.columns import ColumnarSlice, empty, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.testing.simulate import Simulation

STREAMS = parse_script(
    """
    CREATE STREAM bid (k BIGINT, b STRING, p DOUBLE, t BIGINT NOT NULL, PUNCTUATED ON (k), PUNCTUATED ON (t ASC))
      USING json;
    CREATE STREAM item (i BIGINT, s STRING, t BIGINT NOT NULL, e BIGINT NOT NULL, PUNCTUATED ON (i), PUNCTUATED ON (s))
      USING json;
    """
).streams
QUERIES = {
    "top": """SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY p DESC{k, b, t}) AS n
                    FROM bid) WHERE n <= 2""",
    "first": """SELECT k, p FROM (SELECT k, p, t, ROW_NUMBER() OVER (PARTITION BY k ORDER BY t{p}) AS n
                    FROM bid) WHERE 1 = n""",
    "less": """SELECT k, n FROM (SELECT k, p, RANK() OVER (PARTITION BY k ORDER BY p) AS n
                    FROM bid WHERE t > 3) WHERE 3 > n""",
    "dense": """SELECT k, p, n FROM (SELECT k, p, DENSE_RANK() OVER (PARTITION BY k ORDER BY p NULLS LAST) n
                    FROM bid) WHERE n < 3""",
    "some": """SELECT k, t FROM (SELECT k, t, ROW_NUMBER() OVER (PARTITION BY k ORDER BY t DESC) AS n
                    FROM bid) WHERE n BETWEEN 2 AND 3""",
    "listed": """SELECT k, t, n FROM (SELECT k, t, RANK() OVER (PARTITION BY k ORDER BY t) AS n
                    FROM bid) WHERE n IN (1, 4)""",
    "no limit": "SELECT k, b, RANK() OVER (PARTITION BY k ORDER BY b, p DESC) AS n FROM bid",
    "qualify": "SELECT b, t, k FROM bid QUALIFY ROW_NUMBER() OVER (PARTITION BY k, b ORDER BY t DESC{k, b}) = 1",
    "qualify alias": """SELECT b, k, DENSE_RANK() OVER (PARTITION BY k ORDER BY t) AS n
                    FROM bid QUALIFY n <= 2 AND b <> 'x'""",
    "several": """SELECT k, p, RANK() OVER (PARTITION BY k ORDER BY p) AS n,
                  DENSE_RANK() OVER (PARTITION BY k ORDER BY p) AS m FROM bid QUALIFY m <= 2""",
    "groups": """SELECT k, b, COUNT(*) AS c, RANK() OVER (PARTITION BY k ORDER BY COUNT(*) DESC) AS n
                 FROM bid GROUP BY k, b QUALIFY n = 1""",
    "computed": """SELECT k, p * 2 AS d, n FROM (SELECT k, p,
                   RANK() OVER (PARTITION BY k + 1 ORDER BY p * 2 DESC, t % 2) AS n FROM bid) WHERE n <= 2""",
    "joined": """SELECT i.i, i.s, w.p FROM item i JOIN (SELECT k, p FROM bid
                 QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY p DESC{k}) <= 1) w ON i.i = w.k""",
    "of a join": """SELECT i.i, i.s, b.p FROM item i JOIN bid b ON i.i = b.k AND b.t BETWEEN i.t AND i.e
                    QUALIFY ROW_NUMBER() OVER (PARTITION BY i.i ORDER BY b.p DESC, b.t{i.s}) = 1""",
    "grouped": """SELECT k, COUNT(*) AS c, MAX(p) AS m FROM (SELECT k, p,
                  ROW_NUMBER() OVER (PARTITION BY k ORDER BY t{p}) n FROM bid) WHERE n <= 3 GROUP BY k""",
}
WITNESS = "2 rows, which come out when the streams have ended"
DATABASE = duckdb.connect(
    config={"threads": 1, "default_null_order": "nulls_first_on_asc_last_on_desc"}  # as Spark has it
)


def ours(query: str) -> str:
    """A query as we have it."""
    return "".join(part.partition("}")[2] if n else part for n, part in enumerate(query.split("{")))


def theirs(query: str) -> str:
    """A query with all that tells rows apart."""
    return query.replace("{", ", ").replace("}", "")


Sent = list[Row | Punctuation]


def sent(name: str, rng: random.Random) -> Sent:
    """Rows in the order of t, with prefixes of it and, when its last row has come, each key closed."""
    schema, keys = STREAMS[name].schema, [None, 1, 2, 3, 4] if name == "bid" else [1, 2, 3, 4]
    elements: Sent = []
    if name == "item":
        starts = {i: rng.randint(0, 6) for i in keys}
        rows: list[Row] = [(i, rng.choice("xy"), t, t + rng.randint(0, 5)) for i, t in starts.items()]
    else:
        times = sorted(rng.randint(0, 12) for _ in range(rng.choice([3, 12, 30])))
        some = [None, 0.5, 1.0, 1.5, float("nan")] if rng.random() < 0.3 else [None, 0.5, 1.0, 1.5, 2.5]
        rows = [(rng.choice(keys), rng.choice([None, "x", "y"]), rng.choice(some), t) for t in times]
    left = set(keys)
    for n, row in enumerate(rows):
        elements.append(row)
        done = {k for k in left if all(later[0] != k for later in rows[n + 1 :])}
        for k in sorted(done, key=str) if rng.random() < 0.5 else []:
            elements.append(Punctuation.of(schema, {schema.names[0]: k}))
            left.discard(k)
        if name == "bid" and rng.random() < 0.3 and n + 1 < len(rows):
            elements.append(Punctuation.of(schema, t=between(None, rows[n + 1][3], "[)")))
    elements += [Punctuation.of(schema, {schema.names[0]: k}) for k in sorted(left, key=str)]
    if name == "bid":
        return [*elements, Punctuation.of(schema, t=between(None, None))]
    return [*elements, *(Punctuation.of(schema, s=value) for value in (None, "x", "y"))]


def pieces(elements: Sent, schema: Schema, count: int, rng: random.Random) -> list[ColumnarSlice]:
    """A sequence in so many slices."""
    cuts = [0, *sorted(rng.randint(0, len(elements)) for _ in range(count - 1)), len(elements)]
    parts = [elements[a:b] for a, b in pairwise(cuts)]
    return [
        ColumnarSlice(
            frame(schema, [e for e in part if not isinstance(e, Punctuation)]),
            tuple(e for e in part if isinstance(e, Punctuation)),
        )
        for part in parts
    ]


def batch(query: str, given: dict[str, Sent]) -> Counter[Row]:
    """The rows that DuckDB gives."""
    for name, elements in given.items():
        rows = frame(STREAMS[name].schema, [e for e in elements if not isinstance(e, Punctuation)])
        DATABASE.register(name, rows.to_arrow())
    return Counter(shown(row) for row in DATABASE.execute(theirs(query)).fetchall())


def shown(row: Row) -> Row:
    """A row that equals itself, NaN or not."""
    return tuple(repr(round(v, 9) + 0.0) if isinstance(v, float) else v for v in row)


def run(query: str, seed: int, ended: bool = False) -> None:
    """A query on random streams gives what DuckDB gives, and keeps nothing when all partitions are closed, or all."""
    rng = random.Random(f"{query} {seed}")
    relation = parse_query(ours(query), STREAMS)
    names = [name for name in STREAMS if f"{name} " in query + " " or f" {name}" in query]
    given = {name: sent(name, rng) + [end_of_stream(STREAMS[name].schema)] * ended for name in names}
    count = rng.choice([1, 2, 5])
    engine = Simulation(relation, rng.randint(1, 4), restart=rng.random() < 0.3, passes=PASSES)
    slices = {name: pieces(elements, STREAMS[name].schema, count, rng) for name, elements in given.items()}
    rows = Counter[Row]()
    for n in range(count):
        rows += Counter(map(shown, to_rows(engine.feed({name: each[n] for name, each in slices.items()}).rows)))
        assert not engine.records
    assert rows == batch(query, given)
    assert not engine.kept()


@pytest.mark.parametrize("name", QUERIES)
def test_ranks_are_those_of_a_database(name: str) -> None:
    states = registered(parse_query(ours(QUERIES[name]), STREAMS)).states
    assert {state.verdict for state in states} <= {Verdict.STATELESS, Verdict.PURGEABLE}
    for seed in range(max(EXAMPLES // 2, 2)):
        run(QUERIES[name], seed)


def test_no_more_is_kept_than_is_within_the_limit() -> None:
    query = (
        "SELECT k, p FROM (SELECT k, p, ROW_NUMBER() OVER (PARTITION BY k ORDER BY p DESC) AS n FROM bid) WHERE n <= 3"
    )
    engine, schema = Simulation(parse_query(query, STREAMS), 1), STREAMS["bid"].schema
    for start in range(0, 100, 10):
        rows: list[Row] = [(n % 2, None, float(n), n) for n in range(start, start + 10)]
        assert not engine.feed({"bid": ColumnarSlice(frame(schema, rows))}).rows.height
        assert engine.kept() == 6
    closed = (Punctuation.of(schema, k=1),)
    rows = to_rows(engine.feed({"bid": ColumnarSlice(empty(schema), closed)}).rows)
    assert sorted(rows) == [(1, 95.0), (1, 97.0), (1, 99.0)]
    assert engine.kept() == 3


def test_one_partition_is_out_when_its_stream_has_ended() -> None:
    relation = parse_query("SELECT p FROM bid QUALIFY ROW_NUMBER() OVER (ORDER BY p) <= 2", STREAMS)
    (state,) = (s for s in registered(relation).states if s.verdict is not Verdict.STATELESS)
    assert (state.operator, state.verdict, state.witness) == ("top 2", Verdict.BOUNDED, (WITNESS,))
    engine, schema = Simulation(relation, 3), STREAMS["bid"].schema
    rows: list[Row] = [(n, None, float(n), n) for n in range(9, 0, -1)]
    assert not engine.feed({"bid": ColumnarSlice(frame(schema, rows))}).rows.height
    assert engine.kept() == 2
    ended = engine.feed({"bid": ColumnarSlice(empty(schema), (end_of_stream(schema),))})
    assert sorted(to_rows(ended.rows)) == [(1.0,), (2.0,)]
