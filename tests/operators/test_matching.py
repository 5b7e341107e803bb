"""Matching in columns is matching row by row."""

from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from punctum.algebra.pattern import NULL, between, one_of
from punctum.algebra.punctuation import Punctuation, end_of_stream
from punctum.algebra.punctuation_set import PunctuationSet
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import NAN, Row, Type
from punctum.operators.batch import PunctuationBatch, add, batch
from punctum.operators.columns import frame, to_rows
from punctum.operators.limits import limited
from punctum.operators.matching import free, matches
from strategies import punctuations, rows, schemas

Case = tuple[Schema, list[Row], list[Punctuation]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    schema = draw(schemas())
    return schema, draw(st.lists(rows(schema), max_size=12)), draw(st.lists(punctuations(schema), max_size=12))


@pytest.mark.parametrize("few", [0, 8])
@given(case=cases())
def test_masks(few: int, case: Case) -> None:
    schema, ts, ps = case
    df = frame(schema, ts)
    assert to_rows(df) == ts
    with limited(compared=few):
        wanted = [any(p.match(t) for p in ps) for t in ts]
        assert matches(df, ps).to_list() == wanted
        assert matches(df, batch(schema, ps)).to_list() == wanted
        assert matches(df, PunctuationSet(schema, ps)).to_list() == wanted

        none, some = free(df, batch(schema, ps))
        assert PunctuationSet(schema, none) == PunctuationSet(schema, alone := [p for p in ps if not touched(p, ts)])
        assert {p.patterns for p in none} == {p.patterns for p in alone if not p.empty}
        assert {p.patterns for p in some} == {p.patterns for p in ps if touched(p, ts)}


def touched(p: Punctuation, ts: list[Row]) -> bool:
    return any(p.match(t) for t in ts)


@given(case=cases())
def test_a_batch_says_what_its_punctuations_say(case: Case) -> None:
    schema, _, ps = case
    known = PunctuationSet(schema)
    add(known, batch(schema, ps))
    assert known == PunctuationSet(schema, ps)
    assert {p.patterns for p in batch(schema, ps)} == {p.patterns for p in ps if not p.empty}
    half = len(ps) // 2
    both = batch(schema, ps[:half]) + batch(schema, ps[half:])
    assert {p.patterns for p in both} == {p.patterns for p in ps if not p.empty}


@given(st.lists(st.text(), max_size=20), st.lists(st.text(), min_size=1, max_size=20))
def test_strings_of_any_characters(values: list[str], ends: list[str]) -> None:
    schema = Schema.of(s="STRING")
    df = frame(schema, [(v,) for v in values])
    for lower, upper in zip(ends, ends[1:] + ends[:1], strict=True):
        for shape in ("[]", "[)", "(]", "()"):
            p = Punctuation.of(schema, s=between(lower, upper, shape))
            assert matches(df, [p]).to_list() == [p.match((v,)) for v in values]


@given(st.lists(st.floats()), st.lists(st.floats(), min_size=1))
def test_any_doubles(values: list[float], ends: list[float]) -> None:
    schema = Schema.of(x="DOUBLE")
    ts = [schema.row(v) for v in values]
    known = PunctuationSet(schema, [Punctuation.of(schema, x=between(a, b, "(]")) for a, b in pairwise(ends)])
    known.add(Punctuation.of(schema, x=one_of(ends)))
    assert matches(frame(schema, ts), known).to_list() == [known.matches(t) for t in ts]


def test_decimals_finer_than_their_column() -> None:
    schema = Schema((Attribute("d", Type.DECIMAL, digits=(4, 2)),))
    df = frame(schema, [(Decimal("0.01"),), (Decimal("0.02"),), (Decimal("-0.01"),), (Decimal("99.99"),), (None,)])

    def mask(pattern: object) -> list[bool]:
        return matches(df, [Punctuation.of(schema, d=pattern)]).to_list()  # type: ignore[arg-type]

    assert mask(Decimal("0.015")) == [False] * 5
    assert mask(between(Decimal("0.015"), None)) == [False, True, False, True, False]
    assert mask(between(None, Decimal("-0.005"))) == [False, False, True, False, False]
    assert mask(between(None, Decimal("1e40"))) == [True] * 4 + [False]
    assert mask(between(Decimal("-1e40"), Decimal("1e-30"), "()")) == [False, False, True, False, False]
    assert mask(NULL) == [False] * 4 + [True]


def test_nothing_everything_and_the_ends_of_types() -> None:
    schema = Schema.of(n="BIGINT", x="DOUBLE", t="TIMESTAMP")
    least, most = -(2**63), 2**63 - 1
    noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
    df = frame(
        schema, [(least, float("-inf"), noon), (most, NAN, datetime.max.replace(tzinfo=UTC)), (None, None, None)]
    )
    assert matches(df, []).to_list() == [False] * 3
    assert matches(df, [end_of_stream(schema)]).to_list() == [True] * 3
    assert matches(df.clear(), [end_of_stream(schema)]).to_list() == []
    for pattern, wanted in (
        (between(least, most), [True, True, False]),
        (between(None, most - 1), [True, False, False]),
        (one_of([least, most]), [True, True, False]),
    ):
        assert matches(df, [Punctuation.of(schema, n=pattern)]).to_list() == wanted
    assert matches(df, [Punctuation.of(schema, x=NAN)]).to_list() == [False, True, False]
    assert matches(df, [Punctuation.of(schema, x=between(float("inf"), None, "(]"))]).to_list() == [False, True, False]
    assert matches(df, [Punctuation.of(schema, t=between(noon, None, "(]"))]).to_list() == [False, True, False]


def test_many_spans_and_boxes() -> None:
    schema = Schema.of(n="BIGINT", s="STRING")
    ts: list[Row] = [(n, s) for n in [*range(200), None] for s in ("a", "b", None)]
    df = frame(schema, ts)
    some = [Punctuation.of(schema, n=between(7 * n, 7 * n + 2)) for n in range(20)]
    fixed = [Punctuation.of(schema, n=n, s="a") for n in range(0, 200, 3)] + [Punctuation.of(schema, n=None, s="b")]
    mixed = [Punctuation.of(schema, n=between(7 * n, 7 * n + 2), s="b") for n in range(20)]
    mixed += [Punctuation.of(schema, n=one_of([n, n + 5]), s=None) for n in range(0, 200, 20)]
    for ps in (some, fixed, mixed, some + fixed + mixed):
        assert matches(df, ps).to_list() == [any(p.match(t) for p in ps) for t in ts]
        assert matches(df, PunctuationSet(schema, ps)).to_list() == [any(p.match(t) for p in ps) for t in ts]
        none, _ = free(df.slice(0, 30), batch(schema, ps))
        assert {p.patterns for p in none} == {p.patterns for p in ps if not touched(p, ts[:30])}


def test_an_empty_batch_matches_nothing() -> None:
    schema = Schema.of(n="BIGINT")
    assert matches(pl.DataFrame({"n": [1]}), PunctuationBatch(schema)).to_list() == [False]


@given(st.lists(st.lists(st.integers(-40, 40), min_size=1, unique=True), max_size=4))
def test_many_runs_at_once_coalesce_as_one_by_one(slices: list[list[int]]) -> None:
    key = Schema.of(k="BIGINT")
    one_by_one, at_once = PunctuationSet(key), PunctuationSet(key)
    for values in slices:
        add(at_once, PunctuationBatch(key, {0: pl.Series(values)}), many=0)
        for value in values:
            one_by_one.add(Punctuation.of(key, k=value))
    assert list(at_once) == list(one_by_one)
