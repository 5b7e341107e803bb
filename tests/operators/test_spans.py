"""Sums and means of INTERVALs: as the specification has them, also at the ends of the type."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.aggregates import OF_SPANS, AggregateFunction, Function
from punctum.algebra.schema import Schema
from punctum.algebra.values import MICROSECOND
from punctum.errors import ComputationError
from punctum.operators.columns import frame
from punctum.operators.partials import Partial
from punctum.spec.aggregates import value_of

SCHEMA = Schema.of(k="BIGINT", v="INTERVAL")
MOST = 2**63 - 1
SPANS = st.one_of(st.integers(-(2**63), MOST), st.integers(-3, 3)).map(lambda n: n * MICROSECOND)


@pytest.mark.parametrize("function", OF_SPANS)
@given(st.lists(st.none() | SPANS, min_size=1, max_size=5))
def test_spans_are_added_up_as_specified(function: Function, values: list[timedelta | None]) -> None:
    aggregate = AggregateFunction(function, "v", "r")
    partial, rows = Partial(aggregate, SCHEMA, None, "p"), [(1, value) for value in values]
    df = frame(SCHEMA, rows)
    at_once = df.group_by("k").agg(partial.of_rows(df))
    one_by_one = df.select("k", *partial.of_one()).group_by("k").agg(partial.combined())
    try:
        wanted, reason = value_of(aggregate, rows, SCHEMA), None
    except ComputationError as error:
        wanted, reason = None, error.reason
    for kept in (at_once, one_by_one):
        assert kept.select(partial.result()).item() == wanted
        fails = partial.fails()
        assert (None if fails is None else kept.select(fails).item()) == reason


def test_half_a_microsecond_is_rounded_away_from_zero() -> None:
    mean = AggregateFunction(Function.AVG, "v", "r")
    for sign in (1, -1):
        rows = [(1, sign * MICROSECOND), (1, 2 * sign * MICROSECOND)]
        assert value_of(mean, rows, SCHEMA) == 2 * sign * MICROSECOND
