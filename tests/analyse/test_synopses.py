"""Synopses and growing inputs against answers that are found by trying all combinations of rows."""

import random

import pytest

from analyse.brute import answer, distinguished
from analyse.memory import random_query, spj
from punctum.algebra.values import Row, Type
from punctum.analyse.memory.bounded import failure, open_extremes
from punctum.analyse.memory.growth import growing
from punctum.analyse.memory.synopses import SynopsisStructure, answers, synopses
from punctum.analyse.memory.verdict import of_query
from punctum.ir.conjunctive.spj import Spj

S_T = "S(A,B,C) T(D,E)"


def test_example_5_7() -> None:
    """A count for each A, and each C, from 11 to 19."""
    s, t = synopses(spj("S(A,B) T(C)", "A<20, A=C, C>10, B>20", "A"))
    assert (s.keys, s.buckets, s.stored) == (((0, 0),), 9, 2) and (t.keys, t.buckets) == (((1, 0),), 9)
    assert [s.bucket(row) for row in ((11, 21), (11, 20), (10, 21), (19, 99), (20, 99))] == [
        (11,),
        None,
        None,
        (19,),
        None,
    ]


def test_examples_7_1_and_7_2() -> None:
    """B has a bucket for each of 11 to 19, and one for all below: the paper's 13 less those that join with nothing."""
    query = spj(S_T, "B<D, D>10, B<20, A=10", "A")
    s, _ = synopses(query)
    assert s.bucket((10, 3, 99)) == s.bucket((10, -7, 5)) != s.bucket((10, 14, 99))
    assert s.bucket((9, 14, 99)) is None and s.bucket((10, 20, 99)) is None


def test_examples_5_11_and_7_4() -> None:
    """Of S the least B is kept; of three attributes above F the row whose least is greatest."""
    s, t = synopses(spj("S(A,B) T(C)", "A=10, B<C, B>10, C>10", "A", True))
    assert list(s.of([(10, 15), (10, 12), (10, 9), (10, 13)]).values()) == [[(10, 12)]]
    assert list(t.of([(15,), (19,), (13,)]).values()) == [[(19,)]]
    s, _ = synopses(spj("S(A,B,C,D) T(E,F)", "B>F, C>F, D>F, A=10", "A", True))
    (kept,) = s.of([(10, 0, 9, 2), (10, 5, 4, 6), (10, 3, 30, 40)]).values()
    assert kept == [(10, 5, 4, 6)] and s.stored == 4


def test_example_8_7() -> None:
    """A count and a sum of B, which is kept in two parts, for each A, a count for each C, and 81 groups."""
    query = spj("S(A,B) T(C)", "A<20, C<20, A>10, C>10", "A,C", aggregates="SUM(B)")
    s, t = synopses(query)
    assert (s.buckets, s.stored, t.buckets, t.stored, answers(query)) == (9, 4, 9, 2, 81 * 3)
    assert of_query(query).values == 9 * 4 + 9 * 2 + 81 * 3
    assert "S a count and sum of B for each of 9 buckets by A" in of_query(query).reason


def rows_for(query: Spj, chance: random.Random) -> list[list[Row]]:
    most = 7 if len(query.streams) < 3 else 5
    return [
        [
            tuple(a.type.accept(chance.randint(-3, 8)) for a in stream.schema.attributes)
            for _ in range(chance.randint(0, most))
        ]
        for stream in query.streams
    ]


def standing_in(query: Spj, rows: list[list[Row]]) -> list[list[Row]]:
    """The rows of the synopses, which keep to their bounds."""
    kept_rows = []
    for i, came in enumerate(rows):
        synopsis = SynopsisStructure(query, i)
        kept = synopsis.of(came)
        assert len(kept) <= synopsis.buckets
        assert not query.eliminating or all(len(same) <= max(1, len(synopsis.best)) for same in kept.values())
        kept_rows.append([row for same in kept.values() for row in same])
    return kept_rows


def test_synopses_give_the_same_answers_as_the_streams() -> None:
    chance, nonempty = random.Random(7), [0, 0]
    for _ in range(500):
        query = random_query(chance)
        if len(query.streams) > 1 and query.order.satisfiable and failure(query) is None:
            for _ in range(3):
                rows = rows_for(query, chance)
                expected = answer(query, rows)
                assert answer(query, standing_in(query, rows)) == expected, (query, rows)
                nonempty[query.eliminating] += bool(expected)
    assert min(nonempty) > 30  # answers that are not empty


def test_inputs_grow_where_memory_is_not_bounded() -> None:
    chance, seen = random.Random(8), set()
    for _ in range(500):
        query = random_query(chance)
        if (failed := failure(query)) is not None:
            given = growing(failed, 3)
            assert given is not None and distinguished(query, given) == 2**3, (query, given)
            seen.add((query.eliminating, failed.condition))
    assert len(seen) == 6


@pytest.mark.parametrize("function", ["MAX", "MIN", "COUNT_DISTINCT"])
def test_aggregates_have_synopses_or_inputs_that_grow(function: str) -> None:
    """Theorem 8.6 for MIN and MAX holds here in its corrected form, in both directions."""
    chance, seen = random.Random(9), {"bounded": 0, "growing": 0}
    for _ in range(250):
        query = random_query(chance, function)
        if (failed := failure(query)) is not None:
            given = growing(failed, 3)
            assert given is not None and distinguished(query, given) == 2**3, (query, given)
            seen["growing"] += 1
        elif query.order.satisfiable and len(query.streams) > 1:
            watched = [query.watching(call) for call in open_extremes(query)] or [query]
            rows = rows_for(query, chance)
            expected = answer(query, rows)
            assert answer(query, standing_in(watched[0], rows)) == expected, (query, rows)
            seen["bounded"] += bool(expected)
    assert seen["growing"] > 20 and (seen["bounded"] > 10 or function == "COUNT_DISTINCT")


def test_a_median_needs_all_its_values() -> None:
    chance, seen = random.Random(10), 0
    for _ in range(150):
        query = random_query(chance, "MEDIAN")
        if (failed := failure(query)) is not None:
            given = growing(failed, 3)
            assert given is not None and distinguished(query, given) == 2**3, (query, given)
            seen += failed.call is not None
    assert seen > 10


@pytest.mark.parametrize(
    ("query", "before", "after"),
    [
        (spj("S(A,B) T(C)", "A>10, B=C, B=10", "A"), [(12, 10), (13, 10), (14, 10)], [(10,), (10,), (10,)]),
        (spj("S(A,B) T(C)", "A=10, B<C, B>10, C>10", "A"), [(10, 12), (10, 14), (10, 16)], [(13,), (15,), (17,)]),
        (
            spj(S_T, "A=10, B>D, C>E, B>10, C<10, D>10, E<10", "A", True),
            [(10, 13, 8), (10, 15, 6), (10, 17, 4)],
            [(12, 7), (14, 5), (16, 3)],
        ),
    ],
    ids=["5.8", "5.9", "5.12"],
)
def test_inputs_of_the_examples(query: Spj, before: list[Row], after: list[Row]) -> None:
    """The paper's inputs, from one number higher: for each row of S that may come one of T that asks for it."""
    failed = failure(query)
    assert failed is not None
    given = growing(failed, 3)
    assert given is not None and given.stream == 0
    assert list(given.before) == before and list(given.after) == [((1, row),) for row in after]
    assert distinguished(query, given) == 2**3


def test_max_below_a_join_needs_all_its_values() -> None:
    """Theorem 8.6 as it is printed calls this bounded, because MaxRef(S) is empty."""
    query = spj("S(A) T(C)", "A<C", aggregates="MAX(A)")
    assert not query.order.references(0)[0]
    failed = failure(query)
    assert failed is not None and failed.condition == "C3"
    given = growing(failed, 4)
    assert given is not None and distinguished(query, given) == 2**4


@pytest.mark.parametrize("kind", [Type.DATE, Type.TIMESTAMP, Type.STRING, Type.DECIMAL, Type.DOUBLE])
def test_an_input_grows_for_every_type(kind: Type) -> None:
    query = spj(f"S(A:{kind.value}) T(B:{kind.value})", "A=B", "A")
    failed = failure(query)
    assert failed is not None
    given = growing(failed, 5)
    assert given is not None and len(set(given.before)) == 5 and distinguished(query, given) == 2**5
