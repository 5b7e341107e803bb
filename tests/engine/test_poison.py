"""Rows, pairs of rows and groups without a value: they go to the quarantine, and the answer is that of all others.

What goes there does not depend on buckets, nor on where the streams are cut. The oracle is DuckDB in 128 bits.
"""

from collections import Counter
from functools import partial

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.queries import A, B, puncts
from engine.test_buckets import STREAMS, slices
from lanes import examples
from punctum.algebra import Row, Schema, end_of_stream
from punctum.errors import QueryError
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.spec import Slice, prefix
from punctum.testing.simulate import Simulation
from strategies import streams

MACROS = """
CREATE MACRO fits(v) AS v IS NULL OR v BETWEEN -9223372036854775808::HUGEINT AND 9223372036854775807::HUGEINT;
CREATE MACRO h(v) AS v::HUGEINT;
"""
CASES: dict[str, tuple[str, str, str]] = {
    "selection": (
        "SELECT k, x FROM a WHERE x * 4 > 7",
        "SELECT k, x FROM a WHERE fits(h(x) * 4) AND h(x) * 4 > 7",
        "SELECT k, x FROM a WHERE NOT fits(h(x) * 4)",
    ),
    "projection": (
        "SELECT k, x * 4 AS q, -x - 2 AS m FROM a",
        "SELECT k, h(x) * 4, -h(x) - 2 FROM a WHERE fits(h(x) * 4) AND fits(-h(x)) AND fits(-h(x) - 2)",
        "SELECT k FROM a WHERE NOT (fits(h(x) * 4) AND fits(-h(x)) AND fits(-h(x) - 2))",
    ),
    "a projection, then a selection": (
        "SELECT k, q FROM (SELECT k, x, s, x * 4 AS q FROM a) AS t WHERE k > 0 AND q <> 3",
        "SELECT k, h(x) * 4 FROM a WHERE fits(h(x) * 4) AND k > 0 AND h(x) * 4 <> 3",
        "SELECT k FROM a WHERE NOT fits(h(x) * 4)",
    ),
    "guarded by CASE": (
        "SELECT k, CASE WHEN ABS(x DIV 2) < 100 THEN x * 4 ELSE 0 END AS q FROM a",
        "SELECT k, CASE WHEN abs(h(x) // 2) < 100 THEN h(x) * 4 ELSE 0 END FROM a",
        "SELECT k FROM a WHERE FALSE",
    ),
    "guarded by AND": (
        "SELECT k, x FROM a WHERE x < 100 AND x > -100 AND x * 4 > 2",
        "SELECT k, x FROM a WHERE x < 100 AND x > -100 AND h(x) * 4 > 2",
        "SELECT k FROM a WHERE FALSE",
    ),
    "an argument": (
        "SELECT k, COUNT(*) AS n, SUM(x * 2) AS t FROM a GROUP BY k",
        "SELECT k, COUNT(*), SUM(h(x) * 2) FROM a WHERE fits(h(x) * 2) GROUP BY k HAVING fits(SUM(h(x) * 2))",
        "SELECT k FROM a WHERE NOT fits(h(x) * 2) UNION ALL "
        "SELECT k FROM a WHERE fits(h(x) * 2) GROUP BY k HAVING NOT fits(SUM(h(x) * 2))",
    ),
    "a sum": (
        "SELECT k, SUM(x) AS t, AVG(x) AS m, MAX(x) AS hi FROM a GROUP BY k",
        "SELECT k, SUM(h(x)), AVG(x), MAX(x) FROM a GROUP BY k HAVING fits(SUM(h(x)))",
        "SELECT k FROM a GROUP BY k HAVING NOT fits(SUM(h(x)))",
    ),
    "a sum of all": (
        "SELECT SUM(x) AS t, COUNT(DISTINCT s) AS d FROM a",
        "SELECT SUM(h(x)), COUNT(DISTINCT s) FROM a HAVING fits(SUM(h(x)))",
        "SELECT 1 FROM a HAVING NOT fits(SUM(h(x)))",
    ),
    "a sum in HAVING": (
        "SELECT k, COUNT(*) AS n FROM a GROUP BY k HAVING MAX(x) * 4 > 0 AND MIN(x) < 3",
        "SELECT k, COUNT(*) FROM a GROUP BY k HAVING fits(h(MAX(x)) * 4) AND h(MAX(x)) * 4 > 0 AND MIN(x) < 3",
        "SELECT k FROM a GROUP BY k HAVING NOT fits(h(MAX(x)) * 4) AND MIN(x) < 3",
    ),
    "a residual": (
        "SELECT a.k, a.x, b.y FROM a JOIN b ON a.k = b.k AND a.x * b.y > 2",
        "SELECT a.k, a.x, b.y FROM a JOIN b ON a.k = b.k AND fits(h(x) * h(y)) AND h(x) * h(y) > 2",
        "SELECT a.k, a.x, b.y FROM a JOIN b ON a.k = b.k AND NOT fits(h(x) * h(y))",
    ),
    "a residual of three": (
        "SELECT a.k, b.y, c.y AS z FROM a JOIN b ON a.k = b.k JOIN b AS c ON c.k = a.k AND a.x + b.y + c.y > 2",
        "SELECT a.k, b.y, c.y FROM a JOIN b ON a.k = b.k JOIN b AS c ON c.k = a.k "
        "AND fits(h(a.x) + b.y) AND fits(h(a.x) + b.y + c.y) AND h(a.x) + b.y + c.y > 2",
        "SELECT a.k FROM a JOIN b ON a.k = b.k JOIN b AS c ON c.k = a.k "
        "AND NOT (fits(h(a.x) + b.y) AND fits(h(a.x) + b.y + c.y)) AND (a.x + h(b.y)) IS NOT NULL",
    ),
    "between two operators": (
        "WITH t AS (SELECT k, MAX(x) AS m FROM a GROUP BY k) SELECT t.m * 4 AS q, b.y FROM t JOIN b ON t.k = b.k",
        "WITH t AS (SELECT k, MAX(x) AS m FROM a GROUP BY k) "
        "SELECT h(t.m) * 4, b.y FROM t JOIN b ON t.k = b.k WHERE fits(h(t.m) * 4)",
        "WITH t AS (SELECT k, MAX(x) AS m FROM a GROUP BY k) "
        "SELECT t.m FROM t JOIN b ON t.k = b.k WHERE NOT fits(h(t.m) * 4)",
    ),
    "a set": (
        "SELECT k, x * 4 AS q FROM a UNION SELECT k, y * 4 FROM b",
        "SELECT k, h(x) * 4 FROM a WHERE fits(h(x) * 4) UNION SELECT k, h(y) * 4 FROM b WHERE fits(h(y) * 4)",
        "SELECT k FROM a WHERE NOT fits(h(x) * 4) UNION ALL SELECT k FROM b WHERE NOT fits(h(y) * 4)",
    ),
}
numbers = st.sampled_from([None, 0, 1, 3, 2**61, 2**62, -(2**62), 2**63 - 1, -(2**63)])
some_rows = st.tuples(st.sampled_from([None, -1, 0, 1, 2]), numbers, st.sampled_from([None, "a"]))


def ended(schema: Schema, pieces: list[Slice]) -> list[Slice]:
    return [*pieces, Slice.of(end_of_stream(schema))]


both = st.tuples(*(streams(s, some_rows, puncts(s), 4).map(partial(ended, s)) for s in (A, B)))
Streams = tuple[list[Slice], list[Slice]]


def batch(sql: str, a: list[Slice], b: list[Slice]) -> list[Row]:
    with duckdb.connect() as connection:
        connection.execute(MACROS)
        for name, schema, pieces in (("a", A, a), ("b", B, b)):
            connection.register(name, frame(schema, prefix(pieces).rows).to_arrow())
        return [tuple(row) for row in connection.execute(sql).fetchall()]


def fed(
    sql: str, given_: list[dict[str, ColumnarSlice]], buckets: int, restart: bool
) -> tuple[Counter[Row], Counter[Row]]:
    """The rows of a query, and its records."""
    simulation = Simulation(parse_query(sql, STREAMS), buckets, restart)
    rows, records = Counter[Row](), Counter[Row]()
    for each in given_:
        rows.update(to_rows(simulation.feed(each).rows))
        records.update((record.stream, record.reason, record.text) for record in simulation.records)
    return rows, records


@pytest.mark.parametrize("name", CASES)
@examples(25)
@given(streams=both, buckets=st.integers(1, 3), restart=st.booleans())
def test_the_answer_is_that_of_all_others(name: str, streams: Streams, buckets: int, restart: bool) -> None:
    sql, good, bad = CASES[name]
    rows, records = fed(sql, slices(*streams), buckets, restart)
    assert rows == Counter(batch(good, *streams))
    assert records.total() == len(batch(bad, *streams)), records
    a, b = ([Slice(prefix(each).rows, (end_of_stream(s),))] for each, s in zip(streams, (A, B), strict=True))
    assert fed(sql, slices(a, b), 1, False) == (rows, records)


def test_what_a_record_says() -> None:
    given_ = [
        {"a": ColumnarSlice(frame(A, [(1, 2**62, "a"), (2, 5, "b")])), "b": ColumnarSlice(frame(B, [(1, 3, "c")]))}
    ]
    (row,), records = fed("SELECT k, x * 4 AS q FROM a", given_, 2, False)
    assert row == (2, 20)
    text = '{"k":1,"x":4611686018427387904,"s":"a"}'
    assert list(records) == [("a", "(x * 4) has no value: the result does not fit BIGINT", text)]
    _, records = fed(CASES["a residual"][0], given_, 2, False)
    ((stream, why, pair),) = records
    assert (stream, why) == ("a, b", "(x * y) has no value: the result does not fit BIGINT")
    assert "4611686018427387904" in str(pair) and '"y":3' in str(pair)


def test_on_violation_fail_stops() -> None:
    ddl = "CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) ON VIOLATION FAIL USING memory;"
    known = parse_script(ddl).streams
    sql = "SELECT k, SUM(x) AS t FROM a GROUP BY k"
    simulation = Simulation(parse_query(sql, known), 1)
    schema = known["a"].schema
    rows = frame(schema, [(1, 2**62), (1, 2**62)])
    with pytest.raises(QueryError, match="ON VIOLATION FAIL") as caught:
        simulation.feed({"a": ColumnarSlice(rows, (end_of_stream(schema),))})
    assert "t has no value" in caught.value.detail and '{"k":1}' in caught.value.detail


def test_the_condition_of_a_punctuation() -> None:
    """A row that may or may not close its key is none."""
    ddl = """CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATE (k) WHEN x * 4 > 8 OR x = 1, PUNCTUATE (k) WHEN x - 9 > 0)
      USING memory;"""
    known = parse_script(ddl).streams
    simulation = Simulation(parse_query("SELECT k, COUNT(*) AS n FROM a GROUP BY k", known), 2)
    rows = [(1, 2**62), (1, 3), (2, -(2**63)), (2, 1), (3, 2)]
    found = simulation.feed({"a": ColumnarSlice(frame(known["a"].schema, rows))})
    assert sorted(to_rows(found.rows)) == [(1, 1), (2, 1)]
    assert sorted(record.reason.split(" has")[0] for record in simulation.records) == ["(x * 4)"] * 2


GROUPS = "SELECT f.k, COUNT(*) AS n, MAX(g.w) AS hi {} GROUP BY f.k"


@pytest.mark.parametrize(("sql", "updates"), [(GROUPS, False), (GROUPS, True), ("SELECT f.k, g.w {}", False)])
def test_synopses(sql: str, updates: bool) -> None:
    """In bounded memory without punctuations a combination is told once, and sums and counts are exact."""
    most = 2**62
    ddl = "CREATE STREAM {0} (k BIGINT, {1} BIGINT, DOMAIN k BETWEEN 1 AND 3, DOMAIN {1} IN (1, {2})) USING memory;"
    known = parse_script(ddl.format("f", "v", most) + ddl.format("g", "w", most)).streams
    relation = parse_query(sql.format("FROM f, g WHERE f.k = g.k AND f.v * g.w > 2"), known)
    rows = {"f": [(1, 1), (1, most), (2, 1)], "g": [(1, 1), (1, most), (2, most)]}
    told = []
    for cut in (1, 2, 3):
        simulation, records = Simulation(relation, 1, updates=updates), set[Row]()
        pieces = [{n: frame(known[n].schema, rows[n][i : i + cut]) for n in rows} for i in range(0, 3, cut)]
        for each in pieces:
            simulation.feed({n: ColumnarSlice(df) for n, df in each.items()})
            records.update((record.reason, record.text) for record in simulation.records)
        simulation.feed({n: ColumnarSlice(frame(s.schema, []), (end_of_stream(s.schema),)) for n, s in known.items()})
        records.update((record.reason, record.text) for record in simulation.records)
        told.append(records)
    ((reason, text),) = told[0]
    assert told == [told[0]] * 3 and "(v * w) has no value" in str(reason) and str(text).count(str(most)) == 2


def test_a_constant_for_each_row() -> None:
    rows, _ = fed("SELECT 1 AS one FROM a", [{"a": ColumnarSlice(frame(A, [(1, 2, "a")] * 3))}], 1, False)
    assert rows == Counter({(1,): 3})
