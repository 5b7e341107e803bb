"""A stream is a sequence: rows and quarantine are what its elements say one by one, however it is cut into batches."""

from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sequences import OneByOne, Record, Sequences, cuts, elements, piece, singly
from lanes import examples
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.compile import Pass
from punctum.engine.sources.tables import stored_tables
from punctum.ir.punctuated import Punctuated
from punctum.ir.tree import Relation, walk
from punctum.operators import guard
from punctum.operators.columns import frame, to_rows
from punctum.parse import parse_query
from punctum.parse.script import parse_script
from punctum.plan.physical.pipes import Pipe
from punctum.plan.physical.stages import all_stages
from punctum.testing.simulate import ALL_PUNCTUATIONS, Feed, Simulation, Splits, planned

STREAM = "CREATE STREAM {} (k BIGINT, x BIGINT, d BIGINT, s STRING{}) USING json OPTIONS (path '{}');"
CLAUSES = [
    "",
    ", UNIQUE (k)",
    ", UNIQUE (k, s)",
    ", PUNCTUATE (k) WHEN x = 0",
    ", PUNCTUATE (k, s) WHEN x > 2",
    ", PUNCTUATE (x ASC)",
    ", PUNCTUATE (x DESC)",
    ", PUNCTUATE (x ASC) DELAY 2",
    ", PUNCTUATE (x DESC) DELAY 1",
    ", PUNCTUATE (s ASC)",
    ", PUNCTUATE (x ASC) WHEN s = 'b'",
    ", PUNCTUATE (k, x ASC)",
    ", PUNCTUATE (s, k, x DESC) DELAY 1",
    ", DOMAIN d BETWEEN 0 AND 2, PUNCTUATE (d, x ASC), PUNCTUATE (k, s ASC)",
    ", PUNCTUATE (x DIV 2 ASC), PUNCTUATE (s, d DIV 2 DESC) DELAY 1",
    ", DOMAIN d BETWEEN 0 AND 2, UNIQUE (k), PUNCTUATE (x ASC) DELAY 1",
    ", DOMAIN d BETWEEN 0 AND 2, PUNCTUATE (k, d) WHEN x > 0",
    ", DOMAIN d BETWEEN 0 AND 3, PUNCTUATE (d ASC), PUNCTUATE (d) WHEN x = 4",
]
REPORTED = [
    ", PUNCTUATE (k) WHEN ALL s IN ('a', 'b')",
    ", PUNCTUATE (x DIV 2) WHEN ALL s IN ('a', 'b')",
    ", PUNCTUATE (x ASC) WHEN ALL s IN ('a', 'b')",
    ", PUNCTUATE (k, x DESC) WHEN ALL s IN ('b', 'a')",
    ", PUNCTUATE (d, x DIV 2 ASC) WHEN ALL s IN ('a', 'b') DELAY 1",
    ", PUNCTUATE (s ASC) WHEN ALL k IN (1, 2, 3)",
    ", PUNCTUATE (k, x) WHEN ALL s IN ('a', 'b'), PUNCTUATE (x, s) WHEN ALL d IN (0, 1)",
]
MADE = [
    "UNIQUE (k)",
    "PUNCTUATE (k) WHEN x = 0",
    "PUNCTUATE (x ASC)",
    "PUNCTUATE (s, x DESC) DELAY 1",
    "PUNCTUATE (k, x DIV 2) WHEN ALL s IN ('a', 'b')",
    "PUNCTUATE (x ASC) WHEN ALL s IN ('a', 'b') DELAY 1",
    "PUNCTUATE (k) WHEN ALL s IN ('a', 'b'), UNIQUE (d, x), PUNCTUATE (k, d ASC)",
]
ROW_BY_ROW = [
    "SELECT DISTINCT k, x, d, s FROM a",
    "SELECT a.k, a.x, t.d, a.s FROM a JOIN t ON a.k = t.k",
    "SELECT a.k, a.x, t.d, a.s FROM a LEFT JOIN t ON a.k = t.k AND a.x > t.d",
]
ALONE = [
    "SELECT k, x, d, s FROM a",
    "SELECT k, s FROM a",
    "SELECT k, x FROM a WHERE d = 1",
    "SELECT x, s FROM a WHERE k < 3",
    "SELECT k + 1 AS k1, x AS x1, x AS x2 FROM a",
    "SELECT -x AS x1, k / 2 AS half FROM a WHERE s = 'a'",
]
SEVERAL = [
    "SELECT a.k, COUNT(*) AS n, SUM(b.x) AS t FROM a JOIN b ON a.k = b.k GROUP BY a.k",
    "SELECT DISTINCT k FROM a UNION SELECT k FROM b",
    "SELECT s, COUNT(*) AS n FROM a WHERE x > 0 GROUP BY s",
    "SELECT a.x, b.x AS y FROM a JOIN b ON a.s = b.s AND a.k = b.k",
]


def relation(sql: str, *clauses: str) -> Relation:
    text = "".join(STREAM.format(name, clause, name) for name, clause in zip("ab", clauses, strict=False))
    return parse_query(sql, parse_script(text).streams)


def pipes(query: Relation) -> dict[str, Pipe]:
    """The streams that a query reads, each behind its pipe."""
    origins = (source.origin for stage in all_stages(planned(query)) for source in stage.inputs)
    return {pipe.stream.name: pipe for pipe in origins if isinstance(pipe, Pipe)}


def oracle(query: Relation, sequences: Sequences) -> dict[str, OneByOne]:
    """Each stream behind its pipe, element by element."""
    found = {name: OneByOne(pipe) for name, pipe in pipes(query).items()}
    for name, one in found.items():
        one.feed(sequences[name][1])
    return found


Outcome = tuple[Counter[Row], Counter[Record]]


def run(
    query: Relation, feeds: list[Feed], buckets: int, restart: bool, passes: tuple[Pass, ...] = ALL_PUNCTUATIONS
) -> Outcome:
    simulation = Simulation(query, buckets, restart, passes=passes)
    rows, records = Counter[Row](), Counter[Record]()
    for feed in feeds:
        rows += Counter(to_rows(simulation.feed(feed).rows))
        for record in simulation.records:
            records[record.stream, record.reason, record.text] += record.count
    return rows, records


def drawn(data: st.DataObject, query: Relation) -> Sequences:
    schemas = {name: pipe.stream.schema for name, pipe in pipes(query).items()}
    return {name: (schema, data.draw(elements(schema), name)) for name, schema in schemas.items()}


@pytest.mark.parametrize("clause", CLAUSES)
@examples(50)
@given(data=st.data(), sql=st.sampled_from(ALONE), buckets=st.integers(1, 4), restart=st.booleans())
def test_a_stream_is_what_its_elements_are_one_by_one(
    clause: str, data: st.DataObject, sql: str, buckets: int, restart: bool
) -> None:
    query = relation(sql, clause)
    sequences = drawn(data, query)
    (wanted,) = oracle(query, sequences).values()
    feeds = data.draw(cuts(sequences), "cut")
    assert run(query, feeds, buckets, restart) == (Counter(wanted.rows), wanted.records)


@pytest.mark.parametrize("clause", REPORTED)
@examples(50)
@given(data=st.data(), buckets=st.integers(1, 4), restart=st.booleans())
def test_a_group_is_over_with_its_last_report(clause: str, data: st.DataObject, buckets: int, restart: bool) -> None:
    test_a_stream_is_what_its_elements_are_one_by_one.hypothesis.inner_test(clause, data, ALONE[0], buckets, restart)


@pytest.mark.parametrize("clauses", MADE)
@examples(50)
@given(data=st.data(), below=st.sampled_from(CLAUSES), buckets=st.integers(1, 4), restart=st.booleans())
def test_a_stream_that_is_made_of_another_is_a_sequence_too(
    clauses: str, data: st.DataObject, below: str, buckets: int, restart: bool
) -> None:
    text = STREAM.format("a", below, "a") + f"CREATE STREAM c ({clauses}) AS SELECT k, x, d, s FROM a WHERE d < 4;"
    query = parse_query("SELECT k, x, d, s FROM c", parse_script(text).streams)
    (pipe,) = pipes(query).values()
    sequences = drawn(data, query)
    wanted = OneByOne(pipe, [node for node in walk(query) if isinstance(node, Punctuated)])
    wanted.feed(sequences["a"][1])
    feeds = data.draw(cuts(sequences), "cut")
    assert run(query, feeds, buckets, restart) == (Counter(wanted.rows), wanted.records)


@pytest.mark.parametrize("select", ROW_BY_ROW)
@examples(50)
@given(
    data=st.data(),
    below=st.sampled_from(CLAUSES),
    clauses=st.sampled_from(MADE),
    buckets=st.integers(1, 4),
    restart=st.booleans(),
)
def test_a_stream_whose_rows_come_where_those_of_another_do_is_a_sequence_too(
    select: str, data: st.DataObject, below: str, clauses: str, buckets: int, restart: bool, tmp_path_factory: Any
) -> None:
    """A look into a table, or whether a row has come before, leaves each row in its place."""
    room = tmp_path_factory.mktemp("tables")
    table = "CREATE TABLE t (k BIGINT, d BIGINT) USING json OPTIONS (path 't.json');"
    text = STREAM.format("a", below, "a") + table + f"CREATE STREAM c ({clauses}) AS {select};"
    query = parse_query("SELECT k, x, d, s FROM c", parse_script(text).streams)
    sequences = drawn(data, query)
    frame(Schema.of(k="BIGINT", d="BIGINT"), [(0, 1), (1, 0), (1, 2), (3, 3)]).write_ipc(room / "t.0.arrow")
    with stored_tables({"t": f"{room}/t"}):
        found = run(query, data.draw(cuts(sequences), "cut"), buckets, restart)
        assert found == run(query, singly(sequences), 1, restart=False)


@pytest.mark.parametrize("sql", SEVERAL)
@examples(50)
@given(data=st.data(), clause=st.sampled_from([*CLAUSES, *REPORTED]), buckets=st.integers(1, 4), restart=st.booleans())
def test_a_query_gives_the_same_however_its_streams_are_cut(
    sql: str, data: st.DataObject, clause: str, buckets: int, restart: bool
) -> None:
    query = relation(sql, clause, data.draw(st.sampled_from(CLAUSES)))
    sequences = drawn(data, query)
    found = run(query, data.draw(cuts(sequences), "cut"), buckets, restart)
    assert found == run(query, singly(sequences), 1, restart=False)
    if clause not in REPORTED:
        assert found[1] == sum((one.records for one in oracle(query, sequences).values()), Counter())


def test_a_guard_that_lets_in_what_shares_a_batch_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    query = relation(ALONE[0], ", UNIQUE (k)")
    schema = pipes(query)["a"].stream.schema
    sequences: Sequences = {"a": (schema, [schema.row(1, 1, 1, "a"), schema.row(1, 2, 1, "a")])}
    (wanted,) = oracle(query, sequences).values()
    whole: list[Feed] = [{"a": Splits([piece(*sequences["a"])])}]
    assert run(query, whole, 1, restart=False) == (Counter(wanted.rows), wanted.records)
    monkeypatch.setattr(guard, "late", lambda rows, at, puncts: pl.repeat(False, rows.height, eager=True))
    assert run(query, whole, 1, restart=False) != (Counter(wanted.rows), wanted.records)
