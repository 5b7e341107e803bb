"""Queries on synopses through the whole engine: the answer at every prefix, and never more state than is stated."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import pytest

from lanes import also_long, long
from punctum.algebra import Punctuation, Row, end_of_stream
from punctum.analyse.safety.register import registered
from punctum.ir import Relation
from punctum.ir.planned import Synopsis
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.plan.physical.stages import Input, Op, all_stages
from punctum.testing.simulate import Simulation, planned

STREAMS = parse_script(
    """
    CREATE STREAM s (a BIGINT, b BIGINT, c BIGINT) USING json;
    CREATE STREAM t (d BIGINT, e BIGINT) USING json;
    CREATE STREAM u (g BIGINT, h STRING) USING json;
    """
).streams
PLAIN = {
    "equality": "SELECT a FROM s JOIN t ON a = d WHERE a > 10 AND d < 20",
    "more columns": "SELECT a, c, d + 1 AS more FROM s JOIN t ON a = d WHERE a > 10 AND d < 20 AND c IN (9, 12)",
    "filters": "SELECT a FROM s JOIN t ON a = d AND b >= e WHERE a > 10 AND d < 20 AND b > 9 AND e < 12 AND c % 2 = 0",
    "three": "SELECT a, g FROM s JOIN t ON a = d JOIN u ON e = g WHERE a > 10 AND d < 20 AND g IN (9, 10)",
    "no equality": "SELECT a FROM s JOIN t ON b < d WHERE d > 10 AND b < 20 AND a = 10",
    "cross join": "SELECT g, d FROM u CROSS JOIN t WHERE g BETWEEN 9 AND 12 AND d IN (8, 20)",
    "condition": "SELECT a FROM s JOIN t ON a = d AND c <> e AND (c + e) % 2 = 0 WHERE a > 7 AND d < 22 "
    "AND c BETWEEN 7 AND 19 AND e BETWEEN 8 AND 21",
    "self join": "SELECT x.a FROM s x JOIN s y ON x.a = y.b WHERE x.a > 10 AND y.b < 20",
}
DISTINCT = {
    "distinct": "SELECT DISTINCT a FROM s JOIN t ON a = d WHERE a > 10 AND d < 20",
    "inequality": "SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a > 10 AND d < 20",
    "no equality, once": "SELECT DISTINCT a FROM s, t WHERE b < d AND a = 10",
    "four inequalities": "SELECT DISTINCT a FROM s, t WHERE b < d AND c < e AND b < e AND c < d AND a IN (10, 12)",
    "computed": "SELECT DISTINCT a % 3 AS x, 5 AS five FROM s JOIN t ON a = d AND b < e WHERE a > 10 AND d < 20",
    "nothing shown": "SELECT DISTINCT 1 AS one FROM s JOIN t ON a = d AND b < e WHERE a > 10 AND d < 20",
    "strings": "SELECT DISTINCT h FROM u JOIN t ON g = d AND g < e WHERE h IN ('x', 'y') AND g BETWEEN 9 AND 21",
    "one says nothing new": "SELECT DISTINCT 1 AS one FROM s x JOIN s y ON x.a = y.a WHERE x.b IN (9, 12)",
    "two of three": "SELECT DISTINCT x.b FROM s x JOIN s y ON x.a = y.a JOIN t ON x.b = d WHERE x.b > 8 AND d < 14",
    "grouping": "SELECT a FROM s JOIN t ON a = d AND b < e WHERE a > 10 AND d < 20 GROUP BY a",
}
SHORT = ("distinct", "four inequalities", "strings", "one says nothing new")
"""Those of which the short lane counts what is kept."""


GROUPS = {
    "sum": "SELECT a, SUM(b) AS t, COUNT(*) AS n FROM s JOIN t ON a = d WHERE a > 10 AND d < 20 GROUP BY a",
    "below the join": "SELECT g, d, SUM(h2) AS t FROM t, (SELECT g, g * 2 AS h2 FROM u) AS z "
    "WHERE g BETWEEN 9 AND 12 AND d IN (8, 20) GROUP BY g, d",
    "global": "SELECT COUNT(*) AS n, MIN(b) AS lo, AVG(e) AS m FROM s JOIN t ON a = d WHERE a > 10 AND d < 20",
    "most": "SELECT a, MAX(b) AS hi FROM s JOIN t ON a = d WHERE a > 10 AND d < 20 GROUP BY a",
    "whole": "SELECT a, COUNT(DISTINCT c) AS n, MEDIAN(c) AS m FROM s JOIN t ON a = d "
    "WHERE a > 10 AND d < 20 AND c IN (7, 8, 9) GROUP BY a",
    "filtered": "SELECT a, COUNT(*) FILTER (WHERE b > 10) AS n, SUM(e) FILTER (WHERE c % 2 = 0) AS t, "
    "MAX(b) FILTER (WHERE e > 12) AS hi, COUNT(DISTINCT c) FILTER (WHERE b < 15) AS d FROM s JOIN t ON a = d "
    "WHERE a > 10 AND d < 20 AND c IN (7, 8, 9) GROUP BY a",
    "filtered most": "SELECT a, MAX(b) FILTER (WHERE c > 9) AS hi FROM s JOIN t ON a = d WHERE a IN (9, 10) GROUP BY a",
    "condition": "SELECT a, SUM(b) AS t FROM s JOIN t ON a = d AND c + e > 17 WHERE a > 7 AND d < 22 "
    "AND c BETWEEN 7 AND 19 AND e BETWEEN 8 AND 21 GROUP BY a",
    "one stream": "SELECT a, MEDIAN(b) AS m FROM s WHERE a IN (9, 10) AND b BETWEEN 9 AND 20 GROUP BY a",
    "plain groups": "SELECT a, SUM(b) AS t, COUNT(*) AS n FROM s WHERE a IN (9, 10) GROUP BY a",
}
ON_SYNOPSES = {f"groups: {name}": sql for name, sql in GROUPS.items() if name != "plain groups"}


def batch(sql: str, rows: dict[str, list[Row]]) -> list[tuple[Any, ...]]:
    """The SQL over all rows, in DuckDB."""
    with duckdb.connect() as connection:
        for name, each in rows.items():
            connection.register(name, frame(STREAMS[name].schema, each).to_arrow())
        return connection.execute(sql).fetchall()


def some_rows(name: str, chance: random.Random, count: int) -> list[Row]:
    """Rows whose numbers lie on both sides of all constants, duplicates and NULLs among them."""

    def value(kind: str) -> object:
        if kind == "STRING":
            return chance.choice([None, "x", "y", "z"])
        return chance.choice([None, -(10**12), *range(7, 23), 10**12])

    kinds = [attribute.type.value for attribute in STREAMS[name].schema.attributes]
    rows = [tuple(value(kind) for kind in kinds) for _ in range(count)]
    return rows + rows[: count // 3]  # type: ignore[return-value]


def columns(rows: Mapping[str, Sequence[Row]]) -> dict[str, ColumnarSlice]:
    return {name: ColumnarSlice(frame(STREAMS[name].schema, each)) for name, each in rows.items()}


def stated(relation: Relation) -> int:
    """How many values are kept at most, as check states it."""
    states = registered(relation).states
    assert {state.verdict.value for state in states} <= {"bounded", "stateless"}, states
    words = [state.witness[0].split() for state in states if state.witness]
    return sum(int(number) * (1 if kind.startswith("value") else len(relation.schema)) for number, kind, *_ in words)


def on_synopses(relation: Relation) -> bool:
    def nodes(node: Op | Input) -> Iterator[Relation]:
        if isinstance(node, Op):
            yield node.relation
            for below in node.inputs:
                yield from nodes(below)

    return any(isinstance(each, Synopsis) for stage in all_stages(planned(relation)) for each in nodes(stage.root))


def values_kept(simulation: Simulation) -> int:
    operators = [operator for running in simulation._running.values() for operator in running.flow.operators]
    tables = [table.frame() for operator in operators for table in operator.tables().values()]
    return sum(table.height * max(1, table.width) for table in tables)


@pytest.mark.parametrize("name", PLAIN | DISTINCT)
@pytest.mark.parametrize(
    ("buckets", "restart"), [(3, True), pytest.param(1, False, marks=long), pytest.param(8, False, marks=long)]
)
def test_every_prefix_has_the_batch_answer(name: str, buckets: int, restart: bool) -> None:
    sql, chance = (PLAIN | DISTINCT)[name], random.Random(name)
    relation = parse_query(sql, STREAMS)
    assert on_synopses(relation)
    simulation, fed, out = Simulation(relation, buckets, restart), {n: list[Row]() for n in STREAMS}, list[Row]()
    for _ in range(8):
        new = {n: some_rows(n, chance, chance.randint(0, 12)) for n in STREAMS}
        fed = {n: fed[n] + new[n] for n in STREAMS}
        out += to_rows(simulation.feed(columns(new)).rows)
        assert Counter(out) == Counter(batch(sql, fed))
    assert out


@pytest.mark.parametrize("sql", ["SELECT a, e FROM s JOIN t ON b < d", "SELECT a, g FROM s CROSS JOIN u"])
def test_what_is_not_bounded_runs_when_it_is_allowed_to(sql: str) -> None:
    relation, chance, out = parse_query(sql, STREAMS), random.Random(1), list[Row]()
    assert not registered(relation).safe and not on_synopses(relation)
    simulation, fed = Simulation(relation, 3, True), {n: list[Row]() for n in STREAMS}
    for _ in range(3):
        new = {n: some_rows(n, chance, 6) for n in STREAMS}
        fed = {n: fed[n] + new[n] for n in STREAMS}
        out += to_rows(simulation.feed(columns(new)).rows)
        assert Counter(out) == Counter(batch(sql, fed))


def adversarial(chance: random.Random) -> Iterator[Mapping[str, Sequence[Row]]]:
    """Values that grow and shrink without end beside every value that counts, in every combination."""
    inside = list(range(9, 21))
    for n in range(1, 60):
        numbers = [*inside, 100 + n, -100 - n]
        yield {
            "s": [(chance.choice(inside), chance.choice(numbers), chance.choice(numbers)) for _ in range(40)],
            "t": [(chance.choice(inside), chance.choice(numbers)) for _ in range(40)],
            "u": [(chance.choice(inside), chance.choice(["x", "y", f"z{n}"])) for _ in range(40)],
        }


@pytest.mark.parametrize(
    "name", also_long(*SHORT, more=[*(name for name in DISTINCT if name not in SHORT), *PLAIN, *ON_SYNOPSES])
)
def test_never_more_is_kept_than_is_stated(name: str) -> None:
    relation = parse_query((PLAIN | DISTINCT | ON_SYNOPSES)[name], STREAMS)
    most, simulation = stated(relation), Simulation(relation, 4)
    kept = []
    for new in adversarial(random.Random(name)):
        simulation.feed(columns(new))
        kept.append(values_kept(simulation))
    assert max(kept) <= most, (max(kept), most)
    assert max(kept) == kept[-1] >= most / 32, "the bound is not far from what there is"


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize(
    ("buckets", "restart"), [(4, True), pytest.param(1, True, marks=long), pytest.param(4, False, marks=long)]
)
def test_updates_have_the_batch_answer_at_every_prefix(name: str, buckets: int, restart: bool) -> None:
    sql, chance = GROUPS[name], random.Random(name)
    relation = parse_query(sql, STREAMS)
    known = registered(relation)
    assert known.safe and known.updates
    assert on_synopses(relation) == (name != "plain groups")
    simulation, fed = Simulation(relation, buckets, restart, updates=True), {n: list[Row]() for n in STREAMS}
    groups = dict[tuple[Any, ...], Row]()
    keys = sum(name_.islower() and name_ in ("a", "g", "d") for name_ in relation.schema.names)
    for _ in range(8):
        new = {n: some_rows(n, chance, chance.randint(0, 12)) for n in STREAMS}
        fed = {n: fed[n] + new[n] for n in STREAMS}
        found = to_rows(simulation.feed(columns(new)).rows)
        assert len({row[:keys] for row in found}) == len(found)
        groups |= {row[:keys]: row for row in found}
        wanted = batch(sql, fed)
        assert Counter(groups.values()) == Counter(wanted)
    assert groups


@pytest.mark.parametrize("name", GROUPS)
def test_groups_come_once_when_streams_end(name: str) -> None:
    sql, chance = GROUPS[name], random.Random(name)
    relation = parse_query(sql, STREAMS)
    simulation, fed = Simulation(relation, 3, True), {n: some_rows(n, chance, 60) for n in STREAMS}
    assert not simulation.feed(columns(fed)).rows.height
    ends = {n: ColumnarSlice(frame(STREAMS[n].schema, []), (end_of_stream(STREAMS[n].schema),)) for n in STREAMS}
    found = to_rows(simulation.feed(ends).rows)
    assert Counter(found) == Counter(batch(sql, fed)) and found
    assert not simulation.feed(ends).rows.height


PUNCTUATED = parse_script(
    """
    CREATE STREAM s (a BIGINT, b BIGINT, c BIGINT, PUNCTUATED ON (a)) USING json;
    CREATE STREAM t (d BIGINT, e BIGINT, PUNCTUATED ON (d)) USING json;
    CREATE STREAM u (g BIGINT, h STRING, PUNCTUATED ON (g)) USING json;
    """
).streams
BLOCK = "SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a IN (9, 10, 11)"
MIXED = {
    "two parts": f"SELECT x.a, y.g FROM ({BLOCK}) x "
    "JOIN (SELECT DISTINCT g FROM u JOIN t ON g < e WHERE g BETWEEN 8 AND 12) y ON x.a = y.g",
    "union": f"{BLOCK} UNION ALL SELECT a FROM s WHERE c > 9",
    "distinct of a union": f"SELECT DISTINCT a FROM ({BLOCK} "
    "UNION ALL SELECT DISTINCT g AS a FROM u WHERE g IN (7, 9)) z",
    "counted": f"SELECT COUNT(*) AS n FROM ({BLOCK}) x",
}


@pytest.mark.parametrize("name", MIXED)
def test_parts_on_synopses_with_others(name: str) -> None:
    """Every prefix has the batch answer, and what is kept of finitely many rows is finite."""
    sql, chance = MIXED[name], random.Random(name)
    relation = parse_query(sql, STREAMS)
    known = registered(relation)
    assert known.safe and on_synopses(relation), known.states
    simulation, out = Simulation(relation, 3, True, updates=known.updates), list[Row]()
    fed = {n: list[Row]() for n in STREAMS}
    for _ in range(6):
        new = {n: some_rows(n, chance, 15) for n in STREAMS}
        fed = {n: fed[n] + new[n] for n in STREAMS}
        found = to_rows(simulation.feed(columns(new)).rows)
        out = (found or out or [(0,)]) if known.updates else out + found
        assert Counter(out) == Counter(batch(sql, fed))
    assert out and simulation.kept() < 60


def test_a_join_by_punctuations_and_groups_by_conditions() -> None:
    sql = "SELECT b, SUM(e) AS total FROM s JOIN t ON a = d WHERE b BETWEEN 1 AND 5 GROUP BY b"
    relation = parse_query(sql, PUNCTUATED)
    assert registered(relation).safe and not on_synopses(relation)
    chance, simulation, groups = random.Random(1), Simulation(relation, 3, updates=True), dict[Any, Row]()
    fed: dict[str, list[Row]] = {"s": [], "t": [], "u": []}
    for n in range(30):
        new: dict[str, list[Row]] = {
            "s": [(n, chance.randint(0, 6), 1) for _ in range(20)],
            "t": [(n, chance.randint(0, 9)) for _ in range(20)],
            "u": [],
        }
        fed = {name: fed[name] + new[name] for name in fed}
        said = {name: (Punctuation.of(PUNCTUATED[name].schema, {key: n}),) for name, key in (("s", "a"), ("t", "d"))}
        pieces = {name: ColumnarSlice(frame(PUNCTUATED[name].schema, new[name]), said.get(name, ())) for name in new}
        groups |= {row[0]: row for row in to_rows(simulation.feed(pieces).rows)}
        assert Counter(groups.values()) == Counter(batch(sql, fed))
        assert simulation.kept() <= 5 * 3, "a row of each group in each bucket at most"


def test_groups_that_all_streams_have_closed_are_final() -> None:
    """S ends with a = 10, and t closes each d: what comes out is what a batch has, and comes once."""
    sql = "SELECT d, MAX(e) AS most FROM s JOIN t ON b < e WHERE a = 10 AND d IN (1, 2) GROUP BY d"
    relation = parse_query(sql, PUNCTUATED)
    assert registered(relation).safe and on_synopses(relation) and not registered(relation).updates
    simulation = Simulation(relation, 3, True)
    s, t = PUNCTUATED["s"].schema, PUNCTUATED["t"].schema
    first = {
        "s": ColumnarSlice(frame(s, [(10, 3, 0), (11, -9, 0)])),
        "t": ColumnarSlice(frame(t, [(1, 5), (2, 1), (2, 9), (3, 7)])),
    }
    assert not simulation.feed(first).rows.height
    ends = {"s": ColumnarSlice(frame(s, []), (Punctuation.of(s, a=10),)), "t": ColumnarSlice(frame(t, [(1, 6)]))}
    assert not simulation.feed(ends).rows.height
    one = simulation.feed({"t": ColumnarSlice(frame(t, [(2, 8)]), (Punctuation.of(t, d=1),))})
    assert to_rows(one.rows) == [(1, 6)]
    two = simulation.feed({"t": ColumnarSlice(frame(t, [(2, 11)]), (Punctuation.of(t, d=2),))})
    assert to_rows(two.rows) == [(2, 11)]


EMPTY = {
    "join": "SELECT a, e FROM s JOIN t ON a = d WHERE a > 5 AND d < 3",
    "cross": "SELECT a, e FROM s CROSS JOIN t WHERE a > 5 AND a < 3",
    "distinct": "SELECT DISTINCT b FROM s JOIN t ON a = d WHERE c > e AND c < 3 AND e > 8",
    "groups": "SELECT b, COUNT(*) AS n FROM s JOIN t ON a = d WHERE a > 5 AND d < 3 GROUP BY b",
}


@pytest.mark.parametrize("name", EMPTY)
def test_conditions_that_cannot_hold_keep_nothing(name: str) -> None:
    sql, chance = EMPTY[name], random.Random(name)
    relation = parse_query(sql, STREAMS)
    known = registered(relation)
    assert known.admitted and known.bounded_memory and not known.states
    simulation = Simulation(relation, 3, True, updates=known.updates)
    rows = {n: some_rows(n, chance, 60) for n in STREAMS}
    assert not batch(sql, rows)
    assert not simulation.feed(columns(rows)).rows.height and not simulation.kept()


def test_the_group_of_nothing_is_known_at_once() -> None:
    relation = parse_query("SELECT COUNT(*) AS n, SUM(b) AS t FROM s JOIN t ON a = d WHERE a > 5 AND d < 3", STREAMS)
    simulation = Simulation(relation, 3, True, updates=registered(relation).updates)
    assert to_rows(simulation.feed(columns({"s": [(6, 1, 1)], "t": [(6, 1)]})).rows) == [(0, None)]
    ends = {n: ColumnarSlice(frame(STREAMS[n].schema, []), (end_of_stream(STREAMS[n].schema),)) for n in STREAMS}
    assert not simulation.feed(ends).rows.height
