"""The papers' worked examples, exactly."""

from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.sorting import SortKey
from punctum.algebra.values import Row
from punctum.spec.difference import Difference, DifferenceRows
from punctum.spec.dupelim import Dupelim
from punctum.spec.framework import unary
from punctum.spec.group_by import GroupBy
from punctum.spec.join import Join
from punctum.spec.select import Select
from punctum.spec.sort import Sort
from punctum.spec.stream import Slice, prefix

number = Schema.of(n="BIGINT")


def rows(*values: int) -> list[Row]:
    return [(value,) for value in values]


def upto(low: int, high: int) -> Punctuation:
    return Punctuation.of(number, n=between(low, high))


def test_slices_of_section_2_2() -> None:
    stream = [Slice.of(*rows(1, 2)), Slice.of(*rows(3)), Slice.of(), Slice.of(*rows(4, 5)), Slice.of(*rows(6))]
    assert list(prefix(stream[:4]).rows) == rows(1, 2, 3, 4, 5)


def test_sdupelim_of_section_4_1() -> None:
    running = Dupelim(number).start()
    trace = []
    for piece in (rows(1, 5), rows(3), rows(), rows(5, 6, 7)):
        output = running.feed(Slice.of(*piece))
        trace.append((list(output.rows), running.state))
    assert trace == [
        (rows(1, 5), rows(1, 5)),
        (rows(3), rows(1, 5, 3)),
        (rows(), rows(1, 5, 3)),
        (rows(6, 7), rows(1, 5, 3, 6, 7)),
    ]


def test_sdupelim_of_section_4_2() -> None:
    """Function by function: step, then prop, then keep."""
    sdupelim = Dupelim(number)
    p = upto(0, 4)
    state: list[Row] = []
    trace: list[tuple[str, object, object]] = []
    for piece, ps in ((rows(1, 5), []), (rows(3), []), (rows(), [p]), (rows(5, 6, 7), [])):
        output, state = sdupelim.step(piece, state)
        trace.append(("step", list(output), state))
        trace.append(("prop", list(sdupelim.prop(ps, state)), None))
        state = sdupelim.keep(ps, state)
        trace.append(("keep", None, state))
    assert trace == [
        ("step", rows(1, 5), rows(1, 5)),
        ("prop", [], None),
        ("keep", None, rows(1, 5)),
        ("step", rows(3), rows(1, 5, 3)),
        ("prop", [], None),
        ("keep", None, rows(1, 5, 3)),
        ("step", rows(), rows(1, 5, 3)),
        ("prop", [p], None),
        ("keep", None, rows(5)),
        ("step", rows(6, 7), rows(5, 6, 7)),
        ("prop", [], None),
        ("keep", None, rows(5, 6, 7)),
    ]


def test_sdiff_of_section_4_2() -> None:
    """The definition, function by function, on lts = [1, 2, 3] and rts = [2]."""
    sdiff = DifferenceRows(number, number)
    out, st = sdiff.step_left(rows(1, 2, 3), sdiff.initial())
    assert (out, st[0]) == ([], rows(1, 2, 3))
    assert sdiff.pass_left([upto(1, 1)], st) == ()
    assert sdiff.prop_left([upto(1, 1)], st) == []
    st = sdiff.keep_left([upto(1, 2)], st)
    assert (st[0], st[1], str(st[2]), str(st[3])) == (rows(1, 2, 3), [], "{<[1,2]>}", "{}")

    out, st = sdiff.step_right(rows(2), st)
    assert (out, st[1]) == ([], rows(2))
    new = [upto(1, 2)]
    assert sdiff.pass_right(new, st) == rows(1)  # setMatchTs(lts \ rts, ps ++ rps)
    assert list(map(str, sdiff.prop_right(new, st))) == ["<[1,2]>"]  # setCombine(lps, ps ++ rps)
    st = sdiff.keep_right(new, st)
    assert (st[0], st[1]) == (rows(3), [])  # ltsNew, and rtsNew = setNomatchTs(rts, lps)
    assert (str(st[2]), str(st[3])) == ("{<[1,2]>}", "{<[1,2]>}")


def test_sdiff_outputs_before_the_end() -> None:
    running = Difference(number, number).start()
    assert running.feed(Slice.of(*rows(1, 2, 3, 3)), Slice.of(*rows(2))) == Slice()
    released = running.feed(Slice.of(upto(1, 3)), Slice.of(upto(2, 9)))
    assert (list(released.rows), list(map(str, released.puncts))) == (rows(3), ["<[2,3]>"])
    assert running.kept() == {"left": rows(1), "right": [], "distinct": []}


def test_sort_waits_for_the_first_hour() -> None:
    """Section 5.2: [2,4] releases nothing, [0,3] then releases all through the fourth hour."""
    report = Schema.of(sid="STRING", hour="BIGINT", minute="BIGINT", currtmp="BIGINT").where(hour=between(0, 23))
    first = Slice.of(("S1", 4, 0, 70), ("S1", 3, 0, 71), ("S1", 5, 0, 72), Punctuation.of(report, hour=between(2, 4)))
    second = Slice.of(("S1", 0, 0, 73), Punctuation.of(report, hour=between(0, 3)))
    nothing, through_four = unary(Sort(report, (SortKey("hour"),)), [first, second])
    assert nothing == Slice()
    assert list(map(str, through_four.puncts)) == ["<*, [0,4], *, *>"]
    assert [t[1] for t in through_four.rows] == [0, 3, 4]


def test_sort_of_the_earlier_text() -> None:
    """The stream of positive integers 8, 2, 6, 11, 3, EOS(1-10), 12, 24, 15, EOS(11-20), 28, 21, …."""
    positive = number.where(n=between(1, None))
    first, second = (Punctuation.of(positive, n=between(low, low + 9)) for low in (1, 11))
    stream = [Slice.of(*rows(8, 2, 6, 11, 3), first), Slice.of(*rows(12, 24, 15), second), Slice.of(*rows(28, 21))]
    output = list(unary(Sort(positive, (SortKey("n"),)), stream))
    assert [list(piece.rows) for piece in output] == [rows(2, 3, 6, 8), rows(11, 12, 15), []]
    assert [list(map(str, piece.puncts)) for piece in output] == [["<[1,10]>"], ["<[1,20]>"], []]


def test_select_emits_what_its_predicate_implies() -> None:
    """Conclusions of the earlier text: hour = 8 implies punctuations for the hours below 8 and those above."""
    phone = Schema.of(zoneid="BIGINT", hour="BIGINT").where(hour=between(0, 23))
    (output,) = unary(Select.matching(Punctuation.of(phone, hour=8)), [Slice.of((1, 7), (1, 8))])
    assert (output.rows, list(map(str, output.puncts))) == (((1, 8),), ["<*, [0,7]>", "<*, [9,23]>"])


def test_only_punctuations_on_the_group_complete_it() -> None:
    """Section 5.2: items 1001 and 1004 complete two groups, seller 9932 none."""
    sale = Schema.of(itemid="BIGINT", seller="BIGINT")
    by_item = GroupBy(sale, ("itemid",), ())
    sold = Slice.of((1001, 9932), (1004, 9932), (1005, 9932))
    seller, items = Punctuation.of(sale, seller=9932), [Punctuation.of(sale, itemid=i) for i in (1001, 1004)]
    assert [piece.rows for piece in unary(by_item, [sold, Slice.of(seller)])] == [(), ()]
    assert [piece.rows for piece in unary(by_item, [sold, Slice.of(*items)])] == [(), ((1001,), (1004,))]


def test_the_join_of_section_1_3() -> None:
    """An item's punctuation purges its bids, a closed auction purges the item, and then join emits that itself."""
    item = Schema.of(itemid="BIGINT", name="STRING")
    bid = Schema.of(itemid="BIGINT", increase="BIGINT")
    running = Join(item, bid, (("itemid", "itemid"),), ("item.", "bid.")).start()
    running.feed(Slice.of((1, "vase")), Slice.of((1, 5), (2, 7)))
    assert running.kept() == {"left": [(1, "vase")], "right": [(1, 5), (2, 7)]}
    assert running.feed(Slice.of(Punctuation.of(item, itemid=1)), Slice.of()).puncts == ()
    assert running.kept() == {"left": [(1, "vase")], "right": [(2, 7)]}
    assert running.feed(Slice.of(), Slice.of((1, 3))).rows == ((1, "vase", 1, 3),)
    assert running.kept()["right"] == [(2, 7)]
    closed = running.feed(Slice.of(), Slice.of(Punctuation.of(bid, itemid=1)))
    assert list(map(str, closed.puncts)) == ["<1, *, *, *>", "<*, *, 1, *>"]
    assert running.kept() == {"left": [], "right": [(2, 7)]}
