"""Joins within intervals, in stages and buckets, without Spark: the batch answer, and a state that stays flat.

Streams come in order, a little late, and promise nothing but that order. A query runs twice as long and keeps no more.
"""

import random
from collections import Counter

import duckdb
import pytest

from lanes import also_long
from punctum.algebra import Punctuation, Row, Schema, between, end_of_stream
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.states import states
from punctum.analyse.safety.verdicts import Verdict
from punctum.ir import StreamDef
from punctum.ir.tree import Relation
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.testing.simulate import Simulation

SCHEMA = Schema.of(k="BIGINT", t="BIGINT", v="BIGINT")
LATE = 3
"""Rows come at most so much after others with a greater time."""
APART = "timestamp_seconds(b.t) - timestamp_seconds(a.t)"
DAYS = "datediff(date_from_unix_date(b.t), date_from_unix_date(a.t))"
UNITS = "TIMESTAMPDIFF(MINUTE, timestamp_seconds(a.t * 20), timestamp_seconds(b.t * 20))"
EPOCH = "DATE '1970-01-01'"
THEIRS = {
    UNITS: "trunc((b.t - a.t) / 3)",
    DAYS: f"({EPOCH} + b.t::INTEGER - ({EPOCH} + a.t::INTEGER))",
    " div ": " // ",
    "timestamp_seconds": "to_timestamp",
}
"""How DuckDB spells it."""
BETWEEN = "b.t BETWEEN a.t AND a.t + 5"
QUERIES = {
    "interval": (f"SELECT a.k, a.t, b.t AS u, b.v FROM a JOIN b ON a.k = b.k AND {BETWEEN}", "t ASC"),
    "in where": (f"SELECT a.k, a.t, b.t AS u, b.v FROM a JOIN b ON a.k = b.k WHERE {BETWEEN}", "t ASC"),
    "in a subquery": (
        "SELECT s.k, s.t, b.t AS u FROM (SELECT k, t, t + 5 AS until FROM a) s JOIN b ON s.k = b.k "
        "AND b.t >= s.t AND b.t <= s.until",
        "t ASC",
    ),
    "a difference": ("SELECT a.k, b.v FROM a JOIN b ON a.k = b.k AND b.t - a.t BETWEEN -2 AND 4", "t ASC"),
    "a difference of times": (
        f"SELECT a.k, a.t, b.v, {APART} AS apart FROM a JOIN b ON a.k = b.k AND {APART} > INTERVAL '-3' SECOND "
        f"AND {APART} <= INTERVAL '4' SECOND",
        "t ASC",
    ),
    "left, a difference of times": (
        f"SELECT a.k, a.t, b.t AS u FROM a LEFT JOIN b ON a.k = b.k AND INTERVAL '2' SECOND > {APART} "
        "AND timestamp_seconds(a.t) - INTERVAL '1' SECOND < timestamp_seconds(b.t)",
        "t ASC",
    ),
    "strictly": ("SELECT a.k, b.v FROM a, b WHERE a.k = b.k AND a.t < b.t AND b.t < a.t + 4", "t ASC"),
    "no equality": ("SELECT a.v, b.v AS w FROM a JOIN b ON b.t BETWEEN a.t - 1 AND a.t + 1", "t ASC"),
    "by the tens": ("SELECT a.v, b.v AS w FROM a JOIN b ON a.k = b.k AND a.t div 10 = b.t div 10", "t ASC"),
    "an offset": ("SELECT a.v, b.v AS w FROM a JOIN b ON a.t = b.t + 2", "t ASC"),
    "for each key": (f"SELECT a.k, a.t, b.v FROM a JOIN b ON a.k = b.k AND {BETWEEN}", "k, t ASC"),
    "grouped": (
        f"SELECT a.t, COUNT(*) AS n, SUM(b.v) AS s FROM a JOIN b ON a.k = b.k AND {BETWEEN} GROUP BY a.t",
        "t ASC",
    ),
    "left": (f"SELECT a.k, a.t, b.t AS u, b.v FROM a LEFT JOIN b ON a.k = b.k AND {BETWEEN} AND b.v > 0", "t ASC"),
    "right": (f"SELECT a.k, a.t, b.t AS u, b.v FROM a RIGHT JOIN b ON a.k = b.k AND {BETWEEN}", "t ASC"),
    "full": (f"SELECT a.k, a.t, b.t AS u, b.v FROM a FULL JOIN b ON a.k = b.k AND {BETWEEN}", "t ASC"),
    "left for each key": (f"SELECT a.k, a.t, b.v FROM a LEFT JOIN b ON a.k = b.k AND {BETWEEN}", "k, t ASC"),
    "left, grouped": (
        f"SELECT a.t, COUNT(*) AS n, SUM(b.v) AS s FROM a LEFT JOIN b ON a.k = b.k AND {BETWEEN} GROUP BY a.t",
        "t ASC",
    ),
    "left, by the tens": (
        "SELECT a.k, a.t, b.t AS u FROM a LEFT JOIN b ON a.k = b.k "
        "AND b.t BETWEEN (a.t div 10) * 10 AND (a.t div 10) * 10 + 12",
        "t ASC",
    ),
    "either": (
        "SELECT a.k, b.v FROM a JOIN b ON a.k = b.k AND (b.t BETWEEN a.t AND a.t + 2 OR b.t = a.t + 5 AND b.v > 0)",
        "t ASC",
    ),
    "either of some": (
        "SELECT a.k, b.v FROM a JOIN b ON b.t = a.t OR b.k = a.k AND a.t < b.t AND (b.t < a.t + 3 OR b.t = a.t + 5)",
        "t ASC",
    ),
    "left, either": (
        "SELECT a.k, a.t, b.v FROM a LEFT JOIN b ON a.k = b.k AND (b.t BETWEEN a.t - 1 AND a.t OR b.t = a.t + 4)",
        "t ASC",
    ),
    "a chain, either": (
        "SELECT a.v, b.v AS w, c.v AS x FROM a JOIN b ON a.k = b.k AND (b.t = a.t OR b.t BETWEEN a.t + 2 AND a.t + 4) "
        "JOIN c ON b.v = c.v AND (c.t = b.t + 1 OR c.t + 2 = b.t)",
        "t ASC",
    ),
    "not outside": (
        "SELECT a.k, b.v FROM a JOIN b ON a.k = b.k AND NOT (b.t < a.t OR b.t > a.t + 2 * 2 OR NOT b.v > 0)",
        "t ASC",
    ),
    "an absolute value": ("SELECT a.v, b.v AS w FROM a JOIN b ON a.k = b.k AND ABS(a.t - b.t) < 4", "t ASC"),
    "some distances": ("SELECT a.v, b.v AS w FROM a JOIN b ON a.k = b.k AND a.t - b.t IN (-2, 0, 3)", "t ASC"),
    "is true": ("SELECT a.v, b.v AS w FROM a JOIN b ON (b.t - a.t BETWEEN 0 AND 3) IS TRUE", "t ASC"),
    "whole units": (f"SELECT a.v, b.v AS w FROM a JOIN b ON a.k = b.k AND {UNITS} BETWEEN -1 AND 1", "t ASC"),
    "left, whole units": (f"SELECT a.v, b.v AS w FROM a LEFT JOIN b ON ABS({UNITS}) < 1 AND a.k = b.k", "t ASC"),
    "a flag": (f"SELECT a.v, b.v AS w FROM a JOIN b ON CASE WHEN {BETWEEN} THEN 1 ELSE 0 END = 1", "t ASC"),
    "a fraction": ("SELECT a.v, b.v AS w FROM a LEFT JOIN b ON b.t - a.t < 3.5 AND a.t - b.t <= 1e0", "t ASC"),
    "days": (f"SELECT a.v, b.v AS w FROM a JOIN b ON a.k = b.k AND {DAYS} BETWEEN -1 AND 2", "t ASC"),
    "left, days": (f"SELECT a.v, b.v AS w FROM a LEFT JOIN b ON a.k = b.k AND {DAYS} BETWEEN -1 AND 2", "t ASC"),
    "left, with a partner": (f"SELECT a.v, b.v AS w FROM a LEFT JOIN b ON a.k = b.k WHERE {BETWEEN}", "t ASC"),
    "full, with partners": (
        "SELECT s.v, s.w FROM (SELECT a.t, a.v, b.t AS u, b.v AS w FROM a FULL JOIN b ON a.k + 1 = b.k + 1) s "
        "WHERE s.u - s.t IN (0, 1, 2)",
        "t ASC",
    ),
    "exists": (f"SELECT a.k, a.t FROM a WHERE EXISTS (SELECT 1 FROM b WHERE a.k = b.k AND {BETWEEN})", "t ASC"),
    "not exists": (f"SELECT a.k, a.t FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE {BETWEEN} AND b.v > a.v)", "t ASC"),
    "a chain": (
        "SELECT a.v, b.v AS w, c.v AS x FROM a JOIN b ON a.k = b.k AND b.t BETWEEN a.t AND a.t + 4 "
        "JOIN c ON b.k = c.k AND c.t BETWEEN b.t AND b.t + 4",
        "t ASC",
    ),
    "a chain of comparisons": (
        "SELECT a.v, b.v AS w, c.v AS x FROM a, b, c WHERE b.t BETWEEN a.t AND a.t + 1 AND c.t BETWEEN b.t AND b.t + 1",
        "t ASC",
    ),
    "a square": (
        "SELECT a.v, b.v AS w, c.v AS x FROM a, b, c WHERE a.k = b.k AND b.v = c.v AND a.t <= b.t AND b.t <= c.t "
        "AND c.t <= a.t + 3",
        "t ASC",
    ),
}


def defined(scheme: str) -> dict[str, StreamDef]:
    ddl = (f"CREATE STREAM {x} (k BIGINT, t BIGINT, v BIGINT, PUNCTUATED ON ({scheme})) USING json;" for x in "abc")
    return dict(parse_script("\n".join(ddl)).streams)


def slices(seed: int, scheme: str, times: int) -> list[tuple[list[Row], list[Punctuation]]]:
    """Rows in order but for a little, each slice with punctuations of what is over."""
    chance, given = random.Random(seed), list[tuple[list[Row], list[Punctuation]]]()
    for now in range(times):
        rows: list[Row] = [
            (
                chance.choice([0, 1, 2, None]) if chance.random() < 0.9 else 1,
                now - chance.randrange(LATE),
                chance.randrange(3),
            )
            for _ in range(chance.randrange(4))
        ]
        if chance.random() < 0.1:
            rows.append((1, None, 0))
        over = between(None, now - LATE + 1)
        keys = [{"k": k} for k in (0, 1, 2)] if scheme.startswith("k") else [{}]
        given.append((rows, [Punctuation.of(SCHEMA, {**key, "t": over}) for key in keys]))
    return given


def fed(relation: Relation, scheme: str, seed: int, buckets: int, times: int) -> tuple[Counter[Row], list[int], int]:
    """The rows that come out, how many are kept after each slice, and how many when all streams have ended."""
    engine, kept, out = Simulation(relation, buckets, restart=seed % 2 == 1), list[int](), Counter[Row]()
    streams = {name: slices(seed + n, scheme, times) for n, name in enumerate("abc")}
    for now in range(times):
        at_once = {name: ColumnarSlice(frame(SCHEMA, s[now][0]), tuple(s[now][1])) for name, s in streams.items()}
        out += Counter(to_rows(engine.feed(at_once).rows))
        kept.append(engine.kept())
    ended = ColumnarSlice(frame(SCHEMA, []), (end_of_stream(SCHEMA),))
    out += Counter(to_rows(engine.feed(dict.fromkeys("abc", ended)).rows))
    return out, kept, engine.kept()


def batch(sql: str, scheme: str, seed: int, times: int) -> Counter[Row]:
    """DuckDB's answer over all rows but those without a time, which have no place in an order: they are quarantined."""
    base = duckdb.connect()
    for n, name in enumerate("abc"):
        rows = [row for part, _ in slices(seed + n, scheme, times) for row in part if row[1] is not None]
        base.execute(f"CREATE TABLE {name} (k BIGINT, t BIGINT, v BIGINT)")
        base.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
    for ours, theirs in THEIRS.items():
        sql = sql.replace(ours, theirs)
    return Counter(base.execute(sql).fetchall())


SHORT = (
    "interval",
    "no equality",
    "grouped",
    "not exists",
    "left, either",
)


@pytest.mark.parametrize("name", also_long(*SHORT, more=[name for name in QUERIES if name not in SHORT]))
def test_intervals(name: str) -> None:
    sql, scheme = QUERIES[name]
    relation = parse_query(sql, defined(scheme))
    verdicts = {state.verdict for state in states(relation, Inference())}
    assert verdicts <= {Verdict.PURGEABLE, Verdict.STATELESS}
    for seed, buckets in ((1, 1), (2, 3)):
        times = 60
        rows, kept, left = fed(relation, scheme, seed, buckets, times)
        assert rows == batch(sql, scheme, seed, times)
        assert sum(rows.values()) > 20, "nothing is tested"
        assert left == 0
        assert max(kept[times // 2 :]) <= max(kept[: times // 2]) + 25, "state grows"
        assert max(kept) < 150
