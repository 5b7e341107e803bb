"""The laws of patterns, and the normal form."""

import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.pattern import EMPTY, NULL, WILDCARD, Constant, Pattern, Range, between, constant, one_of
from punctum.algebra.values import Type, Value
from punctum.errors import PatternError
from strategies import SMALL, patterns, small, types

two = types.flatmap(lambda kind: st.tuples(patterns(kind), patterns(kind)))
three = types.flatmap(lambda kind: st.tuples(patterns(kind), patterns(kind), patterns(kind)))
with_value = types.flatmap(lambda kind: st.tuples(patterns(kind), patterns(kind), st.none() | small(kind)))


def key(value: Value) -> Any:
    """Spark's order, written down independently of cuts."""
    return (math.isnan(value), 0.0 if math.isnan(value) else value) if isinstance(value, float) else value


@given(types.flatmap(lambda kind: st.tuples(st.none() | small(kind), st.none() | small(kind), small(kind))), st.data())
def test_a_range_matches_what_lies_between_its_ends(case: tuple[Any, Any, Value], data: st.DataObject) -> None:
    lower, upper, value = case
    ends = data.draw(st.sampled_from(["[]", "[)", "(]", "()"]))
    from_lower = lower is None or key(lower) < key(value) or (ends[0] == "[" and lower == value)
    to_upper = upper is None or key(value) < key(upper) or (ends[1] == "]" and upper == value)
    if isinstance(value, float) and math.isnan(value):
        from_lower |= lower is not None and math.isnan(lower) and ends[0] == "["
        to_upper |= upper is not None and math.isnan(upper) and ends[1] == "]"
    assert between(lower, upper, ends).match(value) == (from_lower and to_upper)
    assert not between(lower, upper, ends).match(None)


@given(types.flatmap(lambda kind: st.tuples(st.lists(small(kind)), small(kind))))
def test_a_list_matches_its_values(case: tuple[list[Value], Value]) -> None:
    values, value = case
    assert one_of(values).match(value) == (value in values)
    assert not one_of(values).match(None)


@given(with_value)
def test_meet_is_and(case: tuple[Pattern, Pattern, Value | None]) -> None:
    p, q, value = case
    assert p.meet(q).match(value) == (p.match(value) and q.match(value))


@given(three)
def test_meet_is_commutative_associative_idempotent(case: tuple[Pattern, Pattern, Pattern]) -> None:
    p, q, r = case
    assert p.meet(q) == q.meet(p)
    assert p.meet(q).meet(r) == p.meet(q.meet(r))
    assert p.meet(p) == p
    assert p.meet(WILDCARD) == p
    assert p.meet(EMPTY) == EMPTY


@given(three)
def test_covers_is_a_partial_order(case: tuple[Pattern, Pattern, Pattern]) -> None:
    p, q, r = case
    assert p.covers(p)
    assert not (p.covers(q) and q.covers(p)) or p == q
    assert not (p.covers(q) and q.covers(r)) or p.covers(r)
    assert p.covers(p.meet(q))


@given(with_value)
def test_covers_and_minus_agree_with_match(case: tuple[Pattern, Pattern, Value | None]) -> None:
    p, q, value = case
    if p.covers(q) and q.match(value):
        assert p.match(value)
    rest = p.minus(q)
    assert sum(part.match(value) for part in rest) == (p.match(value) and not q.match(value))
    assert (rest == ()) == q.covers(p) or p == EMPTY


@given(types.flatmap(lambda kind: st.tuples(st.just(kind), patterns(kind), patterns(kind))))
def test_the_normal_form_is_one(case: tuple[Type, Pattern, Pattern]) -> None:
    """On the types whose small values are all the values there are between them, equal sets are equal patterns."""
    kind, p, q = case
    if kind in (Type.BIGINT, Type.BOOLEAN):
        beyond: list[Value] = [-7, 7] if kind is Type.BIGINT else []
        same = all(p.match(v) == q.match(v) for v in [None, *SMALL[kind], *beyond])
        assert same == (p == q)


@given(types.flatmap(patterns))
def test_pickle_round_trips(pattern: Pattern) -> None:
    copy = pickle.loads(pickle.dumps(pattern))
    assert copy == pattern
    assert (copy is WILDCARD) == (pattern is WILDCARD)


@given(types.flatmap(patterns))
def test_what_has_been_asked_before_it_is_pickled_means_the_same_after(pattern: Pattern) -> None:
    left = WILDCARD.minus(pattern)
    copy = pickle.loads(pickle.dumps(pattern))
    assert WILDCARD.minus(copy) == left
    assert pattern.minus(copy) == pattern.minus(pattern)


def test_normal_forms() -> None:
    assert between(3, 5, "()") == constant(4)
    assert between(3, 4, "()") == between(5, 3) == one_of([]) == EMPTY
    assert one_of([7, 7]) == constant(7)
    assert one_of([3, 1, 2]) == between(1, 3) == between(0, 4, "()") == Range(1, 3, "[]")
    assert one_of([True, False]) == between(False, None) == between(None, None)
    assert between(False, True, "[)") == constant(False)
    assert between(float("inf"), None, "()") == constant(math.nan)
    assert between(0.0, 0.0) == constant(-0.0)
    assert between("", None) == between(None, None)
    assert NULL != EMPTY
    assert str(between(17, 20, "[)")) == "[17,19]"
    assert str(between(17.0, 20.0, "[)")) == "[17.0,20.0)"


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (lambda: between(3, "x"), "the ends of a range cannot be compared"),
        (lambda: between(3, 4.5), "the ends of a range cannot be compared"),
        (lambda: between(3, 5, "[["), "'[[' are not the ends of a range"),
        (lambda: one_of([1, "x"]), "the values of a list have different types"),
        (lambda: one_of([1, None]), "a list holds NULL"),  # type: ignore[list-item]
        (lambda: constant([1]), "[1] is not a value"),  # type: ignore[arg-type]
        (lambda: constant("\ud800"), "'\\ud800' is not a STRING"),
        (lambda: constant(2**63), "9223372036854775808 is not a BIGINT"),
        (lambda: between(1, 5).match("x"), "[1,5] and x cannot be compared"),
        (lambda: between(1, 5).meet(constant("x")), "[1,5] and x cannot be compared"),
    ],
)
def test_what_cannot_be_a_pattern_says_why(build: Any, what: str) -> None:
    with pytest.raises(PatternError) as caught:
        build()
    assert caught.value.what == what
    assert caught.value.detail or caught.value.hint


def test_a_constant_knows_its_kind() -> None:
    assert Constant(3).type is Type.BIGINT
    assert WILDCARD.type is None
