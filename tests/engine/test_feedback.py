"""Plans that heed what nobody needs: they give what is needed, and keep and compute no more than that.

The oracle is the same plan that hears nothing, less the rows below the last limit.
"""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import also_long, examples
from punctum.algebra.json import from_json
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.engine.feedback.filter import FIRST, Signals
from punctum.engine.feedback.publisher import feedback_publisher
from punctum.ir.definitions import StreamDef
from punctum.ir.expressions import text
from punctum.ir.planned import MultiJoin
from punctum.ir.tree import Relation
from punctum.lmerge.elements import FOREVER, NEVER
from punctum.lmerge.feedback import Signal
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse.script import parse_function, parse_query, parse_script
from punctum.plan.physical.feedback import feedback_mappings
from punctum.plan.physical.stages import all_stages, operators
from punctum.testing.simulate import Simulation, planned

STREAMS = parse_script(
    """
    CREATE STREAM s (k BIGINT, ts BIGINT, v BIGINT, PUNCTUATED ON (ts ASC), PUNCTUATED ON (k)) USING json;
    CREATE STREAM r (k BIGINT, ts BIGINT, w BIGINT, PUNCTUATED ON (ts ASC), PUNCTUATED ON (k)) USING json;
    """
).streams
QUERIES = {
    "select": "SELECT k, ts + 3 AS t FROM s WHERE v > 1",
    "group": "SELECT ts DIV 4 AS t, SUM(v) AS total FROM s GROUP BY ts DIV 4",
    "twice": "SELECT t, COUNT(*) AS n FROM (SELECT k, ts AS t, SUM(v) AS x FROM s GROUP BY k, ts) GROUP BY t",
    "distinct": "SELECT DISTINCT k, ts AS t FROM s",
    "join": "SELECT s.k, s.ts AS t, w FROM s JOIN r ON s.k = r.k",
    "join of both": "SELECT s.ts AS t, SUM(v) AS total FROM s JOIN r ON s.k = r.k AND s.ts = r.ts GROUP BY s.ts",
    "left": "SELECT s.k, s.ts AS t, w FROM s LEFT JOIN r ON s.k = r.k AND w > v",
    "left of both": "SELECT s.ts AS t, SUM(w) AS total FROM s LEFT JOIN r ON s.k = r.k AND s.ts = r.ts GROUP BY s.ts",
    "right columns": "SELECT s.k, r.ts AS t FROM s LEFT JOIN r ON s.k = r.k",
    "anti": "SELECT s.k, s.ts AS t FROM s WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k = s.k AND w > v)",
    "semi": "SELECT s.k, s.ts AS t FROM s WHERE ts IN (SELECT ts FROM r WHERE r.k = s.k)",
    "except": "SELECT ts AS t, v AS x FROM s EXCEPT SELECT ts, w FROM r",
    "intersect": "SELECT ts AS t, v AS x FROM s INTERSECT SELECT ts, w FROM r",
    "union": "SELECT ts AS t, v AS x FROM s UNION SELECT ts, w FROM r",
    "sorted": "SELECT ts AS t, v FROM s ORDER BY t",
}
MORE = ("select", "twice", "join of both", "left of both", "right columns", "anti", "semi", "intersect", "union")
"""Those that are tried at random in the long lane only."""


class Told(Signals):
    """A signal that the test sets."""

    def now(self) -> Signal | None:
        return next(iter(self._seen.values()))[1] if self._seen else None

    def tell(self, limit: int, column: str = "t") -> None:
        self._seen[""] = (0, 0), Signal(column, limit)


def stream(rng: Random, name: str, slices: int) -> list[list[ColumnarSlice]]:
    """Slices in parts; keys and times grow, and so do the punctuations on them, until the stream ends."""
    schema, found = STREAMS[name].schema, []
    for n in range(slices):
        parts = []
        for _ in range(rng.randint(1, 3)):
            rows = [
                (n + rng.randrange(3), 4 * n + rng.randrange(12), rng.randrange(4)) for _ in range(rng.randint(0, 6))
            ]
            parts.append(ColumnarSlice(frame(schema, rows)))
        end = "{}" if n == slices - 1 else f'{{"ts": {{"lt": {4 * n + 4}}}}}'
        ends = [end, *[f'{{"k": {n - 1}}}'] * (rng.random() < 0.7)]
        parts[-1].puncts = tuple(said(f'{{"$punct": {each}}}', STREAMS[name]) for each in ends)
        found.append(parts)
    return found


def said(written: str, definition: StreamDef) -> Punctuation:
    found = from_json(written, definition.schema)
    assert isinstance(found, Punctuation)
    return found


def needed(rows: pl.DataFrame, limit: int) -> Counter[Any]:
    return Counter(to_rows(rows.filter(pl.col("t") >= limit)))


@pytest.mark.parametrize("name", also_long(*(name for name in QUERIES if name not in MORE), more=MORE))
@given(st.integers(0, 2**32), st.booleans())
@examples(8)
def test_what_is_needed_comes(name: str, seed: int, restart: bool) -> None:
    rng = Random(seed)
    heeds_it(rng, parse_query(QUERIES[name], STREAMS), {each: stream(rng, each, 6) for each in STREAMS}, restart)


def heeds_it(rng: Random, relation: Relation, fed: dict[str, list[list[ColumnarSlice]]], restart: bool) -> None:
    """Tell of limits at random, and compare with a plan that is not told."""
    told = Told((), relation.schema)
    plain = Simulation(relation, 3, global_punctuations=True)
    heeding = Simulation(relation, 3, restart, global_punctuations=True, signals=told)
    limit, heard = -1, PunctuationSet(relation.schema)
    for n in range(len(next(iter(fed.values())))):
        if rng.random() < 0.6:
            limit = max(limit, rng.randrange(4 * n + 8))
            told.tell(limit)
        piece = {each: fed[each][n] for each in fed}
        one, other = plain.feed(piece), heeding.feed(piece)
        assert needed(other.rows, limit) == needed(one.rows, limit)
        assert not (Counter(to_rows(other.rows)) - Counter(to_rows(one.rows))), "a row that is none"
        assert other.rows.filter(pl.col("t") < limit).is_empty()
        assert heeding.kept() <= plain.kept()
        for p in other.puncts:
            heard.add(p)
        assert all(heard.covers(p) for p in one.puncts), "what is not kept holds no punctuation back"


TRIANGLE = parse_script(
    """
    CREATE STREAM s (t BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json;
    CREATE STREAM r (b BIGINT, c BIGINT, PUNCTUATED ON (c)) USING json;
    CREATE STREAM q (c BIGINT, t BIGINT, PUNCTUATED ON (t)) USING json;
    CREATE SINK o USING console;
    INSERT INTO o SELECT s.t AS t, r.c FROM s JOIN r ON s.b = r.b JOIN q ON r.c = q.c AND q.t = s.t;
    """
)


@given(st.integers(0, 2**32), st.booleans())
@examples(15)
def test_what_is_needed_comes_from_joins_that_are_safe_only_as_one(seed: int, restart: bool) -> None:
    rng, relation = Random(seed), TRIANGLE.queries[0].relation
    stages = all_stages(planned(relation))
    assert [op for stage in stages for op in operators(stage.root) if isinstance(op.relation, MultiJoin)]
    fed: dict[str, list[list[ColumnarSlice]]] = {}
    for name, closed in (("s", "b"), ("r", "c"), ("q", "t")):
        fed[name] = []
        for n in range(6):
            rows = [(n + rng.randrange(4), n + rng.randrange(4)) for _ in range(rng.randint(0, 8))]
            over = said(f'{{"$punct": {{"{closed}": {{"lt": {n + 1}}}}}}}', TRIANGLE.streams[name])
            fed[name].append([ColumnarSlice(frame(TRIANGLE.streams[name].schema, rows), (over,))])
    heeds_it(rng, relation, fed, restart)


def test_a_join_of_several_keeps_nothing_that_is_not_needed() -> None:
    relation = TRIANGLE.queries[0].relation
    assert len(feedback_mappings(planned(relation))["t"].streams) == 2, "s and q have t"
    told = Told((), relation.schema)
    running = Simulation(relation, 1, signals=told)
    schemas = {name: TRIANGLE.streams[name].schema for name in "srq"}
    running.feed({name: ColumnarSlice(frame(schema, [(1, 2), (7, 2), (1, 9)])) for name, schema in schemas.items()})
    told.tell(5)
    running.feed({name: ColumnarSlice(frame(schema, [(2, 2), (8, 2)])) for name, schema in schemas.items()})
    assert running.kept() == 8, "of s the rows with 7 and 8, of q the one with 9, and all of r"


@pytest.mark.parametrize("name", sorted(set(QUERIES) - {"select"}))
def test_what_is_not_needed_is_not_kept(name: str) -> None:
    relation = parse_query(QUERIES[name], STREAMS)
    told = Told((), relation.schema)
    running = Simulation(relation, 2, signals=told)
    rows = {each: ColumnarSlice(frame(STREAMS[each].schema, [(1, 9, 2), (2, 10, 3)])) for each in STREAMS}
    running.feed({each: ColumnarSlice(piece.rows) for each, piece in rows.items()})
    assert running.kept() > 0
    told.tell(1000)
    running.feed({each: ColumnarSlice(piece.rows.clear()) for each, piece in rows.items()})
    kept = {"join": 2, "left": 2, "anti": 2, "right columns": 4}
    assert running.kept() == kept.get(name, 0), "of r nothing is known of its own time, of a row alone of neither"
    told.tell(FOREVER, "")
    running.feed({each: ColumnarSlice(piece.rows) for each, piece in rows.items()})
    assert running.kept() == 0


def test_what_is_purged_holds_no_punctuation_back() -> None:
    relation = parse_query(QUERIES["join"], STREAMS)
    told = Told((), relation.schema)
    running = Simulation(relation, 1, signals=told)
    over = said('{"$punct": {"ts": {"lt": 10}}}', STREAMS["s"])
    given = running.feed({"s": ColumnarSlice(frame(STREAMS["s"].schema, [(1, 5, 2)]), (over,))})
    assert "<*, (,9], *>" not in map(str, given.puncts), "a row of r may still meet the one that is kept"
    told.tell(10)
    given = running.feed({"s": ColumnarSlice(frame(STREAMS["s"].schema, []))})
    assert [str(p) for p in given.puncts] == ["<*, (,9], *>"]


def test_a_function_is_not_called_for_what_nobody_needs() -> None:
    seen: list[int] = []

    def score(v: pl.Series) -> pl.Series:
        seen.append(len(v))
        if sum(seen) >= 2 * FIRST:
            told.tell(3000 if len(seen) < 3 else 10)
        return v * 2

    functions = {"score": parse_function("score", score, ["BIGINT"], "BIGINT")}
    script = parse_script(
        "CREATE SINK o USING console; INSERT INTO o SELECT ts AS t, score(v) AS x FROM s WHERE score(v) > 1",
        STREAMS,
        functions,
    )
    relation = script.queries[0].relation
    told = Told((), relation.schema)
    told.tell(1000)
    rows = [(1, n, 1) for n in range(5000)]
    given = Simulation(relation, 1, signals=told).feed({"s": ColumnarSlice(frame(STREAMS["s"].schema, rows))})
    assert given.rows["t"].to_list() == [*range(3000, 5000)], "what was computed before is not given either"
    assert 2000 < sum(seen) / 2 < 3500, "of 4000 that were needed at first"


def test_what_is_skipped_is_counted() -> None:
    """Where a stream is read, and by an operator that hears of a limit when rows are there already."""
    seen: list[int] = []

    def score(v: pl.Series) -> pl.Series:
        seen.append(len(v))
        if sum(seen) >= 2 * FIRST:
            told.tell(3000)
        return v * 2

    functions = {"score": parse_function("score", score, ["BIGINT"], "BIGINT")}
    sql = "CREATE SINK o USING console; INSERT INTO o SELECT ts AS t, SUM(score(v)) AS x FROM s GROUP BY ts"
    relation = parse_script(sql, STREAMS, functions).queries[0].relation
    told = Told((), relation.schema)
    told.tell(1000)
    running = Simulation(relation, 3, signals=told)
    over = said('{"$punct": {"ts": {"lt": 5000}}}', STREAMS["s"])
    given = running.feed({"s": ColumnarSlice(frame(STREAMS["s"].schema, [(1, n, 1) for n in range(5000)]), (over,))})
    assert sorted(given.rows["t"]) == [*range(3000, 5000)]
    assert running.skipped == 5000 - sum(seen), "for these the function was not called"
    assert sum(counts["rows_skipped"] for counts in running.counts) == sum(seen) - 2000 > 0
    assert sum(counts["rows_in"] for counts in running.counts[:3]) == 2000


def test_where_the_plan_knows_the_column() -> None:
    found = {
        name: {
            (stage, each): text(over)
            for (stage, each), over in feedback_mappings(planned(parse_query(sql, STREAMS)))["t"].streams.items()
        }
        for name, sql in QUERIES.items()
    }
    assert set(found["select"].values()) == {"(ts + 3)"}
    assert set(found["group"].values()) == {"(ts DIV 4)"}
    assert list(found["join"].values()) == ["ts"], "s alone"
    assert list(found["join of both"].values()) == ["ts", "ts"]
    assert list(found["left"].values()) == ["ts"] and list(found["left of both"].values()) == ["ts", "ts"]
    assert not found["right columns"], "what is skipped of r would make a row of s come out alone"
    reported = parse_script(
        """CREATE STREAM s (sid STRING, hour BIGINT, PUNCTUATE (hour) WHEN ALL sid IN ('a', 'b')) USING json;
        CREATE SINK o USING console; INSERT INTO o SELECT hour AS t, COUNT(*) AS n FROM s GROUP BY hour;"""
    )
    assert not feedback_mappings(planned(reported.queries[0].relation))["t"].streams, "who has reported must be seen"


@pytest.mark.parametrize(("declared", "known"), [("DETERMINISTIC TIES", {"_vs"}), ("KEY (k)", {"_vs", "_ve", "k"})])
def test_a_merge_that_counts_sees_all_events_of_a_start(declared: str, known: set[str]) -> None:
    script = MERGE.replace("KEY (k)", f"ORDERED, INSERT ONLY, {declared}")
    found = feedback_mappings(planned(parse_script(script).queries[0].relation, global_punctuations=True))
    assert {name for name in ("_vs", "_ve", "k") if found[name].streams} == known


MERGE = """
CREATE TEMPORAL STREAM a (k BIGINT, KEY (k)) USING json OPTIONS (path 'a', feedback 'a.feedback');
CREATE TEMPORAL STREAM b (k BIGINT, KEY (k)) USING json OPTIONS (path 'b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (feedback 'm.feedback');
CREATE SINK merged USING json OPTIONS (path 'merged', elements 'true');
INSERT INTO merged SELECT * FROM m;
"""


def test_a_merge_passes_on_what_its_own_readers_say(tmp_path: Path) -> None:
    last = planned(parse_script(MERGE).queries[0].relation, global_punctuations=True)
    told = Told(("",), last.schema)
    told_by, upstream = tmp_path / "m.feedback", tmp_path / "a.feedback"
    tells = feedback_publisher(last, str(tmp_path), told, feedback_mappings(last), afresh=True)
    assert tells is not None
    tells({"s1o0": {"stable": NEVER}})
    assert not told_by.exists()
    tells({"s1o0": {"stable": 7}})
    assert json.loads(told_by.read_text()) == {"$punct": {"_ve": {"le": 6}}}
    assert not upstream.exists(), "its reader has said nothing"
    told.tell(11, "_ve")
    tells({"s1o0": {"stable": 7}})
    assert json.loads(told_by.read_text()) == json.loads(upstream.read_text()) == {"$punct": {"_ve": {"le": 10}}}
    tells({"s1o0": {"stable": FOREVER}})
    assert json.loads(told_by.read_text()) == {"$punct": {}}
    assert feedback_publisher(last, str(tmp_path), told, feedback_mappings(last), afresh=False) is not None
    assert told_by.exists()
    assert feedback_publisher(last, str(tmp_path), told, feedback_mappings(last), afresh=True) is not None
    assert not told_by.exists() and not upstream.exists(), "who starts afresh needs everything"


def test_signals_that_are_lost_or_broken_say_nothing(tmp_path: Path) -> None:
    path, schema = tmp_path / "m.feedback", parse_query(QUERIES["group"], STREAMS).schema
    signals = Signals((str(path),), schema)
    assert signals.now() is None
    path.write_text('{"$punct": {"t": {"lt": 4}}}')
    assert signals.now() == Signal("t", 4)
    path.with_name("new").write_text('{"$punct": {"t": {"lt": 5}}')
    path.with_name("new").replace(path)
    assert signals.now() is None
    path.unlink()
    assert signals.now() is None
    assert Signals((), schema).now() is None
