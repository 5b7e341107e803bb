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
    "NOT (a < b OR a > b)": ["(a = b)"],
    "NOT (a < b AND NOT (b > 1 OR c = 1))": ["((a >= b) OR ((b > 1.0) OR (c = 1.0)))"],
    "NOT (a <> b) AND NOT a IS NULL": ["(a = b)", "(NOT (a IS NULL))"],
    "(a < b) IS TRUE AND (b < c) = TRUE AND (a = c) = FALSE": ["(a < b)", "(b < c)", "(a <> c)"],
    "COALESCE(a < b, FALSE) AND IF(b < c, TRUE, FALSE)": ["(a < b)", "(b < c)"],
    "CASE WHEN a < b AND b < c THEN TRUE ELSE FALSE END": ["(a < b)", "(b < c)"],
    "(a < b) IS NOT TRUE": ["(NOT ((a < b) <=> true))"],
    "ABS(a - b) < 2 AND 1 >= ABS(b - c)": [
        "((a - b) < 2.0)",
        "((a - b) > -2.0)",
        "((b - c) <= 1.0)",
        "((b - c) >= -1.0)",
    ],
    "ABS(a - b) > 2 OR ABS(a) < 2": ["((abs((a - b)) > 2.0) OR (abs(a) < 2.0))"],
}


@pytest.mark.parametrize("sql", SHOWN)
def test_equalities_are_brought_out(sql: str) -> None:
    assert [text(part) for part in normalised([condition(sql)])] == SHOWN[sql]


ATOMS = st.builds(
    "{} {} {}".format, st.sampled_from("ab"), st.sampled_from(["=", "<=", ">=", "<", "<=>"]), st.sampled_from("abc")
) | st.builds("{} {} 1.0".format, st.sampled_from(["ABS(a - b)", "ABS(b)"]), st.sampled_from(["<", "<=", "="]))
WRAPPED = ["NOT {}", "{} IS TRUE", "{} IS NOT TRUE", "{} = FALSE", "COALESCE({}, FALSE)", "IF({}, TRUE, FALSE)"]
WRAPPED += [
    "{} <> FALSE",
    "{} <> TRUE",
    "TRUE = {}",
    "{} IS FALSE",
    "CASE WHEN {} THEN 1 ELSE 0 END = 1",
    "({} OR 1 = 0)",
]
WRAPPED += ["IF({}, 'yes', NULL) <> 'no'", "IF({}, 2, 1) < 2"]


def connected(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.builds(
        lambda op, parts: "(" + f" {op} ".join(parts) + ")",
        st.sampled_from(["AND", "OR"]),
        st.lists(inner, min_size=2, max_size=3),
    )
    return several | st.builds(lambda by, part: "(" + by.format(f"({part})") + ")", st.sampled_from(WRAPPED), inner)


@given(st.recursive(ATOMS, connected, max_leaves=8))
def test_the_same_rows_pass(sql: str) -> None:
    before = condition(sql)
    after = normalised([before])
    for row in product(VALUES, repeat=3):
        assert all(evaluate(part, row) is True for part in after) == (evaluate(before, row) is True), row
