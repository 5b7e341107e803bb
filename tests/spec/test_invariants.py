"""Each operator conforms to its invariants, is proper and minimal: random schemas, streams and every prefix."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.laws import conform, minimal, proper
from spec.operators import BINARY, UNARY, Case, binary_cases, domain_projects, unary_cases


def check(case: Case) -> None:
    operator, inputs = case
    conform(operator, inputs)
    minimal(operator, inputs)
    proper(operator, inputs)


@pytest.mark.parametrize("kind", UNARY)
@given(data=st.data())
def test_unary(kind: str, data: st.DataObject) -> None:
    check(data.draw(unary_cases(kind)))


@pytest.mark.parametrize("kind", BINARY)
@given(data=st.data())
def test_binary(kind: str, data: st.DataObject) -> None:
    check(data.draw(binary_cases(kind)))


@given(domain_projects())
def test_project_combines_patterns_over_a_domain(case: Case) -> None:
    check(case)
