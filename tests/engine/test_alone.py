"""Groups by columns of sides that may have no row, and by merged ones: admitted, and the database's answer."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.queries import both
from engine.test_buckets import STREAMS, assert_grammatical, batch, rows_of, slices
from lanes import examples
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.states import states
from punctum.analyse.safety.verdicts import Verdict
from punctum.parse import parse_query
from punctum.spec import Slice, prefix
from punctum.testing.simulate import run

QUERIES = {
    "right": "SELECT b.k, COUNT(*) AS n, SUM(a.x) AS t FROM a LEFT JOIN b ON a.k = b.k AND a.x < b.y GROUP BY b.k",
    "distinct": "SELECT DISTINCT b.k, b.s FROM a LEFT JOIN b ON a.k = b.k",
    "some": "SELECT b.k, a.s, COUNT(*) AS n FROM a LEFT JOIN b ON a.k = b.k WHERE b.k > 0 GROUP BY b.k, a.s",
    "full": "SELECT a.k, COUNT(*) AS n FROM a FULL JOIN b ON a.k = b.k GROUP BY a.k",
    "using": "SELECT k, COUNT(a.x) AS n, COUNT(b.y) AS m FROM a FULL JOIN b USING (k) GROUP BY k",
    "using twice": "SELECT k, a.x, b.y, c.y AS z FROM a FULL JOIN b USING (k) FULL JOIN b c USING (k)",
}


@pytest.mark.parametrize("name", QUERIES)
@examples(25)
@given(streams=both, buckets=st.integers(1, 3), restart=st.booleans())
def test_the_answer_is_that_of_a_database(
    name: str, streams: tuple[list[Slice], list[Slice]], buckets: int, restart: bool
) -> None:
    (a, b), relation = streams, parse_query(QUERIES[name], STREAMS)
    assert Verdict.UNBOUNDED not in {state.verdict for state in states(relation, Inference())}
    wanted = batch(QUERIES[name], list(prefix(a).rows), list(prefix(b).rows))
    given_slices = run(relation, slices(a, b), buckets, restart, global_punctuations=True)
    assert Counter(rows_of(given_slices)) == Counter(wanted)
    assert_grammatical(given_slices)
