"""Expect: the specification against all that has come, and the vectorised one against the specification."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operators.vectorised import assert_bags
from punctum.algebra.json import to_json
from punctum.algebra.pattern import between, constant
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.values import Row
from punctum.errors import SchemaError
from punctum.operators import ColumnarSlice, frame, to_rows
from punctum.operators.batch import punctuations_of
from punctum.operators.expect import Expect, instant
from punctum.operators.expect import Swept as FastSwept
from punctum.operators.limits import limited
from punctum.spec.expect import Expect as Specification
from punctum.spec.expect import Swept
from punctum.spec.stream import Slice
from strategies import streams

BID = Schema.of(itemid="BIGINT", ts="TIMESTAMP", bidder="STRING")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
START = datetime(2026, 5, 1, tzinfo=UTC)
HOURS = st.integers(0, 9).map(lambda n: START + timedelta(hours=n))
ROWS = st.tuples(st.none() | st.integers(0, 3), HOURS, st.none() | st.sampled_from("ab"))
PUNCTS = st.one_of(
    (st.none() | st.integers(0, 3)).map(lambda n: Punctuation.of(BID, itemid=constant(n))),
    st.integers(0, 3).map(lambda n: Punctuation.of(BID, itemid=between(None, n))),
    HOURS.map(lambda t: Punctuation.of(BID, ts=between(None, t))),
    st.tuples(st.integers(0, 3), HOURS).map(lambda c: Punctuation.of(BID, itemid=c[0], ts=between(None, c[1]))),
    st.tuples(st.integers(0, 3), st.sampled_from("ab")).map(lambda c: Punctuation.of(BID, itemid=c[0], bidder=c[1])),
)
SCHEMES = st.sampled_from([("itemid",), ("itemid", "bidder"), ("bidder",)]).map(lambda names: Scheme.of(BID, *names))
WITHIN = st.integers(1, 6).map(lambda n: timedelta(hours=n))
STREAMS = streams(BID, ROWS, PUNCTS, 6)
CLOCKS = st.lists(st.integers(0, 3), min_size=8, max_size=8).map(
    lambda steps: [START + timedelta(hours=n) for n in accumulate(steps)]
)


def all_at_once(
    scheme: Scheme, within: timedelta, stream: list[Slice], clock: list[datetime] | None
) -> list[list[Swept]]:
    """What is swept after each slice, by looking at everything that has come up to it."""
    at = scheme.schema.indices(scheme.attributes)
    swept: list[list[Swept]] = []
    gone: dict[Row, int] = {}
    for n in range(len(stream)):
        rows: dict[Row, list[datetime]] = {}
        for i, xs in enumerate(stream[: n + 1]):
            for t in xs.rows:
                rows.setdefault(tuple(t[a] for a in at), []).append(t[1] if clock is None else clock[i])  # type: ignore
        puncts = [p for xs in stream[: n + 1] for p in xs.puncts]
        prefixes = [t for t in (START + timedelta(hours=h) for h in range(10)) if _over(puncts, t)]
        told = max(prefixes, default=None)
        now = clock[n] if clock is not None else None if told is None else told - (told - EPOCH) % (within / 4)
        swept.append([])
        for key, times in rows.items():
            if key in gone or now is None or min(times) + within > now:
                continue
            if not any(_closes(p, at, key) for p in puncts):
                p = Punctuation.of(BID, dict(zip(scheme.attributes, key, strict=True)))
                swept[-1].append(Swept(p, min(times), len(times)))
                gone[key] = n
        late = [key for key in rows if key in gone]
        stream = [*stream[: n + 1], *(_without(xs, at, late) for xs in stream[n + 1 :])]
    return swept


def _over(puncts: list[Punctuation], t: datetime) -> bool:
    return any(len(p.sides) == 1 and p.sides[0][0] == 1 and p.patterns[1].match(t) for p in puncts)


def _closes(p: Punctuation, at: tuple[int, ...], key: Row) -> bool:
    values = dict(zip(at, key, strict=True))
    return all(i in values and pattern.match(values[i]) for i, pattern in p.sides)


def _without(xs: Slice, at: tuple[int, ...], keys: list[Row]) -> Slice:
    return Slice(tuple(t for t in xs.rows if tuple(t[i] for i in at) not in keys), xs.puncts)


def counted(swept: Sequence[Swept | FastSwept]) -> Counter[tuple[str, datetime, int]]:
    return Counter((str(record.punctuation), record.since, record.rows) for record in swept)


@given(SCHEMES, WITHIN, STREAMS, st.none() | CLOCKS)
def test_what_is_swept_is_what_all_that_has_come_leaves_overdue(
    scheme: Scheme, within: timedelta, stream: list[Slice], clock: list[datetime] | None
) -> None:
    stream = stream[:8]
    expect = Specification(scheme, within, None if clock is not None else "ts")
    wanted = all_at_once(scheme, within, stream, clock)
    for n, xs in enumerate(stream):
        out = expect.feed(xs, None if clock is None else clock[n])
        assert counted(out.swept) == counted(wanted[n]), f"slice {n}"
        assert Counter(xs.rows) == Counter([*out.slice.rows, *(t for t, _ in out.late)])
        assert all(p.match(t) for t, p in out.late)


@pytest.mark.parametrize("whole", [0, 4_096])
@given(SCHEMES, WITHIN, STREAMS, st.none() | CLOCKS, st.booleans())
def test_the_vectorised_one_is_the_specification(
    whole: int, scheme: Scheme, within: timedelta, stream: list[Slice], clock: list[datetime] | None, restart: bool
) -> None:
    time = None if clock is not None else "ts"
    with limited(whole=whole, share=0, small=2):
        assert_the_same(Specification(scheme, within, time), Expect(scheme, within, time), stream, clock, restart)


def assert_the_same(
    spec: Specification, fast: Expect, stream: list[Slice], clock: list[datetime] | None, restart: bool
) -> None:
    for n, xs in enumerate(stream[:8]):
        wanted = spec.feed(xs, None if clock is None else clock[n])
        if clock is not None:
            fast.at(clock[n])
        out = fast.feed(ColumnarSlice(frame(BID, xs.rows), xs.puncts))
        assert_bags(to_rows(out.rows), wanted.slice.rows)
        assert PunctuationSet(BID, punctuations_of(BID, out)) == PunctuationSet(BID, wanted.slice.puncts)
        assert counted(fast.swept) == counted(wanted.swept)
        assert PunctuationSet(BID, fast.sweeping) == PunctuationSet(BID, [s.punctuation for s in wanted.swept])
        late = zip(to_rows(fast.late), fast.reasons, strict=True)
        assert Counter(late) == Counter((t, to_json(p, BID)) for t, p in wanted.late)
        summed = {tuple(key): (since, rows) for *key, since, rows in to_rows(fast._summed(fast._open.frame()))}
        assert summed == spec.open
        if clock is not None and (due := fast.due) is not None:
            assert due == min(since for since, _ in spec.open.values()) + spec._within
        fast = restarted(fast, Expect(spec._scheme, spec._within, spec._time)) if restart else fast


def restarted(old: Expect, new: Expect) -> Expect:
    new.restore_metadata(json.loads(json.dumps(old.metadata())))
    new.restore_tables({name: t.restored(t.chunks()) for name, t in old.tables().items()})
    return new


def test_many_rows_of_few_values_are_few_counts() -> None:
    expect = Expect(Scheme.of(BID, "itemid"), timedelta(days=1))
    for n in range(30):
        expect.at(START + timedelta(hours=n % 3))
        expect.feed(ColumnarSlice(frame(BID, [(i, START, "a") for i in range(100)])))
    assert len(expect.tables()["open"]) <= 1_300
    expect.at(START + timedelta(days=1))
    expect.feed(ColumnarSlice(frame(BID, [])))
    assert len(expect.swept) == 100
    assert {(record.since, record.rows) for record in expect.swept} == {(START, 30)}
    assert len(expect.tables()["open"]) == 0
    assert expect.puncts() == 1, "neighbours coalesce"


def test_a_clock_that_goes_back_is_not_followed() -> None:
    expect = Expect(Scheme.of(BID, "itemid"), timedelta(hours=2))
    expect.at(instant(3_600_000))
    expect.at(instant(0))
    assert expect.now == datetime(1970, 1, 1, 1, tzinfo=UTC)


def test_time_is_a_timestamp() -> None:
    for make in (Specification, Expect):
        with pytest.raises(SchemaError, match="itemid is not a time"):
            make(Scheme.of(BID, "bidder"), timedelta(hours=1), time="itemid")


@given(scheme=SCHEMES, within=WITHIN, stream=STREAMS)
def test_a_larger_batch_sweeps_no_more(scheme: Scheme, within: timedelta, stream: list[Slice]) -> None:
    """What is swept when all comes at once is swept however the stream is cut; a smaller batch may sweep more."""
    cut, whole = (Expect(scheme, within, "ts") for _ in range(2))
    swept = set[Punctuation]()
    for xs in stream:
        cut.feed(ColumnarSlice(frame(BID, xs.rows), tuple(xs.puncts)))
        swept |= {value.punctuation for value in cut.swept}
    puncts = tuple(p for xs in stream for p in xs.puncts)
    whole.feed(ColumnarSlice(frame(BID, [row for xs in stream for row in xs.rows]), puncts))
    assert {value.punctuation for value in whole.swept} <= swept
