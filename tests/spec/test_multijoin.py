"""The join of many streams: its invariants, and brute force over all later rows that the punctuations allow."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given

from lanes import examples
from punctum.algebra.classes import Class
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.errors import SchemaError
from punctum.spec.multijoin import MultiJoin
from punctum.spec.stream import Slice
from spec.laws import conform, minimal, prefixes, proper
from spec.multijoins import Case, multijoin_cases, needed


@given(multijoin_cases())
def test_invariants(case: Case) -> None:
    conform(*case)
    minimal(*case)
    proper(*case)


@examples(200)
@given(multijoin_cases([Type.BIGINT], most=2))
def test_what_is_kept_is_what_later_rows_could_use(case: Case) -> None:
    operator, streams = case
    operator = replace(operator, residual=None)  # which purges nothing
    for inputs, _, kept in prefixes(operator, streams):
        wanted = {name: Counter(rows) for name, rows in needed(operator, inputs).items()}
        assert all(wanted[name] <= Counter(rows) for name, rows in kept.items())
        if not operator.bands:  # else several punctuations may cover a band together, and a row stays a little longer
            assert {name: Counter(rows) for name, rows in kept.items()} == wanted


s1, s2, s3 = Schema.of(a="BIGINT", b="BIGINT"), Schema.of(b="BIGINT", c="BIGINT"), Schema.of(c="BIGINT", a="BIGINT")
FIGURE_3 = MultiJoin(
    (s1, s2, s3), (Class(((0, 1), (1, 0))), Class(((1, 1), (2, 0)))), ("a", "b", "b2", "c", "c2", "a2")
)
FIGURE_5 = replace(FIGURE_3, classes=(*FIGURE_3.classes, Class(((2, 1), (0, 0)))))


def closed(
    operator: MultiJoin, *slices: tuple[Slice, Slice, Slice]
) -> tuple[list[list[tuple[object, ...]]], list[str]]:
    """The rows kept in the end, and what is closed."""
    running = operator.start()
    for piece in slices:
        running.feed(*piece)
    return [list(input_.rows) for input_ in running.state], [str(input_.closed) for input_ in running.state]


def test_the_chain_of_example_2() -> None:
    """(a1, b1) of S1 goes when S2 has closed b1, and S3 every c that b1 has met in S2."""
    rows = Slice.of((1, 1)), Slice.of((1, 7), (1, 8)), Slice.of((7, 0), (8, 0))
    first = Slice(), Slice.of(Punctuation.of(s2, b=1)), Slice.of(Punctuation.of(s3, c=7))
    second = Slice(), Slice(), Slice.of(Punctuation.of(s3, c=8))
    assert closed(FIGURE_3, rows, first)[0] == [[(1, 1)], [(1, 7), (1, 8)], [(7, 0), (8, 0)]]
    assert closed(FIGURE_3, rows, first, second)[0] == [[], [(1, 7), (1, 8)], [(7, 0), (8, 0)]]


def test_a_row_goes_when_what_it_needs_never_came() -> None:
    """S3 has closed c = 7 without a row of it, so no result will have (1, 7) of S2."""
    rows = Slice.of((1, 1)), Slice.of((1, 7), (1, 8)), Slice()
    assert closed(FIGURE_3, rows, (Slice(), Slice(), Slice.of(Punctuation.of(s3, c=7))))[0][1] == [(1, 8)]


def test_a_chain_of_several_attributes() -> None:
    """Figure 8: with b1 closed in S2, S3 must close a1 together with each c that b1 has met."""
    rows = Slice.of((1, 1), (2, 1)), Slice.of((1, 7), (1, 8)), Slice.of((7, 1), (8, 1))
    puncts = [Punctuation.of(s3, c=c, a=1) for c in (7, 8)]
    after = Slice(), Slice.of(Punctuation.of(s2, b=1)), Slice.of(*puncts)
    assert closed(FIGURE_5, rows, after)[0][0] == [(2, 1)]


def test_punctuations_of_both_sides_forget_each_other() -> None:
    """Section 5.1: once S1 has closed b1 and keeps it nowhere, nobody asks S2 for it, nor S1."""
    one = Slice(), Slice.of(Punctuation.of(s2, b=1)), Slice()
    other = Slice.of(Punctuation.of(s1, b=1)), Slice(), Slice()
    assert closed(FIGURE_3, one)[1] == ["{}", "{<1, *>}", "{}"]
    assert closed(FIGURE_3, one, other)[1] == ["{}", "{}", "{}"]


def test_a_constant_answers_for_its_attribute() -> None:
    kinds = Schema.of(k="BIGINT", kind="BIGINT")
    join = MultiJoin((s1, kinds), (Class(((0, 0), (1, 0))), Class(((1, 1),), 8)), ("a", "b", "k", "kind"))
    running = join.start()
    running.feed(Slice.of((3, 0)), Slice.of((3, 7), (3, 8)))
    assert running.kept() == {"0": [(3, 0)], "1": [(3, 8)]}
    running.feed(Slice(), Slice.of(Punctuation.of(kinds, k=3, kind=7)))
    assert running.kept()["0"] == [(3, 0)]
    running.feed(Slice(), Slice.of(Punctuation.of(kinds, k=3, kind=8)))
    assert running.kept()["0"] == []


def test_attributes_of_a_class_have_one_type() -> None:
    with pytest.raises(SchemaError, match="different types"):
        MultiJoin((s1, Schema.of(b="STRING")), (Class(((0, 1), (1, 0))),), ("a", "b", "b2"))
