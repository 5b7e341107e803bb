"""Specification = vectorised operators on random grammatical streams, and stopped and resumed = run through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from operators.vectorised import agree, resume, vectorised
from punctum.operators import GroupBy
from punctum.spec.framework import Operator as Specification
from punctum.spec.group_by import GroupBy as SpecGroupBy
from spec.operators import BINARY, UNARY, Case, binary_cases, domain_projects, punctuate_cases, unary_cases

CASES = {kind: unary_cases(kind) for kind in UNARY} | {kind: binary_cases(kind) for kind in BINARY}
CASES["domain-project"] = domain_projects()
CASES["punctuate"] = punctuate_cases()


@pytest.mark.parametrize("kind", CASES)
@given(data=st.data())
def test_agree(kind: str, data: st.DataObject) -> None:
    case: Case = data.draw(CASES[kind])
    agree(*case, constants=data.draw(st.booleans()))


@pytest.mark.parametrize("kind", CASES)
@examples(33)
@given(data=st.data())
def test_resume(kind: str, data: st.DataObject) -> None:
    operator, streams = data.draw(CASES[kind])
    resume(lambda: vectorised(operator), streams)


@examples(33)
@given(case=unary_cases("group-by"))
def test_groups_that_are_combined_early(case: Case) -> None:
    agree(*case, make=combining_early)
    resume(lambda: combining_early(case[0]), case[1])


def combining_early(operator: Specification) -> GroupBy:
    """A group-by that hardly lets rows of a group gather before it combines them."""
    assert isinstance(operator, SpecGroupBy)
    return GroupBy(operator.schema, operator.by, operator.aggregates, slack=-1)
