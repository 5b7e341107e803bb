"""EXPECT WITHIN in the stream's own time, through exchanges: there, too, nothing depends on batches."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sequences import Sequences, cuts, hour, piece, singly
from engine.test_cuts import drawn, oracle, run
from engine.test_cuts_lifespan import AGAIN
from engine.test_cuts_time import CLAUSES as ONE
from engine.test_cuts_time import PLAIN, RELEASED, relation
from engine.test_cuts_time import _without_results as without_results
from lanes import also_long, examples
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.compile import PASSES
from punctum.engine.runtime.sweep import LATE
from punctum.engine.runtime.timeline import Timeline
from punctum.errors import SchemaError
from punctum.ir.tree import Relation, sources
from punctum.plan.physical.stages import all_stages
from punctum.testing.simulate import Feed, Splits, planned

SEVERAL = [
    "PUNCTUATED ON (ts ASC), PUNCTUATED ON (k) EXPECT WITHIN '1 hour', PUNCTUATED ON (s) EXPECT WITHIN '2 hours'",
    "PUNCTUATE (ts ASC), PUNCTUATED ON (s) EXPECT WITHIN '1 hour', PUNCTUATED ON (k) EXPECT WITHIN '1 hour'",
    "PUNCTUATE (ts ASC) DELAY '1 hour', UNIQUE (k, x), PUNCTUATED ON (s) EXPECT WITHIN '1 hour', "
    "PUNCTUATED ON (k, x) EXPECT WITHIN '2 hours'",
    "PUNCTUATE (ts ASC) DELAY '1 hour', PUNCTUATE (x) WHEN ALL s IN ('a', 'b'), "
    "PUNCTUATED ON (k) EXPECT WITHIN '1 hour'",
    "PUNCTUATED ON (ts ASC), PUNCTUATE (k) WHEN ALL s IN ('a', 'b') EXPECT WITHIN '1 hour', "
    "PUNCTUATED ON (x) EXPECT WITHIN '2 hours'",
    "PUNCTUATE (ts ASC) WHEN ALL s IN ('a', 'b'), PUNCTUATED ON (k) EXPECT WITHIN '1 hour'",
    "PUNCTUATE (ts ASC) WHEN ALL s IN ('a', 'b') DELAY '1 hour', PUNCTUATE (x) WHEN ALL k IN (1, 2), "
    "PUNCTUATED ON (k) EXPECT WITHIN '1 hour', PUNCTUATED ON (s) EXPECT WITHIN '2 hours'",
    "PUNCTUATE (DATE_TRUNC('hour', ts) ASC) WHEN ALL s IN ('a', 'b'), PUNCTUATED ON (k) EXPECT WITHIN '1 hour'",
]
"""Values of several columns that are closed in time, in one stage after the other."""
BOTH = "PUNCTUATED ON (ts ASC), PUNCTUATED ON (k) EXPECT WITHIN '1 hour' LIFESPAN '30 minutes'"
BEHIND = [
    "SELECT s, SUM(n) AS n FROM (SELECT k, s, COUNT(*) AS n FROM a GROUP BY k, s) GROUP BY s",
    *AGAIN,
    "SELECT k, n FROM (SELECT k, COUNT(*) AS n FROM a GROUP BY k) ORDER BY k",
    "SELECT q.k, q.s, p.n FROM a q JOIN (SELECT k, s, COUNT(*) AS n FROM a GROUP BY k, s) p ON p.s = q.s AND p.n = q.x",
    "SELECT q.k, q.s, p.n FROM a q LEFT JOIN (SELECT k, s, COUNT(*) AS n FROM a GROUP BY k, s) p "
    "ON p.s = q.s AND p.n = q.x",
    "SELECT ts, COUNT(*) AS n FROM (SELECT k, ts, COUNT(*) AS n FROM a GROUP BY k, ts) GROUP BY ts",
]


@pytest.mark.parametrize("clause", SEVERAL)
@examples(50)
@given(data=st.data(), buckets=st.integers(1, 4), restart=st.booleans())
def test_what_each_stage_sweeps_is_that_of_elements_one_by_one(
    clause: str, data: st.DataObject, buckets: int, restart: bool
) -> None:
    query = relation(PLAIN[0], clause)
    sequences = drawn(data, query)
    (wanted,) = oracle(query, sequences).values()
    feeds = data.draw(cuts(sequences), "cut")
    assert run(query, feeds, buckets, restart) == (Counter(wanted.rows), wanted.records)


@pytest.mark.parametrize("sql", also_long(*BEHIND[:2], more=BEHIND[2:]))
@examples(50)
@given(
    data=st.data(),
    clause=st.sampled_from([*ONE, *SEVERAL, BOTH]),
    buckets=st.integers(1, 4),
    restart=st.booleans(),
    passes=st.booleans(),
)
def test_what_a_later_stage_withholds_is_that_of_elements_one_by_one(
    sql: str, data: st.DataObject, clause: str, buckets: int, restart: bool, passes: bool
) -> None:
    if "ORDER BY" in sql and clause == BOTH:
        return  # refused
    query = relation(sql, clause)
    sequences = drawn(data, query)
    how = {"passes": PASSES} if passes else {}
    found = run(query, data.draw(cuts(sequences), "cut"), buckets, restart, **how)
    assert found == run(query, singly(sequences), 1, restart=False)


@pytest.mark.parametrize("sql", also_long(RELEASED[1], more=RELEASED))
@examples(50)
@given(data=st.data(), clause=st.sampled_from(SEVERAL), buckets=st.integers(1, 4), restart=st.booleans())
def test_what_is_released_behind_several_stages_is_that_of_elements_one_by_one(
    sql: str, data: st.DataObject, clause: str, buckets: int, restart: bool
) -> None:
    query = relation(sql, clause)
    sequences = drawn(data, query)
    found = run(query, data.draw(cuts(sequences), "cut"), buckets, restart, passes=PASSES)
    assert found == run(query, singly(sequences), 1, restart=False)


@examples(30)
@given(data=st.data(), clauses=st.tuples(*[st.sampled_from([*ONE, *SEVERAL, BOTH])] * 2), buckets=st.integers(1, 4))
def test_each_of_several_streams_is_swept_as_if_it_were_alone(
    data: st.DataObject, clauses: tuple[str, str], buckets: int
) -> None:
    sql = "SELECT a.s, COUNT(*) AS n FROM a JOIN b ON a.k = b.k AND a.x = b.x GROUP BY a.s"
    query = relation(sql, *clauses)
    sequences = drawn(data, query)
    _, records = run(query, data.draw(cuts(sequences), "cut"), buckets, restart=False, passes=PASSES)
    wanted = run(query, singly(sequences), 1, restart=False)[1]
    assert without_results(records) == without_results(wanted)


def test_reports_that_tell_the_time_are_those_of_the_first_list() -> None:
    """Another list that comes before turns rows away, so what all have passed is not known before it has run."""
    time, other = "PUNCTUATE (ts ASC) WHEN ALL s IN ('a', 'b')", "PUNCTUATE (x) WHEN ALL k IN (1, 2)"
    limit = "PUNCTUATED ON (k) EXPECT WITHIN '1 hour'"
    planned(relation(PLAIN[0], f"{time}, {other}, {limit}"))
    with pytest.raises(SchemaError, match="is closed by WHEN ALL behind another WHEN ALL") as error:
        planned(relation(PLAIN[0], f"{other}, {time}, {limit}"))
    assert "write PUNCTUATE (ts ASC) WHEN ALL before the other one, or remove EXPECT WITHIN" in str(error.value)


def lost_in_the_second_stage() -> tuple[Relation, Sequences]:
    """Keys are closed in time, and what the second stage waits for is not; a row of it comes behind the sweep."""
    query = relation(PLAIN[0], SEVERAL[0])
    schema = next(sources(query)).stream.schema
    passed = Punctuation.of(schema, ts=between(None, hour(3)))
    first, second = schema.row(1, 0, "a", hour(1)), schema.row(2, 0, "a", hour(4))
    return query, {"a": (schema, [first, Punctuation.of(schema, k=1), passed, second])}


@pytest.mark.parametrize("buckets", [1, 3])
def test_a_batch_whose_ticks_are_not_told_to_the_next_stage_is_found(
    buckets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    query, sequences = lost_in_the_second_stage()
    assert len(all_stages(planned(query))) == 2
    whole: list[Feed] = [{"a": Splits([piece(*sequences["a"])])}]
    wanted = run(query, singly(sequences), buckets, restart=False)
    assert [row[0] for row in wanted[0]] == [1]
    reasons = Counter(reason.split(":")[0] for _, reason, _ in wanted[1].elements())
    assert reasons == {"no punctuation ON (s) arrived within 2 hours": 1, LATE: 1}
    assert run(query, whole, buckets, restart=False) == wanted
    monkeypatch.setattr(Timeline, "_turn", lambda self, came: None)
    assert run(query, whole, buckets, restart=False) != wanted
