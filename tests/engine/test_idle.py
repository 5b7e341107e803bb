"""Punctuations that are of no use to a query end behind the guard: the same rows and violations come out."""

import random
from collections import Counter
from typing import Any

import polars as pl
import pytest

from punctum.algebra.punctuation import Punctuation
from punctum.compile import PASSES, Pass
from punctum.ir import Relation
from punctum.operators.columns import ColumnarSlice
from punctum.parse import parse_script
from punctum.testing.simulate import ALL_PUNCTUATIONS, Simulation

SCRIPT = """
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k), PUNCTUATED ON (x), PUNCTUATED ON (x, k)) USING memory;
CREATE STREAM b (k BIGINT, y BIGINT, PUNCTUATED ON (k)) USING memory;
CREATE SINK o USING json OPTIONS (path 'o');
INSERT INTO o {};
"""
QUERIES = {
    "join": "SELECT a.k, a.x, b.y FROM a JOIN b ON a.k = b.k",
    "left": "SELECT a.k, a.x, b.y FROM a LEFT JOIN b ON a.k = b.k AND b.y > 50",
    "subquery": "SELECT q, y FROM (SELECT x AS q, k AS j FROM a) AS r JOIN b ON r.j = b.k",
    "grouped": "SELECT a.k, MAX(x) AS x, MAX(y) AS y FROM a JOIN b ON a.k = b.k GROUP BY a.k",
}


def fed(
    relation: Relation, buckets: int, passes: tuple[Pass, ...]
) -> tuple[list[Counter[tuple[Any, ...]]], int, int, list[str]]:
    """The rows of each slice, the rows and punctuations that are kept in the end, and what was not taken."""
    chance, simulation = random.Random(buckets), Simulation(relation, buckets, passes=passes)
    streams = {s.name: s for s in parse_script(SCRIPT.format(QUERIES["join"])).streams.values()}
    found, bad = [], list[str]()
    for n in range(6):
        feed = {}
        for name, stream in streams.items():
            rows = [(chance.randrange(4 * n, 4 * n + 8), chance.randrange(100 * n, 100 * n + 150)) for _ in range(30)]
            said = [Punctuation.of(stream.schema, k=k) for k in range(4 * n, 4 * n + 4)]
            said += [Punctuation.of(stream.schema, x=x) for x in range(100 * n, 100 * n + 100) if name == "a"]
            names = stream.schema.names
            late = [(4 * n + 7, 100 * n - 1)] * (n > 0 and name == "a")  # its x was closed, its k was not
            frame = pl.DataFrame([*rows, *late], schema=dict.fromkeys(names, pl.Int64), orient="row")
            feed[name] = ColumnarSlice(frame, tuple(said))
        found.append(Counter(simulation.feed(feed).rows.rows()))
        bad += sorted(record.line() for running in simulation._running.values() for record in running.records())
    return found, simulation.kept(), simulation.puncts(), bad


@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("name", QUERIES)
def test_the_same_comes_out(name: str, buckets: int) -> None:
    relation = parse_script(SCRIPT.format(QUERIES[name])).queries[0].relation
    with_all, without = fed(relation, buckets, ALL_PUNCTUATIONS), fed(relation, buckets, PASSES)
    assert with_all[:2] == without[:2] and with_all[3] == without[3]
    assert sum(map(Counter.total, with_all[0])) >= 24 and len(with_all[3]) == 5
    assert without[2] < with_all[2]
