"""The graphs of the safety paper: its examples give its answers, and random queries those of the definitions."""

import pytest
from bench.register import ladder
from hypothesis import event, given

from analyse.definitions import binary_plan_is_safe, purgeable, queries, some_plan_is_safe
from punctum.analyse.graphs import (
    Attr,
    JoinQuery,
    On,
    PunctuationEdge,
    Transformed,
    chain,
    generalised,
    join_graph,
    punctuation_graph,
    safe,
    transformed,
    unreachable,
)

S1, S2, S3 = range(3)


def joined(*pairs: tuple[int, int, str]) -> tuple[tuple[Attr, Attr], ...]:
    return tuple((Attr(i, name), Attr(j, name)) for i, j, name in pairs)


def query(equal: tuple[tuple[Attr, Attr], ...], *schemes: tuple[int, str]) -> JoinQuery:
    on = tuple(On(stream, tuple(attributes)) for stream, attributes in schemes)
    return JoinQuery(("S1", "S2", "S3"), equal, on)


def steps(of: JoinQuery, start: int) -> list[tuple[int, str]]:
    return [(step.scheme.stream, "".join(step.scheme.attributes)) for step in chain(of, start)]


CHAIN, TRIANGLE = joined((S1, S2, "B"), (S2, S3, "C")), joined((S1, S2, "B"), (S2, S3, "C"), (S3, S1, "A"))
AUCTION = joined((0, 1, "itemid"))


def auction(*schemes: tuple[int, str]) -> JoinQuery:
    return JoinQuery(("item", "bid"), AUCTION, tuple(On(stream, (name,)) for stream, name in schemes))


def test_example_1() -> None:
    """With bids punctuated on itemid the item is purged; with bidderid alone it never is."""
    on_itemid = auction((0, "itemid"), (1, "itemid"))
    assert safe(on_itemid) and steps(on_itemid, 0) == [(1, "itemid")] and steps(on_itemid, 1) == [(0, "itemid")]
    on_bidderid = auction((0, "itemid"), (1, "bidderid"))
    assert not safe(on_bidderid) and unreachable(on_bidderid, 0) == (1,) and unreachable(on_bidderid, 1) == ()


def test_figure_3() -> None:
    """A row of S1 is purged by (b1, *) from S2, then by (c, *) of S3 for each c that it joins in S2."""
    figure = query(CHAIN, (S1, "B"), (S2, "B"), (S2, "C"), (S3, "C"))
    assert join_graph(figure) == {(S1, S2), (S2, S3)}
    assert steps(figure, S1) == [(S2, "B"), (S3, "C")]
    assert [step.given for step in chain(figure, S1)] == [((Attr(S1, "B"),),), ((Attr(S2, "C"),),)]
    assert safe(figure)


def test_figure_5() -> None:
    """Each stream has one scheme, and the graph is a cycle: S1 to S3 to S2 to S1."""
    figure = query(TRIANGLE, (S1, "B"), (S2, "C"), (S3, "A"))
    assert set(punctuation_graph(figure)) == {(S2, S1), (S3, S2), (S1, S3)}
    assert generalised(figure) == () and safe(figure)
    assert steps(figure, S1) == [(S3, "A"), (S2, "C")]


def test_figure_7() -> None:
    """The same query: every tree of binary joins is unsafe, the 3-way join is safe."""
    figure = query(TRIANGLE, (S1, "B"), (S2, "C"), (S3, "A"))
    assert not safe(figure, [{S1}, {S2}]) and not safe(figure, [{S2}, {S3}]) and not safe(figure, [{S1}, {S3}])
    assert safe(figure, [{S1}, {S2}, {S3}])
    assert not binary_plan_is_safe(figure) and some_plan_is_safe(figure)


FIGURE_8 = query(TRIANGLE, (S1, "B"), (S2, "B"), (S2, "C"), (S3, "AC"))


def test_figures_8_and_9() -> None:
    """The plain graph does not reach S3; the generalised one does, from S1 and S2 together."""
    assert set(punctuation_graph(FIGURE_8)) == {(S1, S2), (S2, S1), (S3, S2)}
    assert generalised(FIGURE_8) == (PunctuationEdge(On(S3, ("A", "C")), (frozenset([S1]), frozenset([S2]))),)
    assert [steps(FIGURE_8, start) for start in (S1, S2, S3)] == [
        [(S2, "B"), (S3, "AC")],
        [(S1, "B"), (S3, "AC")],
        [(S2, "C"), (S1, "B")],
    ]


def test_figure_10() -> None:
    """S1 and S2 become one node, which has an edge to S3 and one from it: all become one."""
    assert transformed(FIGURE_8) == Transformed((frozenset([S1, S2, S3]),), ())
    without = query(TRIANGLE, (S1, "B"), (S2, "B"), (S3, "AC"))
    assert transformed(without) == Transformed((frozenset([S1, S2]), frozenset([S3])), ((0, 1),))


def test_equalities_are_closed() -> None:
    """From a = b and b = c follows a = c: S1 and S3 purge each other though no condition names both."""
    star = JoinQuery(("S1", "S2", "S3"), joined((S1, S2, "B"), (S2, S3, "B")), (On(S1, ("B",)), On(S3, ("B",))))
    assert (S1, S3) in join_graph(star) and (S1, S3) in punctuation_graph(star)
    assert unreachable(star, S1) == (S2,) and unreachable(star, S2) == ()


def test_a_constant_needs_nobody() -> None:
    """One punctuation on the constant closes the stream for good, whichever stream asks."""
    fixed = JoinQuery(
        ("S1", "S2", "S3"), CHAIN, (On(S1, ("A",)), On(S2, ("B",)), On(S2, ("C",))), frozenset([Attr(S1, "A")])
    )
    assert steps(fixed, S3) == [(S1, "A"), (S2, "C")] and chain(fixed, S3)[0].given == ((),)
    assert unreachable(fixed, S1) == (S3,)


def test_two_equalities_with_one_stream_make_a_plain_edge() -> None:
    """A scheme on both attributes of a pair of streams needs no merged node."""
    pair = JoinQuery(("S1", "S2"), joined((0, 1, "A"), (0, 1, "B")), (On(0, ("A", "B")), On(1, ("A", "B"))))
    assert safe(pair) and steps(pair, 0) == [(1, "AB")]


@given(queries())
def test_transformed_is_generalised(some: JoinQuery) -> None:
    strongly_connected = not any(unreachable(some, i) for i in range(len(some.streams)))
    event(f"{len(some.streams)} streams, {'safe' if strongly_connected else 'unsafe'}")
    assert safe(some) == strongly_connected


@given(queries())
def test_safe_is_that_some_plan_is(some: JoinQuery) -> None:
    assert safe(some) == some_plan_is_safe(some)


@given(queries())
def test_purgeable_is_that_a_finite_set_of_punctuations_is_enough(some: JoinQuery) -> None:
    for start in range(len(some.streams)):
        assert (unreachable(some, start) == ()) == purgeable(some, start)


@given(queries())
def test_chains_know_the_values_they_ask_for(some: JoinQuery) -> None:
    for start in range(len(some.streams)):
        before = {start}
        for scheme, given_by in chain(some, start):
            for name, sources in zip(scheme.attributes, given_by, strict=True):
                number = some.classes[Attr(scheme.stream, name)]
                assert len(sources) == (number not in some.constant)
                assert all(source.stream in before and some.classes[source] == number for source in sources)
            assert scheme.stream not in before
            before.add(scheme.stream)


def test_200_streams_with_1000_predicates_and_schemes() -> None:
    """The hardest query of this size: a check that is not polynomial would never end (`bench/register.py` times it)."""
    large = ladder(200)
    assert len(large.equal) > 990 and len(large.schemes) > 990
    assert safe(large)
    assert all(len(chain(large, i)) == 199 for i in range(200))


@pytest.mark.parametrize("dropped", [0, 1, 6, 500])
def test_large_queries_without_one_scheme(dropped: int) -> None:
    large = ladder(200)
    fewer = JoinQuery(large.streams, large.equal, large.schemes[:dropped] + large.schemes[dropped + 1 :])
    assert safe(fewer) == (not unreachable(fewer, 0) and not any(unreachable(fewer, i) for i in range(200)))
