"""Punctuations as state: what the register says of them is what a run keeps, with keys that never become ranges.

Streams close one string after the other, in any order of streams, and every promise is kept. Operators that forget go
back to where they were, those of which the register says that they remember keys keep more and more.
"""

import random
from collections.abc import Iterator
from itertools import product

import pytest

from punctum.analyse.safety.register import QueryAnalysis, verdict
from punctum.operators.columns import ColumnarSlice, frame
from punctum.operators.limits import limited
from punctum.parse import parse_script
from punctum.testing.simulate import Simulation

KEYS, ROUNDS, SOME = 5, 24, 6
ITEMS = "CREATE STREAM a (k STRING, x STRING, {}) USING json OPTIONS (path 'a');"
BIDS = "CREATE STREAM b (k STRING, x STRING, {}) USING json OPTIONS (path 'b');"
THREE = """CREATE STREAM s1 (a STRING, b STRING, PUNCTUATED ON (b)) USING json OPTIONS (path '1');
CREATE STREAM s2 (b STRING, c STRING, {}) USING json OPTIONS (path '2');
CREATE STREAM s3 ({}) USING json OPTIONS (path '3');"""
K, X, BOTH = "PUNCTUATED ON (k)", "PUNCTUATED ON (x)", "PUNCTUATED ON (k, x)"
JOIN = "SELECT a.k, a.x FROM a JOIN b ON a.k = b.k"
CYCLE = "SELECT s1.a, s1.b, s2.c FROM s1, s2, s3 WHERE s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a"
TREE = "SELECT s1.a, s1.b, s3.d FROM s1, s2, s3 WHERE s1.b = s2.b AND s2.c = s3.c"
B_AND_C, ONE_C = "PUNCTUATED ON (b), PUNCTUATED ON (c)", "PUNCTUATED ON (c)"


def sets(operator: str) -> str:
    return f"SELECT k, x FROM a {operator} SELECT k, x FROM b"


FORGETS = {
    "join": (ITEMS.format(K) + BIDS.format(K), JOIN),
    "group-by of a join": (ITEMS.format(K) + BIDS.format(K), f"SELECT k, COUNT(*) AS n FROM ({JOIN}) GROUP BY k"),
    "union": (ITEMS.format(K) + BIDS.format(K), sets("UNION")),
    "intersect": (ITEMS.format(K) + BIDS.format(K), sets("INTERSECT")),
    "difference": (ITEMS.format(BOTH) + BIDS.format(BOTH), sets("EXCEPT")),
    "merge": (ITEMS.format(K) + BIDS.format(K), f"SELECT k, COUNT(*) AS n FROM ({sets('UNION ALL')}) GROUP BY k"),
    "dupelim": (ITEMS.format(K), "SELECT DISTINCT k, x FROM a"),
    "group-by": (ITEMS.format(BOTH), "SELECT k, x, COUNT(*) AS n FROM a GROUP BY k, x"),
    "figure 3": (THREE.format(B_AND_C, "c STRING, d STRING, PUNCTUATED ON (c)"), TREE),
}
REMEMBERS = {
    "join": (ITEMS.format(K) + BIDS.format(BOTH), f"{JOIN} AND a.x = b.x", ["a(k)"]),
    "union": (ITEMS.format(K) + BIDS.format(X), sets("UNION"), ["a(k)", "b(x)"]),
    "difference": (ITEMS.format(BOTH) + BIDS.format(K), sets("EXCEPT"), ["b(k)"]),
    "figure 5": (THREE.format(ONE_C, "a STRING, c STRING, PUNCTUATED ON (a)"), CYCLE, ["s1(b)", "s2(c)", "s3(a)"]),
    "figure 8": (THREE.format(B_AND_C, "a STRING, c STRING, PUNCTUATED ON (a, c)"), CYCLE, ["s2(c)"]),
}


def registered(streams: str, sql: str) -> QueryAnalysis:
    (query,) = verdict(parse_script(f"{streams}\nCREATE SINK o USING json OPTIONS (path 'o');\nINSERT INTO o {sql};"))
    return query


def puncts(query: QueryAnalysis, buckets: int) -> list[int]:
    """How many punctuations operators keep after each round; all rows are purged then."""
    rng, found = random.Random(buckets), list[int]()
    simulation = Simulation(query.query.relation, buckets, restart=buckets > 1)
    for n in range(ROUNDS):
        keys = [f"{n} {i}" for i in range(KEYS)]
        simulation.feed({s.name: ColumnarSlice(frame(s.schema, [(key, key) for key in keys])) for s in query.streams})
        said = []
        for stream, scheme in ((s, scheme) for s in query.streams for scheme in s.schemes):
            columns = [keys if name in scheme.attributes else [None] for name in stream.schema.names]
            said += [(stream, scheme.instantiate(row)) for row in product(*columns)]
        rng.shuffle(said)
        for part in (said[::2], said[1::2]):
            puncts = {s.name: tuple(p for stream, p in part if stream is s) for s in query.streams}
            simulation.feed({s.name: ColumnarSlice(frame(s.schema, []), puncts[s.name]) for s in query.streams})
        assert simulation.kept() == 0
        found.append(simulation.puncts())
    return found


@pytest.fixture(autouse=True)
def few() -> Iterator[None]:
    """Let operators look for what is of no use any more after a few keys, not after hundreds."""
    with limited(apart=8, spelled=8, closed=8):
        yield


@pytest.mark.parametrize(
    ("name", "buckets"), [*((name, 1) for name in FORGETS), ("join", 3), ("union", 2), ("merge", 3)]
)
def test_operators_forget_what_all_inputs_have_closed(name: str, buckets: int) -> None:
    query = registered(*FORGETS[name])
    assert query.admitted and not query.remembered
    found = puncts(query, buckets)
    assert min(found[-SOME:]) <= min(found[:SOME]) + KEYS


@pytest.mark.parametrize("name", REMEMBERS)
def test_operators_remember_what_the_register_says(name: str) -> None:
    streams, sql, closed = REMEMBERS[name]
    query = registered(streams, sql)
    assert query.admitted and sorted(each.closed for each in query.remembered) == closed
    found = puncts(query, 1)
    assert min(found[-SOME:]) >= min(found[:SOME]) + KEYS * (ROUNDS - 2 * SOME)


def test_many_keys_wait_for_the_rest_of_a_domain() -> None:
    """What has been said of a part of the domain is not forgotten while more of it is promised."""
    query = registered(
        "CREATE STREAM a (k STRING, f BOOLEAN NOT NULL, PUNCTUATED ON (k, f)) USING json OPTIONS (path 'a');",
        "SELECT k, COUNT(*) AS n FROM a GROUP BY k",
    )
    (stream,), simulation = query.streams, Simulation(query.query.relation, 2, restart=True)
    rows, (scheme,) = [(f"{i}", i % 2 == 0) for i in range(60)], stream.schemes
    simulation.feed({"a": ColumnarSlice(frame(stream.schema, rows))})
    for flag in (True, False):
        for part in (rows[:30], rows[30:]):
            said = tuple(scheme.instantiate((k, flag)) for k, _ in part)
            simulation.feed({"a": ColumnarSlice(frame(stream.schema, []), said)})
    assert simulation.kept() == 0
