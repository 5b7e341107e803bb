"""Punctuations made from plain data, through the stages of the engine.

At every prefix, for any number of buckets and tasks and stopped at every slice or not, the engine has released what the
specification has; and once the streams have ended, what the same SQL gives in batch over the rows that were let in.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.examples import EXAMPLES, RELEASED, Example
from engine.honest import Plain
from engine.test_buckets import rounded
from lanes import examples
from punctum.algebra import Row, Schema, end_of_stream, from_json, tups
from punctum.algebra.aggregates import AggregateFunction, Function
from punctum.algebra.sorting import SortKey
from punctum.ir import StreamDef
from punctum.ir.definitions import TableColumn
from punctum.operators.columns import ColumnarSlice, empty, frame, to_rows
from punctum.parse import parse_query, parse_script, parse_stream
from punctum.spec import Difference, Dupelim, GroupBy, Join, Project, Select, Slice, Sort, Union
from punctum.testing.simulate import Simulation, Splits

A = Schema.of(k="BIGINT", x="BIGINT", s="STRING")
B = Schema.of(k="BIGINT", y="BIGINT", s="STRING")
CLAUSES = [
    "",
    "PUNCTUATE (k) WHEN s = 'end'",
    "PUNCTUATE (k ASC) WHEN s = 'end'",
    "PUNCTUATE (s) WHEN k > 1",
    "PUNCTUATE (k, s) WHEN k + 1 = 2 OR s IS NULL",
    "PUNCTUATE (k ASC)",
    "PUNCTUATE (k ASC) DELAY 1",
    "PUNCTUATE (k DESC) DELAY 2",
    "PUNCTUATE (s DESC)",
    "PUNCTUATE (s, k ASC) DELAY 1",
    "PUNCTUATE (k ASC) WHEN ALL s IN ('a', 'end') DELAY 1",
    "PUNCTUATE (k) WHEN ALL s IN ('a', 'end')",
    "PUNCTUATE (s) WHEN ALL k IN (0, 1)",
    "PUNCTUATE (k) WHEN ALL s IN ('a', 'b'), PUNCTUATE (k) WHEN ALL s IN ('b', 'end')",
    "PUNCTUATE (k ASC) DELAY 1, PUNCTUATE (k) WHEN ALL s IN ('a', 'end')",
    "UNIQUE (k)",
    "UNIQUE (k, s), PUNCTUATE (k) WHEN s = 'end'",
    "DOMAIN k BETWEEN 0 AND 2",
    "DOMAIN s IN ('a', 'end'), PUNCTUATE (k) WHEN ALL s IN ('a', 'end')",
    "DOMAIN s IN ('a', 'end'), PUNCTUATE (k, s) WHEN k > 0",
]

Feed = Callable[[Slice, Slice], Slice]
Make = Callable[[Schema, Schema], Feed]
Drawn = list[list[list[Row]]]  # rows by slice and task
COUNT = AggregateFunction(Function.COUNT, None, "n")


def grouped(a: Schema, b: Schema) -> Feed:
    of = (COUNT, AggregateFunction(Function.SUM, "x", "t"), AggregateFunction(Function.MAX, "s", "m"))
    groups = GroupBy(a, ("k",), of).start()
    return lambda xs, ys: groups.feed(xs)


def filtered(a: Schema, b: Schema) -> Feed:
    some = Select(a, lambda row: row[2] is not None and row[2] != "end").start()
    groups = GroupBy(a, ("k",), (COUNT,)).start()
    return lambda xs, ys: groups.feed(some.feed(xs))


def regrouped(a: Schema, b: Schema) -> Feed:
    groups = GroupBy(a, ("s",), (COUNT,)).start()
    return lambda xs, ys: groups.feed(xs)


def joined(a: Schema, b: Schema) -> Feed:
    pairs = Join(a, b, (("k", "k"),))
    of = [AggregateFunction(Function.COUNT, "x", "n"), AggregateFunction(Function.MAX, "left.s", "m")]
    of += [AggregateFunction(Function.SUM, "y", "t"), AggregateFunction(Function.MAX, "right.s", "r")]
    groups, joins = GroupBy(pairs.output, ("left.k",), tuple(of)).start(), pairs.start()
    return lambda xs, ys: groups.feed(joins.feed(xs, ys))


def distinct(a: Schema, b: Schema) -> Feed:
    once = Dupelim(a).start()
    return lambda xs, ys: once.feed(xs)


def excepted(a: Schema, b: Schema) -> Feed:
    left, right = Project.to(a, "k", "s"), Project.to(b, "k", "s")
    plain = Schema.of(k="BIGINT", s="STRING")
    lefts, rights, rest = left.start(), right.start(), Difference(plain, plain).start()
    return lambda xs, ys: rest.feed(over(plain, lefts.feed(xs)), over(plain, rights.feed(ys)))


def united(a: Schema, b: Schema) -> Feed:
    left, right = Project.to(a, "k"), Project.to(b, "k")
    plain = Schema.of(k="BIGINT")
    lefts, rights, both = left.start(), right.start(), Union(plain, plain).start()
    return lambda xs, ys: both.feed(over(plain, lefts.feed(xs)), over(plain, rights.feed(ys)))


def ordered(a: Schema, b: Schema) -> Feed:
    some = Project.to(a, "k", "x")
    columns, order = some.start(), Sort(some.output, (SortKey("k"), SortKey("x"))).start()
    return lambda xs, ys: order.feed(columns.feed(xs))


def counted(a: Schema, b: Schema) -> Feed:
    groups = GroupBy(a, (), (COUNT,)).start()
    return lambda xs, ys: groups.feed(xs)


def over(schema: Schema, piece: Slice) -> Slice:
    """The slice over a schema without domains."""
    return Slice(piece.rows, tuple(type(p)(schema, p.patterns) for p in piece.puncts))


SEEING_ALL: dict[str, tuple[str, Make]] = {
    "group": ("SELECT k, COUNT(*) AS n, SUM(x) AS t, MAX(s) AS m FROM a GROUP BY k", grouped),
    "join": (
        "SELECT a.k, COUNT(a.x) AS n, MAX(a.s) AS m, SUM(b.y) AS t, MAX(b.s) AS r "
        "FROM a JOIN b ON a.k = b.k GROUP BY a.k",
        joined,
    ),
    "distinct": ("SELECT DISTINCT k, x, s FROM a", distinct),
}
"""Queries that read every column, so that they see every row that breaks its stream's word."""
QUERIES = SEEING_ALL | {
    "where": ("SELECT k, COUNT(*) AS n FROM a WHERE s <> 'end' GROUP BY k", filtered),
    "regroup": ("SELECT s, COUNT(*) AS n FROM a GROUP BY s", regrouped),
    "except": ("SELECT k, s FROM a EXCEPT SELECT k, s FROM b", excepted),
    "union": ("SELECT k FROM a UNION SELECT k FROM b", united),
    "order": ("SELECT k, x FROM a ORDER BY k, x", ordered),
    "count": ("SELECT COUNT(*) AS n FROM a", counted),
}

some_rows = st.tuples(
    st.sampled_from([None, -1, 0, 1, 2, 3]), st.sampled_from([None, 0, 1]), st.sampled_from([None, "a", "b", "end"])
)
tasks = st.lists(st.lists(some_rows, max_size=3), min_size=1, max_size=3)
slices = st.lists(tasks, min_size=1, max_size=4)


def kept_to_their_word(stream: StreamDef, drawn: Drawn) -> Drawn:
    """The same without the rows that break their stream's word."""
    plain = Plain(stream)
    return [[[row for row in part if plain.feed([row], last=False).rows] for part in parts] for parts in drawn]


def follow(
    query: tuple[str, Make], streams: Sequence[StreamDef], drawn: Sequence[Drawn], buckets: int, restart: bool
) -> None:
    """Engine and specification side by side, then the batch answer."""
    sql, make = query
    engine = Simulation(parse_query(sql, {s.name: s for s in streams}), buckets, restart)
    oracle, plains = make(streams[0].schema, streams[1].schema), [Plain(s) for s in streams]
    length = max(map(len, drawn))
    let_in: list[list[Row]] = [[], []]
    released: list[Row] = []
    for n in range(length + 1):
        last = n == length
        parts = [each[n] if n < len(each) else [] for each in drawn]
        fed = {s.name: columns(s.schema, some, last) for s, some in zip(streams, parts, strict=True)}
        found = to_rows(engine.feed(fed).rows)
        pieces = [
            plain.feed([t for part in some for t in part], last) for plain, some in zip(plains, parts, strict=True)
        ]
        wanted = oracle(pieces[0], pieces[1])
        assert Counter(rounded(found)) == Counter(rounded(list(wanted.rows))), f"slice {n}"
        for known, piece in zip(let_in, pieces, strict=True):
            known += piece.rows
        released += found
    assert Counter(rounded(released)) == Counter(rounded(batch(sql, streams, let_in)))


def columns(schema: Schema, parts: list[list[Row]], last: bool) -> Splits:
    """What each task reads of a slice, in its order; the last of them reads the end."""
    read = [ColumnarSlice(frame(schema, part)) for part in parts]
    return Splits([*read, ColumnarSlice(empty(schema), (end_of_stream(schema),))] if last else read)


def batch(sql: str, streams: Sequence[StreamDef], rows: Sequence[list[Row]]) -> list[Row]:
    with duckdb.connect() as connection:
        for stream, some in zip(streams, rows, strict=True):
            connection.register(stream.name, frame(stream.schema, some).to_arrow())
        return [tuple(row) for row in connection.execute(sql).fetchall()]


def in_order(stream: StreamDef) -> StreamDef:
    """A stream of files, whose rows have an order."""
    return replace(stream, format="json")


clauses = st.sampled_from(CLAUSES)
both = st.tuples(
    clauses.map(lambda text: in_order(parse_stream("a", A, text))),
    clauses.map(lambda text: in_order(parse_stream("b", B, text))),
)


@pytest.mark.parametrize("name", QUERIES)
@examples(50)
@given(both, st.tuples(slices, slices), st.integers(1, 4), st.booleans())
def test_plain_data_that_keeps_its_word(
    name: str,
    streams: tuple[StreamDef, StreamDef],
    drawn: tuple[Drawn, Drawn],
    buckets: int,
    restart: bool,
) -> None:
    good = [kept_to_their_word(stream, each) for stream, each in zip(streams, drawn, strict=True)]
    follow(QUERIES[name], streams, good, buckets, restart)


@pytest.mark.parametrize("name", SEEING_ALL)
@examples(50)
@given(both, st.tuples(slices, slices), st.integers(1, 4), st.booleans())
def test_rows_that_break_their_streams_word_are_kept_out(
    name: str,
    streams: tuple[StreamDef, StreamDef],
    drawn: tuple[Drawn, Drawn],
    buckets: int,
    restart: bool,
) -> None:
    follow(SEEING_ALL[name], streams, drawn, buckets, restart)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("restart", [False, True])
def test_the_papers_examples_from_rows_alone(example: Example, buckets: int, restart: bool) -> None:
    script = parse_script(example.sql)

    def members(column: TableColumn) -> tuple[Any, ...]:
        name = column.table.schema.names[column.index]
        return tuple(row[name] for row in example.tables[column.table.name])

    simulation = Simulation(script.queries[0].relation, buckets, restart, members=members)
    for n, piece in enumerate(example.slices):
        fed = {name: in_columns(s.schema, piece.get(name, [])) for name, s in script.streams.items()}
        found = simulation.feed(fed).rows.to_dicts()
        assert sorted(found, key=str) == sorted(piece.get(RELEASED, []), key=str), f"slice {n}"


def in_columns(schema: Schema, rows: list[dict[str, Any]]) -> ColumnarSlice:
    return ColumnarSlice(frame(schema, tups([from_json(json.dumps(row), schema) for row in rows])))
