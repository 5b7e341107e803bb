"""Queries over row windows in the whole engine, without Spark: a row meets what is in the windows when it comes.

What is wanted comes from DuckDB, row by row. An item of FROM in braces, such as ``{s 5}``, is a window of 5 rows there
and here; ``{t}`` is a stream without one.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import pytest

from engine.test_synopsis import some_rows
from lanes import long
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.values import Row
from punctum.analyse.safety.register import registered
from punctum.errors import SchemaError
from punctum.ir.definitions import StreamDef
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.parse import parse_query, parse_script
from punctum.plan.physical.lifespan import check_lifespans
from punctum.testing.simulate import Simulation, planned

LARGE = "SELECT a, b + 1 AS more FROM s WHERE b > 12"
STREAMS = parse_script(
    f"""
    CREATE STREAM s (a BIGINT, b BIGINT, c BIGINT) USING json;
    CREATE STREAM t (d BIGINT, e BIGINT) USING json;
    CREATE STREAM u (g BIGINT, h STRING) USING json;
    CREATE STREAM large AS {LARGE};
    """
).streams
BASES = {"s": "a BIGINT, b BIGINT, c BIGINT", "t": "d BIGINT, e BIGINT", "u": "g BIGINT, h VARCHAR"}
JOINS = {
    "two": "SELECT x.a, y.e FROM {s 5} x JOIN {t 3} y ON x.a = y.d",
    "filtered": "SELECT x.a, x.c, y.e FROM {s 6} x JOIN {t 4} y ON x.a = y.d WHERE x.b > 11 AND y.e < 20",
    "inequality": "SELECT x.b, y.e FROM {s 4} x JOIN {t 3} y ON x.b < y.e",
    "cross": "SELECT x.a, y.h FROM {s 2} x, {u 3} y",
    "three": "SELECT x.a, y.e, z.h FROM {s 9} x JOIN {t 7} y ON x.a = y.d JOIN {u 8} z ON z.g = y.d",
    "itself": "SELECT x.a, y.b FROM {s 4} x JOIN {s 6} y ON x.a = y.a",
    "computed": "SELECT x.a + y.e AS n FROM {s 5} x JOIN {t 5} y ON x.a + 1 = y.d AND x.b + y.e > 25",
    "two columns": "SELECT x.c, y.e FROM {s 9} x JOIN {t 9} y ON x.a = y.d AND x.b = y.d",
    "bounded": "SELECT x.b, y.d FROM {s 4} x JOIN {t} y ON x.a = y.d WHERE y.d BETWEEN 9 AND 15 AND y.e > 10",
    "bounded first": "SELECT x.b, y.d FROM {t} y JOIN {s 4} x ON x.a = y.d WHERE y.d BETWEEN 9 AND 15",
    "finite": "SELECT x.b, y.d FROM {s 4} x JOIN {(SELECT DISTINCT d FROM t WHERE d IN (9, 10, 11))} y ON x.a = y.d",
    "named": "SELECT x.more, y.e FROM {large 3} x JOIN {t 3} y ON x.a = y.d",
    "subquery": "SELECT x.n, y.e FROM {(SELECT a AS n FROM s WHERE c > 9) 9} x JOIN {t 9} y ON x.n = y.d",
}
GROUPS = {
    "average": "SELECT AVG(b) AS m FROM {s 7}",
    "by key": "SELECT a, SUM(b) AS t, COUNT(*) AS n, COUNT(c) AS m FROM {s 8} GROUP BY a",
    "filtered": "SELECT a, MAX(b) AS t, COUNT(*) AS n FROM {s 9} WHERE c > 12 GROUP BY a",
    "whole": "SELECT MEDIAN(b) AS m, COUNT(DISTINCT a) AS n, MIN(c) AS c FROM {s 6} WHERE b < 18",
    "computed": "SELECT a + 1 AS k, COUNT(*) FILTER (WHERE b > 12) AS n FROM {s 8} GROUP BY a + 1",
    "named": "SELECT a, COUNT(*) AS n FROM {large 5} GROUP BY a",
}
ITEM = re.compile(r"\{(\w+|\(.*?\))( \d+)?\}(?= |$|,)")


def sql_of(template: str) -> str:
    return ITEM.sub(lambda item: f"{item[1]} [ROWS{item[2]}]" if item[2] else item[1], template)


class Oracle:
    """The windows of a query in DuckDB: a table ``w0`` and so on of what counts now, ``n0`` of the row that comes."""

    def __init__(self, template: str) -> None:
        self._template, self._db = template, duckdb.connect()
        self.items = [(item[1], int(item[2]) if item[2] else None) for item in ITEM.finditer(template)]
        for name, columns in BASES.items():
            self._db.execute(f"CREATE TABLE {name} ({columns})")
        self._db.execute(f"CREATE VIEW large AS {LARGE}")
        for i, (source, _) in enumerate(self.items):
            self._db.execute(f"CREATE TABLE w{i} AS SELECT *, 0 AS seq FROM {source}")
            self._db.execute(f"CREATE TABLE n{i} AS SELECT *, 0 AS seq FROM {source}")
        self._seq = 0

    def sql(self, new: int | None) -> str:
        tables = iter([f"n{i}" if i == new else f"w{i}" for i in range(len(self.items))])
        return ITEM.sub(lambda _: next(tables), self._template)

    def feed(self, rows: dict[str, list[Row]]) -> list[Any]:
        """The results of a slice, row by row."""
        found: list[Any] = []
        for i, (source, most) in enumerate(self.items):
            base = next(name for name in BASES if re.search(rf"\b{name}\b", LARGE if source == "large" else source))
            for row in rows[base]:
                self._comes(i, base, row)
                found += self._db.execute(self.sql(i)).fetchall() if len(self.items) > 1 else []
                self._db.execute(f"INSERT INTO w{i} SELECT * FROM n{i}")
                if most is not None:
                    self._db.execute(
                        f"DELETE FROM w{i} WHERE seq NOT IN (SELECT seq FROM w{i} ORDER BY seq DESC LIMIT {most})"
                    )
        return found

    def _comes(self, i: int, base: str, row: Row) -> None:
        self._seq += 1
        source = self.items[i][0]
        self._db.execute(f"DELETE FROM {base}")
        self._db.execute(f"INSERT INTO {base} VALUES ({', '.join('?' * len(row))})", list(row))
        self._db.execute(f"DELETE FROM n{i}")
        self._db.execute(f"INSERT INTO n{i} SELECT *, {self._seq} FROM {source}")
        if "DISTINCT" in source:
            self._db.execute(f"DELETE FROM n{i} WHERE d IN (SELECT d FROM w{i})")

    def answer(self) -> list[Any]:
        return self._db.execute(self.sql(None)).fetchall()


def batches(chance: random.Random, count: int) -> Iterator[dict[str, list[Row]]]:
    for _ in range(count):
        yield {name: some_rows(name, chance, chance.randint(0, 9)) for name in BASES}


def columns(rows: dict[str, list[Row]], streams: dict[str, StreamDef]) -> dict[str, ColumnarSlice]:
    return {name: ColumnarSlice(frame(streams[name].schema, each)) for name, each in rows.items()}


def tables(simulation: Simulation) -> list[Any]:
    operators = [operator for running in simulation._running.values() for operator in running.flow.operators]
    return [table.frame() for operator in operators for table in operator.tables().values()]


def stated(template: str) -> int:
    found = registered(parse_query(sql_of(template), STREAMS))
    assert found.safe and found.bounded_memory and found.memory.values is not None
    return found.memory.values


@pytest.mark.parametrize("name", JOINS)
@pytest.mark.parametrize(("buckets", "restart"), [(3, True), pytest.param(1, False, marks=long)])
def test_a_row_meets_what_is_in_the_windows(name: str, buckets: int, restart: bool) -> None:
    template, chance = JOINS[name], random.Random(name)
    simulation, oracle = Simulation(parse_query(sql_of(template), STREAMS), buckets, restart), Oracle(template)
    most, some = stated(template), 0
    for rows in batches(chance, 7):
        found = to_rows(simulation.feed(columns(rows, STREAMS)).rows)
        assert Counter(found) == Counter(oracle.feed(rows))
        some += len(found)
        if name != "finite":  # there, DISTINCT keeps its rows too
            assert sum(table.height * table.width for table in tables(simulation)) <= most
    assert some


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize(("buckets", "restart"), [(1, True), (3, False)])
def test_groups_are_of_the_last_rows(name: str, buckets: int, restart: bool) -> None:
    template, chance = GROUPS[name], random.Random(name)
    relation = parse_query(sql_of(template), STREAMS)
    known = registered(relation)
    assert known.safe and known.updates
    simulation, oracle = Simulation(relation, buckets, restart, updates=True), Oracle(template)
    keys, groups, gone = "GROUP BY" in template, dict[Any, Row](), 0
    for rows in batches(chance, 12):
        found = to_rows(simulation.feed(columns(rows, STREAMS)).rows)
        assert len({row[:keys] for row in found}) == len(found)
        groups |= {row[:keys]: row for row in found}
        oracle.feed(rows)
        wanted = {row[:keys]: row for row in oracle.answer()}
        assert {key: row for key, row in groups.items() if key in wanted} == (wanted if groups else {})
        empty = [row for key, row in groups.items() if key not in wanted]
        assert all(value in (0, None) for row in empty for value in row[1:]), "of no rows"
        gone += len(empty)
        assert sum(table.height * table.width for table in tables(simulation)) <= stated(template)
    assert bool(gone) == keys


def test_a_large_slice_leaves_the_last_rows() -> None:
    relation = parse_query("SELECT x.b, y.e FROM s [ROWS 100] x JOIN t [ROWS 10] y ON x.a = y.d", STREAMS)
    simulation = Simulation(relation, 4)
    rows: Sequence[Row] = [(1, n, 0) for n in range(5_000)]
    assert not simulation.feed({"s": ColumnarSlice(frame(STREAMS["s"].schema, rows))}).rows.height
    assert simulation.kept() == 100
    found = simulation.feed({"t": ColumnarSlice(frame(STREAMS["t"].schema, [(1, 7), (2, 7)]))})
    assert sorted(to_rows(found.rows)) == [(n, 7) for n in range(4_900, 5_000)]


def test_rows_behind_a_window_alone_pass_one_by_one() -> None:
    simulation = Simulation(parse_query("SELECT a FROM s [ROWS 1] WHERE b > 1", STREAMS), 2)
    found = simulation.feed({"s": ColumnarSlice(frame(STREAMS["s"].schema, [(1, 2, 0), (2, 0, 0), (3, 2, 0)]))})
    assert sorted(to_rows(found.rows)) == [(1,), (3,)] and not simulation.kept()


def test_joins_of_windows_are_united_with_other_rows() -> None:
    sql = "SELECT x.a FROM s [ROWS 1] x JOIN t [ROWS 1] y ON x.a = y.d UNION ALL SELECT d AS a FROM t WHERE d = 9"
    simulation = Simulation(parse_query(sql, STREAMS), 3, True)
    simulation.feed(columns({"s": [(8, 1, 1), (9, 1, 1)]}, STREAMS))
    assert sorted(to_rows(simulation.feed(columns({"t": [(8, 1), (9, 1)]}, STREAMS)).rows)) == [(9,), (9,)]


PUNCTUATED = parse_script(
    """
    CREATE STREAM s (a BIGINT, b BIGINT, PUNCTUATED ON (a)) USING json;
    CREATE STREAM t (d BIGINT, e BIGINT, PUNCTUATED ON (d)) USING json;
    """
).streams


def test_what_all_inputs_have_said_holds_for_the_join() -> None:
    """DISTINCT keys of the join would be refused, so a sink that takes punctuations shows them."""
    relation = parse_query("SELECT y.d, x.b FROM s [ROWS 2] x JOIN t [ROWS 2] y ON x.a = y.d", PUNCTUATED)
    simulation = Simulation(relation, 3, True, global_punctuations=True)
    s, t = PUNCTUATED["s"].schema, PUNCTUATED["t"].schema
    first = simulation.feed(
        {"s": ColumnarSlice(frame(s, [(1, 5)]), (Punctuation.of(s, a=1),)), "t": ColumnarSlice(frame(t, []))}
    )
    assert not first.puncts, "t may still bring 1, which meets the row in the window"
    second = simulation.feed({"t": ColumnarSlice(frame(t, [(1, 6)]), (Punctuation.of(t, d=1),))})
    assert to_rows(second.rows) == [(1, 5)]
    assert [str(p) for p in second.puncts] == [str(Punctuation.of(relation.schema, d=1))]
    ends = {
        "s": ColumnarSlice(frame(s, []), (end_of_stream(s),)),
        "t": ColumnarSlice(frame(t, []), (end_of_stream(t),)),
    }
    assert end_of_stream(relation.schema) in simulation.feed(ends).puncts


@pytest.mark.parametrize("restart", [False, True])
def test_a_stream_without_a_window_is_purged_when_the_window_closes_its_rows(restart: bool) -> None:
    relation = parse_query("SELECT x.b, y.e FROM s [ROWS 3] x JOIN t y ON x.a = y.d", PUNCTUATED)
    known = registered(relation)
    assert known.safe and not known.bounded_memory
    assert [(s.verdict.value, s.witness) for s in known.states if s.operator == "join"] == [
        ("bounded", ("the last 3 rows",)),
        ("purgeable", ("s(a)",)),
    ]
    simulation, template = Simulation(relation, 3, restart), "SELECT x.b, y.e FROM {s 3} x JOIN {t} y ON x.a = y.d"
    oracle, chance = Oracle(template), random.Random(5)
    s, t = PUNCTUATED["s"].schema, PUNCTUATED["t"].schema
    for n in range(40):
        ours: list[Row] = [(chance.randint(n, n + 3), chance.randint(0, 9)) for _ in range(4)]
        theirs: list[Row] = [(chance.choice([None, max(n - 2, 0), n, n + 2]), chance.randint(0, 9)) for _ in range(4)]
        slices = {"s": ColumnarSlice(frame(s, ours), (Punctuation.of(s, a=n),)), "t": ColumnarSlice(frame(t, theirs))}
        wanted = oracle.feed({"s": [(*row, None) for row in ours], "t": theirs, "u": []})
        assert Counter(to_rows(simulation.feed(slices).rows)) == Counter(wanted)
        assert simulation.kept() <= 3 + 8, "rows of t with n - 2 and n are closed, those with n + 2 for two slices not"


@pytest.mark.parametrize("clause", ["EXPECT WITHIN '10 seconds'", "LIFESPAN '10 seconds'"])
@pytest.mark.parametrize(
    "sql", ["SELECT x.a FROM s [ROWS 3] x JOIN t y ON x.a = y.d", "SELECT COUNT(*) AS n FROM s [ROWS 3]"]
)
def test_what_holds_for_a_while_is_refused(clause: str, sql: str) -> None:
    made = f"CREATE STREAM s (a BIGINT, PUNCTUATED ON (a) {clause}) USING json; CREATE STREAM t (d BIGINT) USING json;"
    with pytest.raises(SchemaError, match=f"the {clause.split(' ')[0]}.* of s .* is not supported in this query"):
        check_lifespans(planned(parse_query(sql, parse_script(made).streams)))
