"""Random SQL that runs on synopses, through the whole engine: every prefix is DuckDB's, and the stated bound holds."""

import random
from collections import Counter
from typing import Any

import duckdb
import pytest

from engine.test_synopsis import on_synopses, stated, values_kept
from lanes import EXAMPLES
from punctum.algebra import Row
from punctum.analyse.memory.verdict import memory
from punctum.analyse.safety.register import registered
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.testing.simulate import Simulation

STREAMS = parse_script(
    """
    CREATE STREAM s (a BIGINT, b BIGINT, c DOUBLE, x STRING) USING json;
    CREATE STREAM t (d BIGINT, e BIGINT, f DOUBLE, y STRING) USING json;
    CREATE STREAM u (g BIGINT, h BIGINT) USING json;
    """
).streams
NUMBERS = {"s": "ab", "t": "de", "u": "gh"}
CALLS = ["COUNT(*)", "COUNT({})", "SUM({})", "MIN({})", "MAX({})", "AVG({})", "COUNT(DISTINCT {})", "MEDIAN({})"]


def conditions(chance: random.Random, streams: list[str], numbers: list[str]) -> list[str]:
    found = ["{1} {0} {2}".format(chance.choice(["<", "<=", "=", ">"]), *chance.sample(numbers, 2)) for _ in range(2)]
    for name in numbers:
        low, high = chance.randint(0, 4), chance.randint(3, 7)
        of_one = [
            f"{name} BETWEEN {low} AND {high}",
            f"{name} IN ({low}, {high})",
            f"{name} {chance.choice(['<', '>', '>='])} {high}",
            f"{name} % 2 = 1",
            f"({name} IS NULL OR {name} < 5)",
            *["true"] * 4,
        ]
        found.append(chance.choice(of_one))
    several = ["c = f", "x = y AND x IN ('p', 'q')", "a + e < 9"] if {"s", "t"} <= set(streams) else ["true"]
    return [*found, chance.choice([*several, *["true"] * 6])]


def column(chance: random.Random, numbers: list[str], n: int) -> str:
    """A column of a result: an attribute, or a computed one, or one that is always the same."""
    name = chance.choice(numbers)
    return chance.choice([name, f"{name} % 3 AS m{n}", f"{name} + {n} AS p{n}", f"{n} AS c{n}"])


def query(chance: random.Random) -> tuple[str, int | None]:
    """A query, and how many columns it groups by."""
    streams = chance.sample([*STREAMS], chance.choice([1, 2, 2, 3]))
    numbers = [column for name in streams for column in NUMBERS[name]]
    where = f"FROM {', '.join(streams)} WHERE {' AND '.join(conditions(chance, streams, numbers))}"
    shown = chance.sample(numbers, chance.randint(1, 2))
    if chance.random() < 0.5:
        shown = [column(chance, shown, n) for n in range(chance.randint(1, 3))]
        shown = list(dict.fromkeys(shown))
        return f"SELECT {'DISTINCT ' * chance.randint(0, 1)}{', '.join(shown)} {where}", None
    calls = [chance.choice(CALLS).format(chance.choice(numbers)) for _ in range(chance.randint(1, 2))]
    calls[0] += f" FILTER (WHERE {chance.choice(numbers)} > 3)" if chance.random() < 0.2 else ""
    shown = shown if chance.random() < 0.8 else []
    columns = ", ".join([*shown, *(f"{call} AS f{i}" for i, call in enumerate(calls))])
    return f"SELECT {columns} {where}" + (f" GROUP BY {', '.join(shown)}" if shown else ""), len(shown)


def some(name: str, chance: random.Random) -> list[Row]:
    values: dict[str, list[Any]] = {"BIGINT": [*range(-1, 10)], "DOUBLE": [1.5, 2.5], "STRING": ["p", "q", "r"]}
    kinds = [attribute.type.value for attribute in STREAMS[name].schema.attributes]
    return [
        tuple(None if chance.random() < 0.07 else chance.choice(values[kind]) for kind in kinds)
        for _ in range(chance.randint(0, 7))
    ]


def rounded(rows: list[Any]) -> Counter[Any]:
    return Counter(tuple(round(v, 6) if isinstance(v, float) else v for v in row) for row in rows)


def check(sql: str, keys: int | None, chance: random.Random) -> bool:
    """Whether a query is in bounded memory; if so, it is run."""
    relation = parse_query(sql, STREAMS)
    known, needed = registered(relation), memory(relation)
    if not known.safe or needed.values is None:
        return False
    simulation = Simulation(relation, chance.choice([1, 3]), chance.random() < 0.5, updates=known.updates)
    most = min(needed.values, stated(relation)) if on_synopses(relation) else needed.values
    fed, out, groups = {name: list[Row]() for name in STREAMS}, list[Row](), dict[Row, Row]()
    with duckdb.connect() as connection:
        for _ in range(4):
            new = {name: some(name, chance) for name in STREAMS}
            for name, rows in new.items():
                fed[name] += rows
                connection.register(name, frame(STREAMS[name].schema, fed[name]).to_arrow())
            given = {name: ColumnarSlice(frame(STREAMS[name].schema, rows)) for name, rows in new.items()}
            found = to_rows(simulation.feed(given).rows)
            out += found
            groups |= {row[:keys]: row for row in found}
            answer = out if keys is None else list(groups.values())
            if answer or keys != 0:  # one group without keys comes with the first row
                assert rounded(answer) == rounded(connection.execute(sql).fetchall()), sql
            assert values_kept(simulation) <= most, sql
    return True


def test_random_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(6)
    assert sum(check(*query(chance), chance) for _ in range(4 * EXAMPLES)) >= EXAMPLES // 5


@pytest.mark.parametrize("sql", ["SELECT 1 AS one FROM t", "SELECT 1 AS one, 'x' AS x FROM t WHERE d > 3"])
@pytest.mark.parametrize("numbers", [[], [3], [4], [3, 4, 5, 6]])
def test_constants_come_as_often_as_rows(sql: str, numbers: list[int]) -> None:
    rows: list[Row] = [(n, n, None, None) for n in numbers]
    simulation = Simulation(parse_query(sql, STREAMS), 2)
    given = {name: ColumnarSlice(frame(stream.schema, rows if name == "t" else [])) for name, stream in STREAMS.items()}
    assert simulation.feed(given).rows.height == sum(n > 3 or "WHERE" not in sql for n in numbers)
