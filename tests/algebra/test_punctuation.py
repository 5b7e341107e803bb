"""The laws of punctuations and table 1's functions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra import functions as f
from punctum.algebra.pattern import between, constant
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Row, Type
from punctum.errors import SchemaError
from strategies import punctuations, rows, schemas

three = schemas().flatmap(lambda s: st.tuples(punctuations(s), punctuations(s), punctuations(s), rows(s)))
lists = schemas(most=2).flatmap(
    lambda s: st.tuples(
        st.lists(rows(s), max_size=6),
        st.lists(punctuations(s), max_size=4),
        st.lists(punctuations(s), max_size=4),
        rows(s),
    )
)
Three = tuple[Punctuation, Punctuation, Punctuation, Row]
bid = Schema.of(itemid="BIGINT", increase="DOUBLE", buyerid="BIGINT")


@given(three)
def test_combine_is_and(case: Three) -> None:
    p, q, _, row = case
    both = p.combine(q)
    assert (both is not None and both.match(row)) == (p.match(row) and q.match(row))


@given(three)
def test_combine_is_commutative_associative_idempotent(case: Three) -> None:
    p, q, r, _ = case
    assert p.combine(q) == q.combine(p)
    left, right = p.combine(q), q.combine(r)
    assert (left and left.combine(r)) == (right and p.combine(right))
    assert p.combine(p) == (None if p.empty else p)
    assert p.combine(end_of_stream(p.schema)) == (None if p.empty else p)


@given(three)
def test_covers_is_a_partial_order(case: Three) -> None:
    p, q, r, row = case
    assert p.covers(p)
    assert not (p.covers(q) and q.covers(p)) or p == q or (p.empty and q.empty)
    assert not (p.covers(q) and q.covers(r)) or p.covers(r)
    assert not (p.covers(q) and q.match(row)) or p.match(row)


@given(lists)
def test_table_1(case: tuple[list[Row], list[Punctuation], list[Punctuation], Row]) -> None:
    ts, ps, qs, t = case
    assert f.set_match(t, ps) == any(p.match(t) for p in ps)
    assert f.set_nomatch(t, ps) is not f.set_match(t, ps)
    assert f.set_match_ts(ts, ps) == [x for x in ts if f.set_match(x, ps)]
    assert f.set_nomatch_ts(ts, ps) == [x for x in ts if f.set_nomatch(x, ps)]
    assert f.set_nomatch_ps(ts, ps) == [p for p in ps if all(f.nomatch(x, p) for x in ts)]
    assert f.set_match(t, f.set_combine(ps, qs)) == (f.set_match(t, ps) and f.set_match(t, qs))
    assert (f.tups([*ts, *ps]), f.puncts([*ps, *ts])) == (ts, ps)


def test_the_paper_describes_bids_on_two_items() -> None:
    p = Punctuation.of(bid, itemid=between(1001, 1001))
    assert str(p) == "<1001, *, *>"
    assert Punctuation.of(bid, itemid=constant(2004)).match((2004, 1.0, 5))


def test_what_does_not_fit_the_schema_says_why() -> None:
    with pytest.raises(SchemaError, match="there is no column item") as unknown:
        Punctuation.of(bid, item=1)
    assert (unknown.value.detail, unknown.value.hint) == (
        "available: itemid, increase, buyerid",
        "did you mean itemid?",
    )
    with pytest.raises(SchemaError, match="does not fit the column itemid") as wrong:
        Punctuation.of(bid, itemid=constant("1"))
    assert wrong.value.detail == "itemid is a BIGINT, and the pattern 1 is of type STRING"
    with pytest.raises(SchemaError, match="does not fit the column itemid"):
        Punctuation.of(bid, itemid="1")
    with pytest.raises(SchemaError, match="does not fit its schema"):
        Punctuation(bid, ())
    with pytest.raises(SchemaError, match="not over the same schema"):
        Punctuation.of(bid, itemid=1).combine(Punctuation.of(Schema.of(itemid="BIGINT"), itemid=1))
    with pytest.raises(SchemaError, match="occurs twice"):
        Schema((Attribute("a", Type.BIGINT), Attribute("a", Type.DATE)))
    with pytest.raises(SchemaError, match="unknown type"):
        Schema.of(itemid="NUMBER")
    with pytest.raises(SchemaError, match="does not fit the schema"):
        bid.row(1, 2.0)
    with pytest.raises(SchemaError, match="does not fit the column increase"):
        bid.row(1, "2.0", 3)
