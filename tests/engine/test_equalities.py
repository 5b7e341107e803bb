"""Equalities and columns that are there twice: any number of buckets gives the batch answer and keeps nothing."""

from collections import Counter

import duckdb
import pytest

from punctum.algebra import Punctuation, end_of_stream
from punctum.algebra.values import Row, Value
from punctum.operators.columns import ColumnarSlice, empty, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.testing.simulate import Simulation

KEYS = range(0, 1000, 50)  # in as many buckets as there are
STREAMS = parse_script(
    """
    CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json;
    CREATE STREAM b (k BIGINT, PUNCTUATED ON (k)) USING json;
    CREATE STREAM t (x BIGINT, y BIGINT, PUNCTUATED ON (x)) USING json;
    """
).streams
TWICE: list[Row] = [(key, other) for key in KEYS for other in (key, key + 50)]
ROWS: dict[str, list[Row]] = {"a": TWICE, "b": [(key,) for key in KEYS], "t": TWICE}
QUERIES = {
    "two pairs of one class": "SELECT a.k FROM a JOIN b ON a.k = b.k JOIN t ON t.x = b.k AND t.y = a.k",
    "what follows from others": "SELECT a.k FROM a JOIN b ON a.k = b.k JOIN t ON t.x = a.k AND t.x = b.k",
    "one column with two": "SELECT a.k FROM a JOIN b ON a.k = b.k AND a.x = b.k",
    "written twice": "SELECT a.k FROM a JOIN b ON a.k = b.k WHERE a.k = b.k",
    "turned around": "SELECT a.k FROM a JOIN b ON a.k = b.k AND b.k = a.k",
    "equal below": (
        "SELECT z.k FROM (SELECT a.k, b.k AS l FROM a JOIN b ON a.k = b.k) z JOIN t ON t.x = z.k AND t.y = z.l"
    ),
    "equal above": "SELECT z.k FROM (SELECT a.k, a.x, b.k AS l FROM a JOIN b ON a.k = b.k) z WHERE z.x = z.l",
    "shown twice and excepted": "SELECT k, x FROM a EXCEPT SELECT k, k AS x FROM b",
    "shown twice, less others": "SELECT k, k AS x FROM b EXCEPT SELECT k, x FROM a",
    "shown twice and united": "SELECT k, x FROM a UNION SELECT k, k AS x FROM b",
    "shown twice and intersected": "SELECT k, x FROM a INTERSECT SELECT k, k AS x FROM b",
    "shown twice and grouped": (
        "SELECT k, x, COUNT(*) AS n FROM (SELECT k, x FROM a UNION ALL SELECT k, k AS x FROM b) u GROUP BY k, x"
    ),
    "joined, shown twice and excepted": (
        "SELECT x, y FROM t EXCEPT SELECT z.k, z.k AS x FROM (SELECT a.k FROM a JOIN b ON a.k = b.k) z"
    ),
    "both sides of an equality excepted": "SELECT a.k, b.k AS x FROM a JOIN b ON a.k = b.k EXCEPT SELECT x, y FROM t",
    "computed and excepted": (
        "SELECT z.k, z.l FROM (SELECT a.k, a.k + 50 AS l FROM a JOIN b ON a.k = b.k) z EXCEPT SELECT x, y FROM t"
    ),
}


def batch(sql: str) -> Counter[Row]:
    with duckdb.connect() as connection:
        for name, rows in ROWS.items():
            connection.register(name, frame(STREAMS[name].schema, rows).to_arrow())
        return Counter(tuple(row) for row in connection.execute(sql).fetchall())


def closing(name: str, values: list[Value]) -> ColumnarSlice:
    schema = STREAMS[name].schema
    return ColumnarSlice(empty(schema), tuple(Punctuation.of(schema, {schema.names[0]: value}) for value in values))


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("buckets", [1, 2, 3, 7])
def test_every_row_comes_and_none_is_kept(name: str, buckets: int) -> None:
    simulation = Simulation(parse_query(QUERIES[name], STREAMS), buckets)
    given = [
        simulation.feed({each: ColumnarSlice(frame(STREAMS[each].schema, rows)) for each, rows in ROWS.items()}),
        simulation.feed({each: closing(each, list(KEYS)) for each in ROWS}),
    ]
    assert Counter(row for piece in given for row in to_rows(piece.rows)) == batch(QUERIES[name])
    assert simulation.kept() == 0


def test_a_column_that_is_shown_twice_may_be_null() -> None:
    sql = "SELECT q.k, q.x FROM (SELECT k, x, x AS y FROM a WHERE k = 50) q JOIN b ON q.k = b.k"
    simulation = Simulation(parse_query(sql, STREAMS), 1)
    rows: dict[str, list[Row]] = {"a": [(50, None), (50, 1)], "b": [(50,)]}
    given = simulation.feed({each: ColumnarSlice(frame(STREAMS[each].schema, some)) for each, some in rows.items()})
    assert Counter(to_rows(given.rows)) == Counter(rows["a"])


@pytest.mark.parametrize("buckets", [1, 2, 3, 7])
def test_what_is_in_one_bucket_ends_beside_what_is_in_all(buckets: int) -> None:
    sql = "SELECT a.k FROM a JOIN b ON a.k = b.k AND a.x = b.k AND a.x = 50 UNION ALL SELECT k FROM b"
    simulation = Simulation(parse_query(sql, STREAMS), buckets, global_punctuations=True)
    simulation.feed({each: ColumnarSlice(frame(STREAMS[each].schema, rows)) for each, rows in ROWS.items()})
    last = simulation.feed(
        {each: ColumnarSlice(empty(s.schema), (end_of_stream(s.schema),)) for each, s in STREAMS.items()}
    )
    assert any(not p.sides for p in last.puncts), "the result has not ended"


def test_constants_come_once_for_each_row() -> None:
    simulation = Simulation(parse_query("SELECT 7 AS seven FROM b", STREAMS), 2)
    for rows in ([], [(1,), (2,), (3,)]):
        found = simulation.feed({"b": ColumnarSlice(frame(STREAMS["b"].schema, rows))})
        assert to_rows(found.rows) == [(7,)] * len(rows)
