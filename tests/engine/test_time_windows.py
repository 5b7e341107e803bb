"""Windows of time, in stages and buckets, without Spark: the batch answer, and a state that stays flat.

Streams come in order, a little late, and promise nothing but that order, or the order of each key. Rows of a slice come
in any order. A query runs twice as long and keeps no more. DuckDB has no such windows, so each query has its own SQL.
"""

import random
from collections import Counter
from datetime import datetime, timedelta
from typing import NamedTuple

import duckdb
import pytest

from lanes import LONG, also_long
from punctum.algebra import Punctuation, Row, Schema, between, end_of_stream
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.states import states
from punctum.analyse.safety.verdicts import Verdict
from punctum.ir import StreamDef
from punctum.ir.tree import Relation
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.testing.simulate import Simulation

SCHEMA = Schema.of(k="BIGINT", ts="TIMESTAMP_NTZ", v="BIGINT")
START = datetime(2026, 11, 18, 11, 59, 30)
LATE = 3
"""Rows come at most so many seconds after others with a greater time."""


class Query(NamedTuple):
    """A query, the same in DuckDB's SQL, and what the streams promise."""

    sql: str
    duckdb: str
    scheme: str = "ts ASC"


def bucket(time: str = "ts", size: int = 5, offset: int = 0) -> str:
    """The start of a window in DuckDB's SQL."""
    return f"time_bucket(INTERVAL '{size} seconds', {time}, TIMESTAMP '1970-01-01' + INTERVAL '{offset} seconds')"


def hopped(size: int = 5, slide: int = 2, offset: int = 0) -> str:
    """Rows in each of their windows in DuckDB's SQL: of all starts up to a time those whose window has not ended."""
    last, copies = bucket(size=slide, offset=offset), -(-size // slide)
    started = f"SELECT *, {last} - i * INTERVAL '{slide} seconds' AS w FROM a, range({copies}) AS copies(i)"
    return f"(SELECT * FROM ({started}) WHERE w + INTERVAL '{size} seconds' > ts)"


def sessions(key: str, gap: int = 2) -> str:
    """Rows with the number of their session in DuckDB's SQL: it counts the gaps before them."""
    late = f"ts > LAG(ts) OVER (PARTITION BY {key} ORDER BY ts) + INTERVAL '{gap} seconds'"
    begins = f"SELECT *, CASE WHEN {late} THEN 1 ELSE 0 END AS begins FROM a"
    return f"(SELECT *, SUM(begins) OVER (PARTITION BY {key} ORDER BY ts) AS session FROM ({begins}))"


def tvf(stream: str) -> str:
    """A tumbling window in FROM."""
    return f"TABLE(TUMBLE(TABLE {stream}, DESCRIPTOR(ts), INTERVAL '5' SECOND)) AS {stream}"


TUMBLE = f"SELECT {bucket()} AS w, {bucket()} + INTERVAL 5 SECOND AS e, SUM(v) AS s FROM a GROUP BY ALL"
SAME = f"SELECT a.k, a.v, b.v AS u FROM a JOIN b ON a.k = b.k AND {bucket('a.ts')} = {bucket('b.ts')}"
QUERIES = {
    "tumble": Query(
        "SELECT window.start AS w, window.end AS e, SUM(v) AS s FROM a GROUP BY window(ts, '5 seconds')", TUMBLE
    ),
    "tumble, as columns": Query(
        "SELECT window(ts, '5 seconds') AS w, SUM(v) AS s FROM a GROUP BY w",
        TUMBLE.replace("AS w", 'AS "w.start"').replace("AS e", 'AS "w.end"'),
    ),
    "tumble, moved": Query(
        "SELECT window(ts, '7 seconds', '7 seconds', '2 seconds').start AS w, k, COUNT(*) AS n FROM a GROUP BY w, k",
        f"SELECT {bucket(size=7, offset=2)} AS w, k, COUNT(*) AS n FROM a GROUP BY ALL",
    ),
    "tumble, in FROM": Query(
        f"SELECT window_start AS w, window_end AS e, SUM(v) AS s FROM {tvf('a')} GROUP BY window_start, window_end",
        TUMBLE,
    ),
    "hop": Query(
        "SELECT k, window.start AS w, window.end AS e, COUNT(*) AS n FROM a "
        "GROUP BY k, window(ts, '5 seconds', '2 seconds')",
        f"SELECT k, w, w + INTERVAL 5 SECOND AS e, COUNT(*) AS n FROM {hopped()} GROUP BY ALL",
    ),
    "hop, in FROM": Query(
        "SELECT window_start AS w, window_end AS e, SUM(v) AS s, MAX(v) AS m FROM TABLE(HOP(TABLE a, DESCRIPTOR(ts), "
        "INTERVAL '2' SECOND, INTERVAL '6' SECOND, INTERVAL '1' SECOND)) GROUP BY window_start, window_end",
        f"SELECT w, w + INTERVAL 6 SECOND AS e, SUM(v) AS s, MAX(v) AS m FROM {hopped(6, 2, 1)} GROUP BY ALL",
    ),
    "hop, rows": Query(
        "SELECT k, v, window(ts, '5 seconds', '3 seconds').start AS w FROM a",
        f"SELECT k, v, w FROM {hopped(5, 3)}",
    ),
    "hop, for each key": Query(
        "SELECT k, window.start AS w, AVG(v) AS n FROM a GROUP BY k, window(ts, '5 seconds', '2 seconds')",
        f"SELECT k, w, AVG(v) AS n FROM {hopped()} GROUP BY ALL",
        "k, ts ASC",
    ),
    "most in a hop": Query(
        "SELECT n.w, n.k, n.n FROM (SELECT k, window(ts, '6 seconds', '2 seconds').start AS w, COUNT(*) AS n FROM a "
        "GROUP BY 1, 2) n JOIN (SELECT w, MAX(n) AS m FROM (SELECT k, window(ts, '6 seconds', '2 seconds').start AS w, "
        "COUNT(*) AS n FROM a GROUP BY 1, 2) GROUP BY w) m ON n.w = m.w AND n.n >= m.m",
        f"SELECT w, k, n FROM (SELECT w, k, COUNT(*) AS n FROM {hopped(6, 2)} GROUP BY ALL) "
        "QUALIFY n = MAX(n) OVER (PARTITION BY w)",
    ),
    "session": Query(
        "SELECT k, session_window.start AS w, session_window.end AS e, COUNT(*) AS n, SUM(v) AS s FROM a "
        "GROUP BY k, session_window(ts, '2 seconds')",
        f"SELECT k, MIN(ts) AS w, MAX(ts) + INTERVAL 2 SECOND AS e, COUNT(*) AS n, SUM(v) AS s FROM {sessions('k')} "
        "GROUP BY k, session",
    ),
    "session of all": Query(
        "SELECT session_window.end AS e, COUNT(DISTINCT v) AS n FROM a GROUP BY session_window(ts, '1 second')",
        f"SELECT MAX(ts) + INTERVAL 1 SECOND AS e, COUNT(DISTINCT v) AS n FROM {sessions('1', 1)} GROUP BY session",
    ),
    "session for each key": Query(
        "SELECT k, window_start AS w, window_end AS e, MAX(v) AS m FROM TABLE(SESSION(TABLE a PARTITION BY k, "
        "DESCRIPTOR(ts), INTERVAL '2' SECOND)) GROUP BY k, window_start, window_end",
        f"SELECT k, MIN(ts) AS w, MAX(ts) + INTERVAL 2 SECOND AS e, MAX(v) AS m FROM {sessions('k')} "
        "GROUP BY k, session",
        "k, ts ASC",
    ),
    "long sessions in order": Query(
        "SELECT e, k, n FROM (SELECT k, session_window.end AS e, COUNT(*) AS n FROM a "
        "GROUP BY session_window(ts, '2 seconds'), k) WHERE n > 1 ORDER BY e",
        f"SELECT MAX(ts) + INTERVAL 2 SECOND AS e, k, COUNT(*) AS n FROM {sessions('k')} GROUP BY k, session "
        "HAVING COUNT(*) > 1",
    ),
    "seconds before": Query(
        "SELECT k, v, SUM(v) OVER w AS s, FIRST_VALUE(ts) OVER w AS f FROM a "
        "WINDOW w AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '4' SECONDS PRECEDING AND CURRENT ROW)",
        "SELECT k, v, SUM(v) OVER w AS s, FIRST_VALUE(ts) OVER w AS f FROM a "
        "WINDOW w AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL 4 SECONDS PRECEDING AND CURRENT ROW)",
    ),
    "the largest": Query(
        "SELECT a.v, a.k, m.w FROM a JOIN (SELECT window.start AS w, MAX(v) AS m FROM a GROUP BY window(ts, '5 seconds'"
        ")) m ON a.v = m.m AND window(a.ts, '5 seconds').start = m.w",
        f"SELECT a.v, a.k, m.w FROM a JOIN (SELECT {bucket()} AS w, MAX(v) AS m FROM a GROUP BY ALL) m "
        f"ON a.v = m.m AND {bucket('a.ts')} = m.w",
    ),
    "same window": Query(
        "SELECT a.k, a.v, b.v AS u FROM a JOIN b ON a.k = b.k AND window(a.ts, '5 second') = window(b.ts, '5 seconds')",
        SAME,
    ),
    "same window, in FROM": Query(
        f"SELECT a.k, a.v, b.v AS u FROM {tvf('a')} JOIN {tvf('b')} ON a.k = b.k AND a.window_start = b.window_start "
        "AND a.window_end = b.window_end",
        SAME,
    ),
}


def defined(scheme: str) -> dict[str, StreamDef]:
    columns = f"k BIGINT, ts TIMESTAMP_NTZ, v BIGINT, PUNCTUATED ON ({scheme})"
    ddl = (f"CREATE STREAM {x} ({columns}) USING json;" for x in "ab")
    return dict(parse_script("\n".join(ddl)).streams)


def slices(seed: int, scheme: str, times: int) -> list[tuple[list[Row], list[Punctuation]]]:
    """Rows in order but for a little, each slice with punctuations of what is over; at times no rows come."""
    chance, given = random.Random(seed), list[tuple[list[Row], list[Punctuation]]]()
    keys = [{"k": k} for k in (0, 1, 2, None)] if scheme.startswith("k") else [{}]
    for now in range(times):
        quiet = now % 16 > 9
        rows: list[Row] = [
            (
                chance.choice([0, 1, 2, None]),
                START + timedelta(seconds=now - chance.randrange(LATE), milliseconds=chance.choice([0, 0, 500])),
                chance.randrange(9),
            )
            for _ in range(chance.randrange(2 if quiet else 6))
        ]
        over = between(None, START + timedelta(seconds=now - LATE + 1), "()")
        given.append((rows, [Punctuation.of(SCHEMA, {**key, "ts": over}) for key in keys]))
    return given


def fed(relation: Relation, scheme: str, seed: int, buckets: int, times: int) -> tuple[Counter[Row], list[int], int]:
    """The rows that come out, how many are kept after each slice, and how many when all streams have ended."""
    engine, kept, out = Simulation(relation, buckets, restart=seed % 2 == 1), list[int](), Counter[Row]()
    streams = {name: slices(seed + n, scheme, times) for n, name in enumerate("ab")}
    for now in range(times):
        at_once = {name: ColumnarSlice(frame(SCHEMA, s[now][0]), tuple(s[now][1])) for name, s in streams.items()}
        out += Counter(to_rows(engine.feed(at_once).rows))
        kept.append(engine.kept())
    ended = ColumnarSlice(frame(SCHEMA, []), (end_of_stream(SCHEMA),))
    out += Counter(to_rows(engine.feed(dict.fromkeys("ab", ended)).rows))
    return out, kept, engine.kept()


def batch(sql: str, scheme: str, seed: int, times: int) -> Counter[Row]:
    """DuckDB's answer over all rows."""
    base = duckdb.connect()
    for n, name in enumerate("ab"):
        rows = [row for part, _ in slices(seed + n, scheme, times) for row in part]
        base.execute(f"CREATE TABLE {name} (k BIGINT, ts TIMESTAMP, v BIGINT)")
        base.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
    return Counter(base.execute(sql).fetchall())


SHORT = ("tumble", "same window, in FROM", "hop", "hop, in FROM", "session", "session for each key", "seconds before")


@pytest.mark.parametrize("name", also_long(*SHORT, more=[name for name in QUERIES if name not in SHORT]))
def test_windows(name: str) -> None:
    query = QUERIES[name]
    relation = parse_query(query.sql, defined(query.scheme))
    verdicts = {state.verdict for state in states(relation, Inference())}
    assert verdicts <= {Verdict.PURGEABLE, Verdict.STATELESS}
    for seed, buckets in ((1, 3), (2, 1), (3, 4))[: 3 if LONG else 1]:
        times = 48
        rows, kept, left = fed(relation, query.scheme, seed, buckets, times)
        assert rows == batch(query.duckdb, query.scheme, seed, times)
        assert sum(rows.values()) > 10, "nothing is tested"
        assert left == 0
        assert max(kept[times // 2 :]) <= max(kept[: times // 2]) + 20, "state grows"
        assert max(kept) < 120
