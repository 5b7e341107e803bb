"""Orders: the memory paper's definitions on its examples, and against all assignments of a few whole numbers."""

import random
from itertools import product
from typing import Any

from analyse.memory import random_query, spj
from punctum.algebra.values import Type
from punctum.ir.conjunctive.spj import Spj

A, B, C = (0, 0), (0, 1), (0, 2)


def one(conditions: str) -> Spj:
    return spj("S(A,B,C)", conditions)


def test_satisfiable() -> None:
    assert not one("A<B, B<C, C<A").order.satisfiable
    assert one("A<=B, B<=C, C<=A").order.satisfiable
    assert not one("A>10, A<B, B<12").order.satisfiable  # no whole number is left for B
    assert spj("S(A:DOUBLE,B:DOUBLE)", "A>10, A<B, B<12").order.satisfiable
    assert not one("A in 1;5, B in 2;7, A<B, B<C, C<3").order.satisfiable
    assert not one("A in 1;5, A>1, A<B, B<=5").order.satisfiable


def test_transitive_closure() -> None:
    """Section 4: A < 5 and 8 < B give A < B."""
    assert one("A<5, B>8").order.implied(A, B) is None  # nothing compares them, so they have no axis in common
    assert one("A<5, B>8").whole_order.implied(A, B) == "<"
    assert one("A<B, B<=C").order.implied(A, C) == "<" and one("A<=B, B<=C").order.implied(A, C) == "<="
    assert one("A<=B, B<=A, C=B").order.implied(A, C) == "="
    assert one("A>10, A<12, B>10, B<12, A<=B").order.implied(A, B) == "="


def test_redundant() -> None:
    """Definition 4.1, with its examples; of two that are not strict one may stand for a third."""
    for conditions, expected in (
        ("A<B, B<C, A<C", True),
        ("A=5, C>5, A<C", True),
        ("A<9, C=9, A<C", True),
        ("A=B, A<C, B<C", False),
        ("A<=B, B<=C, A<=C", True),
        ("A<=B, B<=C, A<C", False),
    ):
        order = one(conditions).order
        assert order.redundant(order.of[A], order.of[C]) == expected, conditions


def test_induced() -> None:
    induced = one("A<B, B<C, A>3").order.induced([A, C])
    assert [tuple(comparison) for comparison in induced.comparisons] == [(A, "<", C)]
    assert induced.range(A) == one("A<B, B<C, A>3").order.range(A)


def test_bounded() -> None:
    """Definition 4.5, and section 9 for other domains."""
    order = one("A<B, B<C, A>3, C<9").order
    assert all(map(order.bounded, (A, B, C))) and (order.range(B).low, order.range(B).high) == (5, 7)
    assert not one("A>3").order.bounded(A) and not one("A<B, B<9").order.bounded(A)
    real = spj("S(A:DOUBLE,B:DOUBLE,C:DOUBLE)", "A>3, A<9, B in 1;2, C=7").order
    assert [real.bounded(at) for at in (A, B, C)] == [False, True, True]
    assert spj("S(A:BOOLEAN)", "").attributes == () and spj("S(A:BOOLEAN)", "", "A").order.bounded(A)
    assert not spj("S(A:STRING,B:STRING)", "A=B", "A").order.bounded(A)


def solutions(query: Spj) -> list[dict[Any, int]]:
    """All assignments of whole numbers near the constants that fulfil the conditions."""
    values = range(-4, 10)
    chosen = [[v for v in values if at not in query.within or query.within[at].match(v)] for at in query.attributes]
    assignments = (dict(zip(query.attributes, values, strict=True)) for values in product(*chosen))
    compare = {"<": int.__lt__, "<=": int.__le__, "=": int.__eq__}
    return [v for v in assignments if all(compare[op](v[a], v[b]) for a, op, b in query.compared)]


def test_random_orders_against_all_assignments() -> None:
    """Four attributes need no more room than four numbers beyond the constants."""
    chance, seen = random.Random(4), 0
    while seen < 60:
        query = random_query(chance)
        if len(query.attributes) > 4 or query.streams[0].schema.attributes[0].type is not Type.BIGINT:
            continue
        seen += 1
        solved, order = solutions(query), query.order
        assert order.satisfiable == bool(solved), query
        for a in query.attributes if solved else ():
            axis, places = order.axes[a], {order.axes[a].place(v[a]) for v in solved}
            assert all(place in order.range(a) for place in places), query
            assert order.range(a).size == len(places), query
            assert order.bounded(a) != any(map(axis.endless, places)), query
            for b in query.attributes:
                if axis is order.axes[b] and order.range(a).only is None and order.range(b).only is None:
                    assert order.implied(a, b) == _implied(solved, a, b), (query, a, b)


def _implied(solved: list[dict[Any, int]], a: Any, b: Any) -> str | None:
    if all(v[a] == v[b] for v in solved):
        return "="
    if all(v[a] < v[b] for v in solved):
        return "<"
    return "<=" if all(v[a] <= v[b] for v in solved) else None
