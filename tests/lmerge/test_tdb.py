"""Conditions C1 to C3 and mutual consistency against their definitions, by enumeration."""

from itertools import product

import pytest

from punctum.errors import GrammarError
from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, Time
from punctum.lmerge.tdb import PrefixView, Tdb, imbalance, incompatibility, inconsistency, untrackable, view

A = ("A",)
TIMES: list[Time] = [1, 2, 3, INF]
LASTS: list[Time] = [-INF, 0, 1, 2, 3, 4]


def views(most: int) -> list[PrefixView]:
    """All that a prefix may hold of one payload that starts at 0."""
    many: list[list[Time]] = [[], *([ve] for ve in TIMES)]
    if most > 1:
        many += [[a, b] for a in TIMES for b in TIMES if a <= b]
    return [PrefixView(Tdb((A, 0, ve) for ve in ends), last) for ends in many for last in LASTS]


def extensions(prefix: PrefixView, most: int) -> set[tuple[Time, ...]]:
    """All databases that a prefix can become, by trying grammatical elements until nothing new is found."""
    seen = {tuple(prefix.ends((A, 0)))}
    todo = list(seen)
    while todo:
        ends = todo.pop()
        following = [(*ends, ve) for ve in TIMES if prefix.last <= 0 and len(ends) < most]
        for n, old in enumerate(ends):
            rest = (*ends[:n], *ends[n + 1 :])
            if old >= prefix.last:
                following += [(*rest, ve) for ve in TIMES if ve >= prefix.last]
                following += [rest] if prefix.last <= 0 else []
        for events in following:
            if (grown := tuple(sorted(events))) not in seen:
                seen.add(grown)
                todo.append(grown)
    return seen


@pytest.mark.parametrize("most", [1, 2])
def test_consistent_is_that_all_can_become_the_same(most: int) -> None:
    become = [(prefix, extensions(prefix, most)) for prefix in views(most)]
    for (one, ones), (other, others) in product(become, become):
        assert (inconsistency([one, other]) is None) == bool(ones & others), (one, other)


@pytest.mark.parametrize("most", [1, 2])
def test_compatible_is_that_the_output_can_become_all_that_the_inputs_can(most: int) -> None:
    become = [(prefix, extensions(prefix, most)) for prefix in views(most)]
    both = [
        (one, other, ones & others)
        for (one, ones), (other, others) in product(become, become)
        if one.last <= other.last and ones & others
    ]
    for out, outs in become:
        for one, other, possible in both:
            # other payloads may still come, with any start that is not before the greatest stable
            can = possible <= outs and out.last <= other.last
            assert (untrackable(out, [one, other]) is None) == can, (out, one, other)
            if most == 1:
                assert (incompatibility(out, [one, other]) is None) == can, (out, one, other)
            if out.last == other.last:
                assert (imbalance(out, [one, other]) is None) == can, (out, one, other)


@pytest.mark.parametrize(
    "wrong",
    [
        [Stable(5), Insert(A, 4, 9)],
        [Insert(A, 4, 9), Stable(5), Adjust(A, 4, 9, 4)],
        [Insert(A, 1, 3), Stable(5), Adjust(A, 1, 3, 9)],
        [Adjust(A, 4, 9, 5)],
        [Insert(A, 4, 9), Adjust(A, 4, 8, 5)],
        [Insert(A, 4, 3)],
    ],
    ids=str,
)
def test_what_is_not_grammatical_is_refused(wrong: list[Element]) -> None:
    with pytest.raises(GrammarError):
        view(wrong)


def test_an_event_may_be_removed_when_it_starts_at_the_stable() -> None:
    assert view([Insert(A, 5, 9), Stable(5), Adjust(A, 5, 9, 5)]).events == Tdb()
