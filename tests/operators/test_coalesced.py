"""COALESCE behind an outer join: what is closed of it, by brute force over small rows."""

from itertools import product

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from punctum.algebra import Punctuation, Row, Schema, between, constant, one_of
from punctum.algebra.pattern import NULL, WILDCARD, Pattern
from punctum.operators.batch import punctuations_of
from punctum.operators.coalesced import Coalesced
from punctum.operators.columns import ColumnarSlice, empty
from punctum.operators.images import ComputedColumn

PAIR, SHOWN = Schema.of(x="BIGINT", y="BIGINT", z="BIGINT"), Schema.of(k="BIGINT", z="BIGINT")
VALUES = (None, 0, 1, 2, 99)
"""The last one is in no pattern but those without an end."""
patterns = st.sampled_from(
    [WILDCARD, NULL, constant(0), constant(1), between(0, 1), between(None, 1), between(1, None), one_of([0, 2])]
)


def coalesced() -> Coalesced:
    first = pl.coalesce("x", "y").alias("k")
    key, rest = SHOWN.attributes
    columns = [[ComputedColumn(key, of), ComputedColumn(rest, "z")] for of in "xy"]
    shown = [ComputedColumn(key, None), ComputedColumn(rest, "z")]
    rows = (first, pl.col("z"))
    ways = [list(zip(way, rows, strict=True)) for way in columns]
    return Coalesced(PAIR, list(zip(shown, rows, strict=True)), ways)


def image(row: Row) -> Row:
    x, y, z = row
    return (y if x is None else x, z)


@examples(60)
@given(said=st.lists(st.lists(st.tuples(patterns, patterns, patterns), max_size=3), min_size=1, max_size=4))
def test_what_is_closed_can_come_no_more(said: list[list[tuple[Pattern, Pattern, Pattern]]]) -> None:
    operator, received, emitted = coalesced(), list[Punctuation](), list[Punctuation]()
    for several in said:
        puncts = tuple(Punctuation(PAIR, each) for each in several)
        received += puncts
        emitted += punctuations_of(SHOWN, operator.feed(ColumnarSlice(empty(PAIR), puncts)))
        again = coalesced()
        again.restore_metadata(operator.metadata())
        operator = again
    open_rows = [row for row in product(VALUES, repeat=3) if not any(p.match(row) for p in received)]
    for shown in map(image, open_rows):
        assert not [str(p) for p in emitted if p.match(shown)], shown


@examples(60)
@given(one=patterns, other=patterns, rest=patterns)
def test_what_both_close_is_closed(one: Pattern, other: Pattern, rest: Pattern) -> None:
    operator = coalesced()
    given_first = ColumnarSlice(empty(PAIR), (Punctuation(PAIR, (one, WILDCARD, rest)),))
    emitted = [*punctuations_of(SHOWN, operator.feed(given_first))]
    emitted += punctuations_of(
        SHOWN, operator.feed(ColumnarSlice(empty(PAIR), (Punctuation(PAIR, (WILDCARD, other, rest)),)))
    )
    for k, z in product(VALUES, VALUES):
        if one.match(k) and other.match(k) and rest.match(z):
            assert any(p.match((k, z)) for p in emitted)
