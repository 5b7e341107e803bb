"""Joins and groups on synopses: at every prefix the answer of DuckDB, and never more values than the stated bound."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import duckdb
import pytest

from analyse.memory import random_query, spj
from punctum.algebra.aggregates import Function
from punctum.algebra.pattern import between, constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Row, Type
from punctum.analyse.memory.bounded import failure
from punctum.analyse.memory.synopses import SynopsisStructure, answers, carried, synopses
from punctum.ir.conjunctive.orders import Comparison
from punctum.ir.conjunctive.spj import Spj
from punctum.spec.stream import Slice
from punctum.spec.synopsis import GroupExecution, JoinExecution, Part, SynopsisCall, SynopsisGroupBy, SynopsisJoin


def fulfils(query: Spj) -> Callable[[Sequence[Row]], bool]:
    def check(comparison: Comparison, rows: Sequence[Row]) -> bool:
        (i, a), op, (j, b) = comparison
        left: Any = rows[i][a]
        right: Any = rows[j][b]
        if left is None or right is None:
            return False
        return bool(left < right if op == "<" else left <= right if op == "<=" else left == right)

    def all_hold(rows: Sequence[Row]) -> bool:
        known = all(pattern.match(rows[i][j]) for (i, j), pattern in query.within.items())
        return known and all(check(comparison, rows) for comparison in query.compared)

    return all_hold


def joining(query: Spj) -> SynopsisJoin:
    schemas = tuple(stream.schema for stream in query.streams)
    remembered = tuple(SynopsisStructure(query, i) for i in range(len(schemas)))
    shown = [Attribute(f"c{k}", query.attribute(at).type) for k, at in enumerate(query.shown)]
    result = Schema(tuple(shown))
    return SynopsisJoin(schemas, remembered, fulfils(query), query.shown, result, query.distinct, carried(query))


def grouping(query: Spj, updates: bool = False) -> SynopsisGroupBy:
    """The synopses of the query, n of them a part; of a part that watches one MIN or MAX the call is the last one."""
    schemas, calls = tuple(stream.schema for stream in query.streams), query.aggregates or ()
    whole = tuple(SynopsisStructure(query, i) for i in range(len(schemas)))
    watched = [k for k, c in enumerate(calls) if query.eliminating and c.of and not query.order.bounded(c.of)]
    rest = tuple(k for k in range(len(calls)) if k not in watched)
    parts = [Part(whole, query.eliminating, rest)] if rest else []
    for k in watched:
        asking = query.watching(calls[k])
        parts.append(Part(tuple(SynopsisStructure(asking, i) for i in range(len(schemas))), True, (k,)))
    made = tuple(SynopsisCall(c.function, c.of, f"f{k}", c.filter) for k, c in enumerate(calls))
    names = [Attribute(f"k{k}", query.attribute(at).type) for k, at in enumerate(query.shown)]
    names += [Attribute(call.name, Type.DOUBLE) for call in made]
    result = Schema(tuple(names))
    return SynopsisGroupBy(schemas, tuple(parts), fulfils(query), query.shown, made, result, carried(query), updates)


def sql(query: Spj) -> str:
    """The query for DuckDB, over tables that have the streams' names."""

    def name(at: tuple[int, int]) -> str:
        return f"{query.streams[at[0]].name}.{query.attribute(at).name}"

    shown = [name(at) for at in query.shown]
    calls = [_call(call.function, None if call.of is None else name(call.of)) for call in query.aggregates or ()]
    spans = [f"{name(at)} IN ({_listed(pattern)})" for at, pattern in query.within.items()]
    pairs = [f"{name(c.left)} {c.op} {name(c.right)}" for c in query.compared]
    where = " AND ".join([*spans, *pairs]) or "true"
    streams = ", ".join(stream.name for stream in query.streams)
    once = "DISTINCT " * query.distinct
    grouped = f" GROUP BY {', '.join(shown)}" if query.aggregates is not None and shown else ""
    return f"SELECT {once}{', '.join([*shown, *calls]) or '1'} FROM {streams} WHERE {where}{grouped}"


VALUES = range(-3, 9)


def _listed(pattern: Any) -> str:
    """All values that can come of those that match."""
    kind = pattern.type
    return ", ".join(str(v) for v in VALUES if pattern.match(kind.accept(v))) or "NULL"


def _call(function: Function, of: str | None) -> str:
    if function is Function.COUNT_DISTINCT:
        return f"COUNT(DISTINCT {of})"
    return f"{function.value}({of or '*'})"


def tables(query: Spj) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    for stream in query.streams:
        columns = ", ".join(f"{a.name} {a.type.value}" for a in stream.schema.attributes)
        connection.execute(f"CREATE TABLE {stream.name} ({columns})")
    return connection


def slices(query: Spj, chance: random.Random, nulls: bool = True) -> Iterator[list[Slice]]:
    """A few slices of each stream, with NULLs."""
    for _ in range(4):
        yield [
            Slice(tuple(_row(stream.schema, chance, nulls) for _ in range(chance.randint(0, 3))), ())
            for stream in query.streams
        ]


def punctuated(query: Spj, chance: random.Random) -> Iterator[list[Slice]]:
    """The same, with punctuations on single columns, which no later row matches; in the end all streams have ended."""
    closed = [PunctuationSet(stream.schema) for stream in query.streams]
    for piece in slices(query, chance):
        fed = []
        for stream, known, xs in zip(query.streams, closed, piece, strict=True):
            rows = tuple(row for row in xs.rows if known.find(row) is None)
            puncts = tuple(_punctuation(stream.schema, chance) for _ in range(chance.randint(0, 3)))
            for p in puncts:
                known.add(p)
            fed.append(Slice(rows, puncts))
        yield fed
    yield [Slice((), (Punctuation.of(stream.schema, {}),)) for stream in query.streams]


def _punctuation(schema: Schema, chance: random.Random) -> Punctuation:
    if chance.random() < 0.1:
        return Punctuation.of(schema, {})
    attribute, low = chance.choice(schema.attributes), chance.choice(VALUES)
    value = attribute.type.accept
    pattern = chance.choice([constant(value(low)), between(value(low), value(low + 3)), between(None, value(low))])
    return Punctuation.of(schema, {attribute.name: pattern})


def _row(schema: Schema, chance: random.Random, nulls: bool) -> Row:
    return tuple(
        None if nulls and chance.random() < 0.08 else a.type.accept(chance.choice(VALUES)) for a in schema.attributes
    )


def compare(query: Spj, chance: random.Random) -> int:
    """Run a query beside DuckDB, and return how many rows there were in the end."""
    running = (joining(query) if query.aggregates is None else grouping(query)).start()
    out: list[Row] = []
    expected: list[Row] = []
    with tables(query) as connection:
        for pieces in slices(query, chance):
            for stream, piece in zip(query.streams, pieces, strict=True):
                for row in piece.rows:
                    connection.execute(f"INSERT INTO {stream.name} VALUES ({', '.join('?' * len(row))})", row)
            out += running.feed(*pieces).rows
            expected = connection.execute(sql(query)).fetchall()
            if query.aggregates is None and not query.shown:
                expected = [()] * len(expected)
            rows = running.answer() if isinstance(running, GroupExecution) else out
            assert Counter(rows) == Counter(expected), query
            bound = sum(synopsis.values for synopsis in synopses(query))
            assert stored(query, running) <= bound + answers(query), query
    return len(expected)


def stored(query: Spj, running: JoinExecution | GroupExecution) -> int:
    """How many values are stored: keys and a count a bucket, or the rows that stand for it; what has come out."""
    memories = [running.memory] if isinstance(running, JoinExecution) else running.memories
    kept = 0
    for memory in memories:
        for i, buckets in enumerate(memory.buckets):
            remembering = memory.inputs[i]
            assert isinstance(remembering, SynopsisStructure)
            for bucket in buckets.values():
                partials = sum(len(p) if isinstance(p, tuple) else 1 for p in bucket.partials)
                kept += len(bucket.rows) * len(remembering.keys) + (not memory.eliminating) * (1 + partials)
    return kept + (len(running.shown) * len(query.shown) if isinstance(running, JoinExecution) else 0)


def bounded(chance: random.Random, function: str = "") -> Iterator[Spj]:
    """Queries over several streams that are bounded."""
    while True:
        query = random_query(chance, function)
        if len(query.streams) > 1 and query.order.satisfiable and failure(query) is None:
            yield query


@pytest.mark.parametrize("function", ["", "COUNT", "SUM", "AVG", "MIN", "MAX", "COUNT_DISTINCT", "MEDIAN"])
def test_every_prefix_has_the_answer_of_a_batch(function: str) -> None:
    chance = random.Random(f"synopses {function}")
    queries = bounded(chance, function)
    rows = [compare(next(queries), chance) for _ in range(12)]
    assert sum(map(bool, rows)) >= 3


def test_example_8_7() -> None:
    """Groups by A and C of a sum of B, which is not bounded, with other aggregates of it."""
    calls = "SUM(B) COUNT(B) MIN(B) MAX(B) AVG(B) COUNT()"
    query = spj("S(A,B) T(C)", "A<5, C<5, A>1, C>1", "A,C", aggregates=calls)
    assert sum(compare(query, random.Random(seed)) for seed in range(5)) > 10


def test_groups_come_out_with_the_end_of_all_inputs() -> None:
    query = spj("S(A) T(B)", "A=B, A>0, A<3", "A", aggregates="COUNT()")
    running = grouping(query).start()
    ends = [Punctuation.of(stream.schema, {}) for stream in query.streams]
    assert running.feed(Slice(((1,), (1,)), (ends[0],)), Slice(((1,),), ())) == Slice((), ())
    last = running.feed(Slice((), ()), Slice(((2,),), (ends[1],)))
    assert last.rows == ((1, 2),) and last.puncts == (Punctuation.of(grouping(query).output, {}),)


def grammatical(out: list[Slice]) -> None:
    """No row matches an earlier punctuation, and in the end everything is closed."""
    emitted: list[Punctuation] = []
    for piece in out:
        assert not [(t, p) for t in piece.rows for p in emitted if p.match(t)]
        emitted += piece.puncts
    assert any(not p.sides for p in emitted), "the result has not ended"


def of_all(query: Spj, fed: list[list[Slice]]) -> list[Row]:
    """The answer over all rows, in DuckDB."""
    with tables(query) as connection:
        for stream, pieces in zip(query.streams, zip(*fed, strict=True), strict=True):
            for row in (row for piece in pieces for row in piece.rows):
                connection.execute(f"INSERT INTO {stream.name} VALUES ({', '.join('?' * len(row))})", row)
        return connection.execute(sql(query)).fetchall()


@pytest.mark.parametrize("function", ["", "COUNT", "SUM", "MAX", "COUNT_DISTINCT"])
def test_punctuations_close_what_all_inputs_have_closed(function: str) -> None:
    """Results are grammatical, a group comes out once, and it is the one that a batch has in the end."""
    chance, early = random.Random(f"closing {function}"), 0
    queries = (query for query in bounded(chance, function) if query.shown)
    for query, _ in zip(queries, range(15), strict=False):
        fed = list(punctuated(query, chance))
        running = (joining(query) if query.aggregates is None else grouping(query)).start()
        out = [running.feed(*pieces) for pieces in fed]
        grammatical(out)
        assert Counter(row for piece in out for row in piece.rows) == Counter(of_all(query, fed)), query
        early += any(piece.puncts for piece in out[:-1])
    assert early >= 3, "something is closed before the end"


def test_updates_are_the_groups_that_have_changed() -> None:
    """The last row of each group is the answer at every prefix."""
    chance, changed = random.Random("updates"), 0
    queries = (next(bounded(chance, function)) for function in ("COUNT", "MAX") * 10)
    for query in queries:
        running, latest = grouping(query, updates=True).start(), dict[Row, Row]()
        keys = len(query.shown)
        for pieces in punctuated(query, chance):
            rows = running.feed(*pieces).rows
            assert len({row[:keys] for row in rows}) == len(rows)
            assert not [row for row in rows if latest.get(row[:keys]) == row], "only what is new"
            changed += sum(row[:keys] in latest for row in rows)
            latest |= {row[:keys]: row for row in rows}
            assert Counter(latest.values()) == Counter(running.answer() if latest or query.shown else [])
    assert changed >= 3
