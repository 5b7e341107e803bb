"""Stages and buckets without Spark: any number of buckets, stopped at every slice or not, gives the batch answer."""

import math
from collections import Counter
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.queries import DDL, QUERIES, A, B, both
from lanes import examples
from operators.vectorised import in_columns
from punctum.algebra import Punctuation, Row
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.plan.physical.stages import all_stages
from punctum.spec import Slice, prefix
from punctum.testing.simulate import Simulation, planned, run

STREAMS = parse_script(DDL).streams


def batch(sql: str, a: list[Row], b: list[Row]) -> list[Row]:
    """The SQL over all rows, in DuckDB."""
    with duckdb.connect() as connection:
        for name, schema, rows in (("a", A, a), ("b", B, b)):
            connection.register(name, frame(schema, rows).to_arrow())
        return [tuple(row) for row in connection.execute(sql).fetchall()]


def rounded(rows: list[Row]) -> list[tuple[Any, ...]]:
    return [tuple(round(v, 9) if isinstance(v, float) and math.isfinite(v) else v for v in row) for row in rows]


def slices(
    a: list[Slice], b: list[Slice], last_only: bool = False, constants: bool = False
) -> list[dict[str, ColumnarSlice]]:
    """Slices of both streams in columns, perhaps without punctuations but for those that end the streams."""
    found: list[dict[str, ColumnarSlice]] = [{} for _ in range(max(len(a), len(b)))]
    for name, stream in (("a", a), ("b", b)):
        schema = STREAMS[name].schema
        for i, xs in enumerate(stream):
            said = xs.puncts if not last_only or i == len(stream) - 1 else ()
            puncts = tuple(Punctuation(schema, p.patterns) for p in said)
            found[i][name] = in_columns(schema, Slice(xs.rows, puncts), constants)
    return found


def rows_of(pieces: list[ColumnarSlice]) -> list[Row]:
    return [row for piece in pieces for row in to_rows(piece.rows)]


def assert_grammatical(pieces: list[ColumnarSlice]) -> None:
    """No row matches what was said before, and in the end everything has been said."""
    said: list[Punctuation] = []
    for piece in pieces:
        assert not [(t, p) for t in to_rows(piece.rows) for p in said if p.match(t)]
        said += piece.puncts
    assert any(not p.sides for p in said), "the result has not ended"


@pytest.mark.parametrize("name", QUERIES)
@examples(25)
@given(streams=both, buckets=st.integers(1, 4), restart=st.booleans(), constants=st.booleans())
def test_the_streaming_answer_is_the_batch_answer(
    name: str, streams: tuple[list[Slice], list[Slice]], buckets: int, restart: bool, constants: bool
) -> None:
    a, b = streams
    sql = QUERIES[name]
    relation = parse_query(sql, STREAMS)
    wanted = batch(sql, list(prefix(a).rows), list(prefix(b).rows))
    whole = run(relation, slices(a, b, constants=constants), buckets, restart, global_punctuations=True)
    released = rows_of(whole)
    assert Counter(rounded(released)) == Counter(rounded(wanted))
    assert_grammatical(whole)
    stripped = rows_of(run(relation, slices(a, b, last_only=True), buckets))
    assert Counter(rounded(stripped)) == Counter(rounded(wanted))
    if name == "order":
        keys = [(row[0] is not None, row[0] or 0) for row in released]
        assert keys == sorted(keys)


def stage_keys(sql: str) -> list[list[tuple[int, ...]]]:
    last = planned(parse_query(sql, STREAMS))
    return [[source.key for source in stage.inputs] for stage in all_stages(last)]


def test_operators_that_agree_share_a_stage() -> None:
    assert stage_keys(QUERIES["join then group"]) == [[(0,), (0,)]]
    assert stage_keys(QUERIES["regroup"]) == [[(0,), (0,)], [(1,)]]
    assert stage_keys(QUERIES["regroup what is left"]) == [[(0,), (0,)], [(1,)]], "groups are exchanged, not pairs"
    assert stage_keys(QUERIES["nested"]) == [[(0,), (0,)]]
    assert stage_keys(QUERIES["order"]) == [[()]]
    assert stage_keys(QUERIES["global"]) == [[()]]
    assert stage_keys(QUERIES["distinct of union"]) == [[(0,), (0,)]]


def test_closed_keys_melt_over_the_keys_of_other_buckets() -> None:
    schema = STREAMS["a"].schema
    simulation = Simulation(parse_query("SELECT k, COUNT(*) AS n FROM a GROUP BY k", STREAMS), buckets=4)
    metadata = []
    for first in range(0, 20_000, 2_000):
        keys = pl.Series("k", range(first, first + 2_000))
        rows = frame(schema, [(key, 1, None) for key in keys])
        simulation.feed({"a": ColumnarSlice(rows, constants={"k": keys})})
        metadata.append(simulation.metadata())
    assert simulation.kept() == 0
    assert metadata[-1] < 1.1 * metadata[2]
    assert simulation.puncts() < 40, "a few ranges for each bucket and operator"


def test_a_value_outside_its_domain_never_comes() -> None:
    streams = parse_script(
        "CREATE STREAM a (k BIGINT, DOMAIN k BETWEEN 0 AND 200) USING json; CREATE STREAM b (k BIGINT) USING json;"
    ).streams

    def fed(a: list[Row], b: list[Row]) -> dict[str, ColumnarSlice]:
        return {"a": ColumnarSlice(frame(streams["a"].schema, a)), "b": ColumnarSlice(frame(streams["b"].schema, b))}

    for buckets, restart in ((1, False), (3, False), (3, True)):
        first, second = run(
            parse_query("SELECT k FROM b EXCEPT SELECT k FROM a", streams),
            [fed([(1,), (300,)], [(1,), (300,), (None,)]), fed([(-5,)], [(400,), (-5,)])],
            buckets,
            restart,
        )
        assert sorted(to_rows(first.rows), key=str) == [(300,), (None,)]
        assert sorted(to_rows(second.rows), key=str) == [(-5,), (400,)]
        (both,) = run(parse_query("SELECT k FROM a", streams), [fed([(1,), (300,), (None,)], [])], buckets, restart)
        assert to_rows(both.rows) == [(1,)]
