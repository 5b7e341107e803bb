"""LIFESPAN in the stream's own time: rows and quarantine are those of the elements one by one, whatever the batches."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sequences import Sequences, cuts, hour, piece, singly
from engine.test_cuts import drawn, oracle, pipes, run
from engine.test_cuts_time import PLAIN, RELEASED, relation
from lanes import also_long, examples
from punctum.algebra.functions import Element
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.compile import PASSES
from punctum.engine.runtime.timeline import Timeline
from punctum.ir.tree import Relation
from punctum.plan.physical.stages import all_stages
from punctum.testing.simulate import Feed, Splits, planned

CLAUSES = [
    "PUNCTUATED ON (ts ASC), PUNCTUATED ON (k) LIFESPAN '1 hour'",
    "PUNCTUATED ON (ts ASC), PUNCTUATED ON (k, s) LIFESPAN '30 minutes'",
    "PUNCTUATE (ts ASC), PUNCTUATED ON (k) LIFESPAN '1 hour'",
    "PUNCTUATE (ts ASC) DELAY '1 hour', PUNCTUATE (k) WHEN x = 0 LIFESPAN '30 minutes'",
    "PUNCTUATE (ts ASC) DELAY '2 hours', PUNCTUATED ON (k ASC) LIFESPAN '1 hour'",
    "PUNCTUATE (DATE_TRUNC('hour', ts) ASC), PUNCTUATED ON (ts ASC), UNIQUE (k), PUNCTUATED ON (s) LIFESPAN '1 hour'",
    "PUNCTUATE (ts ASC) DELAY '1 hour', PUNCTUATE (x ASC), PUNCTUATED ON (k) LIFESPAN '30 minutes'",
    "PUNCTUATE (ts ASC) DELAY '2 hours', PUNCTUATE (k) WHEN ALL s IN ('a', 'b') LIFESPAN '30 minutes'",
    "PUNCTUATE (ts ASC) DELAY '1 hour', PUNCTUATE (k ASC) LIFESPAN '30 minutes'",
    "PUNCTUATE (ts ASC) DELAY '1 hour', PUNCTUATE (s, k DESC) DELAY 1 LIFESPAN '30 minutes'",
    "PUNCTUATED ON (ts ASC), PUNCTUATED ON (k) EXPECT WITHIN '1 hour' LIFESPAN '30 minutes'",
    "PUNCTUATE (ts ASC) DELAY '1 hour', PUNCTUATE (k) WHEN x = 0 EXPECT WITHIN '1 hour' LIFESPAN '1 hour'",
    "PUNCTUATE (ts ASC), PUNCTUATE (k) WHEN ALL s IN ('a', 'b') EXPECT WITHIN '1 hour' LIFESPAN '30 minutes'",
]


@pytest.mark.parametrize("clause", also_long(*CLAUSES[2::2], more=[CLAUSES[0], *CLAUSES[1::2]]))
@examples(50)
@given(data=st.data(), sql=st.sampled_from(PLAIN), buckets=st.integers(1, 4), restart=st.booleans())
def test_what_is_late_is_that_of_elements_one_by_one(
    clause: str, data: st.DataObject, sql: str, buckets: int, restart: bool
) -> None:
    query = relation(PLAIN[0] if "WHEN ALL" in clause else sql, clause)
    sequences = drawn(data, query)
    (wanted,) = oracle(query, sequences).values()
    feeds = data.draw(cuts(sequences), "cut")
    assert run(query, feeds, buckets, restart) == (Counter(wanted.rows), wanted.records)


@pytest.mark.parametrize("sql", also_long(RELEASED[0], more=RELEASED[1:]))
@examples(50)
@given(data=st.data(), clause=st.sampled_from(CLAUSES), buckets=st.integers(1, 4), restart=st.booleans())
def test_what_comes_again_is_that_of_elements_one_by_one(
    sql: str, data: st.DataObject, clause: str, buckets: int, restart: bool
) -> None:
    query = relation(sql, clause)
    sequences = drawn(data, query)
    found = run(query, data.draw(cuts(sequences), "cut"), buckets, restart)
    assert found == run(query, singly(sequences), 1, restart=False)


@pytest.mark.parametrize("sql", also_long(RELEASED[0], more=[PLAIN[0], RELEASED[2]]))
@examples(20)
@given(data=st.data(), clause=st.sampled_from(CLAUSES), buckets=st.integers(1, 4))
def test_a_bucket_that_hears_of_time_only_where_it_matters_forgets_the_same(
    sql: str, data: st.DataObject, clause: str, buckets: int
) -> None:
    query = relation(sql, clause)
    sequences = drawn(data, query)
    found = run(query, data.draw(cuts(sequences), "cut"), buckets, restart=False, passes=PASSES)
    assert found == run(query, singly(sequences), 1, restart=False)


JOINED = "SELECT p.k, COUNT(*) AS n FROM a p JOIN a q ON p.s = q.s AND p.x = q.x GROUP BY p.k"
AGAIN = [
    JOINED,
    "SELECT k, s FROM a UNION SELECT x, s FROM a",
    "SELECT k, s FROM a EXCEPT SELECT x, s FROM a WHERE x > 1",
    "SELECT k, COUNT(*) AS n FROM (SELECT k, s FROM a INTERSECT SELECT x, s FROM a) GROUP BY k",
    "SELECT k, s, n FROM (SELECT k, s, COUNT(*) AS n FROM a GROUP BY k, s) UNION SELECT n, s, k FROM "
    "(SELECT k, s, COUNT(*) AS n FROM a GROUP BY k, s)",
]


@pytest.mark.parametrize("sql", also_long(AGAIN[0], more=AGAIN[1:]))
@examples(50)
@given(data=st.data(), clause=st.sampled_from(CLAUSES), buckets=st.integers(1, 4), restart=st.booleans())
def test_ticks_go_through_another_exchange(
    sql: str, data: st.DataObject, clause: str, buckets: int, restart: bool
) -> None:
    query = relation(sql, clause)
    sequences = drawn(data, query)
    found = run(query, data.draw(cuts(sequences), "cut"), buckets, restart)
    assert found == run(query, singly(sequences), 1, restart=False)


def two_generations(sql: str) -> tuple[Relation, Sequences]:
    """A key that is closed, and comes again when that is over."""
    query = relation(sql, CLAUSES[0])
    schema = pipes(query)["a"].stream.schema

    def closed(x: int) -> list[Element]:
        return [schema.row(1, x, "a", hour(x)), Punctuation.of(schema, k=1), Punctuation.of(schema, x=x)]

    passed = [Punctuation.of(schema, ts=between(None, hour(n))) for n in (0, 3)]
    return query, {"a": (schema, [passed[0], *closed(2), passed[1], *closed(4)])}


@pytest.mark.parametrize(("sql", "stages"), [(RELEASED[0], 1), (JOINED, 2)])
@pytest.mark.parametrize("buckets", [1, 3])
def test_each_generation_has_its_own_result(
    sql: str, stages: int, buckets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a second exchange brings both to an operator in one batch."""
    query, sequences = two_generations(sql)
    assert len(all_stages(planned(query))) == stages
    whole: list[Feed] = [{"a": Splits([piece(*sequences["a"])])}]
    assert run(query, whole, buckets, restart=False) == run(query, singly(sequences), buckets, restart=False)
    assert run(query, whole, buckets, restart=False) == (Counter({(1, 1): 2}), Counter())
    monkeypatch.setattr(Timeline, "_turn", lambda self, came: None)
    assert run(query, whole, buckets, restart=False) != (Counter({(1, 1): 2}), Counter())
