"""Plans of joins: against all trees there are, by brute force, and against costs that can be worked out by hand."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from analyse.definitions import closed, operator_purgeable, partitions, queries
from analyse.test_graphs import TRIANGLE, query
from punctum.analyse.graphs import Attr, JoinQuery, On
from punctum.plan.joins.cost import LOOK, Cost, Costs, Measures, Objective, Purge
from punctum.plan.joins.enumerate import LIMIT, plans
from punctum.plan.joins.trees import Tree, leaves, operators, tree_text

numbers = st.sampled_from([0.5, 1.0, 3.0, 10.0, 100.0])


@st.composite
def costs(draw: st.DrawFn) -> Costs:
    """A random join with random measures; most of its joined attributes are punctuated, so that some plans are safe."""
    some = draw(queries())
    ends = sorted({a for pair in some.equal for a in pair})
    more = [On(a.stream, (a.name,)) for a in ends if draw(st.integers(0, 3))]
    some = replace(some, schemes=tuple(dict.fromkeys([*some.schemes, *more])))
    rates, punctuation_rates, delays, distinct = (
        tuple(draw(numbers) for _ in counted) for counted in (some.streams, some.schemes, some.schemes, some.members)
    )
    return Costs(some, Measures(rates, delays, punctuation_rates, distinct), draw(st.sampled_from(Purge)))


def trees(streams: list[int]) -> Iterator[Tree | int]:
    """All trees of join operators over some streams."""
    if len(streams) == 1:
        yield streams[0]
        return
    for parts in partitions(streams):
        if len(parts) > 1:
            yield from (Tree(tuple(chosen)) for chosen in _choices([sorted(part) for part in parts]))


def _choices(parts: list[list[int]]) -> Iterator[list[Tree | int]]:
    if not parts:
        yield []
        return
    for first in trees(parts[0]):
        yield from ([first, *rest] for rest in _choices(parts[1:]))


def is_safe(some: JoinQuery, tree: Tree) -> bool:
    """Definition 2, operator by operator."""
    return all(operator_purgeable(some, [frozenset(leaves(i)) for i in join.inputs]) for join in operators(tree))


def has_product(some: JoinQuery, tree: Tree) -> bool:
    """Whether a join below the last one has inputs that do not hang together."""
    equal = closed(some)
    for join in list(operators(tree))[:-1]:
        inside, reached = set(leaves(join)), {leaves(join)[0]}
        while more := {b.stream for a, b in equal if a.stream in reached and b.stream in inside} - reached:
            reached |= more
        if reached != inside:
            return True
    return False


@given(costs(), st.sampled_from(Objective))
def test_the_best_plan_is_the_best_of_all_safe_trees(some: Costs, objective: Objective) -> None:
    every = [tree for tree in trees(list(range(len(some.query.streams)))) if isinstance(tree, Tree)]
    safe = [tree for tree in every if is_safe(some.query, tree)]
    assert [tree for tree in every if some.tree(tree) is not None] == safe
    best_plans = plans(some, objective)
    event(f"{len(some.query.streams)} streams, {min(len(safe), 3)} safe trees of {len(every)}")
    if not safe:
        assert [plan.cost for plan in best_plans.ranked] == [None] and best_plans.because == "no plan is safe"
        return
    prices: dict[frozenset[frozenset[int]], float] = {}
    for tree in safe:
        price = some.tree(tree)
        assert price is not None
        if not has_product(some.query, tree):
            last = frozenset(frozenset(leaves(below)) for below in tree.inputs)
            prices[last] = min(prices.get(last, inf), price.by(objective)[0])
    best = sorted(prices.values())[:4]
    assert [plan.cost.by(objective)[0] for plan in best_plans.ranked if plan.cost is not None] == pytest.approx(best)
    for plan in best_plans.ranked:
        assert is_safe(some.query, plan.tree) and sorted(leaves(plan.tree)) == list(range(len(some.query.streams)))
        assert some.tree(plan.tree) == pytest.approx(plan.cost)


@given(costs())
def test_times_to_close_are_those_of_the_longest_chain(some: Costs) -> None:
    """By relaxation until nothing changes, without a queue."""
    count = len(some.query.streams)
    closing = some.closing((1 << count) - 1)
    for start in range(count):
        at = {stream: 0.0 if stream == start else inf for stream in range(count)}
        for _ in range(count):
            for on, needs, delay in zip(some.query.schemes, some.query.needs, some.measures.delays, strict=True):
                known = [min(at[a.stream] for n in one for a in some.query.members[n]) for one in needs]
                at[on.stream] = min(at[on.stream], max(known, default=0.0) + delay)
        assert (max(at.values()) < inf) or closing is None
        if closing is not None:
            assert closing.times[start] == max(at.values())


ITEM, BID = 0, 1
AUCTION = JoinQuery(("item", "bid"), ((Attr(ITEM, "id"), Attr(BID, "id")),), (On(ITEM, ("id",)), On(BID, ("id",))))


def test_the_auction_by_hand() -> None:
    """10 items a second, each closed by its bids after 60 s; 1,000 bids a second, closed by the item after 2 s."""
    some = Costs(AUCTION, Measures((10, 1000), (2, 60), (10, 10), (600,)))
    results = (10 * 1000 * 2 + 1000 * 10 * 60) / 600
    kept = 10 * 60 + 1000 * 2
    puncts = 10 * 60 + 10 * 2
    work = 2 * 1010 + results + 20 + LOOK * (kept + puncts)
    assert some.tree(Tree((0, 1))) == pytest.approx(Cost(kept + puncts, work))


def test_a_lazy_purge_keeps_more_and_works_less() -> None:
    measures = Measures((10, 1000), (2, 60), (10, 10), (600,))
    eager, lazy = (Costs(AUCTION, measures, purge).tree(Tree((0, 1))) for purge in Purge)
    assert eager is not None and lazy is not None
    assert lazy.memory == pytest.approx(eager.memory + 1010 * Purge.LAZY.lag) and lazy.work < eager.work


def test_figure_7_has_one_safe_plan() -> None:
    figure = query(TRIANGLE, (0, "B"), (1, "C"), (2, "A"))
    safe = plans(Costs(figure, Measures((1,) * 3, (1,) * 3, (1,) * 3, (1,) * 3)))
    assert [tree_text(plan.tree, figure.streams) for plan in safe.ranked] == ["(S1, S2, S3)"]


def chain_of(count: int) -> Costs:
    equal = tuple((Attr(i, "b"), Attr(i + 1, "a")) for i in range(count - 1))
    schemes = [On(i, ("b",)) for i in range(count - 1)] + [On(i + 1, ("a",)) for i in range(count - 1)]
    some = JoinQuery(tuple(f"s{i}" for i in range(count)), equal, tuple(schemes))
    ones = (1.0,) * len(schemes)
    return Costs(some, Measures((1.0,) * count, ones, ones, (10.0,) * len(some.members)))


def test_twelve_streams_in_a_row_are_divided_and_thirteen_are_not() -> None:
    twelve, thirteen = plans(chain_of(12), Objective.THROUGHPUT), plans(chain_of(LIMIT + 1))
    assert not twelve.because and len(list(operators(twelve.best))) > 1
    assert thirteen.best == Tree(tuple(range(LIMIT + 1))) and thirteen.because


def test_a_join_with_too_many_divisions_is_one_operator() -> None:
    equal = tuple((Attr(0, "k"), Attr(i, "k")) for i in range(1, 12))
    some = JoinQuery(tuple(f"s{i}" for i in range(12)), equal, tuple(On(i, ("k",)) for i in range(12)))
    ones = (1.0,) * 12
    one = plans(Costs(some, Measures(ones, ones, ones, (1000.0,))), Objective.THROUGHPUT)
    assert one.best == Tree(tuple(range(12))) and "ways to split" in one.because
