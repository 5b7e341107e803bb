"""Without punctuations a join would keep what it keeps, what it has purged, and what was covered when it came."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanes import examples
from operators.vectorised import in_columns, vectorised
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.operators import Join
from punctum.operators.columns import ColumnarSlice
from punctum.spec.outer import OuterJoin
from punctum.spec.stream import Slice
from spec.laws import aligned
from spec.multijoins import multijoin_cases
from spec.operators import Case, binary_cases

CASES = {kind: binary_cases(kind) for kind in ("join", "interval join", "outer")} | {"multijoin": multijoin_cases()}


@pytest.mark.parametrize("kind", CASES)
@examples(30)
@given(data=st.data())
def test_what_is_kept_purged_and_covered_is_what_is_kept_without(kind: str, data: st.DataObject) -> None:
    """A LEFT or FULL join would keep at least what it keeps and has purged."""
    case: Case = data.draw(CASES[kind])
    spec, streams = case
    told, untold = vectorised(spec), vectorised(spec)
    for slices in zip(*aligned(streams), strict=True):
        sent = [in_columns(schema, xs, constants=False) for schema, xs in zip(spec.inputs, slices, strict=True)]
        told.feed(*sent)
        untold.feed(*(ColumnarSlice(xs.rows) for xs in sent))
        tables = [told.tables()[name] for name in told.keeps()]
        purged = sum(len(table) + table.purged for table in tables)
        if not isinstance(spec, OuterJoin):
            assert purged + sum(table.covered for table in tables) == untold.size().rows
        elif spec.kind.pairs:
            assert purged <= untold.size().rows


def test_rows_that_are_covered_are_counted() -> None:
    k = Schema.of(k="BIGINT")
    join = Join(k, k, [("k", "k")])
    nothing, rows = Slice((), ()), Slice(((1,), (1,), (2,), (None,)), ())
    for slices in ((Slice((), (Punctuation.of(k, k=1),)), nothing), (nothing, rows)):
        join.feed(*(in_columns(k, xs, constants=False) for xs in slices))
    assert (len(join.tables()["right"]), join.tables()["right"].covered) == (1, 2)
