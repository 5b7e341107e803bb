"""A punctuation set says what the list of its punctuations says, and is minimal."""

import random
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.pattern import EMPTY, NULL, WILDCARD, List, between, one_of
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Row
from strategies import punctuations, rows, schemas

POINTS: list[int | None] = [None, -7, -1, 0, 1, 2, 3, 4, 5, 7]  # all that a small pattern on BIGINT can tell apart
plane = Schema.of(x="BIGINT", y="BIGINT")
universe: list[Row] = list(product(POINTS, POINTS))
planes = st.lists(punctuations(plane), max_size=8)
bid = Schema.of(itemid="BIGINT", bidder="BIGINT")


def said(ps: list[Punctuation]) -> set[Row]:
    return {row for row in universe if any(p.match(row) for p in ps)}


def held(ps: PunctuationSet) -> set[Row]:
    return {row for row in universe if ps.matches(row)}


@given(schemas().flatmap(lambda s: st.tuples(st.lists(punctuations(s), max_size=8), st.lists(rows(s), max_size=8))))
def test_it_matches_what_its_punctuations_match(case: tuple[list[Punctuation], list[Row]]) -> None:
    ps, ts = case
    if ps:
        heard = PunctuationSet(ps[0].schema, ps)
        for t in ts:
            assert heard.matches(t) == any(p.match(t) for p in ps)
            offending = heard.find(t)
            assert (offending is not None and offending.match(t)) == heard.matches(t)


@given(planes)
def test_what_is_told_says_what_the_set_says(ps: list[Punctuation]) -> None:
    """A member is made of what was told on its attributes alone: who looks at these alone has heard of all of it."""
    heard, told = PunctuationSet(plane), list[Punctuation]()
    for p in ps:
        news = heard.add_new(p)
        assert not any(old.covers(q) for q in news for old in told)
        assert p.empty or any(old.covers(p) for old in [*told, *news]) or heard.covers(p)
        told += news
    assert heard == PunctuationSet(plane, ps)
    for member in heard:
        axes = {i for i, _ in member.sides}
        assert PunctuationSet(plane, [q for q in told if {i for i, _ in q.sides} <= axes]).covers(member)


@given(planes)
def test_it_is_minimal(ps: list[Punctuation]) -> None:
    heard = PunctuationSet(plane, ps)
    members = list(heard)
    assert len(members) == len(heard)
    assert said(members) == said(ps)
    for p, q in combinations(members, 2):
        assert not p.covers(q)
        assert not q.covers(p)
        differing = [i for i in range(2) if p.patterns[i] != q.patterns[i]]
        if len(differing) == 1:
            a, b = p.patterns[differing[0]], q.patterns[differing[0]]
            if not isinstance(a, List) and not isinstance(b, List):
                assert a.meet(b) == EMPTY
                assert not {cut for span in a.spans for cut in span} & {cut for span in b.spans for cut in span}
                assert {a, b} != {NULL, between(None, None)}


@given(planes, st.randoms())
def test_the_order_of_saying_does_not_matter(ps: list[Punctuation], chance: random.Random) -> None:
    other = list(ps)
    chance.shuffle(other)
    assert PunctuationSet(plane, ps) == PunctuationSet(plane, other)


@given(planes, punctuations(plane))
def test_covers_is_about_all_of_it_together(ps: list[Punctuation], p: Punctuation) -> None:
    assert PunctuationSet(plane, ps).covers(p) == (said([p]) <= said(ps))


@given(planes, planes)
def test_intersection(ps: list[Punctuation], qs: list[Punctuation]) -> None:
    assert held(PunctuationSet(plane, ps) & PunctuationSet(plane, qs)) == said(ps) & said(qs)
    assert held(PunctuationSet(plane, ps) | qs) == said(ps) | said(qs)


@given(planes, punctuations(plane))
def test_removal(ps: list[Punctuation], p: Punctuation) -> None:
    heard = PunctuationSet(plane, ps)
    heard.remove(p)
    assert held(heard) == said(ps) - said([p])
    assert said(list(heard)) == held(heard)


def test_a_copy_is_independent() -> None:
    first = PunctuationSet(bid, [Punctuation.of(bid, itemid=1)])
    second = first.copy()
    second.add(Punctuation.of(bid, itemid=2))
    assert (str(first), str(second)) == ("{<1, *>}", "{<[1,2], *>}")
    assert first != second


def test_constants_in_any_order_end_as_one_range() -> None:
    order = random.Random(7).sample(range(1, 5001), 5000)
    heard = PunctuationSet(bid, (Punctuation.of(bid, itemid=item) for item in order))
    assert str(heard) == "{<[1,5000], *>}"


def test_boxes_melt_along_each_attribute() -> None:
    heard = PunctuationSet(bid, [Punctuation.of(bid, itemid=i, bidder=b) for b, i in product((8, 9, 7), (1, 3, 2))])
    assert str(heard) == "{<[1,3], [7,9]>}"
    heard.add(Punctuation.of(bid, itemid=between(None, 10)))
    assert str(heard) == "{<(,10], *>}"


def test_all_values_are_the_wildcard() -> None:
    heard = PunctuationSet(
        bid, [Punctuation.of(bid, itemid=p, bidder=5) for p in (NULL, between(3, None), between(None, 2))]
    )
    assert str(heard) == "{<*, 5>}"
    heard.add(end_of_stream(bid))
    assert (str(heard), len(heard)) == ("{<*, *>}", 1)
    heard.add(Punctuation.of(bid, itemid=5))
    assert str(heard) == "{<*, *>}"


def test_lists_come_apart_and_prefixes_replace_each_other() -> None:
    heard = PunctuationSet(bid, [Punctuation.of(bid, itemid=one_of([1, 5, 6]))])
    assert str(heard) == "{<1, *>, <[5,6], *>}"
    for end in (3, 9, 7):
        heard.add(Punctuation.of(bid, itemid=between(None, end)))
    assert str(heard) == "{<(,9], *>}"


def test_a_pinwheel_of_boxes_covers_what_none_of_them_does() -> None:
    whole = PunctuationSet(
        bid,
        [
            Punctuation.of(bid, itemid=between(1, 2), bidder=1),
            Punctuation.of(bid, itemid=3, bidder=between(1, 2)),
            Punctuation.of(bid, itemid=between(2, 3), bidder=3),
            Punctuation.of(bid, itemid=1, bidder=between(2, 3)),
            Punctuation.of(bid, itemid=2, bidder=2),
        ],
    )
    assert len(whole) == 5
    assert whole.covers(Punctuation.of(bid, itemid=between(1, 3), bidder=between(1, 3)))
    assert not whole.covers(Punctuation.of(bid, itemid=between(1, 3), bidder=WILDCARD))


def test_it_is_not_hashable() -> None:
    with pytest.raises(TypeError):
        hash(PunctuationSet(bid))


@given(planes, punctuations(plane))
def test_alike_is_what_members_on_the_same_or_more_attributes_say(ps: list[Punctuation], p: Punctuation) -> None:
    known = PunctuationSet(plane, ps)
    axes = {axis for axis, _ in p.sides}
    near = [q for q in known if (mine := {axis for axis, _ in q.sides}) <= axes or mine >= axes]
    assert said(list(known.alike(p))) == said([both for q in near if (both := p.combine(q)) is not None])
