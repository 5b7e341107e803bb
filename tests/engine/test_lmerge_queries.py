"""Whole queries over merges: whatever replicas they read, in any buckets, stopped at any slice, they say the same."""

from collections import Counter
from random import Random
from typing import Any

import duckdb
from hypothesis import given
from hypothesis import strategies as st

from engine.merged import SLICES, Replica, database, replicas
from lanes import examples
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from punctum.analyse.safety.register import verdict
from punctum.ir.definitions import Script
from punctum.ir.temporal import LMerge
from punctum.lmerge.elements import INF, Element, from_columns
from punctum.lmerge.tdb import Event, tdb
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.operators.guard import Guard
from punctum.parse import parse_script
from punctum.parse.ddl.temporal import ADJUSTS, INSERTS
from punctum.testing.simulate import Simulation

OTHER = "CREATE STREAM r (t BIGINT, k STRING, w BIGINT, PUNCTUATED ON (t ASC){}) USING json;"
LIMITS = ("", ", PUNCTUATED ON (k) EXPECT WITHIN '1 day'", ", PUNCTUATED ON (k) LIFESPAN '1 day'")
ELEMENTS = (
    "SELECT * FROM {m}",
    "SELECT * FROM {m} WHERE v > 1",
    "SELECT v, k FROM {m} WHERE k <> 'A'",
    "SELECT k FROM {m}",
)
ROWS = (
    "SELECT k, v, _vs, _ve FROM {m}",
    "SELECT v + 1 AS v, _ve FROM {m} WHERE k <> 'B' AND _vs > 3",
    "SELECT {t} AS t, k, COUNT(*) AS n, SUM(v) AS s FROM {m} GROUP BY {t}, k",
    "SELECT {t} AS t, MIN(k) AS k, COUNT(v) AS n FROM {m} GROUP BY {t}",
    "SELECT DISTINCT {t} AS t, k FROM {m}",
    "SELECT x.k, x.{t} AS t, r.w FROM {m} AS x JOIN r ON x.{t} = r.t",
    "SELECT x.k, x.v, r.w FROM {m} AS x JOIN r ON x.{t} = r.t AND x.k = r.k",
    "SELECT r.t, COUNT(*) AS n FROM {m} AS x JOIN r ON x.{t} = r.t GROUP BY r.t",
    "SELECT {t} AS t FROM {m} EXCEPT SELECT t FROM r",
    "SELECT {t} AS t, k FROM {m} UNION SELECT t, k FROM r",
    "SELECT {t} AS t, k FROM {m} INTERSECT SELECT t, k FROM r",
    "SELECT t, COUNT(*) AS n FROM (SELECT {t} AS t FROM {m} UNION ALL SELECT t FROM r) AS u GROUP BY t",
)
TWO_DAYS = 2 * 86_400_000


class Tried:
    """A script over replicas of a database, and all that it says."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = Random(seed)
        self.known = database(rng)
        self.replicas = replicas(rng, self.known)
        self.elements = rng.random() < 0.4
        self.limit, self.leap = rng.choice(LIMITS), rng.choice([SLICES, SLICES, SLICES, 3])
        self.other: list[Row] = [(rng.randrange(45), rng.choice("ABCD"), n) for n in range(12)]
        self.query, self.over = (
            rng.choice(ELEMENTS if self.elements else ROWS),
            rng.choice(["m", "m", "m", "o", "p", "q"]),
        )
        found = [script for time in ("_vs", "_ve") if (script := self.script(time))]
        self.sql, self.time = found[0] if found else ("", "")

    def script(self, time: str) -> tuple[str, str] | None:
        """The script, if the query is admitted."""
        sql = "".join(replica.shape.ddl.format(replica.name) for replica in self.replicas) + OTHER.format(self.limit)
        insert, adjust = self.rng.choice(INSERTS), self.rng.choice(ADJUSTS)
        sql += f"CREATE STREAM m AS LMERGE ({', '.join(r.name for r in self.replicas)})"
        sql += f" OPTIONS (control 'control', insert '{insert}', adjust '{adjust}');"
        sql += "CREATE STREAM o AS CLEANSE (m); CREATE TEMPORAL STREAM p AS SELECT k, v FROM m WHERE k IS NOT NULL;"
        sql += "CREATE STREAM q AS LMERGE (p, m);"
        sql += f"CREATE SINK out USING json OPTIONS (path 'out', elements '{str(self.elements).lower()}');"
        sql += f"INSERT INTO out {self.query.format(m=self.over, t=time)};"
        (query,) = verdict(parse_script(sql))
        return (sql, time) if query.admitted else None

    def wanted(self) -> Counter[Row]:
        """The rows that the query gives over all events, as another database has it."""
        schema = Schema.of(k="STRING", v="BIGINT", _vs="BIGINT", _ve="BIGINT")
        other = Schema.of(t="BIGINT", k="STRING", w="BIGINT")
        events = [(*p, int(vs), None if ve == INF else int(ve)) for p, vs, ve in self.known.events]
        with duckdb.connect() as connection:
            connection.register("events", frame(schema, events).to_arrow())
            connection.register("r", frame(other, self.other).to_arrow())
            sql = self.query.format(m="events", t=self.time)
            if self.elements and "*" not in sql:
                sql = sql.replace(" FROM", ", _vs, _ve FROM")
            return Counter(tuple(row) for row in connection.execute(sql).fetchall())

    def found(self, buckets: int) -> tuple[Counter[Row], Simulation]:
        """What comes out."""
        parsed = parse_script(self.sql)
        relation = parsed.queries[0].relation
        simulation = Simulation(relation, buckets, global_punctuations=True)
        rows, elements = list[Row](), list[Element]()
        guard = Guard(simulation.last.schema)
        for n in range(SLICES + 1):
            simulation._restart = self.rng.random() < 0.4
            out = simulation.feed(self.fed(parsed, n), 0 if n < self.leap else TWO_DAYS)
            assert not simulation.records or n >= self.leap, simulation.records
            assert not guard.split(out).bad.height
            if self.elements:
                elements += from_columns(ColumnarSlice(out.rows), simulation.last.schema)
            else:
                rows += to_rows(out.rows)
        events: list[Event] = list(tdb(elements).elements())
        found = [(*p, int(vs), None if ve == INF else int(ve)) for p, vs, ve in events] if self.elements else rows
        return Counter(found), simulation

    def fed(self, parsed: Script, n: int) -> dict[str, ColumnarSlice]:
        """A slice of each stream that there is."""
        pieces = {r.stream: (r.shape.slice, r.life.pieces[n] if n < SLICES else []) for r in self.replicas}
        fed = {name: made(parsed.streams[name].schema, said) for name, (made, said) in pieces.items()}
        merge = parsed.streams["m"].relation
        assert isinstance(merge, LMerge) and merge.control is not None
        told = [(r.name, "detach", None) for r in self.replicas if n in r.life.detach]
        told += [(r.name, "attach", _since(r, n)) for r in self.replicas if n in r.life.attach]
        fed["m.control"] = ColumnarSlice(frame(merge.control.schema, told))
        schema = parsed.streams["r"].schema
        low, high = 45 * n // SLICES, 45 * (n + 1) // SLICES
        said = [Punctuation.of(schema, t=between(None, high, "()")), Punctuation.of(schema, k="Q")]
        said = said if n < SLICES - 1 else [end_of_stream(schema)]
        fed["r"] = ColumnarSlice(
            frame(schema, [row for row in self.other if low <= int(str(row[0])) < high]), tuple(said)
        )
        return fed

    @property
    def swept(self) -> bool:
        """Whether time may pass before all punctuations have come that are expected."""
        return self.leap < SLICES and "EXPECT" in self.sql

    @property
    def whole(self) -> bool:
        """Whether nothing may be left in the end: no input has vanished that something is kept for below the merge."""
        return all(r.whole or r.shape.light for r in self.replicas)


def _since(replica: Replica, n: int) -> Any:
    since = replica.life.attach[n]
    return None if since == -INF else since


@examples(50)
@given(st.integers(0, 2**32), st.sampled_from([1, 2, 3, 7]))
def test_a_query_over_a_merge_says_what_it_says_of_all_events(seed: int, buckets: int) -> None:
    tried = Tried(seed)
    if not tried.sql:
        return
    found, simulation = tried.found(buckets)
    assert tried.swept or found == tried.wanted(), tried.sql
    if tried.whole:
        assert simulation.kept() == 0, tried.sql
