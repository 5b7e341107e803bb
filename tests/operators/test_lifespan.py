"""Lifespan: the specification against a dictionary, and the vectorised one against the specification."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operators.test_expect import BID, CLOCKS, SCHEMES, STREAMS, WITHIN
from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.errors import SchemaError
from punctum.operators import ColumnarSlice, frame, to_rows
from punctum.operators.batch import batch, punctuations_of
from punctum.operators.guard import Guard
from punctum.operators.lifespan import Lifespan
from punctum.spec.expect import passed
from punctum.spec.guard import Guard as GuardSpecification
from punctum.spec.lifespan import Lifespan as Specification
from punctum.spec.stream import Slice

PACKET = Schema.of(seq="BIGINT", size="BIGINT")
START = datetime(2026, 5, 1, tzinfo=UTC)


@given(st.lists(st.tuples(st.integers(0, 3), st.lists(st.integers(0, 4), max_size=2)), max_size=12), st.integers(1, 4))
def test_a_guard_lets_in_what_only_punctuations_exclude_that_are_over(
    slices: list[tuple[int, list[int]]], hours: int
) -> None:
    guard, lifespan = GuardSpecification(PACKET), Specification(Scheme.of(PACKET, "seq"), timedelta(hours=hours))
    until: dict[int, int] = {}
    now = 0
    for step, closed in slices:
        now += step
        puncts = [Punctuation.of(PACKET, seq=n) for n in closed]
        # What the guard lets through is what the lifespan receives, so it is asked for what is over first.
        guard.forget(lifespan.feed(Slice(), START + timedelta(hours=now)))
        good, _ = guard.feed(Slice(tuple((n, 0) for n in range(5)), tuple(puncts)))
        lifespan.feed(good, START + timedelta(hours=now))
        assert {n for n, _ in good.rows} == {n for n in range(5) if until.get(n, 0) <= now}
        for n in closed:
            if until.get(n, 0) <= now:
                until[n] = now + hours


@given(SCHEMES, WITHIN, STREAMS, st.none() | CLOCKS, st.booleans())
def test_the_vectorised_one_is_the_specification(
    scheme: Scheme, span: timedelta, stream: list[Slice], clock: list[datetime] | None, restart: bool
) -> None:
    time = None if clock is not None else "ts"
    spec, fast = Specification(scheme, span, time), Lifespan(scheme, span, time)
    good, guard = GuardSpecification(BID), Guard(BID)
    for n, xs in enumerate(stream[:8]):
        wanted = spec.feed(xs, None if clock is None else clock[n])
        told = [None if clock is None else clock[n], *(passed(p, time) for p in xs.puncts)]
        for instant in told:
            if instant is not None:
                fast.at(instant)
        gone = fast.expire()
        assert PunctuationSet(BID, gone) == PunctuationSet(BID, wanted)
        good.forget(wanted)
        guard.forget(0, gone)
        let, _ = good.feed(xs)
        fine = guard.split(ColumnarSlice(frame(BID, xs.rows), xs.puncts)).good
        assert to_rows(fine.rows) == list(let.rows)
        assert PunctuationSet(BID, punctuations_of(BID, fine)) == PunctuationSet(BID, let.puncts)
        fast.feed(ColumnarSlice(frame(BID, xs.rows), xs.puncts))
        if restart:
            again = Lifespan(scheme, span, time)
            again.restore_metadata(json.loads(json.dumps(fast.metadata())))
            assert again.metadata() == fast.metadata()
            fast = again


def test_a_longer_prefix_keeps_what_a_shorter_one_said() -> None:
    lifespan = Lifespan(Scheme.of(PACKET, "seq ASC"), timedelta(hours=4))
    for hour, upto in ((0, 100), (2, 200)):
        lifespan.at(START + timedelta(hours=hour))
        lifespan.feed(ColumnarSlice(frame(PACKET, []), (Punctuation.of(PACKET, seq=between(None, upto)),)))
    lifespan.at(START + timedelta(hours=4))
    assert len(lifespan.expire()) == 0
    lifespan.at(START + timedelta(hours=6))
    assert [str(p) for p in lifespan.expire()] == ["<(,200], *>"]
    assert lifespan.puncts() == 0


def test_forgetting_leaves_what_other_schemes_say() -> None:
    closed = PunctuationSet(PACKET, [Punctuation.of(PACKET, size=between(None, 9)), Punctuation.of(PACKET, seq=3)])
    guard = Guard(PACKET)
    guard.feed(ColumnarSlice(frame(PACKET, []), tuple(closed)))
    guard.forget(0, batch(PACKET, [Punctuation.of(PACKET, seq=3)]))
    assert to_rows(guard.feed(ColumnarSlice(frame(PACKET, [(3, 5), (3, 10)]))).rows) == [(3, 10)]


def test_time_is_a_timestamp() -> None:
    for make in (Specification, Lifespan):
        with pytest.raises(SchemaError, match="seq is not a time"):
            make(Scheme.of(PACKET, "size"), timedelta(hours=1), time="seq")
