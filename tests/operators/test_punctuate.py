"""Punctuate beyond the specification: a guard inside, closings in bulk, and a list that has changed."""

from collections.abc import Iterator

import polars as pl
from hypothesis import given

from operators.vectorised import agree, assert_bags, origin
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.values import NAN
from punctum.operators import ColumnarSlice, Punctuate, frame, to_rows
from punctum.operators.batch import punctuations_of
from punctum.operators.origins import AllReported, EndEvent, Unique
from punctum.spec.origins import AccessOrder as SpecAccessOrder
from punctum.spec.origins import AllReported as SpecAllReported
from punctum.spec.punctuate import Punctuate as SpecPunctuate
from punctum.spec.stream import Slice, prefix
from spec.operators import Case, punctuate_cases

BID = Schema.of(itemid="BIGINT", status="STRING")
REPORT = Schema.of(sid="STRING", hour="BIGINT", zone="BIGINT")


def kept_to_its_word(spec: SpecPunctuate, stream: list[Slice]) -> Iterator[Slice]:
    """What the specification gives for the rows that nothing emitted before excludes, with one origin row by row."""
    running = spec.start()
    emitted = PunctuationSet(spec.schema)
    for piece in stream:
        singly = [Slice((t,)) for t in piece.rows] + [Slice(puncts=piece.puncts)]
        outs = []
        for part in singly if in_order(spec) else [piece]:
            good = tuple(t for t in part.rows if not emitted.matches(t))
            outs.append(running.feed(Slice(good, part.puncts)))
            for p in outs[-1].puncts:
                emitted.add(p)
        yield prefix(outs)


def in_order(spec: SpecPunctuate) -> bool:
    return len(spec.origins) == 1 and not spec.opening()


@given(punctuate_cases())
def test_a_guard_inside_holds_the_source_to_its_word(case: Case) -> None:
    spec, (stream,) = case
    assert isinstance(spec, SpecPunctuate)
    fast = Punctuate(spec.schema, [origin(specified, spec.schema) for specified in spec.origins], guard=True)
    fast.in_order = in_order(spec)
    canonical = [Slice(tuple(to_rows(frame(spec.schema, xs.rows))), xs.puncts) for xs in stream]
    wanted_puncts, puncts = PunctuationSet(spec.schema), PunctuationSet(spec.schema)
    for piece, wanted in zip(canonical, kept_to_its_word(spec, canonical), strict=True):
        out = fast.feed(ColumnarSlice(frame(spec.schema, piece.rows), piece.puncts))
        assert_bags(to_rows(out.rows), wanted.rows)
        for p in wanted.puncts:
            wanted_puncts.add(p)
        for p in punctuations_of(spec.schema, out):
            puncts.add(p)
        assert puncts == wanted_puncts


def test_many_closings_are_one_column() -> None:
    count = 100_000
    rows = pl.DataFrame({"itemid": range(count), "status": ["open", "closed"] * (count // 2)})
    closings = Punctuate(BID, [EndEvent(Scheme.of(BID, "itemid"), pl.col("status") == "closed")])
    closed = closings.feed(ColumnarSlice(rows))
    assert (closed.puncts, closed.constants["itemid"].to_list()) == ((), list(range(1, count, 2)))
    once = Punctuate(BID, [Unique(Scheme.of(BID, "itemid"))]).feed(ColumnarSlice(rows))
    assert (once.puncts, len(once.constants["itemid"])) == ((), count)
    two = frame(REPORT, [(sid, hour, 0) for hour in range(1_000) for sid in ("a", "b")])
    reported = Punctuate(REPORT, [AllReported(Scheme.of(REPORT, "hour"), "sid", ["a", "b"])])
    assert not reported.feed(ColumnarSlice(two[::2])).constants
    complete = reported.feed(ColumnarSlice(two[1::2]))
    assert (complete.puncts, complete.constants["hour"].to_list()) == ((), list(range(1_000)))
    assert reported.size().rows == 0


def test_null_is_a_value_that_can_be_closed() -> None:
    out = Punctuate(BID, [Unique(Scheme.of(BID, "itemid"))]).feed(ColumnarSlice(frame(BID, [(None, "a"), (1, "b")])))
    assert ([str(p) for p in out.puncts], out.constants["itemid"].to_list()) == (["<NULL, *>"], [1])


def test_reports_of_several_attributes() -> None:
    scheme = Scheme.of(REPORT, "hour", "zone")
    spec = SpecPunctuate(REPORT, (SpecAllReported(scheme, "sid", frozenset({"a", "b"})),))
    slices = [
        Slice.of(("a", 1, 1), ("b", 1, 2), ("a", 2, None), ("x", 1, 1), ("a", 1, 1)),
        Slice.of(("b", 2, None), ("a", 1, 2), (None, 1, 1)),
        Slice.of(("b", 1, 1), ("b", 1, 1), ("a", 1, 1)),
    ]
    agree(spec, [slices])
    fast = Punctuate(REPORT, [AllReported(scheme, "sid", ["a", "b"])])
    made = [set(map(str, fast.feed(ColumnarSlice(frame(REPORT, piece.rows))).puncts)) for piece in slices]
    assert made == [set(), {"<*, 2, NULL>", "<*, 1, 2>"}, {"<*, 1, 1>"}]


def test_who_has_left_the_list_does_not_count_any_more() -> None:
    scheme = Scheme.of(REPORT, "hour")
    before = Punctuate(REPORT, [AllReported(scheme, "sid", ["a", "b"])])
    before.feed(ColumnarSlice(frame(REPORT, [("a", 1, 0)])))
    after = Punctuate(REPORT, [AllReported(scheme, "sid", ["b", "c"])])
    after.restore_tables(before.tables())
    after.restore_metadata(before.metadata())
    assert not after.feed(ColumnarSlice(frame(REPORT, [("b", 1, 0)]))).constants
    out = after.feed(ColumnarSlice(frame(REPORT, [("c", 1, 0)])))
    assert out.constants["hour"].to_list() == [1]
    assert after.size().rows == 0


def test_the_streams_own_punctuations_come_with_those_that_are_made() -> None:
    once = Punctuate(BID, [Unique(Scheme.of(BID, "itemid"))])
    given = ColumnarSlice(frame(BID, [(1, "x")]), (Punctuation.of(BID, itemid=5), Punctuation.of(BID, status="y")))
    out = once.feed(given)
    assert (out.puncts, sorted(out.constants["itemid"]), out.constants["status"].to_list()) == ((), [1, 5], ["y"])
    again = once.feed(given)
    assert (again.puncts, again.constants) == ((), {})


def test_nan_is_the_greatest_number_of_an_order() -> None:
    price = Schema.of(price="DOUBLE")
    for descending, made in ((False, "<(,Infinity]>"), (True, "<(1.0,)>")):
        spec = SpecPunctuate(price, (SpecAccessOrder(price, "price", descending),))
        stream = [Slice.of((2.0,), (NAN,), (1.0,))]
        agree(spec, [stream])
        assert [str(p) for p in spec.start().feed(stream[0]).puncts] == [made]
