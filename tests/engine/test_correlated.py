"""Subqueries that name columns further out, and below groups: the engine's answer is the database's."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.queries import both
from engine.test_buckets import STREAMS, batch, rows_of, slices
from lanes import examples
from punctum.parse import parse_query
from punctum.spec import Slice, prefix
from punctum.testing.simulate import run

QUERIES = {
    "two up": (
        "SELECT a.k, a.x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND EXISTS "
        "(SELECT 1 FROM a c WHERE c.k = b.k AND c.x < a.x))"
    ),
    "not two up": (
        "SELECT a.k, a.x FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.y IN "
        "(SELECT c.x FROM a c WHERE c.k = b.k AND c.s = a.s))"
    ),
    "equal between": (
        "SELECT a.k, a.x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.k = b.k AND b.y = a.x AND NOT EXISTS "
        "(SELECT 1 FROM b c WHERE c.k = a.k AND c.y > a.x))"
    ),
    "three up": (
        "SELECT a.k, a.x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND EXISTS (SELECT 1 FROM a c "
        "WHERE c.k = b.k AND EXISTS (SELECT 1 FROM b d WHERE d.k = c.k AND d.y <> a.x AND d.s = b.s)))"
    ),
    "groups": (
        "SELECT a.k, a.x FROM a WHERE EXISTS (SELECT b.s FROM b WHERE b.k = a.k AND b.y + 1 = a.x "
        "GROUP BY b.s HAVING COUNT(*) > 1)"
    ),
    "not in groups": (
        "SELECT a.k, a.x FROM a WHERE a.x NOT IN (SELECT MAX(b.y) FROM b WHERE a.k = b.k AND a.x > 0 GROUP BY b.s)"
    ),
    "largest": "SELECT a.k, a.x FROM a WHERE a.x IN (SELECT MAX(b.y) FROM b WHERE b.k = a.k HAVING COUNT(*) < 3)",
    "different": (
        "SELECT a.k, a.x FROM a WHERE NOT EXISTS (SELECT b.s FROM b WHERE b.k = a.k AND b.y < a.x GROUP BY b.s)"
    ),
}


@pytest.mark.parametrize("name", QUERIES)
@examples(25)
@given(streams=both, buckets=st.integers(1, 3), restart=st.booleans())
def test_the_answer_is_that_of_a_database(
    name: str, streams: tuple[list[Slice], list[Slice]], buckets: int, restart: bool
) -> None:
    a, b = streams
    wanted = batch(QUERIES[name], list(prefix(a).rows), list(prefix(b).rows))
    given_rows = rows_of(run(parse_query(QUERIES[name], STREAMS), slices(a, b), buckets, restart))
    assert Counter(given_rows) == Counter(wanted)
