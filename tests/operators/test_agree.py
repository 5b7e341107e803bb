"""Specification = vectorised operators on random grammatical streams, and stopped and resumed = run through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from operators.vectorised import agree, resume, vectorised
from punctum.algebra.frames import Frame, FrameCall, FrameFunction
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.operators.limits import limited
from punctum.spec.lead import Lead
from punctum.spec.over import Over
from punctum.spec.stream import Slice
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


@pytest.mark.parametrize(("made", "function"), [(Lead, FrameFunction.LEAD), (Over, FrameFunction.SUM)])
def test_an_order_that_is_closed_as_a_whole_closes_all_partitions(made: type[Over], function: FrameFunction) -> None:
    """Two punctuations say together what the end of the stream says: there are no more rows, with NULL and without."""
    n = Schema.of(n="BIGINT")
    operator = made(n, (), (SortKey("n"),), FrameCall(function, "n", "value", Frame(1)))
    whole = Punctuation.of(n, n=None), Punctuation.of(n, n=between(None, None))
    agree(operator, [[Slice(((None,), (1,)), whole[:1]), Slice((), whole[1:])]])
