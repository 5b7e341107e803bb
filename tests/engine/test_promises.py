"""What clauses promise, at work: groups come out when their time is over, rows of joins go, what is kept stays flat.

Sensors report many times, each almost in its own order; no punctuation comes from anywhere else until the end.
"""

import random
from collections import Counter

import duckdb
import pytest

from engine.sequences import piece
from lanes import also_long
from punctum.algebra.punctuation import end_of_stream
from punctum.algebra.values import Row
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.states import states
from punctum.analyse.safety.verdicts import Verdict
from punctum.engine.exchange.quarantine import VIOLATION
from punctum.operators.columns import to_rows
from punctum.parse import parse_query
from punctum.parse.script import parse_script
from punctum.testing.simulate import Simulation, Splits

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
    "groups of time, all passed": (
        f"PUNCTUATE (t ASC) WHEN ALL sensor IN {SENSORS} DELAY 2",
        "SELECT t DIV 10 AS h, COUNT(*) AS n, SUM(v) AS s FROM a WHERE v > 1 GROUP BY t DIV 10",
    ),
    "groups of time and zone, all passed": (
        f"PUNCTUATE (zone, t DIV 5 ASC) WHEN ALL sensor IN {SENSORS[::2]} DELAY 2",
        "SELECT zone, t, COUNT(*) AS n FROM a WHERE zone = 0 GROUP BY zone, t",
    ),
    "interval join, all passed": (
        f"PUNCTUATE (t ASC) WHEN ALL sensor IN {SENSORS} DELAY 2",
        "SELECT a.t, b.t AS u, a.v FROM a JOIN b ON a.sensor = b.sensor AND b.t BETWEEN a.t AND a.t + 3",
    ),
}
KEPT = {
    "groups of time, all passed": len(SENSORS),
    "groups of time and zone, all passed": len(SENSORS[::2]),
    "interval join, all passed": 2 * len(SENSORS),
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


SHORT = ("groups by sensor", "interval join", "groups of time, all passed")


@pytest.mark.parametrize("name", also_long(*SHORT, more=[name for name in QUERIES if name not in SHORT]))
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
    assert simulation.kept() == KEPT.get(name, 0), "how far each sensor has come, and nothing else"


ONCE = "SELECT t DIV 10 AS h, COUNT(*) AS n FROM a GROUP BY t DIV 10"


def test_a_unit_is_over_when_all_have_reported_in_it() -> None:
    clause = "PUNCTUATE (t DIV 10) WHEN ALL sensor IN ('s0', 's1')"
    stream = parse_script(f"CREATE STREAM a (sensor STRING, t BIGINT, {clause}) USING memory;").streams
    relation, schema = parse_query(ONCE, stream), stream["a"].schema
    assert [state.verdict for state in states(relation, Inference())][-1] is Verdict.PURGEABLE
    simulation = Simulation(relation, 3, restart=True)
    batches = [[("s0", 12), ("s1", 25)], [("s9", 11), ("s1", 19), ("s0", 13)], [("s0", 21), ("s1", 14)]]
    given = [to_rows(simulation.feed({"a": Splits([piece(schema, batch)])}).rows) for batch in batches]
    assert given == [[], [(1, 3)], [(2, 2)]]
    assert [record.text for record in simulation.records] == ['{"sensor":"s1","t":14}']


def test_a_row_for_which_an_event_has_no_value_goes_to_the_quarantine() -> None:
    text = """CREATE STREAM a (k BIGINT, x BIGINT) USING memory;
        CREATE STREAM c (PUNCTUATE (k) WHEN x * 4 = 4) AS SELECT k, x FROM a WHERE k > 0;"""
    streams = parse_script(text).streams
    simulation = Simulation(parse_query("SELECT k, x FROM c", streams), 2)
    rows = [(1, 2), (1, 2**62), (1, 1), (1, 3), (2, 3), (0, 2**62)]
    out = simulation.feed({"a": Splits([piece(streams["a"].schema, rows)])})
    assert sorted(to_rows(out.rows)) == [(1, 1), (1, 2), (2, 3)]
    told = {record.text: (record.stream, record.reason) for record in simulation.records}
    assert told.keys() == {'{"k":1,"x":4611686018427387904}', '{"k":1,"x":3}'}
    assert told['{"k":1,"x":3}'] == ("c", VIOLATION)


def test_a_row_without_a_value_in_order_goes_to_the_quarantine() -> None:
    text = """CREATE STREAM a (k BIGINT, x BIGINT) USING memory;
        CREATE STREAM c (PUNCTUATE (x ASC)) AS SELECT k, x FROM a;"""
    streams = parse_script(text).streams
    simulation = Simulation(parse_query("SELECT k, x FROM c", streams), 2)
    rows: list[Row] = [(1, None), (1, 2), (1, 1)]
    assert to_rows(simulation.feed({"a": Splits([piece(streams["a"].schema, rows)])}).rows) == [(1, 2)]
    assert [record.text for record in simulation.records] == ['{"k":1,"x":null}', '{"k":1,"x":1}']
