"""Specification = vectorised operators on random grammatical streams, and stopped and resumed = run through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from operators.vectorised import agree, resume, vectorised
from punctum.operators.limits import limited
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


@pytest.mark.parametrize("kind", CASES)
@examples(50)
@given(data=st.data())
@limited(whole=0, share=0, small=2, largest=40)
def test_tables_that_look_up_all_by_indexes(kind: str, data: st.DataObject) -> None:
    operator, streams = data.draw(CASES[kind])
    agree(operator, streams)
    resume(lambda: vectorised(operator), streams)
