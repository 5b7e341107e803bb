"""The vectorised join on synopses against its specification, slice by slice, stopped and restored after each."""

import json
import random
from collections import Counter
from dataclasses import replace

import pytest

from analyse.memory import random_query, spj
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row, Type
from punctum.analyse.memory.bounded import failure
from punctum.analyse.memory.synopses import synopses
from punctum.ir.conjunctive.axes import Axis
from punctum.ir.conjunctive.spj import Spj
from punctum.operators.checked import REASON
from punctum.operators.columns import ColumnarSlice, frame, to_rows
from punctum.operators.synopsis import SynopsisJoin
from punctum.operators.synopsis_groups import SynopsisGroupBy
from punctum.spec.stream import Slice
from spec.test_synopsis import bounded as bounded_groups
from spec.test_synopsis import grouping, joining, punctuated, slices


def agree(query: Spj, fed: list[list[Slice]]) -> int:
    """Feed both, and return how many rows came out."""
    specified, output = joining(query).start(), joining(query).output
    running, seen = SynopsisJoin(query, output), 0
    for pieces in fed:
        expected = specified.feed(*pieces)
        given = [
            ColumnarSlice(frame(s.schema, xs.rows), xs.puncts) for s, xs in zip(query.streams, pieces, strict=True)
        ]
        out = running.feed(*given)
        assert Counter(to_rows(out.rows)) == Counter(expected.rows), query
        assert same(out.puncts, expected.puncts)
        _kept(query, running, specified.kept())
        seen += len(expected.rows)
        again = SynopsisJoin(query, output)
        again.restore_tables(running.tables())
        again.restore_metadata(json.loads(json.dumps(running.metadata())))
        running = again
    return seen


def same(one: tuple[Punctuation, ...], other: tuple[Punctuation, ...]) -> bool:
    """Whether two lists of punctuations mean the same."""
    if not one or not other:
        return one == other
    sets = [PunctuationSet(one[0].schema, puncts) for puncts in (one, other)]
    return all(sets[0].covers(p) for p in other) and all(sets[1].covers(p) for p in one)


def _kept(query: Spj, running: SynopsisJoin, expected: dict[str, list[Row]]) -> None:
    for i, synopsis in enumerate(synopses(query)):
        rows = running.tables()[f"input {i}"].frame()
        keys = to_rows(rows.select(f"{at[0]}_{at[1]}" for at in synopsis.keys)) if synopsis.keys else []
        standing = [tuple(row[at[1]] for at in synopsis.keys) for row in expected[f"input {i}"]]
        assert Counter(keys) == (Counter(standing) if synopsis.keys else Counter()), query
    if query.distinct:
        assert Counter(to_rows(running.tables()["shown"].frame())) == Counter(expected["shown"])


def bounded(chance: random.Random) -> Spj:
    """A bounded query over several streams that shows some bounded attributes."""
    while True:
        query = random_query(chance)
        if len(query.streams) > 1 and query.order.satisfiable:
            shown = tuple(at for at in query.attributes if query.order.bounded(at))
            query = replace(query, shown=shown[: chance.randint(1, 3)])
            if shown and failure(query) is None:
                return query


def test_random_queries_agree() -> None:
    chance, with_rows = random.Random(3), [0, 0]
    for _ in range(60):
        query = bounded(chance)
        with_rows[query.distinct] += bool(agree(query, list(slices(query, chance))))
        agree(query, list(punctuated(query, chance)))
    assert min(with_rows) >= 5


@pytest.mark.parametrize(
    "kind", [Type.BIGINT, Type.DATE, Type.TIMESTAMP, Type.TIMESTAMP_NTZ, Type.DOUBLE, Type.DECIMAL]
)
@pytest.mark.parametrize("distinct", [False, True])
def test_places_of_every_type(kind: Type, distinct: bool) -> None:
    """Values on both sides of a constant, which lies between A and B."""
    query = spj(f"S(A:{kind.value},K) T(B:{kind.value})", "A<B, K=1", "K", distinct)
    values = Axis(kind, ()).values(0, 5)
    assert values is not None
    query = replace(query, within={**query.within, (0, 0): between(None, values[2]), (1, 0): between(values[2], None)})
    fed = [
        [Slice(((values[i], 1), (values[4 - i], 1)), ()), Slice(((values[i],), (values[(i + 2) % 5],)), ())]
        for i in range(5)
    ]
    assert agree(query, fed)


def agree_on_groups(query: Spj, fed: list[list[Slice]], updates: bool = False) -> int:
    """Feed both, compare their answers after each slice, and return how many groups there are in the end."""
    specified, output = grouping(query, updates).start(), grouping(query).output
    running, groups = SynopsisGroupBy(query, output, (), updates), 0
    for pieces in fed:
        wanted = specified.feed(*pieces)
        given = [
            ColumnarSlice(frame(s.schema, xs.rows), xs.puncts) for s, xs in zip(query.streams, pieces, strict=True)
        ]
        out = running.feed(*given)
        assert Counter(to_rows(out.rows)) == Counter(wanted.rows)
        assert same(out.puncts, wanted.puncts)
        expected = specified.answer()
        assert Counter(to_rows(running.answer().drop(REASON))) == Counter(expected), query
        kept = {key: len(rows) for key, rows in specified.kept().items()}
        assert {key: len(table) for key, table in running.tables().items()} == kept
        groups = len(expected)
        again = SynopsisGroupBy(query, output, (), updates)
        again.restore_tables(running.tables())
        again.restore_metadata(json.loads(json.dumps(running.metadata())))
        running = again
    return groups


@pytest.mark.parametrize("function", ["COUNT", "SUM", "AVG", "MIN", "MAX", "COUNT_DISTINCT", "MEDIAN"])
def test_random_groups_agree(function: str) -> None:
    chance = random.Random(f"groups {function}")
    queries = bounded_groups(chance, function)
    groups = [agree_on_groups(query, list(slices(query, chance))) for query, _ in zip(queries, range(10), strict=False)]
    assert sum(map(bool, groups)) >= 3
    for query, _ in zip(queries, range(10), strict=False):
        agree_on_groups(query, list(punctuated(query, chance)))
        agree_on_groups(query, list(punctuated(query, chance)), updates=True)


def test_example_8_7() -> None:
    """A sum that is pushed below the join, with all others that can be."""
    calls = "SUM(B) COUNT(B) MIN(B) MAX(B) AVG(B) COUNT() COUNT_DISTINCT(A) MEDIAN(C)"
    query = spj("S(A,B) T(C)", "A<5, C<5, A>1, C>1", "A,C", aggregates=calls)
    assert sum(agree_on_groups(query, list(slices(query, random.Random(seed)))) for seed in range(5)) > 10


def test_a_sum_is_right_or_goes_to_the_quarantine() -> None:
    """Whole numbers are added with 38 digits, and multiplied by how often rows of the other input came."""
    query = spj("S(A,B) T(C)", "A=C, A>0, A<3", "A", aggregates="SUM(B)")
    output = Schema.of(k="BIGINT", total="BIGINT")
    most = 2**62
    rows: list[Row] = [(1, most), (1, most), (1, -most)]
    running = SynopsisGroupBy(query, output, (), True)
    schemas = [stream.schema for stream in query.streams]
    given = running.feed(ColumnarSlice(frame(schemas[0], rows)), ColumnarSlice(frame(schemas[1], [(1,)])))
    assert to_rows(given.rows) == [(1, most)]
    nothing = ColumnarSlice(frame(schemas[0], []))
    assert not running.feed(nothing, ColumnarSlice(frame(schemas[1], [(1,)]))).rows.height
    (failed,) = running.failed()
    assert to_rows(failed.rows.select("k", REASON)) == [
        (1, "total has no value: the result of SUM does not fit BIGINT")
    ]
    assert not running.feed(
        ColumnarSlice(frame(schemas[0], [(1, 1)])), ColumnarSlice(frame(schemas[1], []))
    ).rows.height
    assert not running.failed(), "it is reported once"
    again = running.feed(ColumnarSlice(frame(schemas[0], [(1, -most - 2)])), ColumnarSlice(frame(schemas[1], [])))
    assert to_rows(again.rows) == [(1, -2)] and not running.failed()


def test_groups_come_out_with_the_end_of_all_inputs() -> None:
    query = spj("S(A) T(B)", "A=B, A>0, A<3", "A", aggregates="COUNT()")
    running = SynopsisGroupBy(query, grouping(query).output)
    schemas = [stream.schema for stream in query.streams]
    ends = [Punctuation.of(schema, {}) for schema in schemas]
    first = running.feed(
        ColumnarSlice(frame(schemas[0], [(1,), (1,)]), (ends[0],)), ColumnarSlice(frame(schemas[1], [(1,)]))
    )
    assert not first.rows.height and first.puncts == ()
    last = running.feed(ColumnarSlice(frame(schemas[0], [])), ColumnarSlice(frame(schemas[1], [(2,)]), (ends[1],)))
    assert to_rows(last.rows) == [(1, 2)] and last.puncts == (Punctuation.of(running.output, {}),)


def test_the_output_ends_with_the_last_input() -> None:
    query = spj("S(A) T(B)", "A=B, A>0, A<3", "A")
    ends = [Punctuation.of(stream.schema, {}) for stream in query.streams]
    fed = [
        [Slice(((1,), (1,)), (ends[0],)), Slice(((1,),), ())],
        [Slice((), ()), Slice(((1,), (2,)), (ends[1],))],
    ]
    assert agree(query, fed) == 4
