"""Which schemes the output of each operator has, and that the operators keep these promises."""

import pytest

from analyse.test_kept import ROUNDS, rounds
from punctum.algebra import WILDCARD
from punctum.analyse.promises import Promise, named
from punctum.analyse.safety.inference import Inference
from punctum.ir import Relation
from punctum.operators.columns import to_rows
from punctum.parse import parse_script
from punctum.testing.simulate import run

DDL = """
CREATE STREAM a (k BIGINT, x BIGINT, h BIGINT, PUNCTUATED ON (k), PUNCTUATED ON (x, h)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, y BIGINT, ts TIMESTAMP, PUNCTUATED ON (k), PUNCTUATED ON (ts ASC))
  USING json OPTIONS (path 'b');
CREATE STREAM c (k BIGINT, y BIGINT, PUNCTUATED ON (y)) USING json OPTIONS (path 'c');
CREATE STREAM ab AS SELECT a.k, a.x, b.y, b.ts FROM a JOIN b ON a.k = b.k;
CREATE SINK result USING json OPTIONS (path 'out');
"""
CASES = {
    "SELECT * FROM a": ["(k)", "(x, h)"],
    "SELECT * FROM a WHERE x > 3": ["(k)", "(x, h)"],
    "SELECT k + 1 AS n, 5 - k AS m, x FROM a": ["(m)", "(n)"],
    "SELECT k AS one, k AS two FROM a": ["(one)", "(two)"],
    "SELECT k div 2 AS half, x, h FROM a": ["(x, h)"],
    "SELECT date_trunc('HOUR', ts) AS hour, ts FROM b": ["(hour ASC)", "(ts ASC)"],
    "SELECT x FROM a": [],
    "SELECT x FROM a WHERE h = 8": ["(x)"],
    "SELECT x, h FROM a WHERE h = 8": ["(x, h)"],
    "SELECT y FROM c WHERE y = 8": ["()", "(y)"],
    "SELECT k FROM (SELECT k, y FROM c WHERE y = k) t WHERE k = 8": [],
    "SELECT DISTINCT a.x FROM a JOIN (SELECT k, 8 AS y FROM b) t ON a.h = t.y": [],
    "SELECT k FROM c WHERE y = 8": ["()"],
    "SELECT DISTINCT k, x FROM a": ["(k)"],
    "SELECT k, y FROM b UNION ALL SELECT k, y FROM c": ["(k, y)"],
    "SELECT k, x AS y FROM a UNION SELECT k, y FROM b": ["(k)"],
    "SELECT k FROM a INTERSECT SELECT k FROM b": ["(k)"],
    "SELECT k FROM a EXCEPT SELECT k FROM b": ["(k)"],
    "SELECT k FROM a EXCEPT SELECT k FROM c": [],
    "SELECT k, x, COUNT(*) AS n FROM a GROUP BY k, x": ["(k)"],
    "SELECT x, h, COUNT(*) AS n FROM a GROUP BY x, h": ["(x, h)"],
    "SELECT x, COUNT(*) AS n FROM a GROUP BY x": [],
    "SELECT date_trunc('HOUR', ts) AS hour, COUNT(*) AS n FROM b GROUP BY date_trunc('HOUR', ts)": ["(hour ASC)"],
    "SELECT ts, k FROM b ORDER BY ts, k": ["(ts ASC)"],
    "SELECT ts, k FROM b ORDER BY k": [],
    "SELECT a.k, a.x, a.h, b.k AS l FROM a JOIN b ON a.k = b.k": ["(k)", "(l)", "(x, h)"],
    "SELECT b.k AS l, b.ts FROM a JOIN b ON a.k = b.k": ["(l)", "(ts ASC)"],
    "SELECT a.k, c.y FROM a JOIN c ON a.k = c.k": ["(y)"],
    "SELECT k, ts FROM ab": ["(k)", "(ts ASC)"],
    "SELECT k, MAX(y) AS most FROM ab GROUP BY k": ["(k)"],
    "SELECT a.k + b.k AS s, b.ts FROM a JOIN b ON a.k = b.k": ["(ts ASC)"],
}


def relation(sql: str) -> Relation:
    (query,) = parse_script(f"{DDL}INSERT INTO result {sql};").queries
    return query.relation


def text(promise: Promise, names: tuple[str, ...]) -> str:
    terms = (f"{names[i]} {order.value}".strip() for i, order in sorted(promise.terms, key=lambda term: term[0]))
    return f"({', '.join(terms)})"


@pytest.mark.parametrize("sql", CASES)
def test_inferred(sql: str) -> None:
    query = relation(sql)
    promises = named(Inference().facts(query))
    assert sorted({text(promise, query.schema.names) for promise in promises}) == CASES[sql]


@pytest.mark.parametrize("sql", [sql for sql in CASES if CASES[sql]])
def test_the_operators_keep_what_is_inferred(sql: str) -> None:
    """For each promise, every row of the result is covered in the end by a punctuation on the promise's columns."""
    query = relation(sql)
    streams = tuple(parse_script(DDL).streams[name] for name in "abc")
    count = 0
    for seed in (3, 7, 8):  # with rows that have an 8
        pieces = run(query, list(rounds(streams, seed)), buckets=2, global_punctuations=True)
        rows = [row for piece in pieces[: ROUNDS // 2] for row in to_rows(piece.rows)]
        emitted = [p for piece in pieces for p in piece.puncts]
        count += len(rows)
        for promise in named(Inference().facts(query)):
            others = [i for i in range(len(query.schema)) if i not in promise.columns]
            fitting = [p for p in emitted if all(p.patterns[i] is WILDCARD for i in others)]
            assert [row for row in rows if not any(p.match(row) for p in fitting)] == []
    assert count
