"""EXPECT WITHIN in the stream's own time: what is swept, late and withheld is that of the elements one by one."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sequences import Record, Sequences, cuts, hour, piece, singly
from engine.test_cuts import drawn, oracle, pipes, run
from lanes import examples
from punctum.algebra.functions import Element
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.compile import PASSES
from punctum.engine.runtime.inputs import FromStream
from punctum.engine.runtime.lost import NO_RESULT
from punctum.engine.runtime.sweep import LATE
from punctum.engine.runtime.timeline import Timeline
from punctum.ir.tree import Relation
from punctum.parse import parse_query
from punctum.parse.script import parse_script
from punctum.testing.simulate import Feed, Simulation, Splits

STREAM = "CREATE STREAM {} (k BIGINT, x BIGINT, s STRING, ts TIMESTAMP, {}) USING json OPTIONS (path '{}');"
CLAUSES = [
    "PUNCTUATED ON (ts ASC), PUNCTUATED ON (k) EXPECT WITHIN '1 hour'",
    "PUNCTUATED ON (ts ASC), PUNCTUATED ON (k, s) EXPECT WITHIN '2 hours'",
    "PUNCTUATE (ts ASC), PUNCTUATED ON (k) EXPECT WITHIN '1 hour'",
    "PUNCTUATE (ts ASC) DELAY '1 hour', PUNCTUATED ON (k) EXPECT WITHIN '1 hour'",
    "PUNCTUATE (ts ASC) DELAY '2 hours', PUNCTUATE (k) WHEN x = 0 EXPECT WITHIN '1 hour'",
    "PUNCTUATE (DATE_TRUNC('hour', ts) ASC), PUNCTUATE (ts ASC) WHEN s = 'b', PUNCTUATED ON (k) EXPECT WITHIN '1 hour'",
    "PUNCTUATE (ts ASC) DELAY '1 hour', PUNCTUATE (x ASC), PUNCTUATED ON (k ASC) EXPECT WITHIN '1 hour'",
    "PUNCTUATE (ts ASC), PUNCTUATE (k) WHEN ALL s IN ('a', 'b') EXPECT WITHIN '1 hour'",
    "PUNCTUATED ON (ts ASC), UNIQUE (k, x), PUNCTUATED ON (s) EXPECT WITHIN '1 hour'",
]
PLAIN = ["SELECT k, x, s, ts FROM a", "SELECT k, s, ts FROM a"]
RELEASED = [
    "SELECT k, COUNT(*) AS n FROM a GROUP BY k",
    "SELECT k, s, COUNT(*) AS n, SUM(x) AS t FROM a GROUP BY k, s",
    "SELECT k, ts, COUNT(*) AS n FROM a GROUP BY k, ts",
    "SELECT k, x, COUNT(*) AS n FROM a WHERE x > 0 GROUP BY k, x",
    "SELECT s, k, ts, COUNT(*) AS n FROM a GROUP BY s, k, ts",
]


def relation(sql: str, *clauses: str) -> Relation:
    text = "".join(STREAM.format(name, clause, name) for name, clause in zip("ab", clauses, strict=False))
    return parse_query(sql, parse_script(text).streams)


@pytest.mark.parametrize("clause", CLAUSES)
@examples(50)
@given(data=st.data(), sql=st.sampled_from(PLAIN), buckets=st.integers(1, 4), restart=st.booleans())
def test_what_is_swept_and_late_is_that_of_elements_one_by_one(
    clause: str, data: st.DataObject, sql: str, buckets: int, restart: bool
) -> None:
    query = relation(PLAIN[0] if "WHEN ALL" in clause else sql, clause)
    sequences = drawn(data, query)
    (wanted,) = oracle(query, sequences).values()
    feeds = data.draw(cuts(sequences), "cut")
    assert run(query, feeds, buckets, restart) == (Counter(wanted.rows), wanted.records)


@pytest.mark.parametrize("sql", RELEASED)
@examples(50)
@given(data=st.data(), clause=st.sampled_from(CLAUSES), buckets=st.integers(1, 4), restart=st.booleans())
def test_what_a_sweep_withholds_is_that_of_elements_one_by_one(
    sql: str, data: st.DataObject, clause: str, buckets: int, restart: bool
) -> None:
    query = relation(sql, clause)
    sequences = drawn(data, query)
    found = run(query, data.draw(cuts(sequences), "cut"), buckets, restart)
    assert found == run(query, singly(sequences), 1, restart=False)


@pytest.mark.parametrize("sql", [PLAIN[0], RELEASED[0], RELEASED[2]])
@examples(20)
@given(data=st.data(), clause=st.sampled_from(CLAUSES), buckets=st.integers(1, 4))
def test_a_bucket_that_hears_of_time_only_where_it_matters_sweeps_the_same(
    sql: str, data: st.DataObject, clause: str, buckets: int
) -> None:
    """As queries are compiled: where time releases nothing, a bucket gets the last step before each of its elements."""
    query = relation(sql, clause)
    sequences = drawn(data, query)
    found = run(query, data.draw(cuts(sequences), "cut"), buckets, restart=False, passes=PASSES)
    assert found == run(query, singly(sequences), 1, restart=False)


@examples(30)
@given(data=st.data(), clauses=st.tuples(*[st.sampled_from(CLAUSES)] * 2), buckets=st.integers(1, 4))
def test_each_of_several_streams_is_swept_as_if_it_were_alone(
    data: st.DataObject, clauses: tuple[str, str], buckets: int
) -> None:
    """What a sweep withholds of a join depends on what has come of both; what is swept, and what is late, does not."""
    query = relation("SELECT a.k, a.x, b.x AS y FROM a JOIN b ON a.k = b.k AND a.s = b.s", *clauses)
    sequences = drawn(data, query)
    _, records = run(query, data.draw(cuts(sequences), "cut"), buckets, restart=False)
    wanted = run(query, singly(sequences), 1, restart=False)[1]
    assert _without_results(records) == _without_results(wanted)


def _without_results(records: Counter[Record]) -> Counter[Record]:
    return Counter({record: n for record, n in records.items() if not record[1].startswith(NO_RESULT)})


def late_and_lost() -> tuple[Relation, Sequences]:
    """A value that is overdue in the middle, with a row and its punctuation behind that, and one that is not."""
    query = relation(RELEASED[0], CLAUSES[0])
    schema = pipes(query)["a"].stream.schema
    rows = [schema.row(k, 0, "a", hour(at)) for k, at in ((1, 0), (2, 1), (1, 3), (2, 3))]
    passed = Punctuation.of(schema, ts=between(None, hour(1)))
    closed = [Punctuation.of(schema, k=k) for k in (2, 1)]
    return query, {"a": (schema, [*rows[:2], passed, *rows[2:], *closed])}


def test_a_batch_that_is_not_cut_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    query, sequences = late_and_lost()
    whole: list[Feed] = [{"a": Splits([piece(*sequences["a"])])}]
    wanted = run(query, singly(sequences), 1, restart=False)
    assert wanted[0] == {(2, 2): 1}
    assert Counter(reason.split(":")[0] for _, reason, _ in wanted[1].elements()) == {
        "no punctuation ON (k) arrived within 1 hour": 1,
        f"{NO_RESULT}no punctuation ON (k) arrived within 1 hour": 1,
        LATE: 1,
    }
    assert run(query, whole, 1, restart=False) == wanted
    monkeypatch.setattr(Timeline, "_place", lambda self, came: None)
    assert run(query, whole, 1, restart=False) != wanted


def test_what_is_counted_is_that_of_the_whole_batch() -> None:
    query, sequences = late_and_lost()
    simulation = Simulation(query, 1)
    simulation.feed({"a": Splits([piece(*sequences["a"])])})
    expected, grouped = simulation.counts
    assert (expected["rows_in"], expected["rows_out"], expected["values_swept"], expected["rows_swept"]) == (4, 3, 1, 1)
    assert (grouped["rows_out"], grouped["rows_withheld"], grouped["rows_kept"]) == (1, 1, 0)


def test_nothing_is_cut_where_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each key is closed in time, in a batch that is much longer than a key may be open."""
    query = relation(RELEASED[0], CLAUSES[2])
    schema = pipes(query)["a"].stream.schema
    elements: list[Element] = []
    for k in range(100):
        elements += [schema.row(k, 0, "a", hour(k)), Punctuation.of(schema, k=k)]
    monkeypatch.setattr(FromStream, "cut", None)
    rows, records = run(query, [{"a": Splits([piece(schema, elements)])}], 2, restart=False)
    assert rows == {(k, 1): 1 for k in range(100)}
    assert not records
