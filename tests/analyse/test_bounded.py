"""The memory paper's verdicts on its own queries, and that its two ways of deciding agree on random ones."""

import random

import pytest

from analyse.brute import answer
from analyse.memory import random_query, random_self_join, spj
from punctum.analyse.memory.bounded import failure
from punctum.analyse.memory.lto import (
    TooManyOrdersError,
    bounded_in_every_order,
    derived,
    fails,
    reduced,
    without_redundant,
)
from punctum.analyse.memory.verdict import of_query
from punctum.ir.conjunctive.axes import At
from punctum.ir.conjunctive.spj import Spj

S_T = "S(A,B,C) T(D,E)"
TABLE_I = {
    "Q1": ("S(A,B,C)", "A>10", True, False),
    "Q2": (S_T, "A=D", False, False),
    "Q3": (S_T, "A=D, A>10, D<20", True, True),
    "Q4": (S_T, "B<D, A=10", False, True),
    "Q5": (S_T, "B<D, C<E, A=10", False, False),
    "Q6": (S_T, "B<D, C<E, B<E, C<D, A=10", False, True),
    "Q7": (S_T, "B<D, D>10, B<20, A=10", True, True),
}


@pytest.mark.parametrize("eliminating", [False, True], ids=["preserving", "eliminating"])
@pytest.mark.parametrize("name", TABLE_I)
def test_table_i(name: str, eliminating: bool) -> None:
    streams, conditions, *expected = TABLE_I[name]
    query = spj(streams, conditions, "A", eliminating)
    assert (failure(query) is None) == expected[eliminating]
    assert bounded_in_every_order(query) == expected[eliminating]


def names(query: Spj, classes: frozenset[At]) -> set[str]:
    return {query.attribute(at).name for its in classes for at in query.order.members[its]}


def test_example_5_5() -> None:
    """The figure's drawing is not in the text, only what it shows; these conditions show all of it."""
    streams = "S1(A,B,C,D) S2(E,F,G) S3(H,I,J)"
    query = spj(streams, "G<C, C<B, G<B, H<A, J<F, E>10, E<F, F<20")
    refs = [query.order.references(stream) for stream in range(3)]
    assert [(names(query, most), names(query, least)) for most, least in refs] == [
        ({"A", "C"}, set()),
        (set(), {"G"}),
        (set(), {"H", "J"}),
    ]
    b, f, g = (0, 1), (1, 1), (1, 2)
    assert query.order.redundant(g, b) and query.order.bounded(f)


@pytest.mark.parametrize(
    ("example", "query", "condition"),
    [
        ("5.7", spj("S(A,B) T(C)", "A<20, A=C, C>10, B>20", "A"), None),
        ("5.8", spj("S(A,B) T(C)", "A>10, B=C, B=10", "A"), "C1"),
        ("5.9", spj("S(A,B) T(C)", "A=10, B<C, B>10, C>10", "A"), "C3"),
        ("5.11", spj("S(A,B) T(C)", "A=10, B<C, B>10, C>10", "A", True), None),
        ("5.12", spj(S_T, "A=10, B>D, C>E, B>10, C<10, D>10, E<10", "A", True), "C3"),
        ("6.1", spj("S1(A,B,C,D) S2(E,F,G) S3(H,I,J)", "H<A, G<C, C<B, E>10, E<F, F<20, J<F", "", True), "C3"),
        ("7.1", spj(S_T, "B<D, D>10, B<20, A=10", "A"), None),
        ("7.4", spj("S(A,B,C,D) T(E,F)", "B>F, C>F, D>F, A=10", "A", True), None),
        ("8.7", spj("S(A,B) T(C)", "A<20, C<20, A>10, C>10", "A,C", aggregates="SUM(B)"), None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_examples(example: str, query: Spj, condition: str | None) -> None:
    failed = failure(query)
    assert (failed.condition if failed else None) == condition, example


def test_example_6_1_fails_on_its_four_attributes() -> None:
    query = spj("S1(A,B,C,D) S2(E,F,G) S3(H,I,J)", "H<A, G<C, C<B, E>10, E<F, F<20, J<F", "", True)
    failed = failure(query)
    assert failed is not None and failed.stream == 0
    assert {query.attribute(at).name for at in failed.attributes} == {"H", "A", "G", "C"}
    four = query.order.induced([at for at in query.attributes if query.attribute(at).name in "HACG"])
    assert {(query.attribute(a).name, op, query.attribute(b).name) for a, op, b in four.comparisons} == {
        ("H", "<", "A"),
        ("G", "<", "C"),
    }


def test_derived_queries() -> None:
    """Section 5: B = C and A = 10 has three derived queries, with B below, at and above 10."""
    query = spj("S(A,B) T(C)", "B=C, A=10")
    orders = list(derived(query, whole=True))
    assert [fails(order, (), True) for order in orders] == ["C2", None, "C2"]


TWICE = "S#1(A,B) S#2(A,B)"


def test_example_8_1() -> None:
    conditions = "S#1.A=10, S#1.A=S#2.A, S#1.B=S#2.B, S#1.B>10"
    query = spj(TWICE, conditions, "S#1.A", True)
    failed = failure(query)
    assert failed is not None and failed.condition == "C2"  # by theorem 5.10 alone
    order, shown = without_redundant(query, query.order)
    assert {at[0] for at in order.attributes} == {shown[0][0]}  # one occurrence is left
    assert bounded_in_every_order(query)
    assert (of_query(query).bounded, of_query(query).values) == (
        True,
        1,
    )  # as SELECT DISTINCT a … WHERE a = 10 AND b > 10
    assert not of_query(spj(TWICE, conditions, "S#1.A")).bounded  # preserving
    other = conditions.replace("S#1.A=S#2.A", "S#2.A=20")
    assert not of_query(spj(TWICE, other, "S#1.A", True)).bounded  # no occurrence stands in for the other one


def test_a_query_without_redundant_occurrences_gives_the_same_answers() -> None:
    chance, fewer = random.Random(6), 0
    for _ in range(400):
        query = random_self_join(chance)
        smaller = reduced(query)
        fewer += len(smaller.streams) < len(query.streams)
        for _ in range(3):
            rows = [(chance.randint(0, 4), chance.randint(0, 4)) for _ in range(4)]
            expected = answer(query, [rows] * len(query.streams))
            assert answer(smaller, [rows] * len(smaller.streams)) == expected, query
    assert fewer > 50


def test_an_order_that_is_not_bounded_proves_nothing_where_a_stream_is_there_twice() -> None:
    """Theorem 5.3 filters the input of a stream, which is the input of its other occurrence too."""
    query = spj(TWICE, "S#1.B=4, S#1.A=S#2.A", "", True)
    assert not bounded_in_every_order(query, whole=True)  # where B is 4 in one occurrence and 5 in the other
    assert len(reduced(query).streams) == 1 and of_query(query).bounded  # and yet it asks only for a B that is 4


def test_what_is_bounded_as_it_stands_is_bounded_in_every_order() -> None:
    chance, seen = random.Random(7), set()
    for _ in range(100):
        query = random_self_join(chance)
        by_orders = bounded_in_every_order(query)
        assert by_orders or failure(query) is not None, query
        seen.add((failure(query) is None, failure(reduced(query)) is None, by_orders))
    assert seen >= {(True, True, True), (False, True, True), (False, True, False), (False, False, False)}


def test_too_many_orders_are_not_decided() -> None:
    query = spj(TWICE, "S#1.A=S#2.A, S#1.B<9, S#2.B>5", "", True)
    assert not of_query(query).bounded and of_query(query).reason.endswith("(C2)")
    assert of_query(query, limit=30).reason.startswith("not decided: a stream occurs twice")


@pytest.mark.parametrize(
    ("streams", "conditions", "groups", "aggregates", "bounded"),
    [
        ("S(A,B)", "A>10, A<20", "A", "SUM(B) MIN(B) AVG(B)", True),
        ("S(A,B)", "A>10", "A", "SUM(B)", False),
        ("S(A,B)", "A=10", "A", "COUNT_DISTINCT(B)", False),
        ("S(A,B)", "A=10, B>0, B<9", "A", "MEDIAN(B) COUNT_DISTINCT(B)", True),
        (S_T, "A=10, B<D", "A", "COUNT()", False),
        (S_T, "A=10, B<D", "A", "MAX(A)", True),
        (S_T, "A=10, B<D", "A", "MAX(D)", True),
        (S_T, "A=10, B<D", "A", "MIN(B)", True),
        (S_T, "A=10, B<D", "A", "MAX(E)", False),
        (S_T, "A=10, B<D", "A", "MAX(B)", False),  # bounded by theorem 8.6 as it is printed
        (S_T, "A=10, B<D", "A", "MAX(C)", False),  # and here
    ],
)
def test_aggregates(streams: str, conditions: str, groups: str, aggregates: str, bounded: bool) -> None:
    assert (failure(spj(streams, conditions, groups, aggregates=aggregates)) is None) == bounded


def test_the_polynomial_check_is_the_enumeration_of_orders() -> None:
    chance, seen = random.Random(5), set()
    for _ in range(400):
        query = random_query(chance)
        try:
            expected = bounded_in_every_order(query, 15_000, whole=True)
            assert bounded_in_every_order(query, 15_000) == expected
        except TooManyOrdersError:
            continue
        failed = failure(query)
        assert (failed is None) == expected, query
        seen.add((query.order.satisfiable, query.eliminating, failed.condition if failed else None))
    assert len(seen) == 10  # every condition of both theorems, bounded ones, and those that nothing fulfils
