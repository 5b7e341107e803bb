"""Aggregates against exact arithmetic."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra import NAN, Row, Schema, Value
from punctum.algebra.aggregates import PAIRED, AggregateFunction, Function
from punctum.spec.aggregates import value_of

finite = st.floats(-1e6, 1e6)
decimals = st.decimals(-(10**6), 10**6, places=2)


def over(function: Function, kind: str, values: list[Any]) -> Value | None:
    schema = Schema.of(v=kind)
    rows: list[Row] = [schema.row(value) for value in values]
    return value_of(AggregateFunction(function, "v", "result"), rows, schema)


@given(st.sampled_from(["BIGINT", "DOUBLE", "DECIMAL"]), st.data())
def test_numbers(kind: str, data: st.DataObject) -> None:
    number: dict[str, st.SearchStrategy[Any]] = {"BIGINT": st.integers(-99, 99), "DOUBLE": finite, "DECIMAL": decimals}
    values = data.draw(st.lists(st.none() | number[kind], max_size=7))
    exact = sorted(Fraction(value) for value in values if value is not None)
    assert over(Function.COUNT, kind, values) == len(exact)
    assert over(Function.COUNT_DISTINCT, kind, values) == len(set(exact))
    if not exact:
        assert {over(f, kind, values) for f in Function if f not in PAIRED} == {0, None, ()}
        return
    assert over(Function.COLLECT_LIST, kind, values) == tuple(exact)
    assert over(Function.COLLECT_SET, kind, values) == tuple(sorted(set(exact)))
    assert over(Function.MIN, kind, values) == exact[0]
    assert over(Function.MAX, kind, values) == exact[-1]
    total = over(Function.SUM, kind, values)
    assert total == (float(sum(exact)) if kind == "DOUBLE" else sum(exact))
    middle = (exact[(len(exact) - 1) // 2] + exact[len(exact) // 2]) / 2
    assert over(Function.AVG, kind, values) == pytest.approx(float(sum(exact) / len(exact)), rel=1e-12, abs=1e-300)
    assert over(Function.MEDIAN, kind, values) == pytest.approx(float(middle), rel=1e-12, abs=1e-300)


def test_nan_is_the_greatest_and_infinities_cancel() -> None:
    inf = float("inf")
    assert over(Function.MAX, "DOUBLE", [1.0, NAN, inf]) is NAN
    assert over(Function.MIN, "DOUBLE", [1.0, NAN]) == 1.0
    assert over(Function.SUM, "DOUBLE", [inf, -inf]) is NAN
    assert over(Function.SUM, "DOUBLE", [1e308, 1e308]) == inf
    assert over(Function.COUNT_DISTINCT, "DOUBLE", [NAN, float("nan"), 0.0, -0.0]) == 2


def test_decimals_stay_exact() -> None:
    assert over(Function.SUM, "DECIMAL", [Decimal("0.10")] * 3) == Decimal("0.30")
