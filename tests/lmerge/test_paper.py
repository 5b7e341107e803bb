"""The examples of the paper: tables I and II, examples 1 to 5, and O1, O2 and O3 of section III-D."""

from collections import Counter
from itertools import combinations, permutations

import pytest

from punctum.lmerge.elements import INF, Adjust, Element, Insert, Stable, Time
from punctum.lmerge.openclose import Close, Open, compatible, translated
from punctum.lmerge.policies import OutputPolicy
from punctum.lmerge.specification.keyed import R3, R3Minus
from punctum.lmerge.specification.multiset import R4
from punctum.lmerge.tdb import PrefixView, Tdb, frozen, incompatibility, inconsistency, tdb, untrackable, view

A, B, C, D, E = ((letter,) for letter in "ABCDE")
PHY1: list[Element] = [Insert(B, 8, INF), Insert(A, 6, 12), Adjust(B, 8, INF, 10), Stable(11), Stable(INF)]
PHY2: list[Element] = [Insert(A, 6, 7), Insert(B, 8, 15), Adjust(A, 6, 7, 12), Adjust(B, 8, 15, 10), Stable(INF)]


def test_table_1_two_physical_streams_are_one_logical_one() -> None:
    assert tdb(PHY1) == tdb(PHY2) == Tdb([(A, 6, 12), (B, 8, 10)])


def test_example_1_prefixes_differ_and_are_consistent() -> None:
    for i in range(len(PHY1) + 1):
        for j in range(len(PHY2) + 1):
            assert inconsistency([view(PHY1, i), view(PHY2, j)]) is None
    assert tdb(PHY1, 2) != tdb(PHY2, 2)


def test_a_stable_cannot_go_on_at_once() -> None:
    """Section I-B: f(11) behind a(A, 6, 7) and a(B, 8, 15) freezes two events that are still to change."""
    out: list[Element] = [Insert(A, 6, 7), Insert(B, 8, 15)]
    assert untrackable(view([*out, Stable(11)]), [view(PHY1, 4), view(PHY2, 2)])
    assert untrackable(view(out), [view(PHY1, 4), view(PHY2, 2)]) is None


TABLE_2: list[tuple[int, Element]] = [
    (0, Insert(A, 6, 10)),
    (1, Insert(A, 6, 12)),
    (1, Insert(B, 7, 14)),
    (0, Adjust(A, 6, 10, 15)),
    (1, Adjust(A, 6, 12, 15)),
    (1, Stable(16)),
]
OUT1: list[list[Element]] = [
    [Insert(A, 6, 10)],
    [Adjust(A, 6, 10, 12)],
    [Insert(B, 7, 14)],
    [Adjust(A, 6, 12, 15)],
    [],
    [Stable(16)],
]
OUT2: list[list[Element]] = [[], [], [], [], [], [Insert(A, 6, 15), Insert(B, 7, 14), Stable(16)]]
OUT3: list[list[Element]] = [
    [Insert(A, 6, 10)],
    [],
    [Insert(B, 7, 14)],
    [],
    [],
    [Adjust(A, 6, 10, 15), Stable(16)],
]


@pytest.mark.parametrize(
    ("policy", "out"),
    [(OutputPolicy.of(adjust="at once"), OUT1), (OutputPolicy.of(insert="half frozen"), OUT2), (OutputPolicy(), OUT3)],
    ids=["Out1", "Out2", "Out3"],
)
def test_table_2_three_outputs_for_three_policies(policy: OutputPolicy, out: list[list[Element]]) -> None:
    merge = R3(2, policy)
    assert [merge.feed(element, s) for s, element in TABLE_2] == out


def test_table_2_separate_indexes_and_multisets_do_the_same() -> None:
    for merge in (R3Minus(2), R4(2)):
        assert [merge.feed(element, s) for s, element in TABLE_2] == OUT3


def test_example_3_open_and_close() -> None:
    s: list[Open | Close | Stable] = [Open(A, 1), Open(B, 2), Open(C, 3), Close(A, 4), Close(B, 5)]
    u: list[Open | Close | Stable] = [Open(A, 1), Close(A, 4), Open(B, 2), Close(B, 5), Open(C, 3)]
    w: list[Open | Close | Stable] = [Open(B, 2), Close(B, 6), Open(A, 1), Open(C, 3), Close(A, 4), Close(B, 5)]
    assert all(tdb(list(translated(stream))) == Tdb([(A, 1, 4), (B, 2, 5), (C, 3, INF)]) for stream in (s, u, w))


def test_example_4_compatible_is_a_part_of_the_inputs() -> None:
    """Against the definition: whatever the input becomes, the output can become it too."""
    whole: list[Open | Close] = [Open(A, 1), *(Close(A, ve) for ve in (2, 3)), Open(B, 1)]

    def prefixes() -> list[tuple[Open | Close, ...]]:
        candidates = [p for n in range(4) for p in permutations(whole, n)]
        return [p for p in candidates if well_formed(p)]

    def well_formed(p: tuple[Open | Close, ...]) -> bool:
        closes = [n for n, e in enumerate(p) if isinstance(e, Close)]
        return len(closes) < 2 and all(Open(A, 1) in p[:n] for n in closes)

    def becomes(p: tuple[Open | Close, ...]) -> set[frozenset[Open | Close]]:
        return {frozenset(q) for n in range(5) for q in combinations(whole, n) if set(p) <= set(q) and final(q)}

    def final(q: tuple[Open | Close, ...]) -> bool:
        closes = sum(isinstance(e, Close) for e in q)
        return closes < 2 and (not closes or Open(A, 1) in q)

    for out in prefixes():
        for given in prefixes():
            assert compatible(out, [given]) == (becomes(given) <= becomes(out)), (out, given)


def test_example_5_adjusts_are_one_insert() -> None:
    chain: list[Element] = [Insert(A, 6, 20), Adjust(A, 6, 20, 30), Adjust(A, 6, 30, 25)]
    assert tdb(chain) == tdb([Insert(A, 6, 25)])
    assert tdb([*chain, Adjust(A, 6, 25, 6)]) == Counter()


def of(last: Time, *events: tuple[tuple[str, ...], Time, Time]) -> PrefixView:
    return PrefixView(Tdb(events), last)


I1 = of(14, (A, 2, 16), (B, 3, 10), (C, 4, 18), (D, 15, 20))
I2 = of(11, (A, 2, 12), (B, 3, 10), (C, 4, 18), (E, 17, 21))
O1 = of(11, (A, 2, INF), (B, 3, 10), (C, 4, INF))
O2 = of(14, (A, 2, 16), (B, 3, 10), (C, 4, 18), (D, 15, 20), (E, 17, 21))
O3 = of(13, (A, 2, 12), (C, 4, 18), (D, 15, 20))


def test_section_3d_inputs_are_frozen_as_it_states() -> None:
    assert [frozen(event, 14).name for event in I1.events] == ["HF", "FF", "HF", "UF"]
    assert [frozen(event, 11).name for event in I2.events] == ["HF", "FF", "HF", "UF"]
    assert inconsistency([I1, I2]) is None


def test_section_3d_two_outputs_are_compatible_and_one_is_not() -> None:
    for check in (incompatibility, untrackable):
        assert check(O1, [I1, I2]) is None
        assert check(O2, [I1, I2]) is None
        assert check(O3, [I1, I2]) is not None


def test_section_3d_both_reasons_count() -> None:
    without_a = of(13, (B, 3, 10), (C, 4, 18), (D, 15, 20), (A, 2, 12))
    without_b = of(13, (A, 2, 16), (C, 4, 18), (D, 15, 20))
    assert "('A',)" in str(incompatibility(without_a, [I1, I2]))
    assert "('B',)" in str(incompatibility(without_b, [I1, I2]))
