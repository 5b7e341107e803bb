"""Random values, patterns, schemas, rows, punctuations and grammatical sliced streams, for Hypothesis."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from hypothesis import strategies as st

from punctum.algebra.pattern import EMPTY, NULL, WILDCARD, Pattern, between, constant, one_of
from punctum.algebra.punctuation import Punctuation
from punctum.algebra.schema import Schema
from punctum.algebra.values import NAN, SCALARS, Row, Type, Value
from punctum.spec.stream import Slice

_NOON = datetime(2026, 3, 29, 12, tzinfo=UTC)
SMALL: dict[Type, list[Value]] = {
    Type.BIGINT: [-1, 0, 1, 2, 3, 4, 5],
    Type.DOUBLE: [float("-inf"), -1.0, 0.0, 0.5, 1.0, 2.0, float("inf"), NAN],
    Type.DECIMAL: [Decimal(n) for n in ("-1", "0", "0.01", "0.02", "1.50", "2")],
    Type.STRING: ["", "a", "a\0", "ab", "b", "NULL", "*", "é"],
    Type.BOOLEAN: [False, True],
    Type.DATE: [date.min, *(date(2026, 2, 26) + timedelta(days=n) for n in range(5)), date.max],
    Type.TIMESTAMP: [_NOON + timedelta(microseconds=n) for n in range(-2, 4)],
    Type.TIMESTAMP_NTZ: [
        datetime.min,
        *(datetime(2026, 3, 29, 2, 59, 59, 999_998 + n) for n in range(2)),
        datetime.max,
    ],
    Type.INTERVAL: [timedelta(microseconds=n) for n in (-(2**63), -1, 0, 1, 2, 2**63 - 1)],
}
"""Few values of each type, neighbours and extremes among them, so that random patterns meet."""

types = st.sampled_from(list(SCALARS))
wide: dict[Type, st.SearchStrategy[Value]] = {
    Type.BIGINT: st.integers(-(2**63), 2**63 - 1),
    Type.DOUBLE: st.floats(),
    Type.DECIMAL: st.decimals(allow_nan=False, allow_infinity=False),
    Type.STRING: st.text(),
    Type.BOOLEAN: st.booleans(),
    Type.DATE: st.dates(),
    Type.TIMESTAMP: st.datetimes(timezones=st.just(UTC)),
    Type.TIMESTAMP_NTZ: st.datetimes(),
    Type.INTERVAL: st.integers(-(2**63), 2**63 - 1).map(lambda n: timedelta(microseconds=n)),
}
"""Any value of each type, for the codecs."""


def small(kind: Type) -> st.SearchStrategy[Value]:
    return st.sampled_from(SMALL[kind])


def patterns_of(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Pattern]:
    ends = st.none() | values
    return st.one_of(
        st.sampled_from([WILDCARD, EMPTY, NULL]),
        values.map(constant),
        st.builds(between, ends, ends, st.sampled_from(["[]", "[)", "(]", "()"])),
        st.lists(values, max_size=4).map(one_of),
    )


def patterns(kind: Type) -> st.SearchStrategy[Pattern]:
    return patterns_of(small(kind))


@st.composite
def schemas(draw: st.DrawFn, most: int = 3) -> Schema:
    kinds = draw(st.lists(types, min_size=1, max_size=most))
    return Schema.of(**{f"a{i}": kind for i, kind in enumerate(kinds)})


@st.composite
def rows(draw: st.DrawFn, schema: Schema, anything: bool = False) -> Row:
    values = wide if anything else {kind: small(kind) for kind in SCALARS}
    return schema.row(*(draw(st.none() | values[a.type]) for a in schema.attributes))


@st.composite
def punctuations(draw: st.DrawFn, schema: Schema, anything: bool = False) -> Punctuation:
    values = wide if anything else {kind: small(kind) for kind in SCALARS}
    return Punctuation(schema, tuple(draw(st.just(WILDCARD) | patterns_of(values[a.type])) for a in schema.attributes))


@st.composite
def streams(
    draw: st.DrawFn,
    schema: Schema,
    some_rows: st.SearchStrategy[Row] | None = None,
    some_puncts: st.SearchStrategy[Punctuation] | None = None,
    most: int = 4,
) -> list[Slice]:
    """A grammatical sliced stream: random slices without the rows that earlier punctuations exclude."""
    one_row = rows(schema) if some_rows is None else some_rows
    one_punct = punctuations(schema) if some_puncts is None else some_puncts
    slices: list[Slice] = []
    said: list[Punctuation] = []
    for _ in range(draw(st.integers(1, most))):
        drawn = draw(st.lists(one_row, max_size=4))
        puncts = draw(st.lists(one_punct, max_size=2))
        slices.append(Slice(tuple(t for t in drawn if not any(p.match(t) for p in said)), tuple(puncts)))
        said += puncts
    return slices
