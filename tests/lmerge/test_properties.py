"""The case that is chosen: section IV-G's six examples, and that properties hold where they are stated."""

from random import Random

import pytest

from punctum.lmerge.elements import Adjust, Insert
from punctum.lmerge.properties import (
    Case,
    Properties,
    aggregate,
    allows,
    choose,
    cleanse,
    common,
    project,
    select,
    top,
    union,
)

from .streams import presentation, reference

ANY = Properties()
IN_ORDER = Properties(ordered=True, insert_only=True)


def case(*inputs: Properties) -> Case:
    return choose(common(inputs)).case


def test_example_1_published_properties() -> None:
    assert case(Properties(strict=True, insert_only=True)) is Case.R0
    assert case(Properties(ordered=True, ties=True, insert_only=True)) is Case.R1
    assert case(Properties(ordered=True, key=True, insert_only=True)) is Case.R2
    assert case(Properties(key=True)) is Case.R3
    assert case(Properties(key=True, ordered=True)) is Case.R3
    assert case(ANY) is Case.R4


def test_example_2_an_operator_that_enforces_order() -> None:
    assert case(cleanse(ANY)) is Case.R1


def test_example_3_an_aggregate_over_an_ordered_stream() -> None:
    assert case(aggregate(IN_ORDER, grouped=False)) is Case.R0


def test_example_4_top_k_over_an_ordered_stream() -> None:
    assert case(top(IN_ORDER)) is Case.R1


def test_example_5_a_grouped_aggregate_over_an_ordered_stream() -> None:
    assert case(aggregate(IN_ORDER, grouped=True)) is Case.R2


def test_example_6_a_grouped_aggregate_over_a_disordered_stream() -> None:
    assert case(aggregate(Properties(insert_only=True), grouped=True)) is Case.R3


def test_a_merge_relies_on_what_all_inputs_have() -> None:
    assert case(Properties(strict=True, insert_only=True), Properties(key=True)) is Case.R3


def test_selections_keep_and_projections_lose_the_key() -> None:
    p = Properties(ordered=True, key=True, insert_only=True)
    assert select(p) == p
    assert case(project(p, keeps_key=True)) is Case.R2
    assert case(project(p, keeps_key=False)) is Case.R4
    assert case(project(Properties(strict=True, insert_only=True), keeps_key=False)) is Case.R0
    assert case(union([p, p])) is Case.R4


@pytest.mark.parametrize("chosen", [c for c in Case if c is not Case.R3_MINUS], ids=lambda c: c.value)
def test_the_chosen_case_is_allowed_and_the_more_general_ones_with_a_key_are(chosen: Case) -> None:
    for n in range(32):
        p = Properties(*(bool(n >> bit & 1) for bit in range(5)))
        if choose(p).case is chosen:
            assert allows(p, chosen)
            assert allows(p, Case.R4)


def test_the_tests_streams_have_the_properties_of_their_case() -> None:
    for seed in range(50):
        for which in (Case.R0, Case.R1, Case.R2):
            rng = Random(seed)
            elements = presentation(rng, reference(rng, which, 20), which)
            starts = [e.vs for e in elements if isinstance(e, Insert)]
            assert not any(isinstance(e, Adjust) for e in elements)
            assert starts == sorted(starts)
            assert which is not Case.R0 or len(set(starts)) == len(starts)
