"""What clauses promise, at work: groups come out when their time is over, rows of joins go, what is kept stays flat.

Sensors report many times, each almost in its own order; no punctuation comes from anywhere else until the end.
"""

import random
from collections import Counter

import duckdb
import pytest

from engine.sequences import piece
from engine.simulate import Simulation, Splits
from punctum.algebra.punctuation import end_of_stream
from punctum.algebra.values import Row
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.states import states
from punctum.analyse.safety.verdicts import Verdict
from punctum.operators.columns import to_rows
from punctum.parse import parse_query
from punctum.parse.script import parse_script

SENSORS = tuple(f"s{n}" for n in range(5))
PER_KEY = "PUNCTUATE (sensor, t ASC) DELAY 2"
QUERIES = {
    "groups by sensor": (PER_KEY, "SELECT sensor, t DIV 10 AS h, COUNT(*) AS n FROM a GROUP BY sensor, t DIV 10"),
    "interval join": (
        PER_KEY,
        "SELECT a.t, b.t AS u, a.v FROM a JOIN b ON a.sensor = b.sensor AND b.t BETWEEN a.t AND a.t + 3",
    ),
    "left interval join": (
        PER_KEY,
        "SELECT a.t, b.t AS u FROM a LEFT JOIN b ON a.sensor = b.sensor AND b.t BETWEEN a.t AND a.t + 3 AND b.v > a.v",
    ),
    "groups by time, with a domain": (
        PER_KEY + f", DOMAIN sensor IN {SENSORS}",
        "SELECT t DIV 10 AS h, COUNT(*) AS n FROM a GROUP BY t DIV 10",
    ),
}
BATCH = 50


def reports(chance: random.Random, times: int) -> list[Row]:
    """Reports of all sensors, of each almost in order; some are behind others."""
    made: list[tuple[int, Row]] = []
    for n, sensor in enumerate(SENSORS):
        for t in range(times):
            for _ in range(chance.randint(1, 2)):
                made.append((t + 4 * n + chance.randint(0, 1), (sensor, n % 2, t, chance.randint(0, 9))))
    return [row for _, row in sorted(made, key=lambda each: each[0])]


def batch(sql: str, sent: dict[str, list[Row]]) -> Counter[Row]:
    """DuckDB's answer."""
    base = duckdb.connect()
    for name, rows in sent.items():
        base.execute(f"CREATE TABLE {name} (sensor VARCHAR, zone BIGINT, t BIGINT, v BIGINT)")
        base.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", rows)
    return Counter(base.execute(sql.replace(" DIV ", " // ")).fetchall())


@pytest.mark.parametrize("name", QUERIES)
def test_what_is_over_comes_out_and_goes(name: str) -> None:
    clause, sql = QUERIES[name]
    columns = "sensor STRING, zone BIGINT, t BIGINT, v BIGINT"
    streams = parse_script("".join(f"CREATE STREAM {n} ({columns}, {clause}) USING memory;" for n in "ab")).streams
    relation = parse_query(sql, streams)
    assert {state.verdict for state in states(relation, Inference())} <= {Verdict.PURGEABLE, Verdict.STATELESS}
    simulation, chance = Simulation(relation, 3, restart=True), random.Random(15)
    sent = {n: reports(chance, 100) for n in "ab"}
    rows, kept = Counter[Row](), list[int]()
    for start in range(0, max(map(len, sent.values())), BATCH):
        feed = {n: Splits([piece(streams[n].schema, given[start : start + BATCH])]) for n, given in sent.items()}
        rows += Counter(to_rows(simulation.feed(feed).rows))
        kept.append(simulation.kept())
        assert not simulation.records
    before, schema = rows.total(), streams["a"].schema
    ends = Splits([piece(schema, [end_of_stream(schema)])])
    rows += Counter(to_rows(simulation.feed({"a": ends, "b": ends}).rows))
    assert rows == batch(sql, sent)
    assert before > 0.6 * rows.total(), "it comes at the end"
    assert max(kept[len(kept) // 2 :]) <= max(kept[: len(kept) // 2]) + 15, "state grows"
    assert simulation.kept() == 0
