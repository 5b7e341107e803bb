"""Schemes: instances, coverage in finite time, implication."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.pattern import between
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.values import Row
from punctum.errors import SchemaError
from strategies import rows

bid = Schema.of(itemid="BIGINT", bidder="BIGINT", ts="TIMESTAMP")
terms = st.tuples(
    st.sampled_from(["", "itemid"]), st.sampled_from(["", "bidder"]), st.sampled_from(["", "ts", "ts ASC", "ts DESC"])
)
chosen = terms.map(lambda found: [term for term in found if term]).filter(bool)


@given(chosen, rows(bid))
def test_an_instance_is_admitted_and_covers_its_row(on: list[str], row: Row) -> None:
    scheme = Scheme.of(bid, *on)
    ordered = "ts ASC" in on or "ts DESC" in on
    assert scheme.covers(row) == (not ordered or row[2] is not None)
    if scheme.covers(row):
        instance = scheme.instantiate(row)
        assert instance.match(row)
        assert scheme.admits(instance)
        assert scheme.covered(row, [instance])
        assert not scheme.covered(row, [])


@given(chosen, chosen, rows(bid))
def test_implication_is_about_what_gets_covered(on: list[str], other: list[str], row: Row) -> None:
    """A stream that gives the instances of one scheme thereby covers what the implied one promises to cover."""
    strong, weak = Scheme.of(bid, *on), Scheme.of(bid, *other)
    if strong.implies(weak) and strong.covers(row) and weak.covers(row):
        assert strong.instantiate(row).covers(weak.instantiate(row))


def test_which_schemes_imply_which() -> None:
    item, both, time, order = (Scheme.of(bid, *on) for on in (["itemid"], ["itemid", "ts"], ["ts"], ["ts ASC"]))
    assert order.implies(time)
    assert not time.implies(order)
    assert item.implies(both)
    assert not both.implies(item)
    assert order.implies(both)
    assert not Scheme.of(bid, "ts DESC").implies(order)


def test_a_punctuation_elsewhere_is_not_admitted() -> None:
    assert not Scheme.of(bid, "itemid").admits(Punctuation.of(bid, itemid=1, bidder=2))
    assert not Scheme.of(bid, "itemid").admits(Punctuation.of(bid, bidder=2))
    early = Schema.of(ts="BIGINT")
    assert Scheme.of(early, "ts ASC").admits(Punctuation.of(early, ts=between(None, 5)))
    assert not Scheme.of(early, "ts ASC").admits(Punctuation.of(early, ts=5))


def test_a_scheme_that_cannot_be_says_why() -> None:
    with pytest.raises(SchemaError, match="there is no column item"):
        Scheme.of(bid, "item")
    with pytest.raises(SchemaError, match="one or more, each named once"):
        Scheme.of(bid)
    with pytest.raises(SchemaError, match="one or more, each named once"):
        Scheme.of(bid, "itemid", "itemid")
    with pytest.raises(SchemaError, match="is not a column of a punctuation scheme"):
        Scheme.of(bid, "ts UP")
    with pytest.raises(SchemaError, match="no punctuation of the scheme covers the row"):
        Scheme.of(bid, "ts ASC").instantiate((1, 2, None))
