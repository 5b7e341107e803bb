"""What a stage would do twice it does once: the plans, and answers and a quarantine as without it."""

import json
import random
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import duckdb
import pytest

from engine.test_time_windows import bucket, hopped
from lanes import LONG
from punctum.algebra import Punctuation, Row, Schema, between, constant, end_of_stream
from punctum.compile import PASSES, Pass, compile
from punctum.engine.exchange.quarantine import Record
from punctum.ir.tree import Relation
from punctum.nexmark.queries import script
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.plan.explain import explain
from punctum.plan.physical.stages import Stage, all_stages, operators
from punctum.testing.simulate import Simulation, Splits

COLUMNS = "k BIGINT, ts TIMESTAMP_NTZ, v BIGINT"
SCHEMA = Schema.of(k="BIGINT", ts="TIMESTAMP_NTZ", v="BIGINT")
START = datetime(2026, 11, 18, 11, 59, 30)
STREAMS = f"""
CREATE STREAM a ({COLUMNS}, PUNCTUATED ON (k), PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b ({COLUMNS}, PUNCTUATED ON (k), PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'b');
CREATE SINK o USING json OPTIONS (path 'o');
INSERT INTO o
"""
WINDOW = "window(ts, '5 seconds')"
HOP = "window(ts, '6 seconds', '2 seconds')"
COUNTED = f"WITH n AS (SELECT k, {HOP}.start AS w, COUNT(*) AS n FROM a GROUP BY k, {HOP})"
SUMS = "WITH t AS (SELECT k, SUM(v) AS t, MAX(v) AS m FROM a GROUP BY k)"
HOPS = f"WITH n AS (SELECT k, w, COUNT(*) AS n FROM {hopped(6, 2)} GROUP BY ALL)"
MOST = "SELECT n.k, n.w, n.n FROM n JOIN (SELECT w, MAX(n) AS m FROM n GROUP BY w) m ON n.w = m.w AND n.n = m.m"
QUERIES: dict[str, tuple[str, str, tuple[int, int]]] = {
    # a query, the same in DuckDB's SQL, and how many stages and inputs it has
    "most of a window": (f"{COUNTED} {MOST}", f"{HOPS} {MOST}", (2, 2)),
    "the largest of a window": (
        f"SELECT a.v, a.k, m.w FROM a JOIN (SELECT {WINDOW}.start AS w, MAX(v) AS m FROM a GROUP BY {WINDOW}) m "
        "ON a.v = m.m AND window(a.ts, '5 seconds').start = m.w",
        f"SELECT a.v, a.k, m.w FROM a JOIN (SELECT {bucket()} AS w, MAX(v) AS m FROM a GROUP BY ALL) m "
        f"ON a.v = m.m AND {bucket('a.ts')} = m.w",
        (1, 1),
    ),
    "pairs": ("SELECT x.v, y.ts FROM a x JOIN a y ON x.k = y.k AND x.v < y.v", "", (1, 1)),
    "pairs of other columns": ("SELECT x.v, y.ts FROM a x JOIN a y ON x.k = y.v AND x.v = y.k", "", (1, 2)),
    "twice": ("SELECT k, ts FROM a UNION ALL SELECT k, ts FROM a", "", (1, 1)),
    "of two kinds": (f"{SUMS} SELECT x.t, y.m FROM t x JOIN t y ON x.k = y.k", "", (1, 1)),
    "beside another": (
        "SELECT x.v, b.v AS u FROM a x JOIN b ON x.k = b.k JOIN a y ON x.k = y.k AND x.v = y.v",
        "",
        (1, 2),
    ),
    "some and all": ("SELECT x.v FROM a x JOIN (SELECT k, v FROM a WHERE v > 3) y ON x.k = y.k", "", (1, 2)),
    "without": (
        "SELECT x.k, x.v FROM a x WHERE NOT EXISTS (SELECT 1 FROM a y WHERE x.k = y.k AND y.v > x.v)",
        "",
        (1, 1),
    ),
    "what is in both": ("SELECT k FROM a INTERSECT SELECT k FROM a", "", (1, 1)),
}
APART = tuple((name, run) for name, run in PASSES if name != "share what is there twice")


def compiled(select: str) -> Relation:
    return compile(f"{STREAMS} {select};").queries[0].query.relation


def size(last: Stage) -> tuple[int, int]:
    """How many stages and inputs there are."""
    return len(all_stages(last)), sum(len(stage.inputs) for stage in all_stages(last))


@pytest.mark.parametrize("name", QUERIES)
def test_what_is_there_twice_is_there_once(name: str) -> None:
    select, _, wanted = QUERIES[name]
    assert size(compile(f"{STREAMS} {select};").queries[0].last) == wanted


def test_an_operator_that_two_read_runs_once_and_is_shown_once() -> None:
    last = compile(f"{STREAMS} {QUERIES['of two kinds'][0]};").queries[0].last
    assert len(list(operators(last.root))) < 5
    shown = explain(last)
    assert sum(line.strip().startswith("Aggregate") for line in shown) == 1
    assert sum(line.strip().startswith("the same ") for line in shown) == 1


class Feed:
    """Two streams, slice by slice; rows come late now and then."""

    def __init__(self, chance: random.Random, late: bool) -> None:
        self._chance, self._late, self._closed = chance, late, set[int]()
        self.rows: dict[str, list[Row]] = {"a": [], "b": []}

    def slices(self, times: int) -> list[dict[str, ColumnarSlice]]:
        """Some slices, and the end."""
        end = dict.fromkeys("ab", ColumnarSlice(frame(SCHEMA, []), (end_of_stream(SCHEMA),)))
        return [*({name: self._slice(name, now) for name in "ab"} for now in range(times)), end]

    def _slice(self, name: str, now: int) -> ColumnarSlice:
        chance = self._chance
        first = now - (3 if self._late and chance.random() < 0.3 else 0)
        closed = set() if self._late and chance.random() < 0.3 else self._closed
        rows: list[Row] = [
            (
                chance.choice([k for k in range(20 + now) if k not in closed]),
                START + timedelta(seconds=first + chance.randrange(4), milliseconds=chance.choice([0, 0, 500])),
                chance.choice([None, *range(6)]),
            )
            for _ in range(chance.randrange(9))
        ]
        self.rows[name] += rows
        over = Punctuation.of(SCHEMA, {"ts": between(None, START + timedelta(seconds=now), "()")})
        ended = []
        if name == "b" and now % 2:
            self._closed.add(now)
            ended = [Punctuation.of(SCHEMA, {"k": constant(now)})]
        return ColumnarSlice(frame(SCHEMA, rows), (over, *ended))


def run(
    relation: Relation, fed: list[dict[str, ColumnarSlice]], buckets: int, restart: bool, passes: tuple[Pass, ...]
) -> Any:
    """The rows of all slices, and what goes to the quarantine."""
    engine, out, records = Simulation(relation, buckets, restart, passes=passes), Counter[Row](), list[Record]()
    for piece in fed:
        given = engine.feed({name: Splits([each]) for name, each in piece.items()})
        out += Counter(to_rows(given.rows))
        records += engine.records
    return out, records, engine.kept()


SECONDS = {"ts": 0, "tumble(ts, INTERVAL '5' SECOND)": 5, "tumble(ts, INTERVAL '2' SECOND)": 2}


def shown(row: tuple[Any, ...], name: str) -> Any:
    """A column that a query may compute of a row, as a record has it; nothing for what says no more than others."""
    k, ts, v = row
    if name in SECONDS:
        whole = (
            timedelta(seconds=ts.second % SECONDS[name], microseconds=ts.microsecond)
            if SECONDS[name]
            else 0 * ts.resolution
        )
        return (ts - whole).isoformat(timespec="microseconds")
    return {"k": k, "v": v}.get(name)


def on_time(rows: dict[str, list[Row]], records: list[Record]) -> dict[str, list[Row]]:
    """The rows that are not in the quarantine; records have the columns that the query reads."""
    left = {name: list(several) for name, several in rows.items()}
    for record in records:
        known = json.loads(record.text)
        found = (row for row in left[record.stream] if all(shown(row, name) in (None, known[name]) for name in known))
        left[record.stream].remove(next(found))
    return left


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("name", QUERIES)
def test_shared_is_not_shared(name: str, late: bool) -> None:
    select, same, (_, inputs) = QUERIES[name]
    once = inputs == 1 or " b" in select  # each stream is read once, and what is late is late for all of the query
    for seed in range(20 if LONG else 1):
        chance = random.Random(f"{name} {late} {seed}")
        feed = Feed(chance, late)
        fed, relation = feed.slices(12), compiled(select)
        buckets = chance.choice([1, 2, 3])
        rows, records, kept = run(relation, fed, buckets, chance.random() < 0.5, PASSES)
        others, told, _ = run(relation, fed, buckets, False, APART)
        assert len(records) <= len(told) and bool(records) == bool(told)
        assert kept == 0
        assert late or (rows == others and not records)
        if not late or once:
            assert rows == batch(same or select, on_time(feed.rows, records))


def batch(sql: str, rows: dict[str, list[Row]]) -> Counter[Row]:
    base = duckdb.connect()
    for name, several in rows.items():
        base.execute(f"CREATE TABLE {name} (k BIGINT, ts TIMESTAMP, v BIGINT)")
        base.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", several)
    return Counter(base.execute(sql).fetchall())


@pytest.mark.parametrize(("name", "wanted"), [("q5", (2, 2)), ("q7", (1, 1))])
def test_queries_of_nexmark_read_their_bids_once(name: str, wanted: tuple[int, int]) -> None:
    (query,) = compile(script(name)).queries
    assert size(query.last) == wanted
