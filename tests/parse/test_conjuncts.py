"""Normalised conditions are true for the same rows as those that are written, NULL and NaN included."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra import NAN, Schema
from punctum.ir import Projection, StreamDef, evaluate
from punctum.ir.conjuncts import normalised
from punctum.ir.expressions import Expression, text
from punctum.parse import parse_query

TABLE = {"t": StreamDef("t", Schema.of(a="DOUBLE", b="DOUBLE", c="DOUBLE"))}
VALUES = (None, 0.0, 1.0, NAN)


def condition(sql: str) -> Expression:
    """A condition as it is written."""
    relation = parse_query(f"SELECT {sql} AS holds FROM t", TABLE)
    assert isinstance(relation, Projection)
    return relation.columns[0][1]


SHOWN = {
    "a >= b AND a <= b": ["(a = b)"],
    "a >= b AND b >= a AND c > 1": ["(b = a)", "(c > 1.0)"],
    "a BETWEEN b AND b": ["(a = b)"],
    "(a = b AND c > 1) OR (c < 0 AND a = b)": ["(a = b)", "((c > 1.0) OR (c < 0.0))"],
    "(a = b AND c > 1) OR a = b": ["(a = b)"],
    "(a = b AND (b = c OR (b = c AND a > 1))) OR (a = b AND a <= c AND c <= a AND b = c)": ["(a = b)", "(b = c)"],
    "a = b AND a = b": ["(a = b)"],
    "a >= b AND a >= c": ["(a >= b)", "(a >= c)"],
    "a = b OR b = c": ["((a = b) OR (b = c))"],
}


@pytest.mark.parametrize("sql", SHOWN)
def test_equalities_are_brought_out(sql: str) -> None:
    assert [text(part) for part in normalised([condition(sql)])] == SHOWN[sql]


ATOMS = st.builds(
    "{} {} {}".format, st.sampled_from("ab"), st.sampled_from(["=", "<=", ">=", "<"]), st.sampled_from("abc")
)


def connected(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda op, parts: "(" + f" {op} ".join(parts) + ")",
        st.sampled_from(["AND", "OR"]),
        st.lists(inner, min_size=2, max_size=3),
    )


@given(st.recursive(ATOMS, connected, max_leaves=8))
def test_the_same_rows_pass(sql: str) -> None:
    before = condition(sql)
    after = normalised([before])
    for row in product(VALUES, repeat=3):
        assert all(evaluate(part, row) is True for part in after) == (evaluate(before, row) is True), row
