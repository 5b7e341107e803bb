"""Clauses on columns that a query does not look at, with punctuations on the rest of their values: no cut matters."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.testing import run

SCRIPT = """
CREATE STREAM a (k BIGINT, t BIGINT, x BIGINT, {}) USING json OPTIONS (path 'a');
CREATE SINK o USING json OPTIONS (path 'o');
INSERT INTO o SELECT k, x FROM a ALLOW UNBOUNDED;
"""
CLAUSES = [
    "PUNCTUATE (t ASC)",
    "PUNCTUATE (k, t DESC)",
    "PUNCTUATE (t) WHEN x = 5",
    "PUNCTUATE (t ASC) WHEN x = 5",
    "UNIQUE (t)",
    "DOMAIN t BETWEEN 1 AND 3, PUNCTUATE (t ASC)",
]
BOUNDS = st.tuples(st.sampled_from(["ge", "gt", "le", "lt"]), st.integers(1, 4)).map(lambda b: {b[0]: b[1]})
ROWS = st.tuples(st.integers(1, 2), st.integers(1, 3), st.integers(5, 6))
ELEMENTS = ROWS | BOUNDS.map(lambda bound: {"$punct": {"t": bound}})


@pytest.mark.parametrize("clause", CLAUSES)
@examples(100)
@given(sequence=st.lists(ELEMENTS, min_size=2, max_size=8), cut=st.integers(2, 8), buckets=st.integers(1, 3))
def test_any_cut_is_the_same(clause: str, sequence: list[Any], cut: int, buckets: int) -> None:
    whole = run(SCRIPT.format(clause), {"a": sequence}, cut=cut, buckets=buckets)
    single = run(SCRIPT.format(clause), {"a": sequence}, cut=1)
    assert sorted(map(str, whole.rows)) == sorted(map(str, single.rows))
    assert sorted(text for *_, text in whole.quarantine) == sorted(text for *_, text in single.quarantine)
