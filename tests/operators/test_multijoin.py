"""The vectorised join of many streams does what its specification does, slice by slice; eager and lazy, and resumed."""

from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from operators.vectorised import agree, assert_bags, emitted_in, in_columns, resume, vectorised
from punctum.algebra.classes import Class
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.operators import MultiJoin, frame, to_rows
from punctum.operators.batch import batch
from punctum.operators.columns import ColumnarSlice
from punctum.operators.keys import is_key
from punctum.operators.limits import limited
from punctum.operators.store import Store
from punctum.spec.multijoin import MultiJoin as Specification
from punctum.spec.stream import Slice
from spec.laws import aligned
from spec.multijoins import Case, multijoin_cases


@given(case=multijoin_cases(), constants=st.booleans())
def test_agree(case: Case, constants: bool) -> None:
    agree(*case, constants=constants)


@examples(33)
@given(case=multijoin_cases())
def test_resume(case: Case) -> None:
    resume(lambda: vectorised(case[0]), case[1])


@examples(50)
@given(case=multijoin_cases())
@limited(whole=0, share=0, small=2, largest=40)
def test_it_looks_at_rows_alone_that_are_concerned(case: Case) -> None:
    agree(*case)
    resume(lambda: vectorised(case[0]), case[1])


@given(case=multijoin_cases([Type.BIGINT], most=5))
def test_what_is_closed_is_forgotten_as_specified(case: Case) -> None:
    operator, streams = case
    running, fast = operator.start(), vectorised(operator)
    assert isinstance(fast, MultiJoin)
    for slices in zip(*aligned(streams), strict=True):
        running.feed(*slices)
        fast.feed(*(in_columns(s, xs, False) for s, xs in zip(operator.inputs, slices, strict=True)))
        fast.tidy()
        for known, wanted in zip(fast._known, running.state, strict=True):
            said = PunctuationSet(known.closed.schema, [*known.closed.known, *keys(known.closed)])
            assert all(map(said.covers, wanted.closed)), "nothing else is forgotten"
            assert all(wanted.closed.covers(p) for p in keys(known.closed) if is_key(p)), (
                "but for neighbours, all of it"
            )


def keys(store: Store) -> list[Punctuation]:
    everything = [end_of_stream(store.schema)]
    return [p for shape in store.keys.shapes() for p in store.keys.overlapping(shape, everything)]


@examples(33)
@given(case=multijoin_cases(), least=st.integers(0, 8))
def test_a_lazy_join_gives_the_same_and_keeps_more(case: Case, least: int) -> None:
    operator, streams = case
    eager, lazy = vectorised(operator), lazy_one(operator)
    emitted = PunctuationSet(operator.output), PunctuationSet(operator.output)
    ends = [Slice.of(end_of_stream(schema)) for schema in operator.inputs]
    for slices in [*zip(*aligned(streams), strict=True), ends]:
        xs = [in_columns(s, x, False) for s, x in zip(operator.inputs, slices, strict=True)]
        with limited(lazy=least):
            of_eager, of_lazy = eager.feed(*xs), lazy.feed(*xs)
        assert_bags(to_rows(of_lazy.rows), to_rows(of_eager.rows))
        for known, piece in zip(emitted, (of_eager, of_lazy), strict=True):
            for p in emitted_in(operator.output, piece):
                known.add(p)
        assert all(map(emitted[0].covers, emitted[1])), "a lazy join emits nothing early"
        assert lazy.size().rows >= eager.size().rows
    assert emitted[0] == emitted[1] and lazy.size().rows == 0


def lazy_one(operator: Specification) -> MultiJoin:
    fast = vectorised(operator)
    assert isinstance(fast, MultiJoin)
    return MultiJoin(
        operator.schemas, operator.classes, operator.names, fast._residual, operator.shown, True, operator.bands
    )


def test_what_is_over_closes_nothing() -> None:
    """Section 5.1's lifespan: a key may be used again, and is then kept again."""
    left, right = Schema.of(k="BIGINT", x="BIGINT"), Schema.of(k="BIGINT", y="BIGINT")
    join = MultiJoin((left, right), (Class(((0, 0), (1, 0))),), ("k", "x", "k2", "y"))
    nothing, closing = ColumnarSlice(frame(left, [])), Punctuation.of(right, k=1)
    join.feed(nothing, ColumnarSlice(frame(right, []), (closing,)))
    join.feed(ColumnarSlice(frame(left, [(1, 1)])), ColumnarSlice(frame(right, [])))
    assert join.size().rows == 0
    join.forget(1, batch(right, [closing]))
    join.feed(ColumnarSlice(frame(left, [(1, 2)])), ColumnarSlice(frame(right, [])))
    assert to_rows(join.tables()["0"].frame()) == [(1, 2)]
    assert emitted_in(join.output, join.feed(nothing, ColumnarSlice(frame(right, []), (closing,)))), "it is new again"
    assert join.size().rows == 0
