"""Parts of operators against the same parts of the specification: images of columns, and prefixes of an order."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operators.vectorised import column
from punctum.algebra.pattern import EMPTY, WILDCARD, Pattern, between, one_of
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.scheme import Scheme
from punctum.algebra.sorting import SortKey
from punctum.algebra.trends import Trend
from punctum.algebra.values import Type
from punctum.errors import SchemaError
from punctum.operators.clock import StreamClock
from punctum.operators.origins import AllReported
from punctum.operators.prefix import closed_prefix
from punctum.spec.columns import ComputedColumn as SpecColumn
from punctum.spec.sort import Sort as SpecSort
from spec.operators import computed
from strategies import patterns

COLUMNS = [
    *((c, Type.BIGINT) for c in computed("x")),
    (SpecColumn(Attribute("floor", Type.BIGINT), "x", int, trend=Trend.INCREASING), Type.DECIMAL),
    (SpecColumn(Attribute("less", Type.DECIMAL), "x", lambda v: -v, True, Trend.DECREASING), Type.DECIMAL),
    (SpecColumn(Attribute("twice", Type.DECIMAL), "x", lambda v: 2 * v, True, Trend.INCREASING), Type.DECIMAL),
    (SpecColumn(Attribute("double", Type.DOUBLE), "x", lambda v: 2 * v, True, Trend.INCREASING), Type.DOUBLE),
    (SpecColumn(Attribute("not", Type.BOOLEAN), "x", lambda v: not v, True, Trend.DECREASING), Type.BOOLEAN),
    (SpecColumn(Attribute("inverse", Type.DECIMAL), "x", lambda v: Decimal(1) / v, True), Type.DECIMAL),
    (SpecColumn(Attribute("length", Type.BIGINT), "x", len), Type.STRING),
]
"""Columns of an attribute x, and its type."""


@given(st.sampled_from(COLUMNS), st.data())
def test_images(case: tuple[SpecColumn, Type], data: st.DataObject) -> None:
    spec, kind = case
    pattern = data.draw(patterns(kind).filter(lambda p: p not in (WILDCARD, EMPTY)))
    assert column(spec).images(pattern, kind) == spec.images(pattern, kind)


def domains() -> st.SearchStrategy[Pattern]:
    return st.sampled_from([WILDCARD, between(None, None), between(0, 3), one_of([0, 2, 3]), between(1, None)])


@given(st.data())
def test_prefixes(data: st.DataObject) -> None:
    schema = Schema.of(x="BIGINT", y="BIGINT").where(x=data.draw(domains()), y=data.draw(domains()))
    few: Any = patterns(Type.BIGINT).filter(lambda p: p != EMPTY)
    puncts = data.draw(st.lists(st.builds(lambda x, y: Punctuation(schema, (x, y)), few, few), max_size=8))
    key = st.builds(SortKey, st.sampled_from(schema.names), st.booleans(), st.none() | st.booleans())
    keys = data.draw(st.lists(key, min_size=1, max_size=2, unique_by=lambda k: k.name))
    at = set(schema.indices(k.name for k in keys))
    closed = PunctuationSet(schema, [p for p in puncts if {i for i, _ in p.sides} <= at])
    wanted = SpecSort(schema, tuple(keys)).init(closed)
    assert list(map(str, closed_prefix(schema, keys, closed))) == list(map(str, wanted))


def test_many_closed_values_are_no_burden_to_a_prefix() -> None:
    """Of values that are closed here and there only those up to the first gap are looked at."""
    schema = Schema.of(x="BIGINT").where(x=between(0, None))
    closed = PunctuationSet(schema, (Punctuation.of(schema, x=n) for n in [0, 1, *range(3, 20_000, 2)]))
    looked = list[Punctuation]()

    class Watched(PunctuationSet):
        def covers(self, punctuation: Punctuation) -> bool:
            looked.append(punctuation)
            return super().covers(punctuation)

    watched = Watched(schema, closed)
    assert list(map(str, closed_prefix(schema, [SortKey("x")], watched))) == ["<[0,1]>"]
    assert len(looked) == 2


def test_what_makes_no_sense_is_refused() -> None:
    bid = Schema.of(itemid="BIGINT", ts="TIMESTAMP")
    with pytest.raises(SchemaError, match="itemid is not a time"):
        StreamClock(bid, "itemid")
    with pytest.raises(SchemaError, match="list of members is empty"):
        AllReported(Scheme.of(bid, "ts"), "itemid", [])
