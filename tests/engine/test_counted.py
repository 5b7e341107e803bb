"""Joins within bands of whole numbers that are closed one by one, in buckets: the batch answer, and a flat state.

Streams promise nothing but punctuations on values. These come a while after the last row with the value, in no order
but about, as constants, lists, ranges or prefixes. A query runs twice as long and keeps no more.
"""

import random
from collections import Counter
from datetime import date, timedelta
from typing import Any

import duckdb
import pytest

from lanes import also_long
from punctum.algebra import Pattern, Punctuation, Row, Schema, between, constant, end_of_stream, one_of
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.states import states
from punctum.analyse.safety.verdicts import Verdict
from punctum.ir import StreamDef
from punctum.ir.tree import Relation
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.testing.simulate import Simulation

LATE = 4
"""A value may come for so long after its time; then it is closed."""
KEYS = (0, 1, 2)
NEAR = "b.k BETWEEN a.k AND a.k + 3"
QUERIES = {
    "a band": (f"SELECT a.k, b.k AS l, b.v FROM a JOIN b ON {NEAR}", "k"),
    "about it": ("SELECT a.k, b.v FROM a, b WHERE a.k - 2 <= b.k AND b.k <= a.k + 2", "k"),
    "and an equality": (f"SELECT a.g, a.k, b.k AS l FROM a JOIN b ON a.g = b.g AND {NEAR}", "k"),
    "for each key": (f"SELECT a.g, a.k, b.k AS l FROM a JOIN b ON a.g = b.g AND {NEAR}", "g, k"),
    "mixed": (
        f"SELECT a.k, b.k AS l FROM a JOIN b ON a.g = b.g AND {NEAR} AND b.t <= a.t + 2 AND a.t <= b.t",
        "k, t ASC",
    ),
    "two bands": (f"SELECT a.k, b.t FROM a JOIN b ON {NEAR} AND b.t BETWEEN a.t - 1 AND a.t + 1", "k, t"),
    "an empty band": (
        "SELECT a.k, b.v FROM a JOIN b ON b.k >= a.k + 1 AND b.k <= a.k + a.v - 1 AND b.k <= a.k + 2",
        "k",
    ),
    "left": (f"SELECT a.k, b.k AS l, b.v FROM a LEFT JOIN b ON a.g = b.g AND {NEAR} AND b.v > 0", "k"),
    "left for each key": (f"SELECT a.g, a.k, b.k AS l FROM a LEFT JOIN b ON a.g = b.g AND {NEAR}", "g, k"),
    "full": (f"SELECT a.k, b.k AS l FROM a FULL JOIN b ON a.g = b.g AND {NEAR}", "k"),
    "exists": (f"SELECT a.k, a.v FROM a WHERE EXISTS (SELECT 1 FROM b WHERE {NEAR} AND b.g = a.g)", "k"),
    "not exists": (f"SELECT a.k, a.v FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE {NEAR} AND b.v > a.v)", "k"),
    "grouped": (f"SELECT a.k, COUNT(*) AS n, SUM(b.v) AS s FROM a JOIN b ON a.g = b.g AND {NEAR} GROUP BY a.k", "k"),
    "a chain": (
        "SELECT a.v, b.v AS w, c.v AS x FROM a, b, c WHERE b.k BETWEEN a.k AND a.k + 2 AND c.k BETWEEN b.k AND b.k + 1",
        "k",
    ),
    "equal, then near": (
        "SELECT a.v, b.v AS w, c.v AS x FROM a JOIN b ON a.k = b.k JOIN c ON c.k BETWEEN b.k - 1 AND b.k + 1",
        "k",
    ),
    "between two": (
        "SELECT a.v, b.v AS w, c.v AS x FROM a, b, c WHERE a.k <= b.k AND b.k <= c.k AND c.k <= a.k + 3",
        "k",
    ),
    "days that are subtracted": (
        "SELECT a.d, b.v FROM a LEFT JOIN b ON b.d - a.d <= INTERVAL 2 DAYS AND a.d - b.d < INTERVAL 25 HOURS",
        "d",
    ),
    "days": ("SELECT a.d, b.v FROM a JOIN b ON b.d BETWEEN a.d AND a.d + INTERVAL 2 DAYS", "d"),
}
THEIRS = {"b.d - a.d": "b.d::TIMESTAMP - a.d", "a.d - b.d": "a.d::TIMESTAMP - b.d"}
"""How DuckDB spells it: there, days are subtracted to a number."""
SCHEMA = Schema.of(g="BIGINT", k="BIGINT", t="BIGINT", v="BIGINT", d="DATE")
_DAY = date(2026, 1, 1)


def defined(scheme: str) -> dict[str, StreamDef]:
    columns = ", ".join(f"{a.name} {a.type.value}" for a in SCHEMA.attributes)
    ddl = (f"CREATE STREAM {x} ({columns}, PUNCTUATED ON ({scheme})) USING json;" for x in "abc")
    return dict(parse_script("\n".join(ddl)).streams)


def slices(seed: int, scheme: str, times: int) -> list[tuple[list[Row], list[Punctuation]]]:
    """Rows whose values come and go, and punctuations of what is over, in slices of several times."""
    chance, given = random.Random(seed), list[tuple[list[Row], list[Punctuation]]]()
    waiting: list[int] = []
    for now in range(-10, times):  # what lies before the first row is asked for, too
        rows: list[Row] = [_row(chance, now) for _ in range(chance.randrange(3) if now >= 0 else 0)]
        waiting.append(now - LATE)
        chance.shuffle(waiting)
        over = [waiting.pop() for _ in range(chance.randrange(len(waiting) + 1))] if len(waiting) < 6 else waiting
        given.append((rows, _said(chance, scheme, over, now)))
        waiting = [] if over is waiting else waiting
    return given


def _row(chance: random.Random, now: int) -> Row:
    k = now - chance.randrange(LATE)
    if chance.random() < 0.05:
        return (1, None, now, 0, None)
    return (
        chance.choice([*KEYS, None]),
        k,
        now - chance.randrange(LATE),
        chance.randrange(3),
        _DAY + timedelta(days=k),
    )


def _said(chance: random.Random, scheme: str, over: list[int], now: int) -> list[Punctuation]:
    """What a stream says of values that are over, in one of several ways."""
    if scheme == "d":
        return [Punctuation.of(SCHEMA, d=_DAY + timedelta(days=k)) for k in over]
    keys: list[dict[str, Any]] = [{"g": g} for g in KEYS] if scheme.startswith("g") else [{}]
    done = between(None, now - LATE)
    rest: list[dict[str, Any]] = [{}]
    if scheme == "k, t":
        rest = [{"t": t} for t in range(-LATE - 12, now + 9)]  # all that asks for these values
    if scheme.endswith("ASC"):  # what is over has no more rows at all
        rest = [{"t": between(None, now + 100)}]
    return [
        Punctuation.of(SCHEMA, {**key, "k": pattern, **more})
        for pattern in _patterns(chance, over, done)
        for key in keys
        for more in rest
    ]


def _patterns(chance: random.Random, over: list[int], done: Pattern) -> list[Pattern]:
    way = chance.randrange(5)
    if way == 0 and over:
        return [one_of(over)]
    if way == 1 and over and max(over) - min(over) == len(over) - 1:
        return [between(min(over), max(over))]
    return [done, *map(constant, over)] if way == 2 else [constant(k) for k in over]


def fed(relation: Relation, scheme: str, seed: int, buckets: int, times: int) -> tuple[Counter[Row], list[int], int]:
    """The rows that come out, how many are kept after each slice, and how many when all streams have ended."""
    engine, kept, out = Simulation(relation, buckets, restart=seed % 2 == 1), list[int](), Counter[Row]()
    streams, cuts = {name: slices(seed + n, scheme, times) for n, name in enumerate("abc")}, random.Random(seed)
    now = 0
    while now < times + 10:
        until = now + cuts.randrange(1, 4)
        at_once = {name: _together(parts[now:until]) for name, parts in streams.items()}
        out += Counter(to_rows(engine.feed(at_once).rows))
        kept.append(engine.kept())
        now = until
    ended = ColumnarSlice(frame(SCHEMA, []), (end_of_stream(SCHEMA),))
    out += Counter(to_rows(engine.feed(dict.fromkeys("abc", ended)).rows))
    return out, kept, engine.kept()


def _together(parts: list[tuple[list[Row], list[Punctuation]]]) -> ColumnarSlice:
    rows = [row for some, _ in parts for row in some]
    return ColumnarSlice(frame(SCHEMA, rows), tuple(p for _, some in parts for p in some))


def batch(sql: str, scheme: str, seed: int, times: int) -> Counter[Row]:
    """DuckDB's answer over all rows."""
    base = duckdb.connect()
    for n, name in enumerate("abc"):
        rows = [row for part, _ in slices(seed + n, scheme, times) for row in part]
        base.execute(f"CREATE TABLE {name} (g BIGINT, k BIGINT, t BIGINT, v BIGINT, d DATE)")
        base.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?)", rows)
    for ours, theirs in THEIRS.items():
        sql = sql.replace(ours, theirs)
    return Counter(base.execute(sql).fetchall())


SHORT = ("for each key", "left")


@pytest.mark.parametrize("name", also_long(*SHORT, more=[name for name in QUERIES if name not in SHORT]))
def test_counted(name: str) -> None:
    sql, scheme = QUERIES[name]
    relation = parse_query(sql, defined(scheme))
    verdicts = {state.verdict for state in states(relation, Inference())}
    assert verdicts <= {Verdict.PURGEABLE, Verdict.STATELESS}
    for seed, buckets in ((1, 1), (2, 3)):
        times = 60
        rows, kept, left = fed(relation, scheme, seed, buckets, times)
        assert rows == batch(sql, scheme, seed, times)
        assert sum(rows.values()) > 10, "nothing is tested"
        assert left == 0
        assert max(kept[len(kept) // 2 :]) <= max(kept[: len(kept) // 2]) + 25, "state grows"
        assert max(kept) < 200
