"""The punctuations of a result hold for all of it, so that the result is a stream as any other.

``test_buckets.py`` checks that each result is grammatical.
"""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.queries import QUERIES, both
from engine.test_buckets import STREAMS, batch, rounded, slices
from lanes import examples
from punctum.algebra.scheme import Scheme
from punctum.ir import StreamDef
from punctum.operators.columns import ColumnarSlice, to_rows
from punctum.parse import parse_query
from punctum.plan.physical.stages import all_stages
from punctum.spec import Slice, prefix
from punctum.testing.simulate import Simulation, planned, run

OVER = {
    "join": "SELECT x, COUNT(*) AS n, SUM(y) AS t FROM r GROUP BY x",
    "union all": "SELECT DISTINCT v FROM r",
    "columns": "SELECT k1, MAX(u) AS u FROM r GROUP BY k1",
    "distinct": "SELECT r.k, b.y FROM r JOIN b ON r.k = b.k",
    "group": "SELECT t, COUNT(*) AS n FROM r GROUP BY t",
}
"""Queries over the results of others."""


def result(sql: str, fed: list[dict[str, ColumnarSlice]], buckets: int) -> list[ColumnarSlice]:
    return run(parse_query(sql, STREAMS), fed, buckets, global_punctuations=True)


@pytest.mark.parametrize("name", OVER)
@examples(25)
@given(streams=both, buckets=st.integers(1, 4))
def test_a_query_over_the_result_is_the_composed_query(
    name: str, streams: tuple[list[Slice], list[Slice]], buckets: int
) -> None:
    a, b = streams
    fed = slices(a, b)
    schema = parse_query(QUERIES[name], STREAMS).schema
    known = STREAMS | {"r": StreamDef("r", schema, (Scheme.of(schema, schema.names[0]),))}
    chained = [
        {"r": piece} | {k: v for k, v in one.items() if k == "b"}
        for one, piece in zip(fed, result(QUERIES[name], fed, buckets), strict=True)
    ]
    simulation = Simulation(parse_query(OVER[name], known), buckets)
    found = [t for piece in chained for t in to_rows(simulation.feed(piece).rows)]
    composed = f"WITH r AS ({QUERIES[name]}) {OVER[name]}"
    assert Counter(rounded(found)) == Counter(rounded(batch(composed, list(prefix(a).rows), list(prefix(b).rows))))
    assert simulation.kept() == 0


def test_a_result_is_brought_together_only_where_it_is_apart() -> None:
    def numbers(name: str) -> tuple[int, int]:
        relation = parse_query(QUERIES[name], STREAMS)
        return len(all_stages(planned(relation))), len(all_stages(planned(relation, global_punctuations=True)))

    assert numbers("join") == (1, 2)
    assert numbers("select") == (1, 1)  # a pipe: the exchange behind it goes to one bucket
    assert numbers("order") == (1, 1)
    assert numbers("global") == (1, 1)
